//! A test as an automaton beside the network (STUIOS, Fig. 8).
//!
//! What is due at the moment of an observation has happened by then: the tester looks one quantum
//! of simulated time later. Events reach whoever can take them and are lost otherwise.

use provoke_base::Span;
use provoke_stochastic::window::QUANTUM;
use provoke_uppaal::Network;
use provoke_uppaal::network::NetworkExpr;
use provoke_uppaal::network::{
    Branch, Clock, ClockComparison, ClockRef, Condition, Edge, Index, Location, Number, Process,
    Stmt, Sync, Urgency,
};

use crate::tester::interface::What;

/// A network with a tester as its last process and a clock of the tester as its last clock.
pub struct TestedNetwork {
    /// The network.
    pub network: Network,
    /// For each location of the tester, how many steps are done there.
    pub done: Vec<usize>,
    /// How long the test takes at most.
    pub time: f64,
}

/// A location without anything.
pub(crate) fn place(name: String, urgency: Urgency, invariant: Condition) -> Location {
    Location {
        name,
        span: Span::default(),
        urgency,
        invariant,
        rates: Vec::new(),
        exponential: None,
        at: None,
        label: Vec::new(),
    }
}

/// An edge without anything that is selected or labelled.
pub(crate) fn edge(
    source: usize,
    target: usize,
    guard: Condition,
    send: Option<u32>,
    update: Vec<Stmt>,
) -> Edge {
    let sync = |channel: u32| Sync { first: channel as usize, index: Index::At(0), sends: true };
    let branch = Branch { weight: Number::Value(1.0), update, target, label: Vec::new() };
    Edge {
        span: Span::default(),
        label: Vec::new(),
        source,
        selected: Vec::new(),
        guard,
        sync: send.map(sync),
        branches: vec![branch],
    }
}

/// A process from its parts.
pub(crate) fn process(locations: Vec<Location>, edges: Vec<Edge>) -> Process {
    let mut leaving = vec![Vec::new(); locations.len()];
    for (index, edge) in edges.iter().enumerate() {
        leaving[edge.source].push(index);
    }
    let name = "tester".to_string();
    Process { name: name.clone(), template: name, locations, initial: 0, edges, leaving }
}

/// The network with events that nobody has to take, and one clock more.
pub(crate) fn opened(network: &Network, inputs: impl Iterator<Item = u32>) -> (Network, ClockRef) {
    let mut opened = network.clone();
    opened.queries.clear();
    for channel in inputs {
        opened.channels[channel as usize].broadcast = true;
        opened.channels[channel as usize].urgent = false;
    }
    opened.clocks.push(Clock { name: "tester.y".to_string(), initial: 0.0 });
    let clock = ClockRef { first: Ok(network.clocks.len() as u32), index: Index::At(0) };
    (opened, clock)
}

impl TestedNetwork {
    /// The network with a tester that does these things one after the other.
    pub fn new(network: &Network, acts: &[What]) -> TestedNetwork {
        let sends = acts.iter().filter_map(|act| match act {
            What::Send(channel) => Some(*channel),
            _ => None,
        });
        let (mut opened, clock) = opened(network, sends);
        let mut builder = Builder { clock, locations: Vec::new(), edges: Vec::new() };
        let (mut done, mut time) = (Vec::new(), 0.0);
        for (index, act) in acts.iter().enumerate() {
            time += builder.act(index, *act);
            done.resize(builder.locations.len(), index);
        }
        builder.locations.push(place("End".into(), Urgency::Normal, Condition::truth()));
        done.push(acts.len());
        opened.processes.push(process(builder.locations, builder.edges));
        TestedNetwork { network: opened, done, time: time + 1.0 }
    }
}

struct Builder {
    clock: ClockRef,
    locations: Vec<Location>,
    edges: Vec<Edge>,
}

impl Builder {
    /// Adds what a step does; returns how long it takes at most.
    fn act(&mut self, index: usize, act: What) -> f64 {
        let restart = || vec![Stmt::Reset(Box::new(self.clock.clone()), NetworkExpr::Int(0))];
        if let What::Send(channel) = act {
            let here = self.locations.len();
            let edge = edge(here, here + 1, Condition::truth(), Some(channel), restart());
            self.edges.push(edge);
            let name = format!("Send{index}");
            self.locations.push(place(name, Urgency::Committed, Condition::truth()));
        }
        let (from, to) = match act {
            What::Send(_) => (QUANTUM, QUANTUM),
            What::Wait(time) => (time as f64 + QUANTUM, time as f64 + QUANTUM),
            What::Phase(time) => (0.0, time as f64),
        };
        let here = self.locations.len();
        let compared = |comparison, limit: f64| {
            let sides = (Number::Clock(Box::new(self.clock.clone())), Number::Value(limit));
            Condition::Number(comparison, Box::new(sides))
        };
        let guard = compared(ClockComparison::Ge, from);
        let invariant = compared(ClockComparison::Le, to);
        self.edges.push(edge(here, here + 1, guard, None, restart()));
        self.locations.push(place(format!("Wait{index}"), Urgency::Normal, invariant));
        to
    }
}
