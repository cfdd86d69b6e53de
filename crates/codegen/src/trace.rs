//! From the lines of the code back to the model.

use crate::Code;
use crate::support::Support;

/// What a line of the code belongs to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CodeLine {
    /// The function it is in; empty outside of all.
    pub function: String,
    /// The line of the model that it computes, counted from 1.
    pub model_line: Option<usize>,
    /// What the function is for, if no model asks for it by name.
    pub purpose: Option<&'static str>,
}

/// What each line of `NAME.c` belongs to: the remarks in it name lines of the model.
pub fn trace(code: &Code) -> Vec<CodeLine> {
    let mut lines = Vec::new();
    let mut at = CodeLine::default();
    for line in code.source.lines() {
        if let Some(function) = defined_function(line) {
            let purpose = Support::named(&function, &code.name).map(Support::purpose);
            at = CodeLine { function, model_line: None, purpose };
        }
        at.model_line = remarked_line(line).or(at.model_line);
        lines.push(at.clone());
        if line == "}" {
            at = CodeLine::default();
        }
    }
    lines
}

/// The name of a function that a line begins to define.
fn defined_function(line: &str) -> Option<String> {
    if !line.starts_with("static ") && !line.starts_with("void ") {
        return None;
    }
    let before = line.split_once('(')?.0;
    before.rsplit([' ', '*']).next().map(str::to_string)
}

/// The line of the model that a remark names at its end, as in `/* wiper.lus:73 */`.
fn remarked_line(line: &str) -> Option<usize> {
    let remark = line.trim_end().strip_suffix(" */")?;
    remark.rsplit_once(':')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_belongs_to_the_function_and_the_equation_above_it() {
        let source = "/* Node f, m.lus:4 */\nstatic bool m_f(bool x)\n{\n    bool y; /* m.lus:7 */\n    \
                      if (x) {\n    }\n}\n\nstatic int64_t m_div(int64_t a, int64_t b)\n{\n    if (b == 0) {\n}\n";
        let code = Code { source: source.to_string(), name: "m".to_string(), ..Code::default() };
        let lines = trace(&code);
        assert_eq!((lines[4].function.as_str(), lines[4].model_line), ("m_f", Some(7)));
        assert_eq!(lines[2].model_line, None);
        assert_eq!(lines[10].purpose, Some(Support::Div.purpose()));
    }

    #[test]
    fn a_name_says_which_function_it_is() {
        assert_eq!(Support::named("m_floor32", "m"), Some(Support::Floor));
        assert_eq!(Support::named("m_add_2", "m"), None);
    }
}
