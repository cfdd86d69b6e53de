//! `provoke timed run`: a stochastic suite on a system.

use std::path::{Path, PathBuf};

use provoke_oracle::chance::Effort;
use provoke_oracle::cone::restricted;
use provoke_oracle::judge::{Evidence, Rule};
use provoke_oracle::mutant::{Amount, Operator, mutants};
use provoke_oracle::session::{Session, Verdict};
use provoke_oracle::subject::{Reached, Simulated, Subject, signals};
use provoke_oracle::tester::Tested;
use provoke_oracle::{Completer, Interface, Settings, TimedSuite, TimedTest, text};
use provoke_results::{EvidenceResult, TIMED_RUN, TimedRun, TimedVerdict};
use provoke_timed::Network;

use crate::args::{TimedOracle, TimedRunArgs};
use crate::commands::timed::stochastic::{check_names, read_suite};
use crate::commands::timed::{network, tell};
use crate::interrupt::Interrupt;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::target::Loaded;

pub(crate) fn run(args: &TimedRunArgs, output: &Output) -> Result<Outcome, Failure> {
    let suite = read_suite(&args.suite)?;
    let model = model_path(args, &suite)?;
    let (_, network) = network(&model, &[], output)?;
    let interface = Interface::new(&network);
    check_names(&suite, &interface, &args.suite)?;
    if let Some(test) = suite.tests.iter().find(|test| test.probability.is_none()) {
        let message = format!("test `{}` has no probability", test.name);
        let command =
            format!("provoke timed stochastic {} {} -o out", model.display(), args.suite.display());
        return Err(Failure::input(message, format!("complete the tests first: {command}")));
    }
    let completer = Completer::new(&network, &suite.observe, settings())
        .map_err(|message| Failure::input(message, "complete the tests again"))?;
    let simulated = args.on.extension().is_some_and(|extension| extension == "xml");
    let mut system = match simulated {
        true => System::Simulated(Box::new(simulated_system(args, output)?)),
        false => reached(args, &network, &interface, &suite, output)?,
    };
    let interrupt = Interrupt::listen();
    let mut verdicts = Vec::new();
    for (index, test) in suite.tests.iter().enumerate() {
        for uio in variants(test) {
            if interrupt.came() {
                break;
            }
            let seed = args.seed ^ ((index as u64 + 1) << 20) ^ uio.unwrap_or(0) as u64;
            let verdict = one(&mut system, &completer, &interface, test, uio, args, seed)
                .map_err(|message| Failure::input(message, "complete the tests again"))?;
            let result = result(test, uio, &verdict);
            if !output.is_json() {
                output.result(&shown(&result, &verdict));
            }
            verdicts.push(result);
        }
    }
    let count = |words: &[&str]| verdicts.iter().filter(|v| words.contains(&v.verdict)).count();
    let result = TimedRun {
        schema: TIMED_RUN,
        suite: args.suite.display().to_string(),
        on: args.on.display().to_string(),
        oracle: if args.oracle == TimedOracle::Overlap { "overlap" } else { "sequential" },
        passed: count(&["pass"]),
        failed: count(&["fail", "illegal"]),
        error: count(&["error"]),
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
        _ if interrupt.came() => Outcome::Interrupted,
        TimedRun { failed: 1.., .. } => Outcome::Negative,
        TimedRun { error: 1.., .. } => Outcome::Inconclusive,
        _ => Outcome::Well,
    })
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
    Simulated(Box<Network>),
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

fn simulated_system(args: &TimedRunArgs, output: &Output) -> Result<Network, Failure> {
    let (_, network) = network(&args.on, &[], output)?;
    if let Some(reason) = provoke_stochastic::estimate::obstacle(&network) {
        return Err(Failure::input(reason.text, "give a target file with --on"));
    }
    let Some(id) = args.mutant else { return Ok(network) };
    let all = mutants(&network, &Operator::ALL, Amount::Part(0.5));
    match all.iter().find(|mutant| mutant.id == id) {
        Some(mutant) => {
            output.note(&format!("fault {id}: {}\n", mutant.text));
            Ok(mutant.apply(&network))
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
    network: &'n Network,
    interface: &Interface<'n>,
    suite: &TimedSuite,
    output: &Output,
) -> Result<System<'n>, Failure> {
    if args.mutant.is_some() {
        let message = "--mutant is for systems that are simulated".to_string();
        return Err(Failure::Usage { message, hint: "give a model with --on".to_string() });
    }
    let loaded = Loaded::new(&args.on, output)?;
    let inputs: Vec<u32> = interface.inputs.values().copied().collect();
    let mut outputs = Vec::new();
    for name in &suite.observe {
        let known = interface.cell(name);
        outputs.push(known.map_err(|message| Failure::input(message, "check `observe`"))?);
    }
    let signals = signals(network, &inputs, &outputs);
    let board = loaded.board(&signals, output)?;
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
        verdict: verdict.word(),
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
