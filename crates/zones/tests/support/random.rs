//! Random small networks, as text.

use provoke_base::{Random, SourceFile};

use provoke_testkit::timed_texts::{model, template};

const PRIORITIES: [&str; 4] = [
    "chan priority default < a < b;",
    "chan priority a, b < default;",
    "chan priority b < default < u;",
    "chan priority u < default < a, b;",
];

/// The largest constant that clocks are compared with.
pub(crate) const LARGEST: i64 = 3;

/// A network of two or three processes with committed and urgent locations, plain, broadcast and
/// urgent channels, branches, selections, and a variable.
pub(crate) fn network(random: &mut Random, queries: usize) -> SourceFile {
    let processes = 2 + random.below(2);
    let mut templates = Vec::new();
    let mut sizes = Vec::new();
    for index in 0..processes {
        let locations = 2 + random.below(2);
        sizes.push(locations);
        let lines = automaton(random, locations);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        templates.push(template(&format!("P{index}"), "", "", &lines));
    }
    let asked: Vec<String> = (0..queries).map(|kind| query(random, &sizes, kind)).collect();
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    let names: Vec<String> = (0..processes).map(|index| format!("P{index}")).collect();
    let mut declarations =
        "clock x, y; int[0,2] v; chan a; broadcast chan b; urgent chan u;".to_string();
    if random.chance(1, 4) {
        declarations.push_str(random.pick::<&str>(&PRIORITIES));
    }
    let separator = if random.chance(1, 8) { " < " } else { ", " };
    model(&declarations, &templates, &format!("system {};", names.join(separator)), &asked)
}

fn automaton(random: &mut Random, locations: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for index in 0..locations {
        let flag = match random.below(8) {
            0 => " committed",
            1 => " urgent",
            _ => "",
        };
        let clock = random.pick(&["x", "y"]);
        let sign = random.pick(&["<=", "<=", "<"]);
        let invariant = match random.below(3) {
            0 => String::new(),
            1 => format!(" | inv {clock} {sign} {}", 1 + random.below(3)),
            _ => format!(" | inv v > 0 || {clock} {sign} {}", 1 + random.below(3)),
        };
        lines.push(format!("loc L{index}{flag}{invariant}"));
    }
    let branch = random.chance(1, 4);
    if branch {
        lines.push("branch B".to_string());
        for weight in [1, random.below(3)] {
            let target = random.below(locations);
            lines.push(format!("edge B L{target} | weight {weight} | do {}", update(random)));
        }
    }
    for _ in 0..locations + random.below(4) {
        lines.push(edge(random, locations, branch));
    }
    lines
}

fn edge(random: &mut Random, locations: usize, branch: bool) -> String {
    let (source, target) = (random.below(locations), random.below(locations));
    let sync = match random.below(8) {
        0 => " | sync a!",
        1 => " | sync a?",
        2 => " | sync b!",
        3 | 4 => " | sync b?",
        5 => " | sync u!",
        6 => " | sync u?",
        _ => "",
    };
    let urgent = sync.contains('u');
    let guard = match random.below(if urgent { 3 } else { 8 }) {
        0 => format!(" | guard v == {}", random.below(3)),
        1 | 2 => String::new(),
        3 => format!(" | guard x >= 1 && y < {}", 1 + random.below(3)),
        4 => format!(" | guard x != {}", random.below(3)),
        _ => format!(" | guard {}", clock_condition(random)),
    };
    let target = match branch && random.chance(1, 3) {
        true => "B".to_string(),
        false => format!("L{target}"),
    };
    format!("edge L{source} {target}{guard}{sync} | do {}", update(random))
}

fn update(random: &mut Random) -> String {
    let all =
        ["x = 0", "y = 0", "x = 0, y = 0", "v = (v + 1) % 3", "v = 0, x = 0", "y = 2", "v = v"];
    random.pick(&all).to_string()
}

fn clock_condition(random: &mut Random) -> String {
    let clock = random.pick(&["x", "y"]);
    let sign = random.pick(&["<=", "<", ">=", ">", "=="]);
    format!("{clock} {sign} {}", random.below(LARGEST as usize + 1))
}

fn predicate(random: &mut Random, sizes: &[usize], depth: usize) -> String {
    if depth > 0 && random.chance(1, 2) {
        let operator = random.pick(&["and", "or", "imply"]);
        let (a, b) = (predicate(random, sizes, depth - 1), predicate(random, sizes, depth - 1));
        let not = if random.chance(1, 3) { "not " } else { "" };
        return format!("{not}({a} {operator} {b})");
    }
    match random.below(4) {
        0 => format!("v == {}", random.below(3)),
        1 => clock_condition(random),
        _ => {
            let process = random.below(sizes.len());
            format!("P{process}.L{}", random.below(sizes[process]))
        }
    }
}

fn query(random: &mut Random, sizes: &[usize], kind: usize) -> String {
    let p = predicate(random, sizes, 2);
    match kind % 8 {
        0 => format!("E<> {p}"),
        1 => format!("A[] {p}"),
        2 => format!("E<> deadlock and ({p})"),
        3 => "A[] not deadlock".to_string(),
        4 => format!("E[] {p}"),
        5 => format!("A<> {p}"),
        6 => format!("{p} --> ({})", predicate(random, sizes, 1)),
        _ => format!("{}{{{p}}}: x, v", random.pick(&["sup", "inf"])),
    }
}
