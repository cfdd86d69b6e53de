//! Tasks, and how many of them a worker is given at once.

use provoke_store::Key;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// How long a chunk should take, in seconds: long enough to be worth its start.
const CHUNK_SECONDS: f64 = 10.0;
/// How many chunks each worker gets at least, so that none of them waits long for another.
const CHUNKS_PER_WORKER: usize = 4;
/// How many times as long as its start a chunk should take at least.
const WORTH: f64 = 4.0;
/// More tasks than these make no better chunk.
const MAX_TASKS: usize = 10_000;

/// A part of the work that can be done by itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Task {
    /// The name under which its result is kept.
    pub key: Key,
    /// What to do, as the verb it belongs to reads it.
    pub spec: Json,
    /// The task that was tried before it with less effort: what took long then will again.
    pub after: Option<Key>,
}

/// A line of a plan.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Chunk {
    pub(crate) tasks: Vec<PlannedTask>,
}

/// A task in a plan.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct PlannedTask {
    pub(crate) key: String,
    pub(crate) spec: Json,
}

impl Chunk {
    /// The line, with its end.
    pub(crate) fn line(&self) -> String {
        serde_json::to_string(self).expect("a chunk is plain data") + "\n"
    }

    /// The chunk that a line holds.
    pub(crate) fn read(line: &str) -> Result<Chunk, String> {
        serde_json::from_str(line).map_err(|error| format!("not a line of a plan: {error}"))
    }
}

/// The tasks in chunks of a size, in their order.
pub(crate) fn chunks(tasks: &[&Task], size: usize) -> Vec<Chunk> {
    let planned = |task: &&Task| PlannedTask { key: task.key.to_string(), spec: task.spec.clone() };
    let chunk = |tasks: &[&Task]| Chunk { tasks: tasks.iter().map(planned).collect() };
    tasks.chunks(size.max(1)).map(chunk).collect()
}

/// How many tasks of so many seconds each a chunk has, if it is begun after `start_seconds`.
pub(crate) fn size(tasks: usize, seconds: f64, workers: usize, start_seconds: f64) -> usize {
    let enough = (CHUNK_SECONDS / seconds.max(1e-6)).clamp(1.0, MAX_TASKS as f64) as usize;
    let fair = tasks.div_ceil(workers.max(1) * CHUNKS_PER_WORKER);
    enough.min(fair.max(least(seconds, start_seconds))).max(1)
}

/// How many such tasks are worth the start of a chunk.
pub(crate) fn least(seconds: f64, start_seconds: f64) -> usize {
    let wanted = start_seconds * WORTH / seconds.max(1e-3);
    wanted.ceil().clamp(1.0, MAX_TASKS as f64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use provoke_store::KeyBuilder;
    use serde_json::json;

    #[test]
    fn a_chunk_takes_about_ten_seconds_and_leaves_something_for_everyone() {
        assert_eq!(size(100_000, 0.5, 100, 0.0), 20);
        assert_eq!(size(100_000, 30.0, 100, 0.0), 1);
        assert_eq!(size(40, 0.001, 2, 0.0), 5);
        assert_eq!(size(1, 0.0, 0, 0.0), 1);
        assert_eq!(size(10_000_000, 0.0, 1, 0.0), 10_000);
    }

    #[test]
    fn a_chunk_is_worth_its_start() {
        // 180 short tasks for 64 workers that are not there yet: not one process for each.
        assert_eq!(size(180, 0.05, 64, 0.5), 40);
        assert_eq!(size(180, 30.0, 64, 0.5), 1);
        assert_eq!((least(0.5, 0.5), least(0.5, 0.0)), (4, 1));
    }

    #[test]
    fn a_line_is_read_as_it_is_written() {
        let key = KeyBuilder::new("s").finish();
        let task = Task { key, spec: json!({"case": 3}), after: None };
        let all = chunks(&[&task, &task, &task], 2);
        assert_eq!(all.iter().map(|chunk| chunk.tasks.len()).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(Chunk::read(&all[0].line()), Ok(all[0].clone()));
        assert!(Chunk::read("{}").unwrap_err().starts_with("not a line of a plan: missing field"));
    }
}
