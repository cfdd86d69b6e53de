//! Software in a shared library, stepped in this process.
//!
//! The library has three symbols: `provoke_interface`, a text that names its variables and types;
//! `provoke_reset`; and `provoke_step`, which reads and writes one 64-bit word for each variable. It may have
//! `provoke_trouble`, which says what went wrong in the last step, or nothing.
//! `provoke codegen` writes such a library.

#![allow(unsafe_code, reason = "calling a library that somebody compiled")]

use std::ffi::{CStr, c_char};
use std::path::Path;

use libloading::Library;
use provoke_base::{Int, Rational};
use provoke_model::{Suite, Type, Value};

use crate::controller::Controller;
use crate::observation::TargetError;

type Step = unsafe extern "C" fn(*const i64, *mut i64);
type Reset = unsafe extern "C" fn();
type TroubleFn = unsafe extern "C" fn() -> *const c_char;

/// Loads a library. Its names mean what it and the libraries it needs define, also where the system
/// has them too: glibc has a function `step`, and would be asked first.
///
/// # Safety
///
/// Loading runs the library's initialisers.
pub unsafe fn load(path: &Path) -> Result<Library, libloading::Error> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use libloading::os::unix::{Library as Loaded, RTLD_LAZY, RTLD_LOCAL};
        const RTLD_DEEPBIND: i32 = 8;
        // SAFETY: as the caller says.
        unsafe { Loaded::open(Some(path), RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND) }
            .map(Library::from)
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    {
        // SAFETY: as the caller says.
        unsafe { Library::new(path) }
    }
}

/// A loaded library.
pub struct LibraryController {
    reset: Reset,
    step: Step,
    /// What went wrong in the last step, where the library can tell.
    trouble: Option<TroubleFn>,
    outputs: Vec<Type>,
    written: Vec<i64>,
    /// The functions live as long as this does.
    _library: Library,
}

/// The text that `provoke_interface` must be for the variables of a suite.
pub fn interface(suite: &Suite) -> String {
    let list = |signals: &[provoke_model::Signal]| {
        let one = |signal: &provoke_model::Signal| format!("{}:{}", signal.name, word(signal.ty));
        signals.iter().map(one).collect::<Vec<_>>().join(",")
    };
    format!("{};{}", list(&suite.inputs), list(&suite.outputs))
}

fn word(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::Int => "int",
        Type::Real => "real",
        Type::Enum(_) => "enum",
    }
}

impl LibraryController {
    /// Loads a library for a suite. The library's own code is trusted as any program is that one
    /// starts; that it is for these variables is checked.
    pub fn load(path: &Path, suite: &Suite) -> Result<LibraryController, TargetError> {
        let shown = path.display();
        let failed = |error: libloading::Error| {
            let hint = "build it with: gcc -shared -fPIC, from what `provoke codegen` writes";
            TargetError::new(format!("cannot use {shown}: {error}"), hint)
        };
        // SAFETY: loading runs the library's initialisers, which is what the user asked for.
        let library = unsafe { load(path) }.map_err(failed)?;
        // SAFETY: the symbols have these types in every library that has the first one.
        let (interface_text, reset, step) = unsafe {
            let text: *const c_char =
                *library.get::<*const c_char>(b"provoke_interface\0").map_err(failed)?;
            let reset = *library.get::<Reset>(b"provoke_reset\0").map_err(failed)?;
            let step = *library.get::<Step>(b"provoke_step\0").map_err(failed)?;
            (CStr::from_ptr(text).to_string_lossy().into_owned(), reset, step)
        };
        // SAFETY: a library that has the symbol has it with this type.
        let trouble =
            unsafe { library.get::<TroubleFn>(b"provoke_trouble\0") }.ok().map(|told| *told);
        if interface_text != interface(suite) {
            let reason =
                format!("{shown} has other variables: {}", crate::protocol::shown(&interface_text));
            return Err(TargetError::new(reason, "build it from the model that the suite is for"));
        }
        let outputs: Vec<Type> = suite.outputs.iter().map(|signal| signal.ty).collect();
        let written = vec![0; outputs.len().max(1)];
        Ok(LibraryController { reset, step, trouble, outputs, written, _library: library })
    }
}

impl Controller for LibraryController {
    fn reset(&mut self) {
        // SAFETY: the library is loaded; the function takes nothing.
        unsafe { (self.reset)() }
    }

    fn step(&mut self, inputs: &[Value]) -> Result<Vec<Value>, TargetError> {
        let mut read = Vec::with_capacity(inputs.len() + 1);
        for value in inputs {
            read.push(to_word(value).ok_or_else(|| {
                let reason = "an input does not fit the 64 bits of the library";
                TargetError::new(reason, "use smaller numbers in the test")
            })?);
        }
        // A pointer to something, also where there are no inputs.
        read.push(0);
        // SAFETY: the interface was checked, so the library reads and writes as many words.
        unsafe { (self.step)(read.as_ptr(), self.written.as_mut_ptr()) }
        // SAFETY: it returns nothing, or a text that lives until the next call.
        let told = self.trouble.map(|told| unsafe { told() }).filter(|text| !text.is_null());
        if let Some(text) = told {
            // SAFETY: as above.
            let reason = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
            return Err(TargetError::new(reason, "the inputs up to this step show it again"));
        }
        Ok(self.written.iter().zip(&self.outputs).map(|(word, ty)| to_value(*word, *ty)).collect())
    }
}

/// A value as a word of a library; `None` if a number does not fit.
pub fn to_word(value: &Value) -> Option<i64> {
    match value {
        Value::Unknown => Some(0),
        Value::Bool(value) => Some(i64::from(*value)),
        Value::Int(int) => int.to_i64(),
        Value::Real(real) => Some(real.to_f64().to_bits() as i64),
        Value::Enum(ordinal) => Some(i64::from(*ordinal)),
    }
}

/// The value that a word of a library stands for.
pub fn to_value(word: i64, ty: Type) -> Value {
    match ty {
        Type::Bool => Value::Bool(word != 0),
        Type::Int => Value::Int(Int::from(word)),
        Type::Real => {
            Rational::from_f64(f64::from_bits(word as u64)).map_or(Value::Unknown, Value::Real)
        }
        Type::Enum(_) => Value::Enum(word as u32),
    }
}
