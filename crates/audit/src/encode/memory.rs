//! What the steps of a run remember, as far as it matters.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Encoder, FIRST, Side, Start, Time};
use crate::form::Node;
use crate::instances::Model;

/// Nodes whose values, and of which it matters whether they are known, in the next step.
#[derive(Clone, Default, Debug)]
pub(crate) struct Memory {
    pub(super) values: BTreeSet<(Side, Node)>,
    pub(super) known: BTreeSet<(Side, Node)>,
}

impl Memory {
    /// All that `ask` and the conditions of a step depend on, now or later.
    ///
    /// Two steps before which all of it is the same go on alike: what happens after the second
    /// can happen after the first. Nothing else of a state matters, be it ever so different.
    pub(crate) fn behind(
        model: &Arc<Model>,
        mutant: Option<&Arc<Model>>,
        ask: impl FnOnce(&mut Encoder),
    ) -> Memory {
        let mut encoder = Encoder::new(model, Start::Anywhere);
        mutant.into_iter().for_each(|mutant| encoder.set_mutant(mutant));
        ask(&mut encoder);
        encoder.step(FIRST);
        let mut found = Memory::default();
        loop {
            let now = encoder.memory.clone();
            let new: Vec<(Side, Node)> = now.values.difference(&found.values).copied().collect();
            let known: Vec<(Side, Node)> = now.known.difference(&found.known).copied().collect();
            if new.is_empty() && known.is_empty() {
                return found;
            }
            // What is remembered next depends on what is remembered now.
            for (side, node) in new {
                encoder.value(side, node, FIRST);
            }
            for (side, node) in known {
                encoder.known(side, node, FIRST);
            }
            found = now;
        }
    }
}

impl Encoder {
    /// That what is remembered differs before two steps.
    pub(crate) fn differs_before(&mut self, memory: &Memory, one: Time, other: Time) -> String {
        let mut all = Vec::new();
        for &(side, node) in &memory.values {
            let values = [one, other].map(|time| self.value(side, node, time - 1));
            all.push(format!("(distinct {} {})", values[0], values[1]));
        }
        for &(side, node) in &memory.known {
            let known = [one, other].map(|time| self.known(side, node, time - 1));
            all.push(format!("(distinct {} {})", known[0], known[1]));
        }
        format!("(or false {})", all.join(" "))
    }
}
