//! Calls of functions, the model's own and those of the language.

use provoke_base::Span;

use super::operand::{Operand, folded};
use super::target::Target;
use super::{Lowered, Lowerer, error};
use crate::ast::{Expr as Tree, ExprKind};
use crate::network::{
    Address, Argument, CellKind, ClockRef, Draw, IntOp, Math, NetworkExpr, Number,
};
use crate::types::{Entity, Type};

impl Lowerer {
    pub(super) fn call(
        &mut self,
        function: &Tree,
        arguments: &[Tree],
        span: Span,
    ) -> Lowered<Operand> {
        if let ExprKind::Name(name) = &function.kind {
            match self.find(name) {
                None => return self.builtin(name, arguments, function.span),
                Some(Entity::Unfinished) => {
                    let message = format!("`{name}` calls itself");
                    return Err(error("recursion", span, message)
                        .label("recursive")
                        .help("write it with a loop"));
                }
                Some(Entity::Process(_)) => {
                    return Err(error("type", span, "a process has no value")
                        .help("write `.` and the name of a location or a variable behind it"));
                }
                Some(_) => {}
            }
        }
        let Target::Function(signature) = self.target(function)? else {
            return Err(error("type", function.span, "this is no function"));
        };
        if signature.parameters.len() != arguments.len() {
            let (wanted, found) = (signature.parameters.len(), arguments.len());
            let message = format!("found {found} arguments, expected {wanted}");
            return Err(error("arguments", span, message));
        }
        let mut passed = Vec::new();
        for ((ty, by_reference), tree) in signature.parameters.iter().zip(arguments) {
            passed.push(self.argument(ty, *by_reference, tree)?);
        }
        if let Some(what) = &signature.simulation_only {
            self.only_simulated(span, what);
        }
        Ok(match signature.result {
            Type::Void => Operand::Void(NetworkExpr::Call(signature.index, passed, span)),
            Type::Double => Operand::Number(Number::Call(signature.index, passed, span)),
            _ => Operand::Int(NetworkExpr::Call(signature.index, passed, span)),
        })
    }

    fn argument(&mut self, ty: &Type, by_reference: bool, tree: &Tree) -> Lowered<Argument> {
        if matches!(ty.element(), Type::Clock) {
            return match self.target(tree)? {
                Target::Clock { first, path, ty: found } if found == *ty => {
                    Ok(Argument::Clock(ClockRef { first, index: path.index(tree.span) }))
                }
                _ => Err(error("type", tree.span, format!("expected a `{}`", ty.show()))),
            };
        }
        if by_reference {
            return match self.target(tree)? {
                Target::Words { base, path, ty: found, .. } if found.same_shape(ty) => {
                    let index = path.index(tree.span);
                    let place = Address { base, index, kind: CellKind::Bool, span: tree.span };
                    Ok(Argument::Reference(place))
                }
                _ => Err(error(
                    "type",
                    tree.span,
                    format!("expected a variable of type `{}`", ty.show()),
                )),
            };
        }
        match ty {
            Type::Double => self.number(tree).map(Argument::Number),
            Type::Bool | Type::Int(..) => self.int(tree).map(Argument::Int),
            _ => {
                let (place, found) = self.block(tree)?;
                if !found.same_shape(ty) {
                    let message = format!("found `{}`, expected `{}`", found.show(), ty.show());
                    return Err(error("type", tree.span, message));
                }
                Ok(Argument::Words(place, ty.size() as u32))
            }
        }
    }

    fn builtin(&mut self, name: &str, arguments: &[Tree], span: Span) -> Lowered<Operand> {
        let math = |math, count| (Some(math), None, count);
        let draw = |draw, count| (None, Some(draw), count);
        let (math, draw, count) = match name {
            "abs" | "fabs" => math(Math::Abs, 1),
            "sqrt" => math(Math::Sqrt, 1),
            "exp" => math(Math::Exp, 1),
            "ln" => math(Math::Ln, 1),
            "log" | "log10" => math(Math::Log10, 1),
            "sin" => math(Math::Sin, 1),
            "cos" => math(Math::Cos, 1),
            "tan" => math(Math::Tan, 1),
            "floor" => math(Math::Floor, 1),
            "ceil" => math(Math::Ceil, 1),
            "round" => math(Math::Round, 1),
            "trunc" => math(Math::Trunc, 1),
            "pow" => math(Math::Pow, 2),
            "fmin" => math(Math::Min, 2),
            "fmax" => math(Math::Max, 2),
            "fint" => (None, None, 1),
            "random" => draw(Draw::Uniform, 1),
            "random_normal" => draw(Draw::Normal, 2),
            "random_poisson" => draw(Draw::Poisson, 1),
            "random_arcsine" | "random_beta" | "random_gamma" | "random_tri" | "random_weibull" => {
                return Err(crate::parse::unsupported(span, &format!("`{name}`")));
            }
            _ => return Err(self.unknown(name, span)),
        };
        if arguments.len() != count {
            let message = format!("found {} arguments, expected {count}", arguments.len());
            return Err(error("arguments", span, message));
        }
        if name == "abs"
            && let Operand::Int(value) = self.operand(&arguments[0])?
        {
            let opposite = folded(IntOp::Sub, NetworkExpr::Int(0), value.clone(), span)?;
            return folded(IntOp::Max, value, opposite, span).map(Operand::Int);
        }
        let numbers: Vec<Number> =
            arguments.iter().map(|tree| self.number(tree)).collect::<Lowered<_>>()?;
        if let Some(draw) = draw {
            self.only_simulated(span, &format!("`{name}`"));
            return Ok(Operand::Number(Number::Random(draw, numbers)));
        }
        Ok(match math {
            Some(math) => Operand::Number(Number::Math(math, numbers)),
            None => {
                let number = numbers.into_iter().next().expect("one argument");
                Operand::Int(NetworkExpr::Truncate(Box::new(number)))
            }
        })
    }
}
