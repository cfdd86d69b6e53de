//! The memory limit, which holds for the whole process and so has a test program of its own.

mod common;

use std::time::Duration;

use provoke_solve::{Limit, Solver, SolverAnswer, Sort, TermId, Terms, UnknownReason, Z3};

/// A hundred integers, related in ways that take a lot of memory to reason about.
fn crowd(terms: &mut Terms) -> TermId {
    let crowd: Vec<_> = (0..100).map(|i| terms.symbol(&format!("x{i}"), Sort::Int)).collect();
    let mut parts = Vec::new();
    for (i, j) in (0..crowd.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
        let divisor = terms.int((i * j % 17) as i64 + 1);
        let difference = terms.sub(crowd[i], crowd[j]);
        let remainder = terms.modulo(difference, divisor);
        let quotient = terms.int_div(difference, divisor);
        parts.push(terms.lt(remainder, quotient));
    }
    terms.all(&parts)
}

#[test]
fn a_solver_out_of_memory_gives_up_and_the_next_one_works() {
    let Some(library) = common::z3() else { return };
    library.limit_memory(30);
    let mut terms = Terms::new();
    let crowd = crowd(&mut terms);
    let mut z3 = Z3::new(&library);
    z3.assert(&terms, crowd);
    let answer = z3.check(&terms, &[], Limit::time(Duration::from_secs(60)));
    assert_eq!(answer, SolverAnswer::Unknown(UnknownReason::OutOfMemory));
    let mut other = Z3::new(&library);
    let p = terms.symbol("p", Sort::Bool);
    other.assert(&terms, p);
    assert_eq!(other.check(&terms, &[], Limit::default()), SolverAnswer::Sat);
}
