//! Language models, behind a small trait of our own ([`Model`]).
//!
//! What a model answers comes as a stream of [`Chunk`]s. Tries that failed before anything was given out are repeated
//! by the model itself, and told as [`Chunk::Retrying`].

mod error;
mod fault;
pub mod keys;
mod message;
mod models;
mod pieces;
mod provider;
mod remote;
mod wire;

#[cfg(test)]
mod tests;

pub use error::{ErrorKind, ModelError};
pub(crate) use fault::{address, deepest};
pub use keys::{Kept, Keys, Origin, Secret};
pub use message::{Call, Message};
pub use models::Models;
pub use provider::{KeyFrom, Kind, Provider};
pub use remote::Limits;

use futures_util::Stream;
use serde_json::Value;
use std::pin::Pin;
use std::time::Duration;

/// What a model gives, in order. After an error, and after [`Chunk::End`], there is nothing more.
pub type ChunkStream = Pin<Box<dyn Stream<Item = Result<Chunk, ModelError>> + Send>>;

/// A language model that streams.
pub trait Model: Send + Sync {
    /// Asks it. Nothing happens before the stream is polled; dropping the stream cancels the call at once.
    fn stream(&self, request: Request) -> ChunkStream;
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    /// What it is taught before anything else; may be empty.
    pub system: String,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools it may call; none where it may not call any.
    pub tools: Vec<ToolSpec>,
    /// The answer is to be a JSON object. A wish: models that cannot be held to it answer as they like.
    pub json: bool,
}

/// A tool as a model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// `[A-Za-z0-9_-]{1,64}`, unique in a request.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments, an object.
    pub schema: Value,
}

/// A piece of a model's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// Text, cut anywhere. `<think>` blocks that a model writes into it are text.
    Text(String),
    /// What the model thinks, where its provider tells that apart from the text.
    Reasoning(String),
    /// A try has failed, before anything was given out, and another follows.
    Retrying {
        /// The try that follows, from 2.
        attempt: u32,
        /// How many there may be.
        of: u32,
        /// Before it, so long is waited.
        wait: Duration,
        /// What went wrong, for people.
        why: String,
    },
    /// The answer is complete.
    End {
        /// Its tool calls, whole and in order; their ids are not empty, and unique in the answer.
        calls: Vec<Call>,
        /// What it took, where the provider says so.
        usage: Option<Usage>,
        /// It ends before its end, where the provider says so.
        cut: Option<Cut>,
    },
}

/// Why an answer ends before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// It has as many tokens as it may have.
    Length,
    /// The provider withholds the rest.
    Filter,
}

/// What an answer took.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// Tokens of what was asked.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// US dollars, where the provider says so: as `usage.cost`, [OpenRouter's](https://openrouter.ai/docs) way.
    pub cost: Option<f64>,
}

impl std::ops::AddAssign for Usage {
    /// Of two answers; where one has a cost, that of those that have.
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cost = self.cost.map_or(other.cost, |cost| Some(cost + other.cost.unwrap_or_default()));
    }
}
