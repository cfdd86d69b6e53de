//! Expressions: each is copied with its type found on the way, and sugar replaced.

use provoke_base::Span;
use provoke_model::{BinaryOp, UnaryOp, Value};

use super::ty::Ty;
use super::{Binding, Lowering};
use crate::ast::{AstAny, AstExprKind, ExprId, Name};
use crate::sugar::Sugar;

/// An expression of the result and its type.
pub(super) type Typed = (ExprId, Ty);

impl<'a> Lowering<'a, '_> {
    /// An expression where a value of type `want` is expected.
    pub(super) fn expr(&mut self, id: ExprId, want: Option<&Ty>) -> Typed {
        if self.too_large {
            return (self.bool(true, self.old.exprs[id].span), Ty::Unknown);
        }
        let typed = stacker::maybe_grow(64 << 10, 1 << 20, || self.expr_here(id, want));
        if let Some(&merge) = self.merge_clocks.get(&id) {
            self.new.merges[merge].clock = typed.0;
        }
        typed
    }

    fn expr_here(&mut self, id: ExprId, want: Option<&Ty>) -> Typed {
        use AstExprKind as Ast;
        let old = self.old;
        let span = old.exprs[id].span;
        match &old.exprs[id].kind {
            Ast::Bool(value) => (self.bool(*value, span), Ty::Bool),
            Ast::Int(value) => (self.int(value.clone(), span), Ty::Int),
            Ast::Real(value) => (self.add(Ast::Real(value.clone()), span), Ty::Real),
            Ast::Name(name) => self.name_use(name, want),
            Ast::Unary(op, operand) => self.unary(id, *op, *operand, span),
            Ast::Binary(op, left, right) => self.binary_use(id, *op, *left, *right),
            Ast::Bits(op, left, right) => {
                let (left, ty) = self.expr(*left, None);
                let right = self.expr(*right, None).0;
                (self.add(Ast::Bits(*op, left, right), span), ty)
            }
            Ast::Flip(operand) => {
                let (operand, ty) = self.expr(*operand, None);
                (self.add(Ast::Flip(operand), span), ty)
            }
            Ast::Convert(to, operand) => {
                let (operand, _) = self.expr(*operand, None);
                let ty = to.map_or(Ty::Int, Ty::Machine);
                (self.add(Ast::Convert(*to, operand), span), ty)
            }
            Ast::If(condition, then, otherwise) => {
                let condition = self.expr(*condition, Some(&Ty::Bool)).0;
                match self.known_condition(condition) {
                    Some(true) => return self.expr(*then, want),
                    Some(false) => return self.expr(*otherwise, want),
                    None => {}
                }
                let (then, ty) = self.expr(*then, want);
                let otherwise = self.expr(*otherwise, want.or(Some(&ty))).0;
                (self.add(Ast::If(condition, then, otherwise), span), ty)
            }
            Ast::When(condition, then, otherwise) => {
                let condition = self.expr(*condition, Some(&Ty::Bool)).0;
                self.branches += 1;
                let (then, ty) = self.expr(*then, want);
                let otherwise = self.expr(*otherwise, want.or(Some(&ty))).0;
                self.branches -= 1;
                (self.add(Ast::When(condition, then, otherwise), span), ty)
            }
            Ast::Restart(condition, call) => {
                let condition = self.expr(*condition, Some(&Ty::Bool)).0;
                let (call, ty) = self.expr(*call, want);
                (self.add(Ast::Restart(condition, call), span), ty)
            }
            Ast::Any(any) => self.any_use(any, span),
            Ast::Mode(path) => (self.add(Ast::Mode(path.clone()), span), Ty::Bool),
            Ast::Arrow(first, later) => {
                let (first, ty) = self.expr(*first, want);
                let later = self.expr(*later, want.or(Some(&ty))).0;
                (self.add(Ast::Arrow(first, later), span), ty)
            }
            Ast::Pre(operand) => {
                let (operand, ty) = self.expr(*operand, want);
                (self.add(Ast::Pre(operand), span), ty)
            }
            Ast::Call(name, arguments) => self.call(id, name, None, arguments, want),
            Ast::Condact(clock, call, defaults) => {
                let clock = self.expr(*clock, Some(&Ty::Bool)).0;
                let (call, ty) = self.expr(*call, None);
                let defaults = defaults.iter().map(|item| self.expr(*item, None).0).collect();
                (self.add(Ast::Condact(clock, call, defaults), span), ty)
            }
            Ast::Tuple(items) => self.group(items, span),
            Ast::Array(items) => self.array_value(items, want, span),
            Ast::Record(name, fields) => {
                let ty = self.global_type(name, Vec::new());
                self.record_value(ty, name, fields, span)
            }
            Ast::Field(of, field) => self.field_use(*of, field, span),
            Ast::Index(of, index) => self.index_use(*of, *index, span),
            Ast::WithField(of, field, value) => {
                let (of, ty) = self.expr(*of, want);
                let value = self.expr(*value, Some(&ty.field(&field.text))).0;
                (self.add(Ast::WithField(of, field.clone(), value), span), ty)
            }
            Ast::WithIndex(of, key, value) => {
                let whole = self.expr(*of, want);
                let path = [crate::sugar::Accessor::Key(*key)];
                self.updated(whole, &path, *value, span)
            }
            Ast::Sugar(sugar) => self.sugar(id, sugar, want, span),
        }
    }

    fn sugar(&mut self, id: ExprId, sugar: &'a Sugar, want: Option<&Ty>, span: Span) -> Typed {
        match sugar {
            Sugar::Repeat(element, count) => self.repeat(*element, *count, want, span),
            Sugar::Update(of, updates) => {
                let mut whole = self.expr(*of, want);
                for (path, value) in updates {
                    whole = self.updated(whole, path, *value, span);
                }
                whole
            }
            Sugar::TupleValue(items) => self.tuple_value(items, want, span),
            Sugar::Projection(of, number) => {
                let of = self.expr(*of, None);
                self.component(of, *number, span)
            }
            Sugar::Ascription(value, ty) => self.ascription(*value, ty, span),
            Sugar::Quantified(quantified) => self.quantified(quantified, span),
            Sugar::Match(value, cases) => self.match_value(*value, cases, want, span),
            Sugar::Tester(constructor, value) => self.tester(constructor, *value, span),
            Sugar::TypedCall(name, types, arguments) => {
                let types = types.iter().map(|ty| self.ty(ty)).collect();
                self.call(id, name, Some(types), arguments, want)
            }
            Sugar::TypedName(name, types) => {
                let types = types.iter().map(|ty| self.ty(ty)).collect();
                self.constructed(name, Some(types), &[], want, span)
            }
            Sugar::TypedRecord(name, types, fields) => {
                let types = types.iter().map(|ty| self.ty(ty)).collect();
                let ty = self.global_type(name, types);
                self.record_value(ty, name, fields, span)
            }
            Sugar::Bits(of, high, low) => self.some_bits(*of, *high, *low, span),
            Sugar::Concat(left, right) => self.bits_in_a_row(*left, *right, span),
        }
    }

    /// `any` where the tree does not reach it: in the condition of a type.
    fn any_use(&mut self, any: &'a AstAny, span: Span) -> Typed {
        let ty = self.ty(&any.decl.ty);
        if self.making.is_none() || self.branches > 0 {
            let help = "name the value by an equation: `x = any { ... };`";
            self.unsupported(span, "`any` here", help);
            return (self.bool(true, span), Ty::Unknown);
        }
        let value = self.anything(&ty, span);
        let mut known = self.conditions(value, &ty, true, span);
        if let Some(condition) = any.condition {
            let binding = Binding::Expr(value, ty.clone());
            known.push(self.bound(&any.decl.name.text, binding, |lowering| {
                lowering.expr(condition, Some(&Ty::Bool)).0
            }));
        }
        self.made().constraints.extend(known);
        (self.copy(value), ty)
    }

    fn name_use(&mut self, name: &'a Name, want: Option<&Ty>) -> Typed {
        match self.binding(&name.text).cloned() {
            Some(Binding::Value(value)) => return (self.int(value, name.span), Ty::Int),
            Some(Binding::Expr(expr, ty)) => return (self.copy(expr), ty),
            None => {}
        }
        if let Some(ty) = self.scope.vars.get(&*name.text).cloned() {
            return (self.name(&name.text, name.span), ty);
        }
        if let Some(&index) = self.constant_names.get(&*name.text) {
            let ty = self.constant_type(index);
            self.refuse_capture(name);
            return (self.name(&name.text, name.span), ty);
        }
        if let Some(&index) = self.enum_constants.get(&*name.text) {
            let ty = Ty::Enum(self.old.types[index].name.text.as_ref().into());
            self.refuse_capture(name);
            return (self.name(&name.text, name.span), ty);
        }
        if self.constructors.contains_key(&*name.text) {
            return self.constructed(name, None, &[], want, name.span);
        }
        (self.name(&name.text, name.span), Ty::Unknown)
    }

    /// A condition of a global type is put into nodes, where a variable may have the name of a
    /// constant that it speaks of.
    fn refuse_capture(&mut self, name: &Name) {
        if self.making.as_ref().is_some_and(|making| making.declared.contains(&name.text)) {
            let message = format!("`{}` is a constant here and a variable elsewhere", name.text);
            let help = "rename the variable of the node";
            self.error("declared-twice", name.span, message, "the constant is meant", help);
        }
    }

    fn constant_type(&mut self, index: usize) -> Ty {
        let constant = &self.old.constants[index];
        if let Some(ty) = self.constant_types.get(&index) {
            return ty.clone();
        }
        if self.visiting.contains(&index) {
            return Ty::Unknown;
        }
        self.visiting.push(index);
        let scope = std::mem::take(&mut self.scope);
        let making = self.making.take();
        let ty = match &constant.ty {
            Some(ty) => self.ty(ty),
            None => constant.value.map_or(Ty::Unknown, |value| self.expr(value, None).1),
        };
        self.making = making;
        self.scope = scope;
        self.visiting.pop();
        self.constant_types.insert(index, ty.clone());
        ty
    }

    fn unary(&mut self, id: ExprId, op: UnaryOp, operand: ExprId, span: Span) -> Typed {
        let (operand, ty) = self.expr(operand, None);
        let ty = match op {
            UnaryOp::Not => Ty::Bool,
            UnaryOp::ToReal => Ty::Real,
            UnaryOp::Floor => Ty::Int,
            _ => ty.base().clone(),
        };
        let folded = self.folded_unary(id, op, operand);
        (folded.unwrap_or_else(|| self.add(AstExprKind::Unary(op, operand), span)), ty)
    }

    fn binary_use(&mut self, id: ExprId, op: BinaryOp, left: ExprId, right: ExprId) -> Typed {
        let span = self.old.exprs[id].span;
        let (a, mut ty) = self.expr(left, None);
        if let Some(decided) = self.decided(id, op, a) {
            return (decided, Ty::Bool);
        }
        if self.is_neutral(op, a) {
            return self.expr(right, Some(&Ty::Bool));
        }
        let want = if matches!(op, BinaryOp::Eq | BinaryOp::Ne) { Some(&ty) } else { None };
        let (b, other) = self.expr(right, want);
        if matches!(ty, Ty::Unknown) {
            ty = other;
        }
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            let folded = self.folded_binary(id, op, a, b);
            return (folded.unwrap_or_else(|| self.equality(op, a, b, &ty, span)), Ty::Bool);
        }
        // Kind 2 divides integers with `/` too.
        let op = match (op, ty.base()) {
            (BinaryOp::Div, Ty::Int) => BinaryOp::IntDiv,
            _ => op,
        };
        let result = if op.is_relation() || op.is_logical() { Ty::Bool } else { ty.base().clone() };
        let folded = self.folded_binary(id, op, a, b);
        (folded.unwrap_or_else(|| self.binary(op, a, b, span)), result)
    }

    /// `(1, (2, 3))` are three values in a row.
    fn group(&mut self, items: &'a [ExprId], span: Span) -> Typed {
        let (mut values, mut types) = (Vec::new(), Vec::new());
        for &item in items {
            let (value, ty) = self.expr(item, None);
            match (&self.new.exprs[value].kind, ty) {
                (AstExprKind::Tuple(inner), Ty::Group(inner_types)) => {
                    values.extend(inner.iter().copied());
                    types.extend(inner_types);
                }
                (_, ty) => {
                    values.push(value);
                    types.push(ty);
                }
            }
        }
        (self.add(AstExprKind::Tuple(values), span), Ty::Group(types))
    }

    fn array_value(&mut self, items: &'a [ExprId], want: Option<&Ty>, span: Span) -> Typed {
        let mut element = match want.map(Ty::base) {
            Some(Ty::Array(element, _)) => Some((**element).clone()),
            _ => None,
        };
        let mut values = Vec::new();
        for &item in items {
            let (value, ty) = self.expr(item, element.as_ref());
            values.push(value);
            element.get_or_insert(ty);
        }
        let ty = Ty::Array(element.unwrap_or(Ty::Unknown).into(), items.len());
        (self.add(AstExprKind::Array(values), span), ty)
    }

    fn record_value(
        &mut self,
        ty: Ty,
        name: &Name,
        fields: &'a [(Name, ExprId)],
        span: Span,
    ) -> Typed {
        let mut given = Vec::new();
        for (field, value) in fields {
            let value = self.expr(*value, Some(&ty.field(&field.text))).0;
            given.push((field.clone(), value));
        }
        let text = match ty.base() {
            Ty::Struct(found) => {
                let text = found.name.as_str().into();
                self.emit(&ty, name.span);
                text
            }
            _ => name.text.clone(),
        };
        let name = Name { text, span: name.span };
        (self.add(AstExprKind::Record(name, given), span), ty)
    }

    fn field_use(&mut self, of: ExprId, field: &Name, span: Span) -> Typed {
        let (of, ty) = self.expr(of, None);
        if let Ty::Data(data) = ty.base() {
            let data = data.clone();
            return self.selected(of, &data, field, span);
        }
        let kind = AstExprKind::Field(of, field.clone());
        (self.add(kind, span), ty.field(&field.text))
    }

    fn index_use(&mut self, of: ExprId, index: ExprId, span: Span) -> Typed {
        let of = self.expr(of, None);
        if let Ty::Struct(ty) = of.1.base()
            && ty.tuple
        {
            let number = self.constant_int(index).and_then(|number| number.to_i64());
            let number = number.and_then(|number| usize::try_from(number).ok());
            return self.component(of, number.unwrap_or(usize::MAX), span);
        }
        let element = match of.1.base() {
            Ty::Array(element, _) => (**element).clone(),
            _ => Ty::Unknown,
        };
        // An index that is known needs no choice between elements.
        let index = match self.constant(index) {
            Some(Value::Int(value)) => self.int(value, self.old.exprs[index].span),
            _ => self.expr(index, Some(&Ty::Int)).0,
        };
        (self.add(AstExprKind::Index(of.0, index), span), element)
    }
}
