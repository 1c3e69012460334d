//! Answers and lists in the forms of the older protocol.

use protocol::{ChatStarted, Reply};
use serde::Serialize;
use serde_json::{Map, Value, json};
use todo::{Item, Status};

/// Returns the answer to a request of Sightline's, with the fields that the older protocol has in addition.
pub(crate) fn reply(reply: &Reply, id: Option<&str>) -> Value {
    let mut form = serde_json::to_value(reply).unwrap_or_default();
    if let Some(fields) = form.as_object_mut() {
        fields.extend(id.map(|id| ("id".to_owned(), id.into())));
        fill(reply, id, fields);
    }
    form
}

fn fill(reply: &Reply, id: Option<&str>, fields: &mut Map<String, Value>) {
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
        Reply::VaultKeysList(vault) => {
            let providers = vault.keys.keys().map(|name| json!({ "provider": name, "configured": true })).collect();
            fields.insert("providers".to_owned(), providers);
        }
        _ => {}
    }
}

/// Returns an answer that only the older protocol has.
pub(super) fn answer(kind: &str, id: Option<&str>, mut fields: Value) -> Value {
    fields["type"] = kind.into();
    if let Some(id) = id {
        fields["id"] = id.into();
    }
    fields
}

pub(super) fn error(id: Option<&str>, code: &impl Serialize, message: &str) -> Value {
    let mut form = json!({ "type": "error", "code": code, "message": message });
    if let Some(id) = id {
        form["requestId"] = id.into();
    }
    form
}

pub(super) fn created(started: &ChatStarted) -> Value {
    let id = &started.session_id;
    json!({ "type": "session.created", "sessionId": id, "sessionKey": session_key("sightline", id) })
}

pub(super) fn list(request_id: &str, todos: &[Item]) -> Value {
    let todos: Vec<Value> = todos.iter().map(item).collect();
    json!({ "type": "todo.update", "requestId": request_id, "todos": todos })
}

fn session_key(agent: &str, session_id: &str) -> String {
    format!("agent:{agent}:{session_id}")
}

fn item(item: &Item) -> Value {
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
    use protocol::Reply;
    use serde_json::json;

    #[test]
    fn an_answer_that_both_protocols_have_has_the_fields_of_the_older_one() {
        let session = json!({
            "sessionId": "s", "title": "About it", "agent": { "name": "codex" }, "state": "idle", "listState": "active",
            "progress": { "completed": 1, "total": 2 }, "revision": 7, "createdAt": "2026-11-21T00:58:33Z",
            "lastActivityAt": "2026-11-21T00:58:33Z", "stateAt": "2026-11-21T00:58:33Z", "current": true,
        });
        let reply: Reply =
            serde_json::from_value(json!({ "type": "session.list", "sessions": [session] })).expect("an answer");
        let form = super::reply(&reply, Some("sl-1"));
        let listed = &form["sessions"][0];
        assert_eq!(
            (&form["requestId"], &listed["sessionKey"], &listed["model"], &listed["messageCount"]),
            (&"sl-1".into(), &"agent:codex:s".into(), &"".into(), &7.into())
        );
    }
}
