//! What a criterion asks of a suite, one item at a time.

use provoke_base::Span;
use provoke_model::{Equation, ExprId, Origin, System, VarId};

use crate::criterion::{Criterion, Host};
use crate::target::{Counting, ObligationTarget, Walk};
use crate::text;

/// The longest expression that is written out in full, in bytes.
const TEXT_LIMIT: usize = 240;

/// What an obligation is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObligationKind {
    /// An atomic Boolean expression.
    Condition,
    /// A Boolean expression made of conditions.
    Decision,
    /// The condition of an `if`.
    Branch,
    /// What the model promises.
    Property,
}

provoke_base::words!(ObligationKind {
    Condition = "condition",
    Decision = "decision",
    Branch = "branch",
    Property = "property",
});

impl Host {
    /// What the criterion's obligations are about.
    pub fn kind(self) -> ObligationKind {
        match self {
            Host::Condition | Host::Mcdc => ObligationKind::Condition,
            Host::Decision => ObligationKind::Decision,
            Host::Branch => ObligationKind::Branch,
        }
    }
}

/// One thing a suite has to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// A name that is unique for its criteria and survives edits of other equations:
    /// `pump.level:omcdc:3T` is the third condition of `pump.level`'s equation, true.
    pub id: String,
    /// The criterion that asks for it.
    pub criterion: Criterion,
    /// What it is about.
    pub kind: ObligationKind,
    /// The value to be seen.
    pub outcome: bool,
    /// The variable whose equation holds the expression.
    pub variable: VarId,
    /// The occurrence of the expression.
    pub expr: ExprId,
    /// The expression as text, cut if it is very long.
    pub text: String,
    /// Where it is written.
    pub span: Span,
    /// The path of the node instance, empty for the main node.
    pub instance: String,
}

/// What carries the tag of an obligation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TagCarrier {
    /// The occurrence of an expression.
    Expr(ExprId),
    /// The variable that an equation defines.
    Var(VarId),
}

impl Obligation {
    /// Whether the expression must be unmasked in its decision when it has the outcome.
    pub fn needs_independence(&self) -> bool {
        self.criterion.host == Host::Mcdc
    }

    /// What must become visible; `None` if nothing has to.
    pub fn tagged(&self) -> Option<TagCarrier> {
        let tagged = match self.criterion.host {
            // Seed 004, 3.4.3, asks only that the equation be observed.
            Host::Condition => TagCarrier::Var(self.variable),
            Host::Decision | Host::Branch | Host::Mcdc => TagCarrier::Expr(self.expr),
        };
        self.criterion.observable.then_some(tagged)
    }
}

/// One obligation for each of the model's own properties: to falsify it is to see its
/// expression false. Properties of the same name are numbered.
pub fn properties(system: &System) -> Vec<Obligation> {
    // A node without outputs may still promise something of its inputs.
    let Some(variable) = system.vars.ids().next() else { return Vec::new() };
    let variable = system.equations.first().map_or(variable, |equation| equation.var);
    let mut found: Vec<Obligation> = Vec::new();
    for property in &system.properties {
        let same = found.iter().filter(|other| other.text == property.name).count();
        let number = if same > 0 { format!("#{}", same + 1) } else { String::new() };
        found.push(Obligation {
            id: format!("{}{number}", property.name),
            criterion: Criterion { host: Host::Condition, observable: false },
            kind: ObligationKind::Property,
            outcome: false,
            variable,
            expr: property.expr,
            text: property.name.clone(),
            span: property.span,
            instance: String::new(),
        });
    }
    found
}

/// The obligations of a criterion in the order of the equations and, inside an equation, of
/// the text; what the translation introduced has none.
pub fn obligations(system: &System, criterion: Criterion, counting: Counting) -> Vec<Obligation> {
    let mut walk = Walk::new(system, counting);
    let declared = |equation: &&Equation| system.vars[equation.var].origin == Origin::Declared;
    let mut found = Vec::new();
    for equation in system.equations.iter().filter(declared) {
        let targets = match criterion.host {
            Host::Condition | Host::Mcdc => walk.conditions(*equation),
            Host::Decision => walk.decisions(*equation),
            Host::Branch => walk.branches(*equation),
        };
        for (position, target) in targets.into_iter().enumerate() {
            add(&mut found, system, criterion, equation.var, position + 1, target);
        }
    }
    found
}

/// Adds both outcomes of a target, for each time it counts.
fn add(
    found: &mut Vec<Obligation>,
    system: &System,
    criterion: Criterion,
    variable: VarId,
    number: usize,
    target: ObligationTarget,
) {
    let var = &system.vars[variable];
    let text = text::of_expr(system, target.expr, TEXT_LIMIT);
    for copy in 1..=target.copies {
        for outcome in [true, false] {
            let letter = if outcome { 'T' } else { 'F' };
            let again = if copy > 1 { format!("~{copy}") } else { String::new() };
            found.push(Obligation {
                id: format!("{}:{criterion}:{number}{letter}{again}", var.name),
                criterion,
                kind: criterion.host.kind(),
                outcome,
                variable,
                expr: target.expr,
                text: text.clone(),
                span: system.exprs[target.expr].span,
                instance: system.instances[var.instance].path.clone(),
            });
        }
    }
}
