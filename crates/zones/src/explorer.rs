//! The symbolic semantics: sets of states with the same locations and variables, as zones.

use provoke_base::Span;
use provoke_uppaal::machine::{Computed, NetworkFault, NetworkMachine};
use provoke_uppaal::moves::{DiscreteTruth, Mover, Moves, Part, known, locations_allow_delay};
use provoke_uppaal::network::{
    Branch, Condition, Edge, Network, NetworkExpr, Number, Priorities, Stmt,
};

use crate::bounds::BoundTable;
use crate::constraints::{Alternatives, Joined, alternatives, conjunction};
use crate::dbm::{self, Bounds, Constraint};
use crate::priority::{Candidate, forestalled};
use crate::successors::Successors;

/// Locations, then variables: what a set of states has in common.
pub type Discrete = [i32];

/// A way from one set of states to another.
#[derive(Clone, Debug, Default)]
pub struct ZoneStep {
    /// Which one it is among those of its source, in a fixed order.
    pub ordinal: u32,
    /// Who takes part, with the branch taken.
    pub parts: Vec<(Part, u32)>,
    /// The channel, if there is one.
    pub channel: Option<u32>,
    /// What clocks must fulfil, one of the alternatives.
    pub guard: Alternatives,
    /// Clocks that are set, in order.
    pub resets: Vec<(u32, i64)>,
    /// Locations and variables behind it.
    pub target: Vec<i32>,
    /// What clocks must fulfil there.
    pub invariant: Vec<Constraint>,
    /// Whether time may pass there.
    pub delay: bool,
}

/// The moves of a state in a network with priorities.
#[derive(Clone, Copy)]
struct Ranked<'a> {
    priorities: &'a Priorities,
    moves: &'a Moves,
}

/// Computes successors; every thread has its own.
pub struct ZoneExplorer<'n> {
    /// The network.
    pub network: &'n Network,
    /// Clocks and one.
    pub n: usize,
    machine: NetworkMachine<'n>,
    mover: Mover,
    moves: Moves,
    urgent_moves: Moves,
    step: ZoneStep,
    /// Memory for the constants that matter.
    bounds: Bounds,
    has_urgent: bool,
    weights: Vec<f64>,
    /// Memory for successors.
    pub(crate) buffer: Successors,
}

impl<'n> ZoneExplorer<'n> {
    /// An explorer of a network without obstacles.
    pub fn new(network: &'n Network) -> ZoneExplorer<'n> {
        ZoneExplorer {
            network,
            n: network.clocks.len() + 1,
            machine: NetworkMachine::new(network),
            mover: Mover::default(),
            moves: Moves::default(),
            urgent_moves: Moves::default(),
            step: ZoneStep::default(),
            bounds: Bounds::default(),
            has_urgent: network.channels.iter().any(|channel| channel.urgent),
            weights: Vec::new(),
            buffer: Successors::new(network.clocks.len()),
        }
    }

    /// The initial locations and variables, and the zone with all its delays.
    pub fn initial(&mut self) -> Computed<Option<(Vec<i32>, Vec<i32>)>> {
        let machine = NetworkMachine::new(self.network);
        let discrete: Vec<i32> = machine
            .locations
            .iter()
            .map(|location| *location as i32)
            .chain(machine.cells.iter().map(|cell| *cell as i32))
            .collect();
        self.enter(&discrete);
        let mut zone = dbm::origin(self.n);
        let mut invariant = Vec::new();
        let possible = self.invariant(&mut invariant)?;
        let delay = self.may_delay()?;
        let settled = possible && dbm::settle(&mut zone, self.n, &invariant, delay);
        Ok(settled.then_some((discrete, zone)))
    }

    /// Sets the machine to a state's locations and variables.
    fn enter(&mut self, discrete: &Discrete) {
        let count = self.network.processes.len();
        let (locations, cells) = discrete.split_at(count);
        let machine = &mut self.machine;
        machine.locations.clear();
        machine.locations.extend(locations.iter().map(|value| *value as u32));
        machine.cells.clear();
        machine.cells.extend(cells.iter().map(|value| i64::from(*value)));
    }

    /// Whether time may pass in the state the machine is set to.
    fn may_delay(&mut self) -> Computed<bool> {
        if !locations_allow_delay(self.network, &self.machine.locations) {
            return Ok(false);
        }
        if !self.has_urgent {
            return Ok(true);
        }
        let network = self.network;
        let mut moves = std::mem::take(&mut self.urgent_moves);
        let result = self.mover.moves(network, &mut self.machine, &mut moves);
        let urgent = |at| moves.channel(at).is_some_and(|c| network.channels[c as usize].urgent);
        let free = !(0..moves.count()).any(urgent);
        self.urgent_moves = moves;
        result.map(|()| free)
    }

    /// Whether time may pass in a state.
    pub fn allows_delay(&mut self, discrete: &Discrete) -> Computed<bool> {
        self.enter(discrete);
        self.may_delay()
    }

    /// What clocks must fulfil in a state; none if the variables break an invariant.
    pub fn invariant_of(&mut self, discrete: &Discrete) -> Computed<Option<Vec<Constraint>>> {
        self.enter(discrete);
        let mut found = Vec::new();
        Ok(self.invariant(&mut found)?.then_some(found))
    }

    fn invariant(&mut self, found: &mut Vec<Constraint>) -> Computed<bool> {
        let network = self.network;
        for (index, process) in network.processes.iter().enumerate() {
            let location = self.machine.locations[index] as usize;
            let location = &process.locations[location];
            if matches!(&location.invariant, Condition::And(parts) if parts.is_empty()) {
                continue;
            }
            match conjunction(&mut self.machine, &location.invariant, found)? {
                Joined::Never => return Ok(false),
                Joined::All => {}
                // The front end keeps choices between clocks out of invariants; what is left of
                // one here has a single alternative.
                Joined::Choice => {
                    let mut alternatives = alternatives(&mut self.machine, &location.invariant)?;
                    match alternatives.len() {
                        0 => return Ok(false),
                        1 => found.append(&mut alternatives[0]),
                        _ => {
                            let message = "an invariant with a choice between clocks".to_string();
                            return Err(NetworkFault::new(location.span, message));
                        }
                    }
                }
            }
        }
        Ok(true)
    }

    /// A condition without deadlocks as alternatives, in a state.
    pub fn alternatives_in(
        &mut self,
        discrete: &Discrete,
        condition: &Condition,
    ) -> Computed<Alternatives> {
        self.enter(discrete);
        alternatives(&mut self.machine, condition)
    }

    /// Whether locations and variables alone rule a condition out.
    pub fn rules_out(&mut self, discrete: &Discrete, condition: &Condition) -> Computed<bool> {
        self.enter(discrete);
        Ok(known(&mut self.machine, condition)? == DiscreteTruth::No)
    }

    /// An integer in a state.
    pub fn value_in(&mut self, discrete: &Discrete, expr: &NetworkExpr) -> Computed<i64> {
        self.enter(discrete);
        self.machine.value(expr)
    }

    /// Which clock is meant in a state.
    pub fn clock_in(
        &mut self,
        discrete: &Discrete,
        clock: &provoke_uppaal::network::ClockRef,
    ) -> Computed<u32> {
        self.enter(discrete);
        self.machine.clock(clock)
    }

    /// Keeps what meets all constraints; false if that is nothing.
    pub fn constrain(&self, zone: &mut [i32], constraints: &[Constraint]) -> bool {
        constraints.iter().all(|constraint| dbm::constrain(zone, self.n, *constraint))
    }

    /// All steps from a state that its variables allow, and for which `wanted` finds the guard
    /// possible. Updates are done only then, since only then their faults are faults of the model.
    pub fn steps(
        &mut self,
        discrete: &Discrete,
        mut wanted: impl FnMut(&Alternatives) -> bool,
        mut found: impl FnMut(&ZoneStep) -> Computed<()>,
    ) -> Computed<()> {
        self.enter(discrete);
        let network = self.network;
        let mut moves = std::mem::take(&mut self.moves);
        let mut result = self.mover.moves(network, &mut self.machine, &mut moves);
        let mut step = std::mem::take(&mut self.step);
        step.ordinal = 0;
        if result.is_ok() {
            result = match &network.priorities {
                None => (0..moves.count()).try_for_each(|at| {
                    self.move_steps(discrete, &moves, at, &mut step, &mut wanted, &mut found)
                }),
                Some(priorities) => {
                    let ranked = Ranked { priorities, moves: &moves };
                    self.first_steps(discrete, ranked, &mut step, &mut wanted, &mut found)
                }
            };
        }
        self.moves = moves;
        self.step = step;
        result
    }

    /// The steps that none of higher priority forestalls. All are looked at, wanted or not, so
    /// that the alternatives of a guard have the same numbers whoever asks; the faults of those
    /// that cannot be made are no faults.
    fn first_steps(
        &mut self,
        discrete: &Discrete,
        ranked: Ranked<'_>,
        step: &mut ZoneStep,
        wanted: &mut impl FnMut(&Alternatives) -> bool,
        found: &mut impl FnMut(&ZoneStep) -> Computed<()>,
    ) -> Computed<()> {
        let mut candidates: Vec<Candidate> = Vec::new();
        for at in 0..ranked.moves.count() {
            let (before, mut is_wanted) = (candidates.len(), false);
            let mut look = |guard: &Alternatives| {
                is_wanted = wanted(guard);
                true
            };
            let mut note = |step: &ZoneStep| {
                candidates.push((step.clone(), false));
                Ok(())
            };
            let result = self.move_steps(discrete, ranked.moves, at, step, &mut look, &mut note);
            match result {
                Err(fault) if is_wanted => return Err(fault),
                Err(_) => {
                    candidates.truncate(before);
                    self.enter(discrete);
                }
                Ok(()) => candidates[before..].iter_mut().for_each(|c| c.1 = is_wanted),
            }
        }
        for (candidate, _) in candidates.iter().filter(|(_, is_wanted)| *is_wanted) {
            step.clone_from(candidate);
            step.guard = forestalled(ranked.priorities, &candidates, candidate, self.n)?;
            if !step.guard.is_empty() {
                found(step)?;
            }
        }
        Ok(())
    }

    fn move_steps(
        &mut self,
        discrete: &Discrete,
        moves: &Moves,
        at: usize,
        step: &mut ZoneStep,
        wanted: &mut impl FnMut(&Alternatives) -> bool,
        found: &mut impl FnMut(&ZoneStep) -> Computed<()>,
    ) -> Computed<()> {
        let network = self.network;
        let parts = moves.parts(at);
        self.guard(parts, moves.left_out(at), &mut step.guard)?;
        let counts = parts.iter().map(|part| network.edge(*part).branches.len());
        let combinations: usize = counts.product();
        let possible = !step.guard.is_empty() && wanted(&step.guard);
        if !possible {
            step.ordinal += combinations as u32;
            return Ok(());
        }
        step.channel = moves.channel(at);
        for combination in 0..combinations {
            step.parts.clear();
            let mut rest = combination;
            for part in parts {
                let count = network.edge(*part).branches.len();
                step.parts.push((*part, (rest % count) as u32));
                rest /= count;
            }
            if self.perform(step)? {
                found(step)?;
            }
            self.enter(discrete);
            step.ordinal += 1;
        }
        Ok(())
    }

    /// What clocks must fulfil for a move: all guards hold, and those of receivers that are left
    /// out do not.
    fn guard(
        &mut self,
        parts: &[Part],
        left_out: &[Part],
        guard: &mut Alternatives,
    ) -> Computed<()> {
        let network = self.network;
        guard.truncate(1);
        guard.resize_with(1, Vec::new);
        guard[0].clear();
        let mut simple = left_out.is_empty();
        for part in parts {
            if !simple {
                break;
            }
            match conjunction(&mut self.machine, &network.edge(*part).guard, &mut guard[0])? {
                Joined::All => {}
                Joined::Never => {
                    guard.clear();
                    return Ok(());
                }
                Joined::Choice => simple = false,
            }
        }
        if simple {
            return Ok(());
        }
        let mut all = Vec::new();
        for part in parts {
            all.push(network.edge(*part).guard.clone());
        }
        for part in left_out {
            all.push(provoke_uppaal::negated(network.edge(*part).guard.clone()));
        }
        *guard = alternatives(&mut self.machine, &Condition::And(all))?;
        Ok(())
    }

    /// Does the updates; false if an invariant rules the target out. How probable a branch is does not
    /// matter here: UPPAAL does not evaluate weights for questions about all runs.
    fn perform(&mut self, step: &mut ZoneStep) -> Computed<bool> {
        let network = self.network;
        for (part, _) in &step.parts {
            self.check_weights(network.edge(*part))?;
        }
        self.machine.resets.clear();
        for (part, branch) in &step.parts {
            let branch = &network.edge(*part).branches[*branch as usize];
            self.update(&branch.update, *part)?;
        }
        for (part, branch) in &step.parts {
            let target = network.edge(*part).branches[*branch as usize].target;
            self.machine.locations[part.process as usize] = target as u32;
        }
        step.resets.clear();
        for &(clock, value) in &self.machine.resets {
            if !(0.0..=dbm::LARGEST as f64).contains(&value) {
                let message = format!("a clock is set to {value}");
                let span = network.edge(step.parts[0].0).span;
                return Err(NetworkFault::new(span, message));
            }
            step.resets.push((clock, value as i64));
        }
        step.target.clear();
        step.target.extend(self.machine.locations.iter().map(|location| *location as i32));
        step.target.extend(self.machine.cells.iter().map(|cell| *cell as i32));
        step.invariant.clear();
        if !self.invariant(&mut step.invariant)? {
            return Ok(false);
        }
        step.delay = self.may_delay()?;
        Ok(true)
    }

    /// An edge none of whose branches can be taken by chance is a fault of the model, as far as
    /// integers show it.
    fn check_weights(&mut self, edge: &Edge) -> Computed<()> {
        let is_known = |branch: &Branch| matches!(branch.weight, Number::Value(_) | Number::Int(_));
        if edge.branches.len() > 1 && edge.branches.iter().all(is_known) {
            self.machine.weights(edge, &mut self.weights)?;
        }
        Ok(())
    }

    /// A fault of an update names its edge.
    fn update(&mut self, update: &[Stmt], part: Part) -> Computed<()> {
        self.machine.perform(update).map_err(|fault| {
            let process = &self.network.processes[part.process as usize];
            let edge = &process.edges[part.edge as usize];
            let source = &process.locations[edge.source].name;
            let span = if fault.span == Span::default() { edge.span } else { fault.span };
            let what = format!("{}, on an edge of {} from {source}", fault.message, process.name);
            NetworkFault::new(span, what)
        })
    }

    /// Forgets what does not matter from these locations on.
    pub fn extrapolate(&mut self, zone: &mut [i32], discrete: &Discrete, table: &BoundTable) {
        table.fill(&discrete[..self.network.processes.len()], &mut self.bounds);
        dbm::extrapolate(zone, self.n, &self.bounds);
    }
}

/// The zone behind a step, with all its delays; false if it is empty.
pub fn follow(zone: &mut [i32], n: usize, guard: &[Constraint], step: &ZoneStep) -> bool {
    if !guard.iter().all(|c| dbm::constrain(zone, n, *c)) {
        return false;
    }
    for &(clock, value) in &step.resets {
        dbm::reset(zone, n, clock as usize + 1, value);
    }
    dbm::settle(zone, n, &step.invariant, step.delay)
}
