//! What the demonstration tells.

use provoke_base::table::aligned;
use provoke_results::{MutantResult, MutantWord, Mutate, StageWord};

/// How many faults two suites see, side by side.
pub fn demo_scores(plain: &Mutate, observable: &Mutate) -> String {
    let row = |name: &str, result: &Mutate| {
        let cells = [name, &result.tests.to_string(), &result.steps.to_string()];
        let cells = cells.map(|cell| format!("   {cell}"));
        [cells.to_vec(), vec![format!("   {:.1} %", result.percent)]].concat()
    };
    let heading = ["   tests for", "   tests", "   steps", "   faults seen"].map(String::from);
    let rows = [heading.to_vec(), row("MC/DC", plain), row("observable MC/DC", observable)];
    format!("\n{}", aligned(&rows))
}

/// A fault that tests for MC/DC let change the state without any output showing it, and that tests
/// for observable MC/DC see.
pub fn demo_fault<'a>(
    plain: &'a Mutate,
    observable: &'a Mutate,
) -> Option<(&'a MutantResult, &'a MutantResult)> {
    let is_masked = |mutant: &&MutantResult| {
        matches!(mutant.stage, Some(StageWord::Infected | StageWord::Propagated))
    };
    let seen = |missed: &'a MutantResult| {
        let same = observable.results.iter().find(|mutant| mutant.id == missed.id)?;
        (same.status == MutantWord::Killed).then_some((missed, same))
    };
    let found: Vec<_> = plain.results.iter().filter(is_masked).filter_map(seen).collect();
    // A wrong operator is understood at a glance.
    let simple = ["relational", "boolean", "negation"];
    let best = found.iter().find(|(mutant, _)| simple.contains(&mutant.operator.as_str()));
    best.or(found.first()).copied()
}

/// Why one suite misses a fault that the other sees.
pub fn demo_explanation(missed: &MutantResult, seen: &MutantResult) -> String {
    let test = |mutant: &MutantResult| mutant.test.clone().unwrap_or_default();
    let step = |mutant: &MutantResult| mutant.step.unwrap_or_default();
    format!(
        "\nA fault that MC/DC misses: {}\n   Its tests run into it (test {}, step {}), but what goes \
         wrong is masked on the way\n   to the outputs. Test {} of the observable suite sees it in \
         step {}.\n",
        missed.text,
        test(missed),
        step(missed),
        test(seen),
        step(seen)
    )
}
