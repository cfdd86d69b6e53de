//! Expressions as people write them.

use provoke_model::{ExprId, ExprKind, System, UnaryOp};

/// A part that still has to be written.
enum Piece {
    Expr(ExprId),
    Operand(ExprId),
    Word(&'static str),
}

/// The expression as text, cut with `…` after about `limit` characters.
pub fn of_expr(system: &System, root: ExprId, limit: usize) -> String {
    write(system, Piece::Expr(root), limit)
}

/// The expression as text, in parentheses unless it is a name or a literal.
pub fn of_operand(system: &System, root: ExprId, limit: usize) -> String {
    write(system, Piece::Operand(root), limit)
}

/// Written with a stack of its own, because expressions may be nested deeply, and only as
/// far as the limit, because they may also be long.
fn write(system: &System, first: Piece, limit: usize) -> String {
    let mut text = String::new();
    let mut open = vec![first];
    while let Some(piece) = open.pop() {
        if text.len() > limit {
            text.push('…');
            break;
        }
        match piece {
            Piece::Word(word) => text.push_str(word),
            Piece::Operand(expr) if is_atom(&system.exprs[unwrapped(system, expr)].kind) => {
                open.push(Piece::Expr(expr));
            }
            Piece::Operand(expr) => {
                open.extend([Piece::Word(")"), Piece::Expr(expr), Piece::Word("(")]);
            }
            Piece::Expr(expr) => {
                let expr = unwrapped(system, expr);
                match atom(system, expr) {
                    Some(word) => text.push_str(&word),
                    None => open.extend(pieces(&system.exprs[expr].kind).into_iter().rev()),
                }
            }
        }
    }
    text
}

/// A machine's operation without the wrapping or rounding of its result, which goes without saying.
fn unwrapped(system: &System, expr: ExprId) -> ExprId {
    match system.exprs[expr].kind {
        ExprKind::Unary(UnaryOp::Wrap(_), of) => match &system.exprs[of].kind {
            ExprKind::Unary(UnaryOp::Neg, _) => of,
            ExprKind::Binary(op, ..) if !op.is_relation() => of,
            _ => expr,
        },
        ExprKind::Unary(UnaryOp::Round(_) | UnaryOp::Clamp(_), of) => of,
        _ => expr,
    }
}

fn is_atom(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Const(_)
            | ExprKind::Var(_)
            | ExprKind::Unary(UnaryOp::ToReal | UnaryOp::Floor, _)
    )
}

fn atom(system: &System, expr: ExprId) -> Option<String> {
    match &system.exprs[expr].kind {
        ExprKind::Const(value) => Some(value.show(system.exprs[expr].ty, &system.enums)),
        ExprKind::Var(var) => Some(system.vars[*var].name.clone()),
        _ => None,
    }
}

fn pieces(kind: &ExprKind) -> Vec<Piece> {
    use Piece::{Expr, Operand, Word};
    match *kind {
        ExprKind::Const(_) | ExprKind::Var(_) => Vec::new(),
        ExprKind::Unary(op @ (UnaryOp::ToReal | UnaryOp::Floor), a) => {
            vec![Word(op.symbol()), Word("("), Expr(a), Word(")")]
        }
        ExprKind::Unary(UnaryOp::Round(_) | UnaryOp::Clamp(_), a) => vec![Operand(a)],
        ExprKind::Unary(UnaryOp::Wrap(ty), a) => vec![Word(ty.word()), Word(" "), Operand(a)],
        ExprKind::Unary(UnaryOp::BitNot(_), a) => vec![Word("!"), Operand(a)],
        ExprKind::Unary(UnaryOp::Neg, a) => vec![Word("-"), Operand(a)],
        ExprKind::Unary(UnaryOp::Not, a) => vec![Word("not "), Operand(a)],
        ExprKind::Binary(op, a, b) => {
            vec![Operand(a), Word(" "), Word(op.symbol()), Word(" "), Operand(b)]
        }
        ExprKind::If(c, t, e) => {
            vec![Word("if "), Operand(c), Word(" then "), Operand(t), Word(" else "), Operand(e)]
        }
        ExprKind::Arrow(a, b) => vec![Operand(a), Word(" -> "), Operand(b)],
        ExprKind::Pre(a) => vec![Word("pre "), Operand(a)],
    }
}
