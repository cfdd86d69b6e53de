//! The claims of graded verdicts: wrong values that tests show, and conditions that a constant can
//! replace.

use provoke_model::Value;

use crate::certificate::Subject;
use crate::claim::{Claim, Reason, State, Word};
use crate::coverage::{Exact, Measure, certainly_differ};
use crate::folder::{EffectClaim, RedundantClaim, Verdict};
use crate::generation::Generation;
use crate::grade::contradictions;
use crate::graph::{Graph, Kind, NodeId};
use crate::obligations::Obligation;
use crate::run::{Change, GraphRun};

/// How long a condition is wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    InOneStep,
    Always,
}

impl Generation<'_> {
    /// All that a graded verdict claims; what is wrong with it otherwise.
    pub(crate) fn graded(&self, verdict: &Verdict, position: usize) -> (Vec<Claim>, Vec<String>) {
        let obligation = &self.asked.obligations[position];
        let mut claims = Vec::new();
        let mut claim = |word: Word, state: State| {
            claims.push(Claim { word, id: verdict.id.clone(), state });
        };
        let effects = [
            (&verdict.step, Wrong::InOneStep, Word::Shown),
            (&verdict.stuck, Wrong::Always, Word::Lasting),
        ];
        for (effect, wrong, word) in effects {
            if let Some(effect) = effect.as_ref().filter(|effect| effect.is_shown()) {
                claim(word, self.effect(obligation, effect, wrong));
            }
        }
        if verdict.redundant.is_some() {
            claim(Word::Redundant, self.replaceable(verdict, position));
        }
        let is_free = verdict.redundant.as_ref().is_some_and(|redundant| redundant.form == "free");
        if !is_free && verdict.step.as_ref().is_some_and(EffectClaim::is_impossible) {
            claim(Word::Impossible, self.impossible_in_one_step(position));
        }
        (claims, contradictions(verdict, obligation.outcome))
    }

    /// A proof has to be checked, unless a test shows one wrong step.
    fn impossible_in_one_step(&self, position: usize) -> State {
        let obligation = &self.asked.obligations[position];
        match self.test_that_covers(obligation, Some(Exact::Step)) {
            Err(limit) => limit,
            Ok(Some(test)) => State::Refuted(format!("test {test} shows one wrong step")),
            Ok(None) => State::Open(vec![Subject::Once {
                criterion: self.asked.words[position].clone(),
                obligation: obligation.id.clone(),
            }]),
        }
    }

    /// The first test that covers an obligation, or by which a wrong value of it is seen; no answer
    /// if there is no time left.
    fn test_that_covers(
        &self,
        obligation: &Obligation,
        exact: Option<Exact>,
    ) -> Result<Option<&str>, State> {
        let monitored = self.asked.monitored.clone();
        let measure = Measure::new(self.graph, self.asked.masking, exact, monitored);
        for (test, replayed) in self.suite.tests.iter().zip(self.replayed) {
            if replayed.skipped || (self.stop)() {
                return Err(State::Unconfirmed(Reason::Limit, "no time left".to_string()));
            }
            let steps = test.inputs(replayed.steps);
            if !measure.covered(std::slice::from_ref(obligation), &steps).is_empty() {
                return Ok(Some(&test.name));
            }
        }
        Ok(None)
    }

    /// Runs the test that an effect names, with the condition as it should be and as it should not.
    fn effect(&self, obligation: &Obligation, effect: &EffectClaim, wrong: Wrong) -> State {
        let name = effect.test.as_deref().unwrap_or_default();
        let Some(test) = self.suite.tests.iter().position(|test| test.name == name) else {
            return State::Refuted(format!("the suite has no test {name}"));
        };
        if self.replayed[test].skipped || (self.stop)() {
            return State::Unconfirmed(Reason::Limit, "no time left".to_string());
        }
        State::of(self.differs(obligation, effect, wrong, test))
    }

    fn differs(
        &self,
        obligation: &Obligation,
        effect: &EffectClaim,
        wrong: Wrong,
        test: usize,
    ) -> Result<(), String> {
        let name = &self.suite.tests[test].name;
        let (changed_at, seen_at) = (effect.changed_at, effect.seen_at);
        if changed_at == 0 || changed_at > seen_at || seen_at > self.replayed[test].steps {
            return Err(format!("test {name} has no such steps"));
        }
        if wrong == Wrong::Always && effect.held != Some(!obligation.outcome) {
            return Err("it is held at the value that it should have".to_string());
        }
        let change = Change { node: obligation.node, value: !obligation.outcome };
        let (mut plain, mut changed) = (GraphRun::new(self.graph), GraphRun::new(self.graph));
        let mut breaks = None;
        for (at, step) in self.suite.tests[test].steps[..seen_at].iter().enumerate() {
            let is_wrong = wrong == Wrong::Always || at + 1 == changed_at;
            plain.step(&step.inputs, None).map_err(|_| "the run has no values".to_string())?;
            changed
                .step(&step.inputs, is_wrong.then_some(change))
                .map_err(|_| format!("the changed run has no values in step {}", at + 1))?;
            if at + 1 == changed_at && !self.is_exercised(obligation, &plain, wrong) {
                return Err(format!("it is not exercised in step {changed_at} of test {name}"));
            }
            let is_broken = |assertion: &NodeId| changed.truth(*assertion) == Some(false);
            if breaks.is_none() && self.graph.assertions.iter().any(is_broken) {
                breaks = Some(at + 1);
            }
        }
        match (breaks, effect.breaks) {
            (found, told) if found == told => self.is_as_told(effect, &plain, &changed),
            (Some(step), _) => Err(format!("the changed run breaks an assumption in step {step}")),
            (None, _) => Err("the changed run breaks no assumption".to_string()),
        }
    }

    /// Whether the condition has its value and, if it is wrong only then, decides.
    fn is_exercised(&self, obligation: &Obligation, plain: &GraphRun<'_>, wrong: Wrong) -> bool {
        if wrong == Wrong::Always {
            return plain.truth(obligation.node) == Some(obligation.outcome);
        }
        let monitored = self.asked.monitored.clone();
        let measure = Measure::new(self.graph, self.asked.masking, None, monitored);
        !measure.exercised(std::slice::from_ref(obligation), plain).is_empty()
    }

    /// Whether the output has the values that are told, and they differ.
    fn is_as_told(
        &self,
        effect: &EffectClaim,
        plain: &GraphRun<'_>,
        changed: &GraphRun<'_>,
    ) -> Result<(), String> {
        let output = effect.output.as_deref().unwrap_or_default();
        let cell = self.graph.cell_named(output).filter(|cell| self.asked.monitored.contains(cell));
        let cell = cell.ok_or_else(|| format!("`{output}` is not monitored"))?;
        let (value, other) = (plain.cell(cell), changed.cell(cell));
        if !certainly_differ(value, other) {
            return Err(format!("`{output}` does not differ in step {}", effect.seen_at));
        }
        let ty = self.graph.cells[cell].ty;
        let show = |value: &Value| Some(value.show(ty, &self.model.tree.types.enums));
        if show(value) != effect.value || show(other) != effect.changed_value {
            return Err(format!("`{output}` has other values in step {}", effect.seen_at));
        }
        Ok(())
    }

    /// Proofs have to be checked, unless a test denies what they say.
    fn replaceable(&self, verdict: &Verdict, position: usize) -> State {
        let obligation = &self.asked.obligations[position];
        let redundant = verdict.redundant.as_ref().expect("it is claimed");
        if redundant.constant == obligation.outcome {
            return State::Refuted("the constant is the value that it should have".to_string());
        }
        let denials = self.denials(obligation, redundant);
        for (asked, exact, denies) in denials {
            match self.test_that_covers(&asked, exact) {
                Err(limit) => return limit,
                Ok(Some(test)) => return State::Refuted(format!("test {test} {denies}")),
                Ok(None) => {}
            }
        }
        self.proofs(redundant, position)
    }

    /// What no test may cover, and what a test says that does.
    fn denials(
        &self,
        obligation: &Obligation,
        redundant: &RedundantClaim,
    ) -> Vec<(Obligation, Option<Exact>, &'static str)> {
        let mut denials = vec![(obligation.clone(), Some(Exact::Stuck), "notices the constant")];
        if redundant.form == "free" {
            denials.push((obligation.clone(), Some(Exact::Step), "shows one wrong step"));
        }
        match redundant.because.as_str() {
            "never" => {
                denials.push((obligation.as_plain_condition(), None, "has the value in a step"));
            }
            "masked" => {
                denials.push((obligation.as_host(), None, "has a step in which it decides"))
            }
            _ => {}
        }
        denials
    }

    /// What has to be proven for a constant to do as well, for the reason that is told.
    fn proofs(&self, redundant: &RedundantClaim, position: usize) -> State {
        let (id, word) = (&self.asked.obligations[position].id, &self.asked.words[position]);
        let product = Subject::Redundant { criterion: word.clone(), obligation: id.clone() };
        let criterion = word.trim_start_matches('o').to_string();
        let obligation = id.replacen(&format!(":{word}:"), &format!(":{criterion}:"), 1);
        let never = Subject::Never { criterion: criterion.clone(), obligation: obligation.clone() };
        let undecided = Subject::Infeasible { criterion, obligation };
        // What never decides cannot matter: both runs are alike until it does. But where something
        // may divide by zero, it may guard the division.
        let guards = divides(self.graph).then(|| product.clone());
        State::Open(match redundant.because.as_str() {
            "unseen" => vec![product],
            "masked" => guards.into_iter().chain([undecided]).collect(),
            "never" => vec![guards.unwrap_or(undecided), never],
            other => return State::Refuted(format!("`{other}` is no reason")),
        })
    }
}

/// Whether something is divided by what is not a constant other than zero.
fn divides(graph: &Graph) -> bool {
    let is_safe = |divisor: NodeId| match &graph.nodes[divisor].kind {
        Kind::Const(Value::Int(int)) => !int.is_zero(),
        Kind::Const(Value::Real(real)) => !real.is_zero(),
        _ => false,
    };
    graph.nodes.iter().any(|node| match node.kind {
        Kind::Binary(op, _, divisor) if crate::operator::divides(op) => !is_safe(divisor),
        _ => false,
    })
}
