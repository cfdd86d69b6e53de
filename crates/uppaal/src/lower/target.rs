//! What names, elements and fields stand for.

use std::rc::Rc;

use provoke_base::Span;
use provoke_base::diagnostic::did_you_mean;

use super::{Lowered, Lowerer, error};
use crate::ast::{Expr as Tree, ExprKind, Name};
use crate::network::{Address, Base, Index, NetworkExpr, Subscript};
use crate::types::{Entity, ProcessName, Signature, Type};

/// What a name with brackets and fields behind it stands for.
pub(super) enum Target {
    Words { base: Base, path: Path, ty: Type, constant: bool },
    Clock { first: Result<u32, u32>, path: Path, ty: Type },
    Channel { first: usize, path: Path, ty: Type },
    Value(i64),
    Double(f64),
    Process(Rc<ProcessName>),
    Function(Rc<Signature>),
    At(u32, u32),
}

/// The way to an element: a known part and a computed part.
#[derive(Clone, Default)]
pub(super) struct Path {
    known: i64,
    computed: Vec<Subscript>,
}

impl Path {
    pub(super) fn index(mut self, span: Span) -> Index {
        if self.computed.is_empty() {
            return Index::At(self.known as usize);
        }
        if self.known > 0 {
            let (index, stride) = (NetworkExpr::Int(1), self.known);
            self.computed.push(Subscript { index, low: 0, count: 2, stride, span });
        }
        Index::Computed(self.computed)
    }
}

impl Lowerer {
    pub(super) fn target(&mut self, tree: &Tree) -> Lowered<Target> {
        match &tree.kind {
            ExprKind::Name(name) => match self.find(name) {
                Some(entity) => entity_target(&entity.clone(), name, tree.span),
                None => Err(self.unknown(name, tree.span)),
            },
            ExprKind::Index(inside, index) => {
                let target = self.target(inside)?;
                self.element(target, index, tree.span)
            }
            ExprKind::Field(inside, field) => {
                let target = self.target(inside)?;
                self.field(target, field)
            }
            // `Train(3)` as a process.
            ExprKind::Call(inside, arguments) => {
                let Target::Process(process) = self.target(inside)? else {
                    return Err(error("type", tree.span, "this has no parts"));
                };
                let values: Vec<i64> =
                    arguments.iter().map(|a| self.constant(a)).collect::<Lowered<_>>()?;
                let found = process.instances.iter().find(|(known, _)| *known == values);
                let Some((_, index)) = found else {
                    let message = "there is no process with these arguments";
                    return Err(error("unknown-name", tree.span, message));
                };
                let instances = vec![(Vec::new(), *index)];
                Ok(Target::Process(Rc::new(ProcessName { instances, maker: process.maker })))
            }
            _ => Err(error("type", tree.span, "this is no variable").label("expected a variable")),
        }
    }

    fn element(&mut self, target: Target, index: &Tree, span: Span) -> Lowered<Target> {
        let (ty, mut path) = match &target {
            Target::Words { ty, path, .. }
            | Target::Clock { ty, path, .. }
            | Target::Channel { ty, path, .. } => (ty.clone(), path.clone()),
            _ => return Err(error("type", span, "this is no array")),
        };
        let Type::Array(element, low, count) = ty else {
            return Err(error("type", span, format!("`{}` is no array", ty.show())));
        };
        let position = self.int(index)?;
        let stride = element.size();
        match position {
            NetworkExpr::Int(value) if !(low..low + count).contains(&value) => {
                let last = low + count - 1;
                let message = format!("index {value} is outside {low}..{last}");
                return Err(
                    error("range", index.span, message).help("use an index within the array")
                );
            }
            NetworkExpr::Int(value) => path.known += (value - low) * stride,
            position => path.computed.push(Subscript {
                index: position,
                low,
                count,
                stride,
                span: index.span,
            }),
        }
        let ty = (*element).clone();
        Ok(match target {
            Target::Words { base, constant, .. } => Target::Words { base, path, ty, constant },
            Target::Clock { first, .. } => Target::Clock { first, path, ty },
            Target::Channel { first, .. } => Target::Channel { first, path, ty },
            other => other,
        })
    }

    fn field(&mut self, target: Target, field: &Name) -> Lowered<Target> {
        if let Target::Process(process) = &target {
            return self.member(process, field);
        }
        let Target::Words { base, mut path, ty: Type::Struct(fields), constant } = target else {
            return Err(error("type", field.span, "this has no fields"));
        };
        for (name, ty) in fields.iter() {
            if *name == field.text {
                return Ok(Target::Words { base, path, ty: ty.clone(), constant });
            }
            path.known += ty.size();
        }
        let known = fields.iter().map(|(name, _)| name.as_str());
        Err(error("unknown-name", field.span, format!("there is no field `{}`", field.text))
            .maybe_help(did_you_mean(&field.text, known)))
    }

    /// A location or a variable of a process.
    fn member(&mut self, process: &ProcessName, field: &Name) -> Lowered<Target> {
        let [(values, index)] = process.instances.as_slice() else {
            return Err(error("type", field.span, "there are several processes of this name")
                .help("say which one, as in `Train(0).Cross`"));
        };
        if !values.is_empty() {
            return Err(error("type", field.span, "this process has parameters")
                .help("say which one, as in `Train(0).Cross`"));
        }
        let known = &self.network.processes[*index];
        let at = known.locations.iter().position(|location| location.name == field.text);
        if let Some(location) = at {
            return Ok(Target::At(*index as u32, location as u32));
        }
        match self.process_scopes[*index].get(&field.text) {
            Some((entity, _)) => entity_target(&entity.clone(), &field.text, field.span),
            None => {
                let names = known.locations.iter().map(|location| location.name.as_str());
                let names = names.chain(self.process_scopes[*index].keys().map(String::as_str));
                let message = format!("`{}` has no `{}`", known.name, field.text);
                Err(error("unknown-name", field.span, message)
                    .maybe_help(did_you_mean(&field.text, names)))
            }
        }
    }

    /// A variable that may be changed.
    pub(super) fn writable(&mut self, tree: &Tree) -> Lowered<Address> {
        match self.target(tree)? {
            Target::Words { base, path, ty, constant: false } if ty.kind().is_some() => {
                Ok(Address {
                    base,
                    index: path.index(tree.span),
                    kind: ty.kind().expect("checked above"),
                    span: tree.span,
                })
            }
            Target::Words { constant: true, .. } | Target::Value(_) | Target::Double(_) => {
                Err(error("constant", tree.span, "a constant cannot be changed"))
            }
            _ => Err(error("type", tree.span, "this cannot be changed here")),
        }
    }
}

fn entity_target(entity: &Entity, name: &str, span: Span) -> Lowered<Target> {
    let path = Path::default();
    Ok(match entity.clone() {
        Entity::Value(value) => Target::Value(value),
        Entity::Double(value) => Target::Double(value),
        Entity::Variable { ty, base, constant } => Target::Words { base, path, ty, constant },
        Entity::Clock { ty, first } => Target::Clock { first, path, ty },
        Entity::Channel { ty, first } => Target::Channel { first, path, ty },
        Entity::Function(signature) => Target::Function(signature),
        Entity::Process(process) => Target::Process(process),
        Entity::Type(_) | Entity::Template(_) | Entity::Unfinished => {
            return Err(error("type", span, format!("`{name}` is no variable")));
        }
    })
}
