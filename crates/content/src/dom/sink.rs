//! Where html5ever builds the tree: linked nodes in creation order, text and attribute values in
//! one buffer. Comments, processing instructions and doctypes are not kept.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, ExpandedName, LocalName, Namespace, QualName, local_name, ns};

use super::{Attr, Document, NONE, Space, Tag, settle};

static HTML: Namespace = ns!(html);
static SVG: Namespace = ns!(svg);
static MATH_ML: Namespace = ns!(mathml);
static NO_SPACE: Namespace = ns!();

impl Space {
    fn of(namespace: &Namespace) -> Self {
        match *namespace {
            ns!(html) => Self::Html,
            ns!(svg) => Self::Svg,
            ns!(mathml) => Self::MathMl,
            _ => Self::Other,
        }
    }

    pub(super) fn url(self) -> &'static Namespace {
        match self {
            Self::Html => &HTML,
            Self::Svg => &SVG,
            Self::MathMl => &MATH_ML,
            Self::Other => &NO_SPACE,
        }
    }
}

/// A node as the tree builder sees it; it carries its name, which is asked for all the time.
#[derive(Debug, Clone)]
pub(super) struct Handle {
    pub(super) id: u32,
    space: Space,
    is_integration_point: bool,
    pub(super) name: LocalName,
}

impl Handle {
    fn nameless(id: u32) -> Self {
        Self {
            id,
            space: Space::Other,
            is_integration_point: false,
            name: local_name!(""),
        }
    }
}

/// A node under construction.
#[derive(Debug)]
pub(super) struct Raw {
    pub(super) parent: u32,
    pub(super) prev: u32,
    pub(super) next: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) start: u32,
    pub(super) len: u32,
    pub(super) tag: Tag,
    pub(super) space: Space,
    pub(super) name: LocalName,
}

impl Raw {
    fn new(tag: Tag, space: Space, name: LocalName) -> Self {
        Self {
            parent: NONE,
            prev: NONE,
            next: NONE,
            first: NONE,
            last: NONE,
            start: 0,
            len: 0,
            tag,
            space,
            name,
        }
    }
}

/// Repeated `<html>` and `<body>` tags add attributes to the first; beyond this many they don't.
const MAX_MERGED_ATTRS: usize = 64;

#[derive(Debug)]
pub(super) struct Arena {
    pub(super) nodes: Vec<Raw>,
    pub(super) attrs: Vec<Attr>,
    pub(super) text: String,
    /// Cloned formatting elements repeat their attributes; values beyond this are left empty.
    max_text: usize,
}

impl Arena {
    fn push(&mut self, node: Raw) -> u32 {
        let id = self.nodes.len() as u32;
        self.nodes.push(node);
        id
    }

    fn push_attrs(&mut self, attrs: impl IntoIterator<Item = Attribute>) {
        for attr in attrs {
            let start = self.text.len() as u32;
            if self.text.len() + attr.value.len() <= self.max_text {
                self.text.push_str(&attr.value);
            }
            self.attrs.push(Attr {
                name: attr.name.local,
                start,
                len: self.text.len() as u32 - start,
            });
        }
    }

    fn detach(&mut self, id: u32) {
        let node = &mut self.nodes[id as usize];
        let (parent, prev, next) = (node.parent, node.prev, node.next);
        (node.parent, node.prev, node.next) = (NONE, NONE, NONE);
        if parent == NONE {
            return;
        }
        match prev {
            NONE => self.nodes[parent as usize].first = next,
            prev => self.nodes[prev as usize].next = next,
        }
        match next {
            NONE => self.nodes[parent as usize].last = prev,
            next => self.nodes[next as usize].prev = prev,
        }
    }

    /// Hangs a detached node under `parent`, before `next` (or last).
    fn attach(&mut self, id: u32, parent: u32, next: u32) {
        let prev = match next {
            NONE => self.nodes[parent as usize].last,
            next => self.nodes[next as usize].prev,
        };
        let node = &mut self.nodes[id as usize];
        (node.parent, node.prev, node.next) = (parent, prev, next);
        match prev {
            NONE => self.nodes[parent as usize].first = id,
            prev => self.nodes[prev as usize].next = id,
        }
        match next {
            NONE => self.nodes[parent as usize].last = id,
            next => self.nodes[next as usize].prev = id,
        }
    }

    fn insert(&mut self, child: NodeOrText<Handle>, parent: u32, next: u32) {
        match child {
            NodeOrText::AppendNode(node) if node.id == NONE => {}
            NodeOrText::AppendNode(node) => {
                self.detach(node.id);
                self.attach(node.id, parent, next);
            }
            NodeOrText::AppendText(text) => self.insert_text(&text, parent, next),
        }
    }

    /// Text grows the text node before it when that one ends the buffer; otherwise it becomes a
    /// sibling (merging would copy, which foster-parented floods make quadratic).
    fn insert_text(&mut self, text: &str, parent: u32, next: u32) {
        let prev = match next {
            NONE => self.nodes[parent as usize].last,
            next => self.nodes[next as usize].prev,
        };
        let start = self.text.len() as u32;
        self.text.push_str(text);
        if let Some(before) = self.nodes.get_mut(prev as usize)
            && before.tag == Tag::None
            && before.start + before.len == start
        {
            before.len += text.len() as u32;
            return;
        }
        let mut node = Raw::new(Tag::None, Space::Other, local_name!(""));
        (node.start, node.len) = (start, text.len() as u32);
        let id = self.push(node);
        self.attach(id, parent, next);
    }
}

/// The sink.
#[derive(Debug)]
pub(super) struct Sink {
    arena: RefCell<Arena>,
    elements: Cell<usize>,
}

impl Sink {
    /// Room for a document of this many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let mut arena = Arena {
            nodes: Vec::with_capacity(bytes / 128 + 16),
            attrs: Vec::with_capacity(bytes / 128 + 16),
            text: String::with_capacity(bytes / 4 * 3),
            max_text: bytes.saturating_mul(3).saturating_add(1 << 20),
        };
        arena.push(Raw::new(Tag::None, Space::Other, local_name!("")));
        Self {
            arena: RefCell::new(arena),
            elements: Cell::new(0),
        }
    }

    /// Elements created so far, those that the parser implied or cloned included.
    pub(super) fn elements(&self) -> usize {
        self.elements.get()
    }

    fn create(&self, space: Space, name: LocalName, attrs: Vec<Attribute>) -> u32 {
        self.elements.set(self.elements.get() + 1);
        let mut arena = self.arena.borrow_mut();
        let mut node = Raw::new(Tag::of(space, &name), space, name);
        node.start = arena.attrs.len() as u32;
        node.len = attrs.len() as u32;
        arena.push_attrs(attrs);
        arena.push(node)
    }
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Document;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Document {
        settle::settle(self.arena.into_inner())
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle::nameless(0)
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        ExpandedName {
            ns: target.space.url(),
            local: &target.name,
        }
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let space = Space::of(&name.ns);
        let id = self.create(space, name.local.clone(), attrs);
        if flags.template {
            // Its contents, which hang nowhere: always the id right after the template's.
            self.create(Space::Html, local_name!("slot"), Vec::new());
        }
        Handle {
            id,
            space,
            is_integration_point: flags.mathml_annotation_xml_integration_point,
            name: name.local,
        }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        Handle::nameless(NONE)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        Handle::nameless(NONE)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.arena.borrow_mut().insert(child, parent.id, NONE);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        prev_element: &Handle,
        child: NodeOrText<Handle>,
    ) {
        let mut arena = self.arena.borrow_mut();
        match arena.nodes[element.id as usize].parent {
            NONE => arena.insert(child, prev_element.id, NONE),
            parent => arena.insert(child, parent, element.id),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        Handle::nameless(target.id + 1)
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.id == y.id
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let mut arena = self.arena.borrow_mut();
        let parent = arena.nodes[sibling.id as usize].parent;
        if parent != NONE {
            arena.insert(child, parent, sibling.id);
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<Attribute>) {
        let mut guard = self.arena.borrow_mut();
        let arena = &mut *guard;
        let node = &arena.nodes[target.id as usize];
        let own = node.start as usize..(node.start + node.len) as usize;
        let mut merged: Vec<Attr> = Vec::new();
        let missing: Vec<Attribute> = attrs
            .into_iter()
            .filter(|attr| {
                !arena.attrs[own.clone()]
                    .iter()
                    .any(|a| a.name == attr.name.local)
            })
            .take(MAX_MERGED_ATTRS.saturating_sub(own.len()))
            .collect();
        if missing.is_empty() {
            return;
        }
        merged.extend(arena.attrs[own].iter().map(|attr| Attr {
            name: attr.name.clone(),
            start: attr.start,
            len: attr.len,
        }));
        let start = arena.attrs.len();
        arena.attrs.append(&mut merged);
        arena.push_attrs(missing);
        let len = arena.attrs.len() - start;
        let node = &mut arena.nodes[target.id as usize];
        (node.start, node.len) = (start as u32, len as u32);
    }

    fn remove_from_parent(&self, target: &Handle) {
        if target.id != NONE {
            self.arena.borrow_mut().detach(target.id);
        }
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let mut arena = self.arena.borrow_mut();
        let mut child = arena.nodes[node.id as usize].first;
        while child != NONE {
            let next = arena.nodes[child as usize].next;
            arena.detach(child);
            arena.attach(child, new_parent.id, NONE);
            child = next;
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle) -> bool {
        handle.is_integration_point
    }

    /// A declarative shadow root is what the reader sees: its contents hang under the host.
    fn attach_declarative_shadow(&self, host: &Handle, template: &Handle, _: &[Attribute]) -> bool {
        let mut arena = self.arena.borrow_mut();
        arena.attach(template.id + 1, host.id, NONE);
        true
    }
}
