//! Bytes drive a grammar, so that most texts are well-formed: names, types, flattening,
//! causality, printing.

#![no_main]

use std::fmt::Write;

use libfuzzer_sys::fuzz_target;
use provoke_base::SourceFile;

struct Source<'a> {
    bytes: &'a [u8],
}

impl Source<'_> {
    fn below(&mut self, bound: usize) -> usize {
        let Some((first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        *first as usize % bound
    }

    fn pick<'t>(&mut self, items: &[&'t str]) -> &'t str {
        items[self.below(items.len())]
    }

    fn ty(&mut self) -> &'static str {
        self.pick(&["bool", "int", "real", "Color", "Point", "int[3]", "Small", "bool[2][2]"])
    }

    fn name(&mut self) -> &'static str {
        self.pick(&["a", "b", "c", "d", "p", "q", "u", "v", "N", "Red", "Green", "ORIGIN"])
    }

    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.below(4) {
                0 => self.pick(&["0", "1", "2.5", "true", "false", "-3", "1.", "7e2"]).to_string(),
                _ => self.name().to_string(),
            };
        }
        let next = depth - 1;
        match self.below(14) {
            0 => format!("({})", self.expr(next)),
            1 => format!("if {} then {} else {}", self.expr(next), self.expr(next), self.expr(next)),
            2 => format!("{} -> pre {}", self.expr(next), self.expr(next)),
            3 => format!("pre({})", self.expr(next)),
            4 => format!("{}({}, {})", self.pick(&["f", "g", "h"]), self.expr(next), self.expr(next)),
            5 => format!("condact({}, f({}, {}), {})", self.expr(next), self.expr(next), self.expr(next), self.expr(next)),
            6 => format!("({}, {})", self.expr(next), self.expr(next)),
            7 => format!("[{}, {}, {}]", self.expr(next), self.expr(next), self.expr(next)),
            8 => format!("Point {{ x = {}; y = {} }}", self.expr(next), self.expr(next)),
            9 => format!("({}).{}", self.expr(next), self.pick(&["x", "y", "z"])),
            10 => format!("({})[{}]", self.expr(next), self.expr(next)),
            11 => format!("({}){{x := {}}}", self.expr(next), self.expr(next)),
            12 => format!("{}({})", self.pick(&["not ", "-", "real", "floor", "pre "]), self.expr(next)),
            _ => {
                let op = self.pick(&["and", "or", "xor", "=>", "=", "<>", "<", ">=", "+", "-", "*", "/", "div", "mod"]);
                format!("({} {op} {})", self.expr(next), self.expr(next))
            }
        }
    }

    fn node(&mut self, name: &str) -> String {
        let mut text = format!("node {name}(a: {}; b: {}) returns (", self.ty(), self.ty());
        let _ = write!(text, "c: {}", self.ty());
        let two = self.below(2) == 1;
        if two {
            let _ = write!(text, "; d: {}", self.ty());
        }
        let _ = write!(text, ");\nvar u: {}; v: {};\nlet\n", self.ty(), self.ty());
        let targets: &[&str] = if two { &["c", "d", "u", "v"] } else { &["c", "u", "v"] };
        for target in targets {
            let depth = 1 + self.below(4);
            let _ = writeln!(text, "  {target} = {};", self.expr(depth));
        }
        if self.below(3) == 0 {
            let _ = writeln!(text, "  assert {};", self.expr(2));
        }
        if self.below(3) == 0 {
            let _ = writeln!(text, "  --%PROPERTY {};", self.expr(2));
        }
        text + "tel\n"
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut source = Source { bytes };
    let mut text = "type Color = enum { Red, Green };\ntype Point = struct { x: int; y: int };\n\
        type Small = subrange [0, 3] of int;\nconst N = 3;\nconst ORIGIN = Point { x = 0; y = N };\n"
        .to_string();
    for name in ["f", "g", "h", "main"] {
        text += &source.node(name);
    }
    provoke_fuzz::exercise(&SourceFile::new("fuzz.lus", text));
});
