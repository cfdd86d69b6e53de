//! What a criterion asks of a suite, derived anew: a claim names an obligation only by its id.
//!
//! The rules are those of the published tool's counts (docs/book/criteria.md): conditions are
//! the Boolean variables and relations of an equation in the order they are written, a branch is
//! the condition of an `if`, a decision is a Boolean expression of an equation or of its `if`s.

use provoke_base::IndexVec;
use provoke_model::{BinaryOp, Type, UnaryOp};

use crate::graph::{CellId, Graph, Kind, NodeId};

/// What must be exercised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Host {
    /// Each condition true and false.
    Condition,
    /// Each decision true and false.
    Decision,
    /// The condition of each `if` true and false.
    Branch,
    /// Each condition true and false while it alone decides its decision.
    Mcdc,
}

impl Host {
    /// What its obligations are about, in the word of results.
    pub fn kind(self) -> &'static str {
        match self {
            Host::Condition | Host::Mcdc => "condition",
            Host::Decision => "decision",
            Host::Branch => "branch",
        }
    }
}

/// A criterion: what must be exercised, and whether it must become visible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Criterion {
    /// What must be exercised.
    pub host: Host,
    /// Whether it must reach a monitored variable.
    pub observable: bool,
}

impl Criterion {
    /// The criterion that users call so.
    pub fn named(word: &str) -> Option<Criterion> {
        let (observable, host) = match word.strip_prefix('o') {
            Some(host) => (true, host),
            None => (false, word),
        };
        let host = match host {
            "condition" => Host::Condition,
            "decision" => Host::Decision,
            "branch" => Host::Branch,
            "mcdc" => Host::Mcdc,
            _ => return None,
        };
        Some(Criterion { host, observable })
    }
}

/// How obligations are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counting {
    /// As the published tool counts.
    Published,
    /// Each occurrence once, decisions by their definition.
    Precise,
}

/// One thing to be exercised.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// Its name: `pump.level:omcdc:3T`.
    pub id: String,
    /// The criterion.
    pub criterion: Criterion,
    /// The occurrence.
    pub node: NodeId,
    /// The value to be seen.
    pub outcome: bool,
    /// The variable whose equation holds the occurrence.
    pub cell: CellId,
}

impl Obligation {
    /// The same without the demand that it is seen.
    pub fn as_host(&self) -> Obligation {
        let criterion = Criterion { observable: false, ..self.criterion };
        Obligation { criterion, ..self.clone() }
    }

    /// Only that the occurrence has the value, whether or not it decides or is seen.
    pub fn as_plain_condition(&self) -> Obligation {
        let criterion = Criterion { host: Host::Condition, observable: false };
        Obligation { criterion, ..self.clone() }
    }
}

/// The obligations of a criterion, given as the word that users write.
pub fn obligations(graph: &Graph, word: &str, counting: Counting) -> Option<Vec<Obligation>> {
    let criterion = Criterion::named(word)?;
    let mut found = Vec::new();
    for (cell, named) in graph.cells.entries().filter(|(_, cell)| cell.is_declared()) {
        let Some(root) = named.root else { continue };
        let occurrences = match criterion.host {
            Host::Condition | Host::Mcdc => conditions(graph, root, counting),
            Host::Branch => branches(graph, root),
            Host::Decision => decisions(graph, root, counting),
        };
        for (position, (node, copies)) in occurrences.into_iter().enumerate() {
            for copy in 1..=copies {
                let again = if copy == 1 { String::new() } else { format!("~{copy}") };
                for (outcome, letter) in [(true, 'T'), (false, 'F')] {
                    let number = position + 1;
                    let id = format!("{}:{word}:{number}{letter}{again}", named.name);
                    found.push(Obligation { id, criterion, node, outcome, cell });
                }
            }
        }
    }
    Some(found)
}

/// An occurrence and how often it counts.
type Counted = (NodeId, u32);

/// Visits an equation in the order it is written. `enter` says how often operands count, and
/// nothing if they are left out.
fn walk(graph: &Graph, root: NodeId, mut enter: impl FnMut(NodeId, u32) -> Option<u32>) {
    let mut open = vec![(root, 1)];
    while let Some((node, copies)) = open.pop() {
        if let Some(copies) = enter(node, copies) {
            open.extend(graph.nodes[node].kind.operands().rev().map(|operand| (operand, copies)));
        }
    }
}

fn is_bool(graph: &Graph, node: NodeId) -> bool {
    graph.nodes[node].ty == Type::Bool
}

fn is_const(graph: &Graph, node: NodeId) -> bool {
    matches!(graph.nodes[node].kind, Kind::Const(_))
}

/// Whether an occurrence joins the conditions of one decision: a Boolean operator, also `=` and
/// `<>` of Booleans.
pub fn joins(graph: &Graph, node: NodeId) -> bool {
    match graph.nodes[node].kind {
        Kind::Unary(op, _) => op == UnaryOp::Not,
        Kind::Binary(op, left, _) => op.is_logical() || (is_equality(op) && is_bool(graph, left)),
        _ => false,
    }
}

fn is_equality(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne)
}

/// The published tool reads a Boolean `a = b` as `(a and b) or (not a and not b)`.
fn conditions(graph: &Graph, root: NodeId, counting: Counting) -> Vec<Counted> {
    let mut found = Vec::new();
    walk(graph, root, |node, copies| {
        let leaf = match graph.nodes[node].kind {
            Kind::Use(_) => is_bool(graph, node),
            Kind::Binary(op, ..) => op.is_relation() && !joins(graph, node),
            _ => false,
        };
        if leaf {
            found.push((node, copies));
        }
        let twice = counting == Counting::Published
            && joins(graph, node)
            && matches!(graph.nodes[node].kind, Kind::Binary(BinaryOp::Eq, ..));
        Some(if twice { copies.saturating_mul(2) } else { copies })
    });
    found
}

fn branches(graph: &Graph, root: NodeId) -> Vec<Counted> {
    let mut found = Vec::new();
    walk(graph, root, |node, copies| {
        if let Kind::If(condition, ..) = graph.nodes[node].kind {
            found.push((condition, copies));
        }
        Some(copies)
    });
    found
}

fn decisions(graph: &Graph, root: NodeId, counting: Counting) -> Vec<Counted> {
    let mut found = Vec::new();
    if counting == Counting::Precise {
        let tops = decision_tops(graph);
        walk(graph, root, |node, copies| {
            if tops[node] {
                found.push((node, copies));
            }
            Some(copies)
        });
    } else if !is_bool(graph, root) {
        // The outermost conditions of the `if`s of a number.
        walk(graph, root, |node, copies| {
            if !is_bool(graph, node) {
                return Some(copies);
            }
            if !is_const(graph, node) {
                found.push((node, copies));
            }
            None
        });
    } else {
        // All parts of a Boolean `if`; anything else is one decision.
        walk(graph, root, |node, copies| {
            if matches!(graph.nodes[node].kind, Kind::If(..)) {
                return Some(copies);
            }
            if !is_const(graph, node) {
                found.push((node, copies));
            }
            None
        });
    }
    found
}

/// Whether an occurrence is a whole decision: Boolean, neither constant nor `if`, `->` or `pre`,
/// and no operand of what joins conditions.
pub fn decision_tops(graph: &Graph) -> IndexVec<NodeId, bool> {
    let mut tops = IndexVec::repeat(false, graph.nodes.len());
    let mut mark = |node: NodeId| {
        let apart = matches!(
            graph.nodes[node].kind,
            Kind::If(..) | Kind::Arrow(..) | Kind::Pre(_) | Kind::Const(_)
        );
        tops[node] |= is_bool(graph, node) && !apart;
    };
    for cell in graph.cells.iter() {
        cell.root.into_iter().for_each(&mut mark);
    }
    for (node, found) in graph.nodes.entries() {
        if !joins(graph, node) {
            found.kind.operands().for_each(&mut mark);
        }
    }
    tops
}
