//! `provoke` alone, in a folder with `provoke.toml`: all that the project asks for.

use std::path::Path;

use clap::CommandFactory;
use provoke::{Fill, ProjectFile, ProjectTask, TestTarget};
use provoke_results::{ProjectStep as StepResult, Schema, to_json};

use crate::args::{Cli, ProjectArgs};
use crate::commands::{self, timed};
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::{files, project, subject, workers};

/// The name that is looked for.
const FILE: &str = "provoke.toml";

pub(crate) fn run(args: &ProjectArgs, output: &Output) -> Result<Outcome, Failure> {
    let path = args.file.as_deref().unwrap_or(Path::new(FILE));
    let project = ProjectFile::read(path)?;
    let quiet = output.without_results();
    let inner = if output.is_json() { &quiet } else { output };
    let mut worst = Outcome::Well;
    let mut done = Vec::new();
    for (words, step) in project::commands(&project).into_iter().zip(project.steps()) {
        output.note(&format!("$ provoke {}\n", shown(&words)));
        let outcome = carried_out(step, inner).unwrap_or_else(|failure| failure.report(output));
        done.push(StepResult { command: words, exit: outcome as u8 });
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

/// Carries out a step, as the command that is shown would.
fn carried_out(step: ProjectTask, output: &Output) -> Result<Outcome, Failure> {
    match step {
        ProjectTask::Generate { model, main, options, require } => {
            let assume = &options.work.assume;
            let model = files::model_assuming(&model, main.as_deref(), assume, output)?;
            commands::generate::carry_out(&model, None, &options, require, output)
        }
        ProjectTask::Mutate { model, main, suite, options, require } => {
            let model = files::model_assuming(&model, main.as_deref(), &[], output)?;
            let seed = options.work.seed;
            let suite = subject::suite_for(&suite, &model.system, Fill::Keep, seed, output)?;
            commands::mutate::carry_out(model, suite, &options, require, None, output)
        }
        ProjectTask::Run { suite, target, options } => {
            let target = TestTarget::open(&target)?;
            commands::run::carry_out(&target, &suite, Fill::Hold, &options, output)
        }
        ProjectTask::Verify { model, queries, options, answers } => {
            let model = timed::model(&model, &queries, output)?;
            timed::verify::carry_out(&model, &options, Some(&answers), false, output)
        }
        ProjectTask::Estimate { model, queries, options, answers } => {
            let model = timed::model(&model, &queries, output)?;
            timed::estimate::carry_out(&model, &options, Some(&answers), output)
        }
        ProjectTask::TimedRun { suite, target, options, verdicts } => {
            timed::run::carry_out(&suite, None, &target, &options, Some(&verdicts), output)
        }
        ProjectTask::Mine { target, mut options } => {
            options.explorer = Some(workers::this_program()?);
            commands::mine::carry_out(&target, &options, output)
        }
        ProjectTask::Report { places, options, page } => {
            commands::report::carry_out(&places, &options, &page, output)
        }
    }
}
