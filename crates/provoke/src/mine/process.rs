//! Mining in a process of its own, which the program under test may destroy.
//!
//! The process is started with the words `worker --explore`. It reads one request from its standard input, writes
//! events and then its reply to its standard output, a line for each, and ends early when its input ends:
//! then nobody waits for it any more.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use provoke_base::{Control, Error, ErrorCode, Event, Progress};
use provoke_results::Mine;
use serde::{Deserialize, Serialize};

use super::{MineOptions, explore_here};

/// How often somebody looks whether the work is to end.
const PAUSE: Duration = Duration::from_millis(100);

/// What the process is asked for.
#[derive(Serialize, Deserialize)]
struct ExploreRequest {
    target: PathBuf,
    options: MineOptions,
}

/// A line that the process writes.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Warning(String),
    Progress(String),
    Done(Option<Box<Mine>>),
    Failed { code: ErrorCode, message: String, hint: Option<String> },
}

/// Explores a program in a process; if the program destroys it, in one where each test has a process of
/// its own.
pub(super) fn explore(
    program: &Path,
    target: &Path,
    options: &MineOptions,
    control: &Control,
) -> Result<Option<Mine>, Error> {
    if let Some(done) = once(program, target, options, control)? {
        return done;
    }
    control.warn(
        "the program destroyed the process it was explored in; each test has a process of its own now",
    );
    let options = MineOptions { isolate: true, ..options.clone() };
    once(program, target, &options, control)?.unwrap_or_else(|| {
        let message = "the exploring process was destroyed";
        Err(Error::input(message, "lower `memory_mb` in [limits]"))
    })
}

/// What the process says; nothing if it ends without a word.
fn once(
    program: &Path,
    target: &Path,
    options: &MineOptions,
    control: &Control,
) -> Result<Option<Result<Option<Mine>, Error>>, Error> {
    let request = ExploreRequest { target: target.to_path_buf(), options: options.clone() };
    let mut child = start(program).map_err(|error| {
        let message = format!("cannot start another process: {error}");
        Error::input(message, "give each test a process of its own")
    })?;
    let mut stdin = child.stdin.take();
    let text = serde_json::to_string(&request).expect("options are plain data");
    // A process that is gone already says so by its silence.
    let _ = stdin.as_mut().map(|stdin| writeln!(stdin, "{text}"));
    let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let (send, receive) = channel();
    let reader = std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            if let (Ok(line), true) = (serde_json::from_str::<Line>(&line), line.starts_with('{')) {
                let _ = send.send(line);
            }
        }
    });
    let mut reply = None;
    loop {
        match receive.recv_timeout(PAUSE) {
            Ok(Line::Warning(text)) => control.warn(text),
            Ok(Line::Progress(text)) => control.tell(Event::Progress(Progress::Text(text))),
            Ok(Line::Done(result)) => reply = Some(Ok(result.map(|result| *result))),
            Ok(Line::Failed { code, message, hint }) => {
                reply = Some(Err(Error { hint, ..Error::new(code, message) }));
            }
            Err(RecvTimeoutError::Timeout) => {
                if control.is_over() {
                    stdin = None;
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    drop(stdin);
    control.tell(Event::ProgressEnded);
    let _ = (reader.join(), child.wait());
    Ok(reply)
}

fn start(program: &Path) -> std::io::Result<Child> {
    // The words of the command line are the one thing that a program and its library must agree on.
    let mut command = Command::new(program);
    command.args(["worker", concat!("--", "explore")]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
}

/// What the process does: reads its request from `input` and writes to `output`. `control` is what its own
/// signals cancel.
pub fn serve_explore(
    mut input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    control: &Control,
) -> Result<(), Error> {
    let mut text = String::new();
    let wrong = |why: String| Error::new(ErrorCode::PlanMismatch, format!("no request: {why}"));
    input.read_line(&mut text).map_err(|error| wrong(error.to_string()))?;
    let ExploreRequest { target, options } =
        serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let ended = control.clone();
    std::thread::spawn(move || {
        while input.read_line(&mut String::new()).is_ok_and(|bytes| bytes > 0) {}
        ended.cancel();
    });
    let output = Arc::new(Mutex::new(output));
    let told = Arc::clone(&output);
    let control = control.clone().listening(move |event| match event {
        Event::Warning(text) => write_line(&told, &Line::Warning(text)),
        Event::Progress(Progress::Text(text)) => write_line(&told, &Line::Progress(text)),
        _ => {}
    });
    let reply = match explore_here(&target, &options, &control) {
        Ok(result) => Line::Done(result.map(Box::new)),
        Err(Error { code, message, hint, .. }) => Line::Failed { code, message, hint },
    };
    write_line(&output, &reply);
    Ok(())
}

/// Whoever does not listen any more has seen enough.
fn write_line(output: &Mutex<impl Write>, line: &Line) {
    let text = serde_json::to_string(line).expect("a line is plain data");
    let mut output = output.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let _ = writeln!(output, "{text}").and_then(|()| output.flush());
}
