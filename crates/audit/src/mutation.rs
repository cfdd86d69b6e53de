//! Mutants as edits of the model's text, read and run again.

use std::ops::Range;

use provoke_base::SourceFile;
use provoke_lustre::tree;
use provoke_model::Value;

use crate::coverage::certainly_differ;
use crate::evaluator::Evaluator;
use crate::folder::{MutantVerdict, Piece};
use crate::instances::{Model, Named};

/// The model with the mutant's change; why not, if it is none.
pub(crate) fn mutated(
    text: &str,
    main: &str,
    assumptions: &[String],
    mutant: &MutantVerdict,
) -> Result<Model, String> {
    let replacement = replacement(text, mutant).ok_or("the change is not written down")?;
    let place = place(text, mutant)?;
    let changed = format!("{}{replacement}{}", &text[..place.start], &text[place.end..]);
    let file = SourceFile::new("mutant", changed);
    let tree = tree::read(&file, Some(main), assumptions).map_err(|errors| {
        let first = errors.first().map_or("errors", |error| error.message.as_str());
        format!("its text is no model: {first}")
    })?;
    Model::new(tree).map_err(|too_large| too_large.what)
}

/// Whether a mutant's text reads as the model does: no fault at all.
pub(crate) fn changes_nothing(text: &str, mutant: &MutantVerdict) -> bool {
    match (place(text, mutant), replacement(text, mutant)) {
        (Ok(place), Some(replacement)) => bare(&text[place]) == bare(&replacement),
        _ => false,
    }
}

/// An expression without the parentheses around all of it.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    match inside {
        Some(inside) if is_closed(inside) => bare(inside),
        _ => text,
    }
}

/// Whether every parenthesis that closes was opened before.
fn is_closed(text: &str) -> bool {
    let mut open = 0_usize;
    text.chars().all(|c| match c {
        '(' => {
            open += 1;
            true
        }
        ')' => {
            let was_open = open > 0;
            open = open.saturating_sub(1);
            was_open
        }
        _ => true,
    })
}

/// What a mutant replaces.
fn place(text: &str, mutant: &MutantVerdict) -> Result<Range<usize>, String> {
    let start = offset(text, mutant.line, mutant.column).ok_or("its place is not in the model")?;
    let end =
        offset(text, mutant.end_line, mutant.end_column).ok_or("its end is not in the model")?;
    match start <= end {
        true => Ok(start..end),
        false => Err("it ends before it starts".to_string()),
    }
}

/// What stands at the mutant's place; `None` if that is not said, or not by places in the text.
fn replacement(text: &str, mutant: &MutantVerdict) -> Option<String> {
    if mutant.pieces.is_empty() {
        return mutant.replacement.clone();
    }
    let piece = |piece: &Piece| match piece {
        Piece::New { text } => Some(text.clone()),
        Piece::Written { from, to } => text.get(*from..*to).map(str::to_string),
    };
    mutant.pieces.iter().map(piece).collect()
}

/// The byte at a line and column, both counted from 1.
fn offset(text: &str, line: usize, column: usize) -> Option<usize> {
    let start = match line.checked_sub(1)? {
        0 => 0,
        before => text.match_indices('\n').nth(before - 1)?.0 + 1,
    };
    let rest = &text[start..];
    let mut places = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    let at = places.nth(column.checked_sub(1)?)?;
    (!rest[..at].contains('\n')).then_some(start + at)
}

/// The first step in which what is monitored certainly differs, counted from 1. Steps after a
/// fault of either are none.
pub(crate) fn first_difference(
    model: &Model,
    mutant: &Model,
    monitored: &[String],
    steps: &[&[Value]],
) -> Option<usize> {
    let find = |model: &Model| -> Option<Vec<Named>> {
        monitored.iter().map(|name| model.named(name)).collect()
    };
    let (ours, theirs) = (find(model)?, find(mutant)?);
    let (mut original, mut changed) = (Evaluator::new(model), Evaluator::new(mutant));
    for (at, inputs) in steps.iter().enumerate() {
        original.compute(inputs).ok()?;
        changed.compute(inputs).ok()?;
        let differ = |(one, other): (&Named, &Named)| {
            certainly_differ(&original.named(*one), &changed.named(*other))
        };
        if ours.iter().zip(&theirs).any(differ) {
            return Some(at + 1);
        }
        original.advance();
        changed.advance();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(column: usize, end_column: usize, replacement: &str) -> MutantVerdict {
        MutantVerdict {
            id: "o:logical:1:or".to_string(),
            operator: "logical".to_string(),
            line: 1,
            column,
            end_line: 1,
            end_column,
            replacement: Some(replacement.to_string()),
            pieces: Vec::new(),
            status: "equivalent".to_string(),
            test: None,
            step: None,
            killed_by: None,
        }
    }

    #[test]
    fn a_mutant_with_the_text_of_the_model_changes_nothing() {
        let text = "o = (a) and (b);";
        for same in ["(a) and (b)", " ((a) and (b)) "] {
            assert!(changes_nothing(text, &mutant(5, 16, same)), "{same}");
        }
        for other in ["(a) or (b)", "a) and (b", ""] {
            assert!(!changes_nothing(text, &mutant(5, 16, other)), "{other}");
        }
    }
}
