//! Programs with planted faults: each is found, with a test that shows it again, and nothing else
//! is lost.

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use provoke_mine::library::LoadedProgram;
use provoke_mine::{Build, MineTargetFile, MiningMethod, MiningResult, StepFailure, Vector};
use support::{builder, mine, parse, plan, programs};

fn simple(source: &str, input: &str, range: &str, output: &str) -> MineTargetFile {
    parse(&format!(
        "[program]\nsources = [\"{source}\"]\n[entry]\nfunction = \"step\"\n[limits]\nstep_ms = 100\n\
         [[input]]\nname = \"{input}\"\ntype = \"int\"\nrange = {range}\n[[output]]\nname = \"{output}\"\ntype = \"int\"\n"
    ))
}

fn found(mined: &MiningResult, stop: &StepFailure) -> usize {
    let finding = mined.findings.iter().find(|finding| finding.stop == *stop);
    finding.unwrap_or_else(|| panic!("{:?}", mined.findings)).test.len()
}

#[test]
fn a_crash_is_a_finding_with_its_shortest_test() {
    let target = simple("crash.c", "command", "[0, 3]", "stored");
    let mined = mine(&target, "crash", &programs(), &plan(MiningMethod::Archive, 50_000));
    assert_eq!(mined.isolation, "library");
    assert_eq!(found(&mined, &StepFailure::Signal(11)), 5);
    // What works is still explored.
    assert!(mined.machine.states.contains(&vec![4]), "{:?}", mined.machine.states);
    let test = &mined.finding_suite.tests[0];
    assert_eq!(test.name, "crash1");
    assert!(!test.steps[4].outputs[0].is_known(), "the step that crashes expects nothing");
}

#[test]
fn a_library_that_crashed_goes_on_only_after_a_reset() {
    let target = simple("crash.c", "command", "[0, 3]", "stored");
    let builder = builder(&target, "crashed", &programs());
    let library = builder.build(Build::Plain).expect("a library");
    let mut program = LoadedProgram::load(&library, 1, 1, 1000).expect("loaded");
    let mut out = Vector::new();
    for _ in 0..4 {
        assert_eq!(program.step(&[3], &mut out), None);
    }
    assert_eq!(program.step(&[3], &mut out), Some(StepFailure::Signal(11)));
    let broken = program.save();
    assert!(catch_unwind(AssertUnwindSafe(|| program.step(&[3], &mut Vector::new()))).is_err());
    program.reset();
    assert_eq!((program.step(&[3], &mut out), &out[..]), (None, &[1][..]));
    // A state that was saved in the middle of a step is still in the middle of it.
    program.restore(&broken);
    assert!(catch_unwind(AssertUnwindSafe(|| program.step(&[3], &mut Vector::new()))).is_err());
}

#[test]
fn an_endless_loop_is_a_finding_and_the_search_goes_on() {
    let target = simple("hang.c", "key", "[-1, 5]", "found");
    let mined = mine(&target, "hang", &programs(), &plan(MiningMethod::Archive, 300_000));
    assert_eq!(found(&mined, &StepFailure::Hang), 1);
    assert!(mined.machine.states.len() > 1);
}

#[test]
fn isolated_programs_crash_and_hang_in_their_own_processes() {
    let mut crash = simple("crash.c", "command", "[0, 3]", "stored");
    crash.limits.isolation = provoke_mine::target::Isolation::Fork;
    let mined = mine(&crash, "crash-fork", &programs(), &plan(MiningMethod::Archive, 60_000));
    assert_eq!(mined.isolation, "fork");
    assert_eq!(found(&mined, &StepFailure::Signal(11)), 5);
}

#[test]
fn memory_that_was_never_written_is_noticed() {
    let target = simple("uninitialised.c", "mode", "[0, 3]", "level");
    let mut plan = plan(MiningMethod::Archive, 2000);
    plan.sanitize = true;
    let mined = mine(&target, "uninitialised", &programs(), &plan);
    let text = "outputs depend on memory that was never written".to_string();
    found(&mined, &StepFailure::Sanitizer(text));
}

#[test]
fn sanitizers_see_what_does_not_crash() {
    let target = simple("overflow.c", "index_in", "[0, 4]", "last");
    let mut plan = plan(MiningMethod::Archive, 2000);
    plan.sanitize = true;
    let mined = mine(&target, "overflow", &programs(), &plan);
    let sanitizer = mined.findings.iter().find_map(|finding| match &finding.stop {
        StepFailure::Sanitizer(text) => Some(text.clone()),
        _ => None,
    });
    let text = sanitizer.unwrap_or_else(|| panic!("{:?}", mined.findings));
    assert!(text.contains("out of bounds") || text.contains("AddressSanitizer"), "{text}");
}

#[test]
fn a_program_that_allocates_gets_processes_of_its_own() {
    let target = simple("heap.c", "value", "[0, 3]", "length");
    let mined = mine(&target, "heap", &programs(), &plan(MiningMethod::Archive, 20_000));
    assert_eq!(mined.isolation, "fork");
    let told = |text: &str| mined.notes.iter().any(|note| note.contains(text));
    assert!(told("it allocates memory") && told("memory is not given back"), "{:?}", mined.notes);
    assert!(mined.machine.states.contains(&vec![5]));
}

#[test]
fn a_program_with_threads_gets_processes_of_its_own() {
    let target = simple("threads.c", "job", "[0, 3]", "result");
    let mined = mine(&target, "threads", &programs(), &plan(MiningMethod::Archive, 20_000));
    assert_eq!(mined.isolation, "fork");
    assert!(
        mined.notes.iter().any(|note| note.contains("processes or threads")),
        "{:?}",
        mined.notes
    );
    // More threads in a test than are allowed are a finding.
    assert!(
        mined.findings.iter().any(|finding| finding.stop == StepFailure::Starts),
        "{:?}",
        mined.findings
    );
}

#[test]
fn a_program_that_starts_others_without_end_is_stopped() {
    let mut target = simple("bomb.c", "go", "[0, 1]", "children");
    target.limits.isolation = provoke_mine::target::Isolation::Fork;
    let mined = mine(&target, "bomb", &programs(), &plan(MiningMethod::Archive, 20_000));
    assert_eq!(found(&mined, &StepFailure::Starts), 1);
}

#[test]
fn a_program_that_takes_all_memory_is_stopped_at_its_limit() {
    let mut target = simple("hog.c", "go", "[0, 1]", "taken");
    target.limits.memory_mb = 32;
    let mined = mine(&target, "hog", &programs(), &plan(MiningMethod::Archive, 5000));
    assert_eq!(mined.isolation, "fork");
    // Pieces of 4 MB: the limit has room for no more than seven.
    assert!(found(&mined, &StepFailure::Signal(11)) <= 8);
}

#[test]
fn a_loop_that_reads_with_scanf_is_explored_and_its_exit_found() {
    let target = parse(
        "[program]\nsources = [\"guess.c\"]\n[entry]\nkind = \"nondet\"\n\
         [[input]]\nname = \"input\"\ntype = \"int\"\nrange = [1, 6]\ncall = \"scanf\"\n\
         [[output]]\nname = \"printed\"\ntype = \"int\"\ncall = \"printf\"\n",
    );
    let mined = mine(&target, "guess", &programs(), &plan(MiningMethod::Archive, 20_000));
    assert_eq!(found(&mined, &StepFailure::Exit(4)), 3);
    assert_eq!(mined.findings[0].test, [[3], [5], [2]]);
}

#[test]
fn any_executable_can_be_explored() {
    let target = parse(
        "[program]\ncommand = [\"./echo.sh\"]\n[entry]\nkind = \"stdin\"\n\
         [[input]]\nname = \"value\"\ntype = \"int\"\nvalues = [0, 1, 9]\n\
         [[output]]\nname = \"count\"\ntype = \"int\"\n",
    );
    let plan = plan(MiningMethod::Archive, 15_000);
    let mined = provoke_mine::explore(&target, "echo", None, &programs(), &plan, &|| false)
        .expect("explored");
    assert_eq!(mined.isolation, "spawn");
    assert!(mined.machine.states.contains(&vec![3]), "{:?}", mined.machine.states);
    assert_eq!(found(&mined, &StepFailure::Exit(3)), 1);
}
