//! `provoke generate`: each obligation ends as covered, infeasible or unknown.

use std::path::Path;

use provoke::{Fill, GenerateOptions, Generated, Model, Target};
use provoke_model::{Suite, System};
use provoke_results::{
    Generate, KindWord, TotalsResult, VerdictResult, VerdictWord, percent, to_json,
};

use crate::args::GenerateArgs;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;
use crate::table::aligned;

pub(crate) fn run(args: &GenerateArgs, output: &Output) -> Result<Outcome, Failure> {
    let (model, given, options) = asked(args, output)?;
    let control = console::control(output);
    let Generated { result, .. } = provoke::generate(&model, given, &options, &control)?;
    if result.interrupted {
        say_interrupted(args.output.as_deref(), output);
    }
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.result(&describe(&result));
    }
    Ok(outcome(args, &result))
}

/// What is to be done, and with what.
fn asked(
    args: &GenerateArgs,
    output: &Output,
) -> Result<(Model, Option<Suite>, GenerateOptions), Failure> {
    only_observable(args)?;
    let (main, assume) = (args.model.main.as_deref(), &args.work.assume);
    let model = files::model_assuming(&args.model.model, main, assume, output)?;
    let given = args.extend.as_deref();
    let given = given.map(|path| given_tests(path, &model.system, args.work.seed)).transpose()?;
    let options = GenerateOptions {
        targets: args.criterion.criterion.clone(),
        counting: args.criterion.counting,
        method: args.method,
        masking: args.masking,
        oracle: args.oracle.clone(),
        exact: args.exact,
        exclude: excluded(&args.exclude, &args.because)?,
        reduction: args.reduce.0.map(Into::into),
        shard: args.shard,
        folder: args.output.clone(),
        work: args.work.options()?,
    };
    Ok((model, given, options))
}

/// Each pattern with its reason.
fn excluded(patterns: &[String], because: &[String]) -> Result<Vec<(String, String)>, Failure> {
    if let Some(pattern) = patterns.get(because.len()) {
        return Err(Failure::Usage {
            message: format!("`--exclude {pattern}` has no reason"),
            hint: format!("type --exclude '{pattern}' --because 'why no test is needed'"),
        });
    }
    if let Some(reason) = because.get(patterns.len()) {
        return Err(Failure::Usage {
            message: format!("`--because` belongs to an `--exclude` before it: {reason}"),
            hint: format!("type --exclude ID --because '{reason}'"),
        });
    }
    match because.iter().position(|reason| reason.trim().is_empty()) {
        None => Ok(patterns.iter().cloned().zip(because.iter().cloned()).collect()),
        Some(position) => Err(Failure::Usage {
            message: format!("the reason for `--exclude {}` is empty", patterns[position]),
            hint: "say why no test is needed: --because 'TEXT'".to_string(),
        }),
    }
}

/// Says where what was found is, and how to go on.
pub(crate) fn say_interrupted(folder: Option<&Path>, output: &Output) {
    output.warning(&match folder {
        Some(folder) => format!(
            "interrupted; what was found is in {}, and the same command goes on from there",
            folder.display()
        ),
        None => "interrupted; what was found is shown, but the work is lost: with `-o FOLDER` the \
                 same command could go on"
            .to_string(),
    });
}

/// A change has to be seen somewhere: with a criterion that asks for no such thing, exactness
/// would have no meaning.
fn only_observable(args: &GenerateArgs) -> Result<(), Failure> {
    let is_visible = |asked: &&Target| matches!(asked, Target::Criterion(c) if c.observable);
    let hidden = args.criterion.criterion.iter().find(|asked| !is_visible(asked));
    let (Some(exact), Some(hidden)) = (args.exact, hidden) else { return Ok(()) };
    let (exact, word) = (exact.word(), hidden.word());
    let message = format!("--exact {exact}: `{word}` is not an observable criterion");
    let hint = match hidden {
        Target::Criterion(_) => format!("use -c o{word}, or leave out --exact"),
        Target::Properties => "ask for properties in a run of their own".to_string(),
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
fn given_tests(path: &Path, system: &System, seed: u64) -> Result<Suite, Failure> {
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
