//! How far tests show that conditions matter: every claim is run again, with the value changed.

use std::collections::BTreeMap;

use provoke_base::parallel::in_parallel;
use provoke_base::{Error, ErrorCode};
use provoke_criteria::{
    ExactChange, ExactMeasurement, Masking, Measurement, Obligation, Oracle, SeenEffect, TestMoment,
};
use provoke_model::{System, Value};
use provoke_mutate::{EffectClaim, EffectWitness, FaultForm, replay};
use provoke_results::{
    EffectResult, EffectWord, GradeWord, KindWord, RedundancyFormWord, RedundancyReasonWord,
    RedundantResult, TagResult, VerdictResult, VerdictWord, Word,
};
use provoke_testgen::{EffectFacts, EvidenceRule, Redundancy, fault_of};

/// What is graded, and how.
#[derive(Clone, Copy)]
pub(crate) struct Grading<'a> {
    pub(crate) system: &'a System,
    pub(crate) obligations: &'a [Obligation],
    pub(crate) oracle: &'a Oracle,
    pub(crate) evidence: EvidenceRule,
    pub(crate) jobs: usize,
}

/// The wrong values that a test shows: wrong in one step, and always wrong.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestEffects {
    pub(crate) step: Vec<SeenEffect>,
    pub(crate) stuck: Vec<SeenEffect>,
}

impl TestEffects {
    fn of(&self, change: ExactChange) -> &[SeenEffect] {
        match change {
            ExactChange::Step => &self.step,
            ExactChange::Stuck => &self.stuck,
        }
    }
}

/// A changed run that shows something: the position of the test, and what is seen.
#[derive(Clone, Debug)]
pub(crate) struct ShownEffect {
    pub(crate) test: usize,
    pub(crate) witness: EffectWitness,
}

/// All that a suite shows of an obligation.
#[derive(Clone, Debug, Default)]
pub(crate) struct SuiteEvidence {
    pub(crate) step: Option<ShownEffect>,
    pub(crate) stuck: Option<ShownEffect>,
    pub(crate) tag: Option<TestMoment>,
}

impl SuiteEvidence {
    /// When what shows most is seen.
    pub(crate) fn first_moment(&self) -> Option<TestMoment> {
        let shown = self.step.as_ref().or(self.stuck.as_ref())?;
        Some(TestMoment { test: shown.test, step: shown.witness.seen_at })
    }

    /// The test that shows most.
    pub(crate) fn first_test(&self) -> Option<usize> {
        self.step.as_ref().or(self.stuck.as_ref()).map(|shown| shown.test)
    }
}

impl Grading<'_> {
    /// Whether effects decide about an obligation.
    pub(crate) fn is_graded(&self, position: usize) -> bool {
        self.evidence != EvidenceRule::Tags && self.obligations[position].tagged().is_some()
    }

    /// Whether they decide about any.
    pub(crate) fn grades(&self) -> bool {
        (0..self.obligations.len()).any(|position| self.is_graded(position))
    }

    /// All that each test shows.
    pub(crate) fn effects(&self, tests: &[Vec<Vec<Value>>]) -> Vec<TestEffects> {
        if !self.grades() {
            return vec![TestEffects::default(); tests.len()];
        }
        let size = tests.len().div_ceil(self.jobs.max(1)).max(1);
        let parts: Vec<_> = tests.chunks(size).collect();
        let measured = in_parallel(self.jobs, parts.len(), |part| self.measured(parts[part]));
        measured.into_iter().flatten().collect()
    }

    fn measured(&self, tests: &[Vec<Vec<Value>>]) -> Vec<TestEffects> {
        let [mut step, mut stuck] =
            [ExactChange::Step, ExactChange::Stuck].map(|change| self.measurement(change));
        let effects = |measurement: &mut Option<ExactMeasurement>, test: &[Vec<Value>]| {
            measurement.as_mut().map_or_else(Vec::new, |one| one.run_test(test).effects)
        };
        let of_test = |test: &Vec<Vec<Value>>| TestEffects {
            step: effects(&mut step, test),
            stuck: effects(&mut stuck, test),
        };
        tests.iter().map(of_test).collect()
    }

    /// A measurement of what one kind of wrong values does, in every test; `None` if it is not wanted.
    fn measurement(&self, change: ExactChange) -> Option<ExactMeasurement> {
        let EvidenceRule::Effects { step, stuck } = self.evidence else { return None };
        let is_wanted = if change == ExactChange::Step { step } else { stuck };
        let Grading { system, obligations, oracle, .. } = *self;
        is_wanted.then(|| {
            let masking = Masking::Strict;
            let mut measurement =
                ExactMeasurement::new(system, obligations, change, masking, oracle).of_every_test();
            for position in (0..obligations.len()).filter(|at| !self.is_graded(*at)) {
                measurement.leave_out(position);
            }
            measurement
        })
    }

    /// What the tests show of each obligation. Each claim is replayed by the reference interpreter on
    /// the changed model; one that is not confirmed is a fault of ours, and ends the run.
    pub(crate) fn evidence(
        &self,
        tests: &[Vec<Vec<Value>>],
        effects: &[TestEffects],
    ) -> Result<Vec<SuiteEvidence>, Error> {
        let mut evidence = vec![SuiteEvidence::default(); self.obligations.len()];
        for change in [ExactChange::Step, ExactChange::Stuck] {
            let shown = self.confirmed(tests, effects, change)?;
            for (evidence, shown) in evidence.iter_mut().zip(shown) {
                match change {
                    ExactChange::Step => evidence.step = shown,
                    ExactChange::Stuck => evidence.stuck = shown,
                }
            }
        }
        if self.grades() {
            self.note_tags(tests, &mut evidence);
        }
        Ok(evidence)
    }

    /// Notes where tags arrive first.
    fn note_tags(&self, tests: &[Vec<Vec<Value>>], evidence: &mut [SuiteEvidence]) {
        let Grading { system, obligations, oracle, .. } = *self;
        let mut measurement = Measurement::new(system, obligations, Masking::Strict, oracle);
        tests.iter().for_each(|test| drop(measurement.run_test(test)));
        for (evidence, status) in evidence.iter_mut().zip(&measurement.coverage().statuses) {
            evidence.tag = status.covered;
        }
    }

    /// For each obligation the earliest effect; one whose run keeps the assumptions if there is one.
    fn confirmed(
        &self,
        tests: &[Vec<Vec<Value>>],
        effects: &[TestEffects],
        change: ExactChange,
    ) -> Result<Vec<Option<ShownEffect>>, Error> {
        let mut candidates: Vec<Vec<(usize, SeenEffect)>> =
            vec![Vec::new(); self.obligations.len()];
        for (test, effects) in effects.iter().enumerate() {
            for effect in effects.of(change) {
                candidates[effect.obligation].push((test, *effect));
            }
        }
        for found in &mut candidates {
            found.sort_by_key(|(test, effect)| (effect.seen_at, *test));
            found.truncate(MAX_CANDIDATES);
            found.reverse();
        }
        let mut shown: Vec<Option<ShownEffect>> = vec![None; self.obligations.len()];
        loop {
            let breaks = |shown: &Option<ShownEffect>| {
                shown.as_ref().is_none_or(|shown| shown.witness.breaks.is_some())
            };
            let mut asked: BTreeMap<usize, Vec<SeenEffect>> = BTreeMap::new();
            for (position, found) in candidates.iter_mut().enumerate() {
                if breaks(&shown[position])
                    && let Some((test, effect)) = found.pop()
                {
                    asked.entry(test).or_default().push(effect);
                }
            }
            if asked.is_empty() {
                return Ok(shown);
            }
            let asked: Vec<(usize, Vec<SeenEffect>)> = asked.into_iter().collect();
            let replayed = in_parallel(self.jobs, asked.len(), |at| {
                let (test, effects) = &asked[at];
                self.replayed(&tests[*test], effects, change)
            });
            for ((test, effects), witnesses) in asked.into_iter().zip(replayed) {
                for (effect, witness) in effects.into_iter().zip(witnesses) {
                    let witness = witness.map_err(|why| self.unconfirmed(effect, change, &why))?;
                    let known = &mut shown[effect.obligation];
                    if known.is_none() || witness.breaks.is_none() {
                        *known = Some(ShownEffect { test, witness });
                    }
                }
            }
        }
    }

    fn replayed(
        &self,
        test: &[Vec<Value>],
        effects: &[SeenEffect],
        change: ExactChange,
    ) -> Vec<Result<EffectWitness, String>> {
        let claim = |effect: &SeenEffect| EffectClaim {
            fault: fault_of(&self.obligations[effect.obligation]),
            only_in: (change == ExactChange::Step).then_some(effect.changed_at),
            seen_at: effect.seen_at,
        };
        let claims: Vec<EffectClaim> = effects.iter().map(claim).collect();
        replay(self.system, &self.oracle.monitored(self.system), test, &claims)
    }

    fn unconfirmed(&self, effect: SeenEffect, change: ExactChange, why: &str) -> Error {
        let id = &self.obligations[effect.obligation].id;
        let message = format!("{id}: the reference interpreter does not confirm {change}: {why}");
        Error::new(ErrorCode::Internal, message)
    }
}

/// How many tests are tried for one whose changed run keeps the assumptions.
const MAX_CANDIDATES: usize = 4;

/// The grade, by what is shown and what is proven. That a constant does as well is what matters to
/// whoever reads the model, also where a value that is wrong in one step is seen.
pub(crate) fn grade(evidence: &SuiteEvidence, facts: &EffectFacts) -> GradeWord {
    match (&evidence.step, &evidence.stuck, &facts.redundant, &evidence.tag) {
        (.., Some(_), _) => GradeWord::Redundant,
        (Some(_), ..) => GradeWord::Shown,
        (_, Some(_), ..) => GradeWord::Lasting,
        (.., Some(_)) => GradeWord::TagOnly,
        (None, None, None, None) => GradeWord::Unknown,
    }
}

/// The results of an obligation's facts, with the names of tests.
pub(crate) struct GradedResults<'a> {
    pub(crate) grading: Grading<'a>,
    pub(crate) obligation: &'a Obligation,
    pub(crate) evidence: &'a SuiteEvidence,
    pub(crate) facts: &'a EffectFacts,
    pub(crate) name: &'a dyn Fn(usize) -> String,
}

impl GradedResults<'_> {
    /// Writes down what is known.
    pub(crate) fn write(&self, result: &mut VerdictResult) {
        let grade = grade(self.evidence, self.facts);
        let (step, stuck) = (self.step(), self.stuck());
        result.verdict = match grade {
            GradeWord::Shown | GradeWord::Lasting => VerdictWord::Covered,
            GradeWord::Redundant => VerdictWord::Redundant,
            GradeWord::TagOnly => VerdictWord::TagOnly,
            GradeWord::Unknown => VerdictWord::Unknown,
        };
        result.test = match grade {
            GradeWord::Shown => step.test.clone(),
            GradeWord::Lasting => stuck.test.clone(),
            _ => None,
        };
        if matches!(grade, GradeWord::TagOnly | GradeWord::Unknown) {
            let why = if stuck.reason.is_some() { &stuck } else { &step };
            (result.reason, result.depth) = (why.reason.clone(), why.depth);
        }
        if grade == GradeWord::Redundant && step.verdict == EffectWord::Shown {
            result.note = Some("wrong in one step only, it is seen".to_string());
        }
        result.grade = Some(grade);
        result.redundant = self.redundant();
        result.tag = self.tag();
        (result.step, result.stuck) = (Some(step), Some(stuck));
    }

    /// Whether it is seen when the value is wrong in one step.
    fn step(&self) -> EffectResult {
        let facts = self.facts;
        let is_free = |redundant: &Redundancy| redundant.form == FaultForm::Free;
        let is_impossible =
            facts.never_in_one_step.is_some() || facts.redundant.as_ref().is_some_and(is_free);
        self.effect(ExactChange::Step, &self.evidence.step, is_impossible, &facts.step_open)
    }

    /// Whether it is seen when the value is always wrong.
    fn stuck(&self) -> EffectResult {
        let facts = self.facts;
        let mut result = self.effect(
            ExactChange::Stuck,
            &self.evidence.stuck,
            facts.redundant.is_some(),
            &facts.stuck_open,
        );
        result.held = Some(!self.obligation.outcome);
        result
    }

    fn effect(
        &self,
        change: ExactChange,
        shown: &Option<ShownEffect>,
        is_impossible: bool,
        open: &Option<(String, usize)>,
    ) -> EffectResult {
        let system = self.grading.system;
        let mut result = no_effect(EffectWord::Unknown);
        let EvidenceRule::Effects { step, stuck } = self.grading.evidence else { return result };
        let is_sought = if change == ExactChange::Step { step } else { stuck };
        if let Some(ShownEffect { test, witness }) = shown {
            let output = &system.vars[witness.output];
            let text = |value: &Value| Some(value.show(output.ty, &system.enums));
            result.verdict = EffectWord::Shown;
            result.test = Some((self.name)(*test));
            result.changed_at = Some(witness.changed_at);
            result.seen_at = Some(witness.seen_at);
            result.output = Some(output.name.clone());
            result.value = text(&witness.value);
            result.changed_value = text(&witness.changed_value);
            result.breaks = witness.breaks;
        } else if is_impossible {
            result.verdict = EffectWord::Impossible;
        } else if !is_sought {
            result.verdict = EffectWord::NotSought;
        } else {
            let (reason, depth) = open.clone().unwrap_or_else(|| ("not tried".to_string(), 0));
            (result.reason, result.depth) = (Some(reason), Some(depth));
        }
        result
    }

    /// Why a constant does as well.
    fn redundant(&self) -> Option<RedundantResult> {
        let Redundancy { form, because, proof } = self.facts.redundant.as_ref()?;
        Some(RedundantResult {
            constant: !self.obligation.outcome,
            form: match form {
                FaultForm::Stuck => RedundancyFormWord::Constant,
                FaultForm::Free | FaultForm::Once => RedundancyFormWord::Free,
            },
            because: RedundancyReasonWord::of(because.word()),
            engine: proof.engine.clone(),
            k: proof.k,
            lemmas: proof.lemmas,
        })
    }

    /// Where a tag arrived.
    fn tag(&self) -> Option<TagResult> {
        let TestMoment { test, step } = self.evidence.tag?;
        Some(TagResult { test: (self.name)(test), step })
    }
}

fn no_effect(verdict: EffectWord) -> EffectResult {
    EffectResult {
        verdict,
        held: None,
        test: None,
        changed_at: None,
        seen_at: None,
        output: None,
        value: None,
        changed_value: None,
        breaks: None,
        reason: None,
        depth: None,
    }
}

/// An obligation of which nothing is known yet.
pub(crate) fn unknown(obligation: &Obligation) -> VerdictResult {
    VerdictResult {
        id: obligation.id.clone(),
        kind: KindWord::of(obligation.kind.word()),
        verdict: VerdictWord::Unknown,
        grade: None,
        step: None,
        stuck: None,
        redundant: None,
        tag: None,
        test: None,
        undefined: Vec::new(),
        engine: None,
        k: None,
        lemmas: None,
        reason: None,
        depth: None,
        note: None,
        numbers: None,
        numbers_reason: None,
        property: None,
    }
}
