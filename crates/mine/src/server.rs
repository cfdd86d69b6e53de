//! A program that gives each test a process of its own.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::compile::MiningError;
use crate::run::{Effects, ProgramRun, StepFailure, Vector};
use crate::target::Limits;

/// The longest test that is sent.
const MAX_STEPS: usize = 1 << 20;

/// How tests of a server end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TestEnding {
    /// Processes vanish.
    Quick,
    /// Processes end in an orderly way, so that what they measured is written.
    Orderly,
    /// All tests run in one process, which ends in an orderly way.
    Together,
}

/// A server that is running.
pub struct Server {
    path: PathBuf,
    limits: Limits,
    ending: TestEnding,
    environment: Vec<(String, String)>,
    output_count: usize,
    running: Option<ServerProcess>,
}

struct ServerProcess {
    child: Child,
    stdin: ChildStdin,
    answers: Receiver<Vec<u8>>,
    buffer: Vec<u8>,
    errors: PathBuf,
}

impl Server {
    /// A server that is started with its first test.
    pub fn new(path: &Path, outputs: usize, limits: &Limits, ending: TestEnding) -> Server {
        Server {
            path: path.to_path_buf(),
            limits: limits.clone(),
            ending,
            environment: Vec::new(),
            output_count: outputs,
            running: None,
        }
    }

    /// Sets a variable of the server's environment.
    pub fn environment(mut self, name: &str, value: impl Into<String>) -> Server {
        self.environment.push((name.to_string(), value.into()));
        self
    }

    fn start(&self) -> Result<ServerProcess, MiningError> {
        let failed = |error: std::io::Error| {
            MiningError::new(
                format!("cannot start {}: {error}", self.path.display()),
                "check that programs may be started here",
            )
        };
        let errors = self.path.with_extension("stderr");
        let file = std::fs::File::create(&errors).map_err(failed)?;
        let Limits { step_ms, memory_mb, processes, .. } = self.limits;
        // Sanitizers reserve more address space than there is.
        let memory_mb = if self.path.ends_with("sanitized") { 0 } else { memory_mb };
        let mut command = Command::new(&self.path);
        command.args([step_ms.to_string(), memory_mb.to_string(), processes.to_string()]);
        match self.ending {
            TestEnding::Quick => {}
            TestEnding::Orderly => drop(command.arg("orderly")),
            TestEnding::Together => drop(command.arg("together")),
        }
        command.envs(self.environment.iter().cloned());
        command.env("ASAN_OPTIONS", "exitcode=77:detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1");
        command.env("UBSAN_OPTIONS", "exitcode=77:halt_on_error=1:print_stacktrace=0");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(file);
        let mut child = command.spawn().map_err(failed)?;
        let stdin = child.stdin.take().expect("piped");
        let mut stdout = child.stdout.take().expect("piped");
        let (send, answers) = channel();
        std::thread::spawn(move || {
            let mut chunk = vec![0; 1 << 16];
            while let Ok(count @ 1..) = stdout.read(&mut chunk) {
                if send.send(chunk[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Ok(ServerProcess { child, stdin, answers, buffer: Vec::new(), errors })
    }

    /// Runs a test from the initial state, in a process of its own.
    pub fn run(&mut self, test: &[Vector]) -> Result<ProgramRun, MiningError> {
        if test.len() > MAX_STEPS {
            return Err(MiningError::new(
                format!("a test has more than {MAX_STEPS} steps"),
                "split it",
            ));
        }
        if self.running.is_none() {
            self.running = Some(self.start()?);
        }
        let patience = Duration::from_millis(u64::from(self.limits.step_ms) * 40 + 120_000);
        let running = self.running.as_mut().expect("just started");
        let answer = running.ask(test, self.output_count, patience);
        if answer.is_none() {
            // The server itself is lost; the next test gets a new one.
            let mut lost = self.running.take().expect("there is one");
            let _ = lost.child.kill();
            let _ = lost.child.wait();
            return Ok(ProgramRun {
                stop: Some(StepFailure::Silent("its process is lost".into())),
                ..ProgramRun::default()
            });
        }
        let mut run = answer.unwrap_or_default();
        if run.stop == Some(StepFailure::Exit(77)) {
            let text = std::fs::read_to_string(&running.errors).unwrap_or_default();
            run.stop = Some(StepFailure::Sanitizer(sanitizer_line(&text)));
            let _ = std::fs::write(&running.errors, "");
        }
        Ok(run)
    }

    /// Ends the server and waits until it has written what it measured.
    pub fn finish(&mut self) {
        if let Some(ServerProcess { mut child, stdin, .. }) = self.running.take() {
            drop(stdin);
            let _ = child.wait();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.finish();
    }
}

impl ServerProcess {
    fn ask(&mut self, test: &[Vector], outputs: usize, patience: Duration) -> Option<ProgramRun> {
        let mut bytes = (test.len() as u32).to_ne_bytes().to_vec();
        for word in test.iter().flatten() {
            bytes.extend(word.to_ne_bytes());
        }
        self.stdin.write_all(&bytes).and_then(|()| self.stdin.flush()).ok()?;
        let [reason, steps, allocations, live, starts] = self.words(5, patience)?[..] else {
            return None;
        };
        let steps = usize::try_from(steps).ok()?.min(test.len());
        let words = self.words((steps + 1) * outputs, patience)?;
        let mut vectors = words.chunks(outputs.max(1)).map(<[i64]>::to_vec);
        let initial = vectors.next().unwrap_or_default();
        let effects =
            Effects { allocations: allocations as u64, live: live as u64, starts: starts as u64 };
        Some(ProgramRun {
            initial,
            outputs: vectors.collect(),
            stop: StepFailure::of(reason),
            effects,
        })
    }

    fn words(&mut self, count: usize, patience: Duration) -> Option<Vec<i64>> {
        while self.buffer.len() < count * 8 {
            match self.answers.recv_timeout(patience) {
                Ok(chunk) => self.buffer.extend(chunk),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            }
        }
        let rest = self.buffer.split_off(count * 8);
        let bytes = std::mem::replace(&mut self.buffer, rest);
        Some(
            bytes
                .chunks_exact(8)
                .map(|word| i64::from_ne_bytes(word.try_into().expect("eight")))
                .collect(),
        )
    }
}

/// The line of a sanitizer's report that says what it is about.
fn sanitizer_line(text: &str) -> String {
    let said =
        text.lines().find(|line| line.contains("runtime error:") || line.contains("ERROR: "));
    let said = said.unwrap_or("a sanitizer ended the program").trim();
    let said = said.split_once("ERROR: ").map_or(said, |(_, rest)| rest);
    // Addresses differ from run to run.
    let words: Vec<&str> =
        said.split(' ').map(|word| if word.starts_with("0x") { "0x…" } else { word }).collect();
    words.join(" ").chars().take(300).collect()
}
