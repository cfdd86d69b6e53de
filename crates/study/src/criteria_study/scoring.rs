//! One case: tests are generated, drawn into suites, and scored on mutants.

use std::time::{Duration, Instant};

use provoke_base::Error;
use provoke_base::rounds::NoLedger;
use provoke_coverage::generation::{self, GenerationJob};
use provoke_coverage::{WorkOptions, stoppable};
use provoke_criteria::{Counting, Oracle, obligations};
use provoke_mutate::{
    Mutant, MutantFate, Score, ScoreOptions, SurvivorFinding, SurvivorSearch, TestInputs, score,
};
use provoke_testgen::{GenerationResult, ObligationVerdict as CoveringTest};

use crate::case::StudyCase;
use crate::criteria_study::Settings;
use crate::criteria_study::subjects::StudyModel;
use crate::outcome::{CaseOutcome, Survivors, Totals};
use crate::pool::{Kills, SuitePool};

/// What comes of a case. If `stop` says so it ends early, and what comes of it means nothing.
pub(super) fn outcome(
    case: &StudyCase,
    studied: &StudyModel,
    settings: &Settings,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<CaseOutcome, Error> {
    let seed = settings.work.seed.wrapping_add(case.run);
    let WorkOptions { budget, effort, jobs, .. } = settings.work;
    let work = WorkOptions { budget, effort, jobs, seed, ..WorkOptions::default() };
    let mut job = GenerationJob::new(studied.file.clone(), studied.system.clone(), &work);
    job.obligations = obligations(&job.system, case.criterion, Counting::Published);
    job.masking = case.group.masking;
    job.method = case.method;
    job.as_published = true;
    let clock = Clock::start(work.budget);
    let generation = job.search(&NoLedger, &|| stop() || clock.is_over(), &mut |_| {})?;
    let seconds = clock.seconds();
    let totals = totals(&generation);
    let tests: Vec<TestInputs> = generation.tests.into_iter().map(|test| test.steps).collect();
    let pool = SuitePool::new(&job.system, &job.obligations, job.masking, &tests);
    let mutants = studied.mutants(settings.mutants, seed);
    let mutants: Vec<&Mutant> = mutants.iter().collect();
    let outputs = scores(&job, &mutants, &tests, &Oracle::Outputs);
    let kills =
        Kills::new(tests.len(), &outputs, &scores(&job, &mutants, &tests, &Oracle::Maximum));
    let survivors = match settings.decides_survivors(case) {
        true => {
            let clock = Clock::start(settings.kill_budget.or(work.budget));
            Some(decided(&job, &mutants, &outputs, &tests, &|| stop() || clock.is_over())?)
        }
        false => None,
    };
    Ok(CaseOutcome {
        obligations: totals,
        tests: pool.tests(),
        steps: pool.steps(),
        mutants: kills.mutants,
        invalid: kills.invalid,
        suites: pool.suites(&kills, seed, settings.suites),
        seconds,
        cut_short: totals.unknown > 0 && work.budget.is_some_and(|b| seconds >= b.as_secs_f64()),
        survivors,
    })
}

/// How much time a task of work has.
struct Clock {
    start: Instant,
    budget: Option<Duration>,
}

impl Clock {
    fn start(budget: Option<Duration>) -> Clock {
        Clock { start: Instant::now(), budget }
    }

    fn is_over(&self) -> bool {
        self.budget.is_some_and(|budget| self.start.elapsed() >= budget)
    }

    fn seconds(&self) -> f64 {
        (self.start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0
    }
}

fn totals(generation: &GenerationResult) -> Totals {
    let mut totals = Totals { total: generation.outcomes.len(), ..Totals::default() };
    for outcome in &generation.outcomes {
        *match outcome {
            CoveringTest::Covered(_) => &mut totals.covered,
            CoveringTest::Infeasible(_) => &mut totals.infeasible,
            CoveringTest::Unknown { .. } => &mut totals.unknown,
        } += 1;
    }
    totals
}

fn scores(
    job: &GenerationJob<'_>,
    mutants: &[&Mutant],
    tests: &[TestInputs],
    oracle: &Oracle,
) -> Vec<Score> {
    let monitored = oracle.monitored(&job.system);
    let options = ScoreOptions { monitored: &monitored, matrix: true, jobs: 1 };
    score(&job.system, mutants, tests, &options, &|_| {})
}

/// What becomes of the mutants that survive all tests.
fn decided(
    job: &GenerationJob<'_>,
    mutants: &[&Mutant],
    outputs: &[Score],
    tests: &[TestInputs],
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Survivors, Error> {
    let fate = |at: usize| outputs[at].fate;
    let survived: Vec<&Mutant> = (0..mutants.len())
        .filter(|at| fate(*at) == MutantFate::Survived)
        .map(|at| mutants[at])
        .collect();
    let killed = (0..mutants.len()).filter(|at| matches!(fate(*at), MutantFate::Killed(_))).count();
    let backend = generation::backend(job.work)?;
    let search = SurvivorSearch {
        system: &job.system,
        monitored: &job.system.outputs,
        tests,
        backend: &backend,
        engine: job.work.prover,
        learning: generation::learning(job.work),
        efforts: &generation::rounds(job.work),
        seed: job.work.seed,
        jobs: 1,
        ledger: &NoLedger,
    };
    let found = stoppable(Some(&backend), stop, || search.run(&survived, stop, &mut |_| {}));
    let mut survivors = Survivors { killed, ..Survivors::default() };
    for finding in &found.of {
        *match finding {
            SurvivorFinding::Equivalent { .. } => &mut survivors.equivalent,
            SurvivorFinding::Killed { .. } => &mut survivors.added,
            SurvivorFinding::Faulted { .. } => &mut survivors.invalid,
            SurvivorFinding::Unknown { .. } => &mut survivors.unknown,
        } += 1;
    }
    Ok(survivors)
}
