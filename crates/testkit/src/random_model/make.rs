//! Draws models.

use provoke_base::Random;

use super::{COLOURS, Equation, Expr, Model, Node, Ty, Var};

/// Which models are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Inputs have few values and numbers mostly stay small, so that all runs can be tried.
    Enumerable,
    /// Anything goes.
    Wild,
}

/// What a model may have. Each is switched on for some of the models only, so that many have one
/// nasty thing and little else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// Which family it is of.
    pub family: Family,
    /// Delays that have no value in the first step.
    pub undefined: bool,
    /// Divisions by what may be zero.
    pub faults: bool,
    /// Arrays.
    pub arrays: bool,
    /// Structs.
    pub structs: bool,
    /// Enumerations.
    pub enums: bool,
    /// Rational numbers.
    pub reals: bool,
    /// Nodes that call others, and how many there are.
    pub helpers: usize,
    /// Calls under a clock.
    pub clocks: bool,
    /// Assertions.
    pub assertions: bool,
    /// A decision with many operands.
    pub wide: bool,
    /// Numbers longer than a machine's.
    pub huge: bool,
}

impl Features {
    /// Some features of a family.
    pub fn draw(random: &mut Random, family: Family) -> Features {
        let mut some = |part, whole| random.chance(part, whole);
        let wild = family == Family::Wild;
        Features {
            family,
            undefined: some(2, 5),
            faults: some(1, 4),
            arrays: some(1, 4),
            structs: some(1, 5),
            enums: some(1, 3),
            reals: some(if wild { 3 } else { 1 }, 6),
            helpers: if some(1, 2) { 1 + usize::from(some(1, 3)) } else { 0 },
            clocks: some(1, 2),
            assertions: some(1, 2),
            wide: some(1, if wild { 40 } else { 300 }),
            huge: some(1, if wild { 3 } else { 20 }),
        }
    }
}

/// A random model.
pub fn model(random: &mut Random, family: Family) -> Model {
    let features = Features::draw(random, family);
    model_with(random, features)
}

/// A random model with some features.
pub fn model_with(random: &mut Random, features: Features) -> Model {
    let mut maker = Maker { random, features, nodes: Vec::new() };
    for number in 0..features.helpers {
        let node = maker.node(format!("helper{number}"), false);
        maker.nodes.push(node);
    }
    let main = maker.node("main".to_string(), true);
    maker.nodes.push(main);
    Model { nodes: maker.nodes }
}

struct Maker<'r> {
    random: &'r mut Random,
    features: Features,
    nodes: Vec<Node>,
}

/// What an expression may mention.
#[derive(Clone, Copy)]
struct Scope<'s> {
    /// The variables of the node; the inputs come first.
    vars: &'s [Var],
    /// How many of them are computed before this equation.
    computed: usize,
    /// Whether it stands below `pre`, where every variable may be mentioned.
    past: bool,
}

impl<'s> Scope<'s> {
    fn usable(&self, ty: &Ty) -> Vec<&'s Var> {
        let count = if self.past { self.vars.len() } else { self.computed };
        self.vars[..count].iter().filter(|var| var.ty.of_expr() == *ty).collect()
    }

    fn in_past(self) -> Scope<'s> {
        Scope { past: true, ..self }
    }
}

impl Maker<'_> {
    fn node(&mut self, name: String, is_main: bool) -> Node {
        let inputs = self.vars("i", 1, if is_main { 4 } else { 2 }, Maker::input_type);
        let outputs = self.vars("o", 1, 2, Maker::defined_type);
        let locals = self.vars("v", 0, if is_main { 5 } else { 2 }, Maker::defined_type);
        let mut vars = inputs.clone();
        // In any order: outputs may depend on locals, and locals on outputs.
        let mut defined = [outputs.clone(), locals.clone()].concat();
        self.shuffle(&mut defined);
        vars.extend(defined);
        let mut node = Node { name, inputs, outputs, locals, ..Node::default() };
        let mut at = node.inputs.len();
        while at < vars.len() {
            let scope = Scope { vars: &vars, computed: at, past: false };
            let (equation, count) = self.equation(scope, &vars[at..]);
            node.equations.push(equation);
            at += count;
        }
        let mut equations = std::mem::take(&mut node.equations);
        self.shuffle(&mut equations);
        node.equations = equations;
        let all = Scope { vars: &vars, computed: vars.len(), past: false };
        if self.features.assertions && (is_main || self.random.chance(1, 6)) {
            let count = 1 + self.random.below(2);
            node.assertions = (0..count).map(|_| self.assertion(all)).collect();
        }
        if is_main {
            self.add_properties(&mut node, all);
        }
        node
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.random.below(last + 1));
        }
    }

    fn vars(
        &mut self,
        letter: &str,
        least: usize,
        most: usize,
        ty: fn(&mut Self) -> Ty,
    ) -> Vec<Var> {
        let count = least + self.random.below(most - least + 1);
        (0..count).map(|number| Var { name: format!("{letter}{number}"), ty: ty(self) }).collect()
    }

    fn input_type(&mut self) -> Ty {
        let wild = self.features.family == Family::Wild;
        match self.random.below(10) {
            0 if self.features.enums => Ty::Enum,
            1 if self.features.arrays => {
                let element = if self.random.chance(1, 2) { Ty::Bool } else { Ty::Range(0, 1) };
                Ty::Array(Box::new(element), 2)
            }
            2 if self.features.structs && wild => Ty::Pair,
            3 if self.features.reals && wild => Ty::Real,
            4 | 5 if wild => Ty::Int,
            6..=8 if !wild => {
                let bounds = [(0, 1), (0, 2), (-1, 1), (0, 3), (2, 3)];
                let (low, high) = *self.random.pick(&bounds);
                Ty::Range(low, high)
            }
            8 => Ty::Range(-(self.random.below(100) as i64), self.random.below(100) as i64),
            _ => Ty::Bool,
        }
    }

    fn defined_type(&mut self) -> Ty {
        match self.random.below(10) {
            0 if self.features.enums => Ty::Enum,
            1 if self.features.arrays => {
                let element = if self.random.chance(1, 2) { Ty::Bool } else { Ty::Int };
                Ty::Array(Box::new(element), 2 + self.random.below(2))
            }
            2 if self.features.structs => Ty::Pair,
            3 if self.features.reals => Ty::Real,
            4..=6 => Ty::Int,
            _ => Ty::Bool,
        }
    }

    /// An equation for the first of `waiting`, or for several by one call.
    fn equation(&mut self, scope: Scope<'_>, waiting: &[Var]) -> (Equation, usize) {
        let fits = |node: &&Node| {
            let outputs = &node.outputs;
            let same = |(output, var): (&Var, &Var)| output.ty.of_expr() == var.ty.of_expr();
            outputs.len() == 2 && waiting.len() >= 2 && outputs.iter().zip(waiting).all(same)
        };
        if let Some(node) = self.nodes.iter().find(fits).cloned()
            && self.random.chance(1, 2)
        {
            let targets = waiting[..2].iter().map(|var| var.name.clone()).collect();
            let expr = self.call(&node, scope, 1);
            return (Equation { targets, expr }, 2);
        }
        let var = &waiting[0];
        let depth = 1 + self.random.below(3);
        let mut expr = self.expr(&var.ty.of_expr(), scope, depth);
        if var.ty == Ty::Int
            && self.features.family == Family::Enumerable
            && self.random.chance(9, 10)
        {
            expr = self.kept_small(expr);
        }
        if var.ty == Ty::Bool && self.features.wide {
            self.features.wide = false;
            expr = self.wide(scope);
        }
        (Equation { targets: vec![var.name.clone()], expr }, 1)
    }

    /// A number as a small one.
    fn kept_small(&mut self, expr: Expr) -> Expr {
        match self.random.below(3) {
            0 => Expr::new(Ty::Int, &["((", ") mod 3)"], vec![expr]),
            1 => Expr::new(Ty::Int, &["((", ") mod 5 - 2)"], vec![expr]),
            _ => {
                let texts = &["(if ", " > 2 then 2 else if ", " < -1 then -1 else ", ")"];
                let wrapped = Expr::new(Ty::Int, &["(", ")"], vec![expr]);
                Expr::new(Ty::Int, texts, vec![wrapped.clone(), wrapped.clone(), wrapped])
            }
        }
    }

    /// A decision with hundreds of operands.
    fn wide(&mut self, scope: Scope<'_>) -> Expr {
        let count = 30 + self.random.below(270);
        let mut texts = vec!["(".to_string()];
        let mut operands = Vec::with_capacity(count);
        let op = *self.random.pick(&[" and ", " or ", " xor "]);
        for number in 0..count {
            operands.push(match self.random.chance(1, 3) {
                true => self.expr(&Ty::Bool, scope, 1),
                false => self.leaf(&Ty::Bool, scope),
            });
            let other = number % 7 == 6;
            texts.push(if other { " or ".to_string() } else { op.to_string() });
        }
        *texts.last_mut().expect("there are operands") = ")".to_string();
        Expr { ty: Ty::Bool, texts, operands }
    }

    /// Assertions restrict inputs, remember, contradict themselves later, or say nothing yet.
    fn assertion(&mut self, scope: Scope<'_>) -> Expr {
        let mut fact = |depth| self.expr(&Ty::Bool, scope, depth);
        let (a, b) = (fact(1), fact(1));
        let bool = |texts: &[&str], operands| Expr::new(Ty::Bool, texts, operands);
        match self.random.below(9) {
            0 => a,
            1 => bool(&["true -> not ", ""], vec![a]),
            2 => bool(&["true -> ", " and not ", ""], vec![a.clone(), a]),
            3 if self.features.undefined => bool(&["pre ", " => ", ""], vec![a, b]),
            4 => bool(&["true -> (pre ", " => ", ")"], vec![a, b]),
            5 => bool(&["true -> (pre ", " <> ", ")"], vec![a.clone(), a]),
            6 => bool(&["", " -> not pre ", ""], vec![a, b]),
            7 => {
                let number = self.expr(&Ty::Int, scope, 1);
                bool(&["(", ") < 2"], vec![number])
            }
            _ => bool(&["(", " or ", ")"], vec![a, b]),
        }
    }

    /// Makes some Boolean variables properties, and adds one that looks like an invariant.
    fn add_properties(&mut self, node: &mut Node, scope: Scope<'_>) {
        let (a, b) = (self.expr(&Ty::Bool, scope, 2), self.expr(&Ty::Bool, scope, 1));
        let number = self.expr(&Ty::Int, scope, 1);
        let bool = |texts: &[&str], operands| Expr::new(Ty::Bool, texts, operands);
        let claim = match self.random.below(7) {
            0 => a,
            1 => bool(&["(", " => ", ")"], vec![a, b]),
            2 => bool(&["(", ") <= 4"], vec![number]),
            3 => bool(&["(", ") * (", ") >= 0"], vec![number.clone(), number]),
            4 => bool(&["true -> not (", " and pre ", ")"], vec![a, b]),
            5 => bool(&["(", ") <> ", ""], vec![number, Expr::leaf(Ty::Int, self.number())]),
            _ => bool(&["(", " or not ", ")"], vec![a.clone(), a]),
        };
        node.locals.push(Var { name: "claim".to_string(), ty: Ty::Bool });
        node.equations.push(Equation { targets: vec!["claim".to_string()], expr: claim });
        node.properties.push("claim".to_string());
        for var in &scope.vars[node.inputs.len()..] {
            if var.ty == Ty::Bool && self.random.chance(1, 3) {
                node.properties.push(var.name.clone());
            }
        }
    }

    fn number(&mut self) -> String {
        if self.features.huge && self.random.chance(1, 6) {
            let huge =
                ["987654321987654321987654321", "9223372036854775807", "2147483648", "65536"];
            return self.random.pick(&huge).to_string();
        }
        match self.random.below(7) as i64 - 2 {
            negative if negative < 0 => format!("(-{})", -negative),
            number => number.to_string(),
        }
    }

    fn literal(&mut self, ty: &Ty) -> Expr {
        let text = match ty {
            Ty::Bool => ["true", "false"][self.random.below(2)].to_string(),
            Ty::Int | Ty::Range(..) => self.number(),
            Ty::Real => self.random.pick(&["0.0", "1.5", "(-0.25)", "3.0", "0.1"]).to_string(),
            Ty::Enum => self.random.pick(&COLOURS).to_string(),
            Ty::Pair => {
                let (flag, count) = (self.literal(&Ty::Bool), self.literal(&Ty::Int));
                format!("Pair {{ flag = {flag}; count = {count} }}")
            }
            Ty::Array(element, count) => {
                let all: Vec<_> = (0..*count).map(|_| self.literal(element).to_string()).collect();
                format!("[{}]", all.join(", "))
            }
            Ty::Tuple(_) => unreachable!("tuples come from calls only"),
        };
        Expr::leaf(ty.of_expr(), text)
    }

    fn leaf(&mut self, ty: &Ty, scope: Scope<'_>) -> Expr {
        let usable = scope.usable(ty);
        if usable.is_empty() || self.random.chance(1, 6) {
            return self.literal(ty);
        }
        Expr::leaf(ty.clone(), self.random.pick(&usable).name.clone())
    }

    fn expr(&mut self, ty: &Ty, scope: Scope<'_>, depth: usize) -> Expr {
        if depth == 0 || self.random.chance(1, 7) {
            return self.leaf(ty, scope);
        }
        match self.random.below(12) {
            0 | 1 => self.delay(ty, scope, depth),
            2 => self.choice(ty, scope, depth),
            3 => self.part(ty, scope, depth),
            4 | 5 => match self.caller(ty) {
                Some(node) => self.call(&node, scope, depth),
                None => self.operation(ty, scope, depth),
            },
            _ => self.operation(ty, scope, depth),
        }
    }

    fn delay(&mut self, ty: &Ty, scope: Scope<'_>, depth: usize) -> Expr {
        let operand = self.expr(ty, scope.in_past(), depth - 1);
        let delayed = Expr::new(ty.clone(), &["(pre ", ")"], vec![operand]);
        if self.features.undefined && self.random.chance(1, 3) {
            return delayed;
        }
        let first = self.leaf(ty, scope);
        Expr::new(ty.clone(), &["(", " -> ", ")"], vec![first, delayed])
    }

    fn choice(&mut self, ty: &Ty, scope: Scope<'_>, depth: usize) -> Expr {
        let operands = vec![
            self.expr(&Ty::Bool, scope, depth - 1),
            self.expr(ty, scope, depth - 1),
            self.expr(ty, scope, depth - 1),
        ];
        Expr::new(ty.clone(), &["(if ", " then ", " else ", ")"], operands)
    }

    /// An element of an array or a field of a struct.
    fn part(&mut self, ty: &Ty, scope: Scope<'_>, depth: usize) -> Expr {
        let whole = |whole: &Ty| match whole {
            Ty::Array(element, _) => element.of_expr() == *ty,
            Ty::Pair => *ty == Ty::Bool || *ty == Ty::Int,
            _ => false,
        };
        let count = if scope.past { scope.vars.len() } else { scope.computed };
        let wholes: Vec<&Var> = scope.vars[..count].iter().filter(|var| whole(&var.ty)).collect();
        if wholes.is_empty() {
            return self.operation(ty, scope, depth);
        }
        let var = *self.random.pick(&wholes);
        let name = Expr::leaf(var.ty.clone(), var.name.clone());
        match &var.ty {
            Ty::Array(..) => {
                let index = self.index(scope, depth);
                Expr::new(ty.clone(), &["", "[", "]"], vec![name, index])
            }
            _ => {
                let field = if *ty == Ty::Bool { ".flag" } else { ".count" };
                Expr::new(ty.clone(), &["", field], vec![name])
            }
        }
    }

    /// A node that gives one value of a type.
    fn caller(&mut self, ty: &Ty) -> Option<Node> {
        let fits = |node: &&Node| node.outputs.len() == 1 && node.outputs[0].ty.of_expr() == *ty;
        let fitting: Vec<&Node> = self.nodes.iter().filter(fits).collect();
        if fitting.is_empty() { None } else { Some((*self.random.pick(&fitting)).clone()) }
    }

    fn call(&mut self, node: &Node, scope: Scope<'_>, depth: usize) -> Expr {
        let mut texts = vec![format!("{}(", node.name)];
        let mut operands = Vec::new();
        for input in &node.inputs {
            operands.push(self.expr(&input.ty.of_expr(), scope, depth - 1));
            texts.push(", ".to_string());
        }
        *texts.last_mut().expect("nodes have inputs") = ")".to_string();
        let parts: Vec<Ty> = node.outputs.iter().map(|output| output.ty.of_expr()).collect();
        let ty = if parts.len() == 1 { parts[0].clone() } else { Ty::Tuple(parts.clone()) };
        if self.features.clocks && self.random.chance(1, 2) {
            texts[0].insert_str(0, ", ");
            texts.insert(0, "condact(".to_string());
            operands.insert(0, self.expr(&Ty::Bool, scope, depth - 1));
            for part in &parts {
                texts.last_mut().expect("there are texts").push_str(", ");
                operands.push(self.literal(part));
                texts.push(String::new());
            }
            *texts.last_mut().expect("there are texts") = ")".to_string();
        }
        Expr { ty, texts, operands }
    }

    fn operation(&mut self, ty: &Ty, scope: Scope<'_>, depth: usize) -> Expr {
        match ty {
            Ty::Bool => self.truth(scope, depth),
            Ty::Int | Ty::Range(..) => self.whole_number(scope, depth),
            Ty::Real => self.real(scope, depth),
            Ty::Pair if self.random.chance(1, 2) => {
                let name = self.leaf(ty, scope);
                let (field, part) = *self.random.pick(&[("flag", &Ty::Bool), ("count", &Ty::Int)]);
                let value = self.expr(part, scope, depth - 1);
                Expr::new(ty.clone(), &["(", &format!("{{{field} := "), "})"], vec![name, value])
            }
            Ty::Pair => {
                let flag = self.expr(&Ty::Bool, scope, depth - 1);
                let count = self.expr(&Ty::Int, scope, depth - 1);
                let texts = &["Pair { flag = ", "; count = ", " }"];
                Expr::new(ty.clone(), texts, vec![flag, count])
            }
            Ty::Array(element, _) if self.random.chance(1, 2) => {
                let name = self.leaf(ty, scope);
                let index = self.index(scope, depth);
                let value = self.expr(&element.of_expr(), scope, depth - 1);
                Expr::new(ty.clone(), &["(", "[", " := ", "])"], vec![name, index, value])
            }
            Ty::Array(element, count) => {
                let mut texts = vec![", "; count + 1];
                (texts[0], texts[*count]) = ("[", "]");
                let element = element.of_expr();
                let operands = (0..*count).map(|_| self.expr(&element, scope, depth - 1)).collect();
                Expr::new(ty.clone(), &texts, operands)
            }
            Ty::Enum | Ty::Tuple(_) => self.choice(ty, scope, depth),
        }
    }

    fn binary(&mut self, ty: Ty, of: &Ty, ops: &[&str], scope: Scope<'_>, depth: usize) -> Expr {
        let op = format!(" {} ", self.random.pick(ops));
        let (a, b) = (self.expr(of, scope, depth - 1), self.expr(of, scope, depth - 1));
        Expr::new(ty, &["(", &op, ")"], vec![a, b])
    }

    fn truth(&mut self, scope: Scope<'_>, depth: usize) -> Expr {
        let compare = ["=", "<>", "<", "<=", ">", ">="];
        match self.random.below(9) {
            0 => {
                let operand = self.expr(&Ty::Bool, scope, depth - 1);
                Expr::new(Ty::Bool, &["(not ", ")"], vec![operand])
            }
            1 | 2 => self.binary(Ty::Bool, &Ty::Int, &compare, scope, depth),
            3 if self.features.reals => self.binary(Ty::Bool, &Ty::Real, &compare, scope, depth),
            3 | 4 if self.features.enums => {
                self.binary(Ty::Bool, &Ty::Enum, &compare[..2], scope, depth)
            }
            _ => {
                let ops = ["and", "and", "or", "or", "xor", "=>", "=", "<>"];
                self.binary(Ty::Bool, &Ty::Bool, &ops, scope, depth)
            }
        }
    }

    fn whole_number(&mut self, scope: Scope<'_>, depth: usize) -> Expr {
        match self.random.below(8) {
            0 => {
                let operand = self.expr(&Ty::Int, scope, depth - 1);
                Expr::new(Ty::Int, &["(-", ")"], vec![operand])
            }
            1 if self.features.reals => {
                let operand = self.expr(&Ty::Real, scope, depth - 1);
                Expr::new(Ty::Int, &["floor(", ")"], vec![operand])
            }
            1 | 2 => {
                let op = *self.random.pick(&[" div ", " mod "]);
                let number = self.expr(&Ty::Int, scope, depth - 1);
                let by = self.divisor(&Ty::Int, scope, depth);
                Expr::new(Ty::Int, &["(", op, ")"], vec![number, by])
            }
            _ => self.binary(Ty::Int, &Ty::Int, &["+", "+", "-", "*"], scope, depth),
        }
    }

    fn real(&mut self, scope: Scope<'_>, depth: usize) -> Expr {
        match self.random.below(6) {
            0 => {
                let operand = self.expr(&Ty::Int, scope, depth - 1);
                Expr::new(Ty::Real, &["real(", ")"], vec![operand])
            }
            1 => {
                let number = self.expr(&Ty::Real, scope, depth - 1);
                let by = self.divisor(&Ty::Real, scope, depth);
                Expr::new(Ty::Real, &["(", " / ", ")"], vec![number, by])
            }
            2 => {
                let (a, b) = (self.expr(&Ty::Real, scope, depth - 1), self.literal(&Ty::Real));
                Expr::new(Ty::Real, &["(", " * ", ")"], vec![a, b])
            }
            _ => self.binary(Ty::Real, &Ty::Real, &["+", "-"], scope, depth),
        }
    }

    /// Any number: outside the array as well, but not so that everybody sees it.
    fn index(&mut self, scope: Scope<'_>, depth: usize) -> Expr {
        let index = self.expr(&Ty::Int, scope, depth - 1);
        if is_constant(&index, scope) { Expr::leaf(Ty::Int, "1") } else { index }
    }

    fn divisor(&mut self, ty: &Ty, scope: Scope<'_>, depth: usize) -> Expr {
        if self.features.faults && self.random.chance(2, 3) {
            let divisor = self.expr(ty, scope, depth - 1);
            if !is_constant(&divisor, scope) {
                return divisor;
            }
        }
        let real = *ty == Ty::Real;
        let text = *self.random.pick(&[["2", "2.0"], ["3", "1.5"], ["(-2)", "(-2.0)"]]);
        Expr::leaf(ty.clone(), text[usize::from(real)])
    }
}

/// Whether no variable occurs in an expression.
fn is_constant(expr: &Expr, scope: Scope<'_>) -> bool {
    let mut constant = true;
    expr.each(&mut |inner| constant &= !scope.vars.iter().any(|var| inner.is_var(&var.name)));
    constant
}
