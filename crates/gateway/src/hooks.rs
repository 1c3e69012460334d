//! `POST /hooks/AGENT`: an agent's hook reports what happened. The answer adds to the agent's context, in the agent's own
//! form; it is empty where there is nothing to tell.

use crate::Gateway;
use crate::refusal::refuse;
use crate::sent::Acknowledged;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use protocol::{Backend, Code, Error};
use sources::hooks::{self, hooked};
use std::sync::Arc;

/// The largest payload: a hook sends the whole result of a tool, which may be a file.
pub(crate) const BYTES: usize = 16 * 1024 * 1024;

pub(crate) async fn hear(State(gateway): State<Gateway>, Path(agent): Path<String>, body: Bytes) -> Response {
    let backend: Arc<dyn Backend> = Arc::new(gateway.for_agents());
    let answer = async {
        let agent = hooked(gateway.agents, &agent)?;
        let payload = serde_json::from_slice(&body).map_err(|error| {
            Error::new(Code::InvalidMessage, format!("a hook's payload is JSON, this is not ({error})"))
        })?;
        hooks::hear(&*backend, agent, &payload, Vec::new()).await
    };
    match answer.await {
        Ok(None) => StatusCode::OK.into_response(),
        Ok(Some(answer)) => {
            let body = Body::from(answer.body.clone());
            let mut answer = Some(answer);
            let sent = move || {
                let Some(answer) = answer.take() else { return };
                // In the hub's queue here and now: before anything that the agent does next.
                let noted = answer.sent(&*backend);
                tokio::spawn(async move {
                    if let Err(error) = noted.await {
                        tracing::warn!(%error, "a delivery could not be noted; the edits will be told again");
                    }
                });
            };
            let body = Body::new(Acknowledged::new(body, gateway.connections.token(), sent));
            ([(header::CONTENT_TYPE, "application/json")], body).into_response()
        }
        Err(error) => {
            let status = match error.code {
                Code::InvalidMessage => StatusCode::BAD_REQUEST,
                _ => StatusCode::INTERNAL_SERVER_ERROR,
            };
            refuse(status, error.code, error.message)
        }
    }
}
