//! A `<` in a stream and what follows it, until it is certain whether that is a tag.

use super::markup::{Quotes, ends_name};
use super::verbatim::Char;

/// Characters of a tag at most.
pub(super) const TAG_LENGTH: usize = 1024;

/// Characters of `</todo >` or `</todo_item >` at most.
const END_LENGTH: usize = 32;

/// The tags that mean something in prose where blocks are looked for.
pub(super) const NAMES: &[&str] = &["todo", "thinking", "think"];

/// A `<` in prose and what follows it.
#[derive(Debug, Clone)]
pub(super) struct Tag {
    chars: Vec<Char>,
    /// Byte of the stream at which it begins.
    at: usize,
    names: &'static [&'static str],
    /// Of the tags only their `<` is taken.
    marks: bool,
    name: Option<&'static str>,
    quotes: Quotes,
}

/// A `<` in prose, as far as it is known.
pub(super) enum Named {
    /// Not certain yet.
    Perhaps(Tag),
    /// No tag: a `<`, and what is to be taken again.
    No(Vec<Char>),
    Todo {
        tag: String,
        at: usize,
        empty: bool,
    },
    Think {
        tag: String,
        name: &'static str,
        empty: bool,
    },
    Element {
        tag: String,
        name: &'static str,
        at: usize,
        empty: bool,
    },
    /// A tag of which only the `<` is taken, and what is to be taken again.
    Mark {
        name: &'static str,
        at: usize,
        rest: Vec<Char>,
    },
}

impl Tag {
    /// At a `<`, which stands at this byte of the stream, where these tags mean something.
    pub(super) fn new(c: Char, at: usize, names: &'static [&'static str], marks: bool) -> Self {
        Self { chars: vec![c], at, names, marks, name: None, quotes: Quotes::default() }
    }

    /// The text so far.
    pub(super) fn text(&self) -> String {
        self.chars.iter().map(|(c, _)| c).collect()
    }

    pub(super) fn step(mut self, c: Char) -> Named {
        self.chars.push(c);
        let quoted = self.name.is_some() && self.quotes.step(c.0);
        if self.name.is_none() {
            let text = self.text().split_off(1).to_ascii_lowercase();
            let after = |name: &str| text.strip_prefix(name).is_some_and(|rest| rest.starts_with(ends_name));
            self.name = self.names.iter().copied().find(|name| after(name));
            if self.name.is_none() && self.names.iter().any(|name| name.starts_with(&text)) {
                return Named::Perhaps(self);
            }
        }
        if let Some(name) = self.name.filter(|name| self.marks && !name.starts_with("think")) {
            return Named::Mark { name, at: self.at, rest: self.chars.split_off(1) };
        }
        let Some(name) = self.name.filter(|_| c.0 != '<' && self.chars.len() <= TAG_LENGTH) else {
            return Named::No(self.chars.split_off(1));
        };
        if c.0 != '>' || quoted {
            return Named::Perhaps(self);
        }
        let tag = self.text();
        let empty = tag.ends_with("/>");
        match name {
            "todo" => Named::Todo { tag, at: self.at, empty },
            "think" | "thinking" => Named::Think { tag, name, empty },
            name => Named::Element { tag, name, at: self.at, empty },
        }
    }
}

/// A `<` after the end of a block, and the text after it: a tag of the block, which had an end too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeftOver {
    Perhaps,
    No,
    Item,
    End,
}

impl LeftOver {
    pub(super) fn of(tag: &str) -> Self {
        match Kind::of(tag) {
            Kind::Item => Self::Item,
            Kind::End => Self::End,
            Kind::ItemEnd if tag.ends_with('>') => Self::End,
            Kind::ItemEnd if tag.len() < END_LENGTH && tag.ends_with(|c: char| c.is_ascii_whitespace()) => {
                Self::Perhaps
            }
            Kind::Perhaps => Self::Perhaps,
            _ => Self::No,
        }
    }
}

/// A `<` and the text after it, within a block.
pub(super) enum Kind {
    Perhaps,
    No,
    Comment,
    Literal,
    Item,
    ItemEnd,
    End,
    Todo,
}

impl Kind {
    pub(super) fn of(tag: &str) -> Self {
        let begins = |name: &str| tag.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name));
        let after = |name: &str| tag.get(name.len()..).filter(|_| begins(name)).unwrap_or_default();
        let may_become = |name: &str| name.get(..tag.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(tag));
        let may_end = begins("</todo") && after("</todo").trim_ascii_start().is_empty() && tag.len() < END_LENGTH;
        if begins("<!--") {
            Self::Comment
        } else if begins("<![CDATA[") {
            Self::Literal
        } else if after("<todo_item").starts_with(ends_name) {
            Self::Item
        } else if after("</todo_item").starts_with(ends_name) {
            Self::ItemEnd
        } else if after("<todo").starts_with(ends_name) {
            Self::Todo
        } else if after("</todo").trim_ascii_start() == ">" {
            Self::End
        } else if may_end || ["<!--", "<![CDATA[", "<todo_item", "</todo_item"].iter().any(|name| may_become(name)) {
            Self::Perhaps
        } else {
            Self::No
        }
    }
}
