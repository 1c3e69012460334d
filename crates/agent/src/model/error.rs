//! What goes wrong with a model, in words for people.

use secrecy::{ExposeSecret, SecretString};

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
    /// An error with these words, which must not have a key in them.
    #[must_use]
    pub fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// Characters of a server's own words.
const SAID_CHARS: usize = 500;

/// What a server said, as people may read it: its message where it is JSON, on one line, without the key, short.
pub(super) fn said(body: &str, key: Option<&SecretString>) -> String {
    let message = serde_json::from_str::<serde_json::Value>(body).ok().and_then(|body| message(&body));
    let text = without_key(message.as_deref().unwrap_or(body), key);
    let text = todo::text::plain(text.trim());
    match text.char_indices().nth(SAID_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Where the providers put it: `{"error": {"message": …}}`, `{"error": …}`, `{"message": …}`, `[{"error": …}]`.
fn message(body: &serde_json::Value) -> Option<String> {
    let body = body.get(0).unwrap_or(body);
    let places = ["/error/message", "/error/error/message", "/message", "/error", "/detail"];
    places.iter().find_map(|place| body.pointer(place)?.as_str().map(str::to_owned))
}

/// A text in which the key is not: neither the one that was sent, nor whatever stands behind `Bearer`.
pub(super) fn without_key(text: &str, key: Option<&SecretString>) -> String {
    const HIDDEN: &str = "[key]";
    let text = match key.map(ExposeSecret::expose_secret).filter(|key| !key.is_empty()) {
        Some(key) => text.replace(key, HIDDEN),
        None => text.to_owned(),
    };
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.to_ascii_lowercase().find("bearer ") {
        let (before, after) = rest.split_at(at + "bearer ".len());
        clean.push_str(before);
        let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || "-._~+/=[]".contains(c))).unwrap_or(after.len());
        clean.push_str(HIDDEN);
        rest = after.get(end..).unwrap_or_default();
    }
    clean.push_str(rest);
    clean
}
