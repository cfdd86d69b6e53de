//! Arrays: `e^n`, and definitions `a[i][j] = e`, written out element by element.

use provoke_base::{Int, Span};

use super::expr::Typed;
use super::ty::Ty;
use super::{Binding, Lowering};
use crate::ast::{AstEquation, AstExprKind, ExprId, Name};

impl<'a> Lowering<'a, '_> {
    /// `e^n`
    pub(super) fn repeat(
        &mut self,
        element: ExprId,
        count: ExprId,
        want: Option<&Ty>,
        span: Span,
    ) -> Typed {
        let inner = match want.map(Ty::base) {
            Some(Ty::Array(inner, _)) => Some((**inner).clone()),
            _ => None,
        };
        let (value, ty) = self.expr(element, inner.as_ref());
        let Some(count) = self.array_size(count) else { return (value, Ty::Unknown) };
        let value = self.stable(value, &ty);
        let array = self.add(AstExprKind::Array(vec![value; count]), span);
        (array, Ty::Array(ty.into(), count))
    }

    /// The array that `a[i][j] = e` defines. Where the indices decide a condition, only the branch
    /// that is taken is looked at, so that `if i = 0 then x else a[i - 1]` stays inside.
    pub(super) fn array_definition(&mut self, equation: &'a AstEquation) -> ExprId {
        let target = &equation.targets[0];
        let ty = self.scope.vars.get(&*target.text).cloned().unwrap_or(Ty::Unknown);
        let sizes = dimensions(&ty);
        if sizes.len() < equation.indices.len() {
            let (found, given) = (sizes.len(), equation.indices.len());
            let name = &target.text;
            let message = format!("{given} indices for `{name}`, which needs {found} of them");
            let help = "give one index for each dimension";
            let span = equation.targets_span;
            self.error("not-an-array", span, message, "too many indices", help);
            return self.bool(true, span);
        }
        self.elements(&equation.indices, &ty, equation.expr)
    }

    fn elements(&mut self, indices: &[Name], ty: &Ty, expr: ExprId) -> ExprId {
        let Some((index, rest)) = indices.split_first() else { return self.expr(expr, Some(ty)).0 };
        let Ty::Array(element, size) = ty.base() else {
            return self.expr(expr, None).0;
        };
        let mut elements = Vec::new();
        for at in 0..*size {
            let value = Binding::Value(Int::from(at as i64));
            let item =
                self.bound(&index.text, value, |lowering| lowering.elements(rest, element, expr));
            elements.push(item);
            if self.too_large {
                break;
            }
        }
        self.add(AstExprKind::Array(elements), self.old.exprs[expr].span)
    }
}

fn dimensions(ty: &Ty) -> Vec<usize> {
    let mut sizes = Vec::new();
    let mut ty = ty;
    while let Ty::Array(element, size) = ty.base() {
        sizes.push(*size);
        ty = element;
    }
    sizes
}
