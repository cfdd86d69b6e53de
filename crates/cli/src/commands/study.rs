//! `provoke study`: the tables of the literature, on models of one's own.

use std::path::Path;
use std::time::Instant;

use provoke_criteria::Criterion;
use provoke_results::{Schema, Study, StudyWord, TableResult, to_json};
use provoke_study::{Anatomy, Case, Form, Table, incremental, observability, tables};
use provoke_work::{Served, WorkerLoop};

use crate::args::{IncrementalArgs, ObservabilityArgs, StudyArgs, StudyCommand};
use crate::commands::{study_mining, study_platform, study_stochastic};
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::study::{self, Done, Settings, Studied, Subjects};
use crate::table::aligned;

/// The tables that are shown when a study ends.
const SHOWN: [&str; 7] = ["7", "10", "6.1", "6.2", "6.3", "6.4", "6.5"];

pub(crate) fn run(command: &StudyCommand, output: &Output) -> Result<Outcome, Failure> {
    match command {
        StudyCommand::Observability(args) => of_observability(args, output),
        StudyCommand::Incremental(args) => of_incremental(args, output),
        StudyCommand::Platform(args) => study_platform::run(args, output),
        StudyCommand::Stochastic(args) => study_stochastic::run(args, output),
        StudyCommand::Mining(args) => study_mining::run(args, output),
    }
}

/// The user's numbers, else small ones if it has to be quick, else those of the literature.
fn numbers(args: &StudyArgs, quick: [u32; 2], literature: [u32; 2]) -> [u32; 2] {
    let [suites, mutants] = if args.quick { quick } else { literature };
    [args.suites.unwrap_or(suites), args.mutants.unwrap_or(mutants)]
}

/// Does a worker's part.
pub(crate) fn serve(
    command: &StudyCommand,
    worker: &mut WorkerLoop,
    output: &Output,
) -> Result<Served, Failure> {
    let (name, plan) = match command {
        StudyCommand::Observability(args) => ("observability", observability_plan(args, output)?),
        StudyCommand::Incremental(args) => ("incremental", incremental_plan(args, output)?),
        StudyCommand::Platform(args) => return study_platform::serve(args, worker, output),
        StudyCommand::Stochastic(args) => return study_stochastic::serve(args, worker, output),
        StudyCommand::Mining(args) => return study_mining::serve(args, worker, output),
    };
    study::serve(name, &plan.settings, &plan.subjects, &plan.cases, worker)
}

/// What a study consists of.
struct Planned {
    /// How many suites or runs, and mutants.
    numbers: [u32; 2],
    settings: Settings,
    subjects: Subjects,
    cases: Vec<Case>,
}

fn observability_plan(args: &ObservabilityArgs, output: &Output) -> Result<Planned, Failure> {
    let [suites, mutants] = numbers(&args.study, [10, 100], [50, 500]);
    let mut settings = Settings::new(&args.study, suites, mutants, args.kill);
    settings.kill_budget = args.kill_budget;
    let subjects = Subjects::load(&args.study, &args.forms, output)?;
    let criteria = match args.criteria.is_empty() {
        true => Criterion::ALL.to_vec(),
        false => args.criteria.clone(),
    };
    let models = subjects.all.iter().map(|studied| (studied.model.as_str(), studied.form));
    let cases = observability(models, &args.masking, &criteria, args.method);
    Ok(Planned { numbers: [suites, mutants], settings, subjects, cases })
}

fn incremental_plan(args: &IncrementalArgs, output: &Output) -> Result<Planned, Failure> {
    let [runs, mutants] = numbers(&args.study, [3, 100], [10, 250]);
    let settings = Settings::new(&args.study, 1, mutants, false);
    let subjects = Subjects::load(&args.study, &[Form::Given], output)?;
    let cases = incremental(&subjects.models(), args.criterion, runs.into());
    Ok(Planned { numbers: [runs, mutants], settings, subjects, cases })
}

fn of_observability(args: &ObservabilityArgs, output: &Output) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let plan = observability_plan(args, output)?;
    let Planned { numbers: [suites, mutants], settings, subjects, cases } = plan;
    let folder = &args.study.output;
    files::make_folder(folder)?;
    let done = study::run("observability", &settings, &subjects, &cases, output)?;
    let anatomies: Vec<Anatomy> = subjects.all.iter().map(Studied::anatomy).collect();
    let tables = tables::observability(&done.cells, &anatomies);
    let mut result = result(StudyWord::Observability, folder, &subjects, &done, &tables);
    fill(&mut result, &settings, [suites, mutants], start);
    finish(folder, &done, &tables, &result, output)
}

fn of_incremental(args: &IncrementalArgs, output: &Output) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let plan = incremental_plan(args, output)?;
    let Planned { numbers: [runs, mutants], settings, subjects, cases } = plan;
    let folder = &args.study.output;
    files::make_folder(folder)?;
    let done = study::run("incremental", &settings, &subjects, &cases, output)?;
    let tables = tables::incremental(&done.cells);
    let mut result = result(StudyWord::Incremental, folder, &subjects, &done, &tables);
    fill(&mut result, &settings, [runs, mutants], start);
    finish(folder, &done, &tables, &result, output)
}

/// What was asked for, and how long it took.
fn fill(result: &mut Study, settings: &Settings, [suites, mutants]: [u32; 2], start: Instant) {
    let work = &settings.work;
    (result.suites, result.mutants, result.seed) = (suites, mutants, work.seed);
    result.budget_seconds = work.budget.map(|budget| budget.as_secs_f64());
    result.effort = work.budget.is_none().then(|| work.effort.unwrap_or(10));
    result.seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
}

fn result(
    study: StudyWord,
    folder: &Path,
    subjects: &Subjects,
    done: &Done,
    tables: &[Table],
) -> Study {
    let table = |table: &Table| TableResult {
        number: table.number.to_string(),
        title: table.title.to_string(),
        file: format!("{}.csv", table.file_stem()),
        columns: table.columns.clone(),
        rows: table.rows.clone(),
    };
    Study {
        schema: Schema::default(),
        study,
        models: subjects.models().into_iter().map(String::from).collect(),
        cases: done.cases,
        done: done.cells.0.len(),
        resumed: done.resumed,
        left_out: subjects.left_out.clone(),
        folder: folder.display().to_string(),
        interrupted: done.interrupted(),
        tables: tables.iter().map(table).collect(),
        // What was asked for is filled in behind.
        suites: 0,
        mutants: 0,
        effort: None,
        budget_seconds: None,
        seed: 0,
        seconds: 0.0,
    }
}

/// Writes the tables, and tells what came of it.
fn finish(
    folder: &Path,
    done: &Done,
    tables: &[Table],
    result: &Study,
    output: &Output,
) -> Result<Outcome, Failure> {
    write(folder, done, tables, result, output)?;
    if output.is_json() {
        output.result(&to_json(result));
    } else {
        output.result(&describe(tables, result));
    }
    if done.interrupted() {
        output.warning("interrupted; the tables are of what is done, the same command goes on");
        return Ok(Outcome::Interrupted);
    }
    Ok(Outcome::Well)
}

fn write(
    folder: &Path,
    done: &Done,
    tables: &[Table],
    result: &Study,
    output: &Output,
) -> Result<(), Failure> {
    for table in tables.iter().chain(&tables::raw(&done.cells)) {
        let path = folder.join(format!("{}.csv", table.file_stem()));
        files::write(output, &path, table.csv().as_bytes())?;
    }
    let mut page = format!("# Study: {}\n\n{}\n", result.study, settings(result));
    result.left_out.iter().for_each(|what| page += &format!("\n{what}\n"));
    tables.iter().for_each(|table| page += &format!("\n{}", table.markdown()));
    files::write(output, &folder.join("study.md"), page.as_bytes())
}

/// What a reader has to know to do it again.
fn settings(result: &Study) -> String {
    let Study { models, done, cases, suites, mutants, seed, .. } = result;
    let work = match (result.budget_seconds, result.effort) {
        (Some(seconds), _) => format!("{seconds} s for each case"),
        (None, effort) => format!("effort {}", effort.unwrap_or(0)),
    };
    let (models, version) = (models.len(), env!("CARGO_PKG_VERSION"));
    format!(
        "{models} models, {done} of {cases} cases; {suites} suites or runs of each, up to \
         {mutants} mutants, {work}, seed {seed}, provoke {version}."
    )
}

fn describe(tables: &[Table], result: &Study) -> String {
    let mut text = String::new();
    for table in tables.iter().filter(|t| SHOWN.contains(&t.number) || t.number.is_empty()) {
        let rows: Vec<Vec<String>> =
            std::iter::once(&table.columns).chain(&table.rows).cloned().collect();
        text += &format!("{}\n{}\n", table.heading(), aligned(&rows));
    }
    let Study { done, cases, resumed, seconds, folder, .. } = result;
    text + &format!(
        "{done} of {cases} cases done, {resumed} of them earlier; {seconds} s\n\
         all tables: {folder}/study.md, each as {folder}/*.csv\n"
    )
}
