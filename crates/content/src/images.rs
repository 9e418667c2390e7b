//! Images of the content, each address once: the picture that a reader gets to see, with its caption.

use std::collections::HashSet;

use trawls_contract::Image;
use url::Url;

use crate::dom::{Document, Kept, NodeId, Tag};
use crate::image_source::{best_source, dimension, is_pixel};
use crate::text::{fold, kept_line_of};

const MAX_IMAGES: usize = 5_000;
const MAX_TEXT_BYTES: usize = 2_000;

/// Every kept image in document order.
pub(crate) fn images(document: &Document, kept: &Kept, roots: &[NodeId], base: &Url) -> Vec<Image> {
    let mut seen = HashSet::new();
    roots
        .iter()
        .flat_map(|&root| std::iter::once(root).chain(document.kept_descendants(root, kept)))
        .filter(|&id| is_image(document, id) && !is_pixel(document, id))
        .filter_map(|id| {
            let url = String::from(best_source(document, id, base)?);
            seen.insert(url.clone()).then(|| Image {
                url,
                alt: alt_of(document, id),
                caption: caption_of(document, kept, id),
                width: dimension(document, id, "width"),
                height: dimension(document, id, "height"),
            })
        })
        .take(MAX_IMAGES)
        .collect()
}

fn is_image(document: &Document, id: NodeId) -> bool {
    match document.tag(id) {
        Tag::Img => true,
        Tag::Other => document.name(id) == "amp-img",
        _ => false,
    }
}

fn alt_of(document: &Document, id: NodeId) -> Option<String> {
    let alt = document.attr(id, "alt")?;
    let alt = fold(&alt[..alt.floor_char_boundary(MAX_TEXT_BYTES)]);
    (!alt.is_empty()).then_some(alt)
}

fn caption_of(document: &Document, kept: &Kept, id: NodeId) -> Option<String> {
    let figure = document
        .ancestors(id)
        .find(|up| document.tag(*up) == Tag::Figure)?;
    let caption = document
        .kept_descendants(figure, kept)
        .find(|id| document.tag(*id) == Tag::Figcaption)?;
    let text = kept_line_of(document, kept, caption, MAX_TEXT_BYTES);
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> Vec<Image> {
        let document = Document::of(html);
        let base = Url::parse("https://example.org/").unwrap();
        images(&document, &Kept::all(&document), &[document.root()], &base)
    }

    #[test]
    fn an_image_has_its_alternative_text_caption_and_size() {
        let images = read(
            "<figure><img src=a.jpg alt=' A  boat' width=640px height=480><figcaption>The <i>boat</i></figcaption>\
             </figure><img src=a.jpg>",
        );
        assert_eq!(
            images,
            [Image {
                url: "https://example.org/a.jpg".to_owned(),
                alt: Some("A boat".to_owned()),
                caption: Some("The boat".to_owned()),
                width: Some(640),
                height: Some(480),
            }]
        );
    }

    #[test]
    fn tracking_pixels_and_data_images_are_left_out() {
        assert_eq!(
            read("<img src=t.gif width=1 height=1><img src='data:image/png;base64,AA'>"),
            []
        );
    }
}
