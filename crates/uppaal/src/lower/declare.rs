//! Types, variables, constants, channels, functions.

use std::rc::Rc;

use provoke_base::Span;

use super::target::Target;
use super::{Frame, Lowered, Lowerer, error, limit, too_large};
use crate::ast::{
    Declaration, Declarator, Dimension, Expr as Tree, ExprKind, Function as FunctionTree, TypeExpr,
    TypeKind,
};
use crate::network::{Base, CellKind, Channel, Clock, Function, Index, MemoryCell, Priorities};
use crate::types::{Entity, Signature, Type};

impl Lowerer {
    /// Declares all; errors are kept and the rest is read.
    pub(super) fn declarations(&mut self, declarations: &[Declaration]) {
        for declaration in declarations {
            let result = self.declaration(declaration);
            self.note(result);
        }
    }

    fn declaration(&mut self, declaration: &Declaration) -> Lowered<()> {
        match declaration {
            Declaration::Type(declarator) => {
                let ty = self.declared_type(declarator)?;
                self.bind(&declarator.name, Entity::Type(ty))
            }
            Declaration::Variable(declarator) => self.variable(declarator),
            Declaration::Function(function) => self.function(function),
            Declaration::Priorities(levels, span) => self.channel_priorities(levels, *span),
        }
    }

    /// Levels count from the one that says `default`, which all other channels have.
    fn channel_priorities(&mut self, levels: &[Vec<Option<Tree>>], span: Span) -> Lowered<()> {
        let default = levels.iter().position(|level| level.iter().any(Option::is_none));
        let mut channels = vec![0; self.network.channels.len()];
        for (at, level) in levels.iter().enumerate() {
            for channel in level.iter().flatten() {
                let (first, count) = self.channels(channel)?;
                channels[first..first + count].fill(at as i32 - default.unwrap_or(0) as i32);
            }
        }
        if levels.len() == 1 {
            return Ok(());
        }
        if default.is_none() {
            let message = "these priorities do not say where `default` stands";
            return Err(error("priorities", span, message)
                .help("add it, as in `chan priority default < a < b;`"));
        }
        if self.network.priorities.is_some() {
            let message = "the priorities of channels are given twice";
            return Err(error("declared-twice", span, message));
        }
        self.network.priorities = Some(Priorities { span, channels, processes: Vec::new() });
        Ok(())
    }

    /// The channels that a name stands for: one, or all of an array.
    fn channels(&mut self, tree: &Tree) -> Lowered<(usize, usize)> {
        let Target::Channel { first, path, ty } = self.target(tree)? else {
            return Err(
                error("type", tree.span, "this is not a channel").label("expected a channel")
            );
        };
        let Index::At(position) = path.index(tree.span) else {
            return Err(error("type", tree.span, "this is not known before the model runs")
                .label("expected a constant in the brackets"));
        };
        Ok((first + position, ty.size() as usize))
    }

    pub(super) fn type_of(&mut self, tree: &TypeExpr) -> Lowered<Type> {
        Ok(match &tree.kind {
            TypeKind::Void => Type::Void,
            TypeKind::Bool => Type::Bool,
            // Constants may be larger than variables.
            TypeKind::Int if tree.prefix.constant => Type::Int(i32::MIN.into(), i32::MAX.into()),
            TypeKind::Int => Type::PLAIN,
            TypeKind::Double => Type::Double,
            TypeKind::Clock => Type::Clock,
            TypeKind::Chan => Type::Chan,
            TypeKind::Text => return Err(crate::parse::unsupported(tree.span, "`string`")),
            TypeKind::Range(low, high) => {
                let (low, high) = (self.constant(low)?, self.constant(high)?);
                if low > high {
                    let message = format!("the range [{low},{high}] is empty");
                    return Err(error("type", tree.span, message));
                }
                Type::Int(low, high)
            }
            TypeKind::Scalar(count) => {
                let count = self.constant(count)?;
                if count < 1 {
                    return Err(error("type", tree.span, "a scalar set has one value at least"));
                }
                Type::Int(0, count - 1)
            }
            TypeKind::Struct(fields) => {
                let mut found = Vec::new();
                for field in fields {
                    found.push((field.name.text.clone(), self.declared_type(field)?));
                }
                Type::Struct(Rc::new(found))
            }
            TypeKind::Named(name) => match self.find(name) {
                Some(Entity::Type(ty)) => ty.clone(),
                Some(_) => {
                    let message = format!("`{name}` is not a type");
                    return Err(error("type", tree.span, message));
                }
                None => return Err(self.unknown(name, tree.span)),
            },
        })
    }

    /// The type of a name, with its array sizes.
    pub(super) fn declared_type(&mut self, declarator: &Declarator) -> Lowered<Type> {
        let mut ty = self.type_of(&declarator.ty)?;
        for dimension in declarator.dimensions.iter().rev() {
            let (low, count) = self.dimension(dimension)?;
            ty = Type::Array(Rc::new(ty), low, count);
        }
        if ty.size() > limit::CELLS {
            let message =
                format!("`{}` has more than {} elements", declarator.name.text, limit::CELLS);
            return Err(too_large(declarator.name.span, message));
        }
        Ok(ty)
    }

    /// The first index and how many there are.
    fn dimension(&mut self, dimension: &Dimension) -> Lowered<(i64, i64)> {
        let named_type = match dimension {
            Dimension::Count(Tree { kind: ExprKind::Name(name), .. }) => match self.find(name) {
                Some(Entity::Type(ty)) => Some(ty.clone()),
                _ => None,
            },
            Dimension::Type(tree) => Some(self.type_of(tree)?),
            Dimension::Count(_) => None,
        };
        let span = match dimension {
            Dimension::Count(tree) => tree.span,
            Dimension::Type(tree) => tree.span,
        };
        if let Some(ty) = named_type {
            let (low, high) = ty.range().ok_or_else(|| {
                error("type", span, format!("`{}` cannot be an index", ty.show()))
            })?;
            return Ok((low, high - low + 1));
        }
        let Dimension::Count(tree) = dimension else { unreachable!("types were handled") };
        let count = self.constant(tree)?;
        if count < 0 {
            return Err(error("type", span, format!("an array cannot have {count} elements")));
        }
        Ok((0, count))
    }

    fn variable(&mut self, declarator: &Declarator) -> Lowered<()> {
        let ty = self.declared_type(declarator)?;
        let (name, span) = (&declarator.name, declarator.name.span);
        if matches!(ty, Type::Struct(_)) && ty.holds_clocks() {
            return Err(crate::parse::unsupported(span, "a clock or channel inside a struct"));
        }
        let entity = match ty.element() {
            Type::Void => return Err(error("type", span, "a variable cannot be void")),
            Type::Clock => self.new_clocks(declarator, ty)?,
            Type::Chan => self.new_channels(declarator, ty)?,
            _ if self.frame.is_some() => return self.local(declarator, ty),
            _ => self.new_words(declarator, ty)?,
        };
        self.bind(name, entity)
    }

    fn new_clocks(&mut self, declarator: &Declarator, ty: Type) -> Lowered<Entity> {
        let span = declarator.name.span;
        if self.frame.is_some() {
            return Err(error("type", span, "a function cannot have clocks of its own"));
        }
        let first = self.network.clocks.len();
        let initial = match &declarator.init {
            Some(tree) => {
                let number = self.number(tree)?;
                self.known_number(&number, tree.span)?
            }
            None => 0.0,
        };
        if initial != 0.0 {
            self.only_simulated(span, "a clock that does not begin at 0");
        }
        if ty.size() + first as i64 > limit::CLOCKS as i64 {
            let message = format!("the model has more than {} clocks", limit::CLOCKS);
            return Err(too_large(span, message));
        }
        for name in self.element_names(declarator, &ty) {
            self.network.clocks.push(Clock { name, initial });
        }
        Ok(Entity::Clock { ty, first: Ok(first as u32) })
    }

    fn new_channels(&mut self, declarator: &Declarator, ty: Type) -> Lowered<Entity> {
        let first = self.network.channels.len();
        if ty.size() + first as i64 > limit::CHANNELS {
            let message = format!("the model has more than {} channels", limit::CHANNELS);
            return Err(too_large(declarator.name.span, message));
        }
        let prefix = declarator.ty.prefix;
        for name in self.element_names(declarator, &ty) {
            let channel = Channel { name, broadcast: prefix.broadcast, urgent: prefix.urgent };
            self.network.channels.push(channel);
        }
        Ok(Entity::Channel { ty, first })
    }

    fn element_names(&self, declarator: &Declarator, ty: &Type) -> Vec<String> {
        fn add(ty: &Type, name: String, names: &mut Vec<String>) {
            match ty {
                Type::Array(element, low, count) => {
                    (0..*count).for_each(|i| add(element, format!("{name}[{}]", low + i), names));
                }
                _ => names.push(name),
            }
        }
        let mut names = Vec::new();
        add(ty, format!("{}{}", self.prefix, declarator.name.text), &mut names);
        names
    }

    /// A variable or a constant outside of functions: its initial words are computed here.
    fn new_words(&mut self, declarator: &Declarator, ty: Type) -> Lowered<Entity> {
        let name = &declarator.name;
        let constant = declarator.ty.prefix.constant;
        if constant && declarator.init.is_none() {
            let message = format!("the constant `{}` has no value", name.text);
            return Err(error("no-value", name.span, message).help("write `= value` behind it"));
        }
        let mut words = Vec::new();
        ty.words(&format!("{}{}", self.prefix, name.text), &mut words);
        let mut values = Vec::new();
        match &declarator.init {
            Some(tree) => self.initial_words(tree, &ty, &mut values)?,
            None => values.extend(words.iter().map(|(_, kind)| default(*kind))),
        }
        if let (true, [value]) = (constant, values.as_slice()) {
            return Ok(match ty {
                Type::Double => Entity::Double(f64::from_bits(*value as u64)),
                Type::Bool | Type::Int(..) => Entity::Value(*value),
                _ => self.constant_words(&values, ty),
            });
        }
        if constant {
            return Ok(self.constant_words(&values, ty));
        }
        if words.iter().any(|(_, kind)| *kind == CellKind::Double) {
            self.only_simulated(name.span, "a variable of type double");
        }
        let first = self.network.cells.len();
        if (first + words.len()) as i64 > limit::CELLS {
            let message = format!("the model has more than {} variables", limit::CELLS);
            return Err(too_large(name.span, message));
        }
        let cells = words.into_iter().zip(values);
        self.network.cells.extend(cells.map(|((name, kind), initial)| MemoryCell {
            name,
            kind,
            initial,
        }));
        Ok(Entity::Variable { ty, base: Base::Cell(first as u32), constant })
    }

    fn constant_words(&mut self, values: &[i64], ty: Type) -> Entity {
        let first = self.network.constants.len() as u32;
        self.network.constants.extend(values);
        Entity::Variable { ty, base: Base::Constant(first), constant: true }
    }

    /// The words of an initial value, in order.
    pub(super) fn initial_words(
        &mut self,
        tree: &Tree,
        ty: &Type,
        words: &mut Vec<i64>,
    ) -> Lowered<()> {
        match (&tree.kind, ty) {
            (ExprKind::List(items), Type::Array(element, _, count)) => {
                if items.len() as i64 != *count {
                    let message = format!("found {} values for {count} elements", items.len());
                    return Err(error("type", tree.span, message));
                }
                items.iter().try_for_each(|item| self.initial_words(item, element, words))
            }
            (ExprKind::List(items), Type::Struct(fields)) => {
                if items.len() != fields.len() {
                    let message =
                        format!("found {} values for {} fields", items.len(), fields.len());
                    return Err(error("type", tree.span, message));
                }
                let pairs = items.iter().zip(fields.iter());
                pairs.into_iter().try_for_each(|(item, f)| self.initial_words(item, &f.1, words))
            }
            (_, Type::Array(..) | Type::Struct(_)) => self.copied_words(tree, ty, words),
            (_, Type::Double) => {
                let number = self.number(tree)?;
                let value = self.known_number(&number, tree.span)?;
                words.push(value.to_bits() as i64);
                Ok(())
            }
            _ => {
                let expr = self.int(tree)?;
                let value = self.known(&expr, tree.span)?;
                if let Some((low, high)) = ty.range()
                    && !(low..=high).contains(&value)
                {
                    let message = format!("the value {value} is outside [{low},{high}]");
                    return Err(error("range", tree.span, message)
                        .help("declare a wider range, as in int[0,100000]"));
                }
                words.push(value);
                Ok(())
            }
        }
    }

    /// An array or a struct that begins as a copy of a constant one.
    fn copied_words(&mut self, tree: &Tree, ty: &Type, words: &mut Vec<i64>) -> Lowered<()> {
        let (place, found) = self.block(tree)?;
        if !found.same_shape(ty) {
            let message = format!("found `{}`, expected `{}`", found.show(), ty.show());
            return Err(error("type", tree.span, message));
        }
        let crate::network::Index::At(position) = place.index else {
            return Err(error("type", tree.span, "an initial value must be known"));
        };
        let size = ty.size() as usize;
        match place.base {
            Base::Constant(first) => {
                let start = first as usize + position;
                words.extend(&self.network.constants[start..start + size]);
                Ok(())
            }
            Base::Cell(first) => {
                let start = first as usize + position;
                let cells = &self.network.cells[start..start + size];
                words.extend(cells.iter().map(|cell| cell.initial));
                Ok(())
            }
            _ => Err(error("type", tree.span, "an initial value must be known")),
        }
    }

    fn function(&mut self, tree: &FunctionTree) -> Lowered<()> {
        let result = self.type_of(&tree.result)?;
        if result.size() != 1 && result != Type::Void {
            let what = "a function that returns an array or a struct";
            return Err(crate::parse::unsupported(tree.name.span, what));
        }
        self.bind(&tree.name, Entity::Unfinished)?;
        self.frame = Some(Frame { result: Some(result.clone()), ..Frame::default() });
        let lowered = self.scoped(|this| {
            let parameters = this.parameters(tree)?;
            let body = this.function_body(&tree.body)?;
            Ok((parameters, body))
        });
        let frame = self.frame.take().expect("set above");
        let (parameters, body) = lowered?;
        let signature = Signature {
            index: self.network.functions.len() as u32,
            result: result.clone(),
            parameters: parameters.iter().map(|(ty, by, _)| (ty.clone(), *by)).collect(),
            simulation_only: frame.simulation_only,
        };
        self.network.functions.push(Function {
            name: tree.name.text.clone(),
            words: frame.most,
            result: result.kind(),
            parameters: parameters.iter().map(|(_, _, slot)| *slot).collect(),
            body,
            span: tree.name.span,
        });
        let scope = self.scopes.last_mut().expect("there is always a scope");
        let entity = Entity::Function(Rc::new(signature));
        scope.insert(tree.name.text.clone(), (entity, tree.name.span));
        Ok(())
    }

    /// Type, whether by reference, and first word of each parameter.
    fn parameters(&mut self, tree: &FunctionTree) -> Lowered<Vec<(Type, bool, u32)>> {
        let mut found = Vec::new();
        for parameter in &tree.parameters {
            let ty = self.declared_type(parameter)?;
            let span = parameter.name.span;
            let (words, entity): (i64, fn(u32, Type) -> Entity) = match ty.element() {
                Type::Chan => {
                    return Err(crate::parse::unsupported(span, "a channel given to a function"));
                }
                Type::Clock => (1, |slot, ty| Entity::Clock { ty, first: Err(slot) }),
                _ if parameter.reference => (1, |slot, ty| Entity::Variable {
                    ty,
                    base: Base::Through(slot),
                    constant: false,
                }),
                _ => (ty.size(), |slot, ty| Entity::Variable {
                    ty,
                    base: Base::Frame(slot),
                    constant: false,
                }),
            };
            let slot = self.allocate(words, span)?;
            self.bind(&parameter.name, entity(slot, ty.clone()))?;
            let by_reference = parameter.reference || matches!(ty.element(), Type::Clock);
            found.push((ty, by_reference, slot));
        }
        Ok(found)
    }
}

/// What a variable without an initial value holds. A range without 0 begins at its lower end.
fn default(kind: CellKind) -> i64 {
    match kind {
        CellKind::Int(low, high) if low > 0 || high < 0 => low,
        _ => 0,
    }
}
