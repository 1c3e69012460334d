//! rmcp's sessions in memory, whose streams begin with an empty event for those clients only that expect one.
//!
//! Since MCP 2025-11-25 a stream may begin with an event that has an id and no data, so that a client that loses its
//! connection can ask for the rest. Some older clients take every event for a message, and fail at an empty one.

use crate::live_sessions::LiveSessions;
use axum::http::request::Parts;
use futures_util::{Stream, StreamExt, future};
use rmcp::model::{ClientJsonRpcMessage, GetExtensions, ProtocolVersion, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{RestoreOutcome, ServerSseMessage, SessionId, SessionManager};

/// The sessions, and their count.
#[derive(Default)]
pub(crate) struct McpSessions(pub(crate) LocalSessionManager, pub(crate) LiveSessions);

type Error = <LocalSessionManager as SessionManager>::Error;
type Transport = <LocalSessionManager as SessionManager>::Transport;

/// Returns whether the client says with its request that it speaks a version with empty events. A request that says
/// nothing is an older client's.
fn expects_empty_events(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    let version =
        request.request.extensions().get::<Parts>().and_then(|parts| parts.headers.get("mcp-protocol-version"));
    // Versions are dates, which have the order of their letters.
    version.is_some_and(|version| version.as_bytes() >= ProtocolVersion::V_2025_11_25.as_str().as_bytes())
}

impl SessionManager for McpSessions {
    type Error = Error;
    type Transport = Transport;

    async fn create_session(&self) -> Result<(SessionId, Transport), Error> {
        let (id, transport) = self.0.create_session().await?;
        self.1.made(id.clone());
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Error> {
        self.0.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Error> {
        self.0.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Error> {
        self.0.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        let with_empty = expects_empty_events(&message);
        let stream = self.0.create_stream(id, message).await?;
        Ok(stream.filter(move |event| future::ready(with_empty || event.message.is_some())))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Error> {
        self.0.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        self.0.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        self.0.resume(id, last_event_id).await
    }

    async fn restore_session(&self, id: SessionId) -> Result<RestoreOutcome<Transport>, Error> {
        self.0.restore_session(id).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::{Body, to_bytes};
    use axum::http::Request;
    use rmcp::ServerHandler;
    use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
    use std::sync::Arc;

    /// A server that answers what every server does.
    struct Bare;

    impl ServerHandler for Bare {}

    /// The events of an answer, each without the rest of its line.
    async fn ask(
        service: &StreamableHttpService<Bare, McpSessions>,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (Vec<String>, String) {
        let mut request = Request::post("http://localhost/mcp")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_owned())).expect("it is well formed");
        let response = service.handle(request).await;
        let session = response.headers().get("mcp-session-id").map(|id| id.to_str().expect("it is text").to_owned());
        let body = to_bytes(Body::new(response.into_body()), usize::MAX).await.expect("it ends");
        let body = String::from_utf8(body.to_vec()).expect("it is text");
        let data = body.lines().filter_map(|line| line.strip_prefix("data:")).map(|data| data.trim().to_owned());
        (data.collect(), session.unwrap_or_default())
    }

    #[tokio::test]
    async fn an_empty_event_comes_only_to_those_who_say_that_they_know_it() {
        let mut config = StreamableHttpServerConfig::default();
        config.sse_retry = None;
        let service = StreamableHttpService::new(|| Ok(Bare), Arc::new(McpSessions::default()), config);
        for (version, says_so, empty) in [
            ("2024-11-05", false, 0),
            ("2025-03-26", false, 0),
            ("2025-06-18", false, 0),
            ("2025-06-18", true, 0),
            ("2025-11-25", false, 0),
            ("2025-11-25", true, 1),
        ] {
            let initialize = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"test","version":"1"}}}}}}"#
            );
            let (events, session) = ask(&service, &[], &initialize).await;
            assert!(events.len() == 1 && events[0].contains(version), "{version}: {events:?}");
            let mut headers = vec![("mcp-session-id", session.as_str())];
            headers.extend(says_so.then_some(("mcp-protocol-version", version)));
            let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
            ask(&service, &headers, initialized).await;
            let (events, _) = ask(&service, &headers, r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await;
            assert_eq!(events.iter().filter(|data| data.is_empty()).count(), empty, "{version}: {events:?}");
            assert_eq!(events.len(), 1 + empty, "{version}: {events:?}");
        }
    }
}
