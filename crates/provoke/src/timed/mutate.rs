//! Faults of automata, and which of them a suite finds.

use provoke_base::{Control, Error, ErrorCode, Progress, Pulse};
use provoke_oracle::mutants::{MutantStatus, known_until};
use provoke_oracle::mutants::{TimedMutant, TimedOperator, mutants, mutants_result, note_killers};
use provoke_oracle::verdict::ScoredOracle;
use provoke_oracle::verdict::TestStand;
use provoke_oracle::{Interface, TimedSuite, json};
use provoke_results::TimedMutate;
use provoke_store::KeyBuilder;
use provoke_work::{CaseRunner, Cases, Served, WorkerLoop, case_key, command_identity};
use serde_json::json;

use super::options::TimedMutateOptions;
use super::{NetworkModel, TimedTests, incomplete};
use crate::request::{NetworkText, Request, TestsText};

/// How many seconds a mutant takes, as long as nothing was measured.
const MUTANT_SECONDS: f64 = 0.5;
/// The name of the verb in stores.
const COMMAND: &str = "timed mutate";

/// Lists the mutants of a network with what zones say of them and, with a suite, whether it kills them;
/// nothing if somebody cancels it.
pub fn mutate(
    model: &NetworkModel,
    tests: Option<&TimedTests>,
    options: &TimedMutateOptions,
    control: &Control,
) -> Result<Option<TimedMutate>, Error> {
    let Some(faults) = Faults::new(model, tests, options, control)? else { return Ok(None) };
    let mut result = mutants_result(&model.file.name, &faults.all, &faults.known);
    let (Some(tests), false) = (tests, options.list) else { return Ok(Some(result)) };
    let request = Request::TimedMutate {
        model: NetworkText::new(model),
        tests: TestsText::new(tests),
        options: options.clone(),
    };
    let work = &options.work;
    let mut runner = work.runner(COMMAND, &request, work.threads(), control)?;
    let Some(killers) = faults.killers(&tests.suite, &mut runner)? else { return Ok(None) };
    note_killers(&mut result, &killers, &tests.suite);
    Ok(Some(result))
}

/// Does a worker's part of [`mutate`].
pub(crate) fn serve(
    model: &NetworkModel,
    tests: &TimedTests,
    options: &TimedMutateOptions,
    worker: &mut WorkerLoop,
) -> Result<Served, Error> {
    let control = worker.control().clone();
    let faults = Faults::new(model, Some(tests), options, &control)?;
    let mut runner = CaseRunner::of_worker(&command_identity(COMMAND), worker)?;
    if let Some(faults) = faults {
        faults.killers(&tests.suite, &mut runner)?;
    }
    runner.served()
}

/// The mutants that are asked for, and what is known of them.
struct Faults<'a> {
    model: &'a NetworkModel,
    options: &'a TimedMutateOptions,
    all: Vec<TimedMutant>,
    known: Vec<MutantStatus>,
}

impl<'a> Faults<'a> {
    fn new(
        model: &'a NetworkModel,
        tests: Option<&TimedTests>,
        options: &'a TimedMutateOptions,
        control: &Control,
    ) -> Result<Option<Faults<'a>>, Error> {
        // Numbers are those of all kinds, so that they mean the same in every list.
        let mut all = mutants(&model.network, &TimedOperator::ALL, options.by);
        let operators = &options.operators;
        all.retain(|mutant| operators.is_empty() || operators.contains(&mutant.operator));
        let observed = observed(model, tests, options)?;
        let (pulse, total) = (Pulse::new(control), all.len());
        let known = known_until(&model.network, &all, &observed, &|done| {
            let name = || "comparing mutants".to_string();
            pulse.tell(|| Progress::Tasks { name: name(), done, total, workers: None });
            control.is_cancelled()
        });
        Ok(known.map(|known| Faults { model, options, all, known }))
    }

    /// For each mutant of which nothing is known, the first test that fails on it; nothing if that did
    /// not come to its end.
    fn killers(
        &self,
        suite: &TimedSuite,
        runner: &mut CaseRunner<'_>,
    ) -> Result<Option<Vec<Option<usize>>>, Error> {
        let TimedMutateOptions { by, seed, oracle, .. } = *self.options;
        let oracle = ScoredOracle::Stochastic(oracle.rule(suite));
        let key = KeyBuilder::new("provoke/timed-mutate/2")
            .part("model", &self.model.file.text)
            .part("suite", json::print(suite))
            .json("settings", &json!([format!("{by:?} {oracle:?}"), seed]))
            .finish();
        let all = self.all.iter().zip(&self.known);
        let open = all.filter(|(_, known)| **known == MutantStatus::Open).map(|(mutant, _)| mutant);
        let open: Vec<&TimedMutant> = open.collect();
        let keys = open.iter().map(|mutant| case_key(&key, &json!(mutant.id))).collect();
        let stand = TestStand::new(&self.model.network, suite).map_err(incomplete)?;
        let trial = stand.trial(oracle);
        runner.all(&Cases::new("faults", MUTANT_SECONDS, keys), &|at, _| {
            trial.killer(open[at], seed).map_err(incomplete)
        })
    }
}

/// The variables that tests see.
fn observed(
    model: &NetworkModel,
    tests: Option<&TimedTests>,
    options: &TimedMutateOptions,
) -> Result<Vec<usize>, Error> {
    tests.map_or(Ok(()), |tests| tests.check_names(model))?;
    let interface = Interface::new(&model.network);
    let names = match tests {
        _ if !options.observe.is_empty() => options.observe.clone(),
        Some(tests) => tests.suite.observe.clone(),
        None => interface.usual_outputs(),
    };
    interface.cells(&names).map_err(|message| Error::new(ErrorCode::NotObservable, message))
}
