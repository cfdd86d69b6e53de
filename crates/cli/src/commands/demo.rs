//! `provoke demo`: the whole story on a built-in model.

use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(_output: &Output) -> Result<Outcome, Failure> {
    Ok(Outcome::Well)
}
