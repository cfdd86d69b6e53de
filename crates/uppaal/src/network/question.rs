//! What a file asks of its network.

use provoke_base::Span;

use super::{ClockRef, Condition, Network, NetworkExpr, Number};

/// A question, as it stands in the file, and what it means if it can be answered.
#[derive(Clone, Debug)]
pub struct Query {
    /// The text without line breaks.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// What the author says about it.
    pub comment: String,
    /// What the file says that it was answered.
    pub outcome: Option<String>,
    /// The question, or why it cannot be asked.
    pub question: Result<Question, String>,
}

/// A question about a network.
#[derive(Clone, Debug)]
pub enum Question {
    /// `E<> p`
    Possibly(Condition),
    /// `A[] p`, as `not E<> not p`: the condition is the negation.
    Always(Condition),
    /// `E[] p`
    PotentiallyAlways(Condition, Condition),
    /// `A<> p`: p, and its negation.
    Eventually(Condition, Condition),
    /// `p --> q`: p, q, and the negation of q.
    LeadsTo(Condition, Condition, Condition),
    /// `sup{p}: e` or `inf{p}: e`.
    Extreme(Extreme),
    /// `Pr[..](..)`
    Probability(Chance),
    /// `Pr[..](..) >= p` (true) or `<= p`.
    Hypothesis(Chance, bool, f64),
    /// `Pr[..](..) >= Pr[..](..)`
    Comparison(Chance, Chance),
    /// `E[..](max: e)`, true for the maximum.
    Expectation(RunBound, bool, Number),
    /// `simulate[..] {..}`
    Simulate(RunBound, Vec<PlottedValue>),
}

impl Question {
    /// Whether it asks how probable something is, or what is to be expected.
    pub fn is_about_chance(&self) -> bool {
        matches!(
            self,
            Question::Probability(_)
                | Question::Hypothesis(..)
                | Question::Comparison(..)
                | Question::Expectation(..)
        )
    }

    /// Whether all runs answer it, not single ones.
    pub fn is_about_all_runs(&self) -> bool {
        !self.is_about_chance() && !matches!(self, Question::Simulate(..))
    }
}

impl Network {
    /// The questions that all runs answer, with those that cannot be read; all there are, if they were
    /// `given` to be answered so.
    pub fn questions_about_all_runs(&self, given: bool) -> Vec<&Query> {
        let wanted = |question: &Question| given || question.is_about_all_runs();
        let is = |query: &&Query| query.question.as_ref().is_ok_and(wanted);
        self.queries.iter().filter(|query| query.question.is_err() || is(query)).collect()
    }

    /// The questions about probabilities; all there are, if they were `given` to be answered so.
    pub fn questions_about_chance(&self, given: bool) -> Vec<&Query> {
        let is = |query: &&Query| query.question.as_ref().is_ok_and(Question::is_about_chance);
        self.queries.iter().filter(|query| given || is(query)).collect()
    }

    /// When the runs of the first `simulate` query end, and what it shows.
    pub fn simulation(&self) -> Option<(&RunBound, &[PlottedValue])> {
        self.queries.iter().find_map(|query| match &query.question {
            Ok(Question::Simulate(bound, shown)) => Some((bound, shown.as_slice())),
            _ => None,
        })
    }
}

/// The largest or smallest values of expressions.
#[derive(Clone, Debug)]
pub struct Extreme {
    /// True for the largest.
    pub sup: bool,
    /// The states that count.
    pub condition: Condition,
    /// The expressions.
    pub of: Vec<ExtremeOperand>,
}

/// What an extreme is asked of.
#[derive(Clone, Debug)]
pub enum ExtremeOperand {
    /// A clock.
    Clock(ClockRef),
    /// An integer.
    Int(NetworkExpr),
}

/// How long runs are.
#[derive(Clone, Debug)]
pub struct RunBound {
    /// What is measured.
    pub measure: RunMeasure,
    /// The limit.
    pub limit: f64,
    /// How many runs the query asks for.
    pub runs: Option<u64>,
}

/// What the length of a run is measured in.
#[derive(Clone, Debug)]
pub enum RunMeasure {
    /// Time since the beginning.
    Time,
    /// Steps.
    Steps,
    /// A clock.
    Clock(ClockRef),
}

/// An event whose probability is asked for.
#[derive(Clone, Debug)]
pub struct Chance {
    /// How long runs are.
    pub bound: RunBound,
    /// True for `<>`, false for `[]`.
    pub eventually: bool,
    /// The condition.
    pub condition: Condition,
}

/// A value that a simulation shows.
#[derive(Clone, Debug)]
pub struct PlottedValue {
    /// Its text.
    pub name: String,
    /// What it is.
    pub value: Number,
}
