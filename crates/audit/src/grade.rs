//! Whether what a graded verdict says agrees with itself.

use crate::folder::{EffectClaim, Verdict};

/// What may be said of a wrong value.
const WORDS: [&str; 4] = ["shown", "impossible", "unknown", "not-sought"];

/// Where the parts of a verdict contradict each other, or the value that its condition should have.
pub(crate) fn contradictions(verdict: &Verdict, outcome: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut check = |agrees: bool, what: &str| {
        if !agrees {
            wrong.push(format!("verdicts.json: `{}` {what}", verdict.id));
        }
    };
    let (Some(step), Some(stuck)) = (&verdict.step, &verdict.stuck) else {
        check(false, "has no facts about a wrong value");
        return wrong;
    };
    let grade = grade(verdict, step, stuck);
    let (word, test) = match grade {
        "shown" => ("covered", &step.test),
        "lasting" => ("covered", &stuck.test),
        other => (other, &None),
    };
    let is_graded = verdict.grade.as_deref() == Some(grade) && verdict.verdict == word;
    check(is_graded, &format!("is {grade} by its facts"));
    check(verdict.test == *test, "names a test that its facts do not");
    for effect in [step, stuck] {
        check(WORDS.contains(&effect.verdict.as_str()), "has a fact that is none");
        check(effect.is_shown() || !effect.names_a_run(), "names a run that shows nothing");
    }
    check(step.held.is_none(), "is held at a value in one step");
    check(stuck.held == Some(!outcome), "is held at the value that it should have");
    let replaceable = verdict.redundant.as_ref();
    check(
        stuck.is_impossible() == replaceable.is_some(),
        "must be redundant if and only if it is impossible that a test notices the constant",
    );
    if let Some(redundant) = replaceable {
        check(["free", "constant"].contains(&redundant.form.as_str()), "has no such form");
        let agrees = redundant.form != "free" || step.is_impossible();
        check(agrees, "may be wrong in any step, and one wrong step is not impossible");
    }
    wrong
}

/// The grade that the facts give.
fn grade(verdict: &Verdict, step: &EffectClaim, stuck: &EffectClaim) -> &'static str {
    match (&verdict.redundant, &verdict.tag) {
        (Some(_), _) => "redundant",
        _ if step.is_shown() => "shown",
        _ if stuck.is_shown() => "lasting",
        (_, Some(_)) => "tag-only",
        _ => "unknown",
    }
}
