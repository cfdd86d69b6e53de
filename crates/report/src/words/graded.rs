//! How far it is shown that a condition matters, in sentences.

use provoke_results::{
    EffectResult, EffectWord, Generation, GradeWord, IndependencePair, ObligationEvidence,
    RedundancyReasonWord, RedundantResult, Way,
};

/// What a grade means, and what it rests on.
pub(super) fn sentences(
    obligation: &ObligationEvidence,
    grade: GradeWord,
    generation: &Generation,
) -> Vec<String> {
    let mut sentences = Vec::new();
    match grade {
        GradeWord::Shown => {
            sentences.extend(obligation.step.as_ref().map(|step| shown(obligation, step)));
            sentences.extend(obligation.stuck.as_ref().map(|stuck| beside(obligation, stuck)));
        }
        GradeWord::Lasting => {
            sentences.extend(obligation.stuck.as_ref().map(|stuck| lasting(obligation, stuck)));
            sentences.push("No test shows it when the value is wrong in one step only.".into());
        }
        GradeWord::Redundant => {
            let proven = obligation.redundant.as_ref();
            sentences.extend(proven.map(|proven| redundant(obligation, proven)));
            sentences.extend(hidden_clock(obligation));
            let step = obligation.step.as_ref().filter(|step| step.verdict == EffectWord::Shown);
            sentences.extend(step.map(|step| {
                format!("Wrong in one step only, it is seen. {}", shown(obligation, step))
            }));
        }
        GradeWord::TagOnly => sentences.push(tag_only(obligation, generation)),
        GradeWord::Unknown if generation.measured => {
            sentences.push("No test of the suite covers it. Nothing else was tried.".into());
        }
        GradeWord::Unknown => sentences.push(unknown(obligation)),
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

fn text(value: &Option<String>) -> &str {
    value.as_deref().unwrap_or("?")
}

fn shown(obligation: &ObligationEvidence, step: &EffectResult) -> String {
    let EffectResult { test, output, value, changed_value, .. } = step;
    let (changed_at, seen_at) = (step.changed_at.unwrap_or(0), step.seen_at.unwrap_or(0));
    let (expression, outcome) = (&obligation.expression, obligation.outcome);
    let alone = match obligation.criterion.as_str() {
        "omcdc" => " and decides alone",
        _ => "",
    };
    let (test, output) = (text(test), text(output));
    let (value, other) = (text(value), text(changed_value));
    format!(
        "In step {changed_at} of `{test}` `{expression}` is {outcome}{alone}. Had it been {} then, \
         `{output}` would be {other} instead of {value} in step {seen_at}.{}",
        !outcome,
        breaks(step)
    )
}

fn lasting(obligation: &ObligationEvidence, stuck: &EffectResult) -> String {
    let EffectResult { test, output, value, changed_value, .. } = stuck;
    format!(
        "If `{}` were always {}, `{}` would show it in step {}: `{}` would be {} instead of {}.{}",
        obligation.expression,
        !obligation.outcome,
        text(test),
        stuck.seen_at.unwrap_or(0),
        text(output),
        text(changed_value),
        text(value),
        breaks(stuck)
    )
}

/// What becomes of a lasting fault where a passing one is seen.
fn beside(obligation: &ObligationEvidence, stuck: &EffectResult) -> String {
    match stuck.verdict {
        EffectWord::Shown => lasting(obligation, stuck),
        EffectWord::Unknown => format!(
            "Whether a test notices that it is always {} is not known.",
            !obligation.outcome
        ),
        EffectWord::Impossible | EffectWord::NotSought => String::new(),
    }
}

/// A run that leaves the assumptions is evidence, and that is worth saying.
fn breaks(effect: &EffectResult) -> String {
    effect.breaks.map_or_else(String::new, |step| {
        format!(" The changed run breaks an assumption of the model in step {step}.")
    })
}

fn redundant(obligation: &ObligationEvidence, redundant: &RedundantResult) -> String {
    let RedundantResult { constant, because, engine, k, .. } = redundant;
    let alone = match obligation.instance.as_str() {
        "" => String::new(),
        instance => format!(
            " in the instance `{instance}` only; the same line in other instances is not changed"
        ),
    };
    let why = match because {
        RedundancyReasonWord::Never => format!("It is never {}.", !constant),
        RedundancyReasonWord::Masked => {
            format!("When it is {}, another condition decides.", !constant)
        }
        RedundancyReasonWord::Unseen => {
            format!("Always {constant}, it changes no output.")
        }
    };
    let how = match k {
        0 => engine.clone(),
        k => format!("{engine}, k = {k}"),
    };
    format!(
        "This condition can be replaced by {constant}{alone}: every monitored output stays the same in \
         every run. Proven ({how}). {why} Shown for this condition alone."
    )
}

/// What a condition is that nobody wrote: the clock of an instance under `condact`.
fn hidden_clock(obligation: &ObligationEvidence) -> Option<String> {
    let ObligationEvidence { instance, expression, variable, line, .. } = obligation;
    let is_clock = !instance.is_empty() && *expression == format!("{instance}.active");
    is_clock.then(|| {
        format!(
            "`{expression}` is the clock of the `condact` in line {line}. Here it only decides whether \
             `{variable}` takes a new value or holds its last one: the `condact` itself cannot be \
             replaced by that."
        )
    })
}

fn tag_only(obligation: &ObligationEvidence, generation: &Generation) -> String {
    let place = obligation.witness.as_ref().map_or_else(String::new, |witness| {
        let test = &generation.tests[witness.test].name;
        format!(" in step {} of `{test}`", witness.exercised)
    });
    let output = obligation.witness.as_ref().and_then(|witness| match &witness.way {
        Way::Path(visits) => visits.last(),
        Way::Masked { .. } | Way::Waiting { .. } => None,
    });
    let output = output.map_or_else(
        || "an output".to_string(),
        |visit| format!("`{}`", generation.signals[visit.0].name),
    );
    let last = obligation
        .last_differing
        .as_ref()
        .map_or_else(String::new, |name| format!("; the last variable that differs is `{name}`"));
    format!(
        "Exercised{place} with an open path to {output}, but no test so far fails when the value is \
         wrong{last}."
    )
}

fn unknown(obligation: &ObligationEvidence) -> String {
    let depth = match obligation.depth.unwrap_or(0) {
        0 => String::new(),
        steps => format!(" no effect within the first {steps} steps;"),
    };
    let reason = match obligation.reason.as_str() {
        "" => "effort used up",
        reason => reason,
    };
    format!("Not decided:{depth} {reason}.")
}

/// The two steps that show that a condition decides.
pub(super) fn pair(pair: &IndependencePair) -> String {
    let IndependencePair { when_true, when_false, unique_cause } = pair;
    let how = match unique_cause {
        true => "all other conditions have the same values in both (unique cause)",
        false => "other conditions differ, but are masked (masking)",
    };
    format!(
        "It decides when it is true, in step {} of `{}`, and when it is false, in step {} of `{}`; {how}.",
        when_true.1, when_true.0, when_false.1, when_false.0
    )
}
