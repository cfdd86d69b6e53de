//! The numbers that a model is computed with, and that verdicts about it hold for.

use std::borrow::Cow;

use provoke_analysis::{Misfit, Obstacle, Widths, in_machine_numbers, stands_in_the_way};
use provoke_base::table::shortened;
use provoke_base::{Diagnostic, Error, ErrorCode, SourceFile};
use provoke_criteria::{Obligation, ObligationKind};
use provoke_files::Model;
use provoke_model::fixed::{Arithmetic, FixedValue};
use provoke_model::{
    Equation, ExprId, IntWidth, RealWidth, Step, Suite, System, TestCase, Value, VarId,
};
use provoke_results::{
    MachineIntWord, MachineRealWord, NumbersResult, NumbersWord, VerdictResult, VerdictWord, Word,
};
use provoke_sim::FixedSimulator;
use serde::{Deserialize, Serialize};

use crate::options::{IntegerWidth, MachineNumbers, MachineReal};

/// The numbers that a model is computed with.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Numbers {
    /// Unbounded integers and exact reals.
    #[default]
    Exact,
    /// Those of generated C.
    C(MachineNumbers),
}

/// Which numbers a model is computed with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumbersChoice {
    /// Unbounded integers and exact reals.
    Exact,
    /// Those of generated C.
    C,
}

provoke_base::words!(NumbersChoice { Exact = "exact", C = "c" });

impl NumbersChoice {
    /// The numbers, if the code has these.
    pub fn with(self, machine: MachineNumbers) -> Numbers {
        match self {
            NumbersChoice::Exact => Numbers::Exact,
            NumbersChoice::C => Numbers::C(machine.settled()),
        }
    }
}

impl Numbers {
    /// Those that a suite was made for.
    pub fn of_suite(suite: &Suite) -> Numbers {
        numbers_of_result(numbers_result(suite.numbers))
    }

    /// The model in these numbers. One that is in a machine's numbers already stays what it is.
    pub fn of(self, model: Model) -> Result<Model, Error> {
        let Numbers::C(machine) = self else { return Ok(model) };
        if model.system.numbers.is_some() {
            return Ok(model);
        }
        let Model { file, system } = model;
        match in_machine_numbers(&system, machine.arithmetic()) {
            Ok(system) => Ok(Model { file, system }),
            Err(misfits) => Err(misfit(&file, &misfits, machine.arithmetic())),
        }
    }
}

/// A model in the numbers that a suite was made for.
pub fn in_numbers_of<'s>(suite: &Suite, system: &'s System) -> Result<Cow<'s, System>, Error> {
    let Some(machine) = suite.numbers.filter(|_| system.numbers != suite.numbers) else {
        return Ok(Cow::Borrowed(system));
    };
    in_machine_numbers(system, machine).map(Cow::Owned).map_err(|_| {
        let message = "the model has numbers that do not fit those of the suite";
        Error::input(message, "make a suite for integers of 64 bits, or for exact numbers")
    })
}

/// Refuses a suite that says that it was made for other numbers than those of what it is to run on.
pub fn same_numbers(suite: &Suite, numbers: Option<Arithmetic>, what: &str) -> Result<(), Error> {
    let Some(made_for) = suite.numbers.filter(|_| suite.numbers != numbers) else { return Ok(()) };
    let other = numbers.map_or("exact numbers".to_string(), numbers_told);
    let message = format!("the suite was made for {}, {what} has {other}", numbers_told(made_for));
    let hint = format!("make one for {other}");
    Err(Error::new(ErrorCode::OtherNumbers, message).hint(hint))
}

/// Refuses a suite that says that it was made for other numbers than those that a model is computed with;
/// else it says from here on that it is for these.
pub fn label(suite: &mut Suite, system: &System) -> Result<(), Error> {
    same_numbers(suite, system.numbers, "the model").map_err(|error| {
        let told = suite
            .numbers
            .map(|Arithmetic { int, real }| format!("{} {}", int.machine().bits, real.word()));
        Error::new(ErrorCode::SuiteNumbers, error.message).hint(told.unwrap_or_default())
    })?;
    suite.numbers = system.numbers;
    Ok(())
}

fn misfit(file: &SourceFile, misfits: &[Misfit], machine: Arithmetic) -> Error {
    let bits = machine.int.machine().bits;
    let diagnostic = |misfit: &Misfit| {
        let (message, span) = match misfit {
            Misfit::Constant(Value::Int(int), span) => {
                (format!("{int} does not fit {bits} bits"), *span)
            }
            Misfit::Constant(_, span) => {
                (format!("a number too large for {}", machine.real.word()), *span)
            }
            Misfit::Input(range, span) => {
                let (low, high) = (&range.low, &range.high);
                (format!("no number from {low} to {high} fits {bits} bits"), *span)
            }
        };
        let help = match (misfit, bits) {
            (Misfit::Constant(Value::Int(_), _) | Misfit::Input(..), 32) => {
                "use integers of 64 bits"
            }
            _ => "write the model with smaller numbers, or compute with exact ones",
        };
        Diagnostic::error("number-too-large", span, message).help(help)
    };
    Error::in_text(file, misfits.iter().map(diagnostic).collect())
}

/// A machine's numbers as they are written in results.
pub fn numbers_result(numbers: Option<Arithmetic>) -> Option<NumbersResult> {
    numbers.map(|numbers| NumbersResult {
        int: MachineIntWord::of(&numbers.int.machine().bits.to_string()),
        real: MachineRealWord::of(numbers.real.word()),
    })
}

/// The numbers that results were written for.
pub fn numbers_of_result(numbers: Option<NumbersResult>) -> Numbers {
    match numbers {
        None => Numbers::Exact,
        Some(NumbersResult { int, real }) => Numbers::C(MachineNumbers::of_words(int, real)),
    }
}

/// What keeps proofs about a model in a machine's numbers from holding for every run of the machine.
pub(crate) fn reservation(file: &SourceFile, system: &System, about: &[ExprId]) -> Option<String> {
    let obstacle = system.numbers.and_then(|_| stands_in_the_way(system, about))?;
    let place = |expr: ExprId| {
        let span = system.exprs[expr].span;
        let text: Vec<&str> = file.slice(span).split_whitespace().collect();
        let line = file.line_column(span.start).line;
        format!("`{}` (line {line})", shortened(&text.join(" "), 40))
    };
    Some(match obstacle {
        Obstacle::Division(expr) => {
            format!("{} may divide by zero, where runs end here and the code goes on", place(expr))
        }
        Obstacle::Infinity(expr) => {
            format!("{} may leave the finite reals, where nothing is known here", place(expr))
        }
    })
}

/// Says which numbers verdicts hold for: tests were replayed with those of the model, proofs may have a
/// reservation.
pub(crate) fn stamp(
    verdicts: &mut [VerdictResult],
    obligations: &[Obligation],
    file: &SourceFile,
    system: &System,
) {
    for (verdict, obligation) in verdicts.iter_mut().zip(obligations) {
        let is_proof = match verdict.verdict {
            VerdictWord::Unknown | VerdictWord::Excluded => continue,
            VerdictWord::Covered | VerdictWord::Violated => false,
            _ => true,
        };
        let about = is_proof.then(|| subject_of(system, obligation));
        verdict.numbers_reason = about.and_then(|about| reservation(file, system, &about));
        verdict.numbers = Some(match (system.numbers, &verdict.numbers_reason) {
            (None, _) => NumbersWord::Ideal,
            (Some(_), Some(_)) => NumbersWord::MachineFinite,
            (Some(_), None) => NumbersWord::Machine,
        });
    }
}

/// The expressions that a proof about an obligation is about: the equation that it stands in, or everything
/// where an effect has to be observed.
fn subject_of(system: &System, obligation: &Obligation) -> Vec<ExprId> {
    let is_property = obligation.kind == ObligationKind::Property;
    let is_about = |equation: &&Equation| match obligation.criterion.observable {
        true => true,
        false => !is_property && equation.var == obligation.variable,
    };
    let equations = system.equations.iter().filter(is_about).map(|equation| equation.expr);
    equations.chain([obligation.expr]).collect()
}

/// Replays a suite with the machine's own operations on the exact model: what it expects has to come out,
/// however wide integers are that are proven to fit fewer bits.
pub(crate) fn confirm(suite: &Suite, exact: &System, machine: Arithmetic) -> Result<(), Error> {
    let mut simulators = vec![FixedSimulator::new(exact, machine)];
    if machine.int == IntWidth::Bits64 {
        let widths = Widths::proven(exact);
        simulators.push(FixedSimulator::with_widths(exact, machine, widths));
    }
    let outputs: Vec<Option<VarId>> =
        suite.outputs.iter().map(|signal| exact.var_named(&signal.name)).collect();
    for simulator in &mut simulators {
        for test in &suite.tests {
            simulator.reset();
            if let Some(step) = first_difference(simulator, test, &outputs, machine) {
                let name = &test.name;
                let message = format!(
                    "the machine's own numbers do not give what test `{name}` expects in step {step}"
                );
                return Err(Error::new(ErrorCode::Internal, message));
            }
        }
    }
    Ok(())
}

/// The first step in which the machine does something else, counted from 1.
fn first_difference(
    simulator: &mut FixedSimulator<'_>,
    test: &TestCase,
    outputs: &[Option<VarId>],
    machine: Arithmetic,
) -> Option<usize> {
    for (at, Step { inputs, outputs: expected }) in test.steps.iter().enumerate() {
        // What is left open may be anything: the machine cannot say more than the model.
        let words: Option<Vec<FixedValue>> =
            inputs.iter().map(|value| machine.word(value)).collect();
        simulator.step(&words?);
        let differs = |(var, expected): (&Option<VarId>, &Value)| {
            let Some(var) = var else { return false };
            expected.is_known() && simulator.values()[*var].to_value() != *expected
        };
        if outputs.iter().zip(expected).any(differs) {
            return Some(at + 1);
        }
    }
    None
}

impl MachineNumbers {
    /// What a machine with these numbers computes. Integers that are proven to fit 32 bits are those of 64.
    pub fn arithmetic(self) -> Arithmetic {
        let limits = self.limits();
        let int = if limits.int_bits == 32 { IntWidth::Bits32 } else { IntWidth::Bits64 };
        Arithmetic { int, real: limits.real }
    }

    /// The same numbers, where what is proven to fit 32 bits counts as one of 64: they compute the same.
    pub fn settled(self) -> MachineNumbers {
        let int = match self.int {
            IntegerWidth::Bits32 => IntegerWidth::Bits32,
            IntegerWidth::Bits64 | IntegerWidth::Proven => IntegerWidth::Bits64,
        };
        MachineNumbers { int, ..self }
    }

    fn of_words(int: MachineIntWord, real: MachineRealWord) -> MachineNumbers {
        MachineNumbers {
            int: IntegerWidth::named(int.word()).unwrap_or_default(),
            real: MachineReal::named(real.word()).unwrap_or_default(),
        }
    }
}

/// A machine's numbers in a few words.
pub fn numbers_told(numbers: Arithmetic) -> String {
    let real = match numbers.real {
        RealWidth::Single => "float",
        RealWidth::Double => "double",
    };
    format!("integers of {} bits and {real}", numbers.int.machine().bits)
}
