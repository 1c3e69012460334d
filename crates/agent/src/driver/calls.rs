//! The model's tool calls: made, answered, or not made.

use super::act::NOT_AN_OBJECT;
use super::said::{Entry, Said};
use super::session::Session;
use super::step::Step;
use crate::fsm::{Answer, Effect, Event, RequestId, TODO_TOOLS, ToolCall};
use crate::model::Call;
use serde_json::json;

/// What a model reads of a call that was stopped in its middle.
pub(super) const NOT_KNOWN: &str =
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
            let (text, is_error) = match result {
                Ok(text) => (text, false),
                Err(error) if made.tool == "todo_manager" => {
                    (json!({ "ok": false, "error": error.message }).to_string(), true)
                }
                Err(error) => (error.message, true),
            };
            return self.called(id, &made.id, text, is_error).await;
        }
        self.begin_call(&made).await;
        if !made.args.is_object() {
            return self.called(id, &made.id, NOT_AN_OBJECT.to_owned(), true).await;
        }
        self.doing(format!("Calling {}", todo::short(&made.tool)));
        let toolbox = self.toolbox.clone();
        self.spawn(id, |steps| async move {
            let (text, is_error) = match toolbox {
                Some(toolbox) => toolbox.call(&made.tool, &made.args).await,
                None => (format!("There is no tool {}.", made.tool), true),
            };
            steps.send(Step::Called(made.id, text, is_error)).await;
        });
    }

    async fn begin_call(&mut self, call: &Call) {
        self.say(said_of_call(call, None, false)).await;
        self.tell_call(call);
    }

    /// A call is answered.
    pub(super) async fn called(&mut self, id: RequestId, call_id: &str, text: String, is_error: bool) {
        self.performing = None;
        let made = self.run.as_mut().and_then(|run| run.calls.remove(call_id));
        if let Some(made) = made {
            self.tell_result(&made, &text, is_error);
            self.result(call_id, text.clone(), is_error).await;
        }
        self.hear(Event::Answer { id, answer: Answer::Called { error: is_error.then_some(text) } });
    }

    /// A call is not made, nor those that follow it and are not made either: they are kept at once.
    pub(super) async fn reject(&mut self, call: ToolCall, reason: String) {
        let mut rejected = vec![(call, reason)];
        while let Some(Effect::Reject { call, reason }) =
            self.effects.pop_front_if(|effect| matches!(effect, Effect::Reject { .. }))
        {
            rejected.push((call, reason));
        }
        let mut told = Vec::new();
        for (call, reason) in rejected {
            let made = self.run.as_mut().and_then(|run| run.calls.remove(&call.id));
            let Some(made) = made else { continue };
            let begun = self.entries.iter_mut().rev().find(|entry| is_call(entry, &made.id));
            // It may have done its work by now.
            let reason = if begun.is_some() { format!("{reason} {NOT_KNOWN}") } else { reason };
            let said = said_of_call(&made, Some(reason.clone()), begun.is_none());
            told.push(match begun {
                Some(entry) => {
                    entry.said = said;
                    entry.clone()
                }
                None => {
                    self.tell_call(&made);
                    self.add(said)
                }
            });
            self.tell_result(&made, &reason, true);
        }
        self.keep(told.iter().map(Entry::stored).collect()).await;
        for entry in told {
            self.tell_updated(entry.view());
        }
    }

    async fn result(&mut self, call_id: &str, text: String, failed: bool) {
        let Some(entry) = self.entries.iter_mut().rev().find(|entry| is_call(entry, call_id)) else { return };
        if let Said::Tool { result, is_error, .. } = &mut entry.said {
            (*result, *is_error) = (Some(text), failed);
        }
        let entry = entry.clone();
        self.keep(vec![entry.stored()]).await;
        self.tell_updated(entry.view());
    }
}

fn said_of_call(call: &Call, failed: Option<String>, not_made: bool) -> Said {
    Said::Tool {
        tool_call_id: call.id.clone(),
        tool_name: call.tool.clone(),
        args: call.args.clone(),
        is_error: failed.is_some(),
        result: failed,
        not_made,
    }
}

fn is_call(entry: &Entry, call_id: &str) -> bool {
    matches!(&entry.said, Said::Tool { tool_call_id, .. } if tool_call_id == call_id)
}
