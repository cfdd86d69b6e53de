//! The values that a constraint leaves a symbol, where it says so plainly.

use provoke_base::Int;
use provoke_model::{BinaryOp, Value};
use rustc_hash::FxHashMap;

use crate::term::{Sort, Term, TermId, Terms};

/// What one part of a constraint says about one symbol.
pub(super) enum Bound {
    Low(Int),
    High(Int),
    OneOf(Vec<Value>),
}

/// The terms that hold together where `root` does.
pub(super) fn conjuncts(terms: &Terms, root: TermId) -> Vec<TermId> {
    operands(terms, BinaryOp::And, root)
}

/// The parts of a constraint that are more than a bound of one symbol.
pub(super) fn beyond_bounds(terms: &Terms, constraint: TermId) -> Vec<TermId> {
    let mut parts = conjuncts(terms, constraint);
    parts.retain(|part| bounded(terms, *part).is_none());
    parts
}

/// The symbol that a term compares with literals, and what is left for it.
pub(super) fn bounded(terms: &Terms, term: TermId) -> Option<(TermId, Bound)> {
    if let Term::Binary(BinaryOp::Le, a, b) = *terms.get(term) {
        return match (terms.value(a), terms.value(b)) {
            (Some(Value::Int(low)), _) if is_symbol(terms, b) => Some((b, Bound::Low(low.clone()))),
            (_, Some(Value::Int(high))) if is_symbol(terms, a) => {
                Some((a, Bound::High(high.clone())))
            }
            _ => None,
        };
    }
    let cases = operands(terms, BinaryOp::Or, term).into_iter();
    let equalities: Vec<_> = cases.map(|case| equality(terms, case)).collect::<Option<_>>()?;
    let symbol = equalities.first()?.0;
    let alike = equalities.iter().all(|(other, _)| *other == symbol);
    let mut values: Vec<Value> = Vec::new();
    for (_, value) in equalities {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    alike.then_some((symbol, Bound::OneOf(values)))
}

fn equality(terms: &Terms, term: TermId) -> Option<(TermId, Value)> {
    let Term::Binary(BinaryOp::Eq, a, b) = *terms.get(term) else { return None };
    match (terms.value(a), terms.value(b)) {
        (None, Some(value)) if is_symbol(terms, a) => Some((a, value.clone())),
        (Some(value), None) if is_symbol(terms, b) => Some((b, value.clone())),
        _ => None,
    }
}

fn is_symbol(terms: &Terms, id: TermId) -> bool {
    matches!(terms.get(id), Term::Symbol(_))
}

/// What a chain of the same operator joins, from left to right.
fn operands(terms: &Terms, op: BinaryOp, root: TermId) -> Vec<TermId> {
    let (mut open, mut found) = (vec![root], Vec::new());
    while let Some(id) = open.pop() {
        match *terms.get(id) {
            Term::Binary(found_op, a, b) if found_op == op => open.extend([b, a]),
            _ => found.push(id),
        }
    }
    found
}

/// The bounds of all symbols.
#[derive(Default)]
pub(super) struct Bounds {
    low: FxHashMap<TermId, Int>,
    high: FxHashMap<TermId, Int>,
    one_of: FxHashMap<TermId, Vec<Value>>,
}

impl Bounds {
    /// What the parts of a constraint say.
    pub(super) fn new(terms: &Terms, parts: &[TermId]) -> Bounds {
        let mut bounds = Bounds::default();
        for (symbol, bound) in parts.iter().filter_map(|part| bounded(terms, *part)) {
            match bound {
                Bound::Low(low) => {
                    let known = bounds.low.entry(symbol).or_insert_with(|| low.clone());
                    *known = low.max(known.clone());
                }
                Bound::High(high) => {
                    let known = bounds.high.entry(symbol).or_insert_with(|| high.clone());
                    *known = high.min(known.clone());
                }
                Bound::OneOf(values) => {
                    let known = bounds.one_of.entry(symbol).or_insert_with(|| values.clone());
                    known.retain(|value| values.contains(value));
                }
            }
        }
        bounds
    }

    /// The values of a symbol, perhaps too many; `None` if they are more than `most`.
    pub(super) fn values(&self, terms: &Terms, symbol: TermId, most: u64) -> Option<Vec<Value>> {
        if terms.sort(symbol) == Sort::Bool {
            return Some(vec![Value::Bool(false), Value::Bool(true)]);
        }
        if let Some(values) = self.one_of.get(&symbol) {
            return Some(values.clone());
        }
        let (low, high) = (self.low.get(&symbol)?, self.high.get(&symbol)?);
        let last = high.sub(low).to_i64().filter(|last| *last < most as i64)?;
        Some((0..=last).map(|offset| Value::Int(low.add(&Int::from(offset)))).collect())
    }
}
