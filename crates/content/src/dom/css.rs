//! CSS selectors over the arena: the `selectors` crate matches, this file says what our elements
//! are. Selectors are user input: parsed once, refused with a sentence.

use std::fmt;

use cssparser::{ParseError, ParseErrorKind, Parser as CssParser, ToCss};
use html5ever::{LocalName, Namespace};
use precomputed_hash::PrecomputedHash;
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode,
    SelectorCaches,
};
use selectors::matching::{ElementSelectorFlags, matches_selector_list};
use selectors::parser::{ParseRelative, SelectorImpl, SelectorList, SelectorParseErrorKind};
use selectors::{Element, OpaqueElement};

use super::{Document, Interrupted, NodeId, Space, Tag};
use crate::Interrupt;

/// A list of CSS selectors, as in `article, .post > p`.
#[derive(Debug, Clone)]
pub struct Selector(SelectorList<Names>);

impl Selector {
    /// Understands a selector list. Pseudo-elements and states such as `:hover` are refused: a
    /// document at rest has none.
    ///
    /// # Errors
    /// One sentence that says what is wrong.
    pub fn parse(css: &str) -> Result<Self, String> {
        let mut input = CssParser::new(css);
        SelectorList::parse(&Grammar, &mut input, ParseRelative::No)
            .map(Self)
            .map_err(|error| explain(css, &error))
    }

    /// The elements that match, in document order. One element costs at most as many steps
    /// as it has siblings and ancestors.
    ///
    /// # Errors
    /// The interrupt was raised.
    pub(crate) fn select(
        &self,
        document: &Document,
        interrupt: &Interrupt,
    ) -> Result<Vec<NodeId>, Interrupted> {
        let mut caches = SelectorCaches::default();
        let mut context = MatchingContext::new(
            MatchingMode::Normal,
            None,
            &mut caches,
            QuirksMode::NoQuirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        let mut found = Vec::new();
        for id in document.nodes().filter(|&id| document.is_element(id)) {
            if interrupt.is_raised() {
                return Err(Interrupted);
            }
            if matches_selector_list(&self.0, At { document, id }, &mut context) {
                found.push(id);
            }
        }
        Ok(found)
    }
}

fn explain(css: &str, error: &ParseError<SelectorParseErrorKind>) -> String {
    let problem = match &error.kind {
        _ if css.trim().is_empty() => "is empty",
        ParseErrorKind::Custom(SelectorParseErrorKind::UnsupportedPseudoClassOrElement) => {
            "has a pseudo-class or pseudo-element that a document at rest cannot match"
        }
        ParseErrorKind::Custom(SelectorParseErrorKind::DanglingCombinator) => {
            "has a combinator without an element after it"
        }
        ParseErrorKind::Custom(SelectorParseErrorKind::EmptySelector) => {
            "has an empty part (a stray comma?)"
        }
        _ => "is not a CSS selector",
    };
    format!("`{css}` {problem}")
}

/// A string in a selector.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word(Box<str>);

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl AsRef<str> for Word {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl ToCss for Word {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        cssparser::serialize_string(&self.0, dest)
    }
}

impl PrecomputedHash for Word {
    fn precomputed_hash(&self) -> u32 {
        LocalName::from(&*self.0).precomputed_hash()
    }
}

/// A name, interned as the parser interns those of elements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Name(LocalName);

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl ToCss for Name {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        cssparser::serialize_identifier(&self.0, dest)
    }
}

impl PrecomputedHash for Name {
    fn precomputed_hash(&self) -> u32 {
        self.0.precomputed_hash()
    }
}

/// Neither states nor pseudo-elements exist here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Never {}

impl ToCss for Never {
    fn to_css<W: fmt::Write>(&self, _: &mut W) -> fmt::Result {
        match *self {}
    }
}

impl selectors::parser::NonTSPseudoClass for Never {
    fn is_active_or_hover(&self) -> bool {
        match *self {}
    }

    fn is_user_action_state(&self) -> bool {
        match *self {}
    }
}

impl selectors::parser::PseudoElement for Never {}

#[derive(Debug, Clone)]
pub(super) struct Names;

impl SelectorImpl for Names {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Word;
    type Identifier = Word;
    type LocalName = Name;
    type NamespaceUrl = Namespace;
    type NamespacePrefix = Name;
    type BorrowedNamespaceUrl = Namespace;
    type BorrowedLocalName = Name;
    type NonTSPseudoClass = Never;
    type PseudoElement = Never;
}

struct Grammar;

impl selectors::parser::Parser<'_> for Grammar {
    type Impl = Names;
    type Error = SelectorParseErrorKind;

    fn parse_nth_child_of(&self) -> bool {
        true
    }

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }
}

/// An element of a document.
#[derive(Clone, Copy)]
struct At<'a> {
    document: &'a Document,
    id: NodeId,
}

impl fmt::Debug for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.document.name(self.id))
    }
}

impl At<'_> {
    fn to(self, id: Option<NodeId>) -> Option<Self> {
        id.map(|id| Self { id, ..self })
    }
}

impl Element for At<'_> {
    type Impl = Names;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(self.document.node(self.id))
    }

    fn parent_element(&self) -> Option<Self> {
        let parent = self.document.parent(self.id)?;
        self.to(Some(parent).filter(|&id| self.document.is_element(id)))
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        let document = self.document;
        let mut before = std::iter::successors(document.prev_sibling(self.id), |&id| {
            document.prev_sibling(id)
        });
        self.to(before.find(|&id| document.is_element(id)))
    }

    fn next_sibling_element(&self) -> Option<Self> {
        let document = self.document;
        let mut after = std::iter::successors(document.next_sibling(self.id), |&id| {
            document.next_sibling(id)
        });
        self.to(after.find(|&id| document.is_element(id)))
    }

    fn first_element_child(&self) -> Option<Self> {
        let mut children = self.document.children(self.id);
        self.to(children.find(|&id| self.document.is_element(id)))
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.document.node(self.id).space == Space::Html
    }

    fn has_local_name(&self, name: &Name) -> bool {
        self.document.node(self.id).name == name.0
    }

    fn has_namespace(&self, namespace: &Namespace) -> bool {
        self.document.node(self.id).space.url() == namespace
    }

    fn is_same_type(&self, other: &Self) -> bool {
        let (one, two) = (self.document.node(self.id), self.document.node(other.id));
        one.name == two.name && one.space == two.space
    }

    fn attr_matches(
        &self,
        _: &NamespaceConstraint<&Namespace>,
        name: &Name,
        operation: &AttrSelectorOperation<&Word>,
    ) -> bool {
        let mut attrs = self.document.own_attrs(self.id).iter();
        attrs
            .find(|attr| attr.name == name.0)
            .is_some_and(|attr| operation.eval_str(self.document.value(attr)))
    }

    fn match_non_ts_pseudo_class(&self, pc: &Never, _: &mut MatchingContext<Names>) -> bool {
        match *pc {}
    }

    fn match_pseudo_element(&self, pe: &Never, _: &mut MatchingContext<Names>) -> bool {
        match *pe {}
    }

    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        matches!(self.document.tag(self.id), Tag::A | Tag::Area)
            && self.document.attr(self.id, "href").is_some()
    }

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_id(&self, id: &Word, case: CaseSensitivity) -> bool {
        let own = self.document.attr(self.id, "id");
        own.is_some_and(|own| case.eq(own.as_bytes(), id.0.as_bytes()))
    }

    fn has_class(&self, name: &Word, case: CaseSensitivity) -> bool {
        let classes = self.document.attr(self.id, "class").unwrap_or_default();
        classes
            .split_ascii_whitespace()
            .any(|class| case.eq(class.as_bytes(), name.0.as_bytes()))
    }

    fn has_custom_state(&self, _: &Word) -> bool {
        false
    }

    fn imported_part(&self, _: &Word) -> Option<Word> {
        None
    }

    fn is_part(&self, _: &Word) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        let mut children = self.document.children(self.id);
        children.all(|id| self.document.text(id).is_some_and(str::is_empty))
    }

    fn is_root(&self) -> bool {
        self.document.html() == Some(self.id)
    }

    fn add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn selects(css: &str, html: &str) -> Vec<String> {
        let document = Document::of(html);
        let found = Selector::parse(css)
            .unwrap()
            .select(&document, &Interrupt::new())
            .unwrap();
        found.iter().map(|&id| document.text_content(id)).collect()
    }

    #[test]
    fn elements_are_found_in_document_order() {
        let html = "<article class='a Post' id=x><p>1<p lang=en-GB>2</article><div><p>3</div><P>4";
        assert_eq!(selects("p", html), ["1", "2", "3", "4"]);
        assert_eq!(selects(".Post > p, div p", html), ["1", "2", "3"]);
        assert_eq!(selects("#x p:nth-child(2)", html), ["2"]);
        assert_eq!(selects("[lang|=en]", html), ["2"]);
        assert_eq!(selects("div:has(> p) + p", html), ["4"]);
        assert_eq!(selects("p:not(:is(#x *, div > *))", html), ["4"]);
        assert_eq!(selects("P:last-of-type", html), ["2", "3", "4"]);
        assert_eq!(selects("custom-tag", "<custom-tag>y</custom-tag>"), ["y"]);
    }

    #[test]
    fn what_cannot_be_understood_is_refused_with_a_sentence() {
        for css in [
            "",
            "[[",
            "p >",
            "a,,b",
            "p:hover",
            "p::before",
            ":foo(",
            "1",
        ] {
            let problem = Selector::parse(css).unwrap_err();
            assert!(problem.starts_with(&format!("`{css}`")), "{problem}");
        }
    }
}
