//! Tables that number the lines of a code listing, as highlighters and code hosts make them.

use super::code::{Lines, is_decoration, language};
use super::table::{cells, rows};
use super::walk::Writer;
use crate::dom::{NodeId, Tag};

impl Writer<'_> {
    /// Writes the table as code if it is a listing.
    pub(super) fn listing(&mut self, table: NodeId) -> bool {
        let document = self.document;
        let all = || {
            rows(document, self.convert.kept, table)
                .flat_map(|row| cells(document, self.convert.kept, row))
        };
        let is_gutter = |cell: &NodeId| is_decoration(document, *cell) || self.holds_numbers(*cell);
        let mut has_gutter = false;
        let mut has_code = false;
        let mut is_listing = true;
        for cell in all() {
            if is_gutter(&cell) {
                has_gutter = true;
            } else {
                has_code |= self
                    .kept_below(cell)
                    .any(|node| document.tag(node) == Tag::Pre);
                is_listing &= document
                    .attr(cell, "class")
                    .is_some_and(|class| class.contains("code"))
                    || has_code;
            }
        }
        if !has_gutter || !is_listing {
            return false;
        }
        let code: Vec<NodeId> = all().filter(|cell| !is_gutter(cell)).collect();
        if has_code {
            for cell in code {
                self.block(cell);
            }
            return true;
        }
        let mut lines = Lines::default();
        for &cell in &code {
            lines.line(self, cell);
        }
        let body = lines.finish();
        self.code_block(&body, language(document, table));
        true
    }

    /// A cell with nothing but a `pre` of line numbers.
    fn holds_numbers(&self, cell: NodeId) -> bool {
        let document = self.document;
        let has_pre = self
            .kept_below(cell)
            .any(|node| document.tag(node) == Tag::Pre);
        let text = || self.kept_below(cell).filter_map(|node| document.text(node));
        has_pre
            && text().all(|text| {
                text.chars()
                    .all(|c| c.is_ascii_digit() || c.is_whitespace())
            })
    }
}
