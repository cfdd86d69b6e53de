//! TARGET.toml: where a target is, what its signals are called, and how late they are.

use std::collections::BTreeMap;

use provoke_base::{Diagnostic, Rational, SourceFile};
use provoke_model::{IntWidth, RealWidth};
use serde::{Deserialize, Deserializer};

use crate::delay::DelayDistribution;
use crate::drift::Drift;
use crate::settings::{self, place};

/// What a target file says.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetFile {
    /// The time between two steps of the software.
    pub step_ms: f64,
    /// The model, for the adaptive mode and for verdicts by replay; relative to the file.
    pub model: Option<String>,
    /// The main node of the model.
    pub main: Option<String>,
    /// Whether direct and scheduled events are sent in every step, also where nothing changes.
    #[serde(default)]
    pub resend: bool,
    /// The numbers that its program computes with, if they are known.
    pub numbers: Option<TargetNumbers>,
    /// How the target is reached.
    pub connection: Connection,
    /// What holds for signals that do not say otherwise.
    #[serde(default)]
    pub defaults: SignalEntry,
    /// Links from inputs of the model to what the target monitors.
    #[serde(default, rename = "input")]
    pub inputs: Vec<SignalEntry>,
    /// Links from outputs of the model to what the target controls.
    #[serde(default, rename = "output")]
    pub outputs: Vec<SignalEntry>,
}

/// The numbers of a target's program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetNumbers {
    /// How many bits integers have: 32 or 64.
    #[serde(deserialize_with = "int_bits")]
    pub int: IntWidth,
    /// `double` or `float`.
    #[serde(deserialize_with = "real_word")]
    pub real: RealWidth,
}

fn int_bits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<IntWidth, D::Error> {
    match u32::deserialize(deserializer)? {
        32 => Ok(IntWidth::Bits32),
        64 => Ok(IntWidth::Bits64),
        _ => Err(serde::de::Error::custom("integers have 32 or 64 bits")),
    }
}

fn real_word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RealWidth, D::Error> {
    let word = String::deserialize(deserializer)?;
    let known = [RealWidth::Double, RealWidth::Single];
    let found = known.into_iter().find(|real| real.word() == word);
    found.ok_or_else(|| serde::de::Error::custom("reals are double or float"))
}

/// How a target is reached.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Connection {
    /// The model itself behind lines with delays, in virtual time.
    Simulated(Simulation),
    /// A shared library that is stepped in this process, behind the same lines.
    Library {
        /// The library, relative to the target file.
        path: String,
        /// The lines.
        #[serde(default)]
        lines: Simulation,
    },
    /// A program that speaks the protocol on its standard input and output.
    Process {
        /// The program and its arguments; the program is relative to the target file.
        command: Vec<String>,
        /// How the line behaves.
        #[serde(default)]
        link: Link,
    },
    /// A program that speaks the protocol on a terminal of its own.
    Pty {
        /// The program and its arguments; the program is relative to the target file.
        command: Vec<String>,
        /// How the line behaves.
        #[serde(default)]
        link: Link,
    },
    /// A server that speaks the protocol.
    Tcp {
        /// Host and port, such as `localhost:5555`.
        address: String,
        /// A program to start first, with its arguments.
        #[serde(default)]
        command: Vec<String>,
        /// How the line behaves.
        #[serde(default)]
        link: Link,
    },
    /// A board behind a serial line, or a program that has made a terminal for us.
    Serial {
        /// The device, such as `/dev/ttyUSB0`.
        port: String,
        /// Bits a second.
        #[serde(default = "default_baud")]
        baud: u32,
        /// A program to start first, with its arguments.
        #[serde(default)]
        command: Vec<String>,
        /// How the line behaves.
        #[serde(default)]
        link: Link,
    },
}

fn default_baud() -> u32 {
    115_200
}

/// How a line that carries the protocol behaves.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Link {
    /// Whether every line ends with `*` and a checksum.
    pub checksum: bool,
    /// How long an answer may take beyond what the test itself takes.
    pub timeout_ms: f64,
    /// How late an event may be sent before nothing is concluded from what follows.
    pub late_ms: f64,
    /// How many bytes of `set` lines the target has room for; each `in` makes room again.
    pub window: Option<u32>,
}

impl Default for Link {
    fn default() -> Link {
        Link { checksum: false, timeout_ms: 2000.0, late_ms: 20.0, window: None }
    }
}

/// What the lines of a simulated platform do. Signals whose delay is not drawn here have that of
/// their own entry.
#[derive(Clone, PartialEq, Debug, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub struct Simulation {
    /// Where random numbers start.
    pub seed: u64,
    /// Each signal's mean delay is drawn between 0 and this.
    pub max_mean_ms: Option<f64>,
    /// The standard deviation of the drawn delays.
    pub sd_ms: f64,
    /// The standard deviation of a part of the delay that changes slowly.
    pub slow_sd_ms: f64,
    /// How much of the slow part remains from one event to the next.
    pub correlation: f64,
    /// The part of the events that is lost.
    pub loss: f64,
    /// Whether the software reports what it read in each step.
    pub trace: bool,
}

/// One link between a variable of the model and a signal of the target.
#[derive(Clone, PartialEq, Debug, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub struct SignalEntry {
    /// The variable of the model.
    pub model: String,
    /// What the target calls it; the same if it is not said.
    pub platform: Option<String>,
    /// The unit on the target, for people.
    pub unit: Option<String>,
    /// The target's number is the model's times this ...
    pub scale: Option<ExactNumber>,
    /// ... plus this.
    pub offset: Option<ExactNumber>,
    /// How far an output may be off, in the target's unit.
    pub tolerance: Option<ExactNumber>,
    /// The mean of the delay.
    pub delay_ms: Option<f64>,
    /// Its standard deviation.
    pub sd_ms: Option<f64>,
    /// The standard deviation of a part of the delay that changes slowly, and is followed.
    pub slow_sd_ms: Option<f64>,
    /// How much of the slow part remains from one event to the next.
    pub correlation: Option<f64>,
    /// Measured delays, in place of the two.
    pub samples_ms: Vec<f64>,
    /// How often the same event may be sent.
    pub copies: Option<u32>,
}

/// A number as it is written: `0.1` is one tenth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExactNumber(pub Rational);

impl<'de> Deserialize<'de> for ExactNumber {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<ExactNumber, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Int(i64),
            Float(f64),
            Text(String),
        }
        let text = match Written::deserialize(deserializer)? {
            Written::Int(number) => number.to_string(),
            Written::Float(number) => format!("{number:?}"),
            Written::Text(text) => text,
        };
        let wrong = || serde::de::Error::custom("expected a number such as 0.1 or \"1/3\"");
        Rational::parse(&text).map(ExactNumber).ok_or_else(wrong)
    }
}

impl SignalEntry {
    /// What the target calls it.
    pub fn platform(&self) -> &str {
        self.platform.as_deref().unwrap_or(&self.model)
    }

    /// The slow part of the delay, if it has one.
    pub fn drift(&self) -> Option<Drift> {
        let (slow_sd_ms, correlation) = (self.slow_sd_ms?, self.correlation?);
        Some(Drift { slow_sd_ms, correlation })
    }

    /// The delay it is believed to have.
    pub fn delay(&self, defaults: &SignalEntry) -> DelayDistribution {
        if !self.samples_ms.is_empty() {
            return DelayDistribution::measured(self.samples_ms.clone());
        }
        let mean = self.delay_ms.or(defaults.delay_ms).unwrap_or(0.0);
        DelayDistribution::normal(mean, self.sd_ms.or(defaults.sd_ms).unwrap_or(0.0))
    }
}

/// The longest delay and step that are accepted: a day.
const MAX_MS: f64 = 86_400_000.0;

impl TargetFile {
    /// Reads a target file.
    pub fn parse(file: &SourceFile) -> Result<TargetFile, Vec<Diagnostic>> {
        let help = "docs/book/targets.md describes target files";
        let target: TargetFile = settings::read(file, "target-file", help)?;
        let found = target.check(file);
        if found.is_empty() { Ok(target) } else { Err(found) }
    }

    fn check(&self, file: &SourceFile) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let mut wrong = |key: &str, message: String| {
            found.push(Diagnostic::error("target-value", place(file, key), message));
        };
        if !(self.step_ms > 0.0 && self.step_ms <= MAX_MS) {
            wrong("step_ms", "`step_ms` is a number of milliseconds above 0".to_string());
        }
        for entry in self.inputs.iter().chain(&self.outputs).chain([&self.defaults]) {
            let times = entry.delay_ms.iter().chain(&entry.sd_ms).chain(&entry.slow_sd_ms);
            let times = times.chain(&entry.samples_ms);
            if times.clone().any(|time| !(0.0..=MAX_MS).contains(time)) {
                let name = &entry.model;
                wrong(name, format!("delays are between 0 and a day, those of `{name}` are not"));
            }
            if entry.correlation.is_some_and(|part| !(0.0..1.0).contains(&part)) {
                wrong("correlation", "`correlation` is at least 0 and below 1".to_string());
            }
            if entry.copies.is_some_and(|copies| !(1..=64).contains(&copies)) {
                wrong("copies", "`copies` is a number from 1 to 64".to_string());
            }
            if entry.scale.as_ref().is_some_and(|scale| scale.0.is_zero()) {
                wrong("scale", "`scale` must not be 0".to_string());
            }
            if entry.tolerance.as_ref().is_some_and(|allowed| allowed.0.is_negative()) {
                wrong("tolerance", "`tolerance` must not be negative".to_string());
            }
        }
        for entry in self.inputs.iter().chain(&self.outputs) {
            if entry.model.is_empty() {
                wrong("platform", "an entry needs `model`, the variable's name".to_string());
            }
            if !is_word(entry.platform()) {
                let name = entry.platform();
                wrong(name, format!("`{name}` cannot be sent: names have no spaces, `=` or `*`"));
            }
        }
        if let Connection::Simulated(lines) | Connection::Library { lines, .. } = &self.connection {
            let times = [lines.max_mean_ms.unwrap_or(0.0), lines.sd_ms, lines.slow_sd_ms];
            if times.iter().any(|time| !(0.0..=MAX_MS).contains(time))
                || !(0.0..1.0).contains(&lines.correlation)
                || !(0.0..1.0).contains(&lines.loss)
            {
                let message = "times are not negative, `correlation` and `loss` are below 1";
                wrong("[connection]", message.to_string());
            }
        }
        found
    }

    /// The links of inputs, one for each name in `known` that has no entry added.
    pub(crate) fn links<'a>(
        &self,
        entries: &[SignalEntry],
        known: impl Iterator<Item = &'a str>,
    ) -> Vec<SignalEntry> {
        let mut by_model: BTreeMap<&str, Vec<&SignalEntry>> = BTreeMap::new();
        for entry in entries {
            by_model.entry(&entry.model).or_default().push(entry);
        }
        let mut links = Vec::new();
        for name in known {
            match by_model.get(name) {
                Some(entries) => links.extend(entries.iter().map(|entry| (*entry).clone())),
                None => {
                    links.push(SignalEntry { model: name.to_string(), ..SignalEntry::default() })
                }
            }
        }
        links
    }
}

/// Whether a name survives a line of the protocol.
pub(crate) fn is_word(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'=' && byte != b'*';
    !name.is_empty() && name.len() <= 200 && name.bytes().all(plain)
}
