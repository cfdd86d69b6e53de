//! Each byte is a token: the parser and its recovery.

#![no_main]

use libfuzzer_sys::fuzz_target;
use provoke_base::SourceFile;

const TOKENS: [&str; 72] = [
    "node", "returns", "var", "let", "tel", "type", "const", "if", "then", "else", "not", "and",
    "or", "xor", "pre", "true", "false", "bool", "int", "real", "subrange", "of", "enum", "struct",
    "assert", "condact", "div", "mod", "floor", "function", "--%PROPERTY", "--%MAIN\n", "(", ")",
    "[", "]", "{", "}", ",", ";", ":", ".", "=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/",
    "->", "=>", ":=", "^", "a", "b", "c", "x", "y", "T", "S", "main", "f", "g", "0", "1", "2", "3.5",
    "\"text\"", "when",
];

fuzz_target!(|bytes: &[u8]| {
    let words: Vec<&str> = bytes.iter().map(|b| TOKENS[*b as usize % TOKENS.len()]).collect();
    provoke_fuzz::exercise(&SourceFile::new("fuzz.lus", words.join(" ")));
});
