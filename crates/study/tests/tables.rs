//! The tables of cells that were made by hand: what the numbers mean.

use expect_test::{Expect, expect};
use provoke_criteria::{Criterion, Masking};
use provoke_study::{
    CaseOutcome, Group, ModelForm, ScoredSuite, StudyCase, StudyCell, StudyCells, Survivors, Table,
    Totals, tables,
};
use provoke_testgen::GenerationMethod;

/// A cell of ten suites on 100 mutants, which kill so many by the outputs, or one more, and twice as
/// many by all variables.
fn cell(model: &str, form: ModelForm, word: &str, killed: usize, covered: usize) -> StudyCell {
    let group = Group { form, masking: Masking::Strict };
    let criterion = Criterion::named(word).expect("a criterion");
    let case = StudyCase {
        model: model.into(),
        group,
        criterion,
        method: GenerationMethod::Hybrid,
        run: 0,
    };
    let suite = |number: usize| ScoredSuite {
        tests: covered / 10,
        steps: covered,
        outputs: killed + number % 2,
        maximum: 2 * killed,
    };
    let outcome = CaseOutcome {
        obligations: Totals { total: 100, covered, infeasible: 100 - covered - 1, unknown: 1 },
        tests: covered,
        steps: 3 * covered,
        mutants: 100,
        suites: (0..10).map(suite).collect(),
        seconds: covered as f64 / 4.0,
        ..CaseOutcome::default()
    };
    StudyCell { case, outcome }
}

fn cells() -> StudyCells {
    let mut all = vec![
        cell("one", ModelForm::Given, "mcdc", 20, 80),
        cell("one", ModelForm::Given, "omcdc", 40, 40),
        cell("two", ModelForm::Given, "mcdc", 30, 90),
        cell("two", ModelForm::Given, "omcdc", 30, 90),
        cell("three", ModelForm::Given, "omcdc", 45, 60),
        cell("one", ModelForm::Split, "omcdc", 20, 40),
        cell("one", ModelForm::Inlined, "omcdc", 30, 40),
    ];
    // A criterion that asks for nothing says nothing of the model.
    let mut nothing = cell("three", ModelForm::Given, "mcdc", 0, 0);
    nothing.outcome.obligations = Totals::default();
    all.push(nothing);
    all[1].outcome.survivors =
        Some(Survivors { killed: 50, added: 20, equivalent: 20, invalid: 2, unknown: 10 });
    StudyCells(all)
}

fn check(number: &str, name: &str, expected: Expect) {
    let is_it =
        |table: &Table| table.number == number && (!number.is_empty() || table.name == name);
    let table = tables::observability(&cells(), &[]).into_iter().find(is_it).expect("the table");
    expected.assert_eq(&table.csv());
}

#[test]
fn table_7_is_the_mean_over_models_of_the_mean_over_suites() {
    check(
        "7",
        "",
        expect![[r#"
        models,criterion,MX,OO,of,OO of non-equivalent,of those
        "given, strict",omcdc,76.67,38.83,3,50.62,1
        "given, strict",mcdc,50.00,25.50,2,25.62,1
        "inlined, strict",omcdc,60.00,30.50,1,–,0
        "inlined, strict",mcdc,–,–,0,–,0
        "split, strict",omcdc,40.00,20.50,1,–,0
        "split, strict",mcdc,–,–,0,–,0
    "#]],
    );
}

#[test]
fn tables_8_and_10_count_models_with_significance() {
    check(
        "8",
        "",
        expect![[r#"
        models,criterion,MX more,MX less,OO more,OO less,of
        "given, strict",mcdc,50.00,0.00,50.00,0.00,2
        "inlined, strict",mcdc,–,–,–,–,0
        "split, strict",mcdc,–,–,–,–,0
    "#]],
    );
    check(
        "10",
        "",
        expect![[r#"
        models,host,MX observable,MX host,OO observable,OO host,of
        "given, strict",mcdc,50.00,0.00,50.00,0.00,2
        "inlined, strict",mcdc,–,–,–,–,0
        "split, strict",mcdc,–,–,–,–,0
    "#]],
    );
}

#[test]
fn tables_9_and_11_compare_with_the_host() {
    check(
        "9",
        "",
        expect![[r#"
        models,host,MX,MX of,OO,OO of
        "given, strict",mcdc,50.00,2,48.78,2
        "inlined, strict",mcdc,–,0,–,0
        "split, strict",mcdc,–,0,–,0
    "#]],
    );
    check(
        "11",
        "",
        expect![[r#"
        models,host,MX,MX on,OO,OO on
        "given, strict",mcdc,0.00,two,0.00,two
        "inlined, strict",mcdc,–,,–,
        "split, strict",mcdc,–,,–,
    "#]],
    );
}

#[test]
fn tables_12_to_14_tell_what_it_costs() {
    check(
        "12",
        "",
        expect![[r#"
        models,host,suite size,obligations satisfied,of
        "given, strict",mcdc,-25.00,-25.00,2
        "inlined, strict",mcdc,–,–,0
        "split, strict",mcdc,–,–,0
    "#]],
    );
    check(
        "13",
        "",
        expect![[r#"
        models,host,observable,host alone,change,of,out of time
        "given, strict",mcdc,16.25,21.25,-25.00,2,0
        "inlined, strict",mcdc,–,–,–,0,0
        "split, strict",mcdc,–,–,–,0,0
    "#]],
    );
    check(
        "14",
        "",
        expect![[r#"
        models,criterion,fulfilled,infeasible,unknown,of
        "given, strict",omcdc,63.33,35.67,1.00,3
        "given, strict",mcdc,85.00,14.00,1.00,2
        "inlined, strict",omcdc,40.00,59.00,1.00,1
        "inlined, strict",mcdc,–,–,–,0
        "split, strict",omcdc,40.00,59.00,1.00,1
        "split, strict",mcdc,–,–,–,0
    "#]],
    );
}

#[test]
fn table_15_compares_the_oracles() {
    check(
        "15",
        "",
        expect![[r#"
        models,criterion,change,of
        "given, strict",omcdc,97.35,3
        "given, strict",mcdc,95.92,2
        "inlined, strict",omcdc,96.72,1
        "inlined, strict",mcdc,–,0
        "split, strict",omcdc,95.12,1
        "split, strict",mcdc,–,0
    "#]],
    );
}

#[test]
fn table_16_compares_the_shapes() {
    check(
        "16",
        "",
        expect![[r#"
        from,masking,criterion,MX,MX of,OO,OO of
        given,strict,omcdc,-25.00,1,-24.69,1
        given,strict,mcdc,–,0,–,0
        split,strict,omcdc,50.00,1,48.78,1
        split,strict,mcdc,–,0,–,0
    "#]],
    );
}

#[test]
fn survivors_are_told_apart() {
    check(
        "",
        "survivors",
        expect![[r#"
        model,mutants,killed,added,equivalent,invalid,unknown,% before,% of non-equivalent before,% of non-equivalent after
        one,100,50,20,20,2,10,50.00,62.50,87.50
        all,100,50,20,20,2,10,50.00,62.50,87.50
    "#]],
    );
}

/// A run of a method that took so long and covered so much.
fn run(method: GenerationMethod, run: u64, seconds: f64, covered: usize) -> StudyCell {
    let mut cell = cell("one", ModelForm::Given, "omcdc", 40, covered);
    cell.case.method = method;
    cell.case.run = run;
    cell.outcome.seconds = seconds;
    cell.outcome.suites.truncate(1);
    cell
}

#[test]
fn the_tables_of_the_thesis_compare_means() {
    let incremental = (0..4).map(|at| run(GenerationMethod::Incremental, at, 1.0 + at as f64, 50));
    let regular =
        (0..4).map(|at| run(GenerationMethod::Regular, at, 5.0 + at as f64, 50 + at as usize));
    let cells = StudyCells(incremental.chain(regular).collect());
    let all: Vec<String> = tables::incremental(&cells).iter().map(Table::csv).collect();
    expect![[r#"
        model,incremental,regular,ratio %,out of time,p
        one,2.50,6.50,38.46,0,0.0286

        model,obligations,incremental,regular,p
        one,100,50.00,51.50,0.1429

        model,incremental,regular,p
        one,3.00,3.00,1.0000

        model,incremental,regular,p
        one,5.00,5.00,1.0000

        model,incremental,regular,p
        one,40.00,40.00,1.0000
    "#]]
    .assert_eq(&all.join("\n"));
}
