//! What goes wrong with a model.

/// Why a model has not answered. Its text says what happened and what to do, for people, and holds no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct ModelError {
    /// What kind of thing went wrong.
    pub kind: ErrorKind,
    /// In a sentence or two.
    pub text: String,
}

/// What kind of thing went wrong with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The provider wants a key, and there is none.
    NoKey,
    /// The provider refuses the key (401, 403).
    RefusedKey,
    /// There is no such model, or no such provider.
    NoSuchModel,
    /// The provider cannot be reached, or says nothing.
    Unreachable,
    /// Too many requests, after all tries.
    RateLimited,
    /// The connection broke after something of the answer was given out.
    Dropped,
    /// The answer is longer than 4 MiB; what came before was given out.
    TooLarge,
    /// Anything else.
    Other,
}

impl ModelError {
    /// An error with a text that has no key in it.
    #[must_use]
    pub fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}
