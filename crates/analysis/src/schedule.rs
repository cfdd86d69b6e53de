//! The order in which equations can be computed, or the cycle that forbids one.

use std::collections::HashSet;

use provoke_base::IndexVec;
use provoke_model::system::{Equation, ExprId, ExprKind, System, VarId};

/// A chain of variables, each using the next one in the same step and the last one the
/// first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cycle {
    /// Each variable with the expression inside its equation that uses the next one.
    pub links: Vec<(VarId, ExprId)>,
}

/// The variables that `root` uses in the same step, with the expressions that use them, in
/// the order they are written. What stands under `pre` is of the step before.
///
/// An expression that several share is looked at once: there are exponentially many ways to what
/// is shared again and again, as in a system that holds many mutants.
pub fn instant_uses(system: &System, root: ExprId) -> Vec<(VarId, ExprId)> {
    let mut uses = Vec::new();
    let mut met = HashSet::new();
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        if !met.insert(id) {
            continue;
        }
        match &system.exprs[id].kind {
            ExprKind::Var(var) => uses.push((*var, id)),
            ExprKind::Pre(_) => {}
            kind => {
                let from = open.len();
                open.extend(kind.operands());
                open[from..].reverse();
            }
        }
    }
    uses
}

/// The system's equations ordered so that each comes after those it uses; independent ones
/// keep their order.
pub fn order(system: &System) -> Result<Vec<Equation>, Cycle> {
    let mut search = Search {
        system,
        definition: IndexVec::repeat(None, system.vars.len()),
        marks: IndexVec::repeat(Mark::New, system.vars.len()),
        ordered: Vec::with_capacity(system.equations.len()),
    };
    for equation in &system.equations {
        search.definition[equation.var] = Some(*equation);
    }
    for equation in &system.equations {
        search.visit(equation.var)?;
    }
    Ok(search.ordered)
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    Open,
    Done,
}

/// A depth-first search with its own stack, because chains of variables may be long.
struct Search<'a> {
    system: &'a System,
    definition: IndexVec<VarId, Option<Equation>>,
    marks: IndexVec<VarId, Mark>,
    ordered: Vec<Equation>,
}

struct Frame {
    equation: Equation,
    uses: Vec<(VarId, ExprId)>,
    followed: usize,
}

impl Search<'_> {
    fn visit(&mut self, start: VarId) -> Result<(), Cycle> {
        let mut path: Vec<Frame> = self.enter(start).into_iter().collect();
        while let Some(frame) = path.last_mut() {
            if let Some(&(used, _)) = frame.uses.get(frame.followed) {
                frame.followed += 1;
                if self.marks[used] == Mark::Open {
                    return Err(cycle(&path, used));
                }
                path.extend(self.enter(used));
            } else {
                let equation = frame.equation;
                self.marks[equation.var] = Mark::Done;
                self.ordered.push(equation);
                path.pop();
            }
        }
        Ok(())
    }

    fn enter(&mut self, var: VarId) -> Option<Frame> {
        let equation = self.definition[var].filter(|_| self.marks[var] == Mark::New)?;
        self.marks[var] = Mark::Open;
        let uses = instant_uses(self.system, equation.expr);
        Some(Frame { equation, uses, followed: 0 })
    }
}

fn cycle(path: &[Frame], closing: VarId) -> Cycle {
    let on_cycle = path.iter().skip_while(|frame| frame.equation.var != closing);
    let link = |frame: &Frame| (frame.equation.var, frame.uses[frame.followed - 1].1);
    Cycle { links: on_cycle.map(link).collect() }
}
