//! A context of Z3: owner of all other objects, and where terms are made.
//!
//! Z3 frees whatever nobody has counted a reference to as soon as it is asked for the next
//! object, and then answers wrongly without a word. So every result is owned before anything
//! else is called.

use std::ffi::{CStr, CString, c_char, c_int, c_uint};
use std::ptr;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use provoke_model::{BinaryOp, UnaryOp};

use super::ast::{Ast, RELATION};
use super::{Api, MEMOUT_FAIL, OK, ParamsObject, RawAst, RawContext, RawStats, RawSymbol};
use crate::solver::UnknownReason;
use crate::term::Sort;

/// What goes wrong inside Z3.
#[derive(Debug)]
pub(crate) enum Failure {
    OutOfMemory,
    Error(String),
    /// The answer contains what our terms do not have.
    Unreadable(String),
    /// The question is of a kind that Z3 may not come back from.
    Refused(String),
}

impl From<Failure> for UnknownReason {
    fn from(failure: Failure) -> UnknownReason {
        match failure {
            Failure::OutOfMemory => UnknownReason::OutOfMemory,
            Failure::Error(message) => UnknownReason::Crashed(message),
            Failure::Unreadable(message) | Failure::Refused(message) => {
                UnknownReason::Incomplete(message)
            }
        }
    }
}

/// A Z3 context; clones are the same one. Not to be shared between threads.
#[derive(Clone)]
pub(crate) struct Context(Rc<OwnedContext>);

struct OwnedContext {
    api: &'static Api,
    raw: RawContext,
}

impl Drop for OwnedContext {
    fn drop(&mut self) {
        // SAFETY: every object of the context holds a clone of it, so none is left.
        unsafe { (self.api.del_context)(self.raw) };
    }
}

/// An object of a context that is released when its owner goes.
pub(super) struct Owned<T> {
    pub(super) context: Context,
    pub(super) raw: *mut T,
    release: Count<T>,
}

/// Counts a reference to an object, one more or one less.
type Count<T> = unsafe extern "C" fn(RawContext, *mut T);

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: `Context::own` counted the reference that is given back here.
        unsafe { (self.release)(self.context.raw(), self.raw) };
    }
}

impl Context {
    /// A fresh context in which a query may do at most `rlimit` units of work (0: any).
    pub(crate) fn new(api: &'static Api, rlimit: u32) -> Result<Context, Failure> {
        // Old versions initialise global state here without a lock of their own.
        static CREATION: Mutex<()> = Mutex::new(());
        let _lock = CREATION.lock().unwrap_or_else(PoisonError::into_inner);
        let rlimit = CString::new(rlimit.to_string()).expect("digits hold no zero byte");
        // SAFETY: the configuration is used only between its creation and its deletion; the
        // strings end with a zero; the handler does nothing, so it may be called anywhere.
        let raw = unsafe {
            let config = (api.mk_config)();
            (api.set_param_value)(config, c"auto_config".as_ptr(), c"false".as_ptr());
            (api.set_param_value)(config, c"model".as_ptr(), c"true".as_ptr());
            (api.set_param_value)(config, c"rlimit".as_ptr(), rlimit.as_ptr());
            let raw = (api.mk_context_rc)(config);
            (api.del_config)(config);
            if raw.is_null() {
                return Err(Failure::Error("no context could be created".to_owned()));
            }
            (api.set_error_handler)(raw, ignore_error);
            raw
        };
        Ok(Context(Rc::new(OwnedContext { api, raw })))
    }

    pub(super) fn api(&self) -> &'static Api {
        self.0.api
    }

    pub(super) fn raw(&self) -> RawContext {
        self.0.raw
    }

    /// The failure of the last call, if it failed.
    pub(super) fn status(&self) -> Result<(), Failure> {
        // SAFETY: the context is alive; the message is copied before the next call.
        unsafe {
            match (self.api().get_error_code)(self.raw()) {
                OK => Ok(()),
                MEMOUT_FAIL => Err(Failure::OutOfMemory),
                code => {
                    let message = text((self.api().get_error_msg)(self.raw(), code));
                    // Some go on with pages of legal parameters.
                    let first = message.lines().next().unwrap_or_default();
                    Err(Failure::Error(first.to_owned()))
                }
            }
        }
    }

    /// Owns the result of the last call, unless that failed.
    pub(super) fn own<T>(
        &self,
        raw: *mut T,
        retain: Count<T>,
        release: Count<T>,
    ) -> Result<Owned<T>, Failure> {
        // Reading the error code frees nothing, but counting a reference resets it.
        let status = self.status();
        if raw.is_null() {
            return Err(status.err().unwrap_or(Failure::Error("no result".to_owned())));
        }
        // SAFETY: `raw` was just returned by a call on this context, and it is not null.
        unsafe { retain(self.raw(), raw) };
        let owned = Owned { context: self.clone(), raw, release };
        status.map(|()| owned)
    }

    /// Owns the term that the last call returned.
    pub(super) fn ast(&self, raw: RawAst) -> Result<Ast, Failure> {
        self.own(raw, self.api().inc_ref, self.api().dec_ref).map(Ast)
    }

    pub(super) fn symbol(&self, name: &CStr) -> RawSymbol {
        // SAFETY: Z3 copies the string and keeps symbols as long as the context.
        unsafe { (self.api().mk_string_symbol)(self.raw(), name.as_ptr()) }
    }

    pub(super) fn numbered_symbol(&self, number: u32) -> RawSymbol {
        let number = c_int::try_from(number).expect("fewer than 2^31 symbols");
        // SAFETY: the context is alive; Z3 keeps symbols as long as it.
        unsafe { (self.api().mk_int_symbol)(self.raw(), number) }
    }

    fn sort(&self, sort: Sort) -> Result<Ast, Failure> {
        let make = match sort {
            Sort::Bool => self.api().mk_bool_sort,
            Sort::Int => self.api().mk_int_sort,
            Sort::Real => self.api().mk_real_sort,
        };
        // SAFETY: the context is alive.
        self.ast(unsafe { make(self.raw()) })
    }

    /// The constant with this number.
    pub(crate) fn constant(&self, number: u32, sort: Sort) -> Result<Ast, Failure> {
        let sort = self.sort(sort)?;
        let symbol = self.numbered_symbol(number);
        // SAFETY: symbol and sort belong to this context.
        self.ast(unsafe { (self.api().mk_const)(self.raw(), symbol, sort.0.raw) })
    }

    /// The truth-valued constant with this name, which no number can clash with.
    pub(crate) fn named_bool(&self, name: &str) -> Result<Ast, Failure> {
        let sort = self.sort(Sort::Bool)?;
        let symbol = self.symbol(&CString::new(name).expect("names hold no zero byte"));
        // SAFETY: symbol and sort belong to this context.
        self.ast(unsafe { (self.api().mk_const)(self.raw(), symbol, sort.0.raw) })
    }

    /// The declaration of a relation with this number.
    pub(crate) fn relation(&self, number: u32, sorts: &[Sort]) -> Result<Ast, Failure> {
        let sorts: Vec<_> = sorts.iter().map(|sort| self.sort(*sort)).collect::<Result<_, _>>()?;
        let range = self.sort(Sort::Bool)?;
        let symbol =
            self.symbol(&CString::new(format!("{RELATION}{number}")).expect("no zero byte"));
        let domain = raws(&sorts);
        // SAFETY: `domain` holds as many sorts of this context as are announced.
        self.ast(unsafe {
            let count = domain.len() as c_uint;
            (self.api().mk_func_decl)(self.raw(), symbol, count, domain.as_ptr(), range.0.raw)
        })
    }

    /// A relation applied to arguments.
    pub(crate) fn apply(&self, relation: &Ast, arguments: &[Ast]) -> Result<Ast, Failure> {
        let raw = raws(arguments);
        // SAFETY: `raw` holds as many terms of this context as are announced.
        self.ast(unsafe {
            (self.api().mk_app)(self.raw(), relation.0.raw, raw.len() as c_uint, raw.as_ptr())
        })
    }

    /// A truth value.
    pub(crate) fn bool(&self, value: bool) -> Result<Ast, Failure> {
        let make = if value { self.api().mk_true } else { self.api().mk_false };
        // SAFETY: the context is alive.
        self.ast(unsafe { make(self.raw()) })
    }

    /// The number written `text`: `5`, `-1/3`.
    pub(crate) fn number(&self, text: &str, sort: Sort) -> Result<Ast, Failure> {
        let sort = self.sort(sort)?;
        let text = CString::new(text).expect("numbers hold no zero byte");
        // SAFETY: Z3 reads the string before it returns; the sort belongs to this context.
        self.ast(unsafe { (self.api().mk_numeral)(self.raw(), text.as_ptr(), sort.0.raw) })
    }

    /// `op` applied to `a`.
    pub(crate) fn unary(&self, op: UnaryOp, a: &Ast) -> Result<Ast, Failure> {
        let make = match op {
            UnaryOp::Not => self.api().mk_not,
            UnaryOp::Neg => self.api().mk_unary_minus,
            UnaryOp::ToReal => self.api().mk_int2real,
            UnaryOp::Floor => self.api().mk_real2int,
            UnaryOp::Wrap(_) | UnaryOp::BitNot(_) | UnaryOp::Clamp(_) | UnaryOp::Round(_) => {
                panic!("terms are not stored with `{}`", op.symbol())
            }
        };
        // SAFETY: the term belongs to this context.
        self.ast(unsafe { make(self.raw(), a.0.raw) })
    }

    /// `op`, one of those that terms are stored with, applied to `a` and `b`.
    pub(crate) fn binary(&self, op: BinaryOp, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        let api = self.api();
        let list = [a.0.raw, b.0.raw];
        let many = |make: unsafe extern "C" fn(_, _, *const RawAst) -> _| {
            // SAFETY: `list` holds the two announced terms of this context.
            unsafe { make(self.raw(), 2, list.as_ptr()) }
        };
        let two = |make: unsafe extern "C" fn(_, _, _) -> RawAst| {
            // SAFETY: the terms belong to this context.
            unsafe { make(self.raw(), list[0], list[1]) }
        };
        let raw = match op {
            BinaryOp::And => many(api.mk_and),
            BinaryOp::Or => many(api.mk_or),
            BinaryOp::Add => many(api.mk_add),
            BinaryOp::Sub => many(api.mk_sub),
            BinaryOp::Mul => many(api.mk_mul),
            BinaryOp::Eq => two(api.mk_eq),
            BinaryOp::Lt => two(api.mk_lt),
            BinaryOp::Le => two(api.mk_le),
            BinaryOp::Div | BinaryOp::IntDiv => two(api.mk_div),
            BinaryOp::Mod => two(api.mk_mod),
            _ => panic!("terms are not stored with `{}`", op.symbol()),
        };
        self.ast(raw)
    }

    /// `a` where `condition` holds, `b` where it does not.
    pub(crate) fn ite(&self, condition: &Ast, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        // SAFETY: the terms belong to this context.
        self.ast(unsafe { (self.api().mk_ite)(self.raw(), condition.0.raw, a.0.raw, b.0.raw) })
    }

    /// `b` holds where `a` does.
    pub(crate) fn implies(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        // SAFETY: the terms belong to this context.
        self.ast(unsafe { (self.api().mk_implies)(self.raw(), a.0.raw, b.0.raw) })
    }

    /// All terms hold.
    pub(crate) fn all(&self, terms: &[Ast]) -> Result<Ast, Failure> {
        let raw = raws(terms);
        // SAFETY: `raw` holds as many terms of this context as are announced.
        self.ast(unsafe { (self.api().mk_and)(self.raw(), raw.len() as c_uint, raw.as_ptr()) })
    }

    /// `body` for all values of the constants in `bound`.
    pub(crate) fn forall(&self, bound: &[Ast], body: Ast) -> Result<Ast, Failure> {
        self.quantified(true, bound, body)
    }

    /// `body` for some values of the constants in `bound`.
    pub(crate) fn exists(&self, bound: &[Ast], body: Ast) -> Result<Ast, Failure> {
        self.quantified(false, bound, body)
    }

    fn quantified(&self, all: bool, bound: &[Ast], body: Ast) -> Result<Ast, Failure> {
        if bound.is_empty() {
            return Ok(body);
        }
        let raw = raws(bound);
        let (count, make) = (raw.len() as c_uint, self.api().mk_quantifier_const);
        // SAFETY: `raw` holds as many constants of this context as are announced; there are
        // no patterns, so their list may be null.
        self.ast(unsafe {
            make(self.raw(), all, 0, count, raw.as_ptr(), 0, ptr::null(), body.0.raw)
        })
    }

    pub(super) fn params(&self) -> Result<Params, Failure> {
        let api = self.api();
        // SAFETY: the context is alive.
        let raw = unsafe { (api.mk_params)(self.raw()) };
        self.own(raw, api.params_inc_ref, api.params_dec_ref).map(Params)
    }

    /// The work that the context has done so far, modulo 2^32, as these statistics say.
    pub(super) fn work(&self, raw: RawStats) -> u32 {
        let api = self.api();
        let Ok(stats) = self.own(raw, api.stats_inc_ref, api.stats_dec_ref) else { return 0 };
        // SAFETY: the statistics are owned; indices are below their number; keys are strings
        // that end with a zero, read before the next call.
        unsafe {
            let is_work = |index: &c_uint| {
                let key = (api.stats_get_key)(self.raw(), stats.raw, *index);
                CStr::from_ptr(key) == c"rlimit count"
                    && (api.stats_is_uint)(self.raw(), stats.raw, *index)
            };
            let index = (0..(api.stats_size)(self.raw(), stats.raw)).find(is_work);
            index.map_or(0, |index| (api.stats_get_uint_value)(self.raw(), stats.raw, index))
        }
    }
}

pub(super) struct Params(pub(super) Owned<ParamsObject>);

impl Params {
    pub(super) fn set_bool(&self, name: &CStr, value: bool) {
        let context = &self.0.context;
        let name = context.symbol(name);
        // SAFETY: parameters and symbol belong to this context.
        unsafe { (context.api().params_set_bool)(context.raw(), self.0.raw, name, value) };
    }

    pub(super) fn set_uint(&self, name: &CStr, value: u32) {
        let context = &self.0.context;
        let name = context.symbol(name);
        // SAFETY: parameters and symbol belong to this context.
        unsafe { (context.api().params_set_uint)(context.raw(), self.0.raw, name, value) };
    }

    pub(super) fn set_symbol(&self, name: &CStr, value: &CStr) {
        let context = &self.0.context;
        let (name, value) = (context.symbol(name), context.symbol(value));
        // SAFETY: parameters and symbols belong to this context.
        unsafe { (context.api().params_set_symbol)(context.raw(), self.0.raw, name, value) };
    }
}

extern "C" fn ignore_error(_: RawContext, _: c_uint) {}

pub(super) fn raws(terms: &[Ast]) -> Vec<RawAst> {
    terms.iter().map(|term| term.0.raw).collect()
}

/// # Safety
/// `string` is null or ends with a zero.
pub(super) unsafe fn text(string: *const c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}
