//! Mutants run beside the original, and only where they differ from it: in most steps of most
//! mutants the fault changes nothing, and where it does, it changes little.

use std::sync::Arc;

use provoke_sim::{Cell, Dense, Divergence, Edit, Instead, NodeId, Program, Replay};

use crate::mutant::{Change, Mutant, Site};
use crate::score::{Fate, Moment, Options, Score, Test};

/// What the tests do to each mutant. All go on together, so as many are told to be done as there
/// are tests behind them, in proportion.
pub(crate) fn score(
    program: &Arc<Program>,
    mutants: &[&Mutant],
    tests: &[Test],
    options: &Options<'_>,
    progress: &(dyn Fn(usize) + Sync),
) -> Vec<Score> {
    let nodes: Vec<NodeId> = options.monitored.iter().map(|var| program.definition(*var)).collect();
    let edits: Vec<Vec<Edit>> = mutants.iter().map(|mutant| edits(program, mutant)).collect();
    let mut races = Races {
        original: Dense::of(Arc::clone(program)),
        replay: Replay::new(Arc::clone(program), &nodes).with_edits(edits.iter().flatten()),
        edits,
        scores: vec![Score { fate: Fate::Survived, kills: Vec::new() }; mutants.len()],
    };
    for (number, test) in tests.iter().enumerate() {
        let undecided = |at: &usize| races.scores[*at].fate == Fate::Survived;
        let running = (0..mutants.len()).filter(|at| options.matrix || undecided(at)).collect();
        races.run(number, test, running);
        let done = |tests_done: usize| mutants.len() * tests_done / tests.len();
        progress(done(number + 1) - done(number));
    }
    races.scores
}

fn edits(program: &Program, mutant: &Mutant) -> Vec<Edit> {
    let edit = |Site { expr, change }: &Site| {
        let instead = match change {
            Change::Join(op) => Instead::Join(*op),
            Change::Negate => Instead::Negate,
            Change::Delay { at_first } => Instead::Delayed { at_first: *at_first },
            Change::Constant(value) => Instead::Value(Cell::from(value)),
            Change::Variable(var) => Instead::Node(program.definition(*var)),
        };
        Edit { node: program.node_of(*expr), instead }
    };
    mutant.sites.iter().map(edit).collect()
}

/// The original and its mutants.
struct Races {
    original: Dense,
    replay: Replay,
    edits: Vec<Vec<Edit>>,
    scores: Vec<Score>,
}

impl Races {
    /// Runs a test on the mutants at these positions. It ends where the original has no values.
    fn run(&mut self, test: usize, steps: &Test, mut running: Vec<usize>) {
        let Races { original, replay, edits, scores } = self;
        original.reset();
        let mut states = vec![Divergence::default(); edits.len()];
        for (index, row) in steps.iter().enumerate() {
            if running.is_empty() || original.step(row).is_err() {
                return;
            }
            let moment = Moment { test, step: index + 1 };
            running.retain(|&at| {
                match replay.step_edited(original, &states[at], &edits[at]) {
                    None => scores[at].note(Fate::Faulted(moment)),
                    Some(changed) if changed.seen.is_some() => {
                        scores[at].kills.push(moment);
                        scores[at].note(Fate::Killed(moment));
                    }
                    Some(changed) => {
                        states[at] = changed.divergence;
                        return true;
                    }
                }
                false
            });
            replay.remember(original);
        }
    }
}

impl Score {
    /// What happens first decides.
    fn note(&mut self, fate: Fate) {
        if self.fate == Fate::Survived {
            self.fate = fate;
        }
    }
}
