//! Nodes with type parameters: one node for each choice of types that calls ask for.

use provoke_base::Span;
use provoke_model::Value;

use super::expr::Typed;
use super::ty::Ty;
use super::{Binding, Lowering, Scope};
use crate::ast::{AstExprKind, ExprId, Name, TypeBase, TypeExpr};
use crate::sugar::TypeSugar;

/// The most nodes that are made from those with type parameters.
const MAX_INSTANCES: usize = 2_000;

/// A node with types and values for its parameters, under a name of its own.
#[derive(Clone)]
pub(super) struct Instance {
    pub(super) node: usize,
    pub(super) arguments: Vec<Ty>,
    /// The constant inputs whose values are known, by position.
    pub(super) constants: Vec<(usize, Value)>,
    pub(super) name: String,
}

impl<'a> Lowering<'a, '_> {
    pub(super) fn call(
        &mut self,
        id: ExprId,
        name: &Name,
        types: Option<Vec<Ty>>,
        arguments: &'a [ExprId],
        want: Option<&Ty>,
    ) -> Typed {
        let span = self.old.exprs[id].span;
        let Some(&node) = self.node_names.get(&*name.text) else {
            if self.constructors.contains_key(&*name.text) {
                return self.constructed(name, types, arguments, want, span);
            }
            let values = arguments.iter().map(|argument| self.expr(*argument, None).0).collect();
            return (self.add(AstExprKind::Call(name.clone(), values), span), Ty::Unknown);
        };
        let params = &self.old.nodes[node].type_params;
        if types.as_ref().is_some_and(|types| types.len() != params.len()) {
            let message = format!("`{}` takes {} types", name.text, params.len());
            let help = "give one type for each parameter";
            self.error("wrong-count", name.span, message, "wrong number of types", help);
            return (self.bool(true, span), Ty::Unknown);
        }
        let constants = self.known_constants(node, arguments);
        let (values, types) = match types.or_else(|| params.is_empty().then(Vec::new)) {
            Some(types) => {
                let wanted = self.signature(node, &types, &constants).0;
                let values = arguments.iter().enumerate();
                let values: Vec<ExprId> =
                    values.map(|(at, value)| self.expr(*value, wanted.get(at)).0).collect();
                (values, types)
            }
            None => match self.inferred_call(node, arguments, want, span) {
                Some(found) => found,
                None => return (self.bool(true, span), Ty::Unknown),
            },
        };
        let mut outputs = self.signature(node, &types, &constants).1;
        let text = self.instance(node, types, constants, name);
        let ty = if outputs.len() == 1 { outputs.remove(0) } else { Ty::Group(outputs) };
        let name = Name { text: text.into(), span: name.span };
        (self.add(AstExprKind::Call(name, values), span), ty)
    }

    /// The constant inputs of a node whose arguments are known.
    fn known_constants(&mut self, node: usize, arguments: &[ExprId]) -> Vec<(usize, Value)> {
        let inputs = self.old.nodes[node].inputs.iter().zip(arguments).enumerate();
        let mut known = Vec::new();
        for (position, (_, argument)) in inputs.filter(|(_, (input, _))| input.constant) {
            if let Some(value @ (Value::Int(_) | Value::Bool(_))) = self.constant(*argument) {
                known.push((position, value));
            }
        }
        known
    }

    /// What is known inside of a node with types and values for its parameters.
    pub(super) fn instance_scope(&mut self, instance: &Instance) -> Scope {
        let node = &self.old.nodes[instance.node];
        let params = node.type_params.iter().map(|param| param.text.clone());
        let type_arguments = params.zip(instance.arguments.iter().cloned()).collect();
        let mut bindings = Vec::new();
        for (position, value) in &instance.constants {
            let decl = &node.inputs[*position];
            let binding = match value {
                Value::Int(value) => Binding::Value(value.clone()),
                _ => {
                    let value = value.as_bool().unwrap_or(false);
                    Binding::Expr(self.bool(value, decl.name.span), Ty::Bool)
                }
            };
            bindings.push((decl.name.text.clone(), binding));
        }
        let parameters = bindings.len();
        Scope { type_arguments, bindings, parameters, ..Scope::default() }
    }

    /// The types of a node's inputs and outputs.
    fn signature(
        &mut self,
        node: usize,
        types: &[Ty],
        constants: &[(usize, Value)],
    ) -> (Vec<Ty>, Vec<Ty>) {
        let (arguments, constants) = (types.to_vec(), constants.to_vec());
        let own =
            self.instance_scope(&Instance { node, arguments, constants, name: String::new() });
        let node = &self.old.nodes[node];
        let outer = std::mem::replace(&mut self.scope, own);
        let inputs = node.inputs.iter().map(|decl| self.ty(&decl.ty)).collect();
        let outputs = node.outputs.iter().map(|decl| self.ty(&decl.ty)).collect();
        self.scope = outer;
        (inputs, outputs)
    }

    /// The name of a node with these types, which is made later.
    fn instance(
        &mut self,
        node: usize,
        arguments: Vec<Ty>,
        constants: Vec<(usize, Value)>,
        called: &Name,
    ) -> String {
        let mut has_constants = self.old.nodes[node].inputs.iter().map(|input| input.constant);
        if arguments.is_empty() && !has_constants.any(|constant| constant) {
            return called.text.to_string();
        }
        let mut shown: Vec<String> = arguments.iter().map(Ty::show).collect();
        for (position, value) in &constants {
            let name = &self.old.nodes[node].inputs[*position].name.text;
            shown.push(match value {
                Value::Int(value) => format!("{name}={value}"),
                _ => format!("{name}={}", value.as_bool() == Some(true)),
            });
        }
        // Types that differ only in their conditions look alike.
        let exact = arguments.iter().any(Ty::has_conditions);
        let exact = if exact { format!(" {arguments:?}") } else { String::new() };
        let key = format!("{}<{}>{exact}", called.text, shown.join("; "));
        let known = self.instances.get(&key).cloned();
        known.unwrap_or_else(|| {
            let mut name = match shown.is_empty() {
                true => called.text.to_string(),
                false => format!("{}<{}>", called.text, shown.join("; ")),
            };
            if !exact.is_empty() {
                name += &format!("~{}", self.instances.len() + 1);
            }
            self.instances.insert(key, name.clone());
            if self.instances.len() > MAX_INSTANCES {
                let message = format!("more than {MAX_INSTANCES} nodes with type arguments");
                let help = "a node must not call itself with ever larger types";
                let label = "reached with this call";
                self.error("model-too-large", called.span, message, label, help);
            } else {
                self.wanted.push(Instance { node, arguments, constants, name: name.clone() });
            }
            name
        })
    }

    fn inferred_call(
        &mut self,
        node: usize,
        arguments: &'a [ExprId],
        want: Option<&Ty>,
        span: Span,
    ) -> Option<(Vec<ExprId>, Vec<Ty>)> {
        let values: Vec<Typed> =
            arguments.iter().map(|argument| self.expr(*argument, None)).collect();
        let node = &self.old.nodes[node];
        let mut declared: Vec<&TypeExpr> = node.inputs.iter().map(|decl| &decl.ty).collect();
        let mut given: Vec<Ty> = values.iter().map(|(_, ty)| ty.clone()).collect();
        if let ([output], Some(want), true) =
            (&node.outputs[..], want, declared.len() == given.len())
        {
            declared.push(&output.ty);
            given.push(want.clone());
        }
        let types = self.inferred(&node.type_params, &declared, &given, &node.name, span)?;
        Some((values.into_iter().map(|(value, _)| value).collect(), types))
    }

    /// The types that parameters stand for when declared types meet these; none if some stay open.
    pub(super) fn inferred(
        &mut self,
        params: &[Name],
        declared: &[&TypeExpr],
        given: &[Ty],
        of: &Name,
        span: Span,
    ) -> Option<Vec<Ty>> {
        let mut found: Vec<Option<Ty>> = vec![None; params.len()];
        for (declared, given) in declared.iter().zip(given) {
            self.unify(declared, given, params, &mut found);
        }
        if let Some(open) = found.iter().position(Option::is_none) {
            let param = &params[open].text;
            let message = format!("the type `{param}` of `{}` does not follow from here", of.text);
            let help = format!("give it: `{}@<...>`", of.text);
            self.error("unknown-type", span, message, "which type is meant?", &help);
        }
        found.into_iter().collect()
    }

    fn unify(&self, declared: &TypeExpr, given: &Ty, params: &[Name], found: &mut [Option<Ty>]) {
        let mut given = given.base();
        for _ in &declared.sizes {
            match given {
                Ty::Array(element, _) => given = element.base(),
                _ => return,
            }
        }
        match &declared.base {
            TypeBase::Named(name) => {
                let param = params.iter().position(|param| param.text == name.text);
                if let Some(param) = param
                    && !matches!(given, Ty::Unknown)
                {
                    found[param].get_or_insert_with(|| given.clone());
                }
            }
            TypeBase::Sugar(sugar) => match (&**sugar, given) {
                (TypeSugar::Tuple(items), Ty::Struct(ty)) if ty.fields.len() == items.len() => {
                    for (item, (_, ty)) in items.iter().zip(&ty.fields) {
                        self.unify(item, ty, params, found);
                    }
                }
                (TypeSugar::Refined(_, base, _), _) => self.unify(base, given, params, found),
                (TypeSugar::Applied(name, arguments), _) => {
                    let origin = match given {
                        Ty::Struct(ty) => ty.origin.as_ref(),
                        Ty::Data(ty) => Some(&ty.origin),
                        _ => None,
                    };
                    if let Some((index, types)) = origin
                        && self.old.types[*index].name.text == name.text
                    {
                        for (argument, ty) in arguments.iter().zip(types) {
                            self.unify(argument, ty, params, found);
                        }
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
}
