//! A network of timed automata as plain data: one instance of a template is one process, names
//! are resolved, parameters are replaced by their values, selections are multiplied out.

use provoke_base::Span;

/// A checked model.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// The clocks of all processes.
    pub clocks: Vec<Clock>,
    /// The variables, one cell for each element of an array and each field of a struct.
    pub cells: Vec<Cell>,
    /// What constants that are arrays or structs hold.
    pub constants: Vec<i64>,
    /// The channels, one for each element of an array.
    pub channels: Vec<Channel>,
    /// The automata, in the order of the system line.
    pub processes: Vec<Process>,
    /// The functions, once for each process that has them.
    pub functions: Vec<Function>,
    /// The questions that the file asks.
    pub queries: Vec<Query>,
    /// Constructs that have a meaning in simulation only, with their places.
    pub simulation_only: Vec<(Span, String)>,
    /// Constructs that no engine follows: the model can be looked at, but not run.
    pub not_followed: Vec<(Span, String)>,
}

/// A clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Clock {
    /// The user's name: `x`, `P.x`, `P.x[2]`.
    pub name: String,
    /// Its value at the beginning; not 0 only in simulation.
    pub initial: f64,
}

/// A variable of one word.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The user's name.
    pub name: String,
    /// What it may hold.
    pub kind: CellKind,
    /// What it holds at the beginning; a double as its bits.
    pub initial: i64,
}

/// What a cell may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// 0 or 1.
    Bool,
    /// An integer within bounds.
    Int(i64, i64),
    /// A floating-point number, as its bits.
    Double,
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The user's name.
    pub name: String,
    /// Whether all receivers that can take part, and none is needed.
    pub broadcast: bool,
    /// Whether time stops while it can be used.
    pub urgent: bool,
}

/// One automaton.
#[derive(Clone, Debug)]
pub struct Process {
    /// The user's name: `P`, `Train(3)`.
    pub name: String,
    /// The template it is made from.
    pub template: String,
    /// Its locations.
    pub locations: Vec<Location>,
    /// Where it begins.
    pub initial: usize,
    /// Its edges.
    pub edges: Vec<Edge>,
    /// The edges that leave each location.
    pub leaving: Vec<Vec<usize>>,
}

/// Whether time may pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// Time may pass.
    Normal,
    /// Time may not pass.
    Urgent,
    /// Time may not pass, and the next step is to be taken by such a location.
    Committed,
}

/// A location of an automaton.
#[derive(Clone, Debug)]
pub struct Location {
    /// The user's name, or one made up for an anonymous location.
    pub name: String,
    /// Where it stands in the file.
    pub span: Span,
    /// Whether time may pass.
    pub urgency: Urgency,
    /// What must hold as long as the process stays.
    pub invariant: Condition,
    /// How fast clocks run, if not at speed 1.
    pub rates: Vec<(ClockRef, Number)>,
    /// How soon it is left when nothing bounds the stay.
    pub exponential: Option<Number>,
    /// Where it is drawn.
    pub at: Option<(i32, i32)>,
    /// What is written at it, one line each.
    pub label: Vec<String>,
}

/// An edge with all its selections made.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it stands in the file.
    pub span: Span,
    /// What is written at it, one line each.
    pub label: Vec<String>,
    /// The location it leaves.
    pub source: usize,
    /// What was selected.
    pub selected: Vec<(String, i64)>,
    /// When it can be taken.
    pub guard: Condition,
    /// What it waits for or offers.
    pub sync: Option<Sync>,
    /// Where it leads: one branch, or several with weights.
    pub branches: Vec<Branch>,
}

/// One way on behind an edge.
#[derive(Clone, Debug)]
pub struct Branch {
    /// How probable it is, relative to its siblings; zero is never.
    pub weight: Number,
    /// What is done.
    pub update: Vec<Stmt>,
    /// The location it leads to.
    pub target: usize,
    /// What is written at it, behind a branchpoint.
    pub label: Vec<String>,
}

/// One side of a synchronisation: a channel, possibly an element of an array.
#[derive(Clone, Debug)]
pub struct Sync {
    /// The first channel of the array.
    pub first: usize,
    /// Which one.
    pub index: Index,
    /// Whether this side sends.
    pub sends: bool,
}

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
    pub index: Expr,
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
pub struct Place {
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
pub enum Comparison {
    Lt,
    Le,
    Eq,
    Ne,
    Ge,
    Gt,
}

/// An expression whose value is an integer or a truth value.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A known value.
    Int(i64),
    /// The value of a variable.
    Load(Box<Place>),
    /// Whether a process is at a location.
    At(u32, u32),
    /// The opposite truth value.
    Not(Box<Expr>),
    /// The opposite number.
    Minus(Box<Expr>),
    /// An operator with its place.
    Binary(IntOp, Box<(Expr, Expr)>, Span),
    /// True if all are; the rest is not looked at behind a false one.
    And(Vec<Expr>),
    /// True if one is; the rest is not looked at behind a true one.
    Or(Vec<Expr>),
    /// One of two.
    Choice(Box<(Expr, Expr, Expr)>),
    /// A function's result.
    Call(u32, Vec<Argument>, Span),
    /// Stores a value, which is also the result.
    Store(Box<Place>, Box<Expr>),
    /// Adds to a variable; true if the old value is meant.
    Step(Box<Place>, i64, bool),
    /// Whether two arrays or structs are equal: so many words.
    SameWords(Box<(Place, Place)>, u32),
    /// A comparison of floating-point numbers.
    Compare(Comparison, Box<(Number, Number)>),
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
    Int(Box<Expr>),
    /// The value of a variable.
    Load(Box<Place>),
    /// The value of a clock.
    Clock(Box<ClockRef>),
    /// Addition, subtraction, multiplication, division, minimum, maximum, power.
    Binary(IntOp, Box<(Number, Number)>),
    /// One of two.
    Choice(Box<(Expr, Number, Number)>),
    /// A function's result.
    Call(u32, Vec<Argument>, Span),
    /// Stores a value, which is also the result.
    Store(Box<Place>, Box<Number>),
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
    Int(Expr),
    /// A floating-point number.
    Number(Number),
    /// So many words, copied.
    Words(Place, u32),
    /// The address of a variable.
    Reference(Place),
    /// Which clock.
    Clock(ClockRef),
}

/// What is done.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// Computes for the effect.
    Do(Expr),
    /// Computes for the effect.
    DoNumber(Number),
    /// Copies so many words from the second place to the first.
    Copy(Box<(Place, Place)>, u32),
    /// Sets words of the running function to zero.
    Clear(u32, u32),
    /// Sets a clock.
    Reset(Box<ClockRef>, Expr),
    /// Sets a clock to a number that is not an integer.
    ResetNumber(Box<ClockRef>, Number),
    /// Repeats as long as the condition holds; the last part is done behind every turn.
    While(Expr, Vec<Stmt>, Vec<Stmt>),
    /// The condition is computed behind the body.
    DoWhile(Vec<Stmt>, Expr),
    /// One of two.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Ends the function with an integer.
    Return(Option<Expr>),
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
    Int(Expr),
    /// Of clocks.
    Clock(Box<ClockBound>),
    /// Of numbers that are not integers.
    Number(Comparison, Box<(Number, Number)>),
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
            Condition::Int(Expr::Int(value)) => *value != 0,
            Condition::And(parts) => parts.iter().all(Condition::is_truth),
            _ => false,
        }
    }

    /// Whether it is known not to hold.
    pub fn is_never(&self) -> bool {
        match self {
            Condition::Int(Expr::Int(value)) => *value == 0,
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
    pub comparison: Comparison,
    /// With what.
    pub bound: Expr,
    /// Where it is written.
    pub span: Span,
}

/// A question, as it stands in the file, and what it means if it can be answered.
#[derive(Clone, Debug)]
pub struct Query {
    /// The text without line breaks.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// What the author says about it.
    pub comment: String,
    /// What the file says that it was answered.
    pub outcome: Option<String>,
    /// The question, or why it cannot be asked.
    pub question: Result<Question, String>,
}

/// A question about a network.
#[derive(Clone, Debug)]
pub enum Question {
    /// `E<> p`
    Possibly(Condition),
    /// `A[] p`, as `not E<> not p`: the condition is the negation.
    Always(Condition),
    /// `E[] p`
    PotentiallyAlways(Condition, Condition),
    /// `A<> p`: p, and its negation.
    Eventually(Condition, Condition),
    /// `p --> q`: p, q, and the negation of q.
    LeadsTo(Condition, Condition, Condition),
    /// `sup{p}: e` or `inf{p}: e`.
    Extreme(Extreme),
    /// `Pr[..](..)`
    Probability(Chance),
    /// `Pr[..](..) >= p` (true) or `<= p`.
    Hypothesis(Chance, bool, f64),
    /// `Pr[..](..) >= Pr[..](..)`
    Comparison(Chance, Chance),
    /// `E[..](max: e)`, true for the maximum.
    Expectation(RunBound, bool, Number),
    /// `simulate[..] {..}`
    Simulate(RunBound, Vec<Shown>),
}

/// The largest or smallest values of expressions.
#[derive(Clone, Debug)]
pub struct Extreme {
    /// True for the largest.
    pub sup: bool,
    /// The states that count.
    pub condition: Condition,
    /// The expressions.
    pub of: Vec<Measured>,
}

/// What an extreme is asked of.
#[derive(Clone, Debug)]
pub enum Measured {
    /// A clock.
    Clock(ClockRef),
    /// An integer.
    Int(Expr),
}

/// How long runs are.
#[derive(Clone, Debug)]
pub struct RunBound {
    /// What is measured.
    pub measure: RunMeasure,
    /// The limit.
    pub limit: f64,
    /// How many runs the query asks for.
    pub runs: Option<u64>,
}

/// What the length of a run is measured in.
#[derive(Clone, Debug)]
pub enum RunMeasure {
    /// Time since the beginning.
    Time,
    /// Steps.
    Steps,
    /// A clock.
    Clock(ClockRef),
}

/// An event whose probability is asked for.
#[derive(Clone, Debug)]
pub struct Chance {
    /// How long runs are.
    pub bound: RunBound,
    /// True for `<>`, false for `[]`.
    pub eventually: bool,
    /// The condition.
    pub condition: Condition,
}

/// A value that a simulation shows.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Its text.
    pub name: String,
    /// What it is.
    pub value: Number,
}
