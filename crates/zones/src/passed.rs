//! The zones seen so far, by what their states have in common. A zone inside a stored one is not
//! kept; a zone that a new one holds is dropped.

use crate::dbm;

/// A node of the search: shard and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(u32);

const SHARD_BITS: u32 = 6;
/// Discrete states are divided by their hash, so that threads need no locks.
pub(crate) const SHARDS: usize = 1 << SHARD_BITS;
const NOTHING: u32 = u32::MAX;

impl NodeId {
    pub(crate) fn new(shard: usize, local: u32) -> NodeId {
        NodeId(local << SHARD_BITS | shard as u32)
    }

    pub(crate) fn shard(self) -> usize {
        self.0 as usize & (SHARDS - 1)
    }

    fn local(self) -> usize {
        (self.0 >> SHARD_BITS) as usize
    }
}

/// How a node was reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// None for the initial node.
    pub(crate) parent: Option<NodeId>,
    /// Which step of the parent, and which alternative of its guard.
    pub(crate) via: (u32, u32),
}

struct Node {
    origin: Origin,
    /// Its discrete state.
    entry: u32,
    /// Which of the zones there is its own; nothing once it was dropped.
    place: u32,
}

/// The zones of a discrete state, side by side, since they are looked through all the time.
struct Bucket {
    /// Words of a zone: discrete states differ in the clocks that matter.
    area: usize,
    zones: Vec<i32>,
    /// The node of each zone.
    nodes: Vec<u32>,
    /// Whether the discrete state is known not to be what is looked for.
    is_ruled_out: bool,
}

impl Bucket {
    fn zone(&self, place: u32) -> &[i32] {
        &self.zones[place as usize * self.area..][..self.area]
    }

    /// The memory it holds, apart from itself.
    fn bytes(&self) -> usize {
        4 * (self.zones.capacity() + self.nodes.capacity())
    }

    /// Takes a zone out; the last one takes its place.
    fn remove(&mut self, place: u32) {
        let (at, last) = (place as usize * self.area, self.zones.len() - self.area);
        self.zones.copy_within(last.., at);
        self.zones.truncate(last);
        self.nodes.swap_remove(place as usize);
    }
}

/// One part of the passed list.
pub(crate) struct Shard {
    /// Words of a discrete state.
    pub(crate) width: usize,
    /// Positions of entries by hash.
    table: Vec<u32>,
    keys: Vec<i32>,
    buckets: Vec<Bucket>,
    nodes: Vec<Node>,
    /// The memory that buckets hold.
    in_buckets: usize,
    /// Nodes that are not dropped.
    pub(crate) stored: usize,
}

/// A hash of a discrete state; the low bits choose the shard.
pub(crate) fn hash(key: &[i32]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for word in key {
        hash = (hash.rotate_left(5) ^ *word as u32 as u64).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    hash ^ hash >> 32
}

impl Shard {
    pub(crate) fn new(width: usize) -> Shard {
        Shard {
            width,
            table: vec![NOTHING; 16],
            keys: Vec::new(),
            buckets: Vec::new(),
            nodes: Vec::new(),
            in_buckets: 0,
            stored: 0,
        }
    }

    /// The memory it holds.
    pub(crate) fn bytes(&self) -> usize {
        4 * (self.table.capacity() + self.keys.capacity())
            + self.buckets.capacity() * size_of::<Bucket>()
            + self.in_buckets
            + self.nodes.capacity() * size_of::<Node>()
    }

    fn key(&self, entry: u32) -> &[i32] {
        &self.keys[entry as usize * self.width..][..self.width]
    }

    /// Where the table has the key, or where it would have it.
    fn find(&self, key: &[i32], hash: u64) -> usize {
        let mask = self.table.len() - 1;
        let mut at = (hash >> SHARD_BITS) as usize & mask;
        while self.table[at] != NOTHING && self.key(self.table[at]) != key {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        self.table = vec![NOTHING; size];
        for entry in 0..self.buckets.len() as u32 {
            let at = self.find(self.key(entry), hash(self.key(entry)));
            self.table[at] = entry;
        }
    }

    /// Whether a stored zone of the same discrete state holds this one.
    pub(crate) fn covers(&self, key: &[i32], hash: u64, zone: &[i32]) -> bool {
        let entry = self.table[self.find(key, hash)];
        if entry == NOTHING {
            return false;
        }
        let stored = self.buckets[entry as usize].zones.chunks_exact(zone.len());
        // Zones that came last are most like the new one.
        stored.rev().any(|stored| dbm::is_inside(zone, stored))
    }

    /// Stores a zone unless it is covered, and drops those that it covers.
    pub(crate) fn insert(
        &mut self,
        key: &[i32],
        hash: u64,
        zone: &[i32],
        origin: Origin,
    ) -> Option<u32> {
        let entry = self.entry(key, hash, zone.len());
        let bucket = &mut self.buckets[entry as usize];
        let before = bucket.bytes();
        let mut place = 0;
        while (place as usize) < bucket.nodes.len() {
            match compare(zone, bucket.zone(place)) {
                Compared::Inside => return None,
                Compared::Neither => place += 1,
                Compared::Holds => {
                    self.nodes[bucket.nodes[place as usize] as usize].place = NOTHING;
                    bucket.remove(place);
                    self.stored -= 1;
                    if let Some(moved) = bucket.nodes.get(place as usize) {
                        self.nodes[*moved as usize].place = place;
                    }
                }
            }
        }
        let local = self.nodes.len() as u32;
        bucket.zones.extend_from_slice(zone);
        bucket.nodes.push(local);
        self.in_buckets += bucket.bytes() - before;
        self.nodes.push(Node { origin, entry, place });
        self.stored += 1;
        Some(local)
    }

    /// Whether the discrete state of a node is known not to be what is looked for.
    pub(crate) fn is_ruled_out(&mut self, id: NodeId) -> &mut bool {
        let entry = self.nodes[id.local()].entry;
        &mut self.buckets[entry as usize].is_ruled_out
    }

    /// The entry of a discrete state, which may be new.
    fn entry(&mut self, key: &[i32], hash: u64, area: usize) -> u32 {
        let mut at = self.find(key, hash);
        if self.table[at] == NOTHING {
            if (self.buckets.len() + 1) * 3 > self.table.len() * 2 {
                self.grow();
                at = self.find(key, hash);
            }
            self.table[at] = self.buckets.len() as u32;
            self.buckets.push(Bucket {
                area,
                zones: Vec::new(),
                nodes: Vec::new(),
                is_ruled_out: false,
            });
            self.keys.extend_from_slice(key);
        }
        self.table[at]
    }

    /// The discrete state and the zone of a node that was not dropped.
    pub(crate) fn get(&self, id: NodeId) -> Option<(&[i32], &[i32])> {
        let node = &self.nodes[id.local()];
        let zone = || self.buckets[node.entry as usize].zone(node.place);
        (node.place != NOTHING).then(|| (self.key(node.entry), zone()))
    }

    pub(crate) fn origin(&self, id: NodeId) -> Origin {
        self.nodes[id.local()].origin
    }
}

enum Compared {
    Inside,
    Holds,
    Neither,
}

fn compare(zone: &[i32], stored: &[i32]) -> Compared {
    let (mut inside, mut holds) = (true, true);
    for (a, b) in zone.iter().zip(stored) {
        inside &= a <= b;
        holds &= a >= b;
        if !inside && !holds {
            return Compared::Neither;
        }
    }
    if inside { Compared::Inside } else { Compared::Holds }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covered_zones_are_not_kept() {
        let mut shard = Shard::new(1);
        let origin = Origin { parent: None, via: (0, 0) };
        let mut insert =
            |key: i32, zone: [i32; 2]| shard.insert(&[key], hash(&[key]), &zone, origin).is_some();
        assert!(insert(1, [3, 3]));
        assert!(!insert(1, [3, 2]));
        assert!(insert(2, [3, 2]));
        assert!(insert(1, [2, 9]));
        assert!(insert(1, [9, 9]));
        for key in 3..100 {
            assert!(insert(key, [1, 1]));
        }
        assert_eq!(shard.stored, 2 + 97);
        assert!(shard.covers(&[1], hash(&[1]), &[3, 3]));
        assert!(!shard.covers(&[2], hash(&[2]), &[3, 3]));
        assert!(shard.get(NodeId::new(0, 0)).is_none());
        // Those that took the place of dropped ones are still found.
        assert_eq!(shard.get(NodeId::new(0, 3)), Some((&[1][..], &[9, 9][..])));
        assert_eq!(shard.get(NodeId::new(0, 1)), Some((&[2][..], &[3, 2][..])));
    }
}
