//! Pictures of numbers, as SVG.

use std::fmt::Write;

use provoke_base::svg;

/// Where a picture's axes are.
const LEFT: f64 = 60.0;
const TOP: f64 = 30.0;
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 300.0;

const COLORS: [&str; 6] = ["#1b6ca8", "#c8553d", "#3a7d44", "#7d5ba6", "#b08900", "#555555"];

/// What is drawn over a horizontal axis.
pub(crate) struct Plot {
    title: String,
    across: (String, f64, f64),
    up: (String, f64, f64),
    inside: String,
    legend: Vec<String>,
}

/// Five numbers of a distribution, the whiskers of Tukey outside.
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) quarter: f64,
    pub(crate) median: f64,
    pub(crate) three_quarters: f64,
    pub(crate) high: f64,
    pub(crate) mean: f64,
}

impl Spread {
    /// The spread of some numbers, of which there is at least one.
    pub(crate) fn of(values: &[f64]) -> Spread {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |part: f64| sorted[((sorted.len() - 1) as f64 * part).round() as usize];
        let (quarter, three_quarters) = (at(0.25), at(0.75));
        let reach = 1.5 * (three_quarters - quarter);
        let inside = |x: &&f64| **x >= quarter - reach && **x <= three_quarters + reach;
        Spread {
            low: sorted.iter().find(inside).copied().unwrap_or(quarter),
            quarter,
            median: at(0.5),
            three_quarters,
            high: sorted.iter().rev().find(inside).copied().unwrap_or(three_quarters),
            mean: values.iter().sum::<f64>() / values.len() as f64,
        }
    }
}

impl Plot {
    /// An empty picture with named axes and their ends.
    pub(crate) fn new(title: &str, across: (&str, f64, f64), up: (&str, f64, f64)) -> Plot {
        Plot {
            title: title.to_string(),
            across: (across.0.to_string(), across.1, across.2),
            up: (up.0.to_string(), up.1, up.2),
            inside: String::new(),
            legend: Vec::new(),
        }
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + WIDTH * (value - self.across.1) / (self.across.2 - self.across.1)
    }

    fn y(&self, value: f64) -> f64 {
        TOP + HEIGHT * (1.0 - (value - self.up.1) / (self.up.2 - self.up.1))
    }

    /// A line through points.
    pub(crate) fn line(&mut self, name: &str, points: &[(f64, f64)]) {
        let color = COLORS[self.legend.len() % COLORS.len()];
        let path: Vec<String> =
            points.iter().map(|(x, y)| format!("{:.1},{:.1}", self.x(*x), self.y(*y))).collect();
        let _ = writeln!(
            self.inside,
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" points=\"{}\"/>",
            path.join(" ")
        );
        self.legend.push(name.to_string());
    }

    /// A box with whiskers.
    pub(crate) fn spread(&mut self, at: f64, width: f64, spread: &Spread) {
        let (x, half) = (self.x(at), width / 2.0);
        let y = |value: f64| self.y(value);
        let mut drawn = String::new();
        for (from, to) in [(spread.low, spread.quarter), (spread.three_quarters, spread.high)] {
            let _ = writeln!(
                drawn,
                "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"#333\"/>",
                y(from),
                y(to)
            );
        }
        let (top, bottom) = (y(spread.three_quarters), y(spread.quarter));
        let _ = writeln!(
            drawn,
            "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"#cfe0ee\" stroke=\"#1b6ca8\"/>",
            x - half,
            bottom - top
        );
        let middle = y(spread.median);
        let _ = writeln!(
            drawn,
            "<line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{middle:.1}\" y2=\"{middle:.1}\" stroke=\"#c8553d\" stroke-width=\"2\"/>",
            x - half,
            x + half
        );
        self.inside += &drawn;
    }

    /// The picture.
    pub(crate) fn svg(&self) -> String {
        let (right, bottom) = (LEFT + WIDTH, TOP + HEIGHT);
        let (all_wide, all_high) = (right + 20.0, bottom + 50.0 + 16.0 * self.legend.len() as f64);
        let mut drawn = format!(
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             {}\n\
             <path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"#333\"/>\n",
            svg::label(LEFT, 18, " font-size=\"14\"", &self.title)
        );
        for tick in 0..=5 {
            let part = f64::from(tick) / 5.0;
            let across = self.across.1 + part * (self.across.2 - self.across.1);
            let up = self.up.1 + part * (self.up.2 - self.up.1);
            let _ = writeln!(
                drawn,
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                self.x(across),
                bottom + 16.0,
                short(across),
                LEFT - 6.0,
                self.y(up) + 4.0,
                short(up)
            );
        }
        let _ = writeln!(
            drawn,
            "{}\
             <text x=\"14\" y=\"{TOP}\" transform=\"rotate(-90 14 {TOP})\" text-anchor=\"end\">{}</text>",
            svg::label(right, bottom + 34.0, " text-anchor=\"end\"", &self.across.0),
            svg::escape(&self.up.0)
        );
        drawn += &self.inside;
        for (index, name) in self.legend.iter().enumerate() {
            let y = bottom + 50.0 + 16.0 * index as f64;
            let color = COLORS[index % COLORS.len()];
            let _ = writeln!(
                drawn,
                "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" stroke=\"{color}\" stroke-width=\"2\"/>\
                 {}",
                LEFT + 20.0,
                y - 4.0,
                y - 4.0,
                svg::label(LEFT + 26.0, y, "", name)
            );
        }
        svg::picture(&format!("width=\"{all_wide}\" height=\"{all_high}\""), 12, &drawn)
    }
}

fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
