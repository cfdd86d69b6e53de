//! One file per command.

pub(crate) mod audit;
pub(crate) mod calibrate;
pub(crate) mod check;
pub(crate) mod codegen;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod generate;
pub(crate) mod man;
pub(crate) mod measure;
pub(crate) mod merge;
pub(crate) mod mine;
pub(crate) mod mutate;
pub(crate) mod obligations;
pub(crate) mod project;
pub(crate) mod prove;
pub(crate) mod reduce;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod simulate;
pub(crate) mod study;
pub(crate) mod timed;
pub(crate) mod transform;
pub(crate) mod worker;
