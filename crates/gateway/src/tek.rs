//! An older gateway's protocol (Tek, docs/formats/gateways.md), for clients that speak nothing else: what they send, and
//! what they are told in its forms.

mod forms;
mod panel;
mod question;
mod types;
mod usage;

pub(crate) use forms::reply;
pub(crate) use question::Question;

use hub::Hub;
use panel::Panel;
use protocol::{
    Backend, Caller, Code, Error, Event, EventStream, GatewayState, Reply, Request, SessionAt, SessionGet, SharedEvent,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Instant;
use types::{Treatment, treatment};
use usage::Usage;

/// The most characters of a session's name in the address, as many as a label may have.
const NAME_CHARS: usize = 200;

/// A message, as it was understood.
#[expect(clippy::large_enum_variant, reason = "it is read and taken apart at once, never kept")]
pub(crate) enum Asked {
    /// A request, and the question behind it where the answer has a form of its own.
    Request(Request, Option<Question>),
    /// Answered already.
    Answered(Value),
}

/// A chat under way.
struct Chat {
    session_id: String,
    model: String,
}

/// A connection of the older protocol: it is told of one list, and of its own chats only.
#[derive(Default)]
pub(crate) struct Tek {
    port: u16,
    /// Its client is known to speak the older protocol, from a message that only such a client sends.
    is_certain: bool,
    panel: Panel,
    /// Its chats, by the ids of its messages.
    chats: HashMap<String, Chat>,
    /// Tool calls under way.
    calls: HashMap<String, Instant>,
    usage: Usage,
    /// Its events ended because it did not take them in time.
    has_lagged: bool,
}

impl Tek {
    /// A connection, with the session that its address names.
    pub(crate) fn new(port: u16, session: Option<String>) -> Self {
        Self { port, is_certain: session.is_some(), panel: Panel::naming(session), ..Self::default() }
    }

    /// Returns whether it is told something before it sends anything.
    pub(crate) fn is_named(&self) -> bool {
        self.panel.named().is_some()
    }

    /// Returns whether its events are to begin anew by themselves.
    pub(crate) fn has_lagged(&self) -> bool {
        self.has_lagged
    }

    /// Learns from the type of a message; `false` once the client speaks Sightline's own protocol.
    ///
    /// A client that is known to speak the older one goes on doing so until it introduces itself or subscribes: otherwise
    /// it would hear nothing more, not even the end of its answer.
    pub(crate) fn is_spoken(&mut self, kind: &str) -> bool {
        match treatment(kind) {
            Some(Treatment::Shared) => true,
            Some(_) => {
                self.is_certain = true;
                true
            }
            None if matches!(kind, "hello" | "events.subscribe") => false,
            None => self.is_certain || !Request::TYPES.contains(&kind),
        }
    }

    /// Subscribes it. Returns its events, and what it is told at once: the list that it shows, or why there is none.
    pub(crate) async fn follow(&mut self, hub: &Hub, caller: &Caller) -> (Option<EventStream>, Option<Value>) {
        self.has_lagged = false;
        let Ok(subscription) = hub.subscribe(None).await else { return (None, None) };
        self.panel.begin(&subscription.snapshot);
        let Some(name) = self.panel.target().map(str::to_owned) else { return (Some(subscription.events), None) };
        let form = match list_of(hub, caller, &name).await {
            Ok((session, list)) => {
                self.panel.show(&session.session);
                let revision = format!("{}:{}", list.session.session_id, list.revision);
                (list.revision > 0).then(|| forms::list(&revision, &list.todos))
            }
            Err(error) if self.panel.named() == Some(&name) => Some(forms::error(None, &error.code, &error.message)),
            // It was deleted meanwhile.
            Err(_) => None,
        };
        (Some(subscription.events), form)
    }

    /// Reads a message, with what its sender cannot know.
    pub(crate) fn read(&self, kind: &str, fields: Value, id: Option<&str>) -> Result<Asked, Error> {
        let mut request = match treatment(kind) {
            Some(Treatment::Refused(code, message)) => return Ok(Asked::Answered(forms::error(id, &code, message))),
            Some(Treatment::Empty(field)) => {
                return Ok(Asked::Answered(forms::answer(&format!("{kind}.result"), id, json!({ field: [] }))));
            }
            Some(Treatment::Usage) => {
                let mut report = self.usage.report(fields.get("sessionId").and_then(Value::as_str));
                report["type"] = "usage.report".into();
                report["requestId"] = id.into();
                return Ok(Asked::Answered(report));
            }
            Some(Treatment::Question) => {
                let (request, question) = Question::read(kind, fields)?;
                return Ok(Asked::Request(request, Some(question)));
            }
            Some(Treatment::Shared | Treatment::Chat) | None => Request::read(kind, fields)?,
        };
        if !self.chats.is_empty() && matches!(request, Request::ChatSend(_)) {
            let problem = "an answer is still under way on this connection; wait for its end";
            return Err(Error::new(Code::StreamInProgress, problem));
        }
        if let Request::PreflightApproval(ask) = &mut request {
            let chat = self.chats.get(&ask.request_id).map(|chat| chat.session_id.clone());
            ask.session_id = ask.session_id.take().or(chat);
        }
        let question = Question::of(&request);
        Ok(Asked::Request(request, question))
    }

    /// Returns an answer in its older form; none where the older protocol has none.
    pub(crate) fn reply(&mut self, reply: &Reply, question: Option<&Question>, id: Option<&str>) -> Option<Value> {
        if let Some(question) = question {
            return Some(question.answer(reply, id, self.port));
        }
        let (Reply::ChatSend(started) | Reply::ChatResume(started)) = reply else {
            return Some(forms::reply(reply, id));
        };
        let chat = Chat { session_id: started.session_id.clone(), model: started.model.clone() };
        self.panel.started(&chat.session_id);
        self.chats.insert(started.request_id.clone(), chat);
        started.created.then(|| forms::created(started))
    }

    /// Returns an event in its older forms; none where the older protocol has none.
    pub(crate) fn event(&mut self, event: &SharedEvent) -> Vec<Value> {
        let event = event.event();
        if let Some(update) = self.panel.takes(event) {
            return vec![forms::list(&update.request_id, &update.todos)];
        }
        self.has_lagged |= matches!(event, Event::GatewayState(told) if told.state == GatewayState::Lagged);
        self.chat(event)
    }

    /// Ends its chats with an error each, since its events have ended and it cannot be told how they end.
    pub(crate) fn ended(&mut self) -> Vec<Value> {
        let problem = "what this answer said was more than this connection could take; ask for the session again";
        self.calls.clear();
        self.chats.drain().map(|(id, _)| forms::error(Some(&id), &Code::Unavailable, problem)).collect()
    }

    fn chat(&mut self, event: &Event) -> Vec<Value> {
        let own = event.run().and_then(|(run, session)| {
            self.chats.get(run).filter(|chat| chat.session_id == session).map(|chat| (run, chat))
        });
        let Some((run, chat)) = own else { return Vec::new() };
        if let Event::ChatStreamEnd(end) = event {
            self.usage.add(&chat.model, end);
        }
        if matches!(event, Event::ChatStreamEnd(_) | Event::Error(_)) {
            self.chats.remove(run);
        }
        let mut form = serde_json::to_value(event).unwrap_or_default();
        if let Some(fields) = form.as_object_mut() {
            let ours: &[&str] = match event {
                Event::ChatStreamStart(_) => &[],
                Event::ChatStreamEnd(_) => &["sessionId", "outcome", "message", "text"],
                Event::Error(_) => &["sessionId", "text"],
                _ => &["sessionId", "expiresAt", "offset", "argsText"],
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

/// Finds a session by its name, and the list that stands for it.
async fn list_of(hub: &Hub, caller: &Caller, name: &str) -> Result<(SessionAt, SessionAt), Error> {
    let length = name.chars().count();
    if !(1..=NAME_CHARS).contains(&length) || name.trim().is_empty() || name.chars().any(char::is_control) {
        let problem = format!(
            "\"session\" in the address is the id or the label of a session, 1 to {NAME_CHARS} plain characters; this one has {length}. Connect again with another"
        );
        return Err(Error::new(Code::InvalidMessage, problem));
    }
    let session = get(hub, caller, name).await.map_err(|mut error| {
        if error.code == Code::SessionNotFound {
            error.message.push_str(". Its list is shown as soon as a session with this label begins");
        }
        error
    })?;
    let list = match &session.session.list_session_id {
        Some(list) => get(hub, caller, list).await?,
        None => session.clone(),
    };
    Ok((session, list))
}

async fn get(hub: &Hub, caller: &Caller, name: &str) -> Result<SessionAt, Error> {
    let ask = SessionGet { session_id: name.to_owned(), ..SessionGet::default() };
    match hub.call(caller.clone(), ask.into()).await? {
        Reply::SessionGet(session) => Ok(session),
        _ => Err(Error::new(Code::Internal, "session.get was answered by something else")),
    }
}

#[cfg(test)]
mod tests {
    use super::Tek;
    use protocol::{ChatStarted, Reply};

    #[test]
    fn a_connection_that_lagged_hears_that_its_chat_is_over_for_it_and_can_begin_another() {
        let mut tek = Tek::default();
        let send = || serde_json::json!({ "content": "And now?" });
        let (session_id, request_id) = ("s".to_owned(), "req-1".to_owned());
        tek.reply(&Reply::ChatSend(ChatStarted { session_id, request_id, ..ChatStarted::default() }), None, None);
        assert!(tek.read("chat.send", send(), None).is_err());
        let [told] = tek.ended().try_into().expect("one error");
        assert_eq!(
            (&told["type"], &told["requestId"], &told["code"]),
            (&"error".into(), &"req-1".into(), &"UNAVAILABLE".into())
        );
        assert!(tek.read("chat.send", send(), None).is_ok());
    }
}
