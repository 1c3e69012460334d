//! `POST /hooks/AGENT`: an agent's hook reports what happened. The answer adds to the agent's context, in the agent's own
//! form; it is empty where there is nothing to tell.

use crate::Gateway;
use crate::keys::Visitor;
use crate::refusal::refuse_input;
use crate::sent::Acknowledged;
use axum::body::Body;
use axum::extract::{Extension, Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use protocol::Backend;
use sources::hooks::{self, BYTES, hooked};
use std::sync::Arc;

pub(crate) async fn hear(
    State(gateway): State<Gateway>,
    Extension(visitor): Extension<Visitor>,
    Path(agent): Path<String>,
    request: Request,
) -> Response {
    let backend: Arc<dyn Backend> = Arc::new(gateway.for_agents(visitor.key()));
    let answer = async {
        let agent = hooked(gateway.agents, &agent)?;
        let payload = gateway.intake.take(visitor.key(), request.into_body(), BYTES, "the payload of a hook").await?;
        let heard = agent.read_hook(&payload.bytes)?;
        // The part that counts is small, and with the rest its turn goes to the next one.
        drop(payload);
        hooks::hear(&*backend, agent, heard, hooks::HookProcess::default()).await
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
        Err(error) => refuse_input(error),
    }
}
