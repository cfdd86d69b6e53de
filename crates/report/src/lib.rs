//! Evidence that people can read: one HTML file that needs nothing else, and the formats of other
//! tools, one file for each.
//!
//! A [`Report`](provoke_results::Report) is plain data: what engines found and what the command line
//! gathered of it. [`html()`] puts it, as compact JSON, into a page that shows it. The page asks for
//! nothing from outside and draws only what is looked at, so that thousands of obligations stay quick.

mod html;
pub mod junit;
pub mod lcov;
pub mod sarif;
pub mod text;
mod words;

pub use html::html;
pub use words::explain;
