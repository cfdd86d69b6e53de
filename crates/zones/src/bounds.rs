//! With which constants clocks are still compared from each location on.
//!
//! Behrmann, Bouyer, Fleury and Larsen's static analysis: a constant matters at a location if a
//! comparison with it can come before the clock is set again by the same process. What other
//! processes compare is added for the locations these are at.

use provoke_uppaal::network::{
    CellKind, ClockComparison, ClockRef, Condition, Function, Index, IntOp, Network, NetworkExpr,
    Process, Stmt,
};

use crate::active::ActiveClocks;
use crate::dbm::Bounds;

const NONE: i32 = i32::MIN;

/// What a clock is compared with from a location on.
#[derive(Clone, Copy, Debug)]
struct Compared {
    clock: usize,
    lower: i32,
    upper: i32,
}

/// The constants of each location of each process.
pub struct BoundTable {
    /// For each process, for each location: the clocks that are compared.
    tables: Vec<Vec<Vec<Compared>>>,
    /// What matters everywhere: the comparisons of a question.
    asked: Vec<Compared>,
    clocks: usize,
    /// Whether lower and upper constants are made the same.
    same: bool,
}

impl BoundTable {
    /// The constants of a network and of what is asked about it. With `same`, comparisons count in
    /// both directions, which keeps deadlocks apart from what only looks like one.
    pub fn new(network: &Network, asked: &[&Condition], same: bool) -> BoundTable {
        let clocks = network.clocks.len();
        let mut row = vec![NONE; 2 * clocks];
        for condition in asked {
            add_condition(network, condition, &mut row);
        }
        let tables = network.processes.iter().map(|p| process_table(network, p)).collect();
        // What keeps a move of higher priority from being made is compared from the other side.
        let same = same || network.priorities.is_some();
        BoundTable { tables, asked: compared(&row), clocks, same }
    }

    /// Makes a clock be compared with a constant everywhere.
    pub fn widen(&mut self, clock: usize, constant: i32) {
        self.asked.push(Compared { clock, lower: constant, upper: constant });
    }

    /// The largest constant a clock is compared with anywhere.
    pub fn largest(&self, clock: usize) -> i32 {
        let all = self.tables.iter().flatten().flatten().chain(&self.asked);
        all.filter(|c| c.clock == clock).map(|c| c.lower.max(c.upper)).max().unwrap_or(NONE)
    }

    /// The constants that matter when processes are at these locations.
    pub fn fill(&self, locations: &[i32], bounds: &mut Bounds) {
        for list in [&mut bounds.lower, &mut bounds.upper] {
            list.clear();
            list.resize(self.clocks, NONE);
        }
        let here = self.tables.iter().zip(locations).flat_map(|(table, at)| &table[*at as usize]);
        for Compared { clock, lower, upper } in self.asked.iter().chain(here) {
            bounds.lower[*clock] = bounds.lower[*clock].max(*lower);
            bounds.upper[*clock] = bounds.upper[*clock].max(*upper);
        }
        if self.same {
            for (low, up) in bounds.lower.iter_mut().zip(&mut bounds.upper) {
                *low = (*low).max(*up);
                *up = *low;
            }
        }
    }

    /// The clocks that matter when processes are at these locations, with their constants.
    pub fn activate(&self, locations: &[i32], active: &mut ActiveClocks) {
        active.clear();
        let here = self.tables.iter().zip(locations).flat_map(|(table, at)| &table[*at as usize]);
        for Compared { clock, lower, upper } in self.asked.iter().chain(here) {
            match self.same {
                true => active.raise(*clock, *lower.max(upper), *lower.max(upper)),
                false => active.raise(*clock, *lower, *upper),
            }
        }
    }
}

fn process_table(network: &Network, process: &Process) -> Vec<Vec<Compared>> {
    let clocks = network.clocks.len();
    let mut table = vec![vec![NONE; 2 * clocks]; process.locations.len()];
    for (row, location) in table.iter_mut().zip(&process.locations) {
        add_condition(network, &location.invariant, row);
    }
    for edge in &process.edges {
        add_condition(network, &edge.guard, &mut table[edge.source]);
        // A receiver stays out of a broadcast only while its guard does not hold.
        if edge.answers() && edge.sync.iter().any(|s| network.channels[s.first].broadcast) {
            let stays_out = provoke_uppaal::negated(edge.guard.clone());
            add_condition(network, &stays_out, &mut table[edge.source]);
        }
    }
    let steps: Vec<(usize, usize, Vec<bool>)> = process
        .edges
        .iter()
        .flat_map(|edge| edge.branches.iter().map(move |branch| (edge.source, branch)))
        .map(|(source, branch)| (source, branch.target, surely_reset(clocks, &branch.update)))
        .collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (source, target, reset) in &steps {
            for slot in 0..2 * clocks {
                let value = table[*target][slot];
                if !reset[slot % clocks] && value > table[*source][slot] {
                    table[*source][slot] = value;
                    changed = true;
                }
            }
        }
    }
    table.iter().map(|row| compared(row)).collect()
}

/// The clocks of a row that are compared at all.
fn compared(row: &[i32]) -> Vec<Compared> {
    let (lower, upper) = row.split_at(row.len() / 2);
    let all = lower.iter().zip(upper).enumerate();
    all.map(|(clock, (lower, upper))| Compared { clock, lower: *lower, upper: *upper })
        .filter(|c| c.lower != NONE || c.upper != NONE)
        .collect()
}

/// The clocks that an update sets whatever happens.
fn surely_reset(clocks: usize, update: &[Stmt]) -> Vec<bool> {
    let mut reset = vec![false; clocks];
    for statement in update {
        if let Stmt::Reset(clock, _) = statement
            && let (Ok(first), Index::At(position)) = (clock.first, &clock.index)
        {
            reset[first as usize + position] = true;
        }
    }
    reset
}

fn add_condition(network: &Network, condition: &Condition, row: &mut [i32]) {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter().for_each(|part| add_condition(network, part, row));
        }
        Condition::Clock(bound) => {
            let (low, high) = range(network, &bound.bound);
            let clocks = row.len() / 2;
            // A bound on x - y is one on both when the other is 0 or more; questions of this
            // kind are kept away from zones unless both directions are safe.
            let sides = [(&bound.left, false), (&bound.right, true)];
            for (clock, negative) in sides {
                let Some(clock) = clock else { continue };
                let constant = if negative { -low } else { high };
                let constant = constant.clamp(0, crate::dbm::LARGEST) as i32;
                let is_upper =
                    matches!(bound.comparison, ClockComparison::Lt | ClockComparison::Le);
                let is_lower =
                    matches!(bound.comparison, ClockComparison::Gt | ClockComparison::Ge);
                let (lower, upper) = match (is_upper, is_lower, negative) {
                    (true, _, false) | (_, true, true) => (false, true),
                    (true, _, true) | (_, true, false) => (true, false),
                    _ => (true, true),
                };
                for index in meant(network, clock) {
                    if lower {
                        row[index] = row[index].max(constant);
                    }
                    if upper {
                        row[clocks + index] = row[clocks + index].max(constant);
                    }
                }
            }
        }
        Condition::Int(_) | Condition::Number(..) | Condition::Deadlock(_) => {}
    }
}

/// The clocks that an expression may mean.
pub fn meant(network: &Network, clock: &ClockRef) -> std::ops::Range<usize> {
    match (clock.first, &clock.index) {
        (Ok(first), Index::At(position)) => {
            first as usize + position..first as usize + position + 1
        }
        (Ok(first), Index::Computed(subscripts)) => {
            let last: i64 = subscripts.iter().map(|s| (s.count - 1) * s.stride).sum();
            first as usize..(first as usize + last as usize + 1).min(network.clocks.len())
        }
        (Err(_), _) => 0..network.clocks.len(),
    }
}

/// The least and largest value an expression can have.
pub fn range(network: &Network, expr: &NetworkExpr) -> (i64, i64) {
    let whole = (i64::from(i32::MIN), i64::from(i32::MAX));
    match expr {
        NetworkExpr::Int(value) => (*value, *value),
        NetworkExpr::Load(place) => match place.kind {
            CellKind::Int(low, high) => (low, high),
            CellKind::Bool => (0, 1),
            CellKind::Double => whole,
        },
        NetworkExpr::Minus(inside) => {
            let (low, high) = range(network, inside);
            (-high, -low)
        }
        NetworkExpr::Binary(operator, operands, _) => {
            let ((a, b), (c, d)) = (range(network, &operands.0), range(network, &operands.1));
            match operator {
                IntOp::Add => (a + c, b + d),
                IntOp::Sub => (a - d, b - c),
                IntOp::Mul => {
                    let products = [a * c, a * d, b * c, b * d];
                    (*products.iter().min().expect("four"), *products.iter().max().expect("four"))
                }
                IntOp::Min => (a.min(c), b.min(d)),
                IntOp::Max => (a.max(c), b.max(d)),
                IntOp::Div if c > 0 => (a.min(a / c).min(a / d), b.max(b / c).max(b / d)),
                IntOp::Mod if c > 0 => (if a < 0 { 1 - d } else { 0 }, d - 1),
                IntOp::Eq | IntOp::Ne | IntOp::Lt | IntOp::Le => (0, 1),
                _ => whole,
            }
        }
        NetworkExpr::Choice(parts) => {
            let ((a, b), (c, d)) = (range(network, &parts.1), range(network, &parts.2));
            (a.min(c), b.max(d))
        }
        NetworkExpr::Call(function, ..) => result_range(&network.functions[*function as usize]),
        NetworkExpr::Store(_, value) => range(network, value),
        NetworkExpr::At(..)
        | NetworkExpr::Not(_)
        | NetworkExpr::And(_)
        | NetworkExpr::Or(_)
        | NetworkExpr::SameWords(..)
        | NetworkExpr::Compare(..)
        | NetworkExpr::Holds(_) => (0, 1),
        NetworkExpr::Step(..) | NetworkExpr::Truncate(_) => whole,
    }
}

fn result_range(function: &Function) -> (i64, i64) {
    match function.result {
        Some(CellKind::Int(low, high)) => (low, high),
        Some(CellKind::Bool) => (0, 1),
        _ => (i64::from(i32::MIN), i64::from(i32::MAX)),
    }
}
