//! An element in prose whose content is taken unchanged.

use super::attributes::attributes;
use super::escape::unescape;
use super::verbatim::Thought;

/// Bytes of an element, its tags left out.
pub const ELEMENT_BYTES: usize = 256 * 1024;

/// An element that was found in a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// Its name, in small letters.
    pub name: &'static str,
    /// Its first tag, unchanged.
    pub tag: String,
    /// Its attributes with their values, in order.
    pub attributes: Vec<(String, String)>,
    /// The text between its tags, unchanged.
    pub content: String,
    /// It has an end tag; where it has none, the stream ended, or it is longer than [`ELEMENT_BYTES`] and this is its
    /// beginning.
    pub closed: bool,
    /// The byte of the stream at which it begins.
    pub at: usize,
    /// The byte of the stream before which it ends.
    pub end: usize,
}

impl Element {
    /// The `<` of a tag, of which nothing else is looked for.
    pub(super) fn mark(name: &'static str, at: usize) -> Self {
        let (tag, attributes, content) = ("<".to_owned(), Vec::new(), String::new());
        Self { name, tag, attributes, content, closed: false, at, end: at + 1 }
    }
}

/// An element after its first tag.
#[derive(Debug, Clone)]
pub(super) struct Begun {
    tag: String,
    name: &'static str,
    at: usize,
    held: String,
    end: Thought,
}

impl Begun {
    pub(super) fn new(tag: String, name: &'static str, at: usize) -> Self {
        Self { tag, name, at, held: String::new(), end: Thought::new(name) }
    }

    /// Takes the next character; says whether the element ends with it.
    pub(super) fn step(&mut self, c: char) -> bool {
        self.held.push(c);
        self.end.step(c)
    }

    pub(super) fn is_too_long(&self) -> bool {
        self.held.len() > ELEMENT_BYTES
    }

    /// Bytes of memory that it takes.
    #[cfg(test)]
    pub(super) fn memory(&self) -> usize {
        self.held.capacity() + self.tag.capacity()
    }

    /// Its element, which ends before this byte of the stream.
    pub(super) fn done(self, closed: bool, end: usize) -> Element {
        let Self { tag, name, at, mut held, .. } = self;
        if closed {
            held.truncate(held.rfind("</").unwrap_or(held.len()));
        }
        let within = tag.get(1 + name.len()..).unwrap_or_default().trim_end_matches('>').trim_end_matches('/');
        let attributes = attributes(within).into_iter().map(|(name, value)| (name.to_owned(), unescape(value)));
        Element { name, attributes: attributes.collect(), tag, content: held, closed, at, end }
    }
}
