//! The claims of `generate` and `prove`: verdicts about obligations and properties.

use std::collections::{BTreeSet, HashMap};

use provoke_model::Value;

use crate::certificate::Subject;
use crate::claim::{Claim, Reason, State, Word};
use crate::coverage::{Masking, Measure};
use crate::folder::{Damage, Settings, Suite, Test, Verdict};
use crate::graph::{CellId, Graph};
use crate::instances::Model;
use crate::obligations::{Counting, Obligation, obligations};
use crate::replay::{Replayed, outside};
use crate::violation::violated;

const SETTINGS: &str = "settings.json";
const VERDICTS: &str = "verdicts.json";

/// What the settings mean for a model.
pub(crate) struct Asked {
    pub(crate) masking: Masking,
    pub(crate) counting: Counting,
    pub(crate) monitored: Vec<CellId>,
    pub(crate) obligations: Vec<Obligation>,
    /// The criterion of each obligation, as users write it.
    pub(crate) words: Vec<String>,
    /// Whether what has to be observed is graded.
    grades: bool,
    /// The ids of the properties; none if they were not asked for.
    properties: Vec<String>,
}

impl Asked {
    pub(crate) fn new(settings: &Settings, model: &Model, graph: &Graph) -> Result<Asked, Damage> {
        let wrong =
            |what: &str, found: &str| Damage::new(SETTINGS, format!("unknown {what} `{found}`"));
        let counting = match settings.counting.as_str() {
            "published" => Counting::Published,
            "precise" => Counting::Precise,
            other => return Err(wrong("counting", other)),
        };
        let masking = Masking::named(&settings.masking);
        let cell =
            |name: &String| graph.cell_named(name).ok_or_else(|| wrong("monitored variable", name));
        let mut asked = Asked {
            masking: masking.ok_or_else(|| wrong("masking", &settings.masking))?,
            counting,
            grades: !settings.as_published && masking == Some(Masking::Strict),
            monitored: settings.monitored.iter().map(cell).collect::<Result<_, _>>()?,
            obligations: Vec::new(),
            words: Vec::new(),
            properties: Vec::new(),
        };
        for word in settings.criterion.split(',').map(str::trim) {
            if matches!(word, "property" | "properties") {
                asked.properties = model.property_ids();
                continue;
            }
            // They are claims of their own.
            if matches!(word, "mutants" | "errors") {
                continue;
            }
            let found = obligations(graph, word, counting);
            let found = found.ok_or_else(|| wrong("criterion", word))?;
            asked.words.extend(found.iter().map(|_| word.to_string()));
            asked.obligations.extend(found);
        }
        Ok(asked)
    }
}

/// What a verdict is about.
#[derive(Clone, Copy)]
enum About {
    Obligation(usize),
    Property(usize),
}

/// A model, its suite and what was asked, with every test run again.
pub(crate) struct Generation<'a> {
    pub(crate) model: &'a Model,
    pub(crate) graph: &'a Graph,
    pub(crate) asked: &'a Asked,
    pub(crate) suite: &'a Suite,
    pub(crate) replayed: &'a [Replayed],
    pub(crate) stop: &'a dyn Fn() -> bool,
}

/// What one test covers; nothing is known if there was no time to measure it.
type Covered = Option<BTreeSet<usize>>;

impl Generation<'_> {
    /// The claims of the verdicts, and what is wrong with the list of verdicts as a whole.
    pub(crate) fn claims(&self, verdicts: &[Verdict]) -> (Vec<Claim>, Vec<String>) {
        let mut derived: HashMap<&str, About> = HashMap::new();
        for (at, obligation) in self.asked.obligations.iter().enumerate() {
            derived.insert(&obligation.id, About::Obligation(at));
        }
        for (at, id) in self.asked.properties.iter().enumerate() {
            derived.insert(id, About::Property(at));
        }
        let covered = self.coverage();
        let (mut claims, mut troubles) = (Vec::new(), self.troubles());
        troubles.extend(self.wrong_tags(verdicts, &derived));
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for verdict in verdicts {
            if !seen.insert(&verdict.id) {
                troubles.push(format!("{VERDICTS}: `{}` has two verdicts", verdict.id));
            }
            let about = derived.get(verdict.id.as_str()).copied();
            troubles.extend(about.and_then(|about| self.misplaced(verdict, about)));
            if let Some(About::Obligation(at)) = about
                && self.is_graded(at)
                && verdict.verdict != "excluded"
            {
                let (graded, wrong) = self.graded(verdict, at);
                claims.extend(graded);
                troubles.extend(wrong);
                continue;
            }
            match self.claim(verdict, about, &covered) {
                Some(claim) => claims.push(claim),
                None if ["unknown", "excluded"].contains(&verdict.verdict.as_str()) => {}
                None => troubles.push(format!(
                    "{VERDICTS}: `{}` is no verdict about `{}`",
                    verdict.verdict, verdict.id
                )),
            }
        }
        let missing = derived.keys().filter(|id| !seen.contains(**id)).count();
        if missing > 0 {
            troubles.push(format!("{VERDICTS}: {missing} obligations have no verdict"));
        }
        troubles.extend(self.understated(verdicts, &derived, &covered));
        troubles.extend(self.unlisted(verdicts));
        (claims, troubles)
    }

    /// What a verdict says that is not said of such an obligation or property.
    fn misplaced(&self, verdict: &Verdict, about: About) -> Option<String> {
        let (kind, is_graded) = match about {
            About::Property(_) => ("property", false),
            About::Obligation(at) => {
                (self.asked.obligations[at].criterion.host.kind(), self.is_graded(at))
            }
        };
        let Verdict { id, grade, step, stuck, redundant, tag, .. } = verdict;
        let has_grade = grade.is_some() || redundant.is_some() || tag.is_some();
        let has_facts = has_grade || step.is_some() || stuck.is_some();
        if !is_graded && has_facts {
            return Some(format!("{VERDICTS}: `{id}` has a grade, and nothing was to be graded"));
        }
        let differs = !verdict.kind.is_empty() && verdict.kind != kind;
        differs.then(|| format!("{VERDICTS}: `{id}` is no {}", verdict.kind))
    }

    /// Tags that do not arrive where they are said to.
    fn wrong_tags(&self, verdicts: &[Verdict], derived: &HashMap<&str, About>) -> Vec<String> {
        let mut told: HashMap<&str, Vec<(&Verdict, usize)>> = HashMap::new();
        for verdict in verdicts {
            let about = derived.get(verdict.id.as_str());
            if let (Some(tag), Some(About::Obligation(at))) = (&verdict.tag, about) {
                told.entry(&tag.test).or_default().push((verdict, *at));
            }
        }
        let mut troubles = Vec::new();
        for (test, replayed) in self.suite.tests.iter().zip(self.replayed) {
            let told = told.remove(test.name.as_str()).unwrap_or_default();
            if !told.is_empty() && !replayed.skipped && !(self.stop)() {
                troubles.extend(self.wrong_tags_of(test, replayed, &told));
            }
        }
        let nowhere = told.into_values().flatten();
        troubles.extend(nowhere.map(|(verdict, _)| {
            format!("{VERDICTS}: the tag of `{}` is in no test of the suite", verdict.id)
        }));
        troubles.sort();
        troubles
    }

    /// The same for the tags that are said to arrive in one test.
    fn wrong_tags_of(
        &self,
        test: &Test,
        replayed: &Replayed,
        told: &[(&Verdict, usize)],
    ) -> Vec<String> {
        let asked = self.asked;
        let obligations: Vec<&Obligation> =
            told.iter().map(|(_, at)| &asked.obligations[*at]).collect();
        let measure = Measure::new(self.graph, asked.masking, None, asked.monitored.clone());
        let found = measure.arrivals(&obligations, &test.inputs(replayed.steps));
        let step = |verdict: &Verdict| verdict.tag.as_ref().map(|tag| tag.step);
        let wrong = told.iter().zip(found).filter(|((verdict, _), found)| step(verdict) != *found);
        wrong
            .map(|((verdict, _), found)| {
                let (id, name) = (&verdict.id, &test.name);
                let place = found.map_or("never".to_string(), |step| format!("in step {step}"));
                format!("{VERDICTS}: the tag of `{id}` arrives {place} in test {name}")
            })
            .collect()
    }

    /// Verdicts that name a test which does not say so.
    fn unlisted(&self, verdicts: &[Verdict]) -> Vec<String> {
        let lists: HashMap<&str, BTreeSet<&str>> = self
            .suite
            .tests
            .iter()
            .map(|test| (test.name.as_str(), test.covers.iter().map(String::as_str).collect()))
            .collect();
        let mut troubles = Vec::new();
        for verdict in verdicts {
            let Some(name) = &verdict.test else { continue };
            let list = lists.get(name.as_str());
            if list.is_some_and(|covers| !covers.contains(verdict.id.as_str())) {
                let id = &verdict.id;
                troubles
                    .push(format!("suite.json: test {name} does not say that it covers `{id}`"));
            }
        }
        troubles
    }

    /// What tests of the tool's own leave out: they expect a value of everything that is monitored.
    pub(crate) fn without_expectation(&self, monitored: &[String]) -> Vec<String> {
        let mut troubles = Vec::new();
        for name in monitored {
            let Some(at) = self.suite.outputs.iter().position(|output| output == name) else {
                if !self.suite.tests.is_empty() {
                    troubles.push(format!("suite.json: `{name}` is monitored, and no output"));
                }
                continue;
            };
            let run = self.replayed.iter().filter(|replayed| !replayed.skipped);
            let count: usize = run.map(|replayed| replayed.unexpected[at]).sum();
            if count > 0 {
                troubles
                    .push(format!("suite.json: {count} expected values of `{name}` are missing"));
            }
        }
        troubles
    }

    /// Whether effects decide about an obligation.
    fn is_graded(&self, at: usize) -> bool {
        self.asked.grades && self.asked.obligations[at].criterion.observable
    }

    /// The obligations that each test covers in the steps that form a run.
    fn coverage(&self) -> Vec<Covered> {
        let asked = self.asked;
        let monitored = asked.monitored.clone();
        let measure = Measure::new(self.graph, asked.masking, None, monitored);
        let tests = self.suite.tests.iter().zip(self.replayed);
        tests
            .map(|(test, replayed)| {
                if replayed.skipped || (self.stop)() {
                    return None;
                }
                let steps = test.inputs(replayed.steps);
                Some(measure.covered(&asked.obligations, &steps).into_iter().collect())
            })
            .collect()
    }

    /// Tests that say what the model does not do.
    fn troubles(&self) -> Vec<String> {
        let tests = self.suite.tests.iter().zip(self.replayed);
        tests.flat_map(|(test, replayed)| replayed.troubles(&test.name)).collect()
    }

    /// What a suite covers beyond what is claimed is no false claim, unless a test says it covers
    /// what it does not.
    fn understated(
        &self,
        verdicts: &[Verdict],
        derived: &HashMap<&str, About>,
        covered: &[Covered],
    ) -> Vec<String> {
        let claimed: BTreeSet<&str> = verdicts
            .iter()
            .filter(|verdict| ["covered", "violated"].contains(&verdict.verdict.as_str()))
            .map(|verdict| verdict.id.as_str())
            .collect();
        let mut troubles = Vec::new();
        for ((test, covered), replayed) in self.suite.tests.iter().zip(covered).zip(self.replayed) {
            let Some(covered) = covered else { continue };
            for id in &test.covers {
                let truly = match derived.get(id.as_str()) {
                    // The verdict names the test, and that is checked.
                    Some(About::Obligation(at)) if self.is_graded(*at) => {
                        verdicts.iter().any(|verdict| {
                            verdict.id == *id && verdict.test.as_ref() == Some(&test.name)
                        })
                    }
                    Some(About::Obligation(at)) => covered.contains(at),
                    // Values of what is undefined may be needed; the verdict has them.
                    Some(About::Property(at)) => {
                        replayed.violates.contains_key(at) || claimed.contains(id.as_str())
                    }
                    None => false,
                };
                if !truly {
                    troubles.push(format!("test {} does not cover `{id}`", test.name));
                }
            }
        }
        troubles
    }

    fn claim(&self, verdict: &Verdict, about: Option<About>, covered: &[Covered]) -> Option<Claim> {
        let is_property = verdict.kind == "property" || matches!(about, Some(About::Property(_)));
        let word = match (verdict.verdict.as_str(), is_property) {
            ("covered", false) => Word::Covered,
            ("infeasible", false) => Word::Infeasible,
            ("covered" | "violated" | "falsified", true) => Word::Violated,
            ("infeasible" | "holds" | "proven" | "valid", true) => Word::Holds,
            _ => return None,
        };
        let id = verdict.id.clone();
        let Some(about) = about else {
            let state = State::Refuted("the model has no such obligation".to_string());
            return Some(Claim { word, id, state });
        };
        let state = match (word, about) {
            (Word::Covered | Word::Violated, _) if self.out_of_time(verdict, covered) => {
                State::Unconfirmed(Reason::Limit, "no time left".to_string())
            }
            (Word::Covered, About::Obligation(at)) => State::of(self.covers(verdict, at, covered)),
            (Word::Violated, About::Property(at)) => State::of(self.violates(verdict, at)),
            (Word::Infeasible, About::Obligation(at)) => self.infeasible(at, covered),
            (Word::Holds, About::Property(at)) => self.holds(at),
            _ => State::Refuted("the verdict is not one about this".to_string()),
        };
        Some(Claim { word, id, state })
    }

    /// Whether there was no time to look at the test that a verdict names.
    fn out_of_time(&self, verdict: &Verdict, covered: &[Covered]) -> bool {
        let tests = self.suite.tests.iter().zip(covered);
        let named = |name: &String| Some(name) == verdict.test.as_ref();
        tests.into_iter().any(|(test, covered)| named(&test.name) && covered.is_none())
    }

    /// The test that a verdict names.
    fn test(&self, verdict: &Verdict) -> Result<usize, String> {
        let name = verdict.test.as_ref().ok_or("no test is named")?;
        let position = self.suite.tests.iter().position(|test| test.name == *name);
        let position = position.ok_or_else(|| format!("the suite has no test {name}"))?;
        match &self.replayed[position].wrong {
            Some(wrong) => Err(format!("test {name}: {wrong}")),
            None => Ok(position),
        }
    }

    fn covers(
        &self,
        verdict: &Verdict,
        obligation: usize,
        covered: &[Covered],
    ) -> Result<(), String> {
        let test = self.test(verdict)?;
        if covers(&covered[test], obligation) {
            return Ok(());
        }
        let name = &self.suite.tests[test].name;
        match &self.replayed[test].ends {
            Some(ends) => Err(format!("test {name} does not cover it: its run ends, {ends}")),
            None => Err(format!("test {name} does not cover it")),
        }
    }

    fn violates(&self, verdict: &Verdict, property: usize) -> Result<(), String> {
        let test = self.test(verdict)?;
        let Replayed { steps, violates, .. } = &self.replayed[test];
        let certain = violates.get(&property);
        if let (Some(step), true) = (certain, verdict.undefined.is_empty()) {
            return as_claimed(verdict, *step);
        }
        // With values for what is undefined nothing is doubtful any more, and the run is done again.
        let all = &self.suite.tests[test].steps;
        let steps = match verdict.undefined.is_empty() {
            true => &all[..*steps],
            false => &all[..],
        };
        let within = steps.iter().take_while(|step| outside(self.model, &step.inputs).is_none());
        let inputs: Vec<&[Value]> = within.map(|step| step.inputs.as_slice()).collect();
        match violated(self.model, self.graph, property, &inputs, &verdict.undefined) {
            Ok(step) => as_claimed(verdict, step),
            // It is false for other values as well.
            Err(_) if certain.is_some() => Ok(()),
            Err(why) => Err(why),
        }
    }

    /// A proof has to be checked, unless a test covers what no test can.
    fn infeasible(&self, obligation: usize, covered: &[Covered]) -> State {
        match covered.iter().position(|covered| covers(covered, obligation)) {
            Some(test) => State::Refuted(format!("test {} covers it", self.suite.tests[test].name)),
            None => State::Open(vec![Subject::Infeasible {
                criterion: self.asked.words[obligation].clone(),
                obligation: self.asked.obligations[obligation].id.clone(),
            }]),
        }
    }

    fn holds(&self, property: usize) -> State {
        match self.replayed.iter().position(|test| test.violates.contains_key(&property)) {
            Some(test) => {
                State::Refuted(format!("test {} violates it", self.suite.tests[test].name))
            }
            None => State::Open(vec![Subject::Holds(self.asked.properties[property].clone())]),
        }
    }
}

/// Whether a property is false in the step that its verdict names, if it names one.
fn as_claimed(verdict: &Verdict, step: usize) -> Result<(), String> {
    match verdict.property.as_ref().and_then(|property| property.step) {
        Some(claimed) if claimed != step => {
            Err(format!("it is first false in step {step}, not in step {claimed}"))
        }
        _ => Ok(()),
    }
}

fn covers(covered: &Covered, obligation: usize) -> bool {
    covered.as_ref().is_some_and(|covered| covered.contains(&obligation))
}
