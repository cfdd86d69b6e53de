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
        if let State::Open(subject) = &claim.state {
            places.push(place);
            subjects.push(subject.clone());
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
    for (place, verdict) in places.into_iter().zip(found.verdicts) {
        claims[place].state = state(setting.model, verdict);
    }
    found.disagreement
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
