//! The options of commands that show things: `report`, `explain`, `project`, `demo`,
//! `completions`, `man`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub(crate) struct ReportArgs {
    /// Output folders of `generate -o`, `prove -o`, `measure -o`, `mutate -o` or `run -o`, or files with the
    /// JSON results of `timed verify` and `timed estimate`
    #[arg(value_name = "RESULTS", required = true)]
    pub(crate) results: Vec<PathBuf>,
    /// Requirements: CSV with the columns requirement, about (a variable, property or obligation,
    /// where * stands for any text) and, optionally, text; `--@ REQ-12` comments in the model and ids
    /// that tests name are read as well
    #[arg(long, value_name = "FILE")]
    pub(crate) requirements: Option<PathBuf>,
    /// Title of the report [default: the model's name]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Output file: .html, .info (LCOV with MC/DC records), .xml (JUnit), or .json (the data of
    /// the page)
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub(crate) output: PathBuf,
}

#[derive(Args)]
pub(crate) struct ExplainArgs {
    /// The obligation; * stands for any text
    #[arg(value_name = "OBLIGATION")]
    pub(crate) obligation: String,
    /// Output folder of `generate -o`, `prove -o` or `measure -o`
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}

#[derive(Args)]
pub(crate) struct ProjectArgs {
    /// The project file [default: provoke.toml in this folder]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct DemoArgs {
    /// Output folder for the model, the results and the report
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
    /// Output folder for the pages
    #[arg(short, long, value_name = "FOLDER", default_value = "man")]
    pub(crate) output: PathBuf,
}
