//! The real binary as tests see it: started on a free port with a data folder of its own, its log
//! kept, and gone when the test ends.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, mpsc},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

/// Long enough for a debug build on a busy machine; nothing waits this long when all is well.
const PATIENCE: Duration = Duration::from_secs(60);

/// Held by tests that keep every core busy, or that are the worse for it: they run one by one.
pub(crate) async fn alone() -> tokio::sync::MutexGuard<'static, ()> {
    static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    ALONE.lock().await
}

pub(crate) fn trawls() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trawls"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("TRAWLS_") {
            command.env_remove(name);
        }
    }
    command
}

pub(crate) struct Server {
    child: Child,
    /// Empty for a worker.
    url: String,
    log: Arc<Mutex<String>>,
    data: Arc<TempDir>,
}

impl Server {
    /// May fetch from loopback, so that it can reach the trap site.
    pub(crate) fn start() -> Self {
        Self::with(&[("TRAWLS_ALLOW_PRIVATE_TARGETS", "true")])
    }

    pub(crate) fn with(settings: &[(&str, &str)]) -> Self {
        Self::on(Arc::new(TempDir::new().unwrap()), settings)
    }

    /// On the data of another server, after its end.
    pub(crate) fn on(data: Arc<TempDir>, settings: &[(&str, &str)]) -> Self {
        Self::run(&["serve", "--port", "0"], data, settings)
    }

    /// None of its files may grow beyond so many blocks of 512 bytes.
    pub(crate) fn with_small_files(
        data: Arc<TempDir>,
        blocks: u32,
        settings: &[(&str, &str)],
    ) -> Self {
        // A write that goes beyond is an error then, not the end of the process.
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" serve --port 0");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_trawls")]);
        Self::spawn(command, data, settings)
    }

    /// A worker on the data of a server; it listens nowhere.
    pub(crate) fn worker(data: Arc<TempDir>, settings: &[(&str, &str)]) -> Self {
        Self::run(&["worker"], data, settings)
    }

    fn run(arguments: &[&str], data: Arc<TempDir>, settings: &[(&str, &str)]) -> Self {
        let mut command = trawls();
        command.args(arguments);
        Self::spawn(command, data, settings)
    }

    fn spawn(mut command: Command, data: Arc<TempDir>, settings: &[(&str, &str)]) -> Self {
        let mut child = command
            .env("TRAWLS_DATA_DIR", data.path())
            .env("TRAWLS_LOG_FORMAT", "json")
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let (sender, receiver) = mpsc::channel();
        let stderr = child.stderr.take().unwrap();
        std::thread::spawn({
            let log = Arc::clone(&log);
            move || {
                for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                    if let Some(url) = ready_at(&line) {
                        let _ = sender.send(url);
                    }
                    let mut log = log.lock().unwrap();
                    log.push_str(&line);
                    log.push('\n');
                }
            }
        });
        let url = receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| {
            let _ = child.kill();
            panic!("it does not get ready:\n{}", log.lock().unwrap())
        });
        Self {
            child,
            url,
            log,
            data,
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    pub(crate) fn data(&self) -> Arc<TempDir> {
        Arc::clone(&self.data)
    }

    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Status and body of `POST /v1/scrape`.
    pub(crate) async fn post(&self, body: &Value) -> (u16, Value) {
        self.post_to("/v1/scrape", body).await
    }

    /// Status and body of a POST.
    pub(crate) async fn post_to(&self, path: &str, body: &Value) -> (u16, Value) {
        let client = reqwest::Client::new();
        let request = client.post(self.url(path)).json(body);
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        (status, response.json().await.unwrap())
    }

    /// Starts a job; returns its id.
    pub(crate) async fn start_job(&self, path: &str, body: &Value) -> String {
        let (status, job) = self.post_to(path, body).await;
        assert_eq!(status, 202, "{job}");
        job["id"].as_str().unwrap().to_owned()
    }

    /// The job when it is over.
    pub(crate) async fn ended(&self, job: &str) -> Value {
        let start = Instant::now();
        loop {
            let job = self.read(&format!("/v1/jobs/{job}")).await;
            if !job["finished_at"].is_null() {
                return job;
            }
            assert!(start.elapsed() < 4 * PATIENCE, "{job}\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Body of a GET.
    pub(crate) async fn read(&self, path: &str) -> Value {
        self.get(path).await.json().await.unwrap()
    }

    /// A page that is data whatever became of it.
    pub(crate) async fn scrape(&self, body: Value) -> Value {
        let (status, page) = self.post(&body).await;
        assert_eq!(status, 200, "{page}");
        page
    }

    pub(crate) async fn get(&self, path: &str) -> reqwest::Response {
        reqwest::get(self.url(path)).await.unwrap()
    }

    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([name, &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "the server does not end:\n{}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The URL in the line of the log that says that the process is ready.
fn ready_at(line: &str) -> Option<String> {
    let entry: Value = serde_json::from_str(line).ok()?;
    let fields = entry.get("fields").unwrap_or(&entry);
    let is_ready = fields["message"] == "listening" || fields["message"] == "working";
    is_ready.then(|| fields["url"].as_str().unwrap_or_default().to_owned())
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}
