//! `provoke explain`: what an obligation asks for, how a test does it, or why none can.

use crate::args::ExplainArgs;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use provoke::GenerationRun;
use provoke::exclusion::{matches, names_nothing};
use provoke_report::text;
use provoke_results::{Explain, ObligationEvidence, Schema, to_json};

pub(crate) fn run(args: &ExplainArgs, output: &Output) -> Result<Outcome, Failure> {
    let run = GenerationRun::load(&args.folder)?;
    let generation = run.generation();
    let asked = |obligation: &&ObligationEvidence| matches(&args.obligation, &obligation.id);
    let found: Vec<&ObligationEvidence> = generation.obligations.iter().filter(asked).collect();
    if found.is_empty() {
        return Err(names_nothing(&args.obligation, &run.obligations).into());
    }
    if output.is_json() {
        output.result(&to_json(&Explain {
            schema: Schema::default(),
            model: generation.model.clone(),
            obligations: found.into_iter().cloned().collect(),
        }));
    } else {
        let folder = args.folder.display().to_string();
        let texts: Vec<String> = found.iter().map(|one| text::explain(one, &folder)).collect();
        output.result(&texts.join("\n"));
    }
    Ok(Outcome::Well)
}
