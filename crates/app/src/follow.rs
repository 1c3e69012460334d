//! An endless stream of snapshots and events, which subscribes again whenever the connection breaks.

use futures_util::{Stream, StreamExt, stream};
use protocol::{Backend, Error, Event, EventStream, EventsSnapshot, GatewayState, GatewayStateEvent, SharedEvent};
use std::sync::Arc;
use std::time::Duration;

/// Pause before a subscription is tried again.
const PAUSE: Duration = Duration::from_millis(500);

/// An update for a view.
#[derive(Debug, Clone)]
pub enum Message {
    /// The whole state, or what changed since the connection broke.
    Snapshot(Box<EventsSnapshot>),
    /// One event.
    Event(SharedEvent),
}

struct Connection {
    backend: Arc<dyn Backend>,
    events: Option<EventStream>,
    since: Option<String>,
    connected: bool,
}

/// All updates that a view needs.
pub fn follow(backend: Arc<dyn Backend>) -> impl Stream<Item = Message> + Send {
    let state = Connection { backend, events: None, since: None, connected: true };
    stream::unfold(state, |mut state| async move {
        loop {
            let Some(events) = &mut state.events else {
                match state.backend.subscribe(state.since.clone()).await {
                    Ok(subscription) => {
                        state.events = Some(subscription.events);
                        state.since = Some(subscription.snapshot.cursor.clone());
                        state.connected = true;
                        return Some((Message::Snapshot(Box::new(subscription.snapshot)), state));
                    }
                    Err(error) if state.connected => {
                        state.connected = false;
                        return Some((disconnected(error), state));
                    }
                    Err(_) => tokio::time::sleep(PAUSE).await,
                }
                continue;
            };
            match events.next().await {
                Some(event) => {
                    if let Some(cursor) = cursor(event.event()) {
                        state.since = Some(cursor.to_owned());
                    }
                    return Some((Message::Event(event), state));
                }
                None => state.events = None,
            }
        }
    })
}

fn disconnected(Error { message, text, .. }: Error) -> Message {
    let state = GatewayStateEvent { state: GatewayState::Disconnected, message: Some(message), text };
    Message::Event(Event::GatewayState(state).into())
}

fn cursor(event: &Event) -> Option<&str> {
    match event {
        Event::TodoUpdate(update) => Some(&update.cursor),
        Event::SessionCreated(session) | Event::SessionUpdated(session) => Some(&session.cursor),
        Event::SessionDeleted(session) => Some(&session.cursor),
        Event::ListDeleted(list) | Event::ListUndeleted(list) => Some(&list.cursor),
        Event::EditState(edit) => Some(&edit.cursor),
        Event::SettingsUpdated(settings) => Some(&settings.cursor),
        Event::LaterUpdated(later) => Some(&later.cursor),
        Event::GatewayState(_)
        | Event::AgentsStep(_)
        | Event::ImportProgress(_)
        | Event::KeysUpdated(_)
        | Event::HostsUpdated(_)
        | Event::ChatStreamStart(_)
        | Event::ChatStreamDelta(_)
        | Event::ChatStreamReasoning(_)
        | Event::ChatStreamEnd(_)
        | Event::ChatUpdated(_)
        | Event::ToolCall(_)
        | Event::ToolResult(_)
        | Event::ToolError(_)
        | Event::ToolApprovalRequest(_)
        | Event::PreflightChecklist(_)
        | Event::Error(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{Code, say};

    // S33
    #[test]
    fn the_reason_for_a_lost_gateway_keeps_its_name() {
        let Message::Event(event) = disconnected(Error::new(Code::Unavailable, say::remote_lost())) else {
            panic!("it is an event");
        };
        let Event::GatewayState(state) = event.event() else { panic!("it is the gateway's state") };
        assert_eq!(
            (state.message.clone(), state.text.clone()),
            (Some(say::remote_lost().english), say::remote_lost().named)
        );
    }
}
