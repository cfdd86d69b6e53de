//! What came of timed tests, as text.

use provoke_results::{
    EvidenceResult, TimedMutantResult, TimedMutantWord, TimedMutate, TimedVerdict,
};

use provoke_base::table::aligned;

/// The verdict of a test. `seen` are the lines of a run that the model does not have.
pub fn timed_verdict(result: &TimedVerdict, seen: &[String]) -> String {
    let number = result.uio.map_or(String::new(), |uio| format!(", sequence {uio}"));
    let flag = if result.unreliable { ", not reliable" } else { "" };
    let mut shown =
        format!("{:<7} {}{number}: {} runs{flag}\n", result.verdict, result.test, result.runs);
    if let Some(output) = &result.output {
        shown += &evidence("outputs", output);
    }
    if let Some(joint) = &result.joint {
        shown += &evidence("with the sequence", joint);
    }
    if let Some(p) = result.dependent {
        shown += &format!(
            "        warning: consecutive runs have to do with each other (p = {p:.1e}); reset the system between runs\n"
        );
    }
    if let Some(reason) = &result.reason {
        shown += &format!("        {reason}\n");
    }
    seen.iter().for_each(|line| shown += &format!("          {line}\n"));
    shown
}

fn evidence(what: &str, evidence: &EvidenceResult) -> String {
    let EvidenceResult { expected, observed, successes, unclear, runs, suspected, differs } =
        evidence;
    let ([low, high], [from, to]) = (expected, observed);
    let word = if *differs { "differs" } else { "agrees" };
    let fresh = if *suspected { " fresh runs" } else { "" };
    let unclear = match unclear {
        0 => String::new(),
        unclear => format!(" and {unclear} unclear"),
    };
    format!(
        "        {what}: {successes}{unclear} of {runs}{fresh}, [{from:.3}, {to:.3}], expected [{low:.3}, {high:.3}]: {word}\n",
    )
}

/// The mutants of a network: all of them, or only those that survived, and how many there are.
pub fn timed_mutants(result: &TimedMutate, all: bool) -> String {
    let shown = |mutant: &&TimedMutantResult| all || mutant.outcome == TimedMutantWord::Survived;
    let mut rows = vec![["", "kind", "change", "status"].map(str::to_string).to_vec()];
    for mutant in result.list.iter().filter(shown) {
        let id = mutant.id.to_string();
        let TimedMutantResult { operator, text, status, .. } = mutant;
        rows.push(vec![id, operator.clone(), text.clone(), status.clone()]);
    }
    let mut text = if rows.len() > 1 { aligned(&rows) } else { String::new() };
    text += &format!(
        "{} mutants, {} duplicates, {} proven equivalent",
        result.mutants, result.duplicate, result.equivalent
    );
    if let (Some(killed), Some(survived)) = (result.killed, result.survived) {
        text += &format!(", {killed} killed, {survived} survived");
    }
    if let (Some(percent), Some(other)) = (result.percent, result.percent_nonequivalent) {
        text += &format!(": {percent:.1} %, {other:.1} % of those not equivalent");
    }
    text + "\n"
}
