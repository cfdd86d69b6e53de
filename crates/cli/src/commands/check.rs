//! `provoke check`: errors, warnings, and the interface.

use crate::args::CheckArgs;
use crate::files;
use crate::outcome::{Failure, Outcome, show_diagnostics};
use crate::output::Output;
use provoke_report::sarif::sarif;
use provoke_report::text;
use provoke_results::to_json;

pub(crate) fn run(args: &CheckArgs, output: &Output) -> Result<Outcome, Failure> {
    let file = files::model_source(&args.model.model)?;
    let (result, diagnostics) = provoke::check(&file, args.model.main.as_deref());
    if let Some(path) = &args.sarif {
        let findings = sarif(&result, env!("CARGO_PKG_VERSION"));
        files::write(output, path, to_json(&findings).as_bytes())?;
    }
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        show_diagnostics(output, &file, &diagnostics);
        output.result(&text::check(&result));
    }
    Ok(if result.ok { Outcome::Well } else { Outcome::WrongInput })
}
