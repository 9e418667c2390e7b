//! Tables: data becomes a GFM table, every span repeated; layout becomes the blocks in its cells.

use std::collections::HashMap;

use super::paragraph::Separator;
use super::sheet::Gap;
use super::typeset::{Place, typeset};
use super::walk::{Flow, Writer, is_block};
use crate::dom::{Document, Kept, NodeId, Tag};
use crate::table_grid::TableGrid;

/// Text longer than this, in bytes, is not repeated where a cell spans columns or rows.
const LONGEST_REPEATED: usize = 200;

/// Rows of a table itself, not of tables inside it.
pub(super) fn rows<'a>(
    document: &'a Document,
    kept: &'a Kept,
    table: NodeId,
) -> impl Iterator<Item = NodeId> + Clone + 'a {
    let is_group = |tag| matches!(tag, Tag::Thead | Tag::Tbody | Tag::Tfoot);
    document
        .children(table)
        .filter(move |&id| kept.has(id))
        .flat_map(move |id| {
            let inner = is_group(document.tag(id)).then(|| document.children(id));
            std::iter::once(id).chain(inner.into_iter().flatten())
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
        let Some(grid) = TableGrid::of(self.document, self.convert.kept, id) else {
            return self.layout(id);
        };
        if let Some(caption) = grid.caption {
            self.node(caption);
        }
        let table = self.grid(&grid);
        if !table.is_empty() {
            self.sheet.write(&table, Gap::Blank);
        }
    }

    /// The table as GFM, empty when no cell holds anything.
    fn grid(&mut self, grid: &TableGrid) -> String {
        let mut texts: HashMap<NodeId, String> = HashMap::new();
        for &cell in grid.rows.iter().flatten().flatten() {
            texts.entry(cell).or_insert_with(|| self.cell(cell));
        }
        let text = |place: &Option<NodeId>| {
            place
                .and_then(|cell| texts.get(&cell))
                .map_or("", String::as_str)
        };
        let rows: Vec<_> = grid
            .rows
            .iter()
            .filter(|row| row.iter().any(|place| !text(place).is_empty()))
            .collect();
        let columns: Vec<usize> = (0..grid.rows.first().map_or(0, Vec::len))
            .filter(|&column| rows.iter().any(|row| !text(&row[column]).is_empty()))
            .collect();
        let Some(first) = rows.first() else {
            return String::new();
        };
        let delimiters: String = columns
            .iter()
            .map(|&column| self.delimiter(&rows, column))
            .collect();
        let mut table = String::new();
        let has_blank_head = grid.head_rows > 0
            && grid.rows[..grid.head_rows.min(grid.rows.len())]
                .iter()
                .all(|row| row.iter().all(|place| text(place).is_empty()));
        if has_blank_head || grid.head_rows == 0 && self.lists_properties(first) {
            table = format!("|{}\n|{delimiters}", "  |".repeat(columns.len()));
        }
        let mut written = Places::default();
        for row in &rows {
            let is_first = table.is_empty();
            table.push_str(if is_first { "|" } else { "\n|" });
            for &column in &columns {
                let content = text(&row[column]);
                let is_long = content.len() > LONGEST_REPEATED || content.contains("![");
                let is_left_out = is_long && written.repeats(row[column]);
                match content {
                    _ if is_left_out => table.push_str(" |"),
                    "" => table.push_str(" |"),
                    content => table.extend([" ", content, " |"]),
                }
            }
            if is_first {
                table.extend(["\n|", &delimiters]);
            }
        }
        table
    }

    /// The content of a cell on one line.
    fn cell(&mut self, id: NodeId) -> String {
        let mut text = String::new();
        self.on_one_line(Separator::Break, |writer| writer.children(id));
        typeset(
            &mut self.paragraph,
            Place::Cell,
            self.citations.as_mut(),
            &mut text,
        );
        text
    }

    /// Is only the first cell of the row a header? Then the table lists properties, and naming its
    /// columns after the first of them would mislead.
    fn lists_properties(&self, row: &[Option<NodeId>]) -> bool {
        let is_header =
            |place: &Option<NodeId>| place.is_some_and(|cell| self.document.tag(cell) == Tag::Th);
        row.len() > 1 && is_header(&row[0]) && !row[1..].iter().any(is_header)
    }

    /// The part of the delimiter row for one column: aligned as its first two cells are.
    fn delimiter(&self, rows: &[&Vec<Option<NodeId>>], column: usize) -> &'static str {
        let aligns = rows
            .iter()
            .take(2)
            .filter_map(|row| row[column])
            .map(|cell| self.align(cell));
        aligns
            .into_iter()
            .find(|&align| align != " --- |")
            .unwrap_or(" --- |")
    }

    fn align(&self, cell: NodeId) -> &'static str {
        let style = self.document.attr(cell, "style");
        let styled = style
            .and_then(|style| style.split_once("text-align:"))
            .map(|(_, value)| value.trim_start());
        let value = styled
            .or_else(|| self.document.attr(cell, "align"))
            .unwrap_or_default();
        let is = |name: &str| {
            value
                .get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
        };
        match () {
            () if is("left") => " :--- |",
            () if is("center") => " :---: |",
            () if is("right") => " ---: |",
            () => " --- |",
        }
    }

    /// The cells of a layout as blocks; a row of short cells stays in one line.
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
        let captions = document
            .children(id)
            .filter(|&child| document.tag(child) == Tag::Caption);
        for caption in captions {
            self.node(caption);
        }
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

/// The long cells written so far.
#[derive(Debug, Default)]
struct Places(std::collections::HashSet<NodeId>);

impl Places {
    /// Was the cell written before?
    fn repeats(&mut self, place: Option<NodeId>) -> bool {
        place.is_some_and(|cell| !self.0.insert(cell))
    }
}
