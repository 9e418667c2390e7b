//! Data tables of the content as rows of plain text. A table inside a data table is part of its cell.

use trawls_contract::Table;

use crate::dom::{Document, Kept, NodeId, Tag};
use crate::table_grid::TableGrid;
use crate::text::kept_line_of;

const MAX_TABLES: usize = 1_000;
const MAX_CELL_BYTES: usize = 20_000;
/// All text of all tables; cells repeated by their spans count each time.
const MAX_TOTAL_BYTES: usize = 16 << 20;

/// Every kept data table in document order.
pub(crate) fn tables(document: &Document, kept: &Kept, roots: &[NodeId]) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut budget = MAX_TOTAL_BYTES;
    for &root in roots {
        let mut skip_to = root;
        for id in std::iter::once(root).chain(document.kept_descendants(root, kept)) {
            if id < skip_to || document.tag(id) != Tag::Table {
                continue;
            }
            let Some(grid) = TableGrid::of(document, kept, id) else {
                continue;
            };
            skip_to = document.subtree_end(id);
            let Some(table) = read(document, kept, &grid, &mut budget) else {
                return tables;
            };
            tables.push(table);
            if tables.len() == MAX_TABLES {
                return tables;
            }
        }
    }
    tables
}

/// `None` when the budget is spent.
fn read(document: &Document, kept: &Kept, grid: &TableGrid, budget: &mut usize) -> Option<Table> {
    let mut rows = Vec::with_capacity(grid.rows.len());
    for places in &grid.rows {
        let mut row: Vec<String> = Vec::with_capacity(places.len());
        for (at, place) in places.iter().enumerate() {
            let text = match place {
                None => String::new(),
                Some(_) if at > 0 && *place == places[at - 1] => row[at - 1].clone(),
                Some(cell) => kept_line_of(document, kept, *cell, MAX_CELL_BYTES),
            };
            *budget = budget.checked_sub(text.len())?;
            row.push(text);
        }
        rows.push(row);
    }
    let body = rows.split_off(grid.head_rows);
    let caption = grid
        .caption
        .map(|id| kept_line_of(document, kept, id, MAX_CELL_BYTES));
    Some(Table {
        caption: caption.filter(|text| !text.is_empty()),
        headers: join_head(rows),
        rows: body,
    })
}

/// One head row out of several: what stands above a column, each text once.
fn join_head(rows: Vec<Vec<String>>) -> Vec<String> {
    let mut rows = rows.into_iter();
    let mut head = rows.next().unwrap_or_default();
    for row in rows {
        for (above, text) in head.iter_mut().zip(row) {
            if above.is_empty() {
                *above = text;
            } else if !text.is_empty() && !above.ends_with(&text) {
                above.push(' ');
                above.push_str(&text);
            }
        }
    }
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(html: &str) -> Vec<Table> {
        let document = Document::of(html);
        tables(&document, &Kept::all(&document), &[document.root()])
    }

    #[test]
    fn spans_are_repeated_and_rows_are_of_one_length() {
        let tables = read_all(
            "<table><caption>Tides</caption><tr><th>Port<th colspan=2>Height\
             <tr><td rowspan=2>Arne<td>1<td>2<tr><td>3<tr><td>Brea</table>",
        );
        assert_eq!(tables[0].caption.as_deref(), Some("Tides"));
        assert_eq!(tables[0].headers, ["Port", "Height", "Height"]);
        assert_eq!(
            tables[0].rows,
            [["Arne", "1", "2"], ["Arne", "3", ""], ["Brea", "", ""]]
        );
    }

    #[test]
    fn a_head_of_two_rows_becomes_one() {
        let tables = read_all(
            "<table><thead><tr><th rowspan=2>Port<th colspan=2>Tide<tr><th>High<th>Low</thead>\
             <tr><td>Arne<td>4<td>1</table>",
        );
        assert_eq!(tables[0].headers, ["Port", "Tide High", "Tide Low"]);
    }

    #[test]
    fn a_span_that_claims_a_million_columns_makes_none() {
        let tables = read_all(
            "<table><tr><th colspan=1000000>All<tr><td>1<td rowspan=99999999>2<tr><td colspan=0>3</table>",
        );
        assert_eq!(tables[0].headers, ["All", "All"]);
        assert_eq!(tables[0].rows, [["1", "2"], ["3", "2"]]);
    }

    #[test]
    fn layout_tables_are_no_data_and_data_inside_them_is_found() {
        let tables = read_all(
            "<table><tr><td><h1>News</h1><td><table><tr><th>a<th>b<tr><td>1<td>2</table></table>\
             <table role=presentation><tr><th>x<td>y<tr><td>1<td>2</table>\
             <table><tr><td>alone<td>in a row</table>",
        );
        assert_eq!(tables.len(), 1);
        assert_eq!(tables[0].headers, ["a", "b"]);
    }

    #[test]
    fn row_heads_alone_are_no_head_row() {
        let tables = read_all("<table><tr><th>Name<td>Ann<tr><th>Age<td>7</table>");
        assert_eq!(tables[0].headers, [] as [&str; 0]);
        assert_eq!(tables[0].rows, [["Name", "Ann"], ["Age", "7"]]);
    }

    #[test]
    fn a_hostile_grid_is_bounded() {
        let wide: String = (0..1_000).map(|_| "<td rowspan=65534>x").collect();
        let html = format!("<table><tr>{wide}{}</table>", "<tr><td>y".repeat(20_000));
        assert!(
            read_all(&html)
                .iter()
                .all(|table| table.rows.len() <= 20_001)
        );
        let text = "long ".repeat(20_000);
        let html = format!(
            "<table><tr><th rowspan=9999>{text}<td>1{}</table>",
            "<tr><td>2".repeat(9_000)
        );
        let bytes = |table: &Table| table.rows.iter().flatten().map(String::len).sum::<usize>();
        assert!(read_all(&html).iter().map(bytes).sum::<usize>() <= MAX_TOTAL_BYTES);
    }
}
