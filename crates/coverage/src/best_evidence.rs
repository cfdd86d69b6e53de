//! What became of obligations in the tests that say most about them.

use std::collections::BTreeMap;

use provoke_base::table::shortened;
use provoke_base::{SourceFile, Span};
use provoke_criteria::{
    EffectFate, Masking, Obligation, Oracle, SuiteCoverage, TagFollower, TagLoss, TestMoment,
    WhyNot,
};
use provoke_model::{System, Value};

/// The fate of each obligation that was exercised at all.
pub fn fates(
    system: &System,
    masking: Masking,
    oracle: &Oracle,
    obligations: &[Obligation],
    tests: &[Vec<Vec<Value>>],
    coverage: &SuiteCoverage,
) -> Vec<Option<EffectFate>> {
    let mut by_test: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (position, status) in coverage.statuses.iter().enumerate() {
        let telling = match status.why_not() {
            None => status.covered,
            Some(WhyNot::TooLate(moment) | WhyNot::Masked(moment)) => Some(moment),
            Some(WhyNot::NeverReached) => None,
        };
        if let Some(TestMoment { test, .. }) = telling {
            by_test.entry(test).or_default().push(position);
        }
    }
    let mut follower = TagFollower::new(system, masking, oracle);
    let mut fates = vec![None; coverage.total()];
    for (test, positions) in by_test {
        let asked = positions.iter().map(|position| &obligations[*position]);
        let found = follower.follow(asked, &tests[test]);
        for (position, fate) in positions.into_iter().zip(found) {
            fates[position] = Some(fate);
        }
    }
    fates
}

/// Where the last tag ended, and the same in words.
pub struct EffectEnding {
    /// The line.
    pub line: usize,
    /// What happened there.
    pub words: String,
}

/// The place at which the last tag ended, if it is known.
pub fn ending(file: &SourceFile, system: &System, losses: &[TagLoss]) -> Option<EffectEnding> {
    let line = |span: Span| file.line_column(span.start).line;
    match losses.last()? {
        TagLoss::Masked { operator, operand } => {
            let span = system.exprs[*operand].span;
            let text = shortened(file.slice(span), 30);
            let at = line(system.exprs[*operator].span);
            let words =
                format!("reached but masked at line {at}, where `{text}` is without effect");
            Some(EffectEnding { line: line(span), words })
        }
        TagLoss::Unused(var) => {
            let var = &system.vars[*var];
            let name = &var.name;
            let words = format!("reached, but nothing uses `{name}` and it is not monitored");
            Some(EffectEnding { line: line(var.span), words })
        }
    }
}
