//! Variables that nobody defines: what is not known of imported nodes, `any`, and constants without a
//! value.

use provoke_analysis::schedule::instant_uses;
use provoke_base::Span;
use provoke_base::index::Id;
use provoke_model::{
    Assumption, BinaryOp, Equation, ExprId, ExprKind, FunctionUse, InstanceId, Origin, Role, Type,
    UnknownFunction, Value, Var, VarId,
};

use super::{Flat, Flattener, Frame, FunctionCall, Kind};
use crate::ast;
use crate::types::Leaf;

impl Flattener<'_> {
    /// A new variable that may have any value of its type in every step.
    fn chosen(&mut self, instance: InstanceId, name: &str, leaf: &Leaf, span: Span) -> VarId {
        let path = &self.system.instances[instance].path;
        let full = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        let name = self.fresh_name(full);
        let (role, origin) = (Role::Choice, Origin::Generated);
        let (ty, range, machine) = (leaf.ty, leaf.range.clone(), leaf.machine);
        let var =
            self.system.vars.push(Var { name, ty, range, machine, role, origin, instance, span });
        self.choices.push(var);
        var
    }

    /// Lets the free variables of an instance be chosen, anew in each of its steps.
    pub(super) fn free_variables(&mut self, frame: &mut Frame) -> Flat<()> {
        let node = &self.checked.program.nodes[frame.node];
        for free in &node.free {
            let info = &self.checked.nodes[frame.node];
            let Some(position) = info.vars.iter().position(|var| *var.name == *free.text) else {
                continue;
            };
            let leaves = self.checked.types.leaves(info.vars[position].ty);
            for (at, leaf) in leaves.iter().enumerate() {
                let name = format!("{}{}.choice", free.text, leaf.suffix);
                let chosen = self.chosen(frame.instance, &name, leaf, free.span);
                let expr = self.var(chosen, free.span)?;
                self.define(frame.clock, frame.vars[position][at], expr)?;
            }
        }
        Ok(())
    }

    /// A value that is chosen waits for all that its condition reads: the choice must be possible
    /// whatever that is. Variables and equations from `(known, first)` on belong to the condition alone,
    /// and may read the value itself.
    pub(super) fn order_choice(
        &mut self,
        frame: &Frame,
        condition: ast::ExprId,
        flat: ExprId,
        (known, first): (usize, usize),
    ) {
        let chosen = self.chosen_by(frame, condition);
        if chosen.is_empty() {
            return;
        }
        let own = self.system.equations[first..].iter().map(|equation| equation.expr);
        let mut reads: Vec<VarId> = own
            .chain([flat])
            .flat_map(|root| instant_uses(&self.system, root))
            .map(|(var, _)| var)
            .filter(|var| var.index() < known && !chosen.contains(var))
            .collect();
        reads.sort_unstable();
        reads.dedup();
        self.unknown_bodies.push((reads, chosen));
    }

    /// The scalars of the innermost `any` around a condition; in a contract that is used several times
    /// there are several.
    fn chosen_by(&self, frame: &Frame, condition: ast::ExprId) -> Vec<VarId> {
        let span = self.checked.program.exprs[condition].span;
        let node = &self.checked.program.nodes[frame.node];
        let around = |free: &&ast::Name| free.span.start <= span.start && span.end <= free.span.end;
        let length = |free: &ast::Name| free.span.end - free.span.start;
        let Some(innermost) = node.free.iter().filter(around).map(length).min() else {
            return Vec::new();
        };
        let vars = &self.checked.nodes[frame.node].vars;
        let free = node.free.iter().filter(around).filter(|free| length(free) == innermost);
        free.filter_map(|free| vars.iter().position(|var| *var.name == *free.text))
            .flat_map(|position| frame.vars[position].iter().copied())
            .collect()
    }

    /// The scalars of a constant without a value: chosen once, the same in all steps and instances.
    pub(super) fn free_constant(&mut self, id: ast::ExprId, index: usize) -> Flat<Vec<VarId>> {
        if let Some(scalars) = self.constants.get(&index) {
            return Ok(scalars.clone());
        }
        let constant = &self.checked.program.constants[index];
        let (name, span) = (constant.name.text.to_string(), constant.name.span);
        let main = self.system.instances.ids().next().expect("the main node's instance");
        let mut scalars = Vec::new();
        for leaf in self.checked.types.leaves(self.checked.expr_types[id]) {
            let var = self.chosen(main, &format!("{name}{}", leaf.suffix), &leaf, span);
            // true -> it = pre it
            let (now, before) = (self.var(var, span)?, self.var(var, span)?);
            let before = self.add(ExprKind::Pre(before), leaf.ty, span)?;
            let same = self.add(ExprKind::Binary(BinaryOp::Eq, now, before), Type::Bool, span)?;
            let first = self.add(ExprKind::Const(Value::Bool(true)), Type::Bool, span)?;
            let expr = self.add(ExprKind::Arrow(first, same), Type::Bool, span)?;
            self.system.assumptions.push(Assumption { expr, span });
            scalars.push(var);
        }
        self.constants.insert(index, scalars.clone());
        Ok(scalars)
    }

    /// A `pre` that nothing guards has a new value when its instance starts anew.
    pub(super) fn anew(&mut self, frame: &mut Frame, delay: ExprId) -> Flat<ExprId> {
        let Some(clock) = frame.clock.filter(|clock| clock.reset.is_some()) else {
            return Ok(delay);
        };
        if frame.guarded {
            return Ok(delay);
        }
        let (ty, span) = (self.system.exprs[delay].ty, self.system.exprs[delay].span);
        let leaf = Leaf { suffix: String::new(), ty, range: None, machine: None };
        let chosen = self.chosen(frame.instance, "pre.choice", &leaf, span);
        let (first, chosen) = (self.var(clock.first, span)?, self.var(chosen, span)?);
        self.add(ExprKind::If(first, chosen, delay), ty, span)
    }

    /// Calls of one function with equal arguments have equal results: within a step as an assumption;
    /// over several steps whoever shows a run sees to it.
    pub(super) fn agree(&mut self) -> Flat<()> {
        let calls = std::mem::take(&mut self.functions);
        for (position, call) in calls.iter().enumerate() {
            for other in calls[..position].iter().filter(|other| other.node == call.node) {
                self.agree_in_step(other, call)?;
            }
        }
        for call in calls {
            let FunctionCall { node, active, inputs, outputs } = call;
            let name = &self.checked.program.nodes[node].name.text;
            let known = self.system.functions.iter().position(|one| *one.name == **name);
            let at = known.unwrap_or(self.system.functions.len());
            if known.is_none() {
                let function = UnknownFunction { name: name.to_string(), uses: Vec::new() };
                self.system.functions.push(function);
            }
            self.system.functions[at].uses.push(FunctionUse { active, inputs, outputs });
        }
        Ok(())
    }

    /// Equal arguments imply equal results, while both are active.
    fn agree_in_step(&mut self, a: &FunctionCall, b: &FunctionCall) -> Flat<()> {
        let span = self.checked.program.nodes[a.node].name.span;
        let mut premise = self.all_equal(&a.inputs, &b.inputs, span)?;
        for active in [a.active, b.active].into_iter().flatten() {
            let active = self.var(active, span)?;
            premise =
                self.add(ExprKind::Binary(BinaryOp::And, active, premise), Type::Bool, span)?;
        }
        let same = self.all_equal(&a.outputs, &b.outputs, span)?;
        let expr =
            self.add(ExprKind::Binary(BinaryOp::Implies, premise, same), Type::Bool, span)?;
        self.system.assumptions.push(Assumption { expr, span });
        Ok(())
    }

    fn all_equal(&mut self, a: &[VarId], b: &[VarId], span: Span) -> Flat<ExprId> {
        let mut result = self.add(ExprKind::Const(Value::Bool(true)), Type::Bool, span)?;
        for (a, b) in a.iter().zip(b) {
            let (a, b) = (self.var(*a, span)?, self.var(*b, span)?);
            let same = self.add(ExprKind::Binary(BinaryOp::Eq, a, b), Type::Bool, span)?;
            result = self.add(ExprKind::Binary(BinaryOp::And, result, same), Type::Bool, span)?;
        }
        Ok(result)
    }

    /// Whoever decides a property looks at some variable.
    pub(super) fn some_variable(&mut self, instance: InstanceId, span: Span) -> Flat<()> {
        if self.system.vars.is_empty() && !self.system.properties.is_empty() {
            let var = self.generate(instance, "always", Kind::BOOL, span);
            let expr = self.add(ExprKind::Const(Value::Bool(true)), Type::Bool, span)?;
            self.equation(var, expr);
        }
        Ok(())
    }

    /// A generated variable with its equation.
    pub(super) fn equation(&mut self, var: VarId, expr: ExprId) {
        self.system.equations.push(Equation { var, expr });
    }
}
