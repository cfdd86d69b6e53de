//! Tags and changed runs by definition: trees are walked, tags are sets, every change is a
//! run of its own. Written from the rules, not from the code it checks, and slow.
#![allow(dead_code, unreachable_pub)]

use std::collections::{BTreeMap, BTreeSet};

use provoke_base::IndexVec;
use provoke_criteria::{ExactChange, Host, Masking, Obligation};
use provoke_model::{BinaryOp, ExprId, ExprKind, System, Type, UnaryOp, Value, VarId};

type Tags = BTreeSet<usize>;

/// An expression that is held at a value, at one step or always.
#[derive(Clone, Copy)]
pub struct Change {
    pub expr: ExprId,
    pub value: bool,
    pub step: Option<usize>,
}

/// A run of a system, evaluated by recursion over its trees.
pub struct Run<'a> {
    system: &'a System,
    change: Option<Change>,
    step: usize,
    memory: IndexVec<ExprId, Value>,
    values: IndexVec<VarId, Value>,
}

impl<'a> Run<'a> {
    pub fn new(system: &'a System, change: Option<Change>) -> Run<'a> {
        let memory = IndexVec::repeat(Value::Unknown, system.exprs.len());
        let values = IndexVec::repeat(Value::Unknown, system.vars.len());
        Run { system, change, step: 0, memory, values }
    }

    pub fn value(&self, expr: ExprId) -> Value {
        if let Some(change) = self.change
            && change.expr == expr
            && change.step.is_none_or(|step| step == self.step)
        {
            return Value::Bool(change.value);
        }
        match &self.system.exprs[expr].kind {
            ExprKind::Const(value) => value.clone(),
            ExprKind::Var(var) => self.values[*var].clone(),
            ExprKind::Unary(op, a) => op.apply(&self.value(*a)),
            ExprKind::Binary(op, a, b) => op.apply(&self.value(*a), &self.value(*b)).unwrap(),
            ExprKind::If(c, t, e) => match self.value(*c) {
                Value::Bool(true) => self.value(*t),
                Value::Bool(false) => self.value(*e),
                _ if self.value(*t) == self.value(*e) => self.value(*t),
                _ => Value::Unknown,
            },
            ExprKind::Arrow(first, later) => {
                self.value(if self.step == 1 { *first } else { *later })
            }
            ExprKind::Pre(_) => self.memory[expr].clone(),
        }
    }

    pub fn var(&self, var: VarId) -> Value {
        self.values[var].clone()
    }

    /// Computes a step; the memory still is that of the step before.
    pub fn compute(&mut self, inputs: &[Value]) {
        self.step += 1;
        for (&var, value) in self.system.inputs.iter().zip(inputs) {
            self.values[var] = value.clone();
        }
        for equation in &self.system.equations {
            self.values[equation.var] = self.value(equation.expr);
        }
    }

    pub fn remember(&mut self) {
        let operand = |expr| match self.system.exprs[expr].kind {
            ExprKind::Pre(operand) => self.value(operand),
            _ => Value::Unknown,
        };
        self.memory = self.system.exprs.ids().map(operand).collect();
    }
}

/// Whether the operand at a position can change the result, by the table of the rules.
fn unmasked(run: &Run<'_>, masking: Masking, kind: &ExprKind, position: usize) -> bool {
    let truth = |expr: &ExprId| run.value(*expr).as_bool();
    match (kind, position) {
        (ExprKind::Binary(BinaryOp::And, a, b), 0) => {
            truth(b) == Some(true) || masking == Masking::ShortCircuit && truth(a) == Some(false)
        }
        (ExprKind::Binary(BinaryOp::And, a, _), _) => truth(a) == Some(true),
        (ExprKind::Binary(BinaryOp::Or, a, b), 0) => {
            truth(b) == Some(false) || masking == Masking::ShortCircuit && truth(a) == Some(true)
        }
        (ExprKind::Binary(BinaryOp::Or, a, _), _) => truth(a) == Some(false),
        (ExprKind::Binary(BinaryOp::Implies, a, b), 0) => {
            truth(b) == Some(false) || masking == Masking::ShortCircuit && truth(a) == Some(false)
        }
        (ExprKind::Binary(BinaryOp::Implies, a, _), _) => truth(a) == Some(true),
        (ExprKind::If(_, t, e), 0) => {
            let (t, e) = (run.value(*t), run.value(*e));
            masking == Masking::Original || t.is_known() && e.is_known() && t != e
        }
        (ExprKind::If(c, ..), 1) => truth(c) == Some(true),
        (ExprKind::If(c, ..), _) => truth(c) == Some(false),
        (ExprKind::Arrow(..), 0) => run.step == 1,
        (ExprKind::Arrow(..), _) => run.step > 1,
        _ => true,
    }
}

fn is_connective(system: &System, kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Unary(UnaryOp::Not, _) => true,
        ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, _) => system.exprs[*a].ty == Type::Bool,
        ExprKind::Binary(op, ..) => op.is_logical(),
        _ => false,
    }
}

/// Whether an occurrence is unmasked up to the top of its decision; one that several
/// expressions share, in one of its decisions.
fn decides(run: &Run<'_>, masking: Masking, expr: ExprId) -> bool {
    let is_root = run.system.equations.iter().any(|equation| equation.expr == expr);
    is_root
        || run.system.exprs.entries().any(|(parent, inside)| {
            let inner = is_connective(run.system, &inside.kind);
            inside.kind.operands().enumerate().any(|(position, operand)| {
                operand == expr
                    && (!inner
                        || unmasked(run, masking, &inside.kind, position)
                            && decides(run, masking, parent))
            })
        })
}

fn base_holds(run: &Run<'_>, masking: Masking, obligation: &Obligation) -> bool {
    run.value(obligation.expr) == Value::Bool(obligation.outcome)
        && (obligation.criterion.host != Host::Mcdc || decides(run, masking, obligation.expr))
}

/// Tag sets of a run.
struct Tagging<'a> {
    masking: Masking,
    /// Tags that start at an expression or a variable in this step.
    at_expr: BTreeMap<ExprId, Tags>,
    at_var: BTreeMap<VarId, Tags>,
    vars: BTreeMap<VarId, Tags>,
    memory: BTreeMap<ExprId, Tags>,
    system: &'a System,
}

impl Tagging<'_> {
    fn tags(&self, run: &Run<'_>, expr: ExprId) -> Tags {
        let mut tags = self.at_expr.get(&expr).cloned().unwrap_or_default();
        let kind = &self.system.exprs[expr].kind;
        match kind {
            ExprKind::Var(var) => tags.extend(self.vars.get(var).into_iter().flatten()),
            ExprKind::Pre(_) => tags.extend(self.memory.get(&expr).into_iter().flatten()),
            _ => {
                for (position, operand) in kind.operands().enumerate() {
                    if unmasked(run, self.masking, kind, position) {
                        tags.extend(self.tags(run, operand));
                    }
                }
            }
        }
        tags
    }

    fn step(&mut self, run: &Run<'_>, obligations: &[Obligation]) {
        self.at_expr.clear();
        self.at_var.clear();
        for (tag, obligation) in obligations.iter().enumerate() {
            if !base_holds(run, self.masking, obligation) {
                continue;
            }
            match obligation.criterion.host {
                Host::Condition => self.at_var.entry(obligation.variable).or_default().insert(tag),
                _ => self.at_expr.entry(obligation.expr).or_default().insert(tag),
            };
        }
        for equation in &self.system.equations {
            let mut tags = self.tags(run, equation.expr);
            tags.extend(self.at_var.get(&equation.var).into_iter().flatten());
            self.vars.insert(equation.var, tags);
        }
    }

    fn remember(&mut self, run: &Run<'_>) {
        let delay = |expr| match self.system.exprs[expr].kind {
            ExprKind::Pre(operand) => Some((expr, self.tags(run, operand))),
            _ => None,
        };
        self.memory = self.system.exprs.ids().filter_map(delay).collect();
    }
}

/// For each obligation the step at which its tag is first visible.
pub fn visible_by_tags(
    system: &System,
    obligations: &[Obligation],
    masking: Masking,
    monitored: &[VarId],
    test: &[Vec<Value>],
) -> Vec<Option<usize>> {
    let mut run = Run::new(system, None);
    let mut tagging = Tagging {
        masking,
        at_expr: BTreeMap::new(),
        at_var: BTreeMap::new(),
        vars: BTreeMap::new(),
        memory: BTreeMap::new(),
        system,
    };
    let mut visible = vec![None; obligations.len()];
    for inputs in test {
        run.compute(inputs);
        tagging.step(&run, obligations);
        for tag in monitored.iter().flat_map(|var| &tagging.vars[var]) {
            visible[*tag].get_or_insert(run.step);
        }
        tagging.remember(&run);
        run.remember();
    }
    visible
}

/// For each obligation the step at which a change of its value is first visible.
pub fn visible_by_change(
    system: &System,
    obligations: &[Obligation],
    exact: ExactChange,
    masking: Masking,
    monitored: &[VarId],
    test: &[Vec<Value>],
) -> Vec<Option<usize>> {
    let mut visible = vec![None; obligations.len()];
    let mut original = Run::new(system, None);
    for inputs in test {
        original.compute(inputs);
        for (obligation, visible) in obligations.iter().zip(&mut visible) {
            // A later change is not seen earlier.
            let open = visible.is_none_or(|seen| seen > original.step);
            if open && base_holds(&original, masking, obligation) {
                let step = (exact == ExactChange::Step).then_some(original.step);
                let change = Change { expr: obligation.expr, value: !obligation.outcome, step };
                let seen = first_difference(system, change, monitored, test, original.step);
                *visible = [*visible, seen].into_iter().flatten().min();
            }
        }
        original.remember();
    }
    visible
}

/// The first difference from the step at which the base holds.
fn first_difference(
    system: &System,
    change: Change,
    monitored: &[VarId],
    test: &[Vec<Value>],
    from: usize,
) -> Option<usize> {
    let mut original = Run::new(system, None);
    let mut changed = Run::new(system, Some(change));
    for inputs in test {
        original.compute(inputs);
        changed.compute(inputs);
        let differs = |var: &VarId| {
            let (a, b) = (original.var(*var), changed.var(*var));
            a.is_known() && b.is_known() && a != b
        };
        if original.step >= from && monitored.iter().any(differs) {
            return Some(original.step);
        }
        original.remember();
        changed.remember();
    }
    None
}
