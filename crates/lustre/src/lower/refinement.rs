//! Refined types and subranges as conditions: what the environment promises of the main node's
//! inputs, and what everything else must be shown to keep.

use provoke_base::{Int, Span};
use provoke_model::{BinaryOp, PropertyGoal};
use rustc_hash::FxHashSet;

use super::expr::Typed;
use super::ty::Ty;
use super::{Binding, Lowering};
use crate::ast::{AstEquation, AstExprKind, AstProperty, Decl, ExprId, TypeExpr};
use crate::parse::for_each_operand;

impl Ty {
    /// Whether not every value of its scalars is a value of the type.
    pub(super) fn has_conditions(&self) -> bool {
        match self {
            Ty::Range(low, high) => low.is_some() || high.is_some(),
            Ty::Refined(_) => true,
            Ty::Array(element, _) => element.has_conditions(),
            Ty::Struct(ty) => ty.fields.iter().any(|(_, ty)| ty.has_conditions()),
            Ty::Data(data) => {
                let mut fields = data.constructors.iter().flat_map(|(_, fields)| fields);
                fields.any(|(_, ty)| ty.has_conditions())
            }
            _ => false,
        }
    }

    /// Whether subranges in its parts are declared as such in the plain program: structs that
    /// differ only in these share one declaration without them.
    pub(super) fn keeps_ranges(&self) -> bool {
        match self {
            Ty::Struct(ty) => {
                !ty.tuple && ty.origin.as_ref().is_none_or(|(_, types)| types.is_empty())
            }
            Ty::Data(_) => false,
            _ => true,
        }
    }
}

impl Lowering<'_, '_> {
    /// Adds what a variable's type asks of it: an assertion if it is `assumed`, else a property.
    pub(super) fn obligation(&mut self, decl: &Decl, ty: &Ty, assumed: bool) {
        if !ty.has_conditions() || self.is_shadow(decl) {
            return;
        }
        let span = decl.name.span;
        let value = self.name(&decl.name.text, span);
        let conditions = self.conditions(value, ty, assumed, decl.ty.span);
        if conditions.is_empty() {
            return;
        }
        let expr = self.join(BinaryOp::And, conditions, true, decl.ty.span);
        if assumed {
            self.refuse_own_work(decl, expr);
            self.made().asserts.push(expr);
        } else {
            let name = Some(self.shown(&decl.name.text, &decl.ty));
            self.made().properties.push(AstProperty { name, expr, goal: PropertyGoal::Always });
        }
    }

    /// What the environment promises by an input's type cannot wait for what the node does with the input
    /// in the same step.
    fn refuse_own_work(&mut self, input: &Decl, promise: ExprId) {
        let mut open = vec![promise];
        let mut seen = FxHashSet::default();
        while let Some(id) = open.pop() {
            match &self.new.exprs[id].kind {
                AstExprKind::Pre(_) => {}
                AstExprKind::Name(name) if !seen.insert(name.text.clone()) => {}
                AstExprKind::Name(name) if self.outside_inputs.contains(&*name.text) => {
                    let message = format!(
                        "the type of input `{}` depends on `{}`",
                        input.name.text, name.text
                    );
                    let help = format!(
                        "refer to inputs, to constants of the file, or to the step before: `true -> pre {}`",
                        name.text
                    );
                    let label = "what the environment promises cannot wait for the node";
                    self.error("assumed-output", input.ty.span, message, label, &help);
                    return;
                }
                // What lowering has named is what it stands for.
                AstExprKind::Name(name) => {
                    let made = self.making.as_ref();
                    let mut equations = made.into_iter().flat_map(|made| &made.equations);
                    let defines =
                        |one: &&AstEquation| one.targets.iter().any(|to| to.text == name.text);
                    open.extend(equations.find(defines).map(|equation| equation.expr));
                }
                kind => for_each_operand(kind, |operand| open.push(operand)),
            }
        }
    }

    /// What the type of a variable that nothing defines says of it.
    pub(super) fn known_of(&mut self, decl: &Decl, ty: &Ty) -> Option<ExprId> {
        let span = decl.name.span;
        let value = self.name(&decl.name.text, span);
        let conditions = self.conditions(value, ty, true, decl.ty.span);
        let some = !conditions.is_empty();
        some.then(|| self.join(BinaryOp::And, conditions, true, decl.ty.span))
    }

    /// Whether a variable only remembers another one, which has the duty.
    fn is_shadow(&self, decl: &Decl) -> bool {
        let of = decl.name.text.strip_suffix(".last");
        of.is_some_and(|of| self.scope.vars.contains_key(of))
    }

    fn shown(&self, name: &str, ty: &TypeExpr) -> String {
        let text = self.text.get(ty.span.range()).unwrap_or("");
        format!("{name}: {}", text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Constants with conditions are checked once, in the main node.
    pub(super) fn constants_obligations(&mut self) {
        let old = self.old;
        for constant in &old.constants {
            let Some(declared) = &constant.ty else { continue };
            let vars = std::mem::take(&mut self.scope.vars);
            let arguments = std::mem::take(&mut self.scope.type_arguments);
            let ty = self.ty(declared);
            let decl = Decl { name: constant.name.clone(), ty: declared.clone(), constant: true };
            self.obligation(&decl, &ty, constant.value.is_none());
            (self.scope.vars, self.scope.type_arguments) = (vars, arguments);
        }
    }

    /// The conditions that a type puts on a value. Whole subranges that the plain program declares
    /// are left out if `declared`.
    pub(super) fn conditions(
        &mut self,
        value: ExprId,
        ty: &Ty,
        declared: bool,
        span: Span,
    ) -> Vec<ExprId> {
        if !ty.has_conditions() || self.too_large {
            return Vec::new();
        }
        let inner = declared && ty.keeps_ranges();
        match ty {
            Ty::Range(Some(_), Some(_)) if declared => Vec::new(),
            Ty::Range(low, high) => {
                let mut bounds = Vec::new();
                if let Some(low) = low {
                    bounds.push(self.bound_holds(low, BinaryOp::Ge, value, span));
                }
                if let Some(high) = high {
                    bounds.push(self.bound_holds(high, BinaryOp::Le, value, span));
                }
                bounds
            }
            Ty::Refined(refined) => {
                let mut all = self.conditions(value, &refined.base, declared, span);
                let binding = Binding::Expr(value, refined.base.clone());
                let (name, condition) = (refined.variable.text.clone(), refined.condition);
                let work = |lowering: &mut Self| {
                    lowering.bound(&name, binding, |lowering| lowering.expr(condition, None).0)
                };
                let expr = match &refined.global {
                    Some(types) => self.globally(types.clone(), work),
                    None => work(self),
                };
                all.push(expr);
                all
            }
            Ty::Struct(found) => {
                let mut all = Vec::new();
                for (field, ty) in found.fields.iter().filter(|(_, ty)| ty.has_conditions()) {
                    let value = self.copy(value);
                    let part = self.field(value, field, span);
                    all.extend(self.conditions(part, ty, inner, span));
                }
                all
            }
            Ty::Array(element, size) => {
                let mut all = Vec::new();
                for at in 0..*size {
                    let (value, index) = (self.copy(value), self.int(at as i64, span));
                    let part = self.add(AstExprKind::Index(value, index), span);
                    all.extend(self.conditions(part, element, inner, span));
                }
                all
            }
            Ty::Data(data) => {
                let mut all = Vec::new();
                for (position, (_, fields)) in data.constructors.iter().enumerate() {
                    for number in 0..fields.len() {
                        let value = self.copy(value);
                        let (part, ty) = self.payload(value, data, position, number, span);
                        for condition in self.conditions(part, &ty, false, span) {
                            let built = self.is_built_by(value, data, position, span);
                            all.push(self.binary(BinaryOp::Implies, built, condition, span));
                        }
                    }
                }
                all
            }
            _ => Vec::new(),
        }
    }

    fn bound_holds(&mut self, bound: &Int, op: BinaryOp, value: ExprId, span: Span) -> ExprId {
        let (value, bound) = (self.copy(value), self.int(bound.clone(), span));
        self.binary(op, value, bound, span)
    }

    /// Does something where only global names are known.
    fn globally<T>(&mut self, types: Vec<(Box<str>, Ty)>, work: impl FnOnce(&mut Self) -> T) -> T {
        let scope = super::Scope { type_arguments: types, ..super::Scope::default() };
        let outer = std::mem::replace(&mut self.scope, scope);
        let result = work(self);
        self.scope = outer;
        result
    }

    /// `(e : T)`: the value, and a property that it is of the type.
    pub(super) fn ascription(&mut self, value: ExprId, ty: &TypeExpr, span: Span) -> Typed {
        let wanted = self.ty(ty);
        let (value, _) = self.expr(value, Some(&wanted));
        if !wanted.has_conditions() {
            return (value, wanted);
        }
        if self.making.is_none() {
            let construct = "a type with conditions in a constant's value";
            let help = "give the constant itself the type: `const c: T = ...;`";
            self.unsupported(span, construct, help);
            return (value, wanted);
        }
        let value = self.stable(value, &wanted);
        let conditions = self.conditions(value, &wanted, false, span);
        let expr = self.join(BinaryOp::And, conditions, true, span);
        let text = self.text.get(span.range()).unwrap_or("");
        let name = Some(text.split_whitespace().collect::<Vec<_>>().join(" "));
        self.made().properties.push(AstProperty { name, expr, goal: PropertyGoal::Always });
        let value = self.copy(value);
        (value, wanted)
    }
}
