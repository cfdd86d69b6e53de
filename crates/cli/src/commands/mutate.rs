//! `provoke mutate`: the faults that a suite finds.

use std::collections::BTreeMap;
use std::path::Path;

use provoke::mutation::{self, Campaign, Mutated, Status};
use provoke::{Model, MutateOptions, Mutation};
use provoke_base::SourceFile;
use provoke_model::Suite;
use provoke_mutate::Mutant;
use provoke_results::stryker::{
    FileMutant, FileMutants, Framework, Location, Position, Stryker, TestFile, TestName, Thresholds,
};
use provoke_results::{
    MutantResult, MutantWord, Mutants, Mutate, OperatorResult, Word, percent, to_json,
};

use crate::args::MutateArgs;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject::suite_for;
use crate::table::{aligned, shortened};

/// How many survivors are listed for people.
const SHOWN: usize = 20;
/// How long the text of a fault may be there.
const TEXT: usize = 70;

pub(crate) fn run(args: &MutateArgs, output: &Output) -> Result<Outcome, Failure> {
    if args.list {
        return list(args, output);
    }
    let (control, options) = (console::control(output), options(args)?);
    let (model, suite) = subject(args, output)?;
    let Mutation { result, campaign, statuses } =
        provoke::mutate(model, suite, &options, &control)?;
    if campaign.mutated.mutants.is_empty() {
        output.warning(&nothing_to_mutate(args, &result.model));
    }
    if let Some(path) = &args.stryker {
        let report = to_json(&stryker(args, &campaign, &statuses));
        files::write(output, path, report.as_bytes())?;
    }
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.result(&describe(&result));
    }
    let enough = args.require.is_none_or(|required| result.percent_nonequivalent >= required);
    Ok(match enough {
        _ if result.interrupted => Outcome::Interrupted,
        _ if campaign.cut_short => Outcome::Inconclusive,
        true => Outcome::Well,
        false => Outcome::Negative,
    })
}

fn options(args: &MutateArgs) -> Result<MutateOptions, Failure> {
    Ok(MutateOptions {
        operators: args.operators.clone(),
        replacements: args.replacements as usize,
        sample: args.sample.map(|sample| sample as usize),
        oracle: args.oracle.clone(),
        equivalence: args.equivalence,
        kill: args.kill,
        matrix: args.matrix,
        folder: args.output.clone(),
        work: args.work.options()?,
    })
}

fn model(args: &MutateArgs, output: &Output) -> Result<Model, Failure> {
    let (main, assume) = (args.model.main.as_deref(), &args.work.assume);
    files::model_assuming(&args.model.model, main, assume, output)
}

/// The model and the suite that the arguments name.
fn subject(args: &MutateArgs, output: &Output) -> Result<(Model, Suite), Failure> {
    let model = model(args, output)?;
    let path = args.suite.as_deref().ok_or_else(|| without_suite(&args.model.model))?;
    let suite = suite_for(path, &model.system, args.fill, args.work.seed, output)?;
    Ok((model, suite))
}

/// What to do first.
fn without_suite(model: &Path) -> Failure {
    let model = model.display();
    Failure::Usage {
        message: "no SUITE is given to run the mutants on".to_string(),
        hint: format!(
            "make one with `provoke generate {model} -c omcdc -o out`, then type `provoke mutate \
             {model} out/suite.json`; `provoke mutate {model} --list` only shows the mutants"
        ),
    }
}

fn nothing_to_mutate(args: &MutateArgs, model: &str) -> String {
    match args.operators.is_empty() {
        true => format!("{model} has nothing to mutate: no operators, constants or variables"),
        false => {
            let words: Vec<_> = args.operators.iter().map(|operator| operator.word()).collect();
            format!("{model} has no place for {} faults", words.join(" or "))
        }
    }
}

fn list(args: &MutateArgs, output: &Output) -> Result<Outcome, Failure> {
    let result = provoke::list_mutants(model(args, output)?, &options(args)?)?;
    if output.is_json() {
        output.result(&to_json(&result));
    } else if result.mutants == 0 {
        output.result(&format!("{}\n", nothing_to_mutate(args, &result.model)));
    } else {
        output.result(&describe_list(&result));
    }
    Ok(Outcome::Well)
}

fn describe_list(result: &Mutants) -> String {
    let row = |mutant: &MutantResult| {
        let text = shortened(&mutant.text, TEXT);
        vec![format!("  {}", mutant.id), text, mutant.reason.clone()]
    };
    let rows: Vec<Vec<String>> = result.results.iter().map(row).collect();
    let mut counts = vec![["operator", "mutants", "invalid"].map(String::from).to_vec()];
    let count = |operator: &OperatorResult| {
        let OperatorResult { operator, mutants, invalid, .. } = operator;
        vec![operator.to_string(), mutants.to_string(), invalid.to_string()]
    };
    counts.extend(result.operators.iter().map(count));
    counts.push(vec!["all".into(), result.mutants.to_string(), result.invalid.to_string()]);
    let heading = heading(&result.model, result.mutants, result.all);
    format!("{heading}\n{}\n{}", aligned(&rows), aligned(&counts))
}

fn heading(model: &str, mutants: usize, all: usize) -> String {
    match mutants == all {
        true => format!("{model}: {mutants} mutants"),
        false => format!("{model}: {mutants} of {all} mutants"),
    }
}

fn describe(result: &Mutate) -> String {
    let heading = heading(&result.model, result.mutants, result.all);
    let mut text = format!(
        "{heading}, {} tests, {} steps, oracle {}\n\n{}",
        result.tests,
        result.steps,
        result.oracle,
        aligned(&numbers(result))
    );
    text += &survivors(result);
    text += &format!("\n{} % of the valid mutants are killed", result.percent);
    if result.equivalent > 0 {
        text += &format!(", {} % of those not equivalent", result.percent_nonequivalent);
    }
    text += &format!("; {} s\n", result.seconds);
    if !result.suite.is_empty() {
        text += &format!("{} tests added; written to {}\n", result.added, result.suite);
    }
    text
}

fn numbers(result: &Mutate) -> Vec<Vec<String>> {
    let heading = ["operator", "mutants", "invalid", "killed", "equivalent", "survived", "%"];
    let row = |of: &OperatorResult| {
        let counts = [of.mutants, of.invalid, of.killed, of.equivalent, of.survived];
        let share = percent(of.killed, of.mutants - of.invalid);
        let cells = counts.iter().map(usize::to_string);
        [of.operator.to_string()].into_iter().chain(cells).chain([format!("{share:.2}")]).collect()
    };
    let all = OperatorResult {
        operator: "all".to_string(),
        mutants: result.mutants,
        invalid: result.invalid,
        killed: result.killed,
        equivalent: result.equivalent,
        survived: result.survived,
    };
    let mut rows = vec![heading.map(String::from).to_vec()];
    rows.extend(result.operators.iter().chain([&all]).map(row));
    rows
}

fn survivors(result: &Mutate) -> String {
    let survived = || result.results.iter().filter(|mutant| mutant.status == MutantWord::Survived);
    let row = |mutant: &MutantResult| {
        let stage = mutant.stage.map_or("", Word::word);
        let near = match (&mutant.test, mutant.step) {
            (Some(test), Some(step)) => format!("{stage} in {test}, step {step}"),
            _ => stage.to_string(),
        };
        let text = shortened(&mutant.text, TEXT);
        vec![format!("  {}", mutant.id), text, near, mutant.reason.clone()]
    };
    let rows: Vec<Vec<String>> = survived().take(SHOWN).map(row).collect();
    let more = survived().count() - rows.len();
    match (rows.is_empty(), more) {
        (true, _) => String::new(),
        (_, 0) => format!("\nsurvivors\n{}", aligned(&rows)),
        _ => format!(
            "\nsurvivors\n{}  ... and {more} more; --format json lists all\n",
            aligned(&rows)
        ),
    }
}

/// The report for the viewer.
fn stryker(args: &MutateArgs, campaign: &Campaign<'_>, statuses: &[Status]) -> Stryker {
    let Mutated { file, mutants, .. } = &campaign.mutated;
    let model = FileMutants {
        language: "lustre",
        source: file.text.clone(),
        mutants: mutants.iter().zip(statuses).map(|(m, s)| in_file(campaign, m, s)).collect(),
    };
    let tests = campaign.suite.tests.iter();
    let tests =
        tests.map(|test| TestName { id: test.name.clone(), name: test.name.clone() }).collect();
    let suite = args.suite.as_ref().map_or_else(String::new, |path| path.display().to_string());
    Stryker {
        schema_version: "2",
        thresholds: Thresholds { high: 80, low: 60 },
        framework: Framework { name: "provoke", version: env!("CARGO_PKG_VERSION").to_string() },
        files: BTreeMap::from([(file.name.clone(), model)]),
        test_files: BTreeMap::from([(suite, TestFile { tests })]),
    }
}

fn in_file(campaign: &Campaign<'_>, mutant: &Mutant, status: &Status) -> FileMutant {
    let Mutated { file, system, .. } = &campaign.mutated;
    let (word, reason, killed_by) = match status.clone() {
        Status::Invalid { reason, at_run_time: true } => ("RuntimeError", reason, Vec::new()),
        Status::Invalid { reason, .. } => ("CompileError", reason, Vec::new()),
        Status::Killed { step, test, by } => {
            ("Killed", format!("differs in test {test}, step {step}"), by)
        }
        Status::Equivalent { engine, k, .. } => {
            ("Ignored", format!("equivalent: {}", mutation::proven(&engine, k)), Vec::new())
        }
        Status::Survived { miss, note } => {
            let stage = miss.stage.word();
            let reason = if note.is_empty() { stage.into() } else { format!("{stage}; {note}") };
            ("Survived", reason, Vec::new())
        }
    };
    FileMutant {
        id: mutant.id.clone(),
        mutator_name: mutant.operator.word(),
        description: mutant.describe(file),
        replacement: mutant.rewritten(system, file),
        location: Location {
            start: position(file, mutant.span.start),
            end: position(file, mutant.span.end),
        },
        status: word,
        status_reason: reason,
        killed_by,
    }
}

fn position(file: &SourceFile, offset: u32) -> Position {
    let place = file.line_column(offset);
    Position { line: place.line, column: place.column }
}
