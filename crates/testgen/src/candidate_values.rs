//! Values worth trying: what a model compares its inputs with, and their neighbours.

use provoke_base::{IndexVec, Int, Random, Rational};
use provoke_model::{ExprId, ExprKind, System, Type, Value, Var, VarId};
use rustc_hash::FxHashSet;

/// Candidate values for each input of a system.
#[derive(Clone, Debug)]
pub struct CandidateValues {
    inputs: Vec<Domain>,
}

#[derive(Clone, Debug)]
struct Domain {
    /// What the model compares this input with, and next to it.
    compared: Vec<Value>,
    values: Vec<Value>,
    /// The bounds of a subrange, from which other values are drawn now and then.
    range: Option<(Int, Int)>,
}

/// More constants than this only dilute the interesting ones.
const MAX_VALUES: usize = 400;

impl CandidateValues {
    /// The constants of the model, each with its neighbours, and small numbers.
    pub fn new(system: &System) -> CandidateValues {
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
        let compared = compared(system);
        let domain = |(id, compared): (&VarId, Vec<Value>)| {
            Domain::new(system, &system.vars[*id], compared, &ints, &reals)
        };
        CandidateValues { inputs: system.inputs.iter().zip(compared).map(domain).collect() }
    }

    /// A value for each input.
    pub fn row(&self, random: &mut Random) -> Vec<Value> {
        self.inputs.iter().map(|domain| domain.draw(random)).collect()
    }

    /// Changes one or two inputs of a row.
    pub fn change(&self, random: &mut Random, row: &mut [Value]) {
        if row.is_empty() {
            return;
        }
        for _ in 0..=random.below(2) {
            let position = random.below(row.len());
            row[position] = self.inputs[position].draw(random);
        }
    }

    /// Takes all events back and, every other time, lets one happen: many models allow one at
    /// a time.
    pub fn event(&self, random: &mut Random, row: &mut [Value]) {
        row.iter_mut().filter(|value| value.as_bool().is_some()).for_each(|value| {
            *value = Value::Bool(false);
        });
        match random.chance(1, 2) {
            true => self.raise(random, row),
            false => self.change(random, row),
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

/// For each input the numbers that it, or a number made of it, is compared with; and their
/// neighbours.
fn compared(system: &System) -> Vec<Vec<Value>> {
    let sources = Sources::new(system);
    let mut found: Vec<Vec<Value>> = vec![Vec::new(); system.inputs.len()];
    let mut seen = FxHashSet::default();
    for expr in system.exprs.iter() {
        let ExprKind::Binary(op, a, b) = expr.kind else { continue };
        if !op.is_relation() || system.exprs[a].ty == Type::Bool {
            continue;
        }
        for (side, other) in [(a, b), (b, a)] {
            let constants = sources.constants(other);
            for &input in &sources.inputs[side] {
                let new = constants.iter().flat_map(around);
                found[input as usize].extend(new.filter(|new| seen.insert((input, new.clone()))));
            }
        }
    }
    // Numbers flow everywhere in some models; a long list is no better than all constants.
    found.iter_mut().filter(|values| values.len() > MAX_COMPARED).for_each(Vec::clear);
    found
}

const MAX_COMPARED: usize = 120;

/// A number and those next to it.
pub(crate) fn around(value: &Value) -> Vec<Value> {
    match value {
        Value::Int(int) => [-1, 0, 1].map(|step| Value::Int(int.add(&Int::from(step)))).to_vec(),
        Value::Real(real) => neighbours(vec![real.clone()]).into_iter().map(Value::Real).collect(),
        other => vec![other.clone()],
    }
}

/// Where numbers come from.
pub(crate) struct Sources<'a> {
    system: &'a System,
    definitions: IndexVec<VarId, Option<ExprId>>,
    /// The position of each variable that is an input.
    positions: IndexVec<VarId, Option<u32>>,
    /// The inputs that a number is made of, by position.
    inputs: IndexVec<ExprId, Vec<u32>>,
}

impl<'a> Sources<'a> {
    pub(crate) fn new(system: &'a System) -> Sources<'a> {
        let mut definitions = IndexVec::repeat(None, system.vars.len());
        system.equations.iter().for_each(|each| definitions[each.var] = Some(each.expr));
        let inputs = IndexVec::repeat(Vec::new(), system.exprs.len());
        let mut positions = IndexVec::repeat(None, system.vars.len());
        let numbered = system.inputs.iter().enumerate();
        numbered.for_each(|(position, var)| positions[*var] = Some(position as u32));
        let mut sources = Sources { system, definitions, positions, inputs };
        // Through delays, numbers may take several rounds; the near ones matter.
        for _ in 0..4 {
            system.exprs.ids().for_each(|expr| sources.inputs[expr] = sources.inputs_of(expr));
        }
        sources
    }

    pub(crate) fn system(&self) -> &'a System {
        self.system
    }

    /// The position of a variable among the inputs.
    pub(crate) fn position(&self, var: VarId) -> Option<u32> {
        self.positions[var]
    }

    pub(crate) fn definition(&self, var: VarId) -> Option<ExprId> {
        self.definitions[var]
    }

    /// The inputs that a number is made of, by position.
    pub(crate) fn inputs(&self, expr: ExprId) -> &[u32] {
        &self.inputs[expr]
    }

    fn inputs_of(&self, expr: ExprId) -> Vec<u32> {
        let kind = &self.system.exprs[expr].kind;
        if self.system.exprs[expr].ty == Type::Bool {
            return Vec::new();
        }
        if let ExprKind::Var(var) = kind {
            let own = self.positions[*var].map(|position| vec![position]);
            let defined = || self.definitions[*var].map(|expr| self.inputs[expr].clone());
            return own.or_else(defined).unwrap_or_default();
        }
        let mut all: Vec<u32> =
            kind.operands().flat_map(|operand| self.inputs[operand].iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The constants near an expression.
    pub(crate) fn constants(&self, expr: ExprId) -> Vec<Value> {
        let (mut found, mut open) = (Vec::new(), vec![(expr, 4)]);
        while let Some((expr, depth)) = open.pop() {
            match &self.system.exprs[expr].kind {
                ExprKind::Const(value) if value.as_bool().is_none() => found.push(value.clone()),
                _ if depth == 0 => {}
                ExprKind::Var(var) => {
                    open.extend(self.definitions[*var].map(|expr| (expr, depth - 1)));
                }
                kind => open.extend(kind.operands().map(|operand| (operand, depth - 1))),
            }
        }
        found
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
    fn new(
        system: &System,
        var: &Var,
        compared: Vec<Value>,
        ints: &[Int],
        reals: &[Rational],
    ) -> Domain {
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
        // A real may be rounded before it is compared with an integer.
        let inside = |value: &Value| match (value, var.ty) {
            (Value::Int(int), Type::Int) => {
                range.as_ref().is_none_or(|(low, high)| low <= int && int <= high)
            }
            (Value::Real(_), Type::Real) | (Value::Enum(_), Type::Enum(_)) => true,
            _ => false,
        };
        Domain { compared: compared.into_iter().filter(inside).collect(), values, range }
    }

    fn draw(&self, random: &mut Random) -> Value {
        match &self.range {
            _ if !self.compared.is_empty() && random.chance(3, 4) => {
                random.pick(&self.compared).clone()
            }
            Some((low, high)) if random.chance(1, 4) => Value::Int(random.between(low, high)),
            _ => random.pick(&self.values).clone(),
        }
    }
}
