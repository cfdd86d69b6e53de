//! `provoke transform`: an equivalent model of another shape.

use provoke_lustre::{print, transform};
use provoke_results::{Schema, Transform, to_json};

use crate::args::{Inline, TransformArgs};
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &TransformArgs, output: &Output) -> Result<Outcome, Failure> {
    let (_, system) = files::model(&args.model.model, args.model.main.as_deref(), output)?;
    if let Some(choice) = system.choices().next() {
        let name = &system.vars[choice].name;
        let message = format!("`{name}` is defined by nobody, which plain Lustre cannot say");
        return Err(Failure::input(message, "define it, or make it an input"));
    }
    let system = match args.inline {
        None => system,
        Some(Inline::Full) => transform::inline(&system),
        Some(Inline::None) => transform::split(&system),
    };
    let text = print::print(&system).map_err(|too_long| {
        let limit = print::MAX_WRITTEN;
        let message = format!(
            "the inlined model would have {} expressions; up to {limit} are written",
            too_long.expressions
        );
        Failure::input(message, "use `--inline none`, or inline a smaller main node (`--main`)")
    })?;
    if output.is_json() {
        output.result(&to_json(&Transform {
            schema: Schema::default(),
            model: args.model.model.display().to_string(),
            equations: system.equations.len(),
            text,
        }));
        return Ok(Outcome::Well);
    }
    files::write(output, &args.output, text.as_bytes())?;
    Ok(Outcome::Well)
}
