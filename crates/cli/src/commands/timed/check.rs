//! `provoke timed check`: errors, warnings, and what the network consists of.

use provoke_results::{ConstructResult, SeverityWord, TimedCheck, to_json};

use crate::args::TimedModelArgs;
use crate::files;
use crate::outcome::{Failure, Outcome, show_diagnostics};
use crate::output::Output;
use crate::table::aligned;

pub(crate) fn run(args: &TimedModelArgs, output: &Output) -> Result<Outcome, Failure> {
    let file = files::model_source(&args.model)?;
    let loaded = provoke_timed::load(&file);
    let result = TimedCheck::new(&file, loaded.network.as_ref(), &loaded.diagnostics);
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        show_diagnostics(output, &file, &loaded.diagnostics);
        output.result(&describe(&result));
    }
    Ok(if result.ok { Outcome::Well } else { Outcome::WrongInput })
}

fn plural(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

fn describe(result: &TimedCheck) -> String {
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

/// The first few, and how many more.
fn shortened(items: &[&str]) -> String {
    const SHOWN: usize = 6;
    let mut text = items.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if items.len() > SHOWN {
        text += &format!(", and {} more", items.len() - SHOWN);
    }
    text
}
