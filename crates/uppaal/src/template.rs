//! Templates: the texts of an XML template as trees.

use provoke_base::{Diagnostic, Span};

use crate::ast::{Declaration, Declarator, Expr, Name, Sync, TypeExpr};
use crate::parse::{self, Parsed};
use crate::text::Text;
use crate::xml;

/// A template, read but not resolved.
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Declarator>,
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) locations: Vec<Location>,
    /// The position of the initial location.
    pub(crate) initial: usize,
    pub(crate) edges: Vec<Edge>,
}

#[derive(Debug)]
pub(crate) struct Location {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) invariant: Option<Expr>,
    pub(crate) rate: Option<(Expr, Option<Expr>)>,
    pub(crate) urgent: bool,
    pub(crate) committed: bool,
    pub(crate) at: Option<(i32, i32)>,
    /// What is written at it.
    pub(crate) label: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Edge {
    pub(crate) span: Span,
    /// What is written at it.
    pub(crate) label: Vec<String>,
    pub(crate) source: usize,
    pub(crate) select: Vec<(Name, TypeExpr)>,
    pub(crate) guard: Option<Expr>,
    pub(crate) sync: Option<Sync>,
    pub(crate) update: Vec<Expr>,
    pub(crate) branches: Vec<Branch>,
}

#[derive(Debug)]
pub(crate) struct Branch {
    /// What is written at it.
    pub(crate) label: Vec<String>,
    pub(crate) weight: Option<Expr>,
    pub(crate) update: Vec<Expr>,
    pub(crate) target: usize,
}

/// Reads all texts of a template; errors are added to `found`.
pub(crate) fn read(xml: &xml::Template, found: &mut Vec<Diagnostic>) -> Option<Template> {
    let errors_before = found.len();
    let mut reader = Reader { xml, found };
    let template = reader.template();
    (found.len() == errors_before).then_some(template).flatten()
}

struct Reader<'a> {
    xml: &'a xml::Template,
    found: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn note<T: Default>(&mut self, result: Parsed<T>) -> T {
        result.unwrap_or_else(|diagnostic| {
            self.found.push(diagnostic);
            T::default()
        })
    }

    /// A text that may be missing.
    fn maybe<T>(&mut self, text: &Text, parse: fn(&Text) -> Parsed<T>) -> Option<T> {
        if text.is_blank() {
            return None;
        }
        parse(text).map_err(|diagnostic| self.found.push(diagnostic)).ok()
    }

    fn template(&mut self) -> Option<Template> {
        let xml = self.xml;
        let name = match self.maybe(&xml.name, parse::expression) {
            Some(Expr { kind: crate::ast::ExprKind::Name(text), span, .. }) => Name { text, span },
            _ => {
                let message = "this template has no name that can be used";
                self.found.push(Diagnostic::error("template", xml.span, message));
                return None;
            }
        };
        let parameters = self.note(parse::parameters(&xml.parameter));
        let declarations = self.note(parse::declarations(&xml.declaration));
        let locations = xml.locations.iter().map(|location| self.location(location)).collect();
        let initial = self.initial(&name);
        let edges = self.edges();
        Some(Template { name, parameters, declarations, locations, initial: initial?, edges })
    }

    fn location(&mut self, xml: &xml::Location) -> Location {
        let name = xml.name.text.trim();
        Location {
            name: if name.is_empty() { format!("_{}", xml.id) } else { name.to_string() },
            span: xml.span,
            invariant: self.maybe(&xml.invariant, parse::expression),
            rate: self.maybe(&xml.rate, parse::rate),
            urgent: xml.urgent,
            committed: xml.committed,
            at: xml.at,
            label: lines(&[&xml.invariant, &xml.rate]),
        }
    }

    fn place(&self, id: &str) -> Option<usize> {
        self.xml.locations.iter().position(|location| location.id == id)
    }

    fn initial(&mut self, name: &Name) -> Option<usize> {
        let xml = self.xml;
        let Some((id, span)) = &xml.init else {
            let message = format!("the template `{}` has no initial location", name.text);
            self.found.push(
                Diagnostic::error("no-initial", xml.span, message)
                    .help("add <init ref=\"id0\"/> with the id of a location"),
            );
            return None;
        };
        let place = self.place(id);
        if place.is_none() {
            self.found.push(no_such(*span, id));
        }
        place
    }

    fn edges(&mut self) -> Vec<Edge> {
        let xml = self.xml;
        let from_branchpoint = |edge: &&xml::Edge| xml.branchpoints.contains(&edge.source.0);
        let branches: Vec<&xml::Edge> = xml.edges.iter().filter(from_branchpoint).collect();
        let mut edges = Vec::new();
        for edge in xml.edges.iter().filter(|edge| !from_branchpoint(edge)) {
            let Some(source) = self.place(&edge.source.0) else {
                self.found.push(no_such(edge.source.1, &edge.source.0));
                continue;
            };
            let targets = match xml.branchpoints.contains(&edge.target.0) {
                true => branches.iter().filter(|b| b.source.0 == edge.target.0).copied().collect(),
                false => vec![edge],
            };
            let branches: Vec<Branch> =
                targets.into_iter().filter_map(|branch| self.branch(branch, edge)).collect();
            edges.push(Edge {
                span: edge.span,
                label: lines(&[&edge.select, &edge.guard, &edge.sync, &edge.update]),
                source,
                select: self.maybe(&edge.select, parse::selections).unwrap_or_default(),
                guard: self.maybe(&edge.guard, parse::expression),
                sync: self.maybe(&edge.sync, parse::synchronisation),
                update: self.maybe(&edge.update, parse::updates).unwrap_or_default(),
                branches,
            });
        }
        edges
    }

    fn branch(&mut self, branch: &xml::Edge, edge: &xml::Edge) -> Option<Branch> {
        let own = !std::ptr::eq(branch, edge);
        let Some(target) = self.place(&branch.target.0) else {
            let known = self.xml.branchpoints.contains(&branch.target.0);
            self.found.push(match known {
                true => parse::unsupported(branch.span, "a branchpoint behind a branchpoint"),
                false => no_such(branch.target.1, &branch.target.0),
            });
            return None;
        };
        let labels = [&branch.guard, &branch.sync, &branch.select];
        if own && let Some(label) = labels.iter().find(|label| !label.is_blank()) {
            let message = "behind a branchpoint there are weights and updates only";
            self.found.push(Diagnostic::error("branchpoint", label.whole(), message));
        }
        Some(Branch {
            label: if own { lines(&[&branch.weight, &branch.update]) } else { Vec::new() },
            weight: if own { self.maybe(&branch.weight, parse::expression) } else { None },
            update: match own {
                true => self.maybe(&branch.update, parse::updates).unwrap_or_default(),
                false => Vec::new(),
            },
            target,
        })
    }
}

/// Texts as they are shown, one line each.
fn lines(texts: &[&Text]) -> Vec<String> {
    let shown = texts.iter().map(|text| text.text.split_whitespace().collect::<Vec<_>>().join(" "));
    shown.filter(|line| !line.is_empty()).collect()
}

fn no_such(span: Span, id: &str) -> Diagnostic {
    Diagnostic::error("no-location", span, format!("there is no location `{id}` in this template"))
}
