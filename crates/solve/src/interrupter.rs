//! Stopping checks from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::watchdog;

/// Stops the checks of a solver from any thread; clones stop the same solvers.
///
/// An interrupt lasts: every check answers `Unknown(Interrupted)` until
/// [`Interrupter::reset`]. Otherwise one that comes just before a check starts would be lost.
#[derive(Clone, Debug, Default)]
pub struct Interrupter(Arc<AtomicBool>);

impl Interrupter {
    /// One that stops nothing yet.
    pub fn new() -> Interrupter {
        Interrupter::default()
    }

    /// Stops the running check and all later ones.
    pub fn interrupt(&self) {
        self.0.store(true, Ordering::SeqCst);
        watchdog::look_again();
    }

    /// Lets checks run again.
    pub fn reset(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    /// Whether checks are stopped.
    pub fn is_interrupted(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
