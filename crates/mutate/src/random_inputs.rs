//! Inputs at random: cheap tests that kill many survivors before a solver is asked.

use provoke_base::{Int, Random, Rational};
use provoke_model::{ExprKind, System, Type, Value, Var};
use provoke_sim::{Breach, Dense};

use crate::score::TestInputs;

/// Draws inputs for one system.
pub(crate) struct RandomInputs<'a> {
    system: &'a System,
    ints: Vec<Int>,
    reals: Vec<Rational>,
}

impl<'a> RandomInputs<'a> {
    /// Numbers are those of the model and next to them, and a few small ones.
    pub(crate) fn new(system: &'a System) -> RandomInputs<'a> {
        let mut ints: Vec<Int> = (-1..=3).map(Int::from).collect();
        for expr in system.exprs.iter() {
            if let ExprKind::Const(Value::Int(int)) = &expr.kind {
                ints.extend([-1, 0, 1].map(|step| int.add(&Int::from(step))));
            }
        }
        let mut reals: Vec<Rational> = ints.iter().map(Rational::from).collect();
        for expr in system.exprs.iter() {
            if let ExprKind::Const(Value::Real(real)) = &expr.kind {
                let next = |step| real.add(&Rational::from(&Int::from(step)));
                reals.extend([-1, 0, 1].map(next));
            }
        }
        ints.sort();
        ints.dedup();
        reals.sort();
        reals.dedup();
        RandomInputs { system, ints, reals }
    }

    /// A value for an input.
    pub(crate) fn value(&self, var: &Var, random: &mut Random) -> Value {
        match (&var.range, var.ty) {
            (Some(range), _) => Value::Int(random.between(&range.low, &range.high)),
            (None, Type::Bool) => Value::Bool(random.chance(1, 2)),
            (None, Type::Enum(id)) => {
                Value::Enum(random.below(self.system.enums[id].constants.len()) as u32)
            }
            (None, Type::Int) => Value::Int(random.pick(&self.ints).clone()),
            (None, Type::Real) => Value::Real(random.pick(&self.reals).clone()),
        }
    }

    /// A test that begins as told and goes on for up to `steps` steps, but ends before it leaves
    /// the assumptions. In each of eight draws an input keeps its value `hold` times, so that
    /// states last long enough to lead to others.
    pub(crate) fn test(
        &self,
        random: &mut Random,
        start: &[Vec<Value>],
        steps: usize,
        hold: usize,
    ) -> TestInputs {
        let mut dense = Dense::new(self.system);
        let mut test: TestInputs = Vec::new();
        for at in 0..start.len() + steps {
            let row = match start.get(at) {
                Some(row) => row.clone(),
                None => self.row(random, test.last(), hold),
            };
            let inside = |breach: &Breach| !matches!(breach, Breach::Assumption(_));
            match dense.step(&row) {
                Ok(breaches) if breaches.iter().all(inside) => test.push(row),
                _ => break,
            }
        }
        test
    }

    fn row(&self, random: &mut Random, before: Option<&Vec<Value>>, hold: usize) -> Vec<Value> {
        let inputs = self.system.inputs.iter().enumerate();
        let mut value = |(position, var): (usize, &provoke_model::VarId)| match before {
            Some(before) if random.chance(hold, 8) => before[position].clone(),
            _ => self.value(&self.system.vars[*var], random),
        };
        inputs.map(&mut value).collect()
    }
}
