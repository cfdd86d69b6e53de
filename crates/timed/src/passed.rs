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
    entry: u32,
    next: u32,
    /// Where its zone lies; nothing once it was dropped.
    slot: u32,
}

/// One part of the passed list.
pub(crate) struct Shard {
    /// Words of a discrete state.
    width: usize,
    /// Words of a zone.
    area: usize,
    /// Positions of entries by hash.
    table: Vec<u32>,
    keys: Vec<i32>,
    /// The first node of each entry.
    heads: Vec<u32>,
    nodes: Vec<Node>,
    zones: Vec<i32>,
    free: Vec<u32>,
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
    pub(crate) fn new(width: usize, area: usize) -> Shard {
        Shard {
            width,
            area,
            table: vec![NOTHING; 16],
            keys: Vec::new(),
            heads: Vec::new(),
            nodes: Vec::new(),
            zones: Vec::new(),
            free: Vec::new(),
            stored: 0,
        }
    }

    /// The memory it holds.
    pub(crate) fn bytes(&self) -> usize {
        4 * (self.table.capacity()
            + self.keys.capacity()
            + self.heads.capacity()
            + self.zones.capacity()
            + self.free.capacity())
            + self.nodes.capacity() * size_of::<Node>()
    }

    fn key(&self, entry: u32) -> &[i32] {
        let start = entry as usize * self.width;
        &self.keys[start..start + self.width]
    }

    fn zone(&self, slot: u32) -> &[i32] {
        let start = slot as usize * self.area;
        &self.zones[start..start + self.area]
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
        for entry in 0..self.heads.len() as u32 {
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
        let mut node = self.heads[entry as usize];
        while node != NOTHING {
            let stored = &self.nodes[node as usize];
            if dbm::is_inside(zone, self.zone(stored.slot)) {
                return true;
            }
            node = stored.next;
        }
        false
    }

    /// Stores a zone unless it is covered, and drops those that it covers.
    pub(crate) fn insert(
        &mut self,
        key: &[i32],
        hash: u64,
        zone: &[i32],
        origin: Origin,
    ) -> Option<u32> {
        let mut at = self.find(key, hash);
        if self.table[at] == NOTHING {
            if (self.heads.len() + 1) * 3 > self.table.len() * 2 {
                self.grow();
                at = self.find(key, hash);
            }
            self.table[at] = self.heads.len() as u32;
            self.heads.push(NOTHING);
            self.keys.extend_from_slice(key);
        }
        let entry = self.table[at];
        if !self.make_room(entry, zone) {
            return None;
        }
        let slot = match self.free.pop() {
            Some(slot) => {
                let start = slot as usize * self.area;
                self.zones[start..start + self.area].copy_from_slice(zone);
                slot
            }
            None => {
                self.zones.extend_from_slice(zone);
                (self.zones.len() / self.area) as u32 - 1
            }
        };
        let local = self.nodes.len() as u32;
        let next = self.heads[entry as usize];
        self.nodes.push(Node { origin, entry, next, slot });
        self.heads[entry as usize] = local;
        self.stored += 1;
        Some(local)
    }

    /// Drops what a new zone covers; false if the new one is covered itself.
    fn make_room(&mut self, entry: u32, zone: &[i32]) -> bool {
        let (mut before, mut node) = (NOTHING, self.heads[entry as usize]);
        while node != NOTHING {
            let Node { next, slot, .. } = self.nodes[node as usize];
            match compare(zone, self.zone(slot)) {
                Compared::Inside => return false,
                Compared::Holds => {
                    self.free.push(slot);
                    self.nodes[node as usize].slot = NOTHING;
                    self.stored -= 1;
                    match before {
                        NOTHING => self.heads[entry as usize] = next,
                        before => self.nodes[before as usize].next = next,
                    }
                }
                Compared::Neither => before = node,
            }
            node = next;
        }
        true
    }

    /// The discrete state and the zone of a node that was not dropped.
    pub(crate) fn get(&self, id: NodeId) -> Option<(&[i32], &[i32])> {
        let node = &self.nodes[id.local()];
        (node.slot != NOTHING).then(|| (self.key(node.entry), self.zone(node.slot)))
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
        let mut shard = Shard::new(1, 2);
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
    }
}
