//! The locations and edges of a process.

use provoke_base::Span;

use super::{Lowered, Lowerer, limit, too_large};
use crate::ast::{Binary, Expr as Tree, ExprKind, Quantifier};
use crate::network::{Branch, Condition, Edge, Location, Number, Process, Sync, Urgency};
use crate::template;
use crate::types::Entity;

impl Lowerer {
    pub(super) fn location(&mut self, tree: &template::Location) -> Lowered<Location> {
        let mut location = Location {
            name: tree.name.clone(),
            span: tree.span,
            urgency: match (tree.committed, tree.urgent) {
                (true, _) => Urgency::Committed,
                (_, true) => Urgency::Urgent,
                _ => Urgency::Normal,
            },
            invariant: Condition::truth(),
            rates: Vec::new(),
            exponential: None,
            at: tree.at,
            label: tree.label.clone(),
        };
        let mut parts = Vec::new();
        if let Some(invariant) = &tree.invariant {
            self.invariant(invariant, &mut parts, &mut location)?;
        }
        location.invariant = Condition::And(parts);
        if let Some((rate, divisor)) = &tree.rate {
            let mut number = self.number(rate)?;
            if let Some(divisor) = divisor {
                let sides = Box::new((number, self.number(divisor)?));
                number = Number::Binary(crate::network::IntOp::Div, sides);
            }
            location.exponential = Some(number);
        }
        Ok(location)
    }

    /// A part of an invariant: a condition, or the rate of a clock.
    fn invariant(
        &mut self,
        tree: &Tree,
        parts: &mut Vec<Condition>,
        location: &mut Location,
    ) -> Lowered<()> {
        match &tree.kind {
            ExprKind::Binary(Binary::And, a, b) => {
                self.invariant(a, parts, location)?;
                return self.invariant(b, parts, location);
            }
            ExprKind::Quantified(Quantifier::ForAll, name, ty, body) => {
                let (low, high) = self.range_of(ty)?;
                for value in low..=high {
                    self.scoped(|this| {
                        this.bind(name, Entity::Value(value))?;
                        this.invariant(body, parts, location)
                    })?;
                }
                return Ok(());
            }
            ExprKind::Binary(Binary::Eq, a, b) => {
                for (rate, value) in [(a, b), (b, a)] {
                    if let ExprKind::Rate(clock) = &rate.kind {
                        return self.rate(clock, value, location, tree.span);
                    }
                }
            }
            _ => {}
        }
        let condition = self.condition(tree)?;
        if nonconvex(&condition) {
            self.only_simulated(tree.span, "a choice between conditions on clocks in an invariant");
        }
        parts.push(condition);
        Ok(())
    }

    fn rate(
        &mut self,
        clock: &Tree,
        value: &Tree,
        location: &mut Location,
        span: Span,
    ) -> Lowered<()> {
        let clock = self.clock_ref(clock)?;
        let value = self.number(value)?;
        if value == Number::Value(1.0) {
            return Ok(());
        }
        if super::operand::reads_clock(&value) {
            let what = "a clock rate that depends on a clock".to_string();
            self.network.not_followed.push((span, what));
        }
        self.only_simulated(span, "a clock rate other than 1");
        location.rates.push((clock, value));
        Ok(())
    }

    /// Makes an edge for each selection.
    pub(super) fn selected(
        &mut self,
        edge: &template::Edge,
        at: usize,
        chosen: &mut Vec<(String, i64)>,
        process: &mut Process,
    ) -> Lowered<()> {
        let Some((name, ty)) = edge.select.get(at) else {
            return self.edge(edge, chosen, process);
        };
        let (low, high) = self.range_of(ty)?;
        for value in low..=high {
            self.count(name.span)?;
            chosen.push((name.text.clone(), value));
            let result = self.scoped(|this| {
                this.bind(name, Entity::Value(value))?;
                this.selected(edge, at + 1, chosen, process)
            });
            chosen.pop();
            result?;
        }
        Ok(())
    }

    fn edge(
        &mut self,
        tree: &template::Edge,
        chosen: &[(String, i64)],
        process: &mut Process,
    ) -> Lowered<()> {
        let guard = match &tree.guard {
            Some(guard) => self.condition(guard)?,
            None => Condition::truth(),
        };
        if guard.is_never() && !chosen.is_empty() {
            return Ok(());
        }
        let sync = match &tree.sync {
            Some(sync) => {
                let (first, index) = self.channel(&sync.channel)?;
                Some(Sync { first, index, sends: sync.sends })
            }
            None => None,
        };
        let mut update = Vec::new();
        for part in &tree.update {
            self.effect(part, &mut update)?;
        }
        let mut branches = Vec::new();
        for branch in &tree.branches {
            let weight = match &branch.weight {
                Some(weight) => self.number(weight)?,
                None => Number::Value(1.0),
            };
            let mut update = update.clone();
            for part in &branch.update {
                self.effect(part, &mut update)?;
            }
            let (target, label) = (branch.target, branch.label.clone());
            branches.push(Branch { weight, update, target, label });
        }
        self.edges += 1;
        if self.edges > limit::EDGES {
            let message = format!("the selections make more than {} edges", limit::EDGES);
            return Err(too_large(tree.span, message));
        }
        process.leaving[tree.source].push(process.edges.len());
        let (span, source, label) = (tree.span, tree.source, tree.label.clone());
        let selected = chosen.to_vec();
        process.edges.push(Edge { span, label, source, selected, guard, sync, branches });
        Ok(())
    }
}

/// Whether more than one alternative speaks of clocks.
fn nonconvex(condition: &Condition) -> bool {
    match condition {
        Condition::And(parts) => parts.iter().any(nonconvex),
        Condition::Or(parts) => {
            let clocks = parts.iter().filter(|part| !matches!(part, Condition::Int(_)));
            clocks.count() > 1 || parts.iter().any(nonconvex)
        }
        _ => false,
    }
}
