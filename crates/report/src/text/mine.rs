//! What was found out about a program.

use provoke_base::table::aligned;
use provoke_results::{ClosureWord, IsolationWord, Mine, MinedCount, percent};

/// More lines of a kind hide what matters.
const MAX_LISTED: usize = 12;

fn listed(text: &mut String, lines: &[String], where_else: &str) {
    for line in lines.iter().take(MAX_LISTED) {
        *text += &format!("  {line}\n");
    }
    if lines.len() > MAX_LISTED {
        *text += &format!("  ... and {} more: {where_else}\n", lines.len() - MAX_LISTED);
    }
}

/// The result for people.
pub fn mine(result: &Mine) -> String {
    let mut rows = vec![
        vec![
            "tests".to_string(),
            format!(
                "{} with {} vectors (before reduction {} with {})",
                result.tests, result.vectors, result.before.tests, result.before.vectors
            ),
        ],
        vec![
            "search".to_string(),
            format!(
                "{}, {} states, {} steps in {:.1} s, as {}",
                result.method, result.states, result.steps, result.seconds, result.isolation
            ),
        ],
    ];
    let closed = match result.closure {
        ClosureWord::Open => "open: there may be more".to_string(),
        ClosureWord::Values => {
            format!("closed over the values that were tried: {} states", result.states)
        }
        ClosureWord::Proven => format!("closed: {} states, ceiling proven", result.states),
    };
    rows.push(vec!["reach".to_string(), closed]);
    for machine in &result.machines {
        rows.push(vec![
            format!("machine ({})", machine.kind),
            format!("{} states, {} edges", machine.states, machine.edges),
        ]);
    }
    match &result.coverage {
        Some(coverage) => {
            let share = |count: MinedCount| {
                format!(
                    "{} of {} ({:.1} %)",
                    count.covered,
                    count.total,
                    percent(count.covered, count.total)
                )
            };
            rows.push(vec![
                "outcomes".to_string(),
                format!("{}, by {}", share(coverage.outcomes), coverage.tool),
            ]);
            let mcdc = coverage
                .mcdc
                .map_or("not measured: install clang-19 (see `provoke doctor`)".to_string(), share);
            rows.push(vec!["MC/DC".to_string(), mcdc]);
        }
        None => rows.push(vec!["coverage".to_string(), "not measured".to_string()]),
    }
    let mut text = aligned(&rows);
    if let Some(coverage) = result.coverage.as_ref().filter(|coverage| !coverage.missing.is_empty())
    {
        text += "not covered:\n";
        listed(&mut text, &coverage.missing, "--format json lists all");
    }
    if !result.findings.is_empty() {
        text += "findings:\n";
        let lines: Vec<String> = result
            .findings
            .iter()
            .map(|f| format!("{}: {} (after {} steps)", f.test, f.text, f.steps))
            .collect();
        listed(&mut text, &lines, "--format json lists all");
        if result.more_findings > 0 {
            text += &format!("  and {} more like these\n", result.more_findings);
        }
    }
    if let Some(differences) = &result.differences {
        text += &format!("behaviours that differ: {}\n", differences.count);
        listed(&mut text, &differences.listed, "--format json lists more");
    }
    for note in &result.notes {
        text += &format!("note: {note}\n");
    }
    if let Some(folder) = &result.folder {
        text += &format!("written to {folder}");
        if result.isolation != IsolationWord::Spawn {
            text += &format!(
                "; try: provoke run {folder}/suite.json --on {folder}/target.toml --mode direct"
            );
        }
        text += "\n";
    }
    text
}
