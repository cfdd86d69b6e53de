//! What may be chosen: plain data with sensible defaults.

use std::path::PathBuf;
use std::time::Duration;

use provoke_base::words::Words;
use provoke_criteria::{Counting, Criterion, ExactChange, Masking, NumberLimits};
use provoke_model::RealWidth;
use provoke_mutate::{MutationOperator, REPLACEMENTS};
use provoke_solve::engine::{Engine, SolverChoice};
use provoke_store::Shard;
use provoke_testgen::{GenerationMethod, InputFill};
use provoke_work::{Workers, threads};
use serde::{Deserialize, Serialize};

use crate::numbers::Numbers;

/// How much work is done, and by whom.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
#[serde(default)]
pub struct WorkOptions {
    /// The numbers that the model is computed with.
    pub numbers: Numbers,
    /// Expressions over the variables of the main node that hold in every step, beside the model's own
    /// assertions.
    pub assume: Vec<String>,
    /// Wall-clock time in all. What is found is sound, but need not be the same next time.
    pub budget: Option<Duration>,
    /// A repeatable measure of work for each obligation; 10 if nothing is said.
    pub effort: Option<u32>,
    /// How many threads work; as many as there are cores if nothing is said.
    pub jobs: Option<u32>,
    /// How obligations are decided.
    pub prover: Engine,
    /// Who works, if it is not this process.
    #[serde(skip)]
    pub workers: Option<Workers>,
    /// Where workers keep what they found; the folder of the results if nothing is said.
    pub store: Option<PathBuf>,
    /// Which solver answers.
    pub solver: SolverChoice,
    /// How many megabytes Z3 may hold.
    pub memory: Option<u32>,
    /// Where random numbers start.
    pub seed: u64,
}

impl WorkOptions {
    /// How many threads work.
    pub fn threads(&self) -> usize {
        threads(self.jobs)
    }

    /// The same work as a worker does it: by itself.
    pub(crate) fn alone(self) -> WorkOptions {
        WorkOptions { jobs: Some(1), workers: None, store: None, ..self }
    }
}

/// What obligations are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CoverageTarget {
    /// What a coverage criterion asks for.
    Criterion(Criterion),
    /// The model's own properties, each to be violated.
    Properties,
    /// Mutants of all eight kinds, each to be killed or proven equivalent.
    Mutants,
    /// Operations that may go wrong in a machine's numbers, each to be reached or proven absent.
    Errors,
}

impl CoverageTarget {
    /// The word users write.
    pub fn word(self) -> &'static str {
        match self {
            CoverageTarget::Criterion(criterion) => criterion.word(),
            CoverageTarget::Properties => "properties",
            CoverageTarget::Mutants => "mutants",
            CoverageTarget::Errors => "errors",
        }
    }

    /// The target that a word names.
    pub fn named(word: &str) -> Option<CoverageTarget> {
        match word {
            "properties" => Some(CoverageTarget::Properties),
            "mutants" => Some(CoverageTarget::Mutants),
            "errors" => Some(CoverageTarget::Errors),
            _ => Criterion::named(word).map(CoverageTarget::Criterion),
        }
    }
}

impl Words for CoverageTarget {
    fn all() -> Vec<CoverageTarget> {
        Criterion::ALL
            .into_iter()
            .map(CoverageTarget::Criterion)
            .chain([CoverageTarget::Properties, CoverageTarget::Mutants, CoverageTarget::Errors])
            .collect()
    }

    fn written(self) -> &'static str {
        self.word()
    }
}

provoke_base::words_as_text!(CoverageTarget);

/// How many bits integers have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum IntegerWidth {
    /// 32 bits.
    Bits32,
    /// 64 bits.
    #[default]
    Bits64,
    /// 32 bits for those that are proven to fit, else 64: they compute what all do with 64.
    Proven,
}

provoke_base::words!(IntegerWidth { Bits32 = "32", Bits64 = "64", Proven = "auto" });

/// How reals are held.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MachineReal {
    /// In 32 bits.
    Float,
    /// In 64 bits.
    #[default]
    Double,
}

provoke_base::words!(MachineReal { Float = "float", Double = "double" });

/// The numbers of a machine: those that generated C has by default.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MachineNumbers {
    /// How many bits integers have.
    pub int: IntegerWidth,
    /// How reals are held.
    pub real: MachineReal,
}

impl MachineNumbers {
    /// The numbers that must not be left.
    pub fn limits(self) -> NumberLimits {
        let int_bits = match self.int {
            IntegerWidth::Bits32 => 32,
            IntegerWidth::Bits64 | IntegerWidth::Proven => 64,
        };
        let real = match self.real {
            MachineReal::Float => RealWidth::Single,
            MachineReal::Double => RealWidth::Double,
        };
        NumberLimits { int_bits, real }
    }
}

/// How fewer tests are chosen that cover as much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// The test that adds most, again and again.
    Greedy,
    /// In random order, whatever adds something.
    Random,
    /// Tests for the rarest obligations first (Harrold, Gupta, Soffa).
    Hgs,
    /// The smallest suite there is.
    Exact,
}

provoke_base::words!(Reduction {
    Greedy = "greedy",
    Random = "random",
    Hgs = "hgs",
    Exact = "exact",
});

/// What becomes of inputs that tests leave open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fill {
    /// They stay unknown; what depends on them is unknown too.
    #[default]
    Keep,
    /// false, 0, the first constant, or the lower bound.
    Default,
    /// What they were in the step before.
    Hold,
    /// Drawn at random, from the seed.
    Random,
}

provoke_base::words!(Fill {
    Keep = "keep",
    Default = "default",
    Hold = "hold",
    Random = "random",
});

/// How tests are generated.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(default)]
pub struct GenerateOptions {
    /// What obligations are made of.
    pub targets: Vec<CoverageTarget>,
    /// What counts as one obligation.
    pub counting: Counting,
    /// How tests are searched for.
    pub method: GenerationMethod,
    /// When an operand counts as masked.
    pub masking: Masking,
    /// The machine's numbers, where design errors are asked for.
    pub numbers: MachineNumbers,
    /// What is monitored: `output`, `maximum`, or names separated by commas.
    pub oracle: String,
    /// Which wrong values count alone: those wrong in one step, or those that are always wrong;
    /// `None` if both count.
    pub exact: Option<ExactChange>,
    /// Whether tags decide, as in the published work, and nothing is graded.
    pub as_published: bool,
    /// What inputs are that a solver leaves open.
    pub fill: InputFill,
    /// Whether what the incremental method misses is searched for as by the regular one.
    pub fallback: bool,
    /// How many mutants are taken at random, where they are asked for; all if nothing is said.
    pub sample: Option<usize>,
    /// Obligations that are left out: an id or a pattern with `*`, and the reason.
    pub exclude: Vec<(String, String)>,
    /// How the suite is made smaller without loss; `None` keeps all tests.
    pub reduction: Option<Reduction>,
    /// The part of the obligations that solvers work on here.
    pub shard: Option<Shard>,
    /// Where results are written; the same call goes on from what is there.
    pub folder: Option<PathBuf>,
    /// How much work is done, and by whom.
    pub work: WorkOptions,
}

impl Default for GenerateOptions {
    fn default() -> GenerateOptions {
        let omcdc = Criterion::named("omcdc").expect("a criterion");
        GenerateOptions {
            targets: vec![CoverageTarget::Criterion(omcdc)],
            counting: Counting::Published,
            method: GenerationMethod::Hybrid,
            masking: Masking::Strict,
            numbers: MachineNumbers::default(),
            oracle: "output".to_string(),
            exact: None,
            as_published: false,
            fill: InputFill::Random,
            fallback: true,
            sample: None,
            exclude: Vec::new(),
            reduction: Some(Reduction::Greedy),
            shard: None,
            folder: None,
            work: WorkOptions::default(),
        }
    }
}

/// How mutants are made, run and decided.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(default)]
pub struct MutateOptions {
    /// The kinds of faults; all if none is named.
    pub operators: Vec<MutationOperator>,
    /// How many other variables are tried in place of one.
    pub replacements: usize,
    /// How many mutants are taken at random; all if nothing is said.
    pub sample: Option<usize>,
    /// What is monitored: `output`, `maximum`, or names separated by commas.
    pub oracle: String,
    /// Whether survivors are proven equivalent where they are.
    pub equivalence: bool,
    /// Whether tests that kill survivors are added to the suite.
    pub kill: bool,
    /// Whether every mutant is run on all tests.
    pub matrix: bool,
    /// Where results are kept.
    pub folder: Option<PathBuf>,
    /// How much work is done, and by whom.
    pub work: WorkOptions,
}

impl Default for MutateOptions {
    fn default() -> MutateOptions {
        MutateOptions {
            operators: Vec::new(),
            replacements: REPLACEMENTS,
            sample: None,
            oracle: "output".to_string(),
            equivalence: false,
            kill: false,
            matrix: false,
            folder: None,
            work: WorkOptions::default(),
        }
    }
}
