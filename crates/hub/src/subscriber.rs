//! A subscriber's queue: bounded, and with only the newest list of each session in it.

use futures_util::Stream;
use protocol::{Event, GatewayState, GatewayStateEvent, SharedEvent, Text, say};
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Events that wait for one subscriber; past that it is told that it lagged.
const BOUND: usize = 1024;

#[derive(Default)]
struct Waiting {
    events: VecDeque<SharedEvent>,
    waker: Option<Waker>,
    closed: bool,
    gone: bool,
    /// It is of this process, and no connection.
    own: bool,
}

impl Waiting {
    fn lag(&mut self) {
        self.events.clear();
        self.events.push_back(lagged());
        self.closed = true;
    }
}

/// The hub's end of a queue.
#[derive(Clone, Default)]
pub(crate) struct Queue(Arc<Mutex<Waiting>>);

/// The subscriber's end: a stream that ends when the hub does, or after it was told that it lagged.
pub(crate) struct Receiver(Queue);

impl Queue {
    pub(crate) fn receiver(&self) -> Receiver {
        Receiver(self.clone())
    }

    /// One that does not count as a connection.
    pub(crate) fn own() -> Self {
        let queue = Self::default();
        queue.lock().own = true;
        queue
    }

    pub(crate) fn is_own(&self) -> bool {
        self.lock().own
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an event; `false` when nobody listens any more.
    pub(crate) fn push(&self, event: &SharedEvent) -> bool {
        let mut waiting = self.lock();
        if waiting.gone || waiting.closed {
            return false;
        }
        // An event that nobody has taken yet is worthless once a newer one of the same session repeats it.
        match event.event() {
            Event::TodoUpdate(update) => waiting.events.retain(|old| {
                !matches!(old.event(), Event::TodoUpdate(was) if was.session_id == update.session_id && was.list_id == update.list_id)
            }),
            Event::SessionUpdated(session) => waiting.events.retain(|old| {
                !matches!(old.event(), Event::SessionUpdated(was) if was.session.session.session_id == session.session.session.session_id)
            }),
            _ => {}
        }
        if waiting.events.len() >= BOUND {
            waiting.lag();
        } else {
            waiting.events.push_back(event.clone());
        }
        let waker = waiting.waker.take();
        drop(waiting);
        if let Some(waker) = waker {
            waker.wake();
        }
        true
    }

    /// Ends it and tells its subscriber to begin anew: events were lost.
    pub(crate) fn lag(&self) {
        self.lock().lag();
        self.close();
    }

    pub(crate) fn close(&self) {
        let mut waiting = self.lock();
        waiting.closed = true;
        let waker = waiting.waker.take();
        drop(waiting);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

fn lagged() -> SharedEvent {
    let Text { english, named } = say::link_events_left_out();
    let state = GatewayStateEvent { state: GatewayState::Lagged, message: Some(english), text: named };
    Event::GatewayState(state).into()
}

impl Stream for Receiver {
    type Item = SharedEvent;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<SharedEvent>> {
        let mut waiting = self.0.lock();
        if let Some(event) = waiting.events.pop_front() {
            return Poll::Ready(Some(event));
        }
        if waiting.closed {
            return Poll::Ready(None);
        }
        waiting.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let mut waiting = self.0.lock();
        waiting.gone = true;
        waiting.events.clear();
    }
}
