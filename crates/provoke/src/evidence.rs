//! What earlier commands left in folders and files, as a report shows it.

mod generation;
mod requirement;
mod table;
mod timed;

use std::fmt::Display;
use std::path::{Path, PathBuf};

use provoke_base::{Control, Error, SourceFile};
use provoke_results::{
    Audit, Contract, Evidence, Mine, Mutate, Report, Run, Schema, TimedEstimate, TimedRun,
    TimedVerify, schema_of,
};

use crate::files;

pub use generation::GenerationRun;

/// How a report is put together.
#[derive(Clone, Debug, Default)]
pub struct ReportOptions {
    /// Its title; the model's name if nothing is said.
    pub title: Option<String>,
    /// A table of requirements, as CSV.
    pub requirements: Option<PathBuf>,
}

/// Everything that folders and files of results hold, in their order; runs of `generate` come first at each
/// place.
pub fn report(
    places: &[PathBuf],
    options: &ReportOptions,
    control: &Control,
) -> Result<Report, Error> {
    let mut all = GatheredEvidence::default();
    for path in places {
        let found = gather(path, control)?;
        all.runs.extend(found.runs);
        all.others.extend(found.others);
    }
    // Requirements are traced to the tests of the first run: one that decided nothing but properties has none.
    all.runs.sort_by_key(GenerationRun::has_only_properties);
    let generations: Vec<_> = all.runs.iter().map(GenerationRun::generation).collect();
    let table = options.requirements.as_deref();
    let requirements = match (all.runs.is_empty(), table) {
        (false, table) => requirement::requirements(&all.runs, &generations, table, &all.others)?,
        (true, Some(_)) => {
            let hint = "name the folder that `provoke generate -o` wrote as well";
            return Err(Error::input("requirements stand for obligations, there are none", hint));
        }
        (true, None) => Vec::new(),
    };
    let named = || all.runs.first().map(|run| run.system.name.clone());
    let place = || places.first()?.file_stem().map(|name| name.to_string_lossy().into_owned());
    let title = options.title.clone().or_else(named).or_else(place);
    let generations = generations.into_iter().map(|one| Evidence::Generate(Box::new(one)));
    Ok(Report {
        schema: Schema::default(),
        provoke: env!("CARGO_PKG_VERSION").to_string(),
        title: title.unwrap_or_else(|| "Results".to_string()),
        evidence: generations.chain(all.others).collect(),
        requirements,
    })
}

/// What is found at one place: the runs of `generate` and `prove` can say more than they show.
#[derive(Default)]
struct GatheredEvidence {
    runs: Vec<GenerationRun>,
    others: Vec<Evidence>,
}

/// The contracts whose results are shown as they are.
const SHOWN: [&str; 7] = [
    Mutate::SCHEMA,
    Run::SCHEMA,
    TimedVerify::SCHEMA,
    TimedEstimate::SCHEMA,
    TimedRun::SCHEMA,
    Mine::SCHEMA,
    Audit::SCHEMA,
];

/// All evidence in a folder that a command wrote, or in one of its JSON files.
fn gather(path: &Path, control: &Control) -> Result<GatheredEvidence, Error> {
    let mut found = GatheredEvidence::default();
    if !path.is_dir() {
        let text = text(path)?;
        let Some(evidence) = one(path, &text, control)? else {
            let (place, schema) = (path.display(), schema(path, &text)?);
            let message = format!("{place} holds `{schema}`, which is no result that is shown");
            return Err(Error::input(
                message,
                format!("the results shown are {}", SHOWN.join(", ")),
            ));
        };
        found.others.push(evidence);
        return Ok(found);
    }
    if path.join("settings.json").is_file() {
        found.runs.push(GenerationRun::load(path)?);
    }
    for file in json_files(path)? {
        // Suites and stores are JSON as well; they are no results of their own.
        found.others.extend(one(&file, &text(&file)?, control)?);
    }
    if found.runs.is_empty() && found.others.is_empty() {
        let message = format!("{} holds nothing to report", path.display());
        return Err(Error::input(message, hint_for(path)));
    }
    Ok(found)
}

fn hint_for(folder: &Path) -> String {
    match folder.join("verdicts.json").is_file() {
        true => "it is of an older version: the same `generate` again completes it".into(),
        false => format!("make it with `provoke generate MODEL -o {}`", folder.display()),
    }
}

/// The JSON files of a folder by name.
fn json_files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let unreadable = |error: std::io::Error| {
        let message = format!("cannot read {}: {error}", folder.display());
        Error::input(message, "name a folder that a command wrote with -o")
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_file() && path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn text(path: &Path) -> Result<String, Error> {
    let bytes = files::read(path, provoke_suite::MAX_BYTES)?;
    String::from_utf8(bytes).map_err(|_| no_json(path, "it is not UTF-8"))
}

fn no_json(path: &Path, why: impl Display) -> Error {
    let message = format!("{} is no JSON: {why}", path.display());
    let hint = "write it again with the command that made it, or take it out of the folder";
    Error::input(message, hint)
}

/// The name of the contract that a file carries; empty if it has none.
fn schema(path: &Path, text: &str) -> Result<String, Error> {
    Ok(schema_of(text).map_err(|error| no_json(path, error))?.unwrap_or_default())
}

/// A result that a command wrote.
pub fn read<T: Contract>(path: &Path) -> Result<T, Error> {
    let text = text(path)?;
    schema(path, &text)?;
    parsed(path, &text)
}

fn parsed<T: Contract>(path: &Path, text: &str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|error| {
        let message = format!("{} is not as `{}` promises: {error}", path.display(), T::SCHEMA);
        Error::input(message, "write it again with the command that made it")
    })
}

/// What a file is evidence of, if it is one of the results that are shown.
fn one(path: &Path, text: &str, control: &Control) -> Result<Option<Evidence>, Error> {
    let from = path.display().to_string();
    let folder = path.parent().unwrap_or(Path::new(""));
    Ok(Some(match schema(path, text)?.as_str() {
        Mutate::SCHEMA => {
            let result: Mutate = parsed(path, text)?;
            Evidence::Mutate { from, source: mutated_source(folder, &result), result }
        }
        Run::SCHEMA => Evidence::Run { from, events: events(folder)?, result: parsed(path, text)? },
        TimedVerify::SCHEMA => {
            let result: TimedVerify = parsed(path, text)?;
            let (picture, templates) = timed::picture(&result, control);
            Evidence::Verify { from, picture, templates, result }
        }
        TimedRun::SCHEMA => Evidence::Judge { from, result: parsed(path, text)? },
        Audit::SCHEMA => {
            let result: Audit = parsed(path, text)?;
            audited(path, &result)?;
            Evidence::Audit { from, result }
        }
        Mine::SCHEMA => {
            Evidence::Mine { from, machines: machines(folder)?, result: parsed(path, text)? }
        }
        TimedEstimate::SCHEMA => Evidence::Estimate { from, result: parsed(path, text)? },
        _ => return Ok(None),
    }))
}

/// Refuses an audit of other files than those beside it: the folder was written again since.
fn audited(path: &Path, audit: &Audit) -> Result<(), Error> {
    let hint = || format!("audit again, or take {} out of the folder", path.display());
    let Some(files) = &audit.files else {
        let message = format!("{} does not say which files it is about", path.display());
        return Err(Error::input(message, hint()));
    };
    for (name, hash) in files {
        let file = path.with_file_name(name);
        if file.is_file() {
            let bytes = files::read(&file, provoke_suite::MAX_BYTES)?;
            if *hash != provoke_store::sha256(&bytes) {
                let (audit, file) = (path.display(), file.display());
                let message = format!("{file} was changed after {audit} was written");
                return Err(Error::input(message, hint()));
            }
        }
    }
    Ok(())
}

/// The text of the model whose mutants these are: the copy beside them, or the file they name.
fn mutated_source(folder: &Path, result: &Mutate) -> String {
    let places = [folder.join("model.lus"), PathBuf::from(&result.model)];
    let text =
        |path: PathBuf| files::source(&path, SourceFile::MAX_BYTES).ok().map(|file| file.text);
    places.into_iter().filter(|path| path.is_file()).find_map(text).unwrap_or_default()
}

/// The pictures of machines beside what `mine` says; large machines have none.
fn machines(folder: &Path) -> Result<Vec<(String, String)>, Error> {
    let mut machines = Vec::new();
    for name in ["machine", "exact"] {
        let path = folder.join(format!("{name}.svg"));
        if path.is_file() {
            let bytes = files::read(&path, provoke_suite::MAX_BYTES)?;
            machines.push((name.to_string(), String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    Ok(machines)
}

/// What was sent to a target and what came from it, if `run -o` wrote it.
fn events(folder: &Path) -> Result<Vec<Vec<String>>, Error> {
    let path = folder.join("events.csv");
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let rows = table::rows(&path, provoke_suite::MAX_BYTES)?;
    Ok(rows.into_iter().skip(1).map(|(_, row)| row).collect())
}
