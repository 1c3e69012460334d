//! Markup as models write it, in pieces: what is no tag that is asked for is text.

use super::escape::unescaped;

/// One piece of markup. Comments are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text with entities in it.
    Text(&'a str),
    /// Text that is meant as it stands.
    Literal(&'a str),
    /// `<name attributes>`, or `<name attributes/>`.
    Open {
        /// The name.
        name: &'static str,
        /// The text after the name.
        attributes: &'a str,
        /// It is closed already.
        empty: bool,
        /// The tag as it was written.
        tag: &'a str,
    },
    /// `</name>`.
    Close(&'static str),
}

/// The pieces of a text, in which the given tags (in small letters) are tags.
pub(super) struct Pieces<'a> {
    rest: &'a str,
    names: &'static [&'static str],
    /// No search for these is done twice in vain.
    no_comment: bool,
    no_literal: bool,
}

impl<'a> Pieces<'a> {
    pub(super) fn of(text: &'a str, names: &'static [&'static str]) -> Self {
        Self { rest: text, names, no_comment: false, no_literal: false }
    }

    /// The text that is not read yet.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    fn skip(&mut self, bytes: usize) -> &'a str {
        let (piece, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        piece
    }

    /// A comment at this place.
    fn comment(&mut self) -> bool {
        if self.no_comment || !self.rest.starts_with("<!--") {
            return false;
        }
        let end = self.rest.get(4..).and_then(|inside| inside.find("-->"));
        self.no_comment = end.is_none();
        end.is_some_and(|end| !self.skip(4 + end + 3).is_empty())
    }

    fn literal(&mut self) -> Option<&'a str> {
        const OPEN: &str = "<![CDATA[";
        let opens = self.rest.get(..OPEN.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(OPEN));
        if self.no_literal || !opens {
            return None;
        }
        let end = self.rest.get(OPEN.len()..).and_then(|inside| inside.find("]]>"));
        self.no_literal = end.is_none();
        let piece = self.skip(OPEN.len() + end? + 3);
        piece.get(OPEN.len()..piece.len() - 3)
    }

    /// The tag at this place, and its bytes.
    fn tag(&self) -> Option<(Piece<'a>, usize)> {
        let inside = self.rest.get(1..)?;
        let (closes, named) = match inside.strip_prefix('/') {
            Some(named) => (true, named),
            None => (false, inside),
        };
        let name = name_of(named, self.names)?;
        let after = named.get(name.len()..)?;
        let end = tag_end(after, self.names)?;
        let bytes = self.rest.len() - after.len() + end + 1;
        if closes {
            return Some((Piece::Close(name), bytes));
        }
        let attributes = after.get(..end)?.trim_end();
        let bare = attributes.strip_suffix('/');
        let tag = self.rest.get(..bytes)?;
        Some((Piece::Open { name, attributes: bare.unwrap_or(attributes), empty: bare.is_some(), tag }, bytes))
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        loop {
            let first = self.rest.chars().next()?;
            if first == '<' {
                if self.comment() {
                    continue;
                }
                if let Some(literal) = self.literal() {
                    return Some(Piece::Literal(literal));
                }
                if let Some((piece, bytes)) = self.tag() {
                    self.skip(bytes);
                    return Some(piece);
                }
            }
            let from = first.len_utf8();
            let end = self.rest.get(from..).and_then(|rest| rest.find('<')).map_or(self.rest.len(), |at| at + from);
            return Some(Piece::Text(self.skip(end)));
        }
    }
}

/// The name that a text begins with, in any case.
fn name_of(text: &str, names: &'static [&'static str]) -> Option<&'static str> {
    names.iter().copied().find(|name| {
        let begins = text.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name));
        begins && text.get(name.len()..).is_some_and(|rest| rest.starts_with(ends_name))
    })
}

/// True if a character may follow the name of a tag.
pub(super) fn ends_name(c: char) -> bool {
    c.is_ascii_whitespace() || matches!(c, '>' | '/')
}

/// Byte of the `>` of a tag, in the text after its name. A quote that is never closed is no quote.
fn tag_end(text: &str, names: &'static [&'static str]) -> Option<usize> {
    let mut quotes = Quotes::default();
    for (at, c) in text.char_indices() {
        let quoted = quotes.step(c);
        if c == '>' && !quoted {
            return Some(at);
        }
        let next_tag = || {
            let inside = text.get(at + 1..).unwrap_or_default();
            name_of(inside.strip_prefix('/').unwrap_or(inside), names).is_some()
        };
        if c == '<' && (!quoted || next_tag()) {
            break;
        }
    }
    text.find(['<', '>']).filter(|at| text.as_bytes().get(*at) == Some(&b'>'))
}

/// The quoted characters of a tag: a quote begins a value only right after `=`.
#[derive(Debug, Clone, Default)]
pub(super) struct Quotes {
    open: Option<char>,
    after_equals: bool,
}

impl Quotes {
    /// Takes the next character; says whether it is quoted.
    pub(super) fn step(&mut self, c: char) -> bool {
        match self.open {
            Some(quote) => {
                if c == quote {
                    self.open = None;
                }
                true
            }
            None => {
                if self.after_equals && matches!(c, '"' | '\'') {
                    self.open = Some(c);
                }
                self.after_equals = c == '=' || (self.after_equals && c.is_ascii_whitespace());
                self.open.is_some()
            }
        }
    }
}

/// The text of an element, as it is put together: without whitespace around it or before its lines.
#[derive(Debug, Clone, Default)]
pub(super) struct Content {
    text: String,
    gap: String,
}

impl Content {
    /// Adds text with entities; whitespace that is written as an entity is meant.
    pub(super) fn raw(&mut self, text: &str) {
        for (c, meant) in unescaped(text) {
            if c.is_ascii_whitespace() && !meant {
                self.gap.push(c);
            } else {
                self.meant(c);
            }
        }
    }

    /// Adds text as it stands.
    pub(super) fn literal(&mut self, text: &str) {
        text.chars().for_each(|c| self.meant(c));
    }

    fn meant(&mut self, c: char) {
        if !self.text.is_empty() && !self.gap.is_empty() {
            let gap = self.gap.replace("\r\n", "\n").replace('\r', "\n");
            let mut lines = gap.split('\n');
            self.text.push_str(lines.next().unwrap_or_default());
            // Of each further line only what precedes its end, and that is indentation.
            lines.for_each(|_| self.text.push('\n'));
        }
        self.gap.clear();
        self.text.push(c);
    }

    pub(super) fn done(self) -> String {
        self.text
    }
}
