//! `provoke mutate`: the faults that a suite finds.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use provoke::mutation::{Campaign, Mutated, Status};
use provoke::{Model, MutateOptions, certificates};
use provoke_base::{Control, SourceFile, Span};
use provoke_mutate::{Mutant, Operator, Piece};
use provoke_results::stryker::{
    FileMutant, FileMutants, Framework, Location, Position, Stryker, TestFile, TestName, Thresholds,
};
use provoke_results::{
    MutantResult, MutantWord, Mutants, Mutate, OperatorResult, PieceResult, Place, Schema,
    StageWord, Word, percent, to_json,
};
use provoke_suite::Format;
use provoke_work::{Served, WorkerLoop};

use crate::args::MutateArgs;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;
use crate::table::{aligned, shortened};

/// How many survivors are listed for people.
const SHOWN: usize = 20;
/// How long the text of a fault may be there.
const TEXT: usize = 70;

pub(crate) fn run(args: &MutateArgs, output: &Output) -> Result<Outcome, Failure> {
    if args.list {
        return list(args, output);
    }
    let start = Instant::now();
    let (control, options) = (console::control(output), options(args)?);
    let mut campaign = campaign(args, &options, &control, output)?;
    if campaign.mutated.mutants.is_empty() {
        output.warning(&nothing_to_mutate(args, &campaign.mutated));
    }
    let statuses = campaign.run(&control)?;
    let mut result = result(args, &campaign, &statuses);
    result.seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    if let Some(folder) = &args.output {
        write(output, folder, &campaign, &mut result)?;
        write_certificates(args, output, folder, &campaign, &statuses)?;
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

/// Does a worker's part.
pub(crate) fn serve(
    mut args: MutateArgs,
    worker: &mut WorkerLoop,
    output: &Output,
) -> Result<Served, Failure> {
    args.work = args.work.alone();
    let options = options(&args)?;
    let control = worker.control().clone();
    Ok(campaign(&args, &options, &control, output)?.serve(worker)?)
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

fn mutated(
    args: &MutateArgs,
    options: &MutateOptions,
    output: &Output,
) -> Result<Mutated, Failure> {
    let (main, assume) = (args.model.main.as_deref(), &args.work.assume);
    let model: Model = files::model_assuming(&args.model.model, main, assume, output)?;
    Ok(Mutated::new(model, options)?)
}

fn campaign<'a>(
    args: &MutateArgs,
    options: &'a MutateOptions,
    control: &Control,
    output: &Output,
) -> Result<Campaign<'a>, Failure> {
    let mutated = mutated(args, options, output)?;
    let path = args.suite.as_deref().ok_or_else(|| without_suite(&args.model.model))?;
    let suite = subject::suite_for(path, &mutated.system, args.fill, args.work.seed, output)?;
    Ok(Campaign::new(mutated, suite, options, control)?)
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

fn nothing_to_mutate(args: &MutateArgs, mutated: &Mutated) -> String {
    let model = &mutated.file.name;
    match args.operators.is_empty() {
        true => format!("{model} has nothing to mutate: no operators, constants or variables"),
        false => {
            let words: Vec<_> = args.operators.iter().map(|operator| operator.word()).collect();
            format!("{model} has no place for {} faults", words.join(" or "))
        }
    }
}

fn list(args: &MutateArgs, output: &Output) -> Result<Outcome, Failure> {
    let mutated = mutated(args, &options(args)?, output)?;
    let results: Vec<MutantResult> = mutated.mutants.iter().map(|m| listed(&mutated, m)).collect();
    let result = Mutants {
        schema: Schema::default(),
        model: mutated.file.name.clone(),
        all: mutated.all,
        mutants: results.len(),
        invalid: results.iter().filter(|result| result.status == MutantWord::Invalid).count(),
        operators: operators(&results),
        results,
    };
    if output.is_json() {
        output.result(&to_json(&result));
    } else if result.mutants == 0 {
        output.result(&format!("{}\n", nothing_to_mutate(args, &mutated)));
    } else {
        output.result(&describe_list(&result));
    }
    Ok(Outcome::Well)
}

/// What mutants can come to, in the order in which they are counted.
const FATES: [MutantWord; 4] =
    [MutantWord::Invalid, MutantWord::Killed, MutantWord::Equivalent, MutantWord::Survived];

/// A mutant that was not run.
fn listed(mutated: &Mutated, mutant: &Mutant) -> MutantResult {
    let place = Place::new(&mutated.file, mutant.span);
    let pieces = mutant.pieces(&mutated.system, &mutated.file);
    let replacement = match &pieces {
        Some(_) => String::new(),
        None => mutant.rewritten(&mutated.system, &mutated.file),
    };
    MutantResult {
        id: mutant.id.clone(),
        operator: mutant.operator.word().to_string(),
        line: place.line,
        column: place.column,
        end_line: place.end_line,
        end_column: place.end_column,
        text: mutant.describe(&mutated.file),
        replacement,
        pieces: pieces.unwrap_or_default().into_iter().map(piece).collect(),
        status: match mutant.invalid {
            Some(_) => MutantWord::Invalid,
            None => MutantWord::Listed,
        },
        reason: mutant.invalid.map_or("", |invalid| invalid.words()).to_string(),
        test: None,
        step: None,
        stage: None,
        killed_by: None,
    }
}

fn piece(piece: Piece) -> PieceResult {
    match piece {
        Piece::New(text) => PieceResult::New { text },
        Piece::Written(Span { start, end }) => PieceResult::Written { from: start, to: end },
    }
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

fn result(args: &MutateArgs, campaign: &Campaign<'_>, statuses: &[Status]) -> Mutate {
    let mutated = &campaign.mutated;
    let results: Vec<MutantResult> = mutated
        .mutants
        .iter()
        .zip(statuses)
        .map(|(mutant, status)| one(args, campaign, mutant, status))
        .collect();
    let count = |status| results.iter().filter(|result| result.status == status).count();
    let [invalid, killed, equivalent, survived] = FATES.map(count);
    Mutate {
        schema: Schema::default(),
        model: mutated.file.name.clone(),
        main: mutated.system.name.clone(),
        model_sha256: provoke_audit::folder::sha256(campaign.model_text().as_bytes()),
        assumptions: args.work.assume.clone(),
        oracle: args.oracle.clone(),
        monitored: campaign.monitored_names(),
        all: mutated.all,
        mutants: results.len(),
        invalid,
        killed,
        equivalent,
        survived,
        percent: percent(killed, results.len() - invalid),
        percent_nonequivalent: percent(killed, killed + survived),
        tests: campaign.suite.tests.len(),
        steps: campaign.suite.tests.iter().map(|test| test.steps.len()).sum(),
        added: campaign.added,
        seconds: 0.0,
        suite: String::new(),
        interrupted: campaign.interrupted,
        operators: operators(&results),
        results,
    }
}

fn one(
    args: &MutateArgs,
    campaign: &Campaign<'_>,
    mutant: &Mutant,
    status: &Status,
) -> MutantResult {
    let plain = listed(&campaign.mutated, mutant);
    match status.clone() {
        Status::Invalid { reason, .. } => {
            MutantResult { status: MutantWord::Invalid, reason, ..plain }
        }
        Status::Killed { test, step, by } => {
            let killed_by = args.matrix.then_some(by);
            let (test, step) = (Some(test), Some(step));
            MutantResult { status: MutantWord::Killed, test, step, killed_by, ..plain }
        }
        Status::Equivalent { engine, k, .. } => {
            let (status, reason) = (MutantWord::Equivalent, proven(&engine, k));
            MutantResult { status, reason, ..plain }
        }
        Status::Survived { miss, note } => {
            let (test, step) = campaign.nearest(&miss).unzip();
            let stage = Some(StageWord::of(miss.stage.word()));
            MutantResult { status: MutantWord::Survived, reason: note, stage, test, step, ..plain }
        }
    }
}

fn proven(engine: &str, k: usize) -> String {
    format!("proven by {engine}, k = {k}")
}

/// The numbers of each operator that has mutants.
fn operators(results: &[MutantResult]) -> Vec<OperatorResult> {
    let mut all = Vec::new();
    for operator in Operator::ALL.map(Operator::word) {
        let of: Vec<_> = results.iter().filter(|result| result.operator == operator).collect();
        let count = |status| of.iter().filter(|result| result.status == status).count();
        if !of.is_empty() {
            let [invalid, killed, equivalent, survived] = FATES.map(count);
            let (operator, mutants) = (operator.to_string(), of.len());
            let row = OperatorResult { operator, mutants, invalid, killed, equivalent, survived };
            all.push(row);
        }
    }
    all
}

fn write(
    output: &Output,
    folder: &Path,
    campaign: &Campaign<'_>,
    result: &mut Mutate,
) -> Result<(), Failure> {
    files::make_folder(folder)?;
    let path = folder.join("suite.json");
    files::write_suite(output, &campaign.suite, &path, Format::Json)?;
    result.suite = path.display().to_string();
    // The places of mutants are places in this text.
    let text = campaign.model_text();
    files::write(output, &folder.join("model.lus"), text.as_bytes())?;
    files::write(output, &folder.join("mutants.json"), to_json(result).as_bytes())
}

fn write_certificates(
    args: &MutateArgs,
    output: &Output,
    folder: &Path,
    campaign: &Campaign<'_>,
    statuses: &[Status],
) -> Result<(), Failure> {
    let (sheet, assumed) = (campaign.certificates(statuses), &args.work.assume);
    let node = &campaign.mutated.system.name;
    let text = certificates::file(campaign.model_text(), node, assumed, &sheet);
    files::write(output, &folder.join(certificates::FILE), text.as_bytes())
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
            ("Ignored", format!("equivalent: {}", proven(&engine, k)), Vec::new())
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
