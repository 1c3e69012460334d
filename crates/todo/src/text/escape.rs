//! Characters that markup would take for itself, and how a text says them all the same.

use std::fmt::Write;

/// Position of an escaped text in markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// Between tags.
    Text,
    /// Between double quotes.
    Attribute,
    /// One of several between double quotes, with commas between them.
    Part,
}

/// A text as it stands in markup: on one line, without control characters, and read back exactly as it is.
pub(super) fn escape(text: &str, context: Context) -> String {
    let mut out = String::with_capacity(text.len());
    let last = text.len().saturating_sub(1);
    for (at, c) in text.char_indices() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if context != Context::Text => out.push_str("&quot;"),
            // Whitespace at the ends would be trimmed, a comma would divide.
            ' ' if at == 0 || at == last => out.push_str("&#32;"),
            ',' if context == Context::Part => out.push_str("&#44;"),
            c if c.is_control() => {
                // Writing to a String cannot fail.
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// The character that the beginning of a text names, with the bytes it takes: `&amp;`, `&#10;`, `&#xA;`.
pub(super) fn entity(text: &str) -> Option<(char, usize)> {
    const LONGEST: usize = 12;
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        _ => {
            let number = name.strip_prefix('#')?;
            let (digits, radix) = match number.strip_prefix(['x', 'X']) {
                Some(hex) => (hex, 16),
                None => (number, 10),
            };
            char::from_u32(u32::from_str_radix(digits, radix).ok()?)?
        }
    };
    Some((c, end + 1))
}

/// The characters of a text with its entities read; one that is none stays as it is. Told whether each was an entity.
pub(super) fn unescaped(text: &str) -> impl Iterator<Item = (char, bool)> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        let c = rest.chars().next()?;
        let named = if c == '&' { entity(rest) } else { None };
        let (c, bytes) = named.unwrap_or((c, c.len_utf8()));
        rest = rest.get(bytes..).unwrap_or_default();
        Some((c, named.is_some()))
    })
}

/// A text with its entities read.
pub(super) fn unescape(text: &str) -> String {
    unescaped(text).map(|(c, _)| c).collect()
}
