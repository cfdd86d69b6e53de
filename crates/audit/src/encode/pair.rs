//! A model and a mutant of it: which parts of the two are the same.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use provoke_lustre::tree::{AstExprKind, CheckedTree};

use crate::form::{Form, Node, Occurrence, form, roots};
use crate::instances::{InstanceId, Model};
use crate::shape::Part;

/// A mutant, with what of it is the model's own.
pub(super) struct Pair {
    pub(super) mutant: Arc<Model>,
    /// Where `pre` and `condact` of the mutant stand in the model's text.
    places: FxHashMap<usize, usize>,
    /// The model's node for each of the mutant's that the change cannot reach.
    same: FxHashMap<Node, Node>,
}

/// Where a node stands: the same text for the same node of a model, whoever asks.
pub(super) fn place(model: &Model, node: Node) -> String {
    match located(model, node, Some) {
        Some(place) => place,
        None => unreachable!("every offset has a place"),
    }
}

/// The place of a node, with its offset in the text moved.
fn located(model: &Model, node: Node, moved: impl Fn(usize) -> Option<usize>) -> Option<String> {
    let at = |instance: InstanceId, part: Part| {
        let start = moved(model.tree.program.exprs[part.expr].span.start as usize)?;
        let path = &model.instances[instance].path;
        Some(match model.copy(part.expr) {
            0 => format!("{path}:{start}.{}", part.position),
            copy => format!("{path}:{start}.{} copy {copy}", part.position),
        })
    };
    Some(match node {
        Node::Var(var) => model.vars[var].name.clone(),
        Node::Active(clock) => format!("active {}", callee(model, clock)),
        Node::First(clock) => format!("first {}", callee(model, clock)),
        Node::Held(instance, part) => format!("held {}", at(instance, part)?),
        Node::Memory(instance, part) => format!("memory {}", at(instance, part)?),
        Node::Part(instance, part) => at(instance, part)?,
        Node::Right => "right".to_string(),
        Node::Over => "over".to_string(),
    })
}

fn callee(model: &Model, clock: crate::instances::ClockId) -> &str {
    &model.instances[model.clocks[clock].callee].path
}

impl Pair {
    pub(super) fn new(model: &Model, mutant: &Arc<Model>) -> Pair {
        let places = places(&model.tree, &mutant.tree);
        let mut pair = Pair { mutant: mutant.clone(), places, same: FxHashMap::default() };
        pair.same = pair.unreached(model);
        pair
    }

    /// The model's node, if the change cannot reach this one of the mutant.
    pub(super) fn same(&self, node: Node) -> Option<Node> {
        self.same.get(&node).copied()
    }

    /// The place of a mutant's node in the model's text.
    pub(super) fn original_place(&self, node: Node) -> Option<String> {
        located(&self.mutant, node, |start| self.places.get(&start).copied())
    }

    /// The nodes whose equations are written alike and depend only on such nodes.
    fn unreached(&mut self, model: &Model) -> FxHashMap<Node, Node> {
        let whole = |model: &Model| {
            let mut nodes = roots(model);
            nodes.extend(model.clocks.ids().map(Node::First));
            nodes.retain(|node| !matches!(node, Node::Part(..)));
            nodes
        };
        let originals: FxHashMap<String, Node> =
            whole(model).into_iter().map(|node| (place(model, node), node)).collect();
        let nodes = whole(&self.mutant);
        self.same = nodes
            .iter()
            .filter_map(|&node| Some((node, *originals.get(&self.original_place(node)?)?)))
            .collect();
        let mut users: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
        let mut reached: Vec<Node> = Vec::new();
        for &node in &nodes {
            let used = self.same.get(&node).and_then(|original| {
                let mut used = Vec::new();
                let (mine, its) = (form(&self.mutant, node), form(model, *original));
                self.alike(model, &mine, &its, &mut used).then_some(used)
            });
            match used {
                Some(used) => {
                    used.iter().for_each(|other| users.entry(*other).or_default().push(node))
                }
                None => reached.push(node),
            }
        }
        let mut seen: FxHashSet<Node> = reached.iter().copied().collect();
        while let Some(node) = reached.pop() {
            let next = users.get(&node).into_iter().flatten().filter(|user| seen.insert(**user));
            reached.extend(next);
        }
        let mut same = std::mem::take(&mut self.same);
        same.retain(|node, _| !seen.contains(node));
        same
    }

    /// Whether two forms are written alike; the mutant's nodes that it needs are collected.
    fn alike(&self, model: &Model, mine: &Form, its: &Form, used: &mut Vec<Node>) -> bool {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.alike_here(model, mine, its, used))
    }

    fn alike_here(&self, model: &Model, mine: &Form, its: &Form, used: &mut Vec<Node>) -> bool {
        match (mine, its) {
            (Form::Const(a), Form::Const(b)) => a == b,
            (Form::Input(a), Form::Input(b)) => {
                let position = |model: &Model, var| model.inputs.iter().position(|v| *v == var);
                position(&self.mutant, *a) == position(model, *b)
            }
            (Form::FirstStep, Form::FirstStep) => true,
            (Form::Node(a), Form::Node(b)) => self.alike_nodes(model, *a, *b, used),
            (Form::Pre(a, at), Form::Pre(b, there)) => {
                let place = self.original_place(stands_at(*at));
                place.is_some_and(|place| place == self::place(model, stands_at(*there)))
                    && self.alike_nodes(model, *a, *b, used)
            }
            (Form::Unary(op, a), Form::Unary(other, b)) => {
                op == other && self.alike(model, a, b, used)
            }
            (Form::Binary(op, a, b), Form::Binary(other, c, d)) => {
                op == other && self.alike(model, a, c, used) && self.alike(model, b, d, used)
            }
            (Form::If(a, b, c), Form::If(d, e, f)) => {
                let pairs = [(a, d), (b, e), (c, f)];
                pairs.into_iter().all(|(mine, its)| self.alike(model, mine, its, used))
            }
            _ => false,
        }
    }

    fn alike_nodes(&self, model: &Model, mine: Node, its: Node, used: &mut Vec<Node>) -> bool {
        if let (Node::Part(..), Node::Part(..)) = (mine, its) {
            return self.alike(model, &form(&self.mutant, mine), &form(model, its), used);
        }
        used.push(mine);
        self.same.get(&mine) == Some(&its)
    }
}

/// The node by which the place of an occurrence is told.
fn stands_at(occurrence: Occurrence) -> Node {
    match occurrence {
        Occurrence::Written(instance, part) => Node::Part(instance, part),
        Occurrence::Idle(instance, part) => Node::Held(instance, part),
        Occurrence::Still(node) | Occurrence::Clock(node) => node,
    }
}

/// Where `pre` and `condact` of a mutant stand in the model's text. What is written outside the
/// change has moved with the text; inside, occurrences are matched by their order: an operator that
/// was replaced leaves as many as there were, a delay that was added stands before them, and
/// with `e -> pre e` they are there twice.
fn places(model: &CheckedTree, mutant: &CheckedTree) -> FxHashMap<usize, usize> {
    let (old, new) = (model.file.text.as_bytes(), mutant.file.text.as_bytes());
    let shorter = old.len().min(new.len());
    let before = (0..shorter).take_while(|&i| old[i] == new[i]).count();
    let behind = (0..shorter - before)
        .take_while(|&i| old[old.len() - 1 - i] == new[new.len() - 1 - i])
        .count();
    let inside = |start: &usize, length: usize| *start >= before && *start < length - behind;
    let mut places = FxHashMap::default();
    for kind in [is_pre, is_condact] {
        let (were, are) = (starts(model, kind), starts(mutant, kind));
        let were: Vec<usize> = were.into_iter().filter(|start| inside(start, old.len())).collect();
        let count = were.len();
        let (changed, rest): (Vec<usize>, Vec<usize>) =
            are.into_iter().partition(|start| inside(start, new.len()));
        for start in rest {
            let moved = if start < before { start } else { start + old.len() - new.len() };
            places.insert(start, moved);
        }
        let twice = changed.len() == 2 * count + 1;
        for (position, &start) in changed.iter().enumerate() {
            let from_end = changed.len() - position;
            let found = match () {
                () if from_end <= count => were.get(count - from_end),
                () if twice && position < count => were.get(position),
                () => None,
            };
            places.extend(found.map(|was| (start, *was)));
        }
    }
    places
}

fn is_pre(kind: &AstExprKind) -> bool {
    matches!(kind, AstExprKind::Pre(_))
}

fn is_condact(kind: &AstExprKind) -> bool {
    matches!(kind, AstExprKind::Condact(..))
}

fn starts(tree: &CheckedTree, wanted: fn(&AstExprKind) -> bool) -> Vec<usize> {
    let found = tree.program.exprs.iter().filter(|expr| wanted(&expr.kind));
    let mut starts: Vec<usize> = found.map(|expr| expr.span.start as usize).collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}
