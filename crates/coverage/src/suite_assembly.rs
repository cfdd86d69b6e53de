//! From what was generated to the suite and its verdicts: fewer tests, all claims still true.

use std::sync::Arc;

use provoke_cover::{Items, ReductionMatrix, Row};
use provoke_criteria::{Obligation, ObligationKind, Scan, matrix};
use provoke_model::{ExprId, Step, Suite, TestCase, Value};
use provoke_results::{
    ExactWord, ExpectationsResult, Generate, GradeWord, KindWord, MethodWord, PropertiesResult,
    PropertyResult, ReductionWord, Schema, SolverWord, SourceResult, SourceWord, TotalsResult,
    VerdictResult, VerdictWord, Word,
};
use provoke_sim::{Risks, RunSet, SimProgram};
use provoke_solve::certificate::{CertifiedVerdict, Sheet};
use provoke_testgen::{
    EffectFacts, GeneratedTest, GenerationMethod, GenerationResult,
    ObligationVerdict as CoveringTest, Redundancy, RedundancyReason, TestSource, host_of,
};

use crate::certificates::{claim, once_claim, redundant_claim};
use crate::expectations::complete_expectations;
use crate::generation::GenerationJob;
use crate::grading::{GradedResults, Grading, SuiteEvidence, TestEffects, grade, unknown};
use crate::numbers::{numbers_result, stamp};
use crate::options::Reduction;
use crate::property::{Violation, described, is_to_be_reached, undefined_value};
use crate::reduction::{ReductionChoice, ReductionUnit};
use crate::tests;
use provoke_base::{Error, ErrorCode};

/// The inputs of each step of a test.
type Inputs = Vec<Vec<Value>>;

/// The tests that stay, and what became of every obligation.
pub(crate) struct TestsFound {
    /// The inputs of each test.
    tests: Vec<Inputs>,
    /// The obligations that each test is the first to cover.
    covers: Vec<Vec<usize>>,
    /// What became of each obligation; `None` for those that were left out.
    outcomes: Vec<Option<CoveringTest>>,
    /// The first test that covers each obligation, also one that was left out.
    first: Vec<Option<usize>>,
    /// What is undefined and has to have which value for a property to be broken.
    undefined: Vec<Vec<(ExprId, Value)>>,
    /// What the tests show of each obligation, and what is known of it, where effects decide.
    evidence: Vec<SuiteEvidence>,
    facts: Vec<EffectFacts>,
    before_reduction: usize,
    /// What each source contributed, before reduction.
    sources: Vec<SourceResult>,
}

impl TestsFound {
    /// Reduces what was generated.
    pub(crate) fn new(
        job: &GenerationJob<'_>,
        generation: GenerationResult,
    ) -> Result<TestsFound, Error> {
        let before_reduction = generation.tests.len();
        let sources = sources(job, &generation);
        let grading = grading(job);
        let mut known = generation.effects.into_iter();
        let facts: Vec<EffectFacts> = (0..job.obligations.len())
            .map(|position| if job.is_sought(position) { known.next() } else { None })
            .map(Option::unwrap_or_default)
            .collect();
        let mut found = generation.outcomes.into_iter();
        let mut outcomes: Vec<Option<CoveringTest>> = (0..job.obligations.len())
            .map(|position| if job.is_sought(position) { found.next() } else { None })
            .collect();
        let (choices, tests): (Vec<GeneratedTest>, Vec<GeneratedTest>) =
            generation.tests.into_iter().partition(|test| !test.is_measured);
        let sought = positions_sought(job);
        let by_choice: Vec<usize> =
            choices.iter().flat_map(|test| &test.covers).map(|at| sought[*at]).collect();
        let claim = |test: GeneratedTest| {
            let covers = test.covers.iter().map(|at| sought[*at] as u32).collect();
            (test.steps, covers)
        };
        let (tests, claims): (Vec<Inputs>, Vec<Items>) = tests.into_iter().map(claim).unzip();
        let mut chosen = vec![false; job.obligations.len()];
        by_choice.iter().for_each(|position| chosen[*position] = true);
        let claimed = |position: &usize| {
            matches!(outcomes[*position], Some(CoveringTest::Covered(_)))
                && !chosen[*position]
                && !grading.is_graded(*position)
        };
        let claimed: Vec<usize> = (0..job.obligations.len()).filter(claimed).collect();
        let effects = grading.effects(&tests);
        let mut glances = glanced(job, &tests, claims, &effects);
        let (mut tests, mut first, effects) = match reduced(job, &tests, &mut glances, &claimed) {
            Some((kept, first)) => (only(tests, &kept), first, only(effects, &kept)),
            None => {
                let all: Vec<usize> = (0..tests.len()).collect();
                let first = first_tests(job, &tests, &all, &mut glances);
                (tests, first, effects)
            }
        };
        let evidence = grading.evidence(&tests, &effects)?;
        let mut covers = vec![Vec::new(); tests.len()];
        // Measurement counts what is certain and has a value, so it says nothing about these.
        let mut undefined = vec![Vec::new(); job.obligations.len()];
        for (position, test) in by_choice.into_iter().zip(choices) {
            first[position] = Some(tests.len());
            covers.push(Vec::new());
            tests.push(test.steps);
            undefined[position] = test.undefined;
        }
        for (position, outcome) in outcomes.iter_mut().enumerate() {
            if grading.is_graded(position) {
                first[position] = evidence[position].first_test();
            }
            let Some(outcome) = outcome else { continue };
            if grading.is_graded(position) {
                covers_by_grade(&mut covers, position, &evidence[position], &facts[position]);
                continue;
            }
            if let Some(test) = first[position] {
                covers[test].push(position);
            }
            settle(&job.obligations[position].id, outcome, first[position])?;
        }
        Ok(TestsFound {
            tests,
            covers,
            outcomes,
            first,
            undefined,
            evidence,
            facts,
            before_reduction,
            sources,
        })
    }

    /// The tests with their expected outputs. They move into the suite: those of a model with many
    /// inputs would take too much room twice.
    pub(crate) fn suite(&mut self, job: &GenerationJob<'_>) -> Result<Suite, Error> {
        let observed = job.oracle.monitored(&job.system);
        let mut suite = Suite::for_system(&job.system, &observed);
        let tests = std::mem::take(&mut self.tests);
        for (index, (test, covers)) in tests.into_iter().zip(&self.covers).enumerate() {
            let given = job.given.tests.get(index);
            let step = |inputs: Vec<_>| Step { inputs, outputs: Vec::new() };
            let covers = covers.iter().map(|position| job.obligations[*position].id.clone());
            suite.tests.push(TestCase {
                name: test_name(job, index),
                covers: covers.collect(),
                requirements: given.map(|test| test.requirements.clone()).unwrap_or_default(),
                steps: test.into_iter().map(step).collect(),
            });
        }
        complete_expectations(&mut suite, &job.given, &job.system, &job.oracle)?;
        Ok(suite)
    }

    /// What is told of it all.
    pub(crate) fn result(&self, job: &GenerationJob<'_>, suite: &Suite, seconds: f64) -> Generate {
        let mut verdicts: Vec<VerdictResult> =
            (0..job.obligations.len()).map(|at| self.verdict(job, suite, at)).collect();
        stamp(&mut verdicts, &job.obligations, &job.file, &job.system);
        let obligations = totals(&verdicts);
        let random = job.method == GenerationMethod::Random;
        Generate {
            schema: Schema::default(),
            model: job.file.name.clone(),
            criterion: job.criterion.clone(),
            method: MethodWord::of(job.method.word()),
            exact: job.exact.map(|exact| ExactWord::of(exact.word())),
            as_published: job.as_published,
            solver: match random {
                true => SolverWord::None,
                false => SolverWord::of(job.work.solver.word()),
            },
            assumptions: job.work.assume.clone(),
            numbers: numbers_result(job.system.numbers),
            obligations,
            properties: PropertiesResult::among(&verdicts),
            errors: None,
            tests: suite.tests.len(),
            tests_before_reduction: self.before_reduction,
            reduction: ReductionWord::of(job.reduction.map_or("none", Reduction::word)),
            steps: suite.tests.iter().map(|test| test.steps.len()).sum(),
            sources: self.sources.clone(),
            mutants: None,
            seconds,
            interrupted: false,
            suite: String::new(),
            expectations: ExpectationsResult::default(),
            differences: Vec::new(),
            verdicts,
        }
    }

    /// The proofs that others can check, in the order of the obligations.
    pub(crate) fn certificates(&self, job: &GenerationJob<'_>) -> Sheet {
        let mut sheet = Sheet::new(&job.system);
        for (obligation, facts) in job.obligations.iter().zip(&self.facts) {
            if let Some(redundant) = &facts.redundant {
                state_redundant(&mut sheet, obligation, redundant);
            }
            if let Some(proof) = &facts.never_in_one_step
                && let Some(certificate) = &proof.certificate
            {
                sheet.state(&CertifiedVerdict {
                    claim: &once_claim(obligation),
                    mutant: Some(&obligation.id),
                    engine: &proof.engine,
                    k: proof.k,
                    certificate,
                });
            }
        }
        for (obligation, outcome) in job.obligations.iter().zip(&self.outcomes) {
            if let Some(CoveringTest::Infeasible(proof)) = outcome
                && let Some(certificate) = &proof.certificate
            {
                let (claim, engine, k) = (claim(obligation), &proof.engine, proof.k);
                sheet.state(&CertifiedVerdict {
                    claim: &claim,
                    mutant: None,
                    engine,
                    k,
                    certificate,
                });
            }
        }
        sheet
    }

    fn verdict(&self, job: &GenerationJob<'_>, suite: &Suite, position: usize) -> VerdictResult {
        let mut result = unknown(&job.obligations[position]);
        let is_property = is_property(&job.obligations[position]);
        let is_promise = is_property && !is_to_be_reached(&job.system, &job.obligations[position]);
        result.property = is_property.then(|| self.property(job, suite, position));
        let test = self.first[position].map(|test| test_name(job, test));
        if self.outcomes[position].is_some() && grading(job).is_graded(position) {
            GradedResults {
                grading: grading(job),
                obligation: &job.obligations[position],
                evidence: &self.evidence[position],
                facts: &self.facts[position],
                name: &|test| test_name(job, test),
            }
            .write(&mut result);
            return result;
        }
        match &self.outcomes[position] {
            None => {
                result.verdict = VerdictWord::Excluded;
                result.reason.clone_from(&job.excluded[position]);
                result.note = test.map(|test| format!("test {test} covers it all the same"));
            }
            Some(CoveringTest::Covered(_)) if !self.functions_agree(job, suite, position) => {
                result.reason = Some(NO_FUNCTION.to_string());
                result.property = None;
            }
            Some(CoveringTest::Covered(_)) => {
                result.verdict =
                    if is_promise { VerdictWord::Violated } else { VerdictWord::Covered };
                result.test = test;
                let undefined = self.undefined[position].iter();
                let described = |(pre, value): &(ExprId, Value)| {
                    undefined_value(&job.file, &job.system, *pre, value)
                };
                result.undefined = undefined.map(described).collect();
            }
            Some(CoveringTest::Infeasible(proof)) => {
                result.verdict =
                    if is_promise { VerdictWord::Holds } else { VerdictWord::Infeasible };
                result.engine = Some(proof.engine.clone());
                result.k = Some(proof.k);
                result.lemmas = Some(proof.lemmas);
            }
            Some(CoveringTest::Unknown { reason, depth }) => {
                result.reason = Some(reason.clone());
                result.depth = Some(*depth);
            }
        }
        result
    }

    /// Whether the test of a property is a run in which functions are functions.
    fn functions_agree(&self, job: &GenerationJob<'_>, suite: &Suite, position: usize) -> bool {
        let Some(test) = self.first[position].filter(|_| is_property(&job.obligations[position]))
        else {
            return true;
        };
        let inputs = tests::inputs(&suite.tests[test]);
        provoke_testgen::functions_agree(&job.system, &inputs, &self.undefined[position])
    }

    /// What a property says, and how the suite violates it if it does.
    fn property(&self, job: &GenerationJob<'_>, suite: &Suite, position: usize) -> PropertyResult {
        let violating = match &self.outcomes[position] {
            Some(CoveringTest::Covered(_)) => self.first[position],
            _ => None,
        };
        let inputs = violating.map(|test| tests::inputs(&suite.tests[test]));
        let monitored = job.oracle.monitored(&job.system);
        let violation = inputs.as_deref().map(|inputs| Violation {
            inputs,
            undefined: &self.undefined[position],
            monitored: &monitored,
        });
        described(&job.file, &job.system, &job.obligations[position], violation.as_ref())
    }
}

/// Why a run that was found is no evidence.
const NO_FUNCTION: &str =
    "in the run that was found, an imported function has two results for the same arguments";

fn is_property(obligation: &Obligation) -> bool {
    obligation.kind == ObligationKind::Property
}

/// What is graded.
fn grading<'j>(job: &'j GenerationJob<'_>) -> Grading<'j> {
    let GenerationJob { system, obligations, oracle, .. } = job;
    Grading { system, obligations, oracle, evidence: job.evidence(), jobs: job.work.threads() }
}

/// Notes which test is the evidence of a grade.
fn covers_by_grade(
    covers: &mut [Vec<usize>],
    position: usize,
    evidence: &SuiteEvidence,
    facts: &EffectFacts,
) {
    let shown = match grade(evidence, facts) {
        GradeWord::Shown => &evidence.step,
        GradeWord::Lasting => &evidence.stuck,
        _ => &None,
    };
    if let Some(shown) = shown {
        covers[shown.test].push(position);
    }
}

/// States that a condition can be replaced: it never decides, or the changed copy is alike.
fn state_redundant(sheet: &mut Sheet, obligation: &Obligation, redundant: &Redundancy) {
    let Redundancy { because, proof, .. } = redundant;
    let Some(certificate) = &proof.certificate else { return };
    let product = redundant_claim(obligation);
    let (claim, mutant) = match because {
        RedundancyReason::Unseen => (product, Some(obligation.id.as_str())),
        RedundancyReason::Never | RedundancyReason::Masked => (claim(&host_of(obligation)), None),
    };
    sheet.state(&CertifiedVerdict {
        claim: &claim,
        mutant,
        engine: &proof.engine,
        k: proof.k,
        certificate,
    });
}

/// How many verdicts of each kind there are.
fn totals(verdicts: &[VerdictResult]) -> TotalsResult {
    let mut totals = TotalsResult::default();
    // A violated property is not covered, and one that holds is not infeasible.
    for verdict in verdicts.iter().filter(|verdict| verdict.kind != KindWord::Property) {
        totals.total += 1;
        match verdict.verdict {
            VerdictWord::Covered | VerdictWord::Violated => totals.covered += 1,
            VerdictWord::Infeasible | VerdictWord::Holds => totals.infeasible += 1,
            VerdictWord::Unknown => totals.unknown += 1,
            VerdictWord::Excluded => totals.excluded += 1,
            VerdictWord::Redundant => totals.redundant += 1,
            VerdictWord::TagOnly => totals.tag_only += 1,
        }
        match verdict.grade {
            Some(GradeWord::Shown) => totals.shown += 1,
            Some(GradeWord::Lasting) => totals.lasting += 1,
            _ => {}
        }
    }
    totals
}

/// What is written down is what the suite does, measured from the first step of each test: one
/// that was found by going on from a state may cover more than was seen then.
fn settle(id: &str, outcome: &mut CoveringTest, measured: Option<usize>) -> Result<(), Error> {
    let contradiction = |message: String| Err(Error::new(ErrorCode::Internal, message));
    match (&outcome, measured) {
        (CoveringTest::Infeasible(proof), Some(_)) => contradiction(format!(
            "{id} is proven infeasible ({}, k = {}), and a test covers it",
            proof.engine, proof.k
        )),
        (CoveringTest::Covered(_), None) => {
            contradiction(format!("{id} was covered, and no test of the suite covers it"))
        }
        (_, Some(test)) => {
            *outcome = CoveringTest::Covered(test);
            Ok(())
        }
        (_, None) => Ok(()),
    }
}

/// The position among all obligations of each of those that are searched for.
fn positions_sought(job: &GenerationJob<'_>) -> Vec<usize> {
    (0..job.obligations.len()).filter(|at| job.is_sought(*at)).collect()
}

/// Which tests stay, with the first of them that covers each obligation; `None` if all are wanted, or
/// if measurement does not confirm that the fewer cover all that is claimed.
fn reduced(
    job: &GenerationJob<'_>,
    tests: &[Inputs],
    glances: &mut [Glance],
    claimed: &[usize],
) -> Option<(Vec<usize>, Vec<Option<usize>>)> {
    let choosing = choosing(job)?;
    let kept = choosing.choose_after(job.given.tests.len(), sought(job, glances, tests));
    let first = first_tests(job, tests, &kept, glances);
    claimed.iter().all(|position| first[*position].is_some()).then_some((kept, first))
}

/// The tests at some positions, in that order.
fn only<T: Default>(mut tests: Vec<T>, positions: &[usize]) -> Vec<T> {
    positions.iter().map(|position| std::mem::take(&mut tests[*position])).collect()
}

/// What each source of tests contributed.
fn sources(job: &GenerationJob<'_>, generation: &GenerationResult) -> Vec<SourceResult> {
    let sought = positions_sought(job);
    let covered = |test: &&GeneratedTest| {
        test.covers.iter().filter(|at| !is_property(&job.obligations[sought[**at]])).count()
    };
    let contributed = |source: TestSource| {
        let tests: Vec<_> = generation.tests.iter().filter(|test| test.source == source).collect();
        SourceResult {
            source: SourceWord::of(source.word()),
            tests: tests.len(),
            steps: tests.iter().map(|test| test.steps.len()).sum(),
            covered: tests.iter().map(covered).sum(),
        }
    };
    TestSource::ALL.into_iter().map(contributed).filter(|result| result.tests > 0).collect()
}

/// All that each test covers.
fn measured<'t>(job: &GenerationJob<'_>, tests: impl Iterator<Item = &'t Inputs>) -> Vec<Items> {
    let inputs = tests.map(Vec::as_slice);
    matrix(&job.system, &job.obligations, job.masking, &job.oracle, inputs).tests
}

/// How long a test may be to be looked at together with others, and what they may take then.
const MAX_TOGETHER: usize = 2_000;
const MAX_BYTES: usize = 64 << 20;

/// What a test covers, seen at a glance or measured.
#[derive(Clone, Default)]
struct Glance {
    covers: Items,
    /// What of it was measured, if not all: what the search claims of the test.
    claimed: Items,
    is_measured: bool,
}

/// All that each test covers, many tests at a glance: to choose by, not to be told. Long tests
/// are measured at once.
fn glanced(
    job: &GenerationJob<'_>,
    tests: &[Inputs],
    mut claims: Vec<Items>,
    effects: &[TestEffects],
) -> Vec<Glance> {
    let mut scan = Scan::new(&job.system, &job.obligations, job.masking, &job.oracle);
    let surely = |covers| Glance { covers, claimed: Items::new(), is_measured: true };
    // A glance does not see what an undefined value may divide.
    let risks = Risks::new(&Arc::new(SimProgram::new(&job.system)));
    if grading(job).grades() {
        return with_effects(job, measured(job, tests.iter()), effects).map(surely).collect();
    }
    if scan.is_exact() || risks.are_possible() {
        return measured(job, tests.iter()).into_iter().map(surely).collect();
    }
    let together = MAX_TOGETHER.min(MAX_BYTES / scan.bytes_per_step().max(1));
    let (mut order, long): (Vec<usize>, Vec<usize>) =
        (0..tests.len()).partition(|test| tests[*test].len() <= together);
    order.sort_by_key(|test| tests[*test].len());
    let mut rows = vec![Glance::default(); tests.len()];
    for group in order.chunks(RunSet::BITS as usize) {
        let inputs: Vec<&[Vec<Value>]> = group.iter().map(|test| tests[*test].as_slice()).collect();
        for (test, covers) in group.iter().zip(scan.tests(&inputs)) {
            let claimed = std::mem::take(&mut claims[*test]);
            rows[*test] = Glance { covers, claimed, is_measured: false };
        }
    }
    let of_long = measured(job, long.iter().map(|test| &tests[*test]));
    for (test, covers) in long.into_iter().zip(of_long) {
        rows[test] = surely(covers);
    }
    rows
}

/// What tests cover, and behind that what they show: of each obligation both kinds of effects. Tags of
/// what is shown by some test need no test.
fn with_effects(
    job: &GenerationJob<'_>,
    rows: Vec<Items>,
    effects: &[TestEffects],
) -> impl Iterator<Item = Items> {
    let (count, grading) = (job.obligations.len() as u32, grading(job));
    let all = |effects: &TestEffects| -> Items {
        let step = effects.step.iter().map(|effect| effect.obligation as u32 + count);
        let stuck = effects.stuck.iter().map(|effect| effect.obligation as u32 + 2 * count);
        step.chain(stuck).collect()
    };
    let effects: Vec<Items> = effects.iter().map(all).collect();
    let shown = effects.iter().fold(Items::new(), |all, some| all | some);
    let has_effect = |at: &u32| shown.contains(at + count) || shown.contains(at + 2 * count);
    let graded = (0..count).filter(|at| grading.is_graded(*at as usize));
    let needless: Items = graded.filter(has_effect).collect();
    rows.into_iter().zip(effects).map(move |(row, effects)| (row - &needless) | effects)
}

/// What each test covers of what is searched for, with its length.
fn sought(job: &GenerationJob<'_>, glances: &[Glance], tests: &[Inputs]) -> ReductionMatrix {
    let count = job.obligations.len() as u32;
    let sought = positions_sought(job).into_iter().map(|at| at as u32);
    let wanted: Items = sought.flat_map(|at| [at, at + count, at + 2 * count]).collect();
    let row =
        |(glance, test): (&Glance, &Inputs)| Row::new(&glance.covers & &wanted, test.len() as u32);
    ReductionMatrix { tests: glances.iter().zip(tests).map(row).collect() }
}

/// The first of some tests that covers each obligation, as numbers among them. What is told was
/// measured, by the search or here: a test is measured if a glance at it shows more than was claimed.
fn first_tests(
    job: &GenerationJob<'_>,
    tests: &[Inputs],
    some: &[usize],
    glances: &mut [Glance],
) -> Vec<Option<usize>> {
    loop {
        let first = first_of(job, some.iter().map(|test| &glances[*test].covers));
        let numbered = some.iter().enumerate();
        let doubtful: Vec<usize> = numbered
            .filter(|(number, test)| glances[**test].tells_more(&first, *number))
            .map(|(_, test)| *test)
            .collect();
        if doubtful.is_empty() {
            return first;
        }
        let rows = measured(job, doubtful.iter().map(|test| &tests[*test]));
        for (test, covers) in doubtful.into_iter().zip(rows) {
            glances[test] = Glance { covers, claimed: Items::new(), is_measured: true };
        }
    }
}

impl Glance {
    /// Whether the test would be told to be the first to cover something that nobody measured.
    fn tells_more(&self, first: &[Option<usize>], own: usize) -> bool {
        let is_told = |at: u32| first[at as usize] == Some(own);
        !self.is_measured && (&self.covers - &self.claimed).into_iter().any(is_told)
    }
}

/// The first test that covers each obligation, by what each covers.
fn first_of<'r>(
    job: &GenerationJob<'_>,
    rows: impl Iterator<Item = &'r Items>,
) -> Vec<Option<usize>> {
    // Effects stand behind what is covered.
    let mut first = vec![None; 3 * job.obligations.len()];
    let mut covered = Items::new();
    for (test, covers) in rows.enumerate() {
        (covers - &covered).into_iter().for_each(|at| first[at as usize] = Some(test));
        covered |= covers;
    }
    first
}

fn choosing(job: &GenerationJob<'_>) -> Option<ReductionChoice> {
    Some(ReductionChoice {
        method: job.reduction?,
        by: ReductionUnit::Tests,
        effort: provoke_cover::DEFAULT_EFFORT,
        seed: job.work.seed,
        repeat: 1,
    })
}

/// Given tests keep their names; new ones are numbered.
fn test_name(job: &GenerationJob<'_>, index: usize) -> String {
    if let Some(test) = job.given.tests.get(index) {
        return test.name.clone();
    }
    let taken = |name: &String| job.given.tests.iter().any(|test| test.name == *name);
    let mut name = format!("t{}", index + 1);
    while taken(&name) {
        name.push('\'');
    }
    name
}
