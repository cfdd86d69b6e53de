//! Many mutants in one system.
//!
//! Each mutated place reads `if select then mutated else original`, and `select` is one more
//! Boolean input for each mutant. So all of them are compiled together, and each run of a batch
//! chooses its own.

use std::collections::BTreeMap;

use provoke_base::index::Id;
use provoke_base::{IndexVec, Int, Rational, Span};
use provoke_model::{
    BinaryOp, ExprId, ExprKind, InstanceId, Origin, Role, System, Type, Value, Var, VarId,
};

use crate::depend::Dependence;
use crate::edit::edited;
use crate::mutant::{Mutant, MutantChange, changed};
use crate::place::{contexts, new_uses};

/// A system with several mutants, none of which is selected by itself.
pub(crate) struct Selection {
    pub(crate) system: System,
    /// How many inputs come before those that select.
    pub(crate) inputs: usize,
    /// For each mutant, what its sites are worth with and without the fault.
    pub(crate) sites: Vec<Vec<Pair>>,
    /// What took the place of each expression.
    pub(crate) places: IndexVec<ExprId, ExprId>,
}

/// An expression with its fault and without.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    /// The expression in the system without faults.
    pub(crate) origin: ExprId,
    pub(crate) mutated: ExprId,
    pub(crate) original: ExprId,
}

impl Selection {
    pub(crate) fn new(system: &System, mutants: &[&Mutant]) -> Selection {
        let mut base = system.clone();
        let selects: Vec<VarId> = (0..mutants.len()).map(|at| add_input(&mut base, at)).collect();
        let mut changes: BTreeMap<ExprId, Vec<(usize, &MutantChange)>> = BTreeMap::new();
        for (at, mutant) in mutants.iter().enumerate() {
            for site in &mutant.sites {
                changes.entry(site.expr).or_default().push((at, &site.change));
            }
        }
        let mut sites = vec![Vec::new(); mutants.len()];
        let (system, places) = edited(&base, |new, origin, original| {
            let mut result = original;
            for &(at, change) in changes.get(&origin).into_iter().flatten() {
                let (ty, span) = (new.exprs[original].ty, Span::default());
                let select = new.add_expr(ExprKind::Var(selects[at]), Type::Bool, span);
                let guarded = guarded(new, original, change, select);
                let mutated = changed(new, guarded, change);
                sites[at].push(Pair { origin, mutated, original });
                result = new.add_expr(ExprKind::If(select, mutated, result), ty, span);
            }
            result
        });
        Selection { inputs: base.inputs.len() - mutants.len(), system, sites, places }
    }
}

/// A fault that multiplies or divides does so with 1 while it is not selected: no run needs
/// large numbers, or divides by zero, because of a mutant it has not selected.
fn guarded(system: &mut System, expr: ExprId, change: &MutantChange, select: ExprId) -> ExprId {
    let (MutantChange::Join(new), ExprKind::Binary(op, a, b)) =
        (change, system.exprs[expr].kind.clone())
    else {
        return expr;
    };
    if *new != BinaryOp::Mul && !new.divides() {
        return expr;
    }
    let (ty, span) = (system.exprs[b].ty, Span::default());
    let one = match ty {
        Type::Real => Value::Real(Rational::from(&Int::from(1))),
        _ => Value::from(1),
    };
    let one = system.add_expr(ExprKind::Const(one), ty, span);
    let b = system.add_expr(ExprKind::If(select, b, one), ty, span);
    // Only its operands are looked at.
    system.add_expr(ExprKind::Binary(op, a, b), system.exprs[expr].ty, span)
}

/// Adds the input that selects a mutant; no name of a model has a colon.
fn add_input(system: &mut System, at: usize) -> VarId {
    let instance: InstanceId = Id::new(0);
    let (origin, span, role) = (Origin::Generated, Span::default(), Role::Input);
    let (name, ty) = (format!("mutant:{at}"), Type::Bool);
    let input = system.vars.push(Var {
        name,
        ty,
        range: None,
        machine: None,
        role,
        origin,
        instance,
        span,
    });
    system.inputs.push(input);
    input
}

/// Divides mutants, given by their positions, into groups of at most `size` that fit into one
/// system: the equations of each group can be ordered although all its mutants are there.
pub(crate) fn groups(system: &System, mutants: &[&Mutant], size: usize) -> Vec<Vec<usize>> {
    let (contexts, dependence) = (contexts(system), Dependence::new(system));
    let uses: Vec<Vec<(VarId, VarId)>> =
        mutants.iter().map(|mutant| new_uses(&contexts, &mutant.sites)).collect();
    let times = times(system);
    let keeps_order =
        |at: &usize| uses[*at].iter().all(|(owner, used)| times[*used] < times[*owner]);
    let (easy, mut left): (Vec<usize>, Vec<usize>) = (0..mutants.len()).partition(keeps_order);
    let mut groups: Vec<Vec<usize>> = easy.chunks(size).map(<[usize]>::to_vec).collect();
    while !left.is_empty() {
        let (mut group, mut rest) = (Vec::new(), Vec::new());
        let mut together = dependence.clone();
        for at in left {
            if group.len() < size && !together.closes_cycle(&uses[at]) {
                together.add(&uses[at]);
                group.push(at);
            } else {
                rest.push(at);
            }
        }
        groups.push(group);
        left = rest;
    }
    groups
}

/// When each variable is computed; inputs come first.
fn times(system: &System) -> IndexVec<VarId, usize> {
    let mut times = IndexVec::repeat(0, system.vars.len());
    for (time, equation) in system.equations.iter().enumerate() {
        times[equation.var] = time + 1;
    }
    times
}
