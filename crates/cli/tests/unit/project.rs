//! Tests of `src/project.rs`: what a project shows is what it does.

use std::path::PathBuf;

use clap::Parser;
use provoke::{ProjectFile, ProjectTask};
use provoke_base::SourceFile;

use super::commands;
use crate::args::{Cli, Command, TimedCommand};
use crate::commands;

const EVERYTHING: &str = r#"
    output = "results"
    [[model]]
    path = "n.lus"
    main = "top"
    criteria = ["mcdc", "properties"]
    oracle = "maximum"
    masking = "original"
    method = "regular"
    effort = 3
    seed = 7
    int = "auto"
    real = "float"
    assume = ["a or b"]
    exclude = [{ id = "c*", because = "by hand" }]
    require = 90
    requirements = "req.csv"
    mutate = { sample = 20, equivalence = true, require = 80.5 }
    run = { on = "target.toml", mode = "adaptive" }
    [[model]]
    path = "small.lus"
    budget = "90s"
    numbers = "c"
    int = "32"
    [[timed]]
    path = "lamp.xml"
    query = ["A[] true"]
    estimate = ["Pr[<=1](<> true)"]
    budget = "2m"
    run = { suite = "suite.json", on = "lamp.xml", oracle = "sequential", seed = 3 }
    [[program]]
    path = "wiper.toml"
    name = "wipers"
    method = "random"
    effort = 1
    seed = 5
"#;

/// What the words of a step ask for, as the step itself would be shown.
fn typed(words: &[String]) -> String {
    let line = std::iter::once("provoke").chain(words.iter().map(String::as_str));
    let cli = Cli::try_parse_from(line).unwrap_or_else(|error| panic!("{words:?}: {error}"));
    match cli.command.expect("a command") {
        Command::Generate(args) => {
            let options = commands::generate::options(&args).ok().expect("options");
            format!("{:?} {:?} {options:?} {:?}", args.model.model, args.model.main, args.require)
        }
        Command::Mutate(args) => {
            let options = commands::mutate::options(&args).ok().expect("options");
            let model = (&args.model.model, &args.model.main, args.suite.expect("a suite"));
            format!("{model:?} {options:?} {:?}", args.require)
        }
        Command::Run(args) => {
            format!("{:?} {:?} {:?}", args.suite, args.on, commands::run::options(&args))
        }
        Command::Timed(TimedCommand::Verify(args)) => {
            let model = (&args.model.model, &args.query, &args.output);
            format!("{model:?} {:?}", args.options())
        }
        Command::Timed(TimedCommand::Estimate(args)) => {
            let model = (&args.model.model, &args.query, &args.output);
            format!("{model:?} {:?}", args.options().ok())
        }
        Command::Timed(TimedCommand::Run(args)) => {
            let names = (&args.suite, &args.on, &args.output);
            format!("{names:?} {:?}", args.options().ok())
        }
        Command::Mine(args) => {
            let mut options = commands::mine::options(&args).ok().expect("options");
            options.explorer = None;
            format!("{:?} {options:?}", args.target.expect("a target"))
        }
        Command::Report(args) => {
            format!("{:?} {:?} {:?}", args.results, commands::report::options(&args), args.output)
        }
        _ => panic!("{words:?}"),
    }
}

fn meant(step: ProjectTask) -> String {
    match step {
        ProjectTask::Generate { model, main, options, require } => {
            format!("{model:?} {main:?} {options:?} {require:?}")
        }
        ProjectTask::Mutate { model, main, suite, options, require } => {
            format!("{:?} {options:?} {require:?}", (model, main, suite))
        }
        ProjectTask::Run { suite, target, options } => {
            format!("{suite:?} {target:?} {options:?}")
        }
        ProjectTask::Verify { model, queries, options, answers } => {
            format!("{:?} {options:?}", (model, queries, Some(answers)))
        }
        ProjectTask::Estimate { model, queries, options, answers } => {
            format!("{:?} {:?}", (model, queries, Some(answers)), Some(options))
        }
        ProjectTask::TimedRun { suite, target, options, verdicts } => {
            format!("{:?} {:?}", (suite, target, Some(verdicts)), Some(options))
        }
        ProjectTask::Mine { target, options } => format!("{target:?} {options:?}"),
        ProjectTask::Report { places, options, page } => {
            format!("{places:?} {options:?} {page:?}")
        }
    }
}

#[test]
fn what_is_shown_is_what_is_done() {
    let file = SourceFile::new("provoke.toml", EVERYTHING);
    let project = ProjectFile::of_text(&file, PathBuf::from("folder")).expect("a project");
    let (words, steps) = (commands(&project), project.steps());
    assert_eq!(words.len(), steps.len());
    assert_eq!(steps.len(), 12);
    for (words, step) in words.iter().zip(steps) {
        assert_eq!(typed(words), meant(step), "{words:?}");
    }
}
