//! Exploration of all reachable zones, in batches: the zones of a batch are expanded by several
//! threads, then stored by several threads, each of which owns some of the shards. What comes
//! out does not depend on the number of threads.

use provoke_base::parallel::on_threads;
use provoke_base::{Random, StopReason};
use provoke_uppaal::machine::{Computed, NetworkFault};
use provoke_uppaal::network::{Condition, Network};
use serde::{Deserialize, Serialize};

use crate::bounds::BoundTable;
use crate::explorer::{Discrete, ZoneExplorer};
use crate::passed::{NodeId, Origin, SHARDS, Shard, hash};
use crate::successors::{Successor, Successors};

/// In which order zones are looked at.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
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
pub struct SearchEffort<'a> {
    /// In which order.
    pub order: Order,
    /// By how many threads.
    pub jobs: usize,
    /// With how much memory.
    pub bytes: usize,
    /// Asked again and again, with how far the search is, whether it has to end.
    pub stop: &'a SearchStop<'a>,
}

/// Hears how far a search is, and says why it has to end, if it has to.
pub type SearchStop<'a> = dyn Fn(ZoneCount) -> Option<StopReason> + Sync + 'a;

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneCount {
    /// Zones stored.
    pub stored: usize,
    /// Zones of these that are still to be looked at.
    pub waiting: usize,
}

/// What the search is for.
pub(crate) struct Goal<'a> {
    /// What is needed of locations, variables and clocks: what locations and variables rule out is
    /// not looked at any closer.
    pub(crate) condition: &'a Condition,
    /// Whether a set of states holds what is looked for.
    pub(crate) is: &'a Visit<'a>,
    /// Whether it is asked as soon as a set is stored. What needs all steps of a set is asked when
    /// these are computed anyway.
    pub(crate) eager: bool,
}

pub(crate) type Visit<'a> =
    dyn Fn(&mut ZoneExplorer<'_>, &Discrete, &[i32]) -> Computed<bool> + Sync + 'a;

/// The steps from the initial state: which one, and which alternative of its guard.
pub(crate) type Path = Vec<(u32, u32)>;

/// How a search ended.
pub(crate) enum Ended {
    /// The goal is at the end of the path.
    Found(Path),
    /// Everything was looked at.
    Exhausted,
    /// For this reason.
    Stopped(StopReason),
    /// The model does something it must not do.
    Fault(NetworkFault),
}

/// What came of a search.
pub(crate) struct Explored {
    pub(crate) ended: Ended,
    /// Zones stored at the end.
    pub(crate) stored: usize,
}

/// Small enough that a zone is seldom looked at while a larger one is about to be found.
const BREADTH_BATCH: usize = 256;
const OTHER_BATCH: usize = 64;
/// Smaller parts of a batch are not worth a thread.
const LEAST_PER_THREAD: usize = 32;

/// Looks at all reachable sets of states, up to the goal.
pub(crate) fn explore(
    network: &Network,
    table: &BoundTable,
    goal: &Goal<'_>,
    effort: SearchEffort<'_>,
) -> Explored {
    let mut search = Search::new(network, table, effort);
    let ended = match search.run(goal) {
        Ok(ended) => ended,
        Err(fault) => Ended::Fault(*fault),
    };
    Explored { ended, stored: search.stored() }
}

struct Search<'a, 'n> {
    table: &'a BoundTable,
    effort: SearchEffort<'a>,
    shards: Vec<Shard>,
    explorers: Vec<ZoneExplorer<'n>>,
    waiting: std::collections::VecDeque<NodeId>,
    random: Random,
}

/// The successors that a thread found.
#[derive(Default)]
struct Outbox {
    keys: Vec<i32>,
    zones: Vec<i32>,
    /// For each shard.
    items: Vec<Vec<Item>>,
    hit: Option<Hit>,
}

/// A successor in an outbox: where its discrete state and its two zones begin.
struct Item {
    key: usize,
    zones: usize,
    /// Words of a zone.
    area: usize,
    hash: u64,
    origin: Origin,
}

impl Outbox {
    fn new() -> Outbox {
        let mut outbox = Outbox::default();
        outbox.items.resize_with(SHARDS, Vec::new);
        outbox
    }

    fn push(&mut self, successor: &Successor, hash: u64, origin: Origin) {
        let Successor { target, zone, stored, .. } = successor;
        let (key, zones, area) = (self.keys.len(), self.zones.len(), zone.len());
        self.keys.extend_from_slice(target);
        self.zones.extend_from_slice(stored);
        self.zones.extend_from_slice(zone);
        self.items[hash as usize % SHARDS].push(Item { key, zones, area, hash, origin });
    }
}

/// What ends a search.
enum Hit {
    At(NodeId),
    Fault(Box<NetworkFault>),
}

impl<'a, 'n> Search<'a, 'n> {
    fn new(
        network: &'n Network,
        table: &'a BoundTable,
        effort: SearchEffort<'a>,
    ) -> Search<'a, 'n> {
        let width = network.processes.len() + network.cells.len();
        let seed = if let Order::Random(seed) = effort.order { seed } else { 0 };
        Search {
            table,
            effort,
            shards: (0..SHARDS).map(|_| Shard::new(width)).collect(),
            explorers: (0..effort.jobs.max(1)).map(|_| ZoneExplorer::new(network)).collect(),
            waiting: std::collections::VecDeque::new(),
            random: Random::new(seed),
        }
    }

    fn run(&mut self, goal: &Goal<'_>) -> Computed<Ended> {
        let explorer = &mut self.explorers[0];
        let Some((key, zone)) = explorer.initial()? else { return Ok(Ended::Exhausted) };
        if goal.eager && (goal.is)(explorer, &key, &zone)? {
            return Ok(Ended::Found(Vec::new()));
        }
        let zone = explorer.narrowed(&key, &zone, self.table);
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
            if let Some(hit) = outboxes.iter().find_map(|outbox| outbox.hit.as_ref()) {
                return self.ended(hit);
            }
            let hits = self.store(&outboxes, goal);
            if let Some(hit) = self.nearest(hits.iter()) {
                return self.ended(hit);
            }
        }
    }

    /// The goal with the shortest path; a fault only if there is no goal.
    fn nearest<'h>(&self, hits: impl Iterator<Item = &'h Hit>) -> Option<&'h Hit> {
        hits.min_by_key(|hit| match hit {
            Hit::At(node) => (self.path(*node).len(), Some(*node)),
            Hit::Fault(_) => (usize::MAX, None),
        })
    }

    fn ended(&self, hit: &Hit) -> Computed<Ended> {
        match hit {
            Hit::At(node) => Ok(Ended::Found(self.path(*node))),
            Hit::Fault(fault) => Err(fault.clone()),
        }
    }

    fn stored(&self) -> usize {
        self.shards.iter().map(|shard| shard.stored).sum()
    }

    fn must_stop(&self) -> Option<StopReason> {
        let bytes: usize = self.shards.iter().map(Shard::bytes).sum();
        if bytes > self.effort.bytes {
            return Some(StopReason::Memory(self.effort.bytes >> 20));
        }
        (self.effort.stop)(ZoneCount { stored: self.stored(), waiting: self.waiting.len() })
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
        on_threads(parts, |(part, explorer)| expand_part(explorer, table, shards, part, goal))
    }

    /// Stores what is new, and looks at it.
    fn store(&mut self, outboxes: &[Outbox], goal: &Goal<'_>) -> Vec<Hit> {
        let count: usize = outboxes.iter().flat_map(|o| &o.items).map(Vec::len).sum();
        let threads = if count < 512 { 1 } else { self.explorers.len() };
        let chunk = SHARDS.div_ceil(threads);
        let table = self.table;
        let store_some = |first: usize, shards: &mut [Shard], explorer: &mut ZoneExplorer<'_>| {
            let mut found = Stored::default();
            for (offset, shard) in shards.iter_mut().enumerate() {
                let mut work = Storing { index: first + offset, shard, table, goal };
                outboxes.iter().for_each(|outbox| work.run(outbox, explorer, &mut found));
            }
            found
        };
        let parts = self.shards.chunks_mut(chunk).zip(&mut self.explorers).enumerate();
        let found =
            on_threads(parts, |(i, (part, explorer))| store_some(i * chunk, part, explorer));
        let mut hits = Vec::new();
        for Stored { new, hits: more } in found {
            self.waiting.extend(new);
            hits.extend(more);
        }
        hits
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
    explorer: &mut ZoneExplorer<'_>,
    table: &BoundTable,
    shards: &[Shard],
    part: &[NodeId],
    goal: &Goal<'_>,
) -> Outbox {
    let mut outbox = Outbox::new();
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
    fn run(&mut self, explorer: &mut ZoneExplorer<'_>, key: &[i32], zone: &[i32]) -> Computed<()> {
        if !self.goal.eager
            && !explorer.rules_out(key, self.goal.condition)?
            && self.goal.is_at(explorer, self.table, key, zone)?
        {
            self.outbox.hit = Some(Hit::At(self.id));
            return Ok(());
        }
        let empty = Successors::new(0);
        let mut successors = std::mem::replace(&mut explorer.buffer, empty);
        let result = explorer.successors(key, zone, self.table, &mut successors);
        for successor in successors.all() {
            let hash = hash(&successor.target);
            let shard = &self.shards[hash as usize % SHARDS];
            if !shard.covers(&successor.target, hash, &successor.stored) {
                let origin = Origin { parent: Some(self.id), via: successor.via };
                self.outbox.push(successor, hash, origin);
            }
        }
        explorer.buffer = successors;
        result
    }
}

impl Goal<'_> {
    /// Whether a zone of the clocks that matter holds what is looked for, if locations and
    /// variables do not rule that out.
    fn is_at(
        &self,
        explorer: &mut ZoneExplorer<'_>,
        table: &BoundTable,
        key: &Discrete,
        zone: &[i32],
    ) -> Computed<bool> {
        let zone = explorer.widened(key, zone, table);
        (self.is)(explorer, key, &zone)
    }
}

/// What was new in some shards.
#[derive(Default)]
struct Stored {
    new: Vec<NodeId>,
    hits: Vec<Hit>,
}

/// Storing in one shard.
struct Storing<'a, 'b> {
    index: usize,
    shard: &'a mut Shard,
    table: &'a BoundTable,
    goal: &'a Goal<'b>,
}

impl Storing<'_, '_> {
    fn run(&mut self, outbox: &Outbox, explorer: &mut ZoneExplorer<'_>, found: &mut Stored) {
        for Item { key, zones, area, hash, origin } in &outbox.items[self.index] {
            let key = &outbox.keys[*key..][..self.shard.width];
            let (stored, exact) = outbox.zones[*zones..][..2 * area].split_at(*area);
            let Some(local) = self.shard.insert(key, *hash, stored, *origin) else { continue };
            let id = NodeId::new(self.index, local);
            found.new.push(id);
            if self.goal.eager {
                match self.is_goal(explorer, id, key, exact) {
                    Ok(false) => {}
                    Ok(true) => found.hits.push(Hit::At(id)),
                    Err(fault) => found.hits.push(Hit::Fault(fault)),
                }
            }
        }
    }

    /// Locations and variables are asked once for all their zones.
    fn is_goal(
        &mut self,
        explorer: &mut ZoneExplorer<'_>,
        id: NodeId,
        key: &Discrete,
        zone: &[i32],
    ) -> Computed<bool> {
        let is_ruled_out = self.shard.is_ruled_out(id);
        if *is_ruled_out {
            return Ok(false);
        }
        *is_ruled_out = explorer.rules_out(key, self.goal.condition)?;
        Ok(!*is_ruled_out && self.goal.is_at(explorer, self.table, key, zone)?)
    }
}
