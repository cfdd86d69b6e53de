//! What was found out about timed automata, as text.

use provoke_results::{
    AnswerResult, ConstructResult, EstimateResult, ExtremeWord, SeverityWord, StopWord, TimedCheck,
};

use provoke_base::table::aligned;

/// More names than this are counted.
const MAX_NAMES: usize = 6;

/// What a network consists of.
pub fn timed_check(result: &TimedCheck) -> String {
    let count = |severity| result.diagnostics.iter().filter(|d| d.severity == severity).count();
    let (errors, warnings) = (count(SeverityWord::Error), count(SeverityWord::Warning));
    let warned =
        if warnings > 0 { format!(", {}", plural(warnings, "warning")) } else { String::new() };
    if !result.ok {
        return format!("{}: {}{warned}\n", result.model, plural(errors, "error"));
    }
    let names: Vec<&str> = result.processes.iter().map(|p| p.name.as_str()).collect();
    let locations = result.processes.iter().map(|p| p.locations).sum();
    let edges = result.processes.iter().map(|p| p.edges).sum();
    let size = [
        plural(locations, "location"),
        plural(edges, "edge"),
        plural(result.clocks, "clock"),
        plural(result.variables, "variable"),
        plural(result.channels, "channel"),
    ];
    let askable = result.queries.iter().filter(|query| query.reason.is_none()).count();
    let mut rows = vec![
        vec!["  processes".to_string(), shortened(&names)],
        vec!["  size".to_string(), size.join(", ")],
        vec![
            "  queries".to_string(),
            format!("{askable} of {} can be asked", result.queries.len()),
        ],
    ];
    let mut list = |title: &str, found: &[ConstructResult]| {
        if !found.is_empty() {
            let each: Vec<String> =
                found.iter().map(|c| format!("{} (line {})", c.what, c.place.line)).collect();
            let each: Vec<&str> = each.iter().map(String::as_str).collect();
            rows.push(vec![format!("  {title}"), shortened(&each)]);
        }
    };
    list("simulation only", &result.simulation_only);
    list("verification only", &result.verification_only);
    list("not followed", &result.not_followed);
    format!("{}: ok{warned}\n{}", result.model, aligned(&rows))
}

fn plural(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

/// The first few, and how many more.
fn shortened(items: &[&str]) -> String {
    let mut text = items.iter().take(MAX_NAMES).copied().collect::<Vec<_>>().join(", ");
    if items.len() > MAX_NAMES {
        text += &format!(", and {} more", items.len() - MAX_NAMES);
    }
    text
}

/// An answer to a query about all runs, without the run that shows it.
pub fn timed_answer(answer: &AnswerResult) -> String {
    let mut text = format!("{:<13}  {}\n", answer.verdict, answer.query);
    let line = answer.line.map_or(String::new(), |line| format!(" (line {line})"));
    if let Some(reason) = &answer.reason {
        text += &format!("{:15}{reason}{}{line}\n", "", hint(answer.stopped_by));
    }
    for value in &answer.values {
        let shown = match (value.value, value.kind) {
            (Some(value), ExtremeWord::Approached) => {
                format!("{value}, approached but not reached")
            }
            (Some(value), _) => value.to_string(),
            (None, ExtremeWord::Unbounded) => "no bound".to_string(),
            (None, _) => "no such state".to_string(),
        };
        text += &format!("{:15}{shown}\n", "");
    }
    text += &format!("{:15}{} zones, {:.2} s\n", "", answer.states, answer.seconds);
    text
}

/// An answer to a query about probabilities.
pub fn timed_estimate(answer: &EstimateResult) -> String {
    let mut text = format!("{}\n", answer.query);
    let percent = 100.0 * answer.confidence;
    if let (Some(low), Some(high)) = (answer.low, answer.high) {
        let what = if answer.mean.is_some() { "expected value" } else { "probability" };
        text += &format!("  {what} in [{low:.6}, {high:.6}] at {percent} % confidence\n");
    }
    if let Some(verdict) = answer.verdict {
        text += &format!("  {verdict}\n");
    }
    if let Some(reason) = &answer.reason {
        let line = answer.line.map_or(String::new(), |line| format!(" (line {line})"));
        text += &format!("  {reason}{}{line}\n", hint(answer.stopped_by));
    }
    let successes = answer.successes.map_or(String::new(), |count| format!("{count} of "));
    text += &format!(
        "  {successes}{} runs, {} steps, {:.2} s\n",
        answer.runs, answer.steps, answer.seconds
    );
    if answer.stuck > 0 {
        text += &format!(
            "  {} runs came to where neither time nor anything else can go on\n",
            answer.stuck
        );
    }
    if answer.hurried > 0 {
        text += &format!(
            "  in {} runs time stood still and only processes that may wait could act\n",
            answer.hurried
        );
    }
    text
}

/// The option that would have led on to an answer, as the end of a sentence.
fn hint(stop: Option<StopWord>) -> &'static str {
    match stop {
        Some(StopWord::Time) => "; --budget allows more",
        Some(StopWord::Memory) => "; --memory allows more",
        Some(StopWord::Runs) => "; --most-runs allows more",
        Some(StopWord::Cancelled) | None => "",
    }
}
