//! What class names, ids and short texts hint at, as sets of families.
//! A needle counts only where a word starts (and ends, if it says so), camelCase included.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// A set of families, one bit each.
pub(crate) type Families = u64;

/// A name and its needles, with bars between them. A needle that ends with `$` must end where a
/// word ends.
type Family = (&'static str, &'static str);

/// Families of class and id names, in the order of their bits.
pub(crate) const NAME_FAMILIES: &[Family] = &[
    (
        "content",
        "content|entry|prose|markdown|richtext|rich-text|rte$|wysiwyg|copy$|bodytext",
    ),
    ("article", "article|story|post$|posts$|blog|news$|postbody"),
    ("body", "body|main$|main-content|page-content|primary"),
    (
        "text",
        "text|paragraph|description|desc$|summary|excerpt|about",
    ),
    ("title", "title|headline|heading|hero|intro|lead$|subtitle"),
    ("nav", "nav|navbar|menu|submenu|megamenu|sitenav|subnav"),
    ("crumb", "breadcrumb|crumb"),
    (
        "pager",
        "pagination|pager|paging|prev|next$|page-numbers|pagenav",
    ),
    (
        "toc",
        "toc$|table-of-contents|tableofcontents|contents$|on-this-page|outline$",
    ),
    (
        "sidebar",
        "sidebar|aside|rail$|sidenav|secondary|left-col|right-col|side$|sticky",
    ),
    ("footer", "footer|foot$|colophon|bottom"),
    (
        "header",
        "header|masthead|topbar|top-bar|head$|banner|toolbar|utility",
    ),
    (
        "share",
        "share|sharing|social|addthis|addtoany|follow|facebook|twitter|whatsapp",
    ),
    ("comment", "comment|disqus|respond|reply|replies"),
    (
        "related",
        "related|recommend|similar|suggest|also|more-|upsell|cross-sell|crosssell|trending|\
         popular|recirc|readnext|read-next|you-may|recently|latest|recent",
    ),
    (
        "promo",
        "promo|ad$|ads$|advert|sponsor|cta$|call-to-action|offer|outbrain|taboola|marketing|\
         campaign|deal",
    ),
    (
        "consent",
        "cookie|consent|gdpr|onetrust|ccpa|cmp$|didomi|privacy",
    ),
    (
        "newsletter",
        "newsletter|subscri|signup|sign-up|mailing|optin|mailchimp|email",
    ),
    (
        "overlay",
        "modal|popup|dialog|overlay|drawer|lightbox|tooltip|popover|offcanvas|toast|flyout",
    ),
    ("widget", "widget|module|block$|panel|box$"),
    ("card", "card|tile|teaser|thumb"),
    ("item", "item|listitem|result|entry-|row$|cell$"),
    (
        "grid",
        "grid|list$|listing|listings|collection|catalog|archive|feed$|results$",
    ),
    ("product", "product|sku$|pdp$|plp$|merch"),
    (
        "filter",
        "filter|facet|sort|refine|search|toggle|select|dropdown",
    ),
    (
        "meta",
        "meta$|byline|author|date$|time$|timestamp|published|tags$|tag$|categor|posted|\
         credit|bio$",
    ),
    (
        "caption",
        "caption|figcaption|figure|gallery|media|image|photo|video",
    ),
    (
        "hidden",
        "hidden|hide$|sr-only|visually-hidden|screen-reader|skip|invisible|d-none|assistive|\
         a11y|collapse",
    ),
    (
        "account",
        "login|log-in|signin|account|cart|basket|checkout|wishlist|minicart|bag$|register",
    ),
    ("review", "review|rating|stars$|star$|testimonial|feedback"),
    (
        "price",
        "price|pricing|buy|add-to|addto|quantity|qty$|variant|swatch|option|stock|shipping|\
         delivery|payment",
    ),
    (
        "spec",
        "spec$|specs$|specification|detail|feature|attribute|tab$|tabs$|tab-|accordion|faq|\
         overview",
    ),
    (
        "thread",
        "thread|message|topic|forum|discussion|postbit|question|answer|bbcode|cooked|\
         reply-content|bbwrapper|post-content",
    ),
    (
        "user",
        "user|signature|avatar|profile|member|usercard|poster$|badge",
    ),
    (
        "carousel",
        "carousel|slider|swiper|slick|slide$|splide|glide|marquee",
    ),
    (
        "legal",
        "copyright|legal|disclaimer|terms|disclosure|footnote|references|reflist|citation",
    ),
    (
        "form",
        "form$|input|field|contact|button|btn$|link$|links$|action|controls",
    ),
    (
        "locale",
        "language|lang$|locale|country|currency|region$|location|store-",
    ),
    (
        "section",
        "section|container|wrapper|inner|layout|column|col$|row-",
    ),
    (
        "code",
        "code|highlight|syntax|snippet|example|admonition|callout|note$",
    ),
];

/// Families of short texts and headings, in the order of their bits.
pub(crate) const TEXT_FAMILIES: &[Family] = &[
    (
        "share",
        "share|tweet|facebook|twitter|pinterest|whatsapp|linkedin|copy link|teilen|partager|\
         compartir|follow us|instagram|youtube",
    ),
    (
        "consent",
        "cookie|consent|gdpr|privacy preferences|datenschutz",
    ),
    (
        "rights",
        "©|copyright|all rights reserved|powered by|alle rechte|tous droits",
    ),
    (
        "legal",
        "privacy policy|privacy|terms of|terms & conditions|terms and conditions|disclaimer|\
         accessibility|imprint|impressum|sitemap|legal",
    ),
    (
        "newsletter",
        "newsletter|subscribe|sign up|signup|your email|email address|inbox|abonnieren|\
         unsubscribe",
    ),
    (
        "login",
        "log in|login|sign in|register|my account|create account|create an account|forgot|\
         password|anmelden",
    ),
    (
        "cart",
        "add to cart|add to bag|add to basket|buy now|checkout|wishlist|wish list|your cart|\
         in den warenkorb|quantity|quick view|sold out|out of stock|in stock|unit price|\
         regular price|sale price",
    ),
    (
        "related",
        "related|you may also|you might also|also like|recommended|recommendations|similar|\
         more from|more in|more on|read next|up next|trending|most popular|most read|popular|\
         latest|recent|recently viewed|customers also|also viewed|also bought|\
         frequently bought|don't miss|keep reading|ähnliche|articles similaires|next article|\
         previous article|see also|more stories|what to read",
    ),
    (
        "comment",
        "comment|reply|replies|leave a|responses|kommentar|commentaires|post a",
    ),
    (
        "review",
        "review|rating|stars|testimonial|bewertung|helpful",
    ),
    (
        "more",
        "read more|learn more|show more|view more|see more|load more|view all|see all|\
         show all|shop now|shop all|mehr|click here|continue reading|expand|show less|\
         view details|find out more|discover more",
    ),
    (
        "byline",
        "by |author|written by|posted by|posted on|published|updated|last modified|min read|\
         reviewed by|photo by|medically reviewed|about the author|edited by",
    ),
    (
        "tags",
        "tags|tagged|categories|category|filed under|topics|schlagwörter",
    ),
    (
        "skip",
        "skip to|jump to|back to top|go to top|scroll to|toggle|menu|close|open|search|home|\
         loading|please enable|javascript",
    ),
    (
        "faq",
        "faq|frequently asked|questions|overview|features|benefits|about|description|details|\
         specifications|how it works|introduction|conclusion",
    ),
    (
        "filter",
        "filter|sort by|sort|results|showing|refine|price range|per page|items|clear all|\
         view as|brand|availability",
    ),
    (
        "toc",
        "table of contents|on this page|in this article|in this section|contents|inhalt|\
         jump to section",
    ),
    (
        "contact",
        "contact us|contact|call us|phone|get in touch|get a quote|book a|request a|\
         free quote|schedule|get started|help center|customer service|support",
    ),
    ("pager", "previous|next|page |prev|older|newer|first|last"),
    (
        "ad",
        "advertisement|sponsored|advertising|ad |affiliate|promoted|anzeige|\
         may earn a commission",
    ),
    (
        "ship",
        "free shipping|shipping|returns|delivery|warranty|money back|secure checkout|payment|\
         guarantee|free returns",
    ),
    (
        "user",
        "joined|posts:|messages|member|likes|views|points|reputation|location:|offline|\
         registered|contributor|moderator|staff|quote|report|upvote|permalink",
    ),
];

/// Finds a table's needles in one pass.
pub(crate) struct Matcher {
    automaton: Option<AhoCorasick>,
    /// By needle: the family's bit, and whether a word must end behind it.
    needles: Vec<(Families, bool)>,
}

impl Matcher {
    fn new(table: &[Family]) -> Self {
        let mut words = Vec::new();
        let mut needles = Vec::new();
        for (bit, (_, family)) in table.iter().enumerate() {
            for needle in family.split('|') {
                let word = needle.strip_suffix('$');
                words.push(word.unwrap_or(needle));
                needles.push((1 << bit, word.is_some()));
            }
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(words)
            .ok();
        Self { automaton, needles }
    }

    /// The families that `text` hints at.
    pub(crate) fn families(&self, text: &str) -> Families {
        let Some(automaton) = &self.automaton else {
            return 0;
        };
        let bytes = text.as_bytes();
        let mut found = 0;
        for hit in automaton.find_overlapping_iter(text) {
            let (family, is_whole) = self.needles[hit.pattern().as_usize()];
            if found & family == 0
                && starts_word(bytes, hit.start())
                && (!is_whole || ends_word(bytes, hit.end()))
            {
                found |= family;
            }
        }
        found
    }
}

fn starts_word(bytes: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|i| bytes[i]) else {
        return true;
    };
    !before.is_ascii_alphabetic() && before < 0x80
        || before.is_ascii_lowercase() && bytes[at].is_ascii_uppercase()
}

fn ends_word(bytes: &[u8], at: usize) -> bool {
    bytes
        .get(at)
        .is_none_or(|after| !after.is_ascii_lowercase())
}

/// Families of class and id names.
pub(crate) static NAMES: LazyLock<Matcher> = LazyLock::new(|| Matcher::new(NAME_FAMILIES));
/// Families of short texts.
pub(crate) static TEXTS: LazyLock<Matcher> = LazyLock::new(|| Matcher::new(TEXT_FAMILIES));

/// The bit of the family called `name` in `table`.
pub(crate) fn family(table: &[Family], name: &str) -> Families {
    table
        .iter()
        .position(|(n, _)| *n == name)
        .map_or(0, |bit| 1 << bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_needle_counts_only_where_a_word_starts() {
        let nav = family(NAME_FAMILIES, "nav");
        for (name, hit) in [
            ("main-nav", true),
            ("siteNav", true),
            ("unavailable", false),
            ("navbar", true),
        ] {
            assert_eq!(NAMES.families(name) & nav != 0, hit, "{name}");
        }
    }

    #[test]
    fn a_whole_needle_counts_only_where_a_word_ends() {
        let promo = family(NAME_FAMILIES, "promo");
        for (name, hit) in [
            ("ad", true),
            ("ad-slot", true),
            ("address", false),
            ("header", false),
        ] {
            assert_eq!(NAMES.families(name) & promo != 0, hit, "{name}");
        }
    }

    #[test]
    fn every_family_fits_into_the_set() {
        assert!(NAME_FAMILIES.len() <= 64 && TEXT_FAMILIES.len() <= 64);
    }
}
