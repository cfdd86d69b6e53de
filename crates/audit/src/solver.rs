//! Solvers that proofs are checked with. They are told everything as SMT-LIB text, so that what
//! one was asked can be kept in a file and given to another.

mod cvc5;
mod library;
mod z3;

use std::fmt;
use std::path::PathBuf;

pub use cvc5::{Cvc5, PINNED_VERSION as CVC5_VERSION};
pub use z3::Z3;

/// What a solver says of a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Something fulfils it.
    Sat,
    /// Nothing does.
    Unsat,
    /// It gave up.
    Unknown,
}

/// How much a solver may do for one query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueryLimit {
    /// Wall-clock time.
    pub milliseconds: u32,
}

/// What a session will be asked about: the less, the better solvers are at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Logic {
    /// Truth values and linear integer arithmetic.
    Integers,
    /// Linear arithmetic of integers and reals.
    Linear,
    /// Anything.
    Any,
}

/// A kind of solver that can be started.
pub trait Solver: Sync {
    /// Its name and version.
    fn name(&self) -> String;
    /// A fresh session.
    fn start(&self, logic: Logic, limit: QueryLimit) -> Result<Box<dyn Session>, String>;
}

/// A solver that remembers what it was told.
pub trait Session {
    /// Obeys commands and gives what they print; `Err` when one was not understood.
    fn run(&mut self, commands: &str) -> Result<String, String>;
}

/// A session, and the text of all it was told.
pub struct Dialogue {
    session: Box<dyn Session>,
    script: String,
}

impl Dialogue {
    /// A fresh dialogue with a solver.
    pub fn start(solver: &dyn Solver, logic: Logic, limit: QueryLimit) -> Result<Dialogue, String> {
        Ok(Dialogue { session: solver.start(logic, limit)?, script: String::new() })
    }

    /// Tells the solver something that has no answer.
    pub fn tell(&mut self, commands: &str) -> Result<(), String> {
        self.script.push_str(commands);
        match self.session.run(commands)?.trim() {
            "" => Ok(()),
            reply => Err(format!("unexpected answer `{reply}`")),
        }
    }

    /// Asks whether all that was told can hold together.
    pub fn check(&mut self) -> Result<Answer, String> {
        self.script.push_str("(check-sat)\n");
        match self.session.run("(check-sat)\n")?.trim() {
            "sat" => Ok(Answer::Sat),
            "unsat" => Ok(Answer::Unsat),
            reply if reply.starts_with("unknown") || reply == "timeout" => Ok(Answer::Unknown),
            reply => Err(format!("unexpected answer `{reply}`")),
        }
    }

    /// The values of constants after [`Answer::Sat`], as the solver writes them.
    pub fn values(&mut self, names: &[String]) -> Result<String, String> {
        self.session.run(&format!("(get-value ({}))\n", names.join(" ")))
    }

    /// All that the solver was told and asked.
    pub fn script(&self) -> &str {
        &self.script
    }
}

/// A solver that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The solver's name.
    pub solver: &'static str,
    /// Where it was looked for, and why it cannot be used from there.
    pub tried: Vec<(PathBuf, String)>,
    /// The command that installs it.
    pub command: &'static str,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} was not found", self.solver)?;
        for (path, why) in &self.tried {
            writeln!(f, "  {}: {why}", path.display())?;
        }
        write!(f, "to install it, type: {}", self.command)
    }
}

impl std::error::Error for Missing {}

#[cfg(test)]
mod tests;
