//! `provoke timed mutate`: faults of automata, and which of them a suite finds.

use std::sync::Mutex;

use provoke_base::SourceFile;
use provoke_oracle::equivalence::{Known, known};
use provoke_oracle::judge::Rule;
use provoke_oracle::mutant::{Mutant, Operator, mutants};
use provoke_oracle::score::{Bench, Oracle};
use provoke_oracle::{Completer, Interface, TimedSuite};
use provoke_results::{Schema, TimedMutantResult, TimedMutantWord, TimedMutate, to_json};
use provoke_store::KeyBuilder;
use provoke_timed::Network;
use provoke_work::{CaseRunner, Cases, Served, WorkerLoop, case_key, command_identity};
use serde_json::json;

use crate::args::{TimedMutateArgs, TimedOracle};
use crate::commands::timed::network;
use crate::commands::timed::run::settings;
use crate::commands::timed::stochastic::{check_names, read_suite};
use crate::console;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::table::aligned;
use crate::workers;

pub(crate) fn run(args: &TimedMutateArgs, output: &Output) -> Result<Outcome, Failure> {
    let (file, network) = network(&args.model.model, &[], output)?;
    let Faults { all, known, suite } = Faults::new(args, &network)?;
    let mut list: Vec<TimedMutantResult> = all
        .iter()
        .zip(&known)
        .map(|(mutant, known)| TimedMutantResult {
            id: mutant.id,
            operator: mutant.operator.word().to_string(),
            text: mutant.text.clone(),
            outcome: outcome(known),
            status: status(known),
        })
        .collect();
    let mut result = TimedMutate {
        schema: Schema::default(),
        model: file.name.clone(),
        mutants: all.len(),
        duplicate: known.iter().filter(|known| matches!(known, Known::Duplicate(_))).count(),
        equivalent: known.iter().filter(|known| matches!(known, Known::Equivalent(_))).count(),
        killed: None,
        survived: None,
        percent: None,
        percent_nonequivalent: None,
        list: Vec::new(),
    };
    if let (Some(suite), false) = (&suite, args.list) {
        let open = open(&known);
        let (control, place) = (console::control(output), args.place.executor());
        let (identity, folder) = (command_identity("timed mutate"), args.place.store.as_deref());
        let jobs = args.place.jobs();
        let mut runner = workers::runner(&identity, folder, place, jobs, &control)?;
        let killers = kills(args, (&file, &network), suite, &all, &open, &mut runner)?;
        let Some(killers) = killers else {
            output.warning("interrupted before all faults were tried");
            return Ok(Outcome::Interrupted);
        };
        for (at, killer) in open.iter().zip(&killers) {
            let (outcome, status) = match killer {
                Some(test) => {
                    (TimedMutantWord::Killed, format!("killed by {}", suite.tests[*test].name))
                }
                None => (TimedMutantWord::Survived, "survived".to_string()),
            };
            (list[*at].outcome, list[*at].status) = (outcome, status);
        }
        let killed = killers.iter().flatten().count();
        let percent = |of: usize| (of > 0).then(|| 100.0 * killed as f64 / of as f64);
        result.killed = Some(killed);
        result.survived = Some(open.len() - killed);
        result.percent = percent(all.len() - result.duplicate);
        result.percent_nonequivalent = percent(open.len());
    }
    result.list = list;
    show(&result, args.list || suite.is_none(), output);
    Ok(Outcome::Well)
}

fn outcome(known: &Known) -> TimedMutantWord {
    match known {
        Known::Open => TimedMutantWord::Open,
        Known::Duplicate(_) => TimedMutantWord::Duplicate,
        Known::Equivalent(_) => TimedMutantWord::Equivalent,
    }
}

fn status(known: &Known) -> String {
    match known {
        Known::Open => "open".to_string(),
        Known::Duplicate(other) => format!("duplicate of {other}"),
        Known::Equivalent(why) => format!("equivalent: {why}"),
    }
}

/// Does a worker's part.
pub(crate) fn serve(
    args: &TimedMutateArgs,
    worker: &mut WorkerLoop,
    output: &Output,
) -> Result<Served, Failure> {
    let (file, network) = network(&args.model.model, &[], output)?;
    let Faults { all, known, suite } = Faults::new(args, &network)?;
    let mut runner = CaseRunner::of_worker(&command_identity("timed mutate"), worker)?;
    if let Some(suite) = &suite {
        kills(args, (&file, &network), suite, &all, &open(&known), &mut runner)?;
    }
    Ok(runner.served()?)
}

/// The faults that are asked for, what is known of them, and the suite that is to find them.
struct Faults {
    all: Vec<Mutant>,
    known: Vec<Known>,
    suite: Option<TimedSuite>,
}

impl Faults {
    fn new(args: &TimedMutateArgs, network: &Network) -> Result<Faults, Failure> {
        let operators: Vec<Operator> = match args.operators.is_empty() {
            true => Operator::ALL.to_vec(),
            false => args.operators.clone(),
        };
        // Numbers are those of all kinds, so that they mean the same in every list.
        let mut all = mutants(network, &Operator::ALL, args.by);
        all.retain(|mutant| operators.contains(&mutant.operator));
        let interface = Interface::new(network);
        let suite = args.suite.as_ref().map(|path| read_suite(path)).transpose()?;
        if let (Some(suite), Some(path)) = (&suite, &args.suite) {
            check_names(suite, &interface, path)?;
        }
        let names = match &suite {
            _ if !args.observe.is_empty() => args.observe.clone(),
            Some(suite) => suite.observe.clone(),
            None => interface.usual_outputs(),
        };
        let mut observed = Vec::new();
        for name in &names {
            let cell = interface.cell(name);
            observed.push(cell.map_err(|m| Failure::input(m, "name variables with --observe"))?);
        }
        let known = known(network, &all, &observed);
        Ok(Faults { all, known, suite })
    }
}

/// The faults of which nothing is known.
fn open(known: &[Known]) -> Vec<usize> {
    (0..known.len()).filter(|at| known[*at] == Known::Open).collect()
}

/// How long a fault takes, as long as nothing was measured.
const FAULT_SECONDS: f64 = 0.5;

/// For each fault, the first test that fails on it; nothing if that did not come to its end.
fn kills(
    args: &TimedMutateArgs,
    (file, network): (&SourceFile, &Network),
    suite: &TimedSuite,
    mutants: &[Mutant],
    open: &[usize],
    runner: &mut CaseRunner<'_>,
) -> Result<Option<Vec<Option<usize>>>, Failure> {
    let wrong = |message: String| Failure::input(message, "complete the tests again");
    let rule = match args.oracle {
        TimedOracle::Overlap => Rule::OVERLAP,
        TimedOracle::Sequential => Rule::Sequential { difference: 0.2, beta: 0.05, most: 1000 },
    };
    let oracle = Oracle::Stochastic(rule, 0.05);
    let key = KeyBuilder::new("provoke/timed-mutate/1")
        .part("model", &file.text)
        .part("suite", provoke_oracle::json::print(suite))
        .json("settings", &json!([format!("{:?} {oracle:?}", args.by), args.seed]))
        .finish();
    let keys = open.iter().map(|at| case_key(&key, &json!(mutants[*at].id))).collect();
    let completer = Completer::new(network, &suite.observe, settings()).map_err(wrong)?;
    let interface = Interface::new(network);
    // Whoever tries a fault takes a bench that is free.
    let free: Mutex<Vec<Bench<'_>>> = Mutex::default();
    runner.all(&Cases::new("faults", FAULT_SECONDS, keys), &|at, _| {
        let taken = free.lock().expect("no panic").pop();
        let made = || Bench::new(&completer, &interface, suite);
        let mut bench = taken.map_or_else(made, Ok).map_err(wrong)?;
        let mutant = &mutants[open[at]];
        let seed = args.seed ^ (mutant.id as u64) << 32;
        let system = mutant.apply(network);
        let tally = bench.run(&system, Some(mutant.process), oracle, seed, false);
        free.lock().expect("no panic").push(bench);
        Ok(tally.map_err(wrong)?.failed)
    })
}

fn show(result: &TimedMutate, list: bool, output: &Output) {
    if output.is_json() {
        output.result(&to_json(result));
        return;
    }
    let shown = |mutant: &&TimedMutantResult| list || mutant.outcome == TimedMutantWord::Survived;
    let mut rows = vec![["", "kind", "change", "status"].map(str::to_string).to_vec()];
    for mutant in result.list.iter().filter(shown) {
        let id = mutant.id.to_string();
        let TimedMutantResult { operator, text, status, .. } = mutant;
        rows.push(vec![id, operator.clone(), text.clone(), status.clone()]);
    }
    if rows.len() > 1 {
        output.result(&aligned(&rows));
    }
    let mut line = format!(
        "{} mutants, {} duplicates, {} proven equivalent",
        result.mutants, result.duplicate, result.equivalent
    );
    if let (Some(killed), Some(survived)) = (result.killed, result.survived) {
        line += &format!(", {killed} killed, {survived} survived");
    }
    if let (Some(percent), Some(other)) = (result.percent, result.percent_nonequivalent) {
        line += &format!(": {percent:.1} %, {other:.1} % of those not equivalent");
    }
    output.result(&format!("{line}\n"));
}
