//! Breadth-first over the whole memory of the program: when the search closes, nothing more can be
//! reached.

use std::collections::{BTreeSet, VecDeque};
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::classes::Classes;
use crate::compile::MiningError;
use crate::library::{LoadedProgram, SavedState};
use crate::run::{StepFailure, Vector};
use crate::search::{
    Behaviour, Closure, HANG_COST, InputSequence, RunningProgram, SearchContext, SearchResult,
    StepBudget,
};

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

    fn path(&self, id: u32, vectors: &[Vector]) -> InputSequence {
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
    setting: &mut SearchContext<'_>,
    pure: bool,
    work: &mut StepBudget<'_>,
) -> Result<(SearchResult, Option<Transitions>), MiningError> {
    let RunningProgram::Library(program) = &mut *setting.subject else {
        return Err(MiningError::new(
            "the exhaustive search needs a program that shares this process",
            "use `--method archive`",
        ));
    };
    let mut alphabet = setting.alphabet.widened(PRACTICAL);
    let mut classes = (!alphabet.is_complete())
        .then(|| Classes::sampled(program, setting.alphabet, setting.seed));
    program.forget();
    let behaviour = (!program.sees_conditions).then(Behaviour::default);
    let mut search =
        Search { program, work, found: SearchResult::default(), stops: BTreeSet::new(), behaviour };
    // A state that tells more values apart than were known begins another round with these; there
    // are no more rounds than values.
    let transitions = loop {
        if let Some(classes) = &classes {
            alphabet = classes.representatives();
        }
        let Some(vectors) = alphabet.vectors(MAX_ALPHABET) else {
            return Err(too_many(alphabet.size()));
        };
        let mut round = Round::new(search.program, vectors);
        let end = search.breadth_first(&mut round, classes.as_mut());
        search.found.states = round.known.states.len();
        match end {
            End::Again => {}
            End::Exhausted => break None,
            End::Closed => {
                let proven = alphabet.is_complete() && pure;
                search.found.closure = if proven { Closure::Proven } else { Closure::OverValues };
                break round.kept.then_some(round.transitions);
            }
        }
    };
    let Search { mut found, work, .. } = search;
    found.steps = work.done;
    Ok((found, transitions))
}

fn too_many(size: u128) -> MiningError {
    let reason = format!("the inputs have {size} combinations of values, more than {MAX_ALPHABET}");
    let hint = "give fewer `values` to inputs in the file, or use `--method archive`";
    MiningError::new(reason, hint)
}

/// How a round ends.
enum End {
    /// Nothing is left to try.
    Closed,
    /// The work or the memory that is allowed is used up.
    Exhausted,
    /// Values that were one class are not.
    Again,
}

/// One breadth-first search with a fixed alphabet.
struct Round {
    vectors: Vec<Vector>,
    known: Known,
    queue: VecDeque<u32>,
    transitions: Transitions,
    /// The place of each vector of outputs.
    outputs: FxHashMap<Vector, u32>,
    /// Whether all transitions so far are kept.
    kept: bool,
}

impl Round {
    fn new(program: &mut LoadedProgram, vectors: Vec<Vector>) -> Round {
        program.reset();
        let initial = program.save().bytes().to_vec();
        let mut transitions = Transitions { vectors: vectors.clone(), ..Transitions::default() };
        program.outputs(&mut transitions.initial);
        let mut known = Known {
            initial: initial.clone(),
            places: Vec::new(),
            is_place: Vec::new(),
            states: Vec::new(),
            by_hash: FxHashMap::default(),
            bytes: 0,
        };
        known.intern(&initial, 0, 0);
        let (queue, outputs) = (VecDeque::from([0]), FxHashMap::default());
        Round { vectors, known, queue, transitions, outputs, kept: true }
    }

    /// The place of a vector of outputs.
    fn place(&mut self, out: &Vector) -> u32 {
        let count = self.outputs.len() as u32;
        let place = *self.outputs.entry(out.clone()).or_insert(count);
        if place == count {
            self.transitions.outputs.push(out.clone());
        }
        place
    }
}

struct Search<'a, 'w> {
    program: &'a mut LoadedProgram,
    work: &'a mut StepBudget<'w>,
    found: SearchResult,
    stops: BTreeSet<(StepFailure, Vector)>,
    /// What was seen at the outputs, where code alone does not tell tests apart.
    behaviour: Option<Behaviour>,
}

impl Search<'_, '_> {
    fn breadth_first(&mut self, round: &mut Round, mut classes: Option<&mut Classes<'_>>) -> End {
        // Comparing values takes as long as the search itself, at most.
        let cost = classes.as_ref().map_or(0, |classes| classes.cost());
        let period = cost.div_ceil(round.vectors.len()).max(1) as u32;
        let mut from = self.program.save();
        while let Some(state) = round.queue.pop_front() {
            round.known.expand(state, from.unpack());
            if let Some(classes) = classes.as_mut().filter(|_| state.is_multiple_of(period)) {
                self.program.restore(&from);
                self.work.take(cost as u64);
                let tests = &mut self.found.tests;
                let refined = classes.compare(self.program, |vector| {
                    let mut test = round.known.path(state, &round.vectors);
                    test.push(vector.clone());
                    tests.push(test);
                });
                if refined {
                    return End::Again;
                }
            }
            if !self.expand(round, state, &from) {
                return End::Exhausted;
            }
        }
        End::Closed
    }

    /// Tries all vectors in a state; false if that was too much.
    fn expand(&mut self, round: &mut Round, state: u32, from: &SavedState) -> bool {
        let mut row = Vec::with_capacity(if round.kept { round.vectors.len() } else { 0 });
        let (mut out, mut after) = (Vector::new(), self.program.save());
        let mut before = Vector::new();
        self.program.restore(from);
        self.program.outputs(&mut before);
        for input in 0..round.vectors.len() {
            if !self.work.take(1) || round.known.bytes > MAX_BYTES {
                return false;
            }
            self.program.restore(from);
            let stop = self.program.step(&round.vectors[input], &mut out);
            let seen =
                stop.is_none() && self.behaviour.as_mut().is_some_and(|b| b.note(&before, &out));
            self.note(round, state, input, stop.as_ref(), seen);
            if stop.is_some() {
                row.push(None);
                continue;
            }
            self.program.save_into(&mut after);
            let (next, new) = round.known.intern(after.bytes(), state, input as u32);
            if new {
                round.queue.push_back(next);
            }
            if round.kept {
                row.push(Some((next, round.place(&out))));
            }
        }
        if round.kept {
            round.transitions.next.push(row);
            round.kept = round.transitions.next.len() * round.vectors.len() < MAX_TRANSITIONS;
        }
        true
    }

    /// Keeps a test that reaches new code, was seen to show something new, or shows what is wrong.
    fn note(
        &mut self,
        round: &Round,
        state: u32,
        input: usize,
        stop: Option<&StepFailure>,
        seen: bool,
    ) {
        if stop == Some(&StepFailure::Hang) {
            self.work.take(HANG_COST);
        }
        let finding = stop.filter(|stop| stop.is_finding());
        if self.program.fresh() == 0 && !seen && finding.is_none() {
            return;
        }
        let mut test = round.known.path(state, &round.vectors);
        test.push(round.vectors[input].clone());
        match finding {
            Some(stop) => {
                self.found.stopped(&mut self.stops, stop, &[i64::from(state)], &test);
            }
            None => self.found.tests.push(test),
        }
    }
}
