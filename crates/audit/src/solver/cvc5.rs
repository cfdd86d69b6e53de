//! cvc5 through the C interface of its parser: text in, text out.

#![allow(unsafe_code, reason = "calling a library of C functions")]

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::ptr;

use super::library::{Wanted, reason};
use super::{Logic, Missing, QueryLimit, Session, Solver};

/// The version that scripts/install-cvc5.sh installs (requirements-cvc5.txt).
pub const PINNED_VERSION: &str = "1.4.2";

/// `CVC5_INPUT_LANGUAGE_SMT_LIB_2_6`
const SMT_LIB: c_int = 0;

macro_rules! opaque {
    ($($raw:ident = $object:ident;)+) => {$(
        enum $object {}
        type $raw = *mut $object;
    )+};
}

opaque! {
    RawTerms = TermManagerObject;
    RawSolver = SolverObject;
    RawSymbols = SymbolManagerObject;
    RawParser = InputParserObject;
    RawCommand = CommandObject;
}

/// Declares the table of functions and how to fill it: `name` stands for `cvc5_name`.
macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)+) => {
        struct Api {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)+
        }

        impl Api {
            fn look_up(library: &libloading::Library) -> Result<Api, String> {
                // SAFETY: the signatures are those of cvc5.h and cvc5_parser.h, which the parser's
                // library and those that it needs define; the table is used only while they
                // are loaded, which is forever (see `Api::load`).
                unsafe {
                    Ok(Api {
                        $($name: *library
                            .get(concat!("cvc5_", stringify!($name), "\0"))
                            .map_err(|_| concat!("has no cvc5_", stringify!($name)).to_owned())?,)+
                    })
                }
            }
        }
    };
}

functions! {
    term_manager_new() -> RawTerms;
    term_manager_delete(RawTerms);
    new(RawTerms) -> RawSolver;
    delete(RawSolver);
    get_version(RawSolver) -> *const c_char;
    symbol_manager_new(RawTerms) -> RawSymbols;
    symbol_manager_delete(RawSymbols);
    parser_new(RawSolver, RawSymbols) -> RawParser;
    parser_delete(RawParser);
    parser_set_str_input(RawParser, c_int, *const c_char, *const c_char);
    parser_next_command(RawParser, *mut *const c_char) -> RawCommand;
    cmd_invoke(RawCommand, RawSolver, RawSymbols) -> *const c_char;
}

impl Api {
    /// Loads the library at `path`, for as long as the process lives.
    fn load(path: &Path) -> Result<&'static Api, String> {
        // SAFETY: loading runs the library's initialisers; cvc5's have no preconditions, and a
        // library that is not cvc5 is one that the user named.
        let library = unsafe { libloading::Library::new(path) };
        let library = library.map_err(|error| reason(&error, path))?;
        let api = Api::look_up(&library)?;
        std::mem::forget(library);
        Ok(Box::leak(Box::new(api)))
    }
}

/// A cvc5 that was found.
pub struct Cvc5 {
    api: &'static Api,
    /// Where it is.
    pub path: PathBuf,
    /// What it says its version is.
    pub version: String,
}

impl Cvc5 {
    /// The one that `PROVOKE_CVC5` names, else the one that scripts/install-cvc5.sh installed, else
    /// the system's.
    pub fn find() -> Result<Cvc5, Missing> {
        let (path, api) = wanted().find(Api::load)?;
        let version = Talk::new(api).version();
        Ok(Cvc5 { api, path, version })
    }
}

fn wanted() -> Wanted {
    Wanted {
        solver: "cvc5",
        variable: "PROVOKE_CVC5",
        installed: format!("cvc5/{PINNED_VERSION}/libcvc5parser.so"),
        system: &["libcvc5parser.so.1"],
        command: "scripts/install-cvc5.sh",
    }
}

impl Solver for Cvc5 {
    fn name(&self) -> String {
        format!("cvc5 {}", self.version)
    }

    fn start(&self, logic: Logic, limit: QueryLimit) -> Result<Box<dyn Session>, String> {
        let mut talk = Talk::new(self.api);
        let options = [
            ("incremental", "true".to_string()),
            ("produce-models", "true".to_string()),
            // Several times faster than the default on these queries.
            ("decision", "internal".to_string()),
            ("tlimit-per", limit.milliseconds.to_string()),
        ];
        for (name, value) in options {
            talk.run(&format!("(set-option :{name} {value})\n"))?;
        }
        let logic = match logic {
            Logic::Integers => "QF_LIA",
            Logic::Linear => "QF_LIRA",
            Logic::Any => "ALL",
        };
        talk.run(&format!("(set-logic {logic})\n"))?;
        Ok(Box::new(talk))
    }
}

/// One solver with its symbols and its parser.
struct Talk {
    api: &'static Api,
    terms: RawTerms,
    solver: RawSolver,
    symbols: RawSymbols,
    parser: RawParser,
}

impl Talk {
    fn new(api: &'static Api) -> Talk {
        // SAFETY: each object is made from live ones of this call; `drop` deletes them in the
        // opposite order.
        unsafe {
            let terms = (api.term_manager_new)();
            let solver = (api.new)(terms);
            let symbols = (api.symbol_manager_new)(terms);
            let parser = (api.parser_new)(solver, symbols);
            Talk { api, terms, solver, symbols, parser }
        }
    }

    fn version(&self) -> String {
        // SAFETY: the solver is alive; the text is copied before the next call.
        unsafe { text((self.api.get_version)(self.solver)) }
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // SAFETY: all four are alive, and nothing else refers to them.
        unsafe {
            (self.api.parser_delete)(self.parser);
            (self.api.symbol_manager_delete)(self.symbols);
            (self.api.delete)(self.solver);
            (self.api.term_manager_delete)(self.terms);
        }
    }
}

impl Session for Talk {
    fn run(&mut self, commands: &str) -> Result<String, String> {
        let input = CString::new(commands).map_err(|_| "a zero byte in a command".to_string())?;
        let mut output = String::new();
        // SAFETY: the parser is alive, and so is the text, until the last command was read.
        unsafe {
            (self.api.parser_set_str_input)(self.parser, SMT_LIB, input.as_ptr(), c"".as_ptr())
        };
        loop {
            let mut error: *const c_char = ptr::null();
            // SAFETY: parser, solver and symbols are alive; messages and outputs are copied before
            // the next call.
            let reply = unsafe {
                let command = (self.api.parser_next_command)(self.parser, &mut error);
                if !error.is_null() {
                    return Err(text(error));
                }
                if command.is_null() {
                    return Ok(output);
                }
                text((self.api.cmd_invoke)(command, self.solver, self.symbols))
            };
            if reply.starts_with("(error") {
                return Err(reply.trim_end().to_string());
            }
            output += &reply;
        }
    }
}

/// A copy of a text of the library's.
///
/// # Safety
/// `raw` is null or points to a text that ends with a zero.
unsafe fn text(raw: *const c_char) -> String {
    if raw.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(raw) }.to_string_lossy().into_owned()
}
