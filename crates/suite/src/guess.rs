//! The type of a column, guessed from its cells when no model tells it.

use std::collections::HashSet;

use provoke_model::{EnumType, Type};

use crate::error::{ReadError, excerpt};
use crate::header::is_constant_name;

/// A column with more different words than this is prose, not a signal.
const MAX_WORDS: usize = 1000;

/// What the cells of one column look like so far.
#[derive(Default)]
pub(crate) struct Guess {
    /// `true` or `false` was seen.
    truths: bool,
    /// `0` or `1` was seen, which may be truth values too.
    bits: bool,
    integers: bool,
    reals: bool,
    /// In the order of their appearance.
    words: Vec<String>,
    known: HashSet<String>,
}

/// The outcome of a guess.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Guessed {
    /// One of the types that need no declaration.
    Plain(Type),
    /// The words seen.
    Enum(EnumType),
}

impl Guess {
    /// Takes one more cell into account; fails if it does not go with those before.
    pub(crate) fn see(&mut self, text: &str) -> Result<(), ReadError> {
        let text = text.trim();
        match text {
            "" => {}
            "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => self.truths = true,
            "0" | "1" => self.bits = true,
            _ if is_integer(text) => self.integers = true,
            _ if is_number(text) => self.reals = true,
            _ => self.see_word(text)?,
        }
        let numbers = self.integers || self.reals;
        let words = !self.words.is_empty();
        if (self.truths && (numbers || words)) || (words && (numbers || self.bits)) {
            let message = format!("`{}` does not go with the cells above it", excerpt(text));
            return Err(ReadError::new(message).hint("give the model, which tells the types"));
        }
        Ok(())
    }

    fn see_word(&mut self, word: &str) -> Result<(), ReadError> {
        if self.known.contains(word) {
            return Ok(());
        }
        if !is_constant_name(word) {
            let message = format!("`{}` is no value of any type", excerpt(word));
            return Err(ReadError::new(message).hint("write true, 7, 0.5, 1/2 or a name"));
        }
        if self.words.len() == MAX_WORDS {
            let message = format!("more than {MAX_WORDS} different words are no enumeration");
            return Err(ReadError::new(message).hint("remove the column if it is a comment"));
        }
        self.known.insert(word.to_string());
        self.words.push(word.to_string());
        Ok(())
    }

    /// The type of all cells seen; an empty column may be anything, so it is Boolean.
    pub(crate) fn conclude(self, enum_name: String) -> Guessed {
        if !self.words.is_empty() {
            Guessed::Enum(EnumType { name: enum_name, constants: self.words })
        } else if self.reals {
            Guessed::Plain(Type::Real)
        } else if self.integers || (self.bits && !self.truths) {
            Guessed::Plain(Type::Int)
        } else {
            Guessed::Plain(Type::Bool)
        }
    }
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// By its looks only: to compute `1e9999` for every cell would take long.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let looks = |byte: u8| byte.is_ascii_digit() || b"+-./eE".contains(&byte);
    digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && digits.bytes().all(looks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(cells: &[&str]) -> Result<Guessed, String> {
        let mut guess = Guess::default();
        cells.iter().try_for_each(|cell| guess.see(cell)).map_err(|error| error.to_string())?;
        Ok(guess.conclude("column".into()))
    }

    #[test]
    fn types_follow_from_the_cells() {
        assert_eq!(guess(&["true", "", "0"]), Ok(Guessed::Plain(Type::Bool)));
        assert_eq!(guess(&["0", "1"]), Ok(Guessed::Plain(Type::Int)));
        assert_eq!(guess(&["1", "-7", "+3"]), Ok(Guessed::Plain(Type::Int)));
        assert_eq!(guess(&["1", "1/3"]), Ok(Guessed::Plain(Type::Real)));
        assert_eq!(guess(&["1", "2.5e-3"]), Ok(Guessed::Plain(Type::Real)));
        assert_eq!(guess(&[]), Ok(Guessed::Plain(Type::Bool)));
    }

    #[test]
    fn words_are_the_constants_of_an_enumeration_in_order_of_appearance() {
        let constants = vec!["stop".to_string(), "go".to_string()];
        let expected = EnumType { name: "column".into(), constants };
        assert_eq!(guess(&["stop", "go", " stop "]), Ok(Guessed::Enum(expected)));
    }

    #[test]
    fn cells_of_different_kinds_in_one_column_are_refused() {
        for cells in [["1", "go"], ["true", "7"], ["go", "true"], ["go", "1.5"], ["0", "go"]] {
            let message = guess(&cells).unwrap_err();
            assert_eq!(message, format!("`{}` does not go with the cells above it", cells[1]));
        }
    }
}
