//! What became of one obligation in one test: the way its tag took, or where it ended.
//!
//! Measurement keeps no ways, because that would cost memory for every obligation and test.
//! They are found again here, by running the one test that matters. Of several ways to the
//! same step the one that starts last is taken, and of those the one with the fewest uses: a
//! person has to follow it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use provoke_base::index::Id;
use provoke_model::{ExprId, ExprKind, Origin, System, Value, VarId};
use provoke_sim::{Dense, NodeId};
use rustc_hash::FxHashMap;

use crate::base::Base;
use crate::masking::Masking;
use crate::net::{Net, Sight};
use crate::obligation::Obligation;
use crate::oracle::Oracle;

/// A variable that a tag came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathStep {
    /// The variable.
    pub var: VarId,
    /// The step, counted from 1.
    pub step: usize,
}

/// The way of a tag from an expression to a monitored variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EffectPath {
    /// The step at which the base of the obligation held.
    pub base_step: usize,
    /// The variables on the way, the monitored one last.
    pub visits: Vec<PathStep>,
    /// All the nodes on the way with their steps, where one way alone was followed.
    pub(crate) nodes: Vec<(usize, NodeId)>,
}

impl EffectPath {
    /// The way to follow with a finger: `v2@2 → v3@3 → out@4`.
    pub fn show(&self, system: &System) -> String {
        let visit = |visit: &PathStep| format!("{}@{}", system.vars[visit.var].name, visit.step);
        self.visits.iter().map(visit).collect::<Vec<_>>().join(" → ")
    }
}

/// A place where a tag ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TagLoss {
    /// The operand carried the tag and was masked in the operator.
    Masked {
        /// The expression that did not let it pass.
        operator: ExprId,
        /// Its operand that carried the tag.
        operand: ExprId,
    },
    /// The variable is not monitored and nothing uses it.
    Unused(VarId),
}

/// What became of an obligation in a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EffectFate {
    /// Its base never held.
    NeverReached,
    /// It was fulfilled at this step without having to become visible.
    Exercised(usize),
    /// It became visible along this way.
    Visible(EffectPath),
    /// It was still on its way in these delays when the test ended.
    Waiting(Vec<ExprId>),
    /// The last of its tags ended at this step, at these places.
    Masked {
        /// The step, counted from 1.
        step: usize,
        /// The places in the order of evaluation.
        losses: Vec<TagLoss>,
    },
}

/// Follows the tags of chosen obligations through tests.
pub struct TagFollower<'a> {
    system: &'a System,
    net: Net,
    dense: Dense,
    sight: Sight,
    places: Places,
    spread: Spread,
}

/// What is at a node.
struct Places {
    slots: FxHashMap<NodeId, Vec<usize>>,
    defined: FxHashMap<NodeId, VarId>,
    monitored: FxHashMap<NodeId, VarId>,
}

/// How good a way is: a later start is better, then fewer nodes.
type Merit = (usize, Reverse<usize>);

/// The tagged nodes of one step, each with the best way to it.
struct Spread {
    merits: Vec<Option<Merit>>,
    from: Vec<Option<NodeId>>,
    touched: Vec<NodeId>,
    queue: BinaryHeap<Reverse<NodeId>>,
}

impl Spread {
    fn new(nodes: usize) -> Spread {
        Spread {
            merits: vec![None; nodes],
            from: vec![None; nodes],
            touched: Vec::new(),
            queue: BinaryHeap::new(),
        }
    }

    fn clear(&mut self) {
        for node in self.touched.drain(..) {
            self.merits[node.index()] = None;
        }
        self.queue.clear();
    }

    fn is_tagged(&self, node: NodeId) -> bool {
        self.merits[node.index()].is_some()
    }

    /// Tags a node, or finds a better way to it. Nodes are taken in the order of evaluation,
    /// so the way to a node is settled before it is followed further.
    fn tag(&mut self, node: NodeId, from: Option<NodeId>, merit: Merit) {
        let known = self.merits[node.index()];
        if known.is_none() {
            self.touched.push(node);
            self.queue.push(Reverse(node));
        }
        if known.is_none_or(|known| known < merit) {
            self.merits[node.index()] = Some(merit);
            self.from[node.index()] = from;
        }
    }

    fn merit(&self, node: NodeId) -> Merit {
        self.merits[node.index()].expect("a tagged node")
    }

    /// The nodes from where a tag came into the step up to `node`.
    fn way_to(&self, node: NodeId) -> Vec<NodeId> {
        let mut way = vec![node];
        while let Some(from) = self.from[way[way.len() - 1].index()] {
            way.push(from);
        }
        way.reverse();
        way
    }
}

/// A piece of a way, inside one step.
struct Hop {
    step: usize,
    nodes: Vec<NodeId>,
    merit: Merit,
    /// The hop of the step before.
    before: Option<usize>,
}

/// The tags of one obligation during a test.
struct Trail {
    base: Base,
    hops: Vec<Hop>,
    /// The delays in which a tag waits, each with the hop that led there.
    waiting: Vec<(usize, usize)>,
    fate: EffectFate,
    /// The number of hops at which those that lead nowhere are cleared away.
    limit: usize,
}

impl Trail {
    fn new(base: Base) -> Trail {
        let (hops, waiting) = (Vec::new(), Vec::new());
        Trail { base, hops, waiting, fate: EffectFate::NeverReached, limit: 256 }
    }

    /// Clears away the hops that led to no tag still alive, so that a long test needs no more
    /// memory than the ways themselves.
    fn tidy(&mut self) {
        if self.hops.len() < self.limit {
            return;
        }
        let mut kept = vec![false; self.hops.len()];
        for &(_, last) in &self.waiting {
            let mut next = Some(last);
            while let Some(hop) = next.filter(|&hop| !kept[hop]) {
                kept[hop] = true;
                next = self.hops[hop].before;
            }
        }
        // A hop comes after the one before it, so positions are known when they are needed.
        let mut moved = vec![0; self.hops.len()];
        let mut rest = Vec::new();
        for (position, mut hop) in std::mem::take(&mut self.hops).into_iter().enumerate() {
            if kept[position] {
                moved[position] = rest.len();
                hop.before = hop.before.map(|before| moved[before]);
                rest.push(hop);
            }
        }
        self.waiting.iter_mut().for_each(|(_, hop)| *hop = moved[*hop]);
        self.limit = 2 * rest.len() + 256;
        self.hops = rest;
    }
}

impl<'a> TagFollower<'a> {
    /// A follower of tags to the oracle's variables.
    pub fn new(system: &'a System, masking: Masking, oracle: &Oracle) -> TagFollower<'a> {
        let monitored = oracle.monitored(system);
        let net = Net::new(system, masking, &monitored);
        let mut places = Places {
            slots: FxHashMap::default(),
            defined: FxHashMap::default(),
            monitored: FxHashMap::default(),
        };
        for (slot, delay) in net.program.delays().iter().enumerate() {
            places.slots.entry(delay.operand).or_default().push(slot);
        }
        for equation in &system.equations {
            places.defined.entry(net.program.definition(equation.var)).or_insert(equation.var);
        }
        for var in monitored {
            places.monitored.entry(net.program.definition(var)).or_insert(var);
        }
        let spread = Spread::new(net.program.nodes().len());
        let dense = Dense::of(net.program.clone());
        TagFollower { system, dense, sight: Sight::new(&net), net, places, spread }
    }

    /// What became of each of the obligations in a test, run from the initial state. Ways through
    /// a wide decision have as many nodes as it has conditions: of many ways only the variables
    /// are kept.
    pub fn follow<'o>(
        &mut self,
        obligations: impl IntoIterator<Item = &'o Obligation>,
        steps: &[Vec<Value>],
    ) -> Vec<EffectFate> {
        self.follow_all(obligations, steps, false)
    }

    fn follow_all<'o>(
        &mut self,
        obligations: impl IntoIterator<Item = &'o Obligation>,
        steps: &[Vec<Value>],
        with_nodes: bool,
    ) -> Vec<EffectFate> {
        let trail = |obligation| Trail::new(Base::new(&self.net.program, obligation));
        let mut trails: Vec<Trail> = obligations.into_iter().map(trail).collect();
        self.dense.reset();
        for inputs in steps {
            if self.dense.step(inputs).is_err() {
                break;
            }
            self.sight.look(&self.net, &self.dense);
            for trail in &mut trails {
                if !matches!(trail.fate, EffectFate::Visible(_) | EffectFate::Exercised(_)) {
                    self.advance(trail);
                }
                if let EffectFate::Visible(path) = &mut trail.fate {
                    trail.hops = Vec::new();
                    if !with_nodes {
                        path.nodes = Vec::new();
                    }
                }
            }
        }
        trails.into_iter().map(|trail| self.fate(trail)).collect()
    }

    /// What becomes of one obligation in a test.
    pub fn follow_one(&mut self, obligation: &Obligation, steps: &[Vec<Value>]) -> EffectFate {
        self.follow_all([obligation], steps, true).remove(0)
    }

    fn fate(&self, trail: Trail) -> EffectFate {
        if trail.waiting.is_empty() {
            return trail.fate;
        }
        let pre = |&(slot, _): &(usize, usize)| self.net.program.delays()[slot].pre;
        let expr = |node| self.net.program.expr_of(node).expect("a `pre` is an expression");
        EffectFate::Waiting(trail.waiting.iter().map(pre).map(expr).collect())
    }

    /// Takes the tags of one obligation through the step just done.
    fn advance(&mut self, trail: &mut Trail) {
        let step = self.dense.steps_done();
        if trail.base.holds(&self.dense, &self.sight) {
            match trail.base.tagged {
                Some(node) => self.spread.tag(node, None, (step, Reverse(1))),
                None => {
                    trail.fate = EffectFate::Exercised(step);
                    return;
                }
            }
        }
        let mut origins: FxHashMap<NodeId, usize> = FxHashMap::default();
        for (slot, hop) in trail.waiting.drain(..) {
            let pre = self.net.program.delays()[slot].pre;
            let (base_step, Reverse(length)) = trail.hops[hop].merit;
            origins.insert(pre, hop);
            self.spread.tag(pre, None, (base_step, Reverse(length + 1)));
        }
        if !self.spread.touched.is_empty() {
            self.spread_tags(trail, &origins, step);
            self.spread.clear();
            trail.tidy();
        }
    }

    fn spread_tags(&mut self, trail: &mut Trail, origins: &FxHashMap<NodeId, usize>, step: usize) {
        let mut losses = Vec::new();
        let mut seen: Vec<NodeId> = Vec::new();
        while let Some(Reverse(node)) = self.spread.queue.pop() {
            if self.net.is_monitored(node) {
                seen.push(node);
            }
            for slot in self.places.slots.get(&node).into_iter().flatten() {
                let hop = self.hop(trail, origins, node, step);
                trail.waiting.push((*slot, hop));
            }
            self.pass_on(node, &mut losses);
        }
        if let Some(&best) = seen.iter().max_by_key(|node| self.spread.merit(**node)) {
            let last = self.hop(trail, origins, best, step);
            trail.waiting.clear();
            trail.fate = EffectFate::Visible(self.path(trail, last));
            return;
        }
        let passed = |loss: &TagLoss| match loss {
            TagLoss::Masked { operator, .. } => {
                self.spread.is_tagged(self.net.program.node_of(*operator))
            }
            TagLoss::Unused(_) => false,
        };
        // What another operand carried on did not end there.
        losses.retain(|loss| !passed(loss));
        trail.fate = EffectFate::Masked { step, losses };
    }

    fn pass_on(&mut self, node: NodeId, losses: &mut Vec<TagLoss>) {
        let users = self.net.program.users_of(node);
        if users.is_empty()
            && !self.places.slots.contains_key(&node)
            && let Some(var) = self.places.defined.get(&node)
        {
            losses.push(TagLoss::Unused(*var));
        }
        for &user in users {
            let uses = self.net.edges(user).iter().enumerate();
            for (position, _) in uses.filter(|(_, edge)| edge.operand == node) {
                if self.net.unmasked(user, position, &self.dense) {
                    let (base_step, Reverse(length)) = self.spread.merit(node);
                    self.spread.tag(user, Some(node), (base_step, Reverse(length + 1)));
                } else if let (Some(operator), Some(operand)) =
                    (self.net.program.expr_of(user), self.net.program.expr_of(node))
                {
                    losses.push(TagLoss::Masked { operator, operand });
                }
            }
        }
    }

    fn hop(
        &self,
        trail: &mut Trail,
        origins: &FxHashMap<NodeId, usize>,
        node: NodeId,
        step: usize,
    ) -> usize {
        let nodes = self.spread.way_to(node);
        let merit = self.spread.merit(node);
        // A way that starts here does not come out of a delay, even at the same node.
        let before = origins.get(&nodes[0]).copied().filter(|_| merit.0 < step);
        trail.hops.push(Hop { step, nodes, merit, before });
        trail.hops.len() - 1
    }

    /// The whole way that ends with hop `last`.
    fn path(&self, trail: &Trail, last: usize) -> EffectPath {
        let mut hops = vec![&trail.hops[last]];
        while let Some(before) = hops[hops.len() - 1].before {
            hops.push(&trail.hops[before]);
        }
        hops.reverse();
        let nodes: Vec<(usize, NodeId)> =
            hops.iter().flat_map(|hop| hop.nodes.iter().map(|&node| (hop.step, node))).collect();
        EffectPath { base_step: nodes[0].0, visits: self.visits(&nodes), nodes }
    }

    /// The declared variables on a way: each where it is used next, the last where it ends.
    fn visits(&self, nodes: &[(usize, NodeId)]) -> Vec<PathStep> {
        let used = |node: NodeId| match self.system.exprs[self.net.program.expr_of(node)?].kind {
            ExprKind::Var(var) => Some(var),
            _ => None,
        };
        // A way that starts at the occurrence of a variable does not come from that variable.
        let passed = nodes.iter().skip(1).filter_map(|&(step, node)| Some((used(node)?, step)));
        let (step, end) = nodes[nodes.len() - 1];
        let all = passed.chain([(self.places.monitored[&end], step)]);
        all.filter(|(var, _)| self.system.vars[*var].origin == Origin::Declared)
            .map(|(var, step)| PathStep { var, step })
            .collect()
    }
}
