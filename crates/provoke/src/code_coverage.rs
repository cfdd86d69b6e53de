//! What a suite covers of the C code of a model, by lines of both.

use std::path::Path;

use provoke_base::{Error, SourceFile};
use provoke_codegen::{Code, CodeLine, trace};
use provoke_mine::coverage::{CoverageCount, CoverageGap, Lack, of_replay};
use provoke_results::{CodeGap, CodeShare, LackWord, ReplayedCode, percent};

/// Builds the code in a folder with the program that replays a suite on it, runs it, and says what of the
/// code was covered.
pub(crate) fn replayed_code(
    folder: &Path,
    code: &Code,
    file: &SourceFile,
) -> Result<ReplayedCode, Error> {
    let measured = of_replay(folder, &code.name)?;
    let lines = trace(code);
    let gaps = measured.coverage.gaps.iter().map(|gap| described(gap, &lines, file));
    let mut gaps: Vec<CodeGap> = gaps.collect();
    gaps.sort_by_key(|gap| (gap.line, gap.condition.clone(), gap.lack));
    Ok(ReplayedCode {
        tool: measured.coverage.tool.to_string(),
        passed: measured.passed,
        said: measured.said,
        branches: share(measured.coverage.outcomes),
        mcdc: share(measured.coverage.mcdc.unwrap_or_default()),
        gaps,
    })
}

fn share(count: CoverageCount) -> CodeShare {
    let CoverageCount { total, covered } = count;
    CodeShare { total, covered, percent: percent(covered, total) }
}

fn described(gap: &CoverageGap, lines: &[CodeLine], file: &SourceFile) -> CodeGap {
    let at = lines.get(gap.line.saturating_sub(1)).cloned().unwrap_or_default();
    let written = at.model_line.and_then(|line| file.text.lines().nth(line - 1)).unwrap_or("");
    let reason = at.purpose.or_else(|| known_reason(&gap.text, written));
    CodeGap {
        line: gap.line,
        function: at.function,
        model_line: at.model_line,
        condition: without_parentheses(&gap.text).to_string(),
        lack: match gap.lack {
            Lack::True => LackWord::True,
            Lack::False => LackWord::False,
            Lack::Independence => LackWord::Independence,
        },
        reason: reason.map(str::to_string),
    }
}

/// A condition without parentheses around all of it.
fn without_parentheses(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return text;
    };
    let mut depth = 0_usize;
    let closes_early = inner.chars().any(|letter| match letter {
        '(' => {
            depth += 1;
            false
        }
        ')' if depth == 0 => true,
        ')' => {
            depth -= 1;
            false
        }
        _ => false,
    });
    if closes_early { text } else { without_parentheses(inner) }
}

/// Why the code has a condition that is not written so in the model.
fn known_reason(condition: &str, written: &str) -> Option<&'static str> {
    let condition = condition.trim_matches(['(', ')', ' ']);
    let compared = condition.rsplit_once(" == ").map(|(_, number)| number);
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if condition == "state->first" {
        Some("tells the first step from the others: `->`")
    } else if condition == "active" || condition.ends_with("_active") {
        Some("is the clock of a node: `condact`")
    } else if compared.is_some_and(is_number) && written.contains('[') {
        Some("chooses an element of an array")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_around_a_whole_condition_are_left_out() {
        assert_eq!(without_parentheses("((a > 3))"), "a > 3");
        assert_eq!(without_parentheses("(a) == (b)"), "(a) == (b)");
    }

    #[test]
    fn conditions_that_only_the_code_has_are_explained() {
        assert!(known_reason("state->first", "y = 0 -> pre x;").is_some());
        assert!(known_reason("(in->k == 1)", "y = v[k];").is_some());
        assert_eq!(known_reason("in->k == 1", "y = if k = 1 then 2 else 3;"), None);
        assert_eq!(known_reason("a && b", "y = a and b;"), None);
    }
}
