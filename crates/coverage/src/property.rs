//! What a property says, and the run that makes it false, as people read them.

use provoke_analysis::owner;
use provoke_base::table::one_line;
use provoke_base::{IndexVec, SourceFile};
use provoke_criteria::{Obligation, ObligationKind};
use provoke_model::{BinaryOp, ExprId, ExprKind, Origin, PropertyGoal, System, Type, Value, VarId};
use provoke_results::{
    CounterexampleResult, CounterexampleSignal, PropertyResult, RoleWord, UndefinedResult,
};
use provoke_sim::interpreter::delays;
use provoke_sim::{SimState, Simulator};

/// How many values a counterexample has at most: models with many inputs have long runs too, and a result
/// must fit into memory. The first steps are left out then.
const MAX_VALUES: usize = 200_000;

/// A run that violates a property.
pub struct Violation<'a> {
    /// The inputs of the test.
    pub inputs: &'a [Vec<Value>],
    /// What is undefined in the first step, and which values it has there.
    pub undefined: &'a [(ExprId, Value)],
    /// The variables that are monitored.
    pub monitored: &'a [VarId],
}

/// What a property says and, given a run that violates it, in which step and how.
pub fn described(
    file: &SourceFile,
    system: &System,
    property: &Obligation,
    violation: Option<&Violation<'_>>,
) -> PropertyResult {
    let place = file.line_column(property.span.start);
    let definition = definition(system, property.expr);
    let definition = definition.map(|expr| one_line(file.slice(system.exprs[expr].span)));
    let found = violation.and_then(|violation| counterexample(system, property, violation));
    let (step, counterexample) = found.unzip();
    PropertyResult {
        formula: formula(file, property),
        definition: definition.filter(|text| !text.is_empty()),
        line: place.line,
        column: place.column,
        step,
        reachable: is_to_be_reached(system, property),
        counterexample,
    }
}

/// Whether a property is a question whether something can be reached.
pub fn is_to_be_reached(system: &System, property: &Obligation) -> bool {
    let mut asked = system.properties.iter().filter(|asked| asked.goal == PropertyGoal::Reachable);
    property.kind == ObligationKind::Property && asked.any(|asked| asked.expr == property.expr)
}

/// The text of a property's expression.
pub fn formula(file: &SourceFile, property: &Obligation) -> String {
    one_line(file.slice(property.span))
}

/// The expression of the variable that a property consists of: `--%PROPERTY ok;` says nothing by itself.
fn definition(system: &System, property: ExprId) -> Option<ExprId> {
    let ExprKind::Var(var) = system.exprs[stated(system, property)].kind else { return None };
    if system.vars[var].origin != Origin::Declared {
        return None;
    }
    system.equations.iter().find(|equation| equation.var == var).map(|equation| equation.expr)
}

/// What the author wrote: in a node that is not always active, a property holds while it is.
fn stated(system: &System, property: ExprId) -> ExprId {
    let expr = &system.exprs[property];
    match expr.kind {
        ExprKind::Binary(BinaryOp::Implies, _, inner) if system.exprs[inner].span == expr.span => {
            inner
        }
        _ => property,
    }
}

/// The declared variables that a formula reads, and those of its definition.
pub fn variables_read(system: &System, property: ExprId) -> Vec<VarId> {
    let mut open = vec![property];
    open.extend(definition(system, property));
    let mut found = Vec::new();
    let mut seen: IndexVec<ExprId, bool> = IndexVec::repeat(false, system.exprs.len());
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        match &system.exprs[at].kind {
            ExprKind::Var(var) if system.vars[*var].origin == Origin::Declared => found.push(*var),
            kind => open.extend(kind.operands()),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The step in which a run first violates a property, and what happens until then.
fn counterexample(
    system: &System,
    property: &Obligation,
    violation: &Violation<'_>,
) -> Option<(usize, CounterexampleResult)> {
    let step = violated_step(system, property.expr, violation)?;
    let columns = columns(system, property.expr, violation.monitored);
    let kept = (MAX_VALUES / columns.len().max(1)).max(1);
    let first_step = step.saturating_sub(kept) + 1;
    let mut result = CounterexampleResult {
        first_step,
        formula: Vec::new(),
        signals: signals(system, property.expr, &columns),
    };
    let mut simulator = started(system, violation);
    for (at, inputs) in violation.inputs.iter().take(step).enumerate() {
        let before = simulator.state().clone();
        simulator.step(inputs).ok()?;
        if at + 1 < first_step {
            continue;
        }
        result.formula.push(match simulator.value_of(property.expr, &before) {
            Ok(value) => shown(system, &value, None),
            Err(error) => error.fault.to_string(),
        });
        for (signal, (var, _)) in result.signals.iter_mut().zip(&columns) {
            signal.values.push(shown(system, &simulator.values()[*var], Some(*var)));
        }
    }
    Some((step, result))
}

/// The first step of a run in which a property is false or divides by zero, counted from 1.
fn violated_step(system: &System, property: ExprId, violation: &Violation<'_>) -> Option<usize> {
    let mut simulator = started(system, violation);
    for (at, inputs) in violation.inputs.iter().enumerate() {
        let before = simulator.state().clone();
        simulator.step(inputs).ok()?;
        match simulator.value_of(property, &before) {
            Ok(value) if value != Value::Bool(false) => {}
            _ => return Some(at + 1),
        }
    }
    None
}

/// The model before its first step, with the values that were chosen for what is undefined.
fn started<'s>(system: &'s System, violation: &Violation<'_>) -> Simulator<'s> {
    let value = |pre: ExprId| {
        let chosen = violation.undefined.iter().find(|(other, _)| *other == pre);
        chosen.map_or(Value::Unknown, |(_, value)| value.clone())
    };
    let mut simulator = Simulator::new(system);
    simulator.restore(&SimState::new(0, delays(system).into_iter().map(value).collect()));
    simulator
}

/// The inputs, what is monitored, and what else the formula reads, each once.
fn columns(system: &System, property: ExprId, monitored: &[VarId]) -> Vec<(VarId, RoleWord)> {
    let mut columns: Vec<(VarId, RoleWord)> = Vec::new();
    let mut taken: IndexVec<VarId, bool> = IndexVec::repeat(false, system.vars.len());
    let inputs = system.inputs.iter().map(|var| (*var, RoleWord::In));
    let monitored = monitored.iter().map(|var| (*var, RoleWord::Out));
    // The formula has values of its own: a variable that it consists of would be shown twice.
    let is_formula =
        |var: &VarId| system.exprs[stated(system, property)].kind == ExprKind::Var(*var);
    let read = variables_read(system, property).into_iter().filter(|var| !is_formula(var));
    let read = read.map(|var| (var, RoleWord::Local));
    for (var, role) in inputs.chain(monitored).chain(read) {
        if !std::mem::replace(&mut taken[var], true) {
            columns.push((var, role));
        }
    }
    columns
}

fn signals(
    system: &System,
    property: ExprId,
    columns: &[(VarId, RoleWord)],
) -> Vec<CounterexampleSignal> {
    let read = variables_read(system, property);
    let signal = |(var, role): &(VarId, RoleWord)| CounterexampleSignal {
        name: system.vars[*var].name.clone(),
        role: *role,
        read: read.binary_search(var).is_ok(),
        values: Vec::new(),
    };
    columns.iter().map(signal).collect()
}

fn shown(system: &System, value: &Value, var: Option<VarId>) -> String {
    match (value, var) {
        (Value::Unknown, _) => "?".to_string(),
        (value, Some(var)) => value.show(system.vars[var].ty, &system.enums),
        (value, None) => value.show(Type::Bool, &system.enums),
    }
}

/// A `pre` that has no value in the first step, as users know it, with one that it may have.
pub fn undefined_value(
    file: &SourceFile,
    system: &System,
    pre: ExprId,
    value: &Value,
) -> UndefinedResult {
    let expr = &system.exprs[pre];
    let place = file.line_column(expr.span.start);
    let variable = owner(system, pre).map(|var| system.vars[var].name.clone());
    UndefinedResult {
        expression: file.slice(expr.span).to_string(),
        variable: variable.unwrap_or_default(),
        line: place.line,
        column: place.column,
        value: value.show(expr.ty, &system.enums),
    }
}

/// The expressions that [`undefined_value`] described; what the model does not have is left out.
pub fn undefined_in(
    file: &SourceFile,
    system: &System,
    described: &[UndefinedResult],
) -> Vec<(ExprId, Value)> {
    if described.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<(ExprId, Value)> = Vec::new();
    let known: Vec<(ExprId, UndefinedResult)> = delays(system)
        .into_iter()
        .map(|pre| (pre, undefined_value(file, system, pre, &Value::Unknown)))
        .collect();
    for one in described {
        let is_it = |(pre, known): &&(ExprId, UndefinedResult)| {
            let place = (known.line, known.column) == (one.line, one.column);
            place && known.variable == one.variable && found.iter().all(|(other, _)| other != pre)
        };
        let Some((pre, _)) = known.iter().find(is_it) else { continue };
        let value = Value::parse(&one.value, system.exprs[*pre].ty, &system.enums);
        found.extend(value.map(|value| (*pre, value)));
    }
    found
}

#[cfg(test)]
mod tests {
    use provoke_criteria::properties;
    use provoke_files::Model;

    use super::*;

    const TEXT: &str = "node sub(x: int) returns (small: bool);
let
  small = x < 3;
  --%PROPERTY small;
tel
node main(a, b: int; on: bool) returns (sum: int);
var calm: bool; old: int;
let
  --%MAIN;
  sum = a + b;
  old = pre a;
  calm = condact(on, sub(sum), true);
  --%PROPERTY \"little\" sum < 10
     or not calm;
  --%PROPERTY old <> 7;
tel
";

    fn model() -> Model {
        Model::read(&SourceFile::new("main.lus", TEXT), None, &[]).expect("a correct model")
    }

    fn property<'a>(found: &'a [Obligation], id: &str) -> &'a Obligation {
        let ids: Vec<&str> = found.iter().map(|property| property.id.as_str()).collect();
        found.iter().find(|property| property.id == id).unwrap_or_else(|| panic!("{ids:?}"))
    }

    fn row(a: i64, b: i64, on: bool) -> Vec<Value> {
        vec![Value::from(a), Value::from(b), Value::Bool(on)]
    }

    #[test]
    fn a_formula_is_told_as_written_and_a_variable_with_its_equation() {
        let Model { file, system } = model();
        let all = properties(&system);
        let little = described(&file, &system, property(&all, "little"), None);
        assert_eq!((little.formula.as_str(), little.definition), ("sum < 10 or not calm", None));
        assert_eq!((little.line, little.step), (13, None));
        // It holds while the node is active; what its author wrote is a variable.
        let small = described(&file, &system, property(&all, "sub.small"), None);
        assert_eq!(small.formula, "small");
        assert_eq!(small.definition.as_deref(), Some("x < 3"));
        assert_eq!(small.line, 4);
    }

    #[test]
    fn a_counterexample_ends_where_the_property_is_first_false() {
        let Model { file, system } = model();
        let all = properties(&system);
        let inputs = [row(1, 1, true), row(9, 9, false), row(9, 9, true), row(0, 0, true)];
        let monitored = system.outputs.clone();
        let violation = Violation { inputs: &inputs, undefined: &[], monitored: &monitored };
        let little = property(&all, "little");
        let found = described(&file, &system, little, Some(&violation));
        assert_eq!(found.step, Some(2), "calm is held while `on` is false");
        let counterexample = found.counterexample.expect("a run");
        assert_eq!((counterexample.first_step, counterexample.formula.len()), (1, 2));
        assert_eq!(counterexample.formula, ["true", "false"]);
        let shown: Vec<(&str, RoleWord, bool, Vec<&str>)> = counterexample
            .signals
            .iter()
            .map(|one| {
                let values = one.values.iter().map(String::as_str).collect();
                (one.name.as_str(), one.role, one.read, values)
            })
            .collect();
        let expected = [
            ("a", RoleWord::In, false, vec!["1", "9"]),
            ("b", RoleWord::In, false, vec!["1", "9"]),
            ("on", RoleWord::In, false, vec!["true", "false"]),
            ("sum", RoleWord::Out, true, vec!["2", "18"]),
            ("calm", RoleWord::Local, true, vec!["true", "true"]),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_run_that_violates_nothing_is_no_counterexample() {
        let Model { file, system } = model();
        let all = properties(&system);
        let violation = Violation { inputs: &[row(1, 1, true)], undefined: &[], monitored: &[] };
        let found = described(&file, &system, property(&all, "little"), Some(&violation));
        assert_eq!((found.step, found.counterexample), (None, None));
    }

    #[test]
    fn undefined_values_are_found_again_by_their_places() {
        let Model { file, system } = model();
        let all = properties(&system);
        let old = property(&all, "old <> 7");
        let inputs = [row(1, 1, true)];
        let pre = delays(&system);
        let pre = pre.iter().find(|pre| owner(&system, **pre) == system.var_named("old"));
        let told = undefined_value(&file, &system, *pre.expect("a pre"), &Value::from(7));
        assert_eq!((told.expression.as_str(), told.line, told.column), ("pre a", 11, 9));
        let undefined = undefined_in(&file, &system, &[told]);
        let violation = Violation { inputs: &inputs, undefined: &undefined, monitored: &[] };
        let found = described(&file, &system, old, Some(&violation));
        assert_eq!(found.step, Some(1));
        let open = Violation { undefined: &[], ..violation };
        assert_eq!(described(&file, &system, old, Some(&open)).step, None);
    }

    #[test]
    fn values_for_what_a_model_does_not_have_are_left_out() {
        let Model { file, system } = model();
        let unknown = UndefinedResult {
            expression: "pre a".to_string(),
            variable: "nothing".to_string(),
            line: 11,
            column: 9,
            value: "7".to_string(),
        };
        assert_eq!(undefined_in(&file, &system, std::slice::from_ref(&unknown)), []);
        let no_number =
            UndefinedResult { variable: "old".to_string(), value: "x".to_string(), ..unknown };
        assert_eq!(undefined_in(&file, &system, &[no_number]), []);
    }

    #[test]
    fn a_run_that_is_too_long_is_told_by_its_last_steps() {
        let names: Vec<String> = (0..100).map(|at| format!("x{at}")).collect();
        let text = format!(
            "node main({}: bool) returns (n: int);
let
  n = 1 -> pre n + 1;
  --%PROPERTY \"short\" n < 2100;
tel
",
            names.join(", ")
        );
        let model = Model::read(&SourceFile::new("main.lus", text), None, &[]);
        let Model { file, system } = model.expect("a correct model");
        let inputs = vec![vec![Value::Bool(true); names.len()]; 2200];
        let monitored = system.outputs.clone();
        let violation = Violation { inputs: &inputs, undefined: &[], monitored: &monitored };
        let found = described(&file, &system, &properties(&system)[0], Some(&violation));
        assert_eq!(found.step, Some(2100));
        let counterexample = found.counterexample.expect("a run");
        let kept = MAX_VALUES / 101;
        assert_eq!(counterexample.first_step, 2100 - kept + 1);
        assert_eq!((counterexample.formula.len(), counterexample.signals.len()), (kept, 101));
        let last = &counterexample.signals[100];
        assert_eq!((last.values.len(), last.values[kept - 1].as_str()), (kept, "2100"));
    }
}
