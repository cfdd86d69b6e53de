//! Solving: terms, what a solver can do, and the solvers.
//!
//! ```no_run
//! use provoke_solve::z3::Z3Library;
//! use provoke_solve::{Limit, Solver, SolverAnswer, Sort, Terms, Z3};
//!
//! let mut terms = Terms::new();
//! let x = terms.symbol("x", Sort::Int);
//! let seven = terms.int(7);
//! let large = terms.gt(x, seven);
//! let mut solver = Z3::new(&Z3Library::load()?);
//! solver.assert(&terms, large);
//! assert_eq!(solver.check(&terms, &[], Limit::work(10_000)), SolverAnswer::Sat);
//! println!("x = {:?}", solver.value(&terms, x));
//! # Ok::<(), provoke_solve::MissingSolver>(())
//! ```

pub mod certificate;
mod construct;
mod defined;
pub mod encode;
pub mod engine;
mod faults;
pub mod horn;
pub mod interrupter;
mod machine;
pub mod missing;
mod rounding;
pub mod smtlib;
pub mod solver;
pub mod term;
pub mod transition;
pub mod unroll;
mod watchdog;
pub mod z3;

pub use certificate::Certificate;
pub use encode::Encoder;
pub use faults::Reading;
pub use horn::{Atom, Fact, Horn, HornAnswer, HornRule, RelationId};
pub use interrupter::Interrupter;
pub use missing::{AvailableSolver, MissingSolver};
pub use smtlib::SmtLib;
pub use solver::{Effort, Limit, Solver, SolverAnswer, UnknownReason};
pub use term::{Sort, Symbol, SymbolId, Term, TermId, Terms};
pub use transition::{StateVar, Transition};
pub use unroll::{Start, UnrollPolicy, Unrolling};
pub use z3::{Spacer, Z3};
