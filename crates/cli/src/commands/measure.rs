//! `provoke measure`: what a suite exercises and makes visible, and why not the rest.

use std::collections::BTreeMap;

use provoke::best_evidence::{ending, fates};
use provoke_criteria::{
    Comparison, Coverage, Fate, Kind, Measurement, Moment, Obligation, Setting, Side, WhyNot,
    compare, suggest_oracle,
};
use provoke_results::{
    CoveredByWord, DisagreementResult, ExactResult, ExactWord, MaskingWord, Measure, PartResult,
    Schema, SuggestionResult, VisitResult, WhyNotResult, WhyNotWord, WitnessResult, Word, percent,
    to_json,
};

use crate::args::MeasureArgs;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject::Subject;
use crate::table::{aligned, shortened};

/// How many steps a test is prolonged to see whether it was just too short.
const MORE_STEPS: usize = 20;
/// How many obligations are listed when not all are asked for.
const SHOWN: usize = 20;

pub(crate) fn run(args: &MeasureArgs, output: &Output) -> Result<Outcome, Failure> {
    let subject = Subject::load(&args.on, output)?;
    let (coverage, comparison) = measured(args, &subject);
    let result = result(args, &subject, &coverage, comparison.as_ref());
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.result(&describe(args, &subject, &result));
    }
    let enough = args.require.is_none_or(|required| result.percent >= required);
    Ok(if enough { Outcome::Well } else { Outcome::Negative })
}

fn measured(args: &MeasureArgs, subject: &Subject) -> (Coverage, Option<Comparison>) {
    let Subject { system, obligations, oracle, tests, .. } = subject;
    let masking = args.on.masking;
    match args.exact {
        Some(exact) => {
            let oracle = oracle.clone();
            let setting = Setting { masking, oracle, exact, more_steps: MORE_STEPS };
            let comparison = compare(system, obligations, &setting, tests);
            (comparison.tagged.clone(), Some(comparison))
        }
        None => {
            let mut measurement = Measurement::new(system, obligations, masking, oracle);
            tests.iter().for_each(|test| drop(measurement.run_test(test)));
            (measurement.coverage().clone(), None)
        }
    }
}

fn result(
    args: &MeasureArgs,
    subject: &Subject,
    coverage: &Coverage,
    comparison: Option<&Comparison>,
) -> Measure {
    let id = |position: usize| subject.obligations[position].id.clone();
    let Subject { system, obligations, oracle, tests, .. } = subject;
    let fates = fates(system, args.on.masking, oracle, obligations, tests, coverage);
    Measure {
        schema: Schema::default(),
        model: subject.file.name.clone(),
        criterion: args.on.criterion.words(),
        masking: MaskingWord::of(args.on.masking.word()),
        oracle: args.on.oracle.clone(),
        tests: subject.tests.len(),
        steps: subject.steps(),
        total: coverage.total(),
        covered: coverage.covered(),
        percent: percent(coverage.covered(), coverage.total()),
        uncovered: coverage.uncovered().map(id).collect(),
        exact: args.exact.zip(comparison).map(|(exact, comparison)| {
            exact_result(ExactWord::of(exact.word()), subject, comparison)
        }),
        parts: parts(subject, coverage),
        witnesses: witnesses(subject, coverage, &fates),
        reasons: reasons(subject, coverage, &fates),
        suggestions: suggestions(args, subject, coverage),
    }
}

fn test_name(subject: &Subject, moment: Moment) -> String {
    subject.suite.tests[moment.test].name.clone()
}

fn witnesses(subject: &Subject, coverage: &Coverage, fates: &[Option<Fate>]) -> Vec<WitnessResult> {
    let mut witnesses = Vec::new();
    for (position, obligation) in subject.obligations.iter().enumerate() {
        let Some(covered) = coverage.statuses[position].covered else { continue };
        let (exercised, path) = match &fates[position] {
            Some(Fate::Visible(path)) => {
                let visit = |visit: &provoke_criteria::Visit| VisitResult {
                    variable: subject.system.vars[visit.var].name.clone(),
                    step: visit.step,
                };
                (path.base_step, path.visits.iter().map(visit).collect())
            }
            _ => (covered.step, Vec::new()),
        };
        witnesses.push(WitnessResult {
            id: obligation.id.clone(),
            test: test_name(subject, covered),
            exercised,
            visible: covered.step,
            path,
        });
    }
    witnesses
}

fn reasons(subject: &Subject, coverage: &Coverage, fates: &[Option<Fate>]) -> Vec<WhyNotResult> {
    let mut reasons = Vec::new();
    for (position, obligation) in subject.obligations.iter().enumerate() {
        let Some(why_not) = coverage.statuses[position].why_not() else { continue };
        reasons.push(why_not_result(subject, obligation, why_not, fates[position].as_ref()));
    }
    reasons
}

fn why_not_result(
    subject: &Subject,
    obligation: &Obligation,
    why_not: WhyNot,
    fate: Option<&Fate>,
) -> WhyNotResult {
    let mut result = WhyNotResult {
        id: obligation.id.clone(),
        reason: WhyNotWord::NeverReached,
        explanation: "never reached".to_string(),
        test: None,
        step: None,
        line: None,
    };
    match why_not {
        WhyNot::NeverReached => {}
        WhyNot::TooLate(moment) => {
            result.reason = WhyNotWord::TooLate;
            result.test = Some(test_name(subject, moment));
            result.step = Some(moment.step);
            let name = test_name(subject, moment);
            result.explanation = format!("still on its way when test `{name}` ended");
        }
        WhyNot::Masked(moment) => {
            result.reason = WhyNotWord::Masked;
            result.test = Some(test_name(subject, moment));
            result.step = Some(moment.step);
            result.explanation = "reached but masked".to_string();
            if let Some(Fate::Masked { step, deaths }) = fate {
                result.step = Some(*step);
                if let Some(ending) = ending(&subject.file, &subject.system, deaths) {
                    result.line = Some(ending.line);
                    result.explanation = ending.words;
                }
            }
        }
    }
    result
}

fn exact_result(mode: ExactWord, subject: &Subject, comparison: &Comparison) -> ExactResult {
    let id = |position: usize| subject.obligations[position].id.clone();
    let of_side = |side: Side| {
        let one_side = comparison.disagreements.iter().filter(move |d| d.side == side);
        one_side.map(|d| id(d.obligation)).collect()
    };
    let line = |expr| {
        let span = subject.system.exprs[expr].span;
        subject.file.line_column(span.start).line
    };
    let disagreements = comparison.disagreements.iter().map(|d| DisagreementResult {
        id: id(d.obligation),
        covered_by: match d.side {
            Side::OnlyTagged => CoveredByWord::Tagged,
            Side::OnlyExact => CoveredByWord::Exact,
        },
        reason: d.reason.words(),
        line: d.place.map(line),
        test: test_name(subject, d.covered),
        step: d.covered.step,
    });
    ExactResult {
        mode,
        covered: comparison.exact.covered(),
        only_tagged: of_side(Side::OnlyTagged),
        only_exact: of_side(Side::OnlyExact),
        disagreements: disagreements.collect(),
    }
}

/// Totals by criterion and node, worst first.
fn parts(subject: &Subject, coverage: &Coverage) -> Vec<PartResult> {
    let mut totals: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    for (position, obligation) in subject.obligations.iter().enumerate() {
        let instance = subject.system.vars[obligation.variable].instance;
        let node = subject.system.instances[instance].node.as_str();
        let criterion = match obligation.kind {
            Kind::Property => "properties",
            _ => obligation.criterion.word(),
        };
        let entry = totals.entry((criterion, node)).or_default();
        entry.0 += 1;
        entry.1 += usize::from(coverage.is_covered(position));
    }
    let part = |((criterion, node), (total, covered)): ((&str, &str), (usize, usize))| {
        let percent = percent(covered, total);
        let (criterion, node) = (criterion.to_string(), node.to_string());
        PartResult { criterion, node, total, covered, percent }
    };
    let mut parts: Vec<PartResult> = totals.into_iter().map(part).collect();
    parts.sort_by(|a, b| a.percent.total_cmp(&b.percent));
    parts
}

fn suggestions(
    args: &MeasureArgs,
    subject: &Subject,
    coverage: &Coverage,
) -> Vec<SuggestionResult> {
    if args.suggest_oracle == 0 {
        return Vec::new();
    }
    let Subject { system, obligations, tests, .. } = subject;
    let tests = tests.iter().map(Vec::as_slice);
    let found =
        suggest_oracle(system, obligations, coverage, args.on.masking, tests, args.suggest_oracle);
    let suggestion = |suggestion: provoke_criteria::Suggestion| SuggestionResult {
        variable: system.vars[suggestion.var].name.clone(),
        gain: suggestion.gains.len(),
        obligations: suggestion.gains.iter().map(|gain| obligations[*gain].id.clone()).collect(),
    };
    found.into_iter().map(suggestion).collect()
}

fn describe(args: &MeasureArgs, subject: &Subject, result: &Measure) -> String {
    let mut text = format!(
        "{}: {} tests, {} steps\n\n{}",
        result.model,
        result.tests,
        result.steps,
        aligned(&part_rows(result))
    );
    if let Some(exact) = &result.exact {
        text += &describe_exact(args, exact, result.total);
    }
    if !result.reasons.is_empty() {
        text +=
            &format!("\nnot covered, and why:\n{}", aligned(&reason_rows(args, subject, result)));
        let more = result.reasons.len().saturating_sub(SHOWN);
        if !args.all && more > 0 {
            text += &format!("  ... and {more} more; --all shows them\n");
        }
    }
    if args.all {
        text += &format!("\ncovered, and how:\n{}", aligned(&witness_rows(result)));
    }
    for suggestion in &result.suggestions {
        text += &format!(
            "\nmonitoring `{}` would make {} more visible",
            suggestion.variable, suggestion.gain
        );
    }
    if args.suggest_oracle > 0 {
        let none = result.suggestions.is_empty();
        text += if none { "\nno variable would make more visible\n" } else { "\n" };
    }
    text
}

fn part_rows(result: &Measure) -> Vec<Vec<String>> {
    let mut rows = vec![["criterion", "node", "covered", "of", "%"].map(String::from).to_vec()];
    let mut row = |criterion: &str, node: &str, covered: usize, total: usize, percent: f64| {
        let cells = [criterion.into(), node.into(), covered.to_string(), total.to_string()];
        let mut cells = cells.to_vec();
        cells.push(format!("{percent:.2}"));
        rows.push(cells);
    };
    for part in &result.parts {
        row(&part.criterion, &part.node, part.covered, part.total, part.percent);
    }
    if result.parts.len() != 1 {
        row("all", "", result.covered, result.total, result.percent);
    }
    rows
}

fn reason_rows(args: &MeasureArgs, subject: &Subject, result: &Measure) -> Vec<Vec<String>> {
    let limit = if args.all { usize::MAX } else { SHOWN };
    let place = |id: &str| {
        let obligation = subject.obligations.iter().find(|obligation| obligation.id == id);
        obligation.map_or_else(Default::default, |obligation| {
            let place = subject.file.line_column(obligation.span.start);
            [format!("{}:{}", place.line, place.column), shortened(&obligation.text, 30)]
        })
    };
    let row = |reason: &WhyNotResult| {
        let [place, text] = place(&reason.id);
        vec![format!("  {}", reason.id), place, text, reason.explanation.clone()]
    };
    result.reasons.iter().take(limit).map(row).collect()
}

fn witness_rows(result: &Measure) -> Vec<Vec<String>> {
    let row = |witness: &WitnessResult| {
        let visits = witness.path.iter().map(|visit| format!("{}@{}", visit.variable, visit.step));
        let path = visits.collect::<Vec<_>>().join(" -> ");
        let when = format!("{}, step {}", witness.test, witness.exercised);
        vec![format!("  {}", witness.id), when, path]
    };
    result.witnesses.iter().map(row).collect()
}

fn describe_exact(args: &MeasureArgs, exact: &ExactResult, total: usize) -> String {
    let mut text = format!(
        "\nby changing values ({}): {} of {total} covered, {:.2} %\n",
        exact.mode,
        exact.covered,
        percent(exact.covered, total)
    );
    let limit = if args.all { usize::MAX } else { SHOWN };
    let row = |d: &DisagreementResult| {
        let line = d.line.map_or_else(String::new, |line| format!("line {line}"));
        vec![format!("  {}", d.id), format!("only {}", d.covered_by), d.reason.clone(), line]
    };
    let rows: Vec<Vec<String>> = exact.disagreements.iter().take(limit).map(row).collect();
    if !rows.is_empty() {
        text += &format!("tags and changed values disagree:\n{}", aligned(&rows));
        let more = exact.disagreements.len().saturating_sub(limit);
        if more > 0 {
            text += &format!("  ... and {more} more; --all shows them\n");
        }
    }
    text
}
