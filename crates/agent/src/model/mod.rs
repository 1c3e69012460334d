//! Language models, behind a small trait of our own ([`Model`]).
//!
//! An answer is a stream of [`Chunk`]s. A try that fails before any part of the answer was passed on is repeated by the model
//! itself, and reported as [`Chunk::Retrying`].

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
pub use hub::Call;
pub use keys::{KeyPlace, KeyStatus, KeyStore, Keys, Secret, Withheld};
pub use message::Message;
pub use models::Models;
pub use provider::{KeyFrom, Kind, Provider};
pub use remote::Limits;

use futures_util::Stream;
use serde_json::Value;
use std::pin::Pin;
use std::time::Duration;

/// An answer, in order. It ends with an error or with [`Chunk::End`].
pub type ChunkStream = Pin<Box<dyn Stream<Item = Result<Chunk, ModelError>> + Send>>;

/// A language model that streams.
pub trait Model: Send + Sync {
    /// Calls the model. Nothing happens before the stream is polled; dropping the stream cancels the call at once.
    fn stream(&self, request: Request) -> ChunkStream;
}

/// A request to a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    /// The system prompt; may be empty.
    pub system: String,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools that it may call.
    pub tools: Vec<ToolSpec>,
    /// The answer should be a JSON object. Not all models can be held to that.
    pub json: bool,
}

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// `[A-Za-z0-9_-]{1,64}`, unique in a request.
    pub name: String,
    pub description: String,
    /// The JSON Schema of its arguments, which are an object.
    pub schema: Value,
}

/// A part of a model's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// Text, cut anywhere. `<think>` blocks in it are text as well.
    Text(String),
    /// The model's reasoning, if its provider keeps it apart from the text.
    Reasoning(String),
    /// A try has failed before any part of the answer was passed on, and another follows.
    Retrying {
        /// The number of the try that follows, from 2.
        attempt: u32,
        /// The greatest number of tries.
        of: u32,
        /// The wait before it.
        wait: Duration,
        /// The error, for people.
        why: String,
    },
    /// The answer is complete.
    End {
        /// The tool calls, complete and in order; their ids are not empty, and unique in the answer.
        calls: Vec<Call>,
        /// If the provider says it.
        usage: Option<Usage>,
        /// The answer is cut short, if the provider says so.
        cut: Option<Cut>,
    },
}

/// The reason why an answer is cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// It has reached the limit of tokens.
    Length,
    /// The provider withholds the rest.
    Filter,
}

/// Tokens and cost of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// Tokens of the request.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// US dollars, if the provider says it as `usage.cost`, as [OpenRouter](https://openrouter.ai/docs) does.
    pub cost: Option<f64>,
}

impl std::ops::AddAssign for Usage {
    /// Adds up two answers. The cost is that of the answers that have one.
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cost = self.cost.map_or(other.cost, |cost| Some(cost + other.cost.unwrap_or_default()));
    }
}
