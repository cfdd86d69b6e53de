//! What earlier commands left in folders and files, as a report shows it.

pub(crate) mod generation;
pub(crate) mod requirement;
mod table;
mod timed;

use std::path::{Path, PathBuf};

use provoke_report::Evidence;
use serde_json::Value;

use crate::files;
use crate::outcome::Failure;
use crate::output::Output;

use generation::Run;

/// What is found at one place: the runs of `generate` and `prove` can say more than they show.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) runs: Vec<Run>,
    pub(crate) others: Vec<Evidence>,
}

/// The schemas whose results are shown as they are, each with a list that it promises.
const SCHEMAS: [(&str, &str); 7] = [
    ("provoke/mutate/1", "results"),
    ("provoke/run/1", "tests"),
    ("provoke/timed-verify/1", "answers"),
    ("provoke/timed-estimate/1", "answers"),
    ("provoke/timed-run/1", "verdicts"),
    ("provoke/mine/1", "findings"),
    ("provoke/audit/1", "findings"),
];

/// The list that results of a schema have, if they are shown.
fn promised(schema: &str) -> Option<&'static str> {
    SCHEMAS.iter().find(|(name, _)| *name == schema).map(|(_, list)| *list)
}

/// All evidence in a folder that a command wrote, or in one of its JSON files.
pub(crate) fn gather(path: &Path, output: &Output) -> Result<Found, Failure> {
    let mut found = Found::default();
    if !path.is_dir() {
        let result = json(path)?;
        let schema = schema(&result);
        if promised(schema).is_none() {
            let (shown, known) = (path.display(), SCHEMAS.map(|(name, _)| name).join(", "));
            let message = format!("{shown} holds `{schema}`, which is no result that is shown");
            return Err(Failure::input(message, format!("the results shown are {known}")));
        }
        found.others.push(one(path, result, output)?);
        return Ok(found);
    }
    if path.join("settings.json").is_file() {
        found.runs.push(Run::load(path, output)?);
    }
    for file in json_files(path)? {
        // Suites and stores are JSON as well; they are no results of their own.
        let result = json(&file)?;
        if promised(schema(&result)).is_some() {
            found.others.push(one(&file, result, output)?);
        }
    }
    if found.runs.is_empty() && found.others.is_empty() {
        let message = format!("{} holds nothing to report", path.display());
        return Err(Failure::input(message, hint_for(path)));
    }
    Ok(found)
}

fn hint_for(folder: &Path) -> String {
    match folder.join("verdicts.json").is_file() {
        true => "it is of an older version: the same `generate` command again completes it".into(),
        false => format!("make it with `provoke generate MODEL -o {}`", folder.display()),
    }
}

/// The JSON files of a folder by name.
fn json_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |error: std::io::Error| {
        let message = format!("cannot read {}: {error}", folder.display());
        Failure::input(message, "name a folder that a command wrote with -o")
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

fn schema(result: &Value) -> &str {
    result["schema"].as_str().unwrap_or("")
}

/// A file of JSON.
pub(crate) fn json(path: &Path) -> Result<Value, Failure> {
    let bytes = files::read(path, provoke_suite::MAX_BYTES)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let message = format!("{} is no JSON: {error}", path.display());
        Failure::input(
            message,
            "write it again with the command that made it, or take it out of the folder",
        )
    })
}

fn one(path: &Path, result: Value, output: &Output) -> Result<Evidence, Failure> {
    let from = path.display().to_string();
    let list = promised(schema(&result)).unwrap_or("");
    if !result[list].is_array() {
        let message = format!("{from} has no list `{list}`, which its schema promises");
        return Err(Failure::input(message, "write it again with the command that made it"));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    Ok(match schema(&result) {
        "provoke/mutate/1" => {
            let source = mutated_source(folder, &result);
            Evidence::Mutate { from, source, result }
        }
        "provoke/run/1" => Evidence::Run { from, events: events(folder)?, result },
        "provoke/timed-verify/1" => {
            let (picture, templates) = timed::picture(&result, output);
            Evidence::Verify { from, picture, templates, result }
        }
        "provoke/timed-run/1" => Evidence::Judge { from, result },
        "provoke/audit/1" => {
            audited(path, &result)?;
            Evidence::Audit { from, result }
        }
        "provoke/mine/1" => Evidence::Mine { from, machines: machines(folder)?, result },
        _ => Evidence::Estimate { from, result },
    })
}

/// Refuses an audit of other files than those beside it: the folder was written again since.
fn audited(path: &Path, result: &Value) -> Result<(), Failure> {
    let hint = || format!("audit again, or take {} out of the folder", path.display());
    let Some(files) = result["files"].as_object() else {
        let message = format!("{} does not say which files it is about", path.display());
        return Err(Failure::input(message, hint()));
    };
    for (name, hash) in files {
        let file = path.with_file_name(name);
        if file.is_file() {
            let bytes = files::read(&file, provoke_suite::MAX_BYTES)?;
            if *hash != provoke_audit::folder::sha256(&bytes) {
                let (audit, file) = (path.display(), file.display());
                let message = format!("{file} was changed after {audit} was written");
                return Err(Failure::input(message, hint()));
            }
        }
    }
    Ok(())
}

/// The text of the model whose mutants these are: the copy beside them, or the file they name.
fn mutated_source(folder: &Path, result: &Value) -> String {
    let named = result["model"].as_str().map(PathBuf::from);
    let places = [Some(folder.join("model.lus")), named];
    let text = |path: PathBuf| files::model_source(&path).ok().map(|file| file.text);
    places.into_iter().flatten().filter(|path| path.is_file()).find_map(text).unwrap_or_default()
}

/// The pictures of machines beside what `mine` says; large machines have none.
fn machines(folder: &Path) -> Result<Vec<(String, String)>, Failure> {
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
fn events(folder: &Path) -> Result<Vec<Vec<String>>, Failure> {
    let path = folder.join("events.csv");
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let rows = table::rows(&path, provoke_suite::MAX_BYTES)?;
    Ok(rows.into_iter().skip(1).map(|(_, row)| row).collect())
}
