//! The checked tree of a file: what is written, with the meaning of every name and the type of
//! every expression, before anything is expanded. It is for programs that must not rest on the
//! flattening, such as the audit.

use provoke_base::{Diagnostic, IndexVec, SourceFile, Span};
use provoke_model::Value;

use crate::assume::{Extended, extend};
use crate::check::{Checked, check};
use crate::report::Report;

pub use crate::ast::{
    AstAny, AstClause, AstContract, AstContractNode, AstImport, AstMerge, AstMode, Body,
};
pub use crate::ast::{
    AstEquation, AstExpr, AstExprKind, AstNode, AstProgram, AstProperty, BitOp, Constant, Decl,
    ExprId, Name, TypeBase, TypeBody, TypeDef, TypeExpr,
};
pub use crate::check::{NodeInfo, Use, VarInfo};
pub use crate::parse::for_each_operand;
pub use crate::types::{Leaf, StructId, StructType, TypeForm, TypeId, Types};

/// A checked file and its main node.
pub struct CheckedTree {
    /// The text with the assumptions behind it: what places refer to.
    pub file: SourceFile,
    /// What is written.
    pub program: AstProgram,
    /// The types.
    pub types: Types,
    /// The type of each expression.
    pub expr_types: IndexVec<ExprId, TypeId>,
    /// What each name, call and record stands for.
    pub uses: IndexVec<ExprId, Use>,
    /// The scalars of each global constant.
    pub constants: Vec<Vec<Value>>,
    /// The variables of each node.
    pub nodes: Vec<NodeInfo>,
    /// The position of the main node.
    pub main: usize,
}

/// Reads a file whose main node also asserts `assumptions`; the errors if it has any.
pub fn read(
    file: &SourceFile,
    main: Option<&str>,
    assumptions: &[String],
) -> Result<CheckedTree, Vec<Diagnostic>> {
    let (extended, places) = extend(file, assumptions);
    let mut report = Report::default();
    let view = Extended { file: &extended, length: file.text.len(), assumptions: &places };
    let Some((program, Some(main))) = crate::syntax(&view, main, &mut report) else {
        return Err(report.finish());
    };
    let checked = check(&program, &mut report);
    refuse_what_is_not_followed(&checked, &mut report);
    if report.has_errors() {
        return Err(report.finish());
    }
    let Checked { types, expr_types, uses, constants, nodes, .. } = checked;
    Ok(CheckedTree { file: extended, program, types, expr_types, uses, constants, nodes, main })
}

/// Reports what programs that stand on the tree do not follow yet.
fn refuse_what_is_not_followed(checked: &Checked<'_>, report: &mut Report) {
    let program = checked.program;
    let mut refuse = |span: Span, what: &str| {
        let message = format!("{what} cannot be checked again yet");
        let error = Diagnostic::error("unsupported", span, message);
        report.add(error.label("no other program of ours follows it"));
    };
    for node in &program.nodes {
        if let Some(free) = node.free.first() {
            refuse(free.span, "a value that nothing defines");
        }
    }
    for constant in program.constants.iter().filter(|constant| constant.value.is_none()) {
        refuse(constant.name.span, "a constant without a value");
    }
    for (id, expr) in program.exprs.entries() {
        let has_values = checked.types.leaf_count(checked.expr_types[id]) > 0;
        match &expr.kind {
            AstExprKind::When(..) => refuse(expr.span, "`when` with a past of its own"),
            AstExprKind::Restart(..) => refuse(expr.span, "`restart`"),
            AstExprKind::Condact(_, _, defaults) if defaults.is_empty() && has_values => {
                refuse(expr.span, "an activation without defaults");
            }
            _ => {}
        }
    }
}
