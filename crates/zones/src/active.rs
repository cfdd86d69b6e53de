//! The clocks that matter in a set of states. The others may have any value, so zones that are
//! stored leave them out: most processes compare their clocks only in some of their locations.

use crate::dbm::{self, Bounds, Constraint};

/// The clocks of a zone, in the order of its rows.
#[derive(Clone, Debug, Default)]
pub struct ActiveClocks {
    /// Row and column 1 belong to the first.
    pub clocks: Vec<u16>,
    /// With what they are compared.
    pub bounds: Bounds,
    /// For each clock of the network its row; 0 if it is left out.
    rows: Vec<u16>,
}

impl ActiveClocks {
    /// No clock, of so many.
    pub fn none(clocks: usize) -> ActiveClocks {
        ActiveClocks { rows: vec![0; clocks], ..ActiveClocks::default() }
    }

    /// The rows of a zone.
    pub fn n(&self) -> usize {
        self.clocks.len() + 1
    }

    /// Leaves all clocks out.
    pub fn clear(&mut self) {
        for clock in self.clocks.drain(..) {
            self.rows[clock as usize] = 0;
        }
        self.bounds.lower.clear();
        self.bounds.upper.clear();
    }

    /// Makes a clock matter up to constants, which may be larger than those it has.
    #[inline]
    pub fn raise(&mut self, clock: usize, lower: i32, upper: i32) {
        let Bounds { lower: lowers, upper: uppers } = &mut self.bounds;
        match self.rows[clock] as usize {
            0 => {
                self.clocks.push(clock as u16);
                self.rows[clock] = self.clocks.len() as u16;
                lowers.push(lower);
                uppers.push(upper);
            }
            row => {
                lowers[row - 1] = lowers[row - 1].max(lower);
                uppers[row - 1] = uppers[row - 1].max(upper);
            }
        }
    }

    /// A bound on clocks of the network as one on rows.
    #[inline]
    pub fn constraint(&self, of: Constraint) -> Constraint {
        Constraint { left: self.row(of.left), right: self.row(of.right), bound: of.bound }
    }

    /// The row of a row of a zone of all clocks.
    #[inline]
    fn row(&self, whole: u16) -> u16 {
        let Some(clock) = whole.checked_sub(1) else { return 0 };
        let row = self.rows[clock as usize];
        debug_assert!(row > 0, "clock {clock} is compared where nothing is said of it");
        row
    }

    /// The rows that matter of a zone of all clocks.
    pub fn narrowed(&self, zone: &[i32]) -> Vec<i32> {
        let whole = self.rows.len() + 1;
        let places = || std::iter::once(0).chain(self.clocks.iter().map(|c| *c as usize + 1));
        places().flat_map(|i| places().map(move |j| zone[i * whole + j])).collect()
    }

    /// The zone of all clocks, those that do not matter with any value.
    pub fn widened(&self, zone: &[i32], wide: &mut Vec<i32>) {
        let (n, whole) = (self.n(), self.rows.len() + 1);
        wide.clear();
        wide.resize(whole * whole, dbm::INFINITY);
        let row_of = |i: usize| if i == 0 { 0 } else { self.rows[i - 1] as usize };
        for i in 0..whole {
            let row = row_of(i);
            for j in (0..whole).filter(|_| i == 0 || row > 0) {
                // What is not known of clock j is that it is not below 0.
                wide[i * whole + j] = zone[row * n + row_of(j)];
            }
            wide[i * whole + i] = dbm::ZERO;
        }
    }
}

/// Where a row of the zone behind a step comes from: a row of the zone before, and what is added.
type Source = (usize, i32);

/// Memory for steps from zone to zone.
#[derive(Debug, Default)]
pub(crate) struct Follower {
    guarded: Vec<i32>,
    sources: Vec<Source>,
    invariant: Vec<Constraint>,
}

/// What a step does to clocks.
pub(crate) struct ClockStep<'a> {
    pub(crate) guard: &'a [Constraint],
    /// Clocks that are set, in order.
    pub(crate) resets: &'a [(u32, i64)],
    pub(crate) invariant: &'a [Constraint],
    /// Whether time may pass behind it.
    pub(crate) delay: bool,
}

impl Follower {
    /// The zone behind a step with all its delays, of the clocks that matter there; false if it
    /// is empty.
    pub(crate) fn follow(
        &mut self,
        zone: &[i32],
        from: &ActiveClocks,
        step: &ClockStep<'_>,
        to: &ActiveClocks,
        found: &mut Vec<i32>,
    ) -> bool {
        let guarded = if step.guard.is_empty() {
            zone
        } else {
            self.guarded.clear();
            self.guarded.extend_from_slice(zone);
            let n = from.n();
            let all = step.guard.iter().map(|c| from.constraint(*c));
            if !all.into_iter().all(|c| dbm::constrain(&mut self.guarded, n, c)) {
                return false;
            }
            &self.guarded
        };
        self.sources.clear();
        self.sources.push((0, 0));
        self.sources.extend(to.clocks.iter().map(|clock| {
            let set = step.resets.iter().rev().find(|(index, _)| *index == u32::from(*clock));
            match set {
                Some((_, value)) => (0, (*value as i32) << 1),
                None => (from.row(*clock + 1) as usize, 0),
            }
        }));
        gather(guarded, from.n(), &self.sources, found);
        self.invariant.clear();
        self.invariant.extend(step.invariant.iter().map(|c| to.constraint(*c)));
        dbm::settle(found, to.n(), &self.invariant, step.delay)
    }
}

/// Rows and columns in a new order. A clock that is set becomes the clock 0 with something added,
/// so a closed zone stays closed.
fn gather(zone: &[i32], n: usize, sources: &[Source], found: &mut Vec<i32>) {
    found.clear();
    found.resize(sources.len() * sources.len(), dbm::INFINITY);
    for ((row, plus), into) in sources.iter().zip(found.chunks_exact_mut(sources.len())) {
        let line = &zone[row * n..(row + 1) * n];
        for ((column, minus), entry) in sources.iter().zip(into) {
            let bound = line[*column];
            if bound != dbm::INFINITY {
                *entry = bound + plus - minus;
            }
        }
    }
}
