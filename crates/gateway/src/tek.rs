//! The forms of the older gateway's protocol (Tek, FORMATS 1.2), for clients that speak nothing else.

use protocol::{ChatStarted, Code, Event, Reply, Request, SharedEvent};
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
    /// Its events have ended: it cannot be told how its chats end, and hears that of each.
    pub(crate) fn ended(&mut self) -> Vec<String> {
        let error = |(request_id, _): (String, String)| {
            let problem = "what this answer said was more than this connection could take; ask for the session again";
            let code = Code::Unavailable;
            json!({ "type": "error", "requestId": request_id, "code": code, "message": problem }).to_string()
        };
        self.calls.clear();
        self.chats.drain().map(error).collect()
    }

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
        let (Reply::ChatSend(started) | Reply::ChatResume(started)) = reply else { return None };
        self.chats.insert(started.request_id.clone(), started.session_id.clone());
        // Of a session that goes on it knows.
        matches!(reply, Reply::ChatSend(_)).then(|| created(started))
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
        let own = event.run().filter(|(run, session)| self.chats.get(*run).is_some_and(|of| of == session));
        let Some((run, _)) = own else { return Vec::new() };
        if matches!(event, Event::ChatStreamEnd(_) | Event::Error(_)) {
            self.chats.remove(run);
        }
        let mut form = serde_json::to_value(event).unwrap_or_default();
        if let Some(fields) = form.as_object_mut() {
            let ours: &[&str] = match event {
                Event::ChatStreamStart(_) => &[],
                Event::ChatStreamEnd(_) => &["sessionId", "outcome", "message"],
                _ => &["sessionId", "expiresAt", "offset"],
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

#[cfg(test)]
mod tests {
    use super::Tek;
    use protocol::{ChatStarted, Reply};

    #[test]
    fn a_connection_that_lagged_hears_that_its_chat_is_over_for_it_and_can_begin_another() {
        let mut tek = Tek::default();
        let (session_id, request_id) = ("s".to_owned(), "req-1".to_owned());
        tek.reply(&Reply::ChatSend(ChatStarted { session_id, request_id, ..ChatStarted::default() }));
        assert!(tek.is_streaming());
        let [told] = tek.ended().try_into().expect("one error");
        let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
        assert_eq!(
            (&told["type"], &told["requestId"], &told["code"]),
            (&"error".into(), &"req-1".into(), &"UNAVAILABLE".into())
        );
        assert!(!tek.is_streaming());
    }
}
