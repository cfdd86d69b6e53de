//! What is to be exercised.

use clap::Args;
use provoke::{CoverageTarget, IntegerWidth, MachineNumbers, MachineReal, Numbers, NumbersChoice};
use provoke_criteria::Counting;

use super::ModelArgs;
use super::words::word;

/// What is to be exercised.
#[derive(Args)]
pub(crate) struct CriterionArgs {
    /// Criteria, separated by commas: condition, decision, branch, mcdc; with an `o` in front the
    /// effect must be observed; properties, each to be violated; errors: design errors, each reached
    #[arg(short, long, value_name = "CRITERIA", default_value = "omcdc", value_delimiter = ',',
          value_parser = word::<CoverageTarget>)]
    pub(crate) criterion: Vec<CoverageTarget>,
    /// How obligations are counted: published (as the published tool does) or precise (each
    /// occurrence once)
    #[arg(long, value_name = "RULE", default_value = "published", value_parser = word::<Counting>)]
    pub(crate) counting: Counting,
}

/// The numbers that a model is computed with, and that design errors are about.
#[derive(Args, Clone, Copy)]
pub(crate) struct NumberArgs {
    /// Numbers to compute with: exact, or c: those of generated C, see --int and --real
    #[arg(long, value_name = "NUMBERS", default_value = "exact", value_parser = word::<NumbersChoice>)]
    pub(crate) numbers: NumbersChoice,
    /// Width of integers for --numbers c and for design errors: 32, 64 or auto
    #[arg(long, value_name = "BITS", default_value = "64", value_parser = word::<IntegerWidth>)]
    pub(crate) int: IntegerWidth,
    /// Type of reals for --numbers c and for design errors: double or float
    #[arg(long, value_name = "TYPE", default_value = "double", value_parser = word::<MachineReal>)]
    pub(crate) real: MachineReal,
}

impl NumberArgs {
    /// What the model is computed with.
    pub(crate) fn numbers(self) -> Numbers {
        self.numbers.with(self.limits())
    }

    /// What design errors are about.
    pub(crate) fn limits(self) -> MachineNumbers {
        MachineNumbers { int: self.int, real: self.real }.settled()
    }
}

#[derive(Args)]
pub(crate) struct ObligationsArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
}
