//! `provoke timed generate`: tests from automata.

use provoke_oracle::generate::{Method, Wanted, generate};
use provoke_oracle::{Interface, json, text};
use provoke_results::{Schema, TimedGenerate, to_json};

use crate::args::{TimedGenerateArgs, TimedMethod};
use crate::commands::timed::network;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &TimedGenerateArgs, output: &Output) -> Result<Outcome, Failure> {
    let (file, network) = network(&args.model.model, &[], output)?;
    let observe = match args.observe.is_empty() {
        true => Interface::new(&network).usual_outputs(),
        false => args.observe.clone(),
    };
    let hint = "`provoke timed check` shows what the model consists of";
    if observe.is_empty() {
        let message = format!("nothing can be seen of {}", file.name);
        return Err(Failure::input(message, "name variables with --observe"));
    }
    let (method, word) = match args.method {
        TimedMethod::Edge => (Method::Edge, "edge"),
        TimedMethod::Location => (Method::Location, "location"),
        TimedMethod::Random => (Method::Random, "random"),
        TimedMethod::Diversity => (Method::Diversity, "diversity"),
    };
    let wanted = Wanted {
        method,
        tests: args.tests as usize,
        length: args.length as usize,
        seed: args.seed,
    };
    let mut generated = generate(&network, &observe, wanted)
        .map_err(|message| Failure::input(format!("{}: {message}", file.name), hint))?;
    generated.suite.model = file.name.clone();
    let suite = &generated.suite;
    let as_json = args.output.extension().is_some_and(|extension| extension == "json");
    let written = if as_json { json::print(suite) } else { text::print(suite) };
    let steps = suite.tests.iter().map(|test| test.steps.len()).sum();
    // A result as JSON has standard output for itself.
    if !(output.is_json() && args.output.as_os_str() == "-") {
        files::write(output, &args.output, written.as_bytes())?;
    }
    if output.is_json() {
        output.result(&to_json(&TimedGenerate {
            schema: Schema::default(),
            model: file.name.clone(),
            method: word.to_string(),
            tests: suite.tests.len(),
            steps,
            open: generated.open.clone(),
            suite: args.output.display().to_string(),
        }));
    } else {
        output.note(&format!("{} tests, {steps} steps\n", suite.tests.len()));
        for open in &generated.open {
            output.note(&format!("no test found for {open}\n"));
        }
    }
    Ok(if generated.open.is_empty() { Outcome::Well } else { Outcome::Inconclusive })
}
