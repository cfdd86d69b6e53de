//! Expressions, statements and conditions, with all names resolved.

use provoke_base::Span;

use super::CellKind;

/// A clock, possibly an element of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockRef {
    /// The first clock of the array; `Err` of a frame slot that holds it.
    pub first: Result<u32, u32>,
    /// Which one.
    pub index: Index,
}

/// The position of an element, counted from the first one of the outermost array.
#[derive(Clone, Debug, PartialEq)]
pub enum Index {
    /// A known position.
    At(usize),
    /// Computed positions.
    Computed(Vec<Subscript>),
}

/// One pair of brackets.
#[derive(Clone, Debug, PartialEq)]
pub struct Subscript {
    /// What stands inside.
    pub index: NetworkExpr,
    /// The first index.
    pub low: i64,
    /// How many indices there are.
    pub count: i64,
    /// How many elements one step is worth.
    pub stride: i64,
    /// Where it is written.
    pub span: Span,
}

/// Where a variable lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// A cell of the state.
    Cell(u32),
    /// A word of the constants.
    Constant(u32),
    /// A word of the running function.
    Frame(u32),
    /// The address in a word of the running function.
    Through(u32),
}

/// A word that can be read, and perhaps written.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    /// Where the variable lies.
    pub base: Base,
    /// Which element.
    pub index: Index,
    /// What it may hold.
    pub kind: CellKind,
    /// Where it is written in the text.
    pub span: Span,
}

/// Operators on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum IntOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Min,
    Max,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Pow,
    Eq,
    Ne,
    Lt,
    Le,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ClockComparison {
    Lt,
    Le,
    Eq,
    Ne,
    Ge,
    Gt,
}

/// An expression whose value is an integer or a truth value.
#[derive(Clone, Debug, PartialEq)]
pub enum NetworkExpr {
    /// A known value.
    Int(i64),
    /// The value of a variable.
    Load(Box<Address>),
    /// Whether a process is at a location.
    At(u32, u32),
    /// The opposite truth value.
    Not(Box<NetworkExpr>),
    /// The opposite number.
    Minus(Box<NetworkExpr>),
    /// An operator with its place.
    Binary(IntOp, Box<(NetworkExpr, NetworkExpr)>, Span),
    /// True if all are; the rest is not looked at behind a false one.
    And(Vec<NetworkExpr>),
    /// True if one is; the rest is not looked at behind a true one.
    Or(Vec<NetworkExpr>),
    /// One of two.
    Choice(Box<(NetworkExpr, NetworkExpr, NetworkExpr)>),
    /// A function's result.
    Call(u32, Vec<Argument>, Span),
    /// Stores a value, which is also the result.
    Store(Box<Address>, Box<NetworkExpr>),
    /// Adds to a variable; true if the old value is meant.
    Step(Box<Address>, i64, bool),
    /// Whether two arrays or structs are equal: so many words.
    SameWords(Box<(Address, Address)>, u32),
    /// A comparison of floating-point numbers.
    Compare(ClockComparison, Box<(Number, Number)>),
    /// A floating-point number without its fraction.
    Truncate(Box<Number>),
    /// Whether a condition on clocks holds.
    Holds(Box<Condition>),
}

/// An expression whose value is a floating-point number.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// A known value.
    Value(f64),
    /// An integer.
    Int(Box<NetworkExpr>),
    /// The value of a variable.
    Load(Box<Address>),
    /// The value of a clock.
    Clock(Box<ClockRef>),
    /// Addition, subtraction, multiplication, division, minimum, maximum, power.
    Binary(IntOp, Box<(Number, Number)>),
    /// One of two.
    Choice(Box<(NetworkExpr, Number, Number)>),
    /// A function's result.
    Call(u32, Vec<Argument>, Span),
    /// Stores a value, which is also the result.
    Store(Box<Address>, Box<Number>),
    /// A function of mathematics.
    Math(Math, Vec<Number>),
    /// A number drawn at random.
    Random(Draw, Vec<Number>),
}

/// Functions of mathematics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Math {
    Abs,
    Sqrt,
    Exp,
    Ln,
    Log10,
    Sin,
    Cos,
    Tan,
    Floor,
    Ceil,
    Round,
    Trunc,
    Pow,
    Min,
    Max,
}

/// Distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// Uniform from 0 to the argument.
    Uniform,
    /// Normal with mean and standard deviation.
    Normal,
    /// Poisson with the given mean.
    Poisson,
    /// Exponential with the given rate.
    Exponential,
}

/// What is given to a function.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// An integer.
    Int(NetworkExpr),
    /// A floating-point number.
    Number(Number),
    /// So many words, copied.
    Words(Address, u32),
    /// The address of a variable.
    Reference(Address),
    /// Which clock.
    Clock(ClockRef),
}

/// What is done.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// Computes for the effect.
    Do(NetworkExpr),
    /// Computes for the effect.
    DoNumber(Number),
    /// Copies so many words from the second place to the first.
    Copy(Box<(Address, Address)>, u32),
    /// Sets words of the running function to zero.
    Clear(u32, u32),
    /// Sets a clock.
    Reset(Box<ClockRef>, NetworkExpr),
    /// Sets a clock to a number that is not an integer.
    ResetNumber(Box<ClockRef>, Number),
    /// Repeats as long as the condition holds; the last part is done behind every turn.
    While(NetworkExpr, Vec<Stmt>, Vec<Stmt>),
    /// The condition is computed behind the body.
    DoWhile(Vec<Stmt>, NetworkExpr),
    /// One of two.
    If(NetworkExpr, Vec<Stmt>, Vec<Stmt>),
    /// Ends the function with an integer.
    Return(Option<NetworkExpr>),
    /// Ends the function with a floating-point number.
    ReturnNumber(Number),
    /// Ends the innermost loop.
    Break,
    /// Goes to the next turn of the innermost loop.
    Continue,
}

/// A function of one process, or of all.
#[derive(Clone, Debug)]
pub struct Function {
    /// The user's name.
    pub name: String,
    /// How many words it needs.
    pub words: u32,
    /// What its result may be; `None` for void.
    pub result: Option<CellKind>,
    /// The first word of each parameter.
    pub parameters: Vec<u32>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// Where it is declared.
    pub span: Span,
}

/// What is said of a state.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// Of variables and locations only.
    Int(NetworkExpr),
    /// Of clocks.
    Clock(Box<ClockBound>),
    /// Of numbers that are not integers.
    Number(ClockComparison, Box<(Number, Number)>),
    /// All of them hold.
    And(Vec<Condition>),
    /// One of them holds.
    Or(Vec<Condition>),
    /// No step is possible, now or later; or the opposite.
    Deadlock(bool),
}

impl Condition {
    /// What always holds.
    pub fn truth() -> Condition {
        Condition::And(Vec::new())
    }

    /// Whether it is known to hold.
    pub fn is_truth(&self) -> bool {
        match self {
            Condition::Int(NetworkExpr::Int(value)) => *value != 0,
            Condition::And(parts) => parts.iter().all(Condition::is_truth),
            _ => false,
        }
    }

    /// Whether it is known not to hold.
    pub fn is_never(&self) -> bool {
        match self {
            Condition::Int(NetworkExpr::Int(value)) => *value == 0,
            Condition::And(parts) => parts.iter().any(Condition::is_never),
            Condition::Or(parts) => parts.iter().all(Condition::is_never),
            _ => false,
        }
    }
}

/// A clock, or the difference of two, compared with an integer; never `Ne`.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockBound {
    /// The clock; `None` stands for 0.
    pub left: Option<ClockRef>,
    /// What is subtracted; `None` stands for 0.
    pub right: Option<ClockRef>,
    /// How it is compared.
    pub comparison: ClockComparison,
    /// With what.
    pub bound: NetworkExpr,
    /// Where it is written.
    pub span: Span,
}
