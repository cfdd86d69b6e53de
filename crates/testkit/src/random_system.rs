//! Small random systems that use every operator, for comparing evaluators.

use provoke_base::{Int, Random, Rational, Span};
use provoke_model::{
    BinaryOp, EnumId, EnumType, Equation, ExprId, ExprKind, Instance, MachineInt, Origin, Property,
    PropertyGoal, Range, Role, System, Type, UnaryOp, Value, Var, VarId,
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
    /// Whether there are a machine's integers.
    pub machines: bool,
    /// Of which types they are.
    pub words: &'static [MachineInt],
}

impl Shape {
    /// Everything, small.
    pub const MIXED: Shape = Shape {
        inputs: 4,
        defined: 7,
        depth: 3,
        only_bool: false,
        reals: true,
        hazards: false,
        machines: false,
        words: &MACHINES,
    };
    /// A machine's integers among others.
    pub const MACHINES: Shape = Shape { machines: true, reals: false, ..Shape::MIXED };
    /// Booleans only, small enough for all inputs.
    pub const BOOLEAN: Shape = Shape {
        inputs: 2,
        defined: 5,
        depth: 2,
        only_bool: true,
        reals: false,
        hazards: false,
        machines: false,
        words: &MACHINES,
    };
}

/// The machine's types that occur, those of no C type among them.
const MACHINES: [MachineInt; 10] = [
    MachineInt::signed(5),
    MachineInt::unsigned(12),
    MachineInt::signed(8),
    MachineInt::unsigned(8),
    MachineInt::signed(16),
    MachineInt::unsigned(16),
    MachineInt::signed(32),
    MachineInt::unsigned(32),
    MachineInt::signed(64),
    MachineInt::unsigned(64),
];

/// How many of them a system has: few, so that there are variables of each.
const MACHINES_OF_SYSTEM: usize = 3;

/// What an expression is of.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    ty: Type,
    machine: Option<MachineInt>,
}

impl Kind {
    const BOOL: Kind = Kind { ty: Type::Bool, machine: None };
    const INT: Kind = Kind { ty: Type::Int, machine: None };
    const REAL: Kind = Kind { ty: Type::Real, machine: None };

    fn of(var: &Var) -> Kind {
        Kind { ty: var.ty, machine: var.machine }
    }

    fn machine(ty: MachineInt) -> Kind {
        Kind { ty: Type::Int, machine: Some(ty) }
    }
}

/// A random system of the given shape.
pub fn system(random: &mut Random, shape: Shape) -> System {
    let mut machines = Vec::new();
    if shape.machines {
        machines.extend((0..MACHINES_OF_SYSTEM).map(|_| *random.pick(shape.words)));
    }
    let mut maker = Maker { system: System::default(), random, shape, machines, defined: 0 };
    maker.declare();
    for index in shape.inputs..shape.inputs + shape.defined {
        maker.defined = index;
        let var = maker.var_at(index);
        let kind = Kind::of(&maker.system.vars[var]);
        let expr = maker.expr(kind, shape.depth, false);
        maker.system.equations.push(Equation { var, expr });
    }
    maker.promise();
    maker.system
}

/// Random inputs for one step, inside their declared ranges.
pub fn inputs(random: &mut Random, system: &System) -> Vec<Value> {
    let mut draw = |var: &VarId| {
        let var = &system.vars[*var];
        match (&var.range, var.machine) {
            (_, Some(ty)) if random.chance(1, 2) => edge(random, ty),
            (Some(range), _) => Value::Int(random.between(&range.low, &range.high)),
            (None, _) => value(random, var.ty),
        }
    };
    system.inputs.iter().map(&mut draw).collect()
}

/// A value of a machine's type near one of its ends or zero.
fn edge(random: &mut Random, ty: MachineInt) -> Value {
    let near = [ty.low(), ty.low() + 1, -1, 0, 1, 2, ty.high() - 1, ty.high()];
    Value::Int(ty.wrap(&Int::from_i128(*random.pick(&near))))
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
    /// The machine's types of this system.
    machines: Vec<MachineInt>,
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
                Role::Local | Role::Choice => "v",
            };
            let kind = self.some_kind(color);
            let id = self.system.vars.push(Var {
                name: format!("{letter}{index}"),
                ty: kind.ty,
                range: kind.machine.map(Range::from),
                machine: kind.machine,
                role,
                origin: Origin::Declared,
                instance,
                span: Span::default(),
            });
            match role {
                Role::Input => self.system.inputs.push(id),
                Role::Output => self.system.outputs.push(id),
                Role::Local | Role::Choice => {}
            }
        }
    }

    fn promise(&mut self) {
        let output = *self.system.outputs.last().expect("there are outputs");
        if self.system.vars[output].ty == Type::Bool {
            let expr = self.add(ExprKind::Var(output), Type::Bool);
            let name = self.system.vars[output].name.clone();
            self.system.properties.push(Property {
                name,
                expr,
                goal: PropertyGoal::Always,
                span: Span::default(),
            });
        }
    }

    fn some_kind(&mut self, color: EnumId) -> Kind {
        if self.shape.only_bool {
            return Kind::BOOL;
        }
        let machine = self.machine_or_int();
        let color = Kind { ty: Type::Enum(color), machine: None };
        *self.random.pick(&[
            Kind::BOOL,
            Kind::BOOL,
            Kind::INT,
            machine,
            self.real_or_machine(machine),
            color,
        ])
    }

    fn machine_or_int(&mut self) -> Kind {
        match self.shape.machines {
            true => Kind::machine(*self.random.pick(&self.machines)),
            false => Kind::INT,
        }
    }

    fn real_or_machine(&self, machine: Kind) -> Kind {
        if self.shape.reals { Kind::REAL } else { machine }
    }

    fn var_at(&self, index: usize) -> VarId {
        provoke_base::index::Id::new(index)
    }

    fn add(&mut self, kind: ExprKind, ty: Type) -> ExprId {
        self.system.add_expr(kind, ty, Span::default())
    }

    /// A random expression; `past` says that it stands under `pre`, where every variable may
    /// be used.
    fn expr(&mut self, kind: Kind, depth: usize, past: bool) -> ExprId {
        if depth == 0 || self.random.chance(1, 6) {
            return self.leaf(kind, past);
        }
        match self.random.below(6) {
            0 => self.choice(kind, depth, past),
            1 => self.delay(kind, depth),
            _ => match (kind.ty, kind.machine) {
                (_, Some(ty)) => self.word(ty, depth, past),
                (Type::Bool, _) => self.boolean(depth, past),
                (Type::Int | Type::Real, _) => self.number(kind, depth, past),
                (Type::Enum(_), _) => self.choice(kind, depth, past),
            },
        }
    }

    fn leaf(&mut self, kind: Kind, past: bool) -> ExprId {
        let usable = if past { self.system.vars.len() } else { self.defined };
        let fits = |id: &VarId| Kind::of(&self.system.vars[*id]) == kind;
        let vars: Vec<VarId> = self.system.vars.ids().take(usable).filter(fits).collect();
        if vars.is_empty() || self.random.chance(1, 4) {
            let value = match kind.machine {
                Some(ty) => edge(self.random, ty),
                None => value(self.random, kind.ty),
            };
            return self.add(ExprKind::Const(value), kind.ty);
        }
        let var = *self.random.pick(&vars);
        self.add(ExprKind::Var(var), kind.ty)
    }

    fn choice(&mut self, kind: Kind, depth: usize, past: bool) -> ExprId {
        let condition = self.expr(Kind::BOOL, depth - 1, past);
        let then = self.expr(kind, depth - 1, past);
        let otherwise = self.expr(kind, depth - 1, past);
        self.add(ExprKind::If(condition, then, otherwise), kind.ty)
    }

    fn delay(&mut self, kind: Kind, depth: usize) -> ExprId {
        let operand = self.expr(kind, depth - 1, true);
        let delay = self.add(ExprKind::Pre(operand), kind.ty);
        if self.shape.hazards && self.random.chance(1, 5) {
            return delay;
        }
        let first = self.leaf(kind, false);
        self.add(ExprKind::Arrow(first, delay), kind.ty)
    }

    fn boolean(&mut self, depth: usize, past: bool) -> ExprId {
        use BinaryOp::{And, Eq, Ge, Gt, Implies, Le, Lt, Ne, Or, Xor};
        if self.random.chance(1, 6) {
            let operand = self.expr(Kind::BOOL, depth - 1, past);
            return self.add(ExprKind::Unary(UnaryOp::Not, operand), Type::Bool);
        }
        let (op, kind) = if self.shape.only_bool || self.random.chance(2, 3) {
            (*self.random.pick(&[And, And, Or, Or, Xor, Implies, Eq, Ne]), Kind::BOOL)
        } else if self.random.chance(1, 4) {
            let color = Type::Enum(provoke_base::index::Id::new(0));
            (*self.random.pick(&[Eq, Ne]), Kind { ty: color, machine: None })
        } else {
            let machine = self.machine_or_int();
            let kind = *self.random.pick(&[Kind::INT, self.real_or_machine(machine)]);
            (*self.random.pick(&[Eq, Ne, Lt, Le, Gt, Ge]), kind)
        };
        let left = self.expr(kind, depth - 1, past);
        let right = self.expr(kind, depth - 1, past);
        self.add(ExprKind::Binary(op, left, right), Type::Bool)
    }

    fn number(&mut self, kind: Kind, depth: usize, past: bool) -> ExprId {
        let (ty, int) = (kind.ty, kind.ty == Type::Int);
        if int && self.shape.machines && self.random.chance(1, 4) {
            return self.converted(depth, past);
        }
        if self.random.chance(1, 6) {
            let (op, from) = match (self.random.chance(1, 2), int) {
                (true, _) => (UnaryOp::Neg, kind),
                (false, true) if !self.shape.reals => (UnaryOp::Neg, kind),
                (false, true) => (UnaryOp::Floor, Kind::REAL),
                (false, false) => (UnaryOp::ToReal, Kind::INT),
            };
            let operand = self.expr(from, depth - 1, past);
            return self.add(ExprKind::Unary(op, operand), ty);
        }
        let left = self.expr(kind, depth - 1, past);
        if self.random.chance(1, 5) {
            let op = match (int, self.random.chance(1, 2)) {
                (true, true) => BinaryOp::IntDiv,
                (true, false) => BinaryOp::Mod,
                (false, _) => BinaryOp::Div,
            };
            let divisor = self.divisor(kind, past);
            return self.add(ExprKind::Binary(op, left, divisor), ty);
        }
        let right = self.expr(kind, depth - 1, past);
        let op = *self.random.pick(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul]);
        self.add(ExprKind::Binary(op, left, right), ty)
    }

    /// A machine's integer as an unbounded one, or an operation on several: it does not wrap around.
    fn converted(&mut self, depth: usize, past: bool) -> ExprId {
        use BinaryOp::{Add, IntDiv, Mod, Mul, Sub};
        let ty = *self.random.pick(&self.machines);
        let machine = Kind::machine(ty);
        // Constants have the type of what is beside them, unless they are converted to one.
        let operand = |maker: &mut Self| {
            let operand = maker.expr(machine, depth - 1, past);
            if ty.bits < 32 && maker.random.chance(1, 2) {
                return operand;
            }
            maker.add(ExprKind::Unary(UnaryOp::Wrap(ty), operand), Type::Int)
        };
        let left = operand(self);
        let kind = match self.random.below(4) {
            0 => return left,
            1 => ExprKind::Unary(UnaryOp::Neg, left),
            2 => {
                let op = *self.random.pick(&[IntDiv, Mod]);
                ExprKind::Binary(op, left, self.divisor(Kind::INT, past))
            }
            _ => {
                let right = operand(self);
                ExprKind::Binary(*self.random.pick(&[Add, Sub, Mul]), left, right)
            }
        };
        self.add(kind, Type::Int)
    }

    /// An expression of a machine's type.
    fn word(&mut self, ty: MachineInt, depth: usize, past: bool) -> ExprId {
        use BinaryOp::{Add, Mul, Quotient, Remainder, ShiftLeft, ShiftRight, Sub};
        let kind = Kind::machine(ty);
        match self.random.below(8) {
            0 => return self.conversion(ty, depth, past),
            1 => {
                let operand = self.expr(kind, depth - 1, past);
                let negative = self.add(ExprKind::Unary(UnaryOp::Neg, operand), Type::Int);
                return self.add(ExprKind::Unary(UnaryOp::Wrap(ty), negative), Type::Int);
            }
            2 => {
                let operand = self.expr(kind, depth - 1, past);
                return self.add(ExprKind::Unary(UnaryOp::BitNot(ty), operand), Type::Int);
            }
            _ => {}
        }
        let left = self.expr(kind, depth - 1, past);
        let op = match self.random.chance(2, 3) {
            true => *self.random.pick(&[Add, Sub, Mul, Quotient, Remainder]),
            false => *self.random.pick(&BinaryOp::on_bits(ty)),
        };
        let right = match op {
            Quotient | Remainder => self.divisor(kind, past),
            ShiftLeft(_) | ShiftRight(_) => {
                self.leaf(Kind::machine(MachineInt::unsigned(ty.bits)), past)
            }
            _ => self.expr(kind, depth - 1, past),
        };
        let result = self.add(ExprKind::Binary(op, left, right), Type::Int);
        match op {
            Add | Sub | Mul | Quotient | Remainder => {
                self.add(ExprKind::Unary(UnaryOp::Wrap(ty), result), Type::Int)
            }
            _ => result,
        }
    }

    /// From unbounded integers, or a type with the same signs.
    fn conversion(&mut self, ty: MachineInt, depth: usize, past: bool) -> ExprId {
        let is_other = |other: &&MachineInt| other.signed == ty.signed && **other != ty;
        let others: Vec<MachineInt> = self.machines.iter().filter(is_other).copied().collect();
        let from = match others.is_empty() || self.random.chance(1, 2) {
            true => Kind::INT,
            false => Kind::machine(*self.random.pick(&others)),
        };
        let operand = self.expr(from, depth - 1, past);
        self.add(ExprKind::Unary(UnaryOp::Wrap(ty), operand), Type::Int)
    }

    fn divisor(&mut self, kind: Kind, past: bool) -> ExprId {
        if self.shape.hazards && self.random.chance(1, 2) {
            return self.leaf(kind, past);
        }
        let number = Int::from([2, 3, -2][self.random.below(3)]);
        let value = match (kind.ty, kind.machine) {
            (Type::Real, _) => Value::Real(Rational::from(&number)),
            (_, Some(ty)) => Value::Int(ty.wrap(&number)),
            _ => Value::Int(number),
        };
        self.add(ExprKind::Const(value), kind.ty)
    }
}
