//! What the tests of all solvers share.
#![allow(dead_code)] // Each test program uses its part.

pub(crate) mod problems;
pub(crate) mod random;

use provoke_solve::z3::Library;
use provoke_solve::{Missing, SmtLib, smtlib};

/// Z3, or nothing and the reason on the screen. On CI it must be there.
pub(crate) fn z3() -> Option<Library> {
    found(Library::load())
}

/// Yices, or nothing and the reason on the screen.
pub(crate) fn yices() -> Option<SmtLib> {
    match smtlib::find_yices() {
        Ok(yices) => Some(SmtLib::yices(&yices.path)),
        Err(missing) => skip(&missing),
    }
}

fn found<T>(result: Result<T, Missing>) -> Option<T> {
    match result {
        Ok(found) => Some(found),
        Err(missing) if std::env::var_os("CI").is_some() => panic!("{missing}"),
        Err(missing) => skip(&missing),
    }
}

#[allow(clippy::print_stderr)]
fn skip<T>(missing: &Missing) -> Option<T> {
    eprintln!("skipped: {missing}");
    None
}
