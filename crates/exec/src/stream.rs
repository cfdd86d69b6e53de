//! Bytes to and from a target: a process, a terminal, a socket, a serial line.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use rustix::time::Timespec;

use crate::observation::TargetError;

/// A connection. What it started ends with it.
pub struct Stream {
    /// What comes; never blocks.
    pub(crate) from: File,
    /// What goes; never blocks.
    pub(crate) to: File,
    pub(crate) program: Option<Program>,
}

/// A program that was started, with the last it said beside the protocol.
pub(crate) struct Program {
    child: Child,
    said: Arc<Mutex<String>>,
}

impl Program {
    /// The last line of its standard error.
    pub(crate) fn said(&self) -> String {
        self.said.lock().map(|said| said.trim().to_string()).unwrap_or_default()
    }

    /// How it ended, if it did.
    pub(crate) fn ended(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok()??;
        Some(format!("the program ended ({status})"))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How long a program may take to make its port.
const APPEARS: Duration = Duration::from_secs(5);

impl Stream {
    /// A program on pipes.
    pub fn process(command: &[String], folder: &Path) -> Result<Stream, TargetError> {
        let mut command = prepare(command, folder)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = start(command)?;
        let (stdin, stdout) = (program.child.stdin.take(), program.child.stdout.take());
        let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
            return Err(TargetError::new("the program has no pipes", "start it by hand once"));
        };
        Stream::of(OwnedFd::from(stdout), OwnedFd::from(stdin), Some(program))
    }

    /// A program on a terminal of its own, which passes everything as it is.
    pub fn pty(command: &[String], folder: &Path) -> Result<Stream, TargetError> {
        let failed = |error: rustix::io::Errno| {
            TargetError::new(
                format!("no terminal can be made: {error}"),
                "check that /dev/pts is there",
            )
        };
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).map_err(failed)?;
        grantpt(&ours).and_then(|()| unlockpt(&ours)).map_err(failed)?;
        let name = ptsname(&ours, Vec::new()).map_err(failed)?;
        let theirs = open_port(Path::new(&*name.to_string_lossy()), None)?;
        let second = theirs.try_clone().map_err(|error| broken(&error))?;
        // The program works as on a file; only our side does not block.
        let flags = fcntl_getfl(&theirs).map_err(failed)?;
        fcntl_setfl(&theirs, flags - OFlags::NONBLOCK).map_err(failed)?;
        let mut command = prepare(command, folder)?;
        command.stdin(Stdio::from(theirs)).stdout(Stdio::from(second));
        let program = start(command)?;
        let back = ours.try_clone().map_err(|error| broken(&error))?;
        Stream::of(ours, back, Some(program))
    }

    /// A server, after starting it if there is something to start.
    pub fn tcp(address: &str, command: &[String], folder: &Path) -> Result<Stream, TargetError> {
        let program = start_if_any(command, folder)?;
        let hint = "give `address` as host:port, such as localhost:5555";
        let found = address
            .to_socket_addrs()
            .map_err(|error| TargetError::new(format!("{address} is no address: {error}"), hint))?;
        let addresses: Vec<_> = found.collect();
        let patience = if program.is_some() { APPEARS } else { Duration::ZERO };
        let start = Instant::now();
        let stream = loop {
            let connect = |address| TcpStream::connect_timeout(address, Duration::from_secs(2));
            let mut last = None;
            let mut connected = None;
            for address in &addresses {
                match connect(address) {
                    Ok(stream) => connected = Some(stream),
                    Err(error) => last = Some(error),
                }
            }
            match (connected, last) {
                (Some(stream), _) => break stream,
                (None, error) if start.elapsed() >= patience => {
                    let why =
                        error.map_or_else(|| "no such host".into(), |error| error.to_string());
                    let reason = format!("{address} does not answer: {why}");
                    return Err(TargetError::new(reason, "start the target first"));
                }
                _ => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        // Small lines must not wait for each other.
        stream.set_nodelay(true).map_err(|error| broken(&error))?;
        let back = stream.try_clone().map_err(|error| broken(&error))?;
        Stream::of(OwnedFd::from(stream), OwnedFd::from(back), program)
    }

    /// A serial line, after starting what makes it if there is something to start.
    pub fn serial(
        port: &str,
        baud: u32,
        command: &[String],
        folder: &Path,
    ) -> Result<Stream, TargetError> {
        let program = start_if_any(command, folder)?;
        let path = folder.join(port);
        let start = Instant::now();
        while program.is_some() && !path.exists() && start.elapsed() < APPEARS {
            std::thread::sleep(Duration::from_millis(20));
        }
        let ours = open_port(&path, Some(baud))?;
        let back = ours.try_clone().map_err(|error| broken(&error))?;
        Stream::of(OwnedFd::from(ours), OwnedFd::from(back), program)
    }

    fn of(from: OwnedFd, to: OwnedFd, program: Option<Program>) -> Result<Stream, TargetError> {
        for side in [&from, &to] {
            let set =
                fcntl_getfl(side).and_then(|flags| fcntl_setfl(side, flags | OFlags::NONBLOCK));
            set.map_err(|error| broken(&error.into()))?;
        }
        Ok(Stream { from: File::from(from), to: File::from(to), program })
    }
}

/// A terminal device that passes everything as it is.
fn open_port(path: &Path, baud: Option<u32>) -> Result<File, TargetError> {
    let shown = path.display();
    let mut options = File::options();
    options.read(true).write(true);
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags((OFlags::NOCTTY | OFlags::NONBLOCK).bits() as i32);
    let file = options.open(path).map_err(|error| {
        let hint = match error.kind() {
            io::ErrorKind::PermissionDenied => "you may not use it; join its group (dialout)",
            _ => "check that the device is plugged in and the name is right",
        };
        TargetError::new(format!("cannot open {shown}: {error}"), hint)
    })?;
    let no_terminal = |error: rustix::io::Errno| {
        TargetError::new(
            format!("{shown} is no serial line: {error}"),
            "name a device such as /dev/ttyUSB0",
        )
    };
    let mut settings = tcgetattr(&file).map_err(no_terminal)?;
    settings.make_raw();
    if let Some(baud) = baud {
        settings.set_speed(baud).map_err(|_| {
            TargetError::new(
                format!("{shown} cannot do {baud} bits a second"),
                "choose another `baud`",
            )
        })?;
    }
    tcsetattr(&file, OptionalActions::Now, &settings).map_err(no_terminal)?;
    Ok(file)
}

fn start_if_any(command: &[String], folder: &Path) -> Result<Option<Program>, TargetError> {
    if command.is_empty() {
        return Ok(None);
    }
    let mut command = prepare(command, folder)?;
    command.stdin(Stdio::null()).stdout(Stdio::null());
    start(command).map(Some)
}

/// A command whose program, if it has a path, is relative to the folder.
fn prepare(command: &[String], folder: &Path) -> Result<Command, TargetError> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(TargetError::new(
            "there is no program to start",
            "give `command` in [connection]",
        ));
    };
    let path = if program.contains('/') { folder.join(program) } else { PathBuf::from(program) };
    let mut command = Command::new(
        std::path::absolute(&path).ok().filter(|_| program.contains('/')).unwrap_or(path),
    );
    command.args(arguments).current_dir(if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    });
    Ok(command)
}

fn start(mut command: Command) -> Result<Program, TargetError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command.stderr(Stdio::piped()).spawn().map_err(|error| {
        TargetError::new(
            format!("cannot start {name}: {error}"),
            "check `command` in the target file",
        )
    })?;
    let said = Arc::new(Mutex::new(String::new()));
    if let Some(mut stderr) = child.stderr.take() {
        let last = Arc::clone(&said);
        // It ends with the program.
        std::thread::spawn(move || {
            let mut buffer = [0; 512];
            while let Ok(count @ 1..) = stderr.read(&mut buffer) {
                let text = String::from_utf8_lossy(&buffer[..count]).into_owned();
                if let (Ok(mut last), Some(line)) = (last.lock(), text.trim().lines().last()) {
                    *last = line.chars().take(200).collect();
                }
            }
        });
    }
    Ok(Program { child, said })
}

fn broken(error: &io::Error) -> TargetError {
    TargetError::new(format!("the connection is broken: {error}"), "connect the target again")
}

/// Waits until something can be read or written; false if the time is over.
pub(crate) fn wait(side: &impl AsFd, flags: PollFlags, time: Duration) -> io::Result<bool> {
    let mut sides = [PollFd::new(side, flags)];
    let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) };
    match poll(&mut sides, Some(&time)) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Writes all of it, unless the other side does not take it in time.
pub(crate) fn write_all(
    side: &mut File,
    mut bytes: &[u8],
    patience: Duration,
) -> Result<(), TargetError> {
    let deadline = Instant::now() + patience;
    while !bytes.is_empty() {
        match side.write(bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let left = deadline.saturating_duration_since(Instant::now());
                let ready = wait(side, PollFlags::OUT, left).map_err(|error| broken(&error))?;
                if !ready && Instant::now() >= deadline {
                    let reason = "the target hangs: it takes nothing any more";
                    return Err(TargetError::new(reason, "look at the target; reset it"));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(broken(&error)),
        }
    }
    Ok(())
}
