//! Values of constant expressions: array sizes, bounds and global constants.

use provoke_base::{Diagnostic, Int};
use provoke_model::{BinaryOp, UnaryOp, Value};

use super::{Checker, Use};
use crate::ast::{AstExprKind, ExprId};
use crate::flatten::of_type;
use crate::types::TypeForm;

impl Checker<'_, '_> {
    /// The value of an integer constant that `what` needs.
    pub(super) fn constant_int(&mut self, id: ExprId, what: &str) -> Option<Int> {
        let errors = self.report.errors();
        let found = self.expr(id);
        if self.types.is_error(found) || self.report.errors() > errors {
            return None;
        }
        if !self.types.is_int(found) {
            let shown = self.types.show(found);
            let message = format!("{what} must be an int, found `{shown}`");
            self.error("type-mismatch", self.program.exprs[id].span, message, "not an int");
            return None;
        }
        match self.constant(id)?.into_iter().next() {
            Some(Value::Int(value)) => Some(value),
            _ => None,
        }
    }

    /// The scalars of a constant expression that was found to be well-typed before.
    pub(super) fn constant(&mut self, id: ExprId) -> Option<Vec<Value>> {
        if self.types.is_error(self.expr_types[id]) {
            return None;
        }
        stacker::maybe_grow(64 << 10, 1 << 20, || self.constant_here(id))
    }

    fn constant_here(&mut self, id: ExprId) -> Option<Vec<Value>> {
        let expr = &self.program.exprs[id];
        match &expr.kind {
            AstExprKind::Bool(value) => Some(vec![Value::Bool(*value)]),
            AstExprKind::Int(value) => Some(vec![Value::Int(value.clone())]),
            AstExprKind::Real(value) => Some(vec![Value::Real(value.clone())]),
            AstExprKind::Name(_) => match self.uses[id] {
                Use::Enum(_, ordinal) => Some(vec![Value::Enum(ordinal)]),
                Use::Constant(index) if self.program.constants[index].value.is_none() => {
                    self.no_value(id, index)
                }
                Use::Constant(index) => self.global_constant(index).map(|(_, values)| values),
                _ => self.not_constant(id),
            },
            AstExprKind::Unary(op, operand) => {
                let operand = self.constant(*operand)?;
                let values = operand.iter().map(|value| op.apply(value)).collect();
                Some(self.in_type(id, values))
            }
            AstExprKind::Binary(op, left, right) => {
                let ty = self.types.machine(self.expr_types[*left]);
                let (left, right) = (self.constant(*left)?, self.constant(*right)?);
                let values = self.constant_binary(id, of_type(*op, ty), &left, &right)?;
                Some(self.in_type(id, values))
            }
            AstExprKind::Bits(op, left, right) => {
                let op = op.of_type(self.types.machine(self.expr_types[id])?);
                let (left, right) = (self.constant(*left)?, self.constant(*right)?);
                self.constant_binary(id, op, &left, &right)
            }
            AstExprKind::Flip(operand) => {
                let op = UnaryOp::BitNot(self.types.machine(self.expr_types[id])?);
                Some(self.constant(*operand)?.iter().map(|value| op.apply(value)).collect())
            }
            AstExprKind::Convert(_, operand) => {
                let values = self.constant(*operand)?;
                let floor = |value: Value| match value {
                    Value::Real(_) => UnaryOp::Floor.apply(&value),
                    int => int,
                };
                let values = values.into_iter().map(floor).collect();
                Some(self.in_type(id, values))
            }
            AstExprKind::If(condition, then, otherwise) => {
                match self.constant(*condition)?.first()?.as_bool()? {
                    true => self.constant(*then),
                    false => self.constant(*otherwise),
                }
            }
            AstExprKind::Tuple(items) | AstExprKind::Array(items) => self.constants(items),
            AstExprKind::Record(_, fields) => {
                let values = fields.iter().map(|(_, value)| *value).collect::<Vec<_>>();
                self.constant_record(id, &values)
            }
            AstExprKind::Field(record, name) => {
                let values = self.constant(*record)?;
                let (start, length) = self.field_place(self.expr_types[*record], &name.text)?;
                Some(values[start..start + length].to_vec())
            }
            AstExprKind::Index(array, index) => {
                let values = self.constant(*array)?;
                let index = self.constant_int(*index, "an index")?;
                let length = self.types.leaf_count(self.expr_types[id]);
                let start = usize::try_from(index.to_i64()?).ok()?.checked_mul(length)?;
                match values.get(start..start + length) {
                    Some(element) => Some(element.to_vec()),
                    None => self.not_constant(id),
                }
            }
            _ => self.not_constant(id),
        }
    }

    /// The low bits, if the expression is of a machine's type.
    fn in_type(&self, id: ExprId, values: Vec<Value>) -> Vec<Value> {
        match self.types.machine(self.expr_types[id]) {
            Some(ty) => values.iter().map(|value| UnaryOp::Wrap(ty).apply(value)).collect(),
            None => values,
        }
    }

    fn constants(&mut self, items: &[ExprId]) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        for &item in items {
            values.extend(self.constant(item)?);
        }
        Some(values)
    }

    /// Fields may be given in any order; the scalars are in the order of declaration.
    fn constant_record(&mut self, id: ExprId, values: &[ExprId]) -> Option<Vec<Value>> {
        let AstExprKind::Record(_, given) = &self.program.exprs[id].kind else { return None };
        let TypeForm::Struct(struct_id) = self.types.form(self.expr_types[id]) else { return None };
        let declared = &self.types.structs[*struct_id].fields;
        let order: Vec<ExprId> = declared
            .iter()
            .filter_map(|(field, _)| {
                let position = given.iter().position(|(name, _)| *name.text == **field)?;
                Some(values[position])
            })
            .collect();
        self.constants(&order)
    }

    fn constant_binary(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        left: &[Value],
        right: &[Value],
    ) -> Option<Vec<Value>> {
        match (op, left, right) {
            (BinaryOp::Eq, _, _) => Some(vec![Value::Bool(left == right)]),
            (BinaryOp::Ne, _, _) => Some(vec![Value::Bool(left != right)]),
            (_, [left], [right]) => match op.apply(left, right) {
                Ok(value) => Some(vec![value]),
                Err(fault) => {
                    let span = self.program.exprs[id].span;
                    self.error("constant-fault", span, fault.to_string(), "in this constant");
                    None
                }
            },
            _ => self.not_constant(id),
        }
    }

    fn no_value(&mut self, id: ExprId, index: usize) -> Option<Vec<Value>> {
        let name = &self.program.constants[index].name;
        let message = format!("`{}` has no value, and one is needed here", name.text);
        self.report.add(
            Diagnostic::error("unsupported", self.program.exprs[id].span, message)
                .label("sizes and bounds must be numbers")
                .also(name.span, "declared without a value here")
                .help(format!("give it one: `const {}: int = 4;`", name.text)),
        );
        None
    }

    pub(super) fn not_constant(&mut self, id: ExprId) -> Option<Vec<Value>> {
        let span = self.program.exprs[id].span;
        self.report.add(
            Diagnostic::error("not-constant", span, "this is not a constant")
                .label("its value is not known before the model runs")
                .help("use numbers, operators and names declared with `const`"),
        );
        None
    }
}
