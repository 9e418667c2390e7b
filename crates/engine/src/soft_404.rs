//! Pages that say "not found" with status 200. Conservative: the title or the first heading must
//! *be* such a phrase, not hold it, and there must be hardly any other text; an article about
//! error pages is an article.

use trawls_content::Page;

/// More readable characters than this are content, whatever the title says. Error pages of the
/// large site builders stay under 400; short notices and stubs of real pages have other titles.
const MAX_TEXT: usize = 600;

/// Phrases that are a title of their own, as `normal` writes them.
const PHRASES: [&str; 27] = [
    "not found",
    "page not found",
    "file not found",
    "file or directory not found",
    "resource not found",
    "content not found",
    "page cannot be found",
    "page can t be found",
    "page could not be found",
    "page couldn t be found",
    "page doesn t exist",
    "page does not exist",
    "page no longer exists",
    "page introuvable",
    "page non trouvee",
    "seite nicht gefunden",
    "seite wurde nicht gefunden",
    "pagina no encontrada",
    "pagina non trovata",
    "pagina nao encontrada",
    "pagina niet gevonden",
    "sidan hittades inte",
    "strona nie zostala znaleziona",
    "страница не найдена",
    "ページが見つかりません",
    "页面不存在",
    "找不到页面",
];

/// Words around a phrase that change nothing.
const FILLERS: [&str; 18] = [
    "oops",
    "whoops",
    "sorry",
    "error",
    "http",
    "status",
    "code",
    "fehler",
    "erreur",
    "the",
    "this",
    "that",
    "your",
    "requested",
    "we",
    "uh",
    "oh",
    "ошибка",
];

/// Does the page say that it is not there?
pub(crate) fn looks_not_found(page: &Page) -> bool {
    if readable_characters(&page.markdown).nth(MAX_TEXT).is_some() {
        return false;
    }
    let heading = page.markdown.lines().find_map(|line| {
        let text = line.trim_start().trim_start_matches('#');
        (text.len() < line.trim_start().len()).then_some(text)
    });
    let title = page.metadata.title.as_deref();
    title
        .into_iter()
        .flat_map(title_parts)
        .chain(heading)
        .any(is_phrase)
}

/// `Page not found | Shop` is a phrase and the site's name.
fn title_parts(title: &str) -> impl Iterator<Item = &str> {
    title
        .split(['|', '·', '•', '»', '«', '–', '—', ':'])
        .flat_map(|part| part.split(" - "))
}

/// A listed phrase with or without the status, or the status alone.
fn is_phrase(text: &str) -> bool {
    let text = normal(text);
    let is_status = |word: &&str| matches!(*word, "404" | "410");
    let words: Vec<&str> = text.split(' ').filter(|word| !is_status(word)).collect();
    let has_status = text.split(' ').any(|word| is_status(&word));
    match words.join(" ").as_str() {
        "" => has_status,
        words => PHRASES.contains(&words),
    }
}

/// Lower case, no marks, no accents on Latin letters, no fillers.
fn normal(text: &str) -> String {
    let plain: String = text
        .to_lowercase()
        .chars()
        .map(|c| match c {
            'á' | 'à' | 'â' | 'ã' | 'ä' => 'a',
            'é' | 'è' | 'ê' => 'e',
            'ł' => 'l',
            c if c.is_alphanumeric() => c,
            _ => ' ',
        })
        .collect();
    let words: Vec<&str> = plain
        .split_whitespace()
        .filter(|word| !FILLERS.contains(word))
        .collect();
    words.join(" ")
}

/// Letters and digits of the text, link targets left out.
fn readable_characters(markdown: &str) -> impl Iterator<Item = char> {
    let texts = markdown
        .split("](")
        .enumerate()
        .map(|(index, piece)| match index {
            0 => piece,
            _ => piece.split_once(')').map_or("", |(_, after)| after),
        });
    texts.flat_map(str::chars).filter(|c| c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use trawls_contract::PageMetadata;

    fn page(title: Option<&str>, markdown: &str) -> Page {
        let metadata = PageMetadata {
            title: title.map(str::to_owned),
            ..PageMetadata::default()
        };
        crate::outcome::tests::page(markdown, metadata)
    }

    #[test]
    fn a_page_that_says_so_is_not_found() {
        for (title, markdown) in [
            (
                Some("Page not found | Harbour shop"),
                "Try the [home page](https://shop.example/).",
            ),
            (Some("404"), "# 404\n\nNothing here."),
            (None, "# Oops! Page not found\n\nGo back."),
            (None, "Menu\n\n## Error 404: Not Found"),
            (Some("Sorry, this page doesn’t exist"), "Search instead."),
            (Some("Seite nicht gefunden – Hafen"), "Zur Startseite"),
            (Some("Página no encontrada"), "Volver"),
            (Some("Ошибка 404. Страница не найдена"), "На главную"),
        ] {
            assert!(
                looks_not_found(&page(title, markdown)),
                "{title:?} {markdown}"
            );
        }
    }

    #[test]
    fn an_article_about_error_pages_is_an_article() {
        let long = format!(
            "# Page not found\n\n{}",
            "The lighthouse keeps its log. ".repeat(40)
        );
        for (title, markdown) in [
            (Some("Page not found"), long.as_str()),
            (
                Some("How to design a page not found screen"),
                "# A short note\n\nKeep it kind.",
            ),
            (Some("Peugeot 404"), "# Peugeot 404\n\nA car of 1960."),
            (Some("Lost and not found: a poem"), "The tide took it."),
            (None, "The key was not found."),
            (None, ""),
        ] {
            assert!(!looks_not_found(&page(title, markdown)), "{title:?}");
        }
    }
}
