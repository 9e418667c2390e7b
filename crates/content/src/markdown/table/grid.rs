//! The rectangle that a table's cells fill once their spans are repeated.

/// Text longer than this, in bytes, is not repeated where a cell spans columns or rows.
const LONGEST_REPEATED: usize = 200;

/// Alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Unset,
    Left,
    Center,
    Right,
}

impl Align {
    /// From the attributes of a cell.
    pub(super) fn of(align: Option<&str>, style: Option<&str>) -> Self {
        let styled = style
            .and_then(|style| style.split_once("text-align:"))
            .map(|(_, value)| value.trim_start());
        let value = styled.or(align).unwrap_or_default();
        let is = |name: &str| {
            value
                .get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
        };
        match () {
            () if is("left") => Self::Left,
            () if is("center") => Self::Center,
            () if is("right") => Self::Right,
            () => Self::Unset,
        }
    }

    fn delimiter(self) -> &'static str {
        match self {
            Self::Unset => " --- |",
            Self::Left => " :--- |",
            Self::Center => " :---: |",
            Self::Right => " ---: |",
        }
    }
}

/// A cell as in the source; its text is a range of a shared string.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) columns: usize,
    /// Zero: down to the last row.
    pub(super) rows: usize,
    pub(super) is_header: bool,
    pub(super) align: Align,
}

impl Cell {
    fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// What a place that it spans shows.
    fn repeated(self) -> Self {
        let end = if self.end - self.start > LONGEST_REPEATED {
            self.start
        } else {
            self.end
        };
        Self { end, ..self }
    }
}

const EMPTY: Cell = Cell {
    start: 0,
    end: 0,
    columns: 1,
    rows: 1,
    is_header: false,
    align: Align::Unset,
};

/// Rows of cells, in the order of the source.
#[derive(Debug, Default)]
pub(super) struct Grid {
    rows: Vec<(Vec<Cell>, bool)>,
}

impl Grid {
    /// Adds a row; `is_head` inside `thead`.
    pub(super) fn push(&mut self, cells: Vec<Cell>, is_head: bool) {
        self.rows.push((cells, is_head));
    }

    /// The table as GFM, empty when no cell holds anything.
    pub(super) fn markdown(self, texts: &str) -> String {
        let mut rows = self.spread();
        rows.retain(|(cells, _)| cells.iter().any(|cell| !cell.is_empty()));
        let Some((first, _)) = rows.first() else {
            return String::new();
        };
        let width = first.len();
        let columns: Vec<usize> = (0..width)
            .filter(|&column| rows.iter().any(|(cells, _)| !cells[column].is_empty()))
            .collect();
        let mut table = String::new();
        if !has_header(&rows) {
            table.push('|');
            table.push_str(&"  |".repeat(columns.len()));
            push_delimiters(&rows, &columns, &mut table);
        }
        for (cells, _) in &rows {
            if !table.is_empty() {
                table.push('\n');
            }
            let is_first = table.is_empty();
            table.push('|');
            for cell in columns.iter().map(|&column| &cells[column]) {
                table.push(' ');
                table.push_str(&texts[cell.start..cell.end]);
                table.push_str(if cell.is_empty() { "|" } else { " |" });
            }
            if is_first {
                push_delimiters(&rows, &columns, &mut table);
            }
        }
        table
    }

    /// Every row at full width, what spans repeated.
    fn spread(self) -> Vec<(Vec<Cell>, bool)> {
        let width = self.width();
        let last = self.rows.len();
        let mut hanging: Vec<(Cell, usize)> = vec![(EMPTY, 0); width];
        let mut spread = Vec::with_capacity(last);
        for (index, (cells, is_head)) in self.rows.into_iter().enumerate() {
            let mut row = Vec::with_capacity(width);
            let mut cells = cells.into_iter().peekable();
            while row.len() < width {
                let column = row.len();
                if hanging[column].1 > 0 {
                    hanging[column].1 -= 1;
                    row.push(hanging[column].0.repeated());
                    continue;
                }
                let Some(cell) = cells.next() else {
                    row.push(EMPTY);
                    continue;
                };
                let room = width - column - cells.len().min(width - column - 1);
                let rows = if cell.rows == 0 { last } else { cell.rows }.min(last - index);
                for offset in 0..cell.columns.min(room) {
                    if offset > 0 && hanging[column + offset].1 > 0 {
                        break;
                    }
                    row.push(if offset == 0 { cell } else { cell.repeated() });
                    hanging[column + offset] = (cell, rows - 1);
                }
            }
            spread.push((row, is_head));
        }
        spread
    }

    /// The widest row, counting cells that hang down from above but spans only as one: a
    /// `colspan` may name more columns than there are.
    fn width(&self) -> usize {
        let mut width = 0;
        let mut hanging: Vec<usize> = Vec::new();
        for (cells, _) in &self.rows {
            hanging.retain_mut(|rows| {
                *rows -= 1;
                *rows > 0
            });
            width = width.max(hanging.len() + cells.len());
            let down = cells.iter().filter(|cell| cell.rows > 1);
            hanging.extend(down.map(|cell| cell.rows));
        }
        width
    }
}

/// Is the first row a header? Not when only the first cell of each row is one: then the table
/// lists properties, and naming its columns after the first property would mislead.
fn has_header(rows: &[(Vec<Cell>, bool)]) -> bool {
    let Some((first, is_head)) = rows.first() else {
        return false;
    };
    let lists_properties = first.len() > 1
        && first[0].is_header
        && first[1..].iter().all(|cell| !cell.is_header)
        && rows.len() > 1;
    *is_head || !lists_properties
}

fn push_delimiters(rows: &[(Vec<Cell>, bool)], columns: &[usize], table: &mut String) {
    table.push_str("\n|");
    for &column in columns {
        let aligns = rows.iter().take(2).map(|(cells, _)| cells[column].align);
        let align = aligns
            .clone()
            .find(|&align| align != Align::Unset)
            .unwrap_or(Align::Unset);
        table.push_str(align.delimiter());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(rows: &[&[(&str, usize, usize)]]) -> String {
        let mut texts = String::new();
        let mut grid = Grid::default();
        for row in rows {
            let cells = row.iter().map(|&(text, columns, rows)| {
                let start = texts.len();
                texts.push_str(text);
                Cell {
                    start,
                    end: texts.len(),
                    columns,
                    rows,
                    ..EMPTY
                }
            });
            let cells = cells.collect();
            grid.push(cells, false);
        }
        grid.markdown(&texts)
    }

    #[test]
    fn spans_are_repeated_in_every_place_they_cover() {
        let table = grid(&[
            &[("a", 1, 2), ("b", 2, 1)],
            &[("c", 1, 1), ("d", 1, 1)],
            &[("e", 3, 1)],
        ]);
        assert_eq!(
            table,
            "| a | b | b |\n| --- | --- | --- |\n| a | c | d |\n| e | e | e |"
        );
    }

    #[test]
    fn absurd_spans_are_bounded_by_the_real_columns() {
        let table = grid(&[&[("a", 1000, 1)], &[("b", 1, 65_000), ("c", 1, 0)]]);
        assert_eq!(table, "| a | a |\n| --- | --- |\n| b | c |");
    }

    #[test]
    fn short_rows_are_filled_and_empty_columns_dropped() {
        let table = grid(&[&[("a", 1, 1), ("", 1, 1), ("c", 1, 1)], &[("d", 1, 1)]]);
        assert_eq!(table, "| a | c |\n| --- | --- |\n| d | |");
    }
}
