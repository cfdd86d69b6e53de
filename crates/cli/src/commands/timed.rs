//! `provoke timed`: UPPAAL models.

pub(crate) mod check;

use crate::args::TimedCommand;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(command: &TimedCommand, output: &Output) -> Result<Outcome, Failure> {
    match command {
        TimedCommand::Check(args) => check::run(args, output),
    }
}
