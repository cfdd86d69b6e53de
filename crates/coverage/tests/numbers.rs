//! Verdicts in a machine's numbers against all runs of the machine: integers have four bits, so that every
//! input can be tried in every state.

use std::collections::BTreeSet;

use provoke_analysis::in_machine_numbers;
use provoke_base::rounds::NoLedger;
use provoke_base::{Random, SourceFile, Span};
use provoke_coverage::WorkOptions;
use provoke_coverage::generation::GenerationJob;
use provoke_criteria::properties;
use provoke_model::fixed::{Arithmetic, FixedValue};
use provoke_model::{
    ExprKind, IntWidth, MachineInt, Property, PropertyGoal, RealWidth, System, Type, UnaryOp,
    Value, VarId,
};
use provoke_sim::FixedSimulator;
use provoke_testgen::ObligationVerdict;
use provoke_testkit::random_system::{self, Shape};

const TINY: Arithmetic =
    Arithmetic { int: IntWidth::Machine(MachineInt::signed(4)), real: RealWidth::Double };

/// How many states are tried before a system is left out.
const MAX_STATES: usize = 400;

/// A property for each truth value of each Boolean variable: that it never has it.
fn with_properties(mut system: System) -> (System, Vec<(VarId, bool)>) {
    let is_bool = |id: &VarId| system.vars[*id].ty == Type::Bool;
    let vars: Vec<VarId> = system.equations.iter().map(|equation| equation.var).collect();
    let vars: Vec<VarId> = vars.into_iter().filter(is_bool).collect();
    let mut asked = Vec::new();
    for var in vars {
        let value = system.add_expr(ExprKind::Var(var), Type::Bool, Span::default());
        let not = ExprKind::Unary(UnaryOp::Not, value);
        let not = system.add_expr(not, Type::Bool, Span::default());
        for (expr, reached) in [(value, false), (not, true)] {
            let name = format!("{} {reached}", system.vars[var].name);
            system.properties.push(Property {
                name,
                expr,
                goal: PropertyGoal::Always,
                span: Span::default(),
            });
            asked.push((var, reached));
        }
    }
    (system, asked)
}

/// All values of an input.
fn values(system: &System, input: VarId) -> Vec<FixedValue> {
    let var = &system.vars[input];
    match (var.ty, &var.range) {
        (Type::Bool, _) => vec![FixedValue::Bool(false), FixedValue::Bool(true)],
        (Type::Enum(id), _) => {
            (0..system.enums[id].constants.len() as u32).map(FixedValue::Enum).collect()
        }
        (_, Some(range)) => {
            let end = |int: &provoke_base::Int| int.to_i128().expect("four bits");
            (end(&range.low)..=end(&range.high)).map(FixedValue::Int).collect()
        }
        _ => panic!("inputs of a machine's numbers are limited"),
    }
}

/// Every combination of input values.
fn rows(system: &System) -> Vec<Vec<FixedValue>> {
    let mut rows = vec![Vec::new()];
    for input in &system.inputs {
        let values = values(system, *input);
        let longer = |row: &Vec<FixedValue>| {
            values.iter().map(|value| [row.as_slice(), &[*value]].concat()).collect::<Vec<_>>()
        };
        rows = rows.iter().flat_map(longer).collect();
    }
    rows
}

/// What each variable was in some step of some run of the machine; `None` if there is too much to try.
fn reached(exact: &System, rows: &[Vec<FixedValue>]) -> Option<BTreeSet<(VarId, bool)>> {
    let start = FixedSimulator::new(exact, TINY);
    let key = |machine: &FixedSimulator<'_>| format!("{:?}", machine.state());
    let mut known = BTreeSet::from([key(&start)]);
    let (mut open, mut found) = (vec![start], BTreeSet::new());
    while let Some(state) = open.pop() {
        for row in rows {
            let mut next = state.clone();
            next.step(row);
            for equation in &exact.equations {
                if let FixedValue::Bool(value) = next.values()[equation.var] {
                    found.insert((equation.var, value));
                }
            }
            if known.insert(key(&next)) {
                open.push(next);
            }
        }
        if known.len() > MAX_STATES {
            return None;
        }
    }
    Some(found)
}

/// Whether the last step of a test gives the machine's variable this value.
fn shows(exact: &System, steps: &[Vec<Value>], (var, value): (VarId, bool)) -> bool {
    let mut machine = FixedSimulator::new(exact, TINY);
    steps.iter().any(|row| {
        let words: Vec<FixedValue> =
            row.iter().map(|value| TINY.word(value).expect("inputs are limited")).collect();
        machine.step(&words);
        machine.values()[var] == FixedValue::Bool(value)
    })
}

#[test]
fn every_verdict_is_that_of_all_runs() {
    if let Err(missing) = provoke_solve::z3::find() {
        return provoke_testkit::skip(&missing.to_string());
    }
    let work = WorkOptions { effort: Some(1), jobs: Some(1), ..WorkOptions::default() };
    let (mut tried, mut proven, mut found) = (0, 0, 0);
    for seed in 0..160 {
        let shape = Shape { inputs: 2, defined: 5, depth: 3, reals: false, ..Shape::MIXED };
        let exact = random_system::system(&mut Random::new(seed), shape);
        let Ok(machine) = in_machine_numbers(&exact, TINY) else { continue };
        let Some(reached) = reached(&exact, &rows(&machine)) else { continue };
        let (machine, asked) = with_properties(machine);
        let file = SourceFile::new("random.lus", "");
        let mut job = GenerationJob::new(file, machine, &work);
        job.obligations = properties(&job.system);
        let result = job.search(&NoLedger, &|| false, &mut |_| {}).expect("a solver");
        tried += 1;
        for (position, claim) in asked.iter().enumerate() {
            match &result.outcomes[job.system.properties.len() - asked.len() + position] {
                ObligationVerdict::Infeasible(_) => {
                    assert!(!reached.contains(claim), "seed {seed}: {claim:?} is reached");
                    proven += 1;
                }
                ObligationVerdict::Covered(test) => {
                    assert!(reached.contains(claim), "seed {seed}: {claim:?} is not reached");
                    let test = &result.tests[*test];
                    let shown = shows(&exact, &test.steps, *claim);
                    assert!(shown || !test.undefined.is_empty(), "seed {seed}: {claim:?}");
                    found += 1;
                }
                ObligationVerdict::Unknown { .. } => {}
            }
        }
    }
    assert!(tried > 40 && proven > 50 && found > 100, "{tried} {proven} {found}");
}
