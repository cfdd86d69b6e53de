//! `provoke timed show`: pictures of the automata.

use provoke::timed::{dot, svg};

use crate::args::TimedShowArgs;
use crate::commands::timed::model;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &TimedShowArgs, output: &Output) -> Result<Outcome, Failure> {
    let network = model(&args.model.model, &[], output)?.network;
    let extension = args.output.extension().and_then(|extension| extension.to_str());
    let text = match extension.unwrap_or("dot") {
        "dot" | "gv" => dot(&network),
        "svg" => svg(&network),
        other => {
            let message = format!("a picture cannot be written as .{other}");
            return Err(Failure::input(message, "use .svg or .dot"));
        }
    };
    files::write(output, &args.output, text.as_bytes())?;
    if args.output.as_os_str() != files::STANDARD {
        output.note(&format!("wrote {}\n", args.output.display()));
    }
    Ok(Outcome::Well)
}
