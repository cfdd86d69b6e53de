//! The claims of graded verdicts: wrong values that tests show, and conditions that a constant can
//! replace.

use provoke_model::Value;

use crate::certificate::Subject;
use crate::claim::{Claim, Reason, State, Word};
use crate::coverage::{Exact, Measure, certainly_differ};
use crate::folder::{EffectClaim, Verdict};
use crate::generation::Generation;
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
        (claims, contradictions(verdict))
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
        for (at, step) in self.suite.tests[test].steps[..seen_at].iter().enumerate() {
            let is_wrong = wrong == Wrong::Always || at + 1 == changed_at;
            plain.step(&step.inputs, None).map_err(|_| "the run has no values".to_string())?;
            changed
                .step(&step.inputs, is_wrong.then_some(change))
                .map_err(|_| format!("the changed run has no values in step {}", at + 1))?;
            if at + 1 == changed_at && !self.is_exercised(obligation, &plain, wrong) {
                return Err(format!("it is not exercised in step {changed_at} of test {name}"));
            }
        }
        self.is_as_told(effect, &plain, &changed)
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

    /// A proof has to be checked, unless a test shows that the constant is noticed.
    fn replaceable(&self, verdict: &Verdict, position: usize) -> State {
        let obligation = &self.asked.obligations[position];
        let redundant = verdict.redundant.as_ref().expect("it is claimed");
        if redundant.constant == obligation.outcome {
            return State::Refuted("the constant is the value that it should have".to_string());
        }
        let monitored = self.asked.monitored.clone();
        let measure = Measure::new(self.graph, self.asked.masking, Some(Exact::Stuck), monitored);
        for (test, replayed) in self.suite.tests.iter().zip(self.replayed) {
            if (self.stop)() {
                return State::Unconfirmed(Reason::Limit, "no time left".to_string());
            }
            let steps = test.steps[..replayed.steps].iter();
            let steps: Vec<Vec<Value>> = steps.map(|step| step.inputs.clone()).collect();
            if !measure.covered(std::slice::from_ref(obligation), &steps).is_empty() {
                return State::Refuted(format!("test {} notices the constant", test.name));
            }
        }
        let criterion = self.asked.words[position].clone();
        let host = criterion.trim_start_matches('o').to_string();
        State::Open(match redundant.because.as_str() {
            // Where something may divide by zero, a condition matters that never decides: it guards.
            _ if divides(self.graph) => {
                Subject::Redundant { criterion, obligation: obligation.id.clone() }
            }
            "unseen" => Subject::Redundant { criterion, obligation: obligation.id.clone() },
            // What never decides cannot matter: both runs are alike until it does.
            _ => Subject::Infeasible {
                obligation: obligation.id.replacen(
                    &format!(":{criterion}:"),
                    &format!(":{host}:"),
                    1,
                ),
                criterion: host,
            },
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

/// Where a verdict is not what its facts say.
fn contradictions(verdict: &Verdict) -> Vec<String> {
    let is_shown =
        |effect: &Option<EffectClaim>| effect.as_ref().is_some_and(EffectClaim::is_shown);
    let (step, stuck) = (is_shown(&verdict.step), is_shown(&verdict.stuck));
    let grade = match (verdict.redundant.is_some(), step, stuck, verdict.tag.is_some()) {
        (true, ..) => "redundant",
        (_, true, ..) => "shown",
        (_, _, true, _) => "lasting",
        (.., true) => "tag-only",
        _ => "unknown",
    };
    let word = match grade {
        "shown" | "lasting" => "covered",
        other => other,
    };
    let mut wrong = Vec::new();
    if verdict.grade.as_deref() != Some(grade) || verdict.verdict != word {
        wrong.push(format!("verdicts.json: the facts about `{}` make it {grade}", verdict.id));
    }
    if verdict.redundant.is_some() && stuck {
        wrong.push(format!("verdicts.json: `{}` is replaceable and noticed", verdict.id));
    }
    wrong
}
