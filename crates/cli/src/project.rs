//! `provoke.toml`: what is done for the models of a project, as a list of commands.

use std::path::{Path, PathBuf};

use provoke_base::SourceFile;
use provoke_exec::settings;
use serde::Deserialize;

use crate::files;
use crate::outcome::{Failure, show_diagnostics};
use crate::output::Output;

/// The name that is looked for.
pub(crate) const FILE: &str = "provoke.toml";

/// Project files are small.
const MAX_BYTES: usize = 1 << 20;

/// What a project file says.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct Project {
    /// Where results go, one folder for each model.
    #[serde(default = "out")]
    output: String,
    #[serde(default, rename = "model")]
    models: Vec<Model>,
    #[serde(default)]
    timed: Vec<Timed>,
    #[serde(default, rename = "program")]
    programs: Vec<Program>,
    /// What paths are relative to.
    #[serde(skip)]
    folder: PathBuf,
}

fn out() -> String {
    "out".to_string()
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Model {
    path: String,
    /// The name of its folder of results; the file's name if it is missing.
    name: Option<String>,
    main: Option<String>,
    #[serde(default)]
    criteria: Vec<String>,
    oracle: Option<String>,
    masking: Option<String>,
    method: Option<String>,
    budget: Option<String>,
    effort: Option<u32>,
    seed: Option<u64>,
    #[serde(default)]
    assume: Vec<String>,
    #[serde(default)]
    exclude: Vec<Exclusion>,
    /// The least coverage of what is not proven infeasible, in per cent.
    require: Option<f64>,
    /// A table of requirements for the report.
    requirements: Option<String>,
    mutate: Option<Mutation>,
    run: Option<OnTarget>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Exclusion {
    id: String,
    because: String,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Mutation {
    sample: Option<u32>,
    #[serde(default)]
    equivalence: bool,
    require: Option<f64>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct OnTarget {
    on: String,
    mode: Option<String>,
}

/// A model of timed automata.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Timed {
    path: String,
    name: Option<String>,
    /// Questions in place of those of the file.
    #[serde(default)]
    query: Vec<String>,
    /// Questions about probabilities.
    #[serde(default)]
    estimate: Vec<String>,
    budget: Option<String>,
    run: Option<Stochastic>,
}

/// A stochastic suite, and what it runs on.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Stochastic {
    suite: String,
    on: String,
    oracle: Option<String>,
    seed: Option<u64>,
}

/// A program that is explored from outside.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Program {
    /// The file that describes it.
    path: String,
    name: Option<String>,
    method: Option<String>,
    budget: Option<String>,
    effort: Option<u32>,
    seed: Option<u64>,
}

impl Project {
    /// Reads a project file.
    pub(crate) fn read(path: &Path, output: &Output) -> Result<Project, Failure> {
        let bytes = files::read(path, MAX_BYTES)?;
        let file = SourceFile::new(path.display().to_string(), String::from_utf8_lossy(&bytes));
        let help = "docs/book/project.md lists what may stand there";
        let read = settings::read(&file, "project-file", help);
        let mut project: Project = read.map_err(|found| {
            show_diagnostics(output, &file, &found);
            Failure::Shown
        })?;
        let Project { models, timed, programs, .. } = &project;
        if models.is_empty() && timed.is_empty() && programs.is_empty() {
            let message = format!("{} names no model", path.display());
            return Err(Failure::input(message, "add `[[model]]` and `path = \"FILE.lus\"`"));
        }
        project.folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Ok(project)
    }

    /// The commands in their order, without the program's name.
    pub(crate) fn commands(&self) -> Vec<Vec<String>> {
        let models = self.models.iter().flat_map(|model| self.commands_for(model));
        let timed = self.timed.iter().flat_map(|timed| self.commands_for_timed(timed));
        let programs = self.programs.iter().flat_map(|program| self.commands_for_program(program));
        models.chain(timed).chain(programs).collect()
    }

    /// The folder of the results of a file.
    fn results(&self, path: &str, name: &Option<String>) -> PathBuf {
        let stem = || Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
        let name = name.clone().unwrap_or_else(|| stem().into_owned());
        self.folder.join(&self.output).join(name)
    }

    fn commands_for_timed(&self, timed: &Timed) -> Vec<Vec<String>> {
        let out = self.results(&timed.path, &timed.name);
        let inside = |name: &str| Some(out.join(name).display().to_string());
        let asking = |command: &str, queries: &[String], answers: &str| {
            let mut line = Line::new("timed").word(command).word(&self.place(&timed.path));
            for query in queries {
                line = line.option("query", &Some(query));
            }
            line.option("budget", &timed.budget).option("output", &inside(answers)).0
        };
        let mut commands = vec![asking("verify", &timed.query, "answers.json")];
        if !timed.estimate.is_empty() {
            commands.push(asking("estimate", &timed.estimate, "probabilities.json"));
        }
        if let Some(run) = &timed.run {
            let line = Line::new("timed").word("run").word(&self.place(&run.suite));
            let line = line.option("on", &Some(self.place(&run.on)));
            let line = line.option("oracle", &run.oracle).option("seed", &run.seed);
            commands.push(line.option("output", &inside("run.json")).0);
        }
        commands.push(report_on(&out));
        commands
    }

    fn commands_for_program(&self, program: &Program) -> Vec<Vec<String>> {
        let out = self.results(&program.path, &program.name);
        let line = Line::new("mine").word(&self.place(&program.path));
        let line = line.option("method", &program.method).option("budget", &program.budget);
        let line = line.option("effort", &program.effort).option("seed", &program.seed);
        vec![line.option("output", &Some(out.display())).0, report_on(&out)]
    }

    fn commands_for(&self, model: &Model) -> Vec<Vec<String>> {
        let out = self.results(&model.path, &model.name);
        let inside = |name: &str| out.join(name).display().to_string();
        let (path, main) = (self.place(&model.path), &model.main);
        let mut commands = vec![self.generate(model, &path, &out)];
        let mut report = Line::new("report").word(&out.display().to_string());
        if let Some(mutation) = &model.mutate {
            let line = Line::new("mutate").word(&path).word(&inside("suite.json"));
            let line = line.option("main", main).option("sample", &mutation.sample);
            let line = line.option("oracle", &model.oracle).option("seed", &model.seed);
            let line = line.option("require", &mutation.require);
            let line = if mutation.equivalence { line.word("--equivalence") } else { line };
            commands.push(line.option("output", &Some(inside("mutants"))).0);
            report = report.word(&inside("mutants"));
        }
        if let Some(target) = &model.run {
            let line = Line::new("run").word(&inside("suite.json"));
            let line = line.option("on", &Some(self.place(&target.on)));
            let line = line.option("mode", &target.mode).option("seed", &model.seed);
            commands.push(line.option("output", &Some(inside("run"))).0);
            report = report.word(&inside("run"));
        }
        let requirements = model.requirements.as_ref().map(|path| self.place(path));
        let report = report.option("requirements", &requirements);
        commands.push(report.option("output", &Some(inside("report.html"))).0);
        commands
    }

    fn generate(&self, model: &Model, path: &str, out: &Path) -> Vec<String> {
        let criteria = Some(model.criteria.join(",")).filter(|words| !words.is_empty());
        let mut line = Line::new("generate").word(path).option("main", &model.main);
        line = line.option("criterion", &criteria).option("oracle", &model.oracle);
        line = line.option("masking", &model.masking).option("method", &model.method);
        line = line.option("budget", &model.budget).option("effort", &model.effort);
        line = line.option("seed", &model.seed).option("require", &model.require);
        for assumption in &model.assume {
            line = line.option("assume", &Some(assumption));
        }
        for Exclusion { id, because } in &model.exclude {
            line = line.option("exclude", &Some(id)).option("because", &Some(because));
        }
        line.option("output", &Some(out.display())).0
    }

    fn place(&self, path: &str) -> String {
        self.folder.join(path).display().to_string()
    }
}

/// A report on a folder, in it.
fn report_on(out: &Path) -> Vec<String> {
    let line = Line::new("report").word(&out.display().to_string());
    line.option("output", &Some(out.join("report.html").display())).0
}

/// The words of a command.
struct Line(Vec<String>);

impl Line {
    fn new(command: &str) -> Line {
        Line(vec![command.to_string()])
    }

    fn word(mut self, word: &str) -> Line {
        self.0.push(word.to_string());
        self
    }

    /// An option with its value in one word, so that no value is taken for an option.
    fn option(mut self, name: &str, value: &Option<impl ToString>) -> Line {
        if let Some(value) = value {
            self.0.push(format!("--{name}={}", value.to_string()));
        }
        self
    }
}
