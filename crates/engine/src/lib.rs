//! Orders the rooms: fetch, read, keep.
