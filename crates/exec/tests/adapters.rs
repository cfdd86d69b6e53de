//! Real processes behind pipes, terminals, sockets and serial lines: right ones pass, and whatever
//! else they do ends in an error with its reason, never in a pass, never in a hang.

mod common;

use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use common::{session, system, tally, target};
use provoke_exec::session::ExecutedTest;
use provoke_exec::target::Link;
use provoke_exec::{Board, LineTarget, Mode, Stream, TargetError};
use provoke_model::{Step, Suite, TestCase, Value};

const MODEL: &str = "node n(a, b : bool) returns (y : bool; n : int);
let
  y = a and b;
  n = (0 -> pre n) + (if a then 1 else 0);
tel;";

/// The program of `target.c`.
fn program() -> &'static PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let source = provoke_testkit::repository().join("crates/exec/tests/target.c");
        let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("target");
        let mut gcc = Command::new("gcc");
        gcc.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1"]);
        let done = gcc.arg(source).arg("-o").arg(&program).output().expect("gcc runs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        program
    })
}

fn suite() -> Suite {
    let model = system(MODEL);
    let mut suite = Suite::for_system(&model, &model.outputs);
    let rows = [[true, false], [true, true], [false, true], [true, true], [false, false]];
    for name in ["first", "second"] {
        let step =
            |row: &[bool; 2]| Step { inputs: row.map(Value::Bool).to_vec(), outputs: vec![] };
        let steps = rows.iter().map(step).collect();
        suite.tests.push(TestCase { name: name.to_string(), steps, ..TestCase::default() });
    }
    provoke_sim::expect(&mut suite, &model, &model.outputs).unwrap();
    suite
}

fn link(checksum: bool) -> Link {
    Link { checksum, timeout_ms: 3000.0, late_ms: 15.0, window: None }
}

fn run(stream: Result<Stream, TargetError>, checksum: bool) -> Vec<ExecutedTest> {
    run_in(Mode::Scheduled, stream, checksum)
}

fn run_in(mode: Mode, stream: Result<Stream, TargetError>, checksum: bool) -> Vec<ExecutedTest> {
    run_with(mode, stream, link(checksum))
}

fn run_with(mode: Mode, stream: Result<Stream, TargetError>, link: Link) -> Vec<ExecutedTest> {
    let (file, target) = target(
        "step_ms = 80\n[defaults]\ndelay_ms = 1\nsd_ms = 5\ncopies = 10\n[connection]\nkind = \"simulated\"\n",
    );
    let suite = suite();
    let board = Board::new(&target, &suite, &file).unwrap();
    let stream = stream.unwrap_or_else(|trouble| panic!("{trouble}"));
    let mut adapter = LineTarget::new(stream, link, suite.enums.clone());
    session(mode, Some(&system(MODEL)), &suite, &board, &mut adapter)
}

fn command(mode: &str, checksum: bool) -> Vec<String> {
    let program = program().display().to_string();
    let words = [program.as_str(), mode, "sums"];
    words[..if checksum { 3 } else { 2 }].iter().map(|word| word.to_string()).collect()
}

fn process(mode: &str, checksum: bool) -> Result<Stream, TargetError> {
    Stream::process(&command(mode, checksum), &PathBuf::from("."))
}

#[track_caller]
fn all_pass(results: &[ExecutedTest]) {
    let reasons: Vec<_> = results.iter().flat_map(|r| &r.judged).map(|j| &j.reason).collect();
    assert_eq!(tally(results), [10, 0, 0, 0], "{reasons:?}");
}

#[test]
fn a_right_program_passes_on_pipes_and_on_a_terminal() {
    for checksum in [false, true] {
        all_pass(&run(process("right", checksum), checksum));
        all_pass(&run(Stream::pty(&command("right", checksum), &PathBuf::from(".")), checksum));
    }
    all_pass(&run(process("banner", false), false));
    all_pass(&run(process("stutter", false), false));
    // It gets a part of the first line and complains.
    all_pass(&run(process("asleep", true), true));
    all_pass(&run_in(Mode::Adaptive, process("right", false), false));
}

#[test]
fn a_right_program_passes_behind_a_socket() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = std::thread::spawn(move || -> Child {
        let socket = listener.accept().unwrap().0;
        // Otherwise the program's small lines wait for each other, and its outputs are late.
        socket.set_nodelay(true).unwrap();
        let socket = OwnedFd::from(socket);
        let second = socket.try_clone().unwrap();
        let mut command = Command::new(program());
        command.arg("right").stdin(Stdio::from(socket)).stdout(Stdio::from(second));
        command.spawn().unwrap()
    });
    all_pass(&run(Stream::tcp(&address, &[], &PathBuf::from(".")), false));
    let mut child = server.join().unwrap();
    assert!(child.wait().unwrap().success(), "it ends when the line is closed");
    let trouble = Stream::tcp(&address, &[], &PathBuf::from(".")).err().expect("nobody is there");
    assert!(trouble.reason.contains("does not answer"), "{trouble}");
}

#[test]
fn a_right_program_passes_behind_a_serial_line() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let board = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&board).and_then(|()| unlockpt(&board)).unwrap();
    let port = ptsname(&board, Vec::new()).unwrap().to_string_lossy().into_owned();
    let stream = Stream::serial(&port, 115_200, &[], &PathBuf::from("."));
    let second = board.try_clone().unwrap();
    let mut command = Command::new(program());
    command.args(["right", "sums"]).stdin(Stdio::from(board)).stdout(Stdio::from(second));
    let mut child = command.spawn().unwrap();
    all_pass(&run(stream, true));
    child.kill().unwrap();
    child.wait().unwrap();
    let no_port = Stream::serial("/dev/null", 115_200, &[], &PathBuf::from(".")).err().unwrap();
    assert!(no_port.reason.contains("is no serial line"), "{no_port}");
}

#[test]
fn a_wrong_program_fails() {
    let results = run(process("fault", false), false);
    let [passed, failed, inconclusive, error] = tally(&results);
    assert_eq!((inconclusive, error), (0, 0));
    assert!(passed == 2 && failed == 8, "{passed} {failed}");
    assert!(results[0].judged[1].reason.contains("n = 2 was due"), "{:?}", results[0].judged[1]);
}

#[test]
fn whatever_else_happens_is_an_error_with_its_reason() {
    let cases = [
        ("drop", true, "wrong checksum"),
        ("reboot", false, "restarted itself: it said `ready`"),
        ("restart", false, "restarted itself: step 0 was reported where 4 was next"),
        ("forget", false, "lines are lost"),
        ("hang", false, "hangs"),
        ("silent", false, "hangs: no `done`"),
        ("close", false, "the program ended (exit status: 3); it said: out of battery"),
        ("garbage", false, "a line that means nothing: `\\x01"),
        ("unknown", false, "a signal that is not known: `out z 1`"),
        ("value", false, "a value that y cannot have: `out y 7`"),
        ("flood", false, "floods: more than"),
        ("endless", false, "a line of more than 4096 bytes"),
        ("lose", false, "lines are lost: "),
        ("mute", false, "no `ready` within 500 ms"),
    ];
    for (mode, checksum, reason) in cases {
        let start = Instant::now();
        // Only what takes all the time there is should not take long.
        let waits = ["hang", "silent", "mute"].contains(&mode);
        let timeout_ms = if waits { 500.0 } else { 3000.0 };
        let link = Link { timeout_ms, ..link(checksum) };
        let results = run_with(Mode::Scheduled, process(mode, checksum), link);
        let seconds = start.elapsed();
        assert_eq!(tally(&results), [0, 0, 0, 10], "{mode}");
        let said = &results[0].judged[0].reason;
        assert!(said.contains(reason), "{mode}: {said}");
        assert!(!results[0].trouble.as_ref().unwrap().hint.is_empty());
        // Far less on a machine that does nothing else; a hang would never end.
        assert!(seconds < Duration::from_secs(60), "{mode} took {seconds:?}");
    }
    // A terminal that is closed, and one that loses a character.
    for (mode, reason) in [("close", "the connection ended"), ("drop", "wrong checksum")] {
        let stream = Stream::pty(&command(mode, true), &PathBuf::from("."));
        let results = run_in(Mode::Adaptive, stream, true);
        let said = &results[0].judged[0].reason;
        assert!(tally(&results) == [0, 0, 0, 10] && said.contains(reason), "{mode}: {said}");
    }
    // A checksum that only one side uses.
    let results = run(process("right", false), true);
    assert_eq!(tally(&results), [0, 0, 0, 10]);
    let results = run(process("right", true), false);
    let said = &results[0].judged[0].reason;
    assert!(tally(&results) == [0, 0, 0, 10] && said.contains("complains"), "{said}");
}

#[test]
fn a_slow_target_is_never_sent_more_than_it_has_room_for() {
    let window = |window| Link { window, timeout_ms: 1000.0, ..link(false) };
    let results = run_with(Mode::Adaptive, process("small", false), window(Some(32)));
    assert!(results.iter().all(|result| result.trouble.is_none()), "{:?}", results[0].trouble);
    let results = run_with(Mode::Adaptive, process("small", false), window(None));
    let said = &results[0].judged[0].reason;
    assert!(said.contains("the target complains: overrun"), "{said}");
    let results = run_with(Mode::Adaptive, process("right", false), window(Some(32)));
    let said = &results[0].judged[0].reason;
    assert!(said.contains("the target hangs: no `in` for a `set` within 1000 ms"), "{said}");
}

#[test]
fn what_cannot_be_started_says_why() {
    let trouble =
        Stream::process(&["./no/such/program".into()], &PathBuf::from("/")).err().unwrap();
    assert!(trouble.reason.contains("cannot start"), "{trouble}");
    assert!(Stream::process(&[], &PathBuf::from(".")).is_err());
    assert!(Stream::tcp("nonsense", &[], &PathBuf::from(".")).is_err());
    assert!(Stream::serial("/no/such/port", 9600, &[], &PathBuf::from(".")).is_err());
}
