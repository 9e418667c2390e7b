//! OpenGraph (`og:`, `article:` and the like) and Twitter cards.

use super::Claims;
use super::head::{Head, split_keywords};

/// What OpenGraph claims.
pub(super) fn open_graph(head: &Head) -> Claims {
    let get = |name: &str| head.open_graph.get(name).cloned();
    Claims {
        title: get("og:title"),
        description: get("og:description"),
        language: get("og:locale"),
        author: head
            .joined("article:author")
            .or_else(|| head.joined("book:author")),
        published: get("article:published_time")
            .or_else(|| get("og:published_time"))
            .or_else(|| get("og:pubdate"))
            .or_else(|| get("og:article:published_time"))
            .or_else(|| get("article:published")),
        modified: get("article:modified_time")
            .or_else(|| get("og:updated_time"))
            .or_else(|| get("article:updated_time")),
        site_name: get("og:site_name"),
        image: get("og:image:secure_url")
            .or_else(|| get("og:image"))
            .or_else(|| get("og:image:url")),
        keywords: head
            .joined("article:tag")
            .map(|tags| split_keywords(&tags))
            .unwrap_or_default(),
        kind: get("og:type"),
    }
    .decoded()
}

/// What the Twitter card claims.
pub(super) fn twitter(head: &Head) -> Claims {
    let get = |name: &str| head.twitter.get(name).cloned();
    let is_author = |label: &&str| {
        let label = get(label).unwrap_or_default().to_lowercase();
        ["written by", "author", "by", "posted by"].contains(&label.as_str())
    };
    let labelled = ["twitter:label1", "twitter:label2"]
        .into_iter()
        .find(is_author);
    Claims {
        title: get("twitter:title"),
        description: get("twitter:description"),
        author: labelled.and_then(|label| get(&label.replace("label", "data"))),
        image: get("twitter:image").or_else(|| get("twitter:image:src")),
        ..Claims::default()
    }
    .decoded()
}
