//! Goals that are decided in rounds, little effort for all of them first: what is known of them elsewhere,
//! and what is kept for others.

/// The answers about goals that earlier runs or other processes have found, or are waiting for.
pub trait AnswerLedger<Goal, Answer>: Sync {
    /// Whether this run decides a goal; others may do their share elsewhere.
    fn is_ours(&self, _: &Goal) -> bool {
        true
    }

    /// What is known of a goal from the effort of a round.
    fn recall(&self, _: &Goal, _round: usize) -> Option<Answer> {
        None
    }

    /// Keeps an answer; one that a clock or a caller cut short is not offered.
    fn keep(&self, _: &Goal, _round: usize, _: &Answer) {}

    /// Told before the goals that are left are tried in a round: others may try them meanwhile, so that
    /// there is something to recall.
    fn prepare(&self, _left: &[&Goal], _round: usize) {}

    /// Keeps what was proven about the whole system, written, and what certificates share.
    fn keep_lemmas(&self, _lemmas: &dyn Fn() -> String, _shared: Option<&str>) {}

    /// What another run has proven about the whole system, so that this one need not.
    fn recall_lemmas(&self) -> Option<String> {
        None
    }

    /// Whether this run is only there to answer what others ask for; then it does so here.
    fn serve(&self, _answer: &AnswerFn<'_, Goal, Answer>) -> bool {
        false
    }
}

/// Tries a goal with the effort of a round.
pub type AnswerFn<'a, Goal, Answer> = dyn Fn(&Goal, usize) -> Answer + 'a;

/// Knows nothing and keeps nothing.
pub struct NoLedger;

impl<Goal, Answer> AnswerLedger<Goal, Answer> for NoLedger {}
