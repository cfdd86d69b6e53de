//! Small random systems that use every operator, for comparing evaluators.

use provoke_base::{Int, Random, Rational, Span};
use provoke_model::{
    BinaryOp, EnumId, EnumType, Equation, ExprId, ExprKind, Instance, Origin, Property, Role,
    System, Type, UnaryOp, Value, Var, VarId,
};

/// What the systems look like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// How many inputs.
    pub inputs: usize,
    /// How many defined variables; the last third of them are outputs.
    pub defined: usize,
    /// How deep expressions are.
    pub depth: usize,
    /// Whether there is nothing but Booleans.
    pub only_bool: bool,
    /// Whether there are rational numbers.
    pub reals: bool,
    /// Whether divisions by variables, which may be zero, and unguarded delays occur.
    pub hazards: bool,
}

impl Shape {
    /// Everything, small.
    pub const MIXED: Shape =
        Shape { inputs: 4, defined: 7, depth: 3, only_bool: false, reals: true, hazards: false };
    /// Booleans only, small enough for all inputs.
    pub const BOOLEAN: Shape =
        Shape { inputs: 2, defined: 5, depth: 2, only_bool: true, reals: false, hazards: false };
}

/// A random system of the given shape.
pub fn system(random: &mut Random, shape: Shape) -> System {
    let mut maker = Maker { system: System::default(), random, shape, defined: 0 };
    maker.declare();
    for index in shape.inputs..shape.inputs + shape.defined {
        maker.defined = index;
        let var = maker.var_at(index);
        let ty = maker.system.vars[var].ty;
        let expr = maker.expr(ty, shape.depth, false);
        maker.system.equations.push(Equation { var, expr });
    }
    maker.promise();
    maker.system
}

/// Random inputs for one step, inside their declared ranges.
pub fn inputs(random: &mut Random, system: &System) -> Vec<Value> {
    let mut draw = |var: &VarId| {
        let var = &system.vars[*var];
        match &var.range {
            Some(range) => Value::Int(random.between(&range.low, &range.high)),
            None => value(random, var.ty),
        }
    };
    system.inputs.iter().map(&mut draw).collect()
}

/// A random small value.
pub fn value(random: &mut Random, ty: Type) -> Value {
    match ty {
        Type::Bool => Value::Bool(random.chance(1, 2)),
        Type::Int => Value::Int(Int::from(random.below(7) as i64 - 3)),
        Type::Real => {
            let numerator = Int::from(random.below(9) as i64 - 4);
            let denominator = Int::from(random.below(3) as i64 + 1);
            Value::Real(Rational::new(&numerator, &denominator).expect("not zero"))
        }
        Type::Enum(_) => Value::Enum(random.below(3) as u32),
    }
}

struct Maker<'r> {
    system: System,
    random: &'r mut Random,
    shape: Shape,
    /// How many variables may be used in the same step.
    defined: usize,
}

impl Maker<'_> {
    fn declare(&mut self) {
        self.system.name = "random".to_string();
        let names = ["Red", "Green", "Blue"].map(String::from).to_vec();
        let color = EnumType { name: "Color".to_string(), constants: names };
        let color = self.system.enums.push(color);
        let main = Instance { path: String::new(), node: "random".into(), span: Span::default() };
        let instance = self.system.instances.push(main);
        let total = self.shape.inputs + self.shape.defined;
        for index in 0..total {
            let role = match index {
                _ if index < self.shape.inputs => Role::Input,
                _ if index + self.shape.defined.div_ceil(3) >= total => Role::Output,
                _ => Role::Local,
            };
            let letter = match role {
                Role::Input => "in",
                Role::Output => "out",
                Role::Local => "v",
            };
            let ty = self.some_type(color);
            let id = self.system.vars.push(Var {
                name: format!("{letter}{index}"),
                ty,
                range: None,
                role,
                origin: Origin::Declared,
                instance,
                span: Span::default(),
            });
            match role {
                Role::Input => self.system.inputs.push(id),
                Role::Output => self.system.outputs.push(id),
                Role::Local => {}
            }
        }
    }

    fn promise(&mut self) {
        let output = *self.system.outputs.last().expect("there are outputs");
        if self.system.vars[output].ty == Type::Bool {
            let expr = self.add(ExprKind::Var(output), Type::Bool);
            let name = self.system.vars[output].name.clone();
            self.system.properties.push(Property { name, expr, span: Span::default() });
        }
    }

    fn some_type(&mut self, color: EnumId) -> Type {
        if self.shape.only_bool {
            return Type::Bool;
        }
        *self.random.pick(&[
            Type::Bool,
            Type::Bool,
            Type::Int,
            Type::Int,
            self.real_or_int(),
            Type::Enum(color),
        ])
    }

    fn real_or_int(&self) -> Type {
        if self.shape.reals { Type::Real } else { Type::Int }
    }

    fn var_at(&self, index: usize) -> VarId {
        provoke_base::index::Id::new(index)
    }

    fn add(&mut self, kind: ExprKind, ty: Type) -> ExprId {
        self.system.add_expr(kind, ty, Span::default())
    }

    /// A random expression; `past` says that it stands under `pre`, where every variable may
    /// be used.
    fn expr(&mut self, ty: Type, depth: usize, past: bool) -> ExprId {
        if depth == 0 || self.random.chance(1, 6) {
            return self.leaf(ty, past);
        }
        match self.random.below(6) {
            0 => self.choice(ty, depth, past),
            1 => self.delay(ty, depth),
            _ => match ty {
                Type::Bool => self.boolean(depth, past),
                Type::Int | Type::Real => self.number(ty, depth, past),
                Type::Enum(_) => self.choice(ty, depth, past),
            },
        }
    }

    fn leaf(&mut self, ty: Type, past: bool) -> ExprId {
        let usable = if past { self.system.vars.len() } else { self.defined };
        let fits = |id: &VarId| self.system.vars[*id].ty == ty;
        let vars: Vec<VarId> = self.system.vars.ids().take(usable).filter(fits).collect();
        if vars.is_empty() || self.random.chance(1, 4) {
            let value = value(self.random, ty);
            return self.add(ExprKind::Const(value), ty);
        }
        let var = *self.random.pick(&vars);
        self.add(ExprKind::Var(var), ty)
    }

    fn choice(&mut self, ty: Type, depth: usize, past: bool) -> ExprId {
        let condition = self.expr(Type::Bool, depth - 1, past);
        let then = self.expr(ty, depth - 1, past);
        let otherwise = self.expr(ty, depth - 1, past);
        self.add(ExprKind::If(condition, then, otherwise), ty)
    }

    fn delay(&mut self, ty: Type, depth: usize) -> ExprId {
        let operand = self.expr(ty, depth - 1, true);
        let delay = self.add(ExprKind::Pre(operand), ty);
        if self.shape.hazards && self.random.chance(1, 5) {
            return delay;
        }
        let first = self.leaf(ty, false);
        self.add(ExprKind::Arrow(first, delay), ty)
    }

    fn boolean(&mut self, depth: usize, past: bool) -> ExprId {
        use BinaryOp::{And, Eq, Ge, Gt, Implies, Le, Lt, Ne, Or, Xor};
        if self.random.chance(1, 6) {
            let operand = self.expr(Type::Bool, depth - 1, past);
            return self.add(ExprKind::Unary(UnaryOp::Not, operand), Type::Bool);
        }
        let (op, ty) = if self.shape.only_bool || self.random.chance(2, 3) {
            (*self.random.pick(&[And, And, Or, Or, Xor, Implies, Eq, Ne]), Type::Bool)
        } else if self.random.chance(1, 4) {
            let color = provoke_base::index::Id::new(0);
            (*self.random.pick(&[Eq, Ne]), Type::Enum(color))
        } else {
            let ty = *self.random.pick(&[Type::Int, self.real_or_int()]);
            (*self.random.pick(&[Eq, Ne, Lt, Le, Gt, Ge]), ty)
        };
        let left = self.expr(ty, depth - 1, past);
        let right = self.expr(ty, depth - 1, past);
        self.add(ExprKind::Binary(op, left, right), Type::Bool)
    }

    fn number(&mut self, ty: Type, depth: usize, past: bool) -> ExprId {
        let int = ty == Type::Int;
        if self.random.chance(1, 6) {
            let (op, from) = match (self.random.chance(1, 2), int) {
                (true, _) => (UnaryOp::Neg, ty),
                (false, true) if !self.shape.reals => (UnaryOp::Neg, ty),
                (false, true) => (UnaryOp::Floor, Type::Real),
                (false, false) => (UnaryOp::ToReal, Type::Int),
            };
            let operand = self.expr(from, depth - 1, past);
            return self.add(ExprKind::Unary(op, operand), ty);
        }
        let left = self.expr(ty, depth - 1, past);
        if self.random.chance(1, 5) {
            let op = match (int, self.random.chance(1, 2)) {
                (true, true) => BinaryOp::IntDiv,
                (true, false) => BinaryOp::Mod,
                (false, _) => BinaryOp::Div,
            };
            let divisor = self.divisor(ty, past);
            return self.add(ExprKind::Binary(op, left, divisor), ty);
        }
        let right = self.expr(ty, depth - 1, past);
        let op = *self.random.pick(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul]);
        self.add(ExprKind::Binary(op, left, right), ty)
    }

    fn divisor(&mut self, ty: Type, past: bool) -> ExprId {
        if self.shape.hazards && self.random.chance(1, 2) {
            return self.leaf(ty, past);
        }
        let number = Int::from([2, 3, -2][self.random.below(3)]);
        let value = match ty {
            Type::Real => Value::Real(Rational::from(&number)),
            _ => Value::Int(number),
        };
        self.add(ExprKind::Const(value), ty)
    }
}
