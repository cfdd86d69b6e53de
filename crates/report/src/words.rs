//! What an obligation asks for and what became of it, in sentences. Names and expressions stand
//! between backticks.

mod graded;

use provoke_results::{
    ExpectationDifference, Generation, KindWord, ObligationEvidence, Proof, StateWord, Test, Visit,
    WaveSignal, Way, Witness,
};

/// What is required, then how a test achieves it, or why none does.
pub fn explain(obligation: &ObligationEvidence, generation: &Generation) -> Vec<String> {
    let mut sentences = vec![required(obligation)];
    if let Some(grade) = obligation.grade {
        sentences.extend(graded::sentences(obligation, grade, generation));
        let witness = obligation.witness.as_ref();
        sentences.extend(witness.and_then(|witness| contradicted(&generation.tests[witness.test])));
        sentences.extend(obligation.pair.as_ref().map(graded::pair));
        return sentences;
    }
    if let Some(proof) = &obligation.proof {
        sentences.push(proven(obligation, proof));
    }
    if let Some(witness) = &obligation.witness {
        sentences.extend(achieved(obligation, witness, generation));
        sentences.extend(contradicted(&generation.tests[witness.test]));
    }
    if !obligation.undefined.is_empty() {
        let values = obligation.undefined.join(", ");
        sentences.push(format!("It needs these undefined values in the first step: {values}."));
    }
    match obligation.state {
        StateWord::Unknown | StateWord::Masked if obligation.proof.is_none() => {
            sentences.extend(open(obligation, generation.measured));
        }
        StateWord::Excluded => sentences.push(format!("It is excluded: {}.", obligation.reason)),
        _ => {}
    }
    sentences.extend(obligation.pair.as_ref().map(graded::pair));
    sentences
}

/// Whether the property is a question whether something can be reached.
fn is_to_be_reached(obligation: &ObligationEvidence) -> bool {
    obligation.property.as_ref().is_some_and(|property| property.reachable)
}

fn is_observable(obligation: &ObligationEvidence) -> bool {
    obligation.criterion.starts_with('o')
}

fn required(obligation: &ObligationEvidence) -> String {
    let ObligationEvidence { expression, variable, outcome, line, .. } = obligation;
    let place = match obligation.instance.as_str() {
        "" => format!("line {line}"),
        instance => format!("line {line}, instance `{instance}`"),
    };
    if obligation.kind == KindWord::Property {
        let definition = obligation.property.as_ref().and_then(|one| one.definition.as_ref());
        let means = definition.map_or_else(String::new, |text| format!(", which is `{text}`,"));
        if is_to_be_reached(obligation) {
            return format!("Some run must reach `{expression}` ({place}).");
        }
        return format!("Property `{expression}` ({place}){means} must hold in every step.");
    }
    let what = match obligation.kind {
        KindWord::Branch => "the condition of an `if`",
        KindWord::Decision => "a decision",
        _ => "a condition",
    };
    let alone = match obligation.criterion.trim_start_matches('o') {
        "mcdc" => " in a step where changing only this condition changes the decision",
        _ => "",
    };
    let seen = match (is_observable(obligation), obligation.criterion.as_str()) {
        (false, _) => String::new(),
        (true, "ocondition") => format!("; the value of `{variable}` must be observed"),
        (true, _) => "; its effect must be observed at a monitored variable".to_string(),
    };
    format!(
        "`{expression}` ({place}) is {what} in the equation of `{variable}`. It must be \
         {outcome}{alone}{seen}."
    )
}

fn proven(obligation: &ObligationEvidence, proof: &Proof) -> String {
    let Proof { engine, k, lemmas, certified } = proof;
    let mut how = format!("proven by {engine}");
    if *k > 0 {
        how += &format!(", induction over {k} step{}", plural(*k));
    }
    if *lemmas > 0 {
        how += &format!(", using {lemmas} lemma{}", plural(*lemmas));
    }
    let check = match certified {
        true => " The certificate is in certificates.txt.",
        false => "",
    };
    match obligation.kind {
        _ if is_to_be_reached(obligation) => format!("No run reaches it ({how}).{check}"),
        KindWord::Property => format!("It holds in every reachable state ({how}).{check}"),
        _ => format!("No test of any length covers it ({how}).{check}"),
    }
}

fn achieved(
    obligation: &ObligationEvidence,
    witness: &Witness,
    generation: &Generation,
) -> Vec<String> {
    let name = &generation.tests[witness.test].name;
    let step = witness.exercised;
    let seen = matches!(witness.way, Way::Path(_)) || !is_observable(obligation);
    let does = match obligation.kind {
        _ if is_to_be_reached(obligation) => format!("Test `{name}` reaches it in step {step}."),
        KindWord::Property => format!("Test `{name}` makes it false in step {step}."),
        _ if seen => format!("Test `{name}` exercises it in step {step}."),
        _ => format!("Test `{name}` comes nearest: it exercises it in step {step}."),
    };
    let follows = match &witness.way {
        Way::Path(visits) if visits.is_empty() => None,
        Way::Path(visits) => Some(path(visits, &generation.signals)),
        Way::Masked { step, line } => {
            let at = line.map_or_else(String::new, |line| format!(" (line {line})"));
            Some(format!(
                "The effect is masked in step {step}{at} by another operand and reaches no monitored \
                 variable."
            ))
        }
        Way::Waiting { step } => {
            Some(format!("The effect was still propagating when the test ended after step {step}."))
        }
    };
    std::iter::once(does).chain(follows).collect()
}

/// Longer paths are told by their beginning and their end: nobody reads a hundred names in a row.
const TOLD: usize = 12;

fn path(visits: &[Visit], signals: &[WaveSignal]) -> String {
    let visit = |Visit(signal, step): &Visit| format!("`{}` (step {step})", signals[*signal].name);
    let (last, between) = visits.split_last().expect("not empty");
    let last = visit(last);
    match between {
        [] => format!("The effect is observed at once, at {last}."),
        _ => {
            let mut ways: Vec<String> = between.iter().map(visit).collect();
            if ways.len() > TOLD {
                let left_out = format!("{} more", ways.len() - TOLD);
                ways.splice(TOLD / 2..ways.len() - TOLD / 2, [left_out]);
            }
            format!(
                "The effect propagates through {} and is observed at {last}.",
                ways.join(", then ")
            )
        }
    }
}

/// A test that expects what the model does not do is a witness all the same, but one of them is wrong.
fn contradicted(test: &Test) -> Option<String> {
    let ExpectationDifference { step, variable, expected, computed, .. } =
        test.differences.first()?;
    Some(format!(
        "This test contradicts the model: in step {step} it expects `{variable}` to be {expected}, and the \
         model computes {computed}."
    ))
}

fn open(obligation: &ObligationEvidence, measured: bool) -> Vec<String> {
    let observable = is_observable(obligation);
    if obligation.state == StateWord::Masked && !observable {
        return vec![
            "This criterion does not require observation; a fault here may stay undetected.".into(),
        ];
    }
    if measured {
        let what = if obligation.kind == KindWord::Property { "violates" } else { "covers" };
        return vec![format!("No test of the suite {what} it. Nothing else was tried.")];
    }
    let mut sentences = vec![match obligation.kind {
        KindWord::Property => "Not decided: neither a violation nor a proof was found.".to_string(),
        _ => "Not decided: neither a test nor a proof was found.".to_string(),
    }];
    if !obligation.reason.is_empty() {
        sentences.push(format!("The search ended: {}.", obligation.reason));
    }
    if let Some(depth) = obligation.depth.filter(|depth| *depth > 0) {
        let does = match obligation.kind {
            KindWord::Property => "violates",
            _ => "covers",
        };
        sentences.push(format!("No test of up to {depth} step{} {does} it.", plural(depth)));
    }
    sentences
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use provoke_results::{
        EffectResult, EffectWord, GradeWord, RedundancyFormWord, RedundancyReasonWord,
        RedundantResult, RoleWord, TypeWord,
    };

    fn obligation(criterion: &str, kind: KindWord) -> ObligationEvidence {
        ObligationEvidence {
            id: "out:omcdc:1T".into(),
            criterion: criterion.into(),
            kind,
            outcome: true,
            variable: "out".into(),
            expression: "a".into(),
            node: "main".into(),
            instance: String::new(),
            line: 3,
            column: 9,
            start: 20,
            end: 21,
            state: StateWord::Unknown,
            witness: None,
            proof: None,
            reason: String::new(),
            depth: None,
            undefined: Vec::new(),
            property: None,
            grade: None,
            step: None,
            stuck: None,
            redundant: None,
            last_differing: None,
            pair: None,
            says: Vec::new(),
        }
    }

    fn generation() -> Generation {
        let signal = |name: &str, role| WaveSignal { name: name.into(), ty: TypeWord::Bool, role };
        let test = Test {
            name: "t1".into(),
            steps: 4,
            covers: vec![0],
            requirements: Vec::new(),
            differences: Vec::new(),
            waves: Vec::new(),
        };
        Generation {
            from: String::new(),
            model: String::new(),
            node: String::new(),
            source: String::new(),
            settings: Vec::new(),
            measured: false,
            obligations: Vec::new(),
            errors: None,
            signals: vec![signal("held", RoleWord::Local), signal("out", RoleWord::Out)],
            tests: vec![test],
        }
    }

    fn check(obligation: &ObligationEvidence, expected: Expect) {
        expected.assert_eq(&explain(obligation, &generation()).join("\n"));
    }

    #[test]
    fn a_witness_is_told_step_by_step() {
        let way = Way::Path(vec![Visit(0, 2), Visit(1, 3)]);
        let witness = Some(Witness { test: 0, exercised: 2, way, changed: Vec::new() });
        let covered = ObligationEvidence {
            state: StateWord::Visible,
            witness,
            ..obligation("omcdc", KindWord::Condition)
        };
        check(
            &covered,
            expect![[r#"
                `a` (line 3) is a condition in the equation of `out`. It must be true in a step where changing only this condition changes the decision; its effect must be observed at a monitored variable.
                Test `t1` exercises it in step 2.
                The effect propagates through `held` (step 2) and is observed at `out` (step 3)."#]],
        );
    }

    #[test]
    fn a_long_path_is_told_by_its_beginning_and_its_end() {
        let signals: Vec<WaveSignal> = (0..30)
            .map(|at| WaveSignal {
                name: format!("s{at}"),
                ty: TypeWord::Bool,
                role: RoleWord::Local,
            })
            .collect();
        let visits: Vec<Visit> = (0..30).map(|at| Visit(at, 1)).collect();
        let told = path(&visits, &signals);
        assert!(told.contains("`s5` (step 1), then 17 more, then `s23` (step 1)"), "{told}");
        assert!(told.ends_with("`s28` (step 1) and is observed at `s29` (step 1)."), "{told}");
    }

    #[test]
    fn what_is_masked_says_where() {
        let way = Way::Masked { step: 2, line: Some(9) };
        let witness = Some(Witness { test: 0, exercised: 1, way, changed: Vec::new() });
        let masked = ObligationEvidence {
            state: StateWord::Masked,
            witness,
            ..obligation("mcdc", KindWord::Condition)
        };
        check(
            &masked,
            expect![[r#"
                `a` (line 3) is a condition in the equation of `out`. It must be true in a step where changing only this condition changes the decision.
                Test `t1` exercises it in step 1.
                The effect is masked in step 2 (line 9) by another operand and reaches no monitored variable.
                This criterion does not require observation; a fault here may stay undetected."#]],
        );
    }

    #[test]
    fn a_proof_names_its_engine() {
        let proof = Some(Proof { engine: "k-induction".into(), k: 2, lemmas: 1, certified: true });
        let proven = ObligationEvidence {
            state: StateWord::Infeasible,
            proof,
            ..obligation("obranch", KindWord::Branch)
        };
        check(
            &proven,
            expect![[r#"
                `a` (line 3) is the condition of an `if` in the equation of `out`. It must be true; its effect must be observed at a monitored variable.
                No test of any length covers it (proven by k-induction, induction over 2 steps, using 1 lemma). The certificate is in certificates.txt."#]],
        );
    }

    #[test]
    fn unknown_says_how_far_the_search_went() {
        let mut unknown = obligation("branch", KindWord::Branch);
        unknown.reason = "effort used up".into();
        unknown.depth = Some(20);
        check(
            &unknown,
            expect![[r#"
                `a` (line 3) is the condition of an `if` in the equation of `out`. It must be true.
                Not decided: neither a test nor a proof was found.
                The search ended: effort used up.
                No test of up to 20 steps covers it."#]],
        );
    }

    #[test]
    fn a_property_is_a_promise() {
        let way = Way::Path(Vec::new());
        let witness = Some(Witness { test: 0, exercised: 4, way, changed: Vec::new() });
        let state = StateWord::Violated;
        let violated =
            ObligationEvidence { state, witness, ..obligation("properties", KindWord::Property) };
        check(
            &violated,
            expect![[r#"
                Property `a` (line 3) must hold in every step.
                Test `t1` makes it false in step 4."#]],
        );
        let undefined = vec!["`pre a` is false (line 2)".to_string()];
        check(
            &ObligationEvidence { undefined, ..violated },
            expect![[r#"
                Property `a` (line 3) must hold in every step.
                Test `t1` makes it false in step 4.
                It needs these undefined values in the first step: `pre a` is false (line 2)."#]],
        );
    }

    fn redundant() -> ObligationEvidence {
        let proven = RedundantResult {
            constant: false,
            form: RedundancyFormWord::Constant,
            because: RedundancyReasonWord::Unseen,
            engine: "k-induction".into(),
            k: 1,
            lemmas: 0,
        };
        ObligationEvidence {
            state: StateWord::Redundant,
            grade: Some(GradeWord::Redundant),
            redundant: Some(proven),
            ..obligation("ocondition", KindWord::Condition)
        }
    }

    #[test]
    fn a_constant_replaces_it_and_one_wrong_step_is_seen_all_the_same() {
        let step = EffectResult {
            verdict: EffectWord::Shown,
            held: None,
            test: Some("t1".into()),
            changed_at: Some(2),
            seen_at: Some(3),
            output: Some("out".into()),
            value: Some("true".into()),
            changed_value: Some("false".into()),
            breaks: None,
            reason: None,
            depth: None,
        };
        check(
            &ObligationEvidence { step: Some(step), ..redundant() },
            expect![[r#"
                `a` (line 3) is a condition in the equation of `out`. It must be true; the value of `out` must be observed.
                This condition can be replaced by false: every monitored output stays the same in every run. Proven (k-induction, k = 1). Always false, it changes no output. Shown for this condition alone.
                Wrong in one step only, it is seen. In step 2 of `t1` `a` is true. Had it been false then, `out` would be false instead of true in step 3."#]],
        );
    }

    #[test]
    fn a_constant_replaces_it_in_one_instance() {
        check(
            &ObligationEvidence { instance: "s#1".into(), ..redundant() },
            expect![[r#"
                `a` (line 3, instance `s#1`) is a condition in the equation of `out`. It must be true; the value of `out` must be observed.
                This condition can be replaced by false in the instance `s#1` only; the same line in other instances is not changed: every monitored output stays the same in every run. Proven (k-induction, k = 1). Always false, it changes no output. Shown for this condition alone."#]],
        );
    }

    #[test]
    fn a_clock_that_nobody_wrote_is_told() {
        let clocked = ObligationEvidence {
            instance: "s".into(),
            expression: "s.active".into(),
            variable: "s.x".into(),
            ..redundant()
        };
        let told = explain(&clocked, &generation()).join("\n");
        assert!(told.contains("is the clock of the `condact` in line 3"), "{told}");
        assert!(!explain(&redundant(), &generation()).join("\n").contains("condact"));
    }
}
