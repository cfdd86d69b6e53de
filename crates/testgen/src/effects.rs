//! Evidence that is true at an output: which wrong values are seen, and which can never be.
//!
//! An observable obligation is about a condition that should have a value. Two facts are looked for:
//! whether some test shows it when the condition is wrong in one step, and whether some test
//! shows it when the condition is always wrong. Where neither can be, the condition can be
//! replaced by a constant. Simulation comes first; it ends when every obligation has one of
//! the facts. Then a proof about one run: a condition that never decides cannot matter. What
//! is left is asked of the system beside a copy in which the condition is wrong.

use std::collections::BTreeMap;

use provoke_base::IndexVec;
use provoke_criteria::{Criterion, ExactChange, ExactMeasurement, Host, Obligation};
use provoke_model::{ExprId, ExprKind, System, Value, VarId};
use provoke_mutate::{ConditionFault, FaultForm, MiterSearch, MiterVerdict, doubt};
use provoke_solve::engine::{Backend, Engine};
use provoke_solve::{Reading, Terms};

use crate::attempt::{Attempt, TestSource};
use crate::explore::StateExplorer;
use crate::generate::{
    EvidenceRule, GeneratedTest, GenerationProgress, ProofSummary, Run, StrategyOptions,
};
use crate::goal::Goals;
use crate::quest::{Quest, fault_of};
use crate::runs::divisions;
use crate::sweep::{SweptClaim, sweep};
use crate::system_lemmas::SystemLemmas;

/// Why a condition can be replaced by a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RedundancyReason {
    /// It never has the other value.
    Never,
    /// When it has the other value, another condition decides.
    Masked,
    /// Its effect never reaches a monitored variable.
    Unseen,
}

provoke_base::words!(RedundancyReason {
    Never = "never",
    Masked = "masked",
    Unseen = "unseen",
});

/// A proof that a condition can be replaced by a constant without any monitored variable ever
/// changing: for this condition alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Redundancy {
    /// Whether it may be wrong in any of the steps ([`FaultForm::Free`]), or has to be the constant
    /// in all of them.
    pub form: FaultForm,
    /// Why.
    pub because: RedundancyReason,
    /// The proof: that the condition never decides, or that the copy is alike.
    pub proof: ProofSummary,
}

/// What is known about wrong values of an obligation beside what tests show.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EffectFacts {
    /// A constant does as well.
    pub redundant: Option<Redundancy>,
    /// A proof that it is never seen when the value is wrong in one step only.
    pub never_in_one_step: Option<ProofSummary>,
    /// Why no test shows a value that is wrong in one step, and up to which depth there is none.
    pub step_open: Option<(String, usize)>,
    /// The same for one that is always wrong.
    pub stuck_open: Option<(String, usize)>,
    /// The forms in which neither a test nor a proof exists.
    pub settled: Vec<FaultForm>,
}

/// How many rounds of flights bring nothing before they end.
const IN_VAIN: usize = 4;
/// How many there are at most.
const MAX_FLIGHTS: usize = 200;
/// In how many first rounds the second fact is searched for, where one is known, and a proof that
/// excludes both.
const ROUNDS_FOR_BOTH: usize = 2;

/// The obligations that are about the same fault: the first of them stands for all.
pub(crate) fn representatives(obligations: &[Obligation]) -> Vec<usize> {
    let mut first: BTreeMap<ConditionFault, usize> = BTreeMap::new();
    let of = |(position, obligation): (usize, &Obligation)| match obligation.tagged() {
        None => position,
        Some(_) => *first.entry(fault_of(obligation)).or_insert(position),
    };
    obligations.iter().enumerate().map(of).collect()
}

impl Run<'_> {
    /// Whether effects decide about an obligation.
    pub(crate) fn is_graded(&self, position: usize) -> bool {
        self.options.evidence != EvidenceRule::Tags && self.obligations[position].tagged().is_some()
    }

    /// Whether a constant would do.
    pub(crate) fn is_redundant(&self, position: usize) -> bool {
        self.effects[self.stands_for[position]].redundant.is_some()
    }

    /// Whether anything is to be graded at all.
    fn grades(&self) -> bool {
        (0..self.obligations.len()).any(|position| self.is_graded(position))
    }

    /// Proves what no solver is needed for: an expression that is on no way to a monitored variable.
    pub(crate) fn prove_unconnected(&mut self, backend: &Backend, facts: &SystemLemmas) {
        if !self.grades() || self.options.engine != Engine::All {
            return;
        }
        let connected = connected(self.system, &self.options.oracle.monitored(self.system));
        let Some(effort) = self.options.efforts.first().copied() else { return };
        let open = self.graded_open(|run, at| !connected[run.obligations[at].expr]);
        for at in open.into_iter().take_while(|_| !(self.stop)()) {
            let quest = Quest::fault(&self.obligations[at], FaultForm::Free);
            let attempt = Attempt::new(self.system, &quest, self.options, backend, facts, effort);
            if let Attempt::Proof(proof) = attempt {
                let (form, because) = (FaultForm::Free, RedundancyReason::Unseen);
                self.note_redundant(at, Redundancy { form, because, proof });
            }
        }
    }

    /// Judges plain runs until every obligation has an effect, or they bring nothing more.
    pub(crate) fn fly(
        &mut self,
        explorer: &mut StateExplorer<'_>,
        progress: &mut dyn FnMut(GenerationProgress),
    ) {
        if !self.grades() {
            return;
        }
        let mut in_vain = 0;
        for _ in 0..MAX_FLIGHTS {
            // Where not even a tag arrived, such runs seldom help.
            let is_left = |position: usize| {
                self.is_graded(position)
                    && !self.is_redundant(position)
                    && !self.judge.is_covered(position)
                    && self.judge.is_tagged(position)
            };
            if in_vain == IN_VAIN || (self.stop)() || !(0..self.obligations.len()).any(is_left) {
                break;
            }
            let before = self.tests.len();
            for steps in explorer.fly(self.options.jobs, self.stop) {
                if let Some(found) = self.judge.effects_of(steps) {
                    let source = TestSource::Simulation;
                    self.tests.push(GeneratedTest::certain(found.steps, found.covered, source));
                }
            }
            in_vain = if self.tests.len() > before { 0 } else { in_vain + 1 };
        }
        progress(self.progress("changing values"));
    }

    /// Proves of all open obligations together that their conditions never decide.
    pub(crate) fn prove_never_deciding(
        &mut self,
        backend: &Backend,
        facts: &SystemLemmas,
        progress: &mut dyn FnMut(GenerationProgress),
    ) {
        // A condition that never decides may guard a division: held at a constant, it lets zero in.
        if !self.grades()
            || self.options.engine != Engine::All
            || !divisions(self.system).is_empty()
        {
            return;
        }
        for before in 0..=1 {
            let open = self.graded_open(|run, at| !run.judge.is_covered(at));
            let deciding: Vec<Obligation> =
                open.iter().map(|at| host_of(&self.obligations[*at])).collect();
            let proofs = self.sweep_hosts(&deciding, before, backend, facts);
            let proven: Vec<(usize, ProofSummary)> = open
                .into_iter()
                .zip(proofs)
                .filter_map(|(position, proof)| Some((position, proof?)))
                .collect();
            let having: Vec<Obligation> = proven
                .iter()
                .map(|(position, _)| having_value(&self.obligations[*position]))
                .collect();
            let never = self.sweep_hosts(&having, before, backend, facts);
            for ((position, proof), never) in proven.into_iter().zip(never) {
                // What never has the value never decides: then one proof shows both.
                let (because, proof) = match never {
                    Some(never) => (RedundancyReason::Never, never),
                    None => (RedundancyReason::Masked, proof),
                };
                let redundant = Redundancy { form: FaultForm::Free, because, proof };
                self.note_redundant(position, redundant);
            }
        }
        progress(self.progress("looking at a few steps"));
    }

    fn sweep_hosts(
        &self,
        hosts: &[Obligation],
        before: usize,
        backend: &Backend,
        facts: &SystemLemmas,
    ) -> Vec<Option<ProofSummary>> {
        let Some(effort) = self.options.efforts.first() else { return vec![None; hosts.len()] };
        let needed =
            |goals: &mut Goals<'_>, terms: &mut Terms, host: &Obligation| goals.needed(terms, host);
        let means = (self.options, backend, facts, effort.limit);
        sweep(
            self.system,
            hosts,
            (needed, |_: &Obligation| SweptClaim::Plain),
            before,
            means,
            self.stop,
        )
    }

    /// The graded obligations that stand for others or themselves and are open in some way.
    pub(crate) fn graded_open(&self, is_open: impl Fn(&Self, usize) -> bool) -> Vec<usize> {
        (0..self.obligations.len())
            .filter(|at| self.is_graded(*at) && self.stands_for[*at] == *at)
            .filter(|at| !self.is_redundant(*at) && is_open(self, *at))
            .collect()
    }

    /// Whether a fact about a wrong value is left to be searched for.
    pub(crate) fn has_open_forms(&self) -> bool {
        let is_open = |run: &Self, at: usize| {
            let rounds = 0..run.options.efforts.len();
            rounds.into_iter().any(|round| {
                FaultForm::ALL.into_iter().any(|form| run.is_form_open(form, round, at))
            })
        };
        !self.graded_open(is_open).is_empty()
    }

    pub(crate) fn note_redundant(&mut self, position: usize, redundant: Redundancy) {
        let is_free = redundant.form == FaultForm::Free;
        self.effects[position].redundant = Some(redundant);
        for at in 0..self.obligations.len() {
            if is_free && self.stands_for[at] == position && self.is_graded(at) {
                self.judge.leave_out(at);
            }
        }
    }

    /// One attempt at each fact that is not known.
    pub(crate) fn solve_faults(
        &mut self,
        explorer: &mut StateExplorer<'_>,
        backend: &Backend,
        facts: &SystemLemmas,
        round: usize,
        progress: &mut dyn FnMut(GenerationProgress),
    ) {
        let EvidenceRule::Effects { step, stuck } = self.options.evidence else { return };
        for form in [FaultForm::Free, FaultForm::Stuck, FaultForm::Once] {
            let is_wanted = match form {
                FaultForm::Free => true,
                FaultForm::Stuck => stuck,
                FaultForm::Once => step,
            };
            if is_wanted {
                self.solve_form(explorer, backend, facts, (form, round), progress);
            }
        }
    }

    fn solve_form(
        &mut self,
        explorer: &mut StateExplorer<'_>,
        backend: &Backend,
        facts: &SystemLemmas,
        (form, round): (FaultForm, usize),
        progress: &mut dyn FnMut(GenerationProgress),
    ) {
        let waiting = self.graded_open(|run, at| run.is_form_open(form, round, at));
        let quest = |at: &usize| (*at, Quest::fault(&self.obligations[*at], form));
        let mut waiting: Vec<(usize, Quest)> = waiting.iter().map(quest).collect();
        let all: Vec<&Quest> = waiting.iter().map(|(_, quest)| quest).collect();
        self.ledger.prepare(&all, round);
        waiting.reverse();
        while !waiting.is_empty() && !(self.stop)() {
            let mut batch: Vec<(usize, Quest)> = Vec::new();
            while batch.len() < crate::generate::ROUND
                && let Some((at, quest)) = waiting.pop()
            {
                if !self.is_redundant(at) && self.is_form_open(form, round, at) {
                    batch.push((at, quest));
                }
            }
            let found =
                crate::parallel::each_in_parallel(self.options.jobs, &batch, |_, (_, quest)| {
                    self.attempt(quest, backend, facts, round)
                });
            let before = self.tests.len();
            for ((at, _), attempt) in batch.into_iter().zip(found) {
                self.take_effect(explorer, at, form, attempt);
            }
            if self.tests.len() > before && self.options.method.explores() {
                self.explore_further(explorer);
            }
            progress(self.progress("asking about wrong values"));
        }
    }

    /// Whether the answer to a form of a fault would tell something new.
    fn is_form_open(&self, form: FaultForm, round: usize, at: usize) -> bool {
        let EvidenceRule::Effects { step, stuck } = self.options.evidence else { return false };
        let shown = self.judge.shows(ExactChange::Step, at);
        let lasting = self.judge.shows(ExactChange::Stuck, at);
        // Both facts are of interest, but one of them is enough for a grade.
        let is_worth = round < ROUNDS_FOR_BOTH || !(shown || lasting);
        let facts = &self.effects[at];
        let is_open = match form {
            // Where it may be wrong whenever, it may also be wrong always: that is asked first, since a proof
            // says more. Where there is none soon, each of the other two is easier.
            FaultForm::Free => {
                round < ROUNDS_FOR_BOTH && ((stuck && !lasting) || (!stuck && !shown))
            }
            FaultForm::Stuck => !lasting && (shown || round > 0),
            FaultForm::Once => {
                let is_last = round + 1 == self.options.efforts.len();
                let is_next = lasting || is_last || (!stuck && round > 0);
                step && !shown && facts.never_in_one_step.is_none() && is_next
            }
        };
        is_open && is_worth && !facts.settled.contains(&form)
    }

    fn take_effect(
        &mut self,
        explorer: &mut StateExplorer<'_>,
        position: usize,
        form: FaultForm,
        attempt: Attempt,
    ) {
        match (attempt, form) {
            (Attempt::Test { steps, .. }, _) => {
                if let Some(found) = self.judge.adopt(explorer, &steps) {
                    let source = TestSource::Search;
                    self.tests.push(GeneratedTest::certain(found.steps, found.covered, source));
                }
                let change =
                    if form == FaultForm::Once { ExactChange::Step } else { ExactChange::Stuck };
                if form != FaultForm::Free && !self.judge.shows(change, position) {
                    let monitored = self.options.oracle.monitored(self.system);
                    let fault = (fault_of(&self.obligations[position]), form);
                    let why = doubt(self.system, &monitored, &steps, fault).to_string();
                    self.note_open(position, form, (why, 0));
                }
            }
            (Attempt::Proof(proof), FaultForm::Once) => {
                self.effects[position].never_in_one_step = Some(proof);
            }
            (Attempt::Proof(proof), form) => {
                let because = RedundancyReason::Unseen;
                self.note_redundant(position, Redundancy { form, because, proof });
            }
            (Attempt::Nothing { reason, depth, settled, .. }, form) => {
                if settled {
                    self.effects[position].settled.push(form);
                }
                self.note_open(position, form, (reason, depth));
            }
        }
    }

    fn note_open(&mut self, position: usize, form: FaultForm, why: (String, usize)) {
        self.reasons[position] = Some(why.clone());
        let facts = &mut self.effects[position];
        match form {
            FaultForm::Free | FaultForm::Stuck => facts.stuck_open = Some(why),
            FaultForm::Once => facts.step_open = Some(why),
        }
    }
}

/// The expressions from which there is a way to one of the variables, in the same step or later.
pub(crate) fn connected(system: &System, monitored: &[VarId]) -> IndexVec<ExprId, bool> {
    let mut defined = IndexVec::repeat(Vec::new(), system.vars.len());
    for equation in &system.equations {
        defined[equation.var].push(equation.expr);
    }
    let mut connected = IndexVec::repeat(false, system.exprs.len());
    let mut open: Vec<ExprId> = monitored.iter().flat_map(|var| defined[*var].clone()).collect();
    while let Some(expr) = open.pop() {
        if std::mem::replace(&mut connected[expr], true) {
            continue;
        }
        match &system.exprs[expr].kind {
            ExprKind::Var(var) => open.extend(&defined[*var]),
            kind => open.extend(kind.operands()),
        }
    }
    connected
}

/// The obligation without the demand that it becomes visible.
pub fn host_of(obligation: &Obligation) -> Obligation {
    let host = Criterion { observable: false, ..obligation.criterion };
    let marks = (format!(":{}:", obligation.criterion), format!(":{host}:"));
    let id = obligation.id.replacen(&marks.0, &marks.1, 1);
    Obligation { id, criterion: host, ..obligation.clone() }
}

/// That its expression has the value, whether or not it decides.
fn having_value(obligation: &Obligation) -> Obligation {
    let criterion = Criterion { host: Host::Condition, observable: false };
    Obligation { criterion, ..obligation.clone() }
}

/// Whether a test shows a wrong value for certain.
fn is_seen(
    system: &System,
    quest: &Quest,
    form: FaultForm,
    options: &StrategyOptions,
    steps: &[Vec<Value>],
) -> bool {
    let changes: &[ExactChange] = match form {
        FaultForm::Stuck => &[ExactChange::Stuck],
        FaultForm::Once => &[ExactChange::Step],
        FaultForm::Free => &[ExactChange::Stuck, ExactChange::Step],
    };
    let one = std::slice::from_ref(&quest.obligation);
    let StrategyOptions { masking, oracle, .. } = options;
    changes.iter().any(|change| {
        let mut measured = ExactMeasurement::new(system, one, *change, *masking, oracle);
        !measured.run_test(steps).covered.is_empty()
    })
}

/// Why there is nothing where a solver knows a difference, but none that every test would show.
const NOT_CERTAIN_YET: &str = "no test was found that shows it for certain";

/// Why there is nothing where a proof leaves nothing behind.
const UNCERTIFIED: &str = "proven without a certificate that others can check";

/// Whether a proof is one that others cannot check.
fn is_uncertified(found: &MiterVerdict) -> bool {
    matches!(found, MiterVerdict::Alike { certificate: None, .. })
}

/// An attempt to see a wrong value, or to prove that it cannot be seen.
pub(crate) fn attempt_at_fault(
    system: &System,
    quest: &Quest,
    form: FaultForm,
    options: &StrategyOptions,
    backend: &Backend,
    facts: &SystemLemmas,
    effort: provoke_solve::Effort,
) -> Attempt {
    let monitored = options.oracle.monitored(system);
    let miter = fault_of(&quest.obligation).miter(system, form, &monitored);
    let read = |engine: Engine, reading: Reading| {
        let search = MiterSearch { system, tests: &[], backend, engine, seed: options.seed };
        search.decide(&quest.id, &miter, &facts.proven, (effort, reading), false)
    };
    let decide = |engine: Engine| read(engine, Reading::Possible);
    let mut found = decide(options.engine);
    if options.engine == Engine::All && is_uncertified(&found) {
        // A proof that others can check is worth another try.
        let other = [Engine::KInduction, Engine::Pdr].map(decide);
        let certified = other
            .into_iter()
            .find(|other| matches!(other, MiterVerdict::Alike { certificate: Some(_), .. }));
        found = certified.unwrap_or(found);
    }
    match found {
        // It is only a second fact: not worth a claim that others cannot check.
        MiterVerdict::Alike { certificate: None, .. } if form == FaultForm::Once => {
            let reason = UNCERTIFIED.to_string();
            Attempt::Nothing { reason, depth: 0, cut_short: false, settled: false }
        }
        MiterVerdict::Alike { engine, k, lemmas, certificate } => {
            Attempt::Proof(ProofSummary { engine, k, lemmas, certificate })
        }
        MiterVerdict::Differ(steps) if is_seen(system, quest, form, options, &steps) => {
            Attempt::test(steps, TestSource::Search)
        }
        // What rests on something undefined is no evidence, but something else may be.
        MiterVerdict::Differ(doubtful) => match read(options.engine, Reading::Known) {
            MiterVerdict::Differ(steps) => Attempt::test(steps, TestSource::Search),
            MiterVerdict::Alike { .. } => {
                let fault = (fault_of(&quest.obligation), form);
                let reason = doubt(system, &monitored, &doubtful, fault).to_string();
                Attempt::Nothing { reason, depth: 0, cut_short: false, settled: true }
            }
            MiterVerdict::Unknown { reason, cut_short, .. } => {
                let reason = format!("{reason}: {NOT_CERTAIN_YET}");
                Attempt::Nothing { reason, depth: 0, cut_short, settled: false }
            }
        },
        MiterVerdict::Unknown { reason, depth, cut_short } => {
            Attempt::Nothing { reason, depth, cut_short, settled: false }
        }
    }
}
