//! Text forms of a list, each with its reader and its writer.

mod attributes;
mod block;
mod characters;
mod element;
mod escape;
mod markdown;
mod markup;
mod open;
mod show;
mod steps;
mod tag;
mod tokens;
mod utf8;
mod verbatim;
mod xml;

#[cfg(test)]
mod tests;

pub use block::write_tokens;
pub use characters::{exact, exact_lines, is_unseen, plain};
pub use element::{ELEMENT_BYTES, Element};
pub use markdown::{read_markdown, write_markdown};
pub use show::{SavedList, ago, counted, read_show, saved_lists, show};
pub use steps::read_steps;
pub use tokens::{Token, Tokens};
pub use xml::{read_xml, write_xml, xml_status};

/// A text as it stands between tags: on one line, `&`, `<` and `>` escaped.
#[must_use]
pub fn escaped(text: &str) -> String {
    escape::escape(text, escape::Context::Text)
}

/// The beginning of a text, for sentences.
#[must_use]
pub fn short(text: &str) -> String {
    const CHARS: usize = 80;
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= CHARS && line.len() == text.len() {
        return line.to_owned();
    }
    format!("{}…", line.chars().take(CHARS).collect::<String>().trim_end())
}
