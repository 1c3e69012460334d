//! Events that everybody who subscribed hears of a run. Their fields are those of docs/formats/gateways.md, and the session's id.

use super::run::Run;
use super::session::Session;
use crate::model::Call;
use protocol::{
    ChatOutcome, ChatStreamDelta, ChatStreamEnd, ChatStreamStart, Code, ErrorEvent, Event, Text, ToolCalled,
    ToolFailed, ToolResulted,
};

impl Session {
    pub(super) fn tell(&self, event: Event) {
        self.host.hub.tell(event);
    }

    pub(super) fn tell_start(&mut self) {
        if self.run.as_mut().is_some_and(|run| std::mem::replace(&mut run.has_started, true)) {
            return;
        }
        let (request_id, session_id) = (self.request_id(), self.session_id.clone());
        self.tell(Event::ChatStreamStart(ChatStreamStart { request_id, session_id, model: self.state.model.clone() }));
    }

    pub(super) fn tell_delta(&self, delta: String, offset: u64, event: fn(ChatStreamDelta) -> Event) {
        let (request_id, session_id) = (self.request_id(), self.session_id.clone());
        self.tell(event(ChatStreamDelta { request_id, session_id, delta, offset }));
    }

    /// Publishes a call that is made, rejected, or waits for approval; each call only once.
    pub(super) fn tell_call(&mut self, call: &Call) {
        if self.run.as_mut().and_then(|run| run.announced.take_if(|announced| *announced == call.id)).is_some() {
            return;
        }
        self.tell(Event::ToolCall(ToolCalled {
            request_id: self.request_id(),
            session_id: self.session_id.clone(),
            tool_call_id: call.id.clone(),
            tool_name: call.tool.clone(),
            args: call.args.clone(),
        }));
    }

    pub(super) fn tell_result(&self, call: &Call, text: &str, is_error: bool) {
        let (request_id, session_id) = (self.request_id(), self.session_id.clone());
        let (tool_call_id, tool_name) = (call.id.clone(), call.tool.clone());
        self.tell(match is_error {
            true => {
                Event::ToolError(ToolFailed { request_id, session_id, tool_call_id, tool_name, error: text.to_owned() })
            }
            false => {
                let result = text.to_owned();
                Event::ToolResult(ToolResulted { request_id, session_id, tool_call_id, tool_name, result })
            }
        });
    }

    /// Publishes the end of a run: as an error, or as the end of the stream.
    pub(super) fn tell_end(&self, run: &Run, outcome: ChatOutcome, error: Option<Code>, words: Text) {
        let (request_id, session_id) = (run.view.request_id.clone(), self.session_id.clone());
        let Text { english: message, named: text } = words;
        self.tell(match error {
            Some(code) => {
                let (request_id, session_id) = (Some(request_id), Some(session_id));
                Event::Error(ErrorEvent { request_id, session_id, code, message, text })
            }
            None => {
                let (usage, cost) = run.totals();
                let (usage, cost) = (usage.unwrap_or_default(), cost.unwrap_or_default());
                Event::ChatStreamEnd(ChatStreamEnd { request_id, session_id, usage, cost, outcome, message, text })
            }
        });
    }
}
