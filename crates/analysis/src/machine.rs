//! Which integer expressions are a machine's, and of which type; and the bounds that follow from
//! types alone.

use provoke_base::{IndexVec, Int};
use provoke_model::machine::MachineInt;
use provoke_model::operator::{BinaryOp, UnaryOp};
use provoke_model::system::{Equation, ExprId, ExprKind, Range, System, Type};
use provoke_model::value::Value;

/// The machine's type of each integer expression, `None` for what is computed with unbounded
/// integers.
///
/// `+`, `-`, `*`, `div` and `mod` are a machine's where their result is wrapped to the type of all
/// their operands: nothing but low bits comes of them. A constant is of the type that its
/// neighbours have.
pub fn machine_types(system: &System) -> IndexVec<ExprId, Option<MachineInt>> {
    let mut types = from_below(system);
    // Operands have smaller ids: going down meets each expression after its users.
    for Equation { var, expr } in &system.equations {
        if let Some(ty) = system.vars[*var].machine {
            settle(system, &mut types, *expr, ty);
        }
    }
    for id in system.exprs.ids().rev() {
        spread(system, &mut types, id);
    }
    types
}

/// What variables and operators say of themselves.
fn from_below(system: &System) -> IndexVec<ExprId, Option<MachineInt>> {
    let mut types: IndexVec<ExprId, Option<MachineInt>> = IndexVec::new();
    for expr in system.exprs.iter() {
        let ty = match &expr.kind {
            ExprKind::Var(var) => system.vars[*var].machine,
            ExprKind::Unary(UnaryOp::Wrap(ty) | UnaryOp::BitNot(ty) | UnaryOp::Clamp(ty), _) => {
                Some(*ty)
            }
            ExprKind::Binary(op, ..) => of_bits(*op),
            ExprKind::If(_, a, b) | ExprKind::Arrow(a, b) => shared(system, &types, *a, *b),
            ExprKind::Pre(operand) => types[*operand],
            ExprKind::Const(_) | ExprKind::Unary(..) => None,
        };
        types.push(ty.filter(|_| expr.ty == Type::Int));
    }
    types
}

/// The type of an operator on bits.
fn of_bits(op: BinaryOp) -> Option<MachineInt> {
    use BinaryOp::{BitAnd, BitOr, ShiftLeft, ShiftRight};
    match op {
        BitAnd(ty) | BitOr(ty) | ShiftLeft(ty) | ShiftRight(ty) => Some(ty),
        _ => None,
    }
}

/// The type that both have, or one of them where the other can take it.
fn shared(
    system: &System,
    types: &IndexVec<ExprId, Option<MachineInt>>,
    a: ExprId,
    b: ExprId,
) -> Option<MachineInt> {
    let ty = types[a].or(types[b])?;
    [a, b].iter().all(|id| takes(system, types, *id, ty)).then_some(ty)
}

/// Whether an expression is of a type or, made of constants, can be.
fn takes(
    system: &System,
    types: &IndexVec<ExprId, Option<MachineInt>>,
    id: ExprId,
    ty: MachineInt,
) -> bool {
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        match (&system.exprs[id].kind, types[id]) {
            (_, Some(own)) if own == ty => {}
            (ExprKind::Const(Value::Int(int)), None) if ty.contains(int) => {}
            (ExprKind::If(_, a, b) | ExprKind::Arrow(a, b), None) => open.extend([*a, *b]),
            (ExprKind::Pre(a), None) => open.push(*a),
            _ => return false,
        }
    }
    true
}

/// Gives an expression a type if it can take it.
fn settle(
    system: &System,
    types: &mut IndexVec<ExprId, Option<MachineInt>>,
    id: ExprId,
    ty: MachineInt,
) {
    if takes(system, types, id, ty) {
        types[id] = Some(ty);
    }
}

/// Gives the operands of an expression the types that it has for them.
fn spread(system: &System, types: &mut IndexVec<ExprId, Option<MachineInt>>, id: ExprId) {
    match (&system.exprs[id].kind, types[id]) {
        (ExprKind::Unary(UnaryOp::Wrap(ty), operation), _) => {
            settle_operation(system, types, *operation, *ty);
            settle_large(system, types, &[*operation]);
        }
        (ExprKind::Unary(UnaryOp::BitNot(ty), a), _) => settle(system, types, *a, *ty),
        (ExprKind::Binary(BinaryOp::ShiftLeft(ty) | BinaryOp::ShiftRight(ty), a, by), _) => {
            settle(system, types, *a, *ty);
            settle(system, types, *by, MachineInt::unsigned(ty.bits));
        }
        (ExprKind::Binary(BinaryOp::BitAnd(ty) | BinaryOp::BitOr(ty), a, b), _) => {
            settle(system, types, *a, *ty);
            settle(system, types, *b, *ty);
        }
        (ExprKind::Binary(op, a, b), _) if op.is_relation() => {
            match shared(system, types, *a, *b) {
                Some(ty) => [a, b].into_iter().for_each(|id| settle(system, types, *id, ty)),
                None => settle_large(system, types, &[*a, *b]),
            }
        }
        (ExprKind::If(_, a, b) | ExprKind::Arrow(a, b), Some(ty)) => {
            settle(system, types, *a, ty);
            settle(system, types, *b, ty);
        }
        (ExprKind::Pre(a), Some(ty)) => settle(system, types, *a, ty),
        _ => {}
    }
}

/// Constants that no other type has are unsigned ones of 64 bits, with those beside them.
fn settle_large(
    system: &System,
    types: &mut IndexVec<ExprId, Option<MachineInt>>,
    operands: &[ExprId],
) {
    const WIDEST: MachineInt = MachineInt::unsigned(64);
    let mut open = operands.to_vec();
    let mut large = false;
    while let Some(id) = open.pop() {
        match &system.exprs[id].kind {
            ExprKind::Const(Value::Int(int)) => large |= *int > Int::from(i64::MAX),
            ExprKind::If(_, a, b) | ExprKind::Arrow(a, b) => open.extend([*a, *b]),
            ExprKind::Pre(a) => open.push(*a),
            _ => {}
        }
    }
    if large && operands.iter().all(|id| takes(system, types, *id, WIDEST)) {
        operands.iter().for_each(|id| types[*id] = Some(WIDEST));
    }
}

/// An operation whose result is wrapped is a machine's if all operands are.
fn settle_operation(
    system: &System,
    types: &mut IndexVec<ExprId, Option<MachineInt>>,
    operation: ExprId,
    ty: MachineInt,
) {
    use BinaryOp::{Add, Mul, Quotient, Remainder, Sub};
    let operands: Vec<ExprId> = match &system.exprs[operation].kind {
        ExprKind::Unary(UnaryOp::Neg, a) => vec![*a],
        ExprKind::Binary(Add | Sub | Mul | Quotient | Remainder, a, b) => vec![*a, *b],
        _ => return,
    };
    if operands.iter().all(|operand| takes(system, types, *operand, ty)) {
        types[operation] = Some(ty);
        operands.into_iter().for_each(|operand| types[operand] = Some(ty));
    }
}

/// The machine's type that an operation is computed in, `None` for those on unbounded integers.
///
/// A sum of converted operands, as `(int a) + (int b)`, is one of unbounded integers: only what is wrapped
/// to its operands' type is computed in it. Whatever else looks at integers of one type needs no other.
pub fn operation_type(
    system: &System,
    types: &IndexVec<ExprId, Option<MachineInt>>,
    id: ExprId,
) -> Option<MachineInt> {
    let kind = &system.exprs[id].kind;
    let ints = || kind.operands().filter(|part| system.exprs[*part].ty == Type::Int);
    let ty = match kind {
        ExprKind::Binary(op, ..) if of_bits(*op).is_some() => return of_bits(*op),
        ExprKind::Unary(UnaryOp::Neg, _) => types[id]?,
        ExprKind::Binary(op, ..) if !op.is_relation() => types[id]?,
        _ => types[id].or_else(|| ints().next().and_then(|part| types[part]))?,
    };
    ints().all(|part| types[part] == Some(ty)).then_some(ty)
}

/// Bounds of exact integers that follow from types and constants, `None` where there are none.
///
/// What a `pre` gives in the first step is any value of its type, so only its type counts.
pub fn type_bounds(system: &System) -> IndexVec<ExprId, Option<Range>> {
    let types = from_below(system);
    let mut all: IndexVec<ExprId, Option<Range>> = IndexVec::new();
    for (id, expr) in system.exprs.entries() {
        let bounds = match &expr.kind {
            ExprKind::Const(Value::Int(int)) => Some(Range { low: int.clone(), high: int.clone() }),
            ExprKind::Var(var) if system.vars[*var].machine.is_none() => None,
            ExprKind::Unary(UnaryOp::Neg, a) => all[*a].as_ref().map(opposite),
            ExprKind::Binary(op, a, b) if types[id].is_none() => {
                all[*a].as_ref().zip(all[*b].as_ref()).and_then(|(a, b)| combined(*op, a, b))
            }
            ExprKind::If(_, a, b) | ExprKind::Arrow(a, b) => {
                all[*a].as_ref().zip(all[*b].as_ref()).map(|(a, b)| joined([a, b]))
            }
            _ => types[id].map(Range::from),
        };
        all.push(bounds.filter(|_| expr.ty == Type::Int));
    }
    all
}

fn opposite(range: &Range) -> Range {
    Range { low: range.high.neg(), high: range.low.neg() }
}

fn joined<'a>(ranges: impl IntoIterator<Item = &'a Range> + Clone) -> Range {
    let lows = ranges.clone().into_iter().map(|range| &range.low);
    let highs = ranges.into_iter().map(|range| &range.high);
    let none = "there are ranges";
    Range { low: lows.min().expect(none).clone(), high: highs.max().expect(none).clone() }
}

fn combined(op: BinaryOp, a: &Range, b: &Range) -> Option<Range> {
    match op {
        BinaryOp::Add => Some(Range { low: a.low.add(&b.low), high: a.high.add(&b.high) }),
        BinaryOp::Sub => Some(Range { low: a.low.sub(&b.high), high: a.high.sub(&b.low) }),
        BinaryOp::Mul => {
            let ends = [(&a.low, &b.low), (&a.low, &b.high), (&a.high, &b.low), (&a.high, &b.high)];
            let products = ends.map(|(x, y)| x.mul(y)).map(|x| Range { low: x.clone(), high: x });
            Some(joined(&products))
        }
        // Neither has a larger magnitude than the dividend.
        BinaryOp::Quotient | BinaryOp::Remainder => {
            let zero = Range { low: Int::ZERO, high: Int::ZERO };
            let same_sign = b.low >= Int::ZERO || op == BinaryOp::Remainder;
            Some(if same_sign { joined([a, &zero]) } else { joined([a, &opposite(a), &zero]) })
        }
        _ => None,
    }
}
