//! A model's text as it streams, with its computations done.

use super::{Block, Computed, Limits, compute};
use todo::text::{Element, Token, Tokens};

/// The tags that have a meaning. Nothing within the model's thoughts is a block.
const NAMES: &[&str] = &["wat_model", "computed", "think", "thinking"];

/// Computations in one answer.
const BLOCKS: usize = 64;

/// Passes a model's text on, with each `<wat_model>` replaced by its `<computed>`.
///
/// A `<computed>` that the model wrote itself is left out with its content; if it has no end, only its tag is. Within
/// `<think>`, code fences and inline code nothing is a block. A block that is cut off, or longer than
/// [`todo::text::ELEMENT_BYTES`], is text. `<todo>` blocks are text here, and found by [`Tokens`] afterwards.
#[derive(Debug)]
pub struct Scan {
    tokens: Tokens,
    limits: Limits,
    blocks: usize,
    found: Vec<Token>,
}

impl Default for Scan {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl Scan {
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { tokens: Tokens::elements(NAMES), limits, blocks: 0, found: Vec::new() }
    }

    /// The number of computations so far.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Takes a piece of the text, cut anywhere, and returns the text that is certain by now, which may be nothing. Waits for
    /// the computations of the blocks that end in it.
    pub async fn push(&mut self, chunk: &str) -> String {
        self.tokens.push(chunk, &mut self.found);
        self.drain().await
    }

    /// Ends the text, and returns the rest that was held back.
    pub async fn finish(&mut self) -> String {
        self.tokens.finish(&mut self.found);
        let rest = self.drain().await;
        self.blocks = 0;
        rest
    }

    async fn drain(&mut self) -> String {
        let mut text = String::new();
        for token in std::mem::take(&mut self.found) {
            match token {
                Token::Prose(prose) => text.push_str(&prose),
                Token::Element(element) => text.push_str(&self.element(element).await),
                Token::Block { .. } | Token::Broken { .. } => {}
            }
        }
        text
    }

    async fn element(&mut self, element: Element) -> String {
        match (element.name, element.closed) {
            ("wat_model", true) => {}
            ("wat_model", false) => return element.tag + &element.content,
            (_, true) => return String::new(),
            (_, false) => return element.content,
        }
        self.blocks += 1;
        if self.blocks > BLOCKS {
            return Computed::Error(format!("An answer may have {BLOCKS} computations.")).to_string();
        }
        compute(&block(element), self.limits).await.to_string()
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
