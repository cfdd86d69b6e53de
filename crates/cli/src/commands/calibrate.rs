//! `provoke calibrate`: how late a target is.

use provoke::{CalibrateOptions, TestTarget};
use provoke_results::to_json;

use crate::args::CalibrateArgs;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &CalibrateArgs, output: &Output) -> Result<Outcome, Failure> {
    let target = TestTarget::open(&args.on)?;
    let CalibrateArgs { samples, settle, seed, .. } = *args;
    let options = CalibrateOptions { samples: samples as usize, settle, seed };
    let control = console::control(output);
    let found = provoke::calibrate(&target, &options, &control)?;
    if control.is_cancelled() {
        output.warning("interrupted: the target file is as it was");
    } else if !args.dry_run {
        files::write(output, &args.on, found.amended(&target)?.as_bytes())?;
    }
    if output.is_json() {
        output.result(&to_json(&found.result));
    } else {
        output.result(&found.table);
        if !args.dry_run && !control.is_cancelled() {
            output.note(&format!("written to {}\n", args.on.display()));
        }
    }
    Ok(match found.is_complete {
        _ if control.is_cancelled() => Outcome::Interrupted,
        true => Outcome::Well,
        false => Outcome::Inconclusive,
    })
}
