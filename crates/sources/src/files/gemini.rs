//! Gemini CLI: one chat a run, `tmp/PROJECT/chats/session-TIME-ID.jsonl`, subagents' in a folder with the parent's id;
//! before 0.40 a `.json` with all of it.
//!
//! A message of the model's is written first without and then, under the same id, with its tool calls, and all of a chat
//! may be written once more (`$set`): what has an id is taken once. That a turn is over is not in the file, since the
//! message that ends it looks like one whose calls are still to come.

use super::reader::Records;
use super::told::{Run, Teller, Told, text, time};
use super::{Kind, places::gemini_folder};
use crate::calls::{Listed, is_ours, list_of};
use jiff::Timestamp;
use protocol::Happened;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What messages begin with that are the user's in name only.
const INJECTED: [&str; 3] = ["<session_context>", "System: Please continue", "<state_snapshot>"];

/// The records of one chat.
pub(super) struct Gemini {
    path: PathBuf,
    teller: Teller,
    has_begun: bool,
    /// Messages and calls that were taken.
    taken: HashSet<String>,
}

impl Gemini {
    pub(super) fn new(path: &Path) -> Self {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let teller = Teller::new(Run { own_session: stem, ..Run::default() });
        Self { path: path.to_owned(), teller, has_begun: false, taken: HashSet::new() }
    }

    fn begin(&mut self, header: &Value, out: &mut Vec<Told>) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        let above = self.path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let is_subagent = text(header.get("kind")) == Some("subagent");
        let folder = gemini_folder(&self.path).or_else(|| text(header.pointer("/directories/0")).map(str::to_owned));
        self.teller.note(|run| {
            run.own_session = text(header.get("sessionId")).unwrap_or(&run.own_session).to_owned();
            run.parent = above.filter(|_| is_subagent);
            run.folder = folder;
        });
        self.teller.happened(out, time(header.get("startTime")), Happened::Worked, None);
    }

    fn message(&mut self, message: &Value, out: &mut Vec<Told>) {
        let at = time(message.get("timestamp"));
        if text(message.get("type")) == Some("user")
            && let Some(prompt) = prompt(message.get("content").unwrap_or(&Value::Null))
            && self.is_new("message", message)
        {
            self.teller.prompted(out, at, &prompt);
        }
        for call in message.get("toolCalls").and_then(Value::as_array).into_iter().flatten() {
            let status = text(call.get("status")).unwrap_or_default();
            if matches!(status, "success" | "error" | "cancelled") && self.is_new("call", call) {
                self.called(call, status, time(call.get("timestamp")).or(at), out);
            }
        }
    }

    fn called(&mut self, call: &Value, status: &str, at: Option<Timestamp>, out: &mut Vec<Told>) {
        let name = text(call.get("name")).unwrap_or_default();
        let result = call.get("result").unwrap_or(&Value::Null);
        if is_ours(Kind::Gemini, name) {
            return self.teller.ours(out, at, result);
        }
        if name != "write_todos" {
            return self.teller.worked(out, at);
        }
        let response = if status == "success" { Value::Null } else { json!({ "error": status }) };
        match list_of(Kind::Gemini, name, call.get("args").unwrap_or(&Value::Null), &response) {
            Some(Listed::Whole { tool, todos }) => self.teller.list(out, at, tool, todos),
            _ => self.teller.happened(out, at, Happened::Worked, None),
        }
    }

    /// Whether it was not taken yet; what has no id is always new.
    fn is_new(&mut self, what: &str, value: &Value) -> bool {
        text(value.get("id")).is_none_or(|id| self.taken.insert(format!("{what} {id}")))
    }
}

impl Records for Gemini {
    fn record(&mut self, record: &Value, out: &mut Vec<Told>) {
        if record.get("sessionId").is_some() {
            self.begin(record, out);
        }
        if record.get("type").is_some() {
            self.message(record, out);
        }
        let all = [record.get("messages"), record.pointer("/$set/messages")];
        for message in all.into_iter().flatten().filter_map(Value::as_array).flatten() {
            self.message(message, out);
        }
    }
}

/// What the user wrote; results of tools are the user's messages, too.
fn prompt(content: &Value) -> Option<String> {
    let prompt = match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            if parts.iter().any(|part| part.get("functionResponse").is_some()) {
                return None;
            }
            parts.iter().filter_map(|part| text(part.get("text"))).collect::<Vec<_>>().join("\n")
        }
        _ => return None,
    };
    let is_injected = INJECTED.iter().any(|injected| prompt.trim_start().starts_with(injected));
    Some(prompt).filter(|prompt| !prompt.trim().is_empty() && !is_injected)
}
