//! What a suite exercises and makes visible, and why not the rest.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use provoke_base::Error;
use provoke_criteria::{
    ComparisonSettings, Criterion, EffectFate, ExactChange, Host, Masking, Measurement, Obligation,
    ObligationKind, Side, SuiteCoverage, TagComparison, TestMoment, WhyNot, compare,
    suggest_oracle,
};
use provoke_model::VarId;
use provoke_results::{
    CoveredByWord, DisagreementResult, EffectResult, ExactResult, ExactWord, MaskingWord, Measure,
    MeasuredProperties, MeasuredViolation, PartResult, Schema, SuggestionResult, VerdictResult,
    VerdictWord, VisitResult, WhyNotResult, WhyNotWord, WitnessResult, Word, percent,
};
use provoke_sim::SimProgram;
use provoke_testgen::{EffectFacts, EvidenceRule, fault_of};

use crate::best_evidence::{ending, fates};
use crate::changed_run::{ChangedRun, only_in};
use crate::design::reached_by_tests;
use crate::expectations::check_expectations;
use crate::generation::only_observable;
use crate::grading::{GradedResults, Grading, unknown};
use crate::measured_folder::MeasuredFolder;
use crate::numbers::stamp;
use crate::options::{CoverageTarget, MachineNumbers};
use crate::tests::TestedModel;

/// How many steps a test is prolonged to see whether it was just too short.
const MORE_STEPS: usize = 20;

/// How a suite is measured.
#[derive(Clone, Copy, Debug)]
pub struct MeasureOptions {
    /// When an operand counts as masked.
    pub masking: Masking,
    /// What is changed to be compared with what tags say.
    pub exact: Option<ExactChange>,
    /// Whether tags decide, as in the published work, and nothing is graded.
    pub as_published: bool,
    /// How many variables are named that would show more if they were monitored.
    pub suggested_variables: usize,
    /// The machine's numbers, where design errors are asked for.
    pub numbers: MachineNumbers,
}

impl Default for MeasureOptions {
    fn default() -> MeasureOptions {
        let (masking, as_published) = (Masking::Strict, false);
        let numbers = MachineNumbers::default();
        MeasureOptions { masking, exact: None, as_published, suggested_variables: 0, numbers }
    }
}

impl MeasureOptions {
    /// What shows that an observable obligation is fulfilled: effects, unless tags are read otherwise.
    fn evidence(&self) -> EvidenceRule {
        match self.as_published || self.masking != Masking::Strict {
            true => EvidenceRule::Tags,
            false => EvidenceRule::Effects {
                step: self.exact != Some(ExactChange::Stuck),
                stuck: self.exact != Some(ExactChange::Step),
            },
        }
    }
}

/// Measures what the tests of a model cover.
pub fn measure(subject: &TestedModel, options: &MeasureOptions) -> Result<Measure, Error> {
    Ok(Measurements::new(options, subject)?.result(options, subject))
}

/// Measures the same, and keeps it in a folder as evidence that can be reported, explained and audited.
pub fn measure_into(
    folder: &Path,
    subject: &TestedModel,
    options: &MeasureOptions,
) -> Result<Measure, Error> {
    let start = Instant::now();
    let targets: Vec<_> = subject.criterion.split(',').filter_map(CoverageTarget::named).collect();
    only_observable(&targets, options.exact)?;
    let mut result = measure(subject, options)?;
    let seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    result.suite = MeasuredFolder { folder, subject, options, result: &result, seconds }.write()?;
    Ok(result)
}

/// All that was measured.
struct Measurements {
    /// What counts: of what is graded, what effects show.
    coverage: SuiteCoverage,
    comparison: Option<TagComparison>,
    verdicts: Vec<VerdictResult>,
    /// Which conditions had the value that they have to decide with, whether or not they did.
    had_value: SuiteCoverage,
}

impl Measurements {
    fn new(options: &MeasureOptions, subject: &TestedModel) -> Result<Measurements, Error> {
        let (mut coverage, comparison) = measured(options, subject);
        let TestedModel { system, obligations, oracle, tests, .. } = subject;
        let (evidence, jobs) = (options.evidence(), provoke_work::threads(None));
        let grading = Grading { system, obligations, oracle, evidence, jobs };
        let shown = grading.evidence(tests, &grading.effects(tests))?;
        let mut verdicts = Vec::new();
        for (position, obligation) in obligations.iter().enumerate() {
            let mut verdict = unknown(obligation);
            if grading.is_graded(position) {
                coverage.statuses[position].covered = shown[position].first_moment();
                let facts = EffectFacts::default();
                let evidence = &shown[position];
                let name = &|test: usize| subject.suite.tests[test].name.clone();
                GradedResults { grading, obligation, evidence, facts: &facts, name }
                    .write(&mut verdict);
            } else if let Some(moment) = coverage.statuses[position].covered {
                let to_reach = crate::property::is_to_be_reached(&subject.system, obligation);
                verdict.verdict = match obligation.kind {
                    ObligationKind::Property if !to_reach => VerdictWord::Violated,
                    _ => VerdictWord::Covered,
                };
                verdict.test = Some(test_name(subject, moment));
            }
            if verdict.test.is_none() {
                verdict.reason = Some(NOT_COVERED.to_string());
                verdict.depth = None;
            }
            verdicts.push(verdict);
        }
        stamp(&mut verdicts, obligations, &subject.file, system);
        let had_value = had_value(subject);
        Ok(Measurements { coverage, comparison, verdicts, had_value })
    }
}

/// Why an obligation is unknown that no test covers: nobody has looked for one.
const NOT_COVERED: &str = "no test of the suite does that";

/// The same tests where conditions only have to have their values.
fn had_value(subject: &TestedModel) -> SuiteCoverage {
    let having = |obligation: &Obligation| {
        let criterion = Criterion { host: Host::Condition, observable: false };
        Obligation { criterion, ..obligation.clone() }
    };
    let having: Vec<Obligation> = subject.obligations.iter().map(having).collect();
    let TestedModel { system, oracle, tests, .. } = subject;
    let mut measurement = Measurement::new(system, &having, Masking::Strict, oracle);
    tests.iter().for_each(|test| drop(measurement.run_test(test)));
    measurement.coverage().clone()
}

fn measured(
    options: &MeasureOptions,
    subject: &TestedModel,
) -> (SuiteCoverage, Option<TagComparison>) {
    let TestedModel { system, obligations, oracle, tests, .. } = subject;
    let masking = options.masking;
    match options.exact {
        Some(exact) => {
            let oracle = oracle.clone();
            let setting = ComparisonSettings { masking, oracle, exact, more_steps: MORE_STEPS };
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

impl Measurements {
    fn result(self, options: &MeasureOptions, subject: &TestedModel) -> Measure {
        let (coverage, comparison) = (&self.coverage, self.comparison.as_ref());
        let id = |position: usize| subject.obligations[position].id.clone();
        let TestedModel { system, obligations, oracle, tests, .. } = subject;
        let fates = fates(system, options.masking, oracle, obligations, tests, coverage);
        let counted = || (0..obligations.len()).filter(|at| !is_property(&obligations[*at]));
        let total = counted().count();
        let covered = counted().filter(|at| coverage.is_covered(*at)).count();
        let expected = check_expectations(&subject.suite, system);
        Measure {
            schema: Schema::default(),
            model: subject.file.name.clone(),
            criterion: subject.criterion.clone(),
            masking: MaskingWord::of(options.masking.word()),
            oracle: subject.monitored.clone(),
            tests: subject.tests.len(),
            steps: subject.steps(),
            total,
            covered,
            percent: percent(covered, total),
            uncovered: counted().filter(|at| !coverage.is_covered(*at)).map(id).collect(),
            properties: properties(subject, coverage),
            errors: subject
                .asks_for(CoverageTarget::Errors)
                .then(|| reached_by_tests(subject, options.numbers)),
            exact: options.exact.zip(comparison).map(|(exact, comparison)| {
                exact_result(ExactWord::of(exact.word()), subject, comparison)
            }),
            expectations: expected.totals,
            differences: expected.differences,
            parts: parts(subject, coverage),
            witnesses: witnesses(subject, &self, &fates),
            reasons: reasons(subject, &self, &fates),
            suggestions: suggestions(options, subject, coverage),
            suite: String::new(),
            verdicts: self.verdicts,
        }
    }
}

fn is_property(obligation: &Obligation) -> bool {
    obligation.kind == ObligationKind::Property
}

/// The properties that the suite violates, if there are any properties.
fn properties(subject: &TestedModel, coverage: &SuiteCoverage) -> Option<MeasuredProperties> {
    let all = subject.obligations.iter().zip(&coverage.statuses);
    let all: Vec<_> = all.filter(|(obligation, _)| is_property(obligation)).collect();
    let violated = all.iter().filter_map(|(property, status)| {
        let moment = status.covered?;
        let (id, test) = (property.id.clone(), test_name(subject, moment));
        Some(MeasuredViolation { id, test, step: moment.step })
    });
    let violated = violated.collect();
    (!all.is_empty()).then_some(MeasuredProperties { total: all.len(), violated })
}

fn test_name(subject: &TestedModel, moment: TestMoment) -> String {
    subject.suite.tests[moment.test].name.clone()
}

fn witnesses(
    subject: &TestedModel,
    measured: &Measurements,
    fates: &[Option<EffectFate>],
) -> Vec<WitnessResult> {
    let mut witnesses = Vec::new();
    let program = Arc::new(SimProgram::new(&subject.system));
    for (position, obligation) in subject.obligations.iter().enumerate() {
        if is_property(obligation) {
            continue;
        }
        let Some(covered) = measured.coverage.statuses[position].covered else { continue };
        if let Some(effect) = measured.verdicts[position].best_effect() {
            witnesses.push(WitnessResult {
                id: obligation.id.clone(),
                test: test_name(subject, covered),
                exercised: effect.changed_at.unwrap_or(covered.step),
                visible: covered.step,
                path: way_of(subject, &program, obligation, covered, effect),
            });
            continue;
        }
        let (exercised, path) = match &fates[position] {
            Some(EffectFate::Visible(path)) => {
                let visit = |visit: &provoke_criteria::PathStep| VisitResult {
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

/// The variables that really differ in the changed run, up to the output that is seen.
fn way_of(
    subject: &TestedModel,
    program: &Arc<SimProgram>,
    obligation: &Obligation,
    seen: TestMoment,
    effect: &EffectResult,
) -> Vec<VisitResult> {
    let TestedModel { system, tests, .. } = subject;
    let (test, fault) = (&tests[seen.test], fault_of(obligation));
    let run = ChangedRun::new(system, program, test, fault, only_in(effect), seen.step);
    let output = effect.output.as_deref().and_then(|name| system.var_named(name));
    let run = match output {
        Some(output) => run.ending_in(output, seen.step),
        None => run,
    };
    let visit = |(var, step): &(VarId, usize)| VisitResult {
        variable: system.vars[*var].name.clone(),
        step: *step,
    };
    run.differs.iter().map(visit).collect()
}

fn reasons(
    subject: &TestedModel,
    measured: &Measurements,
    fates: &[Option<EffectFate>],
) -> Vec<WhyNotResult> {
    let mut reasons = Vec::new();
    for (position, obligation) in subject.obligations.iter().enumerate() {
        if is_property(obligation) {
            continue;
        }
        let Some(why_not) = measured.coverage.statuses[position].why_not() else { continue };
        let mut reason = why_not_result(subject, obligation, why_not, fates[position].as_ref());
        let had_value = measured.had_value.statuses[position].covered;
        if let (WhyNot::NeverReached, true, Some(moment)) =
            (why_not, obligation.needs_independence(), had_value)
        {
            reason.reason = WhyNotWord::NeverDecided;
            reason.explanation = "never decided its decision alone".to_string();
            (reason.test, reason.step) = (Some(test_name(subject, moment)), Some(moment.step));
        }
        if let Some(tag) = &measured.verdicts[position].tag {
            reason.reason = WhyNotWord::TagOnly;
            reason.explanation =
                "exercised with an open path to an output, but no test fails when it is wrong"
                    .to_string();
            (reason.test, reason.step) = (Some(tag.test.clone()), Some(tag.step));
        }
        reasons.push(reason);
    }
    reasons
}

fn why_not_result(
    subject: &TestedModel,
    obligation: &Obligation,
    why_not: WhyNot,
    fate: Option<&EffectFate>,
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
            if let Some(EffectFate::Masked { step, losses }) = fate {
                result.step = Some(*step);
                if let Some(ending) = ending(&subject.file, &subject.system, losses) {
                    result.line = Some(ending.line);
                    result.explanation = ending.words;
                }
            }
        }
    }
    result
}

fn exact_result(mode: ExactWord, subject: &TestedModel, comparison: &TagComparison) -> ExactResult {
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
        covered: (0..subject.obligations.len())
            .filter(|at| {
                !is_property(&subject.obligations[*at]) && comparison.exact.is_covered(*at)
            })
            .count(),
        only_tagged: of_side(Side::OnlyTagged),
        only_exact: of_side(Side::OnlyExact),
        disagreements: disagreements.collect(),
    }
}

/// Totals by criterion and node, worst first.
fn parts(subject: &TestedModel, coverage: &SuiteCoverage) -> Vec<PartResult> {
    let mut totals: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    for (position, obligation) in subject.obligations.iter().enumerate() {
        let instance = subject.system.vars[obligation.variable].instance;
        let node = subject.system.instances[instance].node.as_str();
        if is_property(obligation) {
            continue;
        }
        let entry = totals.entry((obligation.criterion.word(), node)).or_default();
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
    options: &MeasureOptions,
    subject: &TestedModel,
    coverage: &SuiteCoverage,
) -> Vec<SuggestionResult> {
    if options.suggested_variables == 0 {
        return Vec::new();
    }
    let TestedModel { system, obligations, tests, .. } = subject;
    let tests = tests.iter().map(Vec::as_slice);
    let found = suggest_oracle(
        system,
        obligations,
        coverage,
        options.masking,
        tests,
        options.suggested_variables,
    );
    let suggestion = |suggestion: provoke_criteria::Suggestion| SuggestionResult {
        variable: system.vars[suggestion.var].name.clone(),
        gain: suggestion.gains.len(),
        obligations: suggestion.gains.iter().map(|gain| obligations[*gain].id.clone()).collect(),
    };
    found.into_iter().map(suggestion).collect()
}
