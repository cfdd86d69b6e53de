//! What `provoke study stochastic` computes.

pub(crate) mod accuracy;
pub(crate) mod faults;
pub(crate) mod plot;
pub(crate) mod power;
pub(crate) mod section;
