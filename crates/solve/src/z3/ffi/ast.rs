//! A term of Z3, and looking into it.

use std::ffi::c_uint;
use std::ops::Range;

use super::context::{Context, Failure, Owned, text};
use super::{AstObject, L_FALSE, L_TRUE};
use crate::term::Sort;

/// What the names of relations begin with; Z3 itself makes none that begin so.
pub(super) const RELATION: &str = "relation:";

/// A term, sort or declaration.
pub(crate) struct Ast(pub(super) Owned<AstObject>);

impl Clone for Ast {
    fn clone(&self) -> Ast {
        let cloned = self.0.context.ast(self.0.raw);
        cloned.expect("counting one more reference to a term that is owned cannot fail")
    }
}

impl PartialEq for Ast {
    /// Z3 stores equal terms once, so equal pointers mean equal terms.
    fn eq(&self, other: &Ast) -> bool {
        self.0.raw == other.0.raw
    }
}

/// How a term is made up.
pub(crate) enum Node {
    /// A number: `5`, `-1/3`.
    Number(String, Sort),
    /// The constant with this number.
    Symbol(u32),
    /// The relation with this number, applied.
    Relation(u32, Vec<Ast>),
    /// An operator of logic or arithmetic, as `Z3_decl_kind`.
    Operator(u32, Vec<Ast>),
    /// A variable of a cover: the argument at this position.
    Variable(u32),
    /// Any other operator, a step of a proof for example.
    Step(Vec<Ast>),
    /// Anything else.
    Other,
}

impl Ast {
    fn context(&self) -> &Context {
        &self.0.context
    }

    /// A number that only equal terms share, for as long as one of them is owned.
    pub(crate) fn key(&self) -> usize {
        self.0.raw.addr()
    }

    /// The truth value, if it is one.
    pub(crate) fn as_bool(&self) -> Option<bool> {
        let context = self.context();
        // SAFETY: the term belongs to the context.
        match unsafe { (context.api().get_bool_value)(context.raw(), self.0.raw) } {
            L_TRUE => Some(true),
            L_FALSE => Some(false),
            _ => None,
        }
    }

    /// How it is made up.
    pub(crate) fn node(&self) -> Result<Node, Failure> {
        // `Z3_ast_kind`
        const NUMERAL: c_uint = 0;
        const APP: c_uint = 1;
        const VAR: c_uint = 2;
        let context = self.context();
        let (api, raw) = (context.api(), context.raw());
        // SAFETY: the term belongs to the context, and each question is asked only of the
        // kind of term that has an answer to it.
        unsafe {
            match (api.get_ast_kind)(raw, self.0.raw) {
                NUMERAL => self.number(),
                APP => self.application(),
                VAR => Ok(Node::Variable((api.get_index_value)(raw, self.0.raw))),
                _ => Ok(Node::Other),
            }
        }
    }

    fn number(&self) -> Result<Node, Failure> {
        const INT_SORT: c_uint = 2;
        const REAL_SORT: c_uint = 3;
        let context = self.context();
        let (api, raw) = (context.api(), context.raw());
        // SAFETY: the term is a numeral of this context; the string is copied at once.
        unsafe {
            let sort = context.ast((api.get_sort)(raw, self.0.raw))?;
            let sort = match (api.get_sort_kind)(raw, sort.0.raw) {
                INT_SORT => Sort::Int,
                REAL_SORT => Sort::Real,
                _ => return Ok(Node::Other),
            };
            let digits = text((api.get_numeral_string)(raw, self.0.raw));
            // An irrational number is a numeral too, but has no such string.
            context.status()?;
            Ok(Node::Number(digits, sort))
        }
    }

    fn application(&self) -> Result<Node, Failure> {
        // The Boolean and the arithmetic operators of `Z3_decl_kind`; what comes after them is
        // numbered differently by each version.
        const OPERATORS: Range<c_uint> = 0x100..0x300;
        const INT_SYMBOL: c_uint = 0;
        let context = self.context();
        let (api, raw) = (context.api(), context.raw());
        // SAFETY: the term is an application of this context; indices are below the number of
        // its arguments.
        unsafe {
            let declaration = context.ast((api.get_app_decl)(raw, self.0.raw))?;
            let arguments = (0..(api.get_app_num_args)(raw, self.0.raw))
                .map(|index| context.ast((api.get_app_arg)(raw, self.0.raw, index)))
                .collect::<Result<Vec<_>, _>>()?;
            let kind = (api.get_decl_kind)(raw, declaration.0.raw);
            let name = (api.get_decl_name)(raw, declaration.0.raw);
            if OPERATORS.contains(&kind) {
                Ok(Node::Operator(kind, arguments))
            } else if (api.get_symbol_kind)(raw, name) == INT_SYMBOL {
                Ok(Node::Symbol((api.get_symbol_int)(raw, name) as u32))
            } else {
                let name = text((api.get_symbol_string)(raw, name));
                let number = name.strip_prefix(RELATION).and_then(|number| number.parse().ok());
                Ok(match number {
                    Some(number) => Node::Relation(number, arguments),
                    None => Node::Step(arguments),
                })
            }
        }
    }
}
