//! `provoke study`: the tables of the literature, on models of one's own.

use std::path::{Path, PathBuf};

use provoke::files::files_in;
use provoke::tests::suite_text;
use provoke::{Fill, MineTarget, ModelText};
use provoke_report::text;
use provoke_results::{Study, to_json};
use provoke_study::{
    CriteriaOptions, FinishedStudy, IncrementalOptions, MiningOptions, ObservabilityOptions,
    Placement, PlatformOptions, StochasticOptions, SuiteText, incremental, mining, observability,
    platform, stochastic,
};
use serde::Serialize;

use crate::args::{MiningArgs, PlaceArgs, PlatformArgs, StochasticArgs, StudyArgs, StudyCommand};
use crate::commands::timed;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::{console, files, subject, workers};

pub(crate) fn run(command: &StudyCommand, output: &Output) -> Result<Outcome, Failure> {
    match command {
        StudyCommand::Observability(args) => {
            let options = ObservabilityOptions {
                study: criteria_options(&args.study, output)?,
                criteria: args.criteria.clone(),
                forms: args.forms.clone(),
                masking: args.masking.clone(),
                method: args.method,
                kill: args.kill,
                kill_budget: args.kill_budget,
            };
            Ok(tell_study(&observability(&options, &console::control(output))?, output))
        }
        StudyCommand::Incremental(args) => {
            let (study, criterion) = (criteria_options(&args.study, output)?, args.criterion);
            let options = IncrementalOptions { study, criterion };
            Ok(tell_study(&incremental(&options, &console::control(output))?, output))
        }
        StudyCommand::Platform(args) => of_platforms(args, output),
        StudyCommand::Stochastic(args) => of_oracles(args, output),
        StudyCommand::Mining(args) => of_mining(args, output),
    }
}

/// Where a study is done that is written into `folder`.
fn placement(place: &PlaceArgs, folder: &Path) -> Result<Placement, Failure> {
    let workers = place.executor().map(|executor| workers::asked(executor, place.jobs()));
    Ok(Placement {
        folder: folder.to_path_buf(),
        store: place.store.clone(),
        jobs: place.jobs,
        workers: workers.transpose()?,
    })
}

fn criteria_options(args: &StudyArgs, output: &Output) -> Result<CriteriaOptions, Failure> {
    let mut models = Vec::new();
    for path in models_of(&args.models)? {
        let (file, _) = files::model(&path, None, output)?;
        models.push(ModelText::new(stem(&path), file.text));
    }
    Ok(CriteriaOptions {
        models,
        quick: args.quick,
        budget: args.budget,
        effort: args.effort,
        mutants: args.mutants,
        suites: args.suites,
        seed: args.seed,
        place: placement(&args.place, &args.output)?,
    })
}

/// The files that are named, and those of the folders that are, in order.
fn models_of(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut all = Vec::new();
    for path in named {
        let found = files_in(path, "lus")?;
        if found.is_empty() {
            let message = format!("{} holds no models", path.display());
            return Err(Failure::input(message, "models are files whose names end in .lus"));
        }
        all.extend(found);
    }
    Ok(all)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn of_platforms(args: &PlatformArgs, output: &Output) -> Result<Outcome, Failure> {
    let (file, system) = files::model(&args.model.model, args.model.main.as_deref(), output)?;
    let suite = subject::suite_for(&args.suite, &system, Fill::Hold, args.seed, output)?;
    let model = ModelText { main: Some(system.name), ..ModelText::new(file.name, file.text) };
    let suite = SuiteText { name: args.suite.display().to_string(), text: suite_text(&suite)? };
    let options = PlatformOptions {
        model,
        suite,
        runs: args.runs,
        changes: args.changes.clone(),
        mutants: args.mutants,
        seed: args.seed,
        place: placement(&args.place, &args.output)?,
    };
    let start = std::time::Instant::now();
    let finished = platform(&options, &console::control(output))?;
    let outcome = tell_finished(finished, output);
    if outcome == Outcome::Well && !output.is_json() {
        tell_folder(&args.output, start.elapsed().as_secs_f64(), output);
    }
    Ok(outcome)
}

fn of_oracles(args: &StochasticArgs, output: &Output) -> Result<Outcome, Failure> {
    let mut models = Vec::new();
    for path in &args.models {
        models.push(ModelText::new(stem(path), timed::model(path, &[], output)?.file.text));
    }
    let options = StochasticOptions {
        models,
        quick: args.quick,
        earlier: args.earlier,
        later: args.later,
        seed: args.seed,
        place: placement(&args.place, &args.output)?,
    };
    let Some(result) = stochastic(&options, &console::control(output))? else {
        return Ok(interrupted(output));
    };
    if output.is_json() {
        output.result(&to_json(&result));
        return Ok(Outcome::Well);
    }
    output.result(&text::study_stochastic(&result));
    tell_folder(&args.output, result.seconds, output);
    Ok(Outcome::Well)
}

fn of_mining(args: &MiningArgs, output: &Output) -> Result<Outcome, Failure> {
    let mut targets = Vec::new();
    for path in &args.targets {
        targets.extend(files_in(path, "toml")?);
    }
    for path in &targets {
        MineTarget::open(path, None)?;
    }
    let options = MiningOptions {
        targets,
        methods: args.methods.clone(),
        effort: args.effort,
        exhaustive_effort: args.exhaustive_effort,
        seed: args.seed,
        throughput: !args.no_throughput,
        place: placement(&args.place, &args.output)?,
    };
    Ok(tell_finished(mining(&options, &console::control(output))?, output))
}

/// Tells what came of a study of criteria.
fn tell_study(result: &Study, output: &Output) -> Outcome {
    match output.is_json() {
        true => output.result(&to_json(result)),
        false => output.result(&text::study(result)),
    }
    if result.interrupted {
        output.warning("interrupted; the tables are of what is done, the same command goes on");
        return Outcome::Interrupted;
    }
    Outcome::Well
}

/// Tells a study that has a page of its own, if it came to its end.
fn tell_finished<R: Serialize>(finished: Option<FinishedStudy<R>>, output: &Output) -> Outcome {
    match finished {
        None => return interrupted(output),
        Some(finished) if output.is_json() => output.result(&to_json(&finished.result)),
        Some(finished) => output.result(&finished.page),
    }
    Outcome::Well
}

fn interrupted(output: &Output) -> Outcome {
    output.warning("interrupted; the same command goes on");
    Outcome::Interrupted
}

fn tell_folder(folder: &Path, seconds: f64, output: &Output) {
    output.note(&format!("written to {}, {seconds:.0} s\n", folder.display()));
}
