//! What a new version of a program does otherwise than an old one, as far as their machines tell.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use provoke_model::Suite;

use crate::machine::StateMachine;
use crate::run::Vector;
use crate::words::to_value;

/// A behaviour that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BehaviourDifference {
    /// The inputs up to it, where the machines are exact; else the last input alone.
    pub inputs: Vec<Vector>,
    /// The outputs before it.
    pub before: Vector,
    /// The outputs of the old version; empty if it does not show any.
    pub old: Vec<Vector>,
    /// The outputs of the new version.
    pub new: Vec<Vector>,
}

/// The most differences that are listed.
pub const MAX_LISTED: usize = 200;

/// The differences, shortest ways first, and how many more there are.
pub fn differences(old: &StateMachine, new: &StateMachine) -> (Vec<BehaviourDifference>, usize) {
    let mut found = if old.exact && new.exact { by_product(old, new) } else { by_edges(old, new) };
    let more = found.len().saturating_sub(MAX_LISTED);
    found.truncate(MAX_LISTED);
    (found, more)
}

/// A state of the old machine and one of the new.
type Pair = (usize, usize);

/// How a pair was reached: from which one, with which vector.
type Reached = BTreeMap<Pair, Option<(Pair, usize)>>;

/// Both machines at once, from their initial states, along inputs that both know.
fn by_product(old: &StateMachine, new: &StateMachine) -> Vec<BehaviourDifference> {
    let common: Vec<(usize, usize)> = pairs(old, new);
    let (old_next, new_next) = (old.successors(), new.successors());
    let mut reached: Reached = BTreeMap::from([((0, 0), None)]);
    let mut queue = VecDeque::from([(0, 0)]);
    let mut found = Vec::new();
    while let Some((a, b)) = queue.pop_front() {
        for &(in_old, in_new) in &common {
            let (Some(&x), Some(&y)) = (old_next[a].get(&in_old), new_next[b].get(&in_new)) else {
                continue;
            };
            if old.states[x] != new.states[y] {
                let mut inputs = vec![old.vectors[in_old].clone()];
                let mut at = (a, b);
                while let Some(Some((parent, vector))) = reached.get(&at) {
                    inputs.push(old.vectors[*vector].clone());
                    at = *parent;
                }
                inputs.reverse();
                let (old_outputs, new_outputs) =
                    (vec![old.states[x].clone()], vec![new.states[y].clone()]);
                found.push(BehaviourDifference {
                    inputs,
                    before: old.states[a].clone(),
                    old: old_outputs,
                    new: new_outputs,
                });
            } else if let Entry::Vacant(place) = reached.entry((x, y)) {
                place.insert(Some(((a, b), in_old)));
                queue.push_back((x, y));
            }
        }
    }
    found
}

fn pairs(old: &StateMachine, new: &StateMachine) -> Vec<(usize, usize)> {
    let places: BTreeMap<&Vector, usize> =
        new.vectors.iter().enumerate().map(|(place, vector)| (vector, place)).collect();
    let both = old
        .vectors
        .iter()
        .enumerate()
        .filter_map(|(place, vector)| Some((place, *places.get(vector)?)));
    both.collect()
}

type Steps<'a> = BTreeMap<(&'a Vector, &'a Vector), BTreeSet<&'a Vector>>;

/// Steps that both machines have seen, from equal outputs with equal inputs, to other outputs.
fn by_edges(old: &StateMachine, new: &StateMachine) -> Vec<BehaviourDifference> {
    fn steps(machine: &StateMachine) -> Steps<'_> {
        let mut steps = Steps::new();
        for ((from, to), vectors) in &machine.edges {
            for vector in vectors {
                let key = (&machine.states[*from], &machine.vectors[*vector]);
                steps.entry(key).or_default().insert(&machine.states[*to]);
            }
        }
        steps
    }
    let (old_steps, new_steps) = (steps(old), steps(new));
    let mut found = Vec::new();
    for ((before, inputs), targets) in &old_steps {
        let Some(other) = new_steps.get(&(*before, *inputs)) else { continue };
        if targets.is_disjoint(other) {
            let list =
                |set: &BTreeSet<&Vector>| set.iter().map(|vector| (*vector).clone()).collect();
            found.push(BehaviourDifference {
                inputs: vec![(*inputs).clone()],
                before: (*before).clone(),
                old: list(targets),
                new: list(other),
            });
        }
    }
    found
}

impl BehaviourDifference {
    /// In a line or a few.
    pub fn show(&self, suite: &Suite) -> String {
        let side = |words: &[i64], signals: &[provoke_model::Signal]| {
            let one = |(word, signal): (&i64, &provoke_model::Signal)| {
                format!(
                    "{}={}",
                    signal.name,
                    to_value(*word, signal.ty).show(signal.ty, &suite.enums)
                )
            };
            words.iter().zip(signals).map(one).collect::<Vec<_>>().join(" ")
        };
        let outputs = |list: &[Vector]| {
            list.iter().map(|words| side(words, &suite.outputs)).collect::<Vec<_>>().join(" | ")
        };
        let last = self.inputs.last().map(|words| side(words, &suite.inputs)).unwrap_or_default();
        let way = match self.inputs.len() {
            0 | 1 => String::new(),
            count => format!("after {} steps, ", count - 1),
        };
        format!(
            "{way}from {} with {last}:\n    old {}\n    new {}",
            side(&self.before, &suite.outputs),
            outputs(&self.old),
            outputs(&self.new)
        )
    }
}
