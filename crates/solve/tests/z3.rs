//! Z3, when it is installed.

mod common;

use common::problems;
use common::random::{Built, assignment, cases, steps};
use proptest::prelude::*;
use provoke_solve::z3::Z3Options;
use provoke_solve::{Interrupter, Z3};

macro_rules! on_z3 {
    ($($problem:ident)+) => {$(
        #[test]
        fn $problem() {
            if let Some(library) = common::z3() {
                problems::$problem(&mut Z3::new(&library));
            }
        }
    )+};
}

on_z3! {
    linear_integers_have_exact_values
    reals_are_rationals
    division_is_euclidean
    a_core_names_only_what_contradicts
    assumptions_are_forgotten_and_assertions_are_not
    products_of_unknowns_are_solved
    an_irrational_value_is_none
}

#[test]
fn a_solver_that_is_made_anew_knows_all_that_was_asserted() {
    let Some(library) = common::z3() else { return };
    for checks_per_solver in [1, 2, 7] {
        for relevancy in [false, true] {
            let options = Z3Options { relevancy, checks_per_solver };
            let mut z3 = Z3::with_options(&library, options, Interrupter::new());
            problems::assumptions_are_forgotten_and_assertions_are_not(&mut z3);
        }
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn values_are_those_of_the_model(steps in steps(30), values in assignment()) {
        if let Some(library) = common::z3() {
            let mut z3 = Z3::new(&library);
            problems::agrees_on_values(&mut z3, Built::new(&steps, &values, true));
        }
    }

    #[test]
    fn values_of_products_and_quotients_are_those_of_the_model(
        steps in steps(30),
        values in assignment(),
    ) {
        if let Some(library) = common::z3() {
            let mut z3 = Z3::new(&library);
            problems::agrees_on_values(&mut z3, Built::new(&steps, &values, false));
        }
    }

    #[test]
    fn solutions_satisfy_the_formulas(steps in steps(30), values in assignment()) {
        if let Some(library) = common::z3() {
            let mut z3 = Z3::new(&library);
            problems::solutions_satisfy_the_formulas(&mut z3, &Built::new(&steps, &values, true));
        }
    }
}
