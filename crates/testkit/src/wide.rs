//! Models with wide decisions and deep nesting, to see what size costs.

/// What a model is made of, so many times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One decision: `x <> 0 and x <> 1 and ...`
    And,
    /// One decision: `x = 0 or x = 1 or ...`
    Or,
    /// One decision of thresholds, of which only one can decide: `x > 0 and x > 1 and ...`
    Thresholds,
    /// One decision with an input for each condition.
    Inputs,
    /// One decision in which `and` and `or` alternate.
    Mixed,
    /// `if x = 0 then .. else if x = 1 then .. else ..`
    If,
    /// A value that is delayed again and again.
    Pre,
}

impl Shape {
    /// The text of a model of this size.
    pub fn model(self, size: usize) -> String {
        let joined = |by: &str, part: &dyn Fn(usize) -> String| {
            (0..size).map(part).collect::<Vec<_>>().join(by)
        };
        let nested = |begin: &dyn Fn(usize) -> String, end: &str| {
            let begin: String = (0..size).map(begin).collect();
            format!("{begin}a{}", end.repeat(size))
        };
        let (inputs, decision) = match self {
            Shape::And => ("x: int".to_string(), joined("\n  and ", &|i| format!("x <> {i}"))),
            Shape::Or => ("x: int".to_string(), joined("\n  or ", &|i| format!("x = {i}"))),
            Shape::Thresholds => {
                ("x: int".to_string(), joined("\n  and ", &|i| format!("x > {i}")))
            }
            Shape::Inputs => {
                let inputs = joined("; ", &|i| format!("b{i}: bool"));
                (inputs, joined("\n  and ", &|i| format!("b{i}")))
            }
            Shape::Mixed => {
                let part = |i: usize| format!("(x <> {i} or {})", ["a", "b"][i % 2]);
                ("x: int; a, b: bool".to_string(), joined("\n  and ", &part))
            }
            Shape::If => {
                let part = |i: usize| format!("if x = {i} then {} a else\n  ", ["", "not"][i % 2]);
                ("x: int; a: bool".to_string(), nested(&part, ""))
            }
            Shape::Pre => ("a: bool".to_string(), nested(&|_| "(false -> pre ".to_string(), ")")),
        };
        format!("node wide({inputs}) returns (y: bool);\nlet\n  y = {decision};\ntel\n")
    }
}
