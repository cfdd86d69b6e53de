//! Small random systems, the same for the same seed; also used by other crates' tests.
#![allow(dead_code, unreachable_pub)]

use provoke_base::{IndexVec, Int, Rational, Span};
use provoke_model::{
    BinaryOp, EnumType, Equation, ExprId, ExprKind, Instance, InstanceId, Origin, Role, System,
    Type, UnaryOp, Value, Var, VarId,
};

/// A generator of numbers (SplitMix64), good enough to shake systems with.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % sides as u64) as usize
    }

    pub fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }

    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.roll(items.len())].clone()
    }
}

/// How large a system is and what it is made of.
#[derive(Clone)]
pub struct Shape {
    pub inputs: usize,
    pub equations: usize,
    pub outputs: usize,
    pub depth: usize,
    pub types: Vec<Type>,
    /// Whether some `pre` have no `->` before them.
    pub unguarded: bool,
}

impl Shape {
    pub fn boolean(inputs: usize, equations: usize) -> Shape {
        let types = vec![Type::Bool];
        Shape { inputs, equations, outputs: 1, depth: 3, types, unguarded: false }
    }

    pub fn mixed() -> Shape {
        let types = vec![Type::Bool, Type::Bool, Type::Int, Type::Real];
        Shape { inputs: 4, equations: 6, outputs: 2, depth: 4, types, unguarded: true }
    }
}

/// A system in the making.
struct Maker<'a> {
    dice: &'a mut Dice,
    shape: &'a Shape,
    system: System,
    /// How many variables, in the order of definition, may be used in the same step.
    defined: usize,
}

pub fn random_system(dice: &mut Dice, shape: &Shape) -> System {
    let mut maker = Maker { dice, shape, system: System::default(), defined: 0 };
    maker.declare();
    maker.define();
    maker.system
}

/// Values for the inputs of a system; one in `unknown` is left open (never, if zero).
pub fn random_inputs(dice: &mut Dice, system: &System, unknown: usize) -> Vec<Value> {
    let mut value = |var: &VarId| {
        if unknown > 0 && dice.one_in(unknown) {
            return Value::Unknown;
        }
        constant(dice, system.vars[*var].ty)
    };
    system.inputs.iter().map(&mut value).collect()
}

fn constant(dice: &mut Dice, ty: Type) -> Value {
    match ty {
        Type::Bool => Value::Bool(dice.one_in(2)),
        Type::Int => Value::from(dice.roll(7) as i64 - 3),
        Type::Real => {
            let halves = Int::from(dice.roll(9) as i64 - 4);
            Value::Real(Rational::new(&halves, &Int::from(2)).expect("two is not zero"))
        }
        Type::Enum(_) => Value::Enum(dice.roll(2) as u32),
    }
}

impl Maker<'_> {
    fn declare(&mut self) {
        let instance =
            Instance { path: String::new(), node: "random".into(), span: Span::default() };
        let main = self.system.instances.push(instance);
        self.system.name = "random".into();
        self.system.enums = IndexVec::<_, EnumType>::new();
        let (inputs, equations) = (self.shape.inputs, self.shape.equations);
        for position in 0..inputs + equations {
            let role = if position < inputs {
                Role::Input
            } else if position + self.shape.outputs >= inputs + equations {
                Role::Output
            } else {
                Role::Local
            };
            let ty = self.dice.pick(&self.shape.types);
            self.declare_one(position, role, ty, main);
        }
    }

    fn declare_one(&mut self, position: usize, role: Role, ty: Type, instance: InstanceId) {
        let name = match role {
            Role::Input => format!("in{}", position + 1),
            _ => format!("v{}", position + 1 - self.shape.inputs),
        };
        let (origin, span) = (Origin::Declared, Span::default());
        let var = Var { name, ty, range: None, role, origin, instance, span };
        let id = self.system.vars.push(var);
        match role {
            Role::Input => self.system.inputs.push(id),
            Role::Output => self.system.outputs.push(id),
            Role::Local => {}
        }
    }

    fn define(&mut self) {
        let vars: Vec<VarId> = self.system.vars.ids().collect();
        for (position, &var) in vars.iter().enumerate().skip(self.shape.inputs) {
            self.defined = position;
            let ty = self.system.vars[var].ty;
            let expr = self.expr(ty, self.shape.depth);
            self.system.equations.push(Equation { var, expr });
        }
    }

    fn add(&mut self, kind: ExprKind, ty: Type) -> ExprId {
        self.system.add_expr(kind, ty, Span::default())
    }

    fn expr(&mut self, ty: Type, depth: usize) -> ExprId {
        if depth == 0 || self.dice.one_in(6) {
            return self.leaf(ty);
        }
        match self.dice.roll(8) {
            0 => self.delayed(ty, depth),
            1 | 2 => self.conditional(ty, depth),
            3 if self.shape.unguarded => {
                let operand = self.anywhere(ty, depth - 1);
                self.add(ExprKind::Pre(operand), ty)
            }
            _ => self.operation(ty, depth),
        }
    }

    fn leaf(&mut self, ty: Type) -> ExprId {
        let all: Vec<VarId> = self.system.vars.ids().take(self.defined).collect();
        let fitting: Vec<VarId> =
            all.into_iter().filter(|var| self.system.vars[*var].ty == ty).collect();
        if fitting.is_empty() || self.dice.one_in(8) {
            let value = constant(self.dice, ty);
            return self.add(ExprKind::Const(value), ty);
        }
        let var = self.dice.pick(&fitting);
        self.add(ExprKind::Var(var), ty)
    }

    /// An expression that may use every variable, for what stands under `pre`.
    fn anywhere(&mut self, ty: Type, depth: usize) -> ExprId {
        let defined = std::mem::replace(&mut self.defined, self.system.vars.len());
        let expr = self.expr(ty, depth);
        self.defined = defined;
        expr
    }

    fn delayed(&mut self, ty: Type, depth: usize) -> ExprId {
        let first = self.leaf(ty);
        let operand = self.anywhere(ty, depth - 1);
        let pre = self.add(ExprKind::Pre(operand), ty);
        self.add(ExprKind::Arrow(first, pre), ty)
    }

    fn conditional(&mut self, ty: Type, depth: usize) -> ExprId {
        let condition = self.expr(Type::Bool, depth - 1);
        let then = self.expr(ty, depth - 1);
        let otherwise = self.expr(ty, depth - 1);
        self.add(ExprKind::If(condition, then, otherwise), ty)
    }

    fn operation(&mut self, ty: Type, depth: usize) -> ExprId {
        use BinaryOp::{Add, And, Div, Eq, Implies, IntDiv, Mod, Mul, Ne, Or, Sub, Xor};
        let unary = |ty| if ty == Type::Bool { UnaryOp::Not } else { UnaryOp::Neg };
        if self.dice.one_in(5) {
            let operand = self.expr(ty, depth - 1);
            return self.add(ExprKind::Unary(unary(ty), operand), ty);
        }
        let (op, operand) = match ty {
            Type::Bool if self.dice.one_in(4) => self.relation(),
            Type::Bool => (self.dice.pick(&[And, And, Or, Or, Xor, Implies, Eq, Ne]), Type::Bool),
            Type::Int => (self.dice.pick(&[Add, Sub, Mul, IntDiv, Mod]), Type::Int),
            Type::Real => (self.dice.pick(&[Add, Sub, Mul, Div]), Type::Real),
            Type::Enum(_) => (Eq, ty),
        };
        let left = self.expr(operand, depth - 1);
        let right = self.expr(operand, depth - 1);
        self.add(ExprKind::Binary(op, left, right), ty)
    }

    fn relation(&mut self) -> (BinaryOp, Type) {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        match self.dice.pick(&self.shape.types) {
            Type::Bool => (self.dice.pick(&[Eq, Ne]), Type::Bool),
            ty => (self.dice.pick(&[Eq, Ne, Lt, Le, Gt, Ge]), ty),
        }
    }
}
