//! Every verb, twice in one process and in two threads, of which one is cancelled.

use provoke::{
    Control, Fill, GenerateOptions, GenerateOutcome, GenerationMethod, MeasureOptions, Model,
    MutateOptions, ReduceOptions, Reduction, ReductionChoice, ReductionUnit, SourceFile,
    TestedModel, WorkOptions, tests,
};
use provoke_criteria::{Counting, Masking};
use provoke_results::to_json;

const DOOR: &str = "
node door(open, key: bool; n: int) returns (unlocked: bool; count: int);
let
  unlocked = open or (false -> pre unlocked and not key);
  count = if unlocked then n mod 7 else 0;
  --%PROPERTY count < 7;
tel
";

fn tested_model() -> Model {
    Model::read(&SourceFile::new("door.lus", DOOR), None, &[]).expect("a correct model")
}

fn solver_is_there() -> bool {
    let found = provoke_solve::z3::find();
    found.map_err(|missing| provoke_testkit::skip(&missing.to_string())).is_ok()
}

/// The JSON of a result, without what differs from run to run.
fn lasting(json: &str) -> String {
    json.lines().filter(|line| !line.contains("\"seconds\"")).collect()
}

/// What all verbs say about the model, one after the other.
fn everything(control: &Control) -> Vec<String> {
    let model = tested_model();
    let work = WorkOptions { effort: Some(1), jobs: Some(1), ..WorkOptions::default() };
    let options = GenerateOptions { work: work.clone(), ..GenerateOptions::default() };
    let GenerateOutcome { result, suite } =
        provoke::generate(&model, None, &options, control).expect("tests");
    let proved = provoke::prove(&model, None, None, &work, control).expect("proofs");
    let mutate = MutateOptions { equivalence: true, work, ..MutateOptions::default() };
    let mutation = provoke::mutate(model.clone(), suite.clone(), &mutate, control);
    let mutation = mutation.expect("mutants").result;
    let listed = provoke::list_mutants(model.clone(), &mutate).expect("mutants");
    let bytes = provoke_suite::write(&suite, provoke_suite::Format::Json).expect("a suite");
    let read = tests::read("suite.json", &bytes[0].bytes, None, &model.system).expect("a suite");
    let suite = tests::prepared(read, &model.system, Fill::Keep, 0, control);
    let targets = &options.targets;
    let tested = TestedModel::new(model, suite, targets, Counting::Published, "output");
    let tested = tested.expect("what is monitored");
    let measured = provoke::measure(&tested, &MeasureOptions::default()).unwrap();
    let choice = ReductionChoice {
        method: Reduction::Hgs,
        by: ReductionUnit::Tests,
        effort: 1,
        seed: 0,
        repeat: 1,
    };
    let reduce = ReduceOptions { choice, masking: Masking::Strict, trim: true };
    let (reduced, _) = provoke::reduce(&tested, &reduce);
    let (checked, diagnostics) = provoke::check(&SourceFile::new("door.lus", DOOR), None);
    assert!(diagnostics.is_empty());
    let obligations = provoke::obligations(&tested_model(), targets, Counting::Published);
    vec![
        to_json(&result),
        to_json(&checked),
        to_json(&obligations.expect("obligations")),
        to_json(&proved.result),
        to_json(&mutation),
        to_json(&listed),
        to_json(&measured),
        to_json(&reduced),
    ]
}

#[test]
fn every_verb_says_the_same_twice_and_in_two_threads() {
    if !solver_is_there() {
        return;
    }
    let lasting = |all: Vec<String>| all.iter().map(|json| lasting(json)).collect::<Vec<_>>();
    let first = lasting(everything(&Control::new()));
    assert_eq!(lasting(everything(&Control::new())), first);
    let cancelled = Control::new();
    cancelled.cancel();
    std::thread::scope(|scope| {
        let whole = scope.spawn(|| lasting(everything(&Control::new())));
        // What is cancelled gives what it has, and disturbs nobody.
        let ended = scope.spawn(|| everything(&cancelled));
        assert!(ended.join().expect("no panic")[0].contains("\"interrupted\": true"));
        assert_eq!(whole.join().expect("no panic"), first);
    });
}

#[test]
fn errors_have_codes_and_name_what_is_wrong() {
    let model = tested_model();
    let options = GenerateOptions { oracle: "cout".to_string(), ..GenerateOptions::default() };
    let error =
        provoke::generate(&model, None, &options, &Control::new()).expect_err("no variable");
    assert_eq!(error.code.word(), "unknown-variable");
    assert_eq!(error.hint.as_deref(), Some("did you mean `count`?"));
    let exclude = vec![("nothing*".to_string(), "no".to_string())];
    let options =
        GenerateOptions { exclude, method: GenerationMethod::Random, ..GenerateOptions::default() };
    let error = provoke::generate(&model, None, &options, &Control::new()).expect_err("no pattern");
    assert_eq!(error.code.word(), "unknown-obligation");
    let wrong = SourceFile::new("door.lus", DOOR.replace("mod 7", "mod true"));
    let rejected = Model::read(&wrong, None, &[]).expect_err("a type error");
    assert!(rejected.diagnostics.iter().any(|found| found.is_error()));
}
