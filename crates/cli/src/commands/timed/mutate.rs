//! `provoke timed mutate`: faults of automata, and which of them a suite finds.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use provoke_oracle::equivalence::{Known, known};
use provoke_oracle::judge::Rule;
use provoke_oracle::mutant::{Mutant, Operator, mutants};
use provoke_oracle::score::{Bench, Oracle};
use provoke_oracle::{Completer, Interface, TimedSuite};
use provoke_results::{TIMED_MUTATE, TimedMutantResult, TimedMutate, to_json};
use provoke_timed::Network;

use crate::args::{TimedMutateArgs, TimedOracle};
use crate::commands::timed::run::settings;
use crate::commands::timed::stochastic::{check_names, read_suite};
use crate::commands::timed::{network, threads};
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::table::aligned;

pub(crate) fn run(args: &TimedMutateArgs, output: &Output) -> Result<Outcome, Failure> {
    let (file, network) = network(&args.model.model, &[], output)?;
    let operators: Vec<Operator> = match args.operators.is_empty() {
        true => Operator::ALL.to_vec(),
        false => args.operators.clone(),
    };
    // Numbers are those of all kinds, so that they mean the same in every list.
    let mut all = mutants(&network, &Operator::ALL, args.by);
    all.retain(|mutant| operators.contains(&mutant.operator));
    let interface = Interface::new(&network);
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
    let known = known(&network, &all, &observed);
    let mut list: Vec<TimedMutantResult> = all
        .iter()
        .zip(&known)
        .map(|(mutant, known)| TimedMutantResult {
            id: mutant.id,
            operator: mutant.operator.word(),
            text: mutant.text.clone(),
            status: status(known),
        })
        .collect();
    let mut result = TimedMutate {
        schema: TIMED_MUTATE,
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
        let open: Vec<usize> = (0..all.len()).filter(|at| known[*at] == Known::Open).collect();
        let killers = kills(args, &network, suite, &all, &open)
            .map_err(|message| Failure::input(message, "complete the tests again"))?;
        for (at, killer) in open.iter().zip(&killers) {
            list[*at].status = match killer {
                Some(test) => format!("killed by {}", suite.tests[*test].name),
                None => "survived".to_string(),
            };
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

fn status(known: &Known) -> String {
    match known {
        Known::Open => "open".to_string(),
        Known::Duplicate(other) => format!("duplicate of {other}"),
        Known::Equivalent(why) => format!("equivalent: {why}"),
    }
}

/// For each mutant, the first test that fails on it.
fn kills(
    args: &TimedMutateArgs,
    network: &Network,
    suite: &TimedSuite,
    mutants: &[Mutant],
    open: &[usize],
) -> Result<Vec<Option<usize>>, String> {
    let rule = match args.oracle {
        TimedOracle::Overlap => Rule::OVERLAP,
        TimedOracle::Sequential => Rule::Sequential { difference: 0.2, beta: 0.05, most: 1000 },
    };
    let oracle = Oracle::Stochastic(rule, 0.05);
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<Option<Option<usize>>>> = Mutex::new(vec![None; open.len()]);
    let work = || -> Result<(), String> {
        let completer = Completer::new(network, &suite.observe, settings())?;
        let interface = Interface::new(network);
        let mut bench = Bench::new(&completer, &interface, suite)?;
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(index) = open.get(at) else { return Ok(()) };
            let mutant = &mutants[*index];
            let seed = args.seed ^ (mutant.id as u64) << 32;
            let system = mutant.apply(network);
            let tally = bench.run(&system, Some(mutant.process), oracle, seed, false)?;
            found.lock().expect("no panic")[at] = Some(tally.failed);
        }
    };
    std::thread::scope(|scope| {
        let spawned: Vec<_> = (0..threads(args.jobs)).map(|_| scope.spawn(work)).collect();
        spawned.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
    })?;
    Ok(found.into_inner().expect("no panic").into_iter().map(Option::flatten).collect())
}

fn show(result: &TimedMutate, list: bool, output: &Output) {
    if output.is_json() {
        output.result(&to_json(result));
        return;
    }
    let shown = |mutant: &&TimedMutantResult| list || mutant.status == "survived";
    let mut rows = vec![["", "kind", "change", "status"].map(str::to_string).to_vec()];
    for mutant in result.list.iter().filter(shown) {
        let id = mutant.id.to_string();
        rows.push(vec![id, mutant.operator.into(), mutant.text.clone(), mutant.status.clone()]);
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
