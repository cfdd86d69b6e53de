//! Linear equations that all samples obey, and that weaken when a counterexample comes.

use provoke_base::{Int, Rational};
use provoke_model::Value;

use crate::term::{Sort, TermId, Terms};

/// Coefficients longer than this do not come from a model.
const MAX_COEFFICIENT_BITS: usize = 32;

/// The affine hull of the samples seen so far in some columns.
#[derive(Clone, Debug)]
pub(super) struct Affine {
    /// Numbers, or truth values that count as zero and one.
    symbols: Vec<TermId>,
    sort: Sort,
    /// Where the equations are to hold; `None` everywhere.
    guard: Option<TermId>,
    /// Rows `(1, values...)` in reduced echelon form; each with the place of its leading one.
    rows: Vec<(usize, Vec<Rational>)>,
}

impl Affine {
    /// The empty hull over these columns.
    pub(super) fn new(symbols: Vec<TermId>, sort: Sort) -> Affine {
        Affine { symbols, sort, guard: None, rows: Vec::new() }
    }

    /// The same hull, for the states in which `guard` holds.
    pub(super) fn under(self, guard: TermId) -> Affine {
        Affine { guard: Some(guard), ..self }
    }

    /// Where the equations are to hold.
    pub(super) fn guard(&self) -> Option<TermId> {
        self.guard
    }

    /// The columns.
    pub(super) fn symbols(&self) -> &[TermId] {
        &self.symbols
    }

    /// Adds a sample; whether the hull grew.
    pub(super) fn add<'v>(&mut self, sample: impl IntoIterator<Item = &'v Value>) -> bool {
        let mut row = vec![Rational::from(&Int::from(1))];
        row.extend(sample.into_iter().filter_map(number));
        if row.len() != self.symbols.len() + 1 {
            return false;
        }
        for (lead, other) in &self.rows {
            subtract(&mut row, *lead, other);
        }
        let Some(lead) = row.iter().position(|entry| !entry.is_zero()) else { return false };
        let scale = row[lead].clone();
        let divide = |entry: &Rational| entry.div(&scale).expect("the leading entry is not zero");
        let row: Vec<_> = row.iter().map(divide).collect();
        for (_, other) in &mut self.rows {
            subtract(other, lead, &row);
        }
        self.rows.push((lead, row));
        true
    }

    /// The equations of the hull: one for each column that leads no row.
    pub(super) fn equations(&self, terms: &mut Terms) -> Vec<TermId> {
        let width = self.symbols.len() + 1;
        let leads = |column: &usize| self.rows.iter().any(|(lead, _)| lead == column);
        let free: Vec<_> = (0..width).filter(|column| !leads(column)).collect();
        let equations = free.into_iter().filter_map(|column| self.equation(terms, column));
        let equations: Vec<TermId> = equations.collect();
        match self.guard {
            None => equations,
            Some(guard) => equations.into_iter().map(|each| terms.implies(guard, each)).collect(),
        }
    }

    /// The vector that is orthogonal to all rows, one in the free `column`.
    fn equation(&self, terms: &mut Terms, column: usize) -> Option<TermId> {
        let mut vector = vec![Rational::from(&Int::ZERO); self.symbols.len() + 1];
        vector[column] = Rational::from(&Int::from(1));
        for (lead, row) in &self.rows {
            vector[*lead] = row[column].neg();
        }
        let whole = without_fractions(&vector)?;
        self.sum_is_zero(terms, &whole)
    }

    fn sum_is_zero(&self, terms: &mut Terms, vector: &[Int]) -> Option<TermId> {
        let mut sum = self.literal(terms, &vector[0]);
        for (&symbol, coefficient) in self.symbols.iter().zip(&vector[1..]) {
            if coefficient.is_zero() {
                continue;
            }
            let factor = self.literal(terms, coefficient);
            let summand = if terms.sort(symbol) == Sort::Bool {
                let zero = self.literal(terms, &Int::ZERO);
                terms.ite(symbol, factor, zero)
            } else {
                terms.mul(factor, symbol)
            };
            sum = terms.add(sum, summand);
        }
        let zero = self.literal(terms, &Int::ZERO);
        Some(terms.eq(sum, zero))
    }

    fn literal(&self, terms: &mut Terms, value: &Int) -> TermId {
        match self.sort {
            Sort::Real => terms.real(Rational::from(value)),
            _ => terms.constant(Value::Int(value.clone())),
        }
    }
}

/// A known value as a number.
pub(super) fn number(value: &Value) -> Option<Rational> {
    match value {
        Value::Bool(value) => Some(Rational::from(&Int::from(i64::from(*value)))),
        Value::Int(value) => Some(Rational::from(value)),
        Value::Real(value) => Some(value.clone()),
        Value::Unknown | Value::Enum(_) => None,
    }
}

/// Makes the entry at `lead` zero.
fn subtract(row: &mut [Rational], lead: usize, other: &[Rational]) {
    let factor = row[lead].clone();
    if !factor.is_zero() {
        for (entry, by) in row.iter_mut().zip(other) {
            *entry = entry.sub(&factor.mul(by));
        }
    }
}

/// The vector times the product of its distinct denominators; `None` if that gets long.
fn without_fractions(vector: &[Rational]) -> Option<Vec<Int>> {
    let mut scale = Int::from(1);
    for entry in vector {
        let scaled = entry.mul(&Rational::from(&scale));
        scale = scale.mul(&scaled.parts().1);
        if scale.bits() > MAX_COEFFICIENT_BITS {
            return None;
        }
    }
    let scale = Rational::from(&scale);
    let whole: Vec<Int> = vector.iter().map(|entry| entry.mul(&scale).parts().0).collect();
    whole.iter().all(|entry| entry.bits() <= MAX_COEFFICIENT_BITS).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conserved_sums_are_found_and_given_up() {
        let mut terms = Terms::new();
        let symbols = ["x", "y", "z"].map(|name| terms.symbol(name, Sort::Int)).to_vec();
        let mut hull = Affine::new(symbols.clone(), Sort::Int);
        for row in [[3, 0, 1], [2, 1, 4], [0, 3, 2]] {
            hull.add(&row.map(Value::from));
        }
        let equations = hull.equations(&mut terms);
        assert_eq!(equations.len(), 1);
        let holds = |terms: &Terms, equation, row: [i64; 3]| {
            terms.evaluate(equation, |symbol| {
                let index = symbols.iter().position(|&s| terms.symbols_in(&[s]) == [symbol]);
                Value::from(row[index.unwrap()])
            })
        };
        assert_eq!(holds(&terms, equations[0], [1, 2, 77]), Value::Bool(true));
        assert_eq!(holds(&terms, equations[0], [1, 1, 0]), Value::Bool(false));
        assert!(!hull.add(&[1, 2, 5].map(Value::from)));
        assert!(hull.add(&[0, 0, 0].map(Value::from)));
        assert!(hull.equations(&mut terms).is_empty());
    }
}
