//! The one way to stop reading from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that the caller raises at its deadline; reading looks at it every few thousand nodes
/// and ends with `ReadError::Interrupted`. Clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Not raised yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the reading to end.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Was it asked to end?
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
