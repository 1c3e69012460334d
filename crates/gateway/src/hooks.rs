//! `POST /hooks/AGENT`: an agent's hook reports what happened. The answer adds to the agent's context, in the agent's own
//! form; it is empty where there is nothing to tell.

use crate::Gateway;
use crate::keys::Visitor;
use crate::refusal::refuse;
use crate::sent::Acknowledged;
use axum::body::{Body, BodyDataStream};
use axum::extract::{Extension, Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use protocol::{Backend, Code, Error};
use sources::hooks::{self, BYTES, hooked};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// The bytes of a payload that are taken at once, as nearly all have fewer.
const SMALL: usize = 256 * 1024;

/// The larger payloads that are read at once; others wait for their turn, or until their senders go.
const LARGE_AT_ONCE: usize = 4;

/// The time for each of the two parts of a payload, which comes from this machine.
const ARRIVES: Duration = Duration::from_secs(10);

/// The turns of large payloads.
#[derive(Clone)]
pub(crate) struct Intake(Arc<Semaphore>);

impl Default for Intake {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(LARGE_AT_ONCE)))
    }
}

/// A payload, and the turn of a large one.
struct Payload {
    bytes: Vec<u8>,
    _turn: Option<OwnedSemaphorePermit>,
}

impl Intake {
    /// Reads a payload to its end.
    ///
    /// # Errors
    /// [`Code::MessageTooLarge`], and [`Code::Unavailable`] for one that does not come in time.
    async fn take(&self, body: Body) -> Result<Payload, Error> {
        let mut chunks = body.into_data_stream();
        let mut bytes = Vec::new();
        if arrives(&mut chunks, &mut bytes, SMALL).await? {
            return Ok(Payload { bytes, _turn: None });
        }
        // The time limit of this part ends the turn of a sender that goes silent.
        let turn = self.0.clone().acquire_owned().await;
        let turn = turn.map_err(|closed| Error::new(Code::Unavailable, closed.to_string()))?;
        arrives(&mut chunks, &mut bytes, BYTES).await?;
        Ok(Payload { bytes, _turn: Some(turn) })
    }
}

/// Reads on to the end, or until there are more bytes than `enough`. Returns whether it is the end.
async fn arrives(chunks: &mut BodyDataStream, bytes: &mut Vec<u8>, enough: usize) -> Result<bool, Error> {
    let read = async {
        while bytes.len() <= enough {
            let Some(chunk) = chunks.next().await else { return Ok(true) };
            let chunk = chunk.map_err(|error| Error::new(Code::InvalidMessage, error.to_string()))?;
            if bytes.len() + chunk.len() > BYTES {
                pass_over(chunks).await;
                let problem = format!("the payload of a hook has at most {BYTES} bytes");
                return Err(Error::new(Code::MessageTooLarge, problem));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(false)
    };
    timeout(ARRIVES, read).await.unwrap_or_else(|_| {
        let problem = format!("the payload of a hook has to be here within {} seconds", ARRIVES.as_secs());
        Err(Error::new(Code::Unavailable, problem))
    })
}

/// Takes the rest of a payload that is not wanted, up to a bound: who is cut off while sending does not hear why.
async fn pass_over(chunks: &mut BodyDataStream) {
    let mut bound = BYTES;
    while let Some(Ok(chunk)) = chunks.next().await {
        let Some(rest) = bound.checked_sub(chunk.len()) else { return };
        bound = rest;
    }
}

pub(crate) async fn hear(
    State(gateway): State<Gateway>,
    Extension(visitor): Extension<Visitor>,
    Path(agent): Path<String>,
    request: Request,
) -> Response {
    let backend: Arc<dyn Backend> = Arc::new(gateway.for_agents(visitor.key()));
    let answer = async {
        let agent = hooked(gateway.agents, &agent)?;
        let payload = gateway.hooks.take(request.into_body()).await?;
        let heard = agent.read_hook(&payload.bytes)?;
        // The part that counts is small, and with the rest its turn goes to the next one.
        drop(payload);
        hooks::hear(&*backend, agent, heard, Vec::new()).await
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
                Code::MessageTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
                Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
                _ => StatusCode::INTERNAL_SERVER_ERROR,
            };
            refuse(status, error.code, error.message)
        }
    }
}
