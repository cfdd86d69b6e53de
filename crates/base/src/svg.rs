//! Pictures as SVG: what every drawing needs.

use std::fmt::Display;

/// A text between tags of XML or HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A text as the value of an attribute.
pub fn attribute(text: &str) -> String {
    escape(text).replace('"', "&quot;")
}

/// A picture around `body`; `size` holds the attributes that say how large it is.
pub fn picture(size: &str, font_size: u32, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" {size} font-family=\"sans-serif\" \
         font-size=\"{font_size}\">\n{body}</svg>\n"
    )
}

/// Words at a place; `attributes` are those of the element, with a space before the first.
pub fn label(x: impl Display, y: impl Display, attributes: &str, words: &str) -> String {
    format!("<text x=\"{x}\" y=\"{y}\"{attributes}>{}</text>", escape(words))
}
