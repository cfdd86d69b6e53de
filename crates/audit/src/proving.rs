//! The claims that need a proof, decided by their certificates.

use provoke_model::Value;

use crate::certificate::Subject;
use crate::claim::{Claim, Reason, State};
use crate::instances::Model;
use crate::proof::{Counterexample, Disagreement, Setting, Verdict, check};

/// Decides what is open; two solvers that differ leave nothing decided.
pub(crate) fn prove(
    setting: &Setting<'_>,
    certificates: Option<&[u8]>,
    claims: &mut [Claim],
) -> Option<Disagreement> {
    let (mut places, mut subjects): (Vec<usize>, Vec<Subject>) = (Vec::new(), Vec::new());
    for (place, claim) in claims.iter().enumerate() {
        if let State::Open(needed) = &claim.state {
            places.extend(needed.iter().map(|_| place));
            subjects.extend(needed.iter().cloned());
        }
    }
    if subjects.is_empty() {
        return None;
    }
    let Some(bytes) = certificates else {
        let why = "the folder has no certificates.txt".to_string();
        let open = State::Unconfirmed(Reason::Uncertified, why);
        places.into_iter().for_each(|place| claims[place].state = open.clone());
        return None;
    };
    let found = check(setting, bytes, &subjects);
    for ((place, subject), verdict) in places.into_iter().zip(&subjects).zip(found.verdicts) {
        let found = of_subject(subject, state(setting.model, verdict));
        claims[place].state = both(&claims[place].state, found);
    }
    found.disagreement
}

/// What is said of a reason, in words that name it.
fn of_subject(subject: &Subject, state: State) -> State {
    let reason = |why: String| format!("that it never has the value: {why}");
    match (subject, state) {
        (Subject::Never { .. }, State::Refuted(why)) => State::Refuted(reason(why)),
        (Subject::Never { .. }, State::Unconfirmed(kind, why)) => {
            State::Unconfirmed(kind, reason(why))
        }
        (_, state) => state,
    }
}

/// What becomes of a claim that needs several proofs: the worst of them, and of solvers the last.
fn both(before: &State, found: State) -> State {
    match (before, found) {
        (State::Open(_), found) => found,
        (State::Confirmed { solver: one }, State::Confirmed { solver: other }) => {
            State::Confirmed { solver: (*one).max(other) }
        }
        (State::Confirmed { .. }, found) | (_, found @ State::Refuted(_)) => found,
        (before, _) => before.clone(),
    }
}

fn state(model: &Model, verdict: Verdict) -> State {
    match verdict {
        Verdict::Confirmed { solver } => State::Confirmed { solver: Some(solver) },
        Verdict::Refuted(run) => State::Refuted(format!("a run shows it: {}", show(model, &run))),
        Verdict::Uncertified(why) | Verdict::NotShown(why) => {
            State::Unconfirmed(Reason::Uncertified, why)
        }
        Verdict::Undecided(why) => State::Unconfirmed(Reason::Undecided, why),
        Verdict::Limit => State::Unconfirmed(Reason::Limit, "no time left".to_string()),
    }
}

/// The inputs of each step of a run.
fn show(model: &Model, run: &Counterexample) -> String {
    let enums = &model.tree.types.enums;
    let row = |row: &Vec<Value>| {
        let cells = model.inputs.iter().zip(row).map(|(var, value)| {
            let var = &model.vars[*var];
            format!("{} = {}", var.name, value.show(var.ty, enums))
        });
        cells.collect::<Vec<_>>().join(", ")
    };
    run.inputs.iter().map(row).collect::<Vec<_>>().join("; ")
}
