//! Errors of models, in words for people.

use protocol::{Text, TextRef};
use secrecy::{ExposeSecret, SecretString};

/// An error of a model. Its text is for people; it says what happened and what to do, and holds no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct ModelError {
    pub kind: ErrorKind,
    pub text: String,
    /// The text in the catalogue.
    pub named: Option<TextRef>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The provider needs a key, and there is none.
    NoKey,
    /// The provider refuses the key (401, 403).
    RefusedKey,
    /// There is no such model, or no such provider.
    NoSuchModel,
    /// The provider cannot be reached, or sends nothing.
    Unreachable,
    /// Too many requests, also after all tries.
    RateLimited,
    /// The connection broke after a part of the answer was passed on.
    Dropped,
    /// The answer is longer than 4 MiB; the part before that was passed on.
    TooLarge,
    /// Anything else.
    Other,
}

impl ModelError {
    /// An error with this text, which must hold no key.
    #[must_use]
    pub fn new(kind: ErrorKind, text: impl Into<Text>) -> Self {
        let Text { english, named } = text.into();
        Self { kind, text: english, named }
    }
}

/// Characters of a server's own message.
const MESSAGE_CHARS: usize = 500;

/// A server's message as people may read it: taken out of JSON, on one line, shortened, without the key.
pub(super) fn server_message(body: &str, key: Option<&SecretString>) -> String {
    let message = serde_json::from_str::<serde_json::Value>(body).ok().and_then(|body| message(&body));
    let text = without_key(message.as_deref().unwrap_or(body), key);
    let text = todo::text::plain(text.trim());
    match text.char_indices().nth(MESSAGE_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// The message in JSON, where the providers put it: `{"error": {"message": …}}`, `{"error": …}`, `{"message": …}`, `[{"error": …}]`.
fn message(body: &serde_json::Value) -> Option<String> {
    let body = body.get(0).unwrap_or(body);
    let places = ["/error/message", "/error/error/message", "/message", "/error", "/detail"];
    places.iter().find_map(|place| body.pointer(place)?.as_str().map(str::to_owned))
}

/// The text without keys: neither the one that was sent, nor anything after `Bearer`.
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
