//! Terms against the operators of the model.

mod common;

use common::random::{Built, assignment, cases, steps};
use proptest::prelude::*;
use provoke_base::Rational;
use provoke_model::{BinaryOp, Value};
use provoke_solve::{Sort, Term, Terms};
use rustc_hash::FxHashMap;

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn simplification_keeps_every_value(steps in steps(60), values in assignment()) {
        let built = Built::new(&steps, &values, false);
        for (term, expected) in built.all.iter().filter(|(_, value)| value.is_known()) {
            let value = built.terms.evaluate(*term, |id| values[built.position(id)].clone());
            prop_assert_eq!(&value, expected);
        }
    }

    #[test]
    fn substituting_literals_evaluates(steps in steps(60), values in assignment()) {
        let mut built = Built::new(&steps, &values, false);
        let symbols = built.symbols.clone();
        let literals: FxHashMap<_, _> = symbols.into_iter().zip(values)
            .map(|(symbol, value)| (symbol, built.terms.constant(value)))
            .collect();
        for (term, expected) in built.all.iter().filter(|(_, value)| value.is_known()) {
            let literal = built.terms.substitute(*term, &literals);
            prop_assert_eq!(built.terms.value(literal), Some(expected));
        }
    }
}

#[test]
fn literals_fold_as_the_operators_say() {
    let mut terms = Terms::new();
    let reals = ["-5/2", "0", "1/3"].map(|text| Value::Real(Rational::parse(text).unwrap()));
    let groups = [
        [false, true].map(Value::Bool).to_vec(),
        [-7, -2, 0, 2, 3, i64::MAX].map(Value::from).to_vec(),
        reals.to_vec(),
    ];
    let mut folded = 0;
    for (op, group) in BinaryOp::ALL.iter().flat_map(|op| groups.iter().map(move |g| (op, g))) {
        let allowed = match group[0] {
            Value::Bool(_) => op.is_logical() || matches!(op, BinaryOp::Eq | BinaryOp::Ne),
            Value::Int(_) => !op.is_logical() && *op != BinaryOp::Div,
            _ => !op.is_logical() && !op.is_integral(),
        };
        for (a, b) in group.iter().flat_map(|a| group.iter().map(move |b| (a, b))) {
            if allowed {
                let ids = [a, b].map(|value| terms.constant(value.clone()));
                let term = terms.binary(*op, ids[0], ids[1]);
                assert_eq!(terms.value(term).cloned(), op.apply(a, b).ok());
                folded += 1;
            }
        }
    }
    assert!(folded > 400, "only {folded} pairs");
}

#[test]
fn a_division_by_zero_stays_a_division() {
    let mut terms = Terms::new();
    let (one, zero) = (terms.int(1), terms.int(0));
    let quotient = terms.int_div(one, zero);
    assert_eq!(*terms.get(quotient), Term::Binary(BinaryOp::IntDiv, one, zero));
    assert_eq!(terms.evaluate(quotient, |_| Value::Unknown), Value::Unknown);
    let selected = terms.bool(true);
    assert_eq!(terms.ite(selected, one, quotient), one);
}

#[test]
fn equal_terms_are_stored_once() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::Int));
    assert_eq!(terms.symbol("x", Sort::Int), x);
    assert_eq!(terms.add(x, y), terms.add(y, x));
    assert_ne!(terms.sub(x, y), terms.sub(y, x));
    assert_eq!(terms.gt(x, y), terms.lt(y, x));
    let (less, equal) = (terms.lt(x, y), terms.eq(x, y));
    let unequal = terms.not(equal);
    assert_eq!(terms.ne(y, x), unequal);
    assert_eq!(terms.not(unequal), equal);
    let not_less = terms.not(less);
    assert_eq!(terms.ite(not_less, x, y), terms.ite(less, y, x));
    let never = terms.bool(false);
    assert_eq!(terms.and(not_less, less), never);
}

#[test]
fn lists_of_any_length_are_joined() {
    let mut terms = Terms::new();
    let symbols: Vec<_> = (0..1000).map(|i| terms.symbol(&format!("p{i}"), Sort::Bool)).collect();
    let (all, any) = (terms.all(&symbols), terms.any(&symbols));
    assert_eq!(terms.evaluate(all, |_| Value::Bool(true)), Value::Bool(true));
    assert_eq!(terms.evaluate(any, |_| Value::Bool(false)), Value::Bool(false));
    assert_eq!(terms.symbols_in(&[all]).len(), 1000);
    assert_eq!(terms.all(&[]), terms.bool(true));
    assert_eq!(terms.any(&[]), terms.bool(false));
}

#[test]
#[should_panic(expected = "ill-sorted term: Int + Real")]
fn mixing_sorts_is_a_mistake_of_the_caller() {
    let mut terms = Terms::new();
    let (x, y) = (terms.symbol("x", Sort::Int), terms.symbol("y", Sort::Real));
    terms.add(x, y);
}
