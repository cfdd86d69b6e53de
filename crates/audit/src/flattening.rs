//! Flattening is a claim too: the tree, run as it is written, against the flat text that the tool
//! makes of it, read again and run by the same evaluator.

use provoke_base::{Int, Random, Rational, SourceFile};
use provoke_lustre::{load_assuming, print, transform, tree};
use provoke_model::{Type, Value};

use crate::evaluator::Evaluator;
use crate::instances::{Model, Var};

/// What the comparison found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Flattening {
    /// How many steps were compared.
    pub steps: usize,
    /// Which flat texts were looked at.
    pub forms: Vec<&'static str>,
    /// A difference, with the run that shows it.
    pub difference: Option<String>,
}

/// The steps of one run; state that only grows is left behind with it.
const RUN: usize = 25;

/// Compares a model with its flat texts over `steps` random steps each.
pub fn compare(
    model: &Model,
    file: &SourceFile,
    main: &str,
    assumptions: &[String],
    steps: usize,
    stop: &dyn Fn() -> bool,
) -> Flattening {
    let mut found = Flattening::default();
    let Some(system) = load_assuming(file, Some(main), assumptions).system else {
        found.difference = Some("the tool does not read the model".to_string());
        return found;
    };
    for name in ["inline full", "inline none"] {
        if stop() {
            break;
        }
        // A text that would be too long is not written.
        let form = match name {
            "inline full" => transform::inline(&system),
            _ => transform::split(&system),
        };
        let Ok(text) = print::print(&form) else { continue };
        let read = tree::read(&SourceFile::new(name, text), None, &[]);
        let flat = read.map_err(|errors| errors[0].message.clone());
        let flat = flat.and_then(|tree| Model::new(tree).map_err(|large| large.what));
        let outcome = flat.and_then(|flat| same(model, &flat, name, steps, stop));
        match outcome {
            Ok(steps) => {
                found.steps += steps;
                found.forms.push(name);
            }
            Err(difference) => {
                found.difference = Some(difference);
                break;
            }
        }
    }
    found
}

fn same(
    model: &Model,
    flat: &Model,
    name: &str,
    steps: usize,
    stop: &dyn Fn() -> bool,
) -> Result<usize, String> {
    if model.inputs.len() != flat.inputs.len() || model.outputs.len() != flat.outputs.len() {
        return Err(format!("{name}: the flat text has another interface"));
    }
    let mut random = Random::for_part(0, name);
    let mut done = 0;
    while done < steps && !stop() {
        let (mut one, mut other) = (Evaluator::new(model), Evaluator::new(flat));
        let mut inputs: Vec<Vec<Value>> = Vec::new();
        for _ in 0..RUN {
            let drawn = model.inputs.iter().map(|var| draw(&mut random, model, &model.vars[*var]));
            inputs.push(drawn.collect());
            let row = inputs.last().expect("just pushed");
            done += 1;
            // Inlining leaves out what is not needed, and with it faults.
            if one.compute(row).is_err() {
                break;
            }
            let difference = match other.compute(row) {
                Err(fault) => Some(fault.fault.to_string()),
                Ok(()) => differs(model, flat, &mut one, &mut other),
            };
            if let Some(difference) = difference {
                return Err(format!("{name}: {difference}; inputs {}", show(model, &inputs)));
            }
            one.advance();
            other.advance();
        }
    }
    Ok(done)
}

fn differs(
    model: &Model,
    flat: &Model,
    one: &mut Evaluator<'_>,
    other: &mut Evaluator<'_>,
) -> Option<String> {
    for (here, there) in model.outputs.iter().zip(&flat.outputs) {
        if one.value_of(*here) != other.value_of(*there) {
            return Some(format!("`{}` differs", model.vars[*here].name));
        }
    }
    let broken = |values: &[Value]| values.contains(&Value::Bool(false));
    if broken(one.assertions()) != broken(other.assertions()) {
        return Some("an assertion differs".to_string());
    }
    for (here, there) in model.properties.iter().zip(&flat.properties) {
        if let (Ok(here_value), Ok(there_value)) = (one.promise(here), other.promise(there))
            && here_value != there_value
        {
            return Some(format!("property `{}` differs", here.name));
        }
    }
    None
}

fn show(model: &Model, inputs: &[Vec<Value>]) -> String {
    let enums = &model.tree.types.enums;
    let row = |row: &Vec<Value>| {
        let cells = model.inputs.iter().zip(row);
        cells
            .map(|(var, value)| value.show(model.vars[*var].ty, enums))
            .collect::<Vec<_>>()
            .join(",")
    };
    inputs.iter().map(row).collect::<Vec<_>>().join("; ")
}

/// A value at or beside an end of the type more often than not, sometimes unknown.
fn draw(random: &mut Random, model: &Model, var: &Var) -> Value {
    if random.chance(1, 20) {
        return Value::Unknown;
    }
    const EXTREME: [&str; 8] = [
        "0",
        "1",
        "-1",
        "9223372036854775807",
        "-9223372036854775808",
        "340282366920938463463374607431768211456",
        "2147483648",
        "-32769",
    ];
    let integer = |random: &mut Random| match random.chance(1, 2) {
        true => Int::from(random.below(21) as i64 - 5),
        false => Int::parse(EXTREME[random.below(EXTREME.len())]).expect("a number"),
    };
    match (var.ty, &var.range) {
        (Type::Bool, _) => Value::Bool(random.chance(1, 2)),
        (Type::Int, Some(range)) => Value::Int(match random.below(3) {
            0 => range.low.clone(),
            1 => range.high.clone(),
            _ => random.between(&range.low, &range.high),
        }),
        (Type::Int, None) => Value::Int(integer(random)),
        (Type::Real, _) => {
            let denominator = Int::from(random.below(9) as i64 + 1);
            Value::Real(Rational::new(&integer(random), &denominator).expect("not zero"))
        }
        (Type::Enum(id), _) => {
            Value::Enum(random.below(model.tree.types.enums[id].constants.len()) as u32)
        }
    }
}
