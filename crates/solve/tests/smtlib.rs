//! Yices over SMT-LIB, when it is installed.

mod common;

use std::path::Path;
use std::time::Duration;

use common::problems;
use common::random::{Built, assignment, cases, steps};
use proptest::prelude::*;
use provoke_model::Value;
use provoke_solve::{Limit, SmtLib, Solver, SolverAnswer, Sort, Terms, UnknownReason};

macro_rules! on_yices {
    ($($problem:ident)+) => {$(
        #[test]
        fn $problem() {
            if let Some(mut yices) = common::yices() {
                problems::$problem(&mut yices);
            }
        }
    )+};
}

on_yices! {
    linear_integers_have_exact_values
    reals_are_rationals
    division_is_euclidean
    a_core_names_only_what_contradicts
    assumptions_are_forgotten_and_assertions_are_not
    products_of_unknowns_are_solved
    an_irrational_value_is_none
}

#[test]
fn a_program_that_is_no_solver_is_a_crash() {
    let mut terms = Terms::new();
    let p = terms.symbol("p", Sort::Bool);
    for program in ["/nowhere/yices", "false", "cat"] {
        let mut solver = SmtLib::yices(Path::new(program));
        solver.assert(&terms, p);
        let answer = solver.check(&terms, &[], Limit::time(Duration::from_secs(5)));
        assert!(
            matches!(answer, SolverAnswer::Unknown(UnknownReason::Crashed(_))),
            "{program}: {answer:?}"
        );
        assert_eq!(solver.value(&terms, p), None);
    }
}

#[test]
fn a_solver_that_died_is_started_again_with_all_that_was_asserted() {
    let Some(mut yices) = common::yices() else { return };
    let mut terms = Terms::new();
    let x = terms.symbol("x", Sort::Int);
    let zero = terms.int(0);
    let (positive, negative) = (terms.gt(x, zero), terms.lt(x, zero));
    yices.assert(&terms, positive);
    assert_eq!(yices.check(&terms, &[], Limit::default()), SolverAnswer::Sat);
    // Products of unknowns need another logic, and so a new process.
    let square = terms.mul(x, x);
    let four = terms.int(4);
    let two = terms.eq(square, four);
    assert_eq!(yices.check(&terms, &[two], Limit::default()), SolverAnswer::Sat);
    assert_eq!(yices.value(&terms, x), Some(Value::from(2)));
    assert_eq!(yices.check(&terms, &[negative], Limit::default()), SolverAnswer::Unsat);
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn values_are_those_of_the_model(steps in steps(30), values in assignment()) {
        if let Some(mut yices) = common::yices() {
            problems::agrees_on_values(&mut yices, Built::new(&steps, &values, true));
        }
    }

    #[test]
    fn solutions_satisfy_the_formulas(steps in steps(30), values in assignment()) {
        if let Some(mut yices) = common::yices() {
            problems::solutions_satisfy_the_formulas(&mut yices, &Built::new(&steps, &values, true));
        }
    }
}
