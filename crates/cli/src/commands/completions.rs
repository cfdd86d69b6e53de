//! `provoke completions`: what a shell needs to complete words.

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs};
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &CompletionsArgs, output: &Output) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "provoke", &mut script);
    output.result_bytes(&script);
    Ok(Outcome::Well)
}
