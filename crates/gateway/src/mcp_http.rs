//! MCP over streamable HTTP: rmcp's service with our sessions kept in the database.

use crate::Gateway;
use crate::accept::Connection;
use crate::keys::Visitor;
use crate::list_as_text::list_as_text;
use crate::live_sessions::{self, of_key};
use crate::mcp_streams::McpSessions;
use crate::refusal::{refuse, refuse_input};
use crate::sent::Acknowledged;
use agents::Registry;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use futures_util::StreamExt;
use futures_util::future::OptionFuture;
use hub::Hub;
use lockable::LockPool;
use mcp::{HttpCall, Origin, Receipts, TodoServer};
use protocol::{Backend, BoxFuture, Code};
use rmcp::model::{ClientCapabilities, Implementation, InitializeRequestParams};
use rmcp::transport::streamable_http_server::session::{
    SessionId, SessionManager, SessionState, SessionStore, SessionStoreError,
};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use sources::GitFolder;
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tower::Service;

/// Time for which a silent session stays in memory. After it, as after a restart, it is restored from the database,
/// so this bounds memory and not how long an agent may think.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// Characters of a client's name and version that are kept.
const CLIENT_CHARS: usize = 200;

/// The service behind `/mcp` and `/mcp/LABEL`.
pub(crate) fn service(
    gateway: &Gateway,
) -> impl Service<Request, Response = Response, Error = Infallible, Future: Send> + Clone + Send + Sync + 'static {
    let backend: Arc<dyn Backend> = Arc::new(gateway.for_agents(None));
    let (connections, stop, hub) = (gateway.connections.clone(), gateway.stop.clone(), gateway.hub.clone());
    let (factory_backend, version, agents) = (backend.clone(), gateway.version.clone(), gateway.agents);
    let mut sessions = McpSessions::default();
    sessions.0.session_config.keep_alive = Some(IDLE);
    let sessions = Arc::new(sessions);
    let restored = Restored { sessions: sessions.clone(), turns: Arc::default() };
    let (live, intake) = (sessions.1.clone(), gateway.intake.clone());
    let mut config = StreamableHttpServerConfig::default()
        // `Hosts` checks each request's, and knows those that were named.
        .disable_allowed_hosts()
        .with_cancellation_token(gateway.cut.child_token())
        .with_max_request_body_bytes(protocol::MESSAGE_BYTES);
    config.session_store = Some(Arc::new(Sessions { hub: gateway.hub.clone() }));
    // The empty event with which the library begins the answer to `initialize` and a stream of notifications has no id
    // that leads back to that stream, and comes before the client's version is known.
    config.sse_retry = None;
    // Shared, since a clone of it has a configuration of its own.
    let service = Arc::new(StreamableHttpService::new(
        move || Ok(TodoServer::new(factory_backend.clone(), origin(agents), version.to_string())),
        sessions,
        config,
    ));
    tower::service_fn(move |mut request: Request| {
        let receipts = Arc::new(Receipts::default());
        let label = request.uri().path().strip_prefix("/mcp/").filter(|label| !label.is_empty()).map(decoded);
        let visitor = request.extensions().get::<Visitor>();
        let key = visitor.and_then(Visitor::key);
        let peer = request.extensions().get::<Connection>().and_then(|connection| connection.peer.clone());
        let peer = peer.map(|peer| Arc::new(peer) as Arc<dyn mcp::Peer>);
        // A stream of notifications ends by itself, a call with its answer.
        let end = (request.method() == Method::GET).then(|| {
            let (stopped, visitor, hub) = (stop.clone().cancelled_owned(), visitor.cloned(), hub.clone());
            Box::pin(async move {
                tokio::select! {
                    () = stopped => {}
                    Some(()) = OptionFuture::from(visitor.map(|visitor| visitor.ended(hub))) => {}
                }
            })
        });
        request.extensions_mut().insert(HttpCall { label, key: key.clone(), peer, receipts: receipts.clone() });
        let (service, restored) = (service.clone(), restored.clone());
        let (live, intake) = (live.clone(), intake.clone());
        let (backend, open) = (backend.clone(), connections.token());
        async move {
            let session = session_of(&request).map(|id| live.begin(id, key.clone()));
            for id in live.surplus(key.as_deref()) {
                restored.let_go(id).await;
            }
            // The whole body first: a client that sends half a request holds up nobody.
            let (head, body) = request.into_parts();
            let (body, turn) = match intake.take(key.clone(), body, protocol::MESSAGE_BYTES, "a request").await {
                Ok(body) => (body.bytes, body.turn),
                Err(error) => return Ok(refuse_input(error)),
            };
            let request = Request::from_parts(head, list_as_text(body).into());
            let serve = |request| async move { service.handle(request).await.map(Body::new) };
            let response = restored.call(request, move |request| of_key(key, serve(request))).await;
            // It was read and is under way: what is large goes on being small.
            drop(turn);
            Ok(response.map(|body| {
                let body = match end {
                    Some(end) => Body::from_stream(body.into_data_stream().take_until(end)),
                    None => body,
                };
                let sent = move || {
                    // Used until its answer was sent.
                    let _ = &session;
                    receipts.sent(&backend, None);
                };
                Body::new(Acknowledged::new(body, open, sent))
            }))
        }
    })
}

/// Restores each session from the database only once, also when several requests ask for it: rmcp lets a second request
/// through while the first one's handshake is under way, and that ends the session.
#[derive(Clone)]
struct Restored {
    sessions: Arc<McpSessions>,
    turns: Arc<LockPool<SessionId>>,
}

impl Restored {
    /// Returns whether the session is completely in memory.
    async fn is_there(&self, id: &SessionId) -> bool {
        // In this order: a session that is in memory before its turn is free was restored to the end.
        self.sessions.has_session(id).await.unwrap_or(false) && self.turns.try_lock(id.clone()).is_some()
    }

    /// Lets a session go out of the memory, unless a request has come for it meanwhile.
    async fn let_go(&self, id: SessionId) {
        // Whoever comes now waits, and restores it.
        let _turn = self.turns.async_lock(id.clone()).await;
        if !self.sessions.1.has(&id)
            && let Err(error) = self.sessions.close_session(&id).await
        {
            tracing::debug!(%error, "a session in memory could not be ended");
        }
    }

    /// Passes a request on: at once where its session is in memory, otherwise after the request before it.
    async fn call<F>(&self, request: Request, serve: impl FnOnce(Request) -> F + Send + 'static) -> Response
    where
        F: Future<Output = Response> + Send + 'static,
    {
        let id = session_of(&request);
        let is_there = match &id {
            Some(id) => {
                // Where it is just let go, it is not there.
                drop(self.turns.async_lock(id.clone()).await);
                self.is_there(id).await
            }
            None => true,
        };
        let Some(id) = id.filter(|_| !is_there) else {
            return serve(request).await;
        };
        let turns = self.turns.clone();
        // A task of its own: a client that disconnects in the middle leaves no session that is half restored.
        let served = tokio::spawn(async move {
            let _turn = turns.async_lock(id).await;
            serve(request).await
        });
        match served.await {
            Ok(response) => response,
            Err(error) => {
                tracing::error!(%error, "a session could not be restored");
                refuse(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    Code::Internal,
                    "the session could not be restored; send it again",
                )
            }
        }
    }
}

/// The evidence of a client that is there before it says anything.
fn origin(agents: Registry) -> Origin {
    let project_and_branch = |folder: String| -> BoxFuture<_> {
        Box::pin(async move {
            let git = GitFolder::of(Path::new(&folder)).await;
            (git.project, git.branch)
        })
    };
    Origin { agents, project_and_branch: Some(project_and_branch), ..Origin::default() }
}

/// The session that a request is of.
fn session_of(request: &Request) -> Option<SessionId> {
    request.headers().get("mcp-session-id").and_then(|id| id.to_str().ok()).map(SessionId::from)
}

/// Decodes the label in an address.
fn decoded(label: &str) -> String {
    percent_encoding::percent_decode_str(label).decode_utf8_lossy().into_owned()
}

/// The `initialize` of a client whose own is not stored.
fn nobody() -> InitializeRequestParams {
    let mut parameters = InitializeRequestParams::default();
    parameters.client_info = Implementation::new("agent", "");
    parameters
}

/// The part of an introduction with which a session goes on: who it is, and whether it has folders. How long the rest is
/// the client decides.
fn kept(said: &InitializeRequestParams) -> InitializeRequestParams {
    let cut = |text: &str| text.chars().take(CLIENT_CHARS).collect::<String>();
    let client = Implementation::new(cut(&said.client_info.name), cut(&said.client_info.version));
    let mut capabilities = ClientCapabilities::default();
    capabilities.roots.clone_from(&said.capabilities.roots);
    let mut kept = InitializeRequestParams::new(capabilities, client);
    if said.protocol_version.as_str().len() <= CLIENT_CHARS {
        kept.protocol_version.clone_from(&said.protocol_version);
    }
    kept
}

/// MCP sessions in the database, so that they continue after a restart.
struct Sessions {
    hub: Hub,
}

#[async_trait::async_trait]
impl SessionStore for Sessions {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let known = self.hub.mcp_session(id).await?;
        let parameters = known.and_then(|json| serde_json::from_str(&json).ok());
        // Some clients never recover from a 404, so an unknown id is accepted as a new session's.
        Ok(Some(SessionState::new(parameters.unwrap_or_else(nobody))))
    }

    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let json = serde_json::to_string(&kept(&state.initialize_params))?;
        Ok(self.hub.keep_mcp_session(id.to_owned(), live_sessions::key(), json).await?)
    }

    async fn delete(&self, _id: &str) -> Result<(), SessionStoreError> {
        // Kept: a client that ends its session and is started again may still send the old id.
        Ok(())
    }
}
