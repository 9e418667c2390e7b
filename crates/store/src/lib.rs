//! Keeps pages, cache and request log in SQLite; the only SQL.
