//! Where engines get their solvers from.

use std::path::PathBuf;

use super::solver_pair::SolverPair;
use crate::interrupter::Interrupter;
use crate::missing::MissingSolver;
use crate::smtlib::{SmtLib, find_yices};
use crate::z3::{Spacer, Z3, Z3Library, Z3Options};

/// Which solver answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SolverChoice {
    /// Z3 in this process.
    #[default]
    Z3,
    /// Yices in processes of its own.
    Yices,
    /// Z3, and Yices where Z3 has no answer.
    Portfolio,
}

provoke_base::words!(SolverChoice {
    Z3 = "z3",
    Yices = "yices",
    Portfolio = "portfolio",
});

/// Makes solvers that work alike and that one interrupter stops.
#[derive(Clone)]
pub struct Backend {
    /// The loaded Z3, where it is used.
    pub library: Option<Z3Library>,
    /// Where Yices is, where it is used.
    pub yices: Option<PathBuf>,
    /// How Z3 works.
    pub options: Z3Options,
    /// What stops all solvers made here.
    pub interrupter: Interrupter,
}

impl Backend {
    /// Z3 with its default options.
    pub fn new(library: &Z3Library) -> Backend {
        Backend {
            library: Some(library.clone()),
            yices: None,
            options: Z3Options::default(),
            interrupter: Interrupter::new(),
        }
    }

    /// The solvers of a choice, if they are installed.
    pub fn find(choice: SolverChoice) -> Result<Backend, MissingSolver> {
        let library = (choice != SolverChoice::Yices).then(Z3Library::load).transpose()?;
        let yices = (choice != SolverChoice::Z3).then(find_yices).transpose()?;
        Ok(Backend {
            library,
            yices: yices.map(|found| found.path),
            options: Z3Options::default(),
            interrupter: Interrupter::new(),
        })
    }

    /// A new solver without assertions.
    pub fn solver(&self) -> SolverPair {
        let z3 = self
            .library
            .as_ref()
            .map(|library| Z3::with_options(library, self.options, self.interrupter.clone()));
        let yices = self
            .yices
            .as_ref()
            .map(|path| SmtLib::yices(path).with_interrupter(self.interrupter.clone()));
        SolverPair::new(z3, yices, self.interrupter.clone())
    }

    /// A new engine for reachability, which only Z3 has.
    pub fn spacer(&self) -> Option<Spacer> {
        let library = self.library.as_ref()?;
        Some(Spacer::new(library, self.interrupter.clone()))
    }
}
