//! Breadth-first over the whole memory of the program: when the search closes, nothing more can be
//! reached.

use std::collections::{BTreeSet, VecDeque};
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::classes::representatives;
use crate::compile::Trouble;
use crate::run::{Stop, Vector};
use crate::search::{Closure, Found, HANG_COST, Setting, Subject, Test, Work};

/// The most vectors of inputs that are tried in each state.
pub const MAX_ALPHABET: u128 = 40_000;
/// So many vectors are tried in each state even if fewer would stand for them.
const PRACTICAL: u128 = 1024;
/// The most bytes of saved states.
const MAX_BYTES: usize = 768 << 20;
/// The most transitions that are kept for the machine.
const MAX_TRANSITIONS: usize = 4_000_000;

/// All transitions of a program whose search closed.
#[derive(Clone, Debug, Default)]
pub struct Transitions {
    /// The alphabet.
    pub vectors: Vec<Vector>,
    /// The outputs before the first step.
    pub initial: Vector,
    /// For each state and vector, the state after it and the place of its outputs; states that end
    /// have none.
    pub next: Vec<Vec<Option<(u32, u32)>>>,
    /// All vectors of outputs.
    pub outputs: Vec<Vector>,
}

/// States as the bytes in which they differ from the first one, and how they were reached.
struct Known {
    initial: Vec<u8>,
    /// Places that differ from the first state in some state; earlier states are equal there.
    places: Vec<u32>,
    is_place: Vec<bool>,
    states: Vec<State>,
    by_hash: FxHashMap<u64, Vec<u32>>,
    bytes: usize,
}

struct State {
    length: u32,
    values: Box<[u8]>,
    parent: u32,
    input: u32,
}

impl Known {
    fn base(&self, place: u32) -> u8 {
        self.initial.get(place as usize).copied().unwrap_or(0)
    }

    /// The values at all places where states differ, shortened where nothing follows that does.
    fn compact(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.initial.resize(self.initial.len().max(bytes.len()), 0);
        self.is_place.resize(self.initial.len(), false);
        // Most bytes are as they were; looking at eight of them at once finds the others.
        for (block, (now, first)) in bytes.chunks(8).zip(self.initial.chunks(8)).enumerate() {
            if now == &first[..now.len()] {
                continue;
            }
            for (offset, (byte, base)) in now.iter().zip(first).enumerate() {
                let place = block * 8 + offset;
                if byte != base && !self.is_place[place] {
                    self.is_place[place] = true;
                    self.places.push(place as u32);
                }
            }
        }
        let value = |place: &u32| bytes.get(*place as usize).copied().unwrap_or(0);
        let mut values: Vec<u8> = self.places.iter().map(value).collect();
        while let Some(last) = values.last()
            && *last == self.base(self.places[values.len() - 1])
        {
            values.pop();
        }
        values
    }

    /// The state with these bytes, and whether it is new.
    fn intern(&mut self, bytes: &[u8], parent: u32, input: u32) -> (u32, bool) {
        let values = self.compact(bytes);
        let length = bytes.len() as u32;
        let mut hasher = FxHasher::default();
        (length, &values).hash(&mut hasher);
        let hash = hasher.finish();
        let same = |&&id: &&u32| {
            let state = &self.states[id as usize];
            state.length == length && *state.values == *values
        };
        if let Some(&id) = self.by_hash.get(&hash).and_then(|alike| alike.iter().find(same)) {
            return (id, false);
        }
        let id = self.states.len() as u32;
        self.by_hash.entry(hash).or_default().push(id);
        self.bytes += values.len() + 64;
        self.states.push(State { length, values: values.into(), parent, input });
        (id, true)
    }

    fn expand(&self, id: u32, bytes: &mut Vec<u8>) {
        let state = &self.states[id as usize];
        bytes.clear();
        bytes.extend_from_slice(&self.initial[..state.length as usize]);
        for (place, value) in self.places.iter().zip(&state.values) {
            if let Some(byte) = bytes.get_mut(*place as usize) {
                *byte = *value;
            }
        }
    }

    fn path(&self, id: u32, vectors: &[Vector]) -> Test {
        let mut path = Vec::new();
        let mut at = id;
        while at != 0 {
            let state = &self.states[at as usize];
            path.push(vectors[state.input as usize].clone());
            at = state.parent;
        }
        path.reverse();
        path
    }
}

/// Searches until nothing is left. The second result has all transitions, if the search closed and
/// they are not too many. `pure` says that all state is in the memory that is saved.
pub fn exhaustive_search(
    setting: &mut Setting<'_>,
    pure: bool,
    work: &mut Work<'_>,
) -> Result<(Found, Option<Transitions>), Trouble> {
    let Subject::Library(program) = &mut *setting.subject else {
        return Err(Trouble::new(
            "the exhaustive search needs a program that shares this process",
            "use `--method archive`",
        ));
    };
    let mut alphabet = setting.alphabet.widened(PRACTICAL);
    if !alphabet.is_complete() {
        alphabet = representatives(program, setting.alphabet, setting.seed);
    }
    let Some(vectors) = alphabet.vectors(MAX_ALPHABET) else {
        let reason = format!(
            "the inputs have {} combinations of values, more than {MAX_ALPHABET}",
            alphabet.size()
        );
        return Err(Trouble::new(
            reason,
            "give fewer `values` to inputs in the file, or use `--method archive`",
        ));
    };
    let mut found = Found::default();
    let mut known_stops = BTreeSet::new();
    program.forget();
    program.reset();
    let mut bytes = Vec::new();
    program.save(&mut bytes);
    let mut transitions = Transitions { vectors: vectors.clone(), ..Transitions::default() };
    program.outputs(&mut transitions.initial);
    let mut known = Known {
        initial: bytes.clone(),
        places: Vec::new(),
        is_place: Vec::new(),
        states: Vec::new(),
        by_hash: FxHashMap::default(),
        bytes: 0,
    };
    known.intern(&bytes, 0, 0);
    let mut outputs_known: FxHashMap<Vector, u32> = FxHashMap::default();
    let mut queue = VecDeque::from([0u32]);
    let (mut closed, mut kept, mut from, mut out) = (true, true, Vec::new(), Vector::new());
    'search: while let Some(state) = queue.pop_front() {
        known.expand(state, &mut from);
        let mut row = Vec::with_capacity(if kept { vectors.len() } else { 0 });
        for (input, vector) in vectors.iter().enumerate() {
            if !work.take(1) || known.bytes > MAX_BYTES {
                closed = false;
                break 'search;
            }
            program.restore(&from);
            let stop = program.step(vector, &mut out);
            if stop == Some(Stop::Hang) {
                work.take(HANG_COST);
            }
            let fresh = program.fresh() > 0;
            if fresh || stop.as_ref().is_some_and(|stop| stop.is_finding()) {
                let mut test = known.path(state, &vectors);
                test.push(vector.clone());
                match &stop {
                    Some(stop) if stop.is_finding() => {
                        found.stopped(&mut known_stops, stop, &[i64::from(state)], &test);
                    }
                    _ => found.tests.push(test),
                }
            }
            if stop.is_some() {
                row.push(None);
                continue;
            }
            program.save(&mut bytes);
            let (next, new) = known.intern(&bytes, state, input as u32);
            if new {
                queue.push_back(next);
            }
            if kept {
                let count = outputs_known.len() as u32;
                let place = *outputs_known.entry(out.clone()).or_insert(count);
                if place == count {
                    transitions.outputs.push(out.clone());
                }
                row.push(Some((next, place)));
            }
        }
        if kept {
            transitions.next.push(row);
            kept = transitions.next.len() * vectors.len() < MAX_TRANSITIONS;
        }
    }
    found.states = known.states.len();
    found.steps = work.done;
    found.closure = match (closed, alphabet.is_complete() && pure) {
        (false, _) => Closure::Open,
        (true, false) => Closure::OverValues,
        (true, true) => Closure::Proven,
    };
    let complete = closed && kept;
    Ok((found, complete.then_some(transitions)))
}
