//! The default search: an archive of states that look different, from which bursts of inputs go on.
//!
//! A state of a library is restored by copying it back; that of another process is reached again by
//! its inputs. Inputs are drawn, changed in one place, or held, because timers need patience.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use provoke_base::Random;
use rustc_hash::{FxHashMap, FxHasher};

use crate::bytes::ByteClasses;
use crate::compile::MiningError;
use crate::library::SavedState;
use crate::run::{ProgramRun, StepFailure, Vector};
use crate::search::{
    Behaviour, HANG_COST, InputSequence, RunningProgram, SearchContext, SearchResult, StepBudget,
};
use crate::target::StateIdentity;

/// The most cells; beyond them only what reaches new code is kept.
const MAX_CELLS: usize = 50_000;
/// The most cells of a mode: more would be more of the same.
const MAX_OF_MODE: usize = 64;
/// The most bytes of saved states.
const MAX_BYTES: usize = 512 << 20;
/// The longest time that inputs are held.
const MAX_HOLD: u32 = 9;
/// The longest test.
const MAX_DEPTH: usize = 4000;

struct Cell {
    /// Where it was reached from, and how.
    parent: usize,
    inputs: Vec<Vector>,
    depth: usize,
    /// Where the program shares this process, its memory.
    snapshot: Option<SavedState>,
    /// The outputs of the last steps, the newest at the end.
    history: Vec<Vector>,
    visits: u32,
}

impl Cell {
    fn memory(&self) -> &[u8] {
        self.snapshot.as_ref().map_or(&[], SavedState::bytes)
    }
}

/// Cells that differ by clocks and measurements only. Modes are visited in turn: else those with
/// many such values would have all the visits.
#[derive(Default)]
struct Mode {
    cells: Vec<usize>,
    visits: u32,
}

struct Archive {
    identity: StateIdentity,
    cells: Vec<Cell>,
    keys: FxHashMap<u64, usize>,
    modes: Vec<Mode>,
    mode_keys: FxHashMap<u64, usize>,
    /// Cells from which new code was reached last.
    promising: Vec<usize>,
    classes: ByteClasses,
    bytes: usize,
    full: bool,
}

/// Searches until there is no work left.
pub fn archive_search(
    setting: &mut SearchContext<'_>,
    identity: StateIdentity,
    initial: &[InputSequence],
    work: &mut StepBudget<'_>,
) -> Result<SearchResult, MiningError> {
    let mut random = Random::for_part(setting.seed, "archive");
    let mut search = Search {
        archive: Archive::new(identity),
        found: SearchResult::default(),
        known: BTreeSet::new(),
        behaviour: Behaviour::default(),
    };
    search.begin(setting)?;
    for test in initial {
        if !work.take(setting.subject.cost(test.len())) {
            break;
        }
        search.burst(setting, 0, test, work)?;
    }
    while work.take(1) {
        let cell = search.archive.choose(&mut random);
        let burst = draw_burst(setting, &search.archive.cells[cell], &mut random);
        search.burst(setting, cell, &burst, work)?;
    }
    let mut found = search.found;
    found.states = search.archive.cells.len();
    found.steps = work.done;
    if search.archive.full {
        found.notes.push(format!("the archive is full at {} states", found.states));
    }
    Ok(found)
}

/// A few inputs, or one held for long.
fn draw_burst(setting: &SearchContext<'_>, cell: &Cell, random: &mut Random) -> Vec<Vector> {
    let alphabet = setting.alphabet;
    let mut burst: Vec<Vector> = Vec::new();
    let mut last = cell.inputs.last().cloned().unwrap_or_else(|| alphabet.vector(random));
    for _ in 0..=random.below(6) {
        match random.below(8) {
            0..3 => last = alphabet.vector(random),
            3..7 => (0..=random.below(2)).for_each(|_| alphabet.change_one(&mut last, random)),
            _ => {}
        }
        let times = if random.chance(1, 4) { 1 << random.below(MAX_HOLD as usize) } else { 1 };
        burst.extend(std::iter::repeat_n(last.clone(), times));
    }
    burst
}

impl Archive {
    fn new(identity: StateIdentity) -> Archive {
        Archive {
            identity,
            cells: Vec::new(),
            keys: FxHashMap::default(),
            modes: Vec::new(),
            mode_keys: FxHashMap::default(),
            promising: Vec::new(),
            classes: ByteClasses::default(),
            bytes: 0,
            full: false,
        }
    }

    /// A cell that was visited little, of a mode that was visited little; often one that was
    /// promising.
    fn choose(&mut self, random: &mut Random) -> usize {
        let recent = self.promising.len().min(32);
        let chosen = if recent > 0 && random.chance(1, 4) {
            self.promising[self.promising.len() - 1 - random.below(recent)]
        } else {
            let drawn = (0..4).map(|_| random.below(self.modes.len()));
            let mode = drawn.min_by_key(|&mode| self.modes[mode].visits).expect("four are drawn");
            self.modes[mode].visits += 1;
            let cells = &self.modes[mode].cells;
            let drawn = (0..2).map(|_| *random.pick(cells));
            drawn.min_by_key(|&cell| self.cells[cell].visits).expect("two are drawn")
        };
        self.cells[chosen].visits += 1;
        chosen
    }

    fn mode_key(&self, history: &[Vector], bytes: &[u8]) -> u64 {
        match self.identity {
            StateIdentity::Memory if !bytes.is_empty() => self.classes.mode(bytes),
            _ => {
                let mut hasher = FxHasher::default();
                history.last().hash(&mut hasher);
                hasher.finish()
            }
        }
    }

    /// Whether the mode of a state has all the cells it needs.
    fn enough(&self, history: &[Vector], bytes: &[u8]) -> bool {
        let mode = self.mode_keys.get(&self.mode_key(history, bytes));
        mode.is_some_and(|&mode| self.modes[mode].cells.len() >= MAX_OF_MODE)
    }

    /// Puts a cell into its mode.
    fn sort(&mut self, cell: usize) {
        let cell_at = &self.cells[cell];
        let key = self.mode_key(&cell_at.history, cell_at.memory());
        let visits = cell_at.visits;
        let next = self.modes.len();
        let mode = *self.mode_keys.entry(key).or_insert(next);
        if mode == next {
            self.modes.push(Mode::default());
        }
        self.modes[mode].cells.push(cell);
        self.modes[mode].visits += visits;
    }

    fn key(&self, history: &[Vector], bytes: &[u8]) -> u64 {
        let mut hasher = FxHasher::default();
        match self.identity {
            StateIdentity::Memory if !bytes.is_empty() => self.classes.key(bytes).hash(&mut hasher),
            // Without memory, the last outputs are the next best.
            StateIdentity::Memory | StateIdentity::History(_) => history.hash(&mut hasher),
            StateIdentity::Outputs => history.last().hash(&mut hasher),
        }
        hasher.finish()
    }

    /// Learns which bytes matter; cells are told apart anew when that changes.
    fn learn(&mut self, bytes: &[u8]) {
        if self.classes.note(bytes) {
            self.keys.clear();
            for cell in 0..self.cells.len() {
                let key = self.key(&self.cells[cell].history, self.cells[cell].memory());
                self.keys.entry(key).or_insert(cell);
            }
            self.modes.clear();
            self.mode_keys.clear();
            (0..self.cells.len()).for_each(|cell| self.sort(cell));
        }
    }

    fn remembered(&self) -> usize {
        match self.identity {
            StateIdentity::History(steps) => steps as usize,
            StateIdentity::Memory => 8,
            StateIdentity::Outputs => 1,
        }
    }

    /// The inputs from the initial state to a cell.
    fn path(&self, cell: usize) -> InputSequence {
        let mut parts = Vec::new();
        let mut at = cell;
        while at != 0 {
            parts.push(&self.cells[at].inputs);
            at = self.cells[at].parent;
        }
        parts.into_iter().rev().flatten().cloned().collect()
    }
}

struct Search {
    archive: Archive,
    found: SearchResult,
    known: BTreeSet<(StepFailure, Vector)>,
    behaviour: Behaviour,
}

/// Where a burst is: the last cell it passed, and what happened since.
struct Trail {
    cell: usize,
    since: Vec<Vector>,
    history: Vec<Vector>,
}

impl Search {
    fn begin(&mut self, setting: &mut SearchContext<'_>) -> Result<(), MiningError> {
        let mut snapshot = None;
        let initial = match &mut *setting.subject {
            RunningProgram::Library(program) => {
                program.forget();
                program.reset();
                snapshot = Some(program.save());
                let mut outputs = Vector::new();
                program.outputs(&mut outputs);
                outputs
            }
            other => other.run(&[])?.initial,
        };
        let (history, inputs) = (vec![initial], Vec::new());
        let first = Cell { parent: 0, inputs, depth: 0, snapshot, history, visits: 0 };
        self.archive.classes.note(first.memory());
        let key = self.archive.key(&first.history, first.memory());
        self.archive.keys.insert(key, 0);
        self.archive.cells.push(first);
        self.archive.sort(0);
        Ok(())
    }

    fn burst(
        &mut self,
        setting: &mut SearchContext<'_>,
        cell: usize,
        burst: &[Vector],
        work: &mut StepBudget<'_>,
    ) -> Result<(), MiningError> {
        let history = self.archive.cells[cell].history.clone();
        let mut trail = Trail { cell, since: Vec::new(), history };
        if let RunningProgram::Library(program) = setting.subject {
            let from = self.archive.cells[cell].snapshot.as_ref();
            program.restore(from.expect("cells of a library are saved"));
            let (mut out, mut after) = (Vector::new(), program.save());
            for inputs in burst {
                if !work.take(1) {
                    break;
                }
                let stop = program.step(inputs, &mut out);
                trail.since.push(inputs.clone());
                if let Some(stop) = stop {
                    if stop == StepFailure::Hang {
                        work.take(HANG_COST);
                    }
                    self.stopped(&trail, &stop);
                    if program.fresh() > 0 && !stop.is_finding() {
                        self.found.tests.push(self.test(&trail));
                    }
                    break;
                }
                let fresh = program.fresh() > 0;
                program.save_into(&mut after);
                self.reached(&mut trail, &out, fresh, Some(&after), work.done);
            }
            return Ok(());
        }
        let path = self.archive.path(cell);
        let test: InputSequence = path.iter().chain(burst).cloned().collect();
        work.take(setting.subject.cost(test.len()));
        let ProgramRun { outputs, stop, .. } = setting.subject.run(&test)?;
        for (inputs, out) in test.iter().zip(&outputs).skip(path.len()) {
            trail.since.push(inputs.clone());
            self.reached(&mut trail, out, false, None, work.done);
        }
        if let Some(stop) = stop
            && let Some(inputs) = test.get(outputs.len())
        {
            trail.since.push(inputs.clone());
            self.stopped(&trail, &stop);
        }
        Ok(())
    }

    fn test(&self, trail: &Trail) -> InputSequence {
        let mut test = self.archive.path(trail.cell);
        test.extend(trail.since.iter().cloned());
        test
    }

    fn stopped(&mut self, trail: &Trail, stop: &StepFailure) {
        let last = trail.history.last().expect("the initial outputs are the first");
        let known = self.known.contains(&(stop.clone(), last.clone()));
        if stop.is_finding() && !known {
            let test = self.test(trail);
            self.found.stopped(&mut self.known, stop, last, &test);
        }
    }

    /// Looks at the state after a step: a new cell, new code, new behaviour, or nothing.
    fn reached(
        &mut self,
        trail: &mut Trail,
        out: &[i64],
        fresh: bool,
        after: Option<&SavedState>,
        clock: u64,
    ) {
        let bytes = after.map_or(&[][..], SavedState::bytes);
        let novel = self.behaviour.note(trail.history.last().expect("never empty"), out);
        trail.history.push(out.to_vec());
        let surplus = trail.history.len().saturating_sub(self.archive.remembered());
        trail.history.drain(..surplus);
        if fresh || novel {
            self.found.tests.push(self.test(trail));
        }
        // Looking at every byte takes longer than a step.
        if fresh || novel || clock.is_multiple_of(64) {
            self.archive.learn(bytes);
        }
        let key = self.archive.key(&trail.history, bytes);
        if let Some(&known) = self.archive.keys.get(&key) {
            if fresh {
                self.archive.promising.push(known);
            }
            return;
        }
        let depth = self.archive.cells[trail.cell].depth + trail.since.len();
        let room =
            self.archive.cells.len() < MAX_CELLS && self.archive.bytes + bytes.len() < MAX_BYTES;
        let enough = self.archive.enough(&trail.history, bytes);
        if !fresh && (!room || enough) || depth > MAX_DEPTH {
            self.archive.full |= !room;
            return;
        }
        let index = self.archive.cells.len();
        self.archive.keys.insert(key, index);
        self.archive.bytes += bytes.len();
        self.archive.cells.push(Cell {
            parent: trail.cell,
            inputs: std::mem::take(&mut trail.since),
            depth,
            snapshot: after.cloned(),
            history: trail.history.clone(),
            visits: 0,
        });
        self.archive.sort(index);
        trail.cell = index;
        if fresh {
            self.archive.promising.push(index);
        }
    }
}
