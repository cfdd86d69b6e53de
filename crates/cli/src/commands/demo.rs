//! `provoke demo`: the whole story on a built-in model, ending with a report.

use std::path::Path;
use std::time::Instant;

use provoke_results::{
    Demo, MutantResult, MutantWord, Mutate, Schema, StageWord, VerdictWord, Verdicts, to_json,
};
use provoke_solve::z3;

use crate::args::DemoArgs;
use crate::commands::project::{shown, typed};
use crate::evidence;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::table::aligned;

const MODEL: &str = include_str!("../../../../models/infusion_pump.lus");

/// How many mutants are tried: enough to tell the suites apart, few enough for a demonstration.
const MUTANTS: &str = "600";

/// How much is done for each obligation.
const EFFORT: &str = "2";

pub(crate) fn run(args: &DemoArgs, output: &Output) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let demo = Story::new(&args.output, output)?;
    demo.say("An infusion pump in Lustre: modes, a bolus with a lockout, graded alarms.\n");
    let model = &demo.model;
    demo.step("1. Is the model well?", &["check", model])?;
    let plain = demo.tested("mcdc", "2. Tests as standards ask for them: MC/DC.")?;
    let seen = "3. Tests that also make every effect visible at an output: observable MC/DC.";
    let observable = demo.tested("omcdc", seen)?;
    demo.say(&scores(&plain, &observable));
    let fault = missed(&plain, &observable);
    demo.say(&fault.map_or_else(String::new, |(missed, seen)| told(missed, seen)));
    let report = demo.inside("report.html");
    let folders = ["omcdc", "omcdc-mutants", "mcdc", "mcdc-mutants"].map(|name| demo.inside(name));
    let [a, b, c, d] = folders.each_ref().map(String::as_str);
    let line = ["report", a, b, c, d, "--title", "Infusion pump", "-o", &report];
    demo.step("4. The evidence, in one file.", &line)?;
    let seconds = start.elapsed().as_secs();
    demo.say(&format!(
        "\nOpen {report} in a browser: it needs nothing else. All in {seconds} s.\n\
         Next, with a model of your own: docs/book/tutorial.md\n"
    ));
    if output.is_json() {
        output.result(&to_json(&Demo {
            schema: Schema::default(),
            report,
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
    model: String,
    output: &'a Output,
    /// Without a solver tests are found by simulation alone.
    method: &'static [&'static str],
}

impl<'a> Story<'a> {
    fn new(folder: &'a Path, output: &'a Output) -> Result<Story<'a>, Failure> {
        files::make_folder(folder)?;
        let path = folder.join("infusion_pump.lus");
        files::write(output, &path, MODEL.as_bytes())?;
        let method = match z3::find() {
            Ok(_) => &[][..],
            Err(missing) => {
                let install = missing.command;
                output.warning(&format!("no solver: nothing is proven; install it: {install}"));
                &["--method", "random"]
            }
        };
        Ok(Story { folder, model: path.display().to_string(), output, method })
    }

    fn inside(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn say(&self, text: &str) {
        if !self.output.is_json() {
            self.output.result(text);
        }
    }

    /// Shows a command and carries it out; its own words are left for those who type it.
    fn step(&self, title: &str, words: &[&str]) -> Result<(), Failure> {
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        let title = if title.is_empty() { String::new() } else { format!("\n{title}\n") };
        self.say(&format!("{title}   $ provoke {}\n", shown(&words)));
        match typed(&words, &self.output.without_results())? {
            // What is left unknown is no reason to stop a demonstration.
            Outcome::Well | Outcome::Inconclusive => Ok(()),
            _ => Err(Failure::Shown),
        }
    }

    /// Tests for a criterion, and the mutants that they kill.
    fn tested(&self, criterion: &str, title: &str) -> Result<Mutate, Failure> {
        let (model, tests) = (&self.model, self.inside(criterion));
        let generate = ["generate", model, "-c", criterion, "--effort", EFFORT, "-o", &tests];
        self.step(title, &[&generate, self.method].concat())?;
        self.say(&totals(&evidence::read(&self.folder.join(criterion).join("verdicts.json"))?));
        let suite = self.inside(&format!("{criterion}/suite.json"));
        let folder = self.inside(&format!("{criterion}-mutants"));
        self.step("", &["mutate", model, &suite, "--sample", MUTANTS, "-o", &folder])?;
        let mutants: Mutate = evidence::read(&Path::new(&folder).join("mutants.json"))?;
        self.say(&format!(
            "   {} of {} small faults are seen\n",
            mutants.killed,
            mutants.mutants - mutants.invalid
        ));
        Ok(mutants)
    }
}

fn totals(verdicts: &Verdicts) -> String {
    let all = &verdicts.verdicts;
    let count = |word| all.iter().filter(|verdict| verdict.verdict == word).count();
    let words = [VerdictWord::Covered, VerdictWord::Infeasible, VerdictWord::Unknown];
    let [covered, infeasible, unknown] = words.map(count);
    format!(
        "   {} obligations: {covered} covered, {infeasible} proven infeasible, {unknown} unknown\n",
        all.len()
    )
}

fn scores(plain: &Mutate, observable: &Mutate) -> String {
    let row = |name: &str, result: &Mutate| {
        let cells = [name, &result.tests.to_string(), &result.steps.to_string()];
        let cells = cells.map(|cell| format!("   {cell}"));
        [cells.to_vec(), vec![format!("   {:.1} %", result.percent)]].concat()
    };
    let heading = ["   tests for", "   tests", "   steps", "   faults seen"].map(String::from);
    let rows = [heading.to_vec(), row("MC/DC", plain), row("observable MC/DC", observable)];
    format!("\n{}", aligned(&rows))
}

/// A fault that tests for MC/DC let change the state without any output showing it, and that tests
/// for observable MC/DC see.
fn missed<'a>(
    plain: &'a Mutate,
    observable: &'a Mutate,
) -> Option<(&'a MutantResult, &'a MutantResult)> {
    let is_masked = |mutant: &&MutantResult| {
        matches!(mutant.stage, Some(StageWord::Infected | StageWord::Propagated))
    };
    let seen = |missed: &'a MutantResult| {
        let same = observable.results.iter().find(|mutant| mutant.id == missed.id)?;
        (same.status == MutantWord::Killed).then_some((missed, same))
    };
    let found: Vec<_> = plain.results.iter().filter(is_masked).filter_map(seen).collect();
    // A wrong operator is understood at a glance.
    let simple = ["relational", "boolean", "negation"];
    let best = found.iter().find(|(mutant, _)| simple.contains(&mutant.operator.as_str()));
    best.or(found.first()).copied()
}

fn told(missed: &MutantResult, seen: &MutantResult) -> String {
    let test = |mutant: &MutantResult| mutant.test.clone().unwrap_or_default();
    let step = |mutant: &MutantResult| mutant.step.unwrap_or_default();
    format!(
        "\nA fault that MC/DC misses: {}\n   Its tests run into it (test {}, step {}), but what goes \
         wrong is masked on the way\n   to the outputs. Test {} of the observable suite sees it in \
         step {}.\n",
        missed.text,
        test(missed),
        step(missed),
        test(seen),
        step(seen)
    )
}
