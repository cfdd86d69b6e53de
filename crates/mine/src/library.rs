//! A program as a library in this process: its state is saved and restored as bytes.

#![allow(unsafe_code, reason = "calling a library that somebody compiled")]

use std::marker::PhantomData;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::compile::MiningError;
use crate::run::{Effects, ProgramRun, StepFailure, Vector};

type Words = unsafe extern "C" fn(*mut i64);
type Step = unsafe extern "C" fn(*const i64, *mut i64) -> i64;
type Plain = unsafe extern "C" fn();
type Size = unsafe extern "C" fn() -> usize;
type Save = unsafe extern "C" fn(*mut u8);
type Restore = unsafe extern "C" fn(*const u8);
type Count = unsafe extern "C" fn() -> u32;
type Items = unsafe extern "C" fn(*mut u32, u32) -> u32;
type Guard = unsafe extern "C" fn(i64);
type Effect = unsafe extern "C" fn() -> u64;

/// Tells loaded programs apart.
static LOADED: AtomicU64 = AtomicU64::new(0);

/// The memory of a loaded program as [`LoadedProgram::save`] found it. Nothing else makes one: restored
/// bytes become the program's stack and pointers, so any others would crash it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedState {
    /// The number of the program that was saved.
    program: u64,
    /// Whether the program had stopped within a step.
    stopped: bool,
    bytes: Vec<u8>,
}

impl SavedState {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Room to unpack bytes that `save` gave before, for those who keep many states of a program packed.
    pub(crate) fn unpack(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

/// A loaded program.
pub struct LoadedProgram {
    reset: Plain,
    step: Step,
    outputs: Words,
    size: Size,
    save: Save,
    restore: Restore,
    fresh: Count,
    forget: Plain,
    items: Items,
    effects: [Effect; 3],
    input_count: usize,
    output_count: usize,
    number: u64,
    /// Whether a step ended in the middle, so that the next one would begin there.
    stopped: bool,
    /// Whether values of conditions are noticed beside the edges that are taken.
    pub(crate) sees_conditions: bool,
    /// Crashes are caught in the thread that loaded it.
    _thread: PhantomData<*mut ()>,
}

impl LoadedProgram {
    /// Loads what [`crate::compile::ProgramBuilder::build`] made.
    pub fn load(
        path: &Path,
        inputs: usize,
        outputs: usize,
        step_ms: u32,
    ) -> Result<LoadedProgram, MiningError> {
        let failed = |error: libloading::Error| {
            MiningError::new(
                format!("cannot load {}: {error}", path.display()),
                "this is an error of Provoke; please report it",
            )
        };
        // SAFETY: loading runs the program's initialisers, which is what the user asked for.
        let library = unsafe { provoke_exec::library::load(path) }.map_err(failed)?;
        macro_rules! symbol {
            ($ty:ty, $name:literal) => {
                // SAFETY: the driver that we wrote has this function with this type.
                *unsafe { library.get::<$ty>($name) }.map_err(failed)?
            };
        }
        let guard = symbol!(Guard, b"provoke_guard\0");
        let program = LoadedProgram {
            reset: symbol!(Plain, b"provoke_reset\0"),
            step: symbol!(Step, b"provoke_guarded_step\0"),
            outputs: symbol!(Words, b"provoke_outputs\0"),
            size: symbol!(Size, b"provoke_memory_size\0"),
            save: symbol!(Save, b"provoke_save\0"),
            restore: symbol!(Restore, b"provoke_restore\0"),
            fresh: symbol!(Count, b"provoke_fresh\0"),
            forget: symbol!(Plain, b"provoke_forget\0"),
            items: symbol!(Items, b"provoke_items\0"),
            effects: [
                symbol!(Effect, b"provoke_allocations\0"),
                symbol!(Effect, b"provoke_live\0"),
                symbol!(Effect, b"provoke_starts\0"),
            ],
            input_count: inputs,
            output_count: outputs,
            number: LOADED.fetch_add(1, Ordering::Relaxed),
            stopped: false,
            sees_conditions: false,
            _thread: PhantomData,
        };
        // Its handlers of signals stay installed, so it is never unloaded. The file stays open: the
        // system takes another file with the same number on its disk for the same library.
        std::mem::forget(library);
        std::mem::forget(std::fs::File::open(path));
        // SAFETY: functions of the driver; the reset finds the state first.
        unsafe {
            guard(i64::from(step_ms));
            (program.reset)();
        }
        Ok(program)
    }

    /// Goes to the initial state.
    pub fn reset(&mut self) {
        self.stopped = false;
        // SAFETY: a function of the driver without arguments.
        unsafe { (self.reset)() }
    }

    /// The outputs as they are.
    pub fn outputs(&self, out: &mut Vector) {
        out.resize(self.output_count.max(1), 0);
        // SAFETY: there is room for as many words as there are outputs.
        unsafe { (self.outputs)(out.as_mut_ptr()) }
        out.truncate(self.output_count);
    }

    /// Does a step. After a stop only [`LoadedProgram::reset`] and
    /// [`LoadedProgram::restore`] may follow.
    pub fn step(&mut self, inputs: &[i64], out: &mut Vector) -> Option<StepFailure> {
        assert_eq!(inputs.len(), self.input_count, "a word for each input");
        assert!(!self.stopped, "a program that stopped is reset or restored first");
        out.resize(self.output_count.max(1), 0);
        // SAFETY: as many words as the program has inputs and outputs.
        let code = unsafe { (self.step)(inputs.as_ptr(), out.as_mut_ptr()) };
        out.truncate(self.output_count);
        let stop = StepFailure::of(code);
        self.stopped = stop.is_some();
        stop
    }

    /// The state as it is.
    pub fn save(&self) -> SavedState {
        let mut state = SavedState { program: self.number, stopped: false, bytes: Vec::new() };
        self.save_into(&mut state);
        state
    }

    /// The state as it is, where another one was kept.
    pub fn save_into(&self, state: &mut SavedState) {
        (state.program, state.stopped) = (self.number, self.stopped);
        // SAFETY: the driver says how many bytes it will write.
        unsafe {
            state.bytes.resize((self.size)(), 0);
            (self.save)(state.bytes.as_mut_ptr());
        }
    }

    /// Goes to a state that this program saved.
    pub fn restore(&mut self, state: &SavedState) {
        assert_eq!(state.program, self.number, "a state goes back to the program that saved it");
        self.stopped = state.stopped;
        // SAFETY: the bytes come from `save`, which wrote all that the driver reads again, and it was the
        // `save` of this program.
        unsafe { (self.restore)(state.bytes.as_ptr()) }
    }

    /// How many items of code were reached for the first time since this was last asked.
    pub fn fresh(&mut self) -> u32 {
        // SAFETY: a function of the driver without arguments.
        unsafe { (self.fresh)() }
    }

    /// Begins to count items anew.
    pub fn forget(&mut self) {
        // SAFETY: a function of the driver without arguments.
        unsafe { (self.forget)() }
    }

    /// The items reached since [`LoadedProgram::forget`], ascending.
    pub fn items(&mut self) -> Vec<u32> {
        // SAFETY: the driver writes no more than there is room for.
        unsafe {
            let count = (self.items)(std::ptr::null_mut(), 0);
            let mut items = vec![0; count as usize];
            (self.items)(items.as_mut_ptr(), count);
            items
        }
    }

    /// What the program did beside computing since the last reset.
    pub fn effects(&self) -> Effects {
        // SAFETY: functions of the driver without arguments.
        let [allocations, live, starts] = self.effects.map(|effect| unsafe { effect() });
        Effects { allocations, live, starts }
    }

    /// Runs a test from the initial state.
    pub fn run(&mut self, test: &[Vector]) -> ProgramRun {
        self.reset();
        let mut run = ProgramRun::default();
        self.outputs(&mut run.initial);
        for inputs in test {
            let mut out = Vector::new();
            run.stop = self.step(inputs, &mut out);
            if matches!(run.stop, None | Some(StepFailure::Ended)) {
                run.outputs.push(out);
            }
            if run.stop.is_some() {
                break;
            }
        }
        run.effects = self.effects();
        run
    }
}
