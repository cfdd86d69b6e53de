//! `provoke timed run`: a stochastic suite on a system.

use std::path::{Path, PathBuf};

use provoke_base::{Control, SourceFile};
use provoke_oracle::chance::Effort;
use provoke_oracle::cone::restricted;
use provoke_oracle::judge::{Evidence, Rule};
use provoke_oracle::mutant::{Amount, Operator, mutants};
use provoke_oracle::session::{Session, Verdict};
use provoke_oracle::subject::{Reached, Simulated, Subject, signals};
use provoke_oracle::tester::Tested;
use provoke_oracle::{Completer, Interface, Settings, TimedSuite, TimedTest, text};
use provoke_results::{
    EvidenceResult, OracleWord, Schema, TimedRun, TimedVerdict, TimedVerdictWord, Word,
};
use provoke_store::KeyBuilder;
use provoke_timed::Network;
use provoke_work::{CaseRunner, Cases, Served, WorkerLoop, case_key, command_identity};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::args::{TimedOracle, TimedRunArgs};
use crate::commands::timed::stochastic::{check_names, read_suite};
use crate::commands::timed::{network, tell};
use crate::console;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::workers;

pub(crate) fn run(args: &TimedRunArgs, output: &Output) -> Result<Outcome, Failure> {
    let (file, network, suite) = read(args, output)?;
    let bench = Bench::new(args, &network, &suite)?;
    let control = console::control(output);
    let judged = match is_simulated(args) {
        true => {
            let (place, jobs) = (args.place.executor(), args.place.jobs());
            let (identity, folder) = (command_identity("timed run"), args.place.store.as_deref());
            let mut runner = workers::runner(&identity, folder, place, jobs, &control)?;
            let judged = bench.simulated(&file, &mut runner, output)?;
            judged.iter().for_each(|judged| judged.tell(output));
            judged
        }
        false => bench.reached(&control, output)?,
    };
    let verdicts: Vec<TimedVerdict> = judged.into_iter().map(|judged| judged.result).collect();
    let count = |words: &[TimedVerdictWord]| {
        verdicts.iter().filter(|verdict| words.contains(&verdict.verdict)).count()
    };
    let result = TimedRun {
        schema: Schema::default(),
        suite: args.suite.display().to_string(),
        on: args.on.display().to_string(),
        oracle: match args.oracle {
            TimedOracle::Overlap => OracleWord::Overlap,
            TimedOracle::Sequential => OracleWord::Sequential,
        },
        passed: count(&[TimedVerdictWord::Pass]),
        failed: count(&[TimedVerdictWord::Fail, TimedVerdictWord::Illegal]),
        error: count(&[TimedVerdictWord::Error]),
        runs: verdicts.iter().map(|verdict| verdict.runs).sum(),
        verdicts,
    };
    tell(output, args.output.as_deref(), &result)?;
    if !output.is_json() {
        output.result(&format!(
            "{} passed, {} failed, {} without a verdict; {} runs\n",
            result.passed, result.failed, result.error, result.runs
        ));
    }
    Ok(match &result {
        _ if control.is_cancelled() => Outcome::Interrupted,
        TimedRun { failed: 1.., .. } => Outcome::Negative,
        TimedRun { error: 1.., .. } => Outcome::Inconclusive,
        _ => Outcome::Well,
    })
}

/// Does a worker's part.
pub(crate) fn serve(
    args: &TimedRunArgs,
    worker: &mut WorkerLoop,
    output: &Output,
) -> Result<Served, Failure> {
    let (file, network, suite) = read(args, output)?;
    let bench = Bench::new(args, &network, &suite)?;
    let mut runner = CaseRunner::of_worker(&command_identity("timed run"), worker)?;
    bench.simulated(&file, &mut runner, output)?;
    Ok(runner.served()?)
}

fn is_simulated(args: &TimedRunArgs) -> bool {
    args.on.extension().is_some_and(|extension| extension == "xml")
}

/// The model and a suite that belongs to it.
fn read(
    args: &TimedRunArgs,
    output: &Output,
) -> Result<(SourceFile, Network, TimedSuite), Failure> {
    if args.place.executor().is_some() && !is_simulated(args) {
        let message = format!("others cannot reach what {} names", args.on.display());
        let hint = "leave out --workers and --store, or give a model with --on";
        return Err(Failure::input(message, hint));
    }
    let suite = read_suite(&args.suite)?;
    let model = model_path(args, &suite)?;
    let (file, network) = network(&model, &[], output)?;
    check_names(&suite, &Interface::new(&network), &args.suite)?;
    if let Some(test) = suite.tests.iter().find(|test| test.probability.is_none()) {
        let message = format!("test `{}` has no probability", test.name);
        let command =
            format!("provoke timed stochastic {} {} -o out", model.display(), args.suite.display());
        return Err(Failure::input(message, format!("complete the tests first: {command}")));
    }
    Ok((file, network, suite))
}

/// A verdict, and how people see it.
#[derive(Serialize, Deserialize)]
struct Judged {
    result: TimedVerdict,
    shown: String,
}

impl Judged {
    fn tell(&self, output: &Output) {
        if !output.is_json() {
            output.result(&self.shown);
        }
    }
}

/// How long a verdict takes, as long as nothing was measured.
const VERDICT_SECONDS: f64 = 0.5;

/// A suite, ready to be run.
struct Bench<'n> {
    args: &'n TimedRunArgs,
    suite: &'n TimedSuite,
    interface: Interface<'n>,
    completer: Completer<'n>,
    /// Each test with each of its sequences.
    variants: Vec<(usize, Option<usize>)>,
}

impl<'n> Bench<'n> {
    fn new(
        args: &'n TimedRunArgs,
        network: &'n Network,
        suite: &'n TimedSuite,
    ) -> Result<Bench<'n>, Failure> {
        let completer = Completer::new(network, &suite.observe, settings()).map_err(incomplete)?;
        let tests = suite.tests.iter().enumerate();
        let variants =
            tests.flat_map(|(at, test)| variants(test).into_iter().map(move |uio| (at, uio)));
        let (interface, variants) = (Interface::new(network), variants.collect());
        Ok(Bench { args, suite, interface, completer, variants })
    }

    /// The verdicts on a simulated system, as far as the user waited for them.
    fn simulated(
        &self,
        model: &SourceFile,
        runner: &mut CaseRunner<'_>,
        output: &Output,
    ) -> Result<Vec<Judged>, Failure> {
        let (file, system) = simulated_system(self.args, output)?;
        let TimedRunArgs { mutant, confidence, seed, .. } = self.args;
        let settings = json!([mutant, format!("{:?}", rule(self.args)), confidence, seed]);
        let key = KeyBuilder::new("provoke/timed-run/1")
            .part("model", &model.text)
            .part("on", &file.text)
            .part("suite", provoke_oracle::json::print(self.suite))
            .json("settings", &settings)
            .finish();
        let keys = self.variants.iter().map(|variant| case_key(&key, &json!(variant)));
        let cases = Cases::new("verdicts", VERDICT_SECONDS, keys.collect());
        let judged = runner
            .each(&cases, &|at, _| self.one(self.variants[at], &mut System::Simulated(&system)))?;
        Ok(judged.into_iter().flatten().collect())
    }

    /// The verdicts on a system behind a line, told one by one.
    fn reached(&self, control: &Control, output: &Output) -> Result<Vec<Judged>, Failure> {
        let mut system = reached(self.args, &self.interface, self.suite, output)?;
        let mut all = Vec::new();
        for variant in &self.variants {
            if control.is_cancelled() {
                break;
            }
            let judged = self.one(*variant, &mut system)?;
            judged.tell(output);
            all.push(judged);
        }
        Ok(all)
    }

    /// The verdict of a test with one of its sequences.
    fn one(
        &self,
        (index, uio): (usize, Option<usize>),
        system: &mut System<'_>,
    ) -> Result<Judged, Failure> {
        let test = &self.suite.tests[index];
        let seed = self.args.seed ^ ((index as u64 + 1) << 20) ^ uio.unwrap_or(0) as u64;
        let verdict = one(system, &self.completer, &self.interface, test, uio, self.args, seed);
        let verdict = verdict.map_err(incomplete)?;
        let result = result(test, uio, &verdict);
        let shown = shown(&result, &verdict);
        Ok(Judged { result, shown })
    }
}

fn incomplete(message: String) -> Failure {
    Failure::input(message, "complete the tests again")
}

/// What is needed to know which part of the network matters; nothing is estimated here.
pub(crate) fn settings() -> Settings {
    let effort = Effort { runs: 1, width: 1.0, alpha: 0.05, seed: 0, jobs: 1 };
    Settings { length: 1, effort }
}

/// The sequences of a test, or none.
fn variants(test: &TimedTest) -> Vec<Option<usize>> {
    match test.uios.len() {
        0 => vec![None],
        count => (0..count).map(Some).collect(),
    }
}

/// The rule that the options describe.
fn rule(args: &TimedRunArgs) -> Rule {
    match args.oracle {
        TimedOracle::Overlap => Rule::Overlap { width: args.width, most: args.most.unwrap_or(100) },
        TimedOracle::Sequential => Rule::Sequential {
            difference: args.difference,
            beta: 1.0 - args.confidence,
            most: args.most.unwrap_or(1000),
        },
    }
}

enum System<'n> {
    /// From a network, which may be another one than the model's.
    Simulated(&'n Network),
    /// Behind a line.
    Reached(Box<Reached<'n>>),
}

fn model_path(args: &TimedRunArgs, suite: &TimedSuite) -> Result<PathBuf, Failure> {
    if let Some(model) = &args.model {
        return Ok(model.clone());
    }
    if suite.model.is_empty() {
        let message = format!("{} names no model", args.suite.display());
        return Err(Failure::input(message, "name it with --model MODEL.xml"));
    }
    let named = Path::new(&suite.model);
    let beside = args.suite.parent().unwrap_or(Path::new("")).join(named);
    Ok(if !named.exists() && beside.exists() { beside } else { named.to_path_buf() })
}

/// The network that the system is simulated from, and its file.
fn simulated_system(
    args: &TimedRunArgs,
    output: &Output,
) -> Result<(SourceFile, Network), Failure> {
    let (file, network) = network(&args.on, &[], output)?;
    if let Some(reason) = provoke_stochastic::estimate::obstacle(&network) {
        return Err(Failure::input(reason.text, "give a target file with --on"));
    }
    let Some(id) = args.mutant else { return Ok((file, network)) };
    let all = mutants(&network, &Operator::ALL, Amount::Part(0.5));
    match all.iter().find(|mutant| mutant.id == id) {
        Some(mutant) => {
            output.note(&format!("fault {id}: {}\n", mutant.text));
            let faulty = mutant.apply(&network);
            Ok((file, faulty))
        }
        None => {
            let message = format!("there is no mutant {id}; there are {}", all.len());
            let hint = format!("provoke timed mutate {} --list", args.on.display());
            Err(Failure::Usage { message, hint })
        }
    }
}

fn reached<'n>(
    args: &TimedRunArgs,
    interface: &Interface<'n>,
    suite: &TimedSuite,
    output: &Output,
) -> Result<System<'n>, Failure> {
    if args.mutant.is_some() {
        let message = "--mutant is for systems that are simulated".to_string();
        return Err(Failure::Usage { message, hint: "give a model with --on".to_string() });
    }
    let loaded = provoke::TestTarget::open(&args.on)?;
    let inputs: Vec<u32> = interface.inputs.values().copied().collect();
    let mut outputs = Vec::new();
    for name in &suite.observe {
        let known = interface.cell(name);
        outputs.push(known.map_err(|message| Failure::input(message, "check `observe`"))?);
    }
    let network = interface.network;
    let signals = signals(network, &inputs, &outputs);
    let board = loaded.board(&signals)?;
    let adapter = loaded.connect(&board, &signals, args.seed, false)?;
    let system = Reached::new(adapter, board, network, inputs, outputs, args.seed);
    Ok(System::Reached(Box::new(system)))
}

fn one(
    system: &mut System<'_>,
    completer: &Completer<'_>,
    interface: &Interface<'_>,
    test: &TimedTest,
    uio: Option<usize>,
    args: &TimedRunArgs,
    seed: u64,
) -> Result<Verdict, String> {
    let cone = completer.cone(test)?;
    let model = restricted(interface.network, &cone);
    let with = uio.map(|uio| &test.uios[uio]);
    let observed = completer.observed_in(test)?;
    let mut session = Session::new(interface, &model, test, with, observed)?;
    let alpha = 1.0 - args.confidence;
    let mut judged =
        |subject: &mut dyn Subject| session.run(subject, rule(args), alpha, test, with);
    match system {
        System::Reached(subject) => judged(subject.as_mut()),
        System::Simulated(network) => {
            let acts = interface.acts(&test.steps_with(with))?;
            let whats: Vec<_> = acts.iter().map(|act| act.what).collect();
            let tested = Tested::new(network, &whats);
            judged(&mut Simulated::new(&tested, seed))
        }
    }
}

fn evidence(evidence: &Evidence) -> EvidenceResult {
    EvidenceResult {
        expected: [evidence.expected.low, evidence.expected.high],
        observed: [evidence.observed.low, evidence.observed.high],
        successes: evidence.successes,
        differs: evidence.differs,
    }
}

fn result(test: &TimedTest, uio: Option<usize>, verdict: &Verdict) -> TimedVerdict {
    let mut result = TimedVerdict {
        test: test.name.clone(),
        uio: uio.filter(|_| test.uios.len() > 1).map(|uio| uio + 1),
        verdict: TimedVerdictWord::of(verdict.word()),
        runs: verdict.runs(),
        unreliable: false,
        output: None,
        joint: None,
        dependent: None,
        reason: None,
    };
    match verdict {
        Verdict::Pass(decided) | Verdict::Fail(decided) => {
            result.unreliable = decided.unreliable;
            result.output = Some(evidence(&decided.test));
            result.joint = decided.joint.as_ref().map(evidence);
            result.dependent = decided.dependent;
        }
        Verdict::Illegal { seen, at, .. } => {
            let mut steps = String::new();
            text::print_steps(&mut steps, &seen[..=*at]);
            let line = steps.lines().last().unwrap_or_default();
            result.reason = Some(format!("no run of the model shows step {}: {line}", at + 1));
        }
        Verdict::Error { trouble, .. } => {
            result.reason = Some(format!("{}; {}", trouble.reason, trouble.hint));
        }
    }
    result
}

fn shown(result: &TimedVerdict, verdict: &Verdict) -> String {
    let number = result.uio.map_or(String::new(), |uio| format!(", sequence {uio}"));
    let flag = if result.unreliable { ", not reliable" } else { "" };
    let mut shown =
        format!("{:<7} {}{number}: {} runs{flag}\n", result.verdict, result.test, result.runs);
    let line = |what: &str, evidence: &EvidenceResult| {
        let [low, high] = evidence.expected;
        let [from, to] = evidence.observed;
        let word = if evidence.differs { "differs" } else { "agrees" };
        format!(
            "        {what}: {} of {}, [{from:.3}, {to:.3}], expected [{low:.3}, {high:.3}]: {word}\n",
            evidence.successes, result.runs
        )
    };
    if let Some(output) = &result.output {
        shown += &line("outputs", output);
    }
    if let Some(joint) = &result.joint {
        shown += &line("with the sequence", joint);
    }
    if let Some(p) = result.dependent {
        shown += &format!(
            "        warning: consecutive runs have to do with each other (p = {p:.1e}); reset the system between runs\n"
        );
    }
    if let Some(reason) = &result.reason {
        shown += &format!("        {reason}\n");
    }
    if let Verdict::Illegal { seen, .. } = verdict {
        let mut steps = String::new();
        text::print_steps(&mut steps, seen);
        steps.lines().for_each(|line| shown += &format!("          {line}\n"));
    }
    shown
}
