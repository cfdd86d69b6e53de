//! The text of an XML element as the language sees it, with the way back to the file.

use provoke_base::Span;

/// Decoded text; every byte of it knows where it stands in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    /// The text with entities replaced and markup left out.
    pub(crate) text: String,
    runs: Vec<Run>,
    /// Where the text ends in the file.
    end: u32,
}

/// A part that stands in the file as it is, or one entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    /// Where it starts in the text.
    text: u32,
    /// Where it starts in the file.
    file: u32,
    /// How long it is in the file, for an entity.
    entity: u32,
}

impl Text {
    /// Decodes `source[start..end]`, the inside of an element.
    pub(crate) fn decode(source: &str, start: usize, end: usize) -> Text {
        let mut decoder = Decoder { source, at: start, end, text: Text::default() };
        decoder.run();
        decoder.text.end = end as u32;
        decoder.text
    }

    /// Moves all places behind `bytes` that were cut off in front.
    pub(crate) fn shift(&mut self, bytes: usize) {
        self.end += bytes as u32;
        self.runs.iter_mut().for_each(|run| run.file += bytes as u32);
    }

    /// Text that is a part of the file as it stands.
    pub(crate) fn plain(text: &str) -> Text {
        Text {
            text: text.to_string(),
            runs: vec![Run { text: 0, file: 0, entity: 0 }],
            end: text.len() as u32,
        }
    }

    /// Whether there is nothing but white space.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The place in the file of a part of the text.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        let first = self.place(start);
        let last = match self.run(end.wrapping_sub(1)) {
            Some(run) if end > start && run.entity > 0 => run.file + run.entity,
            _ if end > start => self.place(end - 1) + 1,
            _ => first,
        };
        Span { start: first, end: last.max(first) }
    }

    /// The place in the file of the whole text.
    pub(crate) fn whole(&self) -> Span {
        Span { start: self.place(0), end: self.end }
    }

    /// The text that stands at a place of the file, without line breaks.
    pub(crate) fn shown(&self, span: Span) -> String {
        let inside = |offset: &usize| {
            let place = self.place(*offset);
            span.start <= place && place < span.end
        };
        let offsets = self.text.char_indices().map(|(offset, _)| offset).filter(inside);
        let text: String =
            offsets.filter_map(|offset| self.text[offset..].chars().next()).collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn run(&self, offset: usize) -> Option<Run> {
        let after = self.runs.partition_point(|run| run.text as usize <= offset);
        after.checked_sub(1).map(|index| self.runs[index])
    }

    fn place(&self, offset: usize) -> u32 {
        match self.run(offset) {
            Some(run) => (run.file + (offset as u32 - run.text)).min(self.end.max(run.file)),
            None => self.end,
        }
    }
}

struct Decoder<'a> {
    source: &'a str,
    at: usize,
    end: usize,
    text: Text,
}

impl Decoder<'_> {
    fn run(&mut self) {
        while self.at < self.end {
            let rest = &self.source[self.at..self.end];
            if let Some(inside) = rest.strip_prefix("<![CDATA[") {
                let length = inside.find("]]>").unwrap_or(inside.len());
                self.at += 9;
                self.copy(length);
                self.at = (self.at + 3).min(self.end);
            } else if rest.starts_with("<!--") {
                self.at += rest.find("-->").map_or(rest.len(), |found| found + 3);
            } else if rest.starts_with('<') {
                self.at += rest.find('>').map_or(rest.len(), |found| found + 1);
            } else if rest.starts_with('&') {
                self.entity(rest.find(';').map_or(rest.len(), |found| found + 1));
            } else {
                self.copy(rest.find(['<', '&']).unwrap_or(rest.len()));
            }
        }
    }

    /// Text that stands for itself.
    fn copy(&mut self, length: usize) {
        self.start_run(0);
        self.text.text.push_str(&self.source[self.at..self.at + length]);
        self.at += length;
    }

    fn start_run(&mut self, entity: u32) {
        let text = self.text.text.len() as u32;
        self.text.runs.push(Run { text, file: self.at as u32, entity });
    }

    fn entity(&mut self, length: usize) {
        let name = self.source[self.at..self.at + length].trim_matches(['&', ';']);
        let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok();
        let code = match name.strip_prefix('#') {
            Some(digits) => digits.strip_prefix('x').map_or(number(digits, 10), |x| number(x, 16)),
            None => None,
        };
        let character = match name {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            _ => code.and_then(char::from_u32).unwrap_or('\u{fffd}'),
        };
        self.start_run(length as u32);
        self.text.text.push(character);
        self.at += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_and_sections_are_decoded_and_found_again() {
        let source = "<l>a &lt;= <![CDATA[b && c]]>&#33;</l>";
        let text = Text::decode(source, 3, source.len() - 4);
        assert_eq!(text.text, "a <= b && c!");
        let slice = |start, end| &source[text.span(start, end).range()];
        assert_eq!(slice(0, 1), "a");
        assert_eq!(slice(2, 3), "&lt;");
        assert_eq!(slice(3, 4), "=");
        assert_eq!(slice(5, 11), "b && c");
    }
}
