//! The rollout of a run, `sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl`, to which records are added.
//!
//! A call (`function_call`, in code mode `custom_tool_call`) and its answer (`…_output`) are records of their own with
//! one `call_id`. Only an answered call counts. In code mode the plan is in a script; it is taken where its argument is
//! plain JSON.

use super::Codex;
use crate::Agent;
use crate::lists::failed;
use crate::transcript::{Observation, Observer, OpenCalls, Records, Run, some, stem, text, time, tokens};
use jiff::Timestamp;
use protocol::{Happened, Usage};
use serde_json::Value;
use std::path::Path;

/// The beginnings of messages that Codex itself puts before the user's.
const INJECTED: [&str; 12] = [
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<INSTRUCTIONS>",
    "<turn_aborted>",
    "<permissions",
    "<skill",
    "<apps_instructions>",
    "<collaboration_mode>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<model_switch>",
];
/// The end of what an editor puts before the prompt.
const REQUEST: &str = "## My request for Codex:";
/// The call with a plan in a script.
const IN_SCRIPT: &str = "tools.update_plan(";

/// The parser of one rollout.
pub(super) struct Rollout {
    observer: Observer,
    has_begun: bool,
    /// True if it goes on from another's history, whose tokens are in its totals.
    is_fork: bool,
    usage: Usage,
    calls: OpenCalls,
}

impl Rollout {
    pub(super) fn new(path: &Path) -> Self {
        // The name ends in the id.
        let stem = stem(path);
        let id = stem.len().checked_sub(36).and_then(|start| stem.get(start..)).unwrap_or(&stem);
        Self {
            observer: Observer::new(Run::new(id)),
            has_begun: false,
            is_fork: false,
            usage: Usage::default(),
            calls: OpenCalls::default(),
        }
    }

    /// Takes the first `session_meta`. A fork also has that of its origin, after its own.
    fn begin(&mut self, meta: &Value, at: Option<Timestamp>, out: &mut Vec<Observation>) {
        if std::mem::replace(&mut self.has_begun, true) {
            // A run that was resumed has its own once more.
            self.is_fork |= text(meta.get("id")).is_some_and(|id| id != self.observer.run().own_session);
            return;
        }
        self.is_fork = text(meta.get("forked_from_id")).is_some();
        let said = |name: &str| text(meta.get(name)).map(str::to_owned);
        let spawned = text(meta.pointer("/source/subagent/thread_spawn/parent_thread_id")).map(str::to_owned);
        let is_subagent =
            meta.pointer("/source/subagent").is_some() || text(meta.get("thread_source")) == Some("subagent");
        let parent = spawned.or_else(|| said("parent_thread_id").filter(|_| is_subagent));
        self.observer.note(|run| {
            run.own_session = said("id").unwrap_or_else(|| run.own_session.clone());
            run.parent = parent.filter(|parent| *parent != run.own_session);
            run.folder = said("cwd");
            run.branch = text(meta.pointer("/git/branch")).map(str::to_owned);
            run.version = said("cli_version");
        });
        self.observer.happened(out, at, Happened::Worked, None);
    }

    /// Takes the tokens of the last call and of all so far.
    fn used(&mut self, told: &Value) {
        let part = |name: &str| told.get(name).unwrap_or(&Value::Null);
        let (total, last) = (part("total_token_usage"), part("last_token_usage"));
        let usage = &mut self.usage;
        usage.context_window = some(tokens(told, "model_context_window")).or(usage.context_window);
        usage.context_tokens = some(tokens(last, "total_tokens")).or(usage.context_tokens);
        if !self.is_fork && tokens(total, "total_tokens") > 0 {
            usage.input_tokens = Some(tokens(total, "input_tokens"));
            usage.cached_tokens = some(tokens(total, "cached_input_tokens"));
            usage.output_tokens = Some(tokens(total, "output_tokens"));
        }
        self.observer.used(&self.usage);
    }

    fn item(&mut self, item: &Value, at: Option<Timestamp>, out: &mut Vec<Observation>) {
        let call = text(item.get("call_id")).unwrap_or_default();
        match text(item.get("type")).unwrap_or_default() {
            "message" if text(item.get("role")) == Some("user") => {
                if let Some(prompt) = prompt(item) {
                    self.observer.prompted(out, at, &prompt);
                }
            }
            "function_call" => {
                let name = text(item.get("name")).unwrap_or_default();
                let name = text(item.get("namespace")).map_or(name.to_owned(), |space| format!("{space}__{name}"));
                let arguments = text(item.get("arguments")).and_then(|json| serde_json::from_str(json).ok());
                self.calls.begin(call, &name, arguments.unwrap_or_default());
            }
            "custom_tool_call" => {
                let name = text(item.get("name")).unwrap_or_default();
                self.calls.begin(call, name, item.get("input").cloned().unwrap_or_default());
            }
            "function_call_output" | "custom_tool_call_output" => {
                self.answered(call, item.get("output").unwrap_or(&Value::Null), at, out);
            }
            "web_search_call" => self.observer.worked(out, at),
            _ => {}
        }
    }

    fn answered(&mut self, call: &str, output: &Value, at: Option<Timestamp>, out: &mut Vec<Observation>) {
        let Some((name, input)) = self.calls.end(call) else { return self.observer.worked(out, at) };
        if Codex.is_our_tool(&name) {
            return self.observer.our_result(out, at, output);
        }
        if name == "update_plan" {
            return match Codex.list_written(&name, &input, output) {
                Some(list) => self.observer.list(out, at, list.tool, list.todos),
                None => self.observer.happened(out, at, Happened::Worked, None),
            };
        }
        let script = input.as_str().filter(|script| name == "exec" && script.contains(IN_SCRIPT));
        let Some(script) = script else { return self.observer.worked(out, at) };
        if !failed(output)
            && let Some(plan) = in_script(script)
            && let Some(list) = Codex.list_written("update_plan", &plan, &Value::Null)
        {
            self.observer.list(out, at, list.tool, list.todos);
        }
        if script.matches("tools.").count() > script.matches(IN_SCRIPT).count() {
            self.observer.worked(out, at);
        }
    }
}

impl Records for Rollout {
    fn record(&mut self, record: &Value, _written: Option<Timestamp>, out: &mut Vec<Observation>) {
        let at = time(record.get("timestamp"));
        let payload = record.get("payload").unwrap_or(&Value::Null);
        match text(record.get("type")).unwrap_or_default() {
            "session_meta" => self.begin(payload, at, out),
            "response_item" => self.item(payload, at, out),
            "turn_context" => {
                self.usage.model = text(payload.get("model")).map(str::to_owned).or_else(|| self.usage.model.take());
                self.observer.used(&self.usage);
            }
            "event_msg" => match text(payload.get("type")).unwrap_or_default() {
                "token_count" => self.used(payload.get("info").unwrap_or(&Value::Null)),
                "task_complete" | "turn_complete" => self.observer.happened(out, at, Happened::Rests, None),
                "turn_aborted" => self.observer.happened(out, at, Happened::Rests, text(payload.get("reason"))),
                _ => {}
            },
            _ => {}
        }
    }
}

/// The user's words in a message, where there are any.
fn prompt(item: &Value) -> Option<String> {
    let kinds =
        item.pointer("/internal_chat_message_metadata_passthrough/content_item_kinds").and_then(Value::as_array);
    let parts = item.get("content")?.as_array()?;
    let texts = parts.iter().enumerate().filter_map(|(i, part)| {
        let is_users =
            kinds.is_none_or(|kinds| kinds.get(i).and_then(Value::as_str).is_none_or(|kind| kind.starts_with("user")));
        let text = text(part.get("text")).filter(|_| is_users)?;
        let is_injected = INJECTED.iter().any(|injected| text.trim_start().starts_with(injected));
        (!is_injected).then_some(text)
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    let said = text.split_once(REQUEST).map_or(text.as_str(), |(_, request)| request);
    Some(said.trim().to_owned()).filter(|said| !said.is_empty())
}

/// The last plan in a script that is given as plain JSON.
fn in_script(script: &str) -> Option<Value> {
    let plans = script.split(IN_SCRIPT).skip(1).filter_map(|rest| {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let plan = values.next()?.ok()?;
        rest.get(values.byte_offset()..)?.trim_start().starts_with(')').then_some(plan)
    });
    plans.last()
}
