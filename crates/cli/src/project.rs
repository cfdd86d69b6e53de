//! The steps of a project as commands that a user could type.

use std::fmt::Display;

use provoke::ProjectFile;
use provoke::project::{ProjectModel, ProjectNetwork, ProjectProgram};

/// The words of each step, without the program's name.
pub(crate) fn commands(project: &ProjectFile) -> Vec<Vec<String>> {
    let models = project.models.iter().flat_map(|model| for_model(project, model));
    let timed = project.timed.iter().flat_map(|network| for_network(project, network));
    let programs = project.programs.iter().flat_map(|program| for_program(project, program));
    models.chain(timed).chain(programs).collect()
}

fn for_model(project: &ProjectFile, model: &ProjectModel) -> Vec<Vec<String>> {
    let out = project.results(&model.path, model.name.as_deref());
    let inside = |name: &str| out.join(name).display().to_string();
    let path = project.place(&model.path).display().to_string();
    let mut commands = vec![generate(model, &path, &out.display().to_string())];
    let mut report = Line::new("report").word(out.display());
    if let Some(mutation) = &model.mutate {
        let line = Line::new("mutate").word(&path).word(inside("suite.json"));
        let line = line.option("main", &model.main).option("sample", &mutation.sample);
        let line = line.option("oracle", &model.oracle).option("seed", &model.seed);
        let line = with_numbers(line, model).option("require", &mutation.require);
        let line = if mutation.equivalence { line.word("--equivalence") } else { line };
        commands.push(line.option("output", &Some(inside("mutants"))).0);
        report = report.word(inside("mutants"));
    }
    if let Some(run) = &model.run {
        let line = Line::new("run").word(inside("suite.json"));
        let line = line.option("on", &Some(project.place(&run.on).display()));
        let line = line.option("mode", &run.mode).option("seed", &model.seed);
        commands.push(line.option("output", &Some(inside("run"))).0);
        report = report.word(inside("run"));
    }
    let requirements = model.requirements.as_ref().map(|path| project.place(path));
    let report = report.option("requirements", &requirements.as_ref().map(|path| path.display()));
    commands.push(report.option("output", &Some(inside("report.html"))).0);
    commands
}

fn generate(model: &ProjectModel, path: &str, out: &str) -> Vec<String> {
    let criteria: Vec<&str> = model.criteria.iter().map(|target| target.word()).collect();
    let criteria = Some(criteria.join(",")).filter(|words| !words.is_empty());
    let budget = model.budget.as_ref().map(|(written, _)| written);
    let mut line = Line::new("generate").word(path).option("main", &model.main);
    line = line.option("criterion", &criteria).option("oracle", &model.oracle);
    line = line.option("masking", &model.masking).option("method", &model.method);
    line = line.option("budget", &budget).option("effort", &model.effort);
    line = with_numbers(line, model);
    line = line.option("seed", &model.seed).option("require", &model.require);
    for assumption in &model.assume {
        line = line.option("assume", &Some(assumption));
    }
    for one in &model.exclude {
        line = line.option("exclude", &Some(&one.id)).option("because", &Some(&one.because));
    }
    line.option("output", &Some(out)).0
}

/// The numbers that a model is computed with.
fn with_numbers(line: Line, model: &ProjectModel) -> Line {
    let line = line.option("numbers", &model.numbers_choice());
    line.option("int", &model.int).option("real", &model.real)
}

fn for_network(project: &ProjectFile, network: &ProjectNetwork) -> Vec<Vec<String>> {
    let out = project.results(&network.path, network.name.as_deref());
    let inside = |name: &str| Some(out.join(name).display().to_string());
    let budget = network.budget.as_ref().map(|(written, _)| written);
    let asking = |command: &str, queries: &[String], answers: &str| {
        let mut line =
            Line::new("timed").word(command).word(project.place(&network.path).display());
        for query in queries {
            line = line.option("query", &Some(query));
        }
        line.option("budget", &budget).option("output", &inside(answers)).0
    };
    let mut commands = vec![asking("verify", &network.query, "answers.json")];
    if !network.estimate.is_empty() {
        commands.push(asking("estimate", &network.estimate, "probabilities.json"));
    }
    if let Some(run) = &network.run {
        let line = Line::new("timed").word("run").word(project.place(&run.suite).display());
        let line = line.option("on", &Some(project.place(&run.on).display()));
        let line = line.option("oracle", &run.oracle).option("seed", &run.seed);
        commands.push(line.option("output", &inside("run.json")).0);
    }
    commands.push(report_on(&out.display().to_string(), inside("report.html")));
    commands
}

fn for_program(project: &ProjectFile, program: &ProjectProgram) -> Vec<Vec<String>> {
    let out = project.results(&program.path, program.name.as_deref());
    let budget = program.budget.as_ref().map(|(written, _)| written);
    let line = Line::new("mine").word(project.place(&program.path).display());
    let line = line.option("method", &program.method).option("budget", &budget);
    let line = line.option("effort", &program.effort).option("seed", &program.seed);
    let page = Some(out.join("report.html").display().to_string());
    let out = out.display().to_string();
    vec![line.option("output", &Some(&out)).0, report_on(&out, page)]
}

/// A report on a folder, in it.
fn report_on(out: &str, page: Option<String>) -> Vec<String> {
    Line::new("report").word(out).option("output", &page).0
}

/// The words of a command.
struct Line(Vec<String>);

impl Line {
    fn new(command: &str) -> Line {
        Line(vec![command.to_string()])
    }

    fn word(mut self, word: impl Display) -> Line {
        self.0.push(word.to_string());
        self
    }

    /// An option with its value in one word, so that no value is taken for an option.
    fn option(mut self, name: &str, value: &Option<impl Display>) -> Line {
        if let Some(value) = value {
            self.0.push(format!("--{name}={value}"));
        }
        self
    }
}

#[cfg(test)]
#[path = "../tests/unit/project.rs"]
mod tests;
