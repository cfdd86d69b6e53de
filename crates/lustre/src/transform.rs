//! Equivalent systems of another shape: everything in few equations, or one operator in
//! each. Criteria that look at equations see different things in each, behaviour is equal.

use provoke_analysis::{machine_types, schedule};
use provoke_base::{IndexVec, Span};
use provoke_model::{
    Assumption, BinaryOp, Equation, ExprId, ExprKind, MachineInt, Origin, Property, Range, Role,
    System, UnaryOp, Value, Var, VarId,
};
use rustc_hash::FxHashSet;

/// The system with every local variable replaced by its definition, except those that a
/// `pre` refers to. Definitions that are used several times are shared, not copied.
pub fn inline(system: &System) -> System {
    let keep = kept(system);
    let mut new = shell(system);
    new.vars = IndexVec::new();
    let mut numbers: IndexVec<VarId, Option<VarId>> = IndexVec::new();
    for (id, var) in system.vars.entries() {
        numbers.push(keep[id].then(|| new.vars.push(var.clone())));
    }
    let number = |var: &VarId| numbers[*var].expect("inputs and outputs are kept");
    new.inputs = system.inputs.iter().map(number).collect();
    new.outputs = system.outputs.iter().map(number).collect();
    let mut definitions: IndexVec<VarId, Option<ExprId>> =
        IndexVec::repeat(None, system.vars.len());
    let mut copier = Copier::new(system);
    for equation in &system.equations {
        let expr = copier.copy(&mut new, equation.expr, &mut |new, var, span| match numbers[var] {
            Some(kept) => new.add_expr(ExprKind::Var(kept), system.vars[var].ty, span),
            None => definitions[var].expect("definitions come before uses"),
        });
        match numbers[equation.var] {
            Some(var) => new.equations.push(Equation { var, expr }),
            None => definitions[equation.var] = Some(expr),
        }
    }
    copier.copy_promises(&mut new, &mut |new, var, span| match numbers[var] {
        Some(kept) => new.add_expr(ExprKind::Var(kept), system.vars[var].ty, span),
        None => definitions[var].expect("definitions come before uses"),
    });
    new
}

/// Inputs, outputs, and what a `pre` refers to.
fn kept(system: &System) -> IndexVec<VarId, bool> {
    let mut keep: IndexVec<VarId, bool> =
        system.vars.iter().map(|var| var.role != Role::Local).collect();
    let mut under_pre = IndexVec::repeat(false, system.exprs.len());
    // Operands have smaller ids, so going down meets each expression after its users.
    for id in system.exprs.ids().rev() {
        let expr = &system.exprs[id];
        let inside: bool = under_pre[id] || matches!(expr.kind, ExprKind::Pre(_));
        match expr.kind {
            ExprKind::Var(var) if inside => keep[var] = true,
            _ if inside => expr.kind.operands().for_each(|operand| under_pre[operand] = true),
            _ => {}
        }
    }
    keep
}

/// A system without variables' definitions.
fn shell(system: &System) -> System {
    System {
        name: system.name.clone(),
        numbers: system.numbers,
        enums: system.enums.clone(),
        instances: system.instances.clone(),
        vars: system.vars.clone(),
        inputs: system.inputs.clone(),
        outputs: system.outputs.clone(),
        ..System::default()
    }
}

/// Copies expressions from one system to another, variables replaced.
struct Copier<'a> {
    old: &'a System,
    done: IndexVec<ExprId, Option<ExprId>>,
}

type Replace<'r> = dyn FnMut(&mut System, VarId, Span) -> ExprId + 'r;

impl<'a> Copier<'a> {
    fn new(old: &'a System) -> Copier<'a> {
        Copier { old, done: IndexVec::repeat(None, old.exprs.len()) }
    }

    fn copy(&mut self, new: &mut System, id: ExprId, replace: &mut Replace<'_>) -> ExprId {
        if let Some(done) = self.done[id] {
            return done;
        }
        let expr = &self.old.exprs[id];
        let copied = match &expr.kind {
            ExprKind::Var(var) => replace(new, *var, expr.span),
            kind => stacker::maybe_grow(64 << 10, 1 << 20, || {
                let kind = kind.map(|operand| self.copy(new, operand, replace));
                new.add_expr(kind, expr.ty, expr.span)
            }),
        };
        self.done[id] = Some(copied);
        copied
    }

    fn copy_promises(&mut self, new: &mut System, replace: &mut Replace<'_>) {
        for Assumption { expr, span } in &self.old.assumptions {
            let expr = self.copy(new, *expr, replace);
            new.assumptions.push(Assumption { expr, span: *span });
        }
        for property in &self.old.properties {
            let expr = self.copy(new, property.expr, replace);
            new.properties.push(Property { expr, ..property.clone() });
        }
    }
}

/// The system with one operator in each equation; `pre` of a variable counts as a leaf.
///
/// An operand stays where it is when taking it out would change what is computed: a
/// division that a condition guards, or a `pre` that `->` guards.
pub fn split(system: &System) -> System {
    let mut splitter = Splitter {
        old: system,
        facts: facts(system),
        types: machine_types(system),
        names: system.vars.iter().map(|var| var.name.clone()).collect(),
        parts: IndexVec::repeat(0, system.vars.len()),
        new: shell(system),
    };
    for equation in &system.equations {
        let expr = splitter.operator(equation.expr, equation.var, false);
        splitter.new.equations.push(Equation { var: equation.var, expr });
    }
    let mut copier = Copier::new(system);
    copier.copy_promises(&mut splitter.new, &mut |new, var, span| {
        new.add_expr(ExprKind::Var(var), system.vars[var].ty, span)
    });
    let mut new = splitter.new;
    // What was taken out from under a `pre` may use variables that come later.
    new.equations = schedule::order(&new).expect("splitting makes no new cycles");
    new
}

/// What is inside an expression, in the same step.
#[derive(Clone, Copy, Default)]
struct Facts {
    may_fault: bool,
    /// A `pre` that no `->` inside guards.
    open_pre: bool,
}

fn facts(system: &System) -> IndexVec<ExprId, Facts> {
    let mut all: IndexVec<ExprId, Facts> = IndexVec::new();
    for expr in system.exprs.iter() {
        let mut facts = Facts::default();
        for operand in expr.kind.operands() {
            facts.may_fault |= all[operand].may_fault;
            facts.open_pre |= all[operand].open_pre;
        }
        match &expr.kind {
            ExprKind::Binary(op, _, divisor) if op.divides() => {
                facts.may_fault |= !is_nonzero_constant(&system.exprs[*divisor].kind);
            }
            // Squaring may outgrow the limit on numbers.
            ExprKind::Binary(BinaryOp::Mul, ..) => facts.may_fault = true,
            ExprKind::Pre(_) => facts.open_pre = true,
            ExprKind::Arrow(first, _) => facts.open_pre = all[*first].open_pre,
            _ => {}
        }
        all.push(facts);
    }
    all
}

fn is_nonzero_constant(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Const(Value::Int(value)) => !value.is_zero(),
        ExprKind::Const(Value::Real(value)) => !value.is_zero(),
        _ => false,
    }
}

struct Splitter<'a> {
    old: &'a System,
    facts: IndexVec<ExprId, Facts>,
    /// The machine's types of expressions.
    types: IndexVec<ExprId, Option<MachineInt>>,
    names: FxHashSet<String>,
    /// How many parts each variable's equation has given off.
    parts: IndexVec<VarId, usize>,
    new: System,
}

impl Splitter<'_> {
    /// Copies one operator; its operands become variables where they can. `optional` says
    /// that the expression is not computed in every step.
    fn operator(&mut self, id: ExprId, of: VarId, optional: bool) -> ExprId {
        let expr = &self.old.exprs[id];
        let (kind, ty, span) = (expr.kind.clone(), expr.ty, expr.span);
        let mut position = 0;
        let new = kind.map(|operand| {
            let skipped = match kind {
                ExprKind::If(..) => position > 0,
                ExprKind::Binary(op, ..) => op.is_logical() && position > 0,
                ExprKind::Arrow(..) => true,
                _ => false,
            };
            position += 1;
            let delayed = matches!(kind, ExprKind::Pre(_));
            let optional = (optional || skipped) && !delayed;
            match kind {
                // A machine's operation is one with the wrapping of its result.
                ExprKind::Unary(UnaryOp::Wrap(_), _) if !self.is_leaf(operand) => {
                    self.operator(operand, of, optional)
                }
                _ => self.operand(operand, of, optional),
            }
        });
        self.new.add_expr(new, ty, span)
    }

    fn operand(&mut self, id: ExprId, of: VarId, optional: bool) -> ExprId {
        stacker::maybe_grow(64 << 10, 1 << 20, || {
            let facts = self.facts[id];
            let stays = self.is_leaf(id) || facts.open_pre || (facts.may_fault && optional);
            let expr = self.operator(id, of, optional);
            if stays { expr } else { self.named(expr, self.types[id], of) }
        })
    }

    fn is_leaf(&self, id: ExprId) -> bool {
        match self.old.exprs[id].kind {
            ExprKind::Const(_) | ExprKind::Var(_) => true,
            ExprKind::Pre(operand) => matches!(self.old.exprs[operand].kind, ExprKind::Var(_)),
            _ => false,
        }
    }

    /// A new variable for `expr`, called after the variable it is part of.
    fn named(&mut self, expr: ExprId, machine: Option<MachineInt>, of: VarId) -> ExprId {
        let (ty, span) = (self.new.exprs[expr].ty, self.new.exprs[expr].span);
        let Var { name, instance, .. } = &self.old.vars[of];
        let fresh = loop {
            self.parts[of] += 1;
            let candidate = format!("{name}~part{}", self.parts[of]);
            if self.names.insert(candidate.clone()) {
                break candidate;
            }
        };
        let var = self.new.vars.push(Var {
            name: fresh,
            ty,
            range: machine.map(Range::from),
            machine,
            role: Role::Local,
            origin: Origin::Generated,
            instance: *instance,
            span,
        });
        self.new.equations.push(Equation { var, expr });
        self.new.add_expr(ExprKind::Var(var), ty, span)
    }
}
