//! A network of timed automata as plain data: one instance of a template is one process, names
//! are resolved, parameters are replaced by their values, selections are multiplied out.

mod expression;
mod question;

use provoke_base::Span;

pub use crate::priority::Priorities;
pub use expression::{
    Address, Argument, Base, ClockBound, ClockComparison, ClockRef, Condition, Draw, Function,
    Index, IntOp, Math, NetworkExpr, Number, Stmt, Subscript,
};
pub use question::{
    Chance, Extreme, ExtremeOperand, PlottedValue, Query, Question, RunBound, RunMeasure,
};

/// A checked model.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// The clocks of all processes.
    pub clocks: Vec<Clock>,
    /// The variables, one cell for each element of an array and each field of a struct.
    pub cells: Vec<MemoryCell>,
    /// What constants that are arrays or structs hold.
    pub constants: Vec<i64>,
    /// The channels, one for each element of an array.
    pub channels: Vec<Channel>,
    /// The automata, in the order of the system line.
    pub processes: Vec<Process>,
    /// The functions, once for each process that has them.
    pub functions: Vec<Function>,
    /// Which moves come first, if the model says so; simulation cannot follow it.
    pub priorities: Option<Priorities>,
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
pub struct MemoryCell {
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
    /// How probable it is, relative to its siblings. Only random runs look at it.
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
