//! One of n parts of a plan.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::key::Key;

/// The k-th of n parts, counted from 1 and written `k/n`.
///
/// A key falls to a part by its own bits, so the parts stay as they are when work is added.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    k: u32,
    n: u32,
}

impl Shard {
    /// The largest number of parts.
    pub const MAX: u32 = 1_000_000;

    /// The whole plan as one part.
    pub const WHOLE: Shard = Shard { k: 1, n: 1 };

    /// Part `k` of `n`.
    pub fn new(k: u32, n: u32) -> Result<Shard, ShardError> {
        match (k, n) {
            (_, 0) => Err(ShardError("there must be at least one shard".into())),
            (_, n) if n > Shard::MAX => {
                Err(ShardError(format!("there are at most {} shards", Shard::MAX)))
            }
            (0, n) => Err(ShardError(format!("shards are counted from 1: 1/{n} to {n}/{n}"))),
            (k, n) if k > n => Err(ShardError(format!("there is no shard {k} among {n}"))),
            (k, n) => Ok(Shard { k, n }),
        }
    }

    /// Which part it is, counted from 1.
    pub fn k(self) -> u32 {
        self.k
    }

    /// How many parts there are.
    pub fn n(self) -> u32 {
        self.n
    }

    /// Whether the work called `key` falls to this part.
    pub fn takes(self, key: &Key) -> bool {
        // A key is a hash already: its first bits are as good as any.
        let (first, _) = key.bytes().split_first_chunk().expect("32 bytes hold 8");
        u64::from_be_bytes(*first) % u64::from(self.n) == u64::from(self.k - 1)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.k, self.n)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Shard, ShardError> {
        text.parse()
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let Some((k, n)) = text.split_once('/') else {
            return Err(ShardError(format!("`{text}` is not of the form k/n, such as 2/4")));
        };
        Shard::new(number(k)?, number(n)?)
    }
}

fn number(text: &str) -> Result<u32, ShardError> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(number) if digits => Ok(number),
        Err(_) if digits => Err(ShardError(format!("`{text}` is too large"))),
        _ => Err(ShardError(format!("`{text}` is not a number; a shard reads k/n, such as 2/4"))),
    }
}

/// Why a text names no shard, in one sentence without a full stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardError(String);

impl fmt::Display for ShardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ShardError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyBuilder;

    fn key(number: usize) -> Key {
        KeyBuilder::new("s").part("number", number.to_string()).finish()
    }

    #[test]
    fn every_key_falls_to_exactly_one_shard_and_the_shards_are_about_equal() {
        for n in [1, 2, 3, 4, 7] {
            let shards: Vec<_> = (1..=n).map(|k| Shard::new(k, n).unwrap()).collect();
            let mut taken = vec![0; n as usize];
            for key in (0..2000).map(key) {
                let owners: Vec<_> = shards.iter().filter(|shard| shard.takes(&key)).collect();
                assert_eq!(owners.len(), 1);
                taken[owners[0].k() as usize - 1] += 1;
            }
            let fair = 2000 / n;
            assert!(taken.iter().all(|&count| count > fair * 8 / 10), "{taken:?}");
        }
    }

    /// Machines with different versions must agree; so does a plan to which work was added.
    #[test]
    fn the_shard_of_a_key_never_changes() {
        let owner = |number| (1..=4).find(|&k| Shard::new(k, 4).unwrap().takes(&key(number)));
        let owners: Vec<_> = (0..8).map(|number| owner(number).unwrap()).collect();
        assert_eq!(owners, [2, 4, 2, 1, 4, 3, 2, 1]);
    }

    #[test]
    fn a_shard_is_read_as_it_is_shown() {
        for text in ["1/1", "2/4", "1000000/1000000"] {
            assert_eq!(text.parse::<Shard>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_wrong_with_a_shard_is_said() {
        let cases = [
            ("", "`` is not of the form k/n, such as 2/4"),
            ("3", "`3` is not of the form k/n, such as 2/4"),
            ("a/4", "`a` is not a number; a shard reads k/n, such as 2/4"),
            ("1/", "`` is not a number; a shard reads k/n, such as 2/4"),
            ("+1/4", "`+1` is not a number; a shard reads k/n, such as 2/4"),
            ("1/4/4", "`4/4` is not a number; a shard reads k/n, such as 2/4"),
            ("0/4", "shards are counted from 1: 1/4 to 4/4"),
            ("5/4", "there is no shard 5 among 4"),
            ("1/0", "there must be at least one shard"),
            ("1/1000001", "there are at most 1000000 shards"),
            ("1/99999999999", "`99999999999` is too large"),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<Shard>().unwrap_err().to_string(), expected);
        }
    }
}
