//! `<todo>` blocks in a model's prose, found while it streams (requirements K1, K2, K8; docs/formats/agents.md).
//!
//! Characters are taken one by one, so that it does not matter in which pieces they come. What may still become
//! something else is held back: a tag, a line with backticks, or one block.

use super::element::{Begun, Element};
use super::open::{BlockState, Open};
use super::tag::{LeftOver, NAMES, Named, Tag};
use super::utf8::Decoder;
use super::verbatim::{Char, Code, Fence, Line, Thought, Ticks};
use crate::Draft;
use std::collections::VecDeque;
use std::mem::take;

/// A piece of a stream.
#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    /// Text outside of blocks, for people to read.
    Prose(String),
    /// A block: the complete list.
    Block {
        /// Its items.
        drafts: Vec<Draft>,
        /// The byte of the stream at which its `<todo>` begins.
        at: usize,
    },
    /// A block that cannot be read or was not finished. It changes nothing.
    Broken {
        /// The byte of the stream at which its `<todo>` begins.
        at: usize,
        /// The problem, and what to do.
        problem: String,
    },
    /// An element of those that [`Tokens::elements`] looks for, or the `<` of a tag that [`Tokens::marks`] looks for;
    /// [`Tokens::new`] looks for none.
    Element(Element),
}

/// Finds the `<todo>` blocks in a stream of prose.
///
/// Blocks in `<think>`, in code fences and in inline code are prose, and so is a `<todo>` that no item follows. A
/// `<todo>` in a block is a list of subtasks; only one that begins a line, is whole, and is followed by something else
/// than tags of the block, is a block of its own, before which the other was cut off.
#[derive(Debug, Clone)]
pub struct Tokens {
    /// The tags that mean something.
    names: &'static [&'static str],
    marks: bool,
    decoder: Decoder,
    /// Bytes of the stream that were taken.
    at: usize,
    /// Characters to take again.
    again: VecDeque<Char>,
    state: State,
    line: Line,
    prose: String,
}

#[derive(Debug, Clone, Default)]
enum State {
    #[default]
    Prose,
    Tag(Tag),
    Code(Code),
    Fence(Fence),
    Thought(Thought),
    Open(Box<Open>),
    /// After a block, with what may be an end tag that is left over.
    Tail(String),
    Element(Box<Begun>),
}

impl Default for Tokens {
    fn default() -> Self {
        Self::new()
    }
}

impl Tokens {
    /// At the beginning of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::elements(NAMES)
    }

    /// At the beginning of a stream in which elements of these names (in small letters) are looked for instead, and
    /// `<todo>` is prose. Where a block would be none, an element is none: that takes `think` and `thinking` among the
    /// names.
    #[must_use]
    pub fn elements(names: &'static [&'static str]) -> Self {
        Self {
            names,
            marks: false,
            decoder: Decoder::default(),
            at: 0,
            again: VecDeque::new(),
            state: State::default(),
            line: Line::default(),
            prose: String::new(),
        }
    }

    /// At the beginning of a stream in which the `<` of each tag of these names is looked for, also of one that is
    /// broken. A name may begin with `/`.
    #[must_use]
    pub fn marks(names: &'static [&'static str]) -> Self {
        Self { marks: true, ..Self::elements(names) }
    }

    /// Moves the place in the stream: the last push stood for so many bytes more, or less.
    pub fn shift(&mut self, bytes: isize) {
        self.at = self.at.saturating_add_signed(bytes);
    }

    /// Takes a piece of the stream, and gives what has become certain with it.
    pub fn push(&mut self, chunk: &str, out: &mut Vec<Token>) {
        self.push_bytes(chunk.as_bytes(), out);
    }

    /// Takes a piece of the stream as bytes, which may end within a character. What is no UTF-8 is read as U+FFFD.
    pub fn push_bytes(&mut self, chunk: &[u8], out: &mut Vec<Token>) {
        let mut decoder = take(&mut self.decoder);
        decoder.push(chunk, |c, bytes| self.take((c, bytes), out));
        self.decoder = decoder;
        self.flush(out);
    }

    /// The end of the stream: what was held back becomes certain, and a block that is open is cut off.
    pub fn finish(&mut self, out: &mut Vec<Token>) {
        let mut decoder = take(&mut self.decoder);
        decoder.finish(|c, bytes| self.take((c, bytes), out));
        while let State::Code(code) = &self.state {
            self.state = self.ticks(code.clone().finish());
            self.drain(out);
        }
        match &self.state {
            State::Tag(tag) => self.prose.push_str(&tag.text()),
            State::Tail(tag) => self.prose.push_str(tag),
            _ => {}
        }
        self.flush(out);
        match take(&mut self.state) {
            State::Open(mut open) => open.finish(out),
            State::Element(begun) => out.push(Token::Element(begun.done(false, self.at))),
            _ => {}
        }
        *self = Self { marks: self.marks, ..Self::elements(self.names) };
    }

    /// Bytes of memory for what is held back.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        let state = match &self.state {
            State::Open(open) => open.memory(),
            State::Element(begun) => begun.memory(),
            State::Tag(tag) => tag.text().len() * size_of::<Char>(),
            State::Code(code) => code.held(),
            State::Tail(tag) => tag.capacity(),
            State::Prose | State::Fence(_) | State::Thought(_) => 0,
        };
        state + self.again.capacity() * size_of::<Char>() + self.prose.len()
    }

    fn flush(&mut self, out: &mut Vec<Token>) {
        if !self.prose.is_empty() {
            out.push(Token::Prose(take(&mut self.prose)));
        }
    }

    fn take(&mut self, c: Char, out: &mut Vec<Token>) {
        self.again.push_back(c);
        self.drain(out);
    }

    fn drain(&mut self, out: &mut Vec<Token>) {
        while let Some(c) = self.again.pop_front() {
            self.at += c.1;
            self.state = match take(&mut self.state) {
                State::Prose => self.prose(c),
                State::Tag(tag) => self.tag(tag, c, out),
                State::Code(code) => self.ticks_at(code, c),
                State::Fence(fence) => self.fence(fence, c.0),
                State::Thought(thought) => self.thought(thought, c.0),
                State::Open(open) => self.open(open, c, out),
                State::Tail(tag) => self.tail(tag, c, out),
                State::Element(begun) => self.element(begun, c.0, out),
            };
        }
    }

    /// Gives characters back, to be taken again as prose.
    fn back(&mut self, chars: &[Char]) -> State {
        for (c, bytes) in chars.iter().rev() {
            self.at -= bytes;
            self.again.push_front((*c, *bytes));
        }
        State::Prose
    }

    fn pass(&mut self, chars: &[Char]) {
        self.prose.extend(chars.iter().map(|(c, _)| c));
    }

    fn prose(&mut self, c: Char) -> State {
        if let Some(fence) = self.line.fence(c.0) {
            return self.fence(fence, c.0);
        }
        let line = self.line;
        self.line = line.after(c.0);
        match c.0 {
            '<' => State::Tag(Tag::new(c, self.at - c.1, self.names, self.marks)),
            '`' => State::Code(Code::new(c, line)),
            c => {
                self.prose.push(c);
                State::Prose
            }
        }
    }

    fn fence(&mut self, mut fence: Fence, c: char) -> State {
        self.prose.push(c);
        if fence.step(c) {
            self.line = Line::Start(0);
            return State::Prose;
        }
        State::Fence(fence)
    }

    fn thought(&mut self, mut thought: Thought, c: char) -> State {
        self.prose.push(c);
        if thought.step(c) {
            self.line = Line::Within;
            return State::Prose;
        }
        State::Thought(thought)
    }

    fn ticks_at(&mut self, code: Code, c: Char) -> State {
        match code.step(c) {
            Ticks::Span(chars) => {
                self.ticks(Ticks::Span(chars));
                self.back(&[c])
            }
            ticks => self.ticks(ticks),
        }
    }

    fn ticks(&mut self, ticks: Ticks) -> State {
        match ticks {
            Ticks::Perhaps(code) => State::Code(code),
            Ticks::Span(chars) => {
                self.pass(&chars);
                State::Prose
            }
            Ticks::Fence(chars, fence) => {
                self.pass(&chars);
                State::Fence(fence)
            }
            Ticks::Literal(ticks, rest) => {
                self.prose.extend(std::iter::repeat_n('`', ticks));
                self.back(&rest)
            }
        }
    }

    fn tag(&mut self, tag: Tag, c: Char, out: &mut Vec<Token>) -> State {
        match tag.step(c) {
            Named::Perhaps(tag) => State::Tag(tag),
            Named::No(rest) => {
                self.prose.push('<');
                self.back(&rest)
            }
            Named::Todo { at, empty: true, .. } => {
                self.flush(out);
                out.push(Token::Block { drafts: Vec::new(), at });
                State::Tail(String::new())
            }
            Named::Todo { tag, at, .. } => State::Open(Box::new(Open::new(tag, at))),
            Named::Mark { name, at, rest } => {
                self.flush(out);
                out.push(Token::Element(Element::mark(name, at)));
                self.back(&rest)
            }
            Named::Think { tag, name, empty } => {
                self.prose.push_str(&tag);
                if empty { State::Prose } else { State::Thought(Thought::new(name)) }
            }
            Named::Element { tag, name, at, empty } => {
                let begun = Begun::new(tag, name, at);
                if !empty {
                    return State::Element(Box::new(begun));
                }
                self.flush(out);
                out.push(Token::Element(begun.done(true, self.at)));
                State::Prose
            }
        }
    }

    fn element(&mut self, mut begun: Box<Begun>, c: char, out: &mut Vec<Token>) -> State {
        let ends = begun.step(c);
        if !ends && !begun.is_too_long() {
            return State::Element(begun);
        }
        self.flush(out);
        self.line = Line::Within;
        out.push(Token::Element(begun.done(ends, self.at)));
        State::Prose
    }

    /// Leaves out the tags that follow a block at once: they are of it, and no prose.
    fn tail(&mut self, mut tag: String, c: Char, out: &mut Vec<Token>) -> State {
        if tag.is_empty() && c.0 != '<' {
            let state = self.prose(c);
            return if c.0.is_ascii_whitespace() { State::Tail(tag) } else { state };
        }
        tag.push(c.0);
        match LeftOver::of(&tag) {
            LeftOver::Perhaps => State::Tail(tag),
            LeftOver::End => State::Tail(String::new()),
            LeftOver::Item => {
                self.flush(out);
                // The newest character is of one byte, too.
                let open = Open::left_over(self.at - tag.len(), out);
                self.back(&[c]);
                State::Open(Box::new(open))
            }
            LeftOver::No => {
                // Before the newest character these are of the beginning of a tag, so of one byte each.
                let begun: Vec<Char> = tag.chars().take(tag.chars().count() - 1).map(|c| (c, 1)).collect();
                self.back(&[c]);
                self.back(&begun)
            }
        }
    }

    fn open(&mut self, mut open: Box<Open>, c: Char, out: &mut Vec<Token>) -> State {
        let mut certain = Vec::new();
        let state = open.step(c.0, self.at - c.1, &mut certain);
        if !certain.is_empty() {
            self.flush(out);
            out.append(&mut certain);
        }
        match state {
            BlockState::More => State::Open(open),
            BlockState::End => State::Tail(String::new()),
            BlockState::Mention(bytes) => {
                let (text, rest) = open.held().split_at_checked(bytes).unwrap_or((open.held(), ""));
                self.prose.push_str(text);
                self.line = text.chars().fold(Line::Within, Line::after);
                // Before the newest character these are of the beginning of a tag, so of one byte each.
                let begun = rest.chars().count().saturating_sub(1);
                let chars: Vec<Char> = rest.chars().take(begun).map(|c| (c, 1)).collect();
                if !rest.is_empty() {
                    self.back(&[c]);
                }
                self.back(&chars)
            }
        }
    }
}
