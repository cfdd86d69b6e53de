//! The name of a piece of work: a hash of everything that determines its answer.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::canonical::canonical_json;

/// A 256-bit content hash, shown as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key([u8; 32]);

impl Key {
    /// The number of hex digits.
    pub const DIGITS: usize = 64;

    /// The 32 bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The SHA-256 hash of a text as it is.
    pub fn of_bytes(bytes: &[u8]) -> Key {
        Key(Sha256::digest(bytes).into())
    }

    /// Reads exactly what is shown; capitals are refused, so that a key has one text.
    pub(crate) fn from_hex(digits: &[u8]) -> Option<Key> {
        let mut bytes = [0; 32];
        if digits.len() != Key::DIGITS {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Some(Key(bytes))
    }
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Key, KeyError> {
        Key::from_hex(text.as_bytes()).ok_or(KeyError)
    }
}

/// A text that is no key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyError;

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a key is {} lower-case hex digits", Key::DIGITS)
    }
}

impl std::error::Error for KeyError {}

/// The name of this build: a hash of the sources that decide verdicts.
pub const BUILD: &str = env!("PROVOKE_BUILD");

/// Makes a key from labelled parts, in the order they are given.
///
/// Every text is preceded by its length, so that no two lists of parts are the same bytes.
/// A builder can be cloned: what many keys begin with is hashed once.
#[derive(Clone, Debug)]
pub struct KeyBuilder {
    hash: Sha256,
}

impl KeyBuilder {
    /// A key under the rules called `schema`; another schema never gives the same key.
    pub fn new(schema: &str) -> KeyBuilder {
        KeyBuilder { hash: Sha256::new() }.text(schema.as_bytes())
    }

    /// The key of something that this build has found, and another may find otherwise: what is kept
    /// under it is not taken over by other builds.
    pub fn of_this_build(schema: &str) -> KeyBuilder {
        KeyBuilder::new(schema).part("build", BUILD)
    }

    /// Adds a part.
    pub fn part(self, label: &str, bytes: impl AsRef<[u8]>) -> KeyBuilder {
        self.text(label.as_bytes()).text(bytes.as_ref())
    }

    /// Adds a JSON value by its canonical bytes.
    pub fn json(self, label: &str, value: &Value) -> KeyBuilder {
        self.part(label, canonical_json(value))
    }

    /// The key.
    pub fn finish(self) -> Key {
        Key(self.hash.finalize().into())
    }

    fn text(mut self, bytes: &[u8]) -> KeyBuilder {
        self.hash.update((bytes.len() as u64).to_be_bytes());
        self.hash.update(bytes);
        self
    }
}

/// The SHA-256 of some bytes, as hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Stores of older versions hold these.
    #[test]
    fn the_key_of_given_parts_never_changes() {
        let key = KeyBuilder::new("s").part("model", "m").json("options", &json!({"b": 1, "a": 2}));
        let expected = "0167176fdfa7d8063dd7aae07d2bccddf89e14b5feb496e180bae706b104cd85";
        assert_eq!(key.finish().to_string(), expected);
    }

    #[test]
    fn parts_cannot_run_into_each_other() {
        let whole = |parts: &[(&str, &str)]| {
            let add = |key: KeyBuilder, (label, text): &(&str, &str)| key.part(label, text);
            parts.iter().fold(KeyBuilder::new("s"), add).finish()
        };
        let keys = [
            whole(&[]),
            whole(&[("", "")]),
            whole(&[("a", "bc")]),
            whole(&[("ab", "c")]),
            whole(&[("a", "b"), ("c", "")]),
            whole(&[("a", ""), ("b", "c")]),
        ];
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "{index}");
        }
        assert_ne!(KeyBuilder::new("t").finish(), KeyBuilder::new("s").finish());
    }

    #[test]
    fn a_key_is_read_as_it_is_shown_and_in_no_other_way() {
        let key = KeyBuilder::new("s").finish();
        let text = key.to_string();
        assert_eq!(text.parse(), Ok(key));
        for wrong in
            ["", &text[1..], &text.to_uppercase(), &format!("{text}0"), &text.replace('a', "g")]
        {
            assert_eq!(wrong.parse::<Key>(), Err(KeyError), "{wrong}");
        }
    }
}
