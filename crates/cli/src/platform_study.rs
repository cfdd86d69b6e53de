//! Platforms with delays, and how the modes of execution fare on them.

pub(crate) mod density;
pub(crate) mod faulty;
pub(crate) mod trial;
