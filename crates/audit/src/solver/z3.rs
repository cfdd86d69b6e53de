//! Z3 through its SMT-LIB entry: text in, text out.

#![allow(unsafe_code, reason = "calling a library of C functions")]

use std::ffi::{CStr, CString, c_char, c_uint};
use std::path::{Path, PathBuf};

use super::library::{Wanted, reason};
use super::{Logic, Missing, QueryLimit, Session, Solver};

/// The version that scripts/install-z3.sh installs (requirements-z3.txt).
const PINNED_VERSION: &str = "5.4.0.0";

macro_rules! opaque {
    ($($raw:ident = $object:ident;)+) => {$(
        enum $object {}
        type $raw = *mut $object;
    )+};
}

opaque! {
    RawConfig = ConfigObject;
    RawContext = ContextObject;
}

/// Called by Z3 when something goes wrong; the default one ends the process.
type ErrorHandler = unsafe extern "C" fn(RawContext, c_uint);

unsafe extern "C" fn ignore_error(_: RawContext, _: c_uint) {}

/// Declares the table of functions and how to fill it: `name` stands for `Z3_name`.
macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)+) => {
        struct Api {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)+
        }

        impl Api {
            fn look_up(library: &libloading::Library) -> Result<Api, String> {
                // SAFETY: the signatures are those of z3_api.h; the table is used only while the
                // library is loaded, which is forever (see `Api::load`).
                unsafe {
                    Ok(Api {
                        $($name: *library
                            .get(concat!("Z3_", stringify!($name), "\0"))
                            .map_err(|_| concat!("has no Z3_", stringify!($name)).to_owned())?,)+
                    })
                }
            }
        }
    };
}

functions! {
    get_full_version() -> *const c_char;
    toggle_warning_messages(bool);
    mk_config() -> RawConfig;
    del_config(RawConfig);
    mk_context(RawConfig) -> RawContext;
    del_context(RawContext);
    set_error_handler(RawContext, ErrorHandler);
    eval_smtlib2_string(RawContext, *const c_char) -> *const c_char;
}

impl Api {
    /// Loads the library at `path`, for as long as the process lives: Z3 keeps threads and
    /// global state of its own.
    fn load(path: &Path) -> Result<&'static Api, String> {
        // SAFETY: loading runs the library's initialisers; Z3's have no preconditions, and a
        // library that is not Z3 is one that the user named.
        let library = unsafe { libloading::Library::new(path) };
        let library = library.map_err(|error| reason(&error, path))?;
        let api = Api::look_up(&library)?;
        std::mem::forget(library);
        // SAFETY: takes no context. Warnings would go to the standard error stream.
        unsafe { (api.toggle_warning_messages)(false) };
        Ok(Box::leak(Box::new(api)))
    }
}

/// A Z3 that was found.
pub struct Z3 {
    api: &'static Api,
    /// Where it is.
    pub path: PathBuf,
    /// What it says its version is.
    pub version: String,
}

impl Z3 {
    /// The one that `PROVOKE_Z3` names, else the one that scripts/install-z3.sh installed, else the
    /// system's.
    pub fn find() -> Result<Z3, Missing> {
        let wanted = Wanted {
            solver: "Z3",
            variable: "PROVOKE_Z3",
            installed: format!("z3/{PINNED_VERSION}/libz3.so"),
            system: &["libz3.so.4", "libz3.so"],
            command: "scripts/install-z3.sh",
        };
        let (path, api) = wanted.find(Api::load)?;
        // SAFETY: the text is a constant of the library.
        let full = unsafe { CStr::from_ptr((api.get_full_version)()) }.to_string_lossy();
        let version =
            full.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let version = version.unwrap_or("").to_string();
        Ok(Z3 { api, path, version })
    }
}

impl Solver for Z3 {
    fn name(&self) -> String {
        format!("Z3 {}", self.version)
    }

    fn start(&self, _: Logic, limit: QueryLimit) -> Result<Box<dyn Session>, String> {
        // SAFETY: the configuration is used only between its creation and its deletion; the
        // handler does nothing, so it may be called anywhere.
        let context = unsafe {
            let config = (self.api.mk_config)();
            let context = (self.api.mk_context)(config);
            (self.api.del_config)(config);
            if context.is_null() {
                return Err("no context could be created".to_string());
            }
            (self.api.set_error_handler)(context, ignore_error);
            context
        };
        let mut talk = Talk { api: self.api, context };
        talk.run(&format!("(set-option :timeout {})\n", limit.milliseconds))?;
        Ok(Box::new(talk))
    }
}

/// One context.
struct Talk {
    api: &'static Api,
    context: RawContext,
}

impl Drop for Talk {
    fn drop(&mut self) {
        // SAFETY: the context is alive, and nothing else refers to it.
        unsafe { (self.api.del_context)(self.context) };
    }
}

impl Session for Talk {
    fn run(&mut self, commands: &str) -> Result<String, String> {
        let input = CString::new(commands).map_err(|_| "a zero byte in a command".to_string())?;
        // SAFETY: the context is alive; the reply is copied before the next call.
        let reply = unsafe {
            let raw = (self.api.eval_smtlib2_string)(self.context, input.as_ptr());
            if raw.is_null() {
                return Err("Z3 gave no reply".to_string());
            }
            CStr::from_ptr(raw).to_string_lossy().into_owned()
        };
        match reply.lines().find(|line| line.starts_with("(error")) {
            Some(error) => Err(error.to_string()),
            None => Ok(reply),
        }
    }
}
