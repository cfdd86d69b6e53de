//! The symbolic semantics: sets of states with the same locations and variables, as zones.

use provoke_base::Span;

use crate::bounds::BoundTable;
use crate::dbm::{self, Bounds, Constraint};
use crate::machine::{Computed, Fault, Machine};
use crate::moves::{Move, Mover, Part, locations_allow_delay};
use crate::network::{ClockBound, Comparison, Condition, Expr, Network, Number, Stmt};

/// Locations, then variables: what a set of states has in common.
pub type Discrete = [i32];

/// More alternatives of one condition are refused.
const MAX_ALTERNATIVES: usize = 4096;

/// Alternatives, each of which is a list of constraints that all hold.
pub type Alternatives = Vec<Vec<Constraint>>;

/// A way from one set of states to another.
#[derive(Clone, Debug, Default)]
pub struct Step {
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

/// Computes successors; every thread has its own.
pub struct Explorer<'n> {
    /// The network.
    pub network: &'n Network,
    /// Clocks and one.
    pub n: usize,
    machine: Machine<'n>,
    mover: Mover,
    moves: Vec<Move>,
    urgent_moves: Vec<Move>,
    bounds: Bounds,
    has_urgent: bool,
    /// Memory for successors.
    pub(crate) buffer: Successors,
}

/// A set of states behind a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Successor {
    /// Which step, and which alternative of its guard.
    pub(crate) via: (u32, u32),
    pub(crate) target: Vec<i32>,
    pub(crate) zone: Vec<i32>,
}

/// Successors in memory that is used again and again.
#[derive(Debug, Default)]
pub(crate) struct Successors {
    list: Vec<Successor>,
    count: usize,
}

impl Successors {
    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Successor> {
        self.list[..self.count].iter_mut()
    }

    fn next(&mut self) -> &mut Successor {
        if self.count == self.list.len() {
            self.list.push(Successor::default());
        }
        &mut self.list[self.count]
    }
}

/// Why zones cannot say anything of a network.
pub fn obstacle(network: &Network) -> Option<(Span, String)> {
    if let Some(found) = network.not_followed.first().or(network.simulation_only.first()) {
        return Some(found.clone());
    }
    for process in &network.processes {
        for location in &process.locations {
            if let Some(span) = diagonal(&location.invariant) {
                return Some((span, "a comparison of two clocks".to_string()));
            }
        }
        for edge in &process.edges {
            if let Some(span) = diagonal(&edge.guard) {
                return Some((span, "a comparison of two clocks".to_string()));
            }
            let urgent = |sync: &crate::network::Sync| network.channels[sync.first].urgent;
            if edge.sync.as_ref().is_some_and(urgent) && speaks_of_clocks(&edge.guard) {
                return Some((edge.span, "a clock in the guard of an urgent channel".to_string()));
            }
            let weights = edge.branches.iter().map(|branch| &branch.weight);
            if weights.into_iter().any(|w| !matches!(w, Number::Value(_) | Number::Int(_))) {
                return Some((edge.span, "a weight that is not an integer".to_string()));
            }
        }
    }
    None
}

/// A bound on the difference of two clocks.
pub fn diagonal(condition: &Condition) -> Option<Span> {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().find_map(diagonal),
        Condition::Clock(bound) if bound.left.is_some() && bound.right.is_some() => {
            Some(bound.span)
        }
        _ => None,
    }
}

/// Whether a condition depends on clocks.
pub fn speaks_of_clocks(condition: &Condition) -> bool {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(speaks_of_clocks),
        Condition::Clock(_) | Condition::Number(..) => true,
        Condition::Int(_) | Condition::Deadlock(_) => false,
    }
}

/// Whether a condition asks for deadlocks.
pub fn asks_for_deadlock(condition: &Condition) -> bool {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(asks_for_deadlock),
        Condition::Deadlock(_) => true,
        _ => false,
    }
}

impl<'n> Explorer<'n> {
    /// An explorer of a network without obstacles.
    pub fn new(network: &'n Network) -> Explorer<'n> {
        Explorer {
            network,
            n: network.clocks.len() + 1,
            machine: Machine::new(network),
            mover: Mover::default(),
            moves: Vec::new(),
            urgent_moves: Vec::new(),
            bounds: Bounds { lower: Vec::new(), upper: Vec::new() },
            has_urgent: network.channels.iter().any(|channel| channel.urgent),
            buffer: Successors::default(),
        }
    }

    /// The initial locations and variables, and the zone with all its delays.
    pub fn initial(&mut self) -> Computed<Option<(Vec<i32>, Vec<i32>)>> {
        let machine = Machine::new(self.network);
        let discrete: Vec<i32> = machine
            .locations
            .iter()
            .map(|location| *location as i32)
            .chain(machine.cells.iter().map(|cell| *cell as i32))
            .collect();
        self.enter(&discrete);
        let mut zone = dbm::origin(self.n);
        let mut invariant = Vec::new();
        if !self.invariant(&mut invariant)? || !self.constrain(&mut zone, &invariant) {
            return Ok(None);
        }
        if self.may_delay()? {
            dbm::up(&mut zone, self.n);
            self.constrain(&mut zone, &invariant);
        }
        Ok(Some((discrete, zone)))
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
        let urgent = |m: &Move| m.channel.is_some_and(|c| network.channels[c as usize].urgent);
        let free = !moves.iter().any(urgent);
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
            match self.conjunction(&location.invariant, found)? {
                Joined::Never => return Ok(false),
                Joined::All => {}
                // The front end keeps choices between clocks out of invariants; what is left of
                // one here has a single alternative.
                Joined::Choice => {
                    let mut alternatives = self.alternatives(&location.invariant)?;
                    match alternatives.len() {
                        0 => return Ok(false),
                        1 => found.append(&mut alternatives[0]),
                        _ => {
                            let message = "an invariant with a choice between clocks".to_string();
                            return Err(Fault { message, span: location.span });
                        }
                    }
                }
            }
        }
        Ok(true)
    }

    /// Adds the constraints of a condition that has no choices.
    fn conjunction(
        &mut self,
        condition: &Condition,
        found: &mut Vec<Constraint>,
    ) -> Computed<Joined> {
        match condition {
            Condition::Int(Expr::Int(value)) if *value != 0 => Ok(Joined::All),
            Condition::Int(expr) => {
                let holds = self.machine.value(expr)? != 0;
                Ok(if holds { Joined::All } else { Joined::Never })
            }
            Condition::Clock(bound) => {
                self.clock_bound(bound, found)?;
                Ok(Joined::All)
            }
            Condition::And(parts) => {
                for part in parts {
                    match self.conjunction(part, found)? {
                        Joined::All => {}
                        other => return Ok(other),
                    }
                }
                Ok(Joined::All)
            }
            _ => Ok(Joined::Choice),
        }
    }

    fn clock_bound(&mut self, bound: &ClockBound, found: &mut Vec<Constraint>) -> Computed<()> {
        let mut clock = |clock: &Option<crate::network::ClockRef>| match clock {
            Some(clock) => self.machine.clock(clock).map(|index| index as u16 + 1),
            None => Ok(0),
        };
        let (left, right) = (clock(&bound.left)?, clock(&bound.right)?);
        let c = self.machine.value(&bound.bound)?;
        if c.abs() > dbm::LARGEST {
            let message = format!("a clock compared with {c}, which is too large");
            return Err(Fault { message, span: bound.span });
        }
        let mut add = |left, right, bound| found.push(Constraint { left, right, bound });
        match bound.comparison {
            Comparison::Lt => add(left, right, dbm::below(c)),
            Comparison::Le => add(left, right, dbm::at_most(c)),
            Comparison::Gt => add(right, left, dbm::below(-c)),
            Comparison::Ge => add(right, left, dbm::at_most(-c)),
            Comparison::Eq | Comparison::Ne => {
                add(left, right, dbm::at_most(c));
                add(right, left, dbm::at_most(-c));
            }
        }
        Ok(())
    }

    /// A condition as alternatives, for the state the machine is set to.
    fn alternatives(&mut self, condition: &Condition) -> Computed<Alternatives> {
        Ok(match condition {
            Condition::Int(expr) => match self.machine.value(expr)? {
                0 => Vec::new(),
                _ => vec![Vec::new()],
            },
            Condition::Clock(bound) => {
                let mut found = Vec::new();
                self.clock_bound(bound, &mut found)?;
                vec![found]
            }
            Condition::Or(parts) => {
                let mut found = Vec::new();
                for part in parts {
                    found.append(&mut self.alternatives(part)?);
                    if found.iter().any(Vec::is_empty) {
                        return Ok(vec![Vec::new()]);
                    }
                }
                found
            }
            Condition::And(parts) => {
                let mut all: Alternatives = vec![Vec::new()];
                for part in parts {
                    let more = self.alternatives(part)?;
                    if all.len() * more.len() > MAX_ALTERNATIVES {
                        return Err(too_many_alternatives());
                    }
                    let joined = |a: &Vec<Constraint>| {
                        more.iter().map(|b| [a.as_slice(), b].concat()).collect::<Vec<_>>()
                    };
                    all = all.iter().flat_map(joined).collect();
                }
                all
            }
            // Asked for separately; numbers are kept away.
            Condition::Deadlock(_) | Condition::Number(..) => vec![Vec::new()],
        })
    }

    /// A condition without deadlocks as alternatives, in a state.
    pub fn alternatives_in(
        &mut self,
        discrete: &Discrete,
        condition: &Condition,
    ) -> Computed<Alternatives> {
        self.enter(discrete);
        self.alternatives(condition)
    }

    /// An integer in a state.
    pub fn value_in(&mut self, discrete: &Discrete, expr: &Expr) -> Computed<i64> {
        self.enter(discrete);
        self.machine.value(expr)
    }

    /// Which clock is meant in a state.
    pub fn clock_in(
        &mut self,
        discrete: &Discrete,
        clock: &crate::network::ClockRef,
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
        mut found: impl FnMut(&Step) -> Computed<()>,
    ) -> Computed<()> {
        self.enter(discrete);
        let network = self.network;
        let mut moves = std::mem::take(&mut self.moves);
        let mut result = self.mover.moves(network, &mut self.machine, &mut moves);
        let mut step = Step::default();
        for candidate in &moves {
            if result.is_err() {
                break;
            }
            result = self.move_steps(discrete, candidate, &mut step, &mut wanted, &mut found);
        }
        self.moves = moves;
        result
    }

    fn move_steps(
        &mut self,
        discrete: &Discrete,
        candidate: &Move,
        step: &mut Step,
        wanted: &mut impl FnMut(&Alternatives) -> bool,
        found: &mut impl FnMut(&Step) -> Computed<()>,
    ) -> Computed<()> {
        let network = self.network;
        self.enter(discrete);
        self.guard(candidate, &mut step.guard)?;
        let counts = candidate.parts.iter().map(|part| edge(network, *part).branches.len());
        let combinations: usize = counts.product();
        let possible = !step.guard.is_empty() && wanted(&step.guard);
        if !possible {
            step.ordinal += combinations as u32;
            return Ok(());
        }
        step.channel = candidate.channel;
        for combination in 0..combinations {
            step.parts.clear();
            let mut rest = combination;
            for part in &candidate.parts {
                let count = edge(network, *part).branches.len();
                step.parts.push((*part, (rest % count) as u32));
                rest /= count;
            }
            if self.perform(discrete, step)? {
                found(step)?;
            }
            step.ordinal += 1;
        }
        Ok(())
    }

    /// What clocks must fulfil for a move: all guards hold, and those of receivers that are left
    /// out do not.
    fn guard(&mut self, candidate: &Move, guard: &mut Alternatives) -> Computed<()> {
        let network = self.network;
        guard.truncate(1);
        guard.resize_with(1, Vec::new);
        guard[0].clear();
        let mut simple = candidate.left_out.is_empty();
        for part in &candidate.parts {
            if !simple {
                break;
            }
            match self.conjunction(&edge(network, *part).guard, &mut guard[0])? {
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
        for part in &candidate.parts {
            all.push(edge(network, *part).guard.clone());
        }
        for part in &candidate.left_out {
            all.push(crate::lower::negated(edge(network, *part).guard.clone()));
        }
        *guard = self.alternatives(&Condition::And(all))?;
        Ok(())
    }

    /// Does the updates; false if a weight is zero or an invariant rules the target out.
    fn perform(&mut self, discrete: &Discrete, step: &mut Step) -> Computed<bool> {
        let network = self.network;
        self.enter(discrete);
        for (part, branch) in &step.parts {
            let edge = edge(network, *part);
            if edge.branches.len() > 1 {
                let weight = self.machine.number_value(&edge.branches[*branch as usize].weight)?;
                if weight <= 0.0 {
                    return Ok(false);
                }
            }
        }
        self.machine.resets.clear();
        for (part, branch) in &step.parts {
            let branch = &edge(network, *part).branches[*branch as usize];
            self.update(&branch.update, *part)?;
        }
        for (part, branch) in &step.parts {
            let target = edge(network, *part).branches[*branch as usize].target;
            self.machine.locations[part.process as usize] = target as u32;
        }
        step.resets.clear();
        for &(clock, value) in &self.machine.resets {
            if value < 0.0 {
                let message = format!("a clock is set to {value}");
                let span = edge(network, step.parts[0].0).span;
                return Err(Fault { message, span });
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

    /// A fault of an update names its edge.
    fn update(&mut self, update: &[Stmt], part: Part) -> Computed<()> {
        self.machine.perform(update).map_err(|fault| {
            let process = &self.network.processes[part.process as usize];
            let edge = &process.edges[part.edge as usize];
            let source = &process.locations[edge.source].name;
            let span = if fault.span == Span::default() { edge.span } else { fault.span };
            Fault {
                message: format!("{}, on an edge of {} from {source}", fault.message, process.name),
                span,
            }
        })
    }

    /// The sets of states behind all steps from a set, with their delays.
    pub(crate) fn successors(
        &mut self,
        discrete: &Discrete,
        zone: &[i32],
        found: &mut Successors,
    ) -> Computed<()> {
        let n = self.n;
        found.count = 0;
        let possible = |guard: &Alternatives| guard.iter().any(|g| is_possible(zone, n, g));
        self.steps(discrete, possible, |step| {
            for (alternative, guard) in step.guard.iter().enumerate() {
                let next = found.next();
                next.zone.clear();
                next.zone.extend_from_slice(zone);
                if follow(&mut next.zone, n, guard, step) {
                    next.via = (step.ordinal, alternative as u32);
                    next.target.clear();
                    next.target.extend_from_slice(&step.target);
                    found.count += 1;
                }
            }
            Ok(())
        })
    }

    /// Forgets what does not matter from these locations on.
    pub fn extrapolate(&mut self, zone: &mut [i32], discrete: &Discrete, table: &BoundTable) {
        let count = self.network.processes.len();
        let machine = &mut self.machine;
        machine.locations.clear();
        machine.locations.extend(discrete[..count].iter().map(|value| *value as u32));
        table.fill(&machine.locations, &mut self.bounds);
        dbm::extrapolate(zone, self.n, &self.bounds);
    }

    /// The parts of a zone in which a condition holds. Deadlocks are looked for in all of the zone's
    /// future, so the zone must hold its delays.
    pub fn satisfying(
        &mut self,
        discrete: &Discrete,
        zone: &[i32],
        condition: &Condition,
    ) -> Computed<Vec<Vec<i32>>> {
        if !asks_for_deadlock(condition) {
            let alternatives = self.alternatives_in(discrete, condition)?;
            let mut found = Vec::new();
            for constraints in alternatives {
                let mut part = zone.to_vec();
                if self.constrain(&mut part, &constraints) {
                    found.push(part);
                }
            }
            return Ok(found);
        }
        match condition {
            Condition::And(parts) => {
                let mut zones = vec![zone.to_vec()];
                // Cheap ones first: they may rule the expensive ones out.
                let (late, early): (Vec<_>, Vec<_>) =
                    parts.iter().partition(|p| asks_for_deadlock(p));
                for part in early.into_iter().chain(late) {
                    let mut smaller = Vec::new();
                    for zone in &zones {
                        smaller.append(&mut self.satisfying(discrete, zone, part)?);
                    }
                    zones = smaller;
                }
                Ok(zones)
            }
            Condition::Or(parts) => {
                let mut found = Vec::new();
                for part in parts {
                    found.append(&mut self.satisfying(discrete, zone, part)?);
                }
                Ok(found)
            }
            Condition::Deadlock(is) => self.deadlocked(discrete, zone, *is),
            _ => Ok(vec![zone.to_vec()]),
        }
    }

    /// The parts of a zone from which no step is possible now or later; or the others.
    pub fn deadlocked(
        &mut self,
        discrete: &Discrete,
        zone: &[i32],
        is: bool,
    ) -> Computed<Vec<Vec<i32>>> {
        let n = self.n;
        let delay = self.allows_delay(discrete)?;
        let invariant = self.invariant_of(discrete)?.unwrap_or_default();
        let mut alive: Vec<Vec<i32>> = Vec::new();
        self.steps(
            discrete,
            |_| true,
            |step| {
                let Some(arrival) = before_resets(&step.invariant, &step.resets) else {
                    return Ok(());
                };
                for guard in &step.guard {
                    let mut part = anywhere(n);
                    let all = invariant.iter().chain(guard).chain(&arrival);
                    if all.into_iter().all(|constraint| dbm::constrain(&mut part, n, *constraint)) {
                        if delay {
                            dbm::down(&mut part, n);
                        }
                        alive.push(part);
                    }
                }
                Ok(())
            },
        )?;
        if is {
            let mut rest = vec![zone.to_vec()];
            for part in &alive {
                rest = dbm::subtract_from_all(rest, n, part);
            }
            return Ok(rest);
        }
        alive.retain_mut(|part| dbm::intersect(part, n, zone));
        Ok(alive)
    }
}

/// The zone behind a step, with all its delays; false if it is empty.
pub fn follow(zone: &mut [i32], n: usize, guard: &[Constraint], step: &Step) -> bool {
    let all =
        |zone: &mut [i32], list: &[Constraint]| list.iter().all(|c| dbm::constrain(zone, n, *c));
    if !all(zone, guard) {
        return false;
    }
    for &(clock, value) in &step.resets {
        dbm::reset(zone, n, clock as usize + 1, value);
    }
    if !all(zone, &step.invariant) {
        return false;
    }
    if step.delay {
        dbm::up(zone, n);
        all(zone, &step.invariant);
    }
    true
}

/// Whether a zone meets constraints. One of them, or several of one clock, need no copy.
fn is_possible(zone: &[i32], n: usize, guard: &[Constraint]) -> bool {
    let each = |c: &Constraint| {
        dbm::add(zone[c.right as usize * n + c.left as usize], c.bound) >= dbm::ZERO
    };
    if !guard.iter().all(each) || guard.len() <= 1 {
        return guard.iter().all(each);
    }
    let mut copy = zone.to_vec();
    guard.iter().all(|c| dbm::constrain(&mut copy, n, *c))
}

enum Joined {
    All,
    Never,
    Choice,
}

fn too_many_alternatives() -> Fault {
    let message = format!("a condition with more than {MAX_ALTERNATIVES} alternatives of clocks");
    Fault { message, span: Span::default() }
}

fn edge(network: &Network, part: Part) -> &crate::network::Edge {
    &network.processes[part.process as usize].edges[part.edge as usize]
}

/// The zone of all clock values.
pub fn anywhere(n: usize) -> Vec<i32> {
    let mut zone = vec![dbm::INFINITY; n * n];
    for i in 0..n {
        zone[i] = dbm::ZERO;
        zone[i * n + i] = dbm::ZERO;
    }
    zone
}

/// What clocks must fulfil before they are set, so that the constraints hold behind it; none if
/// that is impossible.
pub fn before_resets(constraints: &[Constraint], resets: &[(u32, i64)]) -> Option<Vec<Constraint>> {
    let value_of = |clock: u16| {
        let set = resets.iter().rev().find(|(index, _)| *index + 1 == u32::from(clock));
        set.map(|(_, value)| *value)
    };
    let mut found = Vec::new();
    for constraint in constraints {
        let (left, right) = (value_of(constraint.left), value_of(constraint.right));
        // x - y <= c with x = v is -y <= c - v.
        let shift = right.unwrap_or(0) - left.unwrap_or(0);
        let moved = Constraint {
            left: if left.is_some() { 0 } else { constraint.left },
            right: if right.is_some() { 0 } else { constraint.right },
            bound: constraint.bound + ((shift as i32) << 1),
        };
        if moved.left == 0 && moved.right == 0 {
            if moved.bound < dbm::ZERO {
                return None;
            }
        } else {
            found.push(moved);
        }
    }
    Some(found)
}
