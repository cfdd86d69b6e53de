//! Where engines get their solvers from.

use crate::interrupter::Interrupter;
use crate::z3::{Library, Options, Spacer, Z3};

/// Makes solvers that work alike and that one interrupter stops.
#[derive(Clone)]
pub struct Backend {
    /// The loaded Z3.
    pub library: Library,
    /// How it works.
    pub options: Options,
    /// What stops all solvers made here.
    pub interrupter: Interrupter,
}

impl Backend {
    /// Z3 with its default options.
    pub fn new(library: &Library) -> Backend {
        let options = Options::default();
        let interrupter = Interrupter::new();
        Backend { library: library.clone(), options, interrupter }
    }

    /// A new solver without assertions.
    pub fn solver(&self) -> Z3 {
        Z3::with_options(&self.library, self.options, self.interrupter.clone())
    }

    /// A new engine for reachability.
    pub fn spacer(&self) -> Spacer {
        Spacer::new(&self.library, self.interrupter.clone())
    }
}
