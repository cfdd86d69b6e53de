//! The queries of a certificate: for its groups of facts, and for its claims.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::facts::Facts;
use super::goal::{Goal, Goals};
use super::inquiry::{Disagreement, Inquiry, Reply};
use super::replay::Replay;
use super::{BASE, Open, STEP, Setting, Verdict};
use crate::certificate::{Certificate, Term};
use crate::encode::{Encoder, FIRST, Memory, Start, Time};
use crate::instances::Model;

/// The step after the first encoded one.
const SECOND: Time = FIRST + 1;
/// So many mutants are asked about in one dialogue; then a fresh one starts, without the definitions
/// of those that are done.
const MUTANTS_PER_WINDOW: usize = 100;

/// What was shown: by which solver, or why not.
type Shown = Result<usize, Verdict>;

/// Encoded steps, and what the solvers know about them.
struct Window<'a> {
    encoder: Encoder,
    facts: Facts<'a>,
    inquiry: Inquiry<'a>,
    /// Terms that say that a step is one of a run.
    steps: Vec<String>,
    mutants: usize,
}

impl<'a> Window<'a> {
    fn new(setting: &Setting<'a>, certificate: &'a Certificate, start: Start) -> Window<'a> {
        Window {
            encoder: Encoder::new(setting.model, start),
            facts: Facts::new(certificate, setting.model, None),
            inquiry: super::inquiry(setting),
            steps: Vec::new(),
            mutants: 0,
        }
    }

    /// The terms that say that the steps up to a time are steps of a run.
    fn steps(&mut self, last: Time) -> &[String] {
        while self.steps.len() < last {
            let all = self.encoder.step(FIRST + self.steps.len());
            let term = format!("(and true {})", all.join(" "));
            let name = self.encoder.define("Bool", &term);
            self.steps.push(name.to_string());
        }
        &self.steps[..last]
    }

    /// Facts before a step, as terms.
    fn before(&mut self, facts: &[Term], time: Time) -> Vec<String> {
        let value = |fact: &Term| self.facts.value(&mut self.encoder, *fact, time).to_string();
        facts.iter().map(value).collect()
    }

    /// Tells the solvers all that was written, and then asserts.
    fn assert(&mut self, terms: &[String]) {
        self.flush();
        self.inquiry.assert(terms);
    }

    fn flush(&mut self) {
        let text = self.encoder.take_text();
        self.inquiry.tell(&text);
    }

    fn none_of(&mut self, common: &[String], all: &[String]) -> Result<Vec<Reply>, Disagreement> {
        self.flush();
        self.inquiry.none_of(&conjunction(common), all)
    }
}

fn conjunction(terms: &[String]) -> String {
    format!("(and true {})", terms.join(" "))
}

fn negated(term: &String) -> String {
    format!("(not {term})")
}

/// What a reply to a question that should have no answer says.
fn shown(reply: Reply, failed: &str) -> Shown {
    match reply {
        Reply::Unsat(solver) => Ok(solver),
        Reply::Sat(_) => Err(Verdict::NotShown(failed.to_string())),
        Reply::Unknown(why) => Err(Verdict::Undecided(why)),
        Reply::Stopped => Err(Verdict::Limit),
    }
}

/// All of them were shown; the solver that is believed least.
fn all_shown(parts: impl IntoIterator<Item = Shown>) -> Shown {
    parts.into_iter().try_fold(0, |worst, part| Ok(worst.max(part?)))
}

/// Everything that is asked about one certificate.
pub(super) struct Windows<'a> {
    setting: &'a Setting<'a>,
    certificate: &'a Certificate,
    goals: &'a Goals<'a>,
    /// What was found about the groups that speak about the model alone.
    groups: BTreeMap<usize, Shown>,
    base: Window<'a>,
    /// A window for each set of groups that claims use.
    windows: BTreeMap<Vec<usize>, Window<'a>>,
    /// Whether there are runs at all.
    runs: Option<Shown>,
}

/// A mutant that is beside the model.
#[derive(Clone, Copy)]
pub(super) struct Beside<'b> {
    pub(super) id: &'b str,
    pub(super) model: &'b Arc<Model>,
}

impl<'a> Windows<'a> {
    pub(super) fn new(
        setting: &'a Setting<'a>,
        certificate: &'a Certificate,
        goals: &'a Goals<'a>,
    ) -> Windows<'a> {
        Windows {
            setting,
            certificate,
            goals,
            groups: BTreeMap::new(),
            base: Window::new(setting, certificate, BASE),
            windows: BTreeMap::new(),
            runs: None,
        }
    }

    /// Checks claims about the model itself.
    pub(super) fn check(
        &mut self,
        open: &[Open<'_>],
    ) -> Result<Vec<(usize, Verdict)>, Disagreement> {
        let mut verdicts = Vec::new();
        // Claims that use the same groups, are shown in the same way, and look equally far.
        type Key = (Vec<usize>, bool, usize);
        let mut batches: BTreeMap<Key, Vec<(&Open<'_>, Goal)>> = BTreeMap::new();
        for open in open {
            match self.goals.of(&open.claim.subject) {
                Ok(goal) => {
                    let claim = open.claim;
                    let key = (claim.uses.clone(), claim.invariant.is_none(), claim.k);
                    batches.entry(key).or_default().push((open, goal));
                }
                Err(why) => verdicts.push((open.position, Verdict::Uncertified(why))),
            }
        }
        for batch in batches.into_values() {
            for (open, shown) in self.batch(&batch, None)? {
                verdicts
                    .push((open, shown.map_or_else(|v| v, |solver| Verdict::Confirmed { solver })));
            }
        }
        Ok(verdicts)
    }

    /// Checks one claim about a mutant.
    pub(super) fn check_mutant(
        &mut self,
        open: &Open<'_>,
        beside: Beside<'_>,
    ) -> Result<Verdict, Disagreement> {
        let goal = match self.goals.of(&open.claim.subject) {
            Ok(goal) => goal,
            Err(why) => return Ok(Verdict::Uncertified(why)),
        };
        let batch = [(open, goal)];
        let found = self.batch(&batch, Some(beside))?;
        let shown = found.into_iter().next().map(|(_, shown)| shown);
        Ok(match shown {
            Some(Ok(solver)) => Verdict::Confirmed { solver },
            Some(Err(verdict)) => verdict,
            None => Verdict::Limit,
        })
    }

    /// Checks claims that use the same groups and look equally far.
    fn batch(
        &mut self,
        batch: &[(&Open<'_>, Goal)],
        beside: Option<Beside<'_>>,
    ) -> Result<Vec<(usize, Shown)>, Disagreement> {
        let all =
            |why: &Verdict| positions(batch, batch.iter().map(|_| Err(why.clone())).collect());
        if (self.setting.stop)() {
            return Ok(all(&Verdict::Limit));
        }
        if let Err(why) = self.runs()? {
            return Ok(all(&why));
        }
        let uses = self.confirmed(&batch[0].0.claim.uses)?;
        let mut found: Vec<Shown> = self.base_cases(batch, beside)?;
        if found.iter().all(Result::is_err) {
            return Ok(positions(batch, found));
        }
        let steps = match batch[0].0.claim.invariant {
            None => self.induction(batch, beside, &uses)?,
            Some(_) => self.invariants(batch, beside, &uses)?,
        };
        for (found, step) in found.iter_mut().zip(steps) {
            *found = all_shown([found.clone(), step]);
        }
        let groups = all_shown(uses.iter().map(|group| self.groups[group].clone()));
        for found in &mut found {
            *found = all_shown([found.clone(), groups.clone()]);
        }
        Ok(positions(batch, found))
    }

    /// Whether there is a first step. A model without any fulfils all claims, which is worth
    /// saying; a solver that denies everything is noticed here.
    fn runs(&mut self) -> Result<Shown, Disagreement> {
        if let Some(known) = &self.runs {
            return Ok(known.clone());
        }
        let first = self.base.steps(FIRST).to_vec();
        self.base.assert(&first);
        let found = match self.base.inquiry.ask("true", &[])? {
            Reply::Sat(_) => Ok(0),
            Reply::Unsat(_) => {
                let why = "no run exists: the assumptions exclude every first step";
                Err(Verdict::NotShown(why.to_string()))
            }
            reply => shown(reply, ""),
        };
        let cycle = self.base.encoder.cycle();
        let found = match cycle {
            Some(name) => Err(Verdict::Undecided(format!("`{name}` depends on itself"))),
            None => found,
        };
        self.runs = Some(found.clone());
        Ok(found)
    }

    /// Those of the groups that were shown; the others help nobody.
    fn confirmed(&mut self, uses: &[usize]) -> Result<Vec<usize>, Disagreement> {
        let mut confirmed = Vec::new();
        for &group in uses {
            if self.certificate.groups[group].mutant.is_none() && self.group(group)?.is_ok() {
                confirmed.push(group);
            }
        }
        Ok(confirmed)
    }

    /// Whether the facts of a group hold before every step but the first.
    fn group(&mut self, group: usize) -> Result<Shown, Disagreement> {
        if let Some(known) = self.groups.get(&group) {
            return Ok(known.clone());
        }
        let found = &self.certificate.groups[group];
        let mut shown = Ok(0);
        for &used in &found.uses {
            let part = self.group(used)?;
            shown = all_shown([shown, part]);
        }
        if shown.is_ok() {
            let uses = found.uses.clone();
            shown = all_shown([shown, self.inductive(&found.facts, &[], &uses, None)?]);
        }
        self.groups.insert(group, shown.clone());
        Ok(shown)
    }

    /// The window in which the facts of these groups hold before the second step.
    fn window(&mut self, uses: &[usize]) -> &mut Window<'a> {
        let (setting, certificate) = (self.setting, self.certificate);
        self.windows.entry(uses.to_vec()).or_insert_with(|| {
            let mut window = Window::new(setting, certificate, STEP);
            let mut all = window.steps(SECOND).to_vec();
            all.extend(window.before(&facts_of(certificate, uses), SECOND));
            window.assert(&all);
            window
        })
    }

    /// Whether the goals are reached in none of the first `k + 1` steps.
    fn base_cases(
        &mut self,
        batch: &[(&Open<'_>, Goal)],
        beside: Option<Beside<'_>>,
    ) -> Result<Vec<Shown>, Disagreement> {
        let depth = match batch[0].0.claim.invariant {
            None => batch[0].0.claim.k,
            Some(_) => 0,
        };
        if let Some(beside) = beside {
            if self.base.mutants >= MUTANTS_PER_WINDOW {
                self.base = Window::new(self.setting, self.certificate, BASE);
                let first = self.base.steps(FIRST).to_vec();
                self.base.assert(&first);
            }
            self.base.mutants += 1;
            self.base.encoder.change_mutant(beside.model);
        }
        let mut found: Vec<Shown> = batch.iter().map(|_| Ok(0)).collect();
        for time in FIRST..=FIRST + depth {
            let steps = self.base.steps(time)[FIRST..].to_vec();
            let alive: Vec<usize> = (0..batch.len()).filter(|at| found[*at].is_ok()).collect();
            let goals: Vec<String> = alive
                .iter()
                .map(|at| self.goals.term(&mut self.base.encoder, &batch[*at].1, time))
                .collect();
            if let Some(name) = self.base.encoder.cycle() {
                let why = Verdict::Undecided(format!("`{name}` depends on itself"));
                return Ok(batch.iter().map(|_| Err(why.clone())).collect());
            }
            let replies = self.base.none_of(&steps, &goals)?;
            for ((at, goal), reply) in alive.into_iter().zip(&goals).zip(replies) {
                found[at] = match reply {
                    Reply::Sat(_) => Err(self.refute(&batch[at].1, goal, &steps, time, beside)?),
                    reply => all_shown([found[at].clone(), shown(reply, "")]),
                };
            }
        }
        Ok(found)
    }

    /// What becomes of a claim whose goal is reached: refuted, if a run of the evaluator reaches it.
    fn refute(
        &mut self,
        goal: &Goal,
        term: &str,
        steps: &[String],
        last: Time,
        beside: Option<Beside<'_>>,
    ) -> Result<Verdict, Disagreement> {
        let mut replay = Replay::new(self.setting, &mut self.base.encoder, last);
        self.base.flush();
        let question = format!("(and {} {term})", conjunction(steps));
        let Reply::Sat(values) = self.base.inquiry.ask(&question, &replay.names())? else {
            return Ok(Verdict::Undecided("a run was found and lost".to_string()));
        };
        let run = replay.read(&values);
        let reaches =
            run.is_some_and(|()| replay.reaches(self.setting, &self.base.encoder, goal, beside));
        Ok(if reaches {
            Verdict::Refuted(replay.counterexample())
        } else {
            let why =
                "a run that only an undefined value, or a solver's mistake, makes a counterexample";
            Verdict::NotShown(why.to_string())
        })
    }

    /// Whether the goals are not reached after `k` steps in which they are not.
    fn induction(
        &mut self,
        batch: &[(&Open<'_>, Goal)],
        beside: Option<Beside<'_>>,
        uses: &[usize],
    ) -> Result<Vec<Shown>, Disagreement> {
        let k = batch[0].0.claim.k;
        let (own, own_solver) = self.own_facts(batch[0].0, beside)?;
        let (goals, certificate) = (self.goals, self.certificate);
        let facts = facts_of(certificate, uses);
        let window = self.mutant_window(uses, beside);
        let last = SECOND + k;
        let mut common = window.steps(last)[SECOND..].to_vec();
        for time in SECOND + 1..=last {
            common.extend(window.before(&facts, time));
        }
        let mut written = Facts::new(certificate, &window.model(), beside.map(|b| b.model));
        for time in SECOND..=last {
            let encoder = &mut window.encoder;
            common.extend(own.iter().map(|f| written.value(encoder, *f, time).to_string()));
        }
        let model = window.model();
        let questions: Vec<String> = batch
            .iter()
            .map(|(open, goal)| {
                let encoder = &mut window.encoder;
                let mut parts: Vec<String> =
                    (SECOND..last).map(|time| negated(&goals.term(encoder, goal, time))).collect();
                parts.push(goals.term(encoder, goal, last));
                if open.claim.distinct {
                    let memory = Memory::behind(&model, beside.map(|b| b.model), |encoder| {
                        goals.term(encoder, goal, FIRST);
                    });
                    for time in SECOND + 1..=last {
                        let earlier = SECOND..time;
                        parts.extend(earlier.map(|e| encoder.differs_before(&memory, e, time)));
                    }
                }
                conjunction(&parts)
            })
            .collect();
        let replies = window.none_of(&common, &questions)?;
        let step = |reply| all_shown([shown(reply, "the step does not follow"), Ok(own_solver)]);
        Ok(replies.into_iter().map(step).collect())
    }

    /// Whether the claims' invariants hold in every later state, and exclude the goals.
    fn invariants(
        &mut self,
        batch: &[(&Open<'_>, Goal)],
        beside: Option<Beside<'_>>,
        uses: &[usize],
    ) -> Result<Vec<Shown>, Disagreement> {
        let mut found = Vec::new();
        for (open, goal) in batch {
            let invariant = open.claim.invariant.expect("a batch of invariants");
            let shown = self.invariant(open, invariant, goal, beside, uses)?;
            found.push(shown);
        }
        Ok(found)
    }

    fn invariant(
        &mut self,
        open: &Open<'_>,
        invariant: Term,
        goal: &Goal,
        beside: Option<Beside<'_>>,
        uses: &[usize],
    ) -> Result<Shown, Disagreement> {
        let (own, own_solver) = self.own_facts(open, beside)?;
        let mut facts = own.clone();
        facts.push(invariant);
        let kept = self.inductive(&[invariant], &own, uses, beside)?;
        let (goals, certificate) = (self.goals, self.certificate);
        let window = self.mutant_window(uses, beside);
        let mut written = Facts::new(certificate, &window.model(), beside.map(|b| b.model));
        if let Some(why) = facts.iter().find_map(|fact| written.refuse(*fact)) {
            return Ok(Err(Verdict::NotShown(why)));
        }
        let encoder = &mut window.encoder;
        let common: Vec<String> =
            facts.iter().map(|f| written.value(encoder, *f, SECOND).to_string()).collect();
        let goal = goals.term(encoder, goal, SECOND);
        let excluded = window.none_of(&common, &[goal])?;
        let excluded =
            excluded.into_iter().map(|r| shown(r, "the invariant does not exclude the goal"));
        Ok(all_shown(excluded.chain([kept, Ok(own_solver)])))
    }

    /// The facts that were shown of the groups about a mutant that its claim uses, and by which
    /// solver.
    fn own_facts(
        &mut self,
        open: &Open<'_>,
        beside: Option<Beside<'_>>,
    ) -> Result<(Vec<Term>, usize), Disagreement> {
        let Some(beside) = beside else { return Ok((Vec::new(), 0)) };
        let certificate = self.certificate;
        let mut wanted = open.claim.uses.clone();
        let mut at = 0;
        while at < wanted.len() {
            wanted.extend(certificate.groups[wanted[at]].uses.iter().copied());
            at += 1;
        }
        wanted.sort_unstable();
        wanted.dedup();
        let (mut facts, mut worst) = (Vec::new(), 0);
        for group in wanted {
            let found = &certificate.groups[group];
            if found.mutant.as_deref() != Some(beside.id) {
                continue;
            }
            // Earlier groups about the mutant were shown already, whichever of them it names.
            let uses = self.confirmed(&found.uses)?;
            let shown = self.inductive(&found.facts, &facts, &uses, Some(beside))?;
            let groups = all_shown(uses.iter().map(|group| self.groups[group].clone()));
            let shown = all_shown([shown, groups]);
            // What was not shown helps nobody.
            if let Ok(solver) = shown {
                facts.extend(&found.facts);
                worst = worst.max(solver);
            }
        }
        Ok((facts, worst))
    }

    /// Whether facts, which may speak about a mutant, hold after the first step, and after a step
    /// before which all of them and those that are known hold.
    fn inductive(
        &mut self,
        facts: &[Term],
        known: &[Term],
        uses: &[usize],
        beside: Option<Beside<'_>>,
    ) -> Result<Shown, Disagreement> {
        let certificate = self.certificate;
        let mutant = beside.map(|beside| beside.model);
        let mut written = Facts::new(certificate, self.setting.model, mutant);
        if let Some(why) = facts.iter().find_map(|fact| written.refuse(*fact)) {
            return Ok(Err(Verdict::NotShown(why)));
        }
        let encoder = &mut self.base.encoder;
        let broken: Vec<String> = facts
            .iter()
            .map(|fact| negated(&written.value(encoder, *fact, SECOND).to_string()))
            .collect();
        let base = self.base.none_of(&[], &broken)?;
        let base =
            all_shown(base.into_iter().map(|r| shown(r, "a fact is false after the first step")));
        if base.is_err() {
            return Ok(base);
        }
        let model = self.setting.model.clone();
        let window = self.mutant_window(uses, beside);
        let mut written = Facts::new(certificate, &model, mutant);
        let encoder = &mut window.encoder;
        let mut value = |fact: &Term, time| written.value(encoder, *fact, time).to_string();
        let kept: Vec<String> = facts.iter().chain(known).map(|fact| value(fact, SECOND)).collect();
        let broken: Vec<String> =
            facts.iter().map(|fact| negated(&value(fact, SECOND + 1))).collect();
        let step = window.none_of(&kept, &broken)?;
        Ok(all_shown(step.into_iter().map(|r| shown(r, "a fact is not inductive")).chain([base])))
    }

    /// The window of these groups, with the mutant beside the model.
    fn mutant_window(&mut self, uses: &[usize], beside: Option<Beside<'_>>) -> &mut Window<'a> {
        let Some(beside) = beside else { return self.window(uses) };
        let worn = self.windows.get(uses).is_some_and(|found| found.mutants >= MUTANTS_PER_WINDOW);
        if worn {
            self.windows.remove(uses);
        }
        let window = self.window(uses);
        if window.encoder.change_mutant(beside.model) {
            window.mutants += 1;
        }
        window
    }
}

impl Window<'_> {
    fn model(&self) -> Arc<Model> {
        self.encoder.side(crate::encode::Side::Model)
    }
}

fn facts_of(certificate: &Certificate, groups: &[usize]) -> Vec<Term> {
    groups.iter().flat_map(|group| certificate.groups[*group].facts.iter().copied()).collect()
}

fn positions(batch: &[(&Open<'_>, Goal)], found: Vec<Shown>) -> Vec<(usize, Shown)> {
    batch.iter().map(|(open, _)| open.position).zip(found).collect()
}
