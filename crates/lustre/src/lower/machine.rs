//! Some bits of a machine integer, and the bits of two in a row.

use provoke_base::Span;
use provoke_model::MachineInt;

use super::Lowering;
use super::expr::Typed;
use super::ty::Ty;
use crate::ast::{AstExprKind, BitOp, ExprId};
use crate::sugar::width;

impl Lowering<'_, '_> {
    /// `e[high:low]`: shifted down, then only the lowest bits kept.
    pub(super) fn some_bits(&mut self, of: ExprId, high: ExprId, low: ExprId, span: Span) -> Typed {
        let (of, ty) = self.expr(of, None);
        let high = self.constant_int(high).and_then(|high| high.to_i64());
        let low = self.constant_int(low).and_then(|low| low.to_i64());
        let (Ty::Machine(from), Some(high), Some(low)) = (ty.base(), high, low) else {
            return self.no_bits(of, &ty, span);
        };
        let inside = low >= 0 && high < i64::from(from.bits);
        let (Some(bits), true) = (width(high, low), inside) else {
            let message = format!("bits {high} to {low} are not part of `{from}`");
            let help = "the highest bit comes first, and the lowest is number 0";
            self.error("index-range", span, message, "no such bits", help);
            return (of, Ty::Unknown);
        };
        if from.signed {
            return self.no_bits(of, &ty, span);
        }
        let amount = self.machine_int(*from, low, span);
        let shifted = self.add(AstExprKind::Bits(BitOp::ShiftRight, of, amount), span);
        let to = MachineInt { bits, signed: false };
        (self.add(AstExprKind::Convert(Some(to), shifted), span), Ty::Machine(to))
    }

    /// `a ++ b`: `a` shifted up by the bits of `b`.
    pub(super) fn bits_in_a_row(&mut self, left: ExprId, right: ExprId, span: Span) -> Typed {
        let ((a, a_type), (b, b_type)) = (self.expr(left, None), self.expr(right, None));
        let (Ty::Machine(high), Ty::Machine(low)) = (a_type.base(), b_type.base()) else {
            return self.no_bits(a, &a_type, span);
        };
        let sum = u16::from(high.bits) + u16::from(low.bits);
        let bits = u8::try_from(sum).ok().filter(|bits| *bits <= MachineInt::MAX_BITS);
        let (Some(bits), false) = (bits, high.signed || low.signed) else {
            return self.no_bits(a, &a_type, span);
        };
        let wide = MachineInt { bits, signed: false };
        let amount = self.machine_int(wide, i64::from(low.bits), span);
        let a = self.add(AstExprKind::Convert(Some(wide), a), span);
        let b = self.add(AstExprKind::Convert(Some(wide), b), span);
        let shifted = self.add(AstExprKind::Bits(BitOp::ShiftLeft, a, amount), span);
        (self.add(AstExprKind::Bits(BitOp::Or, shifted, b), span), Ty::Machine(wide))
    }

    pub(super) fn machine_int(&mut self, ty: MachineInt, value: i64, span: Span) -> ExprId {
        let value = self.int(value, span);
        self.add(AstExprKind::Convert(Some(ty), value), span)
    }

    fn no_bits(&mut self, of: ExprId, ty: &Ty, span: Span) -> Typed {
        let message = format!("bits are taken of unsigned machine integers, found `{}`", ty.show());
        let most = MachineInt::MAX_BITS;
        let help = format!("convert it, for instance with `(uint8 ...)`; at most {most} bits");
        self.error("foreign-operator", span, message, "not of such a type", &help);
        (of, Ty::Unknown)
    }
}
