//! What the tests of all solvers share.
#![allow(dead_code)] // Each test program uses its part.

pub(crate) mod problems;
pub(crate) mod random;

use provoke_solve::z3::Z3Library;
use provoke_solve::{MissingSolver, SmtLib, smtlib};

/// Z3, or nothing and the reason on the screen. On CI it must be there.
pub(crate) fn z3() -> Option<Z3Library> {
    found(Z3Library::load())
}

/// Yices, or nothing and the reason on the screen. On CI it must be there too.
pub(crate) fn yices() -> Option<SmtLib> {
    yices_program().map(|path| SmtLib::yices(&path))
}

/// The program of Yices.
pub(crate) fn yices_program() -> Option<std::path::PathBuf> {
    found(smtlib::find_yices()).map(|yices| yices.path)
}

fn found<T>(result: Result<T, MissingSolver>) -> Option<T> {
    result.map_err(|missing| provoke_testkit::skip(&missing.to_string())).ok()
}
