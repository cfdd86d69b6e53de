//! The loop: each obligation ends as covered, infeasible or unknown.
//!
//! All sources of tests work on one table. A test, wherever it comes from, is run against all
//! open obligations, so most are covered by tests that were made for others. Solvers work in
//! rounds on a fixed number of obligations, each with terms and a solver of its own; what a
//! round finds is taken in order. So the result does not depend on the number of workers.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use provoke_base::rounds::AnswerLedger;
use provoke_criteria::{Masking, Obligation, ObligationKind, Oracle, Scan};
use provoke_model::{ExprId, System, Value};
use provoke_sim::interpreter::delays;
use provoke_solve::engine::{Backend, Engine, ProofResult};
use provoke_solve::{Certificate, Effort, Limit, Terms};

use crate::attempt::{Attempt, TestSource};
use crate::effects::{EffectFacts, representatives};
use crate::explore::{CoveringTest, ExplorationLimit, StateExplorer};
use crate::from_archive::{Archive, from_archive};
use crate::goal::Goals;
use crate::judge::Judge;
use crate::loop_acceleration;
use crate::parallel::each_in_parallel;
use crate::quest::Quest;
use crate::state_regions::DistinguishingDelays;
use crate::sweep::{SweptClaim, sweep};
use crate::system_lemmas::SystemLemmas;
use crate::unobservable;
use crate::unobservable_under_assumption;
use crate::violation::violation;

/// How tests are searched for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GenerationMethod {
    /// Simulation only.
    Random,
    /// One bounded search for each obligation, from the initial state.
    Regular,
    /// A tag is led on step by step (thesis, Algorithm 1), and what that misses is searched for
    /// as by [`GenerationMethod::Regular`].
    Incremental,
    /// Simulation first, then bounded search and proofs for what is left.
    #[default]
    Hybrid,
}

provoke_base::words!(GenerationMethod {
    Random = "random",
    Regular = "regular",
    Incremental = "incremental",
    Hybrid = "hybrid",
});

impl GenerationMethod {
    /// Whether simulation comes first.
    pub(crate) fn explores(self) -> bool {
        matches!(self, GenerationMethod::Random | GenerationMethod::Hybrid)
    }
}

/// What inputs are that a solver leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum InputFill {
    /// Drawn at random, from the seed.
    #[default]
    Random,
    /// false, 0, the first constant, or the lower bound.
    Default,
}

provoke_base::words!(InputFill {
    Random = "random",
    Default = "default",
});

/// What shows that an observable obligation is fulfilled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EvidenceRule {
    /// A tag that reaches a monitored variable, as seed 004 has it.
    Tags,
    /// A monitored variable that differs when the value is wrong. Which of the two kinds of
    /// wrong values are looked for:
    Effects {
        /// Wrong in one step.
        step: bool,
        /// Always wrong.
        stuck: bool,
    },
}

/// What is wanted.
#[derive(Clone, Debug)]
pub struct StrategyOptions {
    /// How tests are searched for.
    pub method: GenerationMethod,
    /// How masking is read.
    pub masking: Masking,
    /// What is monitored.
    pub oracle: Oracle,
    /// What shows that an observable obligation is fulfilled.
    pub evidence: EvidenceRule,
    /// What inputs are that a solver leaves open.
    pub fill: InputFill,
    /// Whether what the incremental method misses is searched for as by the regular one.
    pub fallback: bool,
    /// Where random numbers start.
    pub seed: u64,
    /// How many threads work.
    pub jobs: usize,
    /// Tests that are kept, whatever they cover; only what they leave open is searched for.
    pub given: Vec<Vec<Vec<Value>>>,
    /// How many steps are simulated at most, and how many in vain.
    pub simulated_steps: u64,
    /// Which engine answers.
    pub engine: Engine,
    /// What may be done to prove facts about the whole system.
    pub learning: Limit,
    /// What may be done for one obligation, round by round.
    pub efforts: Vec<Effort>,
    /// How many steps the tests have that were found so far, for whoever has to plan the time that
    /// is needed for them afterwards.
    pub steps_found: Arc<AtomicU64>,
}

/// What became of an obligation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ObligationVerdict {
    /// The test at this position covers it, confirmed by measurement.
    Covered(usize),
    /// No test of any length can.
    Infeasible(ProofSummary),
    /// Neither is known.
    Unknown {
        /// Why, in a few words.
        reason: String,
        /// In this many first steps it cannot be covered.
        depth: usize,
    },
}

/// What a proof says, without its terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofSummary {
    /// The engine that found it.
    pub engine: String,
    /// The depth of the induction.
    pub k: usize,
    /// How many lemmas it stands on.
    pub lemmas: usize,
    /// What others need to check it, where that can be said.
    pub certificate: Option<Certificate>,
}

impl GeneratedTest {
    /// A test that rests on nothing undefined.
    pub(crate) fn certain(
        steps: Vec<Vec<Value>>,
        covers: Vec<usize>,
        source: TestSource,
    ) -> GeneratedTest {
        GeneratedTest { steps, covers, source, undefined: Vec::new(), is_measured: true }
    }
}

impl ProofSummary {
    /// The summary of a proof.
    pub fn new(proof: &ProofResult) -> ProofSummary {
        let invariant = usize::from(proof.invariant.is_some());
        ProofSummary {
            engine: proof.engine.to_string(),
            k: proof.k,
            lemmas: proof.lemmas.len() + proof.copies.len() + invariant,
            certificate: None,
        }
    }
}

/// A test and why it exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GeneratedTest {
    /// The inputs of each step.
    pub steps: Vec<Vec<Value>>,
    /// The obligations it was the first to cover.
    pub covers: Vec<usize>,
    /// What made it.
    pub source: TestSource,
    /// What each `pre` is worth in the first step, where a property that it breaks is broken
    /// for such values only; measurement, which counts what is certain, does not see that.
    pub undefined: Vec<(ExprId, Value)>,
    /// Whether measurement sees what it covers: not that a property rests on such values, nor that it
    /// divides by zero.
    pub is_measured: bool,
}

/// All that was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GenerationResult {
    /// The tests in the order they were found.
    pub tests: Vec<GeneratedTest>,
    /// One outcome per obligation.
    pub outcomes: Vec<ObligationVerdict>,
    /// For each obligation what is known about wrong values, where effects decide.
    pub effects: Vec<EffectFacts>,
    /// How many steps were simulated while exploring.
    pub simulated_steps: u64,
}

/// Something that happened on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GenerationProgress {
    /// What is being done.
    pub phase: &'static str,
    /// How many obligations are covered.
    pub covered: usize,
    /// How many are proven infeasible.
    pub infeasible: usize,
    /// How many are open.
    pub open: usize,
    /// How many facts about the system were proven.
    pub lemmas: usize,
}

/// Generates tests for obligations. `stop` is asked now and then whether to end early, and
/// `progress` is told what happens; `backend` is needed unless only simulation is wanted, and
/// `ledger` keeps what solvers found.
pub fn generate(
    system: &System,
    obligations: &[Obligation],
    options: &StrategyOptions,
    backend: Option<&Backend>,
    ledger: &dyn AnswerLedger<Quest, Attempt>,
    stop: &(dyn Fn() -> bool + Sync),
    progress: &mut dyn FnMut(GenerationProgress),
) -> GenerationResult {
    let mut run = Run::new(system, obligations, options, ledger, stop);
    let lemmas = ledger.recall_lemmas().and_then(|text| SystemLemmas::read(&text, system));
    if let (Some(backend), Some(facts)) = (backend, lemmas)
        && run.serve(backend, &facts)
    {
        return run.finish(0);
    }
    let scan = Scan::new(system, obligations, options.masking, &options.oracle);
    let mut explorer = StateExplorer::new(system, &scan, obligations.len(), options.seed);
    run.keep_given(&mut explorer);
    if options.method.explores() {
        run.explore(&mut explorer, progress);
    }
    if let Some(backend) = backend {
        run.prove_unconnected(backend, &SystemLemmas::none(system));
    }
    if options.method.explores() {
        run.fly(&mut explorer, progress);
    }
    // Where simulation covers everything nothing is left to be proven.
    let solves = options.method != GenerationMethod::Random && run.has_open_facts();
    if let (Some(backend), true) = (backend, solves) {
        let mut facts = run.learn(&explorer, backend, progress);
        run.find_lost_tags(&explorer, backend, &mut facts, progress);
        if run.serve(backend, &facts) {
            return run.finish(explorer.steps());
        }
        // Whoever is stopped early knows less than others would.
        if !stop() {
            ledger.keep_lemmas(&|| facts.write(), facts.shared().map(AsRef::as_ref));
        }
        run.prove_together(backend, &facts, progress);
        run.prove_never_deciding(backend, &facts, progress);
        run.prove_undisturbing(backend, &facts, progress);
        if options.method == GenerationMethod::Hybrid {
            let archive = Archive::of_all(&explorer);
            run.solve_from_archive(&mut explorer, &archive, backend, &facts, progress);
        }
        for (round, effort) in options.efforts.iter().enumerate() {
            if !run.has_open_facts() {
                break;
            }
            let explores = options.method.explores() && !run.open().is_empty();
            if explores && round >= run.first_round_to_explore() {
                // What solvers could not do at once may be deep, and they have led further.
                if round == run.first_round_to_explore() {
                    run.accelerate_loops(&mut explorer, backend, &facts, effort.limit, progress);
                }
                run.explore_again(&mut explorer, progress);
            }
            run.solve(&mut explorer, backend, &facts, round, progress);
            run.solve_faults(&mut explorer, backend, &facts, round, progress);
        }
    }
    run.finish(explorer.steps())
}

/// How many first efforts a delay is worth at most.
const MAX_WORTH: u64 = 64;
/// How many it is worth where one answer may decide all obligations whose tags go there.
const WORTH_OF_A_SHADE: u64 = 256;
/// How many expressions a large model has, and how much longer small ones are simulated.
const LARGE: u64 = 4_000;
const MAX_LONGER: u64 = 10;
/// How many obligations a round of solving takes.
pub(crate) const ROUND: usize = 16;

pub(crate) struct Run<'a> {
    pub(crate) system: &'a System,
    pub(crate) obligations: &'a [Obligation],
    pub(crate) options: &'a StrategyOptions,
    pub(crate) ledger: &'a dyn AnswerLedger<Quest, Attempt>,
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
    pub(crate) judge: Judge,
    pub(crate) tests: Vec<GeneratedTest>,
    /// For each obligation the first one about the same fault, which has the facts.
    pub(crate) stands_for: Vec<usize>,
    pub(crate) effects: Vec<EffectFacts>,
    proofs: Vec<Option<ProofSummary>>,
    /// The properties that are broken for some values of what is undefined.
    broken: Vec<bool>,
    pub(crate) reasons: Vec<Option<(String, usize)>>,
    /// The obligations that stay undecided whatever is done.
    settled: Vec<bool>,
}

impl<'a> Run<'a> {
    fn new(
        system: &'a System,
        obligations: &'a [Obligation],
        options: &'a StrategyOptions,
        ledger: &'a dyn AnswerLedger<Quest, Attempt>,
        stop: &'a (dyn Fn() -> bool + Sync),
    ) -> Run<'a> {
        Run {
            system,
            obligations,
            options,
            ledger,
            stop,
            judge: Judge::new(system, obligations, options),
            tests: Vec::new(),
            stands_for: representatives(obligations),
            effects: vec![EffectFacts::default(); obligations.len()],
            proofs: vec![None; obligations.len()],
            broken: vec![false; obligations.len()],
            reasons: vec![None; obligations.len()],
            settled: vec![false; obligations.len()],
        }
    }

    pub(crate) fn progress(&self, phase: &'static str) -> GenerationProgress {
        let open = self.undecided().count();
        let is_redundant = |at: &usize| !self.judge.is_covered(*at) && self.is_redundant(*at);
        let redundant = (0..self.obligations.len()).filter(is_redundant).count();
        let infeasible = self.proofs.iter().flatten().count() + redundant;
        let covered = self.obligations.len() - infeasible - open;
        GenerationProgress { phase, covered, infeasible, open, lemmas: 0 }
    }

    /// What has neither a test nor a proof.
    fn undecided(&self) -> impl Iterator<Item = usize> {
        let is_open =
            |at: &usize| self.proofs[*at].is_none() && !self.broken[*at] && !self.is_redundant(*at);
        self.judge.uncovered().filter(is_open)
    }

    /// From which round on simulation comes before solvers again: to ask about wrong values costs less.
    fn first_round_to_explore(&self) -> usize {
        if self.open().iter().all(|at| self.is_graded(*at)) { 2 } else { 1 }
    }

    /// Whether something is left to be searched for: a second fact about an obligation, too.
    fn has_open_facts(&self) -> bool {
        !self.open().is_empty() || self.has_open_forms()
    }

    /// What is undecided and worth trying.
    fn open(&self) -> Vec<usize> {
        self.undecided().filter(|at| !self.settled[*at]).collect()
    }

    fn keep_given(&mut self, explorer: &mut StateExplorer<'_>) {
        for steps in &self.options.given {
            let covers = self.judge.keep(explorer, steps);
            self.tests.push(GeneratedTest::certain(steps.clone(), covers, TestSource::Given));
        }
    }

    fn explore(
        &mut self,
        explorer: &mut StateExplorer<'_>,
        progress: &mut dyn FnMut(GenerationProgress),
    ) {
        let limit = self.options.simulated_steps;
        progress(self.progress("simulating"));
        self.simulate(explorer, limit, limit / 4 + 1);
        progress(self.progress("simulating"));
    }

    /// Simulates as much once more, this time without giving up early, and small models longer,
    /// since that takes no longer.
    fn explore_again(
        &mut self,
        explorer: &mut StateExplorer<'_>,
        progress: &mut dyn FnMut(GenerationProgress),
    ) {
        let longer = (LARGE / self.system.exprs.len().max(1) as u64).clamp(1, MAX_LONGER);
        let limit = self.options.simulated_steps * longer;
        self.simulate(explorer, limit, limit);
        progress(self.progress("simulating again"));
    }

    /// Leads numbers as far as the constants of the model, and tries what is open from there.
    fn accelerate_loops(
        &mut self,
        explorer: &mut StateExplorer<'_>,
        backend: &Backend,
        facts: &SystemLemmas,
        limit: Limit,
        progress: &mut dyn FnMut(GenerationProgress),
    ) {
        progress(self.progress("walking laps"));
        let means = (self.options, backend, limit);
        let found = loop_acceleration::find(self.system, explorer, means, self.stop);
        let places = found.into_iter().map(|accelerated| explorer.keep_loop(accelerated)).collect();
        let archive = Archive::of(places);
        self.solve_from_archive(explorer, &archive, backend, facts, progress);
    }

    /// Simulates a little from where a solver has led.
    pub(crate) fn explore_further(&mut self, explorer: &mut StateExplorer<'_>) {
        let limit = (self.options.simulated_steps / 20).max(200);
        self.simulate(explorer, limit, limit);
    }

    fn simulate(&mut self, explorer: &mut StateExplorer<'_>, limit: u64, in_vain: u64) {
        for at in 0..self.obligations.len() {
            if self.proofs[at].is_some() || self.is_redundant(at) {
                explorer.give_up(at);
            }
        }
        let exploration = ExplorationLimit { limit, in_vain, jobs: self.options.jobs };
        for CoveringTest { steps, covered } in self.judge.explore(explorer, exploration, self.stop)
        {
            self.tests.push(GeneratedTest::certain(steps, covered, TestSource::Simulation));
        }
    }

    /// Proves facts about the whole system.
    fn learn(
        &mut self,
        explorer: &StateExplorer<'_>,
        backend: &Backend,
        progress: &mut dyn FnMut(GenerationProgress),
    ) -> SystemLemmas {
        progress(self.progress("learning"));
        let Run { system, options, .. } = *self;
        let samples = if options.engine.uses_lemmas() { explorer.samples() } else { Vec::new() };
        let facts = SystemLemmas::learn(system, samples, backend, options.learning);
        progress(GenerationProgress { lemmas: facts.lemmas(), ..self.progress("learning") });
        facts
    }

    /// Whether this run was only there for what others ask for, which is done then.
    fn serve(&self, backend: &Backend, facts: &SystemLemmas) -> bool {
        self.ledger.serve(&|quest: &Quest, round: usize| {
            let effort = self.options.efforts[round];
            Attempt::new(self.system, quest, self.options, backend, facts, effort)
        })
    }

    /// Whether facts about tags help: they are about the usual meaning, and for all engines.
    fn tags_decide(&self) -> bool {
        (self.options.engine, self.options.evidence) == (Engine::All, EvidenceRule::Tags)
    }

    /// Finds where tags are lost.
    fn find_lost_tags(
        &mut self,
        explorer: &StateExplorer<'_>,
        backend: &Backend,
        facts: &mut SystemLemmas,
        progress: &mut dyn FnMut(GenerationProgress),
    ) {
        let tagged = |obligation: &Obligation| obligation.tagged().is_some();
        if !self.tags_decide() || !self.obligations.iter().any(tagged) {
            return;
        }
        progress(self.progress("finding where tags are lost"));
        let distinguishing = DistinguishingDelays::new(self.system, &explorer.samples());
        let worth = self.worth_of_a_delay();
        facts.observable = unobservable::find(
            self.system,
            &distinguishing,
            (self.options, backend, facts, worth),
            self.stop,
        );
        let worth = self.efforts(WORTH_OF_A_SHADE);
        facts.losses = unobservable_under_assumption::find(
            self.system,
            (self.options, backend, facts, worth),
            self.stop,
        );
    }

    /// Proves as much as a few steps show of all open obligations together.
    fn prove_together(
        &mut self,
        backend: &Backend,
        facts: &SystemLemmas,
        progress: &mut dyn FnMut(GenerationProgress),
    ) {
        if self.options.engine == Engine::All {
            (0..=1).for_each(|before| self.sweep(before, backend, facts, progress));
        }
    }

    /// What may be done to find where tags in one delay are lost: the more obligations could
    /// profit, the more.
    fn worth_of_a_delay(&self) -> Limit {
        let delays = delays(self.system).len().max(1);
        let profit = (self.open().len() / delays).pow(2) as u64 / 4;
        self.efforts(profit.clamp(1, MAX_WORTH))
    }

    /// As much as so many first efforts.
    fn efforts(&self, count: u64) -> Limit {
        let first = self.options.efforts.first().map_or(self.options.learning, |first| first.limit);
        Limit { rlimit: first.rlimit.map(|units| units.saturating_mul(count)), ..first }
    }

    /// Proves what steps with so many `before` them show of all that is open.
    fn sweep(
        &mut self,
        before: usize,
        backend: &Backend,
        facts: &SystemLemmas,
        progress: &mut dyn FnMut(GenerationProgress),
    ) {
        let Run { system, obligations, options, stop, .. } = *self;
        let Some(effort) = options.efforts.first() else { return };
        let mut open = self.open();
        // What a tag does says nothing about effects.
        open.retain(|at| !self.is_graded(*at));
        let needed = |goals: &mut Goals<'_>, terms: &mut Terms, position: &usize| {
            goals.needed(terms, &obligations[*position])
        };
        let means = (options, backend, facts, effort.limit);
        let claim = |position: &usize| match obligations[*position].tagged() {
            None => SweptClaim::Plain,
            Some(_) => SweptClaim::Tags,
        };
        let proofs = sweep(system, &open, (needed, claim), before, means, stop);
        for (position, proof) in open.into_iter().zip(proofs) {
            self.proofs[position] = proof;
        }
        progress(self.progress("looking at a few steps"));
    }

    /// One attempt at each open obligation.
    fn solve(
        &mut self,
        explorer: &mut StateExplorer<'_>,
        backend: &Backend,
        facts: &SystemLemmas,
        round: usize,
        progress: &mut dyn FnMut(GenerationProgress),
    ) {
        let mut waiting = self.open();
        waiting.retain(|at| self.is_asked_about(*at));
        let open: Vec<_> = waiting.iter().map(|at| Quest::cover(&self.obligations[*at])).collect();
        self.ledger.prepare(&open.iter().collect::<Vec<_>>(), round);
        waiting.reverse();
        while !waiting.is_empty() && !(self.stop)() {
            let batch = self.next_batch(&mut waiting);
            let verdicts = each_in_parallel(self.options.jobs, &batch, |_, &position| {
                self.attempt(&Quest::cover(&self.obligations[position]), backend, facts, round)
            });
            let before = self.tests.len();
            for (position, verdict) in batch.into_iter().zip(verdicts) {
                self.take(explorer, position, verdict, round);
            }
            if self.tests.len() > before && self.options.method == GenerationMethod::Hybrid {
                self.explore_further(explorer);
            }
            progress(self.progress("solving"));
        }
    }

    /// Whether solvers are asked how its criterion can be fulfilled: where effects decide, tags are led
    /// on only if that is the method.
    fn is_asked_about(&self, position: usize) -> bool {
        let leads = self.options.method == GenerationMethod::Incremental;
        !self.is_graded(position) || (leads && !self.judge.is_tagged(position))
    }

    /// A short search for each open obligation from states that simulation reached.
    fn solve_from_archive(
        &mut self,
        explorer: &mut StateExplorer<'_>,
        archive: &Archive,
        backend: &Backend,
        facts: &SystemLemmas,
        progress: &mut dyn FnMut(GenerationProgress),
    ) {
        let Some(effort) = self.options.efforts.first().filter(|_| !archive.is_empty()) else {
            return;
        };
        let (system, options) = (self.system, self.options);
        let mut waiting = self.open();
        waiting.retain(|at| !self.judge.is_tagged(*at));
        waiting.reverse();
        while !waiting.is_empty() && !(self.stop)() {
            let batch = self.next_batch(&mut waiting);
            let found = each_in_parallel(options.jobs, &batch, |_, &position| {
                let obligation = &self.obligations[position];
                if (self.stop)() || !self.ledger.is_ours(&Quest::cover(obligation)) {
                    return None;
                }
                let asked = (position, obligation);
                let from = (&*explorer, archive);
                from_archive(system, asked, options, backend, facts, from, effort.limit)
            });
            for (position, attempt) in batch.into_iter().zip(found) {
                if let Some(attempt) = attempt {
                    self.take(explorer, position, attempt, 0);
                }
            }
            progress(self.progress("searching from states"));
        }
    }

    /// The next few obligations that no test covered in the meantime.
    fn next_batch(&self, waiting: &mut Vec<usize>) -> Vec<usize> {
        let mut batch = Vec::new();
        while batch.len() < ROUND
            && let Some(position) = waiting.pop()
        {
            if !self.judge.is_covered(position) {
                batch.push(position);
            }
        }
        batch
    }

    pub(crate) fn attempt(
        &self,
        quest: &Quest,
        backend: &Backend,
        facts: &SystemLemmas,
        round: usize,
    ) -> Attempt {
        if let Some(known) = self.ledger.recall(quest, round) {
            return known;
        }
        if !self.ledger.is_ours(quest) {
            return Attempt::elsewhere();
        }
        if (self.stop)() {
            return Attempt::stopped();
        }
        let effort = self.options.efforts[round];
        let attempt = Attempt::new(self.system, quest, self.options, backend, facts, effort);
        if !matches!(attempt, Attempt::Nothing { cut_short: true, .. }) {
            self.ledger.keep(quest, round, &attempt);
        }
        attempt
    }

    /// Believes a proof, and a test only after it was measured.
    fn take(
        &mut self,
        explorer: &mut StateExplorer<'_>,
        position: usize,
        attempt: Attempt,
        round: usize,
    ) {
        match attempt {
            Attempt::Test { steps, source, undefined } => {
                let found = self.judge.adopt(explorer, &steps);
                if let Some(CoveringTest { steps, covered }) = found {
                    self.tests.push(GeneratedTest::certain(steps, covered, source));
                }
                if !self.judge.is_covered(position)
                    && !self.break_property(position, steps, undefined)
                {
                    let reason = "the solver's test was not confirmed".to_string();
                    self.reasons[position] = Some((reason, 0));
                }
            }
            // That no tag arrives says nothing about effects.
            Attempt::Proof(_) if self.is_graded(position) => {}
            Attempt::Proof(proof) => self.proofs[position] = Some(proof),
            Attempt::Nothing { reason, settled: true, .. } => {
                self.settled[position] = true;
                self.reasons[position] = Some((reason, 0));
            }
            Attempt::Nothing { reason, depth, .. } => {
                self.reasons[position] = Some((format!("{reason}, round {}", round + 1), depth));
            }
        }
    }

    /// Whether a run breaks a property for some values of what is undefined, which the
    /// reference interpreter says; then it is kept with them.
    fn break_property(
        &mut self,
        position: usize,
        steps: Vec<Vec<Value>>,
        undefined: Vec<(ExprId, Value)>,
    ) -> bool {
        let obligation = &self.obligations[position];
        if obligation.kind != ObligationKind::Property {
            return false;
        }
        let Some(undefined) = violation(self.system, obligation.expr, &steps, undefined) else {
            return false;
        };
        self.broken[position] = true;
        let (covers, source) = (vec![position], TestSource::Search);
        self.tests.push(GeneratedTest { steps, covers, source, undefined, is_measured: false });
        true
    }

    fn finish(self, simulated_steps: u64) -> GenerationResult {
        let mut by_test = vec![None; self.obligations.len()];
        for (index, test) in self.tests.iter().enumerate() {
            // A tag alone is no evidence where effects decide.
            for &covered in
                test.covers.iter().filter(|at| self.judge.is_covered(**at) || self.broken[**at])
            {
                by_test[covered].get_or_insert(index);
            }
        }
        let outcome = |position: usize| match (by_test[position], &self.proofs[position]) {
            (Some(test), None) => ObligationVerdict::Covered(test),
            (None, Some(proof)) => ObligationVerdict::Infeasible(proof.clone()),
            (Some(_), Some(_)) => {
                // Whoever sees this has found a fault of ours; nothing that was kept is wrong.
                let id = &self.obligations[position].id;
                panic!("a test covers {id}, and a proof says that none can")
            }
            (None, None) => {
                let first = self.stands_for[position];
                let reason = self.reasons[position].as_ref().or(self.reasons[first].as_ref());
                let (reason, depth) =
                    reason.cloned().unwrap_or_else(|| ("not tried".to_string(), 0));
                ObligationVerdict::Unknown { reason, depth }
            }
        };
        let outcomes = (0..self.obligations.len()).map(outcome).collect();
        let effects = self.stands_for.iter().map(|first| self.effects[*first].clone()).collect();
        GenerationResult { tests: self.tests, outcomes, effects, simulated_steps }
    }
}
