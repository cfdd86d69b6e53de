//! The exact question: a system next to its changed twin.
//!
//! Both run on the same inputs; the twin differs in one flipped occurrence and in what depends
//! on it, and shares all the rest. That is again a system, so it needs no encoding of its own,
//! and no test is asked for anything but the model's inputs: the one input that is added, the
//! moment at which the base of the obligation holds, is chosen by the solver and dropped.

use provoke_base::{IndexVec, Span};
use provoke_criteria::{ExactChange, Obligation};
use provoke_model::{
    BinaryOp, Equation, Expr, ExprId, ExprKind, InstanceId, Origin, Role, System, Type, UnaryOp,
    Value, Var, VarId,
};

use crate::generate::StrategyOptions;
use crate::read_sites::ReadSites;

/// A system with its twin. The expressions and variables of the original keep their ids.
pub(crate) struct Twin {
    pub(crate) system: System,
    /// An input that may be true only where the base of the obligation holds.
    pub(crate) hit: VarId,
    /// Whether a monitored variable differs, after a hit.
    pub(crate) differs: ExprId,
    /// What the twin computes in every step in place of the original.
    pub(crate) computed: Vec<ExprId>,
}

impl Twin {
    /// The twin for an obligation if it is to be decided exactly.
    pub(crate) fn wanted(
        system: &System,
        obligation: &Obligation,
        options: &StrategyOptions,
    ) -> Option<Twin> {
        let exact = options.exact.filter(|_| obligation.criterion.observable)?;
        Some(Twin::new(system, obligation, exact, &options.oracle.monitored(system)))
    }

    /// The twin in which what `obligation` is about is flipped.
    pub(crate) fn new(
        system: &System,
        obligation: &Obligation,
        exact: ExactChange,
        monitored: &[VarId],
    ) -> Twin {
        let origin = obligation.expr;
        let cone =
            ReadSites::new(system).cone(origin, &IndexVec::repeat(false, system.exprs.len()));
        let mut maker = Maker::new(system.clone(), cone);
        let hit = maker.input("twin:hit");
        let (before, by_now) = maker.ever(hit);
        let (changed_before, flip) = match exact {
            ExactChange::Step => (Some(before), maker.first_time(hit, before)),
            ExactChange::Stuck => (None, maker.truth(true)),
        };
        maker.add_twins(Change { origin, flip, to: !obligation.outcome, changed_before });
        let differs = maker.differs(monitored);
        let differs = maker.both(by_now, differs);
        let computed = maker.computed(system);
        Twin { system: maker.system, hit, differs, computed }
    }
}

/// How the twin differs.
#[derive(Clone, Copy)]
struct Change {
    origin: ExprId,
    /// When the origin is flipped.
    flip: ExprId,
    to: bool,
    /// Whether there was a flip in an earlier step; until then the twin remembers what the
    /// original does. `None` if there is no such time.
    changed_before: Option<ExprId>,
}

struct Maker {
    system: System,
    /// What the change can come to.
    cone: IndexVec<ExprId, bool>,
    /// What is defined there.
    equations: Vec<Equation>,
    /// The expressions of the twin, in place of those of the original.
    twins: IndexVec<ExprId, ExprId>,
    twin_vars: IndexVec<VarId, VarId>,
}

impl Maker {
    fn new(system: System, cone: IndexVec<ExprId, bool>) -> Maker {
        let (twins, twin_vars) = (system.exprs.ids().collect(), system.vars.ids().collect());
        let mut equations = system.equations.clone();
        equations.retain(|equation| cone[equation.expr]);
        Maker { system, cone, equations, twins, twin_vars }
    }

    /// Copies what is in the cone. Operands come before what they are part of, and what is
    /// used before it is defined is used through a variable.
    fn add_twins(&mut self, change: Change) {
        let equations = std::mem::take(&mut self.equations);
        for equation in &equations {
            let Var { name, ty, .. } = &self.system.vars[equation.var];
            let (name, ty) = (format!("twin:{name}"), *ty);
            self.twin_vars[equation.var] = self.var(name, ty, Role::Local);
        }
        let originals: Vec<ExprId> = self.cone.ids().filter(|id| self.cone[*id]).collect();
        for id in originals {
            self.twins[id] = self.twin(id, change);
        }
        let defined =
            |e: &Equation| Equation { var: self.twin_vars[e.var], expr: self.twins[e.expr] };
        let defined: Vec<Equation> = equations.iter().map(defined).collect();
        self.system.equations.extend(defined);
    }

    fn twin(&mut self, id: ExprId, change: Change) -> ExprId {
        let copy = self.copy(id, change.changed_before);
        if id != change.origin {
            return copy;
        }
        let to = self.truth(change.to);
        self.add(ExprKind::If(change.flip, to, copy), Type::Bool)
    }

    /// The expression over the values of the twin; itself if it has none of them.
    fn copy(&mut self, id: ExprId, changed_before: Option<ExprId>) -> ExprId {
        let Expr { kind, ty, .. } = &self.system.exprs[id];
        let ty = *ty;
        let copied = match kind {
            ExprKind::Var(var) => ExprKind::Var(self.twin_vars[*var]),
            _ => kind.map(|operand| self.twins[operand]),
        };
        if copied == *kind {
            return id;
        }
        let is_pre = matches!(copied, ExprKind::Pre(_));
        let copy = self.add(copied, ty);
        match changed_before {
            Some(changed) if is_pre => self.add(ExprKind::If(changed, copy, id), ty),
            // What an unguarded `pre` is worth in the first step is the same in both.
            None if is_pre => self.add(ExprKind::Arrow(id, copy), ty),
            _ => copy,
        }
    }

    /// What the twin computes in every step in place of what the original does: definitions,
    /// assertions, and what is remembered.
    fn computed(&self, original: &System) -> Vec<ExprId> {
        let remembered = original.exprs.iter().filter_map(|expr| match expr.kind {
            ExprKind::Pre(operand) => Some(operand),
            _ => None,
        });
        let named = original.equations.iter().map(|equation| equation.expr);
        let asserted = original.assumptions.iter().map(|assumption| assumption.expr);
        let changed = |expr: &ExprId| self.twins[*expr] != *expr;
        let all = named.chain(asserted).chain(remembered).filter(changed);
        all.map(|expr| self.twins[expr]).collect()
    }

    /// Whether one of the variables differs from its twin.
    fn differs(&mut self, monitored: &[VarId]) -> ExprId {
        let mut any = self.truth(false);
        for &var in monitored {
            let twin = self.twin_vars[var];
            if twin == var {
                continue;
            }
            let (original, twin) = (self.use_of(var), self.use_of(twin));
            let differs = self.add(ExprKind::Binary(BinaryOp::Ne, original, twin), Type::Bool);
            any = self.add(ExprKind::Binary(BinaryOp::Or, any, differs), Type::Bool);
        }
        any
    }

    /// Whether an input was true in an earlier step, and whether it was or is.
    fn ever(&mut self, input: VarId) -> (ExprId, ExprId) {
        let ever = self.var("twin:ever".to_string(), Type::Bool, Role::Local);
        let (by_now, no) = (self.use_of(ever), self.truth(false));
        let pre = self.add(ExprKind::Pre(by_now), Type::Bool);
        let before = self.add(ExprKind::Arrow(no, pre), Type::Bool);
        let now = self.use_of(input);
        let expr = self.add(ExprKind::Binary(BinaryOp::Or, before, now), Type::Bool);
        self.system.equations.push(Equation { var: ever, expr });
        (before, by_now)
    }

    fn first_time(&mut self, input: VarId, before: ExprId) -> ExprId {
        let not_before = self.add(ExprKind::Unary(UnaryOp::Not, before), Type::Bool);
        let now = self.use_of(input);
        self.both(now, not_before)
    }

    fn both(&mut self, one: ExprId, other: ExprId) -> ExprId {
        self.add(ExprKind::Binary(BinaryOp::And, one, other), Type::Bool)
    }

    fn truth(&mut self, value: bool) -> ExprId {
        self.add(ExprKind::Const(Value::Bool(value)), Type::Bool)
    }

    fn use_of(&mut self, var: VarId) -> ExprId {
        self.add(ExprKind::Var(var), self.system.vars[var].ty)
    }

    fn add(&mut self, kind: ExprKind, ty: Type) -> ExprId {
        self.system.add_expr(kind, ty, Span::default())
    }

    fn input(&mut self, name: &str) -> VarId {
        let input = self.var(name.to_string(), Type::Bool, Role::Input);
        self.system.inputs.push(input);
        input
    }

    /// A new variable; no name of a model has a colon.
    fn var(&mut self, name: String, ty: Type, role: Role) -> VarId {
        let instance: InstanceId = provoke_base::index::Id::new(0);
        let (origin, span) = (Origin::Generated, Span::default());
        self.system.vars.push(Var { name, ty, range: None, role, origin, instance, span })
    }
}
