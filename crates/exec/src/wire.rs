//! A target behind a line that carries the protocol, in real time.

use std::collections::VecDeque;
use std::fs::File;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use provoke_base::IndexVec;
use provoke_model::{EnumId, EnumType, Type, Value};

use crate::board::{Board, Wire};
use crate::listener::{Listener, ListenerEvent};
use crate::observation::{Observation, ReceivedValue, StepReport, TargetError};
use crate::plan::EventPlan;
use crate::platform::Adapter;
use crate::protocol::{self, Message, parse, parse_value, seal, shown, unseal, write_value};
use crate::realtime::{hurry, sleep_until};
use crate::stream::{Program, Stream, write_all};
use crate::target::Link;

/// How often `reset` is sent to a target that may still be starting.
const GREETINGS: u32 = 5;

/// How often it is looked for what a program said before it ended.
const LAST_WORDS: u32 = 15;

/// A target that speaks the protocol.
pub struct LineTarget {
    to: File,
    listener: Listener,
    program: Option<Program>,
    link: Link,
    enums: IndexVec<EnumId, EnumType>,
    greeted: bool,
    unhurried: Option<String>,
}

/// What is noted while a test runs.
struct Notes<'a> {
    board: &'a Board,
    speaks_first: bool,
    start: Instant,
    seen: Observation,
    outs: u64,
    lines: usize,
    most_lines: usize,
    /// When the last line came.
    last_ms: f64,
    /// How long each `set` is that the target has not answered yet.
    unanswered: VecDeque<usize>,
}

impl Notes<'_> {
    /// When something is due that the plan wants at a time of the target's own clock, as far as reports
    /// of its steps show how far it is from ours.
    fn due(&self, at_ms: f64) -> Instant {
        let behind = |last: &StepReport| last.at_ms - last.step as f64 * self.board.step_ms;
        let behind = self.seen.steps.last().map_or(0.0, behind);
        at(self.start, at_ms + behind)
    }

    /// Whether nothing came although every output is sent at the first step.
    fn is_silent(&self) -> bool {
        self.speaks_first && self.outs == 0 && self.seen.steps.is_empty()
    }

    /// Whether the target is known to be still at work: its clock may be slower than ours.
    fn is_behind(&self, steps: usize) -> bool {
        (self.is_silent() && steps > 0) || (1..steps).contains(&self.seen.steps.len())
    }
}

impl LineTarget {
    /// A target behind a stream; `enums` are those of the suite.
    pub fn new(stream: Stream, link: Link, enums: IndexVec<EnumId, EnumType>) -> LineTarget {
        LineTarget {
            to: stream.to,
            listener: Listener::start(stream.from),
            program: stream.program,
            link,
            enums,
            greeted: false,
            unhurried: None,
        }
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs_f64(self.link.timeout_ms.clamp(1.0, 3_600_000.0) / 1000.0)
    }

    fn say(&mut self, line: &str) -> Result<(), TargetError> {
        let line = if self.link.checksum { seal(line) } else { line.to_string() };
        let patience = self.timeout();
        let written = write_all(&mut self.to, format!("{line}\n").as_bytes(), patience);
        written.map_err(|trouble| self.with_last_words(trouble))
    }

    /// Trouble, with what the program said last, if there is one and it said something.
    fn with_last_words(&mut self, mut trouble: TargetError) -> TargetError {
        if let Some(program) = &mut self.program {
            // A program that ends closes its pipes a moment before, and what it said takes a moment too.
            let mut ended = None;
            for _ in 0..LAST_WORDS {
                std::thread::sleep(Duration::from_millis(20));
                ended = program.ended();
                if ended.is_none() || !program.said().is_empty() {
                    break;
                }
            }
            if let Some(ended) = ended {
                trouble.reason = format!("{}; {ended}", trouble.reason);
            }
            let said = program.said();
            if !said.is_empty() {
                trouble.reason = format!("{}; it said: {}", trouble.reason, shown(&said));
            }
        }
        trouble
    }

    /// The next thing that comes before a deadline.
    fn hear(&mut self, deadline: Instant) -> Result<Option<(Instant, String)>, TargetError> {
        let wait = deadline.saturating_duration_since(Instant::now());
        let closed = match self.listener.heard.recv_timeout(wait) {
            Ok(ListenerEvent::Line(at, line)) => return Ok(Some((at, line))),
            Err(RecvTimeoutError::Timeout) => return Ok(None),
            Ok(ListenerEvent::TooLong) => {
                let reason = format!("a line of more than {} bytes", protocol::MAX_LINE);
                return Err(TargetError::new(reason, "check the speed of the line (`baud`)"));
            }
            Ok(ListenerEvent::Closed(why)) => why,
            Err(RecvTimeoutError::Disconnected) => "nothing comes any more".to_string(),
        };
        let reason = format!("the connection ended: {closed}");
        Err(self.with_last_words(TargetError::new(reason, "start the target again")))
    }

    /// Waits for a target that may still be starting, and for a line that carries nothing old: what
    /// was asked several times is answered several times, but all of it before `done`. A receiver that
    /// is switched on in the middle of a line gets the rest of it, complains, and is asked again.
    fn greet(&mut self) -> Result<(), TargetError> {
        let mut complaints = None;
        for _ in 0..GREETINGS {
            self.say("reset 60000")?;
            let mut answer = self.skip_to(|message| *message == Message::Ready)?;
            if matches!(answer, Answer::Came) {
                self.say("stop")?;
                answer = self.skip_to(|message| matches!(message, Message::Done(..)))?;
            }
            match answer {
                Answer::Came => return Ok(()),
                Answer::Complaint(text) => complaints = Some(complaint(&text)),
                Answer::Nothing => complaints = None,
            }
        }
        Err(complaints.unwrap_or_else(|| self.no_answer("ready")))
    }

    /// Ignores what comes until something wanted does, or a complaint.
    fn skip_to(&mut self, wanted: fn(&Message<'_>) -> bool) -> Result<Answer, TargetError> {
        let deadline = Instant::now() + self.timeout();
        while let Some((_, line)) = self.hear(deadline)? {
            match unseal(&line, self.link.checksum).and_then(parse) {
                Ok(message) if wanted(&message) => return Ok(Answer::Came),
                Ok(Message::Error(text)) => return Ok(Answer::Complaint(text.to_string())),
                // Remains of a start.
                _ => {}
            }
        }
        Ok(Answer::Nothing)
    }

    /// Brings the software to its initial state; returns when that was.
    fn reset(&mut self, lead_ms: f64) -> Result<Instant, TargetError> {
        if !self.greeted {
            self.greet()?;
            self.greeted = true;
        }
        let sent = Instant::now();
        self.say(&format!("reset {}", lead_ms.ceil() as u64))?;
        let deadline = sent + self.timeout();
        while let Some((at, line)) = self.hear(deadline)? {
            match unseal(&line, self.link.checksum).and_then(parse).map_err(wrong)? {
                // The target got it somewhere between the two.
                Message::Ready => return Ok(sent + at.saturating_duration_since(sent) / 2),
                Message::Remark => {}
                Message::Error(text) => return Err(complaint(text)),
                _ => return Err(unexpected(&line)),
            }
        }
        Err(self.no_answer("ready"))
    }

    fn no_answer(&mut self, wanted: &str) -> TargetError {
        let reason = format!("no `{wanted}` within {:.0} ms", self.link.timeout_ms);
        self.with_last_words(TargetError::new(
            reason,
            "check the connection, `baud`, and `checksum`",
        ))
    }

    /// Takes in what comes until a deadline; ends early with what `done` says.
    fn listen_until(
        &mut self,
        deadline: Instant,
        notes: &mut Notes<'_>,
    ) -> Result<Option<Counts>, TargetError> {
        while let Some((at, line)) = self.hear(deadline)? {
            let counts = self.take(at, &line, notes)?;
            if counts.is_some() {
                return Ok(counts);
            }
        }
        Ok(None)
    }

    /// Takes in one line.
    fn take(
        &self,
        at: Instant,
        line: &str,
        notes: &mut Notes<'_>,
    ) -> Result<Option<Counts>, TargetError> {
        notes.lines += 1;
        if notes.lines > notes.most_lines {
            let reason = format!("the target floods: more than {} lines", notes.most_lines);
            return Err(TargetError::new(reason, "send a signal only when it changes"));
        }
        let text = unseal(line, self.link.checksum).map_err(wrong)?;
        self.note(at, text, notes)
    }

    /// Waits until the target has room for so many bytes, if it is known how much it has.
    fn await_room(&mut self, bytes: usize, notes: &mut Notes<'_>) -> Result<(), TargetError> {
        let Some(window) = self.link.window else { return Ok(()) };
        let deadline = Instant::now() + self.timeout();
        while !notes.unanswered.is_empty()
            && notes.unanswered.iter().sum::<usize>() + bytes > window as usize
        {
            let Some((at, line)) = self.hear(deadline)? else {
                let waited = self.link.timeout_ms;
                let reason = format!("the target hangs: no `in` for a `set` within {waited:.0} ms");
                let hint = "a target with a `window` answers every `set` with `in`";
                return Err(self.with_last_words(TargetError::new(reason, hint)));
            };
            self.take(at, &line, notes)?;
        }
        notes.unanswered.push_back(bytes);
        Ok(())
    }

    fn note(
        &self,
        at: Instant,
        line: &str,
        notes: &mut Notes<'_>,
    ) -> Result<Option<Counts>, TargetError> {
        // Lines that were read together came one after the other.
        let at_ms = milliseconds(at, notes.start).max(notes.last_ms + 1e-6);
        notes.last_ms = at_ms;
        match parse(line).map_err(wrong)? {
            Message::Ready => {
                let reason = "the target restarted itself: it said `ready` during a test";
                return Err(TargetError::new(reason, "look for a watchdog or a weak supply"));
            }
            Message::Out(name, value) => {
                let (signal, value) = self.signal(&notes.board.controlled, name, value, line)?;
                notes.outs += 1;
                notes.seen.received.push(ReceivedValue { at_ms, signal, value });
            }
            Message::In(name, value) => {
                let (signal, value) = self.signal(&notes.board.monitored, name, value, line)?;
                notes.unanswered.pop_front();
                notes.seen.arrived.push(ReceivedValue { at_ms, signal, value });
            }
            Message::Step(step, pairs) => {
                let expected = notes.seen.steps.len();
                if step != expected {
                    let word = if step < expected {
                        "the target restarted itself"
                    } else {
                        "a report is lost"
                    };
                    let reason =
                        format!("{word}: step {step} was reported where {expected} was next");
                    return Err(TargetError::new(reason, "look at the target's log"));
                }
                let mut read = Vec::new();
                for (name, value) in pairs {
                    read.push(self.signal(&notes.board.monitored, name, value, line)?);
                }
                notes.seen.steps.push(StepReport { at_ms, step, read });
            }
            Message::Read(pairs) => {
                for (name, value) in pairs {
                    let read = self.signal(&notes.board.monitored, name, value, line)?;
                    match notes.seen.steps.last_mut() {
                        Some(report) => report.read.push(read),
                        None => return Err(wrong("`read` before the first `step`".to_string())),
                    }
                }
            }
            Message::Done(received, sent) => return Ok(Some(Counts { received, sent })),
            Message::Error(text) => return Err(complaint(text)),
            Message::Remark => {}
        }
        Ok(None)
    }

    fn signal(
        &self,
        wires: &[Wire],
        name: &str,
        value: &str,
        line: &str,
    ) -> Result<(usize, Value), TargetError> {
        let Some(signal) = wires.iter().position(|wire| wire.name == name) else {
            let reason = format!("a signal that is not known: `{}`", shown(line));
            return Err(TargetError::new(reason, "name it in the target file, or do not send it"));
        };
        let ty = wires[signal].ty;
        let constants = match ty {
            Type::Enum(id) => self.enums[id].constants.len(),
            _ => 0,
        };
        let value = parse_value(value, ty, constants).ok_or_else(|| {
            let reason = format!("a value that {name} cannot have: `{}`", shown(line));
            TargetError::new(reason, "values are numbers; see docs/book/targets.md")
        })?;
        Ok((signal, value))
    }

    /// Fails if a target that reports its steps has stopped doing so, or nothing came of the first one.
    fn still_alive(&self, notes: &Notes<'_>, now: Instant) -> Result<(), TargetError> {
        let last_ms = match notes.seen.steps.last() {
            Some(last) => last.at_ms,
            None if notes.is_silent() => 0.0,
            None => return Ok(()),
        };
        let silent = milliseconds(now, notes.start) - last_ms;
        if silent > 3.0 * notes.board.step_ms + self.link.timeout_ms {
            let reason = format!("the target hangs: no step for {silent:.0} ms");
            return Err(TargetError::new(reason, "look at the target; reset it"));
        }
        Ok(())
    }
}

/// What became of waiting for an answer.
enum Answer {
    Came,
    Complaint(String),
    Nothing,
}

/// What a target counted.
struct Counts {
    received: Option<u64>,
    sent: Option<u64>,
}

impl Adapter for LineTarget {
    /// A thread of its own does what is timed, so that nothing else is done in a hurry.
    fn run(&mut self, board: &Board, plan: &EventPlan) -> Result<Observation, TargetError> {
        let timed = || {
            self.unhurried = hurry().err();
            self.run_timed(board, plan)
        };
        std::thread::scope(|scope| scope.spawn(timed).join().expect("no panic while sending"))
    }

    fn caution(&self) -> Option<String> {
        self.unhurried.clone()
    }
}

impl LineTarget {
    fn run_timed(&mut self, board: &Board, plan: &EventPlan) -> Result<Observation, TargetError> {
        let start =
            self.reset(plan.lead_ms)? + Duration::from_secs_f64(plan.lead_ms.ceil() / 1000.0);
        let signals = board.monitored.len() + board.controlled.len();
        let duration_steps = plan.steps + (plan.tail_ms / board.step_ms) as usize + 1;
        let most_lines = 10_000 + plan.sends.len() + 4 * signals * duration_steps;
        let mut notes = Notes {
            board,
            speaks_first: plan.speaks_first,
            start,
            seen: Observation::default(),
            outs: 0,
            lines: 0,
            most_lines,
            last_ms: f64::MIN,
            unanswered: VecDeque::new(),
        };
        self.send_all(plan, &mut notes)?;
        self.await_end(plan, &mut notes)?;
        self.say("stop")?;
        let deadline = Instant::now() + self.timeout();
        let Some(counts) = self.listen_until(deadline, &mut notes)? else {
            let reason =
                format!("the target hangs: no `done` within {:.0} ms", self.link.timeout_ms);
            let trouble = TargetError::new(reason, "look at the target; reset it");
            return Err(self.with_last_words(trouble));
        };
        agree("`set`", "sent", plan.sends.len() as u64, counts.received, "received")?;
        agree("`out`", "received", notes.outs, counts.sent, "sent")?;
        let mut seen = notes.seen;
        seen.steps.truncate(plan.steps);
        Ok(seen)
    }

    /// Sends each event when it is due.
    fn send_all(&mut self, plan: &EventPlan, notes: &mut Notes<'_>) -> Result<(), TargetError> {
        for send in &plan.sends {
            let name = &notes.board.monitored[send.signal].name;
            let line = format!("set {name} {}", write_value(&send.value));
            // Lines are taken in until shortly before; then nothing else is done.
            let mut due = notes.due(send.at_ms);
            loop {
                let shortly_before = due.checked_sub(Duration::from_millis(1)).unwrap_or(due);
                self.listen_until(shortly_before, notes)?;
                match notes.due(send.at_ms) {
                    later if later > due => due = later,
                    _ => break,
                }
            }
            self.still_alive(notes, Instant::now())?;
            self.await_room(line.len() + protocol::SEAL, notes)?;
            sleep_until(due);
            notes.seen.sent_ms.push(milliseconds(Instant::now(), notes.start));
            self.say(&line)?;
        }
        Ok(())
    }

    /// Takes in what comes until nothing more can come.
    fn await_end(&mut self, plan: &EventPlan, notes: &mut Notes<'_>) -> Result<(), TargetError> {
        let board = notes.board;
        let end_ms = plan.steps.saturating_sub(1) as f64 * board.step_ms + plan.tail_ms;
        self.listen_until(at(notes.start, end_ms), notes)?;
        self.still_alive(notes, Instant::now())?;
        while notes.is_behind(plan.steps) {
            let soon = Duration::from_secs_f64(board.step_ms / 1000.0);
            self.listen_until(Instant::now() + soon, notes)?;
            self.still_alive(notes, Instant::now())?;
            if !notes.is_behind(plan.steps) {
                self.listen_until(notes.due(end_ms), notes)?;
            }
        }
        Ok(())
    }
}

/// A line that was lost is no verdict.
fn agree(
    what: &str,
    our_word: &str,
    ours: u64,
    theirs: Option<u64>,
    their_word: &str,
) -> Result<(), TargetError> {
    match theirs {
        Some(theirs) if theirs != ours => {
            let reason = format!(
                "lines are lost: {ours} {what} were {our_word}, the target {their_word} {theirs}"
            );
            Err(TargetError::new(reason, "check the line; use `checksum = true` and a lower speed"))
        }
        _ => Ok(()),
    }
}

fn wrong(what: String) -> TargetError {
    TargetError::new(format!("the target sent {what}"), "check `baud`, the cable, and `checksum`")
}

fn complaint(text: &str) -> TargetError {
    let reason = format!("the target complains: {}", shown(text));
    TargetError::new(reason, "compare its signals with the target file")
}

fn unexpected(line: &str) -> TargetError {
    let reason = format!("the target speaks between tests: `{}`", shown(line));
    TargetError::new(reason, "after `stop` it has to be silent until the next `reset`")
}

fn milliseconds(at: Instant, start: Instant) -> f64 {
    match at.checked_duration_since(start) {
        Some(after) => after.as_secs_f64() * 1000.0,
        None => -(start.duration_since(at).as_secs_f64() * 1000.0),
    }
}

fn at(start: Instant, ms: f64) -> Instant {
    let distance = Duration::from_secs_f64(ms.abs() / 1000.0);
    if ms >= 0.0 { start + distance } else { start.checked_sub(distance).unwrap_or(start) }
}
