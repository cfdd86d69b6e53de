//! Operations that go wrong whenever they are computed, as intervals say without a solver.

use provoke_analysis::Interval;
use provoke_analysis::ranges::ranges;
use provoke_base::{Diagnostic, IndexVec, Int, SourceFile};
use provoke_criteria::design::{Site, index_at};
use provoke_criteria::{DesignError, DesignErrorKind, design_errors};
use provoke_model::{ExprId, ExprKind, Range, System, Type};

use crate::design::array_sizes;
use crate::options::{MachineNumbers, WorkOptions};

/// A warning for each operation that is sure to go wrong where it is computed. What only may go wrong
/// is for provers: a good model is not warned of.
pub(crate) fn surely_wrong(file: &SourceFile, system: &System) -> Vec<Diagnostic> {
    let sizes = array_sizes(file, &WorkOptions::default());
    let mut errors = design_errors(system, &MachineNumbers::default().limits(), &sizes);
    errors.retain(|error| is_seen_by_intervals(error.kind));
    if errors.is_empty() {
        return Vec::new();
    }
    let bounds = ranges(system);
    let is_sure = |error: &&DesignError| {
        error.sites.iter().any(|site| {
            let found = looked_at(system, error.kind, *site, &sizes);
            found.is_some_and(|(expr, allowed)| is_outside(&bounds, expr, &allowed))
        })
    };
    errors.iter().filter(is_sure).map(warning).collect()
}

fn is_seen_by_intervals(kind: DesignErrorKind) -> bool {
    use DesignErrorKind::{DivisionByZero, Index, Range};
    matches!(kind, DivisionByZero | Index | Range)
}

/// What is looked at, and where it must be; for a divisor, where it must not be.
enum Wanted {
    Inside(Range),
    NotZero,
}

fn looked_at(
    system: &System,
    kind: DesignErrorKind,
    site: Site,
    sizes: &provoke_criteria::design::ArraySizes,
) -> Option<(ExprId, Wanted)> {
    match (kind, site) {
        (DesignErrorKind::DivisionByZero, Site::Expr(expr)) => match system.exprs[expr].kind {
            ExprKind::Binary(_, _, by) if system.exprs[by].ty == Type::Int => {
                Some((by, Wanted::NotZero))
            }
            _ => None,
        },
        (DesignErrorKind::Index, Site::Expr(expr)) => {
            let (index, size) = index_at(system, expr, sizes)?;
            let range = Range { low: Int::ZERO, high: Int::from(size as i64 - 1) };
            Some((index, Wanted::Inside(range)))
        }
        (DesignErrorKind::Range, Site::Var(var)) => {
            let equation = system.equations.iter().find(|equation| equation.var == var)?;
            Some((equation.expr, Wanted::Inside(system.vars[var].range.clone()?)))
        }
        _ => None,
    }
}

/// Whether an expression is computed at all, and never as it must be.
fn is_outside(bounds: &IndexVec<ExprId, Interval>, expr: ExprId, wanted: &Wanted) -> bool {
    let found = bounds[expr];
    // Bounds that are everything may have wrapped: nothing is sure then.
    if found.is_none() || found == Interval::ALL {
        return false;
    }
    match wanted {
        Wanted::NotZero => found == Interval::only(0),
        Wanted::Inside(range) => {
            let bound = |int: &Int, otherwise: i64| i128::from(int.to_i64().unwrap_or(otherwise));
            let low = bound(&range.low, i64::MIN);
            let high = bound(&range.high, i64::MAX);
            found.high < low || high < found.low
        }
    }
}

fn warning(error: &DesignError) -> Diagnostic {
    let (what, help) = match error.kind {
        DesignErrorKind::DivisionByZero => {
            ("this always divides by zero", "a run ends in the step that computes it")
        }
        DesignErrorKind::Index => {
            ("this index is always outside the array", "the array has fewer elements")
        }
        _ => (
            "this variable is always outside its subrange",
            "its equation never gives a value of its type",
        ),
    };
    Diagnostic::warning("design-error", error.span, what).label("goes wrong").help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warnings(text: &str) -> Vec<String> {
        let file = SourceFile::new("main.lus", text);
        let system = provoke_lustre::load(&file, None).system.expect("a correct model");
        surely_wrong(&file, &system).into_iter().map(|warning| warning.message).collect()
    }

    #[test]
    fn only_what_is_sure_to_go_wrong_is_warned_of() {
        let text = "node main(a, d: int) returns (x, y: int);
var z: subrange [0, 5] of int; t: int^2;
let
  t = [a, d];
  x = a div d + t[a];
  z = 3;
  y = if d > 0 then a mod d else 0;
tel
";
        assert!(warnings(text).is_empty());
    }

    #[test]
    fn divisions_by_zero_indices_and_subranges_are_warned_of() {
        let text = "node main(a: subrange [3, 9] of int) returns (x, y: int);
var z: subrange [0, 2] of int; t: int^2;
let
  t = [1, 2];
  x = a div (0 -> 0 * pre a);
  y = t[a];
  z = a;
tel
";
        let expected = [
            "this always divides by zero",
            "this index is always outside the array",
            "this variable is always outside its subrange",
        ];
        let mut found = warnings(text);
        found.sort();
        assert_eq!(found, expected);
    }
}
