//! Coverage for tools that read LCOV's tracefiles: lines, branches, and conditions of MC/DC.
//!
//! The conditions that begin on a line are a group. Several instances of a node are one text:
//! their counts are added.

use std::collections::BTreeMap;
use std::fmt::Write;

use provoke_results::{Evidence, Generation, KindWord, ObligationEvidence, Report, StateWord};

/// One record for each run of `generate`.
pub fn lcov(report: &Report) -> String {
    let generation = |evidence: &Evidence| match evidence {
        Evidence::Generate(generation) => Some(record(generation)),
        _ => None,
    };
    report.evidence.iter().filter_map(generation).collect()
}

/// The conditions or branches of a line by their places: how often each outcome is covered.
type Line<'a> = BTreeMap<(usize, usize), (&'a str, [usize; 2])>;

fn record(generation: &Generation) -> String {
    let infeasible =
        generation.obligations.iter().filter(|o| o.state == StateWord::Infeasible).count();
    let mut text = String::new();
    if infeasible > 0 {
        let _ = writeln!(
            text,
            "# {infeasible} obligations are proven infeasible; here they count as not taken"
        );
    }
    let _ = writeln!(text, "TN:{}\nSF:{}", generation.node.replace(',', "_"), generation.model);
    text += &branches(&lines(generation, |o| o.kind == KindWord::Branch));
    text += &conditions(&lines(generation, |o| o.criterion.ends_with("mcdc")));
    let all = lines(generation, |o| o.kind != KindWord::Property);
    let mut hit = 0;
    for (line, places) in &all {
        let count: usize = places.values().map(|(_, counts)| counts.iter().sum::<usize>()).sum();
        hit += usize::from(count > 0);
        let _ = writeln!(text, "DA:{line},{count}");
    }
    let _ = writeln!(text, "LF:{}\nLH:{hit}\nend_of_record", all.len());
    text
}

fn lines(
    generation: &Generation,
    wanted: impl Fn(&ObligationEvidence) -> bool,
) -> BTreeMap<usize, Line<'_>> {
    let mut lines: BTreeMap<usize, Line<'_>> = BTreeMap::new();
    for obligation in generation.obligations.iter().filter(|obligation| wanted(obligation)) {
        let line = lines.entry(obligation.line).or_default();
        let place = (obligation.start, obligation.end);
        let (_, counts) = line.entry(place).or_insert((&obligation.expression, [0, 0]));
        let plain = !obligation.criterion.starts_with('o');
        let taken = obligation.state == StateWord::Visible
            || (plain && obligation.state == StateWord::Masked);
        counts[usize::from(!obligation.outcome)] += usize::from(taken);
    }
    lines
}

fn branches(lines: &BTreeMap<usize, Line<'_>>) -> String {
    let mut text = String::new();
    let (mut found, mut hit) = (0, 0);
    for (line, places) in lines {
        for (block, (_, counts)) in places.values().enumerate() {
            for (branch, count) in counts.iter().enumerate() {
                found += 1;
                hit += usize::from(*count > 0);
                let _ = writeln!(text, "BRDA:{line},{block},{branch},{count}");
            }
        }
    }
    if found > 0 {
        let _ = writeln!(text, "BRF:{found}\nBRH:{hit}");
    }
    text
}

fn conditions(lines: &BTreeMap<usize, Line<'_>>) -> String {
    let mut text = String::new();
    let (mut found, mut hit) = (0, 0);
    for (line, places) in lines {
        let size = places.len();
        for (index, (expression, counts)) in places.values().enumerate() {
            for (sense, count) in ['t', 'f'].into_iter().zip(counts) {
                found += 1;
                hit += usize::from(*count > 0);
                let expression = expression.replace('\n', " ");
                let _ = writeln!(text, "MCDC:{line},{size},{sense},{count},{index},{expression}");
            }
        }
    }
    if found > 0 {
        let _ = writeln!(text, "MCF:{found}\nMCH:{hit}");
    }
    text
}
