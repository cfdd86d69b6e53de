//! Faults of timed automata: small changes of single automata of a network.

use provoke_uppaal::network::{
    Branch, ClockBound, ClockComparison, ClockRef, Condition, Edge, Index, IntOp, NetworkExpr,
    Stmt, Sync,
};
use provoke_uppaal::{Network, negated};
use serde::{Deserialize, Serialize};

use crate::tester::alphabet::{bounds, ends, ranges, seen_from_clock, turned};
use crate::tester::automaton::place;

/// The kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum TimedOperator {
    /// A time range begins later or ends earlier.
    Restrict,
    /// A time range begins earlier or ends later.
    Widen,
    /// A time range is moved.
    Shift,
    /// An edge leads somewhere else.
    Target,
    /// An edge starts somewhere else.
    Source,
    /// An edge waits for or sends something else.
    Action,
    /// A guard compares differently.
    Comparison,
    /// A guard is negated, one mutant for each way not to hold.
    Negate,
    /// An invariant has another constant.
    Invariant,
    /// An edge leads to where nothing ever happens.
    Sink,
    /// A clock is not set, or set where it was not.
    Reset,
    /// A counter is compared with a number that is one off.
    Count,
}

provoke_base::words!(TimedOperator {
    Restrict = "restrict",
    Widen = "widen",
    Shift = "shift",
    Target = "target",
    Source = "source",
    Action = "action",
    Comparison = "comparison",
    Negate = "negate",
    Invariant = "invariant",
    Sink = "sink",
    Reset = "reset",
    Count = "count",
});

/// By how much bounds are moved.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Amount {
    /// So many units.
    Units(i64),
    /// This part of the range.
    Part(f64),
}

impl Amount {
    /// In units, for a range of this width; at least one.
    pub fn units(self, width: i64) -> i64 {
        match self {
            Amount::Units(units) => units.max(1),
            Amount::Part(part) => ((part * width as f64).round() as i64).max(1),
        }
    }
}

/// What is changed in a process.
#[derive(Clone, PartialEq, Debug)]
pub enum TimedChange {
    /// The first moment of an edge, and the last one of the location it leaves, by so much.
    Range {
        /// The edge.
        edge: usize,
        /// The clock.
        clock: u32,
        /// Added to the first moment.
        low: i64,
        /// Added to the last moment.
        high: i64,
    },
    /// Where a branch of an edge leads.
    Target(usize, usize, usize),
    /// Where an edge starts.
    Source(usize, usize),
    /// What an edge waits for or sends: that of the other edge.
    Action(usize, usize),
    /// How the n-th comparison of a guard compares.
    Comparison(usize, usize, ClockComparison),
    /// The n-th way in which a guard does not hold is the guard.
    Negate(usize, usize),
    /// What the invariant of a location compares a clock with, by so much.
    Invariant(usize, u32, i64),
    /// A branch of an edge leads to a new location.
    Sink(usize, usize),
    /// A clock is not set on a branch of an edge any more, or is set.
    Reset(usize, usize, u32),
    /// The n-th number that a guard compares a variable with, by so much.
    Count(usize, usize, i64),
}

/// A fault.
#[derive(Clone, PartialEq, Debug)]
pub struct TimedMutant {
    /// Its number, from 1.
    pub id: usize,
    /// Its kind.
    pub operator: TimedOperator,
    /// The process.
    pub process: usize,
    /// What is changed.
    pub change: TimedChange,
    /// For people.
    pub text: String,
}

/// All mutants of the given kinds, in a fixed order.
pub fn mutants(network: &Network, operators: &[TimedOperator], amount: Amount) -> Vec<TimedMutant> {
    let mut list = Listing { network, amount, found: Vec::new() };
    for process in 0..network.processes.len() {
        for operator in operators {
            list.list(process, *operator);
        }
    }
    list.found
}

struct Listing<'n> {
    network: &'n Network,
    amount: Amount,
    found: Vec<TimedMutant>,
}

impl Listing<'_> {
    fn add(&mut self, operator: TimedOperator, process: usize, change: TimedChange, text: String) {
        let text = format!("{}: {text}", self.network.processes[process].name);
        self.found.push(TimedMutant { id: self.found.len() + 1, operator, process, change, text });
    }

    fn edge_name(&self, process: usize, edge: usize) -> String {
        let process = &self.network.processes[process];
        let edge = &process.edges[edge];
        let name = |location: usize| process.locations[location].name.as_str();
        let target = edge.branches.first().map_or("?", |branch| name(branch.target));
        let on = edge.sync.as_ref().map_or(String::new(), |sync| {
            let mark = if sync.sends { "!" } else { "?" };
            format!(" on {}{mark}", self.channel_name(sync))
        });
        format!("{} -> {target}{on}", name(edge.source))
    }

    fn channel_name(&self, sync: &Sync) -> String {
        let position = match &sync.index {
            Index::At(position) => Some(*position),
            index @ Index::Computed(_) => match crate::tester::uses::positions(index).as_slice() {
                [one] => Some(*one),
                _ => None,
            },
        };
        self.network.channels[sync.first + position.unwrap_or(0)].name.clone()
    }

    fn list(&mut self, process: usize, operator: TimedOperator) {
        match operator {
            TimedOperator::Restrict | TimedOperator::Widen | TimedOperator::Shift => {
                self.time_ranges(process, operator);
            }
            TimedOperator::Invariant => self.invariants(process),
            _ => {
                for edge in 0..self.network.processes[process].edges.len() {
                    self.of_edge(process, edge, operator);
                }
            }
        }
    }

    fn time_ranges(&mut self, process: usize, operator: TimedOperator) {
        for range in ranges(self.network, process) {
            // A single moment has no width; it is moved by a part of itself.
            let width = if range.width() > 0 { range.width() } else { range.high };
            let by = self.amount.units(width);
            let moves: Vec<(i64, i64)> = match operator {
                TimedOperator::Restrict => vec![(by, 0), (0, -by)],
                TimedOperator::Widen => vec![(-by, 0), (0, by)],
                _ => vec![(by, by), (-by, -by)],
            };
            for (low, high) in moves {
                let (first, last) = (range.low + low, range.high + high);
                if first < 0 || first > last {
                    continue;
                }
                let name = self.edge_name(process, range.edge);
                let text =
                    format!("{name}: [{}, {}] becomes [{first}, {last}]", range.low, range.high);
                let change = TimedChange::Range { edge: range.edge, clock: range.clock, low, high };
                self.add(operator, process, change, text);
            }
        }
    }

    fn invariants(&mut self, process: usize) {
        let network = self.network;
        let mut machine = provoke_uppaal::machine::NetworkMachine::new(network);
        for (index, location) in network.processes[process].locations.iter().enumerate() {
            let mut all = Vec::new();
            bounds(&location.invariant, &mut all);
            for bound in all {
                let Some((clock, _, Some(last))) = ends(&mut machine, bound) else { continue };
                for by in [-1, 1] {
                    let name = &network.clocks[clock as usize].name;
                    let text = format!(
                        "{}: {name} up to {last} becomes up to {}",
                        location.name,
                        last + by
                    );
                    let change = TimedChange::Invariant(index, clock, by);
                    self.add(TimedOperator::Invariant, process, change, text);
                }
            }
        }
    }

    fn of_edge(&mut self, process: usize, index: usize, operator: TimedOperator) {
        let network = self.network;
        let of = &network.processes[process];
        let edge = &of.edges[index];
        let name = self.edge_name(process, index);
        let location = |location: usize| &of.locations[location].name;
        match operator {
            TimedOperator::Target | TimedOperator::Sink => {
                for (number, branch) in edge.branches.iter().enumerate() {
                    if operator == TimedOperator::Sink {
                        let change = TimedChange::Sink(index, number);
                        self.add(operator, process, change, format!("{name} ends in a sink"));
                        continue;
                    }
                    for other in (0..of.locations.len()).filter(|l| *l != branch.target) {
                        let text = format!("{name} leads to {}", location(other));
                        let change = TimedChange::Target(index, number, other);
                        self.add(operator, process, change, text);
                    }
                }
            }
            TimedOperator::Source => {
                for other in (0..of.locations.len()).filter(|l| *l != edge.source) {
                    let text = format!("{name} starts in {}", location(other));
                    self.add(operator, process, TimedChange::Source(index, other), text);
                }
            }
            TimedOperator::Action => {
                let Some(sync) = &edge.sync else { return };
                let mut seen = vec![self.channel_name(sync)];
                for (other, edge) in of.edges.iter().enumerate() {
                    let Some(its) = edge.sync.as_ref().filter(|s| s.sends == sync.sends) else {
                        continue;
                    };
                    let channel = self.channel_name(its);
                    if !seen.contains(&channel) {
                        let text = format!("{name}: {channel} instead");
                        self.add(operator, process, TimedChange::Action(index, other), text);
                        seen.push(channel);
                    }
                }
            }
            TimedOperator::Comparison => {
                let mut all = Vec::new();
                bounds(&edge.guard, &mut all);
                for (number, bound) in all.into_iter().enumerate() {
                    let comparison = seen_from_clock(bound);
                    for other in others(comparison) {
                        let (old, new) = (sign(comparison), sign(other));
                        let text = format!("{name}: {old} becomes {new}");
                        let change = TimedChange::Comparison(index, number, other);
                        self.add(operator, process, change, text);
                    }
                }
            }
            TimedOperator::Negate => {
                for number in 0..ways_not(&edge.guard).len() {
                    let text = format!("{name}: guard negated ({})", number + 1);
                    self.add(operator, process, TimedChange::Negate(index, number), text);
                }
            }
            TimedOperator::Reset => self.resets(process, index, &name),
            TimedOperator::Count => {
                for number in 0..counted(&mut edge.guard.clone()).len() {
                    for by in [-1, 1] {
                        let text = format!("{name}: number {} of the guard {by:+}", number + 1);
                        let change = TimedChange::Count(index, number, by);
                        self.add(operator, process, change, text);
                    }
                }
            }
            TimedOperator::Restrict
            | TimedOperator::Widen
            | TimedOperator::Shift
            | TimedOperator::Invariant => {}
        }
    }

    fn resets(&mut self, process: usize, index: usize, name: &str) {
        let network = self.network;
        let of = &network.processes[process];
        let own = crate::tester::uses::Uses::of_process(network, of).clocks_set;
        for (number, branch) in of.edges[index].branches.iter().enumerate() {
            for &clock in &own {
                let set = branch.update.iter().any(|stmt| sets(stmt, clock as u32));
                let word = if set { "not set any more" } else { "set to 0" };
                let text = format!("{name}: {} {word}", network.clocks[clock].name);
                let change = TimedChange::Reset(index, number, clock as u32);
                self.add(TimedOperator::Reset, process, change, text);
            }
        }
    }
}

fn others(comparison: ClockComparison) -> Vec<ClockComparison> {
    use ClockComparison::{Eq, Ge, Gt, Le, Lt};
    [Lt, Le, Eq, Ge, Gt].into_iter().filter(|other| *other != comparison).collect()
}

fn sign(comparison: ClockComparison) -> &'static str {
    match comparison {
        ClockComparison::Lt => "<",
        ClockComparison::Le => "<=",
        ClockComparison::Eq => "==",
        ClockComparison::Ne => "!=",
        ClockComparison::Ge => ">=",
        ClockComparison::Gt => ">",
    }
}

/// The ways in which a condition does not hold.
fn ways_not(guard: &Condition) -> Vec<Condition> {
    if guard.is_truth() {
        return Vec::new();
    }
    match negated(guard.clone()) {
        Condition::Or(parts) => parts,
        other => vec![other],
    }
}

fn sets(statement: &Stmt, clock: u32) -> bool {
    match statement {
        Stmt::Reset(which, _) | Stmt::ResetNumber(which, _) => {
            matches!((which.first, &which.index), (Ok(first), Index::At(at)) if first + *at as u32 == clock)
        }
        _ => false,
    }
}

/// The numbers that a guard compares variables with.
fn counted(condition: &mut Condition) -> Vec<&mut i64> {
    match condition {
        Condition::Int(expr) => in_expression(expr),
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter_mut().flat_map(counted).collect()
        }
        _ => Vec::new(),
    }
}

fn in_expression(expr: &mut NetworkExpr) -> Vec<&mut i64> {
    match expr {
        NetworkExpr::And(parts) | NetworkExpr::Or(parts) => {
            parts.iter_mut().flat_map(in_expression).collect()
        }
        NetworkExpr::Not(inside) => in_expression(inside),
        NetworkExpr::Binary(IntOp::Eq | IntOp::Ne | IntOp::Lt | IntOp::Le, sides, _) => {
            let (left, right) = &mut **sides;
            match (left, right) {
                (NetworkExpr::Load(_), NetworkExpr::Int(number))
                | (NetworkExpr::Int(number), NetworkExpr::Load(_)) => {
                    vec![number]
                }
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

fn each_bound(condition: &mut Condition, change: &mut dyn FnMut(&mut ClockBound)) {
    match condition {
        Condition::Clock(bound) => change(bound),
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter_mut().for_each(|part| each_bound(part, change));
        }
        _ => {}
    }
}

fn clock(index: u32) -> ClockRef {
    ClockRef { first: Ok(index), index: Index::At(0) }
}

impl TimedMutant {
    /// The network with the fault.
    pub fn apply(&self, network: &Network) -> Network {
        let mut changed = network.clone();
        changed.queries.clear();
        let process = &mut changed.processes[self.process];
        match &self.change {
            TimedChange::Range { edge, clock, low, high } => {
                let source = process.edges[*edge].source;
                if *low != 0 {
                    let guard = &mut process.edges[*edge].guard;
                    shift_low(network, guard, *clock, *low);
                }
                if *high != 0 {
                    let invariant = &mut process.locations[source].invariant;
                    shift_high(network, invariant, *clock, *high);
                    shift_high(network, &mut process.edges[*edge].guard, *clock, *high);
                }
            }
            TimedChange::Target(edge, branch, to) => {
                lead(network, self.process, &mut process.edges[*edge].branches[*branch], *to);
            }
            TimedChange::Source(edge, from) => process.edges[*edge].source = *from,
            TimedChange::Action(edge, other) => {
                process.edges[*edge]
                    .sync
                    .clone_from(&network.processes[self.process].edges[*other].sync);
            }
            TimedChange::Comparison(edge, number, comparison) => {
                let mut at = 0;
                each_bound(&mut process.edges[*edge].guard, &mut |bound| {
                    if at == *number {
                        let right = bound.left.is_none();
                        bound.comparison = if right { turned(*comparison) } else { *comparison };
                    }
                    at += 1;
                });
            }
            TimedChange::Negate(edge, number) => {
                let guard = &mut process.edges[*edge].guard;
                *guard = ways_not(guard).swap_remove(*number);
            }
            TimedChange::Invariant(location, clock, by) => {
                shift_high(network, &mut process.locations[*location].invariant, *clock, *by);
            }
            TimedChange::Sink(edge, branch) => {
                process.edges[*edge].branches[*branch].target = process.locations.len();
                let urgency = provoke_uppaal::network::Urgency::Normal;
                process.locations.push(place("Sink".into(), urgency, Condition::truth()));
                process.leaving.push(Vec::new());
            }
            TimedChange::Reset(edge, branch, which) => {
                let update = &mut process.edges[*edge].branches[*branch].update;
                let before = update.len();
                update.retain(|statement| !sets(statement, *which));
                if update.len() == before {
                    update.push(Stmt::Reset(Box::new(clock(*which)), NetworkExpr::Int(0)));
                }
            }
            TimedChange::Count(edge, number, by) => {
                let mut all = counted(&mut process.edges[*edge].guard);
                *all[*number] += by;
            }
        }
        let locations = process.locations.len();
        process.leaving = leaving(&process.edges, locations);
        changed
    }
}

fn leaving(edges: &[Edge], locations: usize) -> Vec<Vec<usize>> {
    let mut leaving = vec![Vec::new(); locations];
    for (index, edge) in edges.iter().enumerate() {
        leaving[edge.source].push(index);
    }
    leaving
}

/// Leads a branch to a location. Its clock starts there if it does on every other way into it:
/// otherwise the fault would be that time stops, and not that the system is somewhere else.
fn lead(network: &Network, process: usize, branch: &mut Branch, to: usize) {
    let of = &network.processes[process];
    let mut machine = provoke_uppaal::machine::NetworkMachine::new(network);
    let mut bounded = Vec::new();
    bounds(&of.locations[to].invariant, &mut bounded);
    let ways = || of.edges.iter().flat_map(|edge| &edge.branches).filter(|b| b.target == to);
    for bound in bounded {
        let Some((which, ..)) = ends(&mut machine, bound) else { continue };
        let starts = ways().all(|way| way.update.iter().any(|stmt| sets(stmt, which)));
        let already = branch.update.iter().any(|stmt| sets(stmt, which));
        if starts && !already {
            branch.update.push(Stmt::Reset(Box::new(clock(which)), NetworkExpr::Int(0)));
        }
    }
    branch.target = to;
}

/// Sets what a clock, which may stand on the right side, is compared with.
fn set_limit(bound: &mut ClockBound, limit: i64) {
    bound.bound = NetworkExpr::Int(if bound.left.is_some() { limit } else { -limit });
}

fn shift_low(network: &Network, guard: &mut Condition, which: u32, by: i64) {
    let mut machine = provoke_uppaal::machine::NetworkMachine::new(network);
    let mut any = false;
    each_bound(guard, &mut |bound| {
        if let Some((clock, Some(low), _)) = ends(&mut machine, bound)
            && clock == which
        {
            set_limit(bound, low + by);
            any = true;
        }
    });
    if !any && by > 0 {
        let bound = ClockBound {
            left: Some(clock(which)),
            right: None,
            comparison: ClockComparison::Ge,
            bound: NetworkExpr::Int(by),
            span: provoke_base::Span::default(),
        };
        let both = vec![guard.clone(), Condition::Clock(Box::new(bound))];
        *guard = Condition::And(both);
    }
}

fn shift_high(network: &Network, condition: &mut Condition, which: u32, by: i64) {
    let mut machine = provoke_uppaal::machine::NetworkMachine::new(network);
    each_bound(condition, &mut |bound| {
        if let Some((clock, None, Some(high))) = ends(&mut machine, bound)
            && clock == which
        {
            set_limit(bound, high + by);
        }
    });
}
