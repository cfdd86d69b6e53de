//! Expressions, and which of the kinds of values come out.

use provoke_base::Span;

use super::operand::{
    Operand, add, all, any, as_condition, as_number, clock_bound, folded, int_op, negated, not,
    opposite, reads_clock, same_words, subtract, truth_value, unexpected, whole,
};
use super::target::Target;
use super::{Lowered, Lowerer, error};
use crate::ast::{Binary, Expr as Tree, ExprKind, Name, Quantifier, TypeExpr, Unary};
use crate::network::{
    Address, Base, CellKind, ClockComparison, ClockRef, Condition, Index, IntOp, NetworkExpr,
    Number,
};
use crate::parse::{RED_ZONE, STACK};
use crate::types::{Entity, Type};

impl Lowerer {
    /// An integer or a truth value.
    pub(super) fn int(&mut self, tree: &Tree) -> Lowered<NetworkExpr> {
        match self.operand(tree)? {
            Operand::Int(expr) => Ok(expr),
            Operand::Condition(condition) => {
                self.only_simulated(tree.span, "a condition on clocks used as a value");
                Ok(NetworkExpr::Holds(Box::new(condition)))
            }
            other => Err(unexpected(tree.span, &other, "an integer or a truth value")),
        }
    }

    /// An integer that is known here.
    pub(super) fn constant(&mut self, tree: &Tree) -> Lowered<i64> {
        match self.int(tree)? {
            NetworkExpr::Int(value) => Ok(value),
            // A function of constants.
            NetworkExpr::Call(..) if self.frame.is_none() => {
                let expr = self.int(tree)?;
                self.known(&expr, tree.span)
            }
            _ => Err(error("not-constant", tree.span, "this value is not known beforehand")
                .help("use constants only")),
        }
    }

    /// Any number.
    pub(super) fn number(&mut self, tree: &Tree) -> Lowered<Number> {
        match self.operand(tree)? {
            Operand::Void(expr) => Err(unexpected(tree.span, &Operand::Void(expr), "a number")),
            Operand::Block(p, ty) => Err(unexpected(tree.span, &Operand::Block(p, ty), "a number")),
            other => Ok(as_number(other)),
        }
    }

    pub(super) fn condition(&mut self, tree: &Tree) -> Lowered<Condition> {
        match self.operand(tree)? {
            Operand::Int(expr) => Ok(Condition::Int(expr)),
            Operand::Condition(condition) => Ok(condition),
            other => Err(unexpected(tree.span, &other, "a condition")),
        }
    }

    /// An array or a struct.
    pub(super) fn block(&mut self, tree: &Tree) -> Lowered<(Address, Type)> {
        match self.operand(tree)? {
            Operand::Block(place, ty) => Ok((place, ty)),
            other => Err(unexpected(tree.span, &other, "an array or a struct")),
        }
    }

    pub(super) fn clock_ref(&mut self, tree: &Tree) -> Lowered<ClockRef> {
        match self.target(tree)? {
            Target::Clock { first, path, ty: Type::Clock } => {
                Ok(ClockRef { first, index: path.index(tree.span) })
            }
            _ => Err(error("type", tree.span, "this is not a clock").label("expected a clock")),
        }
    }

    /// The first channel of an array and which one is meant.
    pub(super) fn channel(&mut self, tree: &Tree) -> Lowered<(usize, Index)> {
        match self.target(tree)? {
            Target::Channel { first, path, ty: Type::Chan } => Ok((first, path.index(tree.span))),
            Target::Channel { ty, .. } => {
                let message = format!("`{}` is an array of channels", ty.show());
                Err(error("type", tree.span, message).help("say which one in brackets"))
            }
            _ => Err(error("type", tree.span, "this is not a channel").label("expected a channel")),
        }
    }

    pub(super) fn operand(&mut self, tree: &Tree) -> Lowered<Operand> {
        self.count(tree.span)?;
        stacker::maybe_grow(RED_ZONE, STACK, || self.operand_here(tree))
    }

    fn operand_here(&mut self, tree: &Tree) -> Lowered<Operand> {
        let span = tree.span;
        Ok(match &tree.kind {
            ExprKind::Int(value) => Operand::Int(NetworkExpr::Int(*value)),
            ExprKind::Bool(value) => Operand::Int(NetworkExpr::Int(i64::from(*value))),
            ExprKind::Double(value) => Operand::Number(Number::Value(*value)),
            ExprKind::Deadlock => Operand::Condition(Condition::Deadlock(true)),
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Field(..) => {
                let target = self.target(tree)?;
                self.read(target, span)?
            }
            ExprKind::Call(function, arguments) => self.call(function, arguments, span)?,
            ExprKind::Unary(Unary::Not, inside) => match self.operand(inside)? {
                Operand::Condition(condition) => Operand::Condition(negated(condition)),
                Operand::Int(expr) => Operand::Int(not(expr)),
                other => return Err(unexpected(inside.span, &other, "a condition")),
            },
            ExprKind::Unary(Unary::Minus, inside) => {
                let zero = Operand::Int(NetworkExpr::Int(0));
                let inside = self.operand(inside)?;
                self.arithmetic(IntOp::Sub, zero, inside, span)?
            }
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right, span)?,
            ExprKind::Choice(condition, then, otherwise) => {
                self.choice(condition, then, otherwise)?
            }
            ExprKind::Assign(operator, to, from) => self.assignment(*operator, to, from, span)?,
            ExprKind::Step(by, old, inside) => {
                let place = self.writable(inside)?;
                if place.kind == CellKind::Double {
                    return Err(error("type", span, "a double is changed by `+=`"));
                }
                Operand::Int(NetworkExpr::Step(Box::new(place), *by, *old))
            }
            ExprKind::Quantified(quantifier, name, ty, body) => {
                self.quantified(*quantifier, name, ty, body)?
            }
            ExprKind::Rate(_) => {
                let message = "a rate is set in an invariant, as in `x' == 2`";
                return Err(error("rate", span, message));
            }
            ExprKind::List(_) => {
                return Err(error("syntax", span, "a list is an initial value, and no expression"));
            }
        })
    }

    /// The value of what a name stands for.
    fn read(&mut self, target: Target, span: Span) -> Lowered<Operand> {
        Ok(match target {
            Target::Value(value) => Operand::Int(NetworkExpr::Int(value)),
            Target::Double(value) => Operand::Number(Number::Value(value)),
            Target::At(process, location) => Operand::Int(NetworkExpr::At(process, location)),
            Target::Words { base, path, ty, .. } => {
                let index = path.index(span);
                if let (Base::Constant(first), Index::At(position)) = (base, &index)
                    && let Some(kind) = ty.kind()
                {
                    let word = self.network.constants[first as usize + position];
                    return Ok(match kind {
                        CellKind::Double => {
                            Operand::Number(Number::Value(f64::from_bits(word as u64)))
                        }
                        _ => Operand::Int(NetworkExpr::Int(word)),
                    });
                }
                match ty.kind() {
                    Some(kind) => {
                        let place = Box::new(Address { base, index, kind, span });
                        match kind {
                            CellKind::Double => Operand::Number(Number::Load(place)),
                            _ => Operand::Int(NetworkExpr::Load(place)),
                        }
                    }
                    None => Operand::Block(Address { base, index, kind: CellKind::Bool, span }, ty),
                }
            }
            Target::Clock { first, path, ty: Type::Clock } => {
                let clock = ClockRef { first, index: path.index(span) };
                Operand::Linear(vec![clock], Vec::new(), NetworkExpr::Int(0))
            }
            Target::Clock { .. } => {
                return Err(
                    error("type", span, "an array of clocks").help("say which one in brackets")
                );
            }
            Target::Channel { .. } => return Err(error("type", span, "a channel has no value")),
            Target::Process(_) => {
                return Err(error("type", span, "a process has no value")
                    .help("write `.` and the name of a location or a variable behind it"));
            }
            Target::Function(_) => {
                return Err(error("type", span, "a function without its arguments")
                    .help("write `()` behind it"));
            }
        })
    }

    fn assignment(
        &mut self,
        operator: Option<Binary>,
        to: &Tree,
        from: &Tree,
        span: Span,
    ) -> Lowered<Operand> {
        let place = self.writable(to)?;
        let new = match operator {
            None => self.operand(from)?,
            Some(operator) => self.binary(operator, to, from, span)?,
        };
        if place.kind == CellKind::Double {
            let number = match new {
                Operand::Void(_) | Operand::Block(..) => {
                    return Err(unexpected(from.span, &new, "a number"));
                }
                other => as_number(other),
            };
            return Ok(Operand::Number(Number::Store(Box::new(place), Box::new(number))));
        }
        let value = match new {
            Operand::Int(expr) => expr,
            Operand::Condition(condition) if place.kind == CellKind::Bool => {
                self.only_simulated(from.span, "a condition on clocks used as a value");
                NetworkExpr::Holds(Box::new(condition))
            }
            other => return Err(unexpected(from.span, &other, "an integer or a truth value")),
        };
        // Whatever is not zero counts as true.
        let value = match place.kind {
            CellKind::Bool => truth_value(value),
            _ => value,
        };
        Ok(Operand::Int(NetworkExpr::Store(Box::new(place), Box::new(value))))
    }

    fn choice(&mut self, condition: &Tree, then: &Tree, otherwise: &Tree) -> Lowered<Operand> {
        let chosen = self.int(condition)?;
        if let NetworkExpr::Int(value) = chosen {
            return self.operand(if value != 0 { then } else { otherwise });
        }
        let (a, b) = (self.operand(then)?, self.operand(otherwise)?);
        Ok(match (a, b) {
            (Operand::Int(a), Operand::Int(b)) => {
                Operand::Int(NetworkExpr::Choice(Box::new((chosen, a, b))))
            }
            (
                a @ (Operand::Condition(_) | Operand::Int(_)),
                b @ (Operand::Condition(_) | Operand::Int(_)),
            ) => {
                let first = Condition::And(vec![Condition::Int(chosen.clone()), as_condition(a)]);
                let second = Condition::And(vec![Condition::Int(not(chosen)), as_condition(b)]);
                Operand::Condition(Condition::Or(vec![first, second]))
            }
            (a @ (Operand::Void(_) | Operand::Block(..)), _) => {
                return Err(unexpected(then.span, &a, "a value"));
            }
            (_, b @ (Operand::Void(_) | Operand::Block(..))) => {
                return Err(unexpected(otherwise.span, &b, "a value"));
            }
            (a, b) => {
                let parts = Box::new((chosen, as_number(a), as_number(b)));
                Operand::Number(Number::Choice(parts))
            }
        })
    }

    /// Multiplied out: the bodies may speak of processes and clocks.
    fn quantified(
        &mut self,
        quantifier: Quantifier,
        name: &Name,
        ty: &TypeExpr,
        body: &Tree,
    ) -> Lowered<Operand> {
        let (low, high) = self.range_of(ty)?;
        let mut parts = Vec::new();
        for value in low..=high {
            self.count(name.span)?;
            let part = self.scoped(|this| {
                this.bind(name, Entity::Value(value))?;
                this.operand(body)
            })?;
            if quantifier == Quantifier::Sum {
                let sum = match parts.pop() {
                    Some(sum) => self.arithmetic(IntOp::Add, sum, part, body.span)?,
                    None => part,
                };
                parts.push(sum);
                continue;
            }
            match part {
                Operand::Int(_) | Operand::Condition(_) => parts.push(part),
                other => return Err(unexpected(body.span, &other, "a condition")),
            }
        }
        Ok(match quantifier {
            Quantifier::Sum => parts.pop().unwrap_or(Operand::Int(NetworkExpr::Int(0))),
            Quantifier::ForAll => all(parts),
            Quantifier::Exists => any(parts),
        })
    }

    fn binary(
        &mut self,
        operator: Binary,
        left: &Tree,
        right: &Tree,
        span: Span,
    ) -> Lowered<Operand> {
        let a = self.operand(left)?;
        match operator {
            Binary::And | Binary::Or | Binary::Imply => {
                let b = self.operand(right)?;
                for (operand, tree) in [(&a, left), (&b, right)] {
                    if !matches!(operand, Operand::Int(_) | Operand::Condition(_)) {
                        return Err(unexpected(tree.span, operand, "a condition"));
                    }
                }
                return Ok(match operator {
                    Binary::And => all(vec![a, b]),
                    Binary::Or => any(vec![a, b]),
                    _ => any(vec![opposite(a), b]),
                });
            }
            _ => {}
        }
        let b = self.operand(right)?;
        if let (Operand::Block(x, s), Operand::Block(y, t)) = (&a, &b) {
            return same_words(operator, (x, s), (y, t), span);
        }
        let (operator, swap) = match operator {
            Binary::Eq => (IntOp::Eq, false),
            Binary::Ne | Binary::Xor => (IntOp::Ne, false),
            Binary::Lt => (IntOp::Lt, false),
            Binary::Le => (IntOp::Le, false),
            Binary::Gt => (IntOp::Lt, true),
            Binary::Ge => (IntOp::Le, true),
            other => return self.arithmetic(int_op(other), a, b, span),
        };
        let (a, b) = if swap { (b, a) } else { (a, b) };
        self.comparison(operator, a, b, span)
    }

    fn comparison(
        &mut self,
        operator: IntOp,
        a: Operand,
        b: Operand,
        span: Span,
    ) -> Lowered<Operand> {
        let comparison = match operator {
            IntOp::Eq => ClockComparison::Eq,
            IntOp::Ne => ClockComparison::Ne,
            IntOp::Lt => ClockComparison::Lt,
            _ => ClockComparison::Le,
        };
        let (a, b) = (whole(a), whole(b));
        match (a, b) {
            (Operand::Int(a), Operand::Int(b)) => folded(operator, a, b, span).map(Operand::Int),
            (
                a @ (Operand::Linear(..) | Operand::Int(_)),
                b @ (Operand::Linear(..) | Operand::Int(_)),
            ) => match subtract(a, b, span)? {
                Operand::Linear(plus, minus, rest) if plus.len() <= 1 && minus.len() <= 1 => {
                    let bound = folded(IntOp::Sub, NetworkExpr::Int(0), rest, span)?;
                    Ok(Operand::Condition(clock_bound(plus, minus, comparison, bound, span)))
                }
                difference => {
                    self.only_simulated(span, "a comparison of more than two clocks");
                    let zero = Number::Value(0.0);
                    let sides = Box::new((as_number(difference), zero));
                    Ok(Operand::Condition(Condition::Number(comparison, sides)))
                }
            },
            (
                a @ (Operand::Number(_) | Operand::Linear(..) | Operand::Int(_)),
                b @ (Operand::Number(_) | Operand::Linear(..) | Operand::Int(_)),
            ) => {
                let (a, b) = (as_number(a), as_number(b));
                if reads_clock(&a) || reads_clock(&b) {
                    self.only_simulated(
                        span,
                        "a clock compared with a number that is not an integer",
                    );
                    let sides = Box::new((a, b));
                    return Ok(Operand::Condition(Condition::Number(comparison, sides)));
                }
                Ok(Operand::Int(NetworkExpr::Compare(comparison, Box::new((a, b)))))
            }
            (Operand::Condition(_), _) | (_, Operand::Condition(_)) => {
                Err(error("type", span, "conditions on clocks cannot be compared")
                    .help("combine them with `and`, `or`, `not`"))
            }
            (a, _) => Err(unexpected(span, &a, "numbers")),
        }
    }

    fn arithmetic(
        &mut self,
        operator: IntOp,
        a: Operand,
        b: Operand,
        span: Span,
    ) -> Lowered<Operand> {
        match (a, b) {
            (Operand::Int(a), Operand::Int(b)) => folded(operator, a, b, span).map(Operand::Int),
            (
                a @ (Operand::Linear(..) | Operand::Int(_)),
                b @ (Operand::Linear(..) | Operand::Int(_)),
            ) if operator == IntOp::Add || operator == IntOp::Sub => {
                if operator == IntOp::Sub {
                    subtract(a, b, span)
                } else {
                    add(a, b, span)
                }
            }
            (
                a @ (Operand::Number(_) | Operand::Linear(..) | Operand::Int(_)),
                b @ (Operand::Number(_) | Operand::Linear(..) | Operand::Int(_)),
            ) => {
                let numeric = [
                    IntOp::Add,
                    IntOp::Sub,
                    IntOp::Mul,
                    IntOp::Div,
                    IntOp::Min,
                    IntOp::Max,
                    IntOp::Pow,
                    IntOp::Mod,
                ];
                if !numeric.contains(&operator) {
                    return Err(error("type", span, "this operator is for integers"));
                }
                let (a, b) = (as_number(a), as_number(b));
                if let (Number::Value(_), Number::Value(_)) = (&a, &b) {
                    let number = Number::Binary(operator, Box::new((a, b)));
                    return Ok(Operand::Number(Number::Value(self.known_number(&number, span)?)));
                }
                Ok(Operand::Number(Number::Binary(operator, Box::new((a, b)))))
            }
            (Operand::Condition(_), _) | (_, Operand::Condition(_)) => {
                Err(error("type", span, "a condition on clocks is no number"))
            }
            (a @ (Operand::Void(_) | Operand::Block(..)), _) | (_, a) => {
                Err(unexpected(span, &a, "numbers"))
            }
        }
    }
}
