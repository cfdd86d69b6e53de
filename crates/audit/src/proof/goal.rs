//! What a claim is about, derived from the model and the claim's name.

use std::collections::HashMap;
use std::rc::Rc;

use provoke_base::IndexVec;
use provoke_model::BinaryOp;

use super::Setting;
use crate::certificate::Subject;
use crate::coverage::Masking;
use crate::encode::{Encoder, Side, Time};
use crate::form::{Form, Node, node_of, roots};
use crate::graph::{Graph, Kind, NodeId};
use crate::instances::{Model, Promise};
use crate::obligations::{Counting, Host, Obligation, decision_tops, joins, obligations};

/// Something that the claim says never happens in a step.
#[derive(Clone, Debug)]
pub(super) enum Goal {
    /// The obligation is exercised.
    Exercised(Obligation),
    /// One of these properties is false.
    Violated(Vec<Promise>),
    /// A monitored variable of the mutant differs, or the mutant has no value.
    Differs,
}

/// Finds goals, and writes them.
pub(super) struct Goals<'a> {
    model: &'a Rc<Model>,
    graph: &'a Graph,
    masking: Masking,
    monitored: &'a [String],
    /// The obligations of each criterion that claims name.
    obligations: HashMap<String, Obligation>,
    /// What each occurrence is an operand of.
    users: IndexVec<NodeId, Option<(NodeId, usize)>>,
    tops: IndexVec<NodeId, bool>,
}

impl<'a> Goals<'a> {
    pub(super) fn new(setting: &Setting<'a>) -> Goals<'a> {
        let graph = setting.graph;
        let mut all = HashMap::new();
        for word in ["condition", "decision", "branch", "mcdc"] {
            for obligation in found(graph, word, setting.counting) {
                all.insert(format!("{word} {}", obligation.id), obligation);
            }
        }
        let mut users = IndexVec::repeat(None, graph.nodes.len());
        for (user, node) in graph.nodes.entries() {
            for (position, operand) in node.kind.operands().enumerate() {
                users[operand] = Some((user, position));
            }
        }
        Goals {
            model: setting.model,
            graph,
            masking: setting.masking,
            monitored: setting.monitored,
            obligations: all,
            users,
            tops: decision_tops(graph),
        }
    }

    /// The goal of a claim, or why there is none.
    pub(super) fn of(&self, subject: &Subject) -> Result<Goal, String> {
        match subject {
            Subject::Infeasible { criterion, obligation } => {
                let known = self.obligations.get(&format!("{criterion} {obligation}"));
                let known = known.cloned().map(Goal::Exercised);
                known.ok_or_else(|| {
                    format!("no obligation `{obligation}` of `{criterion}` is derived")
                })
            }
            Subject::Holds(name) => {
                let properties = self.model.properties.iter().filter(|p| p.name == *name);
                let found: Vec<Promise> = properties.cloned().collect();
                if found.is_empty() {
                    return Err(format!("the model has no property `{name}`"));
                }
                Ok(Goal::Violated(found))
            }
            Subject::Equivalent(_) => Ok(Goal::Differs),
        }
    }

    /// The goal in a step.
    pub(super) fn term(&self, encoder: &mut Encoder, goal: &Goal, time: Time) -> String {
        match goal {
            Goal::Exercised(obligation) => self.exercised(encoder, obligation, time),
            Goal::Violated(properties) => {
                let violated: Vec<String> = properties
                    .iter()
                    .map(|property| {
                        let form = encoder.promise(property);
                        format!("(not {})", encoder.term(Side::Model, &form, time))
                    })
                    .collect();
                format!("(or false {})", violated.join(" "))
            }
            Goal::Differs => self.differs(encoder, time),
        }
    }

    /// Whether the occurrence has its value and, for MC/DC, alone decides its decision, for some
    /// value of what is undefined.
    fn exercised(&self, encoder: &mut Encoder, obligation: &Obligation, time: Time) -> String {
        let mut all = vec![self.is(encoder, obligation.node, obligation.outcome, time)];
        if obligation.criterion.host == Host::Mcdc {
            let mut node = obligation.node;
            while !self.tops[node] {
                let Some((user, position)) =
                    self.users[node].filter(|(user, _)| joins(self.graph, *user))
                else {
                    // Nothing that decides: never exercised.
                    return "false".to_string();
                };
                all.extend(self.unmasked(encoder, user, position, time));
                node = user;
            }
        }
        format!("(and true {})", all.join(" "))
    }

    fn is(&self, encoder: &mut Encoder, node: NodeId, value: bool, time: Time) -> String {
        let term = encoder.term(Side::Model, &self.form(node), time);
        if value { term } else { format!("(not {term})") }
    }

    /// What makes an operand matter: nothing, or the other operand has a value.
    fn unmasked(
        &self,
        encoder: &mut Encoder,
        user: NodeId,
        position: usize,
        time: Time,
    ) -> Option<String> {
        let Kind::Binary(op, left, right) = self.graph.nodes[user].kind else { return None };
        let (other, value) = match (op, position) {
            (BinaryOp::And, 0) => (right, true),
            (BinaryOp::And, _) | (BinaryOp::Implies, 1) => (left, true),
            (BinaryOp::Or | BinaryOp::Implies, 0) => (right, false),
            (BinaryOp::Or, _) => (left, false),
            _ => return None,
        };
        let matters = self.is(encoder, other, value, time);
        if self.masking == Masking::ShortCircuit && position == 0 {
            let alone = self.is(encoder, left, op == BinaryOp::Or, time);
            return Some(format!("(or {matters} {alone})"));
        }
        Some(matters)
    }

    /// An occurrence as a form over nodes.
    fn form(&self, node: NodeId) -> Form {
        let found = &self.graph.nodes[node];
        if let Some((instance, part)) = found.source {
            return Form::Node(Node::Part(instance, part));
        }
        let sub = |node| Box::new(self.form(node));
        match &found.kind {
            Kind::Const(value) => Form::Const(value.clone()),
            Kind::Use(cell) => Form::Node(node_of(self.graph.cells[*cell].named)),
            Kind::Unary(op, operand) => Form::Unary(*op, sub(*operand)),
            Kind::Binary(op, left, right) => Form::Binary(*op, sub(*left), sub(*right)),
            Kind::If(a, b, c) => Form::If(sub(*a), sub(*b), sub(*c)),
            Kind::Arrow(first, later) => {
                Form::If(Box::new(Form::FirstStep), sub(*first), sub(*later))
            }
            Kind::Pre(operand) => self.held(*operand),
        }
    }

    /// A `pre` that no user has written reads what a node held.
    fn held(&self, operand: NodeId) -> Form {
        match &self.graph.nodes[operand].kind {
            Kind::Use(cell) => {
                let node = node_of(self.graph.cells[*cell].named);
                Form::Pre(node, crate::form::Occurrence::Still(node))
            }
            _ => unreachable!("what a clock makes necessary is remembered by name"),
        }
    }

    /// Whether a monitored variable differs or the mutant has no value.
    fn differs(&self, encoder: &mut Encoder, time: Time) -> String {
        let mutant = encoder.side(Side::Mutant);
        let mut all = Vec::new();
        for name in self.monitored {
            let nodes = (crate::form::named(self.model, name), crate::form::named(&mutant, name));
            let (Some(here), Some(there)) = nodes else {
                // A variable that only one of them has differs.
                return "true".to_string();
            };
            let one = encoder.value(Side::Model, here, time);
            let other = encoder.value(Side::Mutant, there, time);
            if one != other {
                all.push(format!("(distinct {one} {other})"));
            }
        }
        for node in roots(&mutant) {
            if encoder.shared(Side::Mutant, node).0 == Side::Mutant {
                let fault = encoder.node_fault(Side::Mutant, node, time);
                if fault != "false" {
                    all.push(fault);
                }
            }
        }
        format!("(or false {})", all.join(" "))
    }
}

fn found(graph: &Graph, word: &str, counting: Counting) -> Vec<Obligation> {
    obligations(graph, word, counting).unwrap_or_default()
}
