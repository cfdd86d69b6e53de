//! The machine that was seen: states with their outputs, edges with the inputs that lead along them.

use std::collections::{BTreeMap, BTreeSet};

use provoke_model::Suite;
use serde::{Deserialize, Serialize};

use crate::exhaustive::Transitions;
use crate::guard::{self, Detail, GuardTree};
use crate::run::{ProgramRun, Vector};
use crate::search::InputSequence;
use crate::survey::SeenStep;
use crate::words::to_value;

/// A machine.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StateMachine {
    /// The outputs in each state; the first state is the initial one.
    pub states: Vec<Vector>,
    /// The vectors of inputs that were seen.
    pub vectors: Vec<Vector>,
    /// From, to, and the vectors that lead there.
    pub edges: BTreeMap<(usize, usize), BTreeSet<usize>>,
    /// Whether it does what the program does for these vectors; else states with equal outputs are
    /// one, although the program may tell them apart.
    pub exact: bool,
}

const SCHEMA: &str = "provoke/machine/1";

#[derive(Serialize, Deserialize)]
struct StoredMachine {
    schema: String,
    exact: bool,
    states: Vec<Vector>,
    vectors: Vec<Vector>,
    edges: Vec<(usize, usize, BTreeSet<usize>)>,
}

impl StateMachine {
    /// The machine of runs and single steps, merged by equal outputs.
    pub fn observed(runs: &[(InputSequence, ProgramRun)], steps: &[SeenStep]) -> StateMachine {
        let mut machine = StateMachine::default();
        let (mut states, mut vectors) = (BTreeMap::new(), BTreeMap::new());
        for (test, run) in runs {
            let mut from = intern(&mut states, &mut machine.states, &run.initial);
            for (vector, outputs) in test.iter().zip(&run.outputs) {
                let vector = intern(&mut vectors, &mut machine.vectors, vector);
                let to = intern(&mut states, &mut machine.states, outputs);
                machine.edges.entry((from, to)).or_default().insert(vector);
                from = to;
            }
        }
        for SeenStep { before, inputs, after } in steps {
            let from = intern(&mut states, &mut machine.states, before);
            let vector = intern(&mut vectors, &mut machine.vectors, inputs);
            let to = intern(&mut states, &mut machine.states, after);
            machine.edges.entry((from, to)).or_default().insert(vector);
        }
        machine
    }

    /// The least machine that does what all transitions of a program do.
    pub fn exact(transitions: &Transitions) -> StateMachine {
        // A state is where the program is and what it shows: Moore's form.
        let mut places: BTreeMap<(u32, Option<u32>), usize> = BTreeMap::from([((0, None), 0)]);
        let mut queue = vec![(0, None)];
        let mut next: Vec<Vec<Option<usize>>> = Vec::new();
        while let Some(&(memory, _)) = queue.get(next.len()) {
            let mut row = Vec::with_capacity(transitions.vectors.len());
            for step in &transitions.next[memory as usize] {
                row.push(step.map(|(memory, outputs)| {
                    let count = places.len();
                    *places.entry((memory, Some(outputs))).or_insert_with(|| {
                        queue.push((memory, Some(outputs)));
                        count
                    })
                }));
            }
            next.push(row);
        }
        let outputs: Vec<&Vector> = queue
            .iter()
            .map(|(_, outputs)| {
                outputs.map_or(&transitions.initial, |place| &transitions.outputs[place as usize])
            })
            .collect();
        let classes = equivalent(&outputs, &next);
        let mut machine = StateMachine {
            vectors: transitions.vectors.clone(),
            exact: true,
            ..StateMachine::default()
        };
        machine.states = vec![Vector::new(); classes.iter().max().map_or(0, |last| last + 1)];
        for (state, row) in next.iter().enumerate() {
            machine.states[classes[state]].clone_from(outputs[state]);
            for (vector, target) in row.iter().enumerate() {
                if let Some(target) = target {
                    machine
                        .edges
                        .entry((classes[state], classes[*target]))
                        .or_default()
                        .insert(vector);
                }
            }
        }
        machine
    }

    /// As a file of its own.
    pub fn to_json(&self) -> String {
        let stored = StoredMachine {
            schema: SCHEMA.to_string(),
            exact: self.exact,
            states: self.states.clone(),
            vectors: self.vectors.clone(),
            edges: self
                .edges
                .iter()
                .map(|((from, to), vectors)| (*from, *to, vectors.clone()))
                .collect(),
        };
        serde_json::to_string(&stored).expect("plain data") + "\n"
    }

    /// Reads what [`StateMachine::to_json`] wrote.
    pub fn from_json(bytes: &[u8]) -> Result<StateMachine, String> {
        let stored: StoredMachine =
            serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let StoredMachine { schema, exact, states, vectors, edges } = stored;
        if schema != SCHEMA {
            return Err(format!("its schema is not {SCHEMA}"));
        }
        let fits = |(from, to, on): &(usize, usize, BTreeSet<usize>)| {
            *from < states.len()
                && *to < states.len()
                && on.last().is_none_or(|last| *last < vectors.len())
        };
        if states.is_empty() || !edges.iter().all(fits) {
            return Err("an edge leads nowhere".to_string());
        }
        let edges = edges.into_iter().map(|(from, to, on)| ((from, to), on)).collect();
        Ok(StateMachine { states, vectors, edges, exact })
    }

    /// How many transitions between two states there are.
    pub fn transitions(&self) -> usize {
        self.edges.len()
    }

    /// For each state and vector the state that follows, where it is only one.
    pub fn successors(&self) -> Vec<BTreeMap<usize, usize>> {
        let mut successors = vec![BTreeMap::new(); self.states.len()];
        for ((from, to), vectors) in &self.edges {
            for vector in vectors {
                successors[*from].insert(*vector, *to);
            }
        }
        successors
    }

    /// The values that each input had.
    pub fn domains(&self, suite: &Suite) -> Vec<BTreeSet<i64>> {
        let values = |input: usize| self.vectors.iter().map(|vector| vector[input]).collect();
        (0..suite.inputs.len()).map(values).collect()
    }

    /// For a state, where the inputs lead.
    pub fn tree(&self, suite: &Suite, state: usize) -> GuardTree {
        let mut cases = Vec::new();
        for ((_, to), vectors) in self.edges.range((state, 0)..=(state, usize::MAX)) {
            cases.extend(vectors.iter().map(|vector| (&self.vectors[*vector], *to)));
        }
        guard::tree(suite, &cases, if self.exact { Detail::All } else { Detail::Gist })
    }

    /// The outputs of a state as a name: what differs between states, constants alone, truth values
    /// by the variable's name.
    pub fn name(&self, suite: &Suite, state: usize) -> String {
        let mut parts = Vec::new();
        for (output, signal) in suite.outputs.iter().enumerate() {
            let word = self.states[state][output];
            if self.states.iter().all(|other| other[output] == word) {
                continue;
            }
            let value = to_value(word, signal.ty).show(signal.ty, &suite.enums);
            match signal.ty {
                provoke_model::Type::Bool if word == 0 => {}
                provoke_model::Type::Bool => parts.push(signal.name.clone()),
                provoke_model::Type::Enum(_) => parts.push(value),
                _ => parts.push(format!("{}={value}", signal.name)),
            }
        }
        if parts.is_empty() { "-".to_string() } else { parts.join(" ") }
    }

    /// Where conditions lead from a state: those that lead to the same places together, the sure
    /// ones first.
    pub fn ways(&self, suite: &Suite, state: usize) -> Vec<(Vec<String>, BTreeSet<usize>)> {
        let domains = self.domains(suite);
        let mut ways: BTreeMap<(bool, BTreeSet<usize>), Vec<String>> = BTreeMap::new();
        for (condition, targets) in self.tree(suite, state).ways(&domains) {
            let text = guard::show(suite, &condition, &domains);
            ways.entry((targets.len() > 1, targets)).or_default().push(text);
        }
        ways.into_iter().map(|((_, targets), conditions)| (conditions, targets)).collect()
    }

    /// The edges as people read them: for each state, where conditions on the inputs lead.
    pub fn readable(&self, suite: &Suite) -> Vec<ReadableEdge> {
        let domains = self.domains(suite);
        let mut edges: BTreeMap<(usize, usize), ReadableEdge> = BTreeMap::new();
        for from in 0..self.states.len() {
            for (condition, targets) in self.tree(suite, from).ways(&domains) {
                let text = guard::show(suite, &condition, &domains);
                for to in &targets {
                    let empty =
                        ReadableEdge { from, to: *to, when: Vec::new(), sometimes: Vec::new() };
                    let edge = edges.entry((from, *to)).or_insert(empty);
                    if targets.len() > 1 { &mut edge.sometimes } else { &mut edge.when }
                        .push(text.clone());
                }
            }
        }
        edges.into_values().collect()
    }
}

/// An edge and its conditions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadableEdge {
    /// Where it starts.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// Conditions under which it is taken.
    pub when: Vec<String>,
    /// Conditions under which it may be taken: they do not decide alone.
    pub sometimes: Vec<String>,
}

impl ReadableEdge {
    /// All conditions in a line.
    pub fn label(&self) -> String {
        let sure = self.when.iter().cloned();
        let unsure = self.sometimes.iter().map(|text| format!("{text} (more than that decides)"));
        sure.chain(unsure).collect::<Vec<_>>().join("; or ")
    }
}

fn intern(known: &mut BTreeMap<Vector, usize>, list: &mut Vec<Vector>, vector: &Vector) -> usize {
    let next = list.len();
    let place = *known.entry(vector.clone()).or_insert(next);
    if place == next {
        list.push(vector.clone());
    }
    place
}

/// Classes of states that no sequence of inputs tells apart, numbered in the order of the states.
fn equivalent(outputs: &[&Vector], next: &[Vec<Option<usize>>]) -> Vec<usize> {
    let number = |keys: Vec<Vec<i64>>| {
        let mut known = BTreeMap::new();
        let mut classes = Vec::with_capacity(keys.len());
        for key in keys {
            let count = known.len();
            classes.push(*known.entry(key).or_insert(count));
        }
        (classes, known.len())
    };
    let (mut classes, mut count) =
        number(outputs.iter().map(|outputs| (*outputs).clone()).collect());
    loop {
        let key = |state: usize| {
            let mut key = vec![classes[state] as i64];
            key.extend(
                next[state].iter().map(|target| target.map_or(-1, |target| classes[target] as i64)),
            );
            key
        };
        let (refined, finer) = number((0..next.len()).map(key).collect());
        if finer == count {
            return refined;
        }
        (classes, count) = (refined, finer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_that_nothing_tells_apart_are_one() {
        // 0 -> 1 -> 2 -> 1 ..., where 1 and 2 show the same and go on alike.
        let (off, on) = (vec![0], vec![1]);
        let outputs = [&off, &on, &on, &off];
        let next = [[Some(1)], [Some(2)], [Some(1)], [Some(3)]].map(|row| row.to_vec());
        assert_eq!(equivalent(&outputs, &next), [0, 1, 1, 2]);
    }
}
