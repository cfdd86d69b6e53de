//! The tree of a file as it is written. Expressions live in one arena, so that deep ones
//! cost no stack when they are dropped.

use provoke_base::{IndexVec, Int, Rational, Span, define_id};
use provoke_model::{BinaryOp, MachineInt, PropertyGoal, UnaryOp};

use crate::sugar::{Sugar, TypeSugar};

define_id! {
    /// An expression of a file.
    ExprId,
}

/// A name and where it stands.
#[derive(Clone, Debug)]
pub struct Name {
    /// The text.
    pub text: Box<str>,
    /// Where it stands.
    pub span: Span,
}

/// A whole file.
#[derive(Default, Debug)]
pub struct AstProgram {
    /// `type` declarations.
    pub types: Vec<TypeDef>,
    /// `const` declarations.
    pub constants: Vec<Constant>,
    /// The nodes.
    pub nodes: Vec<AstNode>,
    /// Contracts that nodes import.
    pub contracts: Vec<AstContractNode>,
    /// Every `merge` by the values of an enumeration.
    pub merges: Vec<AstMerge>,
    /// All expressions, operands before what they are part of.
    pub exprs: IndexVec<ExprId, AstExpr>,
    /// Whether it is written in one of the dialects: something in it must be expressed by plainer things
    /// before it is checked, or its types are to be shown to hold, as they are there.
    pub sugared: bool,
}

/// `merge clock (A -> a) (B -> b)`, which is read as choices between its cases.
#[derive(Clone, Debug)]
pub struct AstMerge {
    /// The clock in the first of the choices.
    pub clock: ExprId,
    /// The values that have cases.
    pub cases: Vec<Name>,
    /// Where it stands.
    pub span: Span,
}

/// `type name = body;`
#[derive(Debug)]
pub struct TypeDef {
    /// The name.
    pub name: Name,
    /// The types it leaves open: `type Pair<T> = ...`.
    pub params: Vec<Name>,
    /// What it stands for.
    pub body: TypeBody,
}

/// What a type declaration says.
#[derive(Debug)]
pub enum TypeBody {
    /// Another name for a type.
    Alias(TypeExpr),
    /// Fields.
    Struct(Vec<Decl>),
    /// Constants.
    Enum(Vec<Name>),
    /// Constructors with their fields.
    Datatype(Vec<(Name, Vec<Decl>)>),
    /// Nothing: values of it can only be compared.
    Free,
}

/// A type with array sizes behind it: `int[2][3]` is three times two integers.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// The innermost type.
    pub base: TypeBase,
    /// The array sizes, innermost first.
    pub sizes: Vec<ExprId>,
    /// Where it stands.
    pub span: Span,
}

/// A type without array sizes.
#[derive(Clone, Debug)]
pub enum TypeBase {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `real`
    Real,
    /// `subrange [low, high] of int`
    Subrange(ExprId, ExprId),
    /// `int8`, `uint<12>`
    Machine(MachineInt),
    /// A declared type.
    Named(Name),
    /// One that is expressed by others before the file is checked.
    Sugar(Box<TypeSugar>),
}

/// `const name : type = value;`
#[derive(Debug)]
pub struct Constant {
    /// The name.
    pub name: Name,
    /// The type, if it is given.
    pub ty: Option<TypeExpr>,
    /// The value; one constant without any has the same in every step, and nobody knows which.
    pub value: Option<ExprId>,
}

/// A declared variable or field.
#[derive(Clone, Debug)]
pub struct Decl {
    /// The name.
    pub name: Name,
    /// The type.
    pub ty: TypeExpr,
    /// Whether it has the same value in every step.
    pub constant: bool,
}

/// `node name(inputs) returns (outputs); ...`
#[derive(Debug)]
pub struct AstNode {
    /// The name.
    pub name: Name,
    /// The types it leaves open: `node f<T>(...)`.
    pub type_params: Vec<Name>,
    /// Declared inputs.
    pub inputs: Vec<Decl>,
    /// Declared outputs.
    pub outputs: Vec<Decl>,
    /// Declared local variables.
    pub locals: Vec<Decl>,
    /// The equations in the order they are written.
    pub equations: Vec<AstEquation>,
    /// What `assert` promises.
    pub asserts: Vec<ExprId>,
    /// What `--%PROPERTY` and `check` promise.
    pub properties: Vec<AstProperty>,
    /// What it assumes and promises beside its body.
    pub contract: Option<AstContract>,
    /// Whether it has no memory: a `function`.
    pub function: bool,
    /// Whether its body is known to callers.
    pub body: Body,
    /// Variables that no equation defines: they have any value that the constraints allow.
    pub free: Vec<Name>,
    /// What is known of the values of free variables.
    pub constraints: Vec<ExprId>,
    /// Where it stands.
    pub span: Span,
}

/// Whether the body of a node is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Body {
    /// It is written, and callers rely on it.
    Known,
    /// It is written, but callers rely on the contract alone.
    Opaque,
    /// It is not written.
    Imported,
}

/// `contract name(inputs) returns (outputs); let ... tel`
#[derive(Debug)]
pub struct AstContractNode {
    /// The name.
    pub name: Name,
    /// The types it leaves open.
    pub type_params: Vec<Name>,
    /// Declared inputs.
    pub inputs: Vec<Decl>,
    /// Declared outputs.
    pub outputs: Vec<Decl>,
    /// What it says.
    pub contract: AstContract,
}

/// What a node assumes and promises beside its body.
#[derive(Default, Debug)]
pub struct AstContract {
    /// `var x: type = expr;` and `const`, with the variables that they declare.
    pub ghosts: Vec<(Vec<Decl>, AstEquation)>,
    /// `assume expr;`
    pub assumes: Vec<AstClause>,
    /// `guarantee expr;`
    pub guarantees: Vec<AstClause>,
    /// `mode name (require expr; ensure expr;);`
    pub modes: Vec<AstMode>,
    /// `import contract(inputs) returns (outputs);`
    pub imports: Vec<AstImport>,
}

/// One thing that a contract says.
#[derive(Clone, Debug)]
pub struct AstClause {
    /// The name, if it is given.
    pub name: Option<String>,
    /// The expression.
    pub expr: ExprId,
}

/// A situation with what is promised in it.
#[derive(Debug)]
pub struct AstMode {
    /// The name.
    pub name: Name,
    /// When it is active.
    pub requires: Vec<AstClause>,
    /// What is promised then.
    pub ensures: Vec<AstClause>,
}

/// The use of a contract by another one.
#[derive(Debug)]
pub struct AstImport {
    /// The contract.
    pub contract: Name,
    /// The types that it leaves open stand for these.
    pub types: Vec<TypeExpr>,
    /// What its inputs stand for.
    pub inputs: Vec<ExprId>,
    /// What its outputs stand for.
    pub outputs: Vec<ExprId>,
}

/// `a, b = expr;`
#[derive(Debug)]
pub struct AstEquation {
    /// The defined variables.
    pub targets: Vec<Name>,
    /// Where they stand.
    pub targets_span: Span,
    /// The index variables of an array's definition: `a[i][j] = expr;`
    pub indices: Vec<Name>,
    /// The expression.
    pub expr: ExprId,
}

/// `--%PROPERTY expr;`, `check expr;`
#[derive(Debug)]
pub struct AstProperty {
    /// The name, if it is given.
    pub name: Option<String>,
    /// What never becomes false; of something to be reached, the opposite.
    pub expr: ExprId,
    /// What is asked of it.
    pub goal: PropertyGoal,
}

/// One occurrence of an expression.
#[derive(Clone, Debug)]
pub struct AstExpr {
    /// What it is.
    pub kind: AstExprKind,
    /// Where it stands.
    pub span: Span,
}

/// An operator on the bits of machine integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitOp {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `lsh`
    ShiftLeft,
    /// `rsh`
    ShiftRight,
}

impl BitOp {
    /// The operator on integers of this type.
    pub fn of_type(self, ty: MachineInt) -> BinaryOp {
        match self {
            BitOp::And => BinaryOp::BitAnd(ty),
            BitOp::Or => BinaryOp::BitOr(ty),
            BitOp::ShiftLeft => BinaryOp::ShiftLeft(ty),
            BitOp::ShiftRight => BinaryOp::ShiftRight(ty),
        }
    }

    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BitOp::And => "&&",
            BitOp::Or => "||",
            BitOp::ShiftLeft => "lsh",
            BitOp::ShiftRight => "rsh",
        }
    }
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum AstExprKind {
    /// `true`, `false`
    Bool(bool),
    /// An integer.
    Int(Int),
    /// A real.
    Real(Rational),
    /// A variable or a constant.
    Name(Name),
    /// An operator with one operand.
    Unary(UnaryOp, ExprId),
    /// An operator with two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// An operator on the bits of two machine integers.
    Bits(BitOp, ExprId, ExprId),
    /// `! _`: all bits of a machine integer changed.
    Flip(ExprId),
    /// `int8 _`, or `int _` without a type of a machine.
    Convert(Option<MachineInt>, ExprId),
    /// `if _ then _ else _`
    If(ExprId, ExprId, ExprId),
    /// `_ -> _`
    Arrow(ExprId, ExprId),
    /// `pre _`
    Pre(ExprId),
    /// `node(arguments)`
    Call(Name, Vec<ExprId>),
    /// `condact(clock, call, defaults)`
    Condact(ExprId, ExprId, Vec<ExprId>),
    /// `(a, b)`
    Tuple(Vec<ExprId>),
    /// `[a, b]`
    Array(Vec<ExprId>),
    /// `P { x = a; y = b }`
    Record(Name, Vec<(Name, ExprId)>),
    /// `r.x`
    Field(ExprId, Name),
    /// `a[i]`
    Index(ExprId, ExprId),
    /// `r{x := value}`
    WithField(ExprId, Name, ExprId),
    /// `a[i := value]`
    WithIndex(ExprId, ExprId, ExprId),
    /// `when _ then _ else _`: time passes in a branch only when it is taken.
    When(ExprId, ExprId, ExprId),
    /// `(restart node every condition)(arguments)`
    Restart(ExprId, ExprId),
    /// `any { x: type | condition }`
    Any(Box<AstAny>),
    /// `::contract::mode`
    Mode(Vec<Name>),
    /// What is expressed by the others before the file is checked.
    Sugar(Box<Sugar>),
}

/// A value that is not known beyond its type and a condition.
#[derive(Clone, Debug)]
pub struct AstAny {
    /// Its name in the condition, and its type.
    pub decl: Decl,
    /// What is known of it.
    pub condition: Option<ExprId>,
}
