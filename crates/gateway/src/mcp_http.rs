//! MCP over streamable HTTP: rmcp's service with our sessions kept in the database.

use crate::Gateway;
use crate::sent::Acknowledged;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use hub::Hub;
use mcp::{HttpCall, Origin, Receipts, TodoServer};
use protocol::Backend;
use rmcp::model::{Implementation, InitializeRequestParams};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionState, SessionStore, SessionStoreError};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use sources::Place;
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tower::{Service, ServiceExt};

/// How long the memory of a silent session is kept. After it, as after a restart, it is restored from the database,
/// so this bounds memory and not how long an agent may think.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// The service behind `/mcp` and `/mcp/LABEL`.
pub(crate) fn service(
    gateway: &Gateway,
) -> impl Service<Request, Response = Response, Error = Infallible, Future: Send> + Clone + Send + Sync + 'static {
    let backend: Arc<dyn Backend> = Arc::new(gateway.hub.clone());
    let connections = gateway.connections.clone();
    let (factory_backend, version) = (backend.clone(), gateway.version.clone());
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(IDLE);
    let config = StreamableHttpServerConfig::default()
        .with_cancellation_token(gateway.stop.child_token())
        .with_max_request_body_bytes(protocol::MESSAGE_BYTES);
    let mut config = config;
    config.session_store = Some(Arc::new(Sessions { hub: gateway.hub.clone() }));
    let service = StreamableHttpService::new(
        move || Ok(TodoServer::new(factory_backend.clone(), origin(), version.clone())),
        Arc::new(sessions),
        config,
    );
    tower::service_fn(move |mut request: Request| {
        let receipts = Arc::new(Receipts::default());
        let label = request.uri().path().strip_prefix("/mcp/").filter(|label| !label.is_empty()).map(decoded);
        request.extensions_mut().insert(HttpCall { label, receipts: receipts.clone() });
        let (service, backend, open) = (service.clone(), backend.clone(), connections.token());
        async move {
            let response = service.oneshot(request).await?;
            Ok(response
                .map(|body| Body::new(Acknowledged::new(Body::new(body), open, move || receipts.sent(&backend, None)))))
        }
    })
}

/// What is known of a client before it says anything.
fn origin() -> Origin {
    let place = |folder: &str| {
        let place = Place::of(Path::new(folder));
        (place.project, place.branch)
    };
    Origin { place: Some(place), ..Origin::default() }
}

/// A label as it was meant, without the escapes of an address.
fn decoded(label: &str) -> String {
    percent_encoding::percent_decode_str(label).decode_utf8_lossy().into_owned()
}

/// What is known of a client whose `initialize` nobody remembers.
fn nobody() -> InitializeRequestParams {
    let mut parameters = InitializeRequestParams::default();
    parameters.client_info = Implementation::new("agent", "");
    parameters
}

/// MCP sessions in the database, so that one from before a restart goes on.
struct Sessions {
    hub: Hub,
}

#[async_trait::async_trait]
impl SessionStore for Sessions {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let known = self.hub.mcp_session(id).await?;
        let parameters = known.and_then(|json| serde_json::from_str(&json).ok());
        // Some clients never recover from a 404, so an id that nobody remembers is taken for a new session's.
        Ok(Some(SessionState::new(parameters.unwrap_or_else(nobody))))
    }

    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let json = serde_json::to_string(&state.initialize_params)?;
        Ok(self.hub.keep_mcp_session(id.to_owned(), json).await?)
    }

    async fn delete(&self, _id: &str) -> Result<(), SessionStoreError> {
        // Kept: a client that ends its session and is started again may still say the old id.
        Ok(())
    }
}
