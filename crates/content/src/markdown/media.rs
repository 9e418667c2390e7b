//! Video, audio and embedded pages as links.

use url::Url;

use super::text::is_blank;
use super::walk::Writer;
use crate::dom::{NodeId, Tag};

/// Hosts whose frames are content, with the name to show when the frame has no title.
const PLAYERS: [(&str, &str); 12] = [
    ("youtube.com", "YouTube video"),
    ("youtube-nocookie.com", "YouTube video"),
    ("youtu.be", "YouTube video"),
    ("vimeo.com", "Vimeo video"),
    ("dailymotion.com", "Dailymotion video"),
    ("spotify.com", "Spotify"),
    ("soundcloud.com", "SoundCloud"),
    ("bandcamp.com", "Bandcamp"),
    ("codepen.io", "CodePen"),
    ("loom.com", "Loom video"),
    ("ted.com", "TED talk"),
    ("openstreetmap.org", "Map"),
];

impl Writer<'_> {
    /// `video`, `audio`, `iframe`, `embed`: a link to what they show.
    pub(super) fn media(&mut self, id: NodeId) {
        let Some(url) = self.media_address(id).and_then(|src| self.resolve(src)) else {
            return;
        };
        let attr = |name| self.document.attr(id, name).filter(|text| !is_blank(text));
        let title = attr("title").or_else(|| attr("aria-label"));
        let kind = match self.document.tag(id) {
            Tag::Video => Some("Video"),
            Tag::Audio => Some("Audio"),
            _ => None,
        };
        let player = player(&url);
        let label = match (kind, title, player) {
            (Some(kind), Some(title), _) => format!("{kind}: {title}"),
            (Some(kind), None, _) => kind.to_owned(),
            (None, Some(title), Some(_)) => title.to_owned(),
            (None, None, Some(player)) => player.to_owned(),
            (None, Some(title), None) if self.document.tag(id) == Tag::Iframe => title.to_owned(),
            (None, _, None) => return,
        };
        self.boundary();
        self.paragraph.open_link(watch_page(url), false);
        self.paragraph.text(&label);
        self.paragraph.close();
        self.boundary();
    }

    fn media_address(&self, id: NodeId) -> Option<&str> {
        let document = self.document;
        let own = ["src", "data-src", "data-lazy-src"]
            .iter()
            .filter_map(|name| document.attr(id, name));
        let sources = document
            .children(id)
            .filter(|&child| document.tag(child) == Tag::Source)
            .filter_map(|source| document.attr(source, "src"));
        let is_address = |src: &&str| !src.trim().is_empty() && !src.starts_with("about:");
        own.chain(sources).find(is_address).map(str::trim)
    }
}

fn player(url: &str) -> Option<&'static str> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?;
    let is_at = |domain: &str| {
        host.strip_suffix(domain)
            .is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
    };
    PLAYERS
        .iter()
        .find(|(domain, _)| is_at(domain))
        .map(|&(_, name)| name)
}

/// The page to watch a YouTube frame at; other addresses as they are.
fn watch_page(url: String) -> String {
    let Some((host, path)) = url.split_once("/embed/") else {
        return url;
    };
    let video = path.split(['?', '/', '#']).next().unwrap_or_default();
    let is_video = host.contains("youtube") && !video.is_empty() && video != "videoseries";
    match is_video {
        true => format!("https://www.youtube.com/watch?v={video}"),
        false => url,
    }
}
