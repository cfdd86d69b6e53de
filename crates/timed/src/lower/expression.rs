//! Expressions: what names stand for, and which of the kinds of values come out.

use std::rc::Rc;

use provoke_base::Span;
use provoke_base::diagnostic::did_you_mean;

use super::operand::{
    Operand, add, all, any, as_condition, as_number, clock_bound, folded, int_op, negated, not,
    opposite, reads_clock, same_words, subtract, truth_value, unexpected, whole,
};
use super::{Lowered, Lowerer, error};
use crate::ast::{Binary, Expr as Tree, ExprKind, Name, Quantifier, TypeExpr, Unary};
use crate::network::{
    Base, CellKind, ClockRef, Comparison, Condition, Expr, Index, IntOp, Number, Place, Subscript,
};
use crate::parse::{RED_ZONE, STACK};
use crate::types::{Entity, ProcessName, Signature, Type};

/// What a name with brackets and fields behind it stands for.
pub(super) enum Target {
    Words { base: Base, path: Path, ty: Type, constant: bool },
    Clock { first: Result<u32, u32>, path: Path, ty: Type },
    Channel { first: usize, path: Path, ty: Type },
    Value(i64),
    Double(f64),
    Process(Rc<ProcessName>),
    Function(Rc<Signature>),
    At(u32, u32),
}

/// The way to an element: a known part and a computed part.
#[derive(Clone, Default)]
pub(super) struct Path {
    known: i64,
    computed: Vec<Subscript>,
}

impl Path {
    pub(super) fn index(mut self, span: Span) -> Index {
        if self.computed.is_empty() {
            return Index::At(self.known as usize);
        }
        if self.known > 0 {
            let (index, stride) = (Expr::Int(1), self.known);
            self.computed.push(Subscript { index, low: 0, count: 2, stride, span });
        }
        Index::Computed(self.computed)
    }
}

impl Lowerer {
    /// An integer or a truth value.
    pub(super) fn int(&mut self, tree: &Tree) -> Lowered<Expr> {
        match self.operand(tree)? {
            Operand::Int(expr) => Ok(expr),
            Operand::Condition(condition) => {
                self.only_simulated(tree.span, "a condition on clocks used as a value");
                Ok(Expr::Holds(Box::new(condition)))
            }
            other => Err(unexpected(tree.span, &other, "an integer or a truth value")),
        }
    }

    /// An integer that is known here.
    pub(super) fn constant(&mut self, tree: &Tree) -> Lowered<i64> {
        match self.int(tree)? {
            Expr::Int(value) => Ok(value),
            // A function of constants.
            Expr::Call(..) if self.frame.is_none() => {
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
    pub(super) fn block(&mut self, tree: &Tree) -> Lowered<(Place, Type)> {
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
            ExprKind::Int(value) => Operand::Int(Expr::Int(*value)),
            ExprKind::Bool(value) => Operand::Int(Expr::Int(i64::from(*value))),
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
                let zero = Operand::Int(Expr::Int(0));
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
                Operand::Int(Expr::Step(Box::new(place), *by, *old))
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
            Target::Value(value) => Operand::Int(Expr::Int(value)),
            Target::Double(value) => Operand::Number(Number::Value(value)),
            Target::At(process, location) => Operand::Int(Expr::At(process, location)),
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
                        _ => Operand::Int(Expr::Int(word)),
                    });
                }
                match ty.kind() {
                    Some(kind) => {
                        let place = Box::new(Place { base, index, kind, span });
                        match kind {
                            CellKind::Double => Operand::Number(Number::Load(place)),
                            _ => Operand::Int(Expr::Load(place)),
                        }
                    }
                    None => Operand::Block(Place { base, index, kind: CellKind::Bool, span }, ty),
                }
            }
            Target::Clock { first, path, ty: Type::Clock } => {
                let clock = ClockRef { first, index: path.index(span) };
                Operand::Linear(vec![clock], Vec::new(), Expr::Int(0))
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

    pub(super) fn target(&mut self, tree: &Tree) -> Lowered<Target> {
        match &tree.kind {
            ExprKind::Name(name) => match self.find(name) {
                Some(entity) => entity_target(&entity.clone(), name, tree.span),
                None => Err(self.unknown(name, tree.span)),
            },
            ExprKind::Index(inside, index) => {
                let target = self.target(inside)?;
                self.element(target, index, tree.span)
            }
            ExprKind::Field(inside, field) => {
                let target = self.target(inside)?;
                self.field(target, field)
            }
            // `Train(3)` as a process.
            ExprKind::Call(inside, arguments) => {
                let Target::Process(process) = self.target(inside)? else {
                    return Err(error("type", tree.span, "this has no parts"));
                };
                let values: Vec<i64> =
                    arguments.iter().map(|a| self.constant(a)).collect::<Lowered<_>>()?;
                let found = process.instances.iter().find(|(known, _)| *known == values);
                let Some((_, index)) = found else {
                    let message = "there is no process with these arguments";
                    return Err(error("unknown-name", tree.span, message));
                };
                let instances = vec![(Vec::new(), *index)];
                Ok(Target::Process(Rc::new(ProcessName { instances, maker: process.maker })))
            }
            _ => Err(error("type", tree.span, "this is no variable").label("expected a variable")),
        }
    }

    fn element(&mut self, target: Target, index: &Tree, span: Span) -> Lowered<Target> {
        let (ty, mut path) = match &target {
            Target::Words { ty, path, .. }
            | Target::Clock { ty, path, .. }
            | Target::Channel { ty, path, .. } => (ty.clone(), path.clone()),
            _ => return Err(error("type", span, "this is no array")),
        };
        let Type::Array(element, low, count) = ty else {
            return Err(error("type", span, format!("`{}` is no array", ty.show())));
        };
        let position = self.int(index)?;
        let stride = element.size();
        match position {
            Expr::Int(value) if !(low..low + count).contains(&value) => {
                let last = low + count - 1;
                let message = format!("index {value} is outside {low}..{last}");
                return Err(error("range", index.span, message));
            }
            Expr::Int(value) => path.known += (value - low) * stride,
            position => path.computed.push(Subscript {
                index: position,
                low,
                count,
                stride,
                span: index.span,
            }),
        }
        let ty = (*element).clone();
        Ok(match target {
            Target::Words { base, constant, .. } => Target::Words { base, path, ty, constant },
            Target::Clock { first, .. } => Target::Clock { first, path, ty },
            Target::Channel { first, .. } => Target::Channel { first, path, ty },
            other => other,
        })
    }

    fn field(&mut self, target: Target, field: &Name) -> Lowered<Target> {
        if let Target::Process(process) = &target {
            return self.member(process, field);
        }
        let Target::Words { base, mut path, ty: Type::Struct(fields), constant } = target else {
            return Err(error("type", field.span, "this has no fields"));
        };
        for (name, ty) in fields.iter() {
            if *name == field.text {
                return Ok(Target::Words { base, path, ty: ty.clone(), constant });
            }
            path.known += ty.size();
        }
        let known = fields.iter().map(|(name, _)| name.as_str());
        Err(error("unknown-name", field.span, format!("there is no field `{}`", field.text))
            .maybe_help(did_you_mean(&field.text, known)))
    }

    /// A location or a variable of a process.
    fn member(&mut self, process: &ProcessName, field: &Name) -> Lowered<Target> {
        let [(values, index)] = process.instances.as_slice() else {
            return Err(error("type", field.span, "there are several processes of this name")
                .help("say which one, as in `Train(0).Cross`"));
        };
        if !values.is_empty() {
            return Err(error("type", field.span, "this process has parameters")
                .help("say which one, as in `Train(0).Cross`"));
        }
        let known = &self.network.processes[*index];
        let at = known.locations.iter().position(|location| location.name == field.text);
        if let Some(location) = at {
            return Ok(Target::At(*index as u32, location as u32));
        }
        match self.process_scopes[*index].get(&field.text) {
            Some((entity, _)) => entity_target(&entity.clone(), &field.text, field.span),
            None => {
                let names = known.locations.iter().map(|location| location.name.as_str());
                let names = names.chain(self.process_scopes[*index].keys().map(String::as_str));
                let message = format!("`{}` has no `{}`", known.name, field.text);
                Err(error("unknown-name", field.span, message)
                    .maybe_help(did_you_mean(&field.text, names)))
            }
        }
    }

    /// A variable that may be changed.
    pub(super) fn writable(&mut self, tree: &Tree) -> Lowered<Place> {
        match self.target(tree)? {
            Target::Words { base, path, ty, constant: false } if ty.kind().is_some() => Ok(Place {
                base,
                index: path.index(tree.span),
                kind: ty.kind().expect("checked above"),
                span: tree.span,
            }),
            Target::Words { constant: true, .. } | Target::Value(_) | Target::Double(_) => {
                Err(error("constant", tree.span, "a constant cannot be changed"))
            }
            _ => Err(error("type", tree.span, "this cannot be changed here")),
        }
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
                Expr::Holds(Box::new(condition))
            }
            other => return Err(unexpected(from.span, &other, "an integer or a truth value")),
        };
        // Whatever is not zero counts as true.
        let value = match place.kind {
            CellKind::Bool => truth_value(value),
            _ => value,
        };
        Ok(Operand::Int(Expr::Store(Box::new(place), Box::new(value))))
    }

    fn choice(&mut self, condition: &Tree, then: &Tree, otherwise: &Tree) -> Lowered<Operand> {
        let chosen = self.int(condition)?;
        if let Expr::Int(value) = chosen {
            return self.operand(if value != 0 { then } else { otherwise });
        }
        let (a, b) = (self.operand(then)?, self.operand(otherwise)?);
        Ok(match (a, b) {
            (Operand::Int(a), Operand::Int(b)) => {
                Operand::Int(Expr::Choice(Box::new((chosen, a, b))))
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
            Quantifier::Sum => parts.pop().unwrap_or(Operand::Int(Expr::Int(0))),
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
            IntOp::Eq => Comparison::Eq,
            IntOp::Ne => Comparison::Ne,
            IntOp::Lt => Comparison::Lt,
            _ => Comparison::Le,
        };
        let (a, b) = (whole(a), whole(b));
        match (a, b) {
            (Operand::Int(a), Operand::Int(b)) => folded(operator, a, b, span).map(Operand::Int),
            (
                a @ (Operand::Linear(..) | Operand::Int(_)),
                b @ (Operand::Linear(..) | Operand::Int(_)),
            ) => match subtract(a, b, span)? {
                Operand::Linear(plus, minus, rest) if plus.len() <= 1 && minus.len() <= 1 => {
                    let bound = folded(IntOp::Sub, Expr::Int(0), rest, span)?;
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
                Ok(Operand::Int(Expr::Compare(comparison, Box::new((a, b)))))
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

fn entity_target(entity: &Entity, name: &str, span: Span) -> Lowered<Target> {
    let path = Path::default();
    Ok(match entity.clone() {
        Entity::Value(value) => Target::Value(value),
        Entity::Double(value) => Target::Double(value),
        Entity::Variable { ty, base, constant } => Target::Words { base, path, ty, constant },
        Entity::Clock { ty, first } => Target::Clock { first, path, ty },
        Entity::Channel { ty, first } => Target::Channel { first, path, ty },
        Entity::Function(signature) => Target::Function(signature),
        Entity::Process(process) => Target::Process(process),
        Entity::Type(_) | Entity::Template(_) | Entity::Unfinished => {
            return Err(error("type", span, format!("`{name}` is no variable")));
        }
    })
}
