//! What became of mutants.

use super::expectations::expectations;
use provoke_base::table::{aligned, shortened};
use provoke_results::{MutantResult, MutantWord, Mutants, Mutate, OperatorResult, Word, percent};

/// How many survivors are listed for people.
const MAX_LISTED: usize = 20;

/// How long the text of a fault may be there.
const MAX_CHARACTERS: usize = 70;

/// All mutants, and how many of each operator.
pub fn mutants(result: &Mutants) -> String {
    let row = |mutant: &MutantResult| {
        let text = shortened(&mutant.text, MAX_CHARACTERS);
        vec![format!("  {}", mutant.id), text, mutant.reason.clone()]
    };
    let rows: Vec<Vec<String>> = result.results.iter().map(row).collect();
    let mut counts = vec![["operator", "mutants", "invalid"].map(String::from).to_vec()];
    let count = |operator: &OperatorResult| {
        let OperatorResult { operator, mutants, invalid, .. } = operator;
        vec![operator.to_string(), mutants.to_string(), invalid.to_string()]
    };
    counts.extend(result.operators.iter().map(count));
    counts.push(vec!["all".into(), result.mutants.to_string(), result.invalid.to_string()]);
    let heading = heading(&result.model, result.mutants, result.all);
    format!("{heading}\n{}\n{}", aligned(&rows), aligned(&counts))
}

fn heading(model: &str, mutants: usize, all: usize) -> String {
    match mutants == all {
        true => format!("{model}: {mutants} mutants"),
        false => format!("{model}: {mutants} of {all} mutants"),
    }
}

/// How many mutants are killed, by operator, and the survivors.
pub fn mutate(result: &Mutate) -> String {
    let heading = heading(&result.model, result.mutants, result.all);
    let mut text = format!(
        "{heading}, {} tests, {} steps, oracle {}\n\n{}",
        result.tests,
        result.steps,
        result.oracle,
        aligned(&numbers(result))
    );
    text += &survivors(result);
    text += &format!("\n{} % of the valid mutants are killed", result.percent);
    if result.equivalent > 0 {
        text += &format!(", {} % of those not equivalent", result.percent_nonequivalent);
    }
    text += &format!("; {} s\n", result.seconds);
    text += &super::numbers::numbers(result.numbers.as_ref(), &[]);
    if let Some(reason) = &result.numbers_reason {
        text += &format!("  proofs of equivalence hold for finite runs only: {reason}\n");
    }
    if !result.suite.is_empty() {
        text += &format!("{} tests added; written to {}\n", result.added, result.suite);
    }
    text + &expectations(&result.expectations, &result.differences)
}

fn numbers(result: &Mutate) -> Vec<Vec<String>> {
    let heading = ["operator", "mutants", "invalid", "killed", "equivalent", "survived", "%"];
    let row = |of: &OperatorResult| {
        let counts = [of.mutants, of.invalid, of.killed, of.equivalent, of.survived];
        let share = percent(of.killed, of.mutants - of.invalid);
        let cells = counts.iter().map(usize::to_string);
        [of.operator.to_string()].into_iter().chain(cells).chain([format!("{share:.2}")]).collect()
    };
    let all = OperatorResult {
        operator: "all".to_string(),
        mutants: result.mutants,
        invalid: result.invalid,
        killed: result.killed,
        equivalent: result.equivalent,
        survived: result.survived,
    };
    let mut rows = vec![heading.map(String::from).to_vec()];
    rows.extend(result.operators.iter().chain([&all]).map(row));
    rows
}

fn survivors(result: &Mutate) -> String {
    let survived = || result.results.iter().filter(|mutant| mutant.status == MutantWord::Survived);
    let row = |mutant: &MutantResult| {
        let stage = mutant.stage.map_or("", Word::word);
        let near = match (&mutant.test, mutant.step) {
            (Some(test), Some(step)) => format!("{stage} in {test}, step {step}"),
            _ => stage.to_string(),
        };
        let text = shortened(&mutant.text, MAX_CHARACTERS);
        vec![format!("  {}", mutant.id), text, near, mutant.reason.clone()]
    };
    let rows: Vec<Vec<String>> = survived().take(MAX_LISTED).map(row).collect();
    let more = survived().count() - rows.len();
    match (rows.is_empty(), more) {
        (true, _) => String::new(),
        (_, 0) => format!("\nsurvivors\n{}", aligned(&rows)),
        _ => format!(
            "\nsurvivors\n{}  ... and {more} more; --format json lists all\n",
            aligned(&rows)
        ),
    }
}
