//! The chat of a run, `projects/FOLDER/chats/ID.jsonl`, to which records are added; a subagent's is
//! `projects/FOLDER/subagents/ID/agent-ID.jsonl`.
//!
//! The list as it is now is also in `todos/ID.json`, replaced at each change. The chat tells it: it has the history, the
//! time of each change, and comes within a tenth of a second of the list's file. That file tells nothing of a run with a
//! chat, so that the two never disagree, and the list of a run whose chat is not recorded.

use super::Qwen;
use crate::Agent;
use crate::transcript::{Observation, Observer, OpenCalls, Records, Run, Tokens, Used, text, time, tokens};
use jiff::Timestamp;
use protocol::Happened;
use serde_json::{Value, json};
use std::path::Path;

/// The parser of one chat.
pub(super) struct Chat {
    observer: Observer,
    calls: OpenCalls,
    used: Used,
}

impl Chat {
    pub(super) fn new(path: &Path) -> Self {
        Self { observer: Observer::new(Run::of_file(path)), calls: OpenCalls::default(), used: Used::default() }
    }

    /// Takes the model and the tokens of an answer.
    fn used(&mut self, record: &Value) {
        let told = record.get("usageMetadata").unwrap_or(&Value::Null);
        let input = tokens(told, "promptTokenCount");
        // With the thoughts, which some models count apart.
        let output = tokens(told, "totalTokenCount").saturating_sub(input);
        self.used.model(text(record.get("model")));
        self.used.call(None, Tokens { input, cached: tokens(told, "cachedContentTokenCount"), output });
        self.observer.used(self.used.usage());
    }

    fn answered(&mut self, record: &Value, part: &Value, at: Option<Timestamp>, out: &mut Vec<Observation>) {
        let id = text(part.get("id")).or(text(record.pointer("/toolCallResult/callId"))).unwrap_or_default();
        let said = text(part.get("name")).unwrap_or_default();
        let (name, input) = self.calls.end(id).unwrap_or_else(|| (said.to_owned(), Value::Null));
        let response = part.get("response").unwrap_or(&Value::Null);
        if Qwen.is_our_tool(&name) {
            return self.observer.our_result(out, at, response);
        }
        if name != "todo_write" {
            return self.observer.worked(out, at);
        }
        // The call may be before the part of the file that was read.
        let shown = record.pointer("/toolCallResult/resultDisplay").unwrap_or(&Value::Null);
        let input = if input.is_null() { shown } else { &input };
        let is_done = text(record.pointer("/toolCallResult/status")).is_none_or(|status| status == "success");
        let response = if is_done { response.clone() } else { json!({ "error": "failed" }) };
        match Qwen.list_written(&name, input, &response) {
            Some(list) => self.observer.list(out, at, list.tool, list.todos),
            None => self.observer.happened(out, at, Happened::Worked, None),
        }
    }
}

impl Records for Chat {
    fn record(&mut self, record: &Value, _written: Option<Timestamp>, out: &mut Vec<Observation>) {
        let at = time(record.get("timestamp"));
        let said = |name: &str| text(record.get(name)).map(str::to_owned);
        self.observer.note(|run| {
            run.folder = run.folder.take().or_else(|| said("cwd"));
            run.branch = run.branch.take().or_else(|| said("gitBranch"));
            run.version = said("version").or_else(|| run.version.take());
            if let Some(parent) = text(record.pointer("/systemPayload/parentSessionId"))
                && text(record.get("subtype")) == Some("parent_session")
            {
                run.parent = Some(parent.to_owned()).filter(|parent| *parent != run.own_session);
            }
        });
        let parts = record.pointer("/message/parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        match text(record.get("type")).unwrap_or_default() {
            "user" => {
                let is_users = text(record.get("provenance")).is_none_or(|by| by == "real_user");
                let kind = text(record.get("subtype"));
                if is_users && kind.is_none_or(|kind| kind == "mid_turn_user_message") {
                    let prompt = text(record.pointer("/systemPayload/displayText")).map(str::to_owned);
                    self.observer.prompted(out, at, &prompt.unwrap_or_else(|| words(parts)));
                }
            }
            "assistant" => {
                self.used(record);
                let calls = parts.iter().filter_map(|part| part.get("functionCall")).collect::<Vec<_>>();
                for call in &calls {
                    let name = text(call.get("name")).unwrap_or_default();
                    let id = text(call.get("id")).unwrap_or_default();
                    self.calls.begin(id, name, call.get("args").cloned().unwrap_or_default());
                }
                // A message without a call ends the turn.
                if calls.is_empty() && !words(parts).is_empty() {
                    self.observer.happened(out, at, Happened::Rests, None);
                }
            }
            "tool_result" => {
                for part in parts.iter().filter_map(|part| part.get("functionResponse")) {
                    self.answered(record, part, at, out);
                }
            }
            _ => {}
        }
    }
}

/// The texts of a message without the thoughts.
fn words(parts: &[Value]) -> String {
    let said = parts.iter().filter(|part| part.get("thought") != Some(&Value::Bool(true)));
    said.filter_map(|part| text(part.get("text"))).collect::<Vec<_>>().join("\n").trim().to_owned()
}
