//! Workers as tasks of HyperQueue, by its own command.

use std::path::{Path, PathBuf};
use std::process::Command;

use provoke_base::{Error, ErrorCode};
use serde_json::Value as Json;

use crate::scheduler::Workers;

/// How many workers are thought to be there: HyperQueue gives and takes them as it likes.
const WORKERS: usize = 64;

/// A job that was submitted: a task for each line of a plan.
pub(crate) struct Tasks {
    server: Option<PathBuf>,
    job: String,
    state: String,
}

impl Tasks {
    /// How many workers to think of, if HyperQueue is there at all.
    pub(crate) fn require_command() -> Result<usize, Error> {
        match Command::new("hq").arg("--version").output() {
            Ok(_) => Ok(WORKERS),
            Err(_) => {
                let message = "`hq` was not found, and workers are asked of HyperQueue by it";
                let hint = "your site's `module load HyperQueue`, or put the program from \
                    https://github.com/It4innovations/hyperqueue/releases on the PATH";
                Err(Error::new(ErrorCode::WorkersMissing, message).hint(hint))
            }
        }
    }

    /// Submits a plan; if the server refuses, its own words.
    pub(crate) fn submit(
        workers: &Workers,
        store: &Path,
        server: Option<&Path>,
        plan: &Path,
    ) -> Result<Tasks, String> {
        let said = command(server)
            .args(["submit", "--name=provoke", "--stdout=none", "--stderr=none"])
            .arg("--each-line")
            .arg(plan)
            .arg("--cwd")
            .arg(crate::folder(store))
            .arg("--")
            .arg(&workers.program)
            .args(["worker", "--store"])
            .arg(store)
            .output()
            .map_err(|error| format!("hq: {error}"))?;
        let told: Option<Json> = serde_json::from_slice(&said.stdout).ok();
        let job = told.as_ref().and_then(|told| told["id"].as_u64());
        match (said.status.success(), job) {
            (true, Some(job)) => {
                let state = "submitted".to_string();
                Ok(Tasks { server: server.map(Path::to_path_buf), job: job.to_string(), state })
            }
            _ => {
                let why = String::from_utf8_lossy(&said.stderr);
                let why = told.as_ref().and_then(|told| told["error"].as_str()).unwrap_or(&why);
                Err(format!("HyperQueue refuses the job: {}", why.trim()))
            }
        }
    }

    /// Whether no task runs or waits any more. While the server does not answer, nothing is known.
    pub(crate) fn is_over(&mut self) -> bool {
        let said = command(self.server.as_deref()).args(["job", "info", &self.job]).output();
        let told: Option<Json> = said.ok().and_then(|s| serde_json::from_slice(&s.stdout).ok());
        let Some(told) = told else {
            self.state = "no answer".to_string();
            return false;
        };
        let info = &told[0]["info"];
        let stats = &info["task_stats"];
        let count = |state: &str| stats[state].as_u64().unwrap_or(0);
        let ended = count("finished") + count("failed") + count("canceled");
        self.state = format!("{} running, {ended} ended", count("running"));
        info["task_count"].as_u64().is_some_and(|all| ended >= all)
    }

    pub(crate) fn words(&self) -> String {
        format!("HyperQueue job {} ({})", self.job, self.state)
    }

    /// Takes back what has nothing left to do.
    pub(crate) fn end(&mut self) {
        let _ = command(self.server.as_deref()).args(["job", "cancel", &self.job]).output();
    }
}

fn command(server: Option<&Path>) -> Command {
    let mut command = Command::new("hq");
    command.arg("--output-mode=json");
    if let Some(folder) = server {
        command.arg("--server-dir").arg(folder);
    }
    command
}
