//! The solvers that a user can choose, alone and together.

mod common;

use common::problems;
use provoke_solve::engine::{Backend, SolverChoice};
use provoke_solve::{Limit, Solver, SolverAnswer, Sort, Terms};

/// A new solver of each choice that is installed.
fn installed() -> Vec<(SolverChoice, Backend)> {
    let both = [common::z3().is_some(), common::yices().is_some()];
    let there = |choice: &SolverChoice| match choice {
        SolverChoice::Z3 => both[0],
        SolverChoice::Yices => both[1],
        SolverChoice::Portfolio => both[0] && both[1],
    };
    let found = |choice| (choice, Backend::find(choice).expect("it was found before"));
    SolverChoice::ALL.into_iter().filter(there).map(found).collect()
}

#[test]
fn every_choice_answers_alike() {
    for (_, backend) in installed() {
        problems::linear_integers_have_exact_values(&mut backend.solver());
        problems::reals_are_rationals(&mut backend.solver());
        problems::division_is_euclidean(&mut backend.solver());
        problems::a_core_names_only_what_contradicts(&mut backend.solver());
        problems::assumptions_are_forgotten_and_assertions_are_not(&mut backend.solver());
        problems::products_of_unknowns_are_solved(&mut backend.solver());
    }
}

#[test]
fn where_z3_has_no_answer_yices_is_asked() {
    let Some(library) = common::z3() else { return };
    let Some(yices) = common::yices_program() else { return };
    let backend = Backend { yices: Some(yices), ..Backend::new(&library) };
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::Int));
    let (sum, seven) = (terms.add(x, y), terms.int(7));
    let equal = terms.eq(sum, seven);
    let mut solver = backend.solver();
    solver.assert(&terms, equal);
    // One unit is too little for Z3, and the least time is enough for Yices.
    assert_eq!(solver.check(&terms, &[], Limit::work(1)), SolverAnswer::Sat);
    assert_eq!(solver.value(&terms, equal), Some(true.into()));
    assert!(solver.spent() > Some(1));
}

#[test]
fn work_is_a_limit_for_yices_too() {
    for (choice, backend) in installed() {
        let mut terms = Terms::new();
        let hard = problems::pigeons(&mut terms, 12);
        let mut solver = backend.solver();
        solver.assert(&terms, hard);
        let answer = solver.check(&terms, &[], Limit::work(20_000));
        assert!(matches!(answer, SolverAnswer::Unknown(_)), "{choice:?}: {answer:?}");
        assert!(solver.spent() >= Some(20_000), "{choice:?}: {:?}", solver.spent());
    }
}
