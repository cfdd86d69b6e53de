//! The clocks that a part of a network needs, and no others: the work with zones grows with the
//! third power of their number.

use provoke_uppaal::Network;
use provoke_uppaal::network::{
    Argument, ClockRef, Condition, Function, Index, NetworkExpr, Number, Process, Stmt, Subscript,
};
use provoke_zones::bounds::meant;

/// Leaves out clocks that nothing in the processes, and in the functions given, mentions.
pub(crate) fn keep_used(network: &mut Network) {
    let whole = Network { clocks: network.clocks.clone(), ..Network::default() };
    let mut used = vec![false; whole.clocks.len()];
    // A function's parameter stands for a clock that its caller names.
    let mut note = |clock: &mut ClockRef| {
        if clock.first.is_ok() {
            used[meant(&whole, clock)].fill(true);
        }
    };
    each(&mut network.processes, &mut network.functions, &mut note);
    let place = |clock: usize| used[..clock].iter().filter(|used| **used).count();
    let mut move_up = |clock: &mut ClockRef| {
        let Ok(first) = &mut clock.first else { return };
        if let Index::At(position) = &mut clock.index {
            *first += *position as u32;
            *position = 0;
        }
        *first = place(*first as usize) as u32;
    };
    each(&mut network.processes, &mut network.functions, &mut move_up);
    let mut used = used.iter();
    network.clocks.retain(|_| used.next().copied().unwrap_or(true));
}

type Seen<'s> = &'s mut dyn FnMut(&mut ClockRef);

fn each(processes: &mut [Process], functions: &mut [Function], see: Seen<'_>) {
    for process in processes {
        for location in &mut process.locations {
            in_condition(&mut location.invariant, see);
            for (clock, rate) in &mut location.rates {
                in_clock(clock, see);
                in_number(rate, see);
            }
            location.exponential.iter_mut().for_each(|rate| in_number(rate, see));
        }
        for edge in &mut process.edges {
            in_condition(&mut edge.guard, see);
            edge.sync.iter_mut().for_each(|sync| in_index(&mut sync.index, see));
            for branch in &mut edge.branches {
                in_number(&mut branch.weight, see);
                in_statements(&mut branch.update, see);
            }
        }
    }
    functions.iter_mut().for_each(|function| in_statements(&mut function.body, see));
}

fn in_clock(clock: &mut ClockRef, see: Seen<'_>) {
    in_index(&mut clock.index, see);
    see(clock);
}

fn in_index(index: &mut Index, see: Seen<'_>) {
    if let Index::Computed(subscripts) = index {
        subscripts.iter_mut().for_each(|Subscript { index, .. }| in_expr(index, see));
    }
}

fn in_condition(condition: &mut Condition, see: Seen<'_>) {
    match condition {
        Condition::Int(expr) => in_expr(expr, see),
        Condition::Clock(bound) => {
            bound.left.iter_mut().chain(&mut bound.right).for_each(|clock| in_clock(clock, see));
            in_expr(&mut bound.bound, see);
        }
        Condition::Number(_, sides) => {
            in_number(&mut sides.0, see);
            in_number(&mut sides.1, see);
        }
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter_mut().for_each(|part| in_condition(part, see));
        }
        Condition::Deadlock(_) => {}
    }
}

fn in_expr(expr: &mut NetworkExpr, see: Seen<'_>) {
    match expr {
        NetworkExpr::Int(_) | NetworkExpr::At(..) => {}
        NetworkExpr::Load(place) | NetworkExpr::Step(place, ..) => in_index(&mut place.index, see),
        NetworkExpr::Not(inside) | NetworkExpr::Minus(inside) => in_expr(inside, see),
        NetworkExpr::Binary(_, sides, _) => {
            in_expr(&mut sides.0, see);
            in_expr(&mut sides.1, see);
        }
        NetworkExpr::And(parts) | NetworkExpr::Or(parts) => {
            parts.iter_mut().for_each(|part| in_expr(part, see))
        }
        NetworkExpr::Choice(parts) => {
            let (condition, yes, no) = &mut **parts;
            [condition, yes, no].into_iter().for_each(|part| in_expr(part, see));
        }
        NetworkExpr::Call(_, arguments, _) => in_arguments(arguments, see),
        NetworkExpr::Store(place, value) => {
            in_index(&mut place.index, see);
            in_expr(value, see);
        }
        NetworkExpr::SameWords(places, _) => {
            in_index(&mut places.0.index, see);
            in_index(&mut places.1.index, see);
        }
        NetworkExpr::Compare(_, sides) => {
            in_number(&mut sides.0, see);
            in_number(&mut sides.1, see);
        }
        NetworkExpr::Truncate(number) => in_number(number, see),
        NetworkExpr::Holds(condition) => in_condition(condition, see),
    }
}

fn in_number(number: &mut Number, see: Seen<'_>) {
    match number {
        Number::Value(_) => {}
        Number::Int(expr) => in_expr(expr, see),
        Number::Load(place) => in_index(&mut place.index, see),
        Number::Clock(clock) => in_clock(clock, see),
        Number::Binary(_, sides) => {
            in_number(&mut sides.0, see);
            in_number(&mut sides.1, see);
        }
        Number::Choice(parts) => {
            in_expr(&mut parts.0, see);
            in_number(&mut parts.1, see);
            in_number(&mut parts.2, see);
        }
        Number::Call(_, arguments, _) => in_arguments(arguments, see),
        Number::Store(place, value) => {
            in_index(&mut place.index, see);
            in_number(value, see);
        }
        Number::Math(_, parts) | Number::Random(_, parts) => {
            parts.iter_mut().for_each(|part| in_number(part, see));
        }
    }
}

fn in_arguments(arguments: &mut [Argument], see: Seen<'_>) {
    for argument in arguments {
        match argument {
            Argument::Int(expr) => in_expr(expr, see),
            Argument::Number(number) => in_number(number, see),
            Argument::Words(place, _) | Argument::Reference(place) => {
                in_index(&mut place.index, see);
            }
            Argument::Clock(clock) => in_clock(clock, see),
        }
    }
}

fn in_statements(statements: &mut [Stmt], see: Seen<'_>) {
    for statement in statements {
        match statement {
            Stmt::Do(expr) => in_expr(expr, see),
            Stmt::DoNumber(number) | Stmt::ReturnNumber(number) => in_number(number, see),
            Stmt::Copy(places, _) => {
                in_index(&mut places.0.index, see);
                in_index(&mut places.1.index, see);
            }
            Stmt::Reset(clock, value) => {
                in_clock(clock, see);
                in_expr(value, see);
            }
            Stmt::ResetNumber(clock, value) => {
                in_clock(clock, see);
                in_number(value, see);
            }
            Stmt::While(condition, body, step) => {
                in_expr(condition, see);
                in_statements(body, see);
                in_statements(step, see);
            }
            Stmt::DoWhile(body, condition) => {
                in_statements(body, see);
                in_expr(condition, see);
            }
            Stmt::If(condition, then, otherwise) => {
                in_expr(condition, see);
                in_statements(then, see);
                in_statements(otherwise, see);
            }
            Stmt::Return(value) => value.iter_mut().for_each(|value| in_expr(value, see)),
            Stmt::Clear(..) | Stmt::Break | Stmt::Continue => {}
        }
    }
}
