//! The closed lists of words in results. Each is an enumeration, so that no reader compares texts,
//! and no list has a word that its schema does not name.

use std::fmt;

use provoke_base::StopReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One of a closed list of words.
pub trait Word: Copy + Sized + 'static {
    /// All of them.
    const ALL: &'static [Self];

    /// The word as it is written.
    fn word(self) -> &'static str;

    /// The one that is written so.
    fn named(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.word() == word)
    }

    /// The one that an engine calls so. That engines use no other words is tested; one that did would
    /// be a mistake in this program, not in its input.
    fn of(word: &str) -> Self {
        Self::named(word).unwrap_or_else(|| panic!("`{word}` is no word of the contract"))
    }
}

macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $variant:ident = $word:literal,)+ })+) => {$(
        $(#[$about])*
        #[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum $name {
            $($(#[$what])* #[serde(rename = $word)] $variant,)+
        }

        impl Word for $name {
            const ALL: &'static [$name] = &[$($name::$variant,)+];

            fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)+
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.word())
            }
        }
    )+};
}

words! {
    /// How an operation goes wrong.
    DesignErrorWord {
        /// An integer that does not fit.
        Overflow = "overflow",
        /// An integer that leaves its machine's type and wraps around, as the model says.
        Wrap = "wrap",
        /// A division by zero.
        DivisionByZero = "div0",
        /// An array index outside the array.
        Index = "index",
        /// A variable outside the subrange it is declared with.
        Range = "range",
        /// A real beyond the largest finite number.
        Infinity = "inf",
        /// An integer that becomes a real beyond the integers that are all exact.
        InexactCast = "inexact_cast",
        /// Reals so close that rounding decides whether they are equal.
        FloatEquality = "float_eq",
    }

    /// What is known of a design error.
    DesignVerdictWord {
        /// It occurs in a run that was replayed.
        Reached = "reached",
        /// Proven: no run without an earlier design error reaches it.
        Absent = "absent",
        /// Neither.
        Unknown = "unknown",
    }

    /// How many bits integers have.
    MachineIntWord {
        /// 32 bits.
        Bits32 = "32",
        /// 64 bits.
        Bits64 = "64",
    }

    /// The numbers that a verdict holds for.
    NumbersWord {
        /// Those of the machine, bit by bit.
        Machine = "machine",
        /// Those of the machine as long as nothing divides by zero and all reals are finite.
        MachineFinite = "machine-finite",
        /// Unbounded integers and exact reals; a machine has neither.
        Ideal = "ideal",
    }

    /// How reals are held.
    MachineRealWord {
        /// In 32 bits.
        Float = "float",
        /// In 64 bits.
        Double = "double",
    }

    /// How grave a message is.
    SeverityWord {
        /// The model cannot be used.
        Error = "error",
        /// It can, but it may not mean what its author meant.
        Warning = "warning",
        /// Worth knowing.
        Note = "note",
    }

    /// What assumptions do to the runs of a model.
    AssumptionsWord {
        /// After some steps no input is inside them.
        RunsEnd = "runs end",
        /// Every run can go on: proven.
        NoDeadEnd = "no dead end",
        /// Every run can go on in the steps that were searched.
        NoDeadEndFound = "no dead end found",
        /// They exclude every run.
        NoRun = "no run",
        /// The effort was used up.
        NotDecided = "not decided",
        /// What is needed for it is missing.
        NotAnalysed = "not analysed",
    }

    /// What ended the search for an answer before it was found.
    StopWord {
        /// Somebody asked for an early end.
        Cancelled = "cancelled",
        /// The time for it was over.
        Time = "time",
        /// More memory would have been needed than was given.
        Memory = "memory",
        /// As many random runs as were allowed did not decide.
        Runs = "runs",
    }

    /// What an obligation is about.
    KindWord {
        /// A Boolean operand.
        Condition = "condition",
        /// A Boolean expression that is no operand of another one.
        Decision = "decision",
        /// A side of an `if`.
        Branch = "branch",
        /// A property of the model, to be violated.
        Property = "property",
    }

    /// How masking is read.
    MaskingWord {
        /// An operand is masked unless it alone decides.
        Strict = "strict",
        /// As it was published.
        Original = "original",
        /// As programs evaluate: from left to right.
        ShortCircuit = "short-circuit",
    }

    /// What counts as one obligation.
    CountingWord {
        /// As it was published.
        Published = "published",
        /// Every occurrence of an expression for itself.
        Precise = "precise",
    }

    /// What is changed to see whether it matters.
    ExactWord {
        /// The value at one step.
        Step = "step",
        /// The value at all steps of the test.
        Stuck = "stuck",
    }

    /// Who says that an obligation is covered.
    CoveredByWord {
        /// Tags.
        Tagged = "tagged",
        /// Changed values.
        Exact = "exact",
    }

    /// Why an obligation is not covered.
    WhyNotWord {
        /// The expression never had the value.
        NeverReached = "never reached",
        /// Another operand decided on every way to a monitored variable.
        Masked = "masked",
        /// The effect was still on its way when the test ended.
        TooLate = "too late",
        /// The condition had the value, but another one decided as well.
        NeverDecided = "never decided",
        /// A tag arrived, but no test fails when the value is wrong.
        TagOnly = "tag-only",
    }

    /// How tests are searched for.
    MethodWord {
        /// By simulation alone.
        Random = "random",
        /// Each obligation from the first step.
        Regular = "regular",
        /// From states that were reached before.
        Incremental = "incremental",
        /// All of them.
        Hybrid = "hybrid",
        /// Not at all: a suite was measured.
        Measured = "measured",
    }

    /// Which solver answers.
    SolverWord {
        /// Z3.
        Z3 = "z3",
        /// Yices.
        Yices = "yices",
        /// Both.
        Portfolio = "portfolio",
        /// No solver was needed.
        None = "none",
    }

    /// Which method proves.
    ProverWord {
        /// Bounded model checking.
        Bmc = "bmc",
        /// k-induction.
        Kind = "kind",
        /// Property-directed reachability.
        Pdr = "pdr",
        /// Enumeration of states.
        Explicit = "explicit",
        /// All of them.
        All = "all",
        /// Nothing was to be proven.
        None = "none",
    }

    /// How a suite is made smaller.
    ReductionWord {
        /// It is not.
        None = "none",
        /// In random order, what adds coverage stays.
        Random = "random",
        /// The test that adds most comes next.
        Greedy = "greedy",
        /// Tests for the rarest obligations first.
        Hgs = "hgs",
        /// The smallest suite there is.
        Exact = "exact",
    }

    /// Where a test comes from.
    SourceWord {
        /// The user gave it.
        Given = "given",
        /// Random simulation.
        Simulation = "simulation",
        /// A search from where a test ended.
        Incremental = "incremental",
        /// A state that was reached before.
        Archive = "archive",
        /// A search from the first step.
        Search = "search",
    }

    /// What became of an obligation or a property.
    VerdictWord {
        /// A test covers the obligation.
        Covered = "covered",
        /// No test of any length covers the obligation: proven.
        Infeasible = "infeasible",
        /// A run violates the property.
        Violated = "violated",
        /// The property is true in every step of every run: proven.
        Holds = "holds",
        /// Neither was found within the effort.
        Unknown = "unknown",
        /// The user left the obligation out.
        Excluded = "excluded",
        /// The condition can be replaced by a constant: proven.
        Redundant = "redundant",
        /// It was exercised on an open way to an output, but no test fails when it is wrong.
        TagOnly = "tag-only",
    }

    /// How far it is shown that a condition matters.
    GradeWord {
        /// Wrong in one step of a test, it changes an output.
        Shown = "shown",
        /// Always wrong, it changes an output in a test.
        Lasting = "lasting",
        /// It can be replaced by a constant: proven.
        Redundant = "redundant",
        /// A tag reaches an output, and nothing more is known.
        TagOnly = "tag-only",
        /// Not even that.
        Unknown = "unknown",
    }

    /// Whether it is seen that a condition is wrong.
    EffectWord {
        /// A test shows it.
        Shown = "shown",
        /// No test of any length can: proven.
        Impossible = "impossible",
        /// Neither was found within the effort.
        Unknown = "unknown",
        /// It was not looked for.
        NotSought = "not-sought",
    }

    /// When a condition may be wrong without being noticed.
    RedundancyFormWord {
        /// In any of the steps.
        Free = "free",
        /// In all of them.
        Constant = "constant",
    }

    /// Why a condition can be replaced by a constant.
    RedundancyReasonWord {
        /// It never has the other value.
        Never = "never",
        /// When it has, another condition decides.
        Masked = "masked",
        /// Its effect never reaches what is monitored.
        Unseen = "unseen",
    }

    /// What became of a mutant.
    MutantWord {
        /// It was not run.
        Listed = "listed",
        /// It is no program to be tested.
        Invalid = "invalid",
        /// A test tells it from the model.
        Killed = "killed",
        /// No run tells it from the model: proven.
        Equivalent = "equivalent",
        /// Neither.
        Survived = "survived",
    }

    /// How far the effect of a mutant came.
    StageWord {
        /// No test evaluates the changed expression in a way that matters.
        Unreached = "not reached",
        /// A test does.
        Reached = "reached",
        /// The expression then has another value.
        Infected = "infected",
        /// A variable then has another value, but none that is monitored.
        Propagated = "propagated",
    }

    /// How a program is searched.
    MiningWord {
        /// The published method.
        Mine = "mine",
        /// At random.
        Random = "random",
        /// From the states found so far.
        Archive = "archive",
        /// All inputs in all states.
        Exhaustive = "exhaustive",
    }

    /// How a mined program runs.
    IsolationWord {
        /// In this process.
        Library = "library",
        /// In copies of a process.
        Fork = "fork",
        /// In a process of its own for each test.
        Spawn = "spawn",
    }

    /// Whether there may be more states than those found.
    ClosureWord {
        /// There may be.
        Open = "open",
        /// Not with the values that were tried.
        Values = "values",
        /// Not with any: proven.
        Proven = "proven",
    }

    /// What a condition of generated C lacks under a suite.
    LackWord {
        /// It is never true.
        True = "never true",
        /// It is never false.
        False = "never false",
        /// It is not shown to matter alone in its decision.
        Independence = "not shown to matter",
    }

    /// What the states of a machine are.
    MachineWord {
        /// Behaviour, as outputs tell.
        Outputs = "outputs",
        /// The memory of the program.
        Exact = "exact",
    }

    /// What is wrong with a mined program.
    FindingWord {
        /// It ended although it should go on.
        Ended = "ended",
        /// It aborted itself.
        Abort = "abort",
        /// A signal ended it.
        Crash = "crash",
        /// It exited.
        Exit = "exit",
        /// A step took too long.
        Hang = "hang",
        /// It started processes.
        Processes = "processes",
        /// A sanitizer complained.
        Sanitizer = "sanitizer",
        /// It wrote nothing.
        Silent = "silent",
    }

    /// What did not hold in a step.
    BreachWord {
        /// An assumption of the model.
        Assumption = "assumption",
        /// The range of a variable.
        Range = "range",
    }

    /// The answer to a question about timed automata.
    AnswerWord {
        /// Yes.
        Satisfied = "satisfied",
        /// No.
        NotSatisfied = "not satisfied",
        /// Neither was found.
        Unknown = "unknown",
    }

    /// What a largest or smallest value is.
    ExtremeWord {
        /// A state has it.
        Reached = "reached",
        /// States come as near as one likes.
        Approached = "approached",
        /// There is no bound.
        Unbounded = "unbounded",
        /// No state counts.
        None = "none",
    }

    /// What a sequence that identifies a state is made of.
    SequenceWord {
        /// One sequence for all other states.
        Single = "single",
        /// Several, one after the other.
        Composed = "composed",
        /// One for some other states.
        Separating = "separating",
    }

    /// The rule of verdicts under uncertain timing.
    OracleWord {
        /// A few runs for all tests, and many fresh ones for those that look wrong.
        TwoStage = "two-stage",
        /// A sequential test.
        Sequential = "sequential",
        /// Intervals that overlap, as in the literature.
        Published = "published",
    }

    /// The verdict of a timed test.
    TimedVerdictWord {
        /// Outputs are as probable as in the model.
        Pass = "pass",
        /// They are not.
        Fail = "fail",
        /// The model never shows such outputs.
        Illegal = "illegal",
        /// The test could not be run.
        Error = "error",
    }

    /// What became of a mutant of timed automata.
    TimedMutantWord {
        /// It was not run.
        Open = "open",
        /// It is the same as another one.
        Duplicate = "duplicate",
        /// It shows the same outputs as the model: proven.
        Equivalent = "equivalent",
        /// A test fails on it.
        Killed = "killed",
        /// No test does.
        Survived = "survived",
    }

    /// When events are sent to a target.
    ModeWord {
        /// When the test says so.
        Direct = "direct",
        /// Earlier by the delays of the target.
        Scheduled = "scheduled",
        /// The same, with what was learnt in earlier runs.
        Adaptive = "adaptive",
    }

    /// The verdict of a test, or of one of its interactions, on a target.
    TestVerdictWord {
        /// What was expected came.
        Pass = "pass",
        /// It did not, and delays do not explain it.
        Fail = "fail",
        /// Delays may explain it.
        Inconclusive = "inconclusive",
        /// The test could not be run.
        Error = "error",
    }

    /// The side of a target that a signal is on.
    SideWord {
        /// Sent to the target.
        In = "in",
        /// Received from it.
        Out = "out",
    }

    /// A study whose results are tables of the literature.
    StudyWord {
        /// Criteria and the visibility of effects.
        Observability = "observability",
        /// Methods to search for tests.
        Incremental = "incremental",
        /// Oracles under uncertain timing.
        Stochastic = "stochastic",
    }

    /// What an audited claim says.
    ClaimWord {
        /// A test covers an obligation.
        Covered = "covered",
        /// No test covers an obligation.
        Infeasible = "infeasible",
        /// A property is true in every step of every run.
        Holds = "holds",
        /// A property is false in a step of a test.
        Violated = "violated",
        /// A test tells a mutant from the model.
        Killed = "killed",
        /// No run tells a mutant from the model.
        Equivalent = "equivalent",
        /// A test shows it when a condition is wrong in one step.
        Shown = "shown",
        /// A test shows it when a condition is always wrong.
        Lasting = "lasting",
        /// A constant can replace a condition.
        Redundant = "redundant",
        /// No test shows it when a condition is wrong in one step.
        Impossible = "impossible",
        /// A run reaches a design error.
        Reached = "reached",
        /// No run reaches a design error.
        Absent = "absent",
    }

    /// Why a claim is neither confirmed nor refuted.
    DoubtWord {
        /// Nothing that shows it is written down, or what is does not show it.
        Uncertified = "uncertified",
        /// No solver could tell.
        Undecided = "undecided",
        /// There was no time or room left.
        Limit = "limit",
    }

    /// What is known of an obligation, as a colour shows it.
    StateWord {
        /// A test exercises it, and something monitored shows it.
        Visible = "visible",
        /// A test exercises it, but nothing that is monitored shows it.
        Masked = "masked",
        /// No test can: proven.
        Infeasible = "infeasible",
        /// Of a property: a test makes it false.
        Violated = "violated",
        /// Of a property: it is true in every step of every run, proven.
        Holds = "holds",
        /// None of these.
        Unknown = "unknown",
        /// Left out for a reason.
        Excluded = "excluded",
        /// Wrong in one step of a test, it changes an output.
        Shown = "shown",
        /// Always wrong, it changes an output in a test.
        Lasting = "lasting",
        /// A constant does as well: proven.
        Redundant = "redundant",
        /// A tag reaches an output, but no test fails when it is wrong.
        TagOnly = "tag-only",
    }

    /// What a variable is to a tester.
    RoleWord {
        /// An input.
        In = "in",
        /// Monitored.
        Out = "out",
        /// Neither.
        Local = "local",
    }

    /// The type of a variable.
    TypeWord {
        /// True or false.
        Bool = "bool",
        /// A whole number.
        Int = "int",
        /// A rational number.
        Real = "real",
        /// A constant of an enumeration.
        Enum = "enum",
    }
}

impl From<StopReason> for StopWord {
    fn from(stop: StopReason) -> StopWord {
        match stop {
            StopReason::Cancelled => StopWord::Cancelled,
            StopReason::Time => StopWord::Time,
            StopReason::Memory(_) => StopWord::Memory,
            StopReason::Runs(_) => StopWord::Runs,
        }
    }
}
