//! The block layer of the output: one string, the containers that are open (quotes, list items,
//! footnotes) and the gap before the next block. A container's marker is written with its first
//! line, so one that stays empty leaves no trace. At most one empty line between blocks.

/// What stands between two blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// The next line.
    Line,
    /// One empty line.
    Blank,
}

#[derive(Debug)]
struct Container {
    /// Before its first line.
    marker: String,
    /// Before every line after that.
    indent: String,
    gap: Gap,
    has_begun: bool,
}

/// Deeper containers are laid flat: their prefix would outweigh the text.
const MAX_CONTAINERS: usize = 24;

/// The Markdown written so far.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    out: String,
    containers: Vec<Container>,
    /// Containers opened beyond the limit; they are only counted.
    flattened: usize,
}

impl Sheet {
    /// Length so far; grows with each block.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// Is no container open?
    pub(super) fn is_outermost(&self) -> bool {
        self.containers.is_empty()
    }

    /// Opens a quote.
    pub(super) fn open_quote(&mut self) {
        self.open("> ".to_owned(), "> ".to_owned(), Gap::Blank);
    }

    /// Opens a container that indents its lines by as much as `width`.
    pub(super) fn open_item(&mut self, marker: String, width: usize, gap: Gap) {
        self.open(marker, " ".repeat(width), gap);
    }

    fn open(&mut self, marker: String, indent: String, gap: Gap) {
        if self.containers.len() >= MAX_CONTAINERS {
            self.flattened += 1;
            return;
        }
        self.containers.push(Container {
            marker,
            indent,
            gap,
            has_begun: false,
        });
    }

    /// Closes the innermost container.
    pub(super) fn close(&mut self) {
        if self.flattened > 0 {
            self.flattened -= 1;
        } else {
            self.containers.pop();
        }
    }

    /// Is the innermost container one that indents?
    pub(super) fn is_in_item(&self) -> bool {
        self.containers
            .last()
            .is_some_and(|inner| !inner.indent.starts_with('>'))
    }

    /// Has something been written inside the innermost container?
    pub(super) fn has_begun(&self) -> bool {
        self.containers.last().is_none_or(|inner| inner.has_begun)
    }

    /// Writes a block of one or more lines, `gap` after what came before.
    pub(super) fn write(&mut self, text: &str, gap: Gap) {
        self.space(gap);
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.out.push('\n');
            }
            self.start_line(line.is_empty());
            self.out.push_str(line);
        }
    }

    /// The gap; a container that begins here asks for its own.
    fn space(&mut self, gap: Gap) {
        if self.out.is_empty() {
            return;
        }
        let fresh = self.containers.iter().find(|inner| !inner.has_begun);
        let gap = fresh.map_or(gap, |inner| inner.gap);
        self.out.push('\n');
        if gap == Gap::Blank {
            let begun = self.containers.iter().take_while(|inner| inner.has_begun);
            for container in begun {
                self.out.push_str(&container.indent);
            }
            self.trim_line();
            self.out.push('\n');
        }
    }

    fn start_line(&mut self, is_empty: bool) {
        for container in &mut self.containers {
            self.out.push_str(match container.has_begun {
                true => &container.indent,
                false => &container.marker,
            });
            container.has_begun = true;
        }
        if is_empty {
            self.trim_line();
        }
    }

    fn trim_line(&mut self) {
        let end = self.out.trim_end_matches(' ').len();
        self.out.truncate(end);
    }

    /// The whole text, without a newline at its end.
    pub(super) fn finish(self) -> String {
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_come_with_the_first_line_and_empty_containers_leave_no_trace() {
        let mut sheet = Sheet::default();
        sheet.write("before", Gap::Blank);
        sheet.open_item("- ".into(), 2, Gap::Blank);
        sheet.close();
        sheet.open_quote();
        sheet.open_item("10. ".into(), 4, Gap::Blank);
        sheet.write("one\ntwo", Gap::Blank);
        sheet.write("three", Gap::Blank);
        sheet.close();
        sheet.close();
        sheet.open_quote();
        sheet.write("other", Gap::Blank);
        assert_eq!(
            sheet.finish(),
            "before\n\n> 10. one\n>     two\n>\n>     three\n\n> other"
        );
    }
}
