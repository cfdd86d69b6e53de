//! The page: a skeleton, its style, its scripts and the data, in one text.

use provoke_base::svg::escape;
use provoke_results::Report;

const SKELETON: &str = include_str!("../assets/report.html");
const STYLE: &str = include_str!("../assets/report.css");

/// The scripts in the order in which they are run; they share one scope.
const SCRIPTS: [&str; 13] = [
    include_str!("../assets/element.js"),
    include_str!("../assets/table.js"),
    include_str!("../assets/wave.js"),
    include_str!("../assets/source.js"),
    include_str!("../assets/generation.js"),
    include_str!("../assets/properties.js"),
    include_str!("../assets/errors.js"),
    include_str!("../assets/mutants.js"),
    include_str!("../assets/platform.js"),
    include_str!("../assets/timed.js"),
    include_str!("../assets/mined.js"),
    include_str!("../assets/audit.js"),
    include_str!("../assets/page.js"),
];

/// The whole page. It asks for nothing from outside: its own policy forbids it.
pub fn html(report: &Report) -> String {
    let title = escaped(&report.title);
    let data = embedded(&serde_json::to_string(report).expect("reports are plain data"));
    let script = SCRIPTS.join("\n");
    let page = SKELETON.replace("{{title}}", &title).replace("{{style}}", STYLE);
    // The parts are put in one after the other, so that none is searched for marks of another.
    let (before, rest) = page.split_once("{{data}}").expect("the skeleton has data");
    let (between, after) = rest.split_once("{{script}}").expect("the skeleton has a script");
    [before, &data, between, &script, after].concat()
}

/// JSON that may stand inside a script element: no text of it can end the element.
fn embedded(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

fn escaped(text: &str) -> String {
    // Braces, too: the skeleton's own marks are written with them.
    escape(text).replace('{', "&#123;")
}

#[cfg(test)]
mod tests {
    use provoke_results::Schema;

    use super::*;

    fn page(title: &str) -> String {
        html(&Report {
            schema: Schema::default(),
            provoke: "0".to_string(),
            title: title.to_string(),
            evidence: Vec::new(),
            requirements: Vec::new(),
        })
    }

    #[test]
    fn nothing_in_the_data_ends_the_script() {
        let page = page("</script><script>alert(1)</script>{{script}}{{data}}");
        assert!(!page.contains("</script><script>alert"));
        assert!(page.contains(r"\u003c/script>\u003cscript>alert(1)"));
    }

    #[test]
    fn the_page_names_nothing_outside() {
        let page = page("x");
        let without_names = page.replace("http://www.w3.org/2000/svg", "");
        for word in ["http://", "https://", "//cdn", "@import", "src="] {
            assert!(!without_names.contains(word), "the page says {word}");
        }
        assert!(page.contains("default-src 'none'"));
    }

    #[test]
    fn scripts_share_a_scope_and_declare_no_name_twice() {
        let declared = |line: &&str| line.starts_with("const ") || line.starts_with("function ");
        let lines = SCRIPTS.iter().flat_map(|script| script.lines()).filter(declared);
        let name = |line: &str| -> String {
            let after = line.split_once(' ').map_or("", |(_, after)| after);
            after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        };
        let mut names: Vec<String> = lines.map(name).filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        assert!(names.len() > 50, "{names:?}");
        let twice: Vec<&[String]> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
}
