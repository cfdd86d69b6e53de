//! Limits, interrupts and threads.

mod common;

use std::thread;
use std::time::{Duration, Instant};

use common::problems::{cubes, pigeons};
use provoke_solve::z3::Z3Options;
use provoke_solve::{Interrupter, Limit, Solver, SolverAnswer, TermId, Terms, UnknownReason, Z3};

/// More than a check that is stopped takes, less than the problems would.
const SOON: Duration = Duration::from_secs(5);

/// A solver with a hard problem behind an assumption, and an easy one without it.
fn hard(solver: &mut dyn Solver, terms: &mut Terms) -> TermId {
    let hard = pigeons(terms, 11);
    let easy = pigeons(terms, 3);
    let something = terms.not(easy);
    solver.assert(terms, something);
    hard
}

fn works_afterwards(solver: &mut dyn Solver, terms: &mut Terms) {
    assert_eq!(solver.check(terms, &[], Limit::default()), SolverAnswer::Sat);
    let never = pigeons(terms, 3);
    assert_eq!(solver.check(terms, &[never], Limit::default()), SolverAnswer::Unsat);
    assert_eq!(solver.core(), [never]);
}

fn time_is_limited(solver: &mut dyn Solver) {
    let mut terms = Terms::new();
    let hard = hard(solver, &mut terms);
    let started = Instant::now();
    let answer = solver.check(&terms, &[hard], Limit::time(Duration::from_millis(100)));
    assert_eq!(answer, SolverAnswer::Unknown(UnknownReason::Timeout));
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    works_afterwards(solver, &mut terms);
}

fn another_thread_interrupts(solver: &mut dyn Solver) {
    let mut terms = Terms::new();
    let hard = hard(solver, &mut terms);
    let interrupter = solver.interrupter();
    let started = Instant::now();
    let answer = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            interrupter.interrupt();
        });
        solver.check(&terms, &[hard], Limit::default())
    });
    assert_eq!(answer, SolverAnswer::Unknown(UnknownReason::Interrupted));
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    // It lasts until it is taken back.
    assert_eq!(solver.check(&terms, &[], Limit::default()), answer);
    interrupter.reset();
    works_afterwards(solver, &mut terms);
}

#[test]
fn the_time_of_z3_is_limited() {
    let Some(library) = common::z3() else { return };
    time_is_limited(&mut Z3::new(&library));
}

#[test]
fn the_time_of_yices_is_limited() {
    let Some(mut yices) = common::yices() else { return };
    time_is_limited(&mut yices);
}

#[test]
fn another_thread_interrupts_z3() {
    let Some(library) = common::z3() else { return };
    another_thread_interrupts(&mut Z3::new(&library));
}

#[test]
fn another_thread_interrupts_yices() {
    let Some(mut yices) = common::yices() else { return };
    another_thread_interrupts(&mut yices);
}

#[test]
fn a_limit_of_work_is_a_budget_and_the_solver_works_afterwards() {
    let Some(library) = common::z3() else { return };
    let mut z3 = Z3::new(&library);
    let mut terms = Terms::new();
    let hard = hard(&mut z3, &mut terms);
    for units in [0, 1, 1_000, 10_000, 100_000] {
        let before = z3.spent().unwrap();
        let answer = z3.check(&terms, &[hard], Limit::work(units));
        assert_eq!(answer, SolverAnswer::Unknown(UnknownReason::Budget), "{units}");
        let spent = z3.spent().unwrap() - before;
        assert!(units <= spent && spent < units + 1_000, "{spent} of {units}");
        works_afterwards(&mut z3, &mut terms);
    }
}

#[test]
fn a_nonlinear_problem_stops_in_time_even_if_it_does_not_count() {
    let Some(library) = common::z3() else { return };
    let mut z3 = Z3::new(&library);
    let mut terms = Terms::new();
    let cubes = cubes(&mut terms, 42);
    z3.assert(&terms, cubes);
    let limit = Limit { rlimit: Some(100_000), time: Some(Duration::from_millis(500)) };
    let started = Instant::now();
    let answer = z3.check(&terms, &[], limit);
    assert!(
        matches!(answer, SolverAnswer::Unknown(UnknownReason::Budget | UnknownReason::Timeout)),
        "{answer:?}"
    );
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
}

#[test]
fn the_same_limit_of_work_gives_the_same_answers() {
    let Some(library) = common::z3() else { return };
    let run = || {
        let mut z3 = Z3::new(&library);
        let mut terms = Terms::new();
        let hard = hard(&mut z3, &mut terms);
        let limits = [5_000, 20_000, 40_000, 1_000_000, 5_000];
        limits.map(|units| {
            let problem = if units == 40_000 { pigeons(&mut terms, 6) } else { hard };
            let limit = Limit::work(units.min(50_000));
            (z3.check(&terms, &[problem], limit), z3.spent())
        })
    };
    let first = run();
    assert!(first.iter().any(|(answer, _)| *answer == SolverAnswer::Unsat), "{first:?}");
    assert!(
        first.iter().any(|(answer, _)| *answer == SolverAnswer::Unknown(UnknownReason::Budget))
    );
    assert_eq!(run(), first);
    let elsewhere = thread::scope(|scope| scope.spawn(run).join().unwrap());
    assert_eq!(elsewhere, first);
}

#[test]
fn two_solvers_run_on_two_threads() {
    let Some(library) = common::z3() else { return };
    let solve = |holes: usize| {
        let mut terms = Terms::new();
        let problem = pigeons(&mut terms, holes);
        let mut z3 = Z3::new(&library);
        z3.assert(&terms, problem);
        let unsat = z3.check(&terms, &[], Limit::default());
        let mut sat = Z3::new(&library);
        let negation = terms.not(problem);
        sat.assert(&terms, negation);
        (unsat, sat.check(&terms, &[], Limit::default()))
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| (4..7).map(solve).collect())).collect();
        for thread in threads {
            let answers: Vec<_> = thread.join().unwrap();
            assert_eq!(answers, vec![(SolverAnswer::Unsat, SolverAnswer::Sat); 3]);
        }
    });
}

#[test]
fn one_interrupter_stops_several_solvers() {
    let Some(library) = common::z3() else { return };
    let interrupter = Interrupter::new();
    let run = || {
        let mut z3 = Z3::with_options(&library, Z3Options::default(), interrupter.clone());
        let mut terms = Terms::new();
        let hard = hard(&mut z3, &mut terms);
        z3.check(&terms, &[hard], Limit::default())
    };
    thread::scope(|scope| {
        let threads = [scope.spawn(run), scope.spawn(run)];
        thread::sleep(Duration::from_millis(50));
        interrupter.interrupt();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), SolverAnswer::Unknown(UnknownReason::Interrupted));
        }
    });
}

#[test]
fn a_limit_too_long_to_count_is_none() {
    let Some(library) = common::z3() else { return };
    let mut z3 = Z3::new(&library);
    let mut terms = Terms::new();
    hard(&mut z3, &mut terms);
    let limit = Limit { rlimit: Some(u64::MAX), time: Some(Duration::MAX) };
    assert_eq!(z3.check(&terms, &[], limit), SolverAnswer::Sat);
}
