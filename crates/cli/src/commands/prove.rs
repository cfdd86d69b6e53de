//! `provoke prove`: the model's own properties.

use provoke_criteria::{Criterion, Host, Kind, Masking, Obligation, Oracle};
use provoke_model::{Suite, System};
use provoke_results::{Generate, VerdictResult, to_json};
use provoke_testgen::Method;

use crate::args::ProveArgs;
use crate::commands::generate::Job;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::table::aligned;

pub(crate) fn run(args: &ProveArgs, output: &Output) -> Result<Outcome, Failure> {
    let (file, system) = files::model(&args.model.model, args.model.main.as_deref(), output)?;
    if system.properties.is_empty() {
        let message = format!("{} promises nothing", file.name);
        return Err(Failure::input(message, "state properties with `--%PROPERTY x;` in a node"));
    }
    let job = Job {
        obligations: properties(&system),
        oracle: Oracle::Outputs,
        masking: Masking::Strict,
        exact: None,
        method: Method::Hybrid,
        criterion: "property".to_string(),
        schema: Generate::PROVE_SCHEMA,
        work: &args.work,
        given: Suite::default(),
        shard: None,
        folder: args.output.as_deref(),
        file,
        system,
    };
    let result = job.run(output)?;
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.result(&describe(&result));
    }
    Ok(match result.obligations {
        totals if totals.covered > 0 => Outcome::Negative,
        totals if totals.unknown > 0 => Outcome::Inconclusive,
        _ => Outcome::Well,
    })
}

/// To falsify a property is to see its expression false.
fn properties(system: &System) -> Vec<Obligation> {
    let Some(variable) = system.equations.first().map(|equation| equation.var) else {
        return Vec::new();
    };
    let obligation = |property: &provoke_model::Property| Obligation {
        id: property.name.clone(),
        criterion: Criterion { host: Host::Condition, observable: false },
        kind: Kind::Condition,
        outcome: false,
        variable,
        expr: property.expr,
        text: property.name.clone(),
        span: property.span,
        instance: String::new(),
    };
    system.properties.iter().map(obligation).collect()
}

fn describe(result: &Generate) -> String {
    let row = |verdict: &VerdictResult| {
        let (word, detail) = match verdict.verdict {
            "covered" => {
                ("falsified", format!("test {}", verdict.test.clone().unwrap_or_default()))
            }
            "infeasible" => {
                let engine = verdict.engine.clone().unwrap_or_default();
                let k = verdict.k.unwrap_or(0);
                ("proven", format!("{engine}, k = {k}"))
            }
            _ => ("unknown", verdict.reason.clone().unwrap_or_default()),
        };
        vec![format!("  {}", verdict.id), word.to_string(), detail]
    };
    let rows: Vec<Vec<String>> = result.verdicts.iter().map(row).collect();
    let totals = result.obligations;
    let mut text = format!("{}\n{}", result.model, aligned(&rows));
    text += &format!(
        "{} falsified, {} proven, {} unknown, {} s\n",
        totals.covered, totals.infeasible, totals.unknown, result.seconds
    );
    if !result.suite.is_empty() {
        text += &format!("counterexamples are in {}\n", result.suite);
    }
    text
}
