//! Coverage criteria: what must be exercised, and whether a suite did so and made it visible.
//!
//! [`obligations`] says what a criterion asks of a system. [`Measurement`] runs tests and
//! carries tags along unmasked uses; [`ExactMeasurement`] changes values and compares;
//! [`compare()`] holds both against each other. [`TagFollower`] shows the way that made an
//! obligation visible or the place where its tag ended, [`suggest_oracle`] what else to
//! monitor. All stand on one definition of masking, in [`masking`].

pub mod compare;
pub mod coverage;
pub mod criterion;
pub mod design;
pub mod equations;
pub mod exact;
pub mod follow;
pub mod formula;
pub mod masking;
pub mod measurement;
pub mod obligation;
pub mod oracle;
pub mod scan;
pub mod suggest;
pub mod target;
pub mod text;

mod base;
mod net;
mod tags;

pub use compare::{
    ComparisonSettings, Disagreement, DisagreementReason, Side, TagComparison, compare,
};
pub use coverage::{
    CoverageMatrix, ObligationCoverage, SeenEffect, SuiteCoverage, TestCoverage, TestMoment, WhyNot,
};
pub use criterion::{Criterion, Host};
pub use design::{DesignError, DesignErrorKind, DesignReplay, NumberLimits, design_errors};
pub use equations::TrackingEquations;
pub use exact::{ExactChange, ExactMeasurement, Situation};
pub use follow::{EffectFate, EffectPath, PathStep, TagFollower, TagLoss};
pub use formula::Formula;
pub use masking::{Masking, MaskingRule};
pub use measurement::{Checkpoint, Measurement, matrix};
pub use obligation::{Obligation, ObligationKind, TagCarrier, obligations, properties};
pub use oracle::Oracle;
pub use scan::{Scan, Sighting};
pub use suggest::{Suggestion, suggest_oracle};
pub use target::Counting;
