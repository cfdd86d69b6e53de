//! Workers as tasks of a Slurm job array, by Slurm's own commands.

use std::path::{Path, PathBuf};
use std::process::{Command, Output as Said};
use std::time::Duration;

use provoke_base::{Error, ErrorCode};
use serde::{Deserialize, Serialize};

use crate::scheduler::Workers;

/// A task of the array takes every so-manieth line of the plan: sites allow 1,000 tasks at most.
const TASKS: usize = 200;
const MOST_TASKS: usize = 1_000;
/// How much of a wall-clock limit is left for an orderly end.
const MARGIN: Duration = Duration::from_secs(60);

/// How jobs are submitted.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct SlurmOptions {
    /// How many tasks the array has at most.
    tasks: usize,
    /// How many of them run at a time.
    throttle: Option<usize>,
    /// How long a task may take.
    time: Option<Duration>,
    /// What else `sbatch` is told, as it is.
    others: Vec<String>,
}

impl SlurmOptions {
    /// Options as `tasks=100,throttle=20,time=30,partition=short`.
    pub fn read(text: &str) -> Result<SlurmOptions, String> {
        let mut options =
            SlurmOptions { tasks: TASKS, throttle: None, time: None, others: Vec::new() };
        for word in text.split(',').filter(|word| !word.is_empty()) {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let number = || match value.parse::<usize>() {
                Ok(number @ 1..=MOST_TASKS) => Ok(number),
                _ => Err(format!("{name}: a number from 1 to {MOST_TASKS}, not `{value}`")),
            };
            match name {
                "tasks" => options.tasks = number()?,
                "throttle" => options.throttle = Some(number()?),
                "array" | "wrap" | "parsable" | "output" | "chdir" | "requeue" => {
                    return Err(format!("{name} is set by provoke; tasks and throttle are yours"));
                }
                "time" => {
                    let time = duration(value);
                    let time = time.ok_or(format!("time: as sbatch reads it, not `{value}`"))?;
                    options.time = Some(time);
                    options.others.push(format!("--time={value}"));
                }
                _ => options.others.push(format!("--{word}")),
            }
        }
        Ok(options)
    }

    /// How many workers there are, if Slurm is there at all.
    pub(crate) fn require_commands(&self) -> Result<usize, Error> {
        for command in ["sbatch", "squeue"] {
            if Command::new(command).arg("--version").output().is_err() {
                let message =
                    format!("`{command}` was not found, and workers are asked of Slurm by it");
                let hint = "apt-get install slurm-client, on a machine of the cluster";
                return Err(Error::new(ErrorCode::WorkersMissing, message).hint(hint));
            }
        }
        Ok(self.throttle.unwrap_or(self.tasks))
    }

    /// What a worker is told about its time: it ends before it is killed.
    fn limit(&self) -> Option<Duration> {
        self.time.map(|time| time - MARGIN.min(time / 10))
    }
}

/// A time as Slurm reads it: minutes, minutes:seconds, hours:minutes:seconds, days-hours and
/// days-hours:minutes:seconds.
fn duration(text: &str) -> Option<Duration> {
    let (days, clock) = match text.split_once('-') {
        Some((days, clock)) => (Some(days.parse::<u64>().ok()?), clock),
        None => (None, text),
    };
    let parts: Option<Vec<u64>> = clock.split(':').map(|part| part.parse().ok()).collect();
    let (hours, minutes, seconds) = match (&parts?[..], days) {
        ([h], Some(_)) => (*h, 0, 0),
        ([h, m], Some(_)) => (*h, *m, 0),
        ([m], None) => (0, *m, 0),
        ([m, s], None) => (0, *m, *s),
        ([h, m, s], _) => (*h, *m, *s),
        _ => return None,
    };
    let minutes = days
        .unwrap_or(0)
        .checked_mul(24)?
        .checked_add(hours)?
        .checked_mul(60)?
        .checked_add(minutes)?;
    let seconds = minutes.checked_mul(60)?.checked_add(seconds)?;
    (seconds > 0).then(|| Duration::from_secs(seconds))
}

/// A job that was submitted.
pub(crate) struct Array {
    job: String,
    note: PathBuf,
    /// What Slurm says about it, for people.
    state: String,
}

impl Array {
    /// Submits a plan of so many lines; if the cluster refuses, its own words.
    pub(crate) fn submit(
        workers: &Workers,
        store: &Path,
        options: &SlurmOptions,
        plan: &Path,
        lines: usize,
    ) -> Result<Array, String> {
        let tasks = options.tasks.min(lines);
        let throttle = options.throttle.map_or_else(String::new, |most| format!("%{most}"));
        let said = Command::new("sbatch")
            .args(["--parsable", "--requeue", "--job-name=provoke", "--open-mode=append"])
            .arg(format!("--array=0-{}{throttle}", tasks - 1))
            // Relative to the folder, whose name may hold what Slurm would replace.
            .arg("--chdir")
            .arg(crate::folder(store))
            .arg("--output=slurm.log")
            .args(&options.others)
            .arg("--wrap")
            .arg(script(&workers.program, store, plan, tasks, options.limit())?)
            .output()
            .map_err(|error| format!("sbatch: {error}"))?;
        if !said.status.success() {
            return Err(format!("the cluster refuses the job: {}", words(&said.stderr)));
        }
        let told = words(&said.stdout);
        let job = told.split(';').next().unwrap_or_default().to_string();
        let array = Array { job, note: note(store), state: "submitted".to_string() };
        // Should this fail, a command that is started again does not wait for the job; no more.
        let _ = std::fs::write(&array.note, &array.job);
        Ok(array)
    }

    /// A job that an earlier run of the command has left, if it is still there.
    pub(crate) fn left_in(store: &Path) -> Option<Array> {
        let job = std::fs::read_to_string(note(store)).ok()?.trim().to_string();
        let is_number = !job.is_empty() && job.bytes().all(|byte| byte.is_ascii_digit());
        let mut array = Array { job, note: note(store), state: String::new() };
        (is_number && !array.is_over()).then_some(array)
    }

    /// Whether Slurm knows of no task any more that runs or waits. While Slurm does not answer,
    /// nothing is known.
    pub(crate) fn is_over(&mut self) -> bool {
        let asked = ["--noheader", "--array", "--format=%T %r", "--jobs", &self.job];
        let over = match Command::new("squeue").args(asked).output() {
            Ok(said) if said.status.success() => {
                self.state = counted(&String::from_utf8_lossy(&said.stdout));
                self.state.is_empty()
            }
            // A job that ended some minutes ago is forgotten.
            Ok(said) if words(&said.stderr).contains("Invalid job id") => true,
            Ok(said) => {
                self.state = format!("no answer: {}", words(&said.stderr));
                false
            }
            Err(error) => {
                self.state = format!("no answer: {error}");
                false
            }
        };
        if over {
            let _ = std::fs::remove_file(&self.note);
        }
        over
    }

    pub(crate) fn words(&self) -> String {
        format!("Slurm job {} ({})", self.job, self.state)
    }

    /// Takes back what has nothing left to do.
    pub(crate) fn end(&mut self) {
        let _: Result<Said, _> = Command::new("scancel").arg(&self.job).output();
        let _ = std::fs::remove_file(&self.note);
    }
}

/// Where the number of the job is kept while it is there.
fn note(store: &Path) -> PathBuf {
    crate::folder(store).join("slurm.job")
}

/// What a task does, for a shell.
fn script(
    program: &Path,
    store: &Path,
    plan: &Path,
    tasks: usize,
    limit: Option<Duration>,
) -> Result<String, String> {
    let limit = limit.map_or_else(String::new, |limit| format!(" --limit {}s", limit.as_secs()));
    Ok(format!(
        "exec {} worker --store {} --plan {} --index $SLURM_ARRAY_TASK_ID --of {tasks}{limit}",
        quoted(program)?,
        quoted(store)?,
        quoted(plan)?,
    ))
}

/// A path that a shell reads as one word.
fn quoted(path: &Path) -> Result<String, String> {
    let text = path.to_str().ok_or_else(|| format!("{path:?} is not UTF-8"))?;
    let quoted = shlex::try_quote(text).map_err(|error| format!("{path:?}: {error}"))?;
    Ok(quoted.into_owned())
}

/// How many tasks are in which state.
fn counted(lines: &str) -> String {
    let mut counts: std::collections::BTreeMap<&str, usize> = Default::default();
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let line = line.trim().trim_end_matches(" None");
        *counts.entry(line).or_default() += 1;
    }
    let count = |(state, count): (&str, usize)| format!("{count} {}", state.to_lowercase());
    counts.into_iter().map(count).collect::<Vec<_>>().join(", ")
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().replace('\n', "; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_provoke_does_not_know_is_told_to_sbatch() {
        let options = SlurmOptions::read("tasks=64,throttle=8,time=30,partition=short,exclusive");
        let options = options.unwrap();
        assert_eq!((options.tasks, options.throttle), (64, Some(8)));
        assert_eq!(options.others, ["--time=30", "--partition=short", "--exclusive"]);
        assert_eq!(options.limit(), Some(Duration::from_secs(29 * 60)));
        assert_eq!(
            SlurmOptions::read("tasks=0").unwrap_err(),
            "tasks: a number from 1 to 1000, not `0`"
        );
        assert!(SlurmOptions::read("array=1-9").unwrap_err().contains("is set by provoke"));
    }

    #[test]
    fn times_are_read_as_slurm_reads_them() {
        let seconds = |text| duration(text).map(|time| time.as_secs());
        let cases = [
            ("30", Some(1800)),
            ("1:30", Some(90)),
            ("2:00:00", Some(7200)),
            ("1-0", Some(86_400)),
            ("1-2:30", Some(95_400)),
            ("0", None),
            ("soon", None),
            ("1:2:3:4", None),
            ("99999999999999999-0", None),
        ];
        for (text, expected) in cases {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }

    #[test]
    fn a_path_is_one_word_for_a_shell() {
        let quoted = quoted(Path::new("/a b/it's")).unwrap();
        assert_eq!(shlex::split(&quoted).unwrap(), ["/a b/it's"]);
    }

    #[test]
    fn tasks_are_counted_by_state() {
        let said = "RUNNING None\nPENDING Resources\nPENDING Resources\n";
        assert_eq!(counted(said), "2 pending resources, 1 running");
    }
}
