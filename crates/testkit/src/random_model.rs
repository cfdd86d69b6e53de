//! Random models as Lustre texts, far nastier than people write them: nodes that call each other,
//! clocks, arrays, structs, numbers of all kinds, divisions by what may be zero, delays without a
//! first value, and assertions that end in nothing.
//!
//! A model is kept as a tree, so that one that shows a fault can be made smaller and still be a
//! model: [`make::model`] draws one, [`shrink::smallest`] makes it small.

pub mod make;
pub mod shrink;

use std::fmt::{self, Display, Formatter};

/// A model; its last node is the main one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    /// The nodes, each after those it calls.
    pub nodes: Vec<Node>,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Its inputs.
    pub inputs: Vec<Var>,
    /// Its outputs.
    pub outputs: Vec<Var>,
    /// Its other variables.
    pub locals: Vec<Var>,
    /// Its equations.
    pub equations: Vec<Equation>,
    /// Its assertions.
    pub assertions: Vec<Expr>,
    /// The variables that are its properties.
    pub properties: Vec<String>,
}

/// A declared variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
}

/// A type. Every model declares the enumeration and the struct.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `real`
    Real,
    /// `subrange [_, _] of int`; an `int` in every expression.
    Range(i64, i64),
    /// `Colour`
    Enum,
    /// `Pair`
    Pair,
    /// An array.
    Array(Box<Ty>, usize),
    /// Several values at once, as a node with several outputs gives them.
    Tuple(Vec<Ty>),
}

/// An equation for one variable, or for those that a call defines together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equation {
    /// What is defined.
    pub targets: Vec<String>,
    /// By what.
    pub expr: Expr,
}

/// An expression: texts with operands between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// Its type.
    pub ty: Ty,
    /// One text more than there are operands.
    pub texts: Vec<String>,
    /// The operands.
    pub operands: Vec<Expr>,
}

/// What stands before the nodes of every model.
const TYPES: &str = "type Colour = enum { Red, Green, Blue };\n\
                     type Pair = struct { flag : bool; count : int };\n";

/// The constants of the enumeration.
pub const COLOURS: [&str; 3] = ["Red", "Green", "Blue"];

impl Model {
    /// The main node.
    pub fn main(&self) -> &Node {
        self.nodes.last().expect("a model has a main node")
    }

    /// Whether the text of the model holds a word.
    pub fn says(&self, word: &str) -> bool {
        self.to_string().contains(word)
    }
}

impl Ty {
    /// The type of expressions with its values.
    pub fn of_expr(&self) -> Ty {
        match self {
            Ty::Range(..) => Ty::Int,
            ty => ty.clone(),
        }
    }
}

impl Expr {
    /// A variable or a literal.
    pub fn leaf(ty: Ty, text: impl Into<String>) -> Expr {
        Expr { ty, texts: vec![text.into()], operands: Vec::new() }
    }

    /// Operands with texts around them.
    pub fn new(ty: Ty, texts: &[&str], operands: Vec<Expr>) -> Expr {
        assert_eq!(texts.len(), operands.len() + 1, "one text more than operands");
        Expr { ty, texts: texts.iter().map(|text| text.to_string()).collect(), operands }
    }

    /// The plainest value of a type.
    pub fn plain(ty: &Ty) -> Expr {
        let text = match ty {
            Ty::Bool => "false".to_string(),
            Ty::Int => "0".to_string(),
            Ty::Range(low, _) => low.to_string(),
            Ty::Real => "0.0".to_string(),
            Ty::Enum => COLOURS[0].to_string(),
            Ty::Pair => "Pair { flag = false; count = 0 }".to_string(),
            Ty::Array(element, count) => {
                let element = Expr::plain(element).to_string();
                format!("[{}]", vec![element; *count].join(", "))
            }
            Ty::Tuple(parts) => {
                let parts: Vec<String> =
                    parts.iter().map(|ty| Expr::plain(ty).to_string()).collect();
                format!("({})", parts.join(", "))
            }
        };
        Expr::leaf(ty.of_expr(), text)
    }

    /// Every expression in it, itself first.
    pub fn each(&self, see: &mut dyn FnMut(&Expr)) {
        see(self);
        self.operands.iter().for_each(|operand| operand.each(see));
    }

    /// Whether it is the variable `name`.
    pub fn is_var(&self, name: &str) -> bool {
        self.operands.is_empty() && self.texts[0] == name
    }
}

impl Display for Model {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(TYPES)?;
        self.nodes.iter().try_for_each(|node| write!(f, "{node}"))
    }
}

impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let list = |vars: &[Var]| {
            let vars: Vec<String> = vars.iter().map(|v| format!("{} : {}", v.name, v.ty)).collect();
            vars.join("; ")
        };
        let (inputs, outputs) = (list(&self.inputs), list(&self.outputs));
        writeln!(f, "node {}({inputs}) returns ({outputs});", self.name)?;
        if !self.locals.is_empty() {
            writeln!(f, "var {};", list(&self.locals))?;
        }
        writeln!(f, "let")?;
        for Equation { targets, expr } in &self.equations {
            writeln!(f, "  {} = {expr};", targets.join(", "))?;
        }
        for assertion in &self.assertions {
            writeln!(f, "  assert {assertion};")?;
        }
        for property in &self.properties {
            writeln!(f, "  --%PROPERTY {property};")?;
        }
        writeln!(f, "tel;")
    }
}

impl Display for Ty {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Bool => f.write_str("bool"),
            Ty::Int => f.write_str("int"),
            Ty::Real => f.write_str("real"),
            Ty::Range(low, high) => write!(f, "subrange [{low}, {high}] of int"),
            Ty::Enum => f.write_str("Colour"),
            Ty::Pair => f.write_str("Pair"),
            Ty::Array(element, count) => write!(f, "{element}^{count}"),
            Ty::Tuple(_) => f.write_str("no variable is a tuple"),
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.texts[0])?;
        for (operand, text) in self.operands.iter().zip(&self.texts[1..]) {
            write!(f, "{operand}{text}")?;
        }
        Ok(())
    }
}
