//! Exploration by simulation: random runs, and bursts from states worth coming back to.
//!
//! Every step is measured against all open obligations. A state is kept when a step to it
//! covered something or, now and then, when it has not been seen; bursts start from the state
//! that was tried least, or from a recent one, and change one or two inputs at each step.

use std::hash::{DefaultHasher, Hash, Hasher};

use provoke_base::Random;
use provoke_criteria::{Checkpoint, Measurement};
use provoke_model::{System, Value};
use provoke_sim::{Breach, Dense, State};
use rustc_hash::FxHashSet;

use crate::pool::Pool;

/// A test that covers something new.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The inputs of each step from the initial state.
    pub steps: Vec<Vec<Value>>,
    /// The positions of the obligations it was the first to cover.
    pub covered: Vec<usize>,
}

/// A state that was reached, and how.
struct Place {
    checkpoint: Checkpoint,
    /// The place the last burst started from.
    parent: Option<usize>,
    /// The inputs from there.
    inputs: Vec<Vec<Value>>,
    visits: u32,
}

/// Explores one system.
pub struct Explorer<'a> {
    system: &'a System,
    pool: Pool,
    random: Random,
    places: Vec<Place>,
    seen: FxHashSet<u64>,
    /// Tries inputs before they are measured, where the environment promises something.
    trial: Option<Dense>,
    steps: u64,
}

const BURST: usize = 8;
const RUN: usize = 40;
const MAX_PLACES: usize = 8192;
/// How often inputs outside the assumptions are drawn again.
const TRIES: usize = 40;

impl<'a> Explorer<'a> {
    /// An explorer that has seen nothing.
    pub fn new(system: &'a System, seed: u64) -> Explorer<'a> {
        let promises = !system.assumptions.is_empty();
        Explorer {
            system,
            pool: Pool::new(system),
            random: Random::for_part(seed, "explore"),
            places: Vec::new(),
            seen: FxHashSet::default(),
            trial: promises.then(|| Dense::new(system)),
            steps: 0,
        }
    }

    /// How many steps were simulated.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Random runs from the initial state and bursts from kept states, in turn, until `limit`
    /// steps are done, nothing is open, `patience` steps brought nothing new, or `stop` says
    /// so. Calls `found` for every test that covers something.
    pub fn explore(
        &mut self,
        measurement: &mut Measurement,
        limit: u64,
        patience: u64,
        mut stop: impl FnMut() -> bool,
        mut found: impl FnMut(Found),
    ) {
        let end = self.steps + limit;
        let mut last_gain = self.steps;
        let mut open = measurement.coverage().total() - measurement.coverage().covered();
        while open > 0 && self.steps < end && self.steps - last_gain < patience && !stop() {
            let test = if self.places.is_empty() || self.random.chance(1, 4) {
                self.run(measurement, None, RUN)
            } else {
                let from = self.choose();
                self.run(measurement, Some(from), BURST)
            };
            if let Some(test) = test {
                open -= test.covered.len();
                last_gain = self.steps;
                found(test);
            }
        }
    }

    /// The least visited of a few, a quarter of the time one of the newest.
    fn choose(&mut self) -> usize {
        let count = self.places.len();
        if self.random.chance(1, 4) {
            return count - 1 - self.random.below(count.min(32));
        }
        let candidates = [(); 4].map(|()| self.random.below(count));
        let least = candidates.into_iter().min_by_key(|place| self.places[*place].visits);
        least.expect("four candidates")
    }

    /// A run from a place or from the start; a test if it covered something.
    fn run(
        &mut self,
        measurement: &mut Measurement,
        from: Option<usize>,
        length: usize,
    ) -> Option<Found> {
        let mut row = match from {
            None => {
                measurement.begin();
                self.pool.row(&mut self.random)
            }
            Some(place) => {
                self.places[place].visits += 1;
                measurement.resume(&self.places[place].checkpoint);
                self.places[place].inputs.last().cloned().unwrap_or_default()
            }
        };
        let hold = self.random.chance(1, 8);
        let mut inputs: Vec<Vec<Value>> = Vec::new();
        let mut covered = Vec::new();
        let mut useful = 0;
        for step in 0..length {
            if step > 0 || from.is_some() {
                // Holding the inputs lets timers run out.
                if !hold || step == 0 {
                    self.pool.mutate(&mut self.random, &mut row);
                }
            }
            if !self.allowed(measurement, &mut row) {
                break;
            }
            let before = measurement.coverage().covered();
            if measurement.step(&row).is_err() {
                break;
            }
            self.steps += 1;
            inputs.push(row.clone());
            if measurement.coverage().covered() > before {
                useful = inputs.len();
            }
            if useful == inputs.len() || self.is_new(measurement) {
                self.keep(measurement, from, &inputs);
            }
        }
        let run = measurement.end();
        covered.extend(run.covered);
        (!covered.is_empty()).then(|| {
            let mut steps = self.prefix(from);
            steps.extend_from_slice(&inputs[..useful]);
            Found { steps, covered }
        })
    }

    /// Draws inputs again until they are inside the assumptions.
    fn allowed(&mut self, measurement: &Measurement, row: &mut Vec<Value>) -> bool {
        let Some(trial) = &mut self.trial else { return true };
        let before = measurement.dense().state();
        for _ in 0..TRIES {
            trial.restore(&before);
            let outside = |breach: &Breach| match breach {
                Breach::Assumption(_) => true,
                Breach::Range(var) => self.system.inputs.contains(var),
            };
            match trial.step(row) {
                Ok(breaches) if !breaches.iter().any(outside) => return true,
                _ => *row = self.pool.row(&mut self.random),
            }
        }
        false
    }

    /// Whether a state was never seen; only one in eight of those is worth keeping.
    fn is_new(&mut self, measurement: &Measurement) -> bool {
        if self.places.len() >= MAX_PLACES || !self.random.chance(1, 8) {
            return false;
        }
        self.seen.insert(fingerprint(&measurement.dense().state()))
    }

    fn keep(
        &mut self,
        measurement: &Measurement,
        parent: Option<usize>,
        inputs: &[Vec<Value>],
    ) -> bool {
        // What covers something may take more room than what is merely new.
        let room = self.places.len() < 2 * MAX_PLACES;
        if room {
            let checkpoint = measurement.checkpoint();
            self.places.push(Place { checkpoint, parent, inputs: inputs.to_vec(), visits: 0 });
        }
        room
    }

    /// Runs a test that was found elsewhere, keeps the states it goes through, and says what it
    /// covers.
    pub fn adopt(&mut self, measurement: &mut Measurement, steps: &[Vec<Value>]) -> Option<Found> {
        measurement.begin();
        let mut parent = None;
        let mut done = 0;
        for row in steps {
            if measurement.step(row).is_err() {
                break;
            }
            done += 1;
            if self.seen.insert(fingerprint(&measurement.dense().state())) {
                let inputs = &steps[self.depth(parent)..done];
                if self.keep(measurement, parent, inputs) {
                    parent = Some(self.places.len() - 1);
                }
            }
        }
        let covered = measurement.end().covered;
        (!covered.is_empty()).then(|| Found { steps: steps[..done].to_vec(), covered })
    }

    /// How many steps lead to a place.
    fn depth(&self, place: Option<usize>) -> usize {
        place.map_or(0, |place| self.places[place].checkpoint.state.steps_done())
    }

    /// The states that were kept, each with how often a burst started there; the positions are
    /// what [`Explorer::way_to`] takes.
    pub fn places(&self) -> impl Iterator<Item = (&Checkpoint, u32)> {
        self.places.iter().map(|place| (&place.checkpoint, place.visits))
    }

    /// The state at a position.
    pub fn place(&self, position: usize) -> &Checkpoint {
        &self.places[position].checkpoint
    }

    /// The inputs that lead to a place.
    pub fn way_to(&self, position: usize) -> Vec<Vec<Value>> {
        self.prefix(Some(position))
    }

    /// The remembered values of the states that were kept.
    pub fn samples(&self) -> Vec<Vec<Value>> {
        self.places.iter().map(|place| place.checkpoint.state.memory().to_vec()).collect()
    }

    /// The inputs that lead to a place.
    fn prefix(&self, place: Option<usize>) -> Vec<Vec<Value>> {
        let mut parts = Vec::new();
        let mut at = place;
        while let Some(place) = at {
            parts.push(&self.places[place].inputs);
            at = self.places[place].parent;
        }
        parts.into_iter().rev().flatten().cloned().collect()
    }
}

/// A hash of what is remembered, whatever the number of steps that led there.
fn fingerprint(state: &State) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.memory().hash(&mut hasher);
    hasher.finish()
}
