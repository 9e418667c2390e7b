//! A web full of traps, for tests only. Depends on none of ours.
