//! From cells to values: a table becomes a suite once the types of its columns are known.

use std::collections::HashMap;

use provoke_base::diagnostic::did_you_mean;
use provoke_base::index::Id;
use provoke_base::{IndexVec, Rational};
use provoke_model::{
    EnumId, EnumType, Role, Signal, Step, Suite, System, TestCase, Type, Value, VarId,
};

use crate::error::{ReadError, excerpt};
use crate::guess::{Guess, Guessed};
use crate::table::{CellView, Side, Table};

/// Where the types of signals come from.
#[derive(Clone, Copy, Debug)]
pub enum Typing<'a> {
    /// From a model: columns that name inputs are inputs, columns that name other variables
    /// are expected values, all others are ignored.
    System(&'a System),
    /// From the file itself: its declarations where the format has them, else its cells;
    /// every column is an input unless the format says otherwise.
    Infer,
}

/// What was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadSuite {
    /// The tests over the columns that were understood, in the order of the file.
    pub suite: Suite,
    /// The columns that name nothing in the model.
    pub ignored: Vec<String>,
}

/// A number of more bits than this is long.
const LONG_BITS: usize = 1024;

/// The bits that all long numbers together may take. A cell of seven characters, `1e10000`,
/// takes four thousand bytes, and time to compute.
const MAX_LONG_BITS: usize = 1 << 28;

/// The suite that a table holds.
pub(crate) fn suite_of(table: &Table, typing: Typing<'_>) -> Result<ReadSuite, ReadError> {
    table.check_size()?;
    let plan = match typing {
        Typing::System(system) => Plan::by_model(table, system)?,
        Typing::Infer => Plan::by_file(table)?,
    };
    let tests = read_tests(table, &plan)?;
    let suite = Suite { tests, ..plan.suite };
    Ok(ReadSuite { suite, ignored: plan.ignored })
}

/// Where the values of a column go.
#[derive(Clone, Copy)]
struct Target {
    side: Side,
    index: usize,
    ty: Type,
}

/// The interface of the suite to be and, for each column, its place there.
#[derive(Default)]
struct Plan {
    suite: Suite,
    targets: Vec<Option<Target>>,
    ignored: Vec<String>,
}

impl Plan {
    fn by_model(table: &Table, system: &System) -> Result<Plan, ReadError> {
        if !table.model.is_empty() && table.model != system.name {
            let (found, expected) = (excerpt(&table.model), &system.name);
            let message = format!("the suite is for the model `{found}`, not for `{expected}`");
            return Err(ReadError::new(message).hint("give the model that it was made for"));
        }
        let mut plan = Plan::default();
        plan.suite.model = system.name.clone();
        plan.suite.numbers = table.numbers;
        plan.suite.enums = system.enums.clone();
        let by_name: HashMap<&str, VarId> =
            system.vars.entries().map(|(id, var)| (var.name.as_str(), id)).collect();
        for index in 0..table.columns.len() {
            match by_name.get(table.columns[index].name.as_str()) {
                Some(&var) => plan.add_variable(table, index, system, var)?,
                None => {
                    plan.ignored.push(table.columns[index].name.clone());
                    plan.targets.push(None);
                }
            }
        }
        Ok(plan)
    }

    fn add_variable(
        &mut self,
        table: &Table,
        index: usize,
        system: &System,
        id: VarId,
    ) -> Result<(), ReadError> {
        let (column, var) = (&table.columns[index], &system.vars[id]);
        let is_input = var.role.is_from_outside();
        let side = if is_input { Side::Input } else { Side::Output };
        if let Some(found) = column.side.filter(|&found| found != side) {
            let message = format!(
                "`{}` is an {} of the suite, but {} {} of the model `{}`",
                var.name,
                found.word(),
                if is_input || var.role == Role::Output { "an" } else { "a" },
                role_word(var.role),
                system.name
            );
            return Err(ReadError::new(message));
        }
        if let Some(found) = column.ty.filter(|&found| !same_kind(found, var.ty)) {
            let message = format!(
                "`{}` is {} in the suite, but {} in the model `{}`",
                var.name,
                type_phrase(found, &table.enums),
                type_phrase(var.ty, &system.enums),
                system.name
            );
            return Err(ReadError::new(message));
        }
        self.add_signal(&column.name, side, var.ty);
        Ok(())
    }

    fn by_file(table: &Table) -> Result<Plan, ReadError> {
        let mut plan = Plan::default();
        plan.suite.model = table.model.clone();
        plan.suite.numbers = table.numbers;
        plan.suite.enums = table.enums.clone();
        let mut guesses: Vec<Guess> = Vec::new();
        guesses.resize_with(table.columns.len(), Guess::default);
        for cell in table.all_cells() {
            if table.columns[cell.column].ty.is_none() {
                guesses[cell.column].see(cell.text).map_err(|e| e.at(table.place(&cell)))?;
            }
        }
        for (column, guess) in table.columns.iter().zip(guesses) {
            let enum_name = column.enum_name.as_ref().unwrap_or(&column.name).clone();
            let ty = match (column.ty, guess.conclude(enum_name)) {
                (Some(declared), _) => declared,
                (None, Guessed::Plain(ty)) => ty,
                (None, Guessed::Enum(guessed)) => Type::Enum(plan.suite.enums.push(guessed)),
            };
            plan.add_signal(&column.name, column.side.unwrap_or(Side::Input), ty);
        }
        Ok(plan)
    }

    fn add_signal(&mut self, name: &str, side: Side, ty: Type) {
        let signals = match side {
            Side::Input => &mut self.suite.inputs,
            Side::Output => &mut self.suite.outputs,
        };
        self.targets.push(Some(Target { side, index: signals.len(), ty }));
        signals.push(Signal { name: name.to_string(), ty });
    }
}

fn role_word(role: Role) -> &'static str {
    match role {
        Role::Input => "input",
        Role::Output => "output",
        Role::Local => "local variable",
        Role::Choice => "choice",
    }
}

/// Enumerations may differ between file and model: what counts is that the model has the
/// constants which the cells name.
fn same_kind(a: Type, b: Type) -> bool {
    a == b || matches!((a, b), (Type::Enum(_), Type::Enum(_)))
}

fn type_phrase(ty: Type, enums: &IndexVec<EnumId, EnumType>) -> String {
    match ty {
        Type::Bool => "a bool".into(),
        Type::Int => "an int".into(),
        Type::Real => "a real".into(),
        Type::Enum(id) => format!("of type `{}`", enums[id].name),
    }
}

fn read_tests(table: &Table, plan: &Plan) -> Result<Vec<TestCase>, ReadError> {
    let mut values = ValueReader::new(&plan.suite.enums);
    let mut tests = Vec::with_capacity(table.test_count());
    for test in 0..table.test_count() {
        let mut steps = Vec::with_capacity(table.step_count(test));
        for step in 0..table.step_count(test) {
            steps.push(read_step(table, plan, &mut values, table.step(test, step))?);
        }
        let (name, covers) = table.test(test);
        let requirements = table.requirements(test).to_vec();
        tests.push(TestCase {
            name: name.to_string(),
            covers: covers.to_vec(),
            requirements,
            steps,
        });
    }
    Ok(tests)
}

fn read_step<'a>(
    table: &Table,
    plan: &Plan,
    values: &mut ValueReader<'_>,
    cells: impl Iterator<Item = CellView<'a>>,
) -> Result<Step, ReadError> {
    let mut step = Step {
        inputs: vec![Value::Unknown; plan.suite.inputs.len()],
        outputs: vec![Value::Unknown; plan.suite.outputs.len()],
    };
    for cell in cells {
        let Some(target) = plan.targets[cell.column] else { continue };
        let value =
            values.read(cell.text, target.ty).map_err(|error| error.at(table.place(&cell)))?;
        match target.side {
            Side::Input => step.inputs[target.index] = value,
            Side::Output => step.outputs[target.index] = value,
        }
    }
    Ok(step)
}

/// Reads values, quickly also where an enumeration has many constants.
struct ValueReader<'a> {
    enums: &'a IndexVec<EnumId, EnumType>,
    ordinals: Vec<HashMap<&'a str, u32>>,
    long_bits: usize,
}

impl<'a> ValueReader<'a> {
    fn new(enums: &'a IndexVec<EnumId, EnumType>) -> ValueReader<'a> {
        let ordinals = |ty: &'a EnumType| {
            ty.constants.iter().zip(0..).map(|(name, ordinal)| (name.as_str(), ordinal)).collect()
        };
        ValueReader { enums, ordinals: enums.iter().map(ordinals).collect(), long_bits: 0 }
    }

    fn read(&mut self, text: &str, ty: Type) -> Result<Value, ReadError> {
        let text = text.trim();
        let value = match ty {
            _ if text.is_empty() => Some(Value::Unknown),
            Type::Enum(id) => self.ordinals[id.index()].get(text).map(|&o| Value::Enum(o)),
            _ => Value::parse(text, ty, self.enums),
        };
        let value = value.ok_or_else(|| wrong_value(text, ty, self.enums))?;
        let bits = match &value {
            Value::Int(int) => int.bits(),
            Value::Real(real) => real.bits(),
            _ => 0,
        };
        if bits > LONG_BITS {
            self.long_bits += bits;
        }
        if self.long_bits > MAX_LONG_BITS {
            let megabytes = MAX_LONG_BITS >> 23;
            let message = format!("the long numbers up to here take more than {megabytes} MB");
            return Err(ReadError::new(message).hint("split the suite into several files"));
        }
        Ok(value)
    }
}

fn wrong_value(text: &str, ty: Type, enums: &IndexVec<EnumId, EnumType>) -> ReadError {
    let shown = excerpt(text);
    let Type::Enum(id) = ty else {
        let error = ReadError::new(format!("`{shown}` is not {}", type_phrase(ty, enums)));
        return error.maybe_hint(number_hint(text, ty));
    };
    let ty = &enums[id];
    let near = did_you_mean(&shown, ty.constants.iter().map(String::as_str));
    let all = || format!("the constants are {}", excerpt(&ty.constants.join(", ")));
    ReadError::new(format!("`{shown}` is not a constant of `{}`", ty.name))
        .hint(near.unwrap_or_else(all))
}

fn number_hint(text: &str, ty: Type) -> Option<String> {
    let hint = match ty {
        Type::Bool => "write true or false",
        Type::Real if text.contains(',') => "write decimals with a point, or as n/d",
        Type::Real => "write a decimal such as 0.25 or a fraction such as 1/4",
        _ if Rational::parse(text).is_some() => "the signal holds whole numbers only",
        _ => "write digits only",
    };
    Some(hint.to_string())
}
