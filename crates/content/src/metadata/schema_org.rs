//! What schema.org data says about the page, be it JSON-LD or microdata: the main object (an article
//! before a product before the page itself), its publisher and the site. Any value may be of any type;
//! references are followed once.
use serde_json::{Map, Value};

use super::Claims;
use super::head::split_keywords;
use crate::text::fold;

/// Names deeper in the data than this are not the page's.
const MAX_DEPTH: usize = 6;
/// Objects looked at, nested ones included.
const MAX_OBJECTS: usize = 3_000;

type Object = Map<String, Value>;

/// What the main object claims, and the site's name as another object tells it.
pub(super) fn claims(objects: &[Value]) -> Claims {
    let mut all = Vec::new();
    for object in objects {
        collect(object, 0, &mut all);
    }
    let mut main: Option<(u8, &Object)> = None;
    let mut site_name = None;
    for object in &all {
        let kind = kind_of(object);
        if kind == "WebSite" && site_name.is_none() {
            site_name = text(object.get("name"));
        }
        let rank = rank(kind);
        if rank > 0 && main.is_none_or(|(best, _)| rank > best) {
            main = Some((rank, object));
        }
    }
    let mut claims = main
        .map(|(_, object)| of_object(object, &all))
        .unwrap_or_default();
    claims.site_name = site_name.or(claims.site_name);
    claims.decoded()
}

/// The objects that may describe the page: top ones, and those named as what the page is about.
fn collect<'a>(value: &'a Value, depth: usize, all: &mut Vec<&'a Object>) {
    if depth > MAX_DEPTH || all.len() >= MAX_OBJECTS {
        return;
    }
    match value {
        Value::Array(values) => values
            .iter()
            .for_each(|value| collect(value, depth + 1, all)),
        Value::Object(object) => {
            all.push(object);
            for name in [
                "mainEntity",
                "mainEntityOfPage",
                "@graph",
                "isPartOf",
                "about",
            ] {
                if let Some(inner) = object.get(name) {
                    collect(inner, depth + 1, all);
                }
            }
        }
        _ => {}
    }
}

fn of_object(object: &Object, all: &[&Object]) -> Claims {
    let get = |name: &str| text(object.get(name));
    let names_of = |name: &str| {
        let mut names = Vec::new();
        names_in(object.get(name), all, 0, &mut names);
        names.dedup();
        (!names.is_empty()).then(|| names.join(", "))
    };
    Claims {
        title: get("headline").or_else(|| get("name")),
        description: get("description"),
        language: get("inLanguage"),
        author: names_of("author").or_else(|| names_of("creator")),
        published: get("datePublished")
            .or_else(|| get("dateCreated"))
            .or_else(|| get("uploadDate")),
        modified: get("dateModified"),
        site_name: names_of("publisher"),
        image: image_of(object.get("image"), all)
            .or_else(|| image_of(object.get("thumbnailUrl"), all)),
        keywords: keywords_of(object.get("keywords")),
        kind: Some(kind_of(object).to_owned()).filter(|kind| !kind.is_empty()),
    }
}

fn kind_of(object: &Object) -> &str {
    let kind = match object.get("@type") {
        Some(Value::Array(kinds)) => {
            let kinds = kinds.iter().filter_map(Value::as_str);
            kinds.max_by_key(|kind| rank(kind)).unwrap_or_default()
        }
        kind => kind.and_then(Value::as_str).unwrap_or_default(),
    };
    kind.rsplit(['/', ':', '#']).next().unwrap_or_default()
}

/// How likely an object of this type is what the page is about; 0 says nothing about the page.
fn rank(kind: &str) -> u8 {
    match kind {
        _ if kind.ends_with("Article") || kind.ends_with("Posting") && kind != "JobPosting" => 5,
        "Report" | "Recipe" | "QAPage" | "Question" => 4,
        "Product"
        | "ProductGroup"
        | "Event"
        | "Course"
        | "JobPosting"
        | "Book"
        | "Movie"
        | "SoftwareApplication"
        | "VideoObject"
        | "PodcastEpisode"
        | "HowTo"
        | "Dataset"
        | "CreativeWork"
        | "TVEpisode"
        | "MusicAlbum"
        | "Review" => 3,
        "ProfilePage" | "CollectionPage" | "FAQPage" | "AboutPage" | "ContactPage" | "ItemPage"
        | "WebPage" | "MedicalWebPage" => 2,
        _ => 0,
    }
}

/// Names of persons or organisations, however they are given.
fn names_in(value: Option<&Value>, all: &[&Object], depth: usize, names: &mut Vec<String>) {
    if depth > 3 || names.len() >= 50 {
        return;
    }
    match value {
        Some(Value::String(name)) => names.extend(Some(fold(name)).filter(|name| !name.is_empty())),
        Some(Value::Array(values)) => {
            values
                .iter()
                .for_each(|value| names_in(Some(value), all, depth + 1, names));
        }
        Some(Value::Object(object)) => match object.get("name") {
            None | Some(Value::Null) => {
                let named = referred(object, all).and_then(|object| text(object.get("name")));
                names.extend(named.or_else(|| given_name(object)));
            }
            name => names_in(name, all, depth + 1, names),
        },
        _ => {}
    }
}

fn given_name(object: &Object) -> Option<String> {
    let (given, family) = (
        text(object.get("givenName"))?,
        text(object.get("familyName"))?,
    );
    Some(format!("{given} {family}"))
}

/// The object that a bare `{"@id": …}` stands for.
fn referred<'a>(object: &Object, all: &[&'a Object]) -> Option<&'a Object> {
    let id = object.get("@id")?.as_str()?;
    all.iter()
        .find(|other| {
            other.get("@id").and_then(Value::as_str) == Some(id) && other.contains_key("@type")
        })
        .copied()
}

fn image_of(value: Option<&Value>, all: &[&Object]) -> Option<String> {
    match value? {
        Value::String(address) => Some(address.clone()),
        Value::Array(values) => values.first().and_then(|first| match first {
            Value::Array(_) => None,
            first => image_of(Some(first), all),
        }),
        Value::Object(object) => {
            let own = text(object.get("url")).or_else(|| text(object.get("contentUrl")));
            own.or_else(|| referred(object, all).and_then(|object| text(object.get("url"))))
        }
        _ => None,
    }
}

fn keywords_of(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(words)) => split_keywords(words),
        Some(Value::Array(words)) => {
            let words = words.iter().filter_map(Value::as_str);
            words
                .map(fold)
                .filter(|word| !word.is_empty())
                .take(200)
                .collect()
        }
        _ => Vec::new(),
    }
}

/// A value's text; the first of several.
fn text(value: Option<&Value>) -> Option<String> {
    let text = match value? {
        Value::String(text) => fold(text),
        Value::Array(values) => fold(values.iter().find_map(Value::as_str)?),
        Value::Object(object) => fold(object.get("@value").or(object.get("name"))?.as_str()?),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn odd_values_are_passed_over() {
        let claims = claims(&[json!({
            "@type": ["Article", 7], "headline": "Harvest", "author": [null, {"name": "I. Marren"}, 3],
            "datePublished": ["2019-05-03"], "image": [[["x"]]], "keywords": {"a": 1}, "publisher": 5,
        })]);
        assert_eq!(claims.title.as_deref(), Some("Harvest"));
        assert_eq!(claims.author.as_deref(), Some("I. Marren"));
        assert_eq!(claims.published.as_deref(), Some("2019-05-03"));
        assert_eq!(claims.image, None);
    }

    #[test]
    fn an_author_given_by_reference_is_looked_up_and_a_cycle_ends() {
        let claims = claims(&[
            json!({"@type": "WebSite", "name": "Almanac", "isPartOf": {"@id": "#a"}}),
            json!({"@type": "NewsArticle", "@id": "#a", "author": {"@id": "#p"}, "mainEntity": {"@id": "#a"}}),
            json!({"@type": "Person", "@id": "#p", "name": "Ann Lee", "worksFor": {"@id": "#p"}}),
        ]);
        assert_eq!(claims.author.as_deref(), Some("Ann Lee"));
        assert_eq!(claims.site_name.as_deref(), Some("Almanac"));
    }
}
