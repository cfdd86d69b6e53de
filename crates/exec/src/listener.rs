//! A thread that notes when which line came.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use rustix::event::PollFlags;

use crate::protocol::MAX_LINE;
use crate::realtime::hurry;
use crate::stream::wait;

/// Something that came.
#[derive(Debug)]
pub(crate) enum ListenerEvent {
    /// A line without its end; what is no text is replaced.
    Line(Instant, String),
    /// A line longer than any that means something.
    TooLong,
    /// Nothing will come any more.
    Closed(String),
}

/// Lines that wait to be looked at; a target that sends more has to wait.
const WAITING: usize = 4096;

/// How often the thread looks whether it should end.
const LOOK: Duration = Duration::from_millis(100);

/// The thread, as long as this lives.
pub(crate) struct Listener {
    pub(crate) heard: Receiver<ListenerEvent>,
    stop: Arc<AtomicBool>,
}

impl Listener {
    pub(crate) fn start(from: File) -> Listener {
        let (sender, heard) = sync_channel(WAITING);
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        std::thread::spawn(move || {
            // Times are less exact if it is refused, which the sender reports.
            let _ = hurry();
            listen(from, &sender, &asked);
        });
        Listener { heard, stop }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn listen(mut from: File, sender: &SyncSender<ListenerEvent>, stop: &AtomicBool) {
    let mut line: Vec<u8> = Vec::new();
    let mut buffer = [0; 4096];
    while !stop.load(Ordering::Relaxed) {
        let count = match wait(&from, PollFlags::IN, LOOK).and_then(|ready| match ready {
            true => from.read(&mut buffer).map(Some),
            false => Ok(None),
        }) {
            Ok(Some(0)) => {
                return drop(sender.send(ListenerEvent::Closed("it closed the line".to_string())));
            }
            Ok(Some(count)) => count,
            Ok(None) => continue,
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
            {
                continue;
            }
            // A terminal whose other side is gone answers with an error.
            Err(error) => return drop(sender.send(ListenerEvent::Closed(error.to_string()))),
        };
        let now = Instant::now();
        for &byte in &buffer[..count] {
            if byte != b'\n' {
                line.push(byte);
                if line.len() > MAX_LINE {
                    return drop(sender.send(ListenerEvent::TooLong));
                }
                continue;
            }
            let text = String::from_utf8_lossy(&line).trim_end_matches('\r').to_string();
            line.clear();
            if sender.send(ListenerEvent::Line(now, text)).is_err() {
                return;
            }
        }
    }
}
