//! Faults of a try: their words for people, and whether another try may do better.

use super::error::server_message;
use super::{ErrorKind, ModelError, Provider};
use genai::webc::StreamTimeout;
use protocol::{Text, say};
use reqwest::StatusCode;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use secrecy::SecretString;
use std::error::Error;
use std::time::Duration;

/// The longest wait that a provider can ask for.
const LONGEST: Duration = Duration::from_secs(60);

/// A try that failed.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) error: ModelError,
    pub(super) again: Retry,
}

/// True if another try may do better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    No,
    /// After the usual wait.
    Soon,
    /// The provider has said when.
    After(Duration),
    /// At once, without asking for JSON.
    Plain,
    /// Only if the answer had begun: until then it was a good one.
    Begun,
}

/// The provider and the model that were called.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallContext<'a> {
    pub(super) provider: &'a Provider,
    pub(super) model: &'a str,
    pub(super) key: Option<&'a SecretString>,
    pub(super) json: bool,
}

impl CallContext<'_> {
    fn fault(&self, kind: ErrorKind, again: Retry, text: Text) -> Fault {
        Fault { error: ModelError::new(kind, text), again }
    }

    /// The error of a key that is missing.
    pub(super) fn keyless(&self) -> ModelError {
        let text = match self.variable() {
            Some(variable) => say::model_no_key_in(&self.provider.name, variable),
            None => say::model_no_key(&self.provider.name),
        };
        ModelError::new(ErrorKind::NoKey, text)
    }

    /// The variable of the environment that may hold the key.
    fn variable(&self) -> Option<String> {
        self.provider.variables().into_iter().next().filter(|_| self.provider.takes_environment())
    }

    /// The connection ended before the answer did.
    pub(super) fn broken(&self, why: &str) -> Fault {
        let text = say::model_broken(&self.provider.name, why);
        self.fault(ErrorKind::Unreachable, Retry::Soon, text)
    }

    /// The fault that genai's error means.
    pub(super) fn read(&self, error: &genai::Error) -> Fault {
        let name = &self.provider.name;
        match error {
            genai::Error::HttpError { status, body, headers, .. } => self.status(*status, body, headers),
            genai::Error::WebModelCall { webc_error, .. } | genai::Error::WebAdapterCall { webc_error, .. } => {
                self.call(webc_error)
            }
            genai::Error::WebStream { error, .. } => {
                if let Some(genai::Error::HttpError { status, body, headers, .. }) = error.downcast_ref() {
                    return self.status(*status, body, headers);
                }
                if let Some(timeout) = error.downcast_ref::<StreamTimeout>() {
                    return self.silent(*timeout);
                }
                match error.downcast_ref::<reqwest::Error>() {
                    Some(error) => self.network(error),
                    None => self.broken(&format!(": {}", server_message(&deepest(error.as_ref()), self.key))),
                }
            }
            genai::Error::ChatResponse { body, .. } => self.reported(&body.to_string()),
            genai::Error::StreamParse { .. } | genai::Error::SerdeJson(_) | genai::Error::JsonValueExt(_) => {
                self.fault(ErrorKind::Other, Retry::Soon, say::model_no_protocol(name))
            }
            other => self.fault(
                ErrorKind::Other,
                Retry::No,
                say::model_not_asked(name, server_message(&other.to_string(), self.key)),
            ),
        }
    }

    fn call(&self, error: &genai::webc::Error) -> Fault {
        match error {
            genai::webc::Error::ResponseFailedStatus { status, body, headers } => self.status(*status, body, headers),
            genai::webc::Error::Reqwest(error) => self.network(error),
            _ => self.fault(ErrorKind::Other, Retry::No, say::model_no_protocol(&self.provider.name)),
        }
    }

    /// The fault of an answer with an error status.
    fn status(&self, status: StatusCode, body: &str, headers: &HeaderMap) -> Fault {
        let name = &self.provider.name;
        let message = server_message(body, self.key);
        let message = message.trim_end_matches('.');
        let quoted = if message.is_empty() { String::new() } else { format!(": {message}") };
        let is_key = body.contains("API_KEY_INVALID");
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN if self.key.is_none() => Fault {
                error: ModelError::new(
                    ErrorKind::NoKey,
                    match self.variable() {
                        Some(variable) => say::model_wants_key_in(name, status.as_u16(), &quoted, variable),
                        None => say::model_wants_key(name, status.as_u16(), &quoted),
                    },
                ),
                again: Retry::No,
            },
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::BAD_REQUEST
                if is_key || status != StatusCode::BAD_REQUEST =>
            {
                let text = say::model_refuses_key(name, status.as_u16(), quoted);
                self.fault(ErrorKind::RefusedKey, Retry::No, text)
            }
            StatusCode::NOT_FOUND if self.model.is_empty() => {
                let place = address(&self.provider.base());
                let text = say::model_no_models(name, place, quoted);
                self.fault(ErrorKind::Other, Retry::No, text)
            }
            StatusCode::NOT_FOUND => {
                let text = say::model_unknown(name, self.model, address(&self.provider.base()), quoted);
                self.fault(ErrorKind::NoSuchModel, Retry::No, text)
            }
            StatusCode::TOO_MANY_REQUESTS => {
                let again = if body.contains("insufficient_quota") { Retry::No } else { after(headers) };
                let text = match again {
                    Retry::No => say::model_quota(name, &quoted),
                    _ => say::model_limited(name, &quoted),
                };
                self.fault(ErrorKind::RateLimited, again, text)
            }
            StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
                let again = if self.json { Retry::Plain } else { Retry::No };
                let text = say::model_refuses(name, status.as_u16(), quoted);
                self.fault(ErrorKind::Other, again, text)
            }
            status if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT => {
                let text = say::model_failed(name, status.as_u16(), quoted);
                self.fault(ErrorKind::Other, after(headers), text)
            }
            status if status.is_redirection() => {
                let text = say::model_moved(name, status.as_u16());
                self.fault(ErrorKind::Other, Retry::No, text)
            }
            status => {
                let text = say::model_refuses(name, status.as_u16(), quoted);
                self.fault(ErrorKind::Other, Retry::No, text)
            }
        }
    }

    /// The fault of an error that the provider reports in the middle of an answer.
    fn reported(&self, body: &str) -> Fault {
        let lower = body.to_ascii_lowercase();
        let limited = ["rate_limit", "rate limit", "resource_exhausted", "429"].iter().any(|word| lower.contains(word));
        let passing = ["overloaded", "unavailable", "internal", "server_error", "timeout"];
        let (kind, again) = match limited {
            true => (ErrorKind::RateLimited, Retry::Soon),
            false if passing.iter().any(|word| lower.contains(word)) => (ErrorKind::Other, Retry::Soon),
            false => (ErrorKind::Other, Retry::No),
        };
        self.fault(kind, again, say::model_reports(&self.provider.name, server_message(body, self.key)))
    }

    fn silent(&self, timeout: StreamTimeout) -> Fault {
        let text = match timeout {
            StreamTimeout::Headers => say::model_silent(&self.provider.name),
            StreamTimeout::Read => say::model_stopped(&self.provider.name),
        };
        self.fault(ErrorKind::Unreachable, Retry::Begun, text)
    }

    fn network(&self, error: &reqwest::Error) -> Fault {
        if error.is_builder() {
            let text = say::model_key_characters(&self.provider.name);
            return self.fault(ErrorKind::RefusedKey, Retry::No, text);
        }
        if error.is_body() || error.is_decode() {
            return self.broken("");
        }
        if !error.is_connect() {
            let text = say::model_cut(&self.provider.name, server_message(&deepest(error), self.key));
            return self.fault(ErrorKind::Unreachable, Retry::Soon, with_reason(text, error));
        }
        let base = self.provider.base();
        let why = server_message(&deepest(error), self.key);
        let text = match self.provider.kind {
            super::Kind::Ollama => say::model_ollama(&self.provider.name, address(&base), why),
            _ => say::model_unreachable(&self.provider.name, address(&base), why),
        };
        self.fault(ErrorKind::Unreachable, Retry::Soon, with_reason(text, error))
    }
}

/// The innermost reason; the outer ones repeat the address, which may hold a password.
pub(crate) fn deepest(error: &(dyn Error + 'static)) -> String {
    reason(error).map_or_else(|| innermost(error).to_string(), |ours| ours.english)
}

/// The innermost reason where it has no words of its own.
fn reason(error: &(dyn Error + 'static)) -> Option<Text> {
    let error = innermost(error).downcast_ref::<reqwest::Error>()?;
    Some(if error.is_timeout() { say::model_slow() } else { say::model_line_broke() })
}

fn with_reason(text: Text, error: &(dyn Error + 'static)) -> Text {
    match reason(error) {
        Some(ours) => text.with("problem", &ours),
        None => text,
    }
}

fn innermost<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner
}

/// An address without user, password and query.
pub(crate) fn address(base: &str) -> String {
    match reqwest::Url::parse(base) {
        Ok(url) => format!("{}{}", url.origin().ascii_serialization(), url.path()),
        Err(_) => "its endpoint".to_owned(),
    }
}

/// The time at which the provider wants to be asked again.
fn after(headers: &HeaderMap) -> Retry {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let seconds = |text: &str| text.parse::<u64>().ok().map(Duration::from_secs);
    let date = |text: &str| jiff::fmt::rfc2822::parse(text).ok();
    // A time is by the server's own clock.
    let until = |time: &str| {
        let (time, now) = (date(time)?, text(DATE.as_str()).and_then(date)?);
        Some(Duration::try_from(time.duration_since(&now)).unwrap_or_default())
    };
    match text(RETRY_AFTER.as_str()).and_then(|text| seconds(text).or_else(|| until(text))) {
        Some(wait) if wait > LONGEST => Retry::No,
        Some(wait) => Retry::After(wait),
        None => Retry::Soon,
    }
}
