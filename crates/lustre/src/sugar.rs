//! What the dialects add to the language and plain Lustre can express: it is read as it is
//! written, and `lower` replaces it before the file is checked.

use provoke_base::Span;
use provoke_model::MachineInt;

use crate::ast::{Decl, ExprId, Name, TypeExpr};

/// An expression that others express.
#[derive(Clone, Debug)]
pub enum Sugar {
    /// `e^n`: an array of `n` equal elements.
    Repeat(ExprId, ExprId),
    /// `e[k := v; l := w]`, `(e with .f[i] = v)`: the places and what stands there now.
    Update(ExprId, Vec<(Vec<Accessor>, ExprId)>),
    /// `'(a, b)`
    TupleValue(Vec<ExprId>),
    /// `t.%0`
    Projection(ExprId, usize),
    /// `(e : T)`
    Ascription(ExprId, TypeExpr),
    /// `forall (x: T) p`, `exists (x: T) p`
    Quantified(Quantified),
    /// `match e with | C(x) : a | _ : b end`
    Match(ExprId, Vec<(Pattern, ExprId)>),
    /// `C?(e)`: whether a value was built by a constructor.
    Tester(Name, ExprId),
    /// `f@<T>(arguments)`
    TypedCall(Name, Vec<TypeExpr>, Vec<ExprId>),
    /// `C@<T>`
    TypedName(Name, Vec<TypeExpr>),
    /// `R@<T> { f = e }`
    TypedRecord(Name, Vec<TypeExpr>, Vec<(Name, ExprId)>),
    /// `e[high:low]`: some bits of a machine integer.
    Bits(ExprId, ExprId, ExprId),
    /// `a ++ b`: the bits of one machine integer before those of another.
    Concat(ExprId, ExprId),
}

/// One step from a value to a part of it.
#[derive(Clone, Debug)]
pub enum Accessor {
    /// `.f`
    Field(Name),
    /// `[k]`: an index, the number of a component or the name of a field.
    Key(ExprId),
}

/// A quantified expression.
#[derive(Clone, Debug)]
pub struct Quantified {
    /// `forall` rather than `exists`.
    pub universal: bool,
    /// The bound variables.
    pub variables: Vec<Decl>,
    /// What is said of them.
    pub body: ExprId,
}

/// What a case of `match` asks of a value.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// `_`
    Anything(Span),
    /// `x`, or a constructor without fields.
    Name(Name),
    /// `C(p, q)`
    Constructor(Name, Vec<Pattern>),
}

impl Pattern {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Pattern::Anything(span) => *span,
            Pattern::Name(name) | Pattern::Constructor(name, _) => name.span,
        }
    }
}

/// A type that others express.
#[derive(Clone, Debug)]
pub enum TypeSugar {
    /// `[int, bool]`
    Tuple(Vec<TypeExpr>),
    /// `subtype { x: T | p }`
    Refined(Name, TypeExpr, ExprId),
    /// `subrange [1, *] of int`: a missing bound is none.
    Open(Option<ExprId>, Option<ExprId>),
    /// `Pair<int; bool>`
    Applied(Name, Vec<TypeExpr>),
}

/// How many bits `e[high:low]` has.
pub(crate) fn width(high: i64, low: i64) -> Option<u8> {
    let bits = high.checked_sub(low)?.checked_add(1)?;
    u8::try_from(bits).ok().filter(|bits| (1..=MachineInt::MAX_BITS).contains(bits))
}
