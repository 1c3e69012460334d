//! The sending half of a connection: answers, errors, events, and the reason of its end.

use super::{Connection, Ended, Step, Waiting, next};
use crate::tek::{self, Tek};
use axum::extract::ws::{CloseFrame, Message};
use futures_util::{FutureExt, SinkExt};
use protocol::{
    Backend, Error, Event, GatewayState, GatewayStateEvent, Reply, SharedEvent, TodoDelivered, TodoWritten,
};
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;

/// Time for which a peer may take nothing before it is given up.
const STALLED: Duration = Duration::from_secs(60);

/// Events that are written before the peer's own messages are looked at again.
const EVENTS_AT_ONCE: usize = 64;

/// The WebSocket close code of a gateway that ends (RFC 6455, section 7.4.1).
const GOING_AWAY: u16 = 1001;

impl Connection {
    pub(super) async fn reply(&mut self, reply: Reply, waiting: &Waiting) -> Step {
        let id = waiting.id.as_deref();
        let form = match &mut self.tek {
            Some(tek) => tek.reply(&reply, waiting.question.as_ref(), id),
            None => Some(tek::reply(&reply, id)),
        };
        if let Some(form) = form {
            self.tell(&form).await?;
        }
        if let Reply::TodoWrite(written) | Reply::TodoRead(written) = reply {
            self.note_delivery(written);
        }
        Ok(())
    }

    /// Notes that an answer with edits was sent. A client that speaks for an agent confirms that itself, once the agent
    /// has it. The note is in the hub's queue before the next request is read, and nobody waits for it.
    fn note_delivery(&self, written: TodoWritten) {
        if self.caller.agent.is_some() {
            return;
        }
        let delivered = TodoDelivered {
            session_id: written.session_id,
            revision: Some(written.revision),
            edits: written.edits.into_iter().map(|edit| edit.edit_id).collect(),
            tool_call: None,
        };
        let noted = self.gateway.hub.call(self.caller.clone(), delivered.into());
        tokio::spawn(async move {
            if let Err(error) = noted.await {
                tracing::warn!(%error, "a delivery could not be noted; the edits will be told again");
            }
        });
    }

    pub(super) async fn fail(&mut self, id: Option<&str>, error: &Error) -> Step {
        let event = Event::Error(protocol::ErrorEvent {
            request_id: id.map(str::to_owned),
            session_id: None,
            code: error.code,
            message: error.message.clone(),
            // The older protocol has no such field.
            text: error.text.clone().filter(|_| self.tek.is_none()),
        });
        self.send(Message::Text(SharedEvent::from(event).json().as_ref().into())).await
    }

    /// Writes an event and those that wait behind it, and flushes once.
    pub(super) async fn event(&mut self, event: Option<SharedEvent>) -> Step {
        let mut next_event = event;
        for _ in 0..EVENTS_AT_ONCE {
            let texts = match (&next_event, &mut self.tek) {
                (Some(event), Some(tek)) => texts(&tek.event(event)),
                (Some(event), None) => vec![event.json().to_string()],
                (None, tek) => tek.as_mut().map(|tek| texts(&tek.ended())).unwrap_or_default(),
            };
            for text in texts {
                timeout(STALLED, self.socket.feed(Message::Text(text.into())))
                    .await
                    .map_err(|_| Ended)?
                    .map_err(|_| Ended)?;
            }
            if next_event.is_none() {
                self.events = None;
                break;
            }
            match next(&mut self.events).now_or_never() {
                Some(waiting) => next_event = waiting,
                None => break,
            }
        }
        timeout(STALLED, self.socket.flush()).await.map_err(|_| Ended)?.map_err(|_| Ended)?;
        // A client of the older protocol does not know that it could subscribe again.
        if self.tek.as_ref().is_some_and(Tek::has_lagged) && self.events.is_none() {
            return self.follow().await;
        }
        Ok(())
    }

    pub(super) async fn tell(&mut self, form: &Value) -> Step {
        self.send(Message::Text(form.to_string().into())).await
    }

    pub(super) async fn send(&mut self, message: Message) -> Step {
        timeout(STALLED, self.socket.send(message)).await.map_err(|_| Ended)?.map_err(|_| Ended)
    }

    pub(super) async fn announce_end(&mut self) {
        let event = Event::GatewayState(GatewayStateEvent { state: GatewayState::Closing, message: None, text: None });
        if self.tek.is_none() {
            // The connection is closed in any case.
            let _ = self.send(Message::Text(SharedEvent::from(event).json().as_ref().into())).await;
        }
        self.close(GOING_AWAY, "the gateway is shutting down").await;
    }

    pub(super) async fn close(&mut self, code: u16, reason: &'static str) {
        let _ = self.send(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await;
    }
}

fn texts(forms: &[Value]) -> Vec<String> {
    forms.iter().map(Value::to_string).collect()
}
