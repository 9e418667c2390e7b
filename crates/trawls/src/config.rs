//! Every setting of Trawls: one table, read from the environment once, at the start.
//!
//! The only place that reads the environment. A name that is not in the table, or a value that its
//! kind refuses, stops the start with a sentence. To add a setting, add a row and read it below.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use trawls_server::{Access, ApiKey};
use url::Url;

mod kind;
mod render;
mod values;

use kind::Kind;
pub(crate) use render::help_table;
use values::Values;

/// What every name starts with.
const PREFIX: &str = "TRAWLS_";

/// One row of the table.
pub(crate) struct Setting {
    /// Without the prefix.
    name: &'static str,
    /// What values look like.
    kind: Kind,
    /// As one would write it; empty means unset.
    default: &'static str,
    /// One sentence.
    help: &'static str,
    /// Its part is built. The others are accepted, and the log says that they do nothing.
    is_used: bool,
}

const fn used(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    help: &'static str,
) -> Setting {
    Setting {
        name,
        kind,
        default,
        help,
        is_used: true,
    }
}

const fn unused(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    help: &'static str,
) -> Setting {
    Setting {
        is_used: false,
        ..used(name, kind, default, help)
    }
}

/// The table.
#[rustfmt::skip]
pub(crate) const SETTINGS: &[Setting] = &[
    used("HOST", Kind::Host, "127.0.0.1", "Address to listen on. One that others can reach needs REQUIRE_AUTH or ALLOW_OPEN."),
    used("PORT", Kind::Count(0, 65_535), "8180", "Port to listen on; 0 takes a free one."),
    used("PUBLIC_URL", Kind::Url(&["http", "https"]), "", "The address that callers use, when the server stands behind a proxy."),
    used("REQUIRE_AUTH", Kind::Flag, "false", "Ask for a key: `Authorization: Bearer KEY` or `X-API-Key: KEY`."),
    used("ADMIN_KEY", Kind::Secret, "", "The key that REQUIRE_AUTH asks for."),
    used("ALLOW_OPEN", Kind::Flag, "false", "Listen on an address that others can reach without asking for a key."),
    used("DATA_DIR", Kind::Path, "", "Folder of the database and of stored pages; `$XDG_DATA_HOME/trawls` or `~/.local/share/trawls` when unset."),
    unused("DATABASE_URL", Kind::Url(&["sqlite", "postgres", "postgresql"]), "", "Another database than the one in DATA_DIR."),
    used("RESULT_TTL_DAYS", Kind::Count(1, 36_500), "7", "Days until stored pages are removed."),
    used("ALLOW_PRIVATE_TARGETS", Kind::Flag, "false", "Also fetch loopback and private addresses. Never in production."),
    used("PROXY_URLS", Kind::Urls(&["http", "https", "socks5", "socks5h"]), "", "Proxies to rotate through, separated by commas."),
    used("MAX_CONCURRENCY_PER_HOST", Kind::Count(1, 1_000), "8", "Requests to one host at once."),
    used("MAX_CONCURRENCY_GLOBAL", Kind::Count(1, 10_000), "64", "Requests to all hosts at once; four times as many pages may wait for theirs."),
    used("MAX_SIZE_MB", Kind::Count(1, 4_096), "50", "Largest body of a page, after decompression."),
    unused("MAX_PAGES_PDF", Kind::Count(1, 100_000), "500", "Pages of a PDF that are read."),
    used("BROWSER_PATH", Kind::Path, "", "Chromium's binary; looked for in PATH when unset."),
    used("BROWSER_WS_URL", Kind::Url(&["ws", "wss", "http", "https"]), "", "A remote Chromium instead of a local one."),
    used("BROWSER_POOL_SIZE", Kind::Count(1, 64), "", "Pages rendered at once; the number of processors, 2 to 8, when unset."),
    unused("LLM_PROVIDER", Kind::Choice(&["anthropic", "openai", "mistral", "ollama", "openai_compatible"]), "", "Whose model answers."),
    unused("LLM_BASE_URL", Kind::Url(&["http", "https"]), "", "Where the model answers. `trawls doctor` tries to reach it."),
    unused("LLM_API_KEY", Kind::Secret, "", "The provider's key."),
    unused("LLM_MODEL", Kind::Text, "", "Name of the model."),
    unused("RATE_LIMIT_PER_MINUTE", Kind::Count(1, 1_000_000), "", "Calls per key or address and minute."),
    used("WORKER_CONCURRENCY", Kind::Count(1, 10_000), "32", "Pages of one job at once, if the job does not say."),
    used("EMBEDDED_WORKER", Kind::Flag, "true", "Do the background work inside the server; otherwise `trawls worker` does it."),
    unused("COMPAT_LISTEN", Kind::Text, "", "Address of the facades for programs written for other services."),
    used("LOG_FORMAT", Kind::Choice(&["text", "json"]), "text", "Shape of the log on stderr. `RUST_LOG` filters it."),
];

/// All settings, understood.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) listen: Listen,
    pub(crate) storage: Storage,
    pub(crate) fetch: Fetch,
    pub(crate) browser: Browser,
    /// The folders of `PATH`.
    pub(crate) search_path: Vec<PathBuf>,
    pub(crate) llm_base_url: Option<Url>,
    pub(crate) log: Log,
    /// What the operator should know, one sentence each.
    pub(crate) warnings: Vec<String>,
}

/// Where to listen and for whom.
#[derive(Debug)]
pub(crate) struct Listen {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) public_url: Option<Url>,
    /// `REQUIRE_AUTH` with its key.
    pub(crate) key: Option<ApiKey>,
    pub(crate) allow_open: bool,
}

/// Where to keep things, and how long.
#[derive(Debug)]
pub(crate) struct Storage {
    pub(crate) data_dir: PathBuf,
    pub(crate) result_ttl: Duration,
    pub(crate) embedded_worker: bool,
}

/// How to fetch.
#[derive(Debug)]
pub(crate) struct Fetch {
    pub(crate) allow_private_targets: bool,
    pub(crate) proxies: Vec<Url>,
    pub(crate) per_host: usize,
    pub(crate) global: usize,
    pub(crate) pages_per_job: usize,
    pub(crate) max_body_bytes: usize,
}

/// With which browser, and how much of it.
#[derive(Debug)]
pub(crate) struct Browser {
    /// Its binary, when it is not to be looked for.
    pub(crate) path: Option<PathBuf>,
    /// One that runs elsewhere.
    pub(crate) remote: Option<Url>,
    pub(crate) pool_size: Option<usize>,
}

/// How to log.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) as_json: bool,
    /// `RUST_LOG`.
    pub(crate) filter: Option<String>,
}

/// Why the start is refused: one sentence per mistake.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub(crate) struct ConfigError(Vec<String>);

impl Config {
    /// Reads the environment of this process.
    ///
    /// # Errors
    /// Every mistake in it.
    pub(crate) fn from_env() -> Result<Self, ConfigError> {
        Self::read(std::env::vars_os())
    }

    fn read(vars: impl Iterator<Item = (OsString, OsString)>) -> Result<Self, ConfigError> {
        let values = Values::collect(vars, SETTINGS).map_err(ConfigError)?;
        Self::understand(&values).map_err(|mistake| ConfigError(vec![mistake]))
    }

    fn understand(values: &Values) -> Result<Self, String> {
        let mut warnings = values.unused();
        let listen = Listen::understand(values, &mut warnings)?;
        let megabytes: usize = values.parsed("MAX_SIZE_MB")?;
        let ttl_days: u64 = values.parsed("RESULT_TTL_DAYS")?;
        let fetch = Fetch {
            allow_private_targets: values.flag("ALLOW_PRIVATE_TARGETS"),
            proxies: values.list("PROXY_URLS")?,
            per_host: values.parsed("MAX_CONCURRENCY_PER_HOST")?,
            global: values.parsed("MAX_CONCURRENCY_GLOBAL")?,
            pages_per_job: values.parsed("WORKER_CONCURRENCY")?,
            max_body_bytes: megabytes << 20,
        };
        if fetch.allow_private_targets {
            warnings.push(
                "private targets are allowed: callers can reach this machine and its network"
                    .into(),
            );
        }
        Ok(Self {
            listen,
            storage: Storage {
                data_dir: data_dir(values)?,
                result_ttl: Duration::from_hours(24 * ttl_days),
                embedded_worker: values.flag("EMBEDDED_WORKER"),
            },
            fetch,
            browser: Browser {
                path: values.text("BROWSER_PATH").map(PathBuf::from),
                remote: values.optional("BROWSER_WS_URL")?,
                pool_size: values.optional("BROWSER_POOL_SIZE")?,
            },
            search_path: std::env::split_paths(values.foreign("PATH").unwrap_or_default())
                .collect(),
            llm_base_url: values.optional("LLM_BASE_URL")?,
            log: Log {
                as_json: values.text("LOG_FORMAT") == Some("json"),
                filter: values.foreign("RUST_LOG").map(str::to_owned),
            },
            warnings,
        })
    }
}

impl Listen {
    fn understand(values: &Values, warnings: &mut Vec<String>) -> Result<Self, String> {
        let key = values.text("ADMIN_KEY");
        let require_auth = values.flag("REQUIRE_AUTH");
        match (require_auth, key) {
            (true, None) => {
                return Err(
                    "TRAWLS_REQUIRE_AUTH needs TRAWLS_ADMIN_KEY: the key to ask for".into(),
                );
            }
            (true, Some(key)) if key.len() < 16 => warnings.push(
                "TRAWLS_ADMIN_KEY is short; `openssl rand -hex 32` makes one that nobody guesses"
                    .into(),
            ),
            (false, Some(_)) => warnings
                .push("TRAWLS_ADMIN_KEY is not asked for: TRAWLS_REQUIRE_AUTH is not true".into()),
            _ => {}
        }
        Ok(Self {
            host: values.text("HOST").unwrap_or_default().to_owned(),
            port: values.parsed("PORT")?,
            public_url: values.optional("PUBLIC_URL")?,
            key: key.filter(|_| require_auth).map(ApiKey::new),
            allow_open: values.flag("ALLOW_OPEN"),
        })
    }

    /// Who may call a server that listens at `address`.
    ///
    /// # Errors
    /// The address can be reached by others, no key is asked for, and nobody said that this is
    /// wanted.
    pub(crate) fn access(&self, address: std::net::IpAddr) -> Result<Access, String> {
        match &self.key {
            Some(key) => Ok(Access::Key(key.clone())),
            None if address.is_loopback() => Ok(Access::Loopback),
            None if self.allow_open => Ok(Access::Open),
            None => Err(format!(
                "refusing to listen on {address}, which others can reach, without a key: set TRAWLS_REQUIRE_AUTH=true and TRAWLS_ADMIN_KEY, or TRAWLS_ALLOW_OPEN=true if everybody may use it"
            )),
        }
    }
}

fn data_dir(values: &Values) -> Result<PathBuf, String> {
    if let Some(folder) = values.text("DATA_DIR") {
        return Ok(PathBuf::from(folder));
    }
    let absolute = |name: &str| {
        values
            .foreign(name)
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute())
    };
    absolute("XDG_DATA_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
        .map(|data| data.join("trawls"))
        .ok_or_else(|| "TRAWLS_DATA_DIR must be set: there is no home folder to default to".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(vars: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let home = ("HOME", "/home/somebody");
        Config::read(
            std::iter::once(&home)
                .chain(vars)
                .map(|(name, value)| (OsString::from(name), OsString::from(value))),
        )
    }

    #[track_caller]
    fn refused(name: &str, value: &str) -> String {
        read(&[(name, value)]).unwrap_err().to_string()
    }

    #[test]
    fn an_empty_environment_gives_the_defaults() {
        let config = read(&[]).unwrap();
        assert_eq!(config.listen.port, 8180);
        assert_eq!(config.listen.host, "127.0.0.1");
        assert_eq!(
            config.storage.data_dir,
            PathBuf::from("/home/somebody/.local/share/trawls")
        );
        assert_eq!(config.fetch.max_body_bytes, 50 << 20);
        assert!(!config.fetch.allow_private_targets);
        assert!(config.warnings.is_empty(), "{:?}", config.warnings);
    }

    #[test]
    fn an_empty_value_is_no_value() {
        let config = read(&[("TRAWLS_PORT", ""), ("TRAWLS_PROXY_URLS", " ")]).unwrap();
        assert_eq!(config.listen.port, 8180);
        assert!(config.fetch.proxies.is_empty());
    }

    #[test]
    fn an_unknown_name_is_refused_with_a_suggestion() {
        assert!(refused("TRAWLS_PROT", "1").contains("did you mean TRAWLS_PORT?"));
        assert!(refused("TRAWLS_MAX_SIZE", "1").contains("did you mean TRAWLS_MAX_SIZE_MB?"));
        assert!(refused("TRAWLS_port", "1").contains("did you mean TRAWLS_PORT?"));
        let strange = refused("TRAWLS_XYZZY_QUUX", "1");
        assert!(
            strange.contains("TRAWLS_XYZZY_QUUX") && !strange.contains("did you mean"),
            "{strange}"
        );
    }

    #[test]
    fn every_mistake_is_told_at_once_and_by_name() {
        let error =
            read(&[("TRAWLS_PORT", "70000"), ("TRAWLS_ALLOW_OPEN", "perhaps")]).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("TRAWLS_PORT") && text.contains("65535"),
            "{text}"
        );
        assert!(
            text.contains("TRAWLS_ALLOW_OPEN") && text.contains("perhaps"),
            "{text}"
        );
    }

    #[test]
    fn a_bad_secret_or_proxy_is_never_repeated() {
        let text = refused("TRAWLS_PROXY_URLS", "http://ok:1,ftp://user:hunter2@host");
        assert!(
            text.contains("TRAWLS_PROXY_URLS") && !text.contains("hunter2"),
            "{text}"
        );
    }

    #[test]
    fn the_browser_may_run_elsewhere() {
        let config = read(&[
            ("TRAWLS_BROWSER_WS_URL", "ws://browser:9222"),
            ("TRAWLS_BROWSER_POOL_SIZE", "3"),
        ])
        .unwrap();
        assert_eq!(config.browser.remote.unwrap().port(), Some(9222));
        assert_eq!(config.browser.pool_size, Some(3));
        assert!(config.warnings.is_empty());
    }

    #[test]
    fn auth_without_a_key_is_refused() {
        assert!(refused("TRAWLS_REQUIRE_AUTH", "true").contains("TRAWLS_ADMIN_KEY"));
    }

    #[test]
    fn a_setting_of_a_part_that_is_not_built_is_accepted_with_a_warning() {
        let config = read(&[("TRAWLS_LLM_MODEL", "some-model")]).unwrap();
        assert_eq!(
            config.warnings,
            ["TRAWLS_LLM_MODEL is not used in this version"]
        );
    }

    #[test]
    fn an_address_that_others_reach_needs_a_key_or_a_word() {
        let all = "0.0.0.0".parse().unwrap();
        let own = "::1".parse().unwrap();
        let plain = read(&[]).unwrap().listen;
        assert!(
            plain
                .access(all)
                .unwrap_err()
                .contains("TRAWLS_REQUIRE_AUTH")
        );
        assert!(matches!(plain.access(own), Ok(Access::Loopback)));
        let open = read(&[("TRAWLS_ALLOW_OPEN", "true")]).unwrap().listen;
        assert!(matches!(open.access(all), Ok(Access::Open)));
        assert!(matches!(open.access(own), Ok(Access::Loopback)));
        let keyed = read(&[
            ("TRAWLS_REQUIRE_AUTH", "1"),
            ("TRAWLS_ADMIN_KEY", "0123456789abcdef"),
        ]);
        assert!(matches!(
            keyed.unwrap().listen.access(all),
            Ok(Access::Key(_))
        ));
    }

    #[test]
    fn every_default_is_a_value_its_kind_accepts() {
        for setting in SETTINGS
            .iter()
            .filter(|setting| !setting.default.is_empty())
        {
            assert_eq!(
                setting.kind.check(setting.default),
                Ok(()),
                "{}",
                setting.name
            );
        }
    }
}
