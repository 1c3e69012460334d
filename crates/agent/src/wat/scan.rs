//! A model's text as it streams, with its computations done.

use super::{Block, Computed, Limits, compute};
use std::collections::VecDeque;
use todo::text::{Element, Token, Tokens};

/// The tags that have a meaning. Nothing within the model's thoughts is a block.
const NAMES: &[&str] = &["wat_model", "computed", "think", "thinking"];

/// The tags that a text may not have once its computations are made.
const RESULT_TAGS: &[&str] = &["computed", "/computed", "think", "thinking"];

/// Computations in one answer.
const BLOCKS: usize = 64;

/// Stands for the next result in a text: no character of any text, and replaced where a model writes it.
const RESULT: char = '\u{fdd0}';

/// Passes a model's text on, with each `<wat_model>` replaced by its `<computed>`.
///
/// A `<computed>` that the model wrote itself is left out with its content; if it has no end, only its tag is. The `<` of
/// any that is there after that, such as one that was written around another one, is escaped: no text has a result that
/// was not computed. Within `<think>`, code fences and inline code nothing is a block. A block that is cut off, or longer
/// than [`todo::text::ELEMENT_BYTES`], is text. `<todo>` blocks are text here, and found by [`Tokens`] afterwards.
#[derive(Debug)]
pub struct Scan {
    tokens: Tokens,
    /// Looks at the text as it is passed on.
    guard: Tokens,
    limits: Limits,
    blocks: usize,
    found: Vec<Token>,
    /// The results that the guard was given signs for.
    results: VecDeque<Piece>,
}

/// A piece of the text that is passed on, and the bytes of the model's text in its place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Piece {
    pub text: String,
    pub taken: usize,
    /// The block that was computed, where the text is its result.
    pub source: String,
}

impl Default for Scan {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl Scan {
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let (tokens, guard) = (Tokens::elements(NAMES), Tokens::marks(RESULT_TAGS));
        Self { tokens, guard, limits, blocks: 0, found: Vec::new(), results: VecDeque::new() }
    }

    /// The number of computations so far.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Takes a piece of the text, cut anywhere, and returns the text that is certain by now, which may be nothing. Waits for
    /// the computations of the blocks that end in it.
    pub async fn push(&mut self, chunk: &[u8]) -> Vec<Piece> {
        self.tokens.push_bytes(chunk, &mut self.found);
        self.drain().await
    }

    /// Ends the text, and returns the rest that was held back.
    pub async fn finish(&mut self) -> Vec<Piece> {
        self.tokens.finish(&mut self.found);
        let mut pieces = self.drain().await;
        let mut passed = Vec::new();
        self.guard.finish(&mut passed);
        self.pass(passed, &mut pieces);
        self.blocks = 0;
        pieces
    }

    async fn drain(&mut self) -> Vec<Piece> {
        let (mut pieces, mut passed) = (Vec::new(), Vec::new());
        for token in std::mem::take(&mut self.found) {
            match token {
                Token::Prose(prose) if prose.contains(RESULT) => {
                    self.guard.push(&prose.replace(RESULT, "\u{fffd}"), &mut passed);
                }
                Token::Prose(prose) => self.guard.push(&prose, &mut passed),
                Token::Element(element) => {
                    let taken = element.end.saturating_sub(element.at);
                    let source = source(&element);
                    match self.element(element).await {
                        Replaced::Result(text) => {
                            self.results.push_back(Piece { text, taken, source });
                            self.guard.push(RESULT.encode_utf8(&mut [0; 4]), &mut passed);
                        }
                        Replaced::Text(text) => {
                            self.guard.push(&text.replace(RESULT, "\u{fffd}"), &mut passed);
                            self.pass(std::mem::take(&mut passed), &mut pieces);
                            let taken = taken.saturating_sub(text.len());
                            pieces.push(Piece { taken, ..Piece::default() });
                        }
                    }
                }
                Token::Block { .. } | Token::Broken { .. } => {}
            }
        }
        self.pass(passed, &mut pieces);
        pieces
    }

    /// Text that the guard lets through.
    fn pass(&mut self, passed: Vec<Token>, pieces: &mut Vec<Piece>) {
        for token in passed {
            match token {
                Token::Prose(prose) => {
                    for (at, part) in prose.split(RESULT).enumerate() {
                        if at > 0 {
                            pieces.extend(self.results.pop_front());
                        }
                        if !part.is_empty() {
                            pieces.push(Piece { text: part.to_owned(), taken: part.len(), ..Piece::default() });
                        }
                    }
                }
                Token::Element(mark) => {
                    pieces.push(Piece { text: todo::text::escaped(&mark.tag), taken: 1, ..Piece::default() });
                }
                Token::Block { .. } | Token::Broken { .. } => {}
            }
        }
    }

    async fn element(&mut self, element: Element) -> Replaced {
        match (element.name, element.closed) {
            ("wat_model", true) => {}
            ("wat_model", false) => return Replaced::Text(element.tag + &element.content),
            (_, true) => return Replaced::Text(String::new()),
            (_, false) => return Replaced::Text(element.content),
        }
        self.blocks += 1;
        Replaced::Result(match self.blocks {
            ..=BLOCKS => compute(&block(element), self.limits).await.to_string(),
            _ => Computed::Error(format!("An answer may have {BLOCKS} computations.")).to_string(),
        })
    }
}

/// The text in the place of an element.
enum Replaced {
    Result(String),
    Text(String),
}

/// A block as the model wrote it.
fn source(element: &Element) -> String {
    match element.tag.ends_with("/>") {
        true => element.tag.clone(),
        false => format!("{}{}</{}>", element.tag, element.content, element.name),
    }
}

fn block(element: Element) -> Block {
    let attribute = |name: &str| {
        let found = element.attributes.iter().find(|(its, _)| its.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.clone())
    };
    let call = attribute("call").map(|call| call.trim().to_owned()).filter(|call| !call.is_empty());
    Block { call, args: attribute("args").unwrap_or_default(), module: element.content }
}
