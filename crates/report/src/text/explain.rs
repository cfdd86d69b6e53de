//! An obligation explained.

use provoke_results::ObligationEvidence;

use super::property;

/// What an obligation asks for, and what became of it; `folder` is where the tests are.
pub fn explain(obligation: &ObligationEvidence, folder: &str) -> String {
    let mut text = format!("{}: {}\n", obligation.id, obligation.state);
    for sentence in &obligation.says {
        text += &wrapped(sentence);
    }
    let property = obligation.property.as_ref();
    if let Some(counterexample) = property.and_then(|property| property.counterexample.as_ref()) {
        let suite = format!("{folder}/suite.json");
        text += &property::table(&obligation.id, counterexample, &suite);
    }
    text
}

/// A sentence in lines that a terminal has room for.
fn wrapped(sentence: &str) -> String {
    const WIDTH: usize = 96;
    let mut text = String::new();
    let mut line = String::from(" ");
    for word in sentence.split_whitespace() {
        if line.chars().count() + word.chars().count() >= WIDTH && line.trim() != "" {
            text += &format!("{line}\n");
            line = String::from(" ");
        }
        line += &format!(" {word}");
    }
    text + &line + "\n"
}
