//! The expressions of a certificate as terms over encoded steps.

use std::sync::Arc;

use provoke_model::{Type, Value};
use rustc_hash::FxHashMap;

use super::types::{Meanings, fault_node, node};
use crate::certificate::{Certificate, Node as Written, Term};
use crate::encode::{Encoder, FIRST, GHOST, Side, Text, Time, literal};
use crate::form::{Form, Node, Occurrence, delays_of};
use crate::instances::Model;

/// Writes expressions of one certificate into one encoder.
pub(super) struct Facts<'a> {
    certificate: &'a Certificate,
    meanings: Meanings<'a>,
    model: Arc<Model>,
    mutant: Option<Arc<Model>>,
    written: FxHashMap<(Term, Time), Text>,
    /// The only `pre` of each node, where there is only one.
    only: FxHashMap<Node, Option<Occurrence>>,
}

impl<'a> Facts<'a> {
    pub(super) fn new(
        certificate: &'a Certificate,
        model: &Arc<Model>,
        mutant: Option<&Arc<Model>>,
    ) -> Facts<'a> {
        let meanings = Meanings::new(certificate, model, mutant);
        let mut only: FxHashMap<Node, Option<Occurrence>> = FxHashMap::default();
        for (remembered, occurrence) in delays_of(model) {
            only.entry(remembered).and_modify(|found| *found = None).or_insert(Some(occurrence));
        }
        let (model, mutant) = (model.clone(), mutant.cloned());
        Facts { certificate, meanings, model, mutant, written: FxHashMap::default(), only }
    }

    /// Why an expression is no fact about a state, if it is none.
    pub(super) fn refuse(&self, term: Term) -> Option<String> {
        self.meanings.refuse(term)
    }

    /// What an expression is worth in a step.
    pub(super) fn value(&mut self, encoder: &mut Encoder, term: Term, time: Time) -> Text {
        if let Some(known) = self.written.get(&(term, time)) {
            return known.clone();
        }
        let text = stacker::maybe_grow(64 << 10, 1 << 20, || self.value_here(encoder, term, time));
        let text: Text = if text.len() > 60 {
            let sort = self.meanings.ty(term).map_or("Bool", sort_of);
            encoder.define(sort, &text)
        } else {
            text.into()
        };
        self.written.insert((term, time), text.clone());
        text
    }

    fn value_here(&mut self, encoder: &mut Encoder, term: Term, time: Time) -> String {
        let certificate = self.certificate;
        match &certificate.terms[term] {
            Written::Bool(value) => value.to_string(),
            Written::Int(value) => literal(&Value::Int(value.clone())),
            Written::Real(value) => literal(&Value::Real(value.clone())),
            Written::Constant(name) => self.ordinal(name).to_string(),
            Written::Var { name, mutant } => {
                if let Some(node) = fault_node(self.mutant.as_deref(), name) {
                    return encoder.value(Side::Mutant, node, time).to_string();
                }
                let (side, model) = match (mutant, &self.mutant) {
                    (true, Some(mutant)) => (Side::Mutant, mutant),
                    _ => (Side::Model, &self.model),
                };
                match node(model, name) {
                    Some(node) => encoder.value(side, node, time).to_string(),
                    None => unreachable!("expressions without a meaning are refused"),
                }
            }
            Written::Unary(op, operand) => {
                let operand = self.value(encoder, *operand, time);
                encoder.unary(*op, &operand)
            }
            Written::Binary(op, left, right) => {
                let left = self.value(encoder, *left, time);
                let right = self.value(encoder, *right, time);
                encoder.binary(*op, &left, &right)
            }
            Written::If(condition, then, otherwise) => {
                let parts =
                    [condition, then, otherwise].map(|part| self.value(encoder, *part, time));
                format!("(ite {} {} {})", parts[0], parts[1], parts[2])
            }
            Written::Arrow(first, later) => {
                let is_first = encoder.first_step(time);
                match &*is_first {
                    "true" => self.value(encoder, *first, time).to_string(),
                    "false" => self.value(encoder, *later, time).to_string(),
                    _ => {
                        let [first, later] =
                            [first, later].map(|part| self.value(encoder, *part, time));
                        format!("(ite {is_first} {first} {later})")
                    }
                }
            }
            Written::Pre(operand) if time > FIRST => {
                self.value(encoder, *operand, time - 1).to_string()
            }
            Written::Pre(operand) => self.before_first(encoder, term, *operand, time),
        }
    }

    /// What a `pre` had in the first encoded step: what the only `pre` of the model over this
    /// variable had, else anything.
    fn before_first(
        &mut self,
        encoder: &mut Encoder,
        term: Term,
        operand: Term,
        time: Time,
    ) -> String {
        if time == FIRST
            && let Written::Var { name, mutant: false } = &self.certificate.terms[operand]
            && let Some(node) = node(&self.model, name)
            && let Some(Some(occurrence)) = self.only.get(&node)
        {
            return encoder.term(Side::Model, &Form::Pre(node, *occurrence), FIRST);
        }
        let ty = self.meanings.ty(term).unwrap_or(Type::Bool);
        let name = format!("any {}@{time}", provoke_base::index::Id::index(term));
        let any = encoder.constant(&name, (ty, None));
        let first = encoder.first_step(time);
        if time == GHOST || &*first == "true" {
            return any.to_string();
        }
        let before = self.value(encoder, operand, GHOST);
        format!("(ite {first} {any} {before})")
    }

    fn ordinal(&self, name: &str) -> usize {
        let enums = self.model.tree.types.enums.iter();
        let mut found = enums.filter_map(|found| found.constants.iter().position(|c| c == name));
        found.next().unwrap_or(0)
    }
}

fn sort_of(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "Bool",
        Type::Real => "Real",
        Type::Int | Type::Enum(_) => "Int",
    }
}
