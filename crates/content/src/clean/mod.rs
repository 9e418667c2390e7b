//! Takes out what no reader sees, as a mask: code, styles, inert and hidden elements, form
//! controls, drawings. What is merely collapsed (accordions, tabs, details) stays.

mod sight;

pub(crate) use sight::is_streamed;

use sight::Sight;

use crate::Interrupt;
use crate::dom::{Document, Interrupted, Kept, NodeId, Tag};

/// Nodes between two looks at the interrupt.
const NODES_PER_CHECK: usize = 4096;
/// A page with less visible text is a shell: its `<noscript>` may be the content.
const SHELL_BYTES: usize = 200;
/// A shorter `<noscript>` that speaks of JavaScript only asks to enable it.
const NOTICE_BYTES: usize = 400;

/// Everything visible that the page says.
pub(crate) fn clean(document: &Document, interrupt: &Interrupt) -> Result<Kept, Interrupted> {
    sweep(document, interrupt, false)
}

/// Everything visible, the buttons too.
pub(crate) fn clean_with_commands(
    document: &Document,
    interrupt: &Interrupt,
) -> Result<Kept, Interrupted> {
    sweep(document, interrupt, true)
}

fn sweep(
    document: &Document,
    interrupt: &Interrupt,
    has_commands: bool,
) -> Result<Kept, Interrupted> {
    let mut sweep = Sweep {
        document,
        interrupt,
        has_commands,
        kept: Kept::all(document),
        hidden: Vec::new(),
        noscripts: Vec::new(),
        visible: 0,
    };
    sweep.run(document.root())?;
    sweep.show_hidden_page()?;
    sweep.show_noscripts()?;
    Ok(sweep.kept)
}

struct Sweep<'a> {
    document: &'a Document,
    interrupt: &'a Interrupt,
    has_commands: bool,
    kept: Kept,
    hidden: Vec<NodeId>,
    noscripts: Vec<NodeId>,
    /// Bytes of visible text.
    visible: usize,
}

impl Sweep<'_> {
    /// Looks at all that is below `top`.
    fn run(&mut self, top: NodeId) -> Result<(), Interrupted> {
        let document = self.document;
        let end = document.subtree_end(top);
        let mut next = document.following(top);
        let mut seen = 0;
        while next < end {
            let id = next;
            next = document.following(id);
            seen += 1;
            if seen % NODES_PER_CHECK == 0 && self.interrupt.is_raised() {
                return Err(Interrupted);
            }
            if let Some(text) = document.text(id) {
                self.text(id, text);
                continue;
            }
            match sight::of(document, id) {
                Sight::Seen => continue,
                Sight::Command if self.has_commands => continue,
                Sight::Never | Sight::Command => {}
                Sight::Hidden => self.hidden.push(id),
                Sight::WithoutScript => self.noscripts.push(id),
            }
            self.kept.drop(id);
            next = document.subtree_end(id);
        }
        Ok(())
    }

    /// Text right inside a player or frame is for browsers that know neither.
    fn text(&mut self, id: NodeId, text: &str) {
        let parent = self.document.parent(id).map(|up| self.document.tag(up));
        match parent {
            Some(Tag::Video | Tag::Audio | Tag::Iframe) => self.kept.drop(id),
            _ => self.visible += text.trim_ascii().len(),
        }
    }

    fn show(&mut self, id: NodeId) -> Result<(), Interrupted> {
        self.kept.restore(id);
        self.run(id)
    }

    /// An element that is hidden and holds most of the page's text is a page that shows itself by
    /// script when it has loaded.
    fn show_hidden_page(&mut self) -> Result<(), Interrupted> {
        for id in std::mem::take(&mut self.hidden) {
            if text_bytes(self.document, id) > self.visible.max(SHELL_BYTES) {
                self.show(id)?;
            }
        }
        Ok(())
    }

    fn show_noscripts(&mut self) -> Result<(), Interrupted> {
        let is_shell = self.visible < SHELL_BYTES;
        for id in std::mem::take(&mut self.noscripts) {
            let speaks = is_shell && !is_notice(self.document, id);
            if let Some(image) = fallback_image(self.document, id) {
                if let Some(placeholder) = image.placeholder {
                    self.kept.drop(placeholder);
                }
                self.show(id)?;
            } else if speaks {
                self.show(id)?;
            }
        }
        Ok(())
    }
}

/// Bytes of text below that a reader could see.
fn text_bytes(document: &Document, id: NodeId) -> usize {
    let mut bytes = 0;
    let end = document.subtree_end(id);
    let mut next = document.following(id);
    while next < end {
        let here = next;
        next = match document.tag(here) {
            Tag::Script | Tag::Style | Tag::Select => document.subtree_end(here),
            _ => document.following(here),
        };
        bytes += document
            .text(here)
            .map_or(0, |text| text.trim_ascii().len());
    }
    bytes
}

/// Empty, or a request to enable scripts.
fn is_notice(document: &Document, id: NodeId) -> bool {
    let bytes = text_bytes(document, id);
    if bytes == 0 || bytes >= NOTICE_BYTES {
        return bytes == 0;
    }
    let text = document.text_content(id).to_ascii_lowercase();
    text.contains("javascript") || text.contains("<iframe")
}

struct Fallback {
    /// The lazy image that it stands for, when that one has no source of its own.
    placeholder: Option<NodeId>,
}

/// Is it a picture for readers without script, and not one that the page shows anyway?
fn fallback_image(document: &Document, noscript: NodeId) -> Option<Fallback> {
    let mut images = document
        .descendants(noscript)
        .filter(|&id| document.tag(id) == Tag::Img);
    let image = images.next()?;
    let is_alone = images.next().is_none() && text_bytes(document, noscript) == 0;
    if !is_alone || is_pixel(document, image) || !has_source(document, image) {
        return None;
    }
    let is_element = |&id: &NodeId| document.is_element(id);
    let before = std::iter::successors(document.prev_sibling(noscript), |&id| {
        document.prev_sibling(id)
    });
    let twin = before.filter(is_element).take(1).find_map(|id| {
        std::iter::once(id)
            .chain(document.descendants(id))
            .find(|&id| document.tag(id) == Tag::Img)
    });
    match twin {
        Some(twin) if has_source(document, twin) => None,
        Some(twin) => Some(Fallback {
            placeholder: Some(twin),
        }),
        None if document.parent(noscript) == document.body() => None,
        None => Some(Fallback { placeholder: None }),
    }
}

/// A counter of visits, not a picture.
fn is_pixel(document: &Document, image: NodeId) -> bool {
    let is_tiny = |name| {
        let size = document.attr(image, name).unwrap_or_default().trim();
        matches!(size, "0" | "1" | "0px" | "1px")
    };
    is_tiny("width") || is_tiny("height") || sight::is_styled_away(document, image)
}

/// Does it say, in whatever attribute, where the picture is?
fn has_source(document: &Document, image: NodeId) -> bool {
    document.attrs(image).any(|(name, value)| {
        let is_source = name == "src" || name.contains("src") || name.starts_with("data-");
        let value = value.trim();
        let is_place = value.contains(['/', '.']) && !value.starts_with("data:");
        is_source && is_place
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn shows(html: &str, text: &str) {
        let document = Document::of(html);
        let kept = clean(&document, &Interrupt::new()).unwrap();
        let words: Vec<&str> = document
            .kept_descendants(document.root(), &kept)
            .filter_map(|id| match document.tag(id) {
                Tag::Img => document.attr(id, "src").or(Some("img")),
                _ => document.text(id),
            })
            .flat_map(str::split_ascii_whitespace)
            .collect();
        assert_eq!(words.join(" "), text, "{html}");
    }

    #[test]
    fn code_and_inert_elements_are_no_text() {
        shows(
            "<title>t</title>a<script>s</script><style>s</style><template>t</template>b",
            "a b",
        );
        shows(
            "a<svg><title>t</title><style>.x{}</style><text>u</text></svg>b<!-- c -->",
            "a b",
        );
        shows(
            "a<datalist><option>o</option></datalist><iframe>x</iframe><canvas>c</canvas>b",
            "a b",
        );
        shows(
            "<video src=v.mp4>no <a href=x>video</a></video><object>plan b</object>",
            "plan b",
        );
        shows("<p><script type='math/tex'>x^2</script>", "x^2");
    }

    #[test]
    fn hidden_elements_are_out_and_collapsed_ones_stay() {
        let text = "An answer that is long enough to be worth reading, although its panel is \
                    closed until somebody clicks on the question.";
        shows(
            "a<p hidden>b</p><p style='x:y; DISPLAY : none !important'>c</p>d",
            "a d",
        );
        shows(
            "a<p style='visibility:hidden'>b</p><dialog>c</dialog><dialog open>d</dialog>",
            "a d",
        );
        shows(
            "a<span class='x sr-only'>b</span><p style='display:block'>c",
            "a c",
        );
        shows("<details><summary>a</summary>b</details>", "a b");
        shows(
            &format!("<div>a</div><div class='accordion-body' hidden>{text}</div>"),
            &format!("a {text}"),
        );
        shows(
            &format!("<p>a</p><div role=tabpanel style='display:none'>{text}</div>"),
            &format!("a {text}"),
        );
        shows(
            &format!("<p>a</p><div role=region hidden>{text}</div><div id=S:1f hidden>b</div>"),
            &format!("a {text} b"),
        );
        let long = text.repeat(3);
        shows(
            &format!("{long}<div class='modal panel' hidden>{text}</div>"),
            &long,
        );
    }

    #[test]
    fn decoration_for_the_eye_only_is_out() {
        shows("<h2>a<a aria-hidden=true href=#a>#</a></h2>", "a");
        shows(
            "<i class='material-icons' aria-hidden=true>arrow_forward</i>b",
            "b",
        );
        shows(
            "<p aria-hidden=true>but a sentence stays</p>",
            "but a sentence stays",
        );
    }

    #[test]
    fn a_page_that_is_hidden_as_a_whole_is_read() {
        let text = "word ".repeat(100);
        let text = text.trim();
        shows(
            &format!(
                "<p>Loading</p><div id=app style='display:none'>{text}<script>x</script></div>"
            ),
            &format!("Loading {text}"),
        );
    }

    #[test]
    fn form_controls_are_out_but_not_what_a_form_wraps() {
        shows(
            "<form>a<label>b</label><input value=x><textarea>c</textarea>\
             <select><option>d</select><button>e</button>f</form>",
            "a b f",
        );
        shows(
            "<h3><button aria-expanded=false>Question</button></h3>",
            "Question",
        );
        shows("<button><h3>Card</h3><p>text</p></button>", "Card text");
    }

    #[test]
    fn a_noscript_is_read_for_its_lazy_image_or_when_the_page_is_a_shell() {
        let text = "word ".repeat(60);
        let text = text.trim();
        shows(&format!("{text}<p><noscript>no script</noscript>"), text);
        shows(
            "<div id=root></div><noscript>The whole story</noscript>",
            "The whole story",
        );
        shows(
            "<body><noscript>You need to enable JavaScript to run this app.</noscript>",
            "",
        );
        shows(
            "<p><img class=lazy src='data:image/gif;base64,R0l'><noscript><img src=a.jpg></noscript>",
            "a.jpg",
        );
        shows(
            "<p><img data-src=a.jpg src=b.gif><noscript><img src=a.jpg></noscript>",
            "b.gif",
        );
        shows(
            "<p>a<noscript><img height=1 width=1 src=t.example/x.gif></noscript>",
            "a",
        );
    }
}
