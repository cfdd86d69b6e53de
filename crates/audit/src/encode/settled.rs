//! What is always known once its instance was active: everything but what an unguarded `pre`
//! reaches.

use provoke_model::UnaryOp;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::form::{Form, Node, clock_of, form, roots};
use crate::instances::{ClockId, Model};

/// Nodes that are known in every step from the first one on in which their instance is active.
pub(super) struct Settled {
    nodes: FxHashSet<Node>,
}

/// Which step of an instance is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    First,
    Later,
}

/// What is assumed about the clocks while an expression is looked at.
type Phases = Vec<(Option<ClockId>, Phase)>;

impl Settled {
    /// The largest set that follows from itself.
    pub(super) fn of(model: &Model) -> Settled {
        let mut all = roots(model);
        all.extend(model.clocks.ids().map(Node::First));
        all.retain(|node| !matches!(node, Node::Part(..)));
        let mut settled = Settled { nodes: all.iter().copied().collect() };
        let users = users(model, &all);
        let mut open = all;
        while let Some(node) = open.pop() {
            if settled.nodes.contains(&node) && !settled.follows(model, node) {
                settled.nodes.remove(&node);
                open.extend(users.get(&node).into_iter().flatten());
            }
        }
        settled
    }

    pub(super) fn contains(&self, node: Node) -> bool {
        self.nodes.contains(&node)
    }

    /// Whether a node is known in an active step, if all others of the set are.
    fn follows(&self, model: &Model, node: Node) -> bool {
        let clock = clock_of(model, node);
        if let (Node::Active(own) | Node::First(own), outer) = (node, clock) {
            // What stands still elsewhere is false here.
            let outer = outer.is_none_or(|outer| self.contains(Node::Active(outer)));
            let condition = matches!(node, Node::First(_))
                || self.known(model, &form(model, node), &Phases::new());
            return outer && condition && self.contains(Node::Active(own));
        }
        if clock.is_some_and(|clock| !self.contains(Node::Active(clock))) {
            return false;
        }
        let body = match (clock, form(model, node)) {
            (Some(_), Form::If(_, body, _)) => *body,
            (_, body) => body,
        };
        [Phase::First, Phase::Later].iter().all(|&phase| {
            let phases = vec![(clock, phase)];
            self.known(model, &body, &phases)
        })
    }

    fn known(&self, model: &Model, form: &Form, phases: &Phases) -> bool {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.known_here(model, form, phases))
    }

    fn known_here(&self, model: &Model, this: &Form, phases: &Phases) -> bool {
        match this {
            Form::Const(_) | Form::Input(_) | Form::FirstStep | Form::Anything => true,
            Form::Node(node @ Node::Part(..)) => self.known(model, &form(model, *node), phases),
            Form::Node(node) => self.contains(*node),
            Form::Unary(UnaryOp::Not, operand) => self.known(model, operand, phases),
            Form::Unary(_, operand) => self.known(model, operand, phases),
            Form::Binary(_, left, right) => {
                self.known(model, left, phases) && self.known(model, right, phases)
            }
            Form::If(condition, then, otherwise) => {
                let Some(clock) = first_step_of(condition) else {
                    return [condition, then, otherwise]
                        .iter()
                        .all(|form| self.known(model, form, phases));
                };
                [(Phase::First, then), (Phase::Later, otherwise)].iter().all(|(phase, branch)| {
                    let impossible = phases.iter().any(|known| *known == (clock, other(*phase)));
                    let mut inside = phases.clone();
                    inside.push((clock, *phase));
                    impossible || self.known(model, branch, &inside)
                })
            }
            Form::Pre(node, _) => {
                let clock = clock_of(model, *node);
                phases.contains(&(clock, Phase::Later)) && self.remembered(model, *node)
            }
        }
    }

    /// Whether a node was known in the last step in which its instance was active.
    fn remembered(&self, model: &Model, node: Node) -> bool {
        match node {
            Node::Part(..) => {
                let clock = clock_of(model, node);
                [Phase::First, Phase::Later]
                    .iter()
                    .all(|&phase| self.known(model, &Form::Node(node), &vec![(clock, phase)]))
            }
            _ => self.contains(node),
        }
    }
}

/// For each node those that may not be settled if it is not: who uses it, in the same step or later,
/// and what runs under it if it is a clock.
fn users(model: &Model, nodes: &[Node]) -> FxHashMap<Node, Vec<Node>> {
    let mut users: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
    for &node in nodes {
        let mut used = Vec::new();
        collect(model, &form(model, node), &mut used);
        used.extend(clock_of(model, node).map(Node::Active));
        if let Node::First(clock) = node {
            used.push(Node::Active(clock));
        }
        used.sort_unstable();
        used.dedup();
        used.into_iter().for_each(|other| users.entry(other).or_default().push(node));
    }
    users
}

fn collect(model: &Model, this: &Form, used: &mut Vec<Node>) {
    let mut open = vec![this.clone()];
    while let Some(this) = open.pop() {
        match this {
            Form::Const(_) | Form::Input(_) | Form::FirstStep | Form::Anything => {}
            Form::Node(node) | Form::Pre(node, _) => match node {
                Node::Part(..) => open.push(form(model, node)),
                _ => used.push(node),
            },
            Form::Unary(_, operand) => open.push(*operand),
            Form::Binary(_, left, right) => open.extend([*left, *right]),
            Form::If(a, b, c) => open.extend([*a, *b, *c]),
        }
    }
}

/// The clock whose first active step a condition tells; none is the run's own.
fn first_step_of(condition: &Form) -> Option<Option<ClockId>> {
    match condition {
        Form::FirstStep => Some(None),
        Form::Node(Node::First(clock)) => Some(Some(*clock)),
        _ => None,
    }
}

fn other(phase: Phase) -> Phase {
    match phase {
        Phase::First => Phase::Later,
        Phase::Later => Phase::First,
    }
}
