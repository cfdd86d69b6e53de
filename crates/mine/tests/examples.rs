//! The example programs, and what must hold for all of them.

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use provoke_base::Random;
use provoke_mine::difference::differences;
use provoke_mine::explore::{open, search};
use provoke_mine::library::LoadedProgram;
use provoke_mine::lustre_text::lustre;
use provoke_mine::picture::{dot, list, svg};
use provoke_mine::reduce::reduce;
use provoke_mine::server::{Server, TestEnding};
use provoke_mine::{
    Alphabet, Build, Closure, InputSequence, MineTargetFile, MiningMethod, RunningProgram,
    StateMachine, StepBudget, SuiteReduction, Vector,
};
use support::{builder, mine, model, models, parse, plan, programs};

const EXAMPLES: [&str; 5] = ["light", "memory_slave", "token_ring", "turn_indicator", "wiper"];

fn random_tests(alphabet: &Alphabet, count: usize, length: usize) -> Vec<InputSequence> {
    let mut random = Random::new(11);
    (0..count).map(|_| (0..length).map(|_| alphabet.vector(&mut random)).collect()).collect()
}

/// The slow and obvious way to run a program, a process for each test, against the fast one.
#[test]
fn a_library_that_is_restored_does_what_a_new_process_does() {
    for name in EXAMPLES {
        let target = model(name);
        let builder = builder(&target, &format!("{name}-both"), &models());
        let suite = target.suite(name);
        let alphabet = Alphabet::new(&target, &suite, &Default::default());
        let (inputs, outputs) = (suite.inputs.len(), suite.outputs.len());
        let library = builder.build(Build::Edges).expect("a library");
        let mut library = LoadedProgram::load(&library, inputs, outputs, 1000).expect("loaded");
        let server = builder.build(Build::Server).expect("a server");
        let mut server = Server::new(&server, outputs, &target.limits, TestEnding::Quick);
        for test in random_tests(&alphabet, 10, 80) {
            let fast = library.run(&test);
            assert_eq!(fast, server.run(&test).expect("an answer"), "{name}");
            // From the middle, after something else has happened.
            library.run(&test[..40]);
            let saved = library.save();
            library.run(&test[20..]);
            library.restore(&saved);
            let mut out = Vector::new();
            for (inputs, expected) in test[40..].iter().zip(&fast.outputs[40..]) {
                assert_eq!(library.step(inputs, &mut out), None);
                assert_eq!(out, *expected, "{name}");
            }
        }
        let _ = std::fs::remove_dir_all(&builder.folder);
    }
}

/// Empty or foreign bytes once became the program's stack; now only what it saved can come back.
#[test]
fn a_library_refuses_the_state_of_another_one() {
    let target = model("wiper");
    let suite = target.suite("wiper");
    let (inputs, outputs) = (suite.inputs.len(), suite.outputs.len());
    let [mut one, other] = ["one", "other"].map(|name| {
        let builder = builder(&target, name, &models());
        let library = builder.build(Build::Plain).expect("a library");
        LoadedProgram::load(&library, inputs, outputs, 1000).expect("loaded")
    });
    let (own, foreign) = (one.save(), other.save());
    let refused = catch_unwind(AssertUnwindSafe(|| one.restore(&foreign)));
    assert!(refused.is_err());
    one.restore(&own);
    assert_eq!(one.save(), own);
}

fn items(subject: &mut RunningProgram, tests: &[InputSequence]) -> Vec<u32> {
    let RunningProgram::Library(program) = subject else { panic!("a library") };
    program.forget();
    tests.iter().for_each(|test| drop(program.run(test)));
    program.items()
}

#[test]
fn the_ring_closes_and_the_archive_reaches_its_ceiling() {
    let mut target = model("token_ring");
    // Two of the stations want to send: enough, and sooner done.
    target.inputs[0].range = Some([0, 1]);
    let builder = builder(&target, "ring", &models());
    let suite = target.suite("ring");
    let mut opened = open(&target, &suite, Some(&builder), &models(), 7).expect("opened");
    assert!(opened.pure, "{:?}", opened.notes);
    let mut ways = Vec::new();
    for (method, steps) in
        [(MiningMethod::Exhaustive, 20_000_000), (MiningMethod::Archive, 300_000)]
    {
        let mut work = StepBudget::new(steps, &|| false);
        let (found, _) = search(&mut opened, &plan(method, steps), &mut work).expect("searched");
        if method == MiningMethod::Exhaustive {
            assert_eq!(found.closure, Closure::Proven);
            assert!(found.states > 1000, "{}", found.states);
        }
        let all = items(&mut opened.subject, &found.tests);
        let kept =
            reduce(&mut opened.subject, &found.tests, SuiteReduction::Items).expect("reduced");
        assert_eq!(items(&mut opened.subject, &kept), all, "nothing is lost");
        let vectors = |tests: &[InputSequence]| tests.iter().map(Vec::len).sum::<usize>();
        assert!(vectors(&kept) < vectors(&found.tests));
        ways.push(all);
    }
    assert_eq!(ways[0], ways[1], "the archive reaches what can be reached");
    let _ = std::fs::remove_dir_all(&builder.folder);
}

fn counter(limit: u32) -> MineTargetFile {
    parse(&format!(
        "[program]\nsources = [\"counter.c\"]\nflags = [\"-DLIMIT={limit}\"]\n[entry]\nfunction = \"step\"\n\
         [[input]]\nname = \"order\"\nconstants = [\"STOP\", \"COUNT\", \"CLEAR\"]\n\
         [[output]]\nname = \"count\"\ntype = \"int\"\n[[output]]\nname = \"ring\"\ntype = \"bool\"\n"
    ))
}

#[test]
fn the_least_machine_of_a_counter_can_be_read() {
    let mined = mine(&counter(3), "counter", &programs(), &plan(MiningMethod::Exhaustive, 100_000));
    assert_eq!(mined.found.closure, Closure::Proven);
    let exact = mined.exact.as_ref().expect("closed");
    expect_test::expect![[r#"
        0: count=0 (initial)
           order = COUNT -> count=1
           else stays
        1: count=1
           order = CLEAR -> count=0
           order = COUNT -> count=2
           else stays
        2: count=2
           order = CLEAR -> count=0
           order = COUNT -> count=3 ring
           else stays
        3: count=3 ring
           order = CLEAR -> count=0
           order = COUNT -> count=4 ring
           else stays
        4: count=4 ring
           order = CLEAR -> count=0
           order = COUNT -> count=5 ring
           else stays
        5: count=5 ring
           order = CLEAR -> count=0
           else stays
    "#]]
    .assert_eq(&list(exact, &mined.suite));
    assert!(dot(exact, &mined.suite).contains("s0 -> s1 [label=\"order = COUNT\"]"));
    let picture = svg(exact, &mined.suite);
    assert!(picture.starts_with("<svg") && picture.contains("3: count=3 ring"));
    let json = exact.to_json();
    assert_eq!(StateMachine::from_json(json.as_bytes()).as_ref(), Ok(exact));
    assert!(StateMachine::from_json(b"{}").is_err());
}

/// The counter as a shared library, of which only names and types are known.
#[test]
fn a_shared_library_is_explored_like_its_source() {
    let home = support::scratch("shared");
    let compiled = std::process::Command::new("gcc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(home.join("libcounter.so"))
        .arg(programs().join("counter.c"))
        .status();
    assert!(compiled.is_ok_and(|status| status.success()), "gcc is installed");
    let target = parse(
        "[program]\nlibrary = \"libcounter.so\"\n[entry]\nfunction = \"step\"\n\
         [[input]]\nname = \"order\"\ntype = \"int\"\nrange = [0, 2]\n\
         [[output]]\nname = \"count\"\ntype = \"int\"\n\
         [[output]]\nname = \"ring\"\ntype = \"bool\"\nctype = \"int\"\n",
    );
    let plan = plan(MiningMethod::Exhaustive, 100_000);
    let library = mine(&target, "counter-library", &home, &plan);
    let source = mine(&counter(3), "counter-source", &programs(), &plan);
    assert_eq!(library.isolation, "library");
    // What a library calls is not known, so nothing is proven.
    assert_eq!(library.found.closure, Closure::OverValues);
    assert_eq!(library.found.states, source.found.states);
    assert_eq!(library.exact, source.exact);
    let _ = std::fs::remove_dir_all(home);
}

#[test]
fn two_versions_differ_where_they_do() {
    let exact = |limit| {
        let name = format!("counter-{limit}");
        mine(&counter(limit), &name, &programs(), &plan(MiningMethod::Exhaustive, 100_000))
    };
    let (old, new) = (exact(3), exact(4));
    let machines = [&old, &new].map(|mined| mined.exact.as_ref().expect("closed"));
    assert_eq!(differences(machines[0], machines[0]), (Vec::new(), 0));
    let (found, more) = differences(machines[0], machines[1]);
    assert_eq!((found.len(), more), (1, 0), "{found:?}");
    assert_eq!(found[0].inputs, [[1], [1], [1]]);
    assert_eq!(
        found[0].show(&old.suite),
        "after 2 steps, from count=2 ring=false with order=COUNT:\n    old count=3 ring=true\n    new count=3 ring=false"
    );
    let (observed, _) = differences(&old.machine, &new.machine);
    assert!(observed.len() <= 1, "{observed:?}");
}

/// The exact machine, as itself and as Lustre, does what the program does.
#[test]
fn the_machine_of_the_counter_behaves_as_the_counter() {
    let target = counter(3);
    let mined =
        mine(&target, "counter-lustre", &programs(), &plan(MiningMethod::Exhaustive, 100_000));
    let exact = mined.exact.as_ref().expect("closed");
    let text = lustre(exact, &mined.suite, "counter").expect("finite");
    let file = provoke_base::SourceFile::new("counter.lus", text);
    let loaded = provoke_lustre::load(&file, None);
    let system = loaded.system.unwrap_or_else(|| panic!("{:?}\n{}", loaded.diagnostics, file.text));
    let successors = exact.successors();
    for test in &mined.suite.tests {
        let mut simulator = provoke_sim::Simulator::new(&system);
        let mut state = 0;
        for step in &test.steps {
            let words: Vector = step
                .inputs
                .iter()
                .map(|value| provoke_mine::words::to_word(value).unwrap())
                .collect();
            let vector = exact.vectors.iter().position(|known| *known == words).expect("known");
            state = successors[state][&vector];
            let expected: Vector = step
                .outputs
                .iter()
                .map(|value| provoke_mine::words::to_word(value).unwrap())
                .collect();
            assert_eq!(exact.states[state], expected);
            simulator.step(&step.inputs).expect("a step");
            let shown: Vec<_> =
                system.outputs.iter().map(|var| simulator.values()[*var].clone()).collect();
            assert_eq!(shown, step.outputs);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_suite() {
    let again =
        || mine(&model("light"), "light-again", &models(), &plan(MiningMethod::Archive, 60_000));
    let (first, second) = (again(), again());
    assert_eq!(first.suite, second.suite);
    assert_eq!(first.machine, second.machine);
    assert_eq!(first.found.states, second.found.states);
}

#[test]
fn every_method_finds_its_way_through_the_wiper() {
    for method in [MiningMethod::Mine, MiningMethod::Random, MiningMethod::Archive] {
        let mined = mine(
            &model("wiper"),
            &format!("wiper-{}", method.word()),
            &models(),
            &plan(method, 100_000),
        );
        assert!(mined.findings.is_empty(), "{:?}", mined.findings);
        assert!(mined.machine.states.len() >= 3, "{}", method.word());
        assert!(!mined.suite.tests.is_empty() && mined.suite.tests.len() < 60);
        assert!(mined.found.steps <= 110_000, "{}", mined.found.steps);
    }
}
