//! Types, and what names stand for.

use std::collections::BTreeMap;
use std::rc::Rc;

use provoke_base::Span;

use crate::network::{Base, CellKind};

/// A type with known sizes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    Void,
    Bool,
    Int(i64, i64),
    Double,
    Clock,
    Chan,
    /// Elements, the first index, how many.
    Array(Rc<Type>, i64, i64),
    Struct(Rc<Vec<(String, Type)>>),
}

impl Type {
    /// The bounds of a plain `int`.
    pub(crate) const PLAIN: Type = Type::Int(-32768, 32767);

    /// How many words, clocks or channels a variable takes.
    pub(crate) fn size(&self) -> i64 {
        match self {
            Type::Void => 0,
            Type::Array(element, _, count) => element.size().saturating_mul(*count),
            Type::Struct(fields) => {
                fields.iter().map(|(_, ty)| ty.size()).fold(0, i64::saturating_add)
            }
            _ => 1,
        }
    }

    /// The type without arrays around it.
    pub(crate) fn element(&self) -> &Type {
        match self {
            Type::Array(element, ..) => element.element(),
            other => other,
        }
    }

    /// What one word of a scalar type may hold.
    pub(crate) fn kind(&self) -> Option<CellKind> {
        match self {
            Type::Bool => Some(CellKind::Bool),
            Type::Int(low, high) => Some(CellKind::Int(*low, *high)),
            Type::Double => Some(CellKind::Double),
            _ => None,
        }
    }

    /// The values an index, a selection or a parameter of this type runs through.
    pub(crate) fn range(&self) -> Option<(i64, i64)> {
        match self {
            Type::Bool => Some((0, 1)),
            Type::Int(low, high) => Some((*low, *high)),
            _ => None,
        }
    }

    /// What each word may hold, with the end of its name.
    pub(crate) fn words(&self, name: &str, found: &mut Vec<(String, CellKind)>) {
        match self {
            Type::Array(element, low, count) => {
                (0..*count).for_each(|i| element.words(&format!("{name}[{}]", low + i), found));
            }
            Type::Struct(fields) => {
                fields.iter().for_each(|(field, ty)| ty.words(&format!("{name}.{field}"), found));
            }
            _ => found.extend(self.kind().map(|kind| (name.to_string(), kind))),
        }
    }

    /// Whether a clock or a channel hides inside a struct.
    pub(crate) fn holds_clocks(&self) -> bool {
        match self {
            Type::Clock | Type::Chan => true,
            Type::Array(element, ..) => element.holds_clocks(),
            Type::Struct(fields) => fields.iter().any(|(_, ty)| ty.holds_clocks()),
            _ => false,
        }
    }

    /// How it is called in messages.
    pub(crate) fn show(&self) -> String {
        match self {
            Type::Void => "void".to_string(),
            Type::Bool => "bool".to_string(),
            Type::Int(low, high) if self != &Type::PLAIN => format!("int[{low},{high}]"),
            Type::Int(..) => "int".to_string(),
            Type::Double => "double".to_string(),
            Type::Clock => "clock".to_string(),
            Type::Chan => "chan".to_string(),
            Type::Array(element, _, count) => format!("{}[{count}]", element.show()),
            Type::Struct(_) => "struct".to_string(),
        }
    }

    /// Whether words can be copied from one to the other.
    pub(crate) fn same_shape(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Array(a, _, n), Type::Array(b, _, m)) => n == m && a.same_shape(b),
            (Type::Struct(a), Type::Struct(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| x.1.same_shape(&y.1))
            }
            (Type::Bool | Type::Int(..), Type::Bool | Type::Int(..)) => true,
            (Type::Double, Type::Double) => true,
            _ => false,
        }
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Entity {
    Type(Type),
    /// A known integer or truth value.
    Value(i64),
    /// A known floating-point number.
    Double(f64),
    Variable {
        ty: Type,
        base: Base,
        constant: bool,
    },
    /// The first clock; `Err` of a frame slot that holds it.
    Clock {
        ty: Type,
        first: Result<u32, u32>,
    },
    Channel {
        ty: Type,
        first: usize,
    },
    Function(Rc<Signature>),
    /// A function whose body is being read.
    Unfinished,
    Template(usize),
    /// A process, or one made for each value of the free parameters.
    Process(Rc<ProcessName>),
}

/// How a function is called.
#[derive(Debug)]
pub(crate) struct Signature {
    pub(crate) index: u32,
    pub(crate) result: Type,
    pub(crate) parameters: Vec<(Type, bool)>,
    /// Draws randomly, or reads clocks: not for zones.
    pub(crate) simulation_only: Option<String>,
}

/// What a process name in a query stands for.
#[derive(Debug)]
pub(crate) struct ProcessName {
    /// The index of the process for each list of arguments; an empty list without free
    /// parameters.
    pub(crate) instances: Vec<(Vec<i64>, usize)>,
    /// What it is made of.
    pub(crate) maker: usize,
}

/// The names of one block, template or file, with the places of their declarations.
pub(crate) type Scope = BTreeMap<String, (Entity, Span)>;
