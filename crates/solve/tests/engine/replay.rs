//! Witnesses in the reference interpreter.

use provoke_base::Random;
use provoke_model::{ExprId, System, Type, Value, VarId};
use provoke_sim::interpreter::delays;
use provoke_sim::{SimState, Simulator};
use provoke_solve::encode::value_of_type;
use provoke_solve::engine::GoalWitness;
use provoke_solve::{Encoder, TermId, Terms};

/// Runs a witness from the values it chose for what has no past. What it leaves out may have
/// any value; that of inputs is given by `any`. In the last step `goal` has the value that is returned.
pub(crate) fn replay(
    encoder: &mut Encoder,
    terms: &mut Terms,
    goal: ExprId,
    witness: &GoalWitness,
    mut any: impl FnMut(VarId) -> Value,
) -> Value {
    let system: &System = encoder.system();
    let mut random = Random::new(0);
    let memory = delays(system).into_iter().map(|pre| {
        let symbol = encoder.memory(terms, pre);
        let ty = system.exprs[pre].ty;
        match chosen(&witness.start, symbol, ty) {
            Value::Unknown => provoke_testkit::random_system::value(&mut random, ty),
            known => known,
        }
    });
    // An assertion that is undefined restricts nothing, whatever values were chosen.
    let mut certain = Simulator::new(system);
    let mut simulator = Simulator::new(system);
    simulator.restore(&SimState::new(0, memory.collect()));
    let mut before = simulator.state().clone();
    for step in &witness.steps {
        before = simulator.state().clone();
        let mut input = |var: &VarId| {
            let symbol = encoder.input(terms, *var);
            match chosen(step, symbol, system.vars[*var].ty) {
                Value::Unknown => any(*var),
                known => known,
            }
        };
        let inputs: Vec<_> = system.inputs.iter().map(&mut input).collect();
        let breaches = certain.step(&inputs).expect("every operation has a value");
        assert!(breaches.is_empty(), "{breaches:?}");
        simulator.step(&inputs).expect("every operation has a value");
    }
    simulator.value_of(goal, &before).expect("the goal has a value")
}

fn chosen(values: &[(TermId, Value)], symbol: TermId, ty: Type) -> Value {
    let found = values.iter().find(|(other, _)| *other == symbol);
    found.map_or(Value::Unknown, |(_, value)| value_of_type(value.clone(), ty))
}
