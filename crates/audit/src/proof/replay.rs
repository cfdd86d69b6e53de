//! A solver's run, repeated by the evaluator: only what that confirms refutes a claim.

use std::collections::HashMap;
use std::sync::Arc;

use provoke_base::{Int, Rational};
use provoke_model::{Range, Type, Value};

use super::goal::Goal;
use super::windows::Beside;
use super::{Counterexample, Setting};
use crate::coverage::{Measure, certainly_differ};
use crate::encode::{Encoder, FIRST, Side, Text, Time, input_name};
use crate::evaluator::Evaluator;
use crate::form::{Node, Occurrence, undefined_type};
use crate::instances::Model;
use crate::obligations::Obligation;
use crate::run::{Change, GraphRun};

/// The constants whose values make a run.
pub(super) struct Replay {
    model: Arc<Model>,
    last: Time,
    wanted: Vec<(String, Text, Type)>,
    values: HashMap<String, Value>,
}

impl Replay {
    /// What has to be asked for to repeat the steps up to `last`.
    pub(super) fn new(setting: &Setting<'_>, encoder: &mut Encoder, last: Time) -> Replay {
        let model = setting.model.clone();
        let mut wanted = Vec::new();
        for time in FIRST..=last {
            for &var in &model.inputs {
                let term = encoder.input(var, time);
                wanted.push((input_name(&model.vars[var].name, time), term, model.vars[var].ty));
            }
        }
        for (occurrence, ty) in undefined(&model) {
            let name = encoder.occurrence_name(Side::Model, occurrence);
            let term = encoder.constant(&name, ty.clone());
            wanted.push((name, term, ty.0));
        }
        Replay { model, last, wanted, values: HashMap::new() }
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.wanted.iter().map(|(_, term, _)| term.to_string()).collect()
    }

    /// Reads the solver's values, in the order in which they were asked for.
    pub(super) fn read(&mut self, text: &str) -> Option<()> {
        let Tree::List(pairs) = parse(text)? else { return None };
        if pairs.len() != self.wanted.len() {
            return None;
        }
        for ((name, _, ty), pair) in self.wanted.iter().zip(&pairs) {
            let Tree::List(pair) = pair else { return None };
            let value = value(pair.get(1)?, *ty)?;
            self.values.insert(name.clone(), value);
        }
        Some(())
    }

    /// The inputs of each step.
    fn inputs(&self) -> Vec<Vec<Value>> {
        let of_step = |time| {
            let value = |var: &crate::VarId| {
                let name = input_name(&self.model.vars[*var].name, time);
                self.values.get(&name).cloned().unwrap_or(Value::Unknown)
            };
            self.model.inputs.iter().map(value).collect()
        };
        (FIRST..=self.last).map(of_step).collect()
    }

    pub(super) fn counterexample(&self) -> Counterexample {
        Counterexample { inputs: self.inputs() }
    }

    /// Whether the evaluator reaches the goal in the last step of this run.
    pub(super) fn reaches(
        &self,
        setting: &Setting<'_>,
        encoder: &Encoder,
        goal: &Goal,
        beside: Option<Beside<'_>>,
    ) -> bool {
        self.follow(setting, encoder, goal, beside).unwrap_or(false)
    }

    fn follow(
        &self,
        setting: &Setting<'_>,
        encoder: &Encoder,
        goal: &Goal,
        beside: Option<Beside<'_>>,
    ) -> Option<bool> {
        let inputs = self.inputs();
        if let Goal::DiffersOnce(obligation) = goal {
            return Some(shows_one_wrong_step(setting, obligation, &inputs));
        }
        let mut whole = self.complete(encoder, Side::Model, &self.model);
        let mut partial = Evaluator::new(&self.model);
        let mut mutant = beside.map(|found| self.complete(encoder, Side::Mutant, found.model));
        let mut differs = false;
        for (at, step) in inputs.iter().enumerate() {
            whole.compute(step).ok()?;
            partial.compute(step).ok()?;
            if partial.assertions().contains(&Value::Bool(false)) {
                return None;
            }
            if let (Some(mutant), Some(beside)) = (&mut mutant, beside) {
                differs = mutant.compute(step).is_err()
                    || self.shows_another(setting, &whole, mutant, beside);
                mutant.advance();
            }
            if at + 1 < inputs.len() {
                whole.advance();
                partial.advance();
            }
        }
        Some(match goal {
            Goal::Differs | Goal::DiffersOnce(_) => differs,
            Goal::Violated(property) => whole.promise(property).ok() == Some(Value::Bool(false)),
            Goal::Exercised(obligation) => {
                let measure = Measure::new(setting.graph, setting.masking, None, Vec::new());
                !measure.covered(std::slice::from_ref(obligation), &inputs).is_empty()
            }
        })
    }

    fn shows_another(
        &self,
        setting: &Setting<'_>,
        whole: &Evaluator<'_>,
        mutant: &Evaluator<'_>,
        beside: Beside<'_>,
    ) -> bool {
        setting.monitored.iter().any(|name| {
            match (self.model.var_named(name), beside.model.var_named(name)) {
                (Some(here), Some(there)) => whole.value_of(here) != mutant.value_of(there),
                _ => false,
            }
        })
    }

    /// An evaluator whose undefined values are the solver's.
    fn complete<'m>(&self, encoder: &Encoder, side: Side, model: &'m Model) -> Evaluator<'m> {
        let mut evaluator = Evaluator::new(model);
        for (occurrence, (ty, range)) in undefined(model) {
            let name = encoder.occurrence_name(side, occurrence);
            let low = range.map_or(Int::ZERO, |range| range.low);
            let value = self.values.get(&name).cloned().unwrap_or(match ty {
                Type::Bool => Value::Bool(false),
                Type::Int => Value::Int(low),
                Type::Real => Value::Real(Rational::from(&low)),
                Type::Enum(_) => Value::Enum(0),
            });
            match occurrence {
                Occurrence::Written(instance, part) => {
                    evaluator.set_undefined(instance, part, value);
                }
                Occurrence::Still(Node::Memory(instance, part)) => {
                    evaluator.set_kept(instance, part, value);
                }
                Occurrence::Still(Node::Var(var)) => evaluator.set_held(var, value),
                _ => {}
            }
        }
        evaluator
    }
}

/// Whether a monitored variable certainly differs at the end if the condition is wrong in some step.
fn shows_one_wrong_step(
    setting: &Setting<'_>,
    obligation: &Obligation,
    inputs: &[Vec<Value>],
) -> bool {
    let change = Change { node: obligation.node, value: !obligation.outcome };
    let cells: Vec<_> =
        setting.monitored.iter().filter_map(|name| setting.graph.cell_named(name)).collect();
    let ending = |wrong: Option<usize>| {
        let mut run = GraphRun::new(setting.graph);
        for (at, step) in inputs.iter().enumerate() {
            run.step(step, (wrong == Some(at)).then_some(change)).ok()?;
            let is_broken = |assertion| run.truth(assertion) == Some(false);
            if wrong.is_none() && setting.graph.assertions.iter().copied().any(is_broken) {
                return None;
            }
        }
        Some(run)
    };
    let Some(plain) = ending(None) else { return false };
    (0..inputs.len()).filter_map(|at| ending(Some(at))).any(|changed| {
        cells.iter().any(|cell| certainly_differ(plain.cell(*cell), changed.cell(*cell)))
    })
}

/// Everything that is undefined in the first step, with its type.
fn undefined(model: &Model) -> Vec<(Occurrence, (Type, Option<Range>))> {
    let mut found = Vec::new();
    for (id, instance) in model.instances.entries() {
        for delay in &instance.delays {
            let written = Occurrence::Written(id, delay.part);
            found.push((written, undefined_type(model, Node::Part(id, delay.part))));
            if instance.clock.is_some() {
                let memory = Node::Memory(id, delay.part);
                found.push((Occurrence::Still(memory), undefined_type(model, memory)));
            }
        }
    }
    for (var, about) in model.vars.entries() {
        if model.instances[about.instance].clock.is_some() {
            let node = Node::Var(var);
            found.push((Occurrence::Still(node), undefined_type(model, node)));
        }
    }
    found
}

/// A solver's reply.
enum Tree {
    Word(String),
    List(Vec<Tree>),
}

/// Reads a reply; `None` if it is cut or nested deeper than any value is.
fn parse(text: &str) -> Option<Tree> {
    let mut open: Vec<Vec<Tree>> = Vec::new();
    let mut rest = text.trim();
    loop {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let done = match first {
            '(' => {
                open.push(Vec::new());
                rest = &rest[1..];
                if open.len() > 100 {
                    return None;
                }
                continue;
            }
            ')' => {
                rest = &rest[1..];
                Tree::List(open.pop()?)
            }
            '|' => {
                let end = rest[1..].find('|')? + 2;
                let (word, behind) = rest.split_at(end);
                rest = behind;
                Tree::Word(word.to_string())
            }
            _ => {
                let ends = |c: char| c.is_whitespace() || c == '(' || c == ')';
                let (word, behind) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
                rest = behind;
                Tree::Word(word.to_string())
            }
        };
        match open.last_mut() {
            Some(list) => list.push(done),
            None => return Some(done),
        }
    }
}

fn value(tree: &Tree, ty: Type) -> Option<Value> {
    match ty {
        Type::Bool => match tree {
            Tree::Word(word) => word.parse().ok().map(Value::Bool),
            Tree::List(_) => None,
        },
        Type::Real => number(tree).map(Value::Real),
        Type::Int => number(tree).map(|number| Value::Int(number.floor())),
        Type::Enum(_) => {
            let ordinal = number(tree)?.floor().to_i64()?;
            u32::try_from(ordinal).ok().map(Value::Enum)
        }
    }
}

fn number(tree: &Tree) -> Option<Rational> {
    match tree {
        Tree::Word(word) => Rational::parse(word),
        Tree::List(items) => match &items[..] {
            [Tree::Word(minus), one] if minus == "-" => number(one).map(|number| number.neg()),
            [Tree::Word(over), one, other] if over == "/" => number(one)?.div(&number(other)?),
            [Tree::Word(to_real), one] if to_real == "to_real" => number(one),
            _ => None,
        },
    }
}
