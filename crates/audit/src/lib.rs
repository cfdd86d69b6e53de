//! An independent check of every claim in an output folder.
//!
//! Nothing here is shared with what made the claims: no flattening, no simulator, no encoder, no
//! engine. The model is read as a tree, expanded into node instances, and evaluated as the book
//! says; data types, exact numbers and the parser are all that is common.

pub mod certificate;
pub mod coverage;
pub mod encode;
pub mod evaluator;
pub mod form;
pub mod graph;
pub mod instances;
pub mod obligations;
pub mod operator;
pub mod proof;
pub mod run;
pub mod shape;
pub mod solver;

pub use instances::{
    Clock, ClockId, Definition, Delay, Instance, InstanceId, Model, Named, Var, VarId,
};
pub use shape::{Part, Shape};
