//! Reads bytes into a page: text, Markdown, links, metadata. Pure and synchronous.
