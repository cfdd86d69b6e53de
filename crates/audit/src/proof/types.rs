//! Whether the expressions of a certificate mean something: their types, and how many steps back
//! their variables are.

use std::cell::RefCell;
use std::sync::Arc;

use provoke_model::{BinaryOp, Type, UnaryOp};
use rustc_hash::FxHashMap;

use crate::certificate::{Certificate, Node as Written, Term};
use crate::form::{Node, named, type_of};
use crate::instances::Model;

/// What is known about an expression: its type and the nearest step that it looks at, none for
/// a constant.
#[derive(Clone, Debug)]
pub(super) struct Meaning {
    pub(super) ty: Type,
    nearest: Option<u32>,
}

/// The meaning of expressions, worked out where it is asked for.
pub(super) struct Meanings<'a> {
    certificate: &'a Certificate,
    context: Context,
    known: RefCell<FxHashMap<Term, Result<Meaning, String>>>,
}

impl<'a> Meanings<'a> {
    /// Expressions over a model and the mutant beside it.
    pub(super) fn new(
        certificate: &'a Certificate,
        model: &Arc<Model>,
        mutant: Option<&Arc<Model>>,
    ) -> Meanings<'a> {
        let mut constants = FxHashMap::default();
        for (id, found) in model.tree.types.enums.entries() {
            let typed = |name: &String| (name.clone(), Type::Enum(id));
            constants.extend(found.constants.iter().map(typed));
        }
        let context = Context { model: model.clone(), mutant: mutant.cloned(), constants };
        Meanings { certificate, context, known: RefCell::default() }
    }

    /// Why an expression is no fact about a state, if it is none.
    pub(super) fn refuse(&self, term: Term) -> Option<String> {
        match self.meaning(term) {
            Err(why) => Some(why),
            Ok(meaning) if meaning.ty != Type::Bool => Some("a fact is not Boolean".to_string()),
            Ok(Meaning { nearest: Some(0), .. }) => {
                Some("a fact speaks about the step after the state".to_string())
            }
            Ok(_) => None,
        }
    }

    /// The type of an expression that has a meaning.
    pub(super) fn ty(&self, term: Term) -> Option<Type> {
        self.meaning(term).ok().map(|meaning| meaning.ty)
    }

    fn meaning(&self, term: Term) -> Result<Meaning, String> {
        if let Some(known) = self.known.borrow().get(&term) {
            return known.clone();
        }
        let written = &self.certificate.terms[term];
        let meaning =
            stacker::maybe_grow(64 << 10, 1 << 20, || self.context.meaning(written, self));
        self.known.borrow_mut().insert(term, meaning.clone());
        meaning
    }
}

struct Context {
    model: Arc<Model>,
    mutant: Option<Arc<Model>>,
    constants: FxHashMap<String, Type>,
}

impl Context {
    fn meaning(&self, written: &Written, known: &Meanings<'_>) -> Result<Meaning, String> {
        let of = |term: &Term| known.meaning(*term);
        let constant = |ty| Ok(Meaning { ty, nearest: None });
        match written {
            Written::Bool(_) => constant(Type::Bool),
            Written::Int(_) => constant(Type::Int),
            Written::Real(_) => constant(Type::Real),
            Written::Constant(name) => match self.constants.get(name.as_str()) {
                Some(ty) => constant(*ty),
                None => Err(format!("`{name}` is no constant of the model")),
            },
            Written::Var { name, .. } if fault_node(self.mutant.as_deref(), name).is_some() => {
                Ok(Meaning { ty: Type::Bool, nearest: Some(0) })
            }
            Written::Var { name, mutant } => {
                let model = if *mutant { self.mutant.as_ref() } else { Some(&self.model) };
                let found = model.and_then(|model| Some((model, node(model, name)?)));
                let Some((model, node)) = found else {
                    return Err(format!("`{name}` is no variable of the model"));
                };
                Ok(Meaning { ty: type_of(model, node).0, nearest: Some(0) })
            }
            Written::Unary(op, operand) => {
                let operand = of(operand)?;
                let fits = match op {
                    UnaryOp::Not => operand.ty == Type::Bool,
                    UnaryOp::Neg => is_number(operand.ty),
                    UnaryOp::ToReal => operand.ty == Type::Int,
                    UnaryOp::Floor => operand.ty == Type::Real,
                    // Certificates are not written with these.
                    UnaryOp::Wrap(_)
                    | UnaryOp::BitNot(_)
                    | UnaryOp::Clamp(_)
                    | UnaryOp::Round(_) => false,
                };
                let ty = op.result_type(operand.ty);
                if fits { Ok(Meaning { ty, ..operand }) } else { Err(ill_typed(op.symbol())) }
            }
            Written::Binary(op, left, right) => binary(*op, of(left)?, of(right)?),
            Written::If(condition, then, otherwise) => {
                let (condition, then, otherwise) = (of(condition)?, of(then)?, of(otherwise)?);
                if condition.ty != Type::Bool || then.ty != otherwise.ty {
                    return Err(ill_typed("if"));
                }
                let nearest = nearer(condition.nearest, nearer(then.nearest, otherwise.nearest));
                Ok(Meaning { ty: then.ty, nearest })
            }
            Written::Arrow(first, later) => {
                let (first, later) = (of(first)?, of(later)?);
                if first.ty != later.ty {
                    return Err(ill_typed("->"));
                }
                // Whether it is the first step is about the step, as a variable is.
                Ok(Meaning { ty: first.ty, nearest: Some(0) })
            }
            Written::Pre(operand) => {
                let operand = of(operand)?;
                Ok(Meaning { nearest: operand.nearest.map(|steps| steps + 1), ..operand })
            }
        }
    }
}

/// The node that a certificate's variable stands for.
pub(super) fn node(model: &Model, name: &str) -> Option<Node> {
    named(model, name)
}

/// The node that a name stands for if a condition of the mutant may be wrong once. No name of a model
/// has a colon.
pub(super) fn fault_node(mutant: Option<&Model>, name: &str) -> Option<Node> {
    match name {
        _ if !mutant?.may_be_wrong_once() => None,
        "fault:right" => Some(Node::Right),
        "fault:over" => Some(Node::Over),
        _ => None,
    }
}

fn binary(op: BinaryOp, left: Meaning, right: Meaning) -> Result<Meaning, String> {
    let fits = match op {
        _ if op.is_logical() => left.ty == Type::Bool,
        BinaryOp::Eq | BinaryOp::Ne => true,
        BinaryOp::IntDiv | BinaryOp::Mod => left.ty == Type::Int,
        BinaryOp::Div => left.ty == Type::Real,
        _ => is_number(left.ty),
    };
    if !fits || left.ty != right.ty {
        return Err(ill_typed(op.symbol()));
    }
    Ok(Meaning { ty: op.result_type(left.ty), nearest: nearer(left.nearest, right.nearest) })
}

fn is_number(ty: Type) -> bool {
    matches!(ty, Type::Int | Type::Real)
}

fn nearer(one: Option<u32>, other: Option<u32>) -> Option<u32> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

fn ill_typed(symbol: &str) -> String {
    format!("`{symbol}` has operands of wrong types")
}
