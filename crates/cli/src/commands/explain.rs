//! `provoke explain`: what an obligation asks for, how a test does it, or why none can.

use provoke::exclusion::{matches, names_nothing};
use provoke_results::{Explain, KindWord, Obligation, Schema, StateWord, Word, to_json};

use crate::args::ExplainArgs;
use crate::evidence::generation::GenerationRun;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &ExplainArgs, output: &Output) -> Result<Outcome, Failure> {
    let run = GenerationRun::load(&args.folder, output)?;
    let generation = run.generation();
    let asked = |obligation: &&Obligation| matches(&args.obligation, &obligation.id);
    let found: Vec<&Obligation> = generation.obligations.iter().filter(asked).collect();
    if found.is_empty() {
        return Err(names_nothing(&args.obligation, &run.obligations).into());
    }
    if output.is_json() {
        output.result(&to_json(&Explain {
            schema: Schema::default(),
            model: generation.model.clone(),
            obligations: found.into_iter().cloned().collect(),
        }));
    } else {
        let texts: Vec<String> = found.into_iter().map(describe).collect();
        output.result(&texts.join("\n"));
    }
    Ok(Outcome::Well)
}

fn describe(obligation: &Obligation) -> String {
    let state = match (obligation.kind, obligation.state) {
        (KindWord::Property, StateWord::Visible) => "violated",
        (KindWord::Property, StateWord::Infeasible) => "holds",
        (_, state) => state.word(),
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
