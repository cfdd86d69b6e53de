//! What is written, as trees; names are not resolved yet.

use provoke_base::Span;

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// An expression with its place and the height of its tree.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
    pub(crate) height: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Int(i64),
    Double(f64),
    Bool(bool),
    Deadlock,
    Name(String),
    Index(Box<Expr>, Box<Expr>),
    Field(Box<Expr>, Name),
    Call(Box<Expr>, Vec<Expr>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The operator is there for `+=` and its like.
    Assign(Option<Binary>, Box<Expr>, Box<Expr>),
    /// `x++` and its like: by how much, and whether the old value is meant.
    Step(i64, bool, Box<Expr>),
    Quantified(Quantifier, Name, TypeExpr, Box<Expr>),
    /// `x'`
    Rate(Box<Expr>),
    /// `{1, 2}`, for initial values.
    List(Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Minus,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Imply,
    Or,
    And,
    Xor,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Min,
    Max,
    ShiftLeft,
    ShiftRight,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantifier {
    ForAll,
    Exists,
    Sum,
}

/// A type as written, with what stands in front of it.
#[derive(Clone, Debug)]
pub(crate) struct TypeExpr {
    pub(crate) kind: TypeKind,
    pub(crate) prefix: Prefix,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prefix {
    pub(crate) constant: bool,
    pub(crate) meta: bool,
    pub(crate) urgent: bool,
    pub(crate) broadcast: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeKind {
    Void,
    Bool,
    Int,
    Double,
    Text,
    Clock,
    Chan,
    Range(Box<Expr>, Box<Expr>),
    Scalar(Box<Expr>),
    Struct(Vec<Declarator>),
    Named(String),
}

/// A size of an array: how many, or a type whose values are the indices.
#[derive(Clone, Debug)]
pub(crate) enum Dimension {
    Count(Expr),
    Type(TypeExpr),
}

/// One declared name: `const int x[3] = {1, 2, 3}`, a parameter, or a field.
#[derive(Clone, Debug)]
pub(crate) struct Declarator {
    pub(crate) ty: TypeExpr,
    pub(crate) reference: bool,
    pub(crate) name: Name,
    pub(crate) dimensions: Vec<Dimension>,
    pub(crate) init: Option<Expr>,
}

#[derive(Clone, Debug)]
pub(crate) enum Declaration {
    Variable(Declarator),
    Type(Declarator),
    Function(Function),
    /// From the lowest to the highest; `None` is `default`.
    Priorities(Vec<Vec<Option<Expr>>>, Span),
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) result: TypeExpr,
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Declarator>,
    pub(crate) body: Block,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) statements: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Block(Block),
    Expr(Expr),
    /// `for (i : T)`
    Each(Name, TypeExpr, Box<Statement>),
    For(Box<[Option<Expr>; 3]>, Box<Statement>),
    While(Expr, Box<Statement>),
    DoWhile(Box<Statement>, Expr),
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    Return(Option<Expr>, Span),
    Break(Span),
    Continue(Span),
    Empty,
}

/// `P(const id_t i) = T(1, i);`
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Declarator>,
    pub(crate) template: Name,
    pub(crate) arguments: Vec<Expr>,
}

/// The system section.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) instances: Vec<Instance>,
    /// Processes, from the lowest priority to the highest.
    pub(crate) processes: Vec<Vec<Name>>,
    /// `progress` and `gantt`, which matter to nobody here.
    pub(crate) ignored: Vec<(Span, &'static str)>,
}

/// One side of a synchronisation.
#[derive(Clone, Debug)]
pub(crate) struct Sync {
    pub(crate) channel: Expr,
    pub(crate) sends: bool,
}

/// A query as written.
#[derive(Clone, Debug)]
pub(crate) enum Query {
    /// `E<>`, `A[]`, `E[]`, `A<>`
    Path(PathKind, Expr),
    LeadsTo(Expr, Expr),
    /// `sup{p}: e, f`; true for `sup`.
    Bounds(bool, Option<Expr>, Vec<Expr>),
    /// `Pr[<=T](<> p)`, possibly compared with a number.
    Probability(Box<Chance>, Option<(Binary, f64)>),
    /// `Pr[..](..) >= Pr[..](..)`
    Comparison(Box<(Chance, Chance)>),
    /// `E[<=T; N](max: e)`; true for `max`.
    Expectation(Box<RunBound>, bool, Expr),
    /// `simulate[<=T; N] {e, f}`
    Simulate(Box<RunBound>, Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathKind {
    Possibly,
    Always,
    PotentiallyAlways,
    Eventually,
}

/// How long a run is and how many there are.
#[derive(Clone, Debug)]
pub(crate) struct RunBound {
    pub(crate) measure: Measure,
    pub(crate) limit: Expr,
    pub(crate) runs: Option<Expr>,
}

#[derive(Clone, Debug)]
pub(crate) enum Measure {
    Time,
    Steps,
    Clock(Expr),
}

/// `[<=T](<> p)`
#[derive(Clone, Debug)]
pub(crate) struct Chance {
    pub(crate) bound: RunBound,
    /// True for `<>`, false for `[]`.
    pub(crate) eventually: bool,
    pub(crate) condition: Expr,
}
