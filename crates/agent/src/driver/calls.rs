//! The model's tool calls: made, answered, or rejected.

use super::list::NOT_AN_OBJECT;
use super::session::Session;
use super::update::Update;
use crate::fsm::{Answer, Effect, Event, RequestId, TODO_TOOLS, ToolCall};
use crate::model::Call;
use hub::{Entry, EntryKind};
use serde_json::Value;

/// The model's information about a call that was stopped while it was being made.
pub(super) const UNKNOWN_RESULT: &str =
    "The call had begun: whether it did anything is not known. Look before it is made again.";

impl Session {
    pub(super) async fn call(&mut self, id: RequestId, call: ToolCall) {
        let made = self.run.as_ref().and_then(|run| run.calls.get(&call.id).cloned());
        let Some(made) = made else {
            let answer = Answer::Failed("A tool call is gone that was to be made.".to_owned());
            return self.hear(Event::Answer { id, answer });
        };
        if TODO_TOOLS.contains(&call.tool.as_str()) {
            self.state.calls_todo_tools = true;
            let result = self.call_todo_tool(&made.tool, &made.args).await;
            self.begin_call(&made).await;
            let (text, is_error) = match result.map_err(|error| mcp::refusal(&made.tool, &error)) {
                Ok(text) => (text, false),
                Err(Value::String(sentence)) => (sentence, true),
                Err(json) => (json.to_string(), true),
            };
            return self.called(id, &made.id, text, is_error).await;
        }
        self.begin_call(&made).await;
        if !made.args.is_object() {
            return self.called(id, &made.id, NOT_AN_OBJECT.to_owned(), true).await;
        }
        self.doing(protocol::say::doing_call(todo::short(&made.tool)));
        let toolbox = self.toolbox.clone();
        self.spawn(id, |updates| async move {
            let (text, is_error) = match toolbox {
                Some(toolbox) => toolbox.call(&made.tool, &made.args).await,
                None => (format!("There is no tool {}.", made.tool), true),
            };
            updates.send(Update::Called(made.id, text, is_error)).await;
        });
    }

    /// Records and publishes a call before it is made.
    async fn begin_call(&mut self, call: &Call) {
        self.record(call_entry(call, None, false)).await;
        self.tell_call(call);
    }

    /// Takes the result of a call.
    pub(super) async fn called(&mut self, id: RequestId, call_id: &str, text: String, is_error: bool) {
        self.performing = None;
        let made = self.run.as_mut().and_then(|run| run.calls.remove(call_id));
        if let Some(made) = made {
            self.tell_result(&made, &text, is_error);
            self.result(call_id, text.clone(), is_error).await;
        }
        self.hear(Event::Answer { id, answer: Answer::Called { error: is_error.then_some(text) } });
    }

    /// Records that a call is not made, together with the rejected calls that follow it.
    pub(super) async fn reject(&mut self, call: ToolCall, reason: String) {
        let mut rejected = vec![(call, reason)];
        while let Some(Effect::Reject { call, reason }) =
            self.effects.pop_front_if(|effect| matches!(effect, Effect::Reject { .. }))
        {
            rejected.push((call, reason));
        }
        let mut recorded = Vec::new();
        for (call, reason) in rejected {
            let made = self.run.as_mut().and_then(|run| run.calls.remove(&call.id));
            let Some(made) = made else { continue };
            let begun = self.entries.iter_mut().rev().find(|entry| is_call(entry, &made.id));
            // The tool may have done its work by now.
            let reason = if begun.is_some() { format!("{reason} {UNKNOWN_RESULT}") } else { reason };
            let kind = call_entry(&made, Some(reason.clone()), begun.is_none());
            recorded.push(match begun {
                Some(entry) => {
                    entry.kind = kind;
                    entry.clone()
                }
                None => {
                    self.tell_call(&made);
                    self.add(kind)
                }
            });
            self.tell_result(&made, &reason, true);
        }
        self.save(recorded.iter().map(Entry::stored).collect()).await;
        for entry in recorded {
            self.tell_updated(entry.view());
        }
    }

    async fn result(&mut self, call_id: &str, text: String, failed: bool) {
        let Some(entry) = self.entries.iter_mut().rev().find(|entry| is_call(entry, call_id)) else { return };
        if let EntryKind::Tool { result, is_error, .. } = &mut entry.kind {
            (*result, *is_error) = (Some(text), failed);
        }
        let entry = entry.clone();
        self.save(vec![entry.stored()]).await;
        self.tell_updated(entry.view());
    }
}

/// The entry of a call that has no result yet, or that failed.
fn call_entry(call: &Call, failed: Option<String>, not_made: bool) -> EntryKind {
    EntryKind::Tool {
        tool_call_id: call.id.clone(),
        tool_name: call.tool.clone(),
        args: call.args.clone(),
        is_error: failed.is_some(),
        result: failed,
        not_made,
    }
}

fn is_call(entry: &Entry, call_id: &str) -> bool {
    matches!(&entry.kind, EntryKind::Tool { tool_call_id, .. } if tool_call_id == call_id)
}
