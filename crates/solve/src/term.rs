//! Terms: formulas and arithmetic over named constants, shared as a graph.
//!
//! The same term is stored once, so equal ids mean equal terms, and operands always have
//! smaller ids than what they are part of.
//!
//! Division by zero is never folded: solvers leave its result unconstrained (though the same
//! for the same operands), so whoever builds a division also asserts that the divisor is not
//! zero, or selects another value with `ite` where it is.

use provoke_base::{IndexVec, Int, Rational, define_id};
use provoke_model::{BinaryOp, UnaryOp, Value};
use rustc_hash::{FxHashMap, FxHashSet};

define_id! {
    /// A term of [`Terms`].
    TermId,
    /// A named constant of [`Terms`].
    SymbolId,
}

/// What a term denotes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// A truth value.
    Bool,
    /// An unbounded integer.
    Int,
    /// An exact real.
    Real,
}

/// The forms of terms.
///
/// Of the binary operators only `and`, `or`, `=`, `<`, `<=` and the arithmetic ones are
/// stored; [`Terms::binary`] expresses the others by these.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A truth value, integer or real.
    Const(Value),
    /// A named constant, whose value the solver chooses.
    Symbol(SymbolId),
    /// An operator with one operand.
    Unary(UnaryOp, TermId),
    /// An operator with two operands.
    Binary(BinaryOp, TermId, TermId),
    /// The second operand where the first is true, the third where it is false.
    Ite(TermId, TermId, TermId),
}

impl Term {
    /// The operands in order.
    pub fn operands(&self) -> impl Iterator<Item = TermId> + use<> {
        let (a, b, c) = match *self {
            Term::Const(_) | Term::Symbol(_) => (None, None, None),
            Term::Unary(_, a) => (Some(a), None, None),
            Term::Binary(_, a, b) => (Some(a), Some(b), None),
            Term::Ite(a, b, c) => (Some(a), Some(b), Some(c)),
        };
        [a, b, c].into_iter().flatten()
    }
}

/// A named constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Its name, unique among the symbols.
    pub name: String,
    /// What it denotes.
    pub sort: Sort,
}

/// All terms of a problem.
#[derive(Debug, Default)]
pub struct Terms {
    terms: IndexVec<TermId, Term>,
    sorts: IndexVec<TermId, Sort>,
    ids: FxHashMap<Term, TermId>,
    symbols: IndexVec<SymbolId, Symbol>,
    names: FxHashMap<String, SymbolId>,
    /// How often literals were left alone because their result would be too long.
    pub(crate) outgrown: usize,
}

impl Terms {
    /// No terms.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// The form of a term.
    pub fn get(&self, id: TermId) -> &Term {
        &self.terms[id]
    }

    /// What a term denotes.
    pub fn sort(&self, id: TermId) -> Sort {
        self.sorts[id]
    }

    /// The value of a term that is a literal.
    pub fn value(&self, id: TermId) -> Option<&Value> {
        match &self.terms[id] {
            Term::Const(value) => Some(value),
            _ => None,
        }
    }

    /// A named constant by its id.
    pub fn symbol_of(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id]
    }

    /// The literal `value`, which is a known truth value, integer or real.
    pub fn constant(&mut self, value: Value) -> TermId {
        let sort = match value {
            Value::Bool(_) => Sort::Bool,
            Value::Int(_) => Sort::Int,
            Value::Real(_) => Sort::Real,
            Value::Unknown | Value::Enum(_) => panic!("no literal of a term: {value:?}"),
        };
        self.intern(Term::Const(value), sort)
    }

    /// The literal `value`.
    pub fn bool(&mut self, value: bool) -> TermId {
        self.constant(Value::Bool(value))
    }

    /// The literal `value`.
    pub fn int(&mut self, value: i64) -> TermId {
        self.constant(Value::from(value))
    }

    /// The literal `value`.
    pub fn real(&mut self, value: Rational) -> TermId {
        self.constant(Value::Real(value))
    }

    /// The constant called `name`, declared by the first call.
    pub fn symbol(&mut self, name: &str, sort: Sort) -> TermId {
        let id = match self.names.get(name) {
            Some(&id) => id,
            None => {
                let id = self.symbols.push(Symbol { name: name.to_owned(), sort });
                self.names.insert(name.to_owned(), id);
                id
            }
        };
        assert_eq!(self.symbols[id].sort, sort, "`{name}` is declared with two sorts");
        self.intern(Term::Symbol(id), sort)
    }

    /// What the constant called `name` denotes, if there is one.
    pub(crate) fn declared(&self, name: &str) -> Option<Sort> {
        self.names.get(name).map(|id| self.symbols[*id].sort)
    }

    /// The term of a symbol that is declared already.
    pub fn symbol_term(&mut self, id: SymbolId) -> TermId {
        let sort = self.symbols[id].sort;
        self.intern(Term::Symbol(id), sort)
    }

    pub(crate) fn intern(&mut self, term: Term, sort: Sort) -> TermId {
        if let Some(&id) = self.ids.get(&term) {
            return id;
        }
        let id = self.terms.push(term.clone());
        self.sorts.push(sort);
        self.ids.insert(term, id);
        id
    }

    /// Terms of `from` as terms of this, where symbols of the same name are the same.
    pub fn import(&mut self, from: &Terms, roots: &[TermId]) -> Vec<TermId> {
        let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
        for id in from.reachable(roots, |_| false) {
            let new = match from.get(id) {
                Term::Const(value) => self.constant(value.clone()),
                Term::Symbol(symbol) => {
                    let declared = from.symbol_of(*symbol);
                    self.symbol(&declared.name, declared.sort)
                }
                Term::Unary(op, a) => self.unary(*op, known[a]),
                Term::Binary(op, a, b) => self.binary(*op, known[a], known[b]),
                Term::Ite(a, b, c) => self.ite(known[a], known[b], known[c]),
            };
            known.insert(id, new);
        }
        roots.iter().map(|root| known[root]).collect()
    }

    /// The terms that `roots` consist of, operands first, without those for which `skip`
    /// holds and what only they need.
    pub fn reachable(&self, roots: &[TermId], skip: impl Fn(TermId) -> bool) -> Vec<TermId> {
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        let mut open = roots.to_vec();
        while let Some(id) = open.pop() {
            if !skip(id) && seen.insert(id) {
                found.push(id);
                open.extend(self.terms[id].operands());
            }
        }
        found.sort_unstable();
        found
    }

    /// The symbols that occur in `roots`, in the order of their declaration.
    pub fn symbols_in(&self, roots: &[TermId]) -> Vec<SymbolId> {
        let ids = self.reachable(roots, |_| false).into_iter();
        let mut symbols: Vec<_> = ids
            .filter_map(|id| match self.terms[id] {
                Term::Symbol(symbol) => Some(symbol),
                _ => None,
            })
            .collect();
        symbols.sort_unstable();
        symbols
    }

    /// `root` with the terms that `replacements` names exchanged, all at once.
    pub fn substitute(&mut self, root: TermId, replacements: &FxHashMap<TermId, TermId>) -> TermId {
        let mut done = replacements.clone();
        for id in self.reachable(&[root], |id| replacements.contains_key(&id)) {
            let new = match *self.get(id) {
                Term::Const(_) | Term::Symbol(_) => id,
                Term::Unary(op, a) => self.unary(op, done[&a]),
                Term::Binary(op, a, b) => self.binary(op, done[&a], done[&b]),
                Term::Ite(a, b, c) => self.ite(done[&a], done[&b], done[&c]),
            };
            done.insert(id, new);
        }
        done[&root]
    }

    /// The value of `root` when the symbols have the values that `assign` gives.
    ///
    /// It is unknown where it depends on an unknown symbol or on a division by zero.
    pub fn evaluate(&self, root: TermId, assign: impl Fn(SymbolId) -> Value) -> Value {
        let mut values: FxHashMap<TermId, Value> = FxHashMap::default();
        for id in self.reachable(&[root], |_| false) {
            let value = match &self.terms[id] {
                Term::Const(value) => value.clone(),
                Term::Symbol(symbol) => assign(*symbol),
                Term::Unary(op, a) => op.apply(&values[a]),
                Term::Binary(op, a, b) => {
                    op.apply(&values[a], &values[b]).unwrap_or(Value::Unknown)
                }
                Term::Ite(a, b, c) => match values[a] {
                    Value::Bool(true) => values[b].clone(),
                    Value::Bool(false) => values[c].clone(),
                    _ if values[b] == values[c] => values[b].clone(),
                    _ => Value::Unknown,
                },
            };
            values.insert(id, value);
        }
        values.remove(&root).expect("the root is reachable from itself")
    }

    pub(crate) fn is_zero(&self, id: TermId) -> bool {
        match self.value(id) {
            Some(Value::Int(int)) => int.is_zero(),
            Some(Value::Real(real)) => real.is_zero(),
            _ => false,
        }
    }

    pub(crate) fn is_one(&self, id: TermId) -> bool {
        match self.value(id) {
            Some(Value::Int(int)) => *int == Int::from(1),
            Some(Value::Real(real)) => *real == Rational::from(&Int::from(1)),
            _ => false,
        }
    }

    /// Whether a term is this truth value.
    pub fn is_bool(&self, id: TermId, value: bool) -> bool {
        self.value(id) == Some(&Value::Bool(value))
    }
}
