//! `provoke.toml`: what is done for the models of a project, step by step.

use std::path::{Path, PathBuf};
use std::time::Duration;

use provoke_base::{Error, SourceFile};
use provoke_coverage::{
    CoverageTarget, GenerateOptions, IntegerWidth, MachineNumbers, MachineReal, MutateOptions,
    Numbers, NumbersChoice, WorkOptions,
};
use provoke_criteria::Masking;
use provoke_exec::{Mode, settings};
use provoke_results::OracleWord;
use provoke_testgen::GenerationMethod;
use serde::{Deserialize, Deserializer};

use crate::evidence::ReportOptions;
use crate::mine::MineOptions;
use crate::run::RunOptions;
use crate::timed::{TimedEstimateOptions, TimedRunOptions, TimedVerifyOptions};

/// What a project file says.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct ProjectFile {
    /// Where results go, one folder for each model.
    #[serde(default = "out")]
    pub output: String,
    /// Models in Lustre.
    #[serde(default, rename = "model")]
    pub models: Vec<ProjectModel>,
    /// Models of timed automata.
    #[serde(default)]
    pub timed: Vec<ProjectNetwork>,
    /// Programs that are explored from outside.
    #[serde(default, rename = "program")]
    pub programs: Vec<ProjectProgram>,
    /// What paths are relative to.
    #[serde(skip)]
    folder: PathBuf,
}

fn out() -> String {
    "out".to_string()
}

/// A model in Lustre.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct ProjectModel {
    /// Its file.
    pub path: String,
    /// The name of its folder of results; the file's name if it is missing.
    pub name: Option<String>,
    /// The main node, if it is not the one that the file marks.
    pub main: Option<String>,
    /// What obligations are made of; observable MC/DC if nothing is said.
    #[serde(default)]
    pub criteria: Vec<CoverageTarget>,
    /// What is monitored.
    pub oracle: Option<String>,
    /// When an operand counts as masked.
    pub masking: Option<Masking>,
    /// How tests are searched for.
    pub method: Option<GenerationMethod>,
    /// Wall-clock time.
    #[serde(default, deserialize_with = "duration")]
    pub budget: Option<(String, Duration)>,
    /// A repeatable measure of work.
    pub effort: Option<u32>,
    /// Where random numbers start.
    pub seed: Option<u64>,
    /// The numbers that it is computed with: exact ones or, if something is said of the code's numbers,
    /// those of the code.
    pub numbers: Option<NumbersChoice>,
    /// How wide integers are in the code.
    pub int: Option<IntegerWidth>,
    /// What reals are in the code.
    pub real: Option<MachineReal>,
    /// Expressions that hold in every step.
    #[serde(default)]
    pub assume: Vec<String>,
    /// Obligations that are left out.
    #[serde(default)]
    pub exclude: Vec<ProjectExclusion>,
    /// The least coverage of what is not proven infeasible, in per cent.
    pub require: Option<f64>,
    /// A table of requirements for the report.
    pub requirements: Option<String>,
    /// Which mutants the tests are run on.
    pub mutate: Option<ProjectMutation>,
    /// What the tests are run on.
    pub run: Option<ProjectRun>,
}

/// Obligations that are left out, and why.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct ProjectExclusion {
    /// The id, or a pattern with `*`.
    pub id: String,
    /// The reason.
    pub because: String,
}

/// Which mutants tests are run on.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct ProjectMutation {
    /// How many are taken at random; all if nothing is said.
    pub sample: Option<u32>,
    /// Whether survivors are proven equivalent where they are.
    #[serde(default)]
    pub equivalence: bool,
    /// The least share of killed mutants among those not equivalent, in per cent.
    pub require: Option<f64>,
}

/// What tests are run on.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct ProjectRun {
    /// The target's file.
    pub on: String,
    /// How events are sent and outputs judged.
    pub mode: Option<Mode>,
}

/// A model of timed automata.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct ProjectNetwork {
    /// Its file.
    pub path: String,
    /// The name of its folder of results; the file's name if it is missing.
    pub name: Option<String>,
    /// Queries in place of those of the file.
    #[serde(default)]
    pub query: Vec<String>,
    /// Queries about probabilities.
    #[serde(default)]
    pub estimate: Vec<String>,
    /// Wall-clock time for each.
    #[serde(default, deserialize_with = "duration")]
    pub budget: Option<(String, Duration)>,
    /// A stochastic suite, and what it runs on.
    pub run: Option<ProjectTimedRun>,
}

/// A stochastic suite, and what it runs on.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct ProjectTimedRun {
    /// The suite's file.
    pub suite: String,
    /// The file of the target, or of the network that it is simulated from.
    pub on: String,
    /// How repeated runs become a verdict.
    pub oracle: Option<OracleWord>,
    /// Where random numbers start.
    pub seed: Option<u64>,
}

/// A program that is explored from outside.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct ProjectProgram {
    /// The file that describes it.
    pub path: String,
    /// The name of its folder of results; the file's name if it is missing.
    pub name: Option<String>,
    /// How to search.
    pub method: Option<provoke_mine::MiningMethod>,
    /// Wall-clock time.
    #[serde(default, deserialize_with = "duration")]
    pub budget: Option<(String, Duration)>,
    /// Millions of steps of the program.
    pub effort: Option<u64>,
    /// Where random numbers start.
    pub seed: Option<u64>,
}

/// Something that a project asks for, with everything that its verb needs.
#[derive(Clone, Debug)]
pub enum ProjectTask {
    /// Tests and proofs.
    Generate {
        /// The model's file.
        model: PathBuf,
        /// The main node, if it is not the one that the file marks.
        main: Option<String>,
        /// What is asked for.
        options: GenerateOptions,
        /// The least coverage, in per cent.
        require: Option<f64>,
    },
    /// Mutants on the tests.
    Mutate {
        /// The model's file.
        model: PathBuf,
        /// The main node, if it is not the one that the file marks.
        main: Option<String>,
        /// The suite's file.
        suite: PathBuf,
        /// What is asked for.
        options: MutateOptions,
        /// The least share of killed mutants, in per cent.
        require: Option<f64>,
    },
    /// The tests on a target.
    Run {
        /// The suite's file.
        suite: PathBuf,
        /// The target's file.
        target: PathBuf,
        /// What is asked for.
        options: RunOptions,
    },
    /// Queries about all runs of timed automata.
    Verify {
        /// The network's file.
        model: PathBuf,
        /// Queries in place of those of the file.
        queries: Vec<String>,
        /// What is asked for.
        options: TimedVerifyOptions,
        /// Where the answers are written.
        answers: PathBuf,
    },
    /// Queries about probabilities.
    Estimate {
        /// The network's file.
        model: PathBuf,
        /// The queries.
        queries: Vec<String>,
        /// What is asked for.
        options: TimedEstimateOptions,
        /// Where the answers are written.
        answers: PathBuf,
    },
    /// A stochastic suite on a system.
    TimedRun {
        /// The suite's file.
        suite: PathBuf,
        /// The file of the target, or of the network that it is simulated from.
        target: PathBuf,
        /// What is asked for.
        options: TimedRunOptions,
        /// Where the verdicts are written.
        verdicts: PathBuf,
    },
    /// A program explored from outside.
    Mine {
        /// The file that describes it.
        target: PathBuf,
        /// What is asked for.
        options: MineOptions,
    },
    /// The evidence in one file.
    Report {
        /// The folders of results.
        places: Vec<PathBuf>,
        /// What is asked for.
        options: ReportOptions,
        /// Where the page is written.
        page: PathBuf,
    },
}

impl ProjectFile {
    /// The largest project file that is read.
    pub const MAX_BYTES: usize = 1 << 20;

    /// Reads a project file; paths in it are relative to its folder.
    pub fn read(path: &Path) -> Result<ProjectFile, Error> {
        let file = provoke_files::source(path, ProjectFile::MAX_BYTES)?;
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        ProjectFile::of_text(&file, folder)
    }

    /// The project of a text; paths in it are relative to `folder`.
    pub fn of_text(file: &SourceFile, folder: PathBuf) -> Result<ProjectFile, Error> {
        let help = "docs/book/project.md lists what may stand there";
        let read = settings::read(file, "project-file", help);
        let project: ProjectFile = read.map_err(|found| Error::in_text(file, found))?;
        let ProjectFile { models, timed, programs, .. } = &project;
        if models.is_empty() && timed.is_empty() && programs.is_empty() {
            let message = format!("{} names no model", file.name);
            return Err(Error::input(message, "add `[[model]]` and `path = \"FILE.lus\"`"));
        }
        Ok(ProjectFile { folder, ..project })
    }

    /// What is done, in its order.
    pub fn steps(&self) -> Vec<ProjectTask> {
        let models = self.models.iter().flat_map(|model| self.steps_for(model));
        let timed = self.timed.iter().flat_map(|network| self.steps_for_network(network));
        let programs = self.programs.iter().flat_map(|program| self.steps_for_program(program));
        models.chain(timed).chain(programs).collect()
    }

    /// The folder of the results of a file.
    pub fn results(&self, path: &str, name: Option<&str>) -> PathBuf {
        let stem = || Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
        let name = name.map_or_else(|| stem().into_owned(), str::to_string);
        self.folder.join(&self.output).join(name)
    }

    /// Where a path of the file leads.
    pub fn place(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    fn steps_for(&self, model: &ProjectModel) -> Vec<ProjectTask> {
        let out = self.results(&model.path, model.name.as_deref());
        let (path, main, suite) = (self.place(&model.path), &model.main, out.join("suite.json"));
        let mut steps = vec![ProjectTask::Generate {
            model: path.clone(),
            main: main.clone(),
            options: model.generate(&out),
            require: model.require,
        }];
        let mut places = vec![out.clone()];
        let seed = model.seed.unwrap_or(0);
        if let Some(mutation) = &model.mutate {
            let folder = out.join("mutants");
            let options = MutateOptions {
                sample: mutation.sample.map(|sample| sample as usize),
                oracle: model.oracle.clone().unwrap_or_else(|| MutateOptions::default().oracle),
                equivalence: mutation.equivalence,
                folder: Some(folder.clone()),
                work: WorkOptions { numbers: model.numbers(), seed, ..WorkOptions::default() },
                ..MutateOptions::default()
            };
            let (suite, require) = (suite.clone(), mutation.require);
            let main = main.clone();
            steps.push(ProjectTask::Mutate { model: path, main, suite, options, require });
            places.push(folder);
        }
        if let Some(run) = &model.run {
            let folder = out.join("run");
            let mode = run.mode.unwrap_or(RunOptions::default().mode);
            let folder_of = Some(folder.clone());
            let options = RunOptions { mode, seed, folder: folder_of, ..RunOptions::default() };
            steps.push(ProjectTask::Run { suite, target: self.place(&run.on), options });
            places.push(folder);
        }
        let requirements = model.requirements.as_ref().map(|path| self.place(path));
        let options = ReportOptions { title: None, requirements };
        let page = out.join("report.html");
        steps.push(ProjectTask::Report { places, options, page });
        steps
    }

    fn steps_for_network(&self, network: &ProjectNetwork) -> Vec<ProjectTask> {
        let out = self.results(&network.path, network.name.as_deref());
        let (model, budget) = (self.place(&network.path), network.budget.as_ref());
        let budget = budget.map(|(_, budget)| *budget);
        let mut steps = vec![ProjectTask::Verify {
            model: model.clone(),
            queries: network.query.clone(),
            options: TimedVerifyOptions { budget, ..TimedVerifyOptions::default() },
            answers: out.join("answers.json"),
        }];
        if !network.estimate.is_empty() {
            steps.push(ProjectTask::Estimate {
                model,
                queries: network.estimate.clone(),
                options: TimedEstimateOptions { budget, ..TimedEstimateOptions::default() },
                answers: out.join("probabilities.json"),
            });
        }
        if let Some(run) = &network.run {
            let mut options = TimedRunOptions::default();
            options.oracle.kind = run.oracle.unwrap_or(options.oracle.kind);
            options.seed = run.seed.unwrap_or(options.seed);
            steps.push(ProjectTask::TimedRun {
                suite: self.place(&run.suite),
                target: self.place(&run.on),
                options,
                verdicts: out.join("run.json"),
            });
        }
        steps.push(report_on(out));
        steps
    }

    fn steps_for_program(&self, program: &ProjectProgram) -> Vec<ProjectTask> {
        let out = self.results(&program.path, program.name.as_deref());
        let usual = MineOptions::default();
        let options = MineOptions {
            method: program.method.unwrap_or(usual.method),
            effort: program.effort.unwrap_or(usual.effort),
            budget: program.budget.as_ref().map(|(_, budget)| *budget),
            seed: program.seed.unwrap_or(usual.seed),
            folder: Some(out.clone()),
            ..usual
        };
        vec![ProjectTask::Mine { target: self.place(&program.path), options }, report_on(out)]
    }
}

impl ProjectModel {
    /// Which numbers it is computed with, if they are not the usual ones.
    pub fn numbers_choice(&self) -> Option<NumbersChoice> {
        let told = self.int.is_some() || self.real.is_some();
        self.numbers.or(told.then_some(NumbersChoice::C))
    }

    fn machine(&self) -> MachineNumbers {
        let usual = MachineNumbers::default();
        let (int, real) = (self.int.unwrap_or(usual.int), self.real.unwrap_or(usual.real));
        MachineNumbers { int, real }.settled()
    }

    fn numbers(&self) -> Numbers {
        self.numbers_choice().unwrap_or(NumbersChoice::Exact).with(self.machine())
    }

    fn generate(&self, out: &Path) -> GenerateOptions {
        let usual = GenerateOptions::default();
        let exclude = self.exclude.iter();
        GenerateOptions {
            targets: match self.criteria.is_empty() {
                true => usual.targets,
                false => self.criteria.clone(),
            },
            method: self.method.unwrap_or(usual.method),
            masking: self.masking.unwrap_or(usual.masking),
            oracle: self.oracle.clone().unwrap_or(usual.oracle),
            exclude: exclude.map(|one| (one.id.clone(), one.because.clone())).collect(),
            folder: Some(out.to_path_buf()),
            numbers: self.machine(),
            work: WorkOptions {
                numbers: self.numbers(),
                assume: self.assume.clone(),
                budget: self.budget.as_ref().map(|(_, budget)| *budget),
                effort: self.effort,
                seed: self.seed.unwrap_or(0),
                ..WorkOptions::default()
            },
            ..GenerateOptions::default()
        }
    }
}

/// A report on a folder, in it.
fn report_on(out: PathBuf) -> ProjectTask {
    let page = out.join("report.html");
    ProjectTask::Report { places: vec![out], options: ReportOptions::default(), page }
}

/// A time such as `500ms`, `60s` or `10m`, as it is written and as it is meant.
fn duration<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<(String, Duration)>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let time = parse_duration(&text).map_err(serde::de::Error::custom)?;
    Ok(Some((text, time)))
}

/// The time that a word such as `500ms`, `60s` or `10m` stands for.
pub fn parse_duration(word: &str) -> Result<Duration, String> {
    let split = word.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(word.len());
    let (number, unit) = word.split_at(split);
    let seconds = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("write a time such as 500ms, 60s or 10m".to_string()),
    };
    match number.parse::<f64>() {
        Ok(number) if (0.0..1e9).contains(&number) => Ok(Duration::from_secs_f64(number * seconds)),
        _ => Err("write a time such as 500ms, 60s or 10m".to_string()),
    }
}
