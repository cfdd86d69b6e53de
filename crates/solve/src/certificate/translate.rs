//! From the terms of a proof to terms that can be written over names.
//!
//! Symbols are called as they will be written. In a later state `first` is false. Enumerations are
//! integers in proofs, and have no order in a model: what compares them becomes a choice among
//! their constants.

use provoke_model::{BinaryOp, EnumId, Type, Value};
use rustc_hash::FxHashMap;

use super::names::{CertificateNames, sort};
use crate::term::{Sort, Term, TermId, Terms};

pub(super) struct Translation<'a> {
    names: &'a CertificateNames<'a>,
    from: &'a Terms,
    into: Terms,
    done: FxHashMap<TermId, TermId>,
    /// The enumerations among the symbols: their texts and types.
    enums: FxHashMap<TermId, (String, EnumId)>,
}

impl<'a> Translation<'a> {
    pub(super) fn new(names: &'a CertificateNames<'a>, from: &'a Terms) -> Translation<'a> {
        let (done, enums) = (FxHashMap::default(), FxHashMap::default());
        Translation { names, from, into: Terms::new(), done, enums }
    }

    /// The terms that all translations belong to.
    pub(super) fn finish(self) -> Terms {
        self.into
    }

    /// A term over names; `None` if it speaks of something that has none.
    pub(super) fn term(&mut self, root: TermId) -> Option<TermId> {
        for id in self.from.reachable(&[root], |id| self.done.contains_key(&id)) {
            let new = self.one(id)?;
            self.done.insert(id, new);
        }
        Some(self.done[&root])
    }

    fn one(&mut self, id: TermId) -> Option<TermId> {
        Some(match *self.from.get(id) {
            Term::Const(ref value) => self.into.constant(value.clone()),
            Term::Symbol(symbol) => self.symbol(id, &self.from.symbol_of(symbol).name)?,
            Term::Unary(op, a) => self.into.unary(op, self.done[&a]),
            Term::Binary(op, a, b) => match self.comparison(op, a, b) {
                Some(choice) => choice,
                None => {
                    let (left, right) = (self.done[&a], self.done[&b]);
                    // What is divided by zero is anything to a solver and an error in a model.
                    if op.divides()
                        && (self.into.value(right).is_none() || self.into.is_zero(right))
                    {
                        return None;
                    }
                    self.into.binary(op, left, right)
                }
            },
            Term::Ite(c, a, b) => self.into.ite(self.done[&c], self.done[&a], self.done[&b]),
        })
    }

    fn symbol(&mut self, id: TermId, name: &str) -> Option<TermId> {
        if name == "first" {
            return Some(self.into.bool(false));
        }
        let (text, ty) = self.names.memory(name)?;
        match (sort(ty), ty) {
            (Some(sort), _) => Some(self.into.symbol(&text, sort)),
            (None, Type::Enum(of)) => {
                self.enums.insert(id, (text, of));
                Some(self.ordinal(id))
            }
            (None, _) => None,
        }
    }

    /// A comparison of enumerations, as a choice among constants.
    fn comparison(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        if !matches!(op, BinaryOp::Eq | BinaryOp::Lt | BinaryOp::Le) {
            return None;
        }
        let constant = |id: TermId| self.from.value(id).cloned();
        match (self.enums.get(&a), self.enums.get(&b), constant(a), constant(b)) {
            (Some((left, of)), Some((right, other)), ..) if op == BinaryOp::Eq && of == other => {
                let text = format!("({left} = {right})");
                Some(self.into.symbol(&text, Sort::Bool))
            }
            (Some((_, of)), None, _, Some(value)) => {
                Some(self.one_of(a, *of, |ordinal| op.apply(ordinal, &value).ok()))
            }
            (None, Some((_, of)), Some(value), _) => {
                Some(self.one_of(b, *of, |ordinal| op.apply(&value, ordinal).ok()))
            }
            _ => None,
        }
    }

    /// Whether a symbol is one of the constants for which `holds` is true.
    fn one_of(
        &mut self,
        symbol: TermId,
        of: EnumId,
        holds: impl Fn(&Value) -> Option<Value>,
    ) -> TermId {
        let count = self.names.system.enums[of].constants.len();
        let is = |ordinal: &usize| holds(&Value::from(*ordinal as i64)) == Some(Value::Bool(true));
        let (inside, outside): (Vec<usize>, Vec<usize>) = (0..count).partition(is);
        let few = if inside.len() <= outside.len() { &inside } else { &outside };
        let each: Vec<TermId> = few.iter().map(|ordinal| self.is(symbol, *ordinal)).collect();
        let any = self.into.any(&each);
        if inside.len() <= outside.len() { any } else { self.into.not(any) }
    }

    /// The position of a symbol's constant, for what calculates with it.
    fn ordinal(&mut self, symbol: TermId) -> TermId {
        let of = self.enums[&symbol].1;
        let last = self.names.system.enums[of].constants.len() - 1;
        let mut chain = self.into.int(last as i64);
        for ordinal in (0..last).rev() {
            let here = self.is(symbol, ordinal);
            let number = self.into.int(ordinal as i64);
            chain = self.into.ite(here, number, chain);
        }
        chain
    }

    fn is(&mut self, symbol: TermId, ordinal: usize) -> TermId {
        let (text, of) = &self.enums[&symbol];
        let text = format!("({text} = {})", self.names.constant(*of, ordinal));
        self.into.symbol(&text, Sort::Bool)
    }
}
