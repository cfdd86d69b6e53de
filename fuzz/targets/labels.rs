//! Each byte is a token of a label: the first ones make declarations, the others a guard, an update,
//! an invariant and a query of a small automaton.

#![no_main]

use libfuzzer_sys::fuzz_target;
use provoke_base::SourceFile;

const TOKENS: [&str; 80] = [
    "int", "bool", "clock", "chan", "broadcast", "urgent", "const", "typedef", "struct", "scalar",
    "double", "void", "return", "for", "while", "do", "if", "else", "break", "continue", "forall",
    "exists", "sum", "and", "or", "not", "imply", "true", "false", "deadlock", "E", "A", "Pr", "sup",
    "simulate", "(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "=", ":=", "==", "!=", "<=", ">=",
    "<", ">", "+", "-", "*", "/", "%", "++", "--", "+=", "&&", "||", "!", "?", "'", "&", "x", "y", "v",
    "a", "f", "c", "T", "L", "0", "1", "2", "1.5", "#",
];

fuzz_target!(|bytes: &[u8]| {
    let words: Vec<&str> = bytes.iter().map(|b| TOKENS[*b as usize % TOKENS.len()]).collect();
    let part = words.len() / 5;
    let text = |index: usize| {
        let text = words[index * part..(index + 1) * part].join(" ");
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    };
    let xml = format!(
        "<nta><declaration>int[0,3] v; int a[2]; clock x, y; chan c; {}</declaration><template><name>T\
         </name><location id=\"L\"><name>L</name><label kind=\"invariant\">{}</label></location><init \
         ref=\"L\"/><transition><source ref=\"L\"/><target ref=\"L\"/><label kind=\"guard\">{}</label>\
         <label kind=\"assignment\">{}</label></transition></template><system>system T;</system>\
         <queries><query><formula>{}</formula></query></queries></nta>",
        text(0), text(1), text(2), text(3), text(4)
    );
    provoke_fuzz::exercise_timed(&SourceFile::new("fuzz.xml", xml));
});
