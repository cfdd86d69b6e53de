//! Pictures of automata: one for each template that is used.

use std::collections::BTreeSet;
use std::fmt::Write;

use provoke_base::svg;

use crate::network::{Network, Process, Urgency};

/// A line from one location to another, with what is written at it.
struct Arrow {
    source: usize,
    target: usize,
    label: Vec<String>,
}

/// One process of each template, since all look the same.
fn templates(network: &Network) -> Vec<&Process> {
    let mut seen = BTreeSet::new();
    network.processes.iter().filter(|process| seen.insert(process.template.as_str())).collect()
}

/// The edges as they are in the file: selections are not multiplied out.
fn arrows(process: &Process) -> Vec<Arrow> {
    let mut seen = BTreeSet::new();
    let edges = process.edges.iter().filter(|edge| seen.insert(edge.span));
    let arrow = |edge: &crate::network::Edge| {
        let one = |branch: &crate::network::Branch| Arrow {
            source: edge.source,
            target: branch.target,
            label: [edge.label.clone(), branch.label.clone()].concat(),
        };
        edge.branches.iter().map(one).collect::<Vec<_>>()
    };
    edges.flat_map(arrow).collect()
}

/// The automata in Graphviz's language.
pub fn dot(network: &Network) -> String {
    let mut text = "digraph network {\n  rankdir=LR;\n  node [shape=ellipse];\n".to_string();
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let lines = |label: &[String]| quoted(&label.join("\n")).replace('\n', "\\n");
    for (number, process) in templates(network).into_iter().enumerate() {
        let _ = writeln!(
            text,
            "  subgraph cluster_{number} {{\n    label={};",
            quoted(&process.template)
        );
        for (index, location) in process.locations.iter().enumerate() {
            let mut label = vec![location.name.clone()];
            label.extend(location.label.iter().cloned());
            label.extend(urgency_word(location.urgency).map(str::to_string));
            let initial = if index == process.initial { " peripheries=2" } else { "" };
            let _ = writeln!(text, "    t{number}_{index} [label={}{initial}];", lines(&label));
        }
        for arrow in arrows(process) {
            let (source, target) = (arrow.source, arrow.target);
            let label = lines(&arrow.label);
            let _ = writeln!(text, "    t{number}_{source} -> t{number}_{target} [label={label}];");
        }
        text += "  }\n";
    }
    text + "}\n"
}

fn urgency_word(urgency: Urgency) -> Option<&'static str> {
    match urgency {
        Urgency::Normal => None,
        Urgency::Urgent => Some("urgent"),
        Urgency::Committed => Some("committed"),
    }
}

const RADIUS: f64 = 18.0;
const LINE: f64 = 14.0;
const MARGIN: f64 = 120.0;

/// The automata as a picture, where they are drawn in the file, one below the other.
pub fn svg(network: &Network) -> String {
    let mut body = String::new();
    let (mut top, mut width) = (0.0, 400.0_f64);
    for process in templates(network) {
        let (picture, size) = automaton(process, top);
        body += &picture;
        top += size.1;
        width = width.max(size.0);
    }
    let drawn = format!(
        "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" \
         refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">\
         <path d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}"
    );
    svg::picture(&format!("width=\"{width:.0}\" height=\"{top:.0}\""), 11, &drawn)
}

/// The picture of one automaton, and how large it is.
fn automaton(process: &Process, top: f64) -> (String, (f64, f64)) {
    // Room for what swings out, above and below.
    let room = SWING / 2.0 * most_alike(process).saturating_sub(1) as f64;
    let places: Vec<(f64, f64)> = places(process).into_iter().map(|(x, y)| (x, y + room)).collect();
    let right = places.iter().map(|place| place.0).fold(0.0, f64::max) + MARGIN;
    let bottom = places.iter().map(|place| place.1).fold(0.0, f64::max) + MARGIN + room;
    let mut text = format!("<g transform=\"translate(0,{top:.0})\">\n");
    let template = svg::attribute(&process.template);
    text += &svg::label(10, 20, " font-weight=\"bold\"", &process.template);
    text.push('\n');
    let mut drawn: Vec<(usize, usize)> = Vec::new();
    for arrow in arrows(process) {
        let [from, to] =
            [arrow.source, arrow.target].map(|at| svg::attribute(&process.locations[at].name));
        let _ = writeln!(
            text,
            "<g class=\"edge\" data-template=\"{template}\" data-from=\"{from}\" data-to=\"{to}\">"
        );
        let ends = (arrow.source, arrow.target);
        let alike = drawn.iter().filter(|other| **other == ends).count();
        drawn.push(ends);
        let ends = [places[ends.0], places[ends.1]];
        let swing = alike + usize::from(is_in_the_way(&places, ends));
        text += &line(ends, SWING * swing as f64, &arrow.label);
        text += "</g>\n";
    }
    for (index, location) in process.locations.iter().enumerate() {
        let (x, y) = places[index];
        let name = svg::attribute(&location.name);
        let _ = writeln!(
            text,
            "<g class=\"location\" data-template=\"{template}\" data-name=\"{name}\">"
        );
        let _ = writeln!(
            text,
            "<circle cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"{RADIUS}\" fill=\"#dfe8f5\" stroke=\"black\"/>"
        );
        if index == process.initial {
            let inner = RADIUS - 4.0;
            let _ = writeln!(
                text,
                "<circle cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"{inner}\" fill=\"none\" stroke=\"black\"/>"
            );
        }
        let sign = match location.urgency {
            Urgency::Normal => "",
            Urgency::Urgent => "U",
            Urgency::Committed => "C",
        };
        text += &words(x, y + 4.0, &[sign.to_string()]);
        let mut label = vec![location.name.clone()];
        label.extend(location.label.iter().cloned());
        text += &words(x, y + RADIUS + LINE, &label);
        text += "</g>\n";
    }
    (text + "</g>\n", (right, bottom))
}

/// Where locations are drawn: as in the file, or in a circle if it does not say.
fn places(process: &Process) -> Vec<(f64, f64)> {
    let given: Option<Vec<(i32, i32)>> = process.locations.iter().map(|l| l.at).collect();
    match given {
        Some(given) => {
            let left = given.iter().map(|place| place.0).min().unwrap_or(0);
            let top = given.iter().map(|place| place.1).min().unwrap_or(0);
            // Far corners of the plane are no place to draw; 20,000 is beyond any screen.
            let near = |value: i32, least: i32| {
                (f64::from(value) - f64::from(least)).min(20_000.0) + MARGIN
            };
            given.iter().map(|(x, y)| (near(*x, left), near(*y, top))).collect()
        }
        None => {
            let count = process.locations.len().max(1) as f64;
            let radius = 60.0 * count.max(2.0) / 2.0;
            let place = |index: usize| {
                let angle = std::f64::consts::TAU * index as f64 / count;
                (MARGIN + radius * (1.0 + angle.cos()), MARGIN + radius * (1.0 + angle.sin()))
            };
            (0..process.locations.len()).map(place).collect()
        }
    }
}

/// Whether a location lies on the straight line between two others.
fn is_in_the_way(places: &[(f64, f64)], [from, to]: [(f64, f64); 2]) -> bool {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt().max(1.0);
    places.iter().any(|place| {
        let (x, y) = (place.0 - from.0, place.1 - from.1);
        let (along, beside) = ((x * dx + y * dy) / length, (x * dy - y * dx).abs() / length);
        beside < 2.0 * RADIUS && along > RADIUS && along < length - RADIUS
    })
}

/// How far an edge swings out to pass what is in its way, and each edge like it.
const SWING: f64 = 100.0;

/// The most edges that go the same way.
fn most_alike(process: &Process) -> usize {
    let ways: Vec<(usize, usize)> =
        arrows(process).iter().map(|arrow| (arrow.source, arrow.target)).collect();
    let alike = |way| ways.iter().filter(|other| *other == way).count();
    ways.iter().map(alike).max().unwrap_or(0)
}

fn line([(x1, y1), (x2, y2)]: [(f64, f64); 2], swing: f64, label: &[String]) -> String {
    let (dx, dy) = (x2 - x1, y2 - y1);
    let length = (dx * dx + dy * dy).sqrt();
    if length < 1.0 {
        let path = format!(
            "<path d=\"M{:.0},{:.0} C{:.0},{:.0} {:.0},{:.0} {:.0},{:.0}\" fill=\"none\" \
             stroke=\"black\" marker-end=\"url(#arrow)\"/>\n",
            x1 - 8.0,
            y1 - RADIUS,
            x1 - 30.0,
            y1 - 60.0 - swing,
            x1 + 30.0,
            y1 - 60.0 - swing,
            x1 + 8.0,
            y1 - RADIUS
        );
        let above = LINE * label.len().saturating_sub(1) as f64;
        return path + &words(x1, y1 - 56.0 - 0.75 * swing - above, label);
    }
    // A little to the side, so that two opposite edges do not lie on each other.
    let (side_x, side_y) = (-dy / length * 8.0, dx / length * 8.0);
    let (from_x, from_y) = (x1 + dx / length * RADIUS + side_x, y1 + dy / length * RADIUS + side_y);
    let (to_x, to_y) = (x2 - dx / length * RADIUS + side_x, y2 - dy / length * RADIUS + side_y);
    let out = swing / 8.0;
    let (mid_x, mid_y) = ((from_x + to_x) / 2.0, (from_y + to_y) / 2.0);
    let (over_x, over_y) = (mid_x + out * side_x, mid_y + out * side_y);
    let path = format!(
        "<path d=\"M{from_x:.0},{from_y:.0} Q{over_x:.0},{over_y:.0} {to_x:.0},{to_y:.0}\" \
         fill=\"none\" stroke=\"black\" marker-end=\"url(#arrow)\"/>\n"
    );
    // The curve goes half as far as what draws it.
    let (x, y) = ((mid_x + over_x) / 2.0 + side_x, (mid_y + over_y) / 2.0 + 2.0 * side_y);
    path + &words(x, y, label)
}

fn words(x: f64, y: f64, lines: &[String]) -> String {
    let mut text = String::new();
    for (index, line) in lines.iter().filter(|line| !line.is_empty()).enumerate() {
        let y = y + LINE * index as f64;
        let (x, y) = (format!("{x:.0}"), format!("{y:.0}"));
        text += &svg::label(x, y, " text-anchor=\"middle\"", line);
        text.push('\n');
    }
    text
}
