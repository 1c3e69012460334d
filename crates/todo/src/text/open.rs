//! A `<todo>` that was met in a stream, until it is certain what it is: a block, a part of one, or a mere mention.

use super::block;
use super::markup::Quotes;
use super::tag::{Kind, TAG_LENGTH};
use super::tokens::Token;
use crate::limits;

/// Bytes of whitespace and comments between `<todo>` and the first item.
const LEAD_BYTES: usize = 8 * 1024;

/// Bytes by which the memory for a large block grows.
const STEP_BYTES: usize = 32 * 1024;

/// The state of the block after a character.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BlockState {
    /// Not certain yet.
    More,
    /// It is over, after these tokens.
    End,
    /// It was a mention: prose up to this byte of what is held. What follows is to be read again.
    Mention(usize),
}

#[derive(Debug, Clone)]
enum Within {
    Text,
    /// A `<` and what may make it a tag.
    Tag,
    /// The attributes of another `<todo`.
    Todo(Quotes),
    Comment,
    Literal,
}

/// A `<todo>` of which it is not known yet whether it begins a block.
#[derive(Debug, Clone, Copy)]
struct Lead {
    /// Where it begins in what is held.
    from: usize,
    /// Where it begins in the stream.
    at: usize,
}

#[derive(Debug, Clone)]
pub(super) struct Open {
    /// Where it begins in the stream.
    at: usize,
    held: String,
    within: Within,
    /// Where the newest tag or comment begins, in what is held and in the stream.
    mark: Lead,
    /// It is a block: an item was met.
    real: bool,
    /// It was too large and reported; only its end is looked for.
    over: bool,
    lead: Option<Lead>,
}

impl Open {
    /// After the tag of a `<todo>` that begins at this byte of the stream.
    pub(super) fn new(tag: String, at: usize) -> Self {
        let lead = Lead { from: 0, at };
        Self { at, held: tag, within: Within::Text, mark: lead, real: false, over: false, lead: Some(lead) }
    }

    /// The text that is held.
    pub(super) fn held(&self) -> &str {
        &self.held
    }

    /// Bytes of memory that it takes.
    #[cfg(test)]
    pub(super) fn memory(&self) -> usize {
        self.held.capacity()
    }

    /// Takes the next character, which begins at this byte of the stream.
    pub(super) fn step(&mut self, c: char, at: usize, out: &mut Vec<Token>) -> BlockState {
        if self.held.capacity() - self.held.len() < c.len_utf8() {
            // By doubling it would take twice what it may hold.
            self.held.reserve_exact(self.held.len().min(STEP_BYTES));
        }
        self.held.push(c);
        let state = match &mut self.within {
            Within::Text => self.text(c, at),
            Within::Tag => self.tag(c, at, out),
            Within::Todo(quotes) => {
                let quoted = quotes.step(c);
                self.todo(c, quoted, at, out)
            }
            Within::Comment => self.until("-->", 7),
            Within::Literal => self.until("]]>", 12),
        };
        if state == BlockState::More { self.limit(out) } else { state }
    }

    /// The end of the stream: what is held is cut off.
    pub(super) fn finish(&self, out: &mut Vec<Token>) {
        if !self.over {
            out.push(cut_off(self.at));
        }
        if let Some(lead) = self.lead.filter(|_| self.real) {
            out.push(cut_off(lead.at));
        }
    }

    fn text(&mut self, c: char, at: usize) -> BlockState {
        if c == '<' {
            self.mark = Lead { from: self.held.len() - 1, at };
            self.within = Within::Tag;
        } else if !c.is_ascii_whitespace() {
            return self.deny(self.held.len() - c.len_utf8());
        }
        BlockState::More
    }

    fn until(&mut self, end: &str, shortest: usize) -> BlockState {
        if self.held.len() - self.mark.from >= shortest && self.held.ends_with(end) {
            self.within = Within::Text;
        }
        BlockState::More
    }

    fn tag(&mut self, c: char, at: usize, out: &mut Vec<Token>) -> BlockState {
        match Kind::of(self.held.get(self.mark.from..).unwrap_or_default()) {
            Kind::Perhaps => BlockState::More,
            Kind::Comment => {
                self.within = Within::Comment;
                BlockState::More
            }
            Kind::Literal => {
                self.within = Within::Literal;
                self.deny(self.mark.from)
            }
            Kind::Item => {
                self.within = Within::Text;
                self.confirm(out);
                BlockState::More
            }
            Kind::End => {
                self.confirm(out);
                self.end(out);
                BlockState::End
            }
            Kind::Todo => {
                // Two in a row: the first was a mention.
                if self.deny(self.mark.from) != BlockState::More {
                    return BlockState::Mention(self.mark.from);
                }
                let mut quotes = Quotes::default();
                let quoted = quotes.step(c);
                self.within = Within::Todo(quotes);
                self.todo(c, quoted, at, out)
            }
            Kind::No => self.no_tag(c, at),
        }
    }

    /// It was no tag, and another may begin right here.
    fn no_tag(&mut self, c: char, at: usize) -> BlockState {
        self.within = Within::Text;
        let state = self.deny(self.mark.from);
        if state == BlockState::More && c == '<' { self.text(c, at) } else { state }
    }

    fn todo(&mut self, c: char, quoted: bool, at: usize, out: &mut Vec<Token>) -> BlockState {
        let bytes = self.held.len() - self.mark.from;
        if c == '<' || bytes > TAG_LENGTH {
            return self.no_tag(c, at);
        }
        if c == '>' && !quoted {
            self.lead = Some(self.mark);
            self.within = Within::Text;
            if self.held.ends_with("/>") {
                self.confirm(out);
                out.push(Token::Block { drafts: Vec::new(), at: self.at });
                return BlockState::End;
            }
        }
        BlockState::More
    }

    /// The text after the newest `<todo>` is none of a block.
    fn deny(&mut self, from: usize) -> BlockState {
        match self.lead.take() {
            Some(_) if !self.real => BlockState::Mention(from),
            _ => BlockState::More,
        }
    }

    /// The text after the newest `<todo>` is that of a block, and a block before it is cut off.
    fn confirm(&mut self, out: &mut Vec<Token>) {
        let Some(lead) = self.lead.take() else { return };
        if self.real {
            if !self.over {
                out.push(cut_off(self.at));
            }
            self.held.drain(..lead.from);
            self.mark.from -= lead.from.min(self.mark.from);
            self.at = lead.at;
            self.over = false;
        }
        self.real = true;
    }

    /// Holds no more than a list may take, and of one that is too large only what may begin another.
    fn limit(&mut self, out: &mut Vec<Token>) -> BlockState {
        let led = self.lead.map_or(0, |lead| self.held.len() - lead.from);
        if led > LEAD_BYTES + TAG_LENGTH {
            return self.deny(self.held.len());
        }
        let known = match (self.lead, &self.within) {
            (Some(lead), _) => lead.from,
            (None, Within::Tag | Within::Todo(_)) => self.mark.from,
            (None, _) => self.held.len(),
        };
        if known > limits::LIST_BYTES && !self.over {
            self.over = true;
            out.push(too_large(self.at));
        }
        if self.over {
            self.held.drain(..known);
            self.mark.from = self.mark.from.saturating_sub(known);
            self.lead = self.lead.map(|lead| Lead { from: lead.from - known, ..lead });
            if self.lead.is_none() && matches!(self.within, Within::Comment | Within::Literal) {
                // It may be a comment only because its end was forgotten.
                self.within = Within::Text;
            }
        }
        BlockState::More
    }

    fn end(&self, out: &mut Vec<Token>) {
        if self.over {
            return;
        }
        if self.held.len() > limits::LIST_BYTES {
            return out.push(too_large(self.at));
        }
        let end = self.held.rfind('<').unwrap_or_default();
        let begin = opening(&self.held).min(end);
        let at = self.at;
        out.push(match block::read(self.held.get(begin..end).unwrap_or_default()) {
            Ok(drafts) => Token::Block { drafts, at },
            Err(error) => Token::Broken { at, problem: error.to_string() },
        });
    }
}

/// Bytes of the tag that a text begins with.
fn opening(held: &str) -> usize {
    let mut quotes = Quotes::default();
    held.char_indices().find(|(_, c)| !quotes.step(*c) && *c == '>').map_or(0, |(at, _)| at + 1)
}

fn cut_off(at: usize) -> Token {
    let problem = "the block is cut off: there is no </todo>. Nothing was changed; write the whole list again";
    Token::Broken { at, problem: problem.to_owned() }
}

fn too_large(at: usize) -> Token {
    let problem = format!(
        "the block takes more than {} bytes. Nothing was changed; shorten the longest items and write it again",
        limits::LIST_BYTES
    );
    Token::Broken { at, problem }
}
