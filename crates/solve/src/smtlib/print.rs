//! Terms as SMT-LIB text, one definition for each, so that shared terms are written once.

use std::fmt::Write;

use provoke_base::index::Id;
use provoke_base::{Int, Rational};
use provoke_model::{BinaryOp, UnaryOp, Value};
use rustc_hash::FxHashSet;

use crate::term::{Sort, SymbolId, Term, TermId, Terms};

/// What was written already.
#[derive(Default)]
pub(super) struct Printer {
    written: FxHashSet<TermId>,
    symbols: Vec<SymbolId>,
}

impl Printer {
    /// Whether `id` was written.
    pub(super) fn has(&self, id: TermId) -> bool {
        self.written.contains(&id)
    }

    /// The symbols that were declared.
    pub(super) fn symbols(&self) -> &[SymbolId] {
        &self.symbols
    }

    /// Writes the declarations and definitions that `root` needs and that are not written yet.
    pub(super) fn define(&mut self, out: &mut String, terms: &Terms, root: TermId) {
        for id in terms.reachable(&[root], |id| self.written.contains(&id)) {
            self.written.insert(id);
            let name = self.name(terms, id);
            let sort = sort(terms.sort(id));
            match *terms.get(id) {
                Term::Const(_) => continue,
                Term::Symbol(symbol) => {
                    self.symbols.push(symbol);
                    write!(out, "(declare-fun {name} () {sort})")
                }
                Term::Unary(op, a) => {
                    let a = self.name(terms, a);
                    write!(out, "(define-fun {name} () {sort} ({} {a}))", unary(op))
                }
                Term::Binary(op, a, b) => {
                    let (a, b) = (self.name(terms, a), self.name(terms, b));
                    write!(out, "(define-fun {name} () {sort} ({} {a} {b}))", binary(op))
                }
                Term::Ite(a, b, c) => {
                    let [a, b, c] = [a, b, c].map(|id| self.name(terms, id));
                    write!(out, "(define-fun {name} () {sort} (ite {a} {b} {c}))")
                }
            }
            .expect("a string takes everything");
            out.push('\n');
        }
    }

    /// How a term is referred to once it is defined.
    pub(super) fn name(&self, terms: &Terms, id: TermId) -> String {
        match terms.get(id) {
            Term::Const(value) => literal(value),
            Term::Symbol(id) => symbol(*id),
            _ => format!("t{}", id.index()),
        }
    }
}

/// How a symbol is written: by number, since users' names need not be SMT-LIB symbols.
pub(super) fn symbol(id: SymbolId) -> String {
    format!("s{}", id.index())
}

/// Whether it multiplies unknowns or divides by one.
pub(super) fn is_nonlinear(terms: &Terms, id: TermId) -> bool {
    let unknown = |id| terms.value(id).is_none();
    match *terms.get(id) {
        Term::Binary(BinaryOp::Mul, a, b) => unknown(a) && unknown(b),
        Term::Binary(BinaryOp::Div | BinaryOp::IntDiv | BinaryOp::Mod, _, b) => {
            unknown(b) || terms.is_zero(b)
        }
        _ => false,
    }
}

fn sort(sort: Sort) -> &'static str {
    match sort {
        Sort::Bool => "Bool",
        Sort::Int => "Int",
        Sort::Real => "Real",
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => signed(value, ""),
        Value::Real(value) => fraction(value),
        Value::Unknown | Value::Enum(_) => panic!("no literal of a term: {value:?}"),
    }
}

fn fraction(value: &Rational) -> String {
    let (numerator, denominator) = value.parts();
    if denominator == Int::from(1) {
        signed(&numerator, ".0")
    } else {
        format!("(/ {} {denominator}.0)", signed(&numerator, ".0"))
    }
}

fn signed(value: &Int, suffix: &str) -> String {
    if *value < Int::ZERO {
        format!("(- {}{suffix})", value.neg())
    } else {
        format!("{value}{suffix}")
    }
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Not => "not",
        UnaryOp::Neg => "-",
        UnaryOp::ToReal => "to_real",
        UnaryOp::Floor => "to_int",
        UnaryOp::Wrap(_) | UnaryOp::BitNot(_) | UnaryOp::Clamp(_) | UnaryOp::Round(_) => {
            panic!("terms are not stored with `{}`", op.symbol())
        }
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Eq => "=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::IntDiv => "div",
        BinaryOp::Mod => "mod",
        _ => panic!("terms are not stored with `{}`", op.symbol()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(terms: &Terms, roots: &[TermId]) -> String {
        let (mut out, mut printer) = (String::new(), Printer::default());
        for root in roots {
            printer.define(&mut out, terms, *root);
        }
        out
    }

    #[test]
    fn every_term_is_written_once() {
        let mut terms = Terms::new();
        let x = terms.symbol("x", Sort::Int);
        let minus = terms.int(-7);
        let quotient = terms.int_div(x, minus);
        let small = terms.lt(quotient, x);
        let chosen = terms.ite(small, x, quotient);
        let expected = "(declare-fun s0 () Int)\n\
             (define-fun t2 () Int (div s0 (- 7)))\n\
             (define-fun t3 () Bool (< t2 s0))\n\
             (define-fun t4 () Int (ite t3 s0 t2))\n";
        assert_eq!(written(&terms, &[chosen, small, chosen]), expected);
    }

    #[test]
    fn a_term_shared_a_thousand_times_over_stays_short() {
        let mut terms = Terms::new();
        let mut sum = terms.symbol("x", Sort::Int);
        for _ in 0..1000 {
            sum = terms.add(sum, sum);
        }
        assert_eq!(written(&terms, &[sum]).lines().count(), 1001);
    }

    #[test]
    fn literals_are_exact() {
        let real = |text| Value::Real(Rational::parse(text).unwrap());
        assert_eq!(literal(&real("-1/3")), "(/ (- 1.0) 3.0)");
        assert_eq!(literal(&real("2")), "2.0");
        assert_eq!(literal(&Value::from(i64::MIN)), "(- 9223372036854775808)");
    }
}
