//! Priorities of channels and processes: which moves come first.

use provoke_base::Span;

/// Channels count before processes; higher comes first.
pub type Rank = (i32, i32);

/// What a model says of priorities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Priorities {
    /// Where it is said.
    pub span: Span,
    /// One for each channel, below or above 0, which moves without a channel have.
    pub channels: Vec<i32>,
    /// One for each process.
    pub processes: Vec<i32>,
}

impl Priorities {
    /// The rank of a move: of several processes the highest counts.
    pub fn rank(&self, channel: Option<usize>, processes: impl Iterator<Item = u32>) -> Rank {
        let level = |levels: &[i32], at: usize| levels.get(at).copied().unwrap_or(0);
        let process = processes.map(|at| level(&self.processes, at as usize)).max();
        (channel.map_or(0, |at| level(&self.channels, at)), process.unwrap_or(0))
    }
}
