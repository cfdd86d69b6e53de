//! What workers tell: a line for each thing that happens to them.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Something that happened to a worker.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Report {
    /// It began a task.
    Started(String),
    /// It has kept what came of a task, after so many seconds.
    Did(String, f64),
    /// It cannot go on, for this reason.
    Failed(String),
    /// It is done with a line, and takes the next one.
    Next,
}

impl Report {
    pub(crate) fn line(&self) -> String {
        serde_json::to_string(self).expect("a report is plain data") + "\n"
    }

    pub(crate) fn read(line: &str) -> Option<Report> {
        serde_json::from_str(line).ok()
    }
}

/// What all workers of a store told so far.
#[derive(Default)]
pub(crate) struct Reports {
    /// How long tasks took, by their keys.
    pub(crate) seconds: BTreeMap<String, f64>,
    /// How often tasks were begun.
    pub(crate) started: BTreeMap<String, usize>,
    /// Why workers could not go on.
    pub(crate) failures: Vec<String>,
    /// How far each file was read.
    read: BTreeMap<PathBuf, u64>,
}

impl Reports {
    pub(crate) fn note(&mut self, report: Report) {
        match report {
            Report::Started(key) => *self.started.entry(key).or_default() += 1,
            Report::Did(key, seconds) => {
                self.seconds.insert(key, seconds);
            }
            Report::Failed(reason) => self.failures.push(reason),
            Report::Next => {}
        }
    }

    /// Reads what workers elsewhere have written since. What cannot be read is left out: reports
    /// are for people and for guesses, and decide nothing.
    pub(crate) fn refresh(&mut self, store: &Path) {
        let Ok(entries) = std::fs::read_dir(crate::folder(store)) else { return };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("reports-") && name.ends_with(".jsonl")
        });
        paths.sort();
        for path in paths {
            let from = self.read.get(&path).copied().unwrap_or(0);
            let text = tail(&path, from).unwrap_or_default();
            // A line without an end is still being written.
            let whole = text.rfind('\n').map_or(0, |end| end + 1);
            text[..whole].lines().filter_map(Report::read).for_each(|report| self.note(report));
            self.read.insert(path, from + whole as u64);
        }
    }
}

fn tail(path: &Path, from: u64) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Where a worker's reports go.
pub(crate) enum ReportSink {
    /// To the process that feeds it.
    Feeder,
    /// To a file that the workers of a machine share.
    File(File),
}

impl ReportSink {
    /// To the file of this machine.
    pub(crate) fn in_file(store: &Path, host: &str) -> std::io::Result<ReportSink> {
        let path = crate::folder(store).join(format!("reports-{host}.jsonl"));
        OpenOptions::new().append(true).create(true).open(path).map(ReportSink::File)
    }

    /// Tells; that nobody hears it is no reason to stop working.
    pub(crate) fn tell(&mut self, report: &Report) {
        let line = report.line();
        let _ = match self {
            ReportSink::Feeder => {
                let mut out = std::io::stdout().lock();
                out.write_all(line.as_bytes()).and_then(|()| out.flush())
            }
            // One call, so that lines of several workers do not mix.
            ReportSink::File(file) => file.write_all(line.as_bytes()),
        };
    }
}
