//! Characters that reorder, join, hide or break what is around them, and the two forms in which a text with them is shown.
//!
//! The table is `ui/src/shared/text/characters.json`, which names its sources; the UI does the same with it.

use Kind::{Bidi, Control, Invisible, Joiner, Line, Mark, Override, Private, Space, Tag, Variation};
use std::fmt::Write;

/// The effect of a character that has no letter of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A control character.
    Control,
    /// A separator of lines or paragraphs.
    Line,
    /// It changes the direction of what is around it.
    Bidi,
    /// It forces a direction on letters, for which there is no honest use.
    Override,
    /// It joins or parts the letters beside it, as emoji and several scripts need.
    Joiner,
    /// It chooses a form of the letter before it.
    Variation,
    /// It spells the name of a flag after U+1F3F4.
    Tag,
    /// A format character with a sign of its own.
    Mark,
    /// Nothing of it is seen.
    Invisible,
    /// A blank other than U+0020.
    Space,
    /// A font may show anything for it.
    Private,
}

#[rustfmt::skip]
const TABLE: &[(u32, u32, Kind)] = &[
    (0x0000, 0x001F, Control),
    (0x007F, 0x009F, Control),
    (0x00A0, 0x00A0, Space),
    (0x00AD, 0x00AD, Invisible),
    (0x034F, 0x034F, Invisible),
    (0x0600, 0x0605, Mark),
    (0x061C, 0x061C, Bidi),
    (0x06DD, 0x06DD, Mark),
    (0x070F, 0x070F, Mark),
    (0x0890, 0x0891, Mark),
    (0x08E2, 0x08E2, Mark),
    (0x115F, 0x1160, Invisible),
    (0x1680, 0x1680, Space),
    (0x17B4, 0x17B5, Invisible),
    (0x180B, 0x180D, Variation),
    (0x180E, 0x180E, Joiner),
    (0x180F, 0x180F, Variation),
    (0x2000, 0x200A, Space),
    (0x200B, 0x200B, Invisible),
    (0x200C, 0x200D, Joiner),
    (0x200E, 0x200F, Bidi),
    (0x2028, 0x2029, Line),
    (0x202A, 0x202C, Bidi),
    (0x202D, 0x202E, Override),
    (0x202F, 0x202F, Space),
    (0x205F, 0x205F, Space),
    (0x2060, 0x2065, Invisible),
    (0x2066, 0x2069, Bidi),
    (0x206A, 0x206F, Invisible),
    (0x2800, 0x2800, Space),
    (0x3000, 0x3000, Space),
    (0x3164, 0x3164, Invisible),
    (0xD800, 0xF8FF, Private),
    (0xFDD0, 0xFDEF, Private),
    (0xFE00, 0xFE0F, Variation),
    (0xFEFF, 0xFEFF, Invisible),
    (0xFFA0, 0xFFA0, Invisible),
    (0xFFF0, 0xFFFB, Invisible),
    (0xFFFE, 0xFFFF, Private),
    (0x110BD, 0x110BD, Mark),
    (0x110CD, 0x110CD, Mark),
    (0x13430, 0x1343F, Mark),
    (0x1BCA0, 0x1BCA3, Invisible),
    (0x1D173, 0x1D17A, Invisible),
    (0x1FFFE, 0x1FFFF, Private),
    (0x2FFFE, 0x2FFFF, Private),
    (0x3FFFE, 0x3FFFF, Private),
    (0x4FFFE, 0x4FFFF, Private),
    (0x5FFFE, 0x5FFFF, Private),
    (0x6FFFE, 0x6FFFF, Private),
    (0x7FFFE, 0x7FFFF, Private),
    (0x8FFFE, 0x8FFFF, Private),
    (0x9FFFE, 0x9FFFF, Private),
    (0xAFFFE, 0xAFFFF, Private),
    (0xBFFFE, 0xBFFFF, Private),
    (0xCFFFE, 0xCFFFF, Private),
    (0xDFFFE, 0xDFFFF, Private),
    (0xE0000, 0xE001F, Invisible),
    (0xE0020, 0xE007F, Tag),
    (0xE0080, 0xE00FF, Invisible),
    (0xE0100, 0xE01EF, Variation),
    (0xE01F0, 0xE0FFF, Invisible),
    (0xEFFFE, 0x10FFFF, Private),
];

/// The first letter of the scripts that need joiners; those before it do not.
const JOINED: char = '\u{590}';

/// Selects black flags, whose tags spell a region.
const FLAG: char = '\u{1f3f4}';

/// Tags in a flag's name at most.
const FLAG_TAGS: usize = 6;

fn kind(c: char) -> Option<Kind> {
    if (' '..='~').contains(&c) {
        return None;
    }
    let code = u32::from(c);
    let at = TABLE.partition_point(|&(_, end, _)| end < code);
    TABLE.get(at).filter(|&&(start, ..)| start <= code).map(|&(.., kind)| kind)
}

/// Returns whether nothing of a character is seen, or it changes what is around it.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    kind(c).is_some_and(|kind| !matches!(kind, Mark | Space | Private))
}

/// A text as it is shown to be read: on one line, without control characters and all that could turn or hide what is
/// around it. Joiners, variations and flags stay where emoji and scripts need them.
#[must_use]
pub fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let from = rest;
        rest = &rest[c.len_utf8()..];
        match kind(c) {
            None if c == FLAG => {
                let name = flag_name(rest);
                shown.push_str(&from[..c.len_utf8() + name]);
                rest = &rest[name..];
            }
            None | Some(Mark | Space | Private) => shown.push(c),
            Some(Control | Line) => shown.push(' '),
            Some(Override) => shown.push(char::REPLACEMENT_CHARACTER),
            Some(Joiner) if joins(shown.chars().next_back(), rest.chars().next()) => shown.push(c),
            Some(Variation) if shown.chars().next_back().is_some_and(is_letter) => shown.push(c),
            Some(Joiner | Variation | Bidi | Tag | Invisible) => {}
        }
    }
    shown
}

/// A text as it is shown to be approved: each character of the table by its number, as in `<U+202E>`.
#[must_use]
pub fn exact(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match kind(c) {
            None => shown.push(c),
            // Writing to a String cannot fail.
            Some(_) => drop(write!(shown, "<U+{:04X}>", u32::from(c))),
        }
    }
    shown
}

/// The same with its lines and tabs.
#[must_use]
pub fn exact_lines(text: &str) -> String {
    text.split_inclusive(['\n', '\t'])
        .map(|part| match part.strip_suffix(['\n', '\t']) {
            Some(line) => exact(line) + &part[line.len()..],
            None => exact(part),
        })
        .collect()
}

/// Bytes of a flag's name and its end, if that is how the text begins.
fn flag_name(text: &str) -> usize {
    let is_tag = |c: &char| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
    let tags = text.chars().take_while(is_tag).take(FLAG_TAGS + 1).count();
    let bytes = tags * FLAG.len_utf8();
    let has_end = text.get(bytes..).is_some_and(|end| end.starts_with('\u{e007f}'));
    if (1..=FLAG_TAGS).contains(&tags) && has_end { bytes + FLAG.len_utf8() } else { 0 }
}

fn joins(before: Option<char>, after: Option<char>) -> bool {
    let is_varied = before.is_some_and(|c| c >= JOINED && kind(c) == Some(Variation));
    (is_varied || before.is_some_and(|c| c >= JOINED && is_letter(c)))
        && after.is_some_and(|c| c >= JOINED && is_letter(c))
}

fn is_letter(c: char) -> bool {
    !c.is_whitespace() && kind(c).is_none()
}

#[cfg(test)]
mod tests;
