//! A `merge` has one case for each value of its clock.

use provoke_base::Diagnostic;

use super::Checker;
use crate::types::TypeForm;

impl Checker<'_, '_> {
    /// Checks the cases of every `merge`.
    pub(super) fn merges(&mut self) {
        if self.report.has_errors() {
            return;
        }
        for merge in &self.program.merges {
            let values: Vec<String> = match self.types.form(self.expr_types[merge.clock]) {
                TypeForm::Enum(id) => self.types.enums[*id].constants.clone(),
                TypeForm::Bool => vec!["true".to_string(), "false".to_string()],
                _ => {
                    let message = "the cases of this `merge` cannot be checked";
                    let error = Diagnostic::error("unsupported", merge.span, message);
                    let help = "merge in a node, by a Boolean or an enumeration";
                    self.report.add(error.label("in an imported contract").help(help));
                    continue;
                }
            };
            let has_case = |value: &String| merge.cases.iter().any(|case| *case.text == **value);
            if let Some(foreign) =
                merge.cases.iter().find(|case| !values.iter().any(|value| **value == *case.text))
            {
                let message = format!("`{}` is no value of the clock", foreign.text);
                let error = Diagnostic::error("merge-cases", foreign.span, message);
                let help = format!("its values are `{}`", values.join("`, `"));
                self.report.add(error.label("no such value").help(help));
            } else if let Some(missing) = values.iter().find(|value| !has_case(value)) {
                let message = format!("this `merge` has no case for `{missing}`");
                let error = Diagnostic::error("merge-cases", merge.span, message);
                self.report.add(error.label("incomplete"));
            }
        }
    }
}
