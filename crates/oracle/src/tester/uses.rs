//! What the texts of a network read and write.

use std::collections::BTreeSet;

use provoke_uppaal::Network;
use provoke_uppaal::network::{
    Address, Argument, Base, ClockRef, Condition, Index, NetworkExpr, Number, Process, Stmt,
};

/// Cells and clocks that are touched, and processes whose places are asked for.
#[derive(Clone, Default, Debug)]
pub(crate) struct Uses {
    pub(crate) reads: BTreeSet<usize>,
    pub(crate) writes: BTreeSet<usize>,
    pub(crate) clocks_read: BTreeSet<usize>,
    pub(crate) clocks_set: BTreeSet<usize>,
    pub(crate) processes: BTreeSet<usize>,
    pub(crate) functions: BTreeSet<u32>,
}

/// All positions that an index may have.
pub(crate) fn positions(index: &Index) -> Vec<usize> {
    let Index::Computed(subscripts) = index else {
        let Index::At(position) = index else { return Vec::new() };
        return vec![*position];
    };
    let mut found: Vec<i64> = vec![0];
    for subscript in subscripts {
        let steps: Vec<i64> = match subscript.index {
            NetworkExpr::Int(value) => vec![(value - subscript.low).clamp(0, subscript.count - 1)],
            _ => (0..subscript.count).collect(),
        };
        let step =
            |base: &i64| steps.iter().map(|s| base + s * subscript.stride).collect::<Vec<_>>();
        found = found.iter().flat_map(step).collect();
    }
    found.into_iter().map(|position| position as usize).collect()
}

impl Uses {
    /// Of all edges and locations of a process.
    pub(crate) fn of_process(network: &Network, process: &Process) -> Uses {
        let mut uses = Uses::default();
        for location in &process.locations {
            uses.condition(network, &location.invariant);
            for (clock, rate) in &location.rates {
                uses.clock(network, clock, false);
                uses.number(network, rate);
            }
            location.exponential.iter().for_each(|rate| uses.number(network, rate));
        }
        for edge in &process.edges {
            uses.condition(network, &edge.guard);
            edge.sync.iter().for_each(|sync| uses.index(network, &sync.index));
            for branch in &edge.branches {
                uses.number(network, &branch.weight);
                uses.statements(network, &branch.update);
            }
        }
        uses
    }

    /// Of all guards and invariants, and nothing else.
    pub(crate) fn of_conditions(network: &Network, process: &Process) -> Uses {
        let mut uses = Uses::default();
        process.locations.iter().for_each(|at| uses.condition(network, &at.invariant));
        process.edges.iter().for_each(|edge| uses.condition(network, &edge.guard));
        uses
    }

    fn index(&mut self, network: &Network, index: &Index) {
        if let Index::Computed(subscripts) = index {
            subscripts.iter().for_each(|subscript| self.expr(network, &subscript.index));
        }
    }

    fn place(&mut self, network: &Network, place: &Address, words: usize, write: bool) {
        self.index(network, &place.index);
        if let Base::Cell(first) = place.base {
            let into = if write { &mut self.writes } else { &mut self.reads };
            for position in positions(&place.index) {
                into.extend((0..words).map(|word| first as usize + position + word));
            }
        }
    }

    fn clock(&mut self, network: &Network, clock: &ClockRef, set: bool) {
        self.index(network, &clock.index);
        let into = if set { &mut self.clocks_set } else { &mut self.clocks_read };
        match clock.first {
            Ok(first) => into.extend(positions(&clock.index).iter().map(|p| first as usize + p)),
            // Whatever clock a function was given.
            Err(_) => into.extend(0..network.clocks.len()),
        }
    }

    pub(crate) fn condition(&mut self, network: &Network, condition: &Condition) {
        match condition {
            Condition::Int(expr) => self.expr(network, expr),
            Condition::Clock(bound) => {
                bound.left.iter().chain(&bound.right).for_each(|c| self.clock(network, c, false));
                self.expr(network, &bound.bound);
            }
            Condition::Number(_, sides) => {
                self.number(network, &sides.0);
                self.number(network, &sides.1);
            }
            Condition::And(parts) | Condition::Or(parts) => {
                parts.iter().for_each(|part| self.condition(network, part));
            }
            Condition::Deadlock(_) => {}
        }
    }

    fn expr(&mut self, network: &Network, expr: &NetworkExpr) {
        match expr {
            NetworkExpr::Int(_) => {}
            NetworkExpr::Load(place) => self.place(network, place, 1, false),
            NetworkExpr::At(process, _) => drop(self.processes.insert(*process as usize)),
            NetworkExpr::Not(inside) | NetworkExpr::Minus(inside) => self.expr(network, inside),
            NetworkExpr::Binary(_, sides, _) => {
                self.expr(network, &sides.0);
                self.expr(network, &sides.1);
            }
            NetworkExpr::And(parts) | NetworkExpr::Or(parts) => {
                parts.iter().for_each(|part| self.expr(network, part));
            }
            NetworkExpr::Choice(parts) => {
                [&parts.0, &parts.1, &parts.2].into_iter().for_each(|p| self.expr(network, p));
            }
            NetworkExpr::Call(function, arguments, _) => self.call(network, *function, arguments),
            NetworkExpr::Store(place, value) => {
                self.place(network, place, 1, true);
                self.expr(network, value);
            }
            NetworkExpr::Step(place, ..) => {
                self.place(network, place, 1, false);
                self.place(network, place, 1, true);
            }
            NetworkExpr::SameWords(places, words) => {
                self.place(network, &places.0, *words as usize, false);
                self.place(network, &places.1, *words as usize, false);
            }
            NetworkExpr::Compare(_, sides) => {
                self.number(network, &sides.0);
                self.number(network, &sides.1);
            }
            NetworkExpr::Truncate(number) => self.number(network, number),
            NetworkExpr::Holds(condition) => self.condition(network, condition),
        }
    }

    fn number(&mut self, network: &Network, number: &Number) {
        match number {
            Number::Value(_) => {}
            Number::Int(expr) => self.expr(network, expr),
            Number::Load(place) => self.place(network, place, 1, false),
            Number::Clock(clock) => self.clock(network, clock, false),
            Number::Binary(_, sides) => {
                self.number(network, &sides.0);
                self.number(network, &sides.1);
            }
            Number::Choice(parts) => {
                self.expr(network, &parts.0);
                self.number(network, &parts.1);
                self.number(network, &parts.2);
            }
            Number::Call(function, arguments, _) => self.call(network, *function, arguments),
            Number::Store(place, value) => {
                self.place(network, place, 1, true);
                self.number(network, value);
            }
            Number::Math(_, parts) | Number::Random(_, parts) => {
                parts.iter().for_each(|part| self.number(network, part));
            }
        }
    }

    fn call(&mut self, network: &Network, function: u32, arguments: &[Argument]) {
        for argument in arguments {
            match argument {
                Argument::Int(expr) => self.expr(network, expr),
                Argument::Number(number) => self.number(network, number),
                Argument::Words(place, words) => {
                    self.place(network, place, *words as usize, false);
                }
                Argument::Reference(place) => {
                    // How much of it is reached from there is not known: all that follows.
                    let rest = match place.base {
                        Base::Cell(first) => network.cells.len() - first as usize,
                        _ => 0,
                    };
                    for write in [false, true] {
                        if let Base::Cell(first) = place.base {
                            let into = if write { &mut self.writes } else { &mut self.reads };
                            into.extend((0..rest).map(|word| first as usize + word));
                        }
                    }
                    self.index(network, &place.index);
                }
                Argument::Clock(clock) => {
                    self.clock(network, clock, false);
                    self.clock(network, clock, true);
                }
            }
        }
        if self.functions.insert(function) {
            self.statements(network, &network.functions[function as usize].body);
        }
    }

    pub(crate) fn statements(&mut self, network: &Network, statements: &[Stmt]) {
        for statement in statements {
            self.statement(network, statement);
        }
    }

    fn statement(&mut self, network: &Network, statement: &Stmt) {
        match statement {
            Stmt::Do(expr) => self.expr(network, expr),
            Stmt::DoNumber(number) | Stmt::ReturnNumber(number) => self.number(network, number),
            Stmt::Copy(places, words) => {
                self.place(network, &places.0, *words as usize, true);
                self.place(network, &places.1, *words as usize, false);
            }
            Stmt::Reset(clock, value) => {
                self.clock(network, clock, true);
                self.expr(network, value);
            }
            Stmt::ResetNumber(clock, value) => {
                self.clock(network, clock, true);
                self.number(network, value);
            }
            Stmt::While(condition, body, step) => {
                self.expr(network, condition);
                self.statements(network, body);
                self.statements(network, step);
            }
            Stmt::DoWhile(body, condition) => {
                self.statements(network, body);
                self.expr(network, condition);
            }
            Stmt::If(condition, then, otherwise) => {
                self.expr(network, condition);
                self.statements(network, then);
                self.statements(network, otherwise);
            }
            Stmt::Return(value) => value.iter().for_each(|value| self.expr(network, value)),
            Stmt::Clear(..) | Stmt::Break | Stmt::Continue => {}
        }
    }
}
