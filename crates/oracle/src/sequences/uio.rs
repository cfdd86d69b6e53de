//! Sequences that tell the location a test ends in from the others (STUIOS, Fig. 7).
//!
//! The context is the set of states behind the test. Candidates are found breadth first, together
//! with what the same inputs would show if the system were in another location: a sequence is valid
//! once no other location can show the same. The clocks of the process are then unconstrained within
//! the other location's invariant; keeping their values would make every sequence valid where they
//! break it.

use std::collections::BTreeMap;

use provoke_uppaal::machine::Computed;
use rustc_hash::FxHashSet;

use crate::sequences::follow::{Set, ZoneFollower};
use crate::tester::interface::{Act, What};
use crate::timed_tests::timed_test::UioKind;

/// What a search is for.
pub(crate) struct UioGoal<'a> {
    /// The process and the location it should be at.
    pub(crate) process: usize,
    /// The location.
    pub(crate) location: usize,
    /// All its locations.
    pub(crate) locations: usize,
    /// What may be done.
    pub(crate) alphabet: &'a [What],
    /// The variables that can be seen.
    pub(crate) observed: &'a [usize],
    /// The longest sequence.
    pub(crate) length: usize,
}

/// A sequence and what it tells the location from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UioSequence {
    /// How it was found.
    pub(crate) kind: UioKind,
    /// What is done and must be seen.
    pub(crate) acts: Vec<Act>,
    /// The locations it excludes.
    pub(crate) excludes: Vec<usize>,
}

/// What a search came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sequences {
    /// One sequence, or several that do it together.
    pub(crate) found: Vec<UioSequence>,
    /// Locations that none of them excludes.
    pub(crate) left: Vec<usize>,
}

/// More nodes of one length are not looked at.
const MOST_NODES: usize = 600;
/// So many valid sequences of one length are weighed.
const MOST_WEIGHED: usize = 12;

/// Where a network would be from other locations.
type Others = BTreeMap<usize, Vec<Set>>;

#[derive(Clone)]
struct Node {
    acts: Vec<Act>,
    here: Vec<Set>,
    /// Where it would be from other locations, as far as these look the same so far.
    others: Others,
}

/// Searches behind a test.
pub(crate) struct UioSearch<'s, 'a> {
    follower: &'s mut ZoneFollower<'a>,
    wanted: UioGoal<'s>,
    /// How probable a sequence is behind the test.
    weigh: &'s mut dyn FnMut(&[Act]) -> Computed<f64>,
}

impl<'s, 'a> UioSearch<'s, 'a> {
    /// A search; `weigh` says how probable a sequence is.
    pub(crate) fn new(
        follower: &'s mut ZoneFollower<'a>,
        wanted: UioGoal<'s>,
        weigh: &'s mut dyn FnMut(&[Act]) -> Computed<f64>,
    ) -> UioSearch<'s, 'a> {
        UioSearch { follower, wanted, weigh }
    }

    /// The shortest sequence, else a composed one, else several.
    pub(crate) fn run(&mut self, context: &[Set]) -> Computed<Sequences> {
        let root = self.root(context)?;
        if root.others.is_empty() {
            return Ok(Sequences::default());
        }
        let all: Vec<usize> = root.others.keys().copied().collect();
        if let Some(node) = self.shortest(&root, 0)? {
            let found = UioSequence { kind: UioKind::Single, acts: node.acts, excludes: all };
            return Ok(Sequences { found: vec![found], left: Vec::new() });
        }
        if let Some(node) = self.composed(&root)? {
            let found = UioSequence { kind: UioKind::Composed, acts: node.acts, excludes: all };
            return Ok(Sequences { found: vec![found], left: Vec::new() });
        }
        self.separating(&root)
    }

    fn root(&mut self, context: &[Set]) -> Computed<Node> {
        let (process, location) = (self.wanted.process, self.wanted.location);
        let at = |set: &&Set| self.follower.location(set, process) == location;
        let here: Vec<Set> = context.iter().filter(at).cloned().collect();
        let mut others = BTreeMap::new();
        for other in (0..self.wanted.locations).filter(|other| *other != location) {
            let sets = self.follower.moved(&here, process, other)?;
            // A location in which time cannot pass is none a test can end in.
            if !sets.is_empty() {
                others.insert(other, sets);
            }
        }
        Ok(Node { acts: Vec::new(), here, others })
    }

    /// The shortest way to have at most so many others left; the most probable one of its length.
    fn shortest(&mut self, root: &Node, most_left: usize) -> Computed<Option<Node>> {
        let mut level = vec![root.clone()];
        let mut known: FxHashSet<(Vec<Set>, Others)> = FxHashSet::default();
        for _ in 0..self.wanted.length {
            let (mut next, mut valid) = (Vec::new(), Vec::new());
            for node in &level {
                for longer in self.longer(node)? {
                    if longer.others.len() <= most_left {
                        valid.push(longer);
                    } else if next.len() < MOST_NODES
                        && known.insert((longer.here.clone(), longer.others.clone()))
                    {
                        next.push(longer);
                    }
                }
            }
            if let Some(best) = self.most_probable(valid)? {
                return Ok(Some(best));
            }
            level = next;
        }
        Ok(None)
    }

    /// A sequence that is never seen says nothing.
    fn most_probable(&mut self, valid: Vec<Node>) -> Computed<Option<Node>> {
        let mut best: Option<(f64, Node)> = None;
        for node in valid.into_iter().take(MOST_WEIGHED) {
            let weight = (self.weigh)(&node.acts)?;
            let better = best.as_ref().is_none_or(|(known, _)| weight > *known);
            if weight > 0.0 && better {
                best = Some((weight, node));
            }
        }
        Ok(best.map(|(_, node)| node))
    }

    /// All one act longer, once for each output the location can show.
    fn longer(&mut self, node: &Node) -> Computed<Vec<Node>> {
        let mut found = Vec::new();
        for &what in self.wanted.alphabet {
            let mut groups: BTreeMap<Vec<(usize, i64)>, Vec<Set>> = BTreeMap::new();
            for set in self.follower.input(&node.here, what)? {
                groups.entry(self.outputs(&set)).or_default().push(set);
            }
            let mut others = Vec::new();
            for (other, sets) in &node.others {
                others.push((*other, self.follower.input(sets, what)?));
            }
            for (out, here) in groups {
                let mut alike = BTreeMap::new();
                for (other, sets) in &others {
                    let same = |set: &&Set| self.outputs(set) == out;
                    let sets: Vec<Set> = sets.iter().filter(same).cloned().collect();
                    if !sets.is_empty() {
                        alike.insert(*other, sets);
                    }
                }
                let mut acts = node.acts.clone();
                acts.push(Act { what, out });
                found.push(Node { acts, here, others: alike });
            }
        }
        Ok(found)
    }

    fn outputs(&self, set: &Set) -> Vec<(usize, i64)> {
        let cells = self.wanted.observed.iter();
        cells.map(|cell| (*cell, self.follower.value(set, *cell))).collect()
    }

    /// Sequences one behind the other, each of which excludes further locations (section 6.3: what
    /// leads back to the location is part of the next one).
    fn composed(&mut self, root: &Node) -> Computed<Option<Node>> {
        let mut node = root.clone();
        while !node.others.is_empty() {
            match self.shortest(&node, node.others.len() - 1)? {
                Some(further) => node = further,
                None => return Ok(None),
            }
        }
        Ok(Some(node))
    }

    /// Several sequences, each of them for a test of its own.
    fn separating(&mut self, root: &Node) -> Computed<Sequences> {
        let mut found = Sequences::default();
        let mut open: Vec<usize> = root.others.keys().copied().collect();
        while let Some(&other) = open.first() {
            let alone = BTreeMap::from([(other, root.others[&other].clone())]);
            let node = Node { acts: Vec::new(), here: root.here.clone(), others: alone };
            let Some(node) = self.shortest(&node, 0)? else {
                found.left.push(other);
                open.remove(0);
                continue;
            };
            let excludes = self.excluded(root, &node.acts)?;
            open.retain(|other| !excludes.contains(other));
            found.found.push(UioSequence { kind: UioKind::Separating, acts: node.acts, excludes });
        }
        Ok(found)
    }

    /// The locations that cannot show a sequence.
    fn excluded(&mut self, root: &Node, acts: &[Act]) -> Computed<Vec<usize>> {
        let mut found = Vec::new();
        for (other, sets) in &root.others {
            let mut sets = sets.clone();
            for act in acts {
                sets = self.follower.act(&sets, act)?;
            }
            if sets.is_empty() {
                found.push(*other);
            }
        }
        Ok(found)
    }
}
