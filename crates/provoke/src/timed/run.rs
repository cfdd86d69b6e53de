//! A completed suite on a system, as often as its verdicts need.

use provoke_base::{Control, Error, ErrorCode, Event};
use provoke_exec::{Adapter, Board};
use provoke_model::Suite;
use provoke_oracle::mutants::{Amount, TimedOperator, mutants};
use provoke_oracle::verdict::{ConnectedSystem, signals as signals_of};
use provoke_oracle::verdict::{TestStand, TestedSystem, Variant, VerdictRule, hypotheses};
use provoke_oracle::{Interface, json, unfit};
use provoke_results::{OraclePlan, OracleWord, Schema, TimedRun, TimedVerdict, TimedVerdictWord};
use provoke_stochastic::estimate::obstacle;
use provoke_store::KeyBuilder;
use provoke_uppaal::Network;
use provoke_work::{CaseRunner, Cases, Served, WorkerLoop, case_key, command_identity};
use serde_json::json;

pub use provoke_oracle::verdict::JudgedTest;

use super::options::TimedRunOptions;
use super::{NetworkModel, TimedTests, incomplete};
use crate::request::{NetworkText, Request, TestsText};

/// How many seconds a verdict takes, as long as nothing was measured.
const VERDICT_SECONDS: f64 = 0.5;
/// The name of the verb in stores.
const COMMAND: &str = "timed run";

/// What a suite is run on.
pub enum TimedTarget<'a> {
    /// A system that is simulated from a network, which may be another one than the model's.
    Simulated(&'a NetworkModel),
    /// A system behind a line, in real time.
    Reached {
        /// How it is called in the result.
        name: String,
        /// The way to it.
        adapter: Box<dyn Adapter>,
        /// The signals on that way, made for the [`signals`] of the suite.
        board: Board,
    },
}

/// Runs a suite on a system. Each verdict is told to `judged`; on a system behind a line, as soon as it
/// is there. If somebody cancels it, the verdicts that there are are the result.
pub fn run(
    model: &NetworkModel,
    tests: &TimedTests,
    target: TimedTarget<'_>,
    options: &TimedRunOptions,
    control: &Control,
    judged: &mut dyn FnMut(&JudgedTest),
) -> Result<TimedRun, Error> {
    let session = Session::new(model, tests, options)?;
    let mut plan = session.plan();
    let (on, verdicts) = match target {
        TimedTarget::Simulated(system) => {
            control.tell(Event::Note(told(&plan)));
            let verdicts = session.simulated(system, control)?;
            verdicts.iter().for_each(judged);
            (system.file.name.clone(), verdicts)
        }
        TimedTarget::Reached { name, adapter, board } => {
            (name, session.reached(adapter, board, &mut plan, control, judged)?)
        }
    };
    let verdicts: Vec<TimedVerdict> = verdicts.into_iter().map(|judged| judged.verdict).collect();
    let count = |words: &[TimedVerdictWord]| {
        verdicts.iter().filter(|verdict| words.contains(&verdict.verdict)).count()
    };
    Ok(TimedRun {
        schema: Schema::default(),
        suite: tests.name.clone(),
        on,
        oracle: options.oracle.kind,
        plan: Some(plan),
        passed: count(&[TimedVerdictWord::Pass]),
        failed: count(&[TimedVerdictWord::Fail, TimedVerdictWord::Illegal]),
        error: count(&[TimedVerdictWord::Error]),
        runs: verdicts.iter().map(|verdict| verdict.runs).sum(),
        verdicts,
    })
}

/// Does a worker's part of [`run`].
pub(crate) fn serve(
    model: &NetworkModel,
    system: &NetworkModel,
    tests: &TimedTests,
    options: &TimedRunOptions,
    worker: &mut WorkerLoop,
) -> Result<Served, Error> {
    let session = Session::new(model, tests, options)?;
    let (network, _) = session.simulated_network(system)?;
    let mut runner = CaseRunner::of_worker(&command_identity(COMMAND), worker)?;
    session.judged_by(&mut runner, system, &network)?;
    runner.served()
}

/// What is told before the first run.
fn told(plan: &OraclePlan) -> String {
    let OraclePlan { hypotheses, suite_error, usual_runs, most_runs, finds, seconds } = plan;
    let promise = match suite_error {
        Some(error) => format!("a right system fails in at most {error} of all suites"),
        None => "each test is judged for itself, so right systems fail now and then".to_string(),
    };
    let finds = finds.map_or(String::new(), |least| {
        format!("; a difference of {least} in one of them is found in 95 of 100 suites")
    });
    let time = seconds.map_or(String::new(), |seconds| format!(", about {seconds:.0} s"));
    format!(
        "{hypotheses} probabilities: {promise}{finds}; about {usual_runs} runs{time}, at most {most_runs}"
    )
}

/// The signals that a suite needs of a target: events as inputs, variables as outputs.
pub fn signals(model: &NetworkModel, tests: &TimedTests) -> Result<Suite, Error> {
    tests.check_names(model)?;
    signals_of(&Interface::new(&model.network), &tests.suite).map_err(incomplete)
}

/// A suite with its model, ready to be run as it was asked for.
struct Session<'a> {
    model: &'a NetworkModel,
    tests: &'a TimedTests,
    options: &'a TimedRunOptions,
    stand: TestStand<'a>,
    rule: VerdictRule,
}

impl<'a> Session<'a> {
    fn new(
        model: &'a NetworkModel,
        tests: &'a TimedTests,
        options: &'a TimedRunOptions,
    ) -> Result<Session<'a>, Error> {
        tests.check_names(model)?;
        if let Some(test) = tests.suite.tests.iter().find(|test| test.probability.is_none()) {
            let message = format!("test `{}` has no probability", test.name);
            let hint = format!("{} {}", model.file.name, tests.name);
            return Err(Error::new(ErrorCode::TestIncomplete, message).hint(hint));
        }
        let stand = TestStand::new(&model.network, &tests.suite).map_err(incomplete)?;
        let rule = options.oracle.rule(&tests.suite);
        Ok(Session { model, tests, options, stand, rule })
    }

    /// What the rule promises for the suite, and what that costs.
    fn plan(&self) -> OraclePlan {
        let oracle = &self.options.oracle;
        let runs = self.stand.variants().iter().map(|variant| self.usual_runs(*variant));
        OraclePlan {
            hypotheses: hypotheses(&self.tests.suite),
            suite_error: (oracle.kind != OracleWord::Published).then_some(oracle.suite_error),
            usual_runs: runs.sum::<f64>().ceil() as u64,
            most_runs: self.stand.variants().len() as u64 * self.rule.most_runs(),
            finds: self.rule.finds(0.95),
            seconds: None,
        }
    }

    /// About how many runs a test takes on a right system.
    fn usual_runs(&self, (test, uio): Variant) -> f64 {
        let joint = uio.is_some_and(|uio| self.tests.suite.tests[test].uios[uio].joint.is_some());
        self.rule.usual_runs(1 + u64::from(joint))
    }

    /// The network that a system is simulated from, with the mutant in it, and what the mutant changes.
    fn simulated_network(&self, system: &NetworkModel) -> Result<(Network, Option<String>), Error> {
        let NetworkModel { file, network, .. } = system;
        if let Some(reason) = obstacle(network) {
            return Err(Error::new(ErrorCode::NotSimulated, reason.text));
        }
        let checked = self.stand.interface().check_system(network);
        checked.map_err(|message| unfit(&file.name, &message))?;
        let Some(id) = self.options.mutant else { return Ok((network.clone(), None)) };
        let all = mutants(network, &TimedOperator::ALL, Amount::Part(0.5));
        let found = all.iter().find(|mutant| mutant.id == id).ok_or_else(|| {
            let message = format!("there is no mutant {id}; there are {}", all.len());
            Error::new(ErrorCode::UnknownMutant, message).hint(file.name.clone())
        })?;
        Ok((found.apply(network), Some(found.text.clone())))
    }

    /// The verdicts on a simulated system.
    fn simulated(
        &self,
        system: &NetworkModel,
        control: &Control,
    ) -> Result<Vec<JudgedTest>, Error> {
        let (network, change) = self.simulated_network(system)?;
        if let (Some(id), Some(text)) = (self.options.mutant, change) {
            control.tell(Event::Note(format!("fault {id}: {text}")));
        }
        let request = Request::TimedRun {
            model: NetworkText::new(self.model),
            system: NetworkText::new(system),
            tests: TestsText::new(self.tests),
            options: self.options.clone(),
        };
        let work = &self.options.work;
        let mut runner = work.runner(COMMAND, &request, work.threads(), control)?;
        self.judged_by(&mut runner, system, &network)
    }

    fn judged_by(
        &self,
        runner: &mut CaseRunner<'_>,
        system: &NetworkModel,
        network: &Network,
    ) -> Result<Vec<JudgedTest>, Error> {
        let TimedRunOptions { mutant, seed, .. } = self.options;
        let rule = format!("{:?}", self.rule);
        let key = KeyBuilder::new("provoke/timed-run/3")
            .part("model", &self.model.file.text)
            .part("on", &system.file.text)
            .part("suite", json::print(&self.tests.suite))
            .json("settings", &json!([mutant, rule, seed]))
            .finish();
        let variants = self.stand.variants();
        let keys = variants.iter().map(|variant| case_key(&key, &json!(variant)));
        let cases = Cases::new("verdicts", VERDICT_SECONDS, keys.collect());
        let judged = runner.each(&cases, &|at, _| {
            self.judge(variants[at], &mut TestedSystem::Simulated(network))
        })?;
        Ok(judged.into_iter().flatten().collect())
    }

    /// The verdicts on a system behind a line.
    fn reached(
        &self,
        adapter: Box<dyn Adapter>,
        board: Board,
        plan: &mut OraclePlan,
        control: &Control,
        judged: &mut dyn FnMut(&JudgedTest),
    ) -> Result<Vec<JudgedTest>, Error> {
        let TimedRunOptions { mutant, seed, work, .. } = self.options;
        if mutant.is_some() || work.workers.is_some() {
            let message = "mutants and workers are for systems that are simulated";
            return Err(Error::new(ErrorCode::OptionsConflict, message));
        }
        let (interface, suite) = (self.stand.interface(), &self.tests.suite);
        let reached = ConnectedSystem::new(adapter, board, interface, suite, &self.rule, *seed);
        let reached = reached.map_err(incomplete)?;
        let seconds = |&(test, uio): &Variant| {
            let test = &suite.tests[test];
            let steps = test.steps_with(uio.map(|uio| &test.uios[uio]));
            reached.seconds(&steps)
        };
        let variants = self.stand.variants();
        let all = variants.iter().map(|variant| seconds(variant) * self.usual_runs(*variant));
        plan.seconds = Some(all.sum());
        control.tell(Event::Note(told(plan)));
        let mut system = TestedSystem::Connected(Box::new(reached));
        let mut all = Vec::new();
        for variant in self.stand.variants() {
            if control.is_cancelled() {
                break;
            }
            let one = self.judge(*variant, &mut system)?;
            judged(&one);
            all.push(one);
        }
        Ok(all)
    }

    fn judge(&self, variant: Variant, system: &mut TestedSystem<'_>) -> Result<JudgedTest, Error> {
        let verdict = self.stand.judge(variant, system, self.rule, self.options.seed);
        let (test, uio) = variant;
        Ok(JudgedTest::new(&self.tests.suite.tests[test], uio, &verdict.map_err(incomplete)?))
    }
}
