//! Mutants run beside the original, and only where they differ from it: in most steps of most
//! mutants the fault changes nothing, and where it does, it changes little. What is known to be
//! the same costs next to nothing: 64 steps are looked at together.

use std::sync::Arc;

use provoke_sim::{
    CompactValue, Divergence, Edit, NodeId, NodeReplacement, Pursuit, PursuitEnd, SPAN, SimProgram,
};

use crate::mutant::{Mutant, MutantChange, MutationSite};
use crate::score::{KillMoment, MutantFate, Score, ScoreOptions, TestInputs};

/// What the tests do to each mutant. All go on together, so as many are told to be done as there
/// are tests behind them, in proportion.
pub(crate) fn score(
    program: &Arc<SimProgram>,
    mutants: &[&Mutant],
    tests: &[TestInputs],
    options: &ScoreOptions<'_>,
    progress: &(dyn Fn(usize) + Sync),
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Score> {
    let nodes: Vec<NodeId> = options.monitored.iter().map(|var| program.definition(*var)).collect();
    let edits: Vec<Vec<Edit>> = mutants.iter().map(|mutant| edits(program, mutant)).collect();
    let mut races = Races {
        pursuit: Pursuit::new(Arc::clone(program), &nodes),
        states: vec![Divergence::default(); edits.len()],
        edits,
        scores: vec![Score { fate: MutantFate::Survived, kills: Vec::new() }; mutants.len()],
        followed: 0,
    };
    for (number, test) in tests.iter().enumerate().take_while(|_| !stop()) {
        let is_alive = |at: &usize| races.scores[*at].kills.is_empty();
        let running = (0..mutants.len()).filter(|at| options.matrix || is_alive(at)).collect();
        races.run(number, test, running, stop);
        let done = |tests_done: usize| mutants.len() * tests_done / tests.len();
        progress(done(number + 1) - done(number));
    }
    races.scores
}

fn edits(program: &SimProgram, mutant: &Mutant) -> Vec<Edit> {
    let edit = |MutationSite { expr, change }: &MutationSite| {
        let instead = match change {
            MutantChange::Join(op) => NodeReplacement::Join(*op),
            MutantChange::Negate => NodeReplacement::Negate,
            MutantChange::Delay { at_first } => NodeReplacement::Delayed { at_first: *at_first },
            MutantChange::Constant(value) => NodeReplacement::Value(CompactValue::from(value)),
            MutantChange::Variable(var) => NodeReplacement::Node(program.definition(*var)),
        };
        Edit { node: program.node_of(*expr), instead }
    };
    mutant.sites.iter().map(edit).collect()
}

/// After so many mutants, each in a few steps, it is asked whether to stop.
const OFTEN: usize = 64;

/// The original and its mutants.
struct Races {
    pursuit: Pursuit,
    edits: Vec<Vec<Edit>>,
    /// How the mutants' memories differ from the original's.
    states: Vec<Divergence>,
    scores: Vec<Score>,
    /// How often a mutant was followed: a long test has many spans, each with few mutants.
    followed: usize,
}

impl Races {
    /// Runs a test on the mutants at these positions. It ends where the original has no values.
    fn run(
        &mut self,
        test: usize,
        steps: &TestInputs,
        mut running: Vec<usize>,
        stop: &(dyn Fn() -> bool + Sync),
    ) {
        self.pursuit.reset();
        self.states.fill(Divergence::default());
        for (span, rows) in steps.chunks(SPAN).enumerate() {
            if running.is_empty() {
                return;
            }
            let recorded = self.pursuit.record(rows);
            let mut stopped = false;
            running.retain(|&at| {
                self.followed += 1;
                stopped |= self.followed.is_multiple_of(OFTEN) && stop();
                if stopped {
                    return false;
                }
                let end = self.pursuit.follow(&self.edits[at], &mut self.states[at]);
                let moment = |step: usize| KillMoment { test, step: span * SPAN + step + 1 };
                match end {
                    None => return true,
                    Some((PursuitEnd::Fault, step)) => {
                        self.scores[at].note(MutantFate::Faulted(moment(step)))
                    }
                    Some((PursuitEnd::Seen, step)) => {
                        self.scores[at].kills.push(moment(step));
                        self.scores[at].note(MutantFate::Killed(moment(step)));
                    }
                }
                false
            });
            if recorded < rows.len() {
                return;
            }
        }
    }
}

impl Score {
    /// The first kill decides, and where there is none the first fault.
    fn note(&mut self, fate: MutantFate) {
        let decides = match self.fate {
            MutantFate::Survived => true,
            MutantFate::Faulted(_) => matches!(fate, MutantFate::Killed(_)),
            MutantFate::Killed(_) => false,
        };
        if decides {
            self.fate = fate;
        }
    }
}
