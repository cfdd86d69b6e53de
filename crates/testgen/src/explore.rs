//! Exploration by simulation: random runs, and bursts from states worth coming back to.
//!
//! Batches of 64 runs are scanned for open obligations; a run that covers one is measured, and
//! only that counts. States are kept, one for each rough neighbourhood, and all states of a run
//! that showed something new; bursts start from the state that was tried least, or from a
//! recent one, and change a few inputs at each step. Some take a run-up: tags that a burst
//! makes visible may have started before it.

mod flights;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

use provoke_base::{Int, Random};
use provoke_criteria::{Measurement, Scan, Sighting};
use provoke_model::{ExprKind, System, Value};
use provoke_sim::{Breach, LANES, Risks, RunSet, SimProgram, SimState};
use rustc_hash::FxHashSet;

use crate::aim::Aims;
use crate::candidate_values::CandidateValues;
use crate::loop_acceleration::AcceleratedLoop;
use crate::parallel::each_in_parallel;

/// A test that covers something new.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoveringTest {
    /// The inputs of each step from the initial state.
    pub steps: Vec<Vec<Value>>,
    /// The positions of the obligations it was the first to cover.
    pub covered: Vec<usize>,
}

/// A state that was reached, and how.
struct ReachedState {
    state: SimState,
    /// The place that the run to it started from.
    parent: Option<usize>,
    /// The inputs from there, and how often they come one after the other.
    inputs: Vec<Vec<Value>>,
    times: usize,
    visits: u32,
}

impl ReachedState {
    /// All inputs from its parent.
    fn way(&self) -> impl Iterator<Item = Vec<Value>> {
        (0..self.times).flat_map(|_| self.inputs.iter().cloned())
    }
}

/// A place in which the tag of an obligation waits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitingTag {
    /// The position of the place.
    pub place: usize,
    /// The delays it waits in.
    pub slots: Vec<usize>,
}

/// Explores one system.
pub struct StateExplorer<'a> {
    /// Whether an undefined value may divide by zero: then nothing is known behind a state.
    is_risky: bool,
    system: &'a System,
    pool: CandidateValues,
    random: Random,
    places: Vec<ReachedState>,
    /// The places in which a truth value is remembered as false, and as true; for some delays.
    classes: Vec<[Vec<usize>; 2]>,
    /// How many values the places hold in all.
    values: usize,
    cells: FxHashSet<u64>,
    /// Numbers that tell states apart which are of the same length.
    thresholds: Vec<i64>,
    /// Whether the base of an obligation was seen to hold.
    reached: Vec<bool>,
    /// Whether an obligation is not worth looking for: nothing can cover it.
    hopeless: Vec<bool>,
    /// Where the tag of an obligation waits.
    waiting: Vec<Vec<WaitingTag>>,
    /// One for each batch of a round.
    scans: Vec<Mutex<Scan>>,
    /// What inputs each obligation seems to need, where there are many.
    aims: Aims,
    /// The inputs that make most of what a wide decision needs so.
    best_row: Option<Vec<Value>>,
    /// The last inputs of the newest tests.
    useful_rows: Vec<Vec<Value>>,
    /// Whether there are any since all obligations were aimed at, and how often they were.
    has_new_rows: bool,
    aimings: usize,
    /// How long a batch may be: all its steps are held in memory.
    longest: usize,
    /// What a step counts.
    weight: u64,
    steps: u64,
    /// How many long batches there were, and how many of the steps were theirs.
    long_batches: usize,
    long_steps: u64,
}

/// When exploring ends.
#[derive(Clone, Copy, Debug)]
pub struct ExplorationLimit {
    /// After this many steps.
    pub limit: u64,
    /// After this many steps that brought nothing new.
    pub in_vain: u64,
    /// How many threads simulate.
    pub jobs: usize,
}

/// How many batches make a round; a number of its own, so that the result does not depend on
/// the number of threads.
const BATCHES: usize = 4;
const RUN: usize = 32;
const BURST: usize = 8;
const LONG_BURST: usize = 24;
/// How long runs are that keep to a pattern, so that counters count and timers run out.
const LONG: [usize; 3] = [128, 512, LONGEST];
pub(crate) const LONGEST: usize = 1280;
/// They are at most one in so many steps.
const LONG_SHARE: u64 = 4;
/// What a pattern is made of, at most.
const PHASES: usize = 3;
const PHASE: usize = 16;
/// What a step counts where numbers are exact: about as much as it takes longer.
const EXACT_WEIGHT: u64 = 64;
/// How often inputs outside the assumptions are drawn again.
const TRIES: usize = 20;
/// How many values the kept states may have in all.
const MAX_VALUES: usize = 4_000_000;
/// How many useful inputs are kept.
const MAX_USEFUL: usize = 16;
/// How often all obligations are aimed at.
const MAX_AIMINGS: usize = 4;
/// How many bytes a batch may take.
const MAX_BATCH_BYTES: usize = 48 << 20;

impl<'a> StateExplorer<'a> {
    /// An explorer that has seen nothing, for the obligations of `scan`.
    pub fn new(
        system: &'a System,
        scan: &Scan,
        obligations: usize,
        seed: u64,
    ) -> StateExplorer<'a> {
        let weight = if scan.is_exact() { EXACT_WEIGHT } else { 1 };
        StateExplorer {
            is_risky: Risks::new(&Arc::new(SimProgram::new(system))).are_possible(),
            system,
            weight,
            pool: CandidateValues::new(system),
            random: Random::for_part(seed, "explore"),
            places: Vec::new(),
            classes: Vec::new(),
            values: 0,
            cells: FxHashSet::default(),
            thresholds: thresholds(system),
            reached: vec![false; obligations],
            hopeless: vec![false; obligations],
            waiting: vec![Vec::new(); obligations],
            scans: (0..BATCHES).map(|_| Mutex::new(scan.clone())).collect(),
            aims: Aims::new(system, scan),
            best_row: None,
            useful_rows: Vec::new(),
            has_new_rows: false,
            aimings: 0,
            longest: longest(system, scan),
            steps: 0,
            long_batches: 0,
            long_steps: 0,
        }
    }

    /// How much was simulated, in steps of 64 runs side by side; exact ones count more.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Looks for an obligation no more.
    pub fn give_up(&mut self, obligation: usize) {
        self.hopeless[obligation] = true;
    }

    /// What is looked for.
    fn open(&self, measurement: &Measurement) -> Vec<usize> {
        measurement.coverage().uncovered().filter(|at| !self.hopeless[*at]).collect()
    }

    /// Rounds of batches until nothing is open, the limit is reached, or `stop` says so. Calls `found`
    /// for every test that covers something.
    pub fn explore(
        &mut self,
        measurement: &mut Measurement,
        exploration: ExplorationLimit,
        stop: &(dyn Fn() -> bool + Sync),
        mut found: impl FnMut(CoveringTest),
    ) {
        self.aim_at_all(measurement, exploration.jobs, stop, &mut found);
        let end = self.steps + exploration.limit;
        let mut last_gain = self.steps;
        while self.steps < end && self.steps - last_gain < exploration.in_vain && !stop() {
            let open = self.open(measurement);
            if open.is_empty() {
                return;
            }
            let batches: Vec<RunBatch> = (0..BATCHES).map(|_| self.plan()).collect();
            for result in self.simulate(batches, &open, exploration.jobs, stop) {
                // Drawing in vain is work too, else narrow assumptions would keep it forever.
                self.steps += result.steps.max((LANES * BURST) as u64) * self.weight;
                self.steps += result.multiplied;
                let tests = self.look_through(measurement, result, stop);
                if !tests.is_empty() {
                    last_gain = self.steps;
                }
                tests.into_iter().for_each(&mut found);
            }
        }
    }

    /// Where there are many obligations, draws that suit one of them are rare: before anything is
    /// drawn, each is aimed at in a first step, from the inputs of a test or at random.
    fn aim_at_all(
        &mut self,
        measurement: &mut Measurement,
        jobs: usize,
        stop: &(dyn Fn() -> bool + Sync),
        found: &mut impl FnMut(CoveringTest),
    ) {
        if self.aimings == MAX_AIMINGS || (self.aimings > 0 && !self.has_new_rows) {
            return;
        }
        (self.aimings, self.has_new_rows) = (self.aimings + 1, false);
        if self.aimings == 1 {
            self.aim_at_decisions(measurement, jobs, stop, found);
        }
        for turn in 0..self.aims.turns() {
            let open = self.open(measurement);
            for some in open.chunks(LANES * BATCHES) {
                if stop() {
                    return;
                }
                let batches = some.chunks(LANES).map(|aimed| self.aimed(aimed, turn)).collect();
                for result in self.simulate(batches, some, jobs, stop) {
                    self.look_through(measurement, result, stop).into_iter().for_each(&mut *found);
                }
            }
        }
    }

    /// A first step in which all conditions of a wide decision are as it seems to need them, which
    /// never happens by chance: what each condition does alone is found from there.
    fn aim_at_decisions(
        &mut self,
        measurement: &mut Measurement,
        jobs: usize,
        stop: &(dyn Fn() -> bool + Sync),
        found: &mut impl FnMut(CoveringTest),
    ) {
        let mut random = Random::new(self.random.next());
        let start = |decision: usize| {
            let mut row = self.pool.row(&mut random);
            self.aims.decide(decision, &mut row);
            Start { run_up: vec![row], ..Start::default() }
        };
        let starts: Vec<Start> = (0..self.aims.decisions()).map(start).collect();
        if starts.is_empty() || stop() {
            return;
        }
        let open = self.open(measurement);
        let batch = RunBatch { starts, is_long: false, length: 1, random };
        let mut tests = Vec::new();
        for result in self.simulate(vec![batch], &open, jobs, stop) {
            tests.extend(self.look_through(measurement, result, stop));
        }
        let best = tests.iter().max_by_key(|test| test.covered.len());
        self.best_row = best.and_then(|test| test.steps.last().cloned());
        tests.into_iter().for_each(found);
    }

    /// One step for each of a few obligations, with the value that it seems to need.
    fn aimed(&mut self, obligations: &[usize], turn: usize) -> RunBatch {
        let mut random = Random::new(self.random.next());
        let mut start = |obligation: &usize| {
            let mut row = match &self.best_row {
                Some(best) if turn == 0 => best.clone(),
                _ if self.useful_rows.is_empty() || random.chance(1, 8) => {
                    self.pool.row(&mut random)
                }
                _ => random.pick(&self.useful_rows).clone(),
            };
            self.aims.aim(*obligation, turn, &mut row);
            Start { run_up: vec![row], ..Start::default() }
        };
        let starts = obligations.iter().map(&mut start).collect();
        RunBatch { starts, is_long: false, length: 1, random }
    }

    /// Chooses where the runs of a batch start.
    fn plan(&mut self) -> RunBatch {
        let fresh = self.places.is_empty() || self.random.chance(1, 4);
        let long = self.long_batch();
        let length = match (fresh, self.random.chance(1, 4)) {
            _ if let Some(long) = long => long,
            (true, _) => RUN,
            (false, false) => BURST,
            (false, true) => LONG_BURST,
        };
        let starts = (0..LANES).map(|_| if fresh { None } else { Some(self.choose()) });
        let starts = starts.collect::<Vec<_>>().into_iter().map(|place| self.start(place));
        let starts: Vec<Start> = starts.collect();
        let run_up = starts.iter().map(|start| start.run_up.len()).max().unwrap_or(0);
        let random = Random::new(self.random.next());
        let length = (run_up + length).min(self.longest);
        RunBatch { starts, is_long: long.is_some(), length, random }
    }

    /// The length of the next long batch, if their share allows it.
    fn long_batch(&mut self) -> Option<usize> {
        let length = LONG[self.long_batches % LONG.len()];
        let steps = (length * LANES) as u64 * self.weight;
        let may = (self.long_steps + steps) * LONG_SHARE <= self.steps;
        may.then(|| {
            self.long_steps += steps;
            self.long_batches += 1;
            length
        })
    }

    /// The least visited of a few, or one of the newest, or one of a kind that is rare.
    fn choose(&mut self) -> usize {
        let count = self.places.len();
        let chosen = match self.random.below(4) {
            0 => count - 1 - self.random.below(count.min(128)),
            1 if let Some(rare) = self.choose_rare() => rare,
            _ => {
                let candidates = [(); 4].map(|()| self.random.below(count));
                let least = candidates.into_iter().min_by_key(|place| self.places[*place].visits);
                least.expect("four candidates")
            }
        };
        self.places[chosen].visits += 1;
        chosen
    }

    /// A place in which some delay remembers what it seldom does: a promise not yet broken, a
    /// mode that is hard to enter.
    fn choose_rare(&mut self) -> Option<usize> {
        let class = self.random.below(self.classes.len().max(1));
        let [no, yes] = self.classes.get(class)?;
        let rare = if no.len() < yes.len() { no } else { yes };
        (!rare.is_empty()).then(|| *self.random.pick(rare))
    }

    /// A start at a place or, with a run-up, some way before it.
    fn start(&mut self, place: Option<usize>) -> Start {
        let Some(at) = place.filter(|_| !self.is_risky) else { return Start::default() };
        let last = self.places[at].inputs.last().cloned();
        let wanted = if self.random.chance(1, 2) { BURST } else { 0 };
        let (mut place, mut run_up) = (Some(at), Vec::new());
        while run_up.len() < wanted
            && let Some(at) = place
            && run_up.len() + self.places[at].inputs.len() * self.places[at].times <= LONG_BURST
        {
            run_up.splice(0..0, self.places[at].way());
            place = self.places[at].parent;
        }
        let state = place.map(|at| self.places[at].state.clone());
        Start { place, state, run_up, last }
    }

    fn simulate(
        &self,
        batches: Vec<RunBatch>,
        open: &[usize],
        jobs: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Vec<BatchResult> {
        each_in_parallel(jobs, &batches, |index, batch| {
            let mut scan = self.scans[index].lock().expect("no worker panicked");
            batch.simulate(&mut scan, &self.pool, self.system, open, stop)
        })
    }

    /// The delays that were seen to be visible, in the order of the system's delays.
    pub fn visible_delays(&self) -> Vec<bool> {
        let scans = self.scans.iter().map(|scan| scan.lock().expect("no worker panicked"));
        let seen: Vec<Vec<bool>> = scans.map(|scan| scan.visible_delays().to_vec()).collect();
        (0..seen[0].len()).map(|slot| seen.iter().any(|seen| seen[slot])).collect()
    }

    /// Measures the runs that cover something, and keeps states worth coming back to.
    fn look_through(
        &mut self,
        measurement: &mut Measurement,
        result: BatchResult,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Vec<CoveringTest> {
        let mut tests = Vec::new();
        let mut measured: RunSet = 0;
        for sighting in result.sightings.iter().take_while(|_| !stop()) {
            let new = !std::mem::replace(&mut self.reached[sighting.obligation], true);
            let covers = !measurement.coverage().is_covered(sighting.obligation);
            let runs = match sighting.covered {
                0 if new => sighting.reached,
                covered if covered != 0 && covers => covered,
                _ => continue,
            };
            if runs & measured == 0 {
                let lane = runs.trailing_zeros() as usize;
                measured |= 1 << lane;
                tests.extend(self.measure(measurement, &result.runs[lane]));
            }
        }
        for (lane, run) in result.runs.into_iter().enumerate() {
            if measured >> lane & 1 == 0 && self.values < MAX_VALUES {
                self.keep(run.state, run.place, &run.inputs);
            }
        }
        tests
    }

    /// Measures a run and keeps all its states; a test if it covers something.
    fn measure(&mut self, measurement: &mut Measurement, run: &TagRun) -> Option<CoveringTest> {
        match run.place {
            None => measurement.begin(),
            Some(place) => measurement.begin_at(&self.places[place].state),
        }
        let (mut useful, mut parent, mut kept) = (0, run.place, 0);
        for (step, row) in run.inputs.iter().enumerate() {
            let before = measurement.coverage().covered();
            if measurement.step(row).is_err() {
                break;
            }
            if measurement.coverage().covered() > before {
                useful = step + 1;
            }
            // What comes with something new may take more room than what is merely unseen.
            if self.values < 2 * MAX_VALUES
                && let state = measurement.dense().state()
                && let Some(place) = self.keep(state, parent, &run.inputs[kept..=step])
            {
                (parent, kept) = (Some(place), step + 1);
            }
        }
        self.note_waiting(measurement, parent, &run.inputs[kept..]);
        let mut covered = measurement.end().covered;
        (!covered.is_empty()).then(|| {
            let mut steps = self.prefix(run.place);
            steps.extend_from_slice(&run.inputs[..useful]);
            if run.place.is_some() {
                // Tags that started on the way to the place become visible in this run, too.
                covered.extend(measurement.run_test(&steps).covered);
            }
            self.note_useful(&steps);
            CoveringTest { steps, covered }
        })
    }

    /// Notes the last inputs of a test, to change them a little.
    fn note_useful(&mut self, steps: &[Vec<Value>]) {
        if let Some(row) = steps.last() {
            self.useful_rows.truncate(MAX_USEFUL - 1);
            self.useful_rows.insert(0, row.clone());
            self.has_new_rows = true;
        }
    }

    /// Notes where tags wait at the end of a run that was measured.
    fn note_waiting(
        &mut self,
        measurement: &Measurement,
        parent: Option<usize>,
        inputs: &[Vec<Value>],
    ) {
        let checkpoint = measurement.checkpoint();
        let mut place = if inputs.is_empty() { parent } else { None };
        for (slot, obligations) in checkpoint.waiting() {
            for &obligation in obligations {
                let known = &mut self.waiting[obligation];
                if let Some(WaitingTag { slots, .. }) =
                    known.iter_mut().find(|waiting| Some(waiting.place) == place)
                {
                    slots.push(slot);
                } else if known.len() < MAX_WAITING {
                    let here = place.unwrap_or(self.places.len());
                    known.push(WaitingTag { place: here, slots: vec![slot] });
                    if place.replace(here).is_none() {
                        self.push(checkpoint.state.clone(), parent, inputs);
                    }
                }
            }
        }
    }

    /// Where the tag of an obligation waits.
    pub fn waiting(&self, obligation: usize) -> &[WaitingTag] {
        &self.waiting[obligation]
    }

    /// The states that were kept, each with how often a burst started there; the positions are
    /// what [`StateExplorer::way_to`] takes.
    pub fn places(&self) -> impl Iterator<Item = (&SimState, u32)> {
        self.places.iter().map(|place| (&place.state, place.visits))
    }

    /// The state at a position.
    pub fn place(&self, position: usize) -> &SimState {
        &self.places[position].state
    }

    /// The inputs that lead to a place.
    pub fn way_to(&self, position: usize) -> Vec<Vec<Value>> {
        self.prefix(Some(position))
    }

    /// Keeps a state unless one like it is kept; says where it is.
    fn keep(
        &mut self,
        state: SimState,
        parent: Option<usize>,
        inputs: &[Vec<Value>],
    ) -> Option<usize> {
        if state.steps_done() == 0 || !self.cells.insert(cell(&state, &self.thresholds)) {
            return None;
        }
        self.push(state, parent, inputs);
        Some(self.places.len() - 1)
    }

    fn push(&mut self, state: SimState, parent: Option<usize>, inputs: &[Vec<Value>]) {
        let truths = state.memory().iter().filter_map(Value::as_bool).take(MAX_CLASSES);
        for (class, truth) in truths.enumerate() {
            if class == self.classes.len() {
                self.classes.push(Default::default());
            }
            self.classes[class][usize::from(truth)].push(self.places.len());
        }
        let row = inputs.first().map_or(0, Vec::len);
        self.values += state.memory().len() + inputs.len() * row;
        self.places.push(ReachedState {
            state,
            parent,
            inputs: inputs.to_vec(),
            times: 1,
            visits: 0,
        });
    }

    /// Keeps the state to which a loop leads; says where it is.
    pub(crate) fn keep_loop(&mut self, accelerated: AcceleratedLoop) -> usize {
        self.push(accelerated.end, Some(accelerated.place), &accelerated.inputs);
        let place = self.places.len() - 1;
        self.places[place].times = accelerated.times;
        place
    }

    /// Large numbers that matter to the model.
    pub(crate) fn thresholds(&self) -> &[i64] {
        &self.thresholds
    }

    /// Runs a test that was found elsewhere, keeps the states it goes through, and says what it
    /// covers.
    pub fn adopt(
        &mut self,
        measurement: &mut Measurement,
        steps: &[Vec<Value>],
    ) -> Option<CoveringTest> {
        measurement.begin();
        let mut parent = None;
        let (mut done, mut kept, mut inside) = (0, 0, true);
        for row in steps {
            let Ok(breaches) = measurement.step(row) else { break };
            done += 1;
            // A test that was given may leave the assumptions; from there no run goes on.
            inside &= !breaches.iter().any(|breach| matches!(breach, Breach::Assumption(_)));
            if !inside {
                continue;
            }
            let state = measurement.dense().state();
            if let Some(place) = self.keep(state, parent, &steps[kept..done]) {
                (parent, kept) = (Some(place), done);
            }
        }
        let covered = measurement.end().covered;
        (!covered.is_empty()).then(|| {
            self.note_useful(&steps[..done]);
            CoveringTest { steps: steps[..done].to_vec(), covered }
        })
    }

    /// The remembered values of the states that were kept.
    pub fn samples(&self) -> Vec<Vec<Value>> {
        let stride = self.places.len().div_ceil(MAX_SAMPLES).max(1);
        let places = self.places.iter().step_by(stride);
        places.map(|place| place.state.memory().to_vec()).collect()
    }

    /// The inputs that lead to a place.
    fn prefix(&self, place: Option<usize>) -> Vec<Vec<Value>> {
        let mut parts = Vec::new();
        let mut at = place;
        while let Some(place) = at {
            parts.push(&self.places[place]);
            at = self.places[place].parent;
        }
        parts.into_iter().rev().flat_map(ReachedState::way).collect()
    }
}

/// How many steps of 64 runs fit into the memory of a batch.
fn longest(system: &System, scan: &Scan) -> usize {
    let inputs = LANES * (system.inputs.len() * size_of::<Value>() + size_of::<Vec<Value>>());
    (MAX_BATCH_BYTES / (inputs + scan.bytes_per_step())).max(1)
}

/// For how many delays the places are told apart by what they remember.
const MAX_CLASSES: usize = 128;
/// How many places are noted for one waiting tag.
const MAX_WAITING: usize = 2;
/// How many states are enough to learn from.
const MAX_SAMPLES: usize = 8192;

/// A hash of what is remembered, whatever the number of steps that led there. Large numbers
/// count by their length and the thresholds below them, so that counters do not make every
/// state a new one.
fn cell(state: &SimState, thresholds: &[i64]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for value in state.memory() {
        match value {
            Value::Int(Int::Small(number)) if number.unsigned_abs() > 4 => {
                let passed = thresholds.partition_point(|threshold| threshold <= number);
                (number.signum(), number.unsigned_abs().ilog2(), passed).hash(&mut hasher);
            }
            value => value.hash(&mut hasher),
        }
    }
    hasher.finish()
}

/// The large constants of a model; none if they are many, since then few of them tell anything
/// about a number.
fn thresholds(system: &System) -> Vec<i64> {
    let constant = |kind: &ExprKind| match kind {
        ExprKind::Const(Value::Int(Int::Small(number))) if number.unsigned_abs() > LARGE => {
            Some(*number)
        }
        _ => None,
    };
    let mut found: Vec<i64> = system.exprs.iter().filter_map(|expr| constant(&expr.kind)).collect();
    found.sort_unstable();
    found.dedup();
    if found.len() > MAX_THRESHOLDS { Vec::new() } else { found }
}

/// Constants above this are thresholds, if there are no more than so many.
const LARGE: u64 = 32;
const MAX_THRESHOLDS: usize = 8;

/// Where a run starts.
#[derive(Clone, Debug, Default)]
struct Start {
    /// The place it starts from; `None` for the initial state.
    place: Option<usize>,
    state: Option<SimState>,
    /// Inputs that are given.
    run_up: Vec<Vec<Value>>,
    /// The inputs that led to where it gets free.
    last: Option<Vec<Value>>,
}

/// 64 runs to be done.
struct RunBatch {
    starts: Vec<Start>,
    length: usize,
    /// Whether the runs keep to patterns.
    is_long: bool,
    random: Random,
}

/// 64 runs that were done.
struct BatchResult {
    runs: Vec<TagRun>,
    sightings: Vec<Sighting>,
    steps: u64,
    /// What long numbers cost beyond that.
    multiplied: u64,
}

struct TagRun {
    place: Option<usize>,
    inputs: Vec<Vec<Value>>,
    state: SimState,
}

/// How the inputs of a run change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manner {
    /// Once, and then they are held, so that timers run out.
    Once,
    /// Now and then.
    Seldom,
    /// In every step.
    Always,
    /// In every step, Booleans as events that last one step.
    Events,
    /// Through the phases of a pattern, again and again.
    Pattern,
}

/// One run on its way.
struct InputDriver {
    row: Vec<Value>,
    manner: Manner,
    /// The inputs of each phase of a pattern, and how long it lasts.
    phases: Vec<(Vec<Value>, usize)>,
    inputs: Vec<Vec<Value>>,
}

/// What it costs to multiply numbers of so many bits, in steps: it grows with the square.
fn cost(bits: usize) -> u64 {
    let words = bits as u64 / 64;
    words * words / 64
}

impl RunBatch {
    fn simulate(
        &self,
        scan: &mut Scan,
        pool: &CandidateValues,
        system: &System,
        open: &[usize],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> BatchResult {
        let mut random = self.random.clone();
        let mut drivers: Vec<InputDriver> =
            self.starts.iter().map(|start| self.driver(start, pool, &mut random)).collect();
        scan.begin();
        for (lane, start) in self.starts.iter().enumerate() {
            match &start.state {
                None => scan.batch().reset(lane),
                Some(state) => scan.batch().restore(lane, state),
            }
        }
        let promises = !system.assumptions.is_empty();
        // Where fewer runs are wanted than there are, the others are none.
        let mut alive: RunSet = !0 >> (LANES - self.starts.len());
        let mut multiplied = 0;
        for step in 0..self.length {
            if alive == 0 || stop() {
                break;
            }
            for (lane, driver) in drivers.iter_mut().enumerate() {
                driver.choose(step, &self.starts[lane], pool, &mut random);
                driver.tell(scan, lane);
            }
            scan.batch().evaluate();
            if promises {
                self.try_again(scan, pool, &mut drivers, alive, &mut random);
            }
            let ended = alive & (scan.batch().faulty() | scan.batch().outside());
            alive &= !ended;
            scan.note(alive);
            multiplied += (0..LANES).map(|lane| cost(scan.batch().longest(lane))).sum::<u64>();
            // Where a number has outgrown all bounds it would do so again in every step.
            let is_over = |lane: &usize| ended >> *lane & 1 != 0;
            (0..LANES).filter(is_over).for_each(|lane| scan.batch().abandon(lane));
            for (lane, driver) in drivers.iter_mut().enumerate() {
                if alive >> lane & 1 != 0 {
                    driver.inputs.push(driver.row.clone());
                }
            }
            scan.batch().take();
        }
        BatchResult { multiplied, ..self.finish(scan, drivers, alive, open) }
    }

    fn driver(&self, start: &Start, pool: &CandidateValues, random: &mut Random) -> InputDriver {
        let mut driver = InputDriver::new(start, pool, random);
        if self.is_long {
            driver.keep_to_a_pattern(pool, random);
        }
        driver
    }

    /// Draws other inputs for runs that broke an assumption.
    fn try_again(
        &self,
        scan: &mut Scan,
        pool: &CandidateValues,
        drivers: &mut [InputDriver],
        alive: RunSet,
        random: &mut Random,
    ) {
        for _ in 0..TRIES {
            let outside = scan.batch().outside() & alive;
            if outside == 0 {
                return;
            }
            for (lane, driver) in drivers.iter_mut().enumerate() {
                if outside >> lane & 1 != 0 {
                    driver.row = pool.row(random);
                    driver.tell(scan, lane);
                }
            }
            scan.batch().evaluate();
        }
    }

    fn finish(
        &self,
        scan: &mut Scan,
        drivers: Vec<InputDriver>,
        alive: RunSet,
        open: &[usize],
    ) -> BatchResult {
        let sightings = scan.look_back(open);
        let steps = drivers.iter().map(|driver| driver.inputs.len() as u64).sum();
        let ended = SimState::new(0, Vec::new());
        let flown = |(lane, driver): (usize, InputDriver)| TagRun {
            place: self.starts[lane].place,
            inputs: driver.inputs,
            // The state of a run that ended early is behind a step that was not taken.
            state: if alive >> lane & 1 != 0 { scan.batch().state(lane) } else { ended.clone() },
        };
        let runs = drivers.into_iter().enumerate().map(flown).collect();
        BatchResult { runs, sightings, steps, multiplied: 0 }
    }
}

impl InputDriver {
    fn new(start: &Start, pool: &CandidateValues, random: &mut Random) -> InputDriver {
        let row = start.last.clone().unwrap_or_else(|| pool.row(random));
        let manners = [
            Manner::Once,
            Manner::Seldom,
            Manner::Seldom,
            Manner::Always,
            Manner::Always,
            Manner::Events,
        ];
        InputDriver { row, manner: *random.pick(&manners), phases: Vec::new(), inputs: Vec::new() }
    }

    /// A few phases, of which one may be all.
    fn keep_to_a_pattern(&mut self, pool: &CandidateValues, random: &mut Random) {
        let mut row = self.row.clone();
        for _ in 0..=random.below(PHASES) {
            pool.change(random, &mut row);
            self.phases.push((row.clone(), 1 + random.below(PHASE)));
        }
        self.manner = Manner::Pattern;
    }

    /// The phase of a pattern at a step.
    fn phase(&self, step: usize) -> &[Value] {
        let round: usize = self.phases.iter().map(|(_, lasts)| lasts).sum();
        let mut left = step % round.max(1);
        for (row, lasts) in &self.phases {
            if left < *lasts {
                return row;
            }
            left -= lasts;
        }
        &self.row
    }

    /// Chooses the inputs of a step.
    fn choose(&mut self, step: usize, start: &Start, pool: &CandidateValues, random: &mut Random) {
        if let Some(given) = start.run_up.get(step) {
            self.row.clone_from(given);
            return;
        }
        let begins = step == start.run_up.len();
        match self.manner {
            Manner::Pattern => self.row = self.phase(step - start.run_up.len()).to_vec(),
            Manner::Events => pool.event(random, &mut self.row),
            Manner::Always => pool.change(random, &mut self.row),
            Manner::Seldom if begins || random.chance(1, 4) => pool.change(random, &mut self.row),
            Manner::Once if begins => pool.change(random, &mut self.row),
            Manner::Once | Manner::Seldom => {}
        }
    }

    fn tell(&self, scan: &mut Scan, lane: usize) {
        let batch = scan.batch();
        self.row.iter().enumerate().for_each(|(at, value)| batch.set(at, lane, value));
    }
}
