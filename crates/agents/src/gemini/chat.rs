//! The chat of a run, `tmp/PROJECT/chats/session-TIME-ID.jsonl`; a subagent's is in a folder with the parent's id. Before
//! 0.40 it was a `.json` with all of it.
//!
//! A message of the model's is written first without and then, under the same id, with its tool calls, and all of a chat
//! may be written once more (`$set`): what has an id is taken once. The end of a turn is not in the file, since the
//! message that ends it looks like one whose calls are still to come.

use super::Gemini;
use crate::Agent;
use crate::transcript::{Observation, Observer, Records, Run, Tokens, Used, stem, text, time, tokens};
use jiff::Timestamp;
use protocol::Happened;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The most bytes of a file beside the chats.
const SMALL_BYTES: u64 = 1024 * 1024;

/// The beginnings of messages that are the user's in name only.
const INJECTED: [&str; 3] = ["<session_context>", "System: Please continue", "<state_snapshot>"];

/// The parser of one chat.
pub(super) struct Chat {
    path: PathBuf,
    observer: Observer,
    has_begun: bool,
    /// The time of its beginning, until it has a message: a process for an editor begins a chat of its own, and leaves it
    /// empty.
    began: Option<Timestamp>,
    /// The ids of messages and calls that were taken.
    taken: HashSet<String>,
    used: Used,
}

impl Chat {
    pub(super) fn new(path: &Path) -> Self {
        let observer = Observer::new(Run::new(&stem(path)));
        Self {
            path: path.to_owned(),
            observer,
            has_begun: false,
            began: None,
            taken: HashSet::new(),
            used: Used::default(),
        }
    }

    fn begin(&mut self, header: &Value) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        let above = self.path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let is_subagent = text(header.get("kind")) == Some("subagent");
        let folder = project_folder(&self.path).or_else(|| text(header.pointer("/directories/0")).map(str::to_owned));
        self.observer.note(|run| {
            run.own_session = text(header.get("sessionId")).unwrap_or(&run.own_session).to_owned();
            run.parent = above.filter(|_| is_subagent);
            run.folder = folder;
        });
        self.began = time(header.get("startTime"));
    }

    fn message(&mut self, message: &Value, out: &mut Vec<Observation>) {
        let at = time(message.get("timestamp"));
        let is_users = text(message.get("type")) == Some("user");
        let prompt = prompt(message.get("content").unwrap_or(&Value::Null)).filter(|_| is_users);
        if (prompt.is_some() || !is_users)
            && let Some(began) = self.began.take()
        {
            self.observer.happened(out, Some(began), Happened::Worked, None);
        }
        if let Some(prompt) = prompt
            && self.is_new("message", message)
        {
            self.observer.prompted(out, at, &prompt);
        }
        let is_used = self.used(message);
        for call in message.get("toolCalls").and_then(Value::as_array).into_iter().flatten() {
            let status = text(call.get("status")).unwrap_or_default();
            if matches!(status, "success" | "error" | "cancelled") && self.is_new("call", call) {
                self.called(call, status, time(call.get("timestamp")).or(at), out);
            }
        }
        // The last message of a turn has nothing else to tell.
        if is_used && message.get("toolCalls").is_none() {
            self.observer.happened(out, at, Happened::Worked, None);
        }
    }

    /// Takes the model and the tokens of a message of the model's. Returns whether they are new.
    fn used(&mut self, message: &Value) -> bool {
        let Some(told) = message.get("tokens").filter(|told| told.is_object()) else { return false };
        if !self.is_new("tokens", message) {
            return false;
        }
        let [input, tool, cached, output, thoughts] =
            ["input", "tool", "cached", "output", "thoughts"].map(|name| tokens(told, name));
        let (input, output) = (input.saturating_add(tool), output.saturating_add(thoughts));
        self.used.model(text(message.get("model")));
        self.used.call(None, Tokens { input, cached, output });
        self.observer.used(self.used.usage());
        true
    }

    fn called(&mut self, call: &Value, status: &str, at: Option<Timestamp>, out: &mut Vec<Observation>) {
        let name = text(call.get("name")).unwrap_or_default();
        let result = call.get("result").unwrap_or(&Value::Null);
        if Gemini.is_our_tool(name) {
            return self.observer.our_result(out, at, result);
        }
        if name != "write_todos" {
            return self.observer.worked(out, at);
        }
        let response = if status == "success" { Value::Null } else { json!({ "error": status }) };
        match Gemini.list_written(name, call.get("args").unwrap_or(&Value::Null), &response) {
            Some(list) => self.observer.list(out, at, list.tool, list.todos),
            None => self.observer.happened(out, at, Happened::Worked, None),
        }
    }

    /// Returns whether a value was not taken yet; one without an id is always new.
    fn is_new(&mut self, what: &str, value: &Value) -> bool {
        text(value.get("id")).is_none_or(|id| self.taken.insert(format!("{what} {id}")))
    }
}

impl Records for Chat {
    fn record(&mut self, record: &Value, _written: Option<Timestamp>, out: &mut Vec<Observation>) {
        if record.get("sessionId").is_some() {
            self.begin(record);
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

/// The user's words in a message. Results of tools are stored as the user's messages, too.
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

/// The parser of a chat that is one JSON value: each record is all of it, of which the end is new.
pub(super) struct WholeChat {
    path: PathBuf,
    last: Option<Timestamp>,
}

impl WholeChat {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), last: None }
    }
}

impl Records for WholeChat {
    fn record(&mut self, record: &Value, written: Option<Timestamp>, out: &mut Vec<Observation>) {
        let mut all = Vec::new();
        Chat::new(&self.path).record(record, written, &mut all);
        out.extend(all.into_iter().filter(|observation| Some(observation.at) > self.last));
        self.last = out.last().map(|observation| observation.at).max(self.last);
    }
}

/// The project's folder: beside the chats, or else in the list of all projects.
fn project_folder(chat: &Path) -> Option<String> {
    let chats = chat.ancestors().find(|above| above.file_name().is_some_and(|name| name == "chats"))?;
    let project = chats.parent()?;
    if let Some(root) = small_file(&project.join(".project_root")) {
        return Some(root.trim().to_owned()).filter(|root| !root.is_empty());
    }
    let projects = small_file(&project.parent()?.parent()?.join("projects.json"))?;
    let projects = serde_json::from_str::<Value>(&projects).ok()?;
    let short = project.file_name()?.to_str()?;
    let mut folders = projects.get("projects")?.as_object()?.iter();
    folders.find(|(_, name)| name.as_str() == Some(short)).map(|(folder, _)| folder.clone())
}

fn small_file(path: &Path) -> Option<String> {
    careful::text(path, SMALL_BYTES).ok()
}
