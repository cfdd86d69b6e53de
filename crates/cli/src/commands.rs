//! One file per command.

pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod generate;
pub(crate) mod measure;
pub(crate) mod merge;
pub(crate) mod mutate;
pub(crate) mod obligations;
pub(crate) mod prove;
pub(crate) mod reduce;
pub(crate) mod simulate;
pub(crate) mod timed;
pub(crate) mod transform;
