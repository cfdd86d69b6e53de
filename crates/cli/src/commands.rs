//! One file per command.

pub(crate) mod calibrate;
pub(crate) mod check;
pub(crate) mod codegen;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod generate;
pub(crate) mod measure;
pub(crate) mod merge;
pub(crate) mod mine;
pub(crate) mod mine_files;
pub(crate) mod mine_init;
pub(crate) mod mine_model;
pub(crate) mod mutate;
pub(crate) mod obligations;
pub(crate) mod prove;
pub(crate) mod reduce;
pub(crate) mod run;
pub(crate) mod simulate;
pub(crate) mod study;
pub(crate) mod study_mining;
pub(crate) mod study_platform;
pub(crate) mod timed;
pub(crate) mod transform;
