//! Which links belong to a crawl. Each link that does not is cut by one rule, whose name is counted
//! in the job.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use trawls_contract::ScopeOptions;
use url::Url;

/// Why a link is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cut {
    /// Another site.
    External,
    /// Matches `exclude_paths`, or none of `include_paths`.
    Excluded,
    /// Farther from the start than `max_depth`.
    TooDeep,
    /// A file that holds no text: picture, film, font, archive.
    Binary,
    /// A path that repeats itself.
    RepeatingPath,
    /// A URL or query that has grown beyond what sites write.
    GrownUrl,
    /// Days without end.
    Calendar,
    /// A part of the site that only repeats one page.
    Maze,
    /// Far more links are known than may be followed.
    FrontierFull,
}

impl Cut {
    /// As counted in the job.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::External => "external",
            Self::Excluded => "excluded",
            Self::TooDeep => "too_deep",
            Self::Binary => "binary",
            Self::RepeatingPath => "repeating_path",
            Self::GrownUrl => "grown_url",
            Self::Calendar => "calendar",
            Self::Maze => "maze",
            Self::FrontierFull => "frontier_full",
        }
    }
}

/// Extensions of files that are never pages.
const BINARY: [&str; 46] = [
    "7z", "aac", "apk", "avi", "avif", "bin", "bmp", "bz2", "css", "deb", "dmg", "eot", "exe",
    "flac", "flv", "gif", "gz", "ico", "iso", "jar", "jpeg", "jpg", "js", "m4a", "m4v", "mkv",
    "mov", "mp3", "mp4", "mpeg", "msi", "ogg", "otf", "png", "rar", "rpm", "svg", "tar", "tiff",
    "ttf", "wav", "webm", "webp", "woff", "woff2", "zip",
];

/// The links that belong.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    site: Site,
    include: Globs,
    exclude: Globs,
    max_depth: Option<u32>,
}

#[derive(Debug, Clone)]
struct Site {
    host: String,
    port: Option<u16>,
    subdomains: bool,
    external: bool,
}

/// Globs on the path, and those that begin with a scheme on the whole URL.
#[derive(Debug, Clone)]
struct Globs {
    paths: GlobSet,
    urls: GlobSet,
}

/// Is this a glob?
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check_glob(text: &str) -> Result<(), String> {
    glob(text)
        .map(drop)
        .map_err(|error| error.kind().to_string())
}

fn glob(text: &str) -> Result<Glob, globset::Error> {
    let rooted = match text {
        text if is_url(text) || text.starts_with('/') || text.starts_with('*') => text.to_owned(),
        text => format!("/{text}"),
    };
    GlobBuilder::new(&rooted).literal_separator(false).build()
}

fn is_url(glob: &str) -> bool {
    glob.contains("://")
}

impl Globs {
    fn new(texts: &[String]) -> Result<Self, globset::Error> {
        let (mut paths, mut urls) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for text in texts {
            let set = if is_url(text) { &mut urls } else { &mut paths };
            set.add(glob(text)?);
        }
        Ok(Self {
            paths: paths.build()?,
            urls: urls.build()?,
        })
    }

    fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.urls.is_empty()
    }

    fn matches(&self, url: &Url) -> bool {
        self.paths.is_match(url.path()) || self.urls.is_match(url.as_str())
    }
}

impl Scope {
    /// The scope of a crawl that starts at `start`.
    ///
    /// # Errors
    /// A glob that nobody checked.
    pub(crate) fn new(start: &Url, options: &ScopeOptions) -> Result<Self, globset::Error> {
        Ok(Self {
            site: Site {
                host: bare(start.host_str().unwrap_or_default()).to_owned(),
                port: start.port(),
                subdomains: options.subdomains,
                external: options.external,
            },
            include: Globs::new(&options.include)?,
            exclude: Globs::new(&options.exclude)?,
            max_depth: options.max_depth,
        })
    }

    /// Is a link to `url`, `depth` links away from the start, to be followed?
    pub(crate) fn admit(&self, url: &Url, depth: u32) -> Result<(), Cut> {
        if !self.site.holds(url) {
            return Err(Cut::External);
        }
        if self.max_depth.is_some_and(|most| depth > most) {
            return Err(Cut::TooDeep);
        }
        if !self.includes(url) {
            return Err(Cut::Excluded);
        }
        if is_binary(url) {
            return Err(Cut::Binary);
        }
        Ok(())
    }

    /// Does a page belong whose final URL is this? The start need not: it is fetched for its links.
    ///
    /// # Errors
    /// Why it does not, in a sentence.
    pub(super) fn holds_result(&self, url: &Url) -> Result<(), &'static str> {
        if !self.site.holds(url) {
            return Err("it redirects to another site");
        }
        match self.includes(url) {
            true => Ok(()),
            false => Err("include_paths and exclude_paths leave it out"),
        }
    }

    fn includes(&self, url: &Url) -> bool {
        (self.include.is_empty() || self.include.matches(url)) && !self.exclude.matches(url)
    }
}

impl Site {
    fn holds(&self, url: &Url) -> bool {
        if self.external {
            return true;
        }
        let host = bare(url.host_str().unwrap_or_default());
        let is_below = || {
            let prefix = host.strip_suffix(self.host.as_str());
            prefix.is_some_and(|prefix| prefix.ends_with('.'))
        };
        (host == self.host && url.port() == self.port) || self.subdomains && is_below()
    }
}

/// Sites answer with and without `www.`, and link to both.
fn bare(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

fn is_binary(url: &Url) -> bool {
    let file = url.path().rsplit('/').next().unwrap_or_default();
    let Some((_, extension)) = file.rsplit_once('.') else {
        return false;
    };
    let extension = extension.to_ascii_lowercase();
    BINARY.binary_search(&extension.as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> ScopeOptions {
        ScopeOptions {
            include: Vec::new(),
            exclude: Vec::new(),
            subdomains: false,
            external: false,
            ignore_query: false,
            max_depth: None,
        }
    }

    fn admit(options: &ScopeOptions, url: &str, depth: u32) -> Result<(), Cut> {
        let start = Url::parse("https://a.example/docs/").unwrap();
        let scope = Scope::new(&start, options).unwrap();
        scope.admit(&Url::parse(url).unwrap(), depth)
    }

    #[test]
    fn a_crawl_stays_on_its_site_unless_it_may_leave() {
        let mut scope = options();
        assert_eq!(admit(&scope, "https://a.example/x", 1), Ok(()));
        assert_eq!(admit(&scope, "http://www.a.example/x", 1), Ok(()));
        for other in [
            "https://b.example/",
            "https://blog.a.example/",
            "https://nota.example/",
            "https://a.example:8443/",
        ] {
            assert_eq!(admit(&scope, other, 1), Err(Cut::External), "{other}");
        }
        scope.subdomains = true;
        assert_eq!(admit(&scope, "https://blog.a.example/", 1), Ok(()));
        assert_eq!(
            admit(&scope, "https://nota.example/", 1),
            Err(Cut::External)
        );
        scope.external = true;
        assert_eq!(admit(&scope, "https://b.example/", 1), Ok(()));
    }

    #[test]
    fn globs_are_on_the_path_or_on_the_whole_url() {
        let mut scope = options();
        scope.include = vec!["/docs/*".into(), "https://a.example/blog/20??/*".into()];
        scope.exclude = vec!["*/print".into(), "docs/old*".into()];
        for (url, expected) in [
            ("https://a.example/docs/a/b", Ok(())),
            ("https://a.example/blog/2024/x", Ok(())),
            ("https://a.example/blog/x", Err(Cut::Excluded)),
            ("https://a.example/docs/a/print", Err(Cut::Excluded)),
            ("https://a.example/docs/older", Err(Cut::Excluded)),
        ] {
            assert_eq!(admit(&scope, url, 1), expected, "{url}");
        }
        assert!(check_glob("[").is_err() && check_glob("/a/**/b").is_ok());
    }

    #[test]
    fn depth_counts_links_and_files_without_text_are_left() {
        let mut scope = options();
        scope.max_depth = Some(1);
        assert_eq!(admit(&scope, "https://a.example/a/b/c/d", 1), Ok(()));
        assert_eq!(admit(&scope, "https://a.example/a", 2), Err(Cut::TooDeep));
        assert_eq!(
            admit(&scope, "https://a.example/a.PNG", 1),
            Err(Cut::Binary)
        );
        assert_eq!(admit(&scope, "https://a.example/a.pdf", 1), Ok(()));
        assert!(BINARY.is_sorted());
    }
}
