//! The signals of a target, and what they have to do with a model's variables.

use provoke_base::diagnostic::did_you_mean;
use provoke_base::{Diagnostic, Int, Rational, SourceFile};
use provoke_model::{Signal, Suite, Type, Value};

use crate::delay::DelayDistribution;
use crate::drift::Drift;
use crate::settings::place;
use crate::target::{SignalEntry, TargetFile, is_word};

/// How a variable's value becomes a signal's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scale {
    factor: Rational,
    offset: Rational,
    identity: bool,
}

impl Scale {
    fn new(entry: &SignalEntry) -> Scale {
        let one = Rational::from(&Int::from(1));
        let zero = Rational::from(&Int::ZERO);
        let factor = entry.scale.as_ref().map_or(one.clone(), |exact| exact.0.clone());
        let offset = entry.offset.as_ref().map_or(zero.clone(), |exact| exact.0.clone());
        Scale { identity: factor == one && offset == zero, factor, offset }
    }

    /// The signal's value for a variable's.
    pub fn apply(&self, value: &Value) -> Value {
        match (self.identity, rational(value)) {
            (false, Some(number)) => Value::Real(number.mul(&self.factor).add(&self.offset)),
            _ => value.clone(),
        }
    }

    /// The variable's value for a signal's; integers are the nearest ones.
    pub fn invert(&self, value: &Value, ty: Type) -> Value {
        let number = match (self.identity, rational(value)) {
            (false, Some(number)) => number.sub(&self.offset).div(&self.factor),
            _ => return value.clone(),
        };
        match (number, ty) {
            (Some(number), Type::Int) => {
                let half = Rational::new(&Int::from(1), &Int::from(2)).expect("not zero");
                Value::Int(number.add(&half).floor())
            }
            (Some(number), _) => Value::Real(number),
            (None, _) => Value::Unknown,
        }
    }
}

/// The number that a value is, if it is one.
fn rational(value: &Value) -> Option<Rational> {
    match value {
        Value::Int(int) => Some(Rational::from(int)),
        Value::Real(real) => Some(real.clone()),
        _ => None,
    }
}

/// Whether two values of a signal are the same, up to a tolerance.
pub fn same(a: &Value, b: &Value, tolerance: &Rational) -> bool {
    if a == b {
        return true;
    }
    match (rational(a), rational(b)) {
        (Some(a), Some(b)) => {
            let difference = a.sub(&b);
            let size = if difference.is_negative() { difference.neg() } else { difference };
            size <= *tolerance
        }
        _ => false,
    }
}

/// A link between a variable, by its place in the suite, and a signal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Feed {
    /// The place of the variable.
    pub variable: usize,
    /// Its type.
    pub ty: Type,
    /// How values are converted.
    pub scale: Scale,
}

/// A signal that a target monitors, or controls.
#[derive(Clone, PartialEq, Debug)]
pub struct Wire {
    /// What the target calls it.
    pub name: String,
    /// The type of what is sent over it.
    pub ty: Type,
    /// The variables it stands for.
    pub feeds: Vec<Feed>,
    /// The delay it is believed to have.
    pub delay: DelayDistribution,
    /// The part of the delay that changes slowly.
    pub drift: Option<Drift>,
    /// How often the same event may be sent.
    pub copies: u32,
    /// How far a value may be off.
    pub tolerance: Rational,
}

/// The signals of a target, for suites over certain variables.
#[derive(Clone, PartialEq, Debug)]
pub struct Board {
    /// The time between two steps.
    pub step_ms: f64,
    /// Whether what does not change is sent all the same, in direct and scheduled mode.
    pub resend: bool,
    /// What is set: the monitored variables.
    pub monitored: Vec<Wire>,
    /// What is seen: the controlled variables.
    pub controlled: Vec<Wire>,
}

/// Why a test cannot be run on a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardConflict {
    /// The step, counted from 1.
    pub step: usize,
    /// The signal that would need two values.
    pub signal: String,
}

impl Board {
    /// The signals for a suite's variables. Variables without an entry are signals of the same
    /// name; an entry for a variable that the suite does not have is an error.
    pub fn new(
        target: &TargetFile,
        suite: &Suite,
        file: &SourceFile,
    ) -> Result<Board, Vec<Diagnostic>> {
        let mut found = Vec::new();
        let monitored = wires(target, &target.inputs, &suite.inputs, "input", file, &mut found);
        let controlled = wires(target, &target.outputs, &suite.outputs, "output", file, &mut found);
        let board = Board { step_ms: target.step_ms, resend: target.resend, monitored, controlled };
        if found.is_empty() { Ok(board) } else { Err(found) }
    }

    /// What the monitored signals have to be for the inputs of a step.
    pub fn monitored_values(
        &self,
        inputs: &[Value],
        step: usize,
    ) -> Result<Vec<Value>, BoardConflict> {
        combined(&self.monitored, inputs, step)
    }

    /// What the controlled signals have to be for the outputs of a step.
    pub fn controlled_values(
        &self,
        outputs: &[Value],
        step: usize,
    ) -> Result<Vec<Value>, BoardConflict> {
        combined(&self.controlled, outputs, step)
    }

    /// The inputs that the software reads when the signals have these values.
    pub fn inputs_of(&self, signals: &[Value], inputs: &mut [Value]) {
        for (wire, value) in self.monitored.iter().zip(signals) {
            for feed in &wire.feeds {
                inputs[feed.variable] = feed.scale.invert(value, feed.ty);
            }
        }
    }
}

fn combined(wires: &[Wire], values: &[Value], step: usize) -> Result<Vec<Value>, BoardConflict> {
    let mut combined = Vec::with_capacity(wires.len());
    for wire in wires {
        let mut value = Value::Unknown;
        for feed in &wire.feeds {
            let wanted = feed.scale.apply(&values[feed.variable]);
            if value.is_known() && wanted.is_known() && !same(&value, &wanted, &wire.tolerance) {
                return Err(BoardConflict { step, signal: wire.name.clone() });
            }
            if wanted.is_known() {
                value = wanted;
            }
        }
        combined.push(value);
    }
    Ok(combined)
}

fn wires(
    target: &TargetFile,
    entries: &[SignalEntry],
    signals: &[Signal],
    word: &str,
    file: &SourceFile,
    found: &mut Vec<Diagnostic>,
) -> Vec<Wire> {
    let names = || signals.iter().map(|signal| signal.name.as_str());
    for entry in entries {
        if !entry.model.is_empty() && !names().any(|name| name == entry.model) {
            let message = format!("the suite has no {word} `{}`", entry.model);
            let at = place(file, &entry.model);
            let error = Diagnostic::error("unknown-name", at, message);
            found.push(error.maybe_help(did_you_mean(&entry.model, names())));
        }
    }
    let mut wires: Vec<Wire> = Vec::new();
    for entry in target.links(entries, names()) {
        let Some(variable) = names().position(|name| name == entry.model) else { continue };
        let scale = Scale::new(&entry);
        let model_type = signals[variable].ty;
        let numeric = matches!(model_type, Type::Int | Type::Real);
        if !scale.identity && !numeric {
            let message = format!("`{}` is no number and cannot be scaled", entry.model);
            found.push(Diagnostic::error("target-value", place(file, &entry.model), message));
        }
        if !is_word(entry.platform()) {
            let message = format!("`{}` needs another name on the target", entry.platform());
            let help = "add an entry with `platform = \"NAME\"`, without spaces, `=` or `*`";
            found.push(Diagnostic::error("target-value", place(file, word), message).help(help));
        }
        let ty = if scale.identity { model_type } else { Type::Real };
        let feed = Feed { variable, ty: model_type, scale };
        if let Some(wire) = wires.iter_mut().find(|wire| wire.name == entry.platform()) {
            if wire.ty != ty {
                let message = format!("`{}` would carry values of two types", wire.name);
                found.push(Diagnostic::error("target-value", place(file, &wire.name), message));
            }
            wire.feeds.push(feed);
            continue;
        }
        let zero = Rational::from(&Int::ZERO);
        let tolerance = entry.tolerance.as_ref().or(target.defaults.tolerance.as_ref());
        wires.push(Wire {
            name: entry.platform().to_string(),
            ty,
            feeds: vec![feed],
            delay: entry.delay(&target.defaults),
            drift: entry.drift(),
            copies: entry.copies.or(target.defaults.copies).unwrap_or(1),
            tolerance: tolerance.map_or(zero, |exact| exact.0.clone()),
        });
    }
    wires
}
