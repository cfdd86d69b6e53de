//! Values that are known before the model runs: sizes, bounds, indices.

use provoke_base::Int;
use provoke_model::{BinaryOp, UnaryOp, Value};

use super::{Binding, Lowering};
use crate::ast::{AstExprKind, ExprId};

/// The largest array, in elements of one dimension.
const MAX_SIZE: i64 = 100_000;

impl Lowering<'_, '_> {
    /// The value of an expression as it is written, if it is a constant.
    pub(super) fn constant(&mut self, id: ExprId) -> Option<Value> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.constant_here(id))
    }

    fn constant_here(&mut self, id: ExprId) -> Option<Value> {
        let old = self.old;
        match &old.exprs[id].kind {
            AstExprKind::Bool(value) => Some(Value::Bool(*value)),
            AstExprKind::Int(value) => Some(Value::Int(value.clone())),
            AstExprKind::Real(value) => Some(Value::Real(value.clone())),
            AstExprKind::Name(name) => self.named_constant(&name.text),
            AstExprKind::Unary(op, operand) => unary_value(*op, &self.constant(*operand)?),
            AstExprKind::Binary(op, left, right) => {
                let (left, right) = (self.constant(*left)?, self.constant(*right)?);
                binary_value(*op, &left, &right)
            }
            AstExprKind::If(condition, then, otherwise) => {
                match self.constant(*condition)?.as_bool()? {
                    true => self.constant(*then),
                    false => self.constant(*otherwise),
                }
            }
            _ => None,
        }
    }

    fn named_constant(&mut self, name: &str) -> Option<Value> {
        if let Some(binding) = self.binding(name) {
            return match binding {
                Binding::Value(value) => Some(Value::Int(value.clone())),
                Binding::Expr(expr, _) => self.literal(*expr),
            };
        }
        if self.scope.vars.contains_key(name) {
            return None;
        }
        self.global_constant(*self.constant_names.get(name)?)
    }

    fn global_constant(&mut self, index: usize) -> Option<Value> {
        if let Some(value) = self.constant_values.get(&index) {
            return value.clone();
        }
        if self.visiting.contains(&index) {
            return None;
        }
        self.visiting.push(index);
        let bindings = std::mem::take(&mut self.scope.bindings);
        let vars = std::mem::take(&mut self.scope.vars);
        let value = self.old.constants[index].value.and_then(|value| self.constant(value));
        (self.scope.bindings, self.scope.vars) = (bindings, vars);
        self.visiting.pop();
        self.constant_values.insert(index, value.clone());
        value
    }

    pub(super) fn constant_int(&mut self, id: ExprId) -> Option<Int> {
        match self.constant(id) {
            Some(Value::Int(value)) => Some(value),
            _ => {
                self.no_value(id);
                None
            }
        }
    }

    fn no_value(&mut self, id: ExprId) {
        let span = self.old.exprs[id].span;
        let message = "a size or bound must be known before the model runs".to_string();
        let help = "use numbers and constants with a value: `const N: int = 4;`";
        self.error("not-constant", span, message, "its value is not known here", help);
    }

    pub(super) fn array_size(&mut self, id: ExprId) -> Option<usize> {
        let value = self.constant_int(id)?;
        let size = value.to_i64().filter(|size| (1..=MAX_SIZE).contains(size));
        if size.is_none() {
            let span = self.old.exprs[id].span;
            let message = format!("an array cannot have {value} elements");
            let label = format!("must be 1 to {MAX_SIZE}");
            self.error("array-size", span, message, &label, "choose another size");
        }
        size.and_then(|size| usize::try_from(size).ok())
    }

    /// Whether known values are in scope, so that what depends on them is worked out.
    pub(super) fn folds(&self) -> bool {
        let value = |binding: &Binding| match binding {
            Binding::Value(_) => true,
            Binding::Expr(expr, _) => self.literal(*expr).is_some(),
        };
        let own = self.scope.bindings.iter().skip(self.scope.parameters);
        own.into_iter().any(|(_, binding)| value(binding))
    }

    /// The value of an expression of the result that is a literal.
    pub(super) fn literal(&self, id: ExprId) -> Option<Value> {
        match &self.new.exprs[id].kind {
            AstExprKind::Bool(value) => Some(Value::Bool(*value)),
            AstExprKind::Int(value) => Some(Value::Int(value.clone())),
            _ => None,
        }
    }

    /// The value of an expression of the result that is a literal or the name of a constant.
    fn known(&mut self, id: ExprId) -> Option<Value> {
        match &self.new.exprs[id].kind {
            AstExprKind::Name(name) => {
                let name = name.text.clone();
                let declared = self.making.as_ref().is_some_and(|m| m.declared.contains(&name));
                let index = self.constant_names.get(&*name).copied().filter(|_| !declared)?;
                self.global_constant(index).filter(|value| !matches!(value, Value::Real(_)))
            }
            _ => self.literal(id),
        }
    }

    fn put(&mut self, value: Value, like: ExprId) -> Option<ExprId> {
        let span = self.old.exprs[like].span;
        match value {
            Value::Bool(value) => Some(self.bool(value, span)),
            Value::Int(value) => Some(self.int(value, span)),
            _ => None,
        }
    }

    pub(super) fn folded_unary(
        &mut self,
        id: ExprId,
        op: UnaryOp,
        operand: ExprId,
    ) -> Option<ExprId> {
        if !self.folds() || matches!(op, UnaryOp::ToReal) {
            return None;
        }
        let value = unary_value(op, &self.known(operand)?)?;
        self.put(value, id)
    }

    pub(super) fn folded_binary(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    ) -> Option<ExprId> {
        if !self.folds() {
            return None;
        }
        let (left, right) = (self.known(left)?, self.known(right)?);
        let value = binary_value(op, &left, &right)?;
        self.put(value, id)
    }

    /// The result of a logical operator that its left operand decides.
    pub(super) fn decided(&mut self, id: ExprId, op: BinaryOp, left: ExprId) -> Option<ExprId> {
        if !self.folds() || !op.is_logical() {
            return None;
        }
        let value = op.decided_by_left(&self.known(left)?)?;
        self.put(value, id)
    }

    /// Whether the left operand leaves the right one as it is.
    pub(super) fn is_neutral(&mut self, op: BinaryOp, left: ExprId) -> bool {
        if !self.folds() {
            return false;
        }
        match (op, self.known(left)) {
            (BinaryOp::And | BinaryOp::Implies, Some(Value::Bool(value))) => value,
            (BinaryOp::Or | BinaryOp::Xor, Some(Value::Bool(value))) => !value,
            _ => false,
        }
    }

    /// The truth of a condition that is known here.
    pub(super) fn known_condition(&mut self, id: ExprId) -> Option<bool> {
        if self.folds() { self.known(id)?.as_bool() } else { None }
    }
}

/// The result of an operator; `None` if it is applied to what it is not for.
fn unary_value(op: UnaryOp, operand: &Value) -> Option<Value> {
    let fits = match op {
        UnaryOp::Not => matches!(operand, Value::Bool(_)),
        UnaryOp::Neg => matches!(operand, Value::Int(_) | Value::Real(_)),
        UnaryOp::ToReal => matches!(operand, Value::Int(_)),
        UnaryOp::Floor => matches!(operand, Value::Real(_)),
        UnaryOp::Wrap(_) | UnaryOp::BitNot(_) | UnaryOp::Clamp(_) | UnaryOp::Round(_) => false,
    };
    fits.then(|| op.apply(operand))
}

/// The result of an operator; `None` if it is applied to what it is not for, or has none.
fn binary_value(op: BinaryOp, left: &Value, right: &Value) -> Option<Value> {
    let op = match (op, left) {
        (BinaryOp::Div, Value::Int(_)) => BinaryOp::IntDiv,
        _ => op,
    };
    let fits = match (left, right) {
        (Value::Bool(_), Value::Bool(_)) => {
            op.is_logical() || matches!(op, BinaryOp::Eq | BinaryOp::Ne)
        }
        (Value::Int(_), Value::Int(_)) => {
            let exact = matches!(op, BinaryOp::IntDiv | BinaryOp::Mod);
            exact || op.is_relation() || matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
        }
        (Value::Real(_), Value::Real(_)) => {
            let exact = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div);
            exact || op.is_relation()
        }
        _ => false,
    };
    if fits { op.apply(left, right).ok() } else { None }
}
