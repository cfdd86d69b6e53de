//! What a claim is about, derived from the model and the claim's name.

use std::collections::HashMap;
use std::sync::Arc;

use provoke_base::IndexVec;
use provoke_model::{BinaryOp, Type};

use super::Setting;
use crate::certificate::Subject;
use crate::coverage::Masking;
use crate::encode::{Encoder, Side, Time};
use crate::form::{occurrence, roots};
use crate::graph::{Graph, Kind, NodeId};
use crate::instances::{Model, Promise};
use crate::obligations::{Counting, Host, Obligation, decision_tops, joins, obligations};

/// Something that the claim says never happens in a step.
#[derive(Clone, Debug)]
pub(super) enum Goal {
    /// The obligation is exercised.
    Exercised(Obligation),
    /// This property is false.
    Violated(Promise),
    /// A monitored variable of the mutant differs, or the mutant has no value.
    Differs,
    /// The same if the condition of the obligation is wrong in one step.
    DiffersOnce(Obligation),
}

/// Finds goals, and writes them.
pub(super) struct Goals<'a> {
    model: &'a Arc<Model>,
    graph: &'a Graph,
    masking: Masking,
    monitored: &'a [String],
    /// The obligations of each criterion that claims name.
    obligations: HashMap<String, Obligation>,
    /// What the properties are called.
    properties: Vec<String>,
    /// What each occurrence is an operand of.
    users: IndexVec<NodeId, Option<(NodeId, usize)>>,
    tops: IndexVec<NodeId, bool>,
    /// What holds a `pre` that the first step does not look at.
    void: IndexVec<NodeId, bool>,
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
            properties: setting.model.property_ids(),
            users,
            tops: decision_tops(graph),
            void: void(graph),
        }
    }

    /// The goal of a claim, or why there is none.
    pub(super) fn of(&self, subject: &Subject) -> Result<Goal, String> {
        match subject {
            Subject::Infeasible { criterion, obligation } => {
                self.obligation(criterion, obligation).map(Goal::Exercised)
            }
            Subject::Never { criterion, obligation } => {
                let known = self.obligation(criterion, obligation)?;
                Ok(Goal::Exercised(known.as_plain_condition()))
            }
            Subject::Holds(name) => {
                let known = self.properties.iter().position(|id| id == name);
                let known = known.map(|at| Goal::Violated(self.model.properties[at].clone()));
                known.ok_or_else(|| format!("the model has no property `{name}`"))
            }
            Subject::Equivalent(_) | Subject::Redundant { .. } => Ok(Goal::Differs),
            Subject::Once { criterion, obligation } => {
                let host = criterion.trim_start_matches('o');
                let marks = (format!(":{criterion}:"), format!(":{host}:"));
                let id = obligation.replacen(&marks.0, &marks.1, 1);
                self.obligation(host, &id).map(Goal::DiffersOnce)
            }
        }
    }

    /// The obligation of a criterion.
    fn obligation(&self, criterion: &str, id: &str) -> Result<Obligation, String> {
        let known = self.obligations.get(&format!("{criterion} {id}")).cloned();
        known.ok_or_else(|| format!("no obligation `{id}` of `{criterion}` is derived"))
    }

    /// The goal in a step.
    pub(super) fn term(&self, encoder: &mut Encoder, goal: &Goal, time: Time) -> String {
        match goal {
            Goal::Exercised(obligation) => self.exercised(encoder, obligation, time),
            Goal::Violated(property) => {
                let form = encoder.promise(property);
                let fault = encoder.form_fault(Side::Model, &form, time);
                let fails = format!("(not {})", encoder.term(Side::Model, &form, time));
                if fault == "false" { fails } else { format!("(or {fault} {fails})") }
            }
            Goal::Differs | Goal::DiffersOnce(_) => self.differs(encoder, time),
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

    /// Whether an occurrence has a value, for some value of what is undefined.
    fn is(&self, encoder: &mut Encoder, node: NodeId, value: bool, time: Time) -> String {
        let term = encoder.term(Side::Model, &occurrence(self.graph, node), time);
        let term = if value { term } else { format!("(not {term})") };
        let valued = self.valued(encoder, node, time);
        if valued == "true" { term } else { format!("(and {term} {valued})") }
    }

    /// Whether an occurrence has a value at all: a `pre` that the first step does not look at, as
    /// right of an arrow, has none there.
    fn valued(&self, encoder: &mut Encoder, node: NodeId, time: Time) -> String {
        if !self.void[node] {
            return "true".to_string();
        }
        let valued =
            stacker::maybe_grow(64 << 10, 1 << 20, || self.valued_here(encoder, node, time));
        encoder.short(valued).to_string()
    }

    fn valued_here(&self, encoder: &mut Encoder, node: NodeId, time: Time) -> String {
        let valued = |encoder: &mut Encoder, part| self.valued(encoder, part, time);
        let value = |encoder: &mut Encoder, part| {
            encoder.term(Side::Model, &occurrence(self.graph, part), time)
        };
        match self.graph.nodes[node].kind {
            Kind::Const(_) | Kind::Use(_) => "true".to_string(),
            Kind::Pre(_) => format!("(not {})", encoder.first_step(time)),
            Kind::Unary(_, a) => valued(encoder, a),
            Kind::Arrow(a, b) => {
                let (a, b) = (valued(encoder, a), valued(encoder, b));
                format!("(ite {} {a} {b})", encoder.first_step(time))
            }
            Kind::If(c, a, b) => {
                let [valued_c, valued_a, valued_b] = [c, a, b].map(|part| valued(encoder, part));
                let [c, a, b] = [c, a, b].map(|part| value(encoder, part));
                format!(
                    "(or (and {valued_c} (ite {c} {valued_a} {valued_b})) \
                     (and {valued_a} {valued_b} (= {a} {b})))"
                )
            }
            Kind::Binary(op, a, b) => {
                let real = self.graph.nodes[a].ty == Type::Real;
                let zero = if real { "0.0" } else { "0" };
                let [valued_a, valued_b] = [a, b].map(|part| valued(encoder, part));
                let [a, b] = [a, b].map(|part| value(encoder, part));
                let (alone_a, alone_b) = match op {
                    BinaryOp::And => (format!("(not {a})"), format!("(not {b})")),
                    BinaryOp::Or => (a, b),
                    BinaryOp::Implies => (format!("(not {a})"), b),
                    BinaryOp::Mul => (format!("(= {a} {zero})"), format!("(= {b} {zero})")),
                    BinaryOp::Mod => ("false".to_string(), format!("(or (= {b} 1) (= {b} (- 1)))")),
                    _ => ("false".to_string(), "false".to_string()),
                };
                format!(
                    "(or (and {valued_a} {valued_b}) (and {valued_a} {alone_a}) \
                     (and {valued_b} {alone_b}))"
                )
            }
        }
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

/// The occurrences that hold, in their own text, a `pre` that the first step does not look at: one
/// right of an arrow, or of what is one under a clock.
fn void(graph: &Graph) -> IndexVec<NodeId, bool> {
    let mut looked_at = IndexVec::repeat(false, graph.nodes.len());
    let mut has_user = IndexVec::repeat(false, graph.nodes.len());
    for node in graph.nodes.iter() {
        if !matches!(node.kind, Kind::Pre(_)) {
            node.kind.operands().for_each(|operand| has_user[operand] = true);
        }
    }
    let mut open: Vec<NodeId> = graph.nodes.ids().filter(|node| !has_user[*node]).collect();
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut looked_at[node], true) {
            continue;
        }
        match graph.nodes[node].kind {
            Kind::Pre(_) => {}
            Kind::Arrow(first, _) => open.push(first),
            Kind::If(c, a, b) => match starts_as(graph, c) {
                Some(chosen) => open.extend([c, if chosen { a } else { b }]),
                None => open.extend([c, a, b]),
            },
            ref kind => open.extend(kind.operands()),
        }
    }
    let mut void: IndexVec<NodeId, bool> = IndexVec::new();
    for (id, node) in graph.nodes.entries() {
        let new = match node.kind {
            Kind::Pre(_) => !looked_at[id],
            ref kind => kind.operands().any(|operand| void[operand]),
        };
        void.push(new);
    }
    void
}

/// What a variable is in the first step that is defined as a constant there.
fn starts_as(graph: &Graph, condition: NodeId) -> Option<bool> {
    let Kind::Use(cell) = graph.nodes[condition].kind else { return None };
    let Kind::Arrow(first, _) = graph.nodes[graph.cells[cell].root?].kind else {
        return None;
    };
    match &graph.nodes[first].kind {
        Kind::Const(value) => value.as_bool(),
        _ => None,
    }
}

fn found(graph: &Graph, word: &str, counting: Counting) -> Vec<Obligation> {
    obligations(graph, word, counting).unwrap_or_default()
}
