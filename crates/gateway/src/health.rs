//! `GET /health`, without a key: says whether changes can be made, and nothing about anybody's work.

use crate::Gateway;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// Time in which a change can be made; who asks waits two seconds.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time for which an answer holds: anybody may ask as often as they like, and the writer has other work.
const HOLDS: Duration = Duration::from_millis(200);

/// The last answer of the writer.
#[derive(Clone, Default)]
pub(crate) struct Pulse(Arc<Mutex<Option<(Instant, Writer)>>>);

/// The writer's state.
#[derive(Debug, Clone, Copy)]
enum Writer {
    Ok,
    /// It does not answer in time: another program has the database, or there is much to do.
    Busy,
    Failing,
}

pub(crate) async fn health(State(gateway): State<Gateway>) -> Response {
    let (code, status) = match writer(&gateway).await {
        Writer::Ok => (StatusCode::OK, "ok"),
        Writer::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
        Writer::Failing => (StatusCode::SERVICE_UNAVAILABLE, "failing"),
    };
    let health = serde_json::json!({ "status": status, "version": &*gateway.version });
    (code, Json(health)).into_response()
}

async fn writer(gateway: &Gateway) -> Writer {
    // Whoever comes meanwhile waits for the same answer.
    let Ok(mut last) = timeout(PATIENCE, gateway.pulse.0.lock()).await else { return Writer::Busy };
    if let Some((_, writer)) = last.filter(|(at, _)| at.elapsed() < HOLDS) {
        return writer;
    }
    let writer = match timeout(PATIENCE, gateway.hub.writes()).await {
        Ok(Ok(())) => Writer::Ok,
        Ok(Err(_)) => Writer::Failing,
        Err(_) => Writer::Busy,
    };
    *last = Some((Instant::now(), writer));
    writer
}
