//! Data tables of the content.

use trawls_contract::Table;

use crate::dom::{Document, Kept, NodeId, Tag};

/// Every kept table: its rows as plain text.
pub(crate) fn tables(document: &Document, kept: &Kept, roots: &[NodeId]) -> Vec<Table> {
    let below = |id| document.kept_descendants(id, kept);
    roots
        .iter()
        .flat_map(|&root| below(root))
        .filter(|&id| document.tag(id) == Tag::Table)
        .map(|table| Table {
            caption: None,
            headers: Vec::new(),
            rows: below(table)
                .filter(|&id| document.tag(id) == Tag::Tr)
                .map(|row| {
                    below(row)
                        .filter(|&id| matches!(document.tag(id), Tag::Td | Tag::Th))
                        .map(|cell| document.text_content(cell).trim().to_owned())
                        .collect()
                })
                .collect(),
        })
        .collect()
}
