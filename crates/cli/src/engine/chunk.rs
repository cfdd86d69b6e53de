//! Pieces of work, and how many of them a worker is given at once.

use provoke_store::Key;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// What a worker does at once, and is thought to need so many seconds for.
const TARGET_SECONDS: f64 = 10.0;
/// Every worker is to have at least so many turns, so that none of them waits long for another.
const TURNS: usize = 4;
/// More pieces than these make no better chunk.
const MOST: usize = 10_000;

/// A piece of work.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Piece {
    /// The name under which what comes of it is kept.
    pub(crate) key: Key,
    /// What to do, in the words of the command it belongs to.
    pub(crate) what: Json,
    /// The piece that was tried before it with less effort: what took long then, will again.
    pub(crate) after: Option<Key>,
}

/// A line of a plan.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Chunk {
    pub(crate) pieces: Vec<Ordered>,
}

/// A piece in a plan.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Ordered {
    pub(crate) key: String,
    pub(crate) what: Json,
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

/// The pieces in chunks of a size, in their order.
pub(crate) fn chunks(pieces: &[&Piece], size: usize) -> Vec<Chunk> {
    let ordered = |piece: &&Piece| Ordered { key: piece.key.to_string(), what: piece.what.clone() };
    let chunk = |pieces: &[&Piece]| Chunk { pieces: pieces.iter().map(ordered).collect() };
    pieces.chunks(size.max(1)).map(chunk).collect()
}

/// How many pieces of so many seconds each a chunk has.
pub(crate) fn size(pieces: usize, seconds: f64, workers: usize) -> usize {
    let enough = (TARGET_SECONDS / seconds.max(1e-6)).clamp(1.0, MOST as f64) as usize;
    enough.min(pieces.div_ceil(workers.max(1) * TURNS)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use provoke_store::KeyBuilder;
    use serde_json::json;

    #[test]
    fn a_chunk_takes_about_ten_seconds_and_leaves_something_for_everyone() {
        assert_eq!(size(100_000, 0.5, 100), 20);
        assert_eq!(size(100_000, 30.0, 100), 1);
        assert_eq!(size(40, 0.001, 2), 5);
        assert_eq!(size(1, 0.0, 0), 1);
        assert_eq!(size(10_000_000, 0.0, 1), 10_000);
    }

    #[test]
    fn a_line_is_read_as_it_is_written() {
        let key = KeyBuilder::new("s").finish();
        let piece = Piece { key, what: json!({"case": 3}), after: None };
        let all = chunks(&[&piece, &piece, &piece], 2);
        assert_eq!(all.iter().map(|chunk| chunk.pieces.len()).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(Chunk::read(&all[0].line()), Ok(all[0].clone()));
        assert!(Chunk::read("{}").unwrap_err().starts_with("not a line of a plan: missing field"));
    }
}
