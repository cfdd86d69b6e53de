//! `provoke explain`: what an obligation asks for, how a test does it, or why none can.

use provoke_report::Obligation;

use crate::args::ExplainArgs;
use crate::evidence::generation::Run;
use crate::exclusion::{matches, names_nothing};
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &ExplainArgs, output: &Output) -> Result<Outcome, Failure> {
    let run = Run::load(&args.folder, output)?;
    let generation = run.generation();
    let asked = |obligation: &&Obligation| matches(&args.obligation, &obligation.id);
    let found: Vec<&Obligation> = generation.obligations.iter().filter(asked).collect();
    if found.is_empty() {
        return Err(names_nothing(&args.obligation, &run.obligations));
    }
    if output.is_json() {
        let result = serde_json::json!({
            "schema": "provoke/explain/1", "model": generation.model, "obligations": found,
        });
        output.result(&provoke_results::to_json(&result));
    } else {
        let texts: Vec<String> = found.into_iter().map(describe).collect();
        output.result(&texts.join("\n"));
    }
    Ok(Outcome::Well)
}

fn describe(obligation: &Obligation) -> String {
    let state = match (obligation.kind, obligation.state.word()) {
        ("property", "visible") => "violated",
        ("property", "infeasible") => "holds",
        (_, word) => word,
    };
    let mut text = format!("{}: {state}\n", obligation.id);
    for sentence in &obligation.says {
        text += &wrapped(sentence);
    }
    text
}

/// A sentence in lines that a terminal has room for.
fn wrapped(sentence: &str) -> String {
    const WIDTH: usize = 96;
    let mut text = String::new();
    let mut line = String::from(" ");
    for word in sentence.split_whitespace() {
        if line.chars().count() + word.chars().count() >= WIDTH && line.trim() != "" {
            text += &format!("{line}\n");
            line = String::from(" ");
        }
        line += &format!(" {word}");
    }
    text + &line + "\n"
}
