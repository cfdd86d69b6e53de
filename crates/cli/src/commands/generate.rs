//! `provoke generate`: every obligation gets a test, a proof, or an honest unknown.

use std::path::Path;

use provoke_model::{Suite, System};
use provoke_results::{
    Generate, KindWord, TotalsResult, VerdictResult, VerdictWord, percent, to_json,
};
use provoke_work::{Served, WorkerLoop};

use crate::args::{Asked, Fill, GenerateArgs};
use crate::console;
use crate::exclusion;
use crate::job::Job;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;
use crate::table::aligned;

pub(crate) fn run(args: &GenerateArgs, output: &Output) -> Result<Outcome, Failure> {
    let result = job(args, output)?.run(&console::control(output))?;
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.result(&describe(&result));
    }
    Ok(outcome(args, &result))
}

/// Does a worker's part.
pub(crate) fn serve(
    mut args: GenerateArgs,
    worker: &mut WorkerLoop,
    output: &Output,
) -> Result<Served, Failure> {
    args.work.jobs = Some(1);
    job(&args, output)?.serve(worker)
}

fn job<'a>(args: &'a GenerateArgs, output: &Output) -> Result<Job<'a>, Failure> {
    only_observable(args)?;
    let mut job = Job::load(&args.model, &args.work, output)?;
    if let Some(path) = &args.extend {
        job.given = given(path, &job.system, args.work.seed)?;
    }
    job.obligations = subject::listed(&job.file, &job.system, &args.criterion)?;
    job.excluded = exclusion::reasons(&job.obligations, &args.exclude, &args.because)?;
    job.oracle = subject::oracle(&job.system, &args.oracle)?;
    job.criterion = args.criterion.words();
    job.counting = args.criterion.counting;
    job.masking = args.masking;
    job.exact = args.exact;
    job.method = args.method;
    job.reduction = args.reduce;
    job.shard = args.shard;
    job.folder = args.output.as_deref();
    Ok(job)
}

/// A change has to be seen somewhere: with a criterion that asks for no such thing, exactness
/// would have no meaning.
fn only_observable(args: &GenerateArgs) -> Result<(), Failure> {
    let is_visible = |asked: &&Asked| matches!(asked, Asked::Criterion(c) if c.observable);
    let hidden = args.criterion.criterion.iter().find(|asked| !is_visible(asked));
    let (Some(exact), Some(hidden)) = (args.exact, hidden) else { return Ok(()) };
    let (exact, word) = (exact.word(), hidden.word());
    let message = format!("--exact {exact}: `{word}` asks for nothing to be visible");
    let hint = match hidden {
        Asked::Criterion(_) => format!("use -c o{word}, or leave out --exact"),
        Asked::Properties => "ask for properties in a run of their own".to_string(),
    };
    Err(Failure::input(message, hint))
}

fn outcome(args: &GenerateArgs, result: &Generate) -> Outcome {
    let violated = |verdict: &VerdictResult| verdict.verdict == VerdictWord::Violated;
    if result.interrupted {
        Outcome::Interrupted
    } else if result.verdicts.iter().any(violated) {
        Outcome::Negative
    } else if let Some(required) = args.require {
        let TotalsResult { covered, unknown, .. } = result.obligations;
        let enough = percent(covered, covered + unknown) >= required;
        if enough { Outcome::Well } else { Outcome::Negative }
    } else if result.obligations.unknown > 0 {
        Outcome::Inconclusive
    } else {
        Outcome::Well
    }
}

fn is_property(verdict: &VerdictResult) -> bool {
    verdict.kind == KindWord::Property
}

/// The tests of a suite, over the inputs of the model; what they leave open is drawn at random.
fn given(path: &Path, system: &System, seed: u64) -> Result<Suite, Failure> {
    let mut suite = subject::tests(path, system)?.suite;
    subject::fill(&mut suite, system, Fill::Random, seed);
    Ok(suite)
}

/// How many obligations of a kind are listed.
const SHOWN: usize = 20;

pub(crate) fn describe(result: &Generate) -> String {
    let exact = result.exact.map_or_else(String::new, |mode| format!(", exact ({mode})"));
    let mut text =
        format!("{}: {} {}{exact}\n", result.model, result.obligations.total, result.criterion);
    text += &format!("  {}\n", totals(&result.obligations));
    text += &format!(
        "  {} tests{}, {} steps, {} s\n",
        result.tests,
        reduced(result),
        result.steps,
        result.seconds
    );
    if result.obligations.total == 0 {
        text += "  the model has nothing that this criterion asks for\n";
    }
    for assumption in &result.assumptions {
        text += &format!("  assuming {assumption}\n");
    }
    if !result.suite.is_empty() {
        let folder = Path::new(&result.suite).parent().unwrap_or(Path::new("."));
        let suite = &result.suite;
        text += &format!("  written to {suite}; `provoke report {}` shows it\n", folder.display());
    }
    let (properties, others): (Vec<_>, Vec<_>) =
        result.verdicts.iter().partition(|verdict| is_property(verdict));
    let of_kind = |word: VerdictWord| -> Vec<&VerdictResult> {
        others.iter().copied().filter(|verdict| verdict.verdict == word).collect()
    };
    text += &listed("properties", &properties, property_row);
    text += &listed("excluded", &of_kind(VerdictWord::Excluded), excluded_row);
    text += &listed("unknown", &of_kind(VerdictWord::Unknown), unknown_row);
    text
}

fn totals(totals: &TotalsResult) -> String {
    let TotalsResult { covered, infeasible, unknown, excluded, .. } = totals;
    let mut text = format!("{covered} covered, {infeasible} infeasible, {unknown} unknown");
    if *excluded > 0 {
        text += &format!(", {excluded} excluded");
    }
    text
}

fn reduced(result: &Generate) -> String {
    match result.tests_before_reduction {
        before if before > result.tests => format!(" (of {before}, {})", result.reduction),
        _ => String::new(),
    }
}

fn listed(
    title: &str,
    verdicts: &[&VerdictResult],
    row: fn(&VerdictResult) -> [String; 2],
) -> String {
    if verdicts.is_empty() {
        return String::new();
    }
    let shown = verdicts.iter().take(SHOWN).map(|verdict| {
        let [first, second] = row(verdict);
        vec![format!("  {}", verdict.id), first, second]
    });
    let mut text = format!("\n{title}:\n{}", aligned(&shown.collect::<Vec<_>>()));
    if verdicts.len() > SHOWN {
        text += &format!("  ... and {} more; `--format json` lists all\n", verdicts.len() - SHOWN);
    }
    text
}

/// What became of a property, and how one knows.
pub(crate) fn property_row(verdict: &VerdictResult) -> [String; 2] {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let how = match verdict.verdict {
        VerdictWord::Violated => format!("test {}", text(&verdict.test)),
        VerdictWord::Holds => format!("{}, k = {}", text(&verdict.engine), verdict.k.unwrap_or(0)),
        _ => text(&verdict.reason),
    };
    [verdict.verdict.to_string(), how]
}

fn excluded_row(verdict: &VerdictResult) -> [String; 2] {
    let note = verdict.note.as_ref().map_or_else(String::new, |note| format!("({note})"));
    [verdict.reason.clone().unwrap_or_default(), note]
}

fn unknown_row(verdict: &VerdictResult) -> [String; 2] {
    let reason = verdict.reason.clone().unwrap_or_default();
    let depth = verdict.depth.unwrap_or(0);
    [format!("{reason}; not within {depth} steps"), String::new()]
}
