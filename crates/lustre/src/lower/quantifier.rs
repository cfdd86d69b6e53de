//! `forall` and `exists` over few values, written out.

use provoke_base::{Int, Span};
use provoke_model::{BinaryOp, Value};

use super::expr::Typed;
use super::ty::Ty;
use super::{Binding, Lowering};
use crate::ast::{AstExprKind, Decl, ExprId, Name, TypeBody};
use crate::parse::for_each_operand;
use crate::sugar::{Quantified, Sugar};

/// The most values that one variable is tried with.
const MAX_VALUES: i64 = 4_096;

impl<'a> Lowering<'a, '_> {
    pub(super) fn quantified(&mut self, quantified: &'a Quantified, span: Span) -> Typed {
        (self.over(quantified, &quantified.variables, false, span), Ty::Bool)
    }

    /// An expression that is to hold in every step, whatever nobody knows: what it says of all
    /// values, it says of any one that nobody chooses.
    pub(super) fn asserted(&mut self, id: ExprId) -> Typed {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.asserted_here(id))
    }

    fn asserted_here(&mut self, id: ExprId) -> Typed {
        let old = self.old;
        let span = old.exprs[id].span;
        match &old.exprs[id].kind {
            AstExprKind::Binary(BinaryOp::Implies, left, right) if !self.folds() => {
                let left = self.expr(*left, Some(&Ty::Bool)).0;
                let right = self.asserted(*right).0;
                (self.binary(BinaryOp::Implies, left, right, span), Ty::Bool)
            }
            AstExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right)
                if !self.folds() =>
            {
                let (left, right) = (self.asserted(*left).0, self.asserted(*right).0);
                (self.binary(*op, left, right, span), Ty::Bool)
            }
            AstExprKind::Arrow(first, later) => {
                let (first, later) = (self.asserted(*first).0, self.asserted(*later).0);
                (self.add(AstExprKind::Arrow(first, later), span), Ty::Bool)
            }
            AstExprKind::Sugar(sugar) => match &**sugar {
                Sugar::Quantified(inner) if inner.universal => {
                    (self.over(inner, &inner.variables, true, span), Ty::Bool)
                }
                _ => self.expr(id, Some(&Ty::Bool)),
            },
            _ => self.expr(id, Some(&Ty::Bool)),
        }
    }

    /// One variable after the other; `asserted` if what is said holds in every step.
    fn over(
        &mut self,
        quantified: &'a Quantified,
        variables: &'a [Decl],
        asserted: bool,
        span: Span,
    ) -> ExprId {
        let Some((variable, rest)) = variables.split_first() else {
            return match asserted {
                true => self.asserted(quantified.body).0,
                false => self.expr(quantified.body, Some(&Ty::Bool)).0,
            };
        };
        let ty = self.ty(&variable.ty);
        let values = self.values(variable, &ty, quantified);
        if values.is_none() && asserted {
            self.refuse_memory(quantified.body, &variable.name);
            let any = self.anything(ty.base(), variable.name.span);
            return self.for_any(quantified, rest, (variable, &ty), any, span);
        }
        let Some(values) = values else {
            let construct = format!("a quantifier over all values of `{}`", ty.show());
            let help = "bound the variable: `forall (i: subrange [0, 9] of int) ...`, or \
                        `0 <= i and i < N => ...` with a constant N";
            self.unsupported(variable.name.span, &construct, help);
            return self.bool(true, span);
        };
        let (op, join) = match quantified.universal {
            true => (BinaryOp::Implies, BinaryOp::And),
            false => (BinaryOp::And, BinaryOp::Or),
        };
        let mut parts = Vec::new();
        for binding in values {
            if self.too_large {
                break;
            }
            let part = self.bound(&variable.name.text, binding.clone(), |lowering| {
                let body = lowering.over(quantified, rest, asserted, span);
                lowering.guarded(op, binding, &ty, body, variable.ty.span)
            });
            // What an index decides need not be asked.
            if self.literal(part) != Some(Value::Bool(quantified.universal)) {
                parts.push(part);
            }
        }
        self.join(join, parts, quantified.universal, span)
    }

    /// What is said of one value that nobody chooses. Where the type certainly has values, it is one
    /// of them; else there may be none, and nothing is said.
    fn for_any(
        &mut self,
        quantified: &'a Quantified,
        rest: &'a [Decl],
        (variable, ty): (&Decl, &Ty),
        any: ExprId,
        span: Span,
    ) -> ExprId {
        let binding = Binding::Expr(any, ty.clone());
        let conditions = self.conditions(any, ty, false, variable.ty.span);
        let condition = self.join(BinaryOp::And, conditions, true, variable.ty.span);
        let body = self.bound(&variable.name.text, binding, |lowering| {
            lowering.over(quantified, rest, true, span)
        });
        if self.is_inhabited(ty) {
            self.made().constraints.push(condition);
            return body;
        }
        if self.holds(body, &super::calls) {
            let construct = "a call for all values of a type that may have none";
            let help = "give the variable a type whose condition needs constants only";
            self.unsupported(variable.name.span, construct, help);
        }
        self.binary(BinaryOp::Implies, condition, body, span)
    }

    /// Whether a type certainly has a value; small numbers and those around literals are tried.
    fn is_inhabited(&mut self, ty: &Ty) -> bool {
        if !ty.has_conditions() {
            return true;
        }
        let mut tries: Vec<Int> = (-2..=2).map(Int::from).collect();
        self.literals_of(ty, &mut tries);
        matches!(ty.base(), Ty::Int) && tries.into_iter().any(|value| self.has_value(ty, value))
    }

    fn literals_of(&self, ty: &Ty, found: &mut Vec<Int>) {
        let mut near = |value: &Int| {
            found.extend((-1..=1).map(|distance| value.add(&Int::from(distance))));
        };
        match ty {
            Ty::Range(low, high) => low.iter().chain(high).for_each(near),
            Ty::Refined(refined) => {
                let mut open = vec![refined.condition];
                while let Some(id) = open.pop() {
                    let kind = &self.old.exprs[id].kind;
                    if let AstExprKind::Int(value) = kind {
                        near(value);
                    }
                    for_each_operand(kind, |operand| open.push(operand));
                }
                self.literals_of(&refined.base, found);
            }
            _ => {}
        }
    }

    fn has_value(&mut self, ty: &Ty, value: Int) -> bool {
        match ty {
            Ty::Int => true,
            Ty::Range(low, high) => {
                low.as_ref().is_none_or(|low| *low <= value)
                    && high.as_ref().is_none_or(|high| value <= *high)
            }
            Ty::Refined(refined) => {
                let (name, condition) = (refined.variable.text.clone(), refined.condition);
                let binding = Binding::Value(value.clone());
                let holds = self.bound(&name, binding, |lowering| lowering.constant(condition));
                holds == Some(Value::Bool(true)) && self.has_value(&refined.base, value)
            }
            _ => false,
        }
    }

    /// A quantified variable has no past.
    fn refuse_memory(&mut self, body: ExprId, variable: &Name) {
        let mut open = vec![(body, false)];
        while let Some((id, remembered)) = open.pop() {
            let expr = &self.old.exprs[id];
            let inner = match &expr.kind {
                AstExprKind::Name(name) if remembered && name.text == variable.text => {
                    let message = format!("`{}` has no value in an earlier step", name.text);
                    let help = "remember something else, or bound the variable by constants";
                    self.error("quantifier-memory", expr.span, message, "under `pre`", help);
                    return;
                }
                AstExprKind::Pre(_) => true,
                // A node may remember what it is given.
                AstExprKind::Call(name, _) => {
                    let node = self.node_names.get(&*name.text);
                    remembered || node.is_some_and(|node| !self.old.nodes[*node].function)
                }
                AstExprKind::Condact(..) | AstExprKind::Restart(..) | AstExprKind::When(..) => true,
                _ => remembered,
            };
            for_each_operand(&expr.kind, |operand| open.push((operand, inner)));
        }
    }

    /// What is said of a value, if it is of the variable's type.
    fn guarded(
        &mut self,
        op: BinaryOp,
        binding: Binding,
        ty: &Ty,
        body: ExprId,
        span: Span,
    ) -> ExprId {
        let value = match binding {
            Binding::Value(value) => self.int(value, span),
            Binding::Expr(value, _) => value,
        };
        let declared = self.literal(value).is_some();
        let conditions = self.conditions(value, ty, declared, span);
        if conditions.is_empty() {
            return body;
        }
        let condition = self.join(BinaryOp::And, conditions, true, span);
        self.binary(op, condition, body, span)
    }

    /// All values that a variable need be tried with; `None` if nobody knows.
    fn values(
        &mut self,
        variable: &Decl,
        ty: &Ty,
        quantified: &'a Quantified,
    ) -> Option<Vec<Binding>> {
        let span = variable.name.span;
        match ty.base() {
            Ty::Bool => {
                let both = [false, true].map(|value| self.bool(value, span));
                Some(both.map(|value| Binding::Expr(value, Ty::Bool)).to_vec())
            }
            Ty::Enum(name) => {
                let index = *self.type_names.get(&**name)?;
                let TypeBody::Enum(constants) = &self.old.types[index].body else { return None };
                let mut values = Vec::new();
                for constant in constants {
                    let value = self.name(&constant.text, span);
                    values.push(Binding::Expr(value, ty.clone()));
                }
                Some(values)
            }
            Ty::Int => {
                let mut bounds = Bounds::default();
                self.type_bounds(ty, &mut bounds);
                let name = &variable.name.text;
                self.guards(quantified.body, quantified.universal, name, &mut bounds);
                let (low, high) = (bounds.low?.to_i64()?, bounds.high?.to_i64()?);
                if high.checked_sub(low).is_none_or(|count| count >= MAX_VALUES) {
                    let message = format!("`{name}` has too many values to try: {low} to {high}");
                    let label = format!("at most {MAX_VALUES} are written out");
                    self.error("too-many-values", span, message, &label, "bound it more tightly");
                    return Some(Vec::new());
                }
                Some((low..=high).map(|value| Binding::Value(Int::from(value))).collect())
            }
            _ => None,
        }
    }

    fn type_bounds(&mut self, ty: &Ty, bounds: &mut Bounds) {
        match ty {
            Ty::Range(low, high) => {
                low.iter().for_each(|low| bounds.at_least(low.clone()));
                high.iter().for_each(|high| bounds.at_most(high.clone()));
            }
            Ty::Refined(refined) => {
                self.type_bounds(&refined.base, bounds);
                self.conjuncts(refined.condition, &refined.variable.text, bounds);
            }
            _ => {}
        }
    }

    /// Bounds without which the body is true of a universal, or false of an existential, variable.
    fn guards(&mut self, body: ExprId, universal: bool, name: &str, bounds: &mut Bounds) {
        match (&self.old.exprs[body].kind, universal) {
            (AstExprKind::Binary(BinaryOp::Implies, guard, rest), true) => {
                self.conjuncts(*guard, name, bounds);
                self.guards(*rest, universal, name, bounds);
            }
            (AstExprKind::Sugar(sugar), _) => {
                if let Sugar::Quantified(inner) = &**sugar
                    && inner.universal == universal
                    && !inner.variables.iter().any(|other| *other.name.text == *name)
                {
                    self.guards(inner.body, universal, name, bounds);
                }
            }
            (_, false) => self.conjuncts(body, name, bounds),
            _ => {}
        }
    }

    /// Bounds that a conjunction puts on a variable.
    fn conjuncts(&mut self, id: ExprId, name: &str, bounds: &mut Bounds) {
        let AstExprKind::Binary(op, left, right) = &self.old.exprs[id].kind else { return };
        let (op, left, right) = (*op, *left, *right);
        if op == BinaryOp::And {
            self.conjuncts(left, name, bounds);
            self.conjuncts(right, name, bounds);
            return;
        }
        let is_variable = |id: ExprId| match &self.old.exprs[id].kind {
            AstExprKind::Name(other) => *other.text == *name,
            _ => false,
        };
        let (op, other) = match (is_variable(left), is_variable(right)) {
            (true, false) => (op, right),
            (false, true) => (mirrored(op), left),
            _ => return,
        };
        // The variable itself is not bound yet, but one of the same name outside may be.
        let Some(Value::Int(value)) = self.constant(other) else { return };
        match op {
            BinaryOp::Le => bounds.at_most(value),
            BinaryOp::Lt => bounds.at_most(value.sub(&Int::from(1))),
            BinaryOp::Ge => bounds.at_least(value),
            BinaryOp::Gt => bounds.at_least(value.add(&Int::from(1))),
            BinaryOp::Eq => {
                bounds.at_least(value.clone());
                bounds.at_most(value);
            }
            _ => {}
        }
    }
}

/// The same relation read from right to left.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Ge => BinaryOp::Le,
        BinaryOp::Gt => BinaryOp::Lt,
        _ => op,
    }
}

#[derive(Default)]
struct Bounds {
    low: Option<Int>,
    high: Option<Int>,
}

impl Bounds {
    fn at_least(&mut self, value: Int) {
        if self.low.as_ref().is_none_or(|low| *low < value) {
            self.low = Some(value);
        }
    }

    fn at_most(&mut self, value: Int) {
        if self.high.as_ref().is_none_or(|high| *high > value) {
            self.high = Some(value);
        }
    }
}
