//! The options of commands that show things: `report`, `explain`, `project`, `demo`,
//! `completions`, `man`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub(crate) struct ReportArgs {
    /// Folders that `generate -o`, `prove -o`, `mutate -o` or `run -o` wrote, or files with what
    /// `timed verify` and `timed estimate` say as JSON
    #[arg(value_name = "RESULTS", required = true)]
    pub(crate) results: Vec<PathBuf>,
    /// What is required: CSV with the columns requirement, about (a variable, property or
    /// obligation, * stands for anything) and, if you like, text; `--@ REQ-12` comments in the
    /// model are read as well
    #[arg(long, value_name = "FILE")]
    pub(crate) requirements: Option<PathBuf>,
    /// What stands at the top [default: the model's name]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Where to write it: .html, .info (LCOV with MC/DC records), .xml (JUnit), or .json (what the
    /// page shows)
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub(crate) output: PathBuf,
}

#[derive(Args)]
pub(crate) struct ExplainArgs {
    /// The obligation, or several that a pattern with * names
    #[arg(value_name = "OBLIGATION")]
    pub(crate) obligation: String,
    /// The folder that `generate -o` or `prove -o` wrote
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}

#[derive(Args)]
pub(crate) struct ProjectArgs {
    /// The project's file [default: provoke.toml in this folder]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct DemoArgs {
    /// Where to write the model, the results and the report
    #[arg(short, long, value_name = "FOLDER", default_value = "out/demo")]
    pub(crate) output: PathBuf,
}

#[derive(Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args)]
pub(crate) struct ManArgs {
    /// Where to write the pages
    #[arg(short, long, value_name = "FOLDER", default_value = "man")]
    pub(crate) output: PathBuf,
}
