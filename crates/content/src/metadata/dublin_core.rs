//! Dublin Core, in both of its prefixes (`dc.`, `dcterms.`).

use super::Claims;
use super::head::{Head, split_keywords};

/// What Dublin Core claims.
pub(super) fn claims(head: &Head) -> Claims {
    let get = |name: &str| {
        let of = |prefix: &str, mark: char| head.dublin_core.get(&format!("{prefix}{mark}{name}"));
        of("dcterms", '.')
            .or(of("dc", '.'))
            .or(of("dcterms", ':'))
            .or(of("dc", ':'))
            .cloned()
    };
    let creators = ["dcterms.creator", "dc.creator", "dc:creator"];
    Claims {
        title: get("title"),
        description: get("description").or_else(|| get("abstract")),
        language: get("language"),
        author: creators.iter().find_map(|name| head.joined(name)),
        published: get("issued")
            .or_else(|| get("date.issued"))
            .or_else(|| get("created"))
            .or_else(|| get("date"))
            .or_else(|| get("available")),
        modified: get("modified"),
        keywords: get("subject")
            .map(|words| split_keywords(&words))
            .unwrap_or_default(),
        ..Claims::default()
    }
    .decoded()
}
