//! What one scalar of an expression is: structs, arrays and tuples seen one scalar at a time.

use provoke_base::Int;
use provoke_lustre::tree::{AstExprKind, BitOp, CheckedTree, ExprId, Name, TypeForm, TypeId, Use};
use provoke_model::{BinaryOp, MachineInt, Range, Type, UnaryOp, Value};

use crate::operator::low_bits;

/// The position that stands for the exact result of an operation on machine integers.
const EXACT: usize = usize::MAX;

/// One scalar of an expression; a scalar expression has only position 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Part {
    /// The expression.
    pub expr: ExprId,
    /// Which of its scalars, in the order in which types list them.
    pub position: usize,
}

impl Part {
    /// The only scalar of a scalar expression.
    pub fn of(expr: ExprId) -> Part {
        Part { expr, position: 0 }
    }

    fn at(expr: ExprId, position: usize) -> Part {
        Part { expr, position }
    }

    /// Whether it stands for what an operation on machine integers gives before the low bits are taken.
    pub(crate) fn is_exact(self) -> bool {
        self.position == EXACT
    }

    /// What an operation on machine integers gives before the low bits are taken.
    fn exact(expr: ExprId) -> Part {
        Part { expr, position: EXACT }
    }
}

/// The forms of a [`Part`].
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// A literal, a constant of an enumeration or a scalar of a global constant.
    Const(Value),
    /// A scalar of a variable of the node.
    Var {
        /// The variable's position in its node.
        var: usize,
        /// Which of its scalars.
        position: usize,
    },
    /// An operator with one operand.
    Unary(UnaryOp, Part),
    /// An operator with two scalar operands.
    Binary(BinaryOp, Part, Part),
    /// `=` or `<>` of structs, arrays or tuples: all scalars are equal, or one is not. They are
    /// compared in order, as far as needed.
    Compare {
        /// Whether it is `<>`.
        unequal: bool,
        /// The left side.
        left: ExprId,
        /// The right side.
        right: ExprId,
        /// How many scalars each has.
        count: usize,
    },
    /// `if _ then _ else _`
    If(Part, Part, Part),
    /// `_ -> _`
    Arrow(Part, Part),
    /// `pre _`
    Pre(Part),
    /// An output scalar of a node call; the expression is the call.
    Call,
    /// A scalar of what `condact` holds; the expression is the `condact`.
    Condact,
    /// The same as a part of an operand: a field, an item, an element at a constant index.
    Same(Part),
    /// The element at an index that is computed; outside the array the last one.
    Element {
        /// The index.
        index: Part,
        /// The scalar of element 0.
        first: Part,
        /// How many elements there are.
        size: usize,
        /// How many scalars each has.
        stride: usize,
    },
    /// A scalar of element `at` of an array in which the element at a computed index is replaced.
    Update {
        /// The index.
        index: Part,
        /// The element this scalar belongs to.
        at: usize,
        /// Its value if the index is `at`.
        new: Part,
        /// Its value otherwise.
        old: Part,
    },
}

impl Shape {
    /// The scalar of element `at` of an [`Shape::Element`].
    pub fn element(first: Part, stride: usize, at: usize) -> Part {
        Part { expr: first.expr, position: first.position + at * stride }
    }
}

/// How many scalars an expression has.
pub fn count(tree: &CheckedTree, expr: ExprId) -> usize {
    tree.types.leaf_count(tree.expr_types[expr])
}

/// What a scalar of an expression is.
pub fn shape(tree: &CheckedTree, part: Part) -> Shape {
    let Part { expr: id, position } = part;
    match &tree.program.exprs[id].kind {
        AstExprKind::Bool(value) => Shape::Const(Value::Bool(*value)),
        AstExprKind::Int(value) => Shape::Const(Value::Int(value.clone())),
        AstExprKind::Real(value) => Shape::Const(Value::Real(value.clone())),
        AstExprKind::Name(_) => name(tree, part),
        AstExprKind::Unary(..) | AstExprKind::Binary(..) if position != EXACT => {
            match machine(tree, id) {
                Some(ty) => Shape::Unary(UnaryOp::Wrap(ty), Part::exact(id)),
                None => shape(tree, Part::exact(id)),
            }
        }
        AstExprKind::Unary(op, operand) => Shape::Unary(*op, Part::of(*operand)),
        AstExprKind::Binary(op, left, right) => binary(tree, *op, *left, *right),
        AstExprKind::Bits(op, left, right) => {
            Shape::Binary(on_bits(*op, machine(tree, id)), Part::of(*left), Part::of(*right))
        }
        AstExprKind::Flip(operand) => match machine(tree, id) {
            Some(ty) => Shape::Unary(UnaryOp::BitNot(ty), Part::of(*operand)),
            None => unreachable!("the tree was checked"),
        },
        AstExprKind::Convert(to, operand) => conversion(tree, *to, *operand),
        AstExprKind::If(condition, then, otherwise) => Shape::If(
            Part::of(*condition),
            Part::at(*then, position),
            Part::at(*otherwise, position),
        ),
        AstExprKind::Arrow(first, later) => {
            Shape::Arrow(Part::at(*first, position), Part::at(*later, position))
        }
        AstExprKind::Pre(operand) => Shape::Pre(Part::at(*operand, position)),
        AstExprKind::Call(..) => Shape::Call,
        AstExprKind::Condact(clock, call, _) if always(tree, *clock) => {
            Shape::Same(Part::at(*call, position))
        }
        AstExprKind::Condact(..) => Shape::Condact,
        AstExprKind::Tuple(items) | AstExprKind::Array(items) => item(tree, items, position),
        AstExprKind::Record(_, fields) => item(tree, &declared_order(tree, id, fields), position),
        AstExprKind::Field(record, name) => {
            Shape::Same(Part::at(*record, field_start(tree, *record, &name.text) + position))
        }
        AstExprKind::Index(array, index) => element(tree, *array, *index, position),
        AstExprKind::WithField(record, name, value) => {
            let start = field_start(tree, *record, &name.text);
            let inside = (start..start + count(tree, *value)).contains(&position);
            Shape::Same(if inside {
                Part::at(*value, position - start)
            } else {
                Part::at(*record, position)
            })
        }
        AstExprKind::WithIndex(array, index, value) => {
            update(tree, *array, *index, *value, position)
        }
        AstExprKind::When(..)
        | AstExprKind::Restart(..)
        | AstExprKind::Any(_)
        | AstExprKind::Mode(_) => unreachable!("the tree is read without them"),
        AstExprKind::Sugar(_) => unreachable!("a checked tree holds none"),
    }
}

fn name(tree: &CheckedTree, part: Part) -> Shape {
    match tree.uses[part.expr] {
        Use::Var(var) => Shape::Var { var, position: part.position },
        Use::Enum(_, ordinal) => Shape::Const(Value::Enum(ordinal)),
        Use::Constant(index) => Shape::Const(tree.constants[index][part.position].clone()),
        Use::Nothing | Use::Node { .. } => unreachable!("the tree was checked"),
    }
}

/// The machine's type of a scalar expression.
fn machine(tree: &CheckedTree, expr: ExprId) -> Option<MachineInt> {
    match tree.types.form(tree.expr_types[expr]) {
        TypeForm::Machine(ty) => Some(*ty),
        _ => None,
    }
}

fn on_bits(op: BitOp, ty: Option<MachineInt>) -> BinaryOp {
    match (op, ty) {
        (BitOp::And, Some(ty)) => BinaryOp::BitAnd(ty),
        (BitOp::Or, Some(ty)) => BinaryOp::BitOr(ty),
        (BitOp::ShiftLeft, Some(ty)) => BinaryOp::ShiftLeft(ty),
        (BitOp::ShiftRight, Some(ty)) => BinaryOp::ShiftRight(ty),
        (_, None) => unreachable!("the tree was checked"),
    }
}

/// Numbers are converted as they are read; to an unbounded integer, only reals change.
fn conversion(tree: &CheckedTree, to: Option<MachineInt>, operand: ExprId) -> Shape {
    match (to, &tree.program.exprs[operand].kind) {
        (Some(to), AstExprKind::Int(value)) => Shape::Const(Value::Int(low_bits(to, value))),
        (Some(to), _) if machine(tree, operand) != Some(to) => {
            Shape::Unary(UnaryOp::Wrap(to), Part::of(operand))
        }
        (None, _) if *tree.types.form(tree.expr_types[operand]) == TypeForm::Real => {
            Shape::Unary(UnaryOp::Floor, Part::of(operand))
        }
        _ => Shape::Same(Part::of(operand)),
    }
}

fn binary(tree: &CheckedTree, op: BinaryOp, left: ExprId, right: ExprId) -> Shape {
    let count = count(tree, left);
    // Machines divide towards zero.
    let op = match (op, machine(tree, left)) {
        (BinaryOp::IntDiv, Some(_)) => BinaryOp::Quotient,
        (BinaryOp::Mod, Some(_)) => BinaryOp::Remainder,
        _ => op,
    };
    if count == 1 {
        return Shape::Binary(op, Part::of(left), Part::of(right));
    }
    Shape::Compare { unequal: op == BinaryOp::Ne, left, right, count }
}

/// The item that holds a scalar of several expressions in a row.
fn item(tree: &CheckedTree, items: &[ExprId], mut position: usize) -> Shape {
    for &item in items {
        let count = count(tree, item);
        if position < count {
            return Shape::Same(Part::at(item, position));
        }
        position -= count;
    }
    unreachable!("the position lies inside the type")
}

/// The values of a record in the order in which its type declares the fields.
fn declared_order(tree: &CheckedTree, record: ExprId, given: &[(Name, ExprId)]) -> Vec<ExprId> {
    let value = |field: &str| given.iter().find(|(name, _)| *name.text == *field);
    let TypeForm::Struct(id) = tree.types.form(tree.expr_types[record]) else { return Vec::new() };
    let fields = tree.types.structs[*id].fields.iter();
    fields.filter_map(|(field, _)| value(field)).map(|(_, value)| *value).collect()
}

/// How many scalars stand before a field.
fn field_start(tree: &CheckedTree, record: ExprId, name: &str) -> usize {
    let TypeForm::Struct(id) = tree.types.form(tree.expr_types[record]) else { return 0 };
    let fields = tree.types.structs[*id].fields.iter();
    let before = fields.take_while(|(field, _)| field != name);
    before.map(|(_, ty)| tree.types.leaf_count(*ty)).sum()
}

/// How many elements an array has, and how many scalars each of them.
fn dimensions(tree: &CheckedTree, array: ExprId) -> (usize, usize) {
    match tree.types.form(tree.expr_types[array]) {
        TypeForm::Array(element, size) => (*size, tree.types.leaf_count(*element)),
        _ => (1, 1),
    }
}

fn element(tree: &CheckedTree, array: ExprId, index: ExprId, position: usize) -> Shape {
    let (size, stride) = dimensions(tree, array);
    let first = Part::at(array, position);
    match constant_index(tree, index) {
        Some(at) => Shape::Same(Shape::element(first, stride, at.min(size - 1))),
        None => Shape::Element { index: Part::of(index), first, size, stride },
    }
}

fn update(
    tree: &CheckedTree,
    array: ExprId,
    index: ExprId,
    value: ExprId,
    position: usize,
) -> Shape {
    let (_, stride) = dimensions(tree, array);
    let (at, offset) = (position / stride, position % stride);
    let (new, old) = (Part::at(value, offset), Part::at(array, position));
    match constant_index(tree, index) {
        Some(constant) => Shape::Same(if constant == at { new } else { old }),
        None => Shape::Update { index: Part::of(index), at, new, old },
    }
}

/// An index that is a number or the name of a constant.
fn constant_index(tree: &CheckedTree, index: ExprId) -> Option<usize> {
    let value = match (&tree.program.exprs[index].kind, tree.uses[index]) {
        (AstExprKind::Int(value), _) => value,
        (_, Use::Constant(constant)) => match tree.constants[constant].first()? {
            Value::Int(value) => value,
            _ => return None,
        },
        _ => return None,
    };
    usize::try_from(value.to_i64()?).ok()
}

/// Whether a clock is the constant `true`: then `condact` is the plain call.
fn always(tree: &CheckedTree, clock: ExprId) -> bool {
    match (&tree.program.exprs[clock].kind, tree.uses[clock]) {
        (AstExprKind::Bool(value), _) => *value,
        (_, Use::Constant(index)) => tree.constants[index].first() == Some(&Value::Bool(true)),
        _ => false,
    }
}

/// The default of a `condact` for a scalar of its result; `None` if its clock is always true.
pub fn default_of(tree: &CheckedTree, condact: Part) -> Option<Part> {
    let AstExprKind::Condact(clock, _, defaults) = &tree.program.exprs[condact.expr].kind else {
        return None;
    };
    match item(tree, defaults, condact.position) {
        Shape::Same(part) if !always(tree, *clock) => Some(part),
        _ => None,
    }
}

/// The type of a scalar of an expression, with the bounds of a subrange.
pub fn scalar_type(tree: &CheckedTree, part: Part) -> (Type, Option<Range>) {
    scalar_of(tree, tree.expr_types[part.expr], part.position)
}

/// The bounds of a scalar of an expression of a machine's type.
pub fn machine_range(tree: &CheckedTree, part: Part) -> Option<Range> {
    if part.position == EXACT {
        return None;
    }
    let leaves = tree.types.leaves(tree.expr_types[part.expr]);
    leaves.get(part.position)?.machine.map(bounds)
}

fn bounds(ty: MachineInt) -> Range {
    let (low, high) = match ty.signed {
        true => (-(1 << (ty.bits - 1)), (1 << (ty.bits - 1)) - 1),
        false => (0, (1 << ty.bits) - 1),
    };
    Range { low: Int::from_i128(low), high: Int::from_i128(high) }
}

fn scalar_of(tree: &CheckedTree, ty: TypeId, position: usize) -> (Type, Option<Range>) {
    if position == EXACT {
        let real = *tree.types.form(ty) == TypeForm::Real;
        return (if real { Type::Real } else { Type::Int }, None);
    }
    let within = |parts: &mut dyn Iterator<Item = TypeId>| {
        let mut position = position;
        for part in parts {
            let count = tree.types.leaf_count(part);
            if position < count {
                return scalar_of(tree, part, position);
            }
            position -= count;
        }
        unreachable!("the position lies inside the type")
    };
    match tree.types.form(ty) {
        TypeForm::Bool => (Type::Bool, None),
        TypeForm::Int => (Type::Int, None),
        TypeForm::Real => (Type::Real, None),
        TypeForm::Range(low, high) => {
            (Type::Int, Some(Range { low: low.clone(), high: high.clone() }))
        }
        TypeForm::Machine(ty) => (Type::Int, Some(bounds(*ty))),
        TypeForm::Enum(id) => (Type::Enum(*id), None),
        TypeForm::Struct(id) => {
            within(&mut tree.types.structs[*id].fields.iter().map(|(_, ty)| *ty))
        }
        TypeForm::Array(element, _) => {
            scalar_of(tree, *element, position % tree.types.leaf_count(*element).max(1))
        }
        TypeForm::Tuple(items) => within(&mut items.iter().copied()),
        TypeForm::Error => unreachable!("the tree was checked"),
    }
}
