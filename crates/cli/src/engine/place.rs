//! Where the work is done.

use std::path::PathBuf;

use crate::engine::slurm::Options;

/// Who works.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// Processes on this machine.
    Local,
    /// Tasks of a job array.
    Slurm(Options),
    /// Tasks of HyperQueue, whose server left what is needed in this folder.
    Hq(Option<PathBuf>),
}

impl Place {
    /// The place that a word names; `None` if it names none.
    pub(crate) fn named(word: &str) -> Option<Result<Place, String>> {
        let (name, rest) = word.split_once(':').map_or((word, None), |(a, b)| (a, Some(b)));
        Some(match (name, rest) {
            ("local", None) => Ok(Place::Local),
            ("local", Some(_)) => Err("local has no options".to_string()),
            ("slurm", options) => Options::read(options.unwrap_or("")).map(Place::Slurm),
            ("hq", Some("")) => Err("hq: lacks its server's folder".to_string()),
            ("hq", folder) => Ok(Place::Hq(folder.map(PathBuf::from))),
            _ => return None,
        })
    }
}
