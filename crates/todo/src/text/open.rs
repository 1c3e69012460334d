//! A `<todo>` that was met in a stream, until it is certain what it is: a block, a part of one, or a mere mention.

use super::block::{self, Ends};
use super::markup::Quotes;
use super::tag::{Kind, TAG_LENGTH};
use super::tokens::Token;
use crate::limits;
use std::mem::take;

/// Bytes of whitespace and comments between `<todo>` and the first item.
const LEAD_BYTES: usize = 8 * 1024;

/// Bytes by which the memory for a large block grows.
const STEP_BYTES: usize = 32 * 1024;

/// Lists within lists that are kept track of one by one; of deeper ones only the number is.
const LISTS: usize = 16;

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

/// The beginning of a tag, a comment or a list.
#[derive(Debug, Clone, Copy)]
struct Mark {
    /// Byte of what is held at which it begins.
    from: usize,
    /// Byte of the stream at which it begins.
    at: usize,
    /// It is the first of its line.
    starts_line: bool,
    /// Right before it an item has ended, and no other is open.
    after_item: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Open {
    /// Byte of the stream at which it begins.
    at: usize,
    held: String,
    /// The character before the newest one.
    before: char,
    within: Within,
    /// The newest tag or comment.
    mark: Mark,
    /// It is a block: an item was met.
    real: bool,
    /// It was too large and reported; only its end is looked for.
    over: bool,
    /// A `<todo>` that nothing has followed yet.
    lead: Option<Mark>,
    /// The lists in it that are open.
    lists: Vec<Mark>,
    /// The number of open lists beyond [`LISTS`].
    deeper: usize,
    /// A list in it that has just ended, begun by the first tag of its line, and the byte of what is held at which it did.
    /// Where no tag of the block follows, the block was cut off before it.
    ended: Option<(Mark, usize)>,
}

impl Open {
    /// After the tag of a `<todo>` that begins at this byte of the stream.
    pub(super) fn new(tag: String, at: usize) -> Self {
        let lead = Mark { from: 0, at, starts_line: false, after_item: false };
        Self {
            at,
            held: tag,
            before: '>',
            within: Within::Text,
            mark: lead,
            real: false,
            over: false,
            lead: Some(lead),
            lists: Vec::new(),
            deeper: 0,
            ended: None,
        }
    }

    /// After a block that ended before its last items, of which the first begins at this byte of the stream: they are
    /// left out.
    pub(super) fn left_over(at: usize, out: &mut Vec<Token>) -> Self {
        let problem = "items stand after the </todo> of their block. They are left out, up to the next whole block; write the whole list \
             again";
        out.push(Token::Broken { at, problem: problem.to_owned() });
        Self { real: true, over: true, lead: None, ..Self::new(String::new(), at) }
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
            Within::Text => self.text(c, at, out),
            Within::Tag => self.tag(c, at, out),
            Within::Todo(quotes) => {
                let quoted = quotes.step(c);
                self.todo(c, quoted, at, out)
            }
            Within::Comment => self.until("-->", 7),
            Within::Literal => self.until("]]>", 12),
        };
        self.before = c;
        if state == BlockState::More { self.limit(out) } else { state }
    }

    /// The end of the stream: what is held is cut off, but not a list after its whole items, which nobody puts there as
    /// subtasks.
    pub(super) fn finish(&mut self, out: &mut Vec<Token>) {
        if !self.ended.is_some_and(|(list, _)| list.after_item) {
            self.ended = None;
        }
        if self.ended.is_some() {
            self.deny(self.held.len(), out);
            if !self.held.is_empty() {
                out.push(Token::Prose(take(&mut self.held)));
            }
        } else if !self.over {
            out.push(cut_off(self.at));
        }
    }

    fn text(&mut self, c: char, at: usize, out: &mut Vec<Token>) -> BlockState {
        if c == '<' {
            let from = self.held.len() - 1;
            let before = self.held.get(..from).unwrap_or_default().trim_ascii_end().as_bytes();
            let after_item =
                before.last_chunk().is_some_and(|end: &[u8; 12]| end.eq_ignore_ascii_case(b"</todo_item>"));
            self.mark = Mark { from, at, starts_line: self.before == '\n', after_item };
            self.within = Within::Tag;
        } else if !c.is_ascii_whitespace() {
            return self.deny(self.held.len() - c.len_utf8(), out);
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
                self.deny(self.mark.from, out)
            }
            Kind::Item => {
                self.within = Within::Text;
                self.confirm(out);
                self.ended = None;
                BlockState::More
            }
            Kind::ItemEnd => {
                self.ended = None;
                self.no_tag(c, at, out)
            }
            Kind::End => {
                self.within = Within::Text;
                self.confirm(out);
                self.close(out)
            }
            Kind::Todo => {
                // Two in a row: the first was a mention.
                if self.ended.is_none() && self.deny(self.mark.from, out) != BlockState::More {
                    return BlockState::Mention(self.mark.from);
                }
                let mut quotes = Quotes::default();
                let quoted = quotes.step(c);
                self.within = Within::Todo(quotes);
                self.todo(c, quoted, at, out)
            }
            Kind::No => self.no_tag(c, at, out),
        }
    }

    /// It was no tag, and another may begin right here.
    fn no_tag(&mut self, c: char, at: usize, out: &mut Vec<Token>) -> BlockState {
        self.within = Within::Text;
        let state = self.deny(self.mark.from, out);
        if state == BlockState::More && c == '<' { self.text(c, at, out) } else { state }
    }

    fn todo(&mut self, c: char, quoted: bool, at: usize, out: &mut Vec<Token>) -> BlockState {
        let bytes = self.held.len() - self.mark.from;
        if c == '<' || bytes > TAG_LENGTH {
            return self.no_tag(c, at, out);
        }
        if c == '>' && !quoted {
            self.lead = Some(self.mark);
            self.within = Within::Text;
            if self.held.ends_with("/>") {
                self.confirm(out);
                return self.close(out);
            }
        }
        BlockState::More
    }

    /// The text from this byte on is none of a block: the newest `<todo>` was a mention, or the list that has just
    /// ended a block of its own.
    fn deny(&mut self, from: usize, out: &mut Vec<Token>) -> BlockState {
        if let Some((list, end)) = self.ended.take() {
            self.cut_off_before(list, end, out);
            self.held.drain(..end);
            self.mark.from = from.saturating_sub(end);
            return BlockState::Mention(self.mark.from);
        }
        match self.lead.take() {
            Some(_) if !self.real => BlockState::Mention(from),
            _ => BlockState::More,
        }
    }

    /// The text after the newest `<todo>` is that of a list: of the block itself, or of one within it.
    fn confirm(&mut self, out: &mut Vec<Token>) {
        let Some(lead) = self.lead.take() else { return };
        let ended = self.ended.take();
        if let Some((list, end)) = ended.filter(|(list, _)| self.is_apart(*list)) {
            // After a block of its own the next one begins.
            self.cut_off_before(list, end, out);
            let between = self.held.get(end..lead.from).unwrap_or_default();
            if !between.is_empty() {
                out.push(Token::Prose(between.to_owned()));
            }
            self.held.drain(..lead.from);
            let mark = Mark { from: self.mark.from - lead.from, ..self.mark };
            let held = take(&mut self.held);
            *self = Self { held, mark, real: true, lead: None, ..Self::new(String::new(), lead.at) };
        } else if !self.real {
            self.real = true;
        } else if self.lists.len() < LISTS {
            let after_item = lead.after_item && self.lists.last().is_none_or(|list| list.after_item);
            self.lists.push(Mark { after_item, ..lead });
        } else {
            self.deeper += 1;
        }
    }

    /// A list of this block's may be a block of its own, and not of an item that is open. Of one that is too large nobody
    /// knows any more what was open.
    fn is_apart(&self, list: Mark) -> bool {
        list.after_item || self.over
    }

    /// The block was cut off before a list that ended at this byte. Where that is none of an open item's, it is a block of
    /// its own.
    fn cut_off_before(&self, list: Mark, end: usize, out: &mut Vec<Token>) {
        let held = self.held.get(list.from..end).filter(|_| self.is_apart(list));
        let next = held.map(|held| read(held, list.at, Ends::Exact));
        if matches!(next, Some(Token::Block { .. })) && !self.over {
            let problem = "the block is cut off: there is no </todo>. The one that follows was taken in its place";
            out.push(Token::Broken { at: self.at, problem: problem.to_owned() });
        } else if !self.over {
            out.push(cut_off(self.at));
        }
        out.extend(next);
    }

    /// Ends the innermost list.
    fn close(&mut self, out: &mut Vec<Token>) -> BlockState {
        self.ended = None;
        if self.deeper > 0 {
            self.deeper -= 1;
        } else if let Some(list) = self.lists.pop() {
            self.ended = Some((list, self.held.len())).filter(|(list, _)| list.starts_line);
        } else {
            if !self.over {
                out.push(read(&self.held, self.at, Ends::Lenient));
            }
            return BlockState::End;
        }
        BlockState::More
    }

    /// Holds no more than a list may take, and of one that is too large only what may be another.
    fn limit(&mut self, out: &mut Vec<Token>) -> BlockState {
        let led = self.lead.map_or(0, |lead| self.held.len() - lead.from);
        if led > LEAD_BYTES + TAG_LENGTH {
            return self.deny(self.held.len(), out);
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
            self.forget(known);
        }
        BlockState::More
    }

    /// Drops what is held up to this byte, but for lists that may be blocks of their own, and are not too large either.
    fn forget(&mut self, known: usize) {
        let first = |open: &Self| {
            let lists = open.lists.iter().filter(|list| list.starts_line).map(|list| list.from);
            lists.chain(open.ended.map(|(list, _)| list.from)).min()
        };
        while let Some(from) = first(self).filter(|from| known - from.min(&known) > limits::LIST_BYTES) {
            self.lists.iter_mut().filter(|list| list.from == from).for_each(|list| list.starts_line = false);
            self.ended = self.ended.filter(|(list, _)| list.from != from);
        }
        let kept = first(self);
        let dropped = kept.unwrap_or(known).min(known);
        self.held.drain(..dropped);
        let moved = |mark: Mark| Mark { from: mark.from.saturating_sub(dropped), ..mark };
        self.mark = moved(self.mark);
        self.lead = self.lead.map(moved);
        self.lists.iter_mut().for_each(|list| *list = moved(*list));
        self.ended = self.ended.map(|(list, end)| (moved(list), end - dropped));
        if self.lead.is_none() && kept.is_none() && matches!(self.within, Within::Comment | Within::Literal) {
            // It may be a comment only because its end was forgotten.
            self.within = Within::Text;
        }
    }
}

/// The token of a whole block, which begins at this byte of the stream.
fn read(held: &str, at: usize, ends: Ends) -> Token {
    if held.len() > limits::LIST_BYTES {
        return too_large(at);
    }
    let end = held.rfind('<').unwrap_or_default();
    let begin = opening(held).min(end);
    match block::read(held.get(begin..end).unwrap_or_default(), ends) {
        Ok(drafts) => Token::Block { drafts, at },
        Err(error) => Token::Broken { at, problem: error.to_string() },
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
        "the block takes more than {} bytes. It is left out, up to the next whole one; shorten the longest items and \
         write it again",
        limits::LIST_BYTES
    );
    Token::Broken { at, problem }
}
