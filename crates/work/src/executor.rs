//! Who works, if it is not this process.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::slurm::SlurmOptions;

/// Who works, if it is not this process.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub enum Executor {
    /// Processes on this machine.
    Local,
    /// Tasks of a job array.
    Slurm(SlurmOptions),
    /// Tasks of HyperQueue, whose server left what is needed in this folder.
    Hq(Option<PathBuf>),
}

impl Executor {
    /// How many seconds pass before a chunk is begun, beside those of the chunk before it. HyperQueue starts
    /// a process for each; workers here and tasks of Slurm go on to their next.
    pub(crate) fn start_seconds(&self) -> f64 {
        match self {
            Executor::Local | Executor::Slurm(_) => 0.0,
            Executor::Hq(_) => 0.5,
        }
    }

    /// The executor that a word such as `slurm:tasks=20` names; `None` if it names none.
    pub fn named(word: &str) -> Option<Result<Executor, String>> {
        let (name, rest) = word.split_once(':').map_or((word, None), |(a, b)| (a, Some(b)));
        Some(match (name, rest) {
            ("local", None) => Ok(Executor::Local),
            ("local", Some(_)) => Err("local has no options".to_string()),
            ("slurm", options) => SlurmOptions::read(options.unwrap_or("")).map(Executor::Slurm),
            ("hq", Some("")) => Err("hq: lacks its server's folder".to_string()),
            ("hq", folder) => Ok(Executor::Hq(folder.map(PathBuf::from))),
            _ => return None,
        })
    }
}
