//! A table, for people and for programs.

use provoke_base::table::csv;

/// What a table says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// Its number in the literature, such as `7` or `6.1`.
    pub number: &'static str,
    /// A word for its file's name.
    pub name: &'static str,
    /// What it shows, in a line.
    pub title: &'static str,
    /// The heads of the columns.
    pub columns: Vec<String>,
    /// A cell for each column.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these heads and no rows yet.
    pub(crate) fn new(
        number: &'static str,
        name: &'static str,
        title: &'static str,
        columns: &[&str],
    ) -> Table {
        let columns = columns.iter().map(|column| column.to_string()).collect();
        Table { number, name, title, columns, rows: Vec::new() }
    }

    /// The name of its file, without an ending; files are in the order of the tables.
    pub fn file_stem(&self) -> String {
        match self.number.parse::<u32>() {
            Ok(number) => format!("table-{number:02}-{}", self.name),
            Err(_) if self.number.is_empty() => self.name.to_string(),
            Err(_) => format!("table-{}-{}", self.number, self.name),
        }
    }

    /// The heading as text.
    pub fn heading(&self) -> String {
        match self.number.is_empty() {
            true => self.title.to_string(),
            false => format!("Table {}: {}", self.number, self.title),
        }
    }

    /// As comma-separated values.
    pub fn csv(&self) -> String {
        let rows: Vec<_> = std::iter::once(&self.columns).chain(&self.rows).cloned().collect();
        csv(&rows)
    }

    /// As a table of Markdown under its heading.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = vec!["---".to_string(); self.columns.len()];
        let mut text = format!("## {}\n\n{}{}", self.heading(), line(&self.columns), line(&rule));
        self.rows.iter().for_each(|row| text += &line(row));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_written_for_people_and_for_programs() {
        let mut table = Table::new("7", "efficacy", "how much", &["criterion", "MX"]);
        table.rows.push(vec!["a,b|c".into(), "1.00".into()]);
        assert_eq!(table.file_stem(), "table-07-efficacy");
        assert_eq!(table.csv(), "criterion,MX\n\"a,b|c\",1.00\n");
        let expected =
            "## Table 7: how much\n\n| criterion | MX |\n| --- | --- |\n| a,b\\|c | 1.00 |\n";
        assert_eq!(table.markdown(), expected);
    }
}
