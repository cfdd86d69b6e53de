//! The probability that a test sees what it expects, computed.
//!
//! Delays are uniform and one of them at a time is uncertain: then everything that happens later is
//! a function of when it ends, and where guards do not change their mind this function is a
//! polynomial. It is integrated over the stretches between such places. Where a model has
//! exponential delays, or two uncertain moments matter at a time, there is no answer.

use std::cmp::Ordering;

use provoke_base::Rational;
use provoke_uppaal::Network;
use provoke_uppaal::machine::{NetworkFault, NetworkMachine};
use provoke_uppaal::moves::Part;
use provoke_uppaal::network::{ClockBound, ClockComparison, Condition, Edge, Urgency};
use provoke_uppaal::partners::Partners;
use provoke_zones::bounds::BoundTable;
use provoke_zones::dbm::Bounds;
use provoke_zones::obstacle;

use crate::probability::polynomial::{Line, Pieces, rational};
use crate::tester::alphabet::turned;
use crate::tester::automaton::opened;
use crate::tester::interface::{Act, What};

/// More cases are refused.
const MAX_CASES: u32 = 20_000;

/// More moves one after the other are refused: a loop in which no time passes has no end.
const MAX_DEPTH: u32 = 200;

/// Why there is no number.
enum Stop {
    /// Something changes its mind at this value of the variable.
    Split(Rational),
    /// For this reason.
    Refused(String),
}

impl From<Box<NetworkFault>> for Stop {
    fn from(fault: Box<NetworkFault>) -> Stop {
        Stop::Refused(fault.message)
    }
}

fn refused<T>(why: &str) -> Result<T, Stop> {
    Err(Stop::Refused(why.to_string()))
}

/// The values of the variable that are looked at.
type Span = (Rational, Rational);

/// What happened so far. Times are counted from anywhere.
#[derive(Clone)]
struct State {
    locations: Vec<u32>,
    cells: Vec<i64>,
    /// When each clock was 0.
    since: Vec<Line>,
    now: Line,
    /// The act that goes on, and when it ends.
    act: usize,
    due: Line,
}

impl State {
    /// Whether two states differ in nothing but the time.
    fn alike(&self, other: &State) -> bool {
        self.locations == other.locations
            && self.cells == other.cells
            && self.since == other.since
            && self.due == other.due
    }
}

/// Who moves next: a process, or the tester.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Process(usize),
    Tester,
}

/// A move that will come between two times.
struct Chance {
    who: Who,
    from: Line,
    to: Line,
}

/// The probability that all outputs are as written; or why it cannot be computed.
pub fn exact_probability(network: &Network, acts: &[Act]) -> Result<f64, String> {
    if let Some((_, what)) = obstacle::obstacle(network) {
        return Err(what);
    }
    if network.channels.iter().any(|channel| channel.urgent) {
        return Err("an urgent channel".to_string());
    }
    let sends = acts.iter().filter_map(|act| match act.what {
        What::Send(channel) => Some(channel),
        _ => None,
    });
    let (mut network, _) = opened(network, sends);
    network.clocks.pop();
    let mut exact = Exact {
        table: BoundTable::new(&network, &[], true),
        bounds: Bounds { lower: Vec::new(), upper: Vec::new() },
        machine: NetworkMachine::new(&network),
        partners: Partners::new(&network),
        network: &network,
        acts,
        cases: 0,
        depth: 0,
    };
    let zero = Line::constant(rational(0));
    let state = State {
        locations: exact.machine.locations.clone(),
        cells: exact.machine.cells.clone(),
        since: vec![zero.clone(); network.clocks.len()],
        now: zero.clone(),
        act: 0,
        due: zero,
    };
    let span = (rational(0), rational(0));
    let value = exact.start_act(state, &span).and_then(|state| exact.value(state, &span));
    match value {
        Ok(pieces) => Ok(pieces.first().to_f64()),
        Err(Stop::Refused(why)) => Err(why),
        Err(Stop::Split(_)) => Err("a time that depends on nothing is split".to_string()),
    }
}

struct Exact<'a> {
    network: &'a Network,
    machine: NetworkMachine<'a>,
    partners: Partners,
    table: BoundTable,
    bounds: Bounds,
    acts: &'a [Act],
    cases: u32,
    /// How many moves led here.
    depth: u32,
}

impl Exact<'_> {
    /// The probability of success from a state, as a function of the variable.
    fn value(&mut self, state: State, span: &Span) -> Result<Pieces, Stop> {
        self.cases += 1;
        if self.cases > MAX_CASES {
            return refused("too many cases");
        }
        if self.depth >= MAX_DEPTH {
            return refused("too many moves one after the other");
        }
        self.depth += 1;
        let whole = self.whole(&state, span);
        self.depth -= 1;
        match whole {
            Err(Stop::Split(at)) => {
                let first = self.value(state.clone(), &(span.0.clone(), at.clone()))?;
                Ok(first.followed_by(self.value(state, &(at, span.1.clone()))?))
            }
            other => other,
        }
    }

    /// The same, where nothing changes its mind.
    fn whole(&mut self, state: &State, span: &Span) -> Result<Pieces, Stop> {
        if state.act == self.acts.len() {
            return Ok(Pieces::constant(span, rational(1)));
        }
        let chances = self.chances(state, span)?;
        let (mut sure, mut winners): (Option<Line>, Vec<Who>) = (None, Vec::new());
        for chance in chances.iter().filter(|chance| chance.from == chance.to) {
            if let Some(time) = &sure {
                match order(&chance.from, time, span)? {
                    Ordering::Greater => continue,
                    Ordering::Equal => {}
                    Ordering::Less => winners.clear(),
                }
            }
            sure = Some(chance.from.clone());
            winners.push(chance.who);
        }
        // The tester looks when everything due has happened.
        if winners.len() > 1 {
            winners.retain(|who| *who != Who::Tester);
        }
        let mut open: Option<&Chance> = None;
        for chance in chances.iter().filter(|chance| chance.from != chance.to) {
            if let Some(time) = &sure
                && order(&chance.from, time, span)? != Ordering::Less
            {
                continue;
            }
            if open.replace(chance).is_some() {
                return refused("two uncertain delays at a time");
            }
        }
        match open {
            None => self.surely(state, sure.as_ref(), &winners, span),
            Some(chance) => self.perhaps(state, chance, sure.as_ref(), &winners, span),
        }
    }

    /// All winners move at the same moment; one of them comes first.
    fn surely(
        &mut self,
        state: &State,
        time: Option<&Line>,
        winners: &[Who],
        span: &Span,
    ) -> Result<Pieces, Stop> {
        let Some(time) = time else { return refused("time stops") };
        let share = rational(1).div(&rational(winners.len() as i64)).expect("not zero");
        let mut sum = Pieces::constant(span, rational(0));
        for who in winners {
            let mut next = state.clone();
            next.now = time.clone();
            sum = sum.plus(&self.moved(next, *who, span)?.times(&share));
        }
        Ok(sum)
    }

    /// One move comes at an uncertain time, unless another one comes before.
    fn perhaps(
        &mut self,
        state: &State,
        chance: &Chance,
        sure: Option<&Line>,
        winners: &[Who],
        span: &Span,
    ) -> Result<Pieces, Stop> {
        let length = chance.to.minus(&chance.from);
        if length.varies() {
            return refused("a delay whose length is uncertain");
        }
        let cut = match sure {
            Some(time) if order(time, &chance.to, span)? == Ordering::Less => Some(time),
            _ => None,
        };
        let end = cut.unwrap_or(&chance.to);
        let depends = chance.from.varies() || end.varies() || self.depends(state);
        if depends {
            return self.either(state, chance, (end, cut), winners, span);
        }
        let inner = (chance.from.at.clone(), end.at.clone());
        let mut next = state.clone();
        next.now = Line::variable();
        let area = self.moved_in(next, chance.who, &inner)?.integral();
        let mut sum = area.div(&length.at).ok_or(Stop::Refused("an empty delay".to_string()))?;
        if let Some(time) = cut {
            let left = chance.to.minus(time).at.div(&length.at).expect("not zero");
            let other = self.surely(state, Some(time), winners, &(rational(0), rational(0)))?;
            sum = sum.add(&left.mul(&other.first()));
        }
        Ok(Pieces::constant(span, sum))
    }

    /// The same, where times depend on the variable already. Then it must not matter when exactly the
    /// move comes, only whether it comes in time.
    fn either(
        &mut self,
        state: &State,
        chance: &Chance,
        (end, cut): (&Line, Option<&Line>),
        winners: &[Who],
        span: &Span,
    ) -> Result<Pieces, Stop> {
        let Who::Process(process) = chance.who else {
            return refused("two uncertain moments matter at a time");
        };
        if !self.is_steady(state, process, (&chance.from, end), span)? {
            return refused("a choice that depends on an uncertain moment");
        }
        let mut moved =
            |now: &Line| self.taken(&State { now: now.clone(), ..state.clone() }, process, span);
        let (first, last) = (moved(&chance.from)?, moved(end)?);
        let length = chance.to.minus(&chance.from).at;
        let share = |line: &Line, pieces: Pieces| {
            let one = rational(1).div(&length).expect("not zero");
            pieces.times_line(line).times(&one)
        };
        let mut sum = Pieces::constant(span, rational(0));
        for ((weight, next), (other_weight, other)) in first.iter().zip(&last) {
            let same = weight == other_weight && first.len() == last.len() && next.alike(other);
            if !same || !self.is_quiet(next, span)? {
                return refused("two uncertain moments matter at a time");
            }
            let value = self.value(next.clone(), span)?.times(weight);
            sum = sum.plus(&share(&end.minus(&chance.from), value));
        }
        if let Some(time) = cut {
            let other = self.surely(state, Some(time), winners, span)?;
            sum = sum.plus(&share(&chance.to.minus(time), other));
        }
        Ok(sum)
    }

    /// Whether a process has the same edges to take all the time, and the same receivers.
    fn is_steady(
        &mut self,
        state: &State,
        process: usize,
        (from, end): (&Line, &Line),
        span: &Span,
    ) -> Result<bool, Stop> {
        let network = self.network;
        let of = &network.processes[process];
        for &edge in &of.leaving[state.locations[process] as usize] {
            let edge = &of.edges[edge];
            if edge.answers() {
                continue;
            }
            let Some((opens, closes)) = self.window(state, &edge.guard, span)? else { continue };
            let outside = order(&opens, end, span)?.is_ge();
            let closes_late = match &closes {
                Some(closes) => order(closes, end, span)?.is_ge(),
                None => true,
            };
            let covers = order(&opens, from, span)?.is_le() && closes_late;
            if !outside && !covers {
                return Ok(false);
            }
        }
        let receives = |edge: &&Edge| edge.answers();
        let leaving = network.processes.iter().zip(&state.locations).flat_map(|(p, location)| {
            p.leaving[*location as usize].iter().map(|edge| &p.edges[*edge])
        });
        Ok(!leaving.filter(receives).any(|edge| obstacle::speaks_of_clocks(&edge.guard)))
    }

    /// Whether nothing can happen before the tester looks.
    fn is_quiet(&mut self, state: &State, span: &Span) -> Result<bool, Stop> {
        for chance in self.chances(state, span)? {
            if chance.who != Who::Tester && order(&chance.from, &state.due, span)?.is_lt() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A move whose alternatives may change inside the span.
    fn moved_in(&mut self, state: State, who: Who, span: &Span) -> Result<Pieces, Stop> {
        match self.moved(state.clone(), who, span) {
            Err(Stop::Split(at)) => {
                let first = self.moved_in(state.clone(), who, &(span.0.clone(), at.clone()))?;
                Ok(first.followed_by(self.moved_in(state, who, &(at, span.1.clone()))?))
            }
            other => other,
        }
    }

    /// Whether something that matters depends on the variable.
    fn depends(&mut self, state: &State) -> bool {
        state.now.varies() || state.due.varies() || state.since.iter().any(Line::varies)
    }

    fn moved(&mut self, state: State, who: Who, span: &Span) -> Result<Pieces, Stop> {
        let mut sum = Pieces::constant(span, rational(0));
        match who {
            Who::Tester => {
                let out = &self.acts[state.act].out;
                if out.iter().any(|&(cell, value)| state.cells[cell] != value) {
                    return Ok(sum);
                }
                let next = self.start_act(State { act: state.act + 1, ..state }, span)?;
                sum = self.value(next, span)?;
            }
            Who::Process(process) => {
                for (share, next) in self.taken(&state, process, span)? {
                    sum = sum.plus(&self.value(next, span)?.times(&share));
                }
            }
        }
        Ok(sum)
    }

    /// Sends what is to be sent, and says when the act ends. Times are counted from now on.
    fn start_act(&mut self, mut state: State, span: &Span) -> Result<State, Stop> {
        if state.act == self.acts.len() {
            return Ok(state);
        }
        let now = std::mem::replace(&mut state.now, Line::constant(rational(0)));
        state.since.iter_mut().for_each(|since| *since = since.minus(&now));
        self.forget(&mut state);
        state.due = match self.acts[state.act].what {
            What::Send(_) => Line::constant(rational(0)),
            What::Wait(time) | What::Phase(time) => Line::constant(rational(time)),
        };
        if let What::Send(channel) = self.acts[state.act].what {
            let mut found = self.received(&state, None, channel as usize, span)?;
            if found.len() != 1 {
                return refused("several ways to take an event");
            }
            let (_, taken) = found.remove(0);
            let mut all = self.followed(&state, &taken, span)?;
            if all.len() != 1 {
                return refused("an event with an uncertain effect");
            }
            state = all.remove(0).1;
        }
        Ok(state)
    }

    /// Clocks that are not looked at before they are set again are as good as set.
    fn forget(&mut self, state: &mut State) {
        let locations: Vec<i32> = state.locations.iter().map(|at| *at as i32).collect();
        self.table.fill(&locations, &mut self.bounds);
        for (clock, since) in state.since.iter_mut().enumerate() {
            if self.bounds.lower[clock] == i32::MIN && self.bounds.upper[clock] == i32::MIN {
                *since = Line::constant(rational(0));
            }
        }
    }

    /// What can move next, and when.
    fn chances(&mut self, state: &State, span: &Span) -> Result<Vec<Chance>, Stop> {
        let network = self.network;
        let at = |p: usize| &network.processes[p].locations[state.locations[p] as usize];
        let count = network.processes.len();
        let committed = (0..count).any(|p| at(p).urgency == Urgency::Committed);
        let urgent = committed || (0..count).any(|p| at(p).urgency == Urgency::Urgent);
        let (mut found, mut patient) = (Vec::new(), false);
        if !committed {
            let from = match self.acts[state.act].what {
                What::Phase(_) => state.now.clone(),
                _ => state.due.clone(),
            };
            found.push(Chance { who: Who::Tester, from, to: state.due.clone() });
        }
        for process in 0..count {
            let location = at(process);
            let Some((_, last)) = self.window(state, &location.invariant, span)? else {
                return refused("a broken invariant");
            };
            if urgent {
                self.hasty(state, process, (committed, last), span, &mut found, &mut patient)?;
                continue;
            }
            let Some(first) = self.first_output(state, process, last.as_ref(), span)? else {
                match last {
                    // It cannot stay and cannot leave.
                    Some(last) if order(&last, &state.due, span)?.is_lt() => {
                        return refused("time can stop");
                    }
                    _ => continue,
                }
            };
            let (from, to) = match last {
                Some(last) => (first, last),
                None => return refused("an exponential delay"),
            };
            found.push(Chance { who: Who::Process(process), from, to });
        }
        let is_process = |chance: &Chance| chance.who != Who::Tester;
        if patient && !found.iter().any(is_process) {
            return refused("time stands still for a process that may wait");
        }
        Ok(found)
    }

    /// Adds a process that acts at once where time stands still; others that could act are only
    /// noted: they come first with probability 0, as long as somebody else acts.
    fn hasty(
        &mut self,
        state: &State,
        process: usize,
        (committed, last): (bool, Option<Line>),
        span: &Span,
        found: &mut Vec<Chance>,
        patient: &mut bool,
    ) -> Result<(), Stop> {
        let network = self.network;
        let location = &network.processes[process].locations[state.locations[process] as usize];
        if self.first_output(state, process, Some(&state.now), span)?.is_none() {
            return Ok(());
        }
        if committed && location.urgency != Urgency::Committed {
            // It acts only if somebody in a committed location answers.
            *patient = true;
            return match self.may_be_answered(state, process) {
                true if location.urgency == Urgency::Urgent || last.is_some() => {
                    refused("a committed location that another process may leave for it")
                }
                _ => Ok(()),
            };
        }
        let must = match last {
            _ if location.urgency != Urgency::Normal => true,
            Some(last) => order(&last, &state.now, span)?.is_le(),
            None => false,
        };
        if must {
            let now = state.now.clone();
            found.push(Chance { who: Who::Process(process), from: now.clone(), to: now });
        } else {
            *patient = true;
        }
        Ok(())
    }

    /// Whether a committed location has an edge that answers a channel which a process sends on.
    fn may_be_answered(&self, state: &State, process: usize) -> bool {
        let network = self.network;
        let leaving = |p: usize| {
            let of = &network.processes[p];
            of.leaving[state.locations[p] as usize].iter().map(|edge| &of.edges[*edge])
        };
        let sent = |edge: &Edge| edge.sync.as_ref().filter(|sync| sync.sends).map(|s| s.first);
        let heard = |edge: &Edge| edge.sync.as_ref().filter(|sync| !sync.sends).map(|s| s.first);
        let committed = |p: &usize| {
            let at = state.locations[*p] as usize;
            network.processes[*p].locations[at].urgency == Urgency::Committed
        };
        let answers: Vec<usize> = (0..network.processes.len())
            .filter(committed)
            .flat_map(leaving)
            .filter_map(heard)
            .collect();
        leaving(process).filter_map(sent).any(|channel| answers.contains(&channel))
    }

    /// When a process can first move of its own accord.
    fn first_output(
        &mut self,
        state: &State,
        process: usize,
        last: Option<&Line>,
        span: &Span,
    ) -> Result<Option<Line>, Stop> {
        let network = self.network;
        let process_of = &network.processes[process];
        let mut first: Option<Line> = None;
        for &edge in &process_of.leaving[state.locations[process] as usize] {
            let edge = &process_of.edges[edge];
            if edge.answers() {
                continue;
            }
            let Some((from, _)) = self.window(state, &edge.guard, span)? else { continue };
            if let Some(last) = last
                && order(&from, last, span)?.is_gt()
            {
                continue;
            }
            first = match first {
                Some(known) if order(&known, &from, span)?.is_le() => Some(known),
                _ => Some(from),
            };
        }
        Ok(first)
    }

    /// From when to when a condition holds, from now on.
    fn window(
        &mut self,
        state: &State,
        condition: &Condition,
        span: &Span,
    ) -> Result<Option<(Line, Option<Line>)>, Stop> {
        enter(&mut self.machine, state);
        let (mut from, mut to, mut strict) = (state.now.clone(), None, false);
        let mut bounds: Vec<&ClockBound> = Vec::new();
        if !bounds_of(&mut self.machine, condition, &mut bounds)? {
            return Ok(None);
        }
        for bound in bounds {
            let (clock, limit, comparison) = bound_of(&mut self.machine, bound)?;
            let moment = state.since[clock].plus_number(limit);
            strict |= matches!(comparison, ClockComparison::Lt | ClockComparison::Gt);
            let low = matches!(
                comparison,
                ClockComparison::Ge | ClockComparison::Gt | ClockComparison::Eq
            );
            let high = matches!(
                comparison,
                ClockComparison::Le | ClockComparison::Lt | ClockComparison::Eq
            );
            if low && order(&moment, &from, span)?.is_gt() {
                from = moment.clone();
            }
            if high {
                to = match to {
                    Some(known) if order(&known, &moment, span)?.is_le() => Some(known),
                    _ => Some(moment),
                };
            }
        }
        if let Some(end) = &to {
            match order(&from, end, span)? {
                Ordering::Greater => return Ok(None),
                Ordering::Equal if strict => return Ok(None),
                _ => {}
            }
        }
        Ok(Some((from, to)))
    }

    /// What can come of a move of a process, with probabilities.
    fn taken(
        &mut self,
        state: &State,
        process: usize,
        span: &Span,
    ) -> Result<Vec<(Rational, State)>, Stop> {
        let network = self.network;
        let mut choices = Vec::new();
        for &edge in self.partners.leading(process, state.locations[process]) {
            let guard = &network.processes[process].edges[edge as usize].guard;
            if holds(&mut self.machine, state, guard, span)? {
                choices.push(Part { process: process as u32, edge });
            }
        }
        if choices.is_empty() {
            return refused("a move that is not possible when it comes");
        }
        let share = rational(1).div(&rational(choices.len() as i64)).expect("not zero");
        let mut found = Vec::new();
        for leader in choices {
            let sync = network.processes[process].edges[leader.edge as usize].sync.as_ref();
            let groups = match sync {
                None => vec![(rational(1), vec![leader])],
                Some(sync) => {
                    enter(&mut self.machine, state);
                    let channel = self.machine.channel(sync)?;
                    self.received(state, Some(leader), channel, span)?
                }
            };
            for (part, taking) in groups {
                for (weight, next) in self.followed(state, &taking, span)? {
                    found.push((share.mul(&part).mul(&weight), next));
                }
            }
        }
        Ok(found)
    }

    /// Who takes part when something is sent, with probabilities.
    fn received(
        &mut self,
        state: &State,
        sender: Option<Part>,
        channel: usize,
        span: &Span,
    ) -> Result<Vec<(Rational, Vec<Part>)>, Stop> {
        let network = self.network;
        if !network.channels[channel].broadcast {
            return refused("a channel that is not a broadcast");
        }
        let mut groups = vec![(rational(1), sender.into_iter().collect::<Vec<_>>())];
        enter(&mut self.machine, state);
        for process in self.partners.listeners(sender.map(|sender| sender.process)) {
            let mut answers = Vec::new();
            self.partners.add_answers(
                network,
                &mut self.machine,
                (process, channel),
                |machine, guard| {
                    let holds = holds(machine, state, guard, span);
                    // A guard may call a function that writes.
                    enter(machine, state);
                    holds
                },
                &mut answers,
            )?;
            if answers.is_empty() {
                continue;
            }
            let share = rational(1).div(&rational(answers.len() as i64)).expect("not zero");
            let with = |(weight, parts): &(Rational, Vec<Part>)| {
                let one = |answer: &Part| {
                    let mut parts = parts.clone();
                    parts.push(*answer);
                    (weight.mul(&share), parts)
                };
                answers.iter().map(one).collect::<Vec<_>>()
            };
            groups = groups.iter().flat_map(with).collect();
        }
        Ok(groups)
    }

    /// The states behind edges that are taken together.
    fn followed(
        &mut self,
        state: &State,
        taking: &[Part],
        span: &Span,
    ) -> Result<Vec<(Rational, State)>, Stop> {
        let network = self.network;
        let mut ways: Vec<(Rational, Vec<usize>)> = vec![(rational(1), Vec::new())];
        for part in taking {
            let weights = self.weights(state, network.edge(*part))?;
            let longer = |(share, way): &(Rational, Vec<usize>)| {
                let one = |(branch, weight): &(usize, Rational)| {
                    let mut way = way.clone();
                    way.push(*branch);
                    (share.mul(weight), way)
                };
                weights.iter().map(one).collect::<Vec<_>>()
            };
            ways = ways.iter().flat_map(longer).collect();
        }
        let mut found = Vec::new();
        for (share, way) in ways {
            let mut next = state.clone();
            enter(&mut self.machine, state);
            self.machine.resets.clear();
            for (part, branch) in taking.iter().zip(way) {
                let branch = &network.edge(*part).branches[branch];
                self.machine.perform(&branch.update)?;
                self.machine.locations[part.process as usize] = branch.target as u32;
            }
            next.locations.clone_from(&self.machine.locations);
            next.cells.clone_from(&self.machine.cells);
            for &(clock, value) in &self.machine.resets {
                next.since[clock as usize] = next.now.plus_number(-(value as i64));
            }
            self.forget(&mut next);
            for (process, location) in next.locations.clone().into_iter().enumerate() {
                let at = &network.processes[process].locations[location as usize];
                if !holds(&mut self.machine, &next, &at.invariant, span)? {
                    return refused("a move into a broken invariant");
                }
            }
            found.push((share, next));
        }
        Ok(found)
    }

    /// The branches of an edge with their probabilities.
    fn weights(&mut self, state: &State, edge: &Edge) -> Result<Vec<(usize, Rational)>, Stop> {
        if edge.branches.len() == 1 {
            return Ok(vec![(0, rational(1))]);
        }
        enter(&mut self.machine, state);
        let mut weights = Vec::new();
        self.machine.weights(edge, &mut weights)?;
        let exact = |weight: &f64| Rational::from_f64(*weight).unwrap_or_else(|| rational(0));
        let weights: Vec<Rational> = weights.iter().map(exact).collect();
        let total = weights.iter().fold(rational(0), |sum, weight| sum.add(weight));
        let share = |(index, weight): (usize, &Rational)| {
            weight.div(&total).filter(|share| !share.is_zero()).map(|share| (index, share))
        };
        Ok(weights.iter().enumerate().filter_map(share).collect())
    }
}

/// Sets a machine to the locations and variables of a state.
fn enter(machine: &mut NetworkMachine<'_>, state: &State) {
    machine.locations.clone_from(&state.locations);
    machine.cells.clone_from(&state.cells);
}

/// The clock bounds of a condition without choices; false if variables rule it out.
fn bounds_of<'c>(
    machine: &mut NetworkMachine<'_>,
    condition: &'c Condition,
    found: &mut Vec<&'c ClockBound>,
) -> Result<bool, Stop> {
    match condition {
        Condition::Int(expr) => Ok(machine.value(expr)? != 0),
        Condition::Clock(bound) => {
            found.push(bound);
            Ok(true)
        }
        Condition::And(parts) => {
            for part in parts {
                if !bounds_of(machine, part, found)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        _ => refused("a choice between clocks"),
    }
}

fn bound_of(
    machine: &mut NetworkMachine<'_>,
    bound: &ClockBound,
) -> Result<(usize, i64, ClockComparison), Stop> {
    let limit = machine.value(&bound.bound)?;
    match (&bound.left, &bound.right) {
        (Some(clock), None) => Ok((machine.clock(clock)? as usize, limit, bound.comparison)),
        (None, Some(clock)) => {
            Ok((machine.clock(clock)? as usize, -limit, turned(bound.comparison)))
        }
        _ => refused("a comparison of two clocks"),
    }
}

/// Whether a condition holds now.
fn holds(
    machine: &mut NetworkMachine<'_>,
    state: &State,
    condition: &Condition,
    span: &Span,
) -> Result<bool, Stop> {
    enter(machine, state);
    let mut bounds = Vec::new();
    if !bounds_of(machine, condition, &mut bounds)? {
        return Ok(false);
    }
    for bound in bounds {
        let (clock, limit, comparison) = bound_of(machine, bound)?;
        let moment = state.since[clock].plus_number(limit);
        let is = order(&state.now, &moment, span)?;
        let holds = match comparison {
            ClockComparison::Lt => is.is_lt(),
            ClockComparison::Le => is.is_le(),
            ClockComparison::Eq => is.is_eq(),
            ClockComparison::Ne => is.is_ne(),
            ClockComparison::Ge => is.is_ge(),
            ClockComparison::Gt => is.is_gt(),
        };
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}

/// How two times compare for all values of the variable inside the span.
fn order(a: &Line, b: &Line, span: &Span) -> Result<Ordering, Stop> {
    let difference = a.minus(b);
    if difference.varies() {
        let root = rational(0).sub(&difference.at).div(&difference.per).expect("not zero");
        if span.0 < root && root < span.1 {
            return Err(Stop::Split(root));
        }
    }
    let middle = span.0.add(&span.1).div(&rational(2)).expect("not zero");
    Ok(difference.value(&middle).cmp(&rational(0)))
}
