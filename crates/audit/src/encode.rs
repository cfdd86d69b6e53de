//! Steps of a model as SMT-LIB text, written from the tree and for this crate alone.
//!
//! Steps are numbered by [`Time`]. The first one is either the first step of a run, or any step: then
//! what it remembers from the step before, a ghost of which nothing but the values is known, is
//! free. Only what a query asks for is written. Nothing is simplified, except that a branch that is
//! never taken is not written.

mod fault;
#[cfg(test)]
mod flaw;
mod known;
mod memory;
mod pair;
mod settled;
mod symbols;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::Arc;

use provoke_model::{BinaryOp, Range, Type, UnaryOp, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::form::{Form, Node, Occurrence, form, machine_range_of, type_of, undefined_type};
use crate::instances::{Model, VarId};
pub(crate) use memory::Memory;
use pair::Pair;
use settled::Settled;
pub use symbols::literal;
use symbols::{binary_term, quoted, sort, unary_term};

/// A step: [`GHOST`] is before the first one that is encoded, which is [`FIRST`].
pub type Time = usize;

/// The step before the first one that is encoded.
pub const GHOST: Time = 0;
/// The first step that is encoded.
pub const FIRST: Time = 1;

/// What the first encoded step is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// The first step of a run.
    OfRun,
    /// Any step of a run.
    Anywhere,
}

/// A term of SMT-LIB.
pub type Text = Rc<str>;

/// The model itself, or the mutant beside it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Side {
    /// The model.
    Model,
    /// The mutant.
    Mutant,
}

/// Longer terms get a name.
const INLINE: usize = 120;

/// Writes the steps of a model, and of a mutant beside it.
pub struct Encoder {
    model: Arc<Model>,
    mutant: Option<Pair>,
    /// How many mutants there were: each has names of its own.
    mutants: usize,
    start: Start,
    settled: Settled,
    text: String,
    values: FxHashMap<(Side, Node, Time), Text>,
    known: FxHashMap<(Side, Node, Time), Text>,
    faulty: FxHashMap<(Side, Node), bool>,
    /// What some `pre` has read, and of what it was asked whether it is known.
    memory: Memory,
    declared: FxHashSet<String>,
    /// The terms that have names.
    defined: FxHashMap<String, Text>,
    names: usize,
    /// What is being worked out, to notice what needs itself.
    busy: FxHashSet<(Side, Node, Time)>,
    /// A variable that needs itself in the same step.
    cycle: Option<String>,
    #[cfg(test)]
    flaw: Option<flaw::Flaw>,
}

impl Encoder {
    /// An encoder of a model.
    pub fn new(model: &Arc<Model>, start: Start) -> Encoder {
        Encoder {
            model: model.clone(),
            mutant: None,
            mutants: 0,
            start,
            settled: Settled::of(model),
            text: String::new(),
            values: FxHashMap::default(),
            known: FxHashMap::default(),
            faulty: FxHashMap::default(),
            memory: Memory::default(),
            declared: FxHashSet::default(),
            defined: FxHashMap::default(),
            names: 0,
            busy: FxHashSet::default(),
            cycle: None,
            #[cfg(test)]
            flaw: None,
        }
    }

    /// Puts a mutant beside the model, instead of the one before. What the change cannot reach is
    /// the same term in both.
    pub fn set_mutant(&mut self, mutant: &Arc<Model>) {
        self.mutant = Some(Pair::new(&self.model, mutant));
        self.mutants += 1;
        self.values.retain(|(side, ..), _| *side == Side::Model);
        self.known.retain(|(side, ..), _| *side == Side::Model);
        self.faulty.retain(|(side, _), _| *side == Side::Model);
    }

    /// As [`Encoder::set_mutant`], unless it is there already; whether it was not.
    pub(crate) fn change_mutant(&mut self, mutant: &Arc<Model>) -> bool {
        let there = self.mutant.as_ref().is_some_and(|pair| Arc::ptr_eq(&pair.mutant, mutant));
        if !there {
            self.set_mutant(mutant);
        }
        !there
    }

    /// The model of a side.
    pub(crate) fn side(&self, side: Side) -> Arc<Model> {
        match (side, &self.mutant) {
            (Side::Mutant, Some(pair)) => pair.mutant.clone(),
            _ => self.model.clone(),
        }
    }

    /// What was written since the last call.
    pub fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// The variable that needs itself in the same step, if there is one: then nothing that was
    /// written means anything.
    pub fn cycle(&self) -> Option<&str> {
        self.cycle.as_deref()
    }

    /// Gives a term a name, the same one to the same term.
    pub fn define(&mut self, sort: &str, term: &str) -> Text {
        if let Some(name) = self.defined.get(term) {
            return name.clone();
        }
        self.names += 1;
        let name: Text = format!("t{}", self.names).into();
        let _ = writeln!(self.text, "(define-fun {name} () {sort} {term})");
        self.defined.insert(term.to_string(), name.clone());
        name
    }

    /// The term, or a name for it if it is long: what is part of several terms would be written
    /// again and again, twice as often at each level.
    pub(crate) fn short(&mut self, term: String) -> Text {
        if term.len() <= INLINE { term.into() } else { self.define("Bool", &term) }
    }

    /// Declares a constant of a type, once.
    pub(crate) fn constant(&mut self, name: &str, (ty, range): (Type, Option<Range>)) -> Text {
        let quoted = quoted(name);
        if !self.declared.insert(name.to_string()) {
            return quoted.into();
        }
        let _ = writeln!(self.text, "(declare-const {quoted} {})", sort(ty));
        if let Some((low, high)) = self.bounds(ty, range.as_ref()) {
            let _ = writeln!(self.text, "(assert (and (<= {low} {quoted}) (<= {quoted} {high})))");
        }
        quoted.into()
    }

    /// The smallest and the largest value of a type.
    fn bounds(&self, ty: Type, range: Option<&Range>) -> Option<(String, String)> {
        let int = |int: &provoke_base::Int| literal(&Value::Int(int.clone()));
        match (ty, range) {
            (_, Some(range)) if !self.flawed("ranges ignored") => {
                Some((int(&range.low), int(&range.high)))
            }
            (Type::Enum(id), _) => {
                let count = self.model.tree.types.enums[id].constants.len();
                let last = if self.flawed("enumerations too large") { count } else { count - 1 };
                Some(("0".to_string(), last.to_string()))
            }
            _ => None,
        }
    }

    /// The value of an input.
    pub fn input(&mut self, var: VarId, time: Time) -> Text {
        let found = &self.model.vars[var];
        let (name, ty) = (input_name(&found.name, time), (found.ty, found.range.clone()));
        self.constant(&name, ty)
    }

    /// The value of a node.
    pub fn value(&mut self, side: Side, node: Node, time: Time) -> Text {
        let (side, node) = self.shared(side, node);
        let key = (side, node, time);
        if let Some(known) = self.values.get(&key) {
            return known.clone();
        }
        if !self.busy.insert(key) {
            self.cycle = Some(self.node_name(side, node));
            return self.some_constant(side, node);
        }
        let text = stacker::maybe_grow(64 << 10, 1 << 20, || self.value_here(side, node, time));
        self.busy.remove(&key);
        self.values.insert(key, text.clone());
        text
    }

    fn value_here(&mut self, side: Side, node: Node, time: Time) -> Text {
        let model = self.side(side);
        let form = form(&model, node);
        let part = matches!(node, Node::Part(..));
        if let Form::Input(var) = form {
            return self.input_of(side, var, time);
        }
        if time == GHOST && !part {
            let name = format!("{}@{GHOST}", self.node_name(side, node));
            // A subrange binds inputs only: a variable may have left it. No operation leaves the
            // type of a machine.
            let (ty, _) = type_of(&model, node);
            return self.constant(&name, (ty, machine_range_of(&model, node)));
        }
        let term = self.term(side, &form, time);
        let short = if part { INLINE } else { 0 };
        if term.len() <= short || !term.starts_with('(') {
            return term.into();
        }
        let (ty, _) = type_of(&model, node);
        self.define(sort(ty), &term)
    }

    /// Inputs are shared: a mutant has the same ones, by position.
    fn input_of(&mut self, side: Side, var: VarId, time: Time) -> Text {
        let position = self.side(side).inputs.iter().position(|input| *input == var);
        let same = position.map_or(var, |position| self.model.inputs[position]);
        self.input(same, time)
    }

    /// Any constant of the right sort, for what has no meaning.
    fn some_constant(&mut self, side: Side, node: Node) -> Text {
        let (ty, _) = type_of(&self.side(side), node);
        match ty {
            Type::Bool => "false".into(),
            Type::Real => "0.0".into(),
            _ => "0".into(),
        }
    }

    /// The value of a form.
    pub(crate) fn term(&mut self, side: Side, form: &Form, time: Time) -> String {
        match form {
            Form::Const(value) => literal(value),
            Form::Input(var) => self.input_of(side, *var, time).to_string(),
            Form::Node(node) => self.value(side, *node, time).to_string(),
            Form::Unary(op, operand) => {
                let operand = self.term(side, operand, time);
                self.unary(*op, &operand)
            }
            Form::Binary(op, left, right) => {
                let left = self.term(side, left, time);
                let right = self.term(side, right, time);
                self.binary(*op, &left, &right)
            }
            Form::If(condition, then, otherwise) => {
                let condition = self.term(side, condition, time);
                match &*condition {
                    "true" => self.term(side, then, time),
                    "false" => self.term(side, otherwise, time),
                    _ => {
                        let then = self.term(side, then, time);
                        let otherwise = self.term(side, otherwise, time);
                        if self.flawed("branches swapped") {
                            return format!("(ite {condition} {otherwise} {then})");
                        }
                        format!("(ite {condition} {then} {otherwise})")
                    }
                }
            }
            Form::FirstStep => self.first_step(time).to_string(),
            Form::Anything => {
                let name = format!("{}@{time}", self.node_name(side, Node::Right));
                self.constant(&name, (Type::Bool, None)).to_string()
            }
            Form::Pre(node, occurrence) => self.before(side, *node, *occurrence, time),
        }
    }

    pub(crate) fn unary(&self, op: UnaryOp, operand: &str) -> String {
        #[cfg(test)]
        if let Some(wrong) = self.wrong_unary(op, operand) {
            return wrong;
        }
        unary_term(op, operand)
    }

    pub(crate) fn binary(&self, op: BinaryOp, left: &str, right: &str) -> String {
        #[cfg(test)]
        if let Some(wrong) = self.wrong_binary(op, left, right) {
            return wrong;
        }
        binary_term(op, left, right)
    }

    /// Whether a step is the first one of the run.
    pub(crate) fn first_step(&mut self, time: Time) -> Text {
        match (self.start, time) {
            (Start::OfRun, FIRST) => (!self.flawed("never first")).to_string().into(),
            (Start::OfRun, 2) if self.flawed("first twice") => "true".into(),
            (Start::Anywhere, GHOST | FIRST) => {
                self.constant(&format!("first step@{time}"), (Type::Bool, None))
            }
            _ => "false".into(),
        }
    }

    /// The value of a node in the step before; in the first step it is free.
    fn before(&mut self, side: Side, node: Node, occurrence: Occurrence, time: Time) -> String {
        self.memory.values.insert(self.shared(side, node));
        if time > FIRST {
            let back = if self.flawed("pre reads this step") { 0 } else { 1 };
            return self.value(side, node, time - back).to_string();
        }
        let free = self.free(side, node, occurrence, time);
        if time == GHOST || self.start == Start::OfRun {
            return free.to_string();
        }
        let first = self.first_step(time);
        let ghost = self.value(side, node, GHOST);
        format!("(ite {first} {free} {ghost})")
    }

    /// What an occurrence of `pre` is worth in the first step: any value of its type, the same in
    /// the mutant.
    fn free(&mut self, side: Side, node: Node, occurrence: Occurrence, time: Time) -> Text {
        let ty = undefined_type(&self.side(side), node);
        let mut name = self.occurrence_name(side, occurrence);
        if self.flawed("one undefined value for all") {
            name = format!("undefined {}", sort(ty.0));
        }
        let name = if time == GHOST { format!("{name}@{GHOST}") } else { name };
        self.constant(&name, ty)
    }

    /// The name of a constant that stands for an undefined value in the first step of a run.
    pub(crate) fn occurrence_name(&self, side: Side, occurrence: Occurrence) -> String {
        let (kind, node) = match occurrence {
            Occurrence::Written(instance, part) => ("pre", Node::Part(instance, part)),
            Occurrence::Idle(instance, part) => ("idle", Node::Held(instance, part)),
            Occurrence::Still(node) => ("still", node),
            Occurrence::Clock(node) => ("clock", node),
        };
        format!("{kind} {}", self.occurrence_place(side, node))
    }

    /// The same text for the same place of the model and of its mutant.
    fn occurrence_place(&self, side: Side, node: Node) -> String {
        let place = match (side, &self.mutant) {
            (Side::Mutant, Some(pair)) => pair.original_place(node),
            _ => Some(pair::place(&self.model, node)),
        };
        place.unwrap_or_else(|| self.node_name(side, node))
    }

    /// A name that no other node of either side has.
    pub(crate) fn node_name(&self, side: Side, node: Node) -> String {
        let place = pair::place(&self.side(side), node);
        match side {
            Side::Model => place,
            Side::Mutant => format!("mutant {}:{place}", self.mutants),
        }
    }

    /// The model's node, where the mutant's cannot differ from it.
    pub(crate) fn shared(&self, side: Side, node: Node) -> (Side, Node) {
        match (side, &self.mutant) {
            (Side::Mutant, Some(pair)) => match pair.same(node) {
                Some(same) => (Side::Model, same),
                None => (side, node),
            },
            _ => (side, node),
        }
    }

    /// What a step of a run fulfils: nothing is divided by zero, and what is asserted holds where
    /// it is known. The types of inputs are told when they are declared.
    pub fn step(&mut self, time: Time) -> Vec<String> {
        let mut all = Vec::new();
        for node in crate::form::roots(&self.model) {
            let fault = self.node_fault(Side::Model, node, time);
            if fault != "false" && !self.flawed("faults allowed") {
                all.push(format!("(not {fault})"));
            }
        }
        let model = self.model.clone();
        for promise in &model.assertions {
            let form = self.promise(promise);
            let fault = self.fault(Side::Model, &form, time, fault::Logic::Two);
            if fault != "false" && !self.flawed("faults allowed") {
                all.push(format!("(not {fault})"));
            }
            let value = self.term(Side::Model, &form, time);
            if self.flawed("assertions ignored") {
                continue;
            }
            match &*self.known_form(Side::Model, &form, time) {
                _ if self.flawed("undefined assertions bind") => all.push(value),
                "true" => all.push(value),
                known => all.push(format!("(=> {known} {value})")),
            }
        }
        all
    }

    /// A promise binds while its instance is active.
    pub fn promise(&self, promise: &crate::instances::Promise) -> Form {
        let body = Form::Node(Node::Part(promise.instance, promise.part));
        match self.model.instances[promise.instance].clock {
            None => body,
            Some(_) if self.flawed("assertions of idle nodes bind") => body,
            Some(clock) => {
                let active = Form::Node(Node::Active(clock));
                Form::Binary(BinaryOp::Implies, Box::new(active), Box::new(body))
            }
        }
    }

    /// Whether a test has put this fault into the encoder.
    #[cfg(not(test))]
    fn flawed(&self, _: &str) -> bool {
        false
    }
}

/// The name of an input's constant.
pub(crate) fn input_name(name: &str, time: Time) -> String {
    format!("{name}@{time}")
}
