//! An UPPAAL file as a tree of texts: nothing is understood yet, everything has its place.

use provoke_base::{Diagnostic, SourceFile, Span};
use roxmltree::{Node, ParsingOptions};

use crate::text::Text;

/// An element of XML takes about a hundred bytes of memory.
const MAX_NODES: u32 = 4_000_000;

/// `<nta>`
#[derive(Clone, Debug, Default)]
pub(crate) struct Document {
    pub(crate) declaration: Text,
    pub(crate) templates: Vec<Template>,
    pub(crate) instantiation: Text,
    pub(crate) system: Text,
    pub(crate) queries: Vec<QueryText>,
    /// Parts that are known by name, but not read.
    pub(crate) unsupported: Vec<(Span, &'static str)>,
}

/// `<template>`
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(crate) span: Span,
    pub(crate) name: Text,
    pub(crate) parameter: Text,
    pub(crate) declaration: Text,
    pub(crate) locations: Vec<Location>,
    pub(crate) branchpoints: Vec<String>,
    pub(crate) init: Option<(String, Span)>,
    pub(crate) edges: Vec<Edge>,
}

/// `<location>`
#[derive(Clone, Debug)]
pub(crate) struct Location {
    pub(crate) id: String,
    pub(crate) span: Span,
    pub(crate) name: Text,
    pub(crate) invariant: Text,
    pub(crate) rate: Text,
    pub(crate) urgent: bool,
    pub(crate) committed: bool,
    /// Where it is drawn.
    pub(crate) at: Option<(i32, i32)>,
}

/// `<transition>`
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) span: Span,
    pub(crate) source: (String, Span),
    pub(crate) target: (String, Span),
    pub(crate) select: Text,
    pub(crate) guard: Text,
    pub(crate) sync: Text,
    pub(crate) update: Text,
    pub(crate) weight: Text,
}

/// `<query>`
#[derive(Clone, Debug)]
pub(crate) struct QueryText {
    pub(crate) formula: Text,
    pub(crate) comment: String,
    /// What the file says that another tool answered.
    pub(crate) outcome: Option<String>,
}

pub(crate) fn read(file: &SourceFile) -> Result<Document, Diagnostic> {
    let options =
        ParsingOptions { allow_dtd: true, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text);
    let tree = roxmltree::Document::parse_with_options(text, options)
        .map_err(|error| malformed(file, &error))?;
    let reader = Reader { source: text, shift: file.text.len() - text.len() };
    let root = tree.root_element();
    if !root.has_tag_name("nta") {
        let found = root.tag_name().name();
        let start = root.range().start;
        let message = format!("the root of this file is `{found}`, not `nta`");
        return Err(Diagnostic::error("not-a-model", Span::new(start, start + 1), message)
            .help("give the XML file that UPPAAL saves a model in"));
    }
    Ok(reader.document(root))
}

fn malformed(file: &SourceFile, error: &roxmltree::Error) -> Diagnostic {
    let pos = error.pos();
    let line = file.text.split_inclusive('\n').take(pos.row as usize - 1).map(str::len);
    let start = line.sum::<usize>();
    let column = file.text.get(start..).unwrap_or("").chars().take(pos.col as usize - 1);
    let at = (start + column.map(char::len_utf8).sum::<usize>()).min(file.text.len());
    let text = error.to_string();
    let message = text.split(" at ").next().unwrap_or(&text);
    Diagnostic::error("xml", Span::new(at, at), format!("not well-formed XML: {message}"))
        .help("open and save the model in UPPAAL, or correct the markup here")
}

struct Reader<'a> {
    source: &'a str,
    /// What was cut off in front of the text.
    shift: usize,
}

type Element<'a> = Node<'a, 'a>;

impl Reader<'_> {
    fn document(&self, root: Element<'_>) -> Document {
        let mut document = Document::default();
        for child in root.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "declaration" => document.declaration = self.text(child),
                "template" => document.templates.push(self.template(child)),
                "instantiation" => document.instantiation = self.text(child),
                "system" => document.system = self.text(child),
                "queries" => document.queries = self.queries(child),
                "imports" if !self.text(child).is_blank() => {
                    document.unsupported.push((self.tag(child), "imports"));
                }
                "lsc" => document.unsupported.push((self.tag(child), "live sequence charts")),
                _ => {}
            }
        }
        document
    }

    fn template(&self, node: Element<'_>) -> Template {
        let each = |name: &'static str| node.children().filter(move |n| n.has_tag_name(name));
        let id = |n: Node<'_, '_>| n.attribute("id").unwrap_or("").to_string();
        Template {
            span: self.tag(node),
            name: self.child(node, "name"),
            parameter: self.child(node, "parameter"),
            declaration: self.child(node, "declaration"),
            locations: each("location").map(|n| self.location(n)).collect(),
            branchpoints: each("branchpoint").map(id).collect(),
            init: each("init").next().map(|n| self.reference(n)),
            edges: each("transition").map(|n| self.edge(n)).collect(),
        }
    }

    fn location(&self, node: Element<'_>) -> Location {
        let has = |name: &str| node.children().any(|n| n.has_tag_name(name));
        let number = |name| node.attribute(name).and_then(|text| text.parse().ok());
        Location {
            id: node.attribute("id").unwrap_or("").to_string(),
            span: self.tag(node),
            name: self.child(node, "name"),
            invariant: self.label(node, "invariant"),
            rate: self.label(node, "exponentialrate"),
            urgent: has("urgent"),
            committed: has("committed"),
            at: number("x").zip(number("y")),
        }
    }

    fn edge(&self, node: Element<'_>) -> Edge {
        let end = |name| {
            let found = node.children().find(|n| n.has_tag_name(name));
            found.map_or_else(|| (String::new(), self.tag(node)), |n| self.reference(n))
        };
        Edge {
            span: self.tag(node),
            source: end("source"),
            target: end("target"),
            select: self.label(node, "select"),
            guard: self.label(node, "guard"),
            sync: self.label(node, "synchronisation"),
            update: self.label(node, "assignment"),
            weight: self.label(node, "probability"),
        }
    }

    fn queries(&self, node: Element<'_>) -> Vec<QueryText> {
        let queries = node.descendants().filter(|n| n.has_tag_name("query"));
        let query = |n: Element<'_>| QueryText {
            formula: self.child(n, "formula"),
            comment: self.child(n, "comment").text.trim().to_string(),
            outcome: n
                .children()
                .find(|c| c.has_tag_name("result"))
                .and_then(|c| c.attribute("outcome"))
                .map(str::to_string),
        };
        queries.map(query).filter(|query| !query.formula.is_blank()).collect()
    }

    fn reference(&self, node: Element<'_>) -> (String, Span) {
        (node.attribute("ref").unwrap_or("").to_string(), self.tag(node))
    }

    fn child(&self, node: Element<'_>, name: &str) -> Text {
        let found = node.children().find(|child| child.has_tag_name(name));
        found.map(|child| self.text(child)).unwrap_or_default()
    }

    fn label(&self, node: Element<'_>, kind: &str) -> Text {
        let wanted = |n: &Element<'_>| n.has_tag_name("label") && n.attribute("kind") == Some(kind);
        node.children().find(wanted).map(|label| self.text(label)).unwrap_or_default()
    }

    /// What an element holds; without anything, the place of its tag.
    fn text(&self, node: Element<'_>) -> Text {
        let ends = node.first_child().zip(node.last_child());
        let (start, end) = match ends {
            Some((first, last)) => (first.range().start, last.range().end),
            None => (node.range().start, node.range().start),
        };
        let mut text = Text::decode(self.source, start, end);
        text.shift(self.shift);
        text
    }

    /// The start tag of an element: all of it would be too long to show.
    fn tag(&self, node: Element<'_>) -> Span {
        let range = node.range();
        let length = self.source[range.clone()].find('>').map_or(range.len(), |found| found + 1);
        Span::new(range.start + self.shift, range.start + length + self.shift)
    }
}
