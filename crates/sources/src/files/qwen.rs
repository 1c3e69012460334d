//! Qwen Code: one chat a run, `projects/FOLDER/chats/ID.jsonl`, subagents' in `projects/FOLDER/subagents/ID/agent-ID.jsonl`,
//! to which records are added; and the list as it is now in `todos/ID.json`, replaced at each change.
//!
//! Both have the list. The chat carries it: it has the history, the time of each change, and comes within a tenth of a
//! second of the list's file. Of a run with a chat the list's file tells nothing, so that the two never disagree; of one
//! whose chat is not recorded it tells the list.

use super::reader::Records;
use super::told::{Teller, Told, text, time};
use super::{Kind, pending::Pending};
use crate::calls::{Listed, is_ours, list_of};
use jiff::Timestamp;
use protocol::Happened;
use serde_json::{Value, json};
use std::path::Path;

/// The records of one chat.
pub(super) struct Qwen {
    teller: Teller,
    calls: Pending,
}

impl Qwen {
    pub(super) fn new(path: &Path) -> Self {
        Self { teller: Teller::new(super::run_of(path)), calls: Pending::default() }
    }

    fn answered(&mut self, record: &Value, part: &Value, at: Option<Timestamp>, out: &mut Vec<Told>) {
        let id = text(part.get("id")).or(text(record.pointer("/toolCallResult/callId"))).unwrap_or_default();
        let said = text(part.get("name")).unwrap_or_default();
        let (name, input) = self.calls.end(id).unwrap_or_else(|| (said.to_owned(), Value::Null));
        let response = part.get("response").unwrap_or(&Value::Null);
        if is_ours(Kind::Qwen, &name) {
            return self.teller.ours(out, at, response);
        }
        if name != "todo_write" {
            return self.teller.worked(out, at);
        }
        // The call may stand before what is read of the file.
        let shown = record.pointer("/toolCallResult/resultDisplay").unwrap_or(&Value::Null);
        let input = if input.is_null() { shown } else { &input };
        let is_done = text(record.pointer("/toolCallResult/status")).is_none_or(|status| status == "success");
        let response = if is_done { response.clone() } else { json!({ "error": "failed" }) };
        match list_of(Kind::Qwen, &name, input, &response) {
            Some(Listed::Whole { tool, todos }) => self.teller.list(out, at, tool, todos),
            _ => self.teller.happened(out, at, Happened::Worked, None),
        }
    }
}

impl Records for Qwen {
    fn record(&mut self, record: &Value, out: &mut Vec<Told>) {
        let at = time(record.get("timestamp"));
        let said = |name: &str| text(record.get(name)).map(str::to_owned);
        self.teller.note(|run| {
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
                    self.teller.prompted(out, at, &prompt.unwrap_or_else(|| words(parts)));
                }
            }
            "assistant" => {
                let calls = parts.iter().filter_map(|part| part.get("functionCall")).collect::<Vec<_>>();
                for call in &calls {
                    let name = text(call.get("name")).unwrap_or_default();
                    let id = text(call.get("id")).unwrap_or_default();
                    self.calls.begin(id, name, call.get("args").cloned().unwrap_or_default());
                }
                // What calls nothing ends the turn.
                if calls.is_empty() && !words(parts).is_empty() {
                    self.teller.happened(out, at, Happened::Rests, None);
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

/// The texts of a message, thoughts left out.
fn words(parts: &[Value]) -> String {
    let said = parts.iter().filter(|part| part.get("thought") != Some(&Value::Bool(true)));
    said.filter_map(|part| text(part.get("text"))).collect::<Vec<_>>().join("\n").trim().to_owned()
}
