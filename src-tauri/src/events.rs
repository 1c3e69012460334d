//! The one event channel to the page.

use crate::ipc::Window;
use app::Message;
use futures_util::StreamExt;
use protocol::Reply;
use tauri::State;
use tauri::ipc::{Channel, InvokeResponseBody};

/// Sends the page a snapshot and then events, until it closes the channel or another page opens one.
///
/// The messages are those of the WebSocket: `events.subscribe.result` (again after every reconnect), or an event.
#[tauri::command]
pub(crate) async fn events_open(
    window: State<'_, Window>,
    channel: Channel<InvokeResponseBody>,
) -> protocol::Result<()> {
    let stop = window.take_over();
    let mut messages = Box::pin(app::follow(window.backend()));
    tauri::async_runtime::spawn(async move {
        loop {
            let message = tokio::select! {
                () = stop.cancelled() => return,
                message = messages.next() => message,
            };
            let json = match message {
                Some(Message::Snapshot(snapshot)) => {
                    serde_json::to_string(&Reply::EventsSubscribe(*snapshot)).unwrap_or_default()
                }
                Some(Message::Event(event)) => event.json().to_string(),
                None => return,
            };
            if channel.send(InvokeResponseBody::Json(json)).is_err() {
                return;
            }
        }
    });
    Ok(())
}
