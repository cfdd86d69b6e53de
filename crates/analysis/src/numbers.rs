//! A system in the numbers of a machine, as another system: what the generated C computes, said with exact
//! operations whose results are wrapped or rounded. Every evaluator, prover and mutant of exact systems
//! works on it unchanged.
//!
//! All integers get the machine's type: inputs are limited to it, and what an unguarded `pre` gives in the
//! first step is some value of it. Two things remain that C does otherwise: after a division by zero it
//! goes on, where a run ends here; and beyond the largest real it has infinities, where nothing is known
//! here. [`stands_in_the_way`] finds them.

use provoke_base::{IndexVec, Span};
use provoke_model::fixed::Arithmetic;
use provoke_model::machine::MachineInt;
use provoke_model::operator::{BinaryOp, UnaryOp};
use provoke_model::system::{
    Assumption, Equation, Expr, ExprId, ExprKind, Property, Range, System, Type, Var,
};
use provoke_model::value::Value;

use crate::machine::machine_types;

/// What a machine cannot hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// A constant.
    Constant(Value, Span),
    /// All values of an input.
    Input(Range, Span),
}

/// The system in a machine's numbers, or all that they cannot hold.
pub fn in_machine_numbers(system: &System, machine: Arithmetic) -> Result<System, Vec<Misfit>> {
    let types = machine_types(system);
    let int = machine.int.machine();
    let mut misfits: Vec<Misfit> = constants_outside(system, machine, &types);
    let vars: IndexVec<_, Var> = system.vars.iter().map(|var| typed(var, int)).collect();
    for (old, var) in system.vars.iter().zip(vars.iter()).filter(|(_, var)| is_empty(var)) {
        misfits.extend(old.range.clone().map(|range| Misfit::Input(range, var.span)));
    }
    if !misfits.is_empty() {
        return Err(misfits);
    }
    let new = System { exprs: IndexVec::new(), vars, numbers: Some(machine), ..system.clone() };
    let mut pass = Pass { old: system, types, machine, int, new, done: IndexVec::new() };
    pass.expressions();
    pass.roots();
    Ok(pass.new)
}

/// The variable with the machine's type, if it is an integer without one.
fn typed(var: &Var, int: MachineInt) -> Var {
    let mut var = var.clone();
    if var.ty == Type::Int && var.machine.is_none() {
        var.machine = Some(int);
        if var.role.is_from_outside() {
            let all = Range::from(int);
            var.range = Some(match var.range {
                None => all,
                Some(Range { low, high }) => {
                    Range { low: low.max(all.low), high: high.min(all.high) }
                }
            });
        }
    }
    var
}

fn is_empty(var: &Var) -> bool {
    var.role.is_from_outside() && var.range.as_ref().is_some_and(|range| range.low > range.high)
}

fn constants_outside(
    system: &System,
    machine: Arithmetic,
    types: &IndexVec<ExprId, Option<MachineInt>>,
) -> Vec<Misfit> {
    let mut found = Vec::new();
    for (_, expr) in system.exprs.entries().filter(|(id, _)| types[*id].is_none()) {
        if let ExprKind::Const(value) = &expr.kind
            && machine.word(value).is_none()
        {
            found.push(Misfit::Constant(value.clone(), expr.span));
        }
    }
    found
}

struct Pass<'a> {
    old: &'a System,
    /// The types that the model itself gives to integers.
    types: IndexVec<ExprId, Option<MachineInt>>,
    machine: Arithmetic,
    int: MachineInt,
    new: System,
    /// What each expression has become.
    done: IndexVec<ExprId, ExprId>,
}

impl Pass<'_> {
    fn expressions(&mut self) {
        for (id, expr) in self.old.exprs.entries() {
            let kind = self.with_operands(id, expr);
            let new = self.new.add_expr(kind, expr.ty, expr.span);
            let new = match self.result_of(id, expr) {
                None => new,
                Some(op) => self.new.add_expr(ExprKind::Unary(op, new), expr.ty, expr.span),
            };
            self.done.push(new);
        }
    }

    /// The form over the new operands. An integer of a wider type of its own that is used as a plain one
    /// loses its high bits.
    fn with_operands(&mut self, id: ExprId, expr: &Expr) -> ExprKind {
        let is_conversion = matches!(expr.kind, ExprKind::Unary(UnaryOp::Wrap(_), _));
        let ints: Vec<ExprId> =
            expr.kind.operands().filter(|part| self.old.exprs[*part].ty == Type::Int).collect();
        let alike = ints.iter().all(|part| self.types[*part] == self.types[ints[0]]);
        let is_plain = match expr.ty {
            Type::Int => self.types[id].is_none(),
            _ => !alike,
        };
        expr.kind.map(|operand| {
            let new = self.done[operand];
            let narrows = is_plain && !is_conversion && self.old.exprs[operand].ty == Type::Int;
            if narrows { self.narrowed(operand, new) } else { new }
        })
    }

    fn narrowed(&mut self, old: ExprId, new: ExprId) -> ExprId {
        let fits = |ty: MachineInt| self.int.low() <= ty.low() && ty.high() <= self.int.high();
        match self.types[old] {
            Some(ty) if !fits(ty) => {
                let kind = ExprKind::Unary(UnaryOp::Wrap(self.int), new);
                self.new.add_expr(kind, Type::Int, self.old.exprs[old].span)
            }
            _ => new,
        }
    }

    /// What a machine does with the exact result of an expression.
    fn result_of(&self, id: ExprId, expr: &Expr) -> Option<UnaryOp> {
        let wrap = (self.types[id].is_none()).then_some(UnaryOp::Wrap(self.int));
        let round = Some(UnaryOp::Round(self.machine.real));
        match (&expr.kind, expr.ty) {
            (ExprKind::Const(Value::Real(exact)), _) => {
                round.filter(|_| self.machine.real.nearest(exact).as_ref() != Some(exact))
            }
            // Tests may give any number; a machine reads the nearest.
            (ExprKind::Var(var), Type::Real) if self.old.vars[*var].role.is_from_outside() => round,
            (ExprKind::Unary(UnaryOp::ToReal, operand), _) => {
                let ty = self.types[*operand].unwrap_or(self.int);
                let bits = u32::from(ty.bits) - u32::from(ty.signed);
                round.filter(|_| bits > self.machine.real.precision())
            }
            (ExprKind::Unary(UnaryOp::Neg, _), Type::Int) => wrap,
            (ExprKind::Unary(UnaryOp::Floor, _), _) => Some(UnaryOp::Clamp(self.int)),
            (ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..), Type::Int) => {
                wrap
            }
            // All other quotients are closer to zero than what is divided.
            (ExprKind::Binary(BinaryOp::IntDiv | BinaryOp::Quotient, _, by), Type::Int) => {
                let by = constant(self.old, *by);
                wrap.filter(|_| by.is_none_or(|by| by == Value::from(-1)))
            }
            (ExprKind::Binary(..), Type::Real) => round,
            _ => None,
        }
    }

    fn roots(&mut self) {
        for (at, Equation { var, expr }) in self.old.equations.iter().enumerate() {
            let mut new = self.done[*expr];
            if self.old.vars[*var].ty == Type::Int && self.old.vars[*var].machine.is_none() {
                new = self.narrowed(*expr, new);
            }
            self.new.equations[at].expr = new;
        }
        for (at, Assumption { expr, .. }) in self.old.assumptions.iter().enumerate() {
            self.new.assumptions[at].expr = self.done[*expr];
        }
        for (at, Property { expr, .. }) in self.old.properties.iter().enumerate() {
            self.new.properties[at].expr = self.done[*expr];
        }
    }
}

/// The number that an expression is, with its sign.
fn constant(system: &System, id: ExprId) -> Option<Value> {
    match &system.exprs[id].kind {
        ExprKind::Const(value) => Some(value.clone()),
        ExprKind::Unary(UnaryOp::Neg, operand) => match &system.exprs[*operand].kind {
            ExprKind::Const(value) => Some(UnaryOp::Neg.apply(value)),
            _ => None,
        },
        ExprKind::Unary(UnaryOp::Wrap(_) | UnaryOp::Round(_), operand) => {
            constant(system, *operand)
        }
        _ => None,
    }
}

/// How far a proof about a system in a machine's numbers holds for the machine itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// It says nothing where this operation divides by zero: the run ends here, and goes on there.
    Division(ExprId),
    /// It says nothing where this operation leaves the finite reals.
    Infinity(ExprId),
}

/// What keeps a proof about some expressions from holding for every run of the machine: the first operation
/// of the worst kind.
///
/// A run ends wherever something divides by zero, so that all divisions count. An infinity matters only
/// where it is read: in what the expressions and the assumptions depend on.
pub fn stands_in_the_way(system: &System, about: &[ExprId]) -> Option<Obstacle> {
    let divides = |id: &ExprId| match system.exprs[*id].kind {
        ExprKind::Binary(op, _, by) if op.divides() => {
            constant(system, by).is_none_or(|by| is_zero(&by))
        }
        _ => false,
    };
    let read = cone(system, about);
    let rounded = |id: ExprId| match system.exprs[id].kind {
        ExprKind::Unary(UnaryOp::Round(_), of) if read[id] => {
            matches!(system.exprs[of].kind, ExprKind::Binary(..)).then_some(of)
        }
        _ => None,
    };
    let division = system.exprs.ids().find(divides).map(Obstacle::Division);
    division.or_else(|| system.exprs.ids().find_map(rounded).map(Obstacle::Infinity))
}

/// What expressions depend on, in this step and in earlier ones, and all that assumptions do.
fn cone(system: &System, about: &[ExprId]) -> IndexVec<ExprId, bool> {
    let mut definitions = IndexVec::repeat(None, system.vars.len());
    for Equation { var, expr } in &system.equations {
        definitions[*var] = Some(*expr);
    }
    let mut read = IndexVec::repeat(false, system.exprs.len());
    let mut open = about.to_vec();
    open.extend(system.assumptions.iter().map(|assumption| assumption.expr));
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut read[id], true) {
            continue;
        }
        match system.exprs[id].kind {
            ExprKind::Var(var) => open.extend(definitions[var]),
            ref kind => open.extend(kind.operands()),
        }
    }
    read
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Int(int) => int.is_zero(),
        Value::Real(real) => real.is_zero(),
        _ => false,
    }
}
