//! The study of verdicts under uncertain timing: how well stochastic oracles judge, and what it costs.

mod accuracy;
mod faults;
mod plot;
mod power;
mod rules;
mod section;

use std::time::Instant;

use provoke_base::{Control, Error, Event, SourceFile};
use provoke_files::ModelText;
use provoke_oracle::{TimedSuite, json as timed_json};
use provoke_results::{Schema, StudyStochastic, StudyWord};
use provoke_store::{Key, KeyBuilder};
use provoke_uppaal::Network;
use provoke_work::{CaseRunner, Cases, Served, case_key};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::placement::Placement;
use crate::request::StudyRequest;
use crate::stochastic_study::accuracy::{PARTS, Scenario, scenarios};
use crate::stochastic_study::faults::{Benches, Extent, Subject, Tools, completer, generated};
use crate::stochastic_study::power::{HYPOTHESES, Way};
use crate::stochastic_study::rules::{CERTAINTIES, cost, faults_of_size, judges, power};
use crate::stochastic_study::section::Section;

/// How stochastic oracles are studied.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(default)]
pub struct StochasticOptions {
    /// Networks in UPPAAL's format; the two built-in ones if there are none.
    pub models: Vec<ModelText>,
    /// Whether few mutants, seeds and repeats are enough.
    pub quick: bool,
    /// By which part of its length a range ends earlier in a faulty system.
    pub earlier: f64,
    /// By which multiple of its length a range ends later in a faulty system.
    pub later: f64,
    /// Where random numbers start.
    pub seed: u64,
    /// Where the study is written, and who works on it.
    pub place: Placement,
}

impl Default for StochasticOptions {
    fn default() -> StochasticOptions {
        StochasticOptions {
            models: Vec::new(),
            quick: false,
            earlier: 0.375,
            later: 1.5,
            seed: 0,
            place: Placement::default(),
        }
    }
}

/// The networks that are studied if no others are named.
const NETWORKS: [(&str, &str); 2] = [
    ("hands_off", include_str!("../../../models/timed/hands_off.xml")),
    ("seat", include_str!("../../../models/timed/seat.xml")),
];

/// How long cases take, as long as nothing was measured.
const TEST_SECONDS: f64 = 1.0;
const TRIAL_SECONDS: f64 = 0.5;
const RULE_SECONDS: f64 = 0.1;

/// Studies verdicts under uncertain timing: precision, faults found, cost and accuracy of the rules.
/// Nothing is written or returned if it is cancelled; finished cases are kept, and the same call goes on
/// from there.
pub fn stochastic(
    options: &StochasticOptions,
    control: &Control,
) -> Result<Option<StudyStochastic>, Error> {
    let start = Instant::now();
    let networks = networks(&options.models)?;
    let place = &options.place;
    let request = StudyRequest::Stochastic(options.clone());
    let runner = place.runner(&request, place.threads(), control)?;
    let mut study = RunningStudy::new(options, runner);
    if !study.all(&networks, control)? {
        return Ok(None);
    }
    place.make_folder()?;
    place.write(&study.section.files())?;
    Ok(Some(StudyStochastic {
        schema: Schema::default(),
        study: StudyWord::Stochastic,
        seed: options.seed,
        quick: options.quick,
        folder: place.folder.display().to_string(),
        resumed: study.runner.resumed(),
        seconds: start.elapsed().as_secs_f64(),
        tables: study.section.tables,
    }))
}

/// Does a worker's part.
pub(crate) fn serve(
    options: &StochasticOptions,
    runner: CaseRunner<'_>,
    control: &Control,
) -> Result<Served, Error> {
    let networks = networks(&options.models)?;
    let mut study = RunningStudy::new(options, runner);
    study.all(&networks, control)?;
    study.runner.served()
}

fn wrong(message: String) -> Error {
    Error::input(message, "study another model")
}

/// A network that is studied.
struct NamedNetwork {
    name: String,
    text: String,
    network: Network,
}

fn networks(models: &[ModelText]) -> Result<Vec<NamedNetwork>, Error> {
    let built_in = NETWORKS.map(|(name, text)| ModelText::new(name, text));
    let models = if models.is_empty() { &built_in } else { models };
    let network = |model: &ModelText| {
        let ModelText { name, text, .. } = model.clone();
        let file = SourceFile::new(name.as_str(), text.as_str());
        let loaded = provoke_uppaal::load(&file);
        let network = loaded.network.ok_or_else(|| Error::in_text(&file, loaded.diagnostics))?;
        Ok(NamedNetwork { name, text, network })
    };
    models.iter().map(network).collect()
}

/// The study while it goes on.
struct RunningStudy<'a> {
    options: &'a StochasticOptions,
    runner: CaseRunner<'a>,
    section: Section,
}

impl<'a> RunningStudy<'a> {
    fn new(options: &'a StochasticOptions, runner: CaseRunner<'a>) -> RunningStudy<'a> {
        let section = Section::new((options.earlier, options.later));
        RunningStudy { options, runner, section }
    }

    /// All of it; tells whether it came to its end.
    fn all(&mut self, networks: &[NamedNetwork], control: &Control) -> Result<bool, Error> {
        let note = |text: &str| control.tell(Event::Note(text.to_string()));
        note("tests, sequences and probabilities");
        let Some(subjects) = self.subjects(networks)? else { return Ok(false) };
        note("faults");
        if !self.trials(networks, &subjects)? {
            return Ok(false);
        }
        note("power and cost of the rules");
        if !self.rules()? {
            return Ok(false);
        }
        note("accuracy over 420 scenarios");
        self.accuracy()
    }

    fn quick<T>(&self, quick: T, full: T) -> T {
        if self.options.quick { quick } else { full }
    }

    fn extent(&self) -> Extent {
        Extent {
            runs: self.quick(300, 4000),
            every: self.quick(13, 1),
            by: 0.5,
            seed: self.options.seed,
        }
    }

    /// The name of all that is done with a network, or with none.
    fn key(&self, name: &str, text: &str) -> Key {
        let StochasticOptions { quick, seed, earlier, later, .. } = self.options;
        let settings = json!({"quick": quick, "seed": seed, "earlier": earlier, "later": later});
        KeyBuilder::new("provoke/study-stochastic/3")
            .part("name", name)
            .part("model", text)
            .json("settings", &settings)
            .finish()
    }

    /// The networks with complete suites.
    fn subjects(&mut self, networks: &[NamedNetwork]) -> Result<Option<Vec<Subject>>, Error> {
        let extent = self.extent();
        let (mut suites, mut completers) = (Vec::new(), Vec::new());
        let (mut tests, mut keys) = (Vec::new(), Vec::new());
        for (at, named) in networks.iter().enumerate() {
            let suite = generated(&named.network, extent.seed).map_err(wrong)?;
            completers.push(completer(&named.network, &suite, extent).map_err(wrong)?);
            let base = self.key(&named.name, &named.text);
            for (number, test) in suite.tests.iter().enumerate() {
                keys.push(case_key(&base, &json!(["test", number, test.name])));
                tests.push((at, number));
            }
            suites.push(suite);
        }
        let cases = Cases::new("tests", TEST_SECONDS, keys);
        let completed = self.runner.all(&cases, &|at, _| {
            let (network, test) = tests[at];
            let suite: &TimedSuite = &suites[network];
            let done = completers[network].complete(&suite.tests[test]).map_err(wrong)?;
            Ok::<_, Error>(timed_json::print(&TimedSuite { tests: vec![done], ..suite.clone() }))
        })?;
        let Some(completed) = completed else { return Ok(None) };
        suites.iter_mut().for_each(|suite| suite.tests.clear());
        for ((network, _), text) in tests.iter().zip(completed) {
            let alone = timed_json::parse(&text).map_err(|error| wrong(error.message))?;
            suites[*network].tests.extend(alone.tests);
        }
        let subject = |(named, suite): (&NamedNetwork, TimedSuite)| {
            Subject::new(&named.name, named.network.clone(), suite, extent)
        };
        Ok(Some(networks.iter().zip(suites).map(subject).collect()))
    }

    /// RQ1 to RQ3 on all networks; tells whether all was done.
    fn trials(&mut self, networks: &[NamedNetwork], subjects: &[Subject]) -> Result<bool, Error> {
        let seeds = self.quick(2, 20);
        let (mut trials, mut keys) = (Vec::new(), Vec::new());
        for (at, (named, subject)) in networks.iter().zip(subjects).enumerate() {
            let base = self.key(&named.name, &named.text);
            for (name, oracle) in judges(&subject.suite) {
                for trial in subject.trials(oracle, seeds) {
                    let case = json!([name, format!("{oracle:?}"), format!("{trial:?}")]);
                    keys.push(case_key(&base, &case));
                    trials.push((at, oracle, trial));
                }
            }
        }
        let tools: Result<Vec<Tools<'_>>, String> = subjects.iter().map(Tools::new).collect();
        let tools = tools.map_err(wrong)?;
        let benches: Vec<Benches<'_>> = tools.iter().map(Benches::new).collect();
        let parts = (self.options.earlier, self.options.later);
        let cases = Cases::new("trials", TRIAL_SECONDS, keys);
        let tried = self.runner.all(&cases, &|at, _| {
            let (network, oracle, trial) = trials[at];
            benches[network].tried(oracle, trial, parts).map_err(wrong)
        })?;
        let Some(tried) = tried else { return Ok(false) };
        let mut tried = trials.iter().map(|(_, _, trial)| *trial).zip(tried);
        for subject in subjects {
            self.section.describe(subject);
            for (name, oracle) in judges(&subject.suite) {
                let count = subject.trials(oracle, seeds).len();
                self.section.compare(subject, name, tried.by_ref().take(count), seeds);
            }
        }
        Ok(true)
    }

    /// Power and cost of the rules; tells whether all was done.
    fn rules(&mut self) -> Result<bool, Error> {
        let (seed, repeats) = (self.options.seed, [self.quick(200, 4000), self.quick(100, 2000)]);
        let mut asked = Vec::new();
        for way in power() {
            asked.push((way, 0.5, 0.5, repeats[0]));
            asked.extend(faults_of_size().map(|(_, _, q)| (way, 0.5, q, repeats[0])));
        }
        for way in cost() {
            asked.extend(CERTAINTIES.map(|p| (way, p, p, repeats[1])));
        }
        let base = self.key("", "");
        let key = |(way, p, q, repeats): &(Way, f64, f64, u32)| {
            let Way { name, oracle } = way;
            let case = json!([name, oracle, HYPOTHESES, p, q, repeats]);
            case_key(&base, &case)
        };
        let cases = Cases::new("rules", RULE_SECONDS, asked.iter().map(key).collect());
        let done = self.runner.all(&cases, &|at, _| {
            let (way, p, q, repeats) = asked[at];
            way.on(p, q, repeats, seed).map_err(wrong)
        })?;
        let Some(done) = done else { return Ok(false) };
        let mut done = done.into_iter();
        self.section.power(repeats[0], &mut done);
        self.section.cost(&mut done);
        Ok(true)
    }

    /// RQ4: accuracy over scenarios and the most runs; tells whether all was done.
    fn accuracy(&mut self) -> Result<bool, Error> {
        let (repeats, seed) = (self.quick(10, 100), self.options.seed);
        let base = self.key("", "");
        let key = |e: u64| case_key(&base, &json!(["scenarios", e, repeats]));
        let cases = Cases::new("scenarios", RULE_SECONDS, (1..=PARTS).map(key).collect());
        let all = self
            .runner
            .all(&cases, &|at, _| scenarios(at as u64 + 1, repeats, seed).map_err(wrong))?;
        let Some(all) = all else { return Ok(false) };
        let all: Vec<Scenario> = all.into_iter().flatten().collect();
        self.section.accuracy(&all, repeats);
        Ok(true)
    }
}
