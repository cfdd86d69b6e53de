//! A program with the masking rule of every use, and where tags start and become visible.

use std::sync::Arc;

use provoke_base::index::Id;
use provoke_model::{System, VarId};
use provoke_sim::{Dense, NodeId, SimProgram};

use crate::masking::{Masking, MaskingRule, rule};
use crate::target::{decision_roots, is_connective};

/// Facts about a node, as bits.
pub(crate) mod fact {
    /// An unmasked chain leads to a monitored variable in this step.
    pub(crate) const VISIBLE: u8 = 1;
    /// An unmasked chain leads to the operand of a `pre` in this step.
    pub(crate) const DELAYED: u8 = 2;
    /// An unmasked chain leads to the top of the decision it is part of.
    pub(crate) const DECIDES: u8 = 4;
}

/// A use of one node by another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) operand: NodeId,
    pub(crate) rule: MaskingRule,
}

/// A node with what holds of it at every step.
#[derive(Clone, Copy, Debug)]
struct Site {
    /// The node's first edge.
    edges: u32,
    /// The facts that hold of the node itself.
    seeds: u8,
    /// The facts that go on from the node to its unmasked operands.
    passes: u8,
}

/// A program with the masking rule of every use.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    pub(crate) program: Arc<SimProgram>,
    pub(crate) monitored: Vec<NodeId>,
    sites: Vec<Site>,
    edges: Vec<Edge>,
}

impl Net {
    pub(crate) fn new(system: &System, masking: Masking, monitored: &[VarId]) -> Net {
        let program = Arc::new(SimProgram::new(system));
        let monitored: Vec<NodeId> = monitored.iter().map(|&var| program.definition(var)).collect();
        let mut net = Net { sites: Vec::new(), edges: Vec::new(), monitored, program };
        net.add_sites(system, masking);
        net.add_seeds(system);
        net
    }

    fn add_sites(&mut self, system: &System, masking: Masking) {
        for (id, node) in self.program.nodes().entries() {
            let expr = self.program.expr_of(id);
            let inner = expr.is_some_and(|expr| is_connective(system, expr));
            let passes = if inner { fact::DECIDES } else { 0 } | fact::VISIBLE | fact::DELAYED;
            self.sites.push(Site { edges: self.edges.len() as u32, seeds: 0, passes });
            for (position, operand) in node.operands().enumerate() {
                let rule = match expr {
                    Some(expr) => rule(masking, &system.exprs[expr].kind, position as u8),
                    None => MaskingRule::Always,
                };
                self.edges.push(Edge { operand, rule });
            }
        }
        let end = self.edges.len() as u32;
        self.sites.push(Site { edges: end, seeds: 0, passes: 0 });
    }

    fn add_seeds(&mut self, system: &System) {
        for node in &self.monitored {
            self.sites[node.index()].seeds |= fact::VISIBLE;
        }
        for delay in self.program.delays() {
            self.sites[delay.operand.index()].seeds |= fact::DELAYED;
        }
        for (expr, _) in decision_roots(system).entries().filter(|(_, is_root)| **is_root) {
            self.sites[self.program.node_of(expr).index()].seeds |= fact::DECIDES;
        }
    }

    /// The uses that a node makes of others, in the order of its operands.
    pub(crate) fn edges(&self, node: NodeId) -> &[Edge] {
        let range = self.sites[node.index()].edges..self.sites[node.index() + 1].edges;
        &self.edges[range.start as usize..range.end as usize]
    }

    /// Whether an operand of a node is certainly unmasked in the last step of `dense`.
    pub(crate) fn unmasked(&self, node: NodeId, position: usize, dense: &Dense) -> bool {
        let edges = self.edges(node);
        is_unmasked(edges, position, dense)
    }

    /// Whether a fact of a node goes on to its unmasked operands.
    pub(crate) fn passes(&self, node: NodeId, fact: u8) -> bool {
        self.sites[node.index()].passes & fact != 0
    }

    pub(crate) fn is_monitored(&self, node: NodeId) -> bool {
        self.sites[node.index()].seeds & fact::VISIBLE != 0
    }
}

fn is_unmasked(edges: &[Edge], position: usize, dense: &Dense) -> bool {
    let cell = |position: u8| dense.cell(edges[usize::from(position)].operand);
    let truth = |position| cell(position).as_bool();
    let differ = |one, other| cell(one).certainly_differs(cell(other));
    edges[position].rule.holds(dense.at_first_step(), truth, differ)
}

/// What can be seen of each node in one step.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    facts: Vec<u8>,
    /// Which operands are unmasked, as bits; only for nodes that have a fact.
    open: Vec<u8>,
}

impl Sight {
    pub(crate) fn new(net: &Net) -> Sight {
        let nodes = net.program.nodes().len();
        Sight { facts: vec![0; nodes], open: vec![0; nodes] }
    }

    /// Looks at the last step of `dense`: from users to what they use, so that each node is
    /// met once however often it is shared.
    pub(crate) fn look(&mut self, net: &Net, dense: &Dense) {
        for (fact, site) in self.facts.iter_mut().zip(&net.sites) {
            *fact = site.seeds;
        }
        for index in (0..self.facts.len()).rev() {
            let facts = self.facts[index];
            if facts == 0 {
                continue;
            }
            let edges = net.edges(NodeId::new(index));
            let passed = facts & net.sites[index].passes;
            let mut open = 0;
            for (position, edge) in edges.iter().enumerate() {
                if is_unmasked(edges, position, dense) {
                    open |= 1 << position;
                    self.facts[edge.operand.index()] |= passed;
                }
            }
            self.open[index] = open;
        }
    }

    pub(crate) fn has(&self, node: NodeId, fact: u8) -> bool {
        self.facts[node.index()] & fact != 0
    }

    /// The unmasked operands of a node that has a fact.
    pub(crate) fn open_operands<'n>(
        &self,
        net: &'n Net,
        node: NodeId,
    ) -> impl Iterator<Item = NodeId> + use<'n> {
        let open = self.open[node.index()];
        let edges = net.edges(node).iter().enumerate();
        edges.filter(move |(position, _)| open >> position & 1 != 0).map(|(_, edge)| edge.operand)
    }
}
