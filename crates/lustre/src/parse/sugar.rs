//! What the dialects add: types with parameters, refinements and tuples, datatypes, quantifiers,
//! updates, and definitions of arrays element by element.

use provoke_base::{Diagnostic, Int, Rational, Span};

use super::expr::IMPLIES;
use super::{Failed, Parsed, Parser};
use crate::ast::{AstExprKind, Decl, ExprId, Name, TypeBase, TypeBody, TypeDef, TypeExpr};
use crate::lex::TokenKind;
use crate::lex::TokenKind::{Ident, Mark};
use crate::sugar::{Accessor, Pattern, Quantified, Sugar, TypeSugar};

/// Types.
impl Parser<'_> {
    /// `<T; U>` behind a name that is declared.
    pub(super) fn type_params(&mut self) -> Parsed<Vec<Name>> {
        if self.kind() != Mark("<") {
            return Ok(Vec::new());
        }
        self.program.sugared = true;
        self.angles(|parser| parser.name("a type"))
    }

    /// `<int; bool>` behind a name that is used.
    pub(super) fn type_arguments(&mut self) -> Parsed<Vec<TypeExpr>> {
        self.angles(Self::type_expr)
    }

    /// What stands between `<` and `>`, or between `<<` and `>>`.
    fn angles<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect(Mark("<"), " before the types")?;
        let double = self.eat(Mark("<"));
        let mut items = vec![item(self)?];
        while self.eat(Mark(";")) || self.eat(Mark(",")) {
            items.push(item(self)?);
        }
        self.expect(Mark(">"), " after the types")?;
        if double {
            self.expect(Mark(">"), " after the types")?;
        }
        Ok(items)
    }

    pub(super) fn type_sugar(&mut self, sugar: TypeSugar) -> TypeBase {
        self.program.sugared = true;
        TypeBase::Sugar(Box::new(sugar))
    }

    /// `uint<12>`, `sint<5>`
    pub(super) fn at_machine(&self) -> bool {
        (self.at_word("uint") || self.at_word("sint")) && self.kind_after(1) == Mark("<")
    }

    pub(super) fn applied_type(&mut self) -> Parsed<TypeBase> {
        let name = self.name("a type")?;
        if matches!(&*name.text, "map" | "set") {
            let construct = format!("a `{}` type", name.text);
            let help = "use an array with an index type of known size, or Booleans for members";
            return Err(self.unsupported(name.span, &construct, help));
        }
        let arguments = self.type_arguments()?;
        Ok(self.type_sugar(TypeSugar::Applied(name, arguments)))
    }

    pub(super) fn tuple_type(&mut self) -> Parsed<TypeBase> {
        self.expect(Mark("["), " before the types of a tuple")?;
        let mut items = vec![self.type_expr()?];
        while self.eat(Mark(",")) {
            items.push(self.type_expr()?);
        }
        self.expect(Mark("]"), " after the types of a tuple")?;
        Ok(self.type_sugar(TypeSugar::Tuple(items)))
    }

    /// `subtype { x: T | p }`
    pub(super) fn refined_type(&mut self) -> Parsed<TypeBase> {
        self.bump();
        let (name, ty, condition) = self.refinement()?;
        Ok(self.type_sugar(TypeSugar::Refined(name, ty, condition)))
    }

    /// `{ x: T | p }`
    pub(super) fn refinement(&mut self) -> Parsed<(Name, TypeExpr, ExprId)> {
        self.expect(Mark("{"), " before the refined type")?;
        let name = self.name("a variable")?;
        self.expect(Mark(":"), " and a type")?;
        let ty = self.type_expr()?;
        self.expect(Mark("|"), " and a condition")?;
        let condition = self.expr()?;
        self.expect(Mark("}"), " after the condition")?;
        Ok((name, ty, condition))
    }

    /// `x: T | p` in a declaration.
    pub(super) fn refined_decl(&mut self, names: &[Name], ty: TypeExpr) -> Parsed<TypeExpr> {
        if self.kind() != Mark("|") {
            return Ok(ty);
        }
        let [name] = names else {
            return Err(self.unexpected("a single variable before a condition on it"));
        };
        self.bump();
        let condition = self.expr()?;
        let span = ty.span.to(self.last_span());
        let base = self.type_sugar(TypeSugar::Refined(name.clone(), ty, condition));
        Ok(TypeExpr { base, sizes: Vec::new(), span })
    }

    /// A bound of a subrange; `*` is none.
    pub(super) fn bound(&mut self) -> Parsed<Option<ExprId>> {
        if self.eat(Mark("*")) { Ok(None) } else { self.expr().map(Some) }
    }

    /// `datatype D<T> = A | B (x: T, y: int);`
    pub(super) fn datatype(&mut self) -> Parsed<()> {
        self.bump();
        self.program.sugared = true;
        let name = self.name("a datatype")?;
        let params = self.type_params()?;
        self.expect(Mark("="), " and the constructors")?;
        self.eat(Mark("|"));
        let mut constructors = vec![self.constructor()?];
        while self.eat(Mark("|")) {
            constructors.push(self.constructor()?);
        }
        let body = TypeBody::Datatype(constructors);
        self.program.types.push(TypeDef { name, params, body });
        self.expect(Mark(";"), " after the datatype")?;
        Ok(())
    }

    fn constructor(&mut self) -> Parsed<(Name, Vec<Decl>)> {
        let name = self.name("a constructor")?;
        let mut fields = Vec::new();
        if self.eat(Mark("(")) {
            while self.kind() != Mark(")") {
                let field = self.name("a field")?;
                self.expect(Mark(":"), " and a type")?;
                fields.push(Decl { name: field, ty: self.type_expr()?, constant: false });
                if !(self.eat(Mark(",")) || self.eat(Mark(";"))) && self.kind() != Mark(")") {
                    return Err(self.unexpected("`)` or `,` after the field"));
                }
            }
            self.bump();
        }
        Ok((name, fields))
    }

    /// The index variables of `a[i][j] = ...`.
    pub(super) fn indices(&mut self, targets: &[Name]) -> Parsed<Vec<Name>> {
        let mut indices = Vec::new();
        while self.kind() == Mark("[") {
            let span = self.bump();
            if self.kind() != Ident || self.kind_after(1) != Mark("]") || targets.len() != 1 {
                let help = "write the whole array: `a = [e0, e1, ...];`, or all elements: \
                            `a[i] = e;`";
                return Err(self.unsupported(span, "an equation for one array element", help));
            }
            indices.push(self.name("an index")?);
            self.bump();
            self.program.sugared = true;
        }
        Ok(indices)
    }
}

/// Expressions.
impl Parser<'_> {
    fn sugar(&mut self, sugar: Sugar, span: Span) -> Parsed<ExprId> {
        self.program.sugared = true;
        self.add(AstExprKind::Sugar(Box::new(sugar)), span)
    }

    pub(super) fn is_node(&self, name: &str) -> bool {
        self.program.nodes.iter().any(|node| *node.name.text == *name)
    }

    /// Whether a quantifier starts here.
    pub(super) fn at_quantifier(&self) -> bool {
        let word = ["forall", "exists"].into_iter().find(|word| self.at_word(word));
        self.kind_after(1) == Mark("(") && word.is_some_and(|word| !self.is_node(word))
    }

    /// Takes in all but `->`, as in Kind 2.
    pub(super) fn quantified(&mut self) -> Parsed<ExprId> {
        let universal = self.at_word("forall");
        let start = self.bump();
        self.expect(Mark("("), " before the variables")?;
        let variables = self.decls(Mark(")"), "a variable")?;
        self.expect(Mark(")"), " after the variables")?;
        let body = self.nested(|parser| parser.binary_expr(IMPLIES))?;
        let span = start.to(self.span_of(body));
        self.sugar(Sugar::Quantified(Quantified { universal, variables, body }), span)
    }

    /// Whether `match e with` starts here, not something called `match`.
    pub(super) fn at_match(&self) -> bool {
        let begins = match self.kind_after(1) {
            Ident | TokenKind::Int | TokenKind::Word(_) => true,
            Mark("(") => !self.is_node("match"),
            _ => false,
        };
        self.at_word("match") && begins
    }

    pub(super) fn match_expr(&mut self) -> Parsed<ExprId> {
        let start = self.bump();
        let value = self.expr()?;
        if !self.at_word("with") {
            return Err(self.unexpected("`with` and the cases"));
        }
        self.bump();
        self.eat(Mark("|"));
        let mut cases = vec![self.case()?];
        while self.eat(Mark("|")) {
            cases.push(self.case()?);
        }
        if !self.at_word("end") {
            return Err(self.unexpected("`end` after the cases, or `|` and another one"));
        }
        let end = self.bump();
        self.sugar(Sugar::Match(value, cases), start.to(end))
    }

    fn case(&mut self) -> Parsed<(Pattern, ExprId)> {
        let pattern = self.pattern(0)?;
        self.expect(Mark(":"), " and the value in this case")?;
        Ok((pattern, self.expr()?))
    }

    fn pattern(&mut self, depth: usize) -> Parsed<Pattern> {
        const MAX_PATTERN_DEPTH: usize = 100;
        let name = self.name("a constructor or variable")?;
        if &*name.text == "_" {
            return Ok(Pattern::Anything(name.span));
        }
        if self.kind() != Mark("(") || depth >= MAX_PATTERN_DEPTH {
            return Ok(Pattern::Name(name));
        }
        self.bump();
        let mut parts = Vec::new();
        while self.kind() != Mark(")") {
            parts.push(self.pattern(depth + 1)?);
            if !self.eat(Mark(",")) && self.kind() != Mark(")") {
                return Err(self.unexpected("`)` or `,` after the pattern"));
            }
        }
        self.bump();
        Ok(Pattern::Constructor(name, parts))
    }

    /// `C?(e)`
    pub(super) fn tester(&mut self, name: Name) -> Parsed<ExprId> {
        let start = name.span;
        self.bump();
        self.expect(Mark("("), " and the value to look at")?;
        let value = self.expr()?;
        let end = self.expect(Mark(")"), " after the value")?;
        self.sugar(Sugar::Tester(name, value), start.to(end))
    }

    /// `f@<T>(...)`, `R@<T> {...}`, `C@<T>`
    pub(super) fn typed(&mut self, name: Name) -> Parsed<ExprId> {
        let start = name.span;
        self.bump();
        let types = self.type_arguments()?;
        let sugar = match self.kind() {
            Mark("(") => {
                self.bump();
                let arguments = self.list(Mark(")"), "an argument")?;
                Sugar::TypedCall(name, types, arguments)
            }
            Mark("{") if self.kind_after(2) == Mark("=") => {
                let fields = self.record_fields()?;
                Sugar::TypedRecord(name, types, fields)
            }
            _ => Sugar::TypedName(name, types),
        };
        self.sugar(sugar, start.to(self.last_span()))
    }

    /// `'(a, b)`
    pub(super) fn tuple_value(&mut self) -> Parsed<ExprId> {
        let start = self.bump();
        self.expect(Mark("("), " before the components of a tuple")?;
        let items = self.list(Mark(")"), "a component")?;
        self.sugar(Sugar::TupleValue(items), start.to(self.last_span()))
    }

    /// `{a, b}` is a tuple in Kind 2 up to 2 and a set from 3 on.
    pub(super) fn braces(&mut self) -> Failed {
        let span = self.span();
        let help = "write a tuple as `'(a, b)`; sets are not supported yet";
        self.report.add(
            Diagnostic::error("ambiguous-braces", span, "a value in braces has two meanings")
                .label("a tuple in Kind 2 up to version 2, a set from version 3 on")
                .help(help),
        );
        Failed
    }

    /// `t.%0`
    pub(super) fn projection(&mut self, tuple: ExprId) -> Parsed<ExprId> {
        self.bump();
        self.bump();
        let span = self.expect(TokenKind::Int, ", the number of a component")?;
        let number = self.slice(span).parse::<usize>().unwrap_or(usize::MAX);
        let whole = self.span_of(tuple).to(span);
        self.sugar(Sugar::Projection(tuple, number), whole)
    }

    /// `e^n`
    pub(super) fn repeat(&mut self, element: ExprId) -> Parsed<ExprId> {
        self.bump();
        let count = self.primary()?;
        let span = self.span_of(element).to(self.span_of(count));
        self.sugar(Sugar::Repeat(element, count), span)
    }

    /// The rest of `e[k := v; l := w]` behind `e[k`.
    pub(super) fn update(&mut self, value: ExprId, key: ExprId) -> Parsed<ExprId> {
        self.bump();
        let mut updates = vec![(vec![Accessor::Key(key)], self.expr()?)];
        while self.eat(Mark(";")) {
            let key = self.expr()?;
            self.expect(Mark(":="), " and the new value")?;
            updates.push((vec![Accessor::Key(key)], self.expr()?));
        }
        let end = self.expect(Mark("]"), " after the update")?;
        let span = self.span_of(value).to(end);
        let named = matches!(self.program.exprs[key].kind, AstExprKind::Name(_));
        if updates.len() == 1 && !named {
            return self.add(AstExprKind::WithIndex(value, key, updates[0].1), span);
        }
        self.sugar(Sugar::Update(value, updates), span)
    }

    /// The rest of `e[high:low]` behind `e[high`.
    pub(super) fn bits(&mut self, value: ExprId, high: ExprId) -> Parsed<ExprId> {
        self.bump();
        let low = self.expr()?;
        let end = self.expect(Mark("]"), " after the lowest bit")?;
        let span = self.span_of(value).to(end);
        self.sugar(Sugar::Bits(value, high, low), span)
    }

    pub(super) fn concat(&mut self, left: ExprId, right: ExprId) -> Parsed<ExprId> {
        let span = self.span_of(left).to(self.span_of(right));
        self.sugar(Sugar::Concat(left, right), span)
    }

    /// The rest of `(e : T)` behind `(e`.
    pub(super) fn ascription(&mut self, start: Span, value: ExprId) -> Parsed<ExprId> {
        self.bump();
        let ty = self.type_expr()?;
        let end = self.expect(Mark(")"), " after the type")?;
        self.sugar(Sugar::Ascription(value, ty), start.to(end))
    }

    /// The rest of `(e with .f[i] = v)` behind `(e`.
    pub(super) fn with(&mut self, start: Span, value: ExprId) -> Parsed<ExprId> {
        self.bump();
        let mut path = Vec::new();
        loop {
            if self.eat(Mark(".")) {
                path.push(Accessor::Field(self.name("a field")?));
            } else if self.eat(Mark("[")) {
                path.push(Accessor::Key(self.expr()?));
                self.expect(Mark("]"), " after the index")?;
            } else {
                break;
            }
        }
        if path.is_empty() {
            return Err(self.unexpected("`.field` or `[index]` after `with`"));
        }
        self.expect(Mark("="), " and the new value")?;
        let new = self.expr()?;
        let end = self.expect(Mark(")"), " after the update")?;
        self.sugar(Sugar::Update(value, vec![(path, new)]), start.to(end))
    }
}

/// The value of `0x1F`; `None` if it is no hexadecimal number or too long.
pub(super) fn hexadecimal(text: &str) -> Option<Int> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    if digits.len() > Int::MAX_DIGITS {
        return None;
    }
    digits.chars().try_fold(Int::ZERO, |value, digit| {
        let digit = Int::from(i64::from(digit.to_digit(16)?));
        Some(value.mul(&Int::from(16)).add(&digit))
    })
}

/// The value of `0x3.1p-5`.
pub(super) fn hexadecimal_real(text: &str) -> Option<Rational> {
    let (mantissa, exponent) = text.split_once(['p', 'P']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.parse::<i64>().ok()?;
    if exponent.abs() > Rational::MAX_EXPONENT || fraction.len() > Int::MAX_DIGITS {
        return None;
    }
    let digits = hexadecimal(&format!("{whole}{fraction}"))?;
    let exponent = exponent - 4 * fraction.len() as i64;
    let power = (0..exponent.abs()).fold(Int::from(1), |power, _| power.mul(&Int::from(2)));
    match exponent < 0 {
        true => Rational::new(&digits, &power),
        false => Rational::new(&digits.mul(&power), &Int::from(1)),
    }
}

/// Calls `visit` for each operand of an expression, in the order they are written.
pub(super) fn for_each_operand(sugar: &Sugar, mut visit: impl FnMut(ExprId)) {
    match sugar {
        Sugar::Repeat(a, b) | Sugar::Concat(a, b) => [*a, *b].into_iter().for_each(visit),
        Sugar::Bits(a, b, c) => [*a, *b, *c].into_iter().for_each(visit),
        Sugar::Update(value, updates) => {
            visit(*value);
            for (path, new) in updates {
                for accessor in path {
                    if let Accessor::Key(key) = accessor {
                        visit(*key);
                    }
                }
                visit(*new);
            }
        }
        Sugar::TupleValue(items) | Sugar::TypedCall(_, _, items) => {
            items.iter().copied().for_each(visit);
        }
        Sugar::Projection(a, _) | Sugar::Ascription(a, _) | Sugar::Tester(_, a) => visit(*a),
        Sugar::Quantified(quantified) => visit(quantified.body),
        Sugar::Match(value, cases) => {
            visit(*value);
            cases.iter().for_each(|(_, case)| visit(*case));
        }
        Sugar::TypedName(..) => {}
        Sugar::TypedRecord(_, _, fields) => fields.iter().for_each(|(_, value)| visit(*value)),
    }
}

/// The same for operands that are to be replaced.
pub(super) fn for_each_operand_mut(sugar: &mut Sugar, mut visit: impl FnMut(&mut ExprId)) {
    match sugar {
        Sugar::Repeat(a, b) | Sugar::Concat(a, b) => [a, b].into_iter().for_each(visit),
        Sugar::Bits(a, b, c) => [a, b, c].into_iter().for_each(visit),
        Sugar::Update(value, updates) => {
            visit(value);
            for (path, new) in updates {
                for accessor in path {
                    if let Accessor::Key(key) = accessor {
                        visit(key);
                    }
                }
                visit(new);
            }
        }
        Sugar::TupleValue(items) | Sugar::TypedCall(_, _, items) => {
            items.iter_mut().for_each(visit);
        }
        Sugar::Projection(a, _) | Sugar::Ascription(a, _) | Sugar::Tester(_, a) => visit(a),
        Sugar::Quantified(quantified) => visit(&mut quantified.body),
        Sugar::Match(value, cases) => {
            visit(value);
            cases.iter_mut().for_each(|(_, case)| visit(case));
        }
        Sugar::TypedName(..) => {}
        Sugar::TypedRecord(_, _, fields) => fields.iter_mut().for_each(|(_, value)| visit(value)),
    }
}
