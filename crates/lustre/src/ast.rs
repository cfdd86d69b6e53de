//! The tree of a file as it is written. Expressions live in one arena, so that deep ones
//! cost no stack when they are dropped.

use provoke_base::{IndexVec, Int, Rational, Span, define_id};
use provoke_model::{BinaryOp, UnaryOp};

define_id! {
    /// An expression of a file.
    ExprId,
}

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: Box<str>,
    pub(crate) span: Span,
}

/// A whole file.
#[derive(Default, Debug)]
pub(crate) struct Program {
    pub(crate) types: Vec<TypeDef>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) exprs: IndexVec<ExprId, Expr>,
}

/// `type name = body;`
#[derive(Debug)]
pub(crate) struct TypeDef {
    pub(crate) name: Name,
    pub(crate) body: TypeBody,
}

#[derive(Debug)]
pub(crate) enum TypeBody {
    Alias(TypeExpr),
    Struct(Vec<Decl>),
    Enum(Vec<Name>),
}

/// A type with array sizes behind it: `int[2][3]` is three times two integers.
#[derive(Clone, Debug)]
pub(crate) struct TypeExpr {
    pub(crate) base: TypeBase,
    pub(crate) sizes: Vec<ExprId>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeBase {
    Bool,
    Int,
    Real,
    Subrange(ExprId, ExprId),
    Named(Name),
}

/// `const name : type = value;`
#[derive(Debug)]
pub(crate) struct Constant {
    pub(crate) name: Name,
    pub(crate) ty: Option<TypeExpr>,
    pub(crate) value: ExprId,
}

/// A declared variable or field.
#[derive(Debug)]
pub(crate) struct Decl {
    pub(crate) name: Name,
    pub(crate) ty: TypeExpr,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) name: Name,
    pub(crate) inputs: Vec<Decl>,
    pub(crate) outputs: Vec<Decl>,
    pub(crate) locals: Vec<Decl>,
    pub(crate) equations: Vec<Equation>,
    pub(crate) asserts: Vec<ExprId>,
    pub(crate) properties: Vec<Property>,
    pub(crate) span: Span,
}

/// `a, b = expr;`
#[derive(Debug)]
pub(crate) struct Equation {
    pub(crate) targets: Vec<Name>,
    pub(crate) targets_span: Span,
    pub(crate) expr: ExprId,
}

#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: Option<String>,
    pub(crate) expr: ExprId,
}

#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    Bool(bool),
    Int(Int),
    Real(Rational),
    Name(Name),
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    If(ExprId, ExprId, ExprId),
    Arrow(ExprId, ExprId),
    Pre(ExprId),
    Call(Name, Vec<ExprId>),
    Condact(ExprId, ExprId, Vec<ExprId>),
    Tuple(Vec<ExprId>),
    Array(Vec<ExprId>),
    Record(Name, Vec<(Name, ExprId)>),
    Field(ExprId, Name),
    Index(ExprId, ExprId),
    WithField(ExprId, Name, ExprId),
    WithIndex(ExprId, ExprId, ExprId),
}
