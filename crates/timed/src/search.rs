//! Exploration of all reachable zones, in batches: the zones of a batch are expanded by several
//! threads, then stored by several threads, each of which owns some of the shards. What comes
//! out does not depend on the number of threads.

use provoke_base::Random;

use crate::bounds::BoundTable;
use crate::machine::{Computed, Fault};
use crate::network::Network;
use crate::passed::{NodeId, Origin, SHARDS, Shard, hash};
use crate::zones::{Discrete, Explorer};

/// In which order zones are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The oldest first: traces are short.
    Breadth,
    /// The newest first.
    Depth,
    /// Any, from a seed.
    Random(u64),
}

/// How much may be done.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// In which order.
    pub order: Order,
    /// By how many threads.
    pub jobs: usize,
    /// With how much memory.
    pub bytes: usize,
    /// Whether to end, and why.
    pub stop: &'a (dyn Fn() -> Option<String> + Sync),
}

/// What the search is for.
pub(crate) struct Goal<'a> {
    /// Whether a set of states holds what is looked for.
    pub(crate) is: &'a Visit<'a>,
    /// Whether it is asked as soon as a set is found. What needs all steps of a set is asked when
    /// these are computed anyway.
    pub(crate) eager: bool,
}

pub(crate) type Visit<'a> =
    dyn Fn(&mut Explorer<'_>, &Discrete, &[i32]) -> Computed<bool> + Sync + 'a;

/// The steps from the initial state: which one, and which alternative of its guard.
pub(crate) type Path = Vec<(u32, u32)>;

/// How a search ended.
pub(crate) enum Ended {
    /// The goal is at the end of the path.
    Found(Path),
    /// Everything was looked at.
    Exhausted,
    /// For this reason.
    Stopped(String),
    /// The model does something it must not do.
    Fault(Fault),
}

/// What came of a search.
pub(crate) struct Explored {
    pub(crate) ended: Ended,
    /// Zones stored at the end.
    pub(crate) stored: usize,
}

const BREADTH_BATCH: usize = 4096;
const OTHER_BATCH: usize = 64;
/// Smaller parts of a batch are not worth a thread.
const LEAST_PER_THREAD: usize = 32;

/// Looks at all reachable sets of states, up to the goal.
pub(crate) fn explore(
    network: &Network,
    table: &BoundTable,
    goal: &Goal<'_>,
    effort: Effort<'_>,
) -> Explored {
    let mut search = Search::new(network, table, effort);
    let ended = match search.run(goal) {
        Ok(ended) => ended,
        Err(fault) => Ended::Fault(fault),
    };
    let stored = search.shards.iter().map(|shard| shard.stored).sum();
    Explored { ended, stored }
}

struct Search<'a, 'n> {
    table: &'a BoundTable,
    effort: Effort<'a>,
    shards: Vec<Shard>,
    explorers: Vec<Explorer<'n>>,
    waiting: std::collections::VecDeque<NodeId>,
    random: Random,
}

/// The successors that a thread found.
#[derive(Default)]
struct Outbox {
    keys: Vec<i32>,
    zones: Vec<i32>,
    /// For each shard: which successors, with hash and origin.
    items: Vec<Vec<(u32, u64, Origin)>>,
    count: u32,
    hit: Option<Hit>,
}

enum Hit {
    /// The node itself, or a step from it.
    At(NodeId, Option<(u32, u32)>),
    Fault(Fault),
}

impl<'a, 'n> Search<'a, 'n> {
    fn new(network: &'n Network, table: &'a BoundTable, effort: Effort<'a>) -> Search<'a, 'n> {
        let n = network.clocks.len() + 1;
        let width = network.processes.len() + network.cells.len();
        let seed = if let Order::Random(seed) = effort.order { seed } else { 0 };
        Search {
            table,
            effort,
            shards: (0..SHARDS).map(|_| Shard::new(width, n * n)).collect(),
            explorers: (0..effort.jobs.max(1)).map(|_| Explorer::new(network)).collect(),
            waiting: std::collections::VecDeque::new(),
            random: Random::new(seed),
        }
    }

    fn run(&mut self, goal: &Goal<'_>) -> Computed<Ended> {
        let explorer = &mut self.explorers[0];
        let Some((key, mut zone)) = explorer.initial()? else { return Ok(Ended::Exhausted) };
        if goal.eager && (goal.is)(explorer, &key, &zone)? {
            return Ok(Ended::Found(Vec::new()));
        }
        explorer.extrapolate(&mut zone, &key, self.table);
        let (hash, origin) = (hash(&key), Origin { parent: None, via: (0, 0) });
        let shard = hash as usize % SHARDS;
        let local =
            self.shards[shard].insert(&key, hash, &zone, origin).expect("nothing is stored");
        self.waiting.push_back(NodeId::new(shard, local));
        loop {
            if let Some(why) = self.must_stop() {
                return Ok(Ended::Stopped(why));
            }
            let batch = self.take_batch();
            if batch.is_empty() {
                return Ok(Ended::Exhausted);
            }
            let outboxes = self.expand(&batch, goal);
            for outbox in &outboxes {
                match &outbox.hit {
                    Some(Hit::At(node, step)) => {
                        let mut path = self.path(*node);
                        path.extend(*step);
                        return Ok(Ended::Found(path));
                    }
                    Some(Hit::Fault(fault)) => return Err(fault.clone()),
                    None => {}
                }
            }
            self.store(&outboxes);
        }
    }

    fn must_stop(&self) -> Option<String> {
        let bytes: usize = self.shards.iter().map(Shard::bytes).sum();
        if bytes > self.effort.bytes {
            let megabytes = self.effort.bytes >> 20;
            return Some(format!("the zones need more than {megabytes} MB; --memory allows more"));
        }
        (self.effort.stop)()
    }

    fn take_batch(&mut self) -> Vec<NodeId> {
        let mut batch = Vec::new();
        let size = if self.effort.order == Order::Breadth { BREADTH_BATCH } else { OTHER_BATCH };
        while batch.len() < size && !self.waiting.is_empty() {
            let next = match self.effort.order {
                Order::Breadth => self.waiting.pop_front(),
                Order::Depth => self.waiting.pop_back(),
                Order::Random(_) => {
                    let at = self.random.below(self.waiting.len());
                    self.waiting.swap_remove_back(at)
                }
            };
            batch.extend(next.filter(|id| self.shards[id.shard()].get(*id).is_some()));
        }
        batch
    }

    fn expand(&mut self, batch: &[NodeId], goal: &Goal<'_>) -> Vec<Outbox> {
        let threads = (batch.len() / LEAST_PER_THREAD).clamp(1, self.explorers.len());
        let chunk = batch.len().div_ceil(threads);
        let (table, shards) = (self.table, &self.shards);
        let mut explorers = self.explorers.iter_mut();
        let parts = batch.chunks(chunk).zip(&mut explorers);
        if threads == 1 {
            return parts.map(|(part, e)| expand_part(e, table, shards, part, goal)).collect();
        }
        std::thread::scope(|scope| {
            let spawned: Vec<_> = parts
                .map(|(part, e)| scope.spawn(move || expand_part(e, table, shards, part, goal)))
                .collect();
            spawned.into_iter().map(|t| t.join().expect("a thread without panic")).collect()
        })
    }

    fn store(&mut self, outboxes: &[Outbox]) {
        let count: usize = outboxes.iter().map(|outbox| outbox.count as usize).sum();
        let threads = if count < 512 { 1 } else { self.explorers.len() };
        let chunk = SHARDS.div_ceil(threads);
        let store_some = |first: usize, shards: &mut [Shard]| {
            let mut new = Vec::new();
            for (offset, shard) in shards.iter_mut().enumerate() {
                store_part(first + offset, shard, outboxes, &mut new);
            }
            new
        };
        if threads == 1 {
            self.waiting.extend(store_some(0, &mut self.shards));
            return;
        }
        let store_some = &store_some;
        let parts = self.shards.chunks_mut(chunk).enumerate();
        let new: Vec<Vec<NodeId>> = std::thread::scope(|scope| {
            let spawned: Vec<_> =
                parts.map(|(i, part)| scope.spawn(move || store_some(i * chunk, part))).collect();
            spawned.into_iter().map(|t| t.join().expect("a thread without panic")).collect()
        });
        self.waiting.extend(new.into_iter().flatten());
    }

    fn path(&self, mut node: NodeId) -> Path {
        let mut path = Vec::new();
        loop {
            let origin = self.shards[node.shard()].origin(node);
            let Some(parent) = origin.parent else { break };
            path.push(origin.via);
            node = parent;
        }
        path.reverse();
        path
    }
}

fn expand_part(
    explorer: &mut Explorer<'_>,
    table: &BoundTable,
    shards: &[Shard],
    part: &[NodeId],
    goal: &Goal<'_>,
) -> Outbox {
    let mut outbox = Outbox::default();
    outbox.items.resize_with(SHARDS, Vec::new);
    for id in part {
        let Some((key, zone)) = shards[id.shard()].get(*id) else { continue };
        let mut work = Expansion { table, shards, goal, id: *id, outbox: &mut outbox };
        match work.run(explorer, key, zone) {
            Ok(()) => {}
            Err(fault) => outbox.hit = Some(Hit::Fault(fault)),
        }
        if outbox.hit.is_some() {
            break;
        }
    }
    outbox
}

struct Expansion<'a, 'b> {
    table: &'a BoundTable,
    shards: &'a [Shard],
    goal: &'a Goal<'b>,
    id: NodeId,
    outbox: &'a mut Outbox,
}

impl Expansion<'_, '_> {
    fn run(&mut self, explorer: &mut Explorer<'_>, key: &[i32], zone: &[i32]) -> Computed<()> {
        if !self.goal.eager && (self.goal.is)(explorer, key, zone)? {
            self.outbox.hit = Some(Hit::At(self.id, None));
            return Ok(());
        }
        let n = explorer.n;
        let mut successors = std::mem::take(&mut explorer.buffer);
        let result = explorer.successors(key, zone, &mut successors);
        for successor in successors.iter_mut() {
            if result.is_err() {
                break;
            }
            let (target, area) = (&successor.target, &mut successor.zone);
            if self.goal.eager && (self.goal.is)(explorer, target, area)? {
                self.outbox.hit = Some(Hit::At(self.id, Some(successor.via)));
                break;
            }
            debug_assert_eq!(area.len(), n * n);
            explorer.extrapolate(area, target, self.table);
            let hash = hash(target);
            let shard = hash as usize % SHARDS;
            if !self.shards[shard].covers(target, hash, area) {
                let origin = Origin { parent: Some(self.id), via: successor.via };
                self.outbox.keys.extend_from_slice(target);
                self.outbox.zones.extend_from_slice(area);
                self.outbox.items[shard].push((self.outbox.count, hash, origin));
                self.outbox.count += 1;
            }
        }
        explorer.buffer = successors;
        result
    }
}

fn store_part(index: usize, shard: &mut Shard, outboxes: &[Outbox], new: &mut Vec<NodeId>) {
    for outbox in outboxes.iter().filter(|outbox| outbox.count > 0) {
        let width = outbox.keys.len() / outbox.count as usize;
        let area = outbox.zones.len() / outbox.count as usize;
        for (at, hash, origin) in &outbox.items[index] {
            let at = *at as usize;
            let key = &outbox.keys[at * width..(at + 1) * width];
            let zone = &outbox.zones[at * area..(at + 1) * area];
            let local = shard.insert(key, *hash, zone, *origin);
            new.extend(local.map(|local| NodeId::new(index, local)));
        }
    }
}
