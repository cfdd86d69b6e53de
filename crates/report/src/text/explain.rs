//! An obligation explained.

use provoke_results::{KindWord, ObligationEvidence, StateWord, Word};

/// What an obligation asks for, and what became of it.
pub fn explain(obligation: &ObligationEvidence) -> String {
    let state = match (obligation.kind, obligation.state) {
        (KindWord::Property, StateWord::Visible) => "violated",
        (KindWord::Property, StateWord::Infeasible) => "holds",
        (_, state) => state.word(),
    };
    let mut text = format!("{}: {state}\n", obligation.id);
    for sentence in &obligation.says {
        text += &wrapped(sentence);
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
