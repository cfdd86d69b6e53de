//! `provoke` alone, in a folder with `provoke.toml`: all that the project asks for.

use std::path::Path;

use clap::{CommandFactory, Parser};
use provoke_results::{ProjectStep, Schema, to_json};

use crate::args::{Cli, ProjectArgs};
use crate::dispatch;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::project::{FILE, Project};

pub(crate) fn run(args: &ProjectArgs, output: &Output) -> Result<Outcome, Failure> {
    let path = args.file.as_deref().unwrap_or(Path::new(FILE));
    let project = Project::read(path, output)?;
    let quiet = output.without_results();
    let inner = if output.is_json() { &quiet } else { output };
    let mut worst = Outcome::Well;
    let mut done = Vec::new();
    for words in project.commands() {
        output.note(&format!("$ provoke {}\n", shown(&words)));
        let outcome = typed(&words, inner).unwrap_or_else(|failure| failure.report(output));
        done.push(ProjectStep { command: words, exit: outcome as u8 });
        worst = worse(worst, outcome);
        if matches!(outcome, Outcome::WrongInput | Outcome::Interrupted) {
            break;
        }
    }
    if output.is_json() {
        output.result(&to_json(&provoke_results::Project {
            schema: Schema::default(),
            project: path.display().to_string(),
            steps: done,
        }));
    }
    Ok(worst)
}

/// What `provoke` does without a command: the project's work where there is a project, else help.
pub(crate) fn without_command(output: &Output) -> Result<Outcome, Failure> {
    if Path::new(FILE).is_file() {
        return run(&ProjectArgs { file: None }, output);
    }
    output.note(&format!("{}", Cli::command().render_help()));
    Ok(Outcome::Usage)
}

/// The words as a shell would read them.
pub(crate) fn shown(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:%+@".contains(c);
    let quoted = |word: &String| match word.chars().all(plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// What matters more: that something could not be done, then a negative answer, then none.
fn worse(a: Outcome, b: Outcome) -> Outcome {
    let rank = |outcome: &Outcome| match outcome {
        Outcome::Well => 0,
        Outcome::Inconclusive => 1,
        Outcome::Negative => 2,
        Outcome::Missing => 3,
        Outcome::Usage => 4,
        Outcome::WrongInput => 5,
        Outcome::Interrupted => 6,
        Outcome::Internal => 7,
    };
    if rank(&b) > rank(&a) { b } else { a }
}

/// Carries out a command that is given in words, as a project or the demonstration does.
pub(crate) fn typed(words: &[String], output: &Output) -> Result<Outcome, Failure> {
    let line = std::iter::once("provoke".to_string()).chain(words.iter().cloned());
    let cli = Cli::try_parse_from(line).map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let hint = "the page docs/book/project.md lists what may stand in provoke.toml";
        Failure::input(first, hint)
    })?;
    match &cli.command {
        Some(command) => dispatch(command, output),
        None => Ok(Outcome::Usage),
    }
}
