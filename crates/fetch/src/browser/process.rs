//! Chromium as a process of ours: started with a pipe instead of a debug port, in a process group
//! and a profile folder of its own, so that all of it can be killed and removed at any time.
//!
//! When this process dies, the pipe closes and Chromium ends by itself.

use std::{fs::File, io, os::fd::OwnedFd, path::Path, process::Stdio, sync::Arc, time::Duration};

use command_fds::{CommandFdExt, FdMapping};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::unix::pipe::{Receiver, Sender},
    process::{Child, Command},
    sync::mpsc,
    task::JoinSet,
    time::timeout,
};

use super::{
    cdp::Cdp,
    identity::{self, Version},
};

/// A message beyond this is no answer but an attack on our memory.
const MAX_MESSAGE_BYTES: u64 = 256 * 1024 * 1024;
/// How long Chromium may take to end by itself.
const GOODBYE: Duration = Duration::from_secs(2);
/// The name of a browser's folder begins with it.
const FOLDER: &str = "chromium-";
/// In it, locked for as long as the process that made it lives. Process numbers would not do: other
/// containers on the same disk have their own.
const LOCK: &str = "lock";
/// And Chromium's own.
const PROFILE: &str = "profile";

/// What is the same for every page and every machine.
const SWITCHES: [&str; 23] = [
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-hang-monitor",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
];

/// No way out but the gate: no QUIC, no WebRTC, no name look-ups of its own.
const NO_OTHER_WAY_OUT: [&str; 3] = [
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/// Frames of other sites stay in the tab's own renderer, where one session sees all of a page; and
/// no hidden pages of the browser's own, no page kept alive behind the next one.
const FEATURES: &str = "--disable-features=IsolateOrigins,site-per-process,BackForwardCache,\
                        WebUIOmniboxPopup,WebUIOmniboxAimPopup,OmniboxAimPopup,\
                        Translate,MediaRouter,OptimizationHints,AcceptCHFrame,\
                        DialMediaRouteProvider,InterestFeedContentSuggestions";

/// A running Chromium. Dropping it kills all of it.
pub(super) struct Process {
    child: Child,
    group: Option<Pid>,
    /// Removed when dropped.
    folder: Option<TempDir>,
    _lock: File,
    _transport: JoinSet<()>,
}

impl Process {
    /// Starts the binary with a new profile in `profiles`.
    ///
    /// # Errors
    /// It cannot be started, or no folder can be made.
    pub(super) fn start(
        binary: &Path,
        profiles: &Path,
        version: &Version,
    ) -> io::Result<(Self, Arc<Cdp>)> {
        std::fs::create_dir_all(profiles)?;
        let folder = tempfile::Builder::new()
            .prefix(FOLDER)
            .tempdir_in(profiles)?;
        let lock = File::create(folder.path().join(LOCK))?;
        lock.lock()?;
        let profile = folder.path().join(PROFILE);
        let (to_browser, our_writer) = pipe()?;
        let (our_reader, from_browser) = pipe_back()?;
        let mut command = Command::new(binary);
        command
            .args(SWITCHES)
            .args(NO_OTHER_WAY_OUT)
            .arg(FEATURES)
            .arg("--disable-site-isolation-trials")
            .args(identity::switches(version))
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true)
            .fd_mappings(vec![mapping(to_browser, 3), mapping(from_browser, 4)])
            .map_err(io::Error::other)?;
        // Chromium refuses its sandbox to root, and containers refuse it to everybody else.
        if rustix::process::geteuid().is_root() || !has_user_namespaces() {
            command.arg("--no-sandbox");
        }
        let child = command.arg("about:blank").spawn()?;
        drop(command);
        let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let (cdp, outbox) = Cdp::new();
        let mut transport = JoinSet::new();
        transport.spawn(write(our_writer, outbox));
        transport.spawn(read(our_reader, Arc::clone(&cdp)));
        let process = Self {
            child,
            group,
            folder: Some(folder),
            _lock: lock,
            _transport: transport,
        };
        Ok((process, cdp))
    }

    /// Asks Chromium to end, kills what has not ended, and removes its folder.
    pub(super) async fn end(mut self, cdp: &Arc<Cdp>) {
        let root = cdp.root();
        if root.tell("Browser.close", json!({})).await.is_ok() {
            let _ = timeout(GOODBYE, self.child.wait()).await;
        }
        self.kill();
        let _ = timeout(GOODBYE, self.child.wait()).await;
        if let Some(folder) = self.folder.take() {
            let removed = tokio::task::spawn_blocking(move || {
                remove_socket(folder.path());
                folder.close()
            })
            .await;
            if let Ok(Err(error)) = removed {
                tracing::warn!(%error, "a browser's profile folder was not removed");
            }
        }
    }

    /// The process's id, while it lives.
    #[cfg(test)]
    pub(super) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    fn kill(&mut self) {
        if let Some(group) = self.group.take() {
            // Already gone is as good.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Removes the folders of processes that are no more.
pub(super) fn sweep(profiles: &Path) {
    let Ok(entries) = std::fs::read_dir(profiles) else {
        return;
    };
    for folder in entries.flatten() {
        let is_ours = folder.file_name().to_string_lossy().starts_with(FOLDER);
        if !is_ours || !is_abandoned(&folder.path()) {
            continue;
        }
        remove_socket(&folder.path());
        if let Err(error) = std::fs::remove_dir_all(folder.path()) {
            tracing::warn!(%error, "an old browser profile was not removed");
        }
    }
}

/// Chromium puts a socket into the system's folder for temporary files, and when it is killed leaves
/// it there; the profile has a link to it.
fn remove_socket(folder: &Path) {
    let link = std::fs::read_link(folder.join(PROFILE).join("SingletonSocket"));
    let Some(place) = link
        .ok()
        .and_then(|socket| Some(socket.parent()?.to_owned()))
    else {
        return;
    };
    let is_chromiums = place
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("org.chromium."));
    if is_chromiums {
        // Already gone is as good.
        let _ = std::fs::remove_dir_all(place);
    }
}

fn is_abandoned(folder: &Path) -> bool {
    File::open(folder.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok())
}

fn has_user_namespaces() -> bool {
    let read = |path| std::fs::read_to_string(path).ok();
    let allowed = |path| read(path).is_none_or(|text| text.trim() != "0");
    let restricted = read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
    allowed("/proc/sys/user/max_user_namespaces")
        && allowed("/proc/sys/kernel/unprivileged_userns_clone")
        && restricted.is_none_or(|text| text.trim() != "1")
        && !["/.dockerenv", "/run/.containerenv"]
            .iter()
            .any(|mark| Path::new(mark).exists())
}

fn mapping(parent_fd: OwnedFd, child_fd: i32) -> FdMapping {
    FdMapping {
        parent_fd,
        child_fd,
    }
}

/// The browser's end for reading, and ours for writing.
fn pipe() -> io::Result<(OwnedFd, Sender)> {
    let (reader, writer) = io::pipe()?;
    Ok((reader.into(), Sender::from_owned_fd(writer.into())?))
}

/// Ours for reading, and the browser's for writing.
fn pipe_back() -> io::Result<(Receiver, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    Ok((Receiver::from_owned_fd(reader.into())?, writer.into()))
}

/// Messages end with a zero byte.
async fn write(mut pipe: Sender, mut outbox: mpsc::Receiver<String>) {
    while let Some(message) = outbox.recv().await {
        let mut bytes = message.into_bytes();
        bytes.push(0);
        if pipe.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

async fn read(pipe: Receiver, cdp: Arc<Cdp>) {
    let mut pipe = BufReader::with_capacity(1 << 16, pipe);
    let mut message = Vec::new();
    loop {
        message.clear();
        message.shrink_to(1 << 20);
        let mut bounded = (&mut pipe).take(MAX_MESSAGE_BYTES);
        match bounded.read_until(0, &mut message).await {
            Ok(1..) if message.last() == Some(&0) => {
                message.pop();
                cdp.deliver(&message);
            }
            _ => break,
        }
    }
    cdp.close();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_whose_maker_is_gone_are_swept() {
        let profiles = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let folder = profiles.path().join(name);
            std::fs::create_dir(&folder).unwrap();
            File::create(folder.join(LOCK)).unwrap()
        };
        let living = make("chromium-a");
        living.lock().unwrap();
        drop(make("chromium-b"));
        drop(make("something-else"));
        sweep(profiles.path());
        let mut left: Vec<_> = std::fs::read_dir(profiles.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["chromium-a", "something-else"]);
    }
}
