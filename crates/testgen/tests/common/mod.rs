//! What several tests of the generator need.
#![allow(unreachable_pub)]

use provoke_criteria::{Masking, Obligation, Oracle};
use provoke_model::System;
use provoke_solve::Limit;
use provoke_solve::engine::{Backend, Engine};
use provoke_solve::z3::Library;
use provoke_testgen::{Effort, Generation, Method, NoMemory, Options, generate};

/// The solver; says why and returns `None` where there is none, which fails with `CI` set.
pub fn backend() -> Option<Backend> {
    let library = Library::load();
    library
        .map_err(|missing| provoke_testkit::skip(&missing.to_string()))
        .ok()
        .map(|l| Backend::new(&l))
}

/// Little simulation, so that solvers have something to do.
pub fn options(method: Method, jobs: usize) -> Options {
    let effort = |depth, k, work| Effort { depth, k, limit: Limit::work(work) };
    Options {
        method,
        masking: Masking::Strict,
        oracle: Oracle::Outputs,
        seed: 3,
        jobs,
        given: Vec::new(),
        simulated_steps: 60,
        engine: Engine::All,
        learning: Limit::work(1_000_000),
        efforts: vec![effort(6, 2, 200_000), effort(40, 8, 20_000_000)],
    }
}

/// Generates tests for obligations.
pub fn run(
    system: &System,
    wanted: &[Obligation],
    backend: &Backend,
    method: Method,
    jobs: usize,
) -> Generation {
    generate(
        system,
        wanted,
        &options(method, jobs),
        Some(backend),
        &NoMemory,
        &|| false,
        &mut |_| {},
    )
}
