//! A page of the book: the files and commands that it shows, and what it says that they print.

/// What a page holds, in its order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    /// A file to be written.
    File(String, String),
    /// A command to be typed.
    Command(Shown),
}

/// A command as a page shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shown {
    pub(crate) line: String,
    /// Whether the block says that the command is refused: ```` ```console refused ````.
    pub(crate) is_refused: bool,
    /// What it prints, if that is shown; a line of three dots stands for any lines.
    pub(crate) output: Vec<String>,
    /// The number of the first line of the output in the page.
    pub(crate) at: usize,
}

/// Stands for lines that a page leaves out.
const LEFT_OUT: &str = "...";

/// Fenced blocks: one that begins with a file's name (```` ```csv levels.csv ````) is that file;
/// in those called `console` or nothing, lines with a dollar sign are commands and what follows is
/// their output, in those called `sh` all lines are commands. A block that needs what a desk does
/// not have says so: ```` ```console board ````.
pub(crate) fn items(page: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((_, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let mut words = info.split_whitespace();
        let (language, name) = (words.next().unwrap_or(""), words.next());
        let body: Vec<(usize, &str)> =
            lines.by_ref().take_while(|(_, line)| *line != "```").collect();
        match (language, name) {
            ("console" | "", None | Some("refused")) => items.extend(typed(&body, name.is_some())),
            ("sh", None) => items.extend(body.iter().map(|(at, line)| command(line, false, *at))),
            ("console" | "sh", Some(_)) | (_, None) => {}
            (_, Some(name)) => {
                let text: String = body.iter().map(|(_, line)| format!("{line}\n")).collect();
                items.push(Item::File(name.to_string(), text));
            }
        }
    }
    items
}

fn command(line: &str, is_refused: bool, at: usize) -> Item {
    Item::Command(Shown { line: line.to_string(), is_refused, output: Vec::new(), at: at + 1 })
}

/// The commands of a block, each with the lines up to the next one.
fn typed(body: &[(usize, &str)], is_refused: bool) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for (at, line) in body {
        if let Some(typed) = line.strip_prefix("$ ") {
            items.push(command(typed, is_refused, *at));
        } else if let Some(Item::Command(shown)) = items.last_mut() {
            shown.output.push(line.to_string());
        }
    }
    for item in &mut items {
        // A blank line between two commands belongs to neither.
        if let Item::Command(Shown { output, .. }) = item
            && output.last().is_some_and(|line| line.is_empty())
        {
            output.pop();
        }
    }
    items
}

/// A line without what differs from run to run: how many seconds something took.
fn without_times(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let is_time = |at: usize| {
        let unit =
            words.get(at + 1).is_some_and(|next| next.trim_end_matches([',', ';', ')']) == "s");
        unit && words[at].trim_start_matches('(').parse::<f64>().is_ok()
    };
    let kept =
        |(at, word): (usize, &&str)| if is_time(at) { "#".into() } else { (*word).to_string() };
    words.iter().enumerate().map(kept).collect::<Vec<String>>().join(" ").trim_end().to_string()
}

/// Whether what was printed is what a page shows.
pub(crate) fn agrees(shown: &[String], printed: &[String]) -> bool {
    let Some(first) = shown.first() else { return printed.is_empty() };
    if first == LEFT_OUT {
        let rest = &shown[1..];
        return (0..=printed.len()).any(|left_out| agrees(rest, &printed[left_out..]));
    }
    printed.first().is_some_and(|line| without_times(line) == without_times(first))
        && agrees(&shown[1..], &printed[1..])
}

/// What a page should show instead: as many lines before and after those that it leaves out.
pub(crate) fn renewed(shown: &[String], printed: &[String]) -> Vec<String> {
    let Some(before) = shown.iter().position(|line| line == LEFT_OUT) else {
        return printed.to_vec();
    };
    let after = shown.iter().rev().take_while(|line| *line != LEFT_OUT).count();
    if before + after >= printed.len() {
        return printed.to_vec();
    }
    let (head, tail) = (&printed[..before], &printed[printed.len() - after..]);
    [head, &[LEFT_OUT.to_string()], tail].concat()
}

/// A page in which the outputs of some commands are replaced.
pub(crate) fn with_outputs(page: &str, outputs: &[(Shown, Vec<String>)]) -> String {
    let mut lines: Vec<String> = page.lines().map(String::from).collect();
    for (shown, output) in outputs.iter().rev() {
        lines.splice(shown.at..shown.at + shown.output.len(), output.iter().cloned());
    }
    lines.join("\n") + "\n"
}
