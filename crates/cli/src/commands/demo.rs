//! `provoke demo`: the whole story on a built-in model, ending with a report.

use std::path::Path;
use std::time::Instant;

use provoke::{
    Control, CoverageTarget, GenerateOptions, GenerationMethod, Model, MutateOptions,
    ReportOptions, WorkOptions,
};
use provoke_model::Suite;
use provoke_report::{html, text};
use provoke_results::{Demo, Mutate, Schema, TotalsResult, to_json};
use provoke_solve::z3;

use crate::args::DemoArgs;
use crate::commands::project::shown;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome, show_diagnostics};
use crate::output::Output;

const MODEL: &str = include_str!("../../../../models/infusion_pump.lus");

/// How many mutants are tried: enough to tell the suites apart, few enough for a demonstration.
const MUTANTS: usize = 600;

/// How much is done for each obligation.
const EFFORT: u32 = 2;

pub(crate) fn run(args: &DemoArgs, output: &Output) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let demo = Story::new(&args.output, output)?;
    demo.say("An infusion pump in Lustre: modes, a bolus with a lockout, graded alarms.\n");
    demo.step("1. Is the model well?", &["check", &demo.name]);
    let (checked, diagnostics) = provoke::check(&demo.model.file, None);
    show_diagnostics(output, &demo.model.file, &diagnostics);
    demo.say(if checked.ok { "   yes\n" } else { "   no\n" });
    let plain = demo.tested("mcdc", "2. Tests as standards ask for them: MC/DC.")?;
    let seen = "3. Tests that also make every effect visible at an output: observable MC/DC.";
    let observable = demo.tested("omcdc", seen)?;
    demo.say(&text::demo_scores(&plain, &observable));
    let fault = text::demo_fault(&plain, &observable);
    demo.say(
        &fault.map_or_else(String::new, |(missed, seen)| text::demo_explanation(missed, seen)),
    );
    let page = demo.reported()?;
    let seconds = start.elapsed().as_secs();
    demo.say(&format!(
        "\nOpen {page} in a browser: it needs nothing else. All in {seconds} s.\n\
         Next, with a model of your own: docs/book/tutorial.md\n"
    ));
    if output.is_json() {
        output.result(&to_json(&Demo {
            schema: Schema::default(),
            report: page,
            mcdc_percent: plain.percent,
            omcdc_percent: observable.percent,
            missed_by_mcdc: fault.map(|(missed, _)| missed.text.clone()),
        }));
    }
    Ok(Outcome::Well)
}

/// Where the story is told, and with what.
struct Story<'a> {
    folder: &'a Path,
    model: Model,
    /// The name of the model's file.
    name: String,
    output: &'a Output,
    control: Control,
    /// Without a solver tests are found by simulation alone.
    method: GenerationMethod,
}

impl<'a> Story<'a> {
    fn new(folder: &'a Path, output: &'a Output) -> Result<Story<'a>, Failure> {
        files::make_folder(folder)?;
        let path = folder.join("infusion_pump.lus");
        files::write(output, &path, MODEL.as_bytes())?;
        let method = match z3::find() {
            Ok(_) => GenerationMethod::Hybrid,
            Err(missing) => {
                let install = missing.command;
                output.warning(&format!("no solver: nothing is proven; install it: {install}"));
                GenerationMethod::Random
            }
        };
        let (model, name) = (provoke::files::model(&path, None, &[])?, path.display().to_string());
        Ok(Story { folder, model, name, output, control: console::control(output), method })
    }

    fn inside(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn say(&self, text: &str) {
        if !self.output.is_json() {
            self.output.result(text);
        }
    }

    /// Shows a title and the command that does what follows.
    fn step(&self, title: &str, words: &[&str]) {
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        let title = if title.is_empty() { String::new() } else { format!("\n{title}\n") };
        self.say(&format!("{title}   $ provoke {}\n", shown(&words)));
    }

    /// Tests for a criterion, and the mutants that they kill.
    fn tested(&self, criterion: &str, title: &str) -> Result<Mutate, Failure> {
        let (folder, effort) = (self.inside(criterion), EFFORT.to_string());
        let typed = ["generate", &self.name, "-c", criterion, "--effort", &effort, "-o", &folder];
        let method: &[&str] = match self.method {
            GenerationMethod::Random => &["--method", "random"],
            _ => &[],
        };
        self.step(title, &[&typed, method].concat());
        let options = GenerateOptions {
            targets: CoverageTarget::named(criterion).into_iter().collect(),
            method: self.method,
            folder: Some(self.folder.join(criterion)),
            work: WorkOptions { effort: Some(EFFORT), ..WorkOptions::default() },
            ..GenerateOptions::default()
        };
        let generated = provoke::generate(&self.model, None, &options, &self.control)?;
        self.go_on()?;
        let totals = generated.result.obligations;
        let TotalsResult { total, covered, infeasible, redundant, .. } = totals;
        self.say(&format!(
            "   {total} obligations: {covered} covered, {} proven to need no test, {} open\n",
            infeasible + redundant,
            totals.open()
        ));
        self.mutated(criterion, generated.suite)
    }

    fn mutated(&self, criterion: &str, suite: Suite) -> Result<Mutate, Failure> {
        let file = self.inside(&format!("{criterion}/suite.json"));
        let (folder, sample) = (format!("{criterion}-mutants"), MUTANTS.to_string());
        let place = self.inside(&folder);
        self.step("", &["mutate", &self.name, &file, "--sample", &sample, "-o", &place]);
        let options = MutateOptions {
            sample: Some(MUTANTS),
            folder: Some(self.folder.join(&folder)),
            ..MutateOptions::default()
        };
        let mutated = provoke::mutate(self.model.clone(), suite, &options, &self.control)?;
        self.go_on()?;
        let mutants = mutated.result;
        let valid = mutants.mutants - mutants.invalid;
        self.say(&format!("   {} of {valid} small faults are seen\n", mutants.killed));
        Ok(mutants)
    }

    /// The name of the page with all evidence.
    fn reported(&self) -> Result<String, Failure> {
        let names = ["omcdc", "omcdc-mutants", "mcdc", "mcdc-mutants"];
        let places = names.map(|name| self.folder.join(name));
        let [a, b, c, d] = names.map(|name| self.inside(name));
        let (page, title) = (self.inside("report.html"), "Infusion pump".to_string());
        let typed = ["report", &a, &b, &c, &d, "--title", &title, "-o", &page];
        self.step("4. The evidence, in one file.", &typed);
        let options = ReportOptions { title: Some(title.clone()), requirements: None };
        let report = provoke::report(&places, &options, &self.control)?;
        files::write(self.output, Path::new(&page), html(&report).as_bytes())?;
        Ok(page)
    }

    /// An interrupted story is not told to its end.
    fn go_on(&self) -> Result<(), Failure> {
        match self.control.is_cancelled() {
            false => Ok(()),
            true => Err(Failure::Interrupted),
        }
    }
}
