//! One random run at a time, by UPPAAL's stochastic semantics.
//!
//! Each process that can act draws a delay from its own location: uniform from the moment it first
//! can act up to the last its invariant allows, or exponential where there is no such bound, or 0
//! where the location is urgent or committed. The shortest wins, and the winner takes one of the
//! edges it can take then, all with the same probability; behind a branchpoint, weights decide.
//! Receivers of a broadcast follow at once. A sender on an urgent channel acts as soon as a partner
//! is ready. Where time stands still and nobody who drew 0 can act, those who can race for the next
//! step, which then takes no time; the documentation of UPPAAL does not say who comes first there.

use provoke_base::{Random, Span};
use provoke_uppaal::Network;
use provoke_uppaal::machine::{Computed, NetworkFault, NetworkMachine};
use provoke_uppaal::moves::Part;
use provoke_uppaal::network::{Condition, Edge, Location, Urgency};
use provoke_uppaal::partners::Partners;

use crate::window::{Clocks, QUANTUM, Window, rounded_up};

/// More steps without time passing are taken for an endless loop.
const MAX_STEPS_AT_ONCE: u32 = 100_000;

/// A run that can be moved on. It is kept from run to run, since it owns memory.
pub struct RandomSimulator<'n> {
    network: &'n Network,
    /// Variables, locations and clocks.
    pub machine: NetworkMachine<'n>,
    /// The time since the beginning.
    pub now: f64,
    /// Steps so far.
    pub steps: u64,
    rates: Vec<f64>,
    has_rates: bool,
    has_urgent_channels: bool,
    partners: Partners,
    /// The processes that can act, or keep others from it.
    lively: Vec<usize>,
    initial: Vec<i64>,
    at_once: u32,
    /// Whether time once stood still while only processes could act that may wait.
    pub hurried: bool,
    /// Whether a location is committed, as of the last draw.
    committed: bool,
    /// Processes that have tried to act at this very moment, in vain.
    in_vain: Vec<usize>,
    /// For each process, after which delay it first has a partner on an urgent channel.
    urgent_from: Vec<f64>,
    winners: Vec<usize>,
    weights: Vec<f64>,
    choices: Vec<u32>,
    taking: Vec<Part>,
    /// Variables, locations and clocks before a step.
    saved: (Vec<i64>, Vec<u32>, Vec<f64>),
}

/// What happens next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// After this delay, this process acts.
    Act(f64, usize),
    /// Nothing more happens, but time goes on.
    Quiet,
    /// Time cannot go on for longer than this, and nothing can happen.
    Stuck(f64),
}

impl<'n> RandomSimulator<'n> {
    /// A simulator, before its first run.
    pub fn new(network: &'n Network) -> RandomSimulator<'n> {
        let locations = network.processes.iter().flat_map(|process| &process.locations);
        let has_rates = locations.into_iter().any(|location| !location.rates.is_empty());
        let still = |location: &Location| {
            location.urgency == Urgency::Normal && location.invariant.is_truth()
        };
        let lively = |(_, process): &(usize, &provoke_uppaal::network::Process)| {
            !process.edges.is_empty() || !process.locations.iter().all(still)
        };
        let lively =
            network.processes.iter().enumerate().filter(lively).map(|(at, _)| at).collect();
        RandomSimulator {
            network,
            lively,
            machine: NetworkMachine::new(network),
            now: 0.0,
            steps: 0,
            rates: Vec::new(),
            has_rates,
            has_urgent_channels: network.channels.iter().any(|channel| channel.urgent),
            partners: Partners::new(network),
            initial: network.cells.iter().map(|cell| cell.initial).collect(),
            at_once: 0,
            hurried: false,
            committed: false,
            in_vain: Vec::new(),
            urgent_from: vec![f64::INFINITY; network.processes.len()],
            winners: Vec::new(),
            weights: Vec::new(),
            choices: Vec::new(),
            taking: Vec::new(),
            saved: Default::default(),
        }
    }

    /// Goes back to the beginning with fresh random numbers.
    pub fn begin(&mut self, seed: u64, run: u64) {
        let machine = &mut self.machine;
        machine.cells.copy_from_slice(&self.initial);
        for (location, process) in machine.locations.iter_mut().zip(&self.network.processes) {
            *location = process.initial as u32;
        }
        machine.clocks.clear();
        machine.clocks.extend(self.network.clocks.iter().map(|clock| clock.initial));
        // Each run has numbers of its own, whoever does it.
        let mut mixed = Random::new(seed ^ run.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        machine.random = Random::new(mixed.next());
        (self.now, self.steps, self.at_once) = (0.0, 0, 0);
        self.hurried = false;
        self.in_vain.clear();
    }

    fn location(&self, process: usize) -> &'n Location {
        &self.network.processes[process].locations[self.machine.locations[process] as usize]
    }

    fn edge(&self, process: usize, edge: u32) -> &'n Edge {
        &self.network.processes[process].edges[edge as usize]
    }

    /// How fast clocks run where the processes are.
    pub fn rates(&mut self) -> Computed<&[f64]> {
        if self.has_rates {
            self.rates.clear();
            self.rates.resize(self.network.clocks.len(), 1.0);
            for process in 0..self.network.processes.len() {
                for (clock, rate) in &self.location(process).rates {
                    let clock = self.machine.clock(clock)?;
                    self.rates[clock as usize] = self.machine.number_value(rate)?;
                }
            }
        }
        Ok(&self.rates)
    }

    fn window(&mut self, condition: &Condition) -> Computed<Window> {
        Clocks { rates: &self.rates }.window(&mut self.machine, condition)
    }

    /// Draws delays and finds who acts next. Rates must be up to date.
    pub fn draw(&mut self) -> Computed<Next> {
        self.rates()?;
        let is = |urgency| self.lively.iter().any(|p| self.location(*p).urgency == urgency);
        let (committed, urgent) = (is(Urgency::Committed), is(Urgency::Urgent));
        self.committed = committed;
        let mut cap = if self.has_urgent_channels { self.find_urgent()? } else { f64::INFINITY };
        self.winners.clear();
        if committed || urgent || cap == 0.0 {
            return self.draw_at_once();
        }
        let mut shortest = f64::INFINITY;
        for at in 0..self.lively.len() {
            let process = self.lively[at];
            let location = self.location(process);
            let last = self.window(&location.invariant)?.to.max(0.0);
            cap = cap.min(last);
            let tried = self.in_vain.contains(&process);
            if tried && last == 0.0 {
                continue;
            }
            let Some(mut delay) = self.drawn(process, location, last)? else { continue };
            if tried {
                delay = delay.max(QUANTUM);
            }
            if delay < shortest {
                shortest = delay;
                self.winners.clear();
            }
            if delay == shortest {
                self.winners.push(process);
            }
        }
        if self.winners.is_empty() || shortest > cap {
            return Ok(if cap.is_finite() { Next::Stuck(cap) } else { Next::Quiet });
        }
        Ok(Next::Act(shortest, self.winner()))
    }

    /// One of those with the shortest delay.
    fn winner(&mut self) -> usize {
        match self.winners.len() {
            1 => self.winners[0],
            several => self.winners[self.machine.random.below(several)],
        }
    }

    /// Who acts while time stands still: those who have drawn 0, or else the first of the others.
    fn draw_at_once(&mut self) -> Computed<Next> {
        let mut others = Vec::new();
        for at in 0..self.lively.len() {
            let process = self.lively[at];
            if self.in_vain.contains(&process) || !self.can_act_now(process)? {
                continue;
            }
            let location = self.location(process);
            let last = self.window(&location.invariant)?.to.max(0.0);
            let must = last == 0.0 || self.urgent_from[process] == 0.0;
            if must || location.urgency != Urgency::Normal {
                self.winners.push(process);
            } else {
                others.push((process, last));
            }
        }
        if !self.winners.is_empty() {
            return Ok(Next::Act(0.0, self.winner()));
        }
        let mut first: Option<(f64, usize)> = None;
        for (process, last) in others {
            let drawn = self.drawn(process, self.location(process), last)?;
            let sooner = |delay: &f64| first.is_none_or(|(known, _)| *delay < known);
            if let Some(delay) = drawn.filter(sooner) {
                first = Some((delay, process));
            }
        }
        let Some((_, process)) = first else { return Ok(Next::Stuck(0.0)) };
        self.hurried = true;
        Ok(Next::Act(0.0, process))
    }

    /// Whether a process has an edge whose guard holds now, with the partners it needs.
    fn can_act_now(&mut self, process: usize) -> Computed<bool> {
        let here = self.machine.locations[process];
        for index in 0..self.partners.leading(process, here).len() {
            let number = self.partners.leading(process, here)[index];
            let holds = self.window(&self.edge(process, number).guard)?.contains(0.0);
            if holds && self.find_partners(process, number, 0.0)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Finds after which delay each process has a partner on an urgent channel; gives the shortest.
    fn find_urgent(&mut self) -> Computed<f64> {
        let mut first = f64::INFINITY;
        for at in 0..self.lively.len() {
            let process = self.lively[at];
            let here = self.machine.locations[process];
            let mut from = f64::INFINITY;
            for index in 0..self.partners.leading(process, here).len() {
                let number = self.partners.leading(process, here)[index];
                from = from.min(self.urgent_moment(process, number)?);
            }
            self.urgent_from[process] = from;
            first = first.min(from);
        }
        Ok(first)
    }

    /// When an edge on an urgent channel can first be taken; never, if it uses no such channel. A
    /// broadcast needs no partner.
    fn urgent_moment(&mut self, process: usize, number: u32) -> Computed<f64> {
        let edge = self.edge(process, number);
        let Some(sync) = &edge.sync else { return Ok(f64::INFINITY) };
        let channel = self.machine.channel(sync)?;
        if !self.network.channels[channel].urgent {
            return Ok(f64::INFINITY);
        }
        let own = self.window(&edge.guard)?;
        if own.is_empty() || self.network.channels[channel].broadcast {
            return Ok(own.from);
        }
        let clocks = Clocks { rates: &self.rates };
        let mut first = f64::INFINITY;
        for other in self.partners.listeners(Some(process as u32)) {
            let note = |machine: &mut NetworkMachine<'n>, guard: &Condition| -> Computed<bool> {
                let both = clocks.window(machine, guard)?.meet(own);
                if !both.is_empty() {
                    first = first.min(both.from);
                }
                Ok(false)
            };
            let (network, none) = (self.network, &mut Vec::new());
            self.partners.add_answers(network, &mut self.machine, (other, channel), note, none)?;
        }
        Ok(first)
    }

    /// The delay of one process; none if it can do nothing of its own accord.
    fn drawn(&mut self, process: usize, location: &Location, last: f64) -> Computed<Option<f64>> {
        let here = self.machine.locations[process];
        let mut first = f64::INFINITY;
        for index in 0..self.partners.leading(process, here).len() {
            let number = self.partners.leading(process, here)[index];
            let window = self.window(&self.edge(process, number).guard)?;
            if window.is_empty() || window.from > last {
                continue;
            }
            first = first.min(window.from);
        }
        if first == f64::INFINITY {
            return Ok(None);
        }
        let at_once = self.urgent_from[process];
        let delay = if last.is_finite() {
            // Whole quanta, both ends as likely as any other time between.
            let quanta = ((last - first) / QUANTUM) as usize;
            first + self.machine.random.below(quanta + 1) as f64 * QUANTUM
        } else {
            let rate = match &location.exponential {
                Some(rate) => self.machine.number_value(rate)?,
                None => 1.0,
            };
            if rate <= 0.0 {
                return Ok(if at_once.is_finite() { Some(at_once) } else { None });
            }
            let unit = 1.0 - self.machine.unit();
            first + rounded_up((-unit.ln() / rate).min(1e15))
        };
        Ok(Some(delay.min(at_once)))
    }

    /// Lets time pass. Rates must be up to date.
    pub fn wait(&mut self, delay: f64) {
        if delay > 0.0 {
            self.at_once = 0;
            self.in_vain.clear();
        }
        self.now += delay;
        if self.has_rates {
            for (clock, rate) in self.machine.clocks.iter_mut().zip(&self.rates) {
                *clock += delay * rate;
            }
        } else {
            self.machine.clocks.iter_mut().for_each(|clock| *clock += delay);
        }
    }

    /// Lets a process act after a delay; nothing but time may happen if none of its edges can be taken
    /// then.
    pub fn act(&mut self, delay: f64, process: usize) -> Computed<()> {
        self.at_once += 1;
        if self.at_once > MAX_STEPS_AT_ONCE {
            let message = format!("{MAX_STEPS_AT_ONCE} steps without time passing");
            return Err(NetworkFault::new(self.location(process).span, message));
        }
        let here = self.machine.locations[process];
        self.choices.clear();
        for index in 0..self.partners.leading(process, here).len() {
            let number = self.partners.leading(process, here)[index];
            if self.window(&self.edge(process, number).guard)?.contains(delay) {
                self.choices.push(number);
            }
        }
        // An edge that leads into a broken invariant, or finds no partner, cannot be taken.
        while !self.choices.is_empty() {
            let chosen = match self.choices.len() {
                1 => 0,
                several => self.machine.random.below(several),
            };
            let number = self.choices.swap_remove(chosen);
            if self.gather(process, number, delay)? && self.take(delay)? {
                return Ok(());
            }
        }
        if delay == 0.0 {
            self.in_vain.push(process);
        }
        self.wait(delay);
        Ok(())
    }

    /// Who takes part; false if a partner is missing.
    fn gather(&mut self, process: usize, number: u32, delay: f64) -> Computed<bool> {
        if !self.find_partners(process, number, delay)? {
            return Ok(false);
        }
        let Some(sync) = &self.edge(process, number).sync else { return Ok(true) };
        if self.network.channels[sync.first].broadcast {
            self.keep_one_of_each();
        } else {
            // Of several receivers of a plain channel, one is taken.
            let chosen = 1 + self.machine.random.below(self.taking.len() - 1);
            self.taking.swap(1, chosen);
            self.taking.truncate(2);
        }
        Ok(true)
    }

    /// Of several edges of one receiver of a broadcast, one is taken.
    fn keep_one_of_each(&mut self) {
        let (mut kept, mut from) = (1, 1);
        while from < self.taking.len() {
            let same = |part: &&Part| part.process == self.taking[from].process;
            let chosen = match self.taking[from..].iter().take_while(same).count() {
                1 => (from, 1),
                several => (from + self.machine.random.below(several), several),
            };
            self.taking[kept] = self.taking[chosen.0];
            kept += 1;
            from += chosen.1;
        }
        self.taking.truncate(kept);
    }

    /// All edges that may take part, the leader's first; false if a partner is missing. While a location
    /// is committed, the leader or a partner must be in one.
    fn find_partners(&mut self, process: usize, number: u32, delay: f64) -> Computed<bool> {
        let leader = Part { process: process as u32, edge: number };
        self.taking.clear();
        self.taking.push(leader);
        let free = !self.committed || self.location(process).urgency == Urgency::Committed;
        let Some(sync) = &self.edge(process, number).sync else { return Ok(free) };
        let channel = self.machine.channel(sync)?;
        let clocks = Clocks { rates: &self.rates };
        for other in self.partners.listeners(Some(leader.process)) {
            self.partners.add_answers(
                self.network,
                &mut self.machine,
                (other, channel),
                |machine, guard| clocks.window(machine, guard).map(|w| w.contains(delay)),
                &mut self.taking,
            )?;
        }
        let (network, locations) = (self.network, &self.machine.locations);
        let is_committed = |part: &Part| {
            let (process, at) = (part.process as usize, locations[part.process as usize]);
            network.processes[process].locations[at as usize].urgency == Urgency::Committed
        };
        if self.network.channels[channel].broadcast {
            return Ok(free || self.taking.iter().any(is_committed));
        }
        if !free {
            self.taking.retain(|part| *part == leader || is_committed(part));
        }
        Ok(self.taking.len() > 1)
    }

    /// Takes the edges after a delay; false, and nothing has happened, if that breaks an invariant.
    fn take(&mut self, delay: f64) -> Computed<bool> {
        self.saved.0.clone_from(&self.machine.cells);
        self.saved.1.clone_from(&self.machine.locations);
        self.saved.2.clone_from(&self.machine.clocks);
        let (now, at_once) = (self.now, self.at_once);
        self.wait(delay);
        self.machine.resets.clear();
        for index in 0..self.taking.len() {
            let Part { process, edge } = self.taking[index];
            let process = process as usize;
            let edge = self.edge(process, edge);
            let branch = match edge.branches.len() {
                0 => continue,
                1 => 0,
                _ => self.branch(edge)?,
            };
            let branch = &edge.branches[branch];
            if !branch.update.is_empty() {
                self.machine.perform(&branch.update).map_err(|fault| {
                    let span = if fault.span == Span::default() { edge.span } else { fault.span };
                    NetworkFault::new(span, fault.message)
                })?;
            }
            self.machine.locations[process] = branch.target as u32;
        }
        self.steps += 1;
        for at in 0..self.lively.len() {
            let process = self.lively[at];
            if !self.window(&self.location(process).invariant)?.contains(0.0) {
                self.machine.cells.clone_from(&self.saved.0);
                self.machine.locations.clone_from(&self.saved.1);
                self.machine.clocks.clone_from(&self.saved.2);
                (self.now, self.at_once) = (now, at_once);
                self.steps -= 1;
                return Ok(false);
            }
        }
        self.in_vain.clear();
        Ok(true)
    }

    /// A branch by weight.
    fn branch(&mut self, edge: &Edge) -> Computed<usize> {
        let total = self.machine.weights(edge, &mut self.weights)?;
        let mut left = self.machine.unit() * total;
        for (index, weight) in self.weights.iter().enumerate() {
            if left < *weight {
                return Ok(index);
            }
            left -= weight;
        }
        // Rounding may leave a little over; it belongs to the last branch that has a chance.
        Ok(self.weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0))
    }
}
