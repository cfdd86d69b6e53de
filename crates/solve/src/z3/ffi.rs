//! The part of Z3's C interface that is used, looked up in a library at run time. The modules
//! inside own its objects, so that nothing outside sees a bare pointer or unsafe code.

#![allow(unsafe_code, reason = "calling a library of C functions")]

mod ast;
mod context;
mod fixedpoint;
mod outcome;
mod solver;

use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::path::Path;

pub(super) use ast::{Ast, Node};
pub(super) use context::{Context, Failure};
pub(super) use fixedpoint::Fixedpoint;
pub(super) use outcome::rlimit_of;
pub(super) use solver::{Model, Solver};

/// Declares pointers to what only Z3 can look into.
macro_rules! opaque {
    ($($raw:ident = $object:ident;)+) => {$(
        enum $object {}
        type $raw = *mut $object;
    )+};
}

opaque! {
    RawAst = AstObject;
    RawConfig = ConfigObject;
    RawContext = ContextObject;
    RawFixedpoint = FixedpointObject;
    RawModel = ModelObject;
    RawParams = ParamsObject;
    RawSolver = SolverObject;
    RawStats = StatsObject;
    RawSymbol = SymbolObject;
    RawVector = VectorObject;
}

// Sorts, declarations and applications are ASTs in Z3 as well; one type for all of them lets
// one wrapper count their references.
type RawSort = RawAst;
type RawDecl = RawAst;

/// `Z3_L_TRUE`, `Z3_L_FALSE`; anything else is undefined.
const L_TRUE: c_int = 1;
const L_FALSE: c_int = -1;

/// `Z3_OK` and `Z3_MEMOUT_FAIL` of `Z3_error_code`.
const OK: c_uint = 0;
const MEMOUT_FAIL: c_uint = 7;

/// Called by Z3 when something goes wrong; the default one ends the process.
type ErrorHandler = unsafe extern "C" fn(RawContext, c_uint);

/// Declares the table of functions and how to fill it: `name` stands for `Z3_name`.
macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)+) => {
        /// The functions of one loaded library.
        pub(super) struct Api {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)+
        }

        impl Api {
            fn look_up(library: &libloading::Library) -> Result<Api, String> {
                // SAFETY: the signatures are those of z3_api.h, z3_fixedpoint.h and
                // z3_spacer.h, the same in 4.8.12 and 5.4; the table is used only while the
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
    get_version(*mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint);
    global_param_set(*const c_char, *const c_char);
    toggle_warning_messages(bool);

    mk_config() -> RawConfig;
    del_config(RawConfig);
    set_param_value(RawConfig, *const c_char, *const c_char);
    mk_context_rc(RawConfig) -> RawContext;
    del_context(RawContext);
    set_error_handler(RawContext, ErrorHandler);
    get_error_code(RawContext) -> c_uint;
    get_error_msg(RawContext, c_uint) -> *const c_char;
    interrupt(RawContext);

    inc_ref(RawContext, RawAst);
    dec_ref(RawContext, RawAst);
    mk_int_symbol(RawContext, c_int) -> RawSymbol;
    mk_string_symbol(RawContext, *const c_char) -> RawSymbol;
    mk_bool_sort(RawContext) -> RawSort;
    mk_int_sort(RawContext) -> RawSort;
    mk_real_sort(RawContext) -> RawSort;
    mk_const(RawContext, RawSymbol, RawSort) -> RawAst;
    mk_func_decl(RawContext, RawSymbol, c_uint, *const RawSort, RawSort) -> RawDecl;
    mk_app(RawContext, RawDecl, c_uint, *const RawAst) -> RawAst;
    mk_numeral(RawContext, *const c_char, RawSort) -> RawAst;
    mk_true(RawContext) -> RawAst;
    mk_false(RawContext) -> RawAst;
    mk_not(RawContext, RawAst) -> RawAst;
    mk_and(RawContext, c_uint, *const RawAst) -> RawAst;
    mk_or(RawContext, c_uint, *const RawAst) -> RawAst;
    mk_implies(RawContext, RawAst, RawAst) -> RawAst;
    mk_eq(RawContext, RawAst, RawAst) -> RawAst;
    mk_ite(RawContext, RawAst, RawAst, RawAst) -> RawAst;
    mk_lt(RawContext, RawAst, RawAst) -> RawAst;
    mk_le(RawContext, RawAst, RawAst) -> RawAst;
    mk_unary_minus(RawContext, RawAst) -> RawAst;
    mk_add(RawContext, c_uint, *const RawAst) -> RawAst;
    mk_sub(RawContext, c_uint, *const RawAst) -> RawAst;
    mk_mul(RawContext, c_uint, *const RawAst) -> RawAst;
    mk_div(RawContext, RawAst, RawAst) -> RawAst;
    mk_mod(RawContext, RawAst, RawAst) -> RawAst;
    mk_int2real(RawContext, RawAst) -> RawAst;
    mk_real2int(RawContext, RawAst) -> RawAst;
    mk_quantifier_const(RawContext, bool, c_uint, c_uint, *const RawAst, c_uint, *const RawAst, RawAst) -> RawAst;

    get_ast_kind(RawContext, RawAst) -> c_uint;
    get_app_decl(RawContext, RawAst) -> RawDecl;
    get_app_num_args(RawContext, RawAst) -> c_uint;
    get_app_arg(RawContext, RawAst, c_uint) -> RawAst;
    get_decl_kind(RawContext, RawDecl) -> c_uint;
    get_decl_name(RawContext, RawDecl) -> RawSymbol;
    get_symbol_kind(RawContext, RawSymbol) -> c_uint;
    get_symbol_int(RawContext, RawSymbol) -> c_int;
    get_symbol_string(RawContext, RawSymbol) -> *const c_char;
    get_index_value(RawContext, RawAst) -> c_uint;
    get_sort(RawContext, RawAst) -> RawSort;
    get_sort_kind(RawContext, RawSort) -> c_uint;
    get_numeral_string(RawContext, RawAst) -> *const c_char;
    get_bool_value(RawContext, RawAst) -> c_int;

    mk_params(RawContext) -> RawParams;
    params_inc_ref(RawContext, RawParams);
    params_dec_ref(RawContext, RawParams);
    params_set_bool(RawContext, RawParams, RawSymbol, bool);
    params_set_uint(RawContext, RawParams, RawSymbol, c_uint);
    params_set_symbol(RawContext, RawParams, RawSymbol, RawSymbol);

    mk_simple_solver(RawContext) -> RawSolver;
    solver_inc_ref(RawContext, RawSolver);
    solver_dec_ref(RawContext, RawSolver);
    solver_set_params(RawContext, RawSolver, RawParams);
    solver_assert(RawContext, RawSolver, RawAst);
    solver_check_assumptions(RawContext, RawSolver, c_uint, *const RawAst) -> c_int;
    solver_interrupt(RawContext, RawSolver);
    solver_get_model(RawContext, RawSolver) -> RawModel;
    solver_get_unsat_core(RawContext, RawSolver) -> RawVector;
    solver_get_reason_unknown(RawContext, RawSolver) -> *const c_char;
    solver_get_statistics(RawContext, RawSolver) -> RawStats;

    model_inc_ref(RawContext, RawModel);
    model_dec_ref(RawContext, RawModel);
    model_eval(RawContext, RawModel, RawAst, bool, *mut RawAst) -> bool;
    ast_vector_inc_ref(RawContext, RawVector);
    ast_vector_dec_ref(RawContext, RawVector);
    ast_vector_size(RawContext, RawVector) -> c_uint;
    ast_vector_get(RawContext, RawVector, c_uint) -> RawAst;
    stats_inc_ref(RawContext, RawStats);
    stats_dec_ref(RawContext, RawStats);
    stats_size(RawContext, RawStats) -> c_uint;
    stats_get_key(RawContext, RawStats, c_uint) -> *const c_char;
    stats_is_uint(RawContext, RawStats, c_uint) -> bool;
    stats_get_uint_value(RawContext, RawStats, c_uint) -> c_uint;

    mk_fixedpoint(RawContext) -> RawFixedpoint;
    fixedpoint_inc_ref(RawContext, RawFixedpoint);
    fixedpoint_dec_ref(RawContext, RawFixedpoint);
    fixedpoint_set_params(RawContext, RawFixedpoint, RawParams);
    fixedpoint_register_relation(RawContext, RawFixedpoint, RawDecl);
    fixedpoint_add_rule(RawContext, RawFixedpoint, RawAst, RawSymbol);
    fixedpoint_query(RawContext, RawFixedpoint, RawAst) -> c_int;
    fixedpoint_get_reason_unknown(RawContext, RawFixedpoint) -> *const c_char;
    fixedpoint_get_cover_delta(RawContext, RawFixedpoint, c_int, RawDecl) -> RawAst;
    fixedpoint_get_answer(RawContext, RawFixedpoint) -> RawAst;
    fixedpoint_get_statistics(RawContext, RawFixedpoint) -> RawStats;
}

impl Api {
    /// Loads the library at `path`, for as long as the process lives: Z3 keeps threads and
    /// global state of its own, so unloading it is not safe. What `refuse` says of the version
    /// comes first: an old library lacks functions, which tells the user less.
    pub(super) fn load(
        path: &Path,
        refuse: impl FnOnce(&[u32; 4]) -> Option<String>,
    ) -> Result<&'static Api, String> {
        // SAFETY: loading runs the library's initialisers; Z3's have no preconditions, and a
        // library that is not Z3 is one that the user named.
        let library = unsafe { libloading::Library::new(path) };
        // The error itself says only that it failed; what it stems from says why.
        let library = library.map_err(|error| match error.source() {
            Some(source) => source.to_string().replacen(&format!("{}: ", path.display()), "", 1),
            None => error.to_string(),
        })?;
        if let Some(why) = refuse(&version_of(&library)?) {
            return Err(why);
        }
        let api = Api::look_up(&library)?;
        std::mem::forget(library);
        // SAFETY: takes no context. Warnings would go to the standard error stream.
        unsafe { (api.toggle_warning_messages)(false) };
        Ok(Box::leak(Box::new(api)))
    }

    /// The four numbers of the version.
    pub(super) fn version(&self) -> [u32; 4] {
        ask_version(self.get_version)
    }

    /// Sets a parameter of the whole library.
    pub(super) fn set_global(&self, name: &CStr, value: &CStr) {
        // SAFETY: both are strings that end with a zero; Z3 copies them.
        unsafe { (self.global_param_set)(name.as_ptr(), value.as_ptr()) };
    }
}

type GetVersion = unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint);

fn version_of(library: &libloading::Library) -> Result<[u32; 4], String> {
    // SAFETY: the signature is that of z3_api.h, the same in all versions.
    let get_version = unsafe { library.get::<GetVersion>("Z3_get_version\0") };
    get_version.map(|get| ask_version(*get)).map_err(|_| "has no Z3_get_version".to_owned())
}

fn ask_version(get: GetVersion) -> [u32; 4] {
    let [mut major, mut minor, mut build, mut revision] = [0; 4];
    // SAFETY: writes to four valid places.
    unsafe { get(&mut major, &mut minor, &mut build, &mut revision) };
    [major, minor, build, revision]
}
