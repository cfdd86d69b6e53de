//! Tuples, and values with one part replaced.

use provoke_base::{Int, Span};

use super::Lowering;
use super::expr::Typed;
use super::ty::Ty;
use crate::ast::{AstExprKind, ExprId, Name};
use crate::sugar::Accessor;

impl<'a> Lowering<'a, '_> {
    /// `'(a, b)`
    pub(super) fn tuple_value(
        &mut self,
        items: &'a [ExprId],
        want: Option<&Ty>,
        span: Span,
    ) -> Typed {
        let wanted: Vec<Ty> = match want.map(Ty::base) {
            Some(Ty::Struct(ty)) if ty.tuple && ty.fields.len() == items.len() => {
                ty.fields.iter().map(|(_, ty)| ty.clone()).collect()
            }
            _ => Vec::new(),
        };
        let parts: Vec<Typed> =
            items.iter().enumerate().map(|(at, item)| self.expr(*item, wanted.get(at))).collect();
        let ty = Ty::tuple(parts.iter().map(|(_, ty)| ty.clone()).collect());
        let ty = self.limited(ty, span);
        let Ty::Struct(tuple) = &ty else { return (self.bool(true, span), ty) };
        self.emit(&ty, span);
        let parts = parts.into_iter().enumerate().map(|(at, (value, _))| (at.to_string(), value));
        (self.record(&tuple.name, parts.collect(), span), ty)
    }

    /// `t[0]`, `t.%0`
    pub(super) fn component(&mut self, (of, ty): Typed, number: usize, span: Span) -> Typed {
        let count = match ty.base() {
            Ty::Struct(tuple) if tuple.tuple => tuple.fields.len(),
            _ => 0,
        };
        if number >= count {
            let message = match count {
                0 => format!("`{}` is not a tuple", ty.show()),
                _ => format!("`{}` has no component {number}", ty.show()),
            };
            let help = "components are counted from 0, and their number must be a constant";
            self.error("unknown-field", span, message, "no such component", help);
            return (of, Ty::Unknown);
        }
        let name = number.to_string();
        (self.field(of, &name, span), ty.field(&name))
    }

    /// A value with the part at a path replaced.
    pub(super) fn updated(
        &mut self,
        (of, ty): Typed,
        path: &[Accessor],
        value: ExprId,
        span: Span,
    ) -> Typed {
        let Some((first, rest)) = path.split_first() else { return self.expr(value, Some(&ty)) };
        if let Some(field) = self.field_meant(first, &ty) {
            let inner = ty.field(&field.text);
            let old = if rest.is_empty() { of } else { self.field(of, &field.text, span) };
            let new = self.updated((old, inner), rest, value, span).0;
            return (self.add(AstExprKind::WithField(of, field, new), span), ty);
        }
        let Accessor::Key(key) = first else {
            let message = format!("`{}` has no fields to change", ty.show());
            self.error("unknown-field", span, message, "not a struct", "use `[index]` for arrays");
            return (of, Ty::Unknown);
        };
        let inner = match ty.base() {
            Ty::Array(element, _) => (**element).clone(),
            _ => Ty::Unknown,
        };
        let key = self.expr(*key, Some(&Ty::Int)).0;
        let old = match rest.is_empty() {
            true => of,
            false => self.add(AstExprKind::Index(of, key), span),
        };
        let new = self.updated((old, inner), rest, value, span).0;
        (self.add(AstExprKind::WithIndex(of, key, new), span), ty)
    }

    /// The field that a key of an update names: of a struct by its name, of a tuple by its number.
    fn field_meant(&mut self, accessor: &Accessor, ty: &Ty) -> Option<Name> {
        let key = match accessor {
            Accessor::Field(name) => {
                return matches!(ty.base(), Ty::Struct(_)).then(|| name.clone());
            }
            Accessor::Key(key) => *key,
        };
        let Ty::Struct(found) = ty.base() else { return None };
        let span = self.old.exprs[key].span;
        let text: Box<str> = match (&self.old.exprs[key].kind, found.tuple) {
            (AstExprKind::Name(name), false) => name.text.clone(),
            (AstExprKind::Int(number), true) if *number >= Int::ZERO => number.to_string().into(),
            _ => return None,
        };
        Some(Name { text, span })
    }
}
