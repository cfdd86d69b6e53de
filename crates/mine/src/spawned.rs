//! Any executable: a line of inputs on its standard input, a line of outputs back, for each step.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use provoke_model::{Suite, Value};

use crate::compile::MiningError;
use crate::run::{ProgramRun, StepFailure, Vector};
use crate::target::Limits;
use crate::words::{to_value, to_word};

/// The longest line that is read.
const MAX_LINE: usize = 1 << 16;

/// A program that is started for each test.
pub struct SpawnedProgram {
    command: Vec<String>,
    home: PathBuf,
    limits: Limits,
    suite: Suite,
}

impl SpawnedProgram {
    /// The program of a target.
    pub fn new(command: &[String], home: &Path, limits: &Limits, suite: &Suite) -> SpawnedProgram {
        SpawnedProgram {
            command: command.to_vec(),
            home: home.to_path_buf(),
            limits: limits.clone(),
            suite: suite.clone(),
        }
    }

    /// Runs a test in a new process.
    pub fn run(&self, test: &[Vector]) -> Result<ProgramRun, MiningError> {
        let mut program = PathBuf::from(&self.command[0]);
        if program.components().count() > 1 {
            program = self.home.join(program);
        }
        let mut command = Command::new("prlimit");
        let Limits { step_ms, memory_mb, .. } = self.limits;
        command.arg(format!("--as={}", u64::from(memory_mb) << 20));
        command.arg("--core=0").arg(format!("--cpu={}", 10 + step_ms / 250));
        command.arg("--").arg(&program).args(&self.command[1..]);
        command.current_dir(if self.home.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.home
        });
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| {
            MiningError::new(
                format!("cannot start {}: {error}", program.display()),
                "check `command` in the file",
            )
        })?;
        let mut stdin = child.stdin.take().expect("piped");
        let stdout = child.stdout.take().expect("piped");
        let (send, lines) = channel();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            loop {
                let mut line = Vec::new();
                let mut limited = std::io::Read::take(&mut reader, MAX_LINE as u64);
                match limited.read_until(b'\n', &mut line) {
                    Ok(1..) if send.send(String::from_utf8_lossy(&line).into_owned()).is_ok() => {}
                    _ => break,
                }
            }
        });
        let mut run =
            ProgramRun { initial: vec![0; self.suite.outputs.len()], ..ProgramRun::default() };
        let patience = Duration::from_millis(u64::from(step_ms) * 10 + 1000);
        for inputs in test {
            // A program that does not read any more tells by what it answers.
            let _ = stdin.write_all(self.line(inputs).as_bytes()).and_then(|()| stdin.flush());
            match lines.recv_timeout(patience) {
                Ok(line) => match self.parse(&line) {
                    Some(outputs) => run.outputs.push(outputs),
                    None => {
                        let shown: String = line.trim().chars().take(80).collect();
                        let text = format!(
                            "answered `{shown}`, expected {} values",
                            self.suite.outputs.len()
                        );
                        run.stop = Some(StepFailure::Silent(text));
                    }
                },
                Err(RecvTimeoutError::Timeout) => run.stop = Some(StepFailure::Hang),
                Err(RecvTimeoutError::Disconnected) => {
                    run.stop =
                        Some(child.wait().map_or(StepFailure::Ended, |status| ended(&status)));
                }
            }
            if run.stop.is_some() {
                break;
            }
        }
        drop(stdin);
        let _ = child.kill();
        let _ = child.wait();
        Ok(run)
    }

    fn line(&self, inputs: &[i64]) -> String {
        let shown: Vec<String> = self
            .suite
            .inputs
            .iter()
            .zip(inputs)
            .map(|(signal, word)| match to_value(*word, signal.ty) {
                Value::Bool(value) => u8::from(value).to_string(),
                Value::Real(real) => format!("{:?}", real.to_f64()),
                value => value.show(signal.ty, &self.suite.enums),
            })
            .collect();
        shown.join(" ") + "\n"
    }

    fn parse(&self, line: &str) -> Option<Vector> {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.len() != self.suite.outputs.len() {
            return None;
        }
        let value = |(word, signal): (&&str, &provoke_model::Signal)| {
            Value::parse(word, signal.ty, &self.suite.enums).as_ref().and_then(to_word)
        };
        words.iter().zip(&self.suite.outputs).map(value).collect()
    }
}

fn ended(status: &std::process::ExitStatus) -> StepFailure {
    use std::os::unix::process::ExitStatusExt;
    match (status.signal(), status.code()) {
        (Some(number), _) => StepFailure::Signal(number),
        (None, Some(0) | None) => StepFailure::Ended,
        // What a shell and prlimit say when a signal ended their child.
        (None, Some(code @ 129..160)) => StepFailure::Signal(code - 128),
        (None, Some(code)) => StepFailure::Exit(code),
    }
}
