//! `provoke study`: the tables of the literature, on models of one's own.

use std::path::Path;
use std::time::Instant;

use provoke_criteria::Criterion;
use provoke_results::{Study, TableResult, to_json};
use provoke_study::{Anatomy, Form, Table, incremental, observability, tables};

use crate::args::{IncrementalArgs, ObservabilityArgs, StudyArgs, StudyCommand};
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::study::{self, Done, Settings, Subjects};
use crate::table::aligned;

/// The tables that are shown when a study ends.
const SHOWN: [&str; 7] = ["7", "10", "6.1", "6.2", "6.3", "6.4", "6.5"];

pub(crate) fn run(command: &StudyCommand, output: &Output) -> Result<Outcome, Failure> {
    match command {
        StudyCommand::Observability(args) => of_observability(args, output),
        StudyCommand::Incremental(args) => of_incremental(args, output),
    }
}

/// The user's number, else a small one if it has to be quick, else that of the literature.
fn number(asked: Option<u32>, quick: bool, small: u32, literature: u32) -> u32 {
    asked.unwrap_or(if quick { small } else { literature })
}

fn of_observability(args: &ObservabilityArgs, output: &Output) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let asked = &args.study;
    let suites = number(asked.suites, asked.quick, 10, 50);
    let mutants = number(asked.mutants, asked.quick, 100, 500);
    let settings = Settings::new(asked, suites.into(), mutants as usize, args.kill);
    let subjects = Subjects::load(asked, &args.forms, output)?;
    let criteria = match args.criteria.is_empty() {
        true => Criterion::ALL.to_vec(),
        false => args.criteria.clone(),
    };
    let models = subjects.all.iter().map(|studied| (studied.model.as_str(), studied.form));
    let cases = observability(models, &args.masking, &criteria, args.method);
    let done = study::run("observability", asked, &settings, &subjects, &cases, output)?;
    let anatomies: Vec<Anatomy> = subjects.all.iter().map(|studied| studied.anatomy()).collect();
    let tables = tables::observability(&done.cells, &anatomies);
    let result = result("observability", asked, &subjects, cases.len(), &done, start, &tables);
    finish(asked, &done, &tables, &result, output)
}

fn of_incremental(args: &IncrementalArgs, output: &Output) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let asked = &args.study;
    let runs = number(asked.suites, asked.quick, 3, 10);
    let mutants = number(asked.mutants, asked.quick, 100, 250);
    let settings = Settings::new(asked, 1, mutants as usize, false);
    let subjects = Subjects::load(asked, &[Form::Given], output)?;
    let cases = incremental(&subjects.models(), args.criterion, runs.into());
    let done = study::run("incremental", asked, &settings, &subjects, &cases, output)?;
    let tables = tables::incremental(&done.cells);
    let result = result("incremental", asked, &subjects, cases.len(), &done, start, &tables);
    finish(asked, &done, &tables, &result, output)
}

fn result(
    study: &'static str,
    args: &StudyArgs,
    subjects: &Subjects,
    cases: usize,
    done: &Done,
    start: Instant,
    tables: &[Table],
) -> Study {
    let table = |table: &Table| TableResult {
        number: table.number,
        title: table.title,
        file: format!("{}.csv", table.file_stem()),
        columns: table.columns.clone(),
        rows: table.rows.clone(),
    };
    Study {
        schema: Study::SCHEMA,
        study,
        models: subjects.models().into_iter().map(String::from).collect(),
        cases,
        done: done.cells.0.len(),
        resumed: done.resumed,
        left_out: subjects.left_out.clone(),
        seconds: (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
        folder: args.output.display().to_string(),
        interrupted: done.interrupted,
        tables: tables.iter().map(table).collect(),
    }
}

/// Writes the tables, and tells what came of it.
fn finish(
    args: &StudyArgs,
    done: &Done,
    tables: &[Table],
    result: &Study,
    output: &Output,
) -> Result<Outcome, Failure> {
    write(&args.output, done, tables, result, output)?;
    if output.is_json() {
        output.result(&to_json(result));
    } else {
        output.result(&describe(tables, result));
    }
    if done.interrupted {
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
    let Study { study, models, done, cases, .. } = result;
    let models = models.len();
    let mut page = format!("# Study: {study}\n\n{models} models, {done} of {cases} cases.\n");
    result.left_out.iter().for_each(|what| page += &format!("\n{what}\n"));
    tables.iter().for_each(|table| page += &format!("\n{}", table.markdown()));
    files::write(output, &folder.join("study.md"), page.as_bytes())
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
