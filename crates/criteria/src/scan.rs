//! A look at 64 runs at once: which obligations they cover.
//!
//! Tags need not be carried along to know where they end. Going backward, from the last step
//! to the first and from users to what they use, tells for each node the runs in which a tag
//! that starts there becomes visible in that step or later. That is one word per node and
//! step, however many obligations there are. What a scan finds is measured before it counts.

use std::sync::Arc;

use provoke_base::index::Id;
use provoke_model::{ExprId, System, Value};
use provoke_sim::batch::word;
use provoke_sim::{Batch, NodeId, RunSet};
use roaring::RoaringBitmap;

use crate::base::Base;
use crate::masking::{Literal, Masking, MaskingRule};
use crate::net::{Net, fact};
use crate::obligation::Obligation;
use crate::oracle::Oracle;
use crate::target::decision_roots;

/// Looks at 64 runs at once.
#[derive(Clone, Debug)]
pub struct Scan {
    batch: Batch,
    plan: Arc<Plan>,
    frames: Vec<Frame>,
    spare: Vec<Frame>,
    visible: Vec<RunSet>,
    decides: Vec<RunSet>,
    /// The delays that were visible at some step.
    seen: Vec<bool>,
}

/// What a scan does for one system, obligations and oracle.
#[derive(Debug)]
struct Plan {
    nodes: usize,
    bases: Vec<Aim>,
    conditions: Vec<(ExprId, bool)>,
    monitored: Vec<NodeId>,
    delays: Vec<(NodeId, NodeId)>,
    /// Uses, from users to what they use.
    uses: Vec<Use>,
    /// Uses inside decisions.
    inner: Vec<Use>,
    /// The tops of decisions; none if no obligation is about them.
    decisions: Vec<NodeId>,
    /// The pairs of nodes that rules compare; the words come after those of the batch.
    pairs: Vec<(NodeId, NodeId)>,
    words: usize,
}

/// The base of an obligation: a word, and what is tagged.
#[derive(Clone, Copy, Debug)]
struct Aim {
    when: Test,
    in_decision: Option<NodeId>,
    tagged: Option<NodeId>,
}

/// The runs in which a truth value is known and as wanted.
#[derive(Clone, Copy, Debug)]
struct Test {
    value: u32,
    known: u32,
    /// All ones if it is wanted false.
    flip: RunSet,
}

impl Test {
    const ALWAYS: Test = Test { value: word::ALWAYS, known: word::ALWAYS, flip: 0 };

    fn of(self, words: &[RunSet]) -> RunSet {
        (words[self.value as usize] ^ self.flip) & words[self.known as usize]
    }
}

/// A use of an operand by a node, and when it is unmasked.
#[derive(Clone, Copy, Debug)]
struct Use {
    user: u32,
    operand: u32,
    when: Test,
}

/// One step of all runs.
#[derive(Clone, Debug, Default)]
struct Frame {
    /// The runs that did this step.
    alive: RunSet,
    words: Vec<RunSet>,
}

/// What runs did for an obligation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sighting {
    /// The position of the obligation.
    pub obligation: usize,
    /// The runs in which its base holds at some step.
    pub reached: RunSet,
    /// The runs that cover it.
    pub covered: RunSet,
}

impl Scan {
    /// A scan for obligations, with all runs in the initial state.
    pub fn new(
        system: &System,
        obligations: &[Obligation],
        masking: Masking,
        oracle: &Oracle,
    ) -> Scan {
        let net = Net::new(system, masking, &oracle.monitored(system));
        let batch = Batch::new(system, &net.program);
        let plan = Arc::new(Plan::new(system, obligations, &net, &batch));
        let (visible, decides) = (vec![0; plan.nodes], vec![0; plan.nodes]);
        let seen = vec![false; plan.delays.len()];
        Scan { batch, plan, frames: Vec::new(), spare: Vec::new(), visible, decides, seen }
    }

    /// The runs.
    pub fn batch(&mut self) -> &mut Batch {
        &mut self.batch
    }

    /// Whether all runs need exact numbers, so that none gains from the others.
    pub fn is_exact(&self) -> bool {
        self.batch.is_exact()
    }

    /// What a noted step takes.
    pub fn bytes_per_step(&self) -> usize {
        self.plan.words * size_of::<RunSet>()
    }

    /// The condition or decision that each obligation is about.
    pub fn conditions(&self) -> impl Iterator<Item = (ExprId, bool)> {
        self.plan.conditions.iter().copied()
    }

    /// The delays that were visible at some step of some run so far, in the order of the
    /// program's delays.
    pub fn visible_delays(&self) -> &[bool] {
        &self.seen
    }

    /// Forgets all steps.
    pub fn begin(&mut self) {
        self.spare.append(&mut self.frames);
    }

    /// Notes the step that was computed last, for the runs in `alive`.
    pub fn note(&mut self, alive: RunSet) {
        let mut frame = self.spare.pop().unwrap_or_default();
        frame.alive = alive;
        frame.words.clear();
        frame.words.reserve(self.plan.words);
        frame.words.extend_from_slice(self.batch.words());
        let pairs = self.plan.pairs.iter();
        frame.words.extend(pairs.map(|(one, other)| self.batch.differ(*one, *other)));
        self.frames.push(frame);
    }

    /// What the noted steps did for some obligations; only those that were reached.
    pub fn look_back(&mut self, open: &[usize]) -> Vec<Sighting> {
        let nothing = |&obligation: &usize| Sighting { obligation, reached: 0, covered: 0 };
        let mut sightings: Vec<Sighting> = open.iter().map(nothing).collect();
        let plan = Arc::clone(&self.plan);
        let mut waiting: Vec<RunSet> = vec![0; plan.delays.len()];
        for step in (0..self.frames.len()).rev() {
            self.look_at(&plan, step, &waiting);
            let Frame { alive, words } = &self.frames[step];
            for sighting in &mut sightings {
                let aim = &plan.bases[sighting.obligation];
                let mut runs = aim.when.of(words) & alive;
                if runs == 0 {
                    continue;
                }
                if let Some(node) = aim.in_decision {
                    runs &= self.decides[node.index()];
                }
                sighting.reached |= runs;
                sighting.covered |= match aim.tagged {
                    Some(node) => runs & self.visible[node.index()],
                    None => runs,
                };
            }
            for (slot, (pre, _)) in plan.delays.iter().enumerate() {
                waiting[slot] = self.visible[pre.index()];
                self.seen[slot] |= waiting[slot] != 0;
            }
        }
        sightings.retain(|sighting| sighting.reached != 0);
        sightings
    }

    /// What up to 64 tests cover of all obligations. Memory grows with the longest of them.
    pub fn tests(&mut self, tests: &[&[Vec<Value>]]) -> Vec<RoaringBitmap> {
        assert!(tests.len() <= RunSet::BITS as usize, "a test for each run");
        self.begin();
        (0..tests.len()).for_each(|lane| self.batch.reset(lane));
        let mut healthy: RunSet = !0;
        for step in 0..tests.iter().map(|test| test.len()).max().unwrap_or(0) {
            let mut going: RunSet = 0;
            for (lane, row) in tests.iter().enumerate().filter_map(|(l, t)| Some((l, t.get(step)?)))
            {
                going |= 1 << lane;
                row.iter().enumerate().for_each(|(at, value)| self.batch.set(at, lane, value));
            }
            self.batch.evaluate();
            healthy &= !(self.batch.faulty() | self.batch.outside());
            self.note(healthy & going);
            self.batch.take();
        }
        let all: Vec<usize> = (0..self.plan.bases.len()).collect();
        let mut covered: Vec<Vec<u32>> = vec![Vec::new(); tests.len()];
        for sighting in self.look_back(&all) {
            let mut runs = sighting.covered;
            while runs != 0 {
                covered[runs.trailing_zeros() as usize].push(sighting.obligation as u32);
                runs &= runs - 1;
            }
        }
        // One by one into a set would cost a look at the whole of it each time.
        covered.into_iter().map(RoaringBitmap::from_iter).collect()
    }

    /// Computes what is visible from a step on, given the delays that are visible in the next.
    fn look_at(&mut self, plan: &Plan, step: usize, waiting: &[RunSet]) {
        let Frame { alive, words } = &self.frames[step];
        self.visible.fill(0);
        for node in &plan.monitored {
            self.visible[node.index()] = *alive;
        }
        for ((_, operand), later) in plan.delays.iter().zip(waiting) {
            self.visible[operand.index()] |= later & alive;
        }
        spread(&plan.uses, words, &mut self.visible);
        if !plan.decisions.is_empty() {
            self.decides.fill(0);
            for node in &plan.decisions {
                self.decides[node.index()] = *alive;
            }
            spread(&plan.inner, words, &mut self.decides);
        }
    }
}

/// From users to what they use.
fn spread(uses: &[Use], words: &[RunSet], marks: &mut [RunSet]) {
    for Use { user, operand, when } in uses {
        let mark = marks[*user as usize];
        if mark != 0 {
            marks[*operand as usize] |= mark & when.of(words);
        }
    }
}

impl Plan {
    fn new(system: &System, obligations: &[Obligation], net: &Net, batch: &Batch) -> Plan {
        let mut uses = Uses { net, batch, all: Vec::new(), pairs: Vec::new() };
        for user in (0..net.program.nodes().len()).rev() {
            uses.add(NodeId::new(user));
        }
        let Uses { all, pairs, .. } = uses;
        let bases: Vec<Base> =
            obligations.iter().map(|obligation| Base::new(&net.program, obligation)).collect();
        let needs_decisions = bases.iter().any(|base| base.in_decision);
        let roots = decision_roots(system);
        let roots = roots.entries().filter(|(_, is_root)| **is_root);
        let roots = roots.map(|(expr, _)| net.program.node_of(expr));
        let is_inner = |each: &&Use| net.passes(NodeId::new(each.user as usize), fact::DECIDES);
        Plan {
            nodes: net.program.nodes().len(),
            bases: bases.iter().map(|base| Aim::new(base, batch)).collect(),
            conditions: obligations.iter().map(|each| (each.expr, each.outcome)).collect(),
            monitored: net.monitored.clone(),
            delays: net.program.delays().iter().map(|delay| (delay.pre, delay.operand)).collect(),
            inner: match needs_decisions {
                true => all.iter().filter(is_inner).copied().collect(),
                false => Vec::new(),
            },
            uses: all,
            decisions: match needs_decisions {
                true => roots.collect(),
                false => Vec::new(),
            },
            words: batch.words().len() + pairs.len(),
            pairs,
        }
    }
}

impl Aim {
    fn new(base: &Base, batch: &Batch) -> Aim {
        Aim {
            when: literal(batch, base.node, base.outcome),
            in_decision: base.in_decision.then_some(base.node),
            tagged: base.tagged,
        }
    }
}

fn literal(batch: &Batch, node: NodeId, wanted: bool) -> Test {
    let truth = batch.truth(node).expect("conditions are Boolean");
    Test { value: truth.value, known: truth.known, flip: if wanted { 0 } else { !0 } }
}

/// Uses in the making.
struct Uses<'a> {
    net: &'a Net,
    batch: &'a Batch,
    all: Vec<Use>,
    pairs: Vec<(NodeId, NodeId)>,
}

impl Uses<'_> {
    fn add(&mut self, user: NodeId) {
        let edges = self.net.edges(user);
        let test = |literal: Literal| {
            let node = edges[usize::from(literal.operand)].operand;
            self::literal(self.batch, node, literal.value)
        };
        for edge in edges {
            let whens = match edge.rule {
                MaskingRule::Always => [Some(Test::ALWAYS), None],
                MaskingRule::When(one) => [Some(test(one)), None],
                MaskingRule::Either(one, other) => [Some(test(one)), Some(test(other))],
                MaskingRule::FirstStep => [Some(Test { value: word::FIRST, ..Test::ALWAYS }), None],
                MaskingRule::LaterSteps => {
                    [Some(Test { value: word::LATER, ..Test::ALWAYS }), None]
                }
                MaskingRule::Differ(one, other) => {
                    let place = |position: u8| edges[usize::from(position)].operand;
                    self.pairs.push((place(one), place(other)));
                    let value = (self.batch.words().len() + self.pairs.len() - 1) as u32;
                    [Some(Test { value, ..Test::ALWAYS }), None]
                }
            };
            let (user, operand) = (user.index() as u32, edge.operand.index() as u32);
            self.all.extend(whens.into_iter().flatten().map(|when| Use { user, operand, when }));
        }
    }
}
