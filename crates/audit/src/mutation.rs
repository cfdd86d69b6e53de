//! Mutants as edits of the model's text, read and run again.

use provoke_base::SourceFile;
use provoke_lustre::tree;
use provoke_model::Value;

use crate::coverage::certainly_differ;
use crate::evaluator::Evaluator;
use crate::folder::MutantVerdict;
use crate::instances::{Model, Named};

/// The model with the mutant's change; why not, if it is none.
pub(crate) fn mutated(
    text: &str,
    main: &str,
    assumptions: &[String],
    mutant: &MutantVerdict,
) -> Result<Model, String> {
    let replacement = mutant.replacement.as_ref().ok_or("the change is not written down")?;
    let start = offset(text, mutant.line, mutant.column).ok_or("its place is not in the model")?;
    let end =
        offset(text, mutant.end_line, mutant.end_column).ok_or("its end is not in the model")?;
    if start > end {
        return Err("it ends before it starts".to_string());
    }
    let changed = format!("{}{replacement}{}", &text[..start], &text[end..]);
    let file = SourceFile::new("mutant", changed);
    let tree = tree::read(&file, Some(main), assumptions).map_err(|errors| {
        let first = errors.first().map_or("errors", |error| error.message.as_str());
        format!("its text is no model: {first}")
    })?;
    Model::new(tree).map_err(|too_large| too_large.what)
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
