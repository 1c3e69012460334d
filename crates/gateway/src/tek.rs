//! The message forms of an older gateway's protocol (Tek, docs/formats/gateways.md), for clients that speak nothing else.

use protocol::{ChatStarted, Code, Event, Reply, Request, SharedEvent};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::time::Instant;
use todo::Status;

/// Types of messages that both protocols have. A connection that sent only these gets the older forms.
const TYPES: [&str; 4] = ["session.list", "gateway.status", "tool.approval.response", "preflight.approval"];

/// Returns whether the older protocol has a type of message.
pub(crate) fn speaks(kind: &str) -> bool {
    TYPES.contains(&kind) || kind.starts_with("chat.") || kind.starts_with("vault.keys.")
}

/// A connection of the older protocol: it is told of all lists, and of its own chats only.
#[derive(Default)]
pub(crate) struct Tek {
    /// The sessions of its chats that are under way, by the ids of its messages.
    chats: HashMap<String, String>,
    /// Tool calls under way.
    calls: HashMap<String, Instant>,
}

impl Tek {
    /// Ends its chats with an error each, since its events have ended and it cannot be told how they end.
    pub(crate) fn ended(&mut self) -> Vec<String> {
        let error = |(request_id, _): (String, String)| {
            let problem = "what this answer said was more than this connection could take; ask for the session again";
            let code = Code::Unavailable;
            json!({ "type": "error", "requestId": request_id, "code": code, "message": problem }).to_string()
        };
        self.calls.clear();
        self.chats.drain().map(error).collect()
    }

    /// Returns whether an answer is being streamed.
    pub(crate) fn is_streaming(&self) -> bool {
        !self.chats.is_empty()
    }

    /// Adds to a request what its sender cannot know.
    pub(crate) fn complete(&self, request: &mut Request) {
        if let Request::PreflightApproval(ask) = request {
            ask.session_id = ask.session_id.take().or_else(|| self.chats.get(&ask.request_id).cloned());
        }
    }

    /// Returns an answer in its older form, where that differs; an empty one is not sent.
    pub(crate) fn reply(&mut self, reply: &Reply) -> Option<String> {
        let (Reply::ChatSend(started) | Reply::ChatResume(started)) = reply else { return None };
        self.chats.insert(started.request_id.clone(), started.session_id.clone());
        // It knows a session that continues.
        matches!(reply, Reply::ChatSend(_)).then(|| created(started))
    }

    /// Returns an event in its older forms; none where the older protocol has none.
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

    /// Returns the process event that the older protocol sends with each tool call.
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

/// Adds the fields that only the older protocol has to an answer that both protocols have.
pub(crate) fn fill(reply: &Reply, id: Option<&str>, fields: &mut Map<String, Value>) {
    match reply {
        Reply::SessionList(page) => {
            fields.extend(id.map(|id| ("requestId".to_owned(), id.into())));
            let sessions = fields.get_mut("sessions").and_then(Value::as_array_mut).into_iter().flatten();
            for (form, session) in sessions.zip(&page.sessions) {
                form["sessionKey"] = session_key(&session.agent.name, &session.session_id).into();
                form["model"] = "".into();
                form["messageCount"] = session.revision.into();
            }
        }
        Reply::GatewayStatus(_) => {
            fields.insert("providers".to_owned(), json!([]));
        }
        _ => {}
    }
}

fn session_key(agent: &str, session_id: &str) -> String {
    format!("agent:{agent}:{session_id}")
}

fn created(started: &ChatStarted) -> String {
    if !started.created {
        return String::new();
    }
    let id = &started.session_id;
    json!({ "type": "session.created", "sessionId": id, "sessionKey": session_key("sightline", id) }).to_string()
}

fn item(item: &todo::Item) -> Value {
    let mut todo = json!({ "id": item.id, "content": item.content, "status": status(item.status) });
    if let Some(form) = item.active_form.as_deref().filter(|form| !form.is_empty()) {
        todo["activeForm"] = json!(form);
    }
    todo
}

/// Returns one of the three statuses that the older protocol has (requirement G2).
fn status(status: Status) -> &'static str {
    match status {
        Status::Pending | Status::Blocked | Status::Unknown => "pending",
        Status::InProgress => "in_progress",
        Status::Completed | Status::Skipped | Status::Cancelled => "completed",
    }
}

#[cfg(test)]
mod tests {
    use super::{Tek, fill};
    use protocol::{ChatStarted, Reply};
    use serde_json::{Value, json};

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

    #[test]
    fn an_answer_that_both_protocols_have_has_the_fields_of_the_older_one() {
        let session = json!({
            "sessionId": "s", "title": "About it", "agent": { "name": "codex" }, "state": "idle", "listState": "active",
            "progress": { "completed": 1, "total": 2 }, "revision": 7, "createdAt": "2026-11-21T00:58:33Z",
            "lastActivityAt": "2026-11-21T00:58:33Z", "stateAt": "2026-11-21T00:58:33Z", "current": true,
        });
        let reply: Reply =
            serde_json::from_value(json!({ "type": "session.list", "sessions": [session] })).expect("an answer");
        let Value::Object(mut fields) = serde_json::to_value(&reply).expect("JSON") else { panic!("an object") };
        fill(&reply, Some("sl-1"), &mut fields);
        let listed = &fields["sessions"][0];
        assert_eq!(
            (&fields["requestId"], &listed["sessionKey"], &listed["model"], &listed["messageCount"]),
            (&"sl-1".into(), &"agent:codex:s".into(), &"".into(), &7.into())
        );
    }
}
