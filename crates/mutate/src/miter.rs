//! A system beside its mutant, as one system.
//!
//! Both have the same inputs; the mutant shares whatever the fault cannot come to. So no
//! engine needs to know about mutants: it is asked whether the two can ever differ.

use provoke_analysis::schedule;
use provoke_base::{IndexVec, Span};
use provoke_model::{
    BinaryOp, Equation, Expr, ExprId, ExprKind, Origin, Role, System, Type, Value, Var, VarId,
};
use provoke_solve::certificate::CertificateNames;
use provoke_solve::engine::about;
use provoke_solve::{Encoder, Reading, Terms, Transition};

use crate::mutant::{Mutant, changed};

/// What takes the place of the copy of an expression, in the system that holds both.
pub(crate) type EditFn<'e> = dyn FnMut(&mut System, ExprId, ExprId) -> ExprId + 'e;

/// A system with its mutant. The expressions and variables of the original keep their ids.
pub struct Miter {
    pub(crate) system: System,
    /// How many expressions the original has.
    pub(crate) originals: usize,
    /// Whether a monitored variable differs.
    pub(crate) differs: ExprId,
    /// What the mutant computes in every step in place of the original: where that divides by
    /// zero, it is not alike either.
    pub(crate) computed: Vec<ExprId>,
    /// Each `pre` that the fault can come to, with the mutant's.
    pub(crate) memories: Vec<(ExprId, ExprId)>,
    /// What stands in the copy in place of a condition that may be wrong, and the wrong value.
    pub(crate) fault: Option<(ExprId, bool)>,
}

impl Miter {
    pub(crate) fn new(system: &System, mutant: &Mutant, monitored: &[VarId]) -> Miter {
        let sites: Vec<ExprId> = mutant.sites.iter().map(|site| site.expr).collect();
        let edit = &mut |system: &mut System, original: ExprId, copy: ExprId| {
            let site = mutant.sites.iter().find(|site| site.expr == original);
            site.map_or(copy, |site| changed(system, copy, &site.change))
        };
        Miter::with_edit(system, &sites, edit, monitored)
    }

    /// A system beside a copy in which some expressions are others.
    pub(crate) fn with_edit(
        system: &System,
        sites: &[ExprId],
        edit: &mut EditFn<'_>,
        monitored: &[VarId],
    ) -> Miter {
        let originals = system.exprs.len();
        let mut maker = Maker::new(system, sites);
        maker.add_twins(sites, edit);
        let differs = maker.differs(monitored);
        let computed = maker.computed(system);
        let Maker { mut system, memories, .. } = maker;
        system.equations = schedule::order(&system).expect("mutants close no cycle");
        Miter { system, originals, differs, computed, memories, fault: None }
    }

    /// The question whether the two ever differ or the copy divides by zero, for some values of what is
    /// undefined; read as [`Reading::Known`], whether they differ for certain.
    pub(crate) fn question(
        &self,
        terms: &mut Terms,
        reading: Reading,
    ) -> (Encoder<'_>, Transition) {
        let mut encoder = Encoder::new(&self.system, terms).with_originals(self.originals);
        let differs = encoder.value(terms, self.differs);
        let faults = encoder.any_faults(terms, &self.computed, Reading::Possible);
        let goal = match reading {
            Reading::Possible => terms.any(&[differs, faults]),
            Reading::Known => {
                let known = encoder.known(terms, self.differs, Reading::Known);
                let works = terms.not(faults);
                terms.all(&[differs, known, works])
            }
        };
        let question = about(&mut encoder, terms, goal);
        (encoder, question)
    }

    /// What memories are called in certificates.
    pub(crate) fn names(&self) -> CertificateNames<'_> {
        CertificateNames::of_product(&self.system, &self.memories).with_constant(self.fault)
    }
}

struct Maker {
    system: System,
    /// What the fault can come to.
    cone: IndexVec<ExprId, bool>,
    twins: IndexVec<ExprId, ExprId>,
    twin_vars: IndexVec<VarId, VarId>,
    memories: Vec<(ExprId, ExprId)>,
}

impl Maker {
    fn new(system: &System, sites: &[ExprId]) -> Maker {
        let (twins, twin_vars) = (system.exprs.ids().collect(), system.vars.ids().collect());
        let (system, cone) = (system.clone(), cone(system, sites));
        Maker { system, cone, twins, twin_vars, memories: Vec::new() }
    }

    fn add_twins(&mut self, sites: &[ExprId], edit: &mut EditFn<'_>) {
        let mut equations = self.system.equations.clone();
        equations.retain(|equation| self.cone[equation.expr]);
        for equation in &equations {
            let Var { name, ty, machine, instance, .. } = self.system.vars[equation.var].clone();
            let name = format!("mutant:{name}");
            let (role, origin, span) = (Role::Local, Origin::Generated, Span::default());
            let twin = Var { name, ty, range: None, machine, role, origin, instance, span };
            self.twin_vars[equation.var] = self.system.vars.push(twin);
        }
        let originals: Vec<ExprId> = self.cone.ids().filter(|id| self.cone[*id]).collect();
        for id in originals {
            let copy = self.copy(id);
            self.twins[id] = match sites.contains(&id) {
                false => copy,
                true => {
                    let twin = edit(&mut self.system, id, copy);
                    self.over_twins(twin)
                }
            };
        }
        for Equation { var, expr } in equations {
            let twin = Equation { var: self.twin_vars[var], expr: self.twins[expr] };
            self.system.equations.push(twin);
        }
    }

    /// The expression over the values of the mutant; itself if it has none of them.
    fn copy(&mut self, id: ExprId) -> ExprId {
        let Expr { kind, ty, .. } = self.system.exprs[id].clone();
        let copied = match &kind {
            ExprKind::Var(var) => ExprKind::Var(self.twin_vars[*var]),
            _ => kind.map(|operand| self.twins[operand]),
        };
        if copied == kind {
            return id;
        }
        let is_pre = matches!(copied, ExprKind::Pre(_));
        let copy = self.add(copied, ty);
        if !is_pre {
            return copy;
        }
        self.memories.push((id, copy));
        // What an unguarded `pre` is worth in the first step nobody knows, but it is the same
        // in both: no test can tell them apart by it.
        self.add(ExprKind::Arrow(id, copy), ty)
    }

    /// A variable that the fault puts somewhere is the mutant's.
    fn over_twins(&mut self, expr: ExprId) -> ExprId {
        match self.system.exprs[expr].kind {
            ExprKind::Var(var) if self.twin_vars[var] != var => {
                self.add(ExprKind::Var(self.twin_vars[var]), self.system.exprs[expr].ty)
            }
            _ => expr,
        }
    }

    fn differs(&mut self, monitored: &[VarId]) -> ExprId {
        let mut any = self.add(ExprKind::Const(Value::Bool(false)), Type::Bool);
        for &var in monitored {
            let (twin, ty) = (self.twin_vars[var], self.system.vars[var].ty);
            if twin == var {
                continue;
            }
            let (one, other) =
                (self.add(ExprKind::Var(var), ty), self.add(ExprKind::Var(twin), ty));
            let differs = self.add(ExprKind::Binary(BinaryOp::Ne, one, other), Type::Bool);
            any = self.add(ExprKind::Binary(BinaryOp::Or, any, differs), Type::Bool);
        }
        any
    }

    /// Definitions, assertions and what is remembered, as the mutant has them.
    fn computed(&self, original: &System) -> Vec<ExprId> {
        let remembered = original.exprs.iter().filter_map(|expr| match expr.kind {
            ExprKind::Pre(operand) => Some(operand),
            _ => None,
        });
        let named = original.equations.iter().map(|equation| equation.expr);
        let asserted = original.assumptions.iter().map(|assumption| assumption.expr);
        let changed = |expr: &ExprId| self.twins[*expr] != *expr;
        let all = named.chain(asserted).chain(remembered).filter(changed);
        let mut computed: Vec<ExprId> = all.map(|expr| self.twins[expr]).collect();
        // A fault that delays something computes what it delays.
        for added in self.system.exprs.iter().skip(original.exprs.len()) {
            if let ExprKind::Pre(operand) = added.kind {
                computed.push(operand);
            }
        }
        computed
    }

    fn add(&mut self, kind: ExprKind, ty: Type) -> ExprId {
        self.system.add_expr(kind, ty, Span::default())
    }
}

/// The expressions whose values a fault can change, now or later.
fn cone(system: &System, sites: &[ExprId]) -> IndexVec<ExprId, bool> {
    let mut cone = IndexVec::repeat(false, system.exprs.len());
    let mut changed_vars = IndexVec::repeat(false, system.vars.len());
    sites.iter().for_each(|site| cone[*site] = true);
    loop {
        let mut grown = false;
        for (id, expr) in system.exprs.entries() {
            let inside = match &expr.kind {
                ExprKind::Var(var) => changed_vars[*var],
                kind => kind.operands().any(|operand| cone[operand]),
            };
            if inside && !cone[id] {
                (cone[id], grown) = (true, true);
            }
        }
        for equation in &system.equations {
            if cone[equation.expr] && !changed_vars[equation.var] {
                (changed_vars[equation.var], grown) = (true, true);
            }
        }
        if !grown {
            return cone;
        }
    }
}
