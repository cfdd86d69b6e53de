//! Contracts: what a node assumes and promises, in a comment after its signature, between `con` and
//! `noc`, or as a contract of its own that nodes import.

use super::{Failed, Parsed, Parser};
use crate::ast::{
    AstClause, AstContract, AstContractNode, AstEquation, AstImport, AstMode, AstNode, Decl, Name,
};
use crate::lex::TokenKind::{End, Ident, Mark, Text, Word};
use crate::lex::{CONTRACT, CONTRACT_END};

/// What ends a contract.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Close {
    /// The end of the comment.
    Comment,
    /// `noc`
    Noc,
    /// `tel`
    Tel,
}

impl Parser<'_> {
    /// The contract after a signature, if there is one.
    pub(super) fn node_contract(&mut self, node: &mut AstNode) -> Parsed<()> {
        while self.kind() == Mark(CONTRACT) || self.at_word("con") {
            self.program.sugared = true;
            let close = if self.kind() == Mark(CONTRACT) { Close::Comment } else { Close::Noc };
            self.bump();
            let mut contract = node.contract.take().unwrap_or_default();
            let read = self.contract_items(&mut contract, close);
            node.contract = Some(contract);
            read?;
            self.eat(Mark(";"));
        }
        Ok(())
    }

    /// `contract name(inputs) returns (outputs); let ... tel`
    pub(super) fn contract_node(&mut self) -> Parsed<()> {
        self.bump();
        self.contract_after_word(Close::Tel)
    }

    /// A whole contract inside a comment, as older tools write it.
    pub(super) fn contract_node_in_comment(&mut self) -> Parsed<()> {
        self.bump();
        self.contract_after_word(Close::Tel)?;
        self.expect(Mark(CONTRACT_END), " to end the comment")?;
        Ok(())
    }

    fn contract_after_word(&mut self, close: Close) -> Parsed<()> {
        self.program.sugared = true;
        let name = self.name("a contract")?;
        let type_params = self.type_params()?;
        let inputs = self.params("the inputs")?;
        self.expect(Word("returns"), " and the outputs")?;
        let outputs = self.params("the outputs")?;
        self.eat(Mark(";"));
        self.expect(Word("let"), " and what the contract says")?;
        let mut contract = AstContract::default();
        let read = self.contract_items(&mut contract, close);
        self.program.contracts.push(AstContractNode {
            name,
            type_params,
            inputs,
            outputs,
            contract,
        });
        read
    }

    fn at_contract_end(&self, close: Close) -> bool {
        match close {
            Close::Comment => self.kind() == Mark(CONTRACT_END),
            Close::Noc => self.at_word("noc"),
            Close::Tel => self.kind() == Word("tel"),
        }
    }

    fn contract_items(&mut self, contract: &mut AstContract, close: Close) -> Parsed<()> {
        while !self.at_contract_end(close) {
            if self.kind() == End {
                return Err(self.unexpected("`assume`, `guarantee`, `mode`, `import` or `var`"));
            }
            self.contract_item(contract)?;
        }
        self.bump();
        if close == Close::Tel && !self.eat(Mark(";")) {
            self.eat(Mark("."));
        }
        Ok(())
    }

    fn contract_item(&mut self, contract: &mut AstContract) -> Parsed<()> {
        match self.kind() {
            Mark(";") => {
                self.bump();
                Ok(())
            }
            Word("var" | "const") => self.ghosts(contract),
            Ident => {
                if self.at_word("weakly") {
                    self.bump();
                }
                match self.slice(self.span()) {
                    "assume" => {
                        let clause = self.clause("the assumption")?;
                        contract.assumes.push(clause);
                    }
                    "guarantee" => {
                        let clause = self.clause("the guarantee")?;
                        contract.guarantees.push(clause);
                    }
                    "mode" => {
                        let mode = self.mode()?;
                        contract.modes.push(mode);
                    }
                    "import" => {
                        let import = self.import()?;
                        contract.imports.push(import);
                    }
                    _ => return Err(self.not_in_contract()),
                }
                Ok(())
            }
            _ => Err(self.not_in_contract()),
        }
    }

    fn not_in_contract(&mut self) -> Failed {
        self.unexpected("`assume`, `guarantee`, `mode`, `import`, `var` or the end of the contract")
    }

    /// `assume "name" expr;` and the like.
    fn clause(&mut self, what: &str) -> Parsed<AstClause> {
        self.bump();
        let name = self.quoted_name();
        let expr = self.expr()?;
        self.expect(Mark(";"), &format!(" after {what}"))?;
        Ok(AstClause { name, expr })
    }

    pub(super) fn quoted_name(&mut self) -> Option<String> {
        (self.kind() == Text).then(|| {
            let span = self.bump();
            self.slice(span).trim_matches('"').to_string()
        })
    }

    fn mode(&mut self) -> Parsed<AstMode> {
        self.bump();
        let name = self.name("a mode")?;
        self.expect(Mark("("), " before what the mode requires and ensures")?;
        let mut mode = AstMode { name, requires: Vec::new(), ensures: Vec::new() };
        while !self.eat(Mark(")")) {
            match self.slice(self.span()) {
                "require" => {
                    let clause = self.clause("the requirement")?;
                    mode.requires.push(clause);
                }
                "ensure" => {
                    let clause = self.clause("what is ensured")?;
                    mode.ensures.push(clause);
                }
                ";" => {
                    self.bump();
                }
                _ => return Err(self.unexpected("`require`, `ensure` or `)`")),
            }
        }
        self.expect(Mark(";"), " after the mode")?;
        Ok(mode)
    }

    fn import(&mut self) -> Parsed<AstImport> {
        self.bump();
        let contract = self.name("a contract")?;
        let types = if self.eat(Mark("@")) { self.type_arguments()? } else { Vec::new() };
        self.expect(Mark("("), " and what stands for the inputs")?;
        let inputs = self.list(Mark(")"), "an argument")?;
        self.expect(Word("returns"), " and what stands for the outputs")?;
        self.expect(Mark("("), " and what stands for the outputs")?;
        let outputs = self.list(Mark(")"), "an output")?;
        self.expect(Mark(";"), " after the import")?;
        Ok(AstImport { contract, types, inputs, outputs })
    }

    /// `var a, b: int, c: bool = expr;`, `const n: int = 3;`
    fn ghosts(&mut self, contract: &mut AstContract) -> Parsed<()> {
        let is_constant = self.kind() == Word("const");
        self.bump();
        let start = self.span();
        let (mut decls, mut untyped): (Vec<Decl>, Vec<Name>) = (Vec::new(), Vec::new());
        loop {
            untyped.push(self.name("a variable")?);
            if self.eat(Mark(":")) {
                let ty = self.type_expr()?;
                let constant = is_constant;
                let typed = untyped.drain(..);
                decls.extend(typed.map(|name| Decl { name, ty: ty.clone(), constant }));
            }
            if !self.eat(Mark(",")) {
                break;
            }
        }
        if let (Some(name), true) = (untyped.first(), is_constant && untyped.len() == 1) {
            return self.untyped_constant(contract, name.clone());
        }
        if !untyped.is_empty() {
            return Err(self.unexpected("`:` and a type"));
        }
        let targets_span = start.to(self.last_span());
        self.expect(Mark("="), " and the value")?;
        let expr = self.expr()?;
        self.expect(Mark(";"), " after the value")?;
        let targets = decls.iter().map(|decl| decl.name.clone()).collect();
        contract
            .ghosts
            .push((decls, AstEquation { targets, targets_span, indices: Vec::new(), expr }));
        Ok(())
    }

    /// `const n = 3;`: its type is that of its value.
    fn untyped_constant(&mut self, contract: &mut AstContract, name: Name) -> Parsed<()> {
        let span = name.span;
        self.expect(Mark("="), " and the constant's value")?;
        let expr = self.expr()?;
        let Some(base) = self.literal_type(expr) else {
            let help = "write the type: `const name: type = value;`";
            return Err(self.unsupported(span, "a constant without a type here", help));
        };
        self.expect(Mark(";"), " after the constant")?;
        let ty = crate::ast::TypeExpr { base, sizes: Vec::new(), span };
        let decls = vec![Decl { name: name.clone(), ty, constant: true }];
        let equation =
            AstEquation { targets: vec![name], targets_span: span, indices: Vec::new(), expr };
        contract.ghosts.push((decls, equation));
        Ok(())
    }

    /// The type of a number or truth value.
    pub(super) fn literal_type(&self, expr: crate::ast::ExprId) -> Option<crate::ast::TypeBase> {
        use crate::ast::{AstExprKind, TypeBase};
        match self.program.exprs[expr].kind {
            AstExprKind::Bool(_) => Some(TypeBase::Bool),
            AstExprKind::Int(_) => Some(TypeBase::Int),
            AstExprKind::Real(_) => Some(TypeBase::Real),
            _ => None,
        }
    }
}
