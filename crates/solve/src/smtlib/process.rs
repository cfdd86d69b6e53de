//! A process that is asked and answers.

use std::ffi::OsString;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use super::reply::Reply;

/// The process is of no more use, and why.
#[derive(Debug)]
pub(super) struct Died(pub(super) String);

/// A running process; it ends with its owner.
pub(super) struct Process {
    child: Arc<Mutex<Child>>,
    input: BufWriter<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Starts it.
    pub(super) fn start(program: &Path, arguments: &[OsString]) -> Result<Process, Died> {
        let mut command = Command::new(program);
        // Ctrl-C in a terminal is for us alone; whoever owns the process then ends it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| Died(format!("{}: {error}", program.display())))?;
        let input = BufWriter::new(child.stdin.take().expect("its input is piped"));
        let output = BufReader::new(child.stdout.take().expect("its output is piped"));
        Ok(Process { child: Arc::new(Mutex::new(child)), input, output })
    }

    /// Sends commands that have no answer.
    pub(super) fn send(&mut self, text: &str) -> Result<(), Died> {
        self.input.write_all(text.as_bytes()).map_err(|error| Died(error.to_string()))
    }

    /// Sends commands, of which the last has an answer.
    pub(super) fn ask(&mut self, text: &str) -> Result<Reply, Died> {
        let sent = self.send(text);
        let flushed = self.input.flush();
        // A process that refuses a command first says why.
        match Reply::read(&mut self.output) {
            Ok(Some(reply)) => match reply.error() {
                Some(message) => Err(Died(message)),
                None => Ok(reply),
            },
            Ok(None) => {
                sent?;
                flushed.map_err(|error| Died(error.to_string()))?;
                Err(Died("the solver ended without an answer".to_owned()))
            }
            Err(error) => Err(Died(error.to_string())),
        }
    }

    /// A function that ends the process, from any thread.
    pub(super) fn killer(&self) -> impl Fn() + Send + 'static {
        let child = Arc::clone(&self.child);
        move || kill(&child)
    }
}

fn kill(child: &Mutex<Child>) {
    // It may have ended already, which is as good.
    let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
}

impl Drop for Process {
    fn drop(&mut self) {
        kill(&self.child);
        let _ = self.child.lock().unwrap_or_else(PoisonError::into_inner).wait();
    }
}
