//! Faults of tool servers, in plain words. Of an address only host and path are shown: users put keys into the rest, and
//! these words go to the model and stay in the conversation.

use crate::model::{address, deepest};
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use rmcp::transport::worker::WorkerQuitReason;

/// Characters of a server's own message.
const MESSAGE_CHARS: usize = 500;

/// Errors over HTTP; the other transport is a pipe.
type Http = StreamableHttpError<reqwest::Error>;

const NO_MCP: &str = "what it says is not MCP";

/// The reason why a server does not begin to speak MCP.
pub(super) fn beginning(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => transport(error),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => beginning(fallback),
        ClientInitializeError::JsonRpcError(error) => server_message(&error.message),
        ClientInitializeError::ConnectionClosed(_) => "it ended, or closed the connection".to_owned(),
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
            "it speaks no version of MCP that is known here".to_owned()
        }
        _ => NO_MCP.to_owned(),
    }
}

/// The reason why a request to a server failed.
pub(super) fn request(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => server_message(&error.message),
        ServiceError::TransportSend(error) => transport(error),
        ServiceError::TransportClosed => "it has ended, or closed the connection".to_owned(),
        ServiceError::Cancelled { .. } => "it was cancelled".to_owned(),
        ServiceError::Timeout { .. } => "it took too long".to_owned(),
        _ => NO_MCP.to_owned(),
    }
}

fn transport(error: &DynamicTransportError) -> String {
    far(error).unwrap_or_else(|| deepest(error.error.as_ref()))
}

/// The reason for a server that is reached over HTTP; none for a process.
pub(super) fn far(error: &DynamicTransportError) -> Option<String> {
    let error: &(dyn std::error::Error + 'static) = error.error.as_ref();
    match error.downcast_ref::<WorkerQuitReason<Http>>() {
        Some(WorkerQuitReason::Fatal { error, .. }) => Some(http(error)),
        Some(_) => Some("the connection broke".to_owned()),
        None => error.downcast_ref().map(http),
    }
}

fn http(error: &Http) -> String {
    match error {
        StreamableHttpError::Client(error) => network(error),
        StreamableHttpError::HttpStatus(error) => format!("it answers with {}", error.status),
        StreamableHttpError::UnexpectedServerResponse(text) => match status(text) {
            Some(status) => format!("it answers with {status}"),
            None => NO_MCP.to_owned(),
        },
        StreamableHttpError::UnexpectedContentType(Some(kind)) => {
            format!("it answers with {}, not with MCP", server_message(kind))
        }
        StreamableHttpError::AuthRequired(_) => "it wants a key (401); set one in its headers".to_owned(),
        StreamableHttpError::InsufficientScope(_) => "it refuses the key (403)".to_owned(),
        StreamableHttpError::ResponseBodyTooLarge { max_size } => format!("its answer is longer than {max_size} bytes"),
        StreamableHttpError::ReservedHeaderConflict(name) => {
            format!("the header \"{}\" cannot be set", server_message(name))
        }
        StreamableHttpError::SessionExpired => "it has forgotten the session".to_owned(),
        StreamableHttpError::ReinitializationFailed(error) => server_message(&error.message),
        StreamableHttpError::Sse(_) | StreamableHttpError::Io(_) | StreamableHttpError::UnexpectedEndOfStream => {
            "the connection broke".to_owned()
        }
        _ => NO_MCP.to_owned(),
    }
}

fn network(error: &reqwest::Error) -> String {
    let place = error.url().map(|url| address(url.as_str())).unwrap_or_default();
    match error.status() {
        Some(status) => format!("it answers with {}", status.as_u16()),
        None if error.is_builder() => "its address cannot be used".to_owned(),
        None if error.is_connect() => format!("it cannot be reached at {place}: {}", deepest(error)),
        None => format!("the connection to {place} broke: {}", deepest(error)),
    }
}

/// The status in rmcp's words, `HTTP 404 Not Found: …`. The body that follows may repeat the address.
fn status(text: &str) -> Option<u16> {
    text.strip_prefix("HTTP ")?.get(..3)?.parse().ok()
}

/// A server's own message, on one line and shortened.
fn server_message(words: &str) -> String {
    todo::text::plain(words.trim()).trim_end_matches('.').chars().take(MESSAGE_CHARS).collect()
}
