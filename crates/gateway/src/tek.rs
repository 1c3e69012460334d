//! The forms of the older gateway's protocol (Tek, FORMATS 1.2), for clients that speak nothing else.

use protocol::{ChatStarted, Event, Reply, Request, SharedEvent};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Instant;
use todo::Status;

/// Messages that the older protocol has too. A connection that only ever sent these gets its forms.
const TYPES: [&str; 4] = ["session.list", "gateway.status", "tool.approval.response", "preflight.approval"];

/// Whether a message type is of the older protocol.
pub(crate) fn speaks(kind: &str) -> bool {
    TYPES.contains(&kind) || kind.starts_with("chat.") || kind.starts_with("vault.keys.")
}

/// A connection of the older protocol: it hears of all lists, and only of its own chats.
#[derive(Default)]
pub(crate) struct Tek {
    /// The sessions of its chats that are not over, by the ids of its messages.
    chats: HashMap<String, String>,
    /// Tool calls under way.
    calls: HashMap<String, Instant>,
}

impl Tek {
    /// Whether an answer of its streams.
    pub(crate) fn is_streaming(&self) -> bool {
        !self.chats.is_empty()
    }

    /// Says of a request what its sender cannot.
    pub(crate) fn complete(&self, request: &mut Request) {
        if let Request::PreflightApproval(ask) = request {
            ask.session_id = ask.session_id.take().or_else(|| self.chats.get(&ask.request_id).cloned());
        }
    }

    /// The answer to a request in the older form, where it has one of its own; an empty one is not sent.
    pub(crate) fn reply(&mut self, reply: &Reply) -> Option<String> {
        let Reply::ChatSend(started) = reply else { return None };
        self.chats.insert(started.request_id.clone(), started.session_id.clone());
        Some(created(started))
    }

    /// An event in the older forms; none where it has none.
    pub(crate) fn event(&mut self, event: &SharedEvent) -> Vec<String> {
        let forms = match event.event() {
            Event::TodoUpdate(update) => {
                let todos: Vec<Value> = update.todos.iter().map(item).collect();
                vec![json!({ "type": "todo.update", "requestId": update.request_id, "todos": todos })]
            }
            other => self.chat(other),
        };
        forms.iter().map(Value::to_string).collect()
    }

    fn chat(&mut self, event: &Event) -> Vec<Value> {
        let ids = match event {
            Event::ChatStreamStart(event) => (&event.request_id, &event.session_id),
            Event::ChatStreamDelta(event) | Event::ChatStreamReasoning(event) => (&event.request_id, &event.session_id),
            Event::ChatStreamEnd(event) => (&event.request_id, &event.session_id),
            Event::ToolCall(event) => (&event.request_id, &event.session_id),
            Event::ToolResult(event) => (&event.request_id, &event.session_id),
            Event::ToolError(event) => (&event.request_id, &event.session_id),
            Event::ToolApprovalRequest(event) => (&event.request_id, &event.session_id),
            Event::PreflightChecklist(event) => (&event.request_id, &event.session_id),
            Event::Error(event) => match (&event.request_id, &event.session_id) {
                (Some(request_id), Some(session_id)) => (request_id, session_id),
                _ => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        if self.chats.get(ids.0) != Some(ids.1) {
            return Vec::new();
        }
        if matches!(event, Event::ChatStreamEnd(_) | Event::Error(_)) {
            self.chats.remove(ids.0);
        }
        let mut form = serde_json::to_value(event).unwrap_or_default();
        if let Some(fields) = form.as_object_mut() {
            let ours: &[&str] = match event {
                Event::ChatStreamStart(_) => &[],
                Event::ChatStreamEnd(_) => &["sessionId", "outcome", "message"],
                _ => &["sessionId", "expiresAt"],
            };
            for field in ours {
                fields.remove(*field);
            }
        }
        let mirror = self.subprocess(event);
        [Some(form), mirror].into_iter().flatten().collect()
    }

    /// Each tool call is told as a process as well.
    fn subprocess(&mut self, event: &Event) -> Option<Value> {
        let (request_id, id, status) = match event {
            Event::ToolCall(call) => {
                self.calls.insert(call.tool_call_id.clone(), Instant::now());
                return Some(json!({
                    "type": "subprocess.start", "requestId": call.request_id, "processId": call.tool_call_id,
                    "name": call.tool_name, "processType": "tool",
                }));
            }
            Event::ToolResult(result) => (&result.request_id, &result.tool_call_id, "completed"),
            Event::ToolError(failed) => (&failed.request_id, &failed.tool_call_id, "error"),
            _ => return None,
        };
        let took = self.calls.remove(id)?.elapsed().as_millis();
        Some(json!({
            "type": "subprocess.end", "requestId": request_id, "processId": id, "status": status,
            "durationMs": u64::try_from(took).unwrap_or(u64::MAX),
        }))
    }
}

fn created(started: &ChatStarted) -> String {
    if !started.created {
        return String::new();
    }
    let id = &started.session_id;
    json!({ "type": "session.created", "sessionId": id, "sessionKey": format!("agent:sightline:{id}") }).to_string()
}

fn item(item: &todo::Item) -> Value {
    let mut todo = json!({ "id": item.id, "content": item.content, "status": status(item.status) });
    if let Some(form) = item.active_form.as_deref().filter(|form| !form.is_empty()) {
        todo["activeForm"] = json!(form);
    }
    todo
}

/// Three statuses are all it knows (REQUIREMENTS G2).
fn status(status: Status) -> &'static str {
    match status {
        Status::Pending | Status::Blocked | Status::Unknown => "pending",
        Status::InProgress => "in_progress",
        Status::Completed | Status::Skipped | Status::Cancelled => "completed",
    }
}
