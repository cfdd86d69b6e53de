//! `provoke mine`: a program explored from outside.

use std::path::Path;

use provoke::MineOptions;
use provoke::mine::{build_target, propose_target};
use provoke_report::text;
use provoke_results::{MineInit, Schema, to_json};

use crate::args::MineArgs;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::workers;

pub(crate) fn run(args: &MineArgs, output: &Output) -> Result<Outcome, Failure> {
    if let Some(source) = &args.init {
        return propose(source, args.output.as_deref(), output);
    }
    let target = args.target.as_ref().expect("required without --init");
    if let (true, Some(folder)) = (args.build, &args.output) {
        let target = build_target(target, folder)?;
        output.result(&format!("try: provoke run SUITE --on {} --mode direct\n", target.display()));
        return Ok(Outcome::Well);
    }
    carry_out(target, &options(args)?, output)
}

/// Explores a program, and tells what came of it.
pub(crate) fn carry_out(
    target: &Path,
    options: &MineOptions,
    output: &Output,
) -> Result<Outcome, Failure> {
    let control = console::control(output);
    let Some(result) = provoke::mine(target, options, &control)? else {
        output.warning("interrupted before a search came to its end");
        return Ok(Outcome::Interrupted);
    };
    output.result(&if output.is_json() { to_json(&result) } else { text::mine(&result) });
    let differs = result.differences.is_some_and(|differences| differences.count > 0);
    Ok(match result.findings.is_empty() {
        _ if control.is_cancelled() => Outcome::Interrupted,
        true if !differs => Outcome::Well,
        _ => Outcome::Negative,
    })
}

pub(crate) fn options(args: &MineArgs) -> Result<MineOptions, Failure> {
    let MineArgs { method, effort, budget, state, random, isolate, searches, seed, .. } = *args;
    let workers = args.place.executor();
    Ok(MineOptions {
        method,
        effort,
        budget,
        state,
        initial: args.initial.clone(),
        random,
        reduction: args.reduce,
        against: args.against.clone(),
        sanitize: !args.no_sanitize,
        coverage: !args.no_coverage,
        isolate,
        searches,
        seed,
        folder: args.output.clone(),
        explorer: Some(workers::this_program()?),
        workers: workers.map(|who| workers::asked(who, args.place.jobs())).transpose()?,
        store: args.place.store.clone(),
    })
}

/// A target file for a C source, shown or written.
fn propose(source: &Path, target: Option<&Path>, output: &Output) -> Result<Outcome, Failure> {
    let proposal = propose_target(source)?;
    let Some(target) = target else {
        if output.is_json() {
            output.result(&to_json(&MineInit { schema: Schema::default(), proposal }));
        } else {
            output.result(&proposal);
            output.note("nothing is written; -o TARGET.toml writes it\n");
        }
        return Ok(Outcome::Well);
    };
    if target.exists() {
        let message = format!("{} exists", target.display());
        let hint = "name another file, or compare with what `--init` shows without -o";
        return Err(Failure::input(message, hint));
    }
    files::write(output, target, proposal.as_bytes())?;
    output.note(&format!(
        "check the inputs and outputs in {0}, then: provoke mine {0} -o out/\n",
        target.display()
    ));
    Ok(Outcome::Well)
}
