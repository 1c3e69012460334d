//! The one trait that everything above the hub is written against.

use crate::{Caller, Event, EventsSnapshot, Reply, Request, Result};
use futures_util::Stream;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

/// A future that borrows nothing.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The events after a snapshot, in the order of their cursors. The stream ends when the backend shuts down, and after the
/// subscriber was too slow.
pub type EventStream = Pin<Box<dyn Stream<Item = SharedEvent> + Send>>;

/// A snapshot and everything after it, without a gap and without a duplicate.
pub struct Subscription {
    /// The current sessions.
    pub snapshot: EventsSnapshot,
    /// The events after the snapshot.
    pub events: EventStream,
}

/// An answerer of requests: the hub itself, or a client of the gateway that has it.
pub trait Backend: Send + Sync + 'static {
    /// Answers one request. Every request gets exactly one answer; a change is answered after it is on disk.
    fn call(&self, caller: Caller, request: Request) -> BoxFuture<Result<Reply>>;

    /// Returns a snapshot of the current sessions (with `since`, of those that changed after it) and the events after it.
    fn subscribe(&self, since: Option<String>) -> BoxFuture<Result<Subscription>>;
}

/// An event that all subscribers share and that is turned into JSON once.
#[derive(Debug, Clone)]
pub struct SharedEvent(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    event: Event,
    json: OnceLock<Arc<str>>,
}

impl SharedEvent {
    /// Returns the event.
    #[must_use]
    pub fn event(&self) -> &Event {
        &self.0.event
    }

    /// Returns its JSON text, which is made at the first call.
    #[must_use]
    pub fn json(&self) -> Arc<str> {
        self.0.json.get_or_init(|| serde_json::to_string(&self.0.event).unwrap_or_default().into()).clone()
    }
}

impl From<Event> for SharedEvent {
    fn from(event: Event) -> Self {
        Self(Arc::new(Inner { event, json: OnceLock::new() }))
    }
}
