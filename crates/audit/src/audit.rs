//! An output folder, audited: every claim is counted, and confirmed, refuted or left open.

use std::collections::BTreeMap;
use std::sync::Arc;

use provoke_base::SourceFile;
use provoke_lustre::tree;
use serde::Serialize;

use crate::certificate::Subject;
use crate::claim::{Claim, Reason, State, Word};
use crate::design;
use crate::flattening::{self, Flattening};
use crate::folder::{
    Damage, Folder, Mutants, Settings, Suite, Verdicts, json, required, same_model, sha256, suite,
};
use crate::form::changed_equation;
use crate::generation::{Asked, Generation};
use crate::graph::{Graph, NodeId};
use crate::instances::{Model, WrongValue};
use crate::proof::{Disagreement, Setting};
use crate::proving::prove;
use crate::replay::{Replayed, replay_all};
use crate::score::Scored;
use crate::solver::{QueryLimit, Solver};

/// How an audit is done.
pub struct Options<'a> {
    /// The solvers that proofs are checked with, best first.
    pub solvers: &'a [Box<dyn Solver>],
    /// How long each may think about a query.
    pub limit: QueryLimit,
    /// Whether there is no time left.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// How many mutants are looked at at once; nothing else depends on it.
    pub jobs: usize,
}

/// How many random steps the tree and each flat text are compared for.
pub const FLAT_STEPS: usize = 1_000;

/// What an audit found.
#[derive(Serialize, Clone, Debug)]
pub struct Audit {
    /// `provoke/audit/1`
    pub schema: &'static str,
    /// The main node.
    pub model: String,
    /// All covered, infeasible, holds, violated, killed and equivalent verdicts.
    pub claims: usize,
    /// Those that are true.
    pub confirmed: usize,
    /// Those that are false, and whatever else in the folder is.
    pub refuted: usize,
    /// Those of which neither is known.
    pub unconfirmed: usize,
    /// Why.
    pub reasons: Reasons,
    /// Of those that are confirmed: by Z3 and by no other solver.
    pub by_z3_alone: usize,
    /// The solvers that proofs were checked with; empty if none was needed.
    pub solver: String,
    /// How long it took.
    pub seconds: f64,
    /// The same numbers for each kind of claim.
    pub kinds: Vec<Kind>,
    /// How many tests were run again.
    pub tests: usize,
    /// How many steps they have.
    pub steps: usize,
    /// The model against its flat texts.
    pub flattening: FlatResult,
    /// What was audited: the SHA-256 of each file, by name.
    pub files: BTreeMap<&'static str, String>,
    /// What is false and what is not known, with the reason.
    pub findings: Vec<Finding>,
    /// Two solvers that differ, with what they were asked: then no proof is decided.
    #[serde(skip)]
    pub disagreement: Option<Disagreement>,
}

/// How many claims are not confirmed for which reason.
#[derive(Serialize, Clone, Copy, Default, Debug)]
pub struct Reasons {
    /// Nothing that shows it is written down, or what is does not show it.
    pub uncertified: usize,
    /// No solver could tell.
    pub undecided: usize,
    /// There was no time or room left.
    pub limit: usize,
}

/// The numbers of one kind of claim.
#[derive(Serialize, Clone, Debug)]
pub struct Kind {
    /// What the claims say.
    pub verdict: Word,
    /// How many there are.
    pub claims: usize,
    /// Those that are true.
    pub confirmed: usize,
    /// Those that are false.
    pub refuted: usize,
    /// The rest.
    pub unconfirmed: usize,
}

/// The comparison of the model with its flat texts.
#[derive(Serialize, Clone, Default, Debug)]
pub struct FlatResult {
    /// How many random steps were compared.
    pub steps: usize,
    /// With which texts.
    pub forms: Vec<&'static str>,
    /// A difference and the inputs that show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
}

/// Something that is not confirmed.
#[derive(Serialize, Clone, Debug)]
pub struct Finding {
    /// What the claim says; absent if the folder as a whole is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Word>,
    /// Of what.
    pub id: String,
    /// Whether it is false; else it is not known.
    pub refuted: bool,
    /// Why it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Reason>,
    /// The reason in words.
    pub reason: String,
}

impl Audit {
    /// The name of the schema.
    pub const SCHEMA: &'static str = "provoke/audit/1";

    /// Whether something is false.
    pub fn is_refuted(&self) -> bool {
        self.refuted > 0 || self.flattening.difference.is_some()
    }
}

/// What was found while the folder was read.
#[derive(Default)]
struct Found {
    claims: Vec<Claim>,
    troubles: Vec<String>,
    tests: usize,
    steps: usize,
    flattening: Flattening,
    model: String,
    disagreement: Option<Disagreement>,
}

/// Audits a folder; what is wrong with it, if it cannot be audited.
pub fn audit(folder: &Folder, options: &Options<'_>) -> Result<Audit, Damage> {
    let mut found = Found::default();
    if folder.verdicts.is_none() && folder.mutants.is_none() {
        let problem = "there is neither verdicts.json nor mutants.json".to_string();
        let help =
            "name a folder that generate, prove, measure or mutate wrote with -o".to_string();
        return Err(Damage { file: "verdicts.json", problem, help });
    }
    if folder.verdicts.is_some() {
        generation(folder, options, &mut found)?;
    }
    if folder.mutants.is_some() {
        mutation(folder, options, &mut found)?;
    }
    Ok(Audit { files: folder.hashes(), ..summary(found, options) })
}

/// A model that was read, and what its text is.
struct Read {
    file: SourceFile,
    model: Arc<Model>,
    graph: Graph,
    hash: String,
}

fn read(
    bytes: &[u8],
    main: Option<&str>,
    assumptions: &[String],
    hash: &str,
) -> Result<Read, Damage> {
    same_model(bytes, hash)?;
    let file = SourceFile::from_bytes("model.lus", bytes.to_vec());
    let tree = tree::read(&file, main, assumptions).map_err(|errors| {
        let first = errors.first().map_or("it has errors", |error| error.message.as_str());
        Damage::new("model.lus", first.to_string())
    })?;
    let too_large = |large: crate::instances::TooLarge| Damage {
        help: "audit a smaller main node".to_string(),
        ..Damage::new("model.lus", format!("the model is too large to be audited: {}", large.what))
    };
    let model = Model::new(tree).map_err(too_large)?;
    let graph = Graph::new(&model).map_err(too_large)?;
    let model = Arc::new(model);
    Ok(Read { file, model, graph, hash: sha256(bytes) })
}

fn generation(folder: &Folder, options: &Options<'_>, found: &mut Found) -> Result<(), Damage> {
    let settings: Settings = json("settings.json", required("settings.json", &folder.settings)?)?;
    let verdicts: Verdicts = json("verdicts.json", required("verdicts.json", &folder.verdicts)?)?;
    only_exact("settings.json", settings.numbers.as_ref())?;
    let bytes = required("model.lus", &folder.model)?;
    let hash = &settings.model_sha256;
    let read = read(bytes, Some(&settings.main), &settings.assumptions, hash)?;
    let suite = suite(required("suite.json", &folder.suite)?, &read.model)?;
    let asked = Asked::new(&settings, &read.model, &read.graph)?;
    let replayed = replay_all(&read.model, &read.graph, &suite, options.stop);
    let generation = Generation {
        model: &read.model,
        graph: &read.graph,
        asked: &asked,
        suite: &suite,
        replayed: &replayed,
        stop: options.stop,
    };
    let (mut claims, mut troubles) = generation.claims(&verdicts.verdicts);
    troubles.extend(verdicts.contradictions(&settings));
    if let Some(errors) = &verdicts.errors {
        let (about_errors, wrong) = design::claims(&read.model, errors, options.stop);
        claims.extend(about_errors);
        troubles.extend(wrong);
    }
    if !settings.is_measured() {
        troubles.extend(generation.without_expectation(&settings.monitored));
    }
    let setting = Setting {
        model: &read.model,
        graph: &read.graph,
        hash: &read.hash,
        assumptions: &settings.assumptions,
        masking: asked.masking,
        counting: asked.counting,
        monitored: &settings.monitored,
        mutant: &|subject| with_wrong_value(&read, &settings, &asked, subject),
        solvers: options.solvers,
        limit: options.limit,
        stop: options.stop,
        jobs: options.jobs,
    };
    found.disagreement = prove(&setting, folder.certificates.as_deref(), &mut claims);
    found.flattening = flat(&read, &settings.main, &settings.assumptions, options);
    found.add(claims, troubles, &settings.main, &suite, &replayed);
    Ok(())
}

/// What was found in a machine's numbers cannot be checked with exact ones.
fn only_exact(file: &'static str, numbers: Option<&serde_json::Value>) -> Result<(), Damage> {
    let Some(_) = numbers else { return Ok(()) };
    let problem = "the results are for a machine's numbers, and audits compute with exact ones";
    let help = "audit a run without `--numbers c`; its tests were replayed as they were found";
    Err(Damage { help: help.to_string(), ..Damage::new(file, problem.to_string()) })
}

/// The model in which the condition of an obligation is wrong, always or once as is claimed.
fn with_wrong_value(
    read: &Read,
    settings: &Settings,
    asked: &Asked,
    subject: &Subject,
) -> Result<Model, String> {
    let (id, is_once) = match subject {
        Subject::Redundant { obligation, .. } => (obligation, false),
        Subject::Once { obligation, .. } => (obligation, true),
        _ => return Err("no condition is wrong".to_string()),
    };
    let obligation = asked.obligations.iter().find(|obligation| obligation.id == *id);
    let obligation = obligation.ok_or_else(|| format!("there is no obligation `{id}`"))?;
    let tree = tree::read(&read.file, Some(&settings.main), &settings.assumptions);
    let tree = tree.map_err(|_| "the model cannot be read again".to_string())?;
    let model = Model::new(tree).map_err(|too_large| too_large.what)?;
    let value = !obligation.outcome;
    let wrong = if is_once { WrongValue::Once(value) } else { WrongValue::Always(value) };
    made_wrong(model, &read.graph, obligation.node, wrong)
}

/// The model with a wrong value at one occurrence of its graph.
pub(crate) fn made_wrong(
    model: Model,
    graph: &Graph,
    occurrence: NodeId,
    wrong: WrongValue,
) -> Result<Model, String> {
    let source = graph.nodes[occurrence].source;
    let same = graph.nodes.iter().filter(|node| node.source == source).count();
    match source {
        Some((instance, part)) if same == 1 => Ok(model.with_wrong(instance, part, wrong)),
        // What is written there stands for several occurrences, or for none.
        _ => {
            let (node, form) = changed_equation(graph, occurrence, wrong)?;
            Ok(model.with_equation(node, form))
        }
    }
}

fn mutation(folder: &Folder, options: &Options<'_>, found: &mut Found) -> Result<(), Damage> {
    const FILE: &str = "mutants.json";
    let mutants: Mutants = json(FILE, required(FILE, &folder.mutants)?)?;
    let missing = |what: &str| {
        let help = "run mutate again: this folder was written by an earlier version".to_string();
        Damage { help, ..Damage::new(FILE, format!("`{what}` is missing")) }
    };
    only_exact(FILE, mutants.numbers.as_ref())?;
    let main = mutants.main.as_deref().ok_or_else(|| missing("main"))?;
    if mutants.monitored.is_empty() {
        return Err(missing("monitored"));
    }
    let bytes = required("model.lus", &folder.model)?;
    let hash = mutants.model_sha256.as_deref().ok_or_else(|| missing("model_sha256"))?;
    let read = read(bytes, Some(main), &mutants.assumptions, hash)?;
    let suite = suite(required("suite.json", &folder.suite)?, &read.model)?;
    let replayed = replay_all(&read.model, &read.graph, &suite, options.stop);
    let scored = Scored {
        model: &read.model,
        text: &read.file.text,
        main,
        monitored: &mutants.monitored,
        assumptions: &mutants.assumptions,
        suite: &suite,
        replayed: &replayed,
        stop: options.stop,
    };
    let (mut claims, troubles) = scored.claims(&mutants);
    let setting = Setting {
        model: &read.model,
        graph: &read.graph,
        hash: &read.hash,
        assumptions: &mutants.assumptions,
        masking: crate::coverage::Masking::Strict,
        counting: crate::obligations::Counting::Published,
        monitored: &mutants.monitored,
        mutant: &|subject| {
            let Subject::Equivalent(id) = subject else {
                return Err("it is about no mutant".to_string());
            };
            let mutant = mutants.results.iter().find(|mutant| mutant.id == *id);
            let mutant = mutant.ok_or_else(|| format!("there is no mutant `{id}`"))?;
            crate::mutation::mutated(&read.file.text, main, &mutants.assumptions, mutant)
        },
        solvers: options.solvers,
        limit: options.limit,
        stop: options.stop,
        jobs: options.jobs,
    };
    found.disagreement = prove(&setting, folder.certificates.as_deref(), &mut claims);
    if found.flattening.forms.is_empty() {
        found.flattening = flat(&read, main, &mutants.assumptions, options);
    }
    found.add(claims, troubles, main, &suite, &replayed);
    Ok(())
}

fn flat(read: &Read, main: &str, assumptions: &[String], options: &Options<'_>) -> Flattening {
    let Read { model, file, .. } = read;
    flattening::compare(model, file, main, assumptions, FLAT_STEPS, options.stop)
}

impl Found {
    fn add(
        &mut self,
        claims: Vec<Claim>,
        troubles: Vec<String>,
        main: &str,
        suite: &Suite,
        replayed: &[Replayed],
    ) {
        self.claims.extend(claims);
        self.troubles.extend(troubles);
        self.model = main.to_string();
        self.tests = replayed.len();
        self.steps = suite.tests.iter().map(|test| test.steps.len()).sum();
    }
}

fn summary(found: Found, options: &Options<'_>) -> Audit {
    let Found { claims, mut troubles, tests, steps, flattening, model, disagreement } = found;
    if let Some(differ) = &disagreement {
        let answers = differ.queries.iter().map(|(name, answer, _)| format!("{name}: {answer:?}"));
        let answers: Vec<String> = answers.collect();
        troubles.push(format!("two solvers differ: {}", answers.join(", ")));
    }
    let count = |of: &dyn Fn(&Claim) -> bool| claims.iter().filter(|claim| of(claim)).count();
    let confirmed = |claim: &Claim| matches!(claim.state, State::Confirmed { .. });
    let refuted = |claim: &Claim| matches!(claim.state, State::Refuted(_));
    let unconfirmed = |claim: &Claim| !confirmed(claim) && !refuted(claim);
    let because = |reason: Reason| {
        count(&|claim| matches!(&claim.state, State::Unconfirmed(found, _) if *found == reason))
    };
    let names: Vec<String> = options.solvers.iter().map(|solver| solver.name()).collect();
    let is_z3 = |at: usize| names.get(at).is_some_and(|name| name.to_lowercase().starts_with("z3"));
    let kinds = Word::ALL.into_iter().map(|word| {
        let of =
            |state: &dyn Fn(&Claim) -> bool| count(&|claim| claim.word == word && state(claim));
        Kind {
            verdict: word,
            claims: of(&|_| true),
            confirmed: of(&confirmed),
            refuted: of(&refuted),
            unconfirmed: of(&unconfirmed),
        }
    });
    let solved = |claim: &Claim| matches!(claim.state, State::Confirmed { solver: Some(_) });
    let by_z3 =
        |claim: &Claim| matches!(claim.state, State::Confirmed { solver: Some(at) } if is_z3(at));
    Audit {
        schema: Audit::SCHEMA,
        model,
        claims: claims.len(),
        confirmed: count(&confirmed),
        refuted: count(&refuted) + troubles.len(),
        unconfirmed: count(&unconfirmed),
        reasons: Reasons {
            uncertified: because(Reason::Uncertified),
            undecided: because(Reason::Undecided),
            limit: because(Reason::Limit),
        },
        by_z3_alone: count(&by_z3),
        solver: if count(&solved) > 0 { names.join(", ") } else { String::new() },
        seconds: 0.0,
        kinds: kinds.filter(|kind| kind.claims > 0).collect(),
        tests,
        steps,
        files: BTreeMap::new(),
        findings: findings(&claims, &troubles),
        disagreement,
        flattening: FlatResult {
            steps: flattening.steps,
            forms: flattening.forms,
            difference: flattening.difference,
        },
    }
}

/// What is false first, then what is not known, each in the order of the folder.
fn findings(claims: &[Claim], troubles: &[String]) -> Vec<Finding> {
    let whole = troubles.iter().map(|trouble| Finding {
        verdict: None,
        id: String::new(),
        refuted: true,
        kind: None,
        reason: trouble.clone(),
    });
    let of = |claim: &Claim| {
        let (refuted, kind, reason) = match &claim.state {
            State::Refuted(reason) => (true, None, reason.clone()),
            State::Unconfirmed(kind, reason) => (false, Some(*kind), reason.clone()),
            State::Confirmed { .. } | State::Open(_) => return None,
        };
        let (verdict, id) = (Some(claim.word), claim.id.clone());
        Some(Finding { verdict, id, refuted, kind, reason })
    };
    let mut all: Vec<Finding> = whole.chain(claims.iter().filter_map(of)).collect();
    all.sort_by_key(|finding| !finding.refuted);
    all
}
