//! Values in one word each, so that runs are quickly compared.

use std::collections::HashMap;

use provoke_model::Type;

use crate::compact_value::CompactValue;

/// A value of a node whose type is known: a truth value is 0 or 1, a constant of an enumeration its
/// position, an integer itself. The least words are numbers of what does not fit, see [`Wides`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word(i64);

/// Less is not the integer itself.
const LEAST: i64 = i64::MIN + (1 << 32);

impl Word {
    pub(crate) const FALSE: Word = Word(0);
    pub(crate) const TRUE: Word = Word(1);
    pub(crate) const UNKNOWN: Word = Word(i64::MIN);

    /// Whether it is the value itself.
    pub(crate) fn is_small(self) -> bool {
        self.0 >= LEAST
    }

    /// The number, if it is one that fits.
    pub(crate) fn number(self) -> Option<i64> {
        self.is_small().then_some(self.0)
    }

    /// The word of a cell, if it is the value itself.
    pub(crate) fn small_of(cell: &CompactValue) -> Option<Word> {
        match *cell {
            CompactValue::Bool(value) => Some(Word::from(value)),
            CompactValue::Enum(ordinal) => Some(Word(i64::from(ordinal))),
            CompactValue::Int(number) => Word::of(number),
            CompactValue::Unknown | CompactValue::Fault(..) | CompactValue::Wide(_) => None,
        }
    }

    /// A number, if it fits.
    pub(crate) fn of(number: i64) -> Option<Word> {
        Some(Word(number)).filter(|word| word.is_small())
    }
}

impl From<bool> for Word {
    fn from(value: bool) -> Word {
        Word(i64::from(value))
    }
}

/// What does not fit into a word: each cell has one number, so equal words are equal cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wides {
    cells: Vec<CompactValue>,
    numbers: HashMap<CompactValue, i64>,
}

impl Wides {
    pub(crate) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// How many there are, for [`Wides::truncate`].
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Forgets all but the first so many.
    pub(crate) fn truncate(&mut self, len: usize) {
        for cell in self.cells.drain(len.min(self.cells.len())..) {
            self.numbers.remove(&cell);
        }
    }

    /// The word of a cell.
    pub(crate) fn word(&mut self, cell: CompactValue) -> Word {
        match (Word::small_of(&cell), cell) {
            (Some(word), _) => word,
            (None, CompactValue::Unknown) => Word::UNKNOWN,
            (None, wide) => self.number(wide),
        }
    }

    fn number(&mut self, wide: CompactValue) -> Word {
        if let Some(number) = self.numbers.get(&wide) {
            return Word(*number);
        }
        self.cells.push(wide.clone());
        let number = i64::MIN + i64::try_from(self.cells.len()).expect("it fits into memory");
        assert!(number < LEAST, "fewer than 2^32 wide values at a time");
        self.numbers.insert(wide, number);
        Word(number)
    }

    /// The cell of a word of this type.
    pub(crate) fn cell(&self, word: Word, ty: Type) -> CompactValue {
        match (self.wide(word), ty) {
            (Some(wide), _) => wide.clone(),
            _ if word == Word::UNKNOWN => CompactValue::Unknown,
            (_, Type::Bool) => CompactValue::Bool(word == Word::TRUE),
            (_, Type::Enum(_)) => CompactValue::Enum(word.0 as u32),
            _ => CompactValue::Int(word.0),
        }
    }

    fn wide(&self, word: Word) -> Option<&CompactValue> {
        let is_wide = !word.is_small() && word != Word::UNKNOWN;
        is_wide.then(|| &self.cells[(word.0 - i64::MIN - 1) as usize])
    }

    pub(crate) fn is_fault(&self, word: Word) -> bool {
        matches!(self.wide(word), Some(CompactValue::Fault(..)))
    }

    pub(crate) fn is_known(&self, word: Word) -> bool {
        word != Word::UNKNOWN && !self.is_fault(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use provoke_base::{Int, Rational};
    use provoke_model::{ExprId, Fault, Value};

    #[test]
    fn words_give_back_what_they_were_made_of_and_equal_ones_are_the_same() {
        let third = || CompactValue::from(&Value::Real(Rational::parse("1/3").unwrap()));
        let long = || CompactValue::from(&Value::Int(Int::parse("99999999999999999999").unwrap()));
        let fault = || CompactValue::Fault(Fault::DivisionByZero, provoke_base::index::Id::new(3));
        let _: fn(usize) -> ExprId = provoke_base::index::Id::new;
        let cells = [
            (CompactValue::Unknown, Type::Int),
            (CompactValue::Bool(true), Type::Bool),
            (CompactValue::Int(-7), Type::Int),
            (CompactValue::Int(i64::MIN), Type::Int),
            (CompactValue::Int(i64::MIN + 5), Type::Int),
            (third(), Type::Real),
            (long(), Type::Int),
            (fault(), Type::Real),
        ];
        let mut wides = Wides::default();
        for (cell, ty) in &cells {
            let word = wides.word(cell.clone());
            assert_eq!(wides.cell(word, *ty), *cell);
            assert_eq!(wides.word(cell.clone()), word);
            assert_eq!(wides.is_known(word), cell.is_known());
        }
        assert_eq!(wides.len(), 5);
        wides.truncate(2);
        let again = wides.word(third());
        assert_eq!((wides.len(), wides.cell(again, Type::Real)), (3, third()));
    }
}
