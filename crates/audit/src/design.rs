//! The claims about design errors: each that is reached is looked for in its run, by what the tree says of
//! every operation. That one is absent has no certificate and stays unconfirmed.

use provoke_base::{Int, Rational};
use provoke_model::{BinaryOp, Range, UnaryOp, Value};

use crate::claim::{Claim, Reason, State, Word};
use crate::evaluator::{Computed, Evaluator, FaultAt};
use crate::folder::{DesignError, DesignErrorInput, DesignErrors};
use crate::instances::{InstanceId, Model, VarId};
use crate::operator::Fault;
use crate::replay::outside;
use crate::shape::{Part, Shape, machine_range};

const VERDICTS: &str = "verdicts.json";

/// The claims, and what is wrong with the list as a whole.
pub(crate) fn claims(
    model: &Model,
    errors: &DesignErrors,
    stop: &dyn Fn() -> bool,
) -> (Vec<Claim>, Vec<String>) {
    let count = |word: &str| errors.list.iter().filter(|one| one.verdict == word).count();
    let counted = (errors.list.len(), count("reached"), count("absent"));
    let mut troubles = Vec::new();
    if counted != (errors.total, errors.reached, errors.absent) {
        troubles.push(format!("{VERDICTS}: the design errors are not as many as it says"));
    }
    let Some(numbers) = Numbers::named(&errors.int, &errors.real) else {
        troubles.push(format!("{VERDICTS}: `{}` and `{}` are no numbers", errors.int, errors.real));
        return (Vec::new(), troubles);
    };
    let claim = |error: &DesignError| {
        let (word, state) = match error.verdict.as_str() {
            "reached" if stop() => (
                Word::Reached,
                State::Unconfirmed(Reason::Limit, "there was no time left".to_string()),
            ),
            "reached" => (Word::Reached, reached(model, error, &numbers)),
            "absent" => {
                let why = "no certificate is written for design errors".to_string();
                (Word::Absent, State::Unconfirmed(Reason::Uncertified, why))
            }
            _ => return None,
        };
        Some(Claim { word, id: error.id.clone(), state })
    };
    (errors.list.iter().filter_map(claim).collect(), troubles)
}

/// The numbers of the machine.
struct Numbers {
    ints: Range,
    /// From here on reals are infinite.
    infinity: Rational,
    /// Up to here every integer is a real.
    exact: Int,
    /// How close reals are that rounding makes equal, in parts of their size.
    closeness: Rational,
}

impl Numbers {
    fn named(int: &str, real: &str) -> Option<Numbers> {
        let high = match int {
            "32" => Int::from(i64::from(i32::MAX)),
            "64" => Int::from(i64::MAX),
            _ => return None,
        };
        let (exponent, digits) = match real {
            "float" => (128, 24),
            "double" => (1024, 53),
            _ => return None,
        };
        let two = |exponent: usize| (0..exponent).fold(Int::from(1), |power, _| power.add(&power));
        let last_half = two(exponent - digits - 1);
        Some(Numbers {
            ints: Range { low: high.neg().sub(&Int::from(1)), high },
            infinity: Rational::from(&two(exponent).sub(&last_half)),
            exact: two(digits),
            closeness: Rational::new(&Int::from(1), &two(digits - 1))?,
        })
    }
}

/// Runs the steps that are said to reach an error.
fn reached(model: &Model, error: &DesignError, numbers: &Numbers) -> State {
    let Some(rows) = rows(model, error) else {
        return State::Refuted("its inputs are no steps of the model".to_string());
    };
    let mut evaluator = Evaluator::new(model);
    for (at, row) in rows.iter().enumerate() {
        let (number, is_last) = (at + 1, at + 1 == rows.len());
        let too_wide = |(var, value): (&VarId, &Value)| {
            !model.vars[*var].is_machine && !numbers.ints.contains(value)
        };
        if outside(model, row).is_some() || model.inputs.iter().zip(row).any(too_wide) {
            return State::Refuted(format!("step {number} has inputs that the machine has not"));
        }
        let (outcome, log) = evaluator.compute_listing(row);
        let broken = evaluator.assertions().iter().any(|value| *value == Value::Bool(false));
        if outcome.is_ok() && broken {
            return State::Refuted(format!("step {number} breaks an assertion"));
        }
        if is_last {
            return shown(model, error, numbers, &Last { evaluator: &evaluator, outcome, log });
        }
        if outcome.is_err() {
            return State::Refuted(format!("step {number} divides by zero, which ends the run"));
        }
        if log.iter().any(|one| overflows(model, one, numbers)) {
            let why = format!("step {number} overflows as well, which ends the run");
            return State::Unconfirmed(Reason::Uncertified, why);
        }
        evaluator.advance();
    }
    State::Refuted("no step is told".to_string())
}

/// The inputs of the run, step by step.
fn rows(model: &Model, error: &DesignError) -> Option<Vec<Vec<Value>>> {
    let enums = &model.tree.types.enums;
    let named = |(var, input): (&VarId, &DesignErrorInput)| {
        model.vars[*var].name == input.name && input.values.len() == error.step
    };
    let is_whole = error.inputs.len() == model.inputs.len()
        && model.inputs.iter().zip(&error.inputs).all(named);
    let row = |step: usize| -> Option<Vec<Value>> {
        let value = |(var, input): (&VarId, &DesignErrorInput)| {
            Value::parse(&input.values[step], model.vars[*var].ty, enums)
        };
        model.inputs.iter().zip(&error.inputs).map(value).collect()
    };
    is_whole.then(|| (0..error.step).map(row).collect())?
}

/// The last step of a run.
struct Last<'a> {
    evaluator: &'a Evaluator<'a>,
    outcome: Result<(), FaultAt>,
    log: Vec<Computed>,
}

/// Whether the last step shows the error.
fn shown(model: &Model, error: &DesignError, numbers: &Numbers, last: &Last<'_>) -> State {
    let not_shown = || State::Refuted("its run does not show it".to_string());
    let is_here = |instance: InstanceId, part: Part| {
        let start = model.tree.program.exprs[part.expr].span.start;
        let place = model.tree.file.line_column(start);
        model.instances[instance].path == error.instance
            && (place.line, place.column) == (error.line, error.column)
    };
    let seen = match error.kind.as_str() {
        "div0" => match &last.outcome {
            Err(FaultAt { fault: Fault::DivisionByZero, instance, part }) => {
                is_here(*instance, *part)
            }
            _ => false,
        },
        "range" => {
            let Some(var) = model.var_named(&error.expression) else { return not_shown() };
            let value = last.evaluator.value_of(var);
            model.vars[var].range.as_ref().is_some_and(|range| !range.contains(&value))
        }
        kind => {
            let shows = |one: &&Computed| goes_wrong(model, kind, one, numbers);
            last.log.iter().filter(shows).any(|one| is_here(one.instance, one.part))
        }
    };
    let is_operation = |part: Part| {
        let start = model.tree.program.exprs[part.expr].span.start;
        let place = model.tree.file.line_column(start);
        let is_place = (place.line, place.column) == (error.line, error.column);
        is_place && is_listed(&model.shape(part))
    };
    match seen {
        true => State::RUN,
        false if ["div0", "range"].contains(&error.kind.as_str()) && last.outcome.is_ok() => {
            not_shown()
        }
        // Where a division by zero comes first, what else goes wrong in the step is not seen.
        false if last.outcome.is_err() => {
            let why = "the step divides by zero as well".to_string();
            State::Unconfirmed(Reason::Uncertified, why)
        }
        false if model.tree.program.exprs.ids().any(|expr| is_operation(Part::of(expr))) => {
            not_shown()
        }
        false => {
            let why = format!("the audit does not look at `{}`", error.expression);
            State::Unconfirmed(Reason::Uncertified, why)
        }
    }
}

/// Whether the evaluator lists such a computation.
fn is_listed(shape: &Shape) -> bool {
    matches!(shape, Shape::Unary(..) | Shape::Binary(..) | Shape::Element { .. })
}

fn goes_wrong(model: &Model, kind: &str, one: &Computed, numbers: &Numbers) -> bool {
    match (kind, model.shape(one.part), one.operands.as_slice()) {
        ("overflow", ..) => overflows(model, one, numbers),
        ("wrap", Shape::Unary(UnaryOp::Wrap(_), _), [exact]) => {
            one.result.is_known() && *exact != one.result
        }
        ("index", Shape::Element { size, .. }, [index]) => {
            !Range { low: Int::ZERO, high: Int::from(size as i64 - 1) }.contains(index)
        }
        ("inf", ..) => match &one.result {
            Value::Real(real) => numbers.infinity <= size(real),
            _ => false,
        },
        ("inexact_cast", Shape::Unary(UnaryOp::ToReal, _), [int]) => {
            !Range { low: numbers.exact.neg(), high: numbers.exact.clone() }.contains(int)
        }
        (
            "float_eq",
            Shape::Binary(BinaryOp::Eq | BinaryOp::Ne, ..),
            [Value::Real(a), Value::Real(b)],
        ) => {
            let both = size(a).add(&size(b));
            !both.is_zero() && size(&a.sub(b)) <= numbers.closeness.mul(&both)
        }
        _ => false,
    }
}

fn size(real: &Rational) -> Rational {
    if real.is_negative() { real.neg() } else { real.clone() }
}

/// Whether an operation on `int` gives or takes a number that is none of the machine's.
fn overflows(model: &Model, one: &Computed, numbers: &Numbers) -> bool {
    let is_int = |part: Part| machine_range(&model.tree, part).is_none();
    let wide = |value: &Value| matches!(value, Value::Int(_)) && !numbers.ints.contains(value);
    match model.shape(one.part) {
        Shape::Unary(UnaryOp::Neg | UnaryOp::Floor, _) if !one.part.is_exact() => {
            is_int(one.part) && (wide(&one.result) || one.operands.iter().any(wide))
        }
        Shape::Binary(op, left, right) if !one.part.is_exact() => {
            let takes_ints = match op.is_relation() {
                true => is_int(left) || is_int(right),
                false => is_int(one.part),
            };
            let of_bits = matches!(
                op,
                BinaryOp::BitAnd(_)
                    | BinaryOp::BitOr(_)
                    | BinaryOp::ShiftLeft(_)
                    | BinaryOp::ShiftRight(_)
            );
            takes_ints && !of_bits && (wide(&one.result) || one.operands.iter().any(wide))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use provoke_base::SourceFile;

    use super::*;

    const TEXT: &str =
        "node main(a, d: int; u: uint8) returns (x, n: int; v: uint8; s: subrange [0, 3] of int);
let
  x = if d <> 7 then a div d else a + a;
  n = 0 -> pre n + a;
  v = u + u;
  s = if a > 5 then 9 else 1;
tel
";

    fn model() -> Model {
        let file = SourceFile::new("main.lus", TEXT);
        Model::new(provoke_lustre::tree::read(&file, None, &[]).expect("no errors"))
            .expect("small enough")
    }

    /// A claim that a kind of error is reached at a place, by the values of `a`, `d` and `u`.
    fn claim(kind: &str, (line, column): (usize, usize), inputs: [&[&str]; 3]) -> DesignError {
        let names = ["a", "d", "u"];
        let input = |(name, values): (&str, &[&str])| DesignErrorInput {
            name: name.to_string(),
            values: values.iter().map(ToString::to_string).collect(),
        };
        DesignError {
            id: format!("{kind}:{line}"),
            kind: kind.to_string(),
            expression: "s".to_string(),
            line,
            column,
            instance: String::new(),
            verdict: "reached".to_string(),
            step: inputs[0].len(),
            inputs: names.into_iter().zip(inputs).map(input).collect(),
        }
    }

    fn judged(claim: DesignError) -> &'static str {
        let errors = DesignErrors {
            int: "32".to_string(),
            real: "double".to_string(),
            total: 1,
            reached: 1,
            absent: 0,
            list: vec![claim],
        };
        let (claims, troubles) = claims(&model(), &errors, &|| false);
        assert!(troubles.is_empty(), "{troubles:?}");
        match claims[0].state {
            State::Confirmed { .. } => "confirmed",
            State::Refuted(_) => "refuted",
            _ => "unconfirmed",
        }
    }

    #[test]
    fn errors_that_a_run_shows_are_confirmed() {
        assert_eq!(judged(claim("div0", (3, 22), [&["1"], &["0"], &["0"]])), "confirmed");
        let least: [&[&str]; 3] = [&["-2147483648"], &["-1"], &["0"]];
        assert_eq!(judged(claim("overflow", (3, 22), least)), "confirmed");
        assert_eq!(judged(claim("wrap", (5, 7), [&["1"], &["1"], &["128"]])), "confirmed");
        assert_eq!(judged(claim("range", (1, 66), [&["6"], &["1"], &["0"]])), "confirmed");
        let many: [&[&str]; 3] = [&["0", "2000000000", "2000000000"], &["1"; 3], &["0"; 3]];
        assert_eq!(judged(claim("overflow", (4, 12), many)), "confirmed");
    }

    #[test]
    fn errors_that_a_run_does_not_show_are_refuted() {
        assert_eq!(judged(claim("div0", (3, 22), [&["1"], &["2"], &["0"]])), "refuted");
        assert_eq!(judged(claim("wrap", (5, 7), [&["1"], &["1"], &["127"]])), "refuted");
        assert_eq!(judged(claim("range", (1, 66), [&["5"], &["1"], &["0"]])), "refuted");
        // Not computed, not an input of the machine, and behind the end of the run.
        let skipped: [&[&str]; 3] = [&["2147483647"], &["1"], &["0"]];
        assert_eq!(judged(claim("overflow", (3, 35), skipped)), "refuted");
        let wide: [&[&str]; 3] = [&["2147483648"], &["7"], &["0"]];
        assert_eq!(judged(claim("overflow", (3, 35), wide)), "refuted");
        let ended: [&[&str]; 3] = [&["1", "1"], &["0", "0"], &["0", "0"]];
        assert_eq!(judged(claim("div0", (3, 22), ended)), "refuted");
    }

    #[test]
    fn what_is_absent_is_not_confirmed_and_counts_must_be_right() {
        let absent =
            DesignError { verdict: "absent".to_string(), ..claim("div0", (3, 22), [&[]; 3]) };
        let mut errors = DesignErrors {
            int: "64".to_string(),
            real: "float".to_string(),
            total: 1,
            reached: 0,
            absent: 1,
            list: vec![absent],
        };
        let (found, troubles) = claims(&model(), &errors, &|| false);
        assert!(matches!(found[0].state, State::Unconfirmed(Reason::Uncertified, _)));
        assert!(troubles.is_empty());
        errors.reached = 1;
        assert_eq!(claims(&model(), &errors, &|| false).1.len(), 1);
    }
}
