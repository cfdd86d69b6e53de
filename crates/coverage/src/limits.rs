//! What a run may use: time, memory, and the user's patience.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use provoke_base::{Control, Event};

/// If the caller does not limit the memory, the share of what is free at the start, in per cent.
const SHARE: u64 = 75;
/// How often the memory is looked at.
const PAUSE: Duration = Duration::from_millis(50);
/// What is left of the time for the work itself, whatever is to be done behind it.
const LEAST_PERCENT: u32 = 40;

/// Tells whether a run has to end; asked often, and from all threads.
pub(crate) struct Limits<'a> {
    control: &'a Control,
    start: Instant,
    budget: Option<Duration>,
    /// The steps of all tests found so far, and what each costs when the search is over.
    reserved: Option<(Arc<AtomicU64>, Duration)>,
    megabytes: Option<u64>,
    /// When the memory was looked at last, in milliseconds since the start.
    looked: AtomicU64,
    full: AtomicBool,
}

impl<'a> Limits<'a> {
    pub(crate) fn new(
        control: &'a Control,
        start: Instant,
        budget: Option<Duration>,
    ) -> Limits<'a> {
        Limits {
            control,
            start,
            budget,
            reserved: None,
            megabytes: control.memory_limit().or_else(share_of_free_memory),
            looked: AtomicU64::new(0),
            full: AtomicBool::new(false),
        }
    }

    /// Ends the search early enough that so many steps can still be done, each in this time.
    pub(crate) fn reserving(mut self, steps: &Arc<AtomicU64>, each: Duration) -> Limits<'a> {
        self.reserved = Some((Arc::clone(steps), each));
        self
    }

    /// Whether the work has to end now.
    pub(crate) fn are_reached(&self) -> bool {
        self.control.is_over() || self.is_late() || self.is_full()
    }

    fn is_late(&self) -> bool {
        let Some(budget) = self.budget else { return false };
        let reserve = self.reserved.as_ref().map_or(Duration::ZERO, |(steps, each)| {
            each.saturating_mul(steps.load(Ordering::Relaxed).min(u64::from(u32::MAX)) as u32)
        });
        let least = budget * LEAST_PERCENT / 100;
        self.start.elapsed() >= budget.saturating_sub(reserve).max(least)
    }

    fn is_full(&self) -> bool {
        let Some(megabytes) = self.megabytes else { return false };
        let now = self.start.elapsed().as_millis() as u64;
        let looked = self.looked.load(Ordering::Relaxed);
        if now.saturating_sub(looked) >= PAUSE.as_millis() as u64 {
            self.looked.store(now, Ordering::Relaxed);
            if held().is_some_and(|held| held > megabytes) {
                self.full.store(true, Ordering::Relaxed);
            }
        }
        self.full.load(Ordering::Relaxed)
    }

    /// Tells the user when memory has ended the work.
    pub(crate) fn warn(&self) {
        if let (true, Some(megabytes)) = (self.full.load(Ordering::Relaxed), self.megabytes) {
            self.control.tell(Event::MemoryLimit(megabytes));
        }
    }
}

/// A share of the megabytes that are free.
fn share_of_free_memory() -> Option<u64> {
    Some(kilobytes("/proc/meminfo", "MemAvailable:")? / 1024 * SHARE / 100)
}

/// The megabytes that this process holds; not known on every system.
fn held() -> Option<u64> {
    Some(kilobytes("/proc/self/status", "VmRSS:")? / 1024)
}

/// A number that the system tells in a file of lines such as `VmRSS: 1234 kB`.
fn kilobytes(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
