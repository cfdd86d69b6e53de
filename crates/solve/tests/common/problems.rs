//! Problems that every solver must answer alike.

use provoke_base::{Int, Rational};
use provoke_model::{BinaryOp, Value};
use provoke_solve::{Limit, Solver, SolverAnswer, Sort, TermId, Terms};

use super::random::Built;

fn check(solver: &mut dyn Solver, terms: &Terms, assumptions: &[TermId]) -> SolverAnswer {
    solver.check(terms, assumptions, Limit::default())
}

pub(crate) fn linear_integers_have_exact_values(solver: &mut dyn Solver) {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::Int));
    let big = terms.constant(Value::Int(Int::parse("100000000000000000000000000").unwrap()));
    let (sum, difference) = (terms.add(x, y), terms.sub(x, y));
    let two = terms.int(2);
    let equations = [terms.eq(sum, big), terms.eq(difference, two)];
    equations.iter().for_each(|equation| solver.assert(&terms, *equation));
    assert_eq!(check(solver, &terms, &[]), SolverAnswer::Sat);
    let show = |value: Option<Value>| format!("{value:?}");
    assert_eq!(show(solver.value(&terms, x)), "Some(Int(50000000000000000000000001))");
    assert_eq!(show(solver.value(&terms, y)), "Some(Int(49999999999999999999999999))");
    let larger = terms.lt(x, y);
    assert_eq!(check(solver, &terms, &[larger]), SolverAnswer::Unsat);
    assert_eq!(solver.core(), [larger]);
    assert_eq!(solver.value(&terms, x), None);
}

pub(crate) fn reals_are_rationals(solver: &mut dyn Solver) {
    let mut terms = Terms::new();
    let x = terms.symbol("x", Sort::Real);
    let third = terms.real(Rational::parse("-1/3").unwrap());
    let thrice = terms.add(x, x);
    let thrice = terms.add(thrice, x);
    let same = terms.eq(thrice, third);
    solver.assert(&terms, same);
    assert_eq!(check(solver, &terms, &[]), SolverAnswer::Sat);
    let ninth = Rational::parse("-1/9").unwrap();
    assert_eq!(solver.value(&terms, x), Some(Value::Real(ninth)));
    let floor = terms.floor(x);
    assert_eq!(solver.value(&terms, floor), Some(Value::from(-1)));
    let zero = terms.int(0);
    let whole = terms.eq(floor, zero);
    assert_eq!(check(solver, &terms, &[whole]), SolverAnswer::Unsat);
}

pub(crate) fn division_is_euclidean(solver: &mut dyn Solver) {
    let mut terms = Terms::new();
    let x = terms.symbol("x", Sort::Int);
    for (a, b) in [(7, 2), (-7, 2), (7, -2), (-7, -2), (-6, 3), (0, -5), (-1, i64::MAX)] {
        let (value, divisor) = (terms.int(a), terms.int(b));
        let fixed = terms.eq(x, value);
        let (quotient, remainder) = (terms.int_div(x, divisor), terms.modulo(x, divisor));
        assert_eq!(check(solver, &terms, &[fixed]), SolverAnswer::Sat);
        for (op, term) in [(BinaryOp::IntDiv, quotient), (BinaryOp::Mod, remainder)] {
            let expected = op.apply(&Value::from(a), &Value::from(b)).ok();
            assert_eq!(solver.value(&terms, term), expected, "{a} {} {b}", op.symbol());
        }
        // The value above may be computed from that of x; this one is the solver's own.
        let expected = terms.int(a.div_euclid(b));
        let other = terms.ne(quotient, expected);
        assert_eq!(check(solver, &terms, &[fixed, other]), SolverAnswer::Unsat, "{a} div {b}");
    }
}

pub(crate) fn a_core_names_only_what_contradicts(solver: &mut dyn Solver) {
    let mut terms = Terms::new();
    let [p, q, r] = ["p", "q", "r"].map(|name| terms.symbol(name, Sort::Bool));
    let x = terms.symbol("x", Sort::Int);
    let [one, five] = [1, 5].map(|value| terms.int(value));
    let implication = terms.implies(p, q);
    solver.assert(&terms, implication);
    let not_q = terms.not(q);
    let (small, large) = (terms.lt(x, one), terms.gt(x, five));
    assert_eq!(check(solver, &terms, &[r, p, small, not_q]), SolverAnswer::Unsat);
    assert_eq!(solver.core(), [p, not_q]);
    assert_eq!(check(solver, &terms, &[r, p, small, large]), SolverAnswer::Unsat);
    assert_eq!(solver.core(), [small, large]);
    assert_eq!(check(solver, &terms, &[r, p, small, small]), SolverAnswer::Sat);
    assert_eq!(solver.core(), []);
    let (always, never) = (terms.bool(true), terms.bool(false));
    assert_eq!(check(solver, &terms, &[always, p, never]), SolverAnswer::Unsat);
    assert_eq!(solver.core(), [never]);
}

pub(crate) fn assumptions_are_forgotten_and_assertions_are_not(solver: &mut dyn Solver) {
    let mut terms = Terms::new();
    let x = terms.symbol("x", Sort::Int);
    for bound in 0..20 {
        let literal = terms.int(bound);
        let (above, below) = (terms.gt(x, literal), terms.lt(x, literal));
        solver.assert(&terms, above);
        assert_eq!(check(solver, &terms, &[below]), SolverAnswer::Unsat);
        assert_eq!(check(solver, &terms, &[]), SolverAnswer::Sat);
    }
    let unused = terms.symbol("unused", Sort::Real);
    assert!(solver.value(&terms, unused).is_some());
    let never = terms.bool(false);
    solver.assert(&terms, never);
    assert_eq!(check(solver, &terms, &[]), SolverAnswer::Unsat);
    assert_eq!(solver.core(), []);
}

pub(crate) fn products_of_unknowns_are_solved(solver: &mut dyn Solver) {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::Int));
    let [product, two, big] = [terms.mul(x, y), terms.int(2), terms.int(91)];
    let parts = [terms.eq(product, big), terms.le(two, x), terms.lt(x, y)];
    parts.iter().for_each(|part| solver.assert(&terms, *part));
    assert_eq!(check(solver, &terms, &[]), SolverAnswer::Sat);
    assert_eq!(solver.value(&terms, x), Some(Value::from(7)));
    assert_eq!(solver.value(&terms, y), Some(Value::from(13)));
    let even = terms.modulo(x, two);
    let zero = terms.int(0);
    let even = terms.eq(even, zero);
    assert_eq!(check(solver, &terms, &[even]), SolverAnswer::Unsat);
    assert_eq!(solver.core(), [even]);
}

pub(crate) fn an_irrational_value_is_none(solver: &mut dyn Solver) {
    let mut terms = Terms::new();
    let x = terms.symbol("x", Sort::Real);
    let two = terms.real(Rational::parse("2").unwrap());
    let square = terms.mul(x, x);
    let root = terms.eq(square, two);
    solver.assert(&terms, root);
    assert_eq!(check(solver, &terms, &[]), SolverAnswer::Sat);
    assert_eq!(solver.value(&terms, x), None);
}

/// With all symbols fixed, the solver computes what the operators of the model compute.
pub(crate) fn agrees_on_values(solver: &mut dyn Solver, mut built: Built) {
    for index in 0..built.symbols.len() {
        let (symbol, value) = built.all[index].clone();
        let literal = built.terms.constant(value);
        let fixed = built.terms.eq(symbol, literal);
        solver.assert(&built.terms, fixed);
    }
    for (term, value) in &built.all.clone() {
        if !value.is_known() {
            continue;
        }
        let literal = built.terms.constant(value.clone());
        let other = built.terms.ne(*term, literal);
        assert_eq!(check(solver, &built.terms, &[other]), SolverAnswer::Unsat, "{value:?}");
    }
    assert_eq!(check(solver, &built.terms, &[]), SolverAnswer::Sat);
    for (term, value) in built.all.iter().filter(|(_, value)| value.is_known()) {
        assert_eq!(solver.value(&built.terms, *term).as_ref(), Some(value));
    }
}

/// A solution satisfies what was asked for; what has none, the known assignment does not
/// satisfy either.
pub(crate) fn solutions_satisfy_the_formulas(solver: &mut dyn Solver, built: &Built) {
    let terms = &built.terms;
    for formula in built.formulas() {
        match check(solver, terms, &[formula]) {
            SolverAnswer::Sat => {
                let values: Vec<_> =
                    built.symbols.iter().map(|id| solver.value(terms, *id).unwrap()).collect();
                let value = terms.evaluate(formula, |id| values[built.position(id)].clone());
                assert_eq!(value, Value::Bool(true));
                for (term, _) in &built.all {
                    let own = terms.evaluate(*term, |id| values[built.position(id)].clone());
                    assert_eq!(solver.value(terms, *term), Some(own));
                }
            }
            SolverAnswer::Unsat => {
                let known = |id| built.all[built.position(id)].1.clone();
                assert_eq!(terms.evaluate(formula, known), Value::Bool(false));
            }
            SolverAnswer::Unknown(reason) => panic!("{reason:?}"),
        }
    }
}

/// `holes + 1` pigeons in `holes` holes: impossible, and hard to see without counting.
pub(crate) fn pigeons(terms: &mut Terms, holes: usize) -> TermId {
    let mut sits =
        |pigeon: usize, hole: usize| terms.symbol(&format!("p{pigeon}h{hole}"), Sort::Bool);
    let grid: Vec<Vec<_>> =
        (0..=holes).map(|pigeon| (0..holes).map(|hole| sits(pigeon, hole)).collect()).collect();
    let mut parts: Vec<_> = grid.iter().map(|row| terms.any(row)).collect();
    for (one, other) in (0..=holes).flat_map(|one| (0..one).map(move |other| (one, other))) {
        for (a, b) in grid[one].iter().zip(&grid[other]) {
            let both = terms.and(*a, *b);
            parts.push(terms.not(both));
        }
    }
    terms.all(&parts)
}

/// `x^3 + y^3 + z^3 = sum`, for some sums an open problem for decades.
pub(crate) fn cubes(terms: &mut Terms, sum: i64) -> TermId {
    let cubes = ["x", "y", "z"].map(|name| {
        let x = terms.symbol(name, Sort::Int);
        let square = terms.mul(x, x);
        terms.mul(square, x)
    });
    let two = terms.add(cubes[0], cubes[1]);
    let three = terms.add(two, cubes[2]);
    let sum = terms.int(sum);
    terms.eq(three, sum)
}
