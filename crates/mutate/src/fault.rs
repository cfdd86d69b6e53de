//! A condition that is wrong: always, whenever that is worst, or in one step.
//!
//! A condition that should have a value, and does not, is what an observable obligation is about.
//! All three forms are the original beside a copy of it that differs in this one expression.

use provoke_base::Span;
use provoke_base::index::Id;
use provoke_model::{
    BinaryOp, Equation, ExprId, ExprKind, InstanceId, Origin, Role, System, Type, UnaryOp, Value,
    Var, VarId,
};
use provoke_solve::certificate::{Certificate, OwnFacts, ProvenLemmas};
use provoke_solve::engine::ProofResult;
use provoke_solve::{Reading, Terms};

use crate::facts::equal_memories;
use crate::miter::Miter;

/// A Boolean expression that does not have a value which it should have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConditionFault {
    /// The expression.
    pub expr: ExprId,
    /// The value that it should have.
    pub value: bool,
}

/// When the expression is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FaultForm {
    /// Always: it is a constant.
    Stuck,
    /// In whichever of the steps in which it should have the value; in none of the others.
    Free,
    /// In at most one such step.
    Once,
}

provoke_base::words!(FaultForm {
    Stuck = "stuck",
    Free = "free",
    Once = "once",
});

impl ConditionFault {
    /// The system beside its faulty copy.
    pub fn miter(self, system: &System, form: FaultForm, monitored: &[VarId]) -> Miter {
        let mut system = system.clone();
        let right = match form {
            FaultForm::Stuck => None,
            FaultForm::Free => Some(self.chosen(&mut system)),
            FaultForm::Once => Some(self.chosen_once(&mut system)),
        };
        let mut place = None;
        let edit = &mut |system: &mut System, _: ExprId, copy: ExprId| {
            *place.insert(self.wrong(system, copy, right))
        };
        let miter = Miter::with_edit(&system, &[self.expr], edit, monitored);
        // What holds wherever it is wrong holds where it always is; wrong once, it is itself as well.
        let fault = place.filter(|_| form != FaultForm::Once).map(|place| (place, !self.value));
        Miter { fault, ..miter }
    }

    /// What others need to check that the fault is never seen, given a proof (in its own terms) that
    /// it disturbs no step: then the copy always remembers what the original does.
    pub fn undisturbing(
        self,
        system: &System,
        monitored: &[VarId],
        facts: &ProvenLemmas,
        (from, proof): (&Terms, &ProofResult),
    ) -> Option<Certificate> {
        let miter = self.miter(system, FaultForm::Free, monitored);
        let mut terms = Terms::new();
        let (encoder, question) = miter.question(&mut terms, Reading::Possible);
        let equal = equal_memories(&miter, &encoder, &mut terms, &question);
        let lemmas = [facts.about(&mut terms, &question), equal.clone()].concat();
        let copies = terms.import(from, &proof.copies);
        let proof = ProofResult { lemmas, copies, ..proof.clone() };
        let own = OwnFacts { on_lemmas: &equal, ..OwnFacts::default() };
        Certificate::new(&miter.names(), &terms, &proof, facts.shared(), own)
    }

    /// What stands in place of the expression: wrong unless `right` says otherwise.
    fn wrong(self, system: &mut System, copy: ExprId, right: Option<ExprId>) -> ExprId {
        let kind = match (right, self.value) {
            (None, value) => ExprKind::Const(Value::Bool(!value)),
            (Some(right), true) => ExprKind::Binary(BinaryOp::And, copy, right),
            (Some(right), false) => {
                let not = ExprKind::Unary(UnaryOp::Not, right);
                let not = system.add_expr(not, Type::Bool, Span::default());
                ExprKind::Binary(BinaryOp::Or, copy, not)
            }
        };
        system.add_expr(kind, Type::Bool, Span::default())
    }

    /// A new input: whether the expression is right.
    fn chosen(self, system: &mut System) -> ExprId {
        let input = add_var(system, "fault:right", Role::Input);
        system.inputs.push(input);
        add(system, ExprKind::Var(input))
    }

    /// The same, but it is right as soon as it was wrong.
    fn chosen_once(self, system: &mut System) -> ExprId {
        let right = self.chosen(system);
        let over = add_var(system, "fault:over", Role::Local);
        let (was_over, no) =
            (add(system, ExprKind::Var(over)), add(system, ExprKind::Const(Value::Bool(false))));
        let wrong = add(system, ExprKind::Unary(UnaryOp::Not, right));
        let by_now = add(system, ExprKind::Binary(BinaryOp::Or, was_over, wrong));
        let before = add(system, ExprKind::Pre(by_now));
        let expr = add(system, ExprKind::Arrow(no, before));
        system.equations.push(Equation { var: over, expr });
        add(system, ExprKind::Binary(BinaryOp::Or, right, was_over))
    }
}

fn add(system: &mut System, kind: ExprKind) -> ExprId {
    system.add_expr(kind, Type::Bool, Span::default())
}

/// A new Boolean variable; no name of a model has a colon.
fn add_var(system: &mut System, name: &str, role: Role) -> VarId {
    let (name, ty, instance) = (name.to_string(), Type::Bool, InstanceId::new(0));
    let (origin, span) = (Origin::Generated, Span::default());
    system.vars.push(Var { name, ty, range: None, machine: None, role, origin, instance, span })
}
