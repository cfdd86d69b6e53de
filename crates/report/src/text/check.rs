//! The interface of a model.

use provoke_base::table::aligned;
use provoke_results::{AssumptionsResult, AssumptionsWord, Check, SeverityWord, SignalResult};

/// What was found about a model: its interface, or how many errors it has.
pub fn check(result: &Check) -> String {
    let count = |severity| result.diagnostics.iter().filter(|d| d.severity == severity).count();
    let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    let (errors, warnings) = (count(SeverityWord::Error), count(SeverityWord::Warning));
    let warned =
        if warnings > 0 { format!(", {}", plural(warnings, "warning")) } else { String::new() };
    let Some(main) = &result.main else {
        return format!("{}: {}{warned}\n", result.model, plural(errors, "error"));
    };
    let mut rows = vec![vec!["  node".to_string(), main.clone()]];
    let mut row = |name: &str, text: String| rows.push(vec![format!("  {name}"), text]);
    row("inputs", signals(&result.inputs));
    row("outputs", signals(&result.outputs));
    let size = [
        plural(result.locals, "local"),
        plural(result.equations, "equation"),
        plural(result.delays, "delay"),
        plural(result.instances, "node instance"),
    ];
    row("size", size.join(", "));
    if result.assumptions > 0 {
        let assertions = plural(result.assumptions, "assertion");
        let analysis = result.assumption_analysis.as_ref().map_or_else(String::new, analysis);
        row("assumes", assertions + &analysis);
    }
    if !result.properties.is_empty() {
        row("promises", shortened(&result.properties));
    }
    format!("{}: ok{warned}\n{}", result.model, aligned(&rows))
}

fn analysis(analysis: &AssumptionsResult) -> String {
    let steps = analysis.steps.unwrap_or(0);
    let reason = analysis.reason.as_deref().unwrap_or_default();
    match analysis.verdict {
        AssumptionsWord::RunsEnd => format!("; a run of length {steps} comes to a dead end"),
        AssumptionsWord::NoDeadEndFound => format!("; no dead end within {steps} steps"),
        AssumptionsWord::NotDecided => {
            "; whether runs come to a dead end is not decided".to_string()
        }
        AssumptionsWord::NotAnalysed => format!("; not analysed: {reason}"),
        word => format!("; {word}"),
    }
}

fn signals(signals: &[SignalResult]) -> String {
    let each: Vec<String> = signals.iter().map(|s| format!("{}: {}", s.name, s.ty)).collect();
    if each.is_empty() { "none".to_string() } else { shortened(&each) }
}

/// The first few, and how many more.
fn shortened(items: &[String]) -> String {
    const SHOWN: usize = 6;
    let mut text = items.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if items.len() > SHOWN {
        text += &format!(", and {} more", items.len() - SHOWN);
    }
    text
}
