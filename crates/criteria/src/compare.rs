//! Tagged and exact measurement side by side, and why they disagree where they do.
//!
//! Tags are an approximation (seed 004, 3.3): they do not know how much a value changes, and
//! not that two of them carry the same change. Each disagreement is explained by running the
//! original and the changed test next to each other.

use std::sync::Arc;

use provoke_base::index::Id;
use provoke_model::{BinaryOp, ExprId, ExprKind, System, Value};
use provoke_sim::{CompactValue, Dense, Force, NodeId};

use crate::base::Base;
use crate::coverage::{SuiteCoverage, TestMoment};
use crate::exact::{ExactChange, ExactMeasurement};
use crate::follow::{EffectFate, EffectPath, TagFollower};
use crate::masking::Masking;
use crate::measurement::Measurement;
use crate::net::{Net, Sight};
use crate::obligation::Obligation;
use crate::oracle::Oracle;

/// Which of the two says that an obligation is covered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The tags say so, but no monitored variable changes.
    OnlyTagged,
    /// A monitored variable changes, but no tag reaches one.
    OnlyExact,
}

/// Why tags and exact measurement disagree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DisagreementReason {
    /// The missing side would agree if the test went on this many steps with its last inputs.
    TooShort(usize),
    /// The change came along several ways that met again, or came back to the expression
    /// that is held.
    Reconvergence,
    /// A relation or an arithmetic operator gave the same result for the changed operand.
    Arithmetic,
    /// An `if` whose branches are equal passed on its condition's tag, as the original
    /// reading allows.
    EqualBranches,
    /// An operator passed on its left operand's tag although the right one decided too, as
    /// the short-circuit reading allows.
    LeftBias,
    /// The criterion tags the equation's variable; the occurrence itself fares otherwise.
    TaggedVariable,
    /// It hangs on a value that is not known, or the changed run has no value.
    NotKnown,
}

impl DisagreementReason {
    /// The reason in a few words.
    pub fn words(self) -> String {
        match self {
            DisagreementReason::TooShort(1) => "test too short: needs one more step".into(),
            DisagreementReason::TooShort(steps) => {
                format!("test too short: needs {steps} more steps")
            }
            DisagreementReason::Reconvergence => "masked by reconvergence".into(),
            DisagreementReason::Arithmetic => "cancelled by arithmetic".into(),
            DisagreementReason::EqualBranches => "the branches are equal".into(),
            DisagreementReason::LeftBias => "both operands decide".into(),
            DisagreementReason::TaggedVariable => {
                "the variable is tagged, not the occurrence".into()
            }
            DisagreementReason::NotKnown => "depends on an unknown value".into(),
        }
    }
}

/// An obligation that tags and exact measurement judge differently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// The obligation's position.
    pub obligation: usize,
    /// Who says it is covered.
    pub side: Side,
    /// Why the other one does not.
    pub reason: DisagreementReason,
    /// The expression at which they part, if there is one.
    pub place: Option<ExprId>,
    /// When the one that says so found it covered.
    pub covered: TestMoment,
}

/// Tagged and exact coverage of the same suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TagComparison {
    /// What the tags say.
    pub tagged: SuiteCoverage,
    /// What changing the values shows.
    pub exact: SuiteCoverage,
    /// Where they disagree, in the order of the obligations.
    pub disagreements: Vec<Disagreement>,
}

/// How a suite is compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComparisonSettings {
    /// How masking is read.
    pub masking: Masking,
    /// What is monitored.
    pub oracle: Oracle,
    /// What is changed.
    pub exact: ExactChange,
    /// How many steps a test is prolonged to see whether it is too short.
    pub more_steps: usize,
}

/// Measures a suite both ways and explains every disagreement.
pub fn compare<T: AsRef<[Vec<Value>]>>(
    system: &System,
    obligations: &[Obligation],
    setting: &ComparisonSettings,
    tests: &[T],
) -> TagComparison {
    let ComparisonSettings { masking, ref oracle, exact, .. } = *setting;
    let mut tagged = Measurement::new(system, obligations, masking, oracle);
    let mut changed = ExactMeasurement::new(system, obligations, exact, masking, oracle);
    for test in tests {
        tagged.run_test(test.as_ref());
        changed.run_test(test.as_ref());
    }
    let mut judge = Judge::new(system, setting);
    let mut disagreements = Vec::new();
    for (position, obligation) in obligations.iter().enumerate() {
        let by_tags = tagged.coverage().statuses[position].covered;
        let by_change = changed.coverage().statuses[position].covered;
        let (side, covered) = match (by_tags, by_change) {
            (Some(covered), None) => (Side::OnlyTagged, covered),
            (None, Some(covered)) => (Side::OnlyExact, covered),
            _ => continue,
        };
        let test = tests[covered.test].as_ref();
        let (reason, place) = judge.reason(obligation, side, covered.step, test);
        let disagreement = Disagreement { obligation: position, side, reason, place, covered };
        disagreements.push(disagreement);
    }
    let (tagged, exact) = (tagged.coverage().clone(), changed.coverage().clone());
    TagComparison { tagged, exact, disagreements }
}

/// The original and a changed run of the same test, step by step.
struct Pair {
    original: Dense,
    changed: Dense,
}

/// Which steps of a run are changed.
#[derive(Clone, Copy)]
enum When {
    At(usize),
    Always,
}

impl When {
    fn includes(self, step: usize) -> bool {
        match self {
            When::At(only) => step == only,
            When::Always => true,
        }
    }
}

/// Finds reasons.
struct Judge<'a> {
    system: &'a System,
    setting: &'a ComparisonSettings,
    net: Net,
    follower: TagFollower<'a>,
}

impl<'a> Judge<'a> {
    fn new(system: &'a System, setting: &'a ComparisonSettings) -> Judge<'a> {
        let monitored = setting.oracle.monitored(system);
        Judge {
            system,
            setting,
            net: Net::new(system, setting.masking, &monitored),
            follower: TagFollower::new(system, setting.masking, &setting.oracle),
        }
    }

    fn reason(
        &mut self,
        obligation: &Obligation,
        side: Side,
        step: usize,
        test: &[Vec<Value>],
    ) -> (DisagreementReason, Option<ExprId>) {
        let base = Base::new(&self.net.program, obligation);
        match side {
            Side::OnlyTagged => self.only_tagged(obligation, base, test),
            Side::OnlyExact => self.only_exact(obligation, base, step, test),
        }
    }

    /// The tags arrived: where on their way did the change stop?
    fn only_tagged(
        &mut self,
        obligation: &Obligation,
        base: Base,
        test: &[Vec<Value>],
    ) -> (DisagreementReason, Option<ExprId>) {
        let EffectFate::Visible(path) = self.follower.follow_one(obligation, test) else {
            panic!("{} is covered by its test", obligation.id);
        };
        let when = self.when(path.base_step);
        if let Some(steps) = self.steps_missing(base, when, test) {
            return (DisagreementReason::TooShort(steps), None);
        }
        self.where_change_stops(base, when, &path, test)
    }

    fn when(&self, step: usize) -> When {
        match self.setting.exact {
            ExactChange::Step => When::At(step),
            ExactChange::Stuck => When::Always,
        }
    }

    /// How many more steps with the last inputs make the change visible.
    fn steps_missing(&self, base: Base, when: When, test: &[Vec<Value>]) -> Option<usize> {
        let mut pair = self.pair();
        let held = std::iter::repeat_n(test.last()?, self.setting.more_steps);
        for (index, inputs) in test.iter().chain(held).enumerate() {
            pair.step(inputs, base, when)?;
            if index >= test.len() && self.net.monitored.iter().any(|&node| pair.differs(node)) {
                return Some(index + 1 - test.len());
            }
        }
        None
    }

    fn pair(&self) -> Pair {
        let original = Dense::of(Arc::clone(&self.net.program));
        Pair { changed: original.clone(), original }
    }

    fn where_change_stops(
        &self,
        base: Base,
        when: When,
        path: &EffectPath,
        test: &[Vec<Value>],
    ) -> (DisagreementReason, Option<ExprId>) {
        let mut pair = self.pair();
        let mut on_the_way = path.nodes.iter().peekable();
        for (index, inputs) in test.iter().enumerate() {
            if pair.step(inputs, base, when).is_none() {
                return (DisagreementReason::NotKnown, None);
            }
            while let Some(&place) = on_the_way.next_if(|(step, _)| *step == index + 1) {
                if pair.differs(place.1) {
                    continue;
                }
                // Only a variable that is tagged in place of the occurrence can start unchanged.
                let reason = if place == path.nodes[0] {
                    DisagreementReason::TaggedVariable
                } else {
                    self.why_unchanged(&pair, base, place.1)
                };
                return (reason, self.net.program.expr_of(place.1));
            }
        }
        panic!("a change that reaches a monitored variable is visible")
    }

    /// Why a node has not changed although an operand that is unmasked in it has.
    fn why_unchanged(&self, pair: &Pair, base: Base, node: NodeId) -> DisagreementReason {
        if node == base.node {
            return DisagreementReason::Reconvergence;
        }
        if !pair.original.cell(node).is_known() || !pair.changed.cell(node).is_known() {
            return DisagreementReason::NotKnown;
        }
        if pair.changed_operands(node) > 1 {
            return DisagreementReason::Reconvergence;
        }
        let expr = self.net.program.expr_of(node).expect("inputs do not change");
        match self.system.exprs[expr].kind {
            ExprKind::If(..) => DisagreementReason::EqualBranches,
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Implies, ..) => {
                DisagreementReason::LeftBias
            }
            _ => DisagreementReason::Arithmetic,
        }
    }

    /// The change arrived: where did it go on without a tag?
    fn only_exact(
        &mut self,
        obligation: &Obligation,
        base: Base,
        step: usize,
        test: &[Vec<Value>],
    ) -> (DisagreementReason, Option<ExprId>) {
        if let Some(steps) = self.steps_missing_for_tags(obligation, test) {
            return (DisagreementReason::TooShort(steps), None);
        }
        let steps = 1..=step;
        let when = match self.setting.exact {
            ExactChange::Stuck => Some(When::Always),
            ExactChange::Step => {
                steps.map(When::At).find(|when| self.is_visible(base, *when, test, step))
            }
        };
        let when = when.expect("one of the changes is visible");
        match self.first_untagged_change(base, when, &test[..step]) {
            Some((node, true)) => {
                (DisagreementReason::Reconvergence, self.net.program.expr_of(node))
            }
            Some((node, false)) => (DisagreementReason::NotKnown, self.net.program.expr_of(node)),
            None => (DisagreementReason::TaggedVariable, None),
        }
    }

    fn steps_missing_for_tags(
        &mut self,
        obligation: &Obligation,
        test: &[Vec<Value>],
    ) -> Option<usize> {
        let held = std::iter::repeat_n(test.last()?.clone(), self.setting.more_steps);
        let longer: Vec<Vec<Value>> = test.iter().cloned().chain(held).collect();
        match self.follower.follow_one(obligation, &longer) {
            EffectFate::Visible(path) if path.base_step <= test.len() => {
                let (end, _) = path.nodes[path.nodes.len() - 1];
                Some(end - test.len())
            }
            _ => None,
        }
    }

    /// Whether the change is visible at `last` for the first time.
    fn is_visible(&self, base: Base, when: When, test: &[Vec<Value>], last: usize) -> bool {
        let mut pair = self.pair();
        let mut sight = Sight::new(&self.net);
        for (index, inputs) in test.iter().enumerate().take(last) {
            if pair.step(inputs, base, when).is_none() {
                return false;
            }
            sight.look(&self.net, &pair.original);
            if when.includes(index + 1) && !base.holds(&pair.original, &sight) {
                return false;
            }
            if self.net.monitored.iter().any(|&node| pair.differs(node)) {
                return index + 1 == last;
            }
        }
        false
    }

    /// The first node that changes although no tag came to it, and whether more than one of
    /// its operands changed. The tag starts at the occurrence whenever that changes.
    fn first_untagged_change(
        &self,
        base: Base,
        when: When,
        test: &[Vec<Value>],
    ) -> Option<(NodeId, bool)> {
        let mut pair = self.pair();
        let mut waiting = vec![false; self.net.program.delays().len()];
        for inputs in test {
            pair.step(inputs, base, when)?;
            let mut tagged = vec![false; self.net.program.nodes().len()];
            for (slot, delay) in self.net.program.delays().iter().enumerate() {
                tagged[delay.pre.index()] = waiting[slot];
            }
            for node in self.net.program.nodes().ids() {
                let held = node == base.node && pair.changed.cell(node) != pair.original.cell(node);
                tagged[node.index()] |= held || self.tag_passes(&pair, &tagged, node);
                if pair.differs(node) && !tagged[node.index()] {
                    return Some((node, pair.changed_operands(node) > 1));
                }
            }
            for (slot, delay) in self.net.program.delays().iter().enumerate() {
                waiting[slot] = tagged[delay.operand.index()];
            }
        }
        None
    }

    fn tag_passes(&self, pair: &Pair, tagged: &[bool], node: NodeId) -> bool {
        self.net.edges(node).iter().enumerate().any(|(position, edge)| {
            tagged[edge.operand.index()] && self.net.unmasked(node, position, &pair.original)
        })
    }
}

impl Pair {
    /// Does a step of both; `None` if one of them has no value.
    fn step(&mut self, inputs: &[Value], base: Base, when: When) -> Option<()> {
        self.original.step(inputs).ok()?;
        let value = CompactValue::Bool(!base.outcome);
        let force = Force { node: base.node, value };
        let force = when.includes(self.original.steps_done()).then_some(&force);
        self.changed.step_forced(inputs, force).ok().map(|_| ())
    }

    fn differs(&self, node: NodeId) -> bool {
        self.original.cell(node).certainly_differs(self.changed.cell(node))
    }

    fn changed_operands(&self, node: NodeId) -> usize {
        let operands = self.original.program().nodes()[node].operands();
        operands
            .filter(|&operand| self.original.cell(operand) != self.changed.cell(operand))
            .count()
    }
}
