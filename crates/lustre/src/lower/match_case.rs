//! `match`: nested conditions on constructors. A case that remembers something, or calls a node,
//! runs on a clock of its own: only when it is taken.

use std::rc::Rc;

use provoke_base::Span;
use provoke_model::BinaryOp;

use super::expr::Typed;
use super::ty::{DataTy, Ty};
use super::{Binding, Lowering, Making};
use crate::ast::{AstEquation, AstExprKind, AstNode, Body, Decl, ExprId, Name};
use crate::parse::for_each_operand;
use crate::sugar::{Pattern, Sugar};

/// How many tables of patterns are looked at for one that is not covered.
const MAX_LOOKS: usize = 100_000;

/// What a case asks of a value, and what it calls its parts.
#[derive(Default)]
struct Case {
    conditions: Vec<ExprId>,
    bindings: Vec<(Box<str>, Binding)>,
}

impl<'a> Lowering<'a, '_> {
    pub(super) fn match_value(
        &mut self,
        value: ExprId,
        cases: &'a [(Pattern, ExprId)],
        want: Option<&Ty>,
        span: Span,
    ) -> Typed {
        let (value, ty) = self.expr(value, None);
        if !matches!(ty.base(), Ty::Data(_) | Ty::Enum(_)) {
            let message = format!("`match` takes datatypes apart, found `{}`", ty.show());
            let help = "use `if` for values of other types";
            let place = self.new.exprs[value].span;
            self.error("type-mismatch", place, message, "not of a datatype", help);
            return (value, Ty::Unknown);
        }
        let value = match cases.iter().any(|(_, result)| self.needs_clock(*result)) {
            true => self.named(value, &ty),
            false => self.stable(value, &ty),
        };
        let rows: Vec<Vec<&Pattern>> = cases.iter().map(|(pattern, _)| vec![pattern]).collect();
        if let Some(missing) = self.uncovered(&rows, std::slice::from_ref(&ty), &mut { MAX_LOOKS })
        {
            let message = format!("no case covers `{}`", missing.join(", "));
            let help = "add a case for it, or `| _ : ...` for all that is left";
            self.error("match-incomplete", span, message, "a case is missing", help);
            return (value, Ty::Unknown);
        }
        let mut branches: Vec<(ExprId, Typed)> = Vec::new();
        let mut earlier = Vec::new();
        for (pattern, result) in cases {
            let mut case = Case::default();
            let scrutinee = self.copy(value);
            self.pattern(pattern, scrutinee, &ty, &mut case);
            let condition = self.join(BinaryOp::And, case.conditions, true, pattern.span());
            let want = want.cloned().or_else(|| branches.first().map(|(_, (_, ty))| ty.clone()));
            let bound = self.scope.bindings.len();
            self.scope.bindings.extend(case.bindings);
            let result = match self.needs_clock(*result) {
                true => self.clocked(&earlier, condition, *result, want.as_ref()),
                false => self.expr(*result, want.as_ref()),
            };
            self.scope.bindings.truncate(bound);
            earlier.push(condition);
            branches.push((condition, result));
        }
        let Some((_, (last, result_type))) = branches.pop() else { return (value, Ty::Unknown) };
        let result = branches.into_iter().rev().fold(last, |otherwise, (condition, (then, _))| {
            self.add(AstExprKind::If(condition, then, otherwise), span)
        });
        (result, result_type)
    }

    fn pattern(&mut self, pattern: &Pattern, value: ExprId, ty: &Ty, case: &mut Case) {
        let name = match pattern {
            Pattern::Anything(_) => return,
            Pattern::Name(name) | Pattern::Constructor(name, _) => name,
        };
        let Some(position) = constructor(&self.alternatives(ty), &name.text) else {
            if let Pattern::Constructor(..) = pattern {
                let message = format!("`{}` builds no value of type `{}`", name.text, ty.show());
                let help = "use a constructor of the value's own datatype";
                self.error("unknown-name", name.span, message, "not a constructor of it", help);
            }
            case.bindings.push((name.text.clone(), Binding::Expr(value, ty.clone())));
            return;
        };
        let Ty::Data(data) = ty.base() else {
            let constant = self.name(&name.text, name.span);
            case.conditions.push(self.binary(BinaryOp::Eq, value, constant, name.span));
            return;
        };
        let data: Rc<DataTy> = data.clone();
        if data.constructors.len() > 1 {
            case.conditions.push(self.is_built_by(value, &data, position, name.span));
        }
        let parts: &[Pattern] = match pattern {
            Pattern::Constructor(_, parts) => parts,
            _ => &[],
        };
        let count = data.constructors[position].1.len();
        if parts.len() != count {
            let message = format!("`{}` has {count} fields, {} given", name.text, parts.len());
            let help = "give a pattern for each field; `_` takes any value";
            self.error("wrong-count", name.span, message, "wrong number of fields", help);
            return;
        }
        for (number, part) in parts.iter().enumerate() {
            let (value, ty) = self.payload(value, &data, position, number, name.span);
            self.pattern(part, value, &ty, case);
        }
    }

    /// The constructors of a type with the types of their fields; none if it is no datatype.
    fn alternatives(&self, ty: &Ty) -> Vec<(String, Vec<Ty>)> {
        match ty.base() {
            Ty::Data(data) => {
                let types =
                    |fields: &[(String, Ty)]| fields.iter().map(|(_, ty)| ty.clone()).collect();
                data.constructors
                    .iter()
                    .map(|(name, fields)| (name.clone(), types(fields)))
                    .collect()
            }
            Ty::Enum(name) => {
                let body = self.type_names.get(&**name).map(|index| &self.old.types[*index].body);
                let Some(crate::ast::TypeBody::Enum(names)) = body else { return Vec::new() };
                names.iter().map(|name| (name.text.to_string(), Vec::new())).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A value that none of the rows covers, as patterns; `None` if there is none.
    fn uncovered(
        &self,
        rows: &[Vec<&Pattern>],
        types: &[Ty],
        looks: &mut usize,
    ) -> Option<Vec<String>> {
        // Nothing is taken for covered that was not looked at.
        *looks = looks.saturating_sub(1);
        if *looks == 0 {
            return Some(vec!["...".to_string(); types.len()]);
        }
        let Some((first, rest)) = types.split_first() else {
            return rows.is_empty().then(Vec::new);
        };
        let known = self.alternatives(first);
        let asks = |row: &Vec<&Pattern>| constructor_of(row[0], &known);
        if !rows.iter().any(|row| asks(row).is_some()) {
            let others: Vec<Vec<&Pattern>> = rows.iter().map(|row| row[1..].to_vec()).collect();
            let mut missing = self.uncovered(&others, rest, looks)?;
            missing.insert(0, "_".to_string());
            return Some(missing);
        }
        const ANY: Pattern = Pattern::Anything(Span { start: 0, end: 0 });
        for (position, (name, fields)) in known.iter().enumerate() {
            let mut inner = Vec::new();
            for row in rows {
                let own: Vec<&Pattern> = match (asks(row), row[0]) {
                    (Some(at), _) if at != position => continue,
                    (Some(_), Pattern::Constructor(_, parts)) => parts.iter().collect(),
                    _ => vec![&ANY; fields.len()],
                };
                let mut own = own;
                own.resize(fields.len(), &ANY);
                own.extend(&row[1..]);
                inner.push(own);
            }
            let types: Vec<Ty> = fields.iter().chain(rest).cloned().collect();
            if let Some(mut missing) = self.uncovered(&inner, &types, looks) {
                let others = missing.split_off(fields.len());
                let shown = match missing.is_empty() {
                    true => name.clone(),
                    false => format!("{name}({})", missing.join(", ")),
                };
                return Some([vec![shown], others].concat());
            }
        }
        None
    }

    /// Whether a case remembers something or calls a node.
    fn needs_clock(&self, root: ExprId) -> bool {
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            match &self.old.exprs[id].kind {
                AstExprKind::Pre(_) | AstExprKind::Arrow(..) | AstExprKind::Condact(..) => {
                    return true;
                }
                AstExprKind::Call(name, _) if self.node_names.contains_key(&*name.text) => {
                    return true;
                }
                AstExprKind::Sugar(sugar) => {
                    if let Sugar::TypedCall(name, ..) = &**sugar
                        && self.node_names.contains_key(&*name.text)
                    {
                        return true;
                    }
                }
                _ => {}
            }
            for_each_operand(&self.old.exprs[id].kind, |operand| open.push(operand));
        }
        false
    }

    /// An expression as a node that runs only when its case is taken.
    fn clocked(
        &mut self,
        earlier: &[ExprId],
        condition: ExprId,
        expr: ExprId,
        want: Option<&Ty>,
    ) -> Typed {
        let span = self.old.exprs[expr].span;
        let outer_vars = self.scope.vars.clone();
        let stem = self.made().name.clone();
        let number = self.fresh("case");
        let name = format!("{stem}~{number}");
        let declared = self.made().declared.clone();
        let making = Making { name: name.clone(), declared, ..Making::default() };
        let outer = self.making.replace(making);
        let (body, ty) = self.expr(expr, want);
        let made = std::mem::replace(&mut self.making, outer).expect("set above");
        self.scope.vars = outer_vars;
        let inputs = self.used(&made, body);
        self.add_case_node(name.clone(), made, &inputs, (body, &ty), span);
        let mut clock = condition;
        for &other in earlier {
            let not = provoke_model::UnaryOp::Not;
            let other = self.add(AstExprKind::Unary(not, other), span);
            clock = self.binary(BinaryOp::And, other, clock, span);
        }
        let arguments = inputs.iter().map(|(input, _)| self.name(input, span)).collect();
        let call = self.add(AstExprKind::Call(Name { text: name.into(), span }, arguments), span);
        let default = self.some_value(&ty, span);
        (self.add(AstExprKind::Condact(clock, call, vec![default]), span), ty)
    }

    /// The variables of the surrounding node that a case uses.
    fn used(&self, made: &Making, body: ExprId) -> Vec<(Box<str>, Ty)> {
        let mut open: Vec<ExprId> = vec![body];
        open.extend(made.equations.iter().map(|equation| equation.expr));
        open.extend(&made.asserts);
        open.extend(made.properties.iter().map(|property| property.expr));
        let mut found: Vec<(Box<str>, Ty)> = Vec::new();
        while let Some(id) = open.pop() {
            if let AstExprKind::Name(name) = &self.new.exprs[id].kind
                && let Some(ty) = self.scope.vars.get(&*name.text)
                && !found.iter().any(|(known, _)| *known == name.text)
            {
                found.push((name.text.clone(), ty.clone()));
            }
            for_each_operand(&self.new.exprs[id].kind, |operand| open.push(operand));
        }
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        found
    }

    fn add_case_node(
        &mut self,
        name: String,
        made: Making,
        inputs: &[(Box<str>, Ty)],
        (body, ty): (ExprId, &Ty),
        span: Span,
    ) {
        let named = |text: &str| Name { text: text.into(), span };
        let result = named("result~");
        let mut decls = Vec::new();
        for (input, ty) in inputs {
            decls.push(Decl { name: named(input), ty: self.emit(ty, span), constant: false });
        }
        let outputs = vec![Decl { name: result.clone(), ty: self.emit(ty, span), constant: false }];
        let mut equations = made.equations;
        let targets = vec![result];
        equations.push(AstEquation {
            targets,
            targets_span: span,
            indices: Vec::new(),
            expr: body,
        });
        self.new.nodes.push(AstNode {
            name: named(&name),
            type_params: Vec::new(),
            inputs: decls,
            outputs,
            locals: made.locals,
            equations,
            asserts: made.asserts,
            properties: made.properties,
            contract: None,
            function: false,
            body: Body::Known,
            free: made.free,
            constraints: made.constraints,
            span,
        });
    }
}

fn constructor(known: &[(String, Vec<Ty>)], name: &str) -> Option<usize> {
    known.iter().position(|(constructor, _)| constructor == name)
}

fn constructor_of(pattern: &Pattern, known: &[(String, Vec<Ty>)]) -> Option<usize> {
    match pattern {
        Pattern::Anything(_) => None,
        Pattern::Name(name) | Pattern::Constructor(name, _) => constructor(known, &name.text),
    }
}
