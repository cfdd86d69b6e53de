//! Statements as lines that fit a screen.

/// How long a line may be; only a name that is longer than this makes a longer one.
const WIDTH: usize = 100;

/// The operators that a line may be broken before.
const OPERATORS: [&str; 16] = [
    " ? ", " : ", " || ", " && ", " == ", " != ", " <= ", " >= ", " < ", " > ", " + ", " - ",
    " * ", " / ", " = ", " % ",
];

/// A statement with what is to be said about it: behind it if there is room, else above it.
pub(crate) fn remarked(indent: usize, statement: &str, comment: &str) -> String {
    let margin = " ".repeat(indent);
    let lines = folded(indent, statement);
    if comment.is_empty() {
        return lines;
    }
    let is_one_line = lines.trim_end().lines().count() == 1;
    if is_one_line && indent + statement.len() + comment.len() + 7 <= WIDTH {
        return format!("{margin}{statement} /* {comment} */\n");
    }
    format!("{margin}/* {comment} */\n{lines}")
}

/// A statement in as many lines as it needs.
pub(crate) fn folded(indent: usize, statement: &str) -> String {
    let mut lines = Vec::new();
    match statement.split_once(" = ") {
        // What is assigned is easiest to read below its name.
        Some((name, value)) if indent + statement.len() > WIDTH && !name.contains('(') => {
            lines.push((indent, format!("{name} =")));
            fold(indent + 4, value, &mut lines);
        }
        _ => fold(indent, statement, &mut lines),
    }
    lines.iter().map(|(indent, line)| format!("{}{line}\n", " ".repeat(*indent))).collect()
}

/// Whether a line has room for a text.
pub(crate) fn fits(indent: usize, text: &str) -> bool {
    indent + text.len() <= WIDTH
}

/// Breaks a text at the operators outside of all parentheses, or, if there are none, inside its last
/// ones; and so on with the parts.
fn fold(indent: usize, text: &str, lines: &mut Vec<(usize, String)>) {
    if fits(indent, text) {
        return lines.push((indent, text.to_string()));
    }
    let parts = parts(text);
    if parts.len() > 1 {
        let lists = if parts[0].ends_with(',') { filled(indent, &parts) } else { Vec::new() };
        let parts = parts.iter().map(|part| part.to_string());
        let parts: Vec<String> = if lists.is_empty() { parts.collect() } else { lists };
        return parts.into_iter().for_each(|part| fold_part(indent, &part, lines));
    }
    fold_part(indent, text, lines);
}

/// The items of a list, as many in a line as there is room for.
fn filled(indent: usize, items: &[&str]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line) if fits(indent, line) && indent + line.len() + item.len() < WIDTH => {
                line.push(' ');
                line.push_str(item);
            }
            _ => lines.push(item.to_string()),
        }
    }
    lines
}

/// Breaks a text that has nothing to be broken at outside of its parentheses.
fn fold_part(indent: usize, text: &str, lines: &mut Vec<(usize, String)>) {
    if fits(indent, text) {
        return lines.push((indent, text.to_string()));
    }
    let Some((open, close)) = outermost(text) else {
        return lines.push((indent, text.to_string()));
    };
    lines.push((indent, text[..=open].to_string()));
    fold(indent + 4, &text[open + 1..close], lines);
    if let Some((_, last)) = lines.last_mut() {
        last.push_str(&text[close..]);
    }
}

/// The parts of a text between commas, else between operators, outside of all parentheses.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let (mut commas, mut operators) = (Vec::new(), Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => commas.push(at + 1),
            b' ' if depth == 0 => {
                // Texts of C are ASCII, but for comments, which are not folded.
                let rest = text.get(at..).unwrap_or_default();
                if OPERATORS.iter().any(|operator| rest.starts_with(operator)) {
                    operators.push(at + 1);
                }
            }
            _ => {}
        }
    }
    let breaks = if commas.is_empty() { operators } else { commas };
    let mut parts = Vec::new();
    let mut from = 0;
    for at in breaks.into_iter().chain([text.len()]) {
        parts.push(text[from..at].trim());
        from = at;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The places of the last parentheses that are inside no others.
fn outermost(text: &str) -> Option<(usize, usize)> {
    let close = text.rfind(')')?;
    let mut depth = 0_usize;
    for (at, byte) in text.as_bytes()[..=close].iter().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' if depth == 1 => return (at + 1 < close).then_some((at, close)),
            b'(' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_statement_has_its_remark_behind_it() {
        assert_eq!(remarked(4, "x = y;", "m.lus:3"), "    x = y; /* m.lus:3 */\n");
    }

    #[test]
    fn a_long_expression_is_broken_before_its_operators() {
        let operand = "a_signal_with_a_name_of_medium_length";
        let text = format!("const bool x = {operand} && ({operand} || !{operand}) && {operand};");
        let expected = format!(
            "    /* m.lus:3 */\n    const bool x =\n        {operand}\n        \
             && ({operand} || !{operand})\n        && {operand};\n"
        );
        assert_eq!(remarked(4, &text, "m.lus:3"), expected);
    }

    #[test]
    fn arguments_of_a_call_fill_lines() {
        let name = "n".repeat(60);
        let text = format!("f(&state->x, {name}, {name}, y);");
        let expected = format!("    f(\n        &state->x, {name},\n        {name}, y);\n");
        assert_eq!(folded(4, &text), expected);
    }
}
