//! A model's answer as it streams: its computations are made, and its lists are found.

use super::{Piece, Scan};
use todo::text::{Token, Tokens};

/// The beginnings of the tags that only a computation writes.
const TAGS: [&str; 2] = ["<computed", "</computed"];

/// Takes the place of a block between two texts that would be such a tag without it.
const LEFT_OUT: char = '…';

/// Reads an answer. Chats and `sightline ingest` use it alike.
#[derive(Debug)]
pub struct Reader {
    /// `None` where nothing is computed, and what the model writes in its place stays.
    scan: Option<Scan>,
    tokens: Tokens,
    /// The end of the prose so far, and that a block follows it.
    end: String,
    is_cut: bool,
    /// The text so far, with each computation before its result.
    source: String,
}

impl Reader {
    #[must_use]
    pub fn new(scan: Option<Scan>) -> Self {
        Self { scan, tokens: Tokens::new(), end: String::new(), is_cut: false, source: String::new() }
    }

    /// The number of computations so far.
    #[must_use]
    pub fn computations(&self) -> usize {
        self.scan.as_ref().map_or(0, Scan::blocks)
    }

    /// The whole text that was returned, with each computation before its result.
    #[must_use]
    pub fn source(self) -> String {
        self.source
    }

    /// Takes a piece of the answer, cut anywhere. Returns its text with the computations made, as far as it is certain,
    /// and adds the blocks and the prose in it. Places are bytes of what was pushed.
    pub async fn push(&mut self, chunk: &[u8], out: &mut Vec<Token>) -> String {
        let from = out.len();
        let text = match &mut self.scan {
            Some(scan) => {
                let pieces = scan.push(chunk).await;
                self.read(pieces, out)
            }
            None => {
                self.tokens.push_bytes(chunk, out);
                String::new()
            }
        };
        self.part(out, from);
        text
    }

    /// Ends the answer; what was held back becomes certain.
    pub async fn finish(&mut self, out: &mut Vec<Token>) -> String {
        let from = out.len();
        let mut text = String::new();
        if let Some(scan) = &mut self.scan {
            let pieces = scan.finish().await;
            text = self.read(pieces, out);
        }
        self.tokens.finish(out);
        self.part(out, from);
        text
    }

    fn read(&mut self, pieces: Vec<Piece>, out: &mut Vec<Token>) -> String {
        let mut text = String::new();
        for piece in pieces {
            self.tokens.push(&piece.text, out);
            self.tokens.shift(piece.taken.cast_signed() - piece.text.len().cast_signed());
            text.push_str(&piece.text);
            self.source.push_str(&piece.source);
            self.source.push_str(&piece.text);
        }
        text
    }

    /// Keeps prose around a block from becoming a result when the block is left out.
    fn part(&mut self, out: &mut [Token], from: usize) {
        if self.scan.is_none() {
            return;
        }
        for token in out.iter_mut().skip(from) {
            match token {
                Token::Prose(prose) => {
                    if std::mem::take(&mut self.is_cut) && joins(&self.end, prose) {
                        prose.insert(0, LEFT_OUT);
                    }
                    self.end.push_str(prose);
                    let longest = TAGS.iter().map(|tag| tag.len()).max().unwrap_or_default();
                    let surplus = self.end.floor_char_boundary(self.end.len().saturating_sub(longest));
                    self.end.drain(..surplus);
                }
                Token::Block { .. } | Token::Broken { .. } => self.is_cut = true,
                Token::Element(_) => {}
            }
        }
    }
}

/// Adds a text to one before it, so that no result begins in the one and ends in the other.
pub fn join(before: &mut String, after: &str) {
    if joins(before, after) {
        before.push(LEFT_OUT);
    }
    before.push_str(after);
}

/// A tag that only a computation writes would begin in the one text, and go on in the other.
fn joins(before: &str, after: &str) -> bool {
    let Some(begun) = before.rfind('<').and_then(|at| before.get(at..)) else { return false };
    let is_begun = |tag: &str| tag.get(..begun.len()).is_some_and(|part| part.eq_ignore_ascii_case(begun));
    let goes_on = |tag: &str| {
        let rest = tag.get(begun.len()..).unwrap_or_default();
        let length = rest.len().min(after.len());
        let (rest, now) = (rest.get(..length), after.get(..length));
        rest.zip(now).is_some_and(|(rest, now)| rest.eq_ignore_ascii_case(now))
    };
    !after.is_empty() && TAGS.iter().any(|tag| is_begun(tag) && goes_on(tag))
}
