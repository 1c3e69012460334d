//! The forms of the older gateway's protocol (Tek), for clients that speak nothing else.

use protocol::{Event, SharedEvent};
use serde_json::{Value, json};
use todo::Status;

/// Messages that the older protocol has too. A connection that only ever sent these gets its forms.
const TYPES: [&str; 2] = ["session.list", "gateway.status"];

/// Whether a message type is of the older protocol.
pub(crate) fn speaks(kind: &str) -> bool {
    TYPES.contains(&kind) || kind.starts_with("chat.")
}

/// An event in the older form; `None` for those that it does not have.
pub(crate) fn event(event: &SharedEvent) -> Option<String> {
    let Event::TodoUpdate(update) = event.event() else { return None };
    let todos: Vec<Value> = update
        .todos
        .iter()
        .map(|item| {
            let mut todo = json!({ "id": item.id, "content": item.content, "status": status(item.status) });
            if let Some(form) = item.active_form.as_deref().filter(|form| !form.is_empty()) {
                todo["activeForm"] = json!(form);
            }
            todo
        })
        .collect();
    Some(json!({ "type": "todo.update", "requestId": update.request_id, "todos": todos }).to_string())
}

/// Three statuses are all it knows (REQUIREMENTS G2).
fn status(status: Status) -> &'static str {
    match status {
        Status::Pending | Status::Blocked | Status::Unknown => "pending",
        Status::InProgress => "in_progress",
        Status::Completed | Status::Skipped | Status::Cancelled => "completed",
    }
}
