//! Where a text computes the index of an array, and how many elements the array has.

use provoke_base::{SourceFile, Span};

use crate::assume::Extended;
use crate::ast::AstExprKind;
use crate::check;
use crate::report::Report;
use crate::types::TypeForm;

/// An access to an array with an index that need not be a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrayAccess {
    /// Where it is written; the flat system compares the index with positions at this place.
    pub span: Span,
    /// How many elements the array has.
    pub size: usize,
}

/// All accesses to arrays that a text has; none if it is no model.
pub fn array_accesses(file: &SourceFile) -> Vec<ArrayAccess> {
    let mut report = Report::default();
    let Some((program, _)) = crate::syntax(&Extended::plain(file), None, &mut report) else {
        return Vec::new();
    };
    let checked = check::check(&program, &mut report);
    let access = |expr: &crate::ast::AstExpr| {
        let (AstExprKind::Index(array, _) | AstExprKind::WithIndex(array, ..)) = &expr.kind else {
            return None;
        };
        match checked.types.form(checked.expr_types[*array]) {
            TypeForm::Array(_, size) => Some(ArrayAccess { span: expr.span, size: *size }),
            _ => None,
        }
    };
    program.exprs.iter().filter_map(access).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_updates_are_accesses() {
        let text = "node main(i: int) returns (x: int);
var a: int^3;
let
  a = [1, 2, 3][i := 7];
  x = a[i];
tel
";
        let file = SourceFile::new("main.lus", text);
        let found = array_accesses(&file);
        let shown: Vec<(&str, usize)> =
            found.iter().map(|access| (file.slice(access.span), access.size)).collect();
        assert_eq!(shown, [("[1, 2, 3][i := 7]", 3), ("a[i]", 3)]);
    }
}
