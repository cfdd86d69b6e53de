//! `provoke man`: pages for `man`, one for each command.

use std::path::Path;

use clap::{Command, CommandFactory};
use provoke_results::{Man, Schema, to_json};

use crate::args::{Cli, ManArgs};
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;

pub(crate) fn run(args: &ManArgs, output: &Output) -> Result<Outcome, Failure> {
    let folder = &args.output;
    files::make_folder(folder)?;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let pages = write(&command, folder, output)?;
    if output.is_json() {
        let folder = folder.display().to_string();
        output.result(&to_json(&Man { schema: Schema::default(), folder, pages }));
    } else {
        output.result(&format!("{pages} pages are in {}\n", folder.display()));
    }
    Ok(Outcome::Well)
}

/// Writes the page of a command and those of its own commands; tells how many.
fn write(command: &Command, folder: &Path, output: &Output) -> Result<usize, Failure> {
    let name = command.get_display_name().unwrap_or("provoke").to_string();
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).render(&mut page);
    rendered.expect("a page in memory");
    files::write(output, &folder.join(format!("{name}.1")), &page)?;
    let mut pages = 1;
    for inner in command.get_subcommands() {
        pages += write(inner, folder, output)?;
    }
    Ok(pages)
}
