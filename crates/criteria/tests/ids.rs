//! Ids that people can read and keep.

mod common;

use common::{benchmark, lustre};
use provoke_criteria::{Counting, Criterion, obligations};
use provoke_model::System;

fn ids(system: &System, criterion: &str) -> Vec<String> {
    let criterion = Criterion::named(criterion).unwrap();
    obligations(system, criterion, Counting::Published).into_iter().map(|o| o.id).collect()
}

const NODE: &str = "node alarm(t, limit: int; on: bool) returns (level: bool);
    let level = on and t > limit; tel
    node top(a, b: int; on: bool) returns (out: bool);
    var x: bool;
    let x = false -> pre out; out = alarm(a, b, on) or x; tel";

#[test]
fn an_id_names_the_variable_the_criterion_the_occurrence_and_the_outcome() {
    let system = lustre(NODE);
    let shown = ids(&system, "omcdc");
    for id in ["x:omcdc:1T", "x:omcdc:1F", "out:omcdc:2T"] {
        assert!(shown.contains(&id.to_owned()), "{id} is not in {shown:?}");
    }
    assert!(shown.iter().any(|id| id.ends_with(".level:omcdc:2F")), "{shown:?}");
}

#[test]
fn an_obligation_says_where_and_what_it_is() {
    let system = lustre(NODE);
    let all = obligations(&system, Criterion::named("mcdc").unwrap(), Counting::Published);
    let relation = all.iter().find(|obligation| obligation.id.ends_with("level:mcdc:2T")).unwrap();
    assert_eq!(&NODE[relation.span.range()], "t > limit");
    assert!(!relation.instance.is_empty());
    assert_eq!((relation.kind.word(), relation.outcome), ("condition", true));
}

#[test]
fn edits_elsewhere_change_no_id() {
    let before = ids(&lustre(NODE), "omcdc");
    let edited =
        format!("-- a comment\n\n{}", NODE.replace("x = false", "y = on and on;\n  x = true"))
            .replace("var x: bool;", "var y, x: bool;");
    let after = ids(&lustre(&edited), "omcdc");
    let kept: Vec<&String> = after.iter().filter(|id| !id.starts_with("y:")).collect();
    assert_eq!(kept.len(), before.len());
    assert!(before.iter().all(|id| after.contains(id)), "{before:?} {after:?}");
}

#[test]
fn the_operands_of_a_boolean_equality_count_twice_under_one_number() {
    let system = lustre("node top(a, b: bool) returns (out: bool); let out = (a = b) and a; tel");
    let expected = [
        "out:mcdc:1T",
        "out:mcdc:1F",
        "out:mcdc:1T~2",
        "out:mcdc:1F~2",
        "out:mcdc:2T",
        "out:mcdc:2F",
        "out:mcdc:2T~2",
        "out:mcdc:2F~2",
        "out:mcdc:3T",
        "out:mcdc:3F",
    ];
    assert_eq!(ids(&system, "mcdc"), expected);
    let precise = obligations(&system, Criterion::named("mcdc").unwrap(), Counting::Precise);
    assert_eq!(precise.len(), 6);
    assert_eq!(precise[5].id, "out:mcdc:3F");
}

#[test]
fn every_id_of_a_model_is_unique() {
    let models = ["AlarmFunctionalR2012", "DockingApproach", "Infusion", "Microwave01", "6counter"];
    for model in models {
        let Some(system) = benchmark(model) else { return };
        let all = Criterion::ALL.into_iter().flat_map(|criterion| ids(&system, criterion.word()));
        let mut all: Vec<String> = all.collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "{model}");
    }
}

#[test]
fn what_the_translation_introduced_has_no_obligations() {
    let system = lustre(
        "node inner(a: bool) returns (b: bool); let b = a and (true -> pre b); tel
         node top(c, a: bool) returns (out: bool); let out = condact(c, inner(a), false); tel",
    );
    let generated = |id: &str| {
        let name = id.split(':').next().unwrap_or_default();
        let var = system.var_named(name).unwrap();
        system.vars[var].origin == provoke_model::Origin::Generated
    };
    assert!(system.vars.iter().any(|var| var.origin == provoke_model::Origin::Generated));
    assert!(!ids(&system, "condition").iter().any(|id| generated(id)));
}
