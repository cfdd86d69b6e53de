//! An independent check of every claim in an output folder.
//!
//! Nothing here is shared with what made the claims: no flattening, no simulator, no encoder, no
//! engine. The model is read as a tree, expanded into node instances, and evaluated as the book
//! says; data types, exact numbers and the parser are all that is common.

pub mod audit;
pub mod certificate;
pub mod claim;
pub mod coverage;
mod design;
pub mod encode;
pub mod evaluator;
pub mod flattening;
pub mod folder;
pub mod form;
mod generation;
mod grade;
mod graded;
pub mod graph;
pub mod instances;
mod mutation;
pub mod obligations;
pub mod operator;
pub mod proof;
mod proving;
mod replay;
pub mod run;
mod score;
pub mod shape;
pub mod solver;
mod violation;

pub use audit::{Audit, Options, audit};
pub use folder::{Damage, Folder};
pub use instances::{
    Clock, ClockId, Definition, Delay, Instance, InstanceId, Model, Named, Var, VarId,
};
pub use shape::{Part, Shape};
