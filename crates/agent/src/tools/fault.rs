//! Faults of tool servers, in plain words. Of an address only host and path are shown: users put keys into the rest, and
//! these words go to the model and stay in the conversation.

use crate::model::{address, deepest};
use protocol::{Text, say};
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use rmcp::transport::worker::WorkerQuitReason;

/// Characters of a server's own message.
const MESSAGE_CHARS: usize = 500;

/// Errors over HTTP; the other transport is a pipe.
type Http = StreamableHttpError<reqwest::Error>;

/// The reason why a server does not begin to speak MCP.
pub(super) fn beginning(error: &ClientInitializeError) -> Text {
    match error {
        ClientInitializeError::TransportError { error, .. } => transport(error),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => beginning(fallback),
        ClientInitializeError::JsonRpcError(error) => server_message(&error.message).into(),
        ClientInitializeError::ConnectionClosed(_) => say::fault_ended(),
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => say::fault_version(),
        _ => say::fault_no_mcp(),
    }
}

/// The reason why a request to a server failed.
pub(super) fn request(error: &ServiceError) -> Text {
    match error {
        ServiceError::McpError(error) => server_message(&error.message).into(),
        ServiceError::TransportSend(error) => transport(error),
        ServiceError::TransportClosed => say::fault_closed(),
        ServiceError::Cancelled { .. } => say::fault_cancelled(),
        ServiceError::Timeout { .. } => say::fault_late(),
        _ => say::fault_no_mcp(),
    }
}

fn transport(error: &DynamicTransportError) -> Text {
    far(error).unwrap_or_else(|| innermost(error.error.as_ref()))
}

/// The reason for a server that is reached over HTTP; none for a process.
pub(super) fn far(error: &DynamicTransportError) -> Option<Text> {
    let error: &(dyn std::error::Error + 'static) = error.error.as_ref();
    match error.downcast_ref::<WorkerQuitReason<Http>>() {
        Some(WorkerQuitReason::Fatal { error, .. }) => Some(http(error)),
        Some(_) => Some(say::fault_broke()),
        None => error.downcast_ref().map(http),
    }
}

fn http(error: &Http) -> Text {
    match error {
        StreamableHttpError::Client(error) => network(error),
        StreamableHttpError::HttpStatus(error) => say::fault_status(error.status),
        StreamableHttpError::UnexpectedServerResponse(text) => match status(text) {
            Some(status) => say::fault_status(status),
            None => say::fault_no_mcp(),
        },
        StreamableHttpError::UnexpectedContentType(Some(kind)) => say::fault_kind(server_message(kind)),
        StreamableHttpError::AuthRequired(_) => say::fault_wants_key(),
        StreamableHttpError::InsufficientScope(_) => say::fault_refuses_key(),
        StreamableHttpError::ResponseBodyTooLarge { max_size } => say::fault_too_long(max_size),
        StreamableHttpError::ReservedHeaderConflict(name) => say::fault_header(server_message(name)),
        StreamableHttpError::SessionExpired => say::fault_forgotten(),
        StreamableHttpError::ReinitializationFailed(error) => server_message(&error.message).into(),
        StreamableHttpError::Sse(_) | StreamableHttpError::Io(_) | StreamableHttpError::UnexpectedEndOfStream => {
            say::fault_broke()
        }
        _ => say::fault_no_mcp(),
    }
}

fn network(error: &reqwest::Error) -> Text {
    let place = error.url().map(|url| address(url.as_str())).unwrap_or_default();
    match error.status() {
        Some(status) => say::fault_status(status.as_u16()),
        None if error.is_builder() => say::fault_address(),
        None if error.is_connect() => {
            let problem = innermost(error);
            say::fault_unreachable(place, &problem).with("problem", &problem)
        }
        None => {
            let problem = innermost(error);
            say::fault_broke_at(place, &problem).with("problem", &problem)
        }
    }
}

/// The innermost cause; some are in our words.
fn innermost(error: &(dyn std::error::Error + 'static)) -> Text {
    let english = deepest(error);
    Text::recognised(english, "fault_")
}

/// The status in rmcp's words, `HTTP 404 Not Found: …`. The body that follows may repeat the address.
fn status(text: &str) -> Option<u16> {
    text.strip_prefix("HTTP ")?.get(..3)?.parse().ok()
}

/// A server's own message, on one line and shortened.
fn server_message(words: &str) -> String {
    todo::text::plain(words.trim()).trim_end_matches('.').chars().take(MESSAGE_CHARS).collect()
}
