//! Tables: data becomes a GFM table, every span repeated; layout becomes the blocks in its cells.

mod grid;

use grid::{Cell, Grid};

use super::paragraph::Separator;
use super::sheet::Gap;
use super::typeset::{Place, typeset};
use super::walk::{Flow, Writer, is_block};
use crate::dom::{Document, Kept, NodeId, Tag};

/// Rows of a table itself, not of tables inside it.
pub(super) fn rows<'a>(
    document: &'a Document,
    kept: &'a Kept,
    table: NodeId,
) -> impl Iterator<Item = NodeId> + Clone + 'a {
    let is_group =
        move |id: NodeId| matches!(document.tag(id), Tag::Thead | Tag::Tbody | Tag::Tfoot);
    document
        .children(table)
        .filter(move |&id| kept.has(id))
        .flat_map(move |id| {
            let inner = is_group(id)
                .then(|| document.children(id))
                .into_iter()
                .flatten();
            std::iter::once(id).chain(inner)
        })
        .filter(move |&id| document.tag(id) == Tag::Tr && kept.has(id))
}

/// Cells of a row.
pub(super) fn cells<'a>(
    document: &'a Document,
    kept: &'a Kept,
    row: NodeId,
) -> impl Iterator<Item = NodeId> + Clone + 'a {
    document
        .children(row)
        .filter(move |&id| kept.has(id) && matches!(document.tag(id), Tag::Td | Tag::Th))
}

/// What tells data from layout.
#[derive(Debug, Default)]
struct Shape {
    rows: usize,
    columns: usize,
    headers: usize,
    header_row: bool,
    /// Headings, quotes, forms, tables in cells: nothing that a value would hold.
    sections: usize,
    lists: usize,
    tables: usize,
    longest: usize,
}

/// A table without headers whose cells are longer than this, in bytes of text, is a layout.
const LONG_CELL: usize = 600;

impl Shape {
    fn is_layout(&self) -> bool {
        if self.columns < 2 || self.rows == 0 {
            return true;
        }
        if self.header_row {
            return self.sections > 0 && self.tables + self.sections > self.headers;
        }
        if self.headers > 0 {
            return self.sections > self.headers || self.tables > self.headers;
        }
        self.rows < 2
            || self.sections > 0
            || self.tables > 0
            || self.longest > LONG_CELL
            || (self.lists > 0 && self.rows <= 2)
    }
}

impl Writer<'_> {
    /// A `table`.
    pub(super) fn table(&mut self, id: NodeId) {
        if self.flow != Flow::Blocks {
            return self.in_line(id);
        }
        self.flush();
        if self.listing(id) {
            return self.flush();
        }
        let role = self.document.attr(id, "role");
        if matches!(role, Some("presentation" | "none")) || self.shape(id).is_layout() {
            return self.layout(id);
        }
        self.caption(id);
        let mut grid = Grid::default();
        let mut texts = String::new();
        for row in rows(self.document, self.convert.kept, id) {
            let is_head = self
                .document
                .parent(row)
                .is_some_and(|up| self.document.tag(up) == Tag::Thead);
            let cells = cells(self.document, self.convert.kept, row)
                .map(|cell| self.cell(cell, &mut texts))
                .collect();
            grid.push(cells, is_head);
        }
        let table = grid.markdown(&texts);
        if !table.is_empty() {
            self.sheet.write(&table, Gap::Blank);
        }
    }

    /// Renders one cell to the end of `texts`.
    fn cell(&mut self, id: NodeId, texts: &mut String) -> Cell {
        let document = self.document;
        self.on_one_line(Separator::Break, |writer| writer.children(id));
        let start = texts.len();
        typeset(
            &mut self.paragraph,
            Place::Cell,
            self.citations.as_mut(),
            texts,
        );
        let span = |name| {
            document
                .attr(id, name)
                .and_then(|span| span.trim().parse::<usize>().ok())
        };
        Cell {
            start,
            end: texts.len(),
            columns: span("colspan").unwrap_or(1).max(1),
            rows: span("rowspan").unwrap_or(1),
            is_header: document.tag(id) == Tag::Th,
            align: grid::Align::of(document.attr(id, "align"), document.attr(id, "style")),
        }
    }

    fn caption(&mut self, id: NodeId) {
        for child in self.document.children(id) {
            if self.document.tag(child) == Tag::Caption {
                self.node(child);
            }
        }
    }

    fn shape(&self, id: NodeId) -> Shape {
        let document = self.document;
        let mut shape = Shape::default();
        for row in rows(document, self.convert.kept, id) {
            let mut columns = 0;
            let mut headers = 0;
            for cell in cells(document, self.convert.kept, row) {
                columns += 1;
                headers += usize::from(document.tag(cell) == Tag::Th);
                self.measure(cell, &mut shape);
            }
            if columns == 0 {
                continue;
            }
            let is_head = document
                .parent(row)
                .is_some_and(|up| document.tag(up) == Tag::Thead);
            shape.header_row |= columns > 1 && (is_head || headers == columns) && shape.rows == 0;
            shape.headers += headers;
            shape.rows += 1;
            shape.columns = shape.columns.max(columns);
        }
        shape
    }

    fn measure(&self, cell: NodeId, shape: &mut Shape) {
        let document = self.document;
        let mut length = 0;
        for node in self.kept_below(cell) {
            match document.tag(node) {
                Tag::None => length += document.text(node).map_or(0, |text| text.trim().len()),
                Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => shape.sections += 1,
                Tag::Form | Tag::Blockquote | Tag::Hr | Tag::Article | Tag::Section => {
                    shape.sections += 1
                }
                Tag::Table => shape.tables += 1,
                Tag::Ul | Tag::Ol | Tag::Dl => shape.lists += 1,
                _ => {}
            }
        }
        shape.longest = shape.longest.max(length);
    }

    /// The cells of a layout as blocks; short cells of a row stay in one line.
    fn layout(&mut self, id: NodeId) {
        let document = self.document;
        for child in document.children(id) {
            if !self.convert.kept.has(child) {
                continue;
            }
            match document.tag(child) {
                Tag::Tr => self.layout_row(child),
                Tag::Thead | Tag::Tbody | Tag::Tfoot => self.layout(child),
                _ => self.node(child),
            }
        }
        self.flush();
    }

    fn layout_row(&mut self, row: NodeId) {
        let document = self.document;
        self.flush();
        let has_block = self.kept_below(row).any(|node| {
            let tag = document.tag(node);
            is_block(tag) && !matches!(tag, Tag::Td | Tag::Th)
        });
        if has_block {
            self.children(row);
        } else {
            self.on_one_line(Separator::Space, |writer| writer.children(row));
        }
        self.flush();
    }

    /// A table where only a line can be: rows apart, cells side by side.
    fn in_line(&mut self, id: NodeId) {
        self.boundary();
        let document = self.document;
        let kept = self.convert.kept;
        self.caption(id);
        for row in rows(document, kept, id) {
            self.boundary();
            self.on_one_line(Separator::Space, |writer| {
                for cell in cells(document, kept, row) {
                    writer.block(cell);
                }
            });
        }
        self.boundary();
    }
}
