//! The look of a file's text, which edits follow: its byte order mark, its line ends, its indentation.

use std::ops::Range;
use texts::Text;

/// The byte order mark that editors on Windows put first; no parser of ours wants to see it.
const MARK: char = '\u{feff}';

/// The reason why a text cannot be edited; with the file's path it becomes an [`crate::Error`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No JSON, or no TOML; both from 1.
    Syntax { line: usize, column: usize, message: String },
    /// Well-formed, but not what the agent expects there.
    Shape(Text),
}

/// The mark (or nothing) and what follows it.
pub(crate) fn without_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(MARK) { MARK.len_utf8() } else { 0 })
}

/// The line end of a text; `\n` where it has one line only.
pub(crate) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The white space that the line of this place begins with.
pub(crate) fn indent_at(text: &str, place: usize) -> &str {
    let line = &text[text[..place].rfind('\n').map_or(0, |at| at + 1)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Line and column (in characters) of a place, both from 1.
pub(crate) fn line_and_column(text: &str, place: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(place)];
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line..].chars().count() + 1)
}

/// The text with each place replaced. Those at one place keep their order.
pub(crate) fn splice(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(place, _)| place.start);
    let mut out = String::with_capacity(text.len() + edits.iter().map(|(_, new)| new.len()).sum::<usize>());
    let mut done = 0;
    for (place, new) in edits {
        out.push_str(&text[done..place.start.max(done)]);
        out.push_str(&new);
        done = place.end.max(done);
    }
    out.push_str(&text[done..]);
    out
}

/// The text with lines at its end, after an empty one. A text without a last line end stays one.
pub(crate) fn append(text: &str, block: &[String]) -> String {
    let newline = newline(text);
    let block = block.join(newline);
    if text.is_empty() {
        format!("{block}{newline}")
    } else if text.ends_with('\n') {
        format!("{text}{newline}{block}{newline}")
    } else {
        format!("{text}{newline}{newline}{block}")
    }
}

/// The whole lines of a stretch. With `gap` also the empty line before it, which [`append`] puts there; at the end of
/// a text without a last line end also the line end before it.
pub(crate) fn lines(text: &str, place: Range<usize>, gap: bool) -> Range<usize> {
    let mut start = text[..place.start].rfind('\n').map_or(0, |at| at + 1);
    let shorter = without_line_end(&text[..start]);
    if gap && (shorter.is_empty() || shorter.ends_with('\n')) {
        start = shorter.len();
    }
    match text[place.end..].find('\n') {
        Some(at) => start..place.end + at + 1,
        None => without_line_end(&text[..start]).len()..text.len(),
    }
}

fn without_line_end(text: &str) -> &str {
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("a\r\nb\n", "\r\n")]
    #[case("a\nb\r\n", "\n")]
    #[case("a", "\n")]
    #[case("\r\n", "\r\n")]
    fn line_ends(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(newline(text), expected);
    }

    #[rstest]
    #[case("ä b\n\tx", 0, (1, 1))]
    #[case("ä b\n\tx", 3, (1, 3))]
    #[case("ä b\n\tx", 6, (2, 2))]
    #[case("ä", 1, (1, 1))]
    #[case("a", 9, (1, 2))]
    fn places(#[case] text: &str, #[case] place: usize, #[case] expected: (usize, usize)) {
        assert_eq!(line_and_column(text, place), expected);
    }

    #[test]
    fn indentation_is_that_of_the_line() {
        let text = "{\n\t \"a\": {\n  }\n}";
        assert_eq!(indent_at(text, 9), "\t ");
        assert_eq!(indent_at(text, text.len() - 1), "");
    }
}
