//! Terms to Z3's terms and back.

use provoke_base::index::Id;
use provoke_base::{Int, Rational};
use provoke_model::{BinaryOp, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ffi::{Ast, Context, Failure, Node};
use crate::horn::{Fact, Horn, RelationId};
use crate::term::{Sort, SymbolId, Term, TermId, Terms};

/// Terms that a context has already.
pub(super) struct Translator {
    pub(super) context: Context,
    known: FxHashMap<TermId, Ast>,
    /// How many symbols are multiplied in a number at most.
    degrees: FxHashMap<TermId, u32>,
    /// How long the chain of one connective is that ends in a term, where that is not 0.
    chains: FxHashMap<TermId, u32>,
    /// What the constants that stand for long chains mean; whoever uses terms asserts them all.
    /// `None` if no constants are wanted.
    definitions: Option<Vec<Ast>>,
}

/// With products of more symbols Z3 may work for minutes without looking at a limit or an
/// interrupt; unrolling `pre x * pre x` doubles them with each step.
const MAX_DEGREE: u32 = 8;

/// So many `and` in a row, or `or`, get a constant that stands for them. Z3 makes one list of such a
/// row, and one of each part of it that somebody asks about: together they would be as long as the
/// square of a decision's width.
const MAX_CHAIN: u32 = 64;

impl Translator {
    /// Nothing translated yet.
    pub(super) fn new(context: Context) -> Translator {
        Translator {
            context,
            known: FxHashMap::default(),
            degrees: FxHashMap::default(),
            chains: FxHashMap::default(),
            definitions: None,
        }
    }

    /// Lets constants stand for long chains, see [`Translator::definitions`].
    pub(super) fn naming_chains(self) -> Translator {
        Translator { definitions: Some(Vec::new()), ..self }
    }

    /// What must hold wherever terms are used that were translated so far, in the order in which it
    /// came up.
    pub(super) fn definitions(&self) -> &[Ast] {
        self.definitions.as_deref().unwrap_or_default()
    }

    /// The term in the context; each term is built once.
    pub(super) fn term(&mut self, terms: &Terms, id: TermId) -> Result<Ast, Failure> {
        for id in terms.reachable(&[id], |id| self.known.contains_key(&id)) {
            self.measure(terms, id)?;
            let ast = self.build(terms, id)?;
            let ast = if self.ends_a_chain(terms, id) { self.name(id, ast)? } else { ast };
            self.known.insert(id, ast);
        }
        Ok(self.known[&id].clone())
    }

    /// The terms in the context.
    pub(super) fn terms(&mut self, terms: &Terms, ids: &[TermId]) -> Result<Vec<Ast>, Failure> {
        ids.iter().map(|id| self.term(terms, *id)).collect()
    }

    /// Notes how long a chain is, and whether it is long enough for a constant.
    fn ends_a_chain(&mut self, terms: &Terms, id: TermId) -> bool {
        let Term::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) = *terms.get(id) else {
            return false;
        };
        let continued =
            |part: &TermId| matches!(*terms.get(*part), Term::Binary(of, ..) if of == op);
        let length = |part: TermId| self.chains.get(&part).copied().unwrap_or(0);
        let length = 1 + [a, b].into_iter().filter(continued).map(length).max().unwrap_or(0);
        let ends = self.definitions.is_some() && length >= MAX_CHAIN;
        self.chains.insert(id, if ends { 0 } else { length });
        ends
    }

    /// A constant that is the same as a term.
    fn name(&mut self, id: TermId, ast: Ast) -> Result<Ast, Failure> {
        let name = self.context.named_bool(&format!("chain{}", id.index()))?;
        let definition = self.context.binary(BinaryOp::Eq, &name, &ast)?;
        self.definitions.get_or_insert_default().push(definition);
        Ok(name)
    }

    /// Notes the degree of a term, unless it is too high.
    fn measure(&mut self, terms: &Terms, id: TermId) -> Result<(), Failure> {
        let of = |part: TermId| self.degrees.get(&part).copied().unwrap_or(0);
        let degree = match *terms.get(id) {
            _ if terms.sort(id) == Sort::Bool => 0,
            Term::Const(_) => 0,
            Term::Symbol(_) => 1,
            Term::Unary(_, a) => of(a),
            Term::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => of(a).max(of(b)),
            Term::Binary(_, a, b) => of(a) + of(b),
            Term::Ite(_, a, b) => of(a).max(of(b)),
        };
        if degree > MAX_DEGREE {
            return Err(Failure::Refused(format!("products of {degree} numbers")));
        }
        if degree > 0 {
            self.degrees.insert(id, degree);
        }
        Ok(())
    }

    fn build(&self, terms: &Terms, id: TermId) -> Result<Ast, Failure> {
        let context = &self.context;
        match terms.get(id) {
            Term::Const(Value::Bool(value)) => context.bool(*value),
            Term::Const(Value::Int(value)) => context.number(&value.to_string(), Sort::Int),
            Term::Const(Value::Real(value)) => context.number(&value.to_string(), Sort::Real),
            Term::Const(value) => panic!("no literal of a term: {value:?}"),
            Term::Symbol(symbol) => context.constant(symbol.index() as u32, terms.sort(id)),
            Term::Unary(op, a) => context.unary(*op, &self.known[a]),
            Term::Binary(op, a, b) => context.binary(*op, &self.known[a], &self.known[b]),
            Term::Ite(a, b, c) => context.ite(&self.known[a], &self.known[b], &self.known[c]),
        }
    }
}

/// The value of a term that is a literal; `None` for others, irrational numbers among them.
pub(super) fn literal(ast: &Ast) -> Option<Value> {
    match ast.node().ok()? {
        Node::Number(text, Sort::Int) => Int::parse(&text).map(Value::Int),
        Node::Number(text, _) => Rational::parse(&text).map(Value::Real),
        _ => ast.as_bool().map(Value::Bool),
    }
}

/// Reads terms of Z3.
pub(super) struct Reader<'a> {
    terms: &'a mut Terms,
    variables: &'a [TermId],
    known: FxHashMap<usize, TermId>,
}

impl<'a> Reader<'a> {
    /// Reads into `terms`; Z3's variable number `i` is `variables[i]`.
    pub(super) fn new(terms: &'a mut Terms, variables: &'a [TermId]) -> Reader<'a> {
        Reader { terms, variables, known: FxHashMap::default() }
    }

    /// The same term as ours, or what it contains that we do not have.
    pub(super) fn term(&mut self, ast: &Ast) -> Result<TermId, Failure> {
        if let Some(&known) = self.known.get(&ast.key()) {
            return Ok(known);
        }
        let term = match ast.node()? {
            Node::Number(..) => match literal(ast) {
                Some(value) => self.terms.constant(value),
                None => return Err(unsupported("an irrational number")),
            },
            Node::Symbol(number) => self.terms.symbol_term(SymbolId::new(number as usize)),
            Node::Variable(number) => self.variables[number as usize],
            Node::Operator(kind, operands) => {
                let operands: Vec<_> =
                    operands.iter().map(|operand| self.term(operand)).collect::<Result<_, _>>()?;
                self.operator(kind, &operands)?
            }
            Node::Relation(..) | Node::Step(_) | Node::Other => {
                return Err(unsupported("a quantifier or function"));
            }
        };
        self.known.insert(ast.key(), term);
        Ok(term)
    }

    /// `kind` is a `Z3_decl_kind`: 0x100 and on are logical, 0x200 and on arithmetic.
    fn operator(&mut self, kind: u32, operands: &[TermId]) -> Result<TermId, Failure> {
        let terms = &mut *self.terms;
        Ok(match (kind, operands) {
            (0x100, []) => terms.bool(true),
            (0x101, []) => terms.bool(false),
            (0x102 | 0x107, [a, b]) => terms.eq(*a, *b),
            (0x104, [a, b, c]) => terms.ite(*a, *b, *c),
            (0x105, all) => terms.all(all),
            (0x106, any) => terms.any(any),
            (0x108, [a, b]) => terms.xor(*a, *b),
            (0x109, [a]) => terms.not(*a),
            (0x10a, [a, b]) => terms.implies(*a, *b),
            (0x202, [a, b]) => terms.le(*a, *b),
            (0x203, [a, b]) => terms.ge(*a, *b),
            (0x204, [a, b]) => terms.lt(*a, *b),
            (0x205, [a, b]) => terms.gt(*a, *b),
            (0x206, [first, rest @ ..]) => rest.iter().fold(*first, |a, b| terms.add(a, *b)),
            (0x207, [first, rest @ ..]) => rest.iter().fold(*first, |a, b| terms.sub(a, *b)),
            (0x208, [a]) => terms.neg(*a),
            (0x209, [first, rest @ ..]) => rest.iter().fold(*first, |a, b| terms.mul(a, *b)),
            (0x20a, [a, b]) => terms.div(*a, *b),
            (0x20b, [a, b]) => terms.int_div(*a, *b),
            (0x20d, [a, b]) => terms.modulo(*a, *b),
            (0x20e, [a]) => terms.to_real(*a),
            (0x20f, [a]) => terms.floor(*a),
            _ => return Err(unsupported(&format!("operator {kind:#x}"))),
        })
    }
}

/// The facts of a derivation, each after those it follows from. A step of a derivation is an
/// operator whose last operand is what it concludes.
pub(super) fn facts(derivation: &Ast, horn: &Horn) -> Result<Vec<Fact>, Failure> {
    let mut facts = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![(derivation.clone(), false)];
    while let Some((step, entered)) = open.pop() {
        let Node::Step(mut operands) = step.node()? else { continue };
        if entered {
            let fact = operands.pop().map(|conclusion| fact(&conclusion, horn)).transpose()?;
            facts.extend(fact.flatten());
        } else if seen.insert(step.key()) {
            open.push((step, true));
            open.extend(operands.into_iter().rev().map(|operand| (operand, false)));
        }
    }
    facts.dedup();
    Ok(facts)
}

fn fact(conclusion: &Ast, horn: &Horn) -> Result<Option<Fact>, Failure> {
    let Node::Relation(number, arguments) = conclusion.node()? else { return Ok(None) };
    let relation = RelationId::new(number as usize);
    let values: Option<Vec<_>> = arguments.iter().map(literal).collect();
    let complete = |values: &Vec<_>| values.len() == horn.relations[relation].len();
    Ok(values.filter(complete).map(|values| Fact { relation, values }))
}

fn unsupported(what: &str) -> Failure {
    Failure::Unreadable(format!("the answer contains {what}"))
}
