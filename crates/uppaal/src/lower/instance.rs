//! Processes: templates with their parameters replaced.

use std::rc::Rc;

use provoke_base::{Diagnostic, Span};

use super::target::Target;
use super::{Lowered, Lowerer, error, limit, too_large};
use crate::ast::{
    Block, Declaration, Declarator, Expr as Tree, ExprKind, Instance, Name, Statement, System,
};
use crate::network::{Base, Index, MemoryCell, Process};
use crate::parse;
use crate::template::{self, Template};
use crate::types::{Entity, ProcessName, Scope, Type};
use crate::xml::Document;

/// What a process can be made of.
#[derive(Debug)]
pub(super) enum Maker {
    Template(Template),
    Instance(Instance),
    /// A template with errors: named, so that its uses make no further ones.
    Broken,
}

impl Lowerer {
    pub(super) fn document(&mut self, document: &Document) -> Lowered<()> {
        let global = parse::declarations(&document.declaration);
        let global = self.note(global).unwrap_or_default();
        self.declarations(&global);
        self.templates(document)?;
        let mut system = System::default();
        for text in [&document.instantiation, &document.system] {
            let part = parse::system(text);
            let part = self.note(part).unwrap_or_default();
            system.declarations.extend(part.declarations);
            system.instances.extend(part.instances);
            system.processes.extend(part.processes);
        }
        self.declarations(&system.declarations);
        for instance in system.instances {
            let name = instance.name.clone();
            let maker = Maker::Instance(instance);
            let result = self.new_maker(&name, maker);
            self.note(result);
        }
        self.processes(&system.processes, document)
    }

    /// What a name makes, also after it became a process itself.
    fn maker_named(&self, name: &Name) -> Lowered<Rc<Maker>> {
        match self.scopes[0].get(&name.text) {
            Some((Entity::Template(index), _)) => Ok(Rc::clone(&self.makers[*index])),
            Some((Entity::Process(process), _)) => Ok(Rc::clone(&self.makers[process.maker])),
            Some(_) => {
                let message = format!("`{}` is no template", name.text);
                Err(error("type", name.span, message))
            }
            None => Err(self.unknown(&name.text, name.span)),
        }
    }

    fn new_maker(&mut self, name: &Name, maker: Maker) -> Lowered<()> {
        self.makers.push(Rc::new(maker));
        self.bind(name, Entity::Template(self.makers.len() - 1))
    }

    fn templates(&mut self, document: &Document) -> Lowered<()> {
        for xml in &document.templates {
            let template = template::read(xml, &mut self.diagnostics);
            let (name, maker) = match template {
                Some(template) => (template.name.clone(), Maker::Template(template)),
                None => {
                    let text = xml.name.text.trim().to_string();
                    (Name { text, span: xml.name.whole() }, Maker::Broken)
                }
            };
            let result = self.new_maker(&name, maker);
            self.note(result);
        }
        Ok(())
    }

    fn processes(&mut self, levels: &[Vec<Name>], document: &Document) -> Lowered<()> {
        if levels.is_empty() {
            let message = "there is no `system` line";
            return Err(error("no-system", document.system.whole(), message)
                .help("write `system P, Q;` with the processes to run"));
        }
        for (level, names) in levels.iter().enumerate() {
            self.level(names)?;
            if levels.len() > 1 {
                let count = self.network.processes.len();
                let known = self.network.priorities.get_or_insert_default();
                known.processes.resize(count, level as i32);
                known.span = levels[1][0].span;
            }
        }
        Ok(())
    }

    /// The processes of one level of priority.
    fn level(&mut self, names: &[Name]) -> Lowered<()> {
        for name in names {
            let maker = match self.find(&name.text) {
                Some(Entity::Template(index)) => *index,
                Some(Entity::Process(_)) => {
                    let message = format!("`{}` is in the system already", name.text);
                    return Err(error("declared-twice", name.span, message));
                }
                Some(_) => {
                    let message = format!("`{}` is no process", name.text);
                    return Err(error("type", name.span, message));
                }
                None => return Err(self.unknown(&name.text, name.span)),
            };
            let instances = self.all_instances(name, &Rc::clone(&self.makers[maker]))?;
            let entity = Entity::Process(Rc::new(ProcessName { instances, maker }));
            self.scopes[0].insert(name.text.clone(), (entity, name.span));
        }
        Ok(())
    }

    /// One process for each value of the free parameters.
    fn all_instances(&mut self, name: &Name, maker: &Rc<Maker>) -> Lowered<Vec<(Vec<i64>, usize)>> {
        let parameters: &[Declarator] = match &**maker {
            Maker::Template(template) => &template.parameters,
            Maker::Instance(instance) => &instance.parameters,
            Maker::Broken => return Ok(Vec::new()),
        };
        let mut lists: Vec<Vec<i64>> = vec![Vec::new()];
        for parameter in parameters {
            let ty = self.declared_type(parameter)?;
            let range = if parameter.reference { None } else { ty.range() };
            let Some((low, high)) = range.filter(|_| ty != Type::PLAIN) else {
                let text = &name.text;
                let message = format!("`{text}` needs a value for `{}`", parameter.name.text);
                return Err(error("arguments", name.span, message)
                    .help(format!("write `P = {text}(..);` and put P into the system line")));
            };
            if lists.len() as i64 * (high - low + 1) > limit::PROCESSES as i64 {
                return Err(too_many_processes(name.span));
            }
            let longer = |list: &Vec<i64>| {
                let list = list.clone();
                (low..=high).map(move |value| [list.clone(), vec![value]].concat())
            };
            lists = lists.iter().flat_map(longer).collect();
        }
        let mut made = Vec::new();
        for values in lists {
            let arguments = values.iter().map(|value| Entity::Value(*value)).collect();
            let text = match values.is_empty() {
                true => name.text.clone(),
                false => {
                    let shown: Vec<String> = values.iter().map(i64::to_string).collect();
                    format!("{}({})", name.text, shown.join(","))
                }
            };
            if let Some(index) = self.instantiate(maker, arguments, text, name.span)? {
                made.push((values, index));
            }
        }
        Ok(made)
    }

    /// Makes a process; nothing comes of a template with errors.
    fn instantiate(
        &mut self,
        maker: &Rc<Maker>,
        arguments: Vec<Entity>,
        name: String,
        span: Span,
    ) -> Lowered<Option<usize>> {
        match &**maker {
            Maker::Broken => Ok(None),
            Maker::Template(template) => self.process(template, arguments, name, span).map(Some),
            Maker::Instance(instance) => {
                let target = self.maker_named(&instance.template)?;
                if Rc::ptr_eq(&target, maker) {
                    return Err(made_of_itself(instance.name.span));
                }
                let passed = self.scoped(|this| {
                    for (parameter, argument) in instance.parameters.iter().zip(arguments) {
                        this.bind(&parameter.name, argument)?;
                    }
                    this.arguments(instance, &target)
                })?;
                // Chains of instances end: each refers to an earlier name only once it is known.
                self.depth_of_instances += 1;
                if self.depth_of_instances > 100 {
                    return Err(made_of_itself(instance.name.span));
                }
                let made = self.instantiate(&target, passed, name, span);
                self.depth_of_instances -= 1;
                made
            }
        }
    }

    fn arguments(&mut self, instance: &Instance, target: &Rc<Maker>) -> Lowered<Vec<Entity>> {
        let parameters: &[Declarator] = match &**target {
            Maker::Template(template) => &template.parameters,
            Maker::Instance(instance) => &instance.parameters,
            Maker::Broken => return Ok(Vec::new()),
        };
        if parameters.len() != instance.arguments.len() {
            let (wanted, found) = (parameters.len(), instance.arguments.len());
            let message = format!("found {found} arguments, expected {wanted}");
            return Err(error("arguments", instance.template.span, message));
        }
        let pairs = parameters.iter().zip(&instance.arguments);
        pairs.map(|(parameter, tree)| self.template_argument(parameter, tree)).collect()
    }

    fn template_argument(&mut self, parameter: &Declarator, tree: &Tree) -> Lowered<Entity> {
        let ty = self.declared_type(parameter)?;
        let wrong = || error("type", tree.span, format!("expected a `{}`", ty.show()));
        if !parameter.reference && !ty.holds_clocks() {
            let mut words = Vec::new();
            self.initial_words(tree, &ty, &mut words)?;
            return Ok(match (&ty, words.as_slice()) {
                (Type::Double, [word]) => Entity::Double(f64::from_bits(*word as u64)),
                (Type::Bool | Type::Int(..), [word]) => Entity::Value(*word),
                _ => {
                    let first = self.network.constants.len() as u32;
                    self.network.constants.extend(words);
                    Entity::Variable { ty, base: Base::Constant(first), constant: true }
                }
            });
        }
        let known = |path: super::target::Path| match path.index(tree.span) {
            Index::At(position) => Ok(position),
            Index::Computed(_) => {
                Err(error("not-constant", tree.span, "which one is meant must be known"))
            }
        };
        match self.target(tree)? {
            Target::Clock { first: Ok(first), path, ty: found } if found == ty => {
                Ok(Entity::Clock { ty, first: Ok(first + known(path)? as u32) })
            }
            Target::Channel { first, path, ty: found } if found == ty => {
                Ok(Entity::Channel { ty, first: first + known(path)? })
            }
            Target::Words { base, path, ty: found, constant } if found.same_shape(&ty) => {
                let offset = known(path)? as u32;
                let base = match base {
                    Base::Cell(first) => Base::Cell(first + offset),
                    Base::Constant(first) => Base::Constant(first + offset),
                    _ => return Err(wrong()),
                };
                Ok(Entity::Variable { ty: found, base, constant })
            }
            _ => Err(wrong()),
        }
    }

    fn process(
        &mut self,
        template: &Template,
        arguments: Vec<Entity>,
        name: String,
        span: Span,
    ) -> Lowered<usize> {
        if self.network.processes.len() >= limit::PROCESSES {
            return Err(too_many_processes(span));
        }
        // Only global names and its own are visible inside a template.
        let outer: Vec<Scope> = self.scopes.drain(1..).collect();
        self.scopes.push(Scope::new());
        self.prefix = format!("{name}.");
        let made = self.inside(template, arguments, name);
        self.prefix.clear();
        let own = self.scopes.drain(1..).next().unwrap_or_default();
        self.scopes.extend(outer);
        let process = made?;
        self.network.processes.push(process);
        self.process_scopes.push(own);
        Ok(self.network.processes.len() - 1)
    }

    fn inside(
        &mut self,
        template: &Template,
        arguments: Vec<Entity>,
        name: String,
    ) -> Lowered<Process> {
        for (parameter, argument) in template.parameters.iter().zip(arguments) {
            let entity = match argument {
                Entity::Value(value) if assigns(template, &parameter.name.text) => {
                    self.parameter_cell(parameter, value)?
                }
                other => other,
            };
            self.bind(&parameter.name, entity)?;
        }
        self.declarations(&template.declarations);
        let mut process = Process {
            name,
            template: template.name.text.clone(),
            locations: Vec::new(),
            initial: template.initial,
            edges: Vec::new(),
            leaving: vec![Vec::new(); template.locations.len()],
        };
        for location in &template.locations {
            let made = self.location(location);
            process.locations.extend(self.note(made));
        }
        for edge in &template.edges {
            let result = self.selected(edge, 0, &mut Vec::new(), &mut process);
            self.note(result);
        }
        Ok(process)
    }

    /// A parameter that the template changes is a variable of its own.
    fn parameter_cell(&mut self, parameter: &Declarator, initial: i64) -> Lowered<Entity> {
        let ty = self.declared_type(parameter)?;
        let first = self.network.cells.len() as u32;
        let kind = ty.kind().expect("a known value is of a scalar type");
        let name = format!("{}{}", self.prefix, parameter.name.text);
        self.network.cells.push(MemoryCell { name, kind, initial });
        Ok(Entity::Variable { ty, base: Base::Cell(first), constant: false })
    }
}

fn too_many_processes(span: Span) -> Diagnostic {
    too_large(span, format!("the system has more than {} processes", limit::PROCESSES))
}

/// Whether a template changes its parameter.
fn assigns(template: &Template, name: &str) -> bool {
    let updates = template.edges.iter().flat_map(|edge| {
        edge.update.iter().chain(edge.branches.iter().flat_map(|branch| &branch.update))
    });
    let functions = template.declarations.iter().any(|declaration| match declaration {
        Declaration::Function(function) => block_assigns(&function.body, name),
        _ => false,
    });
    functions || updates.into_iter().any(|tree| tree_assigns(tree, name))
}

fn block_assigns(block: &Block, name: &str) -> bool {
    block.statements.iter().any(|statement| statement_assigns(statement, name))
}

fn statement_assigns(statement: &Statement, name: &str) -> bool {
    let tree = |tree: &Tree| tree_assigns(tree, name);
    let maybe = |part: &Option<Tree>| part.as_ref().is_some_and(tree);
    match statement {
        Statement::Block(block) => block_assigns(block, name),
        Statement::Expr(expr) => tree(expr),
        Statement::Each(_, _, body) => statement_assigns(body, name),
        Statement::For(head, body) => head.iter().any(maybe) || statement_assigns(body, name),
        Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
            tree(condition) || statement_assigns(body, name)
        }
        Statement::If(condition, then, otherwise) => {
            tree(condition)
                || statement_assigns(then, name)
                || otherwise.as_ref().is_some_and(|s| statement_assigns(s, name))
        }
        Statement::Return(value, _) => maybe(value),
        Statement::Break(_) | Statement::Continue(_) | Statement::Empty => false,
    }
}

fn tree_assigns(tree: &Tree, name: &str) -> bool {
    let is_name = |tree: &Tree| matches!(&tree.kind, ExprKind::Name(found) if found == name);
    let inside = |tree: &Tree| tree_assigns(tree, name);
    match &tree.kind {
        ExprKind::Assign(_, to, from) => is_name(to) || inside(to) || inside(from),
        ExprKind::Step(_, _, to) => is_name(to) || inside(to),
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => inside(a) || inside(b),
        ExprKind::Field(a, _) | ExprKind::Unary(_, a) | ExprKind::Quantified(_, _, _, a) => {
            inside(a)
        }
        ExprKind::Choice(a, b, c) => inside(a) || inside(b) || inside(c),
        ExprKind::Call(_, list) | ExprKind::List(list) => list.iter().any(inside),
        _ => false,
    }
}

fn made_of_itself(span: Span) -> Diagnostic {
    error("recursion", span, "this is made of itself").help("make it of a template")
}
