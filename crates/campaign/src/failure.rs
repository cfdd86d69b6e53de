//! What went wrong, made small and written down.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use provoke_solve::engine::Backend;
use provoke_testkit::random_model::Model;
use provoke_testkit::random_model::shrink::smallest;
use provoke_testkit::repository;

use crate::counts::Counts;
use crate::inside::{Course, Wrong, check};

/// How many smaller models are tried, and how long.
const TRIES: usize = 1_500;
const PATIENCE: Duration = Duration::from_secs(60);

/// A model that shows something wrong.
pub(crate) struct Failure {
    number: u64,
    model: Model,
    course: Course,
    pub(crate) wrong: Wrong,
}

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Panics are found and told by [`caught`].
pub(crate) fn keep_quiet_about_panics() {
    std::panic::set_hook(Box::new(|info| {
        PANIC.with(|panic| panic.replace(info.to_string()));
    }));
}

/// A panic is something wrong, too.
pub(crate) fn caught(work: impl FnOnce() -> Result<(), Wrong>) -> Result<(), Wrong> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let message = PANIC.with(|panic| panic.borrow().clone());
        let place = message.lines().next().unwrap_or_default().to_string();
        Err(Wrong::new(&format!("panic: {place}"), "generate", message))
    })
}

impl Failure {
    /// The same failure on a model as small as can be found.
    pub(crate) fn new(
        number: u64,
        model: &Model,
        course: Course,
        wrong: Wrong,
        backend: &Backend,
    ) -> Failure {
        let (mut last, start) = (wrong.clone(), Instant::now());
        let model = smallest(model, TRIES, &mut |candidate| {
            if start.elapsed() > PATIENCE {
                return false;
            }
            let found = caught(|| check(candidate, course, backend, &mut Counts::default()));
            match found {
                Err(found) if found.kind == wrong.kind => {
                    last = found;
                    true
                }
                _ => false,
            }
        });
        Failure { number, model, course, wrong: last }
    }

    /// Writes the model and what to type; tells where.
    pub(crate) fn write(&self, seed: u64) -> String {
        let folder = repository().join("target/campaign").join(format!("{seed}-{}", self.number));
        std::fs::create_dir_all(&folder).expect("a folder for failures");
        let Wrong { kind, detail, command } = &self.wrong;
        let (word, options) = command.split_once(' ').unwrap_or((command, ""));
        let options = options.trim_start_matches("model.lus").trim_start();
        let text = format!(
            "{kind}\n{detail}\n\nprovoke {word} model.lus {options}\n\
             make campaign SEED={seed} ONLY={}\n{:?}\n",
            self.number, self.course
        );
        std::fs::write(folder.join("model.lus"), self.model.to_string()).expect("a writable file");
        std::fs::write(folder.join("command.txt"), &text).expect("a writable file");
        format!("{}\n{}{text}", folder.display(), self.model)
    }
}
