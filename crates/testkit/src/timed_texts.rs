//! Small UPPAAL models as text, from a line for each location and edge.

use provoke_base::SourceFile;

/// A template from lines: `loc A inv x<=5 urgent`, `edge A B guard x>1 sync c! do x=0 select ..`.
/// The first location is the initial one.
pub fn template(name: &str, parameters: &str, declarations: &str, lines: &[&str]) -> String {
    let mut text = format!(
        "<template><name>{name}</name><parameter>{}</parameter><declaration>{}</declaration>",
        escape(parameters),
        escape(declarations)
    );
    let mut edges = String::new();
    let mut first = None;
    for line in lines {
        let words: Vec<&str> = line.split(" | ").collect();
        let head: Vec<&str> = words[0].split_whitespace().collect();
        let label = |kind: &str, key: &str| {
            let found = words.iter().find_map(|word| word.strip_prefix(key));
            found.map_or(String::new(), |value| {
                format!("<label kind=\"{kind}\">{}</label>", escape(value.trim()))
            })
        };
        match head[0] {
            "loc" => {
                let id = head[1];
                first.get_or_insert(id);
                text += &format!("<location id=\"{id}\"><name>{id}</name>");
                text += &label("invariant", "inv ");
                text += &label("exponentialrate", "rate ");
                for flag in &head[2..] {
                    text += &format!("<{flag}/>");
                }
                text += "</location>";
            }
            "branch" => text += &format!("<branchpoint id=\"{}\"/>", head[1]),
            _ => {
                edges += &format!(
                    "<transition><source ref=\"{}\"/><target ref=\"{}\"/>",
                    head[1], head[2]
                );
                edges += &label("select", "select ");
                edges += &label("guard", "guard ");
                edges += &label("synchronisation", "sync ");
                edges += &label("assignment", "do ");
                edges += &label("probability", "weight ");
                edges += "</transition>";
            }
        }
    }
    if let Some(first) = first {
        text += &format!("<init ref=\"{first}\"/>");
    }
    text + &edges + "</template>"
}

/// A whole file.
pub fn model(
    declarations: &str,
    templates: &[String],
    system: &str,
    queries: &[&str],
) -> SourceFile {
    let queries: String = queries
        .iter()
        .map(|q| format!("<query><formula>{}</formula><comment/></query>", escape(q)))
        .collect();
    let text = format!(
        "<nta><declaration>{}</declaration>{}<system>{}</system><queries>{queries}</queries></nta>",
        escape(declarations),
        templates.concat(),
        escape(system)
    );
    SourceFile::new("model.xml", text)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
