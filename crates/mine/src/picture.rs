//! Machines as pictures: DOT for other tools, SVG for a page.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

use provoke_base::svg;
use provoke_model::Suite;

use crate::machine::{ReadableEdge, StateMachine};

/// The machine in the language of Graphviz; edges that stay in a state are left to the list.
pub fn dot(machine: &StateMachine, suite: &Suite) -> String {
    let mut text = String::from("digraph machine {\n  node [shape=box, style=rounded];\n");
    for state in 0..machine.states.len() {
        let bold = if state == 0 { ", penwidth=3" } else { "" };
        let _ = writeln!(text, "  s{state} [label={}{bold}];", quoted(&machine.name(suite, state)));
    }
    for edge in machine.readable(suite).iter().filter(|edge| edge.from != edge.to) {
        let label = edge.label().replace("; or ", "\n");
        let style = if edge.when.is_empty() { ", style=dashed" } else { "" };
        let _ =
            writeln!(text, "  s{} -> s{} [label={}{style}];", edge.from, edge.to, quoted(&label));
    }
    text + "}\n"
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// The machine as a list: each state, and where conditions lead.
pub fn list(machine: &StateMachine, suite: &Suite) -> String {
    let names: Vec<String> =
        (0..machine.states.len()).map(|state| machine.name(suite, state)).collect();
    // States that show the same are called by their numbers.
    let distinct = names.iter().collect::<BTreeSet<_>>().len() == names.len();
    let mut text = String::new();
    for (state, name) in names.iter().enumerate() {
        let start = if state == 0 { " (initial)" } else { "" };
        let _ = writeln!(text, "{state}: {name}{start}");
        let call = |target: &usize| match (*target == state, distinct) {
            (true, _) => "stays".to_string(),
            (false, true) => names[*target].clone(),
            (false, false) => target.to_string(),
        };
        let own = BTreeSet::from([state]);
        let ways = machine.ways(suite, state);
        for (conditions, targets) in ways.iter().filter(|(_, targets)| *targets != own) {
            let others = targets.iter().filter(|target| **target != state);
            let stays = targets.get(&state);
            let words: Vec<String> = others.chain(stays).map(call).collect();
            let past = if targets.len() > 1 { " (more than that decides)" } else { "" };
            let condition = conditions.join("; or ");
            let _ = writeln!(text, "   {condition} -> {}{past}", words.join(" or "));
        }
        if ways.iter().any(|(_, targets)| *targets == own) {
            text += "   else stays\n";
        }
    }
    text
}

const BOX: (f64, f64) = (180.0, 34.0);
const GAP: (f64, f64) = (60.0, 90.0);
const LINE: f64 = 15.0;

/// The machine on a page: boxes in layers, arrows, dashed where conditions do not decide alone, and the list.
pub fn svg(machine: &StateMachine, suite: &Suite) -> String {
    let edges: Vec<ReadableEdge> =
        machine.readable(suite).into_iter().filter(|edge| edge.from != edge.to).collect();
    let (places, width, height) = layout(machine, &edges);
    let list = list(machine, suite);
    let lines: Vec<(bool, String)> = list
        .lines()
        .flat_map(|line| {
            let inner = line.starts_with(' ');
            wrap(line.trim_start(), 125).into_iter().map(move |part| (inner, part))
        })
        .collect();
    let (page_width, page_height) = (width.max(900.0), height + LINE * (lines.len() as f64 + 1.0));
    let mut text = String::from(
        "<defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"3\" orient=\"auto\"><path d=\"M0,0 L7,3 L0,6 z\"/></marker></defs>\n",
    );
    // What is sure lies above what is not.
    for unsure in [true, false] {
        for edge in edges.iter().filter(|edge| edge.when.is_empty() == unsure) {
            draw_edge(&mut text, places[edge.from], places[edge.to], unsure);
        }
    }
    for (state, place) in places.iter().enumerate() {
        draw_state(&mut text, *place, &format!("{state}: {}", machine.name(suite, state)), state);
    }
    for (line, (inner, words)) in lines.iter().enumerate() {
        let y = height + LINE * (line as f64 + 0.5);
        let (x, weight) = if *inner { (28, "normal") } else { (10, "bold") };
        let y = format!("{y:.0}");
        text += &svg::label(x, y, &format!(" font-weight=\"{weight}\""), words);
        text.push('\n');
    }
    svg::picture(&format!("viewBox=\"0 0 {page_width:.0} {page_height:.0}\""), 12, &text)
}

fn draw_state(text: &mut String, (x, y): (f64, f64), name: &str, state: usize) {
    let stroke = if state == 0 { 3 } else { 1 };
    let _ = writeln!(
        text,
        "<rect x=\"{:.0}\" y=\"{:.0}\" width=\"{}\" height=\"{}\" rx=\"8\" fill=\"white\" stroke=\"black\" stroke-width=\"{stroke}\"/>{}",
        x - BOX.0 / 2.0,
        y - BOX.1 / 2.0,
        BOX.0,
        BOX.1,
        svg::label(format!("{x:.0}"), format!("{:.0}", y + 4.0), " text-anchor=\"middle\"", name),
    );
}

/// Where the boxes are: layers by distance from the initial state.
fn layout(machine: &StateMachine, edges: &[ReadableEdge]) -> (Vec<(f64, f64)>, f64, f64) {
    let mut layer = vec![usize::MAX; machine.states.len()];
    let mut queue = VecDeque::from([0]);
    if let Some(first) = layer.first_mut() {
        *first = 0;
    }
    while let Some(state) = queue.pop_front() {
        for edge in edges.iter().filter(|edge| edge.from == state) {
            if layer[edge.to] == usize::MAX {
                layer[edge.to] = layer[state] + 1;
                queue.push_back(edge.to);
            }
        }
    }
    let deepest = layer.iter().filter(|layer| **layer != usize::MAX).max().copied().unwrap_or(0);
    let mut filled: BTreeMap<usize, usize> = BTreeMap::new();
    let mut places = Vec::new();
    for own in &mut layer {
        *own = (*own).min(deepest + 1);
        let column = filled.entry(*own).or_default();
        places.push((*own, *column));
        *column += 1;
    }
    let widest = filled.values().max().copied().unwrap_or(1) as f64;
    let width = widest * (BOX.0 + GAP.0) + 40.0;
    let at = |(row, column): (usize, usize)| {
        let count = filled[&row] as f64;
        let x = width * (column as f64 + 0.5) / count;
        // Neighbours are shifted, so that edges between them can be seen.
        let shift = if column % 2 == 1 { 22.0 } else { 0.0 };
        (x, 40.0 + row as f64 * (BOX.1 + GAP.1) + shift)
    };
    let rows = filled.keys().last().map_or(1, |last| last + 1);
    let height = rows as f64 * (BOX.1 + GAP.1) + 10.0;
    (places.into_iter().map(at).collect(), width, height)
}

fn draw_edge(text: &mut String, from: (f64, f64), to: (f64, f64), unsure: bool) {
    // Both directions bend to their right, so that they do not cover each other.
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1.0);
    let (nx, ny) = (-dy / length, dx / length);
    let middle =
        ((from.0 + to.0) / 2.0 + nx * length * 0.14, (from.1 + to.1) / 2.0 + ny * length * 0.14);
    let start = border(from, middle);
    let end = border(to, middle);
    let line = if unsure { "#999\" stroke-dasharray=\"4 3" } else { "#222" };
    let _ = writeln!(
        text,
        "<path d=\"M{:.0},{:.0} Q{:.0},{:.0} {:.0},{:.0}\" fill=\"none\" stroke=\"{line}\" marker-end=\"url(#tip)\"/>",
        start.0, start.1, middle.0, middle.1, end.0, end.1,
    );
}

/// Where a line from the middle of a box leaves it.
fn border(center: (f64, f64), toward: (f64, f64)) -> (f64, f64) {
    let (dx, dy) = (toward.0 - center.0, toward.1 - center.1);
    let horizontal = if dx.abs() < 1e-9 { f64::INFINITY } else { BOX.0 / 2.0 / dx.abs() };
    let vertical = if dy.abs() < 1e-9 { f64::INFINITY } else { BOX.1 / 2.0 / dy.abs() };
    let part = horizontal.min(vertical).min(1.0);
    (center.0 + dx * part, center.1 + dy * part)
}

fn wrap(line: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split_inclusive(' ') {
        let last = lines.last_mut().expect("never empty");
        if last.chars().count() + word.chars().count() > width && !last.is_empty() {
            lines.push(word.to_string());
        } else {
            last.push_str(word);
        }
    }
    lines
}
