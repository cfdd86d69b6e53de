//! Values worth trying: what a model compares its inputs with, and their neighbours.

use provoke_base::{Int, Random, Rational};
use provoke_model::{ExprKind, System, Type, Value, Var};

/// Candidate values for each input of a system.
#[derive(Clone, Debug)]
pub struct Pool {
    inputs: Vec<Domain>,
}

#[derive(Clone, Debug)]
struct Domain {
    values: Vec<Value>,
    /// The bounds of a subrange, from which other values are drawn now and then.
    range: Option<(Int, Int)>,
}

/// More constants than this only dilute the interesting ones.
const MAX_VALUES: usize = 400;

impl Pool {
    /// The constants of the model, each with its neighbours, and small numbers.
    pub fn new(system: &System) -> Pool {
        let (mut ints, mut reals) = (small_ints(), Vec::new());
        for expr in system.exprs.iter() {
            match &expr.kind {
                ExprKind::Const(Value::Int(int)) => {
                    ints.extend([-1, 0, 1].map(|step| int.add(&Int::from(step))));
                }
                ExprKind::Const(Value::Real(real)) => reals.push(real.clone()),
                _ => {}
            }
        }
        ints.sort();
        ints.dedup();
        thin(&mut ints);
        let reals = neighbours(reals);
        let domain = |var: &Var| Domain::new(system, var, &ints, &reals);
        Pool { inputs: system.inputs.iter().map(|id| domain(&system.vars[*id])).collect() }
    }

    /// A value for each input.
    pub fn row(&self, random: &mut Random) -> Vec<Value> {
        self.inputs.iter().map(|domain| domain.draw(random)).collect()
    }

    /// Changes one or two inputs of a row; now and then after all events were taken back, since
    /// many models allow one event at a time.
    pub fn mutate(&self, random: &mut Random, row: &mut [Value]) {
        if row.is_empty() {
            return;
        }
        let quiet = random.chance(1, 3);
        if quiet {
            row.iter_mut().filter(|value| value.as_bool().is_some()).for_each(|value| {
                *value = Value::Bool(false);
            });
        }
        if quiet && random.chance(1, 2) {
            return self.raise(random, row);
        }
        for _ in 0..=random.below(2) {
            let position = random.below(row.len());
            row[position] = self.inputs[position].draw(random);
        }
    }

    /// Lets one event happen.
    fn raise(&self, random: &mut Random, row: &mut [Value]) {
        let events: Vec<usize> =
            (0..row.len()).filter(|position| row[*position].as_bool().is_some()).collect();
        if !events.is_empty() {
            row[*random.pick(&events)] = Value::Bool(true);
        }
    }
}

fn small_ints() -> Vec<Int> {
    (-2..=4).map(Int::from).collect()
}

/// Keeps an even selection when there are too many.
fn thin<T: Clone>(values: &mut Vec<T>) {
    if values.len() > MAX_VALUES {
        let stride = values.len().div_ceil(MAX_VALUES);
        *values = values.iter().step_by(stride).cloned().collect();
    }
}

fn neighbours(constants: Vec<Rational>) -> Vec<Rational> {
    let number = |text: &str| Rational::parse(text).expect("a number");
    let steps = ["-1", "-1/100", "0", "1/100", "1"].map(number);
    let around = |constant: &Rational| steps.clone().map(|step| constant.add(&step));
    let mut all: Vec<Rational> = constants.iter().flat_map(around).collect();
    all.extend(["-1", "0", "1/2", "1", "10"].map(number));
    all.sort();
    all.dedup();
    thin(&mut all);
    all
}

impl Domain {
    fn new(system: &System, var: &Var, ints: &[Int], reals: &[Rational]) -> Domain {
        let range = var.range.as_ref().map(|range| (range.low.clone(), range.high.clone()));
        let values = match var.ty {
            Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Type::Enum(id) => {
                (0..system.enums[id].constants.len() as u32).map(Value::Enum).collect()
            }
            Type::Real => reals.iter().cloned().map(Value::Real).collect(),
            Type::Int => {
                let inside = |int: &&Int| match &range {
                    Some((low, high)) => low <= *int && *int <= high,
                    None => true,
                };
                let mut inside: Vec<Int> = ints.iter().filter(inside).cloned().collect();
                inside.extend(range.iter().flat_map(|(low, high)| [low.clone(), high.clone()]));
                inside.into_iter().map(Value::Int).collect()
            }
        };
        Domain { values, range }
    }

    fn draw(&self, random: &mut Random) -> Value {
        match &self.range {
            Some((low, high)) if random.chance(1, 4) => Value::Int(random.between(low, high)),
            _ => random.pick(&self.values).clone(),
        }
    }
}
