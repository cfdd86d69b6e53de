//! `provoke convert`: a suite in another format.

use provoke::numbers::in_numbers_of;
use provoke_results::{Convert, Schema, to_json};
use provoke_suite::{Format, Typing};

use crate::args::ConvertArgs;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;

pub(crate) fn run(args: &ConvertArgs, output: &Output) -> Result<Outcome, Failure> {
    let name = args.output.display().to_string();
    let Some(format) = args.to.or_else(|| Format::from_name(&name)) else {
        let known: Vec<_> =
            Format::ALL.iter().filter(|f| f.is_written()).map(|f| f.word()).collect();
        let message = format!("cannot infer the output format from `{name}`");
        return Err(Failure::input(message, format!("add --to with one of {}", known.join(", "))));
    };
    let model = match &args.model {
        Some(path) => Some(files::model(path, args.main.as_deref(), output)?.1),
        None => None,
    };
    let typing = model.as_ref().map_or(Typing::Infer, Typing::System);
    let mut read = files::suite(&args.suite, args.from, typing)?;
    if let Some(system) = &model {
        subject::fill(&mut read.suite, system, args.fill, args.seed);
        if let Some(oracle) = &args.expected {
            let oracle = subject::oracle(system, oracle)?;
            let computed = in_numbers_of(&read.suite, system)?;
            subject::expect(&mut read.suite, &computed, &oracle)?;
        }
    }
    if !read.ignored.is_empty() {
        output.warning(&format!("ignored what names no variable: {}", read.ignored.join(", ")));
    }
    let written = files::write_suite(output, &read.suite, &args.output, format)?;
    let steps: usize = read.suite.tests.iter().map(|test| test.steps.len()).sum();
    let tests = read.suite.tests.len();
    if output.is_json() {
        output.result(&to_json(&Convert {
            schema: Schema::default(),
            tests,
            steps,
            ignored: read.ignored,
            files: written.iter().map(|path| path.display().to_string()).collect(),
        }));
    } else {
        for path in written.iter().filter(|path| path.as_os_str() != files::STANDARD) {
            output.note(&format!("wrote {}\n", path.display()));
        }
        output.note(&format!("{tests} tests, {steps} steps\n"));
    }
    Ok(Outcome::Well)
}
