//! The one reading of an HTML table: is it data or layout, and which cell stands at which place.
//! Every row of a grid has the same number of columns; a cell that spans is repeated by its id.
//! Spans are clamped as HTML says, columns that no cell starts in do not exist, and the repeats of
//! one table are bounded, so `colspan=1000000` costs nothing.

use crate::dom::{Document, Kept, NodeId, Tag};

/// HTML's own limits for spans.
const MAX_COLSPAN: u32 = 1000;
const MAX_ROWSPAN: u32 = 65_534;
/// Cells that rowspans may add to one table; later ones end early.
const MAX_REPEATS: usize = 20_000;
/// A grid with more places than this and 16 times its cells is too sparse to be data.
const FREE_PLACES: usize = 10_000;
/// Nodes of one table that are looked at to tell data from layout.
const MAX_LOOKED_AT: usize = 20_000;
/// A cell longer than this (bytes of text) that holds blocks is a piece of page, not a value.
const LONG_CELL: usize = 500;
/// Without head cells, values are shorter than this on average.
const LONG_VALUE: usize = 150;
/// Leading rows of head cells that are taken as the head when there is no `thead`.
const MAX_HEAD_ROWS: usize = 3;

/// A data table with its spans resolved.
pub(crate) struct TableGrid {
    /// The `caption` element.
    pub(crate) caption: Option<NodeId>,
    /// How many leading rows are the head; 0 when the table has none.
    pub(crate) head_rows: usize,
    /// The `td` or `th` at each place, in rows of one length; `None` where a row ends early. A cell
    /// that spans stands at several places: how often its text is repeated is the caller's to bound.
    pub(crate) rows: Vec<Vec<Option<NodeId>>>,
}

impl TableGrid {
    /// The grid of a data table. `None` for a layout table (its content flows as normal blocks), an
    /// empty one, or one too sparse to be shown as a grid.
    pub(crate) fn of(document: &Document, kept: &Kept, table: NodeId) -> Option<TableGrid> {
        let parts = Parts::of(document, kept, table);
        if parts.rows.is_empty() || parts.look_like_layout(document, table) {
            return None;
        }
        let spans = place_spans(document, &parts.rows);
        let mut starts: Vec<u32> = spans.iter().flatten().map(|span| span.start).collect();
        starts.sort_unstable();
        starts.dedup();
        let columns = starts.len();
        let places = columns.saturating_mul(spans.len());
        if columns == 0 || places > FREE_PLACES.saturating_add(16 * parts.cells()) {
            return None;
        }
        let column_of = |x: u32| starts.partition_point(|start| *start < x);
        let rows = spans
            .iter()
            .map(|row| {
                let mut places = vec![None; columns];
                for span in row {
                    places[column_of(span.start)..column_of(span.end)].fill(Some(span.cell));
                }
                places
            })
            .collect();
        let head_rows = parts.head_rows(document);
        Some(TableGrid {
            caption: parts.caption,
            head_rows,
            rows,
        })
    }
}

/// The table's own rows and cells; what nested tables hold is not among them.
struct Parts {
    caption: Option<NodeId>,
    rows: Vec<Row>,
    /// Rows of `thead`, which come first.
    thead_rows: usize,
    has_marks: bool,
}

struct Row {
    cells: Vec<NodeId>,
    /// Rowspans end with their row group.
    group: NodeId,
}

impl Parts {
    fn of(document: &Document, kept: &Kept, table: NodeId) -> Parts {
        let mut parts = Parts {
            caption: None,
            rows: Vec::new(),
            thead_rows: 0,
            has_marks: false,
        };
        for part in document.children(table).filter(|id| kept.has(*id)) {
            match document.tag(part) {
                Tag::Caption => parts.caption = parts.caption.or(Some(part)),
                Tag::Colgroup => parts.has_marks = true,
                Tag::Tr => parts.push_row(document, kept, part, table),
                Tag::Thead => {
                    parts.push_group(document, kept, part);
                    if parts.has_only_head_above(document, part) {
                        parts.thead_rows = parts.rows.len();
                    }
                }
                Tag::Tbody | Tag::Tfoot => parts.push_group(document, kept, part),
                _ => {}
            }
        }
        parts
    }

    fn push_group(&mut self, document: &Document, kept: &Kept, group: NodeId) {
        for row in document.children(group).filter(|id| kept.has(*id)) {
            if document.tag(row) == Tag::Tr {
                self.push_row(document, kept, row, group);
            }
        }
    }

    fn push_row(&mut self, document: &Document, kept: &Kept, row: NodeId, group: NodeId) {
        let cells: Vec<NodeId> = document
            .children(row)
            .filter(|id| kept.has(*id) && matches!(document.tag(*id), Tag::Td | Tag::Th))
            .collect();
        if !cells.is_empty() {
            self.rows.push(Row { cells, group });
        }
    }

    fn has_only_head_above(&self, document: &Document, thead: NodeId) -> bool {
        self.rows
            .iter()
            .all(|row| row.group == thead || document.tag(row.group) == Tag::Thead)
    }

    fn cells(&self) -> usize {
        self.rows.iter().map(|row| row.cells.len()).sum()
    }

    fn head_rows(&self, document: &Document) -> usize {
        if self.thead_rows > 0 {
            return self.thead_rows;
        }
        let is_head = |row: &&Row| {
            let mut heads = row.cells.iter().map(|cell| document.tag(*cell) == Tag::Th);
            let has_corner = document.first_child(row.cells[0]).is_none() && row.cells.len() > 1;
            heads.next().is_some_and(|first| first || has_corner) && heads.all(|head| head)
        };
        let heads = self.rows.iter().take_while(is_head).count();
        // A table of nothing but head cells has no head that stands for anything.
        if heads == self.rows.len() {
            0
        } else {
            heads.min(MAX_HEAD_ROWS)
        }
    }

    fn look_like_layout(&self, document: &Document, table: NodeId) -> bool {
        match document.attr(table, "role").map(str::trim) {
            Some("presentation" | "none") => return true,
            Some("table" | "grid" | "treegrid") => return false,
            _ => {}
        }
        let is_single = self.rows.len() == 1 || self.rows.iter().all(|row| row.cells.len() == 1);
        let head_cells = self.rows.iter().flat_map(|row| &row.cells);
        let has_head = head_cells
            .clone()
            .any(|cell| document.tag(*cell) == Tag::Th);
        let is_marked = has_head || self.thead_rows > 0 || self.caption.is_some();
        if is_single && !is_marked {
            return true;
        }
        let seen = Seen::of(document, self);
        if seen.has_sections || seen.has_long_block_cell {
            return true;
        }
        if is_marked || self.has_marks {
            return false;
        }
        seen.has_nested_table || seen.text > LONG_VALUE * self.cells()
    }
}

/// What stands inside the cells, as far as it tells data from layout.
#[derive(Default)]
struct Seen {
    has_nested_table: bool,
    has_sections: bool,
    has_long_block_cell: bool,
    text: usize,
}

impl Seen {
    fn of(document: &Document, parts: &Parts) -> Seen {
        let mut seen = Seen::default();
        let mut budget = MAX_LOOKED_AT;
        for cell in parts.rows.iter().flat_map(|row| &row.cells) {
            let (mut text, mut blocks) = (0, 0);
            for id in document.descendants(*cell) {
                budget = budget.saturating_sub(1);
                if budget == 0 {
                    return seen;
                }
                match document.tag(id) {
                    Tag::Table => seen.has_nested_table = true,
                    Tag::H1
                    | Tag::H2
                    | Tag::Main
                    | Tag::Article
                    | Tag::Nav
                    | Tag::Header
                    | Tag::Footer
                    | Tag::Aside => seen.has_sections = true,
                    Tag::P | Tag::Ul | Tag::Ol | Tag::Pre | Tag::Blockquote | Tag::H3 | Tag::H4 => {
                        blocks += 1
                    }
                    _ => text += document.text(id).map_or(0, |text| text.trim().len()),
                }
            }
            seen.text += text;
            seen.has_long_block_cell |= blocks > 1 && text > LONG_CELL;
        }
        seen
    }
}

/// A cell and the columns it covers, before columns are counted.
#[derive(Clone, Copy)]
struct Span {
    start: u32,
    end: u32,
    cell: NodeId,
}

/// A cell that reaches into the rows below.
struct Hanging {
    span: Span,
    rows: u32,
}

fn place_spans(document: &Document, rows: &[Row]) -> Vec<Vec<Span>> {
    let mut placed = Vec::with_capacity(rows.len());
    let mut hanging: Vec<Hanging> = Vec::new();
    let mut repeats = MAX_REPEATS;
    let mut group = None;
    for row in rows {
        if group != Some(row.group) || hanging.len() > repeats {
            hanging.clear();
        }
        group = Some(row.group);
        repeats -= hanging.len();
        let (spans, below) = place_row(document, row, hanging);
        hanging = below;
        placed.push(spans);
    }
    placed
}

/// Lays a row's cells into the gaps that cells hanging from above leave. Both stay sorted by column.
fn place_row(document: &Document, row: &Row, above: Vec<Hanging>) -> (Vec<Span>, Vec<Hanging>) {
    let mut spans = Vec::with_capacity(row.cells.len() + above.len());
    let mut below = Vec::new();
    let mut above = above.into_iter().peekable();
    let mut x = 0;
    for cell in &row.cells {
        while let Some(hang) = above.next_if(|hang| hang.span.start <= x) {
            x = x.max(hang.span.end);
            hang_on(hang, &mut spans, &mut below);
        }
        let wanted = span_of(document, *cell, "colspan", MAX_COLSPAN).max(1);
        let room = above.peek().map_or(u32::MAX, |hang| hang.span.start);
        let span = Span {
            start: x,
            end: x.saturating_add(wanted).min(room),
            cell: *cell,
        };
        x = span.end;
        let rows = match span_of(document, *cell, "rowspan", MAX_ROWSPAN) {
            0 => MAX_ROWSPAN,
            rows => rows - 1,
        };
        if rows > 0 {
            below.push(Hanging { span, rows });
        }
        spans.push(span);
    }
    for hang in above {
        hang_on(hang, &mut spans, &mut below);
    }
    (spans, below)
}

fn hang_on(hang: Hanging, spans: &mut Vec<Span>, below: &mut Vec<Hanging>) {
    spans.push(hang.span);
    if hang.rows > 1 {
        below.push(Hanging {
            rows: hang.rows - 1,
            ..hang
        });
    }
}

fn span_of(document: &Document, cell: NodeId, name: &str, max: u32) -> u32 {
    let digits = document.attr(cell, name).unwrap_or("1").trim();
    let end = digits.bytes().take_while(u8::is_ascii_digit).count();
    match &digits[..end] {
        "" => 1,
        digits => digits.parse().unwrap_or(max).min(max),
    }
}
