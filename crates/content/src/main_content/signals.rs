//! What the page as a whole says about its type: schema.org types, Open Graph type, the URL's path.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::dom::{Document, Tag};

/// How many signals there are.
pub(crate) const COUNT: usize = SCHEMA.len() + OG.len() + PATHS.len() + 4;

/// schema.org types, as they stand in JSON-LD and microdata.
const SCHEMA: &[&[&str]] = &[
    &["Article\"", "NewsArticle", "BlogPosting", "TechArticle"],
    &["Product\"", "ProductGroup", "/Product"],
    &[
        "ItemList\"",
        "CollectionPage",
        "OfferCatalog",
        "SearchResultsPage",
    ],
    &[
        "DiscussionForumPosting",
        "QAPage",
        "\"Question\"",
        "SocialMediaPosting",
    ],
    &["FAQPage"],
    &[
        "Service\"",
        "LocalBusiness",
        "ProfessionalService",
        "MedicalBusiness",
    ],
    &["BreadcrumbList"],
    &["Recipe\"", "HowTo\"", "Course\"", "Event\"", "JobPosting"],
    &["\"Review\"", "AggregateRating"],
];

const OG: &[&str] = &["article", "product", "website"];

/// Path segments that name a kind of page.
const PATHS: &[&[&str]] = &[
    &[
        "/blog", "/news", "/article", "/story", "/stories", "/post", "/20",
    ],
    &[
        "/product", "/p/", "/dp/", "/item", "/itm", "/shop/p", "/pd/",
    ],
    &[
        "/categor",
        "/collection",
        "/shop",
        "/c/",
        "/b/",
        "/browse",
        "/store",
        "/cat/",
    ],
    &[
        "/forum",
        "/thread",
        "/topic",
        "/t/",
        "/question",
        "/comments/",
        "/discussion",
        "/community",
        "viewtopic",
        "showthread",
        "/r/",
    ],
    &[
        "/doc",
        "/guide",
        "/reference",
        "/manual",
        "/api",
        "/tutorial",
        "/learn",
        "/wiki",
        "/help",
        "/en/latest",
        "/stable",
    ],
    &[
        "/service",
        "/solution",
        "/about",
        "/pricing",
        "/platform",
        "/features",
        "/treatment",
        "/location",
        "/program",
    ],
    &[
        "/tag",
        "/archive",
        "/author",
        "/search",
        "/events",
        "/jobs",
        "/directory",
        "/list",
        "/resources",
        "/courses",
        "/library",
    ],
];

struct Needles {
    automaton: Option<AhoCorasick>,
    groups: Vec<usize>,
}

impl Needles {
    fn new(table: &[&[&str]]) -> Self {
        let groups = table
            .iter()
            .enumerate()
            .flat_map(|(i, group)| group.iter().map(move |_| i))
            .collect();
        let automaton = AhoCorasick::new(table.iter().copied().flatten()).ok();
        Self { automaton, groups }
    }

    fn mark(&self, text: &str, found: &mut [f32]) {
        let Some(automaton) = &self.automaton else {
            return;
        };
        for hit in automaton.find_overlapping_iter(text) {
            found[self.groups[hit.pattern().as_usize()]] = 1.0;
        }
    }
}

static SCHEMA_NEEDLES: LazyLock<Needles> = LazyLock::new(|| Needles::new(SCHEMA));
static PATH_NEEDLES: LazyLock<Needles> = LazyLock::new(|| Needles::new(PATHS));

/// The page's signals, each a small number.
pub(crate) fn signals(document: &Document, path: &str) -> [f32; COUNT] {
    let mut found = [0.0; COUNT];
    let (schema, rest) = found.split_at_mut(SCHEMA.len());
    let (og, rest) = rest.split_at_mut(OG.len());
    let (paths, shape) = rest.split_at_mut(PATHS.len());
    for id in document.nodes() {
        match document.tag(id) {
            Tag::Script if document.attr(id, "type") == Some("application/ld+json") => {
                if let Some(text) = document
                    .first_child(id)
                    .and_then(|text| document.text(text))
                {
                    SCHEMA_NEEDLES.mark(text, schema);
                }
            }
            Tag::Meta if document.attr(id, "property") == Some("og:type") => {
                let kind = document.attr(id, "content").unwrap_or_default();
                for (name, found) in OG.iter().zip(og.iter_mut()) {
                    *found = f32::from(kind.contains(name));
                }
            }
            _ => {}
        }
    }
    let lower = path.to_ascii_lowercase();
    PATH_NEEDLES.mark(&lower, paths);
    let segments: Vec<&str> = lower
        .split('/')
        .filter(|segment| !segment.is_empty())
        .collect();
    let last = segments.last().copied().unwrap_or_default();
    shape[0] = segments.len() as f32;
    shape[1] = last.len() as f32;
    shape[2] = last.matches(['-', '_']).count() as f32;
    shape[3] = last.bytes().filter(u8::is_ascii_digit).count() as f32;
    found
}
