//! `provoke mine --init`: a target file proposed for a C source.

use std::path::Path;

use provoke_mine::propose::propose;
use provoke_results::{MineInit, Schema, to_json};

use crate::commands::mine::failure;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(
    source: &Path,
    target: Option<&Path>,
    output: &Output,
) -> Result<Outcome, Failure> {
    let scratch = std::env::temp_dir().join(format!("provoke-init-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|error| {
        Failure::input(format!("cannot create {}: {error}", scratch.display()), "set TMPDIR")
    })?;
    let text = propose(source, &scratch);
    let _ = std::fs::remove_dir_all(&scratch);
    let text = text.map_err(failure)?;
    let Some(target) = target else {
        if output.is_json() {
            output.result(&to_json(&MineInit { schema: Schema::default(), proposal: text }));
        } else {
            output.result(&text);
            output.note("nothing is written; -o TARGET.toml writes it\n");
        }
        return Ok(Outcome::Well);
    };
    if target.exists() {
        let message = format!("{} exists", target.display());
        return Err(Failure::input(
            message,
            "name another file, or compare with what `--init` shows without -o",
        ));
    }
    files::write(output, target, text.as_bytes())?;
    output.note(&format!(
        "check the inputs and outputs in {0}, then: provoke mine {0} -o out/\n",
        target.display()
    ));
    Ok(Outcome::Well)
}
