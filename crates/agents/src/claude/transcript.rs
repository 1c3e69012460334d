//! The transcript of a run, `projects/FOLDER/ID.jsonl`, to which records are added. A subagent's is `agent-ID.jsonl`,
//! beside it or in `ID/subagents`.
//!
//! The tasks are also in `tasks/ID/N.json`. The transcript tells them, as it does the lists of `TodoWrite`: it has the
//! history and the times, and in a terminal Claude Code empties the folder five seconds after the last task was done. The folder of a
//! run with a transcript tells nothing, so that the two never disagree; a folder that several runs share by a name, or
//! of a run without a transcript, tells the list.

use super::tasks::Tasks;
use super::{Claude, task_id};
use crate::Agent;
use crate::lists::{TEXT_CHARS, cut, failed};
use crate::transcript::{Observation, Observer, OpenCalls, Records, Run, Tokens, Used, text, time, tokens};
use jiff::Timestamp;
use protocol::Happened;
use serde_json::{Value, json};
use std::path::Path;

/// The beginnings of messages that Claude Code itself writes as the user's.
const INJECTED: [&str; 8] = [
    "<command-",
    "<local-command-",
    "<bash-",
    "<system-reminder>",
    "<task-notification>",
    "<teammate-message",
    "Caveat: The messages below",
    "This session is being continued from a previous conversation",
];
const INTERRUPTED: &str = "[Request interrupted";

/// The model of messages that Claude Code itself writes as the model's.
const NO_MODEL: &str = "<synthetic>";

/// The name of a branch where the folder is no repository.
const NO_BRANCH: &str = "HEAD";

/// Returns whether Claude Code itself has written a message as the user's.
pub(super) fn is_injected(words: &str) -> bool {
    INJECTED.iter().any(|injected| words.starts_with(injected))
}

/// The parser of one transcript.
pub(super) struct Session {
    main: Part,
    /// True if all of it is a subagent's.
    is_subagent: bool,
    /// Subagents whose records stand in their agent's file.
    subagents: Vec<(String, Part)>,
}

/// One run in the transcript.
struct Part {
    observer: Observer,
    calls: OpenCalls,
    tasks: Tasks,
    used: Used,
    rests: bool,
}

impl Part {
    fn new(run: Run) -> Self {
        Self {
            observer: Observer::new(run),
            calls: OpenCalls::default(),
            tasks: Tasks::default(),
            used: Used::default(),
            rests: false,
        }
    }
}

impl Session {
    pub(super) fn new(path: &Path) -> Self {
        let run = Run::of_file(path);
        Self { is_subagent: run.parent.is_some(), main: Part::new(run), subagents: Vec::new() }
    }

    /// The run that a record belongs to. `None` for a subagent without a name.
    fn part(&mut self, record: &Value) -> Option<&mut Part> {
        if self.is_subagent {
            if let Some(session) = text(record.get("sessionId")) {
                self.main.observer.note(|run| run.parent = Some(session.to_owned()));
            }
            return Some(&mut self.main);
        }
        if record.get("isSidechain") != Some(&Value::Bool(true)) {
            return Some(&mut self.main);
        }
        let agent = text(record.get("agentId"))?;
        let index = self.subagents.iter().position(|(name, _)| name == agent).unwrap_or_else(|| {
            let parent = Some(self.main.observer.run().own_session.clone());
            let run = Run { parent, ..Run::new(agent) };
            self.subagents.push((agent.to_owned(), Part::new(run)));
            self.subagents.len() - 1
        });
        Some(&mut self.subagents[index].1)
    }
}

impl Records for Session {
    fn record(&mut self, record: &Value, _written: Option<Timestamp>, out: &mut Vec<Observation>) {
        let kind = text(record.get("type")).unwrap_or_default();
        if kind == "custom-title"
            && let Some(title) = text(record.get("customTitle"))
        {
            self.main.observer.note(|run| run.title = Some(cut(title, TEXT_CHARS)));
        }
        if !matches!(kind, "user" | "assistant") {
            return;
        }
        let Some(part) = self.part(record) else { return };
        let at = time(record.get("timestamp"));
        let said = |name: &str| text(record.get(name)).map(str::to_owned);
        part.observer.note(|run| {
            run.folder = run.folder.take().or_else(|| said("cwd"));
            run.branch = run.branch.take().or_else(|| said("gitBranch").filter(|branch| branch != NO_BRANCH));
            run.version = said("version").or_else(|| run.version.take());
        });
        // Only where it draws the list itself does it begin a new one.
        part.tasks.stay = text(record.get("entrypoint")).is_some_and(|how| how != "cli");
        let content = record.pointer("/message/content").unwrap_or(&Value::Null);
        let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
        let of = |kind: &'static str| blocks.iter().filter(move |block| text(block.get("type")) == Some(kind));
        if kind == "assistant" {
            part.used(record);
            for call in of("tool_use") {
                let (id, name) = (text(call.get("id")).unwrap_or_default(), text(call.get("name")).unwrap_or_default());
                part.calls.begin(id, name, call.get("input").cloned().unwrap_or_default());
            }
            let is_over = text(record.pointer("/message/stop_reason")).is_some_and(|why| why == "end_turn");
            if is_over && !std::mem::replace(&mut part.rests, true) {
                part.observer.happened(out, at, Happened::Rests, None);
            }
            return;
        }
        let results = of("tool_result").collect::<Vec<_>>();
        // The part for programs is the answer to one call.
        let answer = record.get("toolUseResult").filter(|_| results.len() == 1);
        let beside = record.pointer("/mcpMeta/_meta").filter(|_| results.len() == 1);
        for result in &results {
            part.answered(result, answer, beside, at, out);
        }
        let is = |name: &str| record.get(name) == Some(&Value::Bool(true));
        if results.is_empty() && !is("isMeta") && !is("isCompactSummary") && !is("isVisibleInTranscriptOnly") {
            let words = of("text").filter_map(|block| text(block.get("text"))).collect::<Vec<_>>().join("\n");
            part.said(text(Some(content)).unwrap_or(&words), at, out);
        }
    }
}

impl Part {
    /// Takes the model and the tokens of an answer. What a fork has of its origin is not its own.
    fn used(&mut self, record: &Value) {
        let message = record.get("message").unwrap_or(&Value::Null);
        let model = text(message.get("model")).filter(|model| *model != NO_MODEL);
        let asked_by = text(record.get("requestSessionId"));
        let is_anothers = asked_by.is_some_and(|id| text(record.get("sessionId")).is_some_and(|own| own != id));
        if model.is_none() || is_anothers || record.get("forkedFrom").is_some() {
            return;
        }
        let usage = message.get("usage").unwrap_or(&Value::Null);
        let [read, cached, kept] =
            ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"].map(|name| tokens(usage, name));
        let input = read.saturating_add(cached).saturating_add(kept);
        self.used.model(model);
        self.used.call(text(message.get("id")), Tokens { input, cached, output: tokens(usage, "output_tokens") });
        self.observer.used(self.used.usage());
    }

    fn said(&mut self, words: &str, at: Option<Timestamp>, out: &mut Vec<Observation>) {
        let words = words.trim();
        if words.starts_with(INTERRUPTED) {
            self.rests = true;
            self.observer.happened(out, at, Happened::Rests, Some("interrupted"));
        } else if !is_injected(words) {
            self.rests = false;
            self.observer.prompted(out, at, words);
        }
    }

    /// Takes the result of a call: as the model reads it, as programs do, and the `_meta` of one over MCP.
    fn answered(
        &mut self,
        result: &Value,
        answer: Option<&Value>,
        beside: Option<&Value>,
        at: Option<Timestamp>,
        out: &mut Vec<Observation>,
    ) {
        self.rests = false;
        let id = text(result.get("tool_use_id")).unwrap_or_default();
        let Some((name, input)) = self.calls.end(id) else { return self.observer.worked(out, at) };
        let words = result.get("content").unwrap_or(&Value::Null);
        if Claude.is_our_tool(&name) {
            // A subagent has its agent's connection, which is no proof that the session is its own.
            let beside = beside.filter(|_| self.observer.run().parent.is_none());
            let result = beside.map(|beside| json!({ "content": words, "_meta": beside }));
            return self.observer.our_result(out, at, result.as_ref().unwrap_or(words));
        }
        let has_failed = failed(result) || answer.is_some_and(failed);
        let tool = match name.as_str() {
            "TaskList" => Some("TaskList"),
            name => Claude.list_tool(name).map(|tool| tool.name),
        };
        let Some(tool) = tool else { return self.observer.worked(out, at) };
        let answer = answer.filter(|answer| answer.is_object()).unwrap_or(words);
        let listed = match tool {
            _ if has_failed => None,
            "TaskList" => self.tasks.listed(answer).then(|| self.tasks.all()),
            "TodoWrite" => Claude.list_written(tool, &input, &Value::Null).map(|list| list.todos),
            _ => {
                // An answer without a number means the next one.
                let next = json!({ "task": { "id": self.tasks.next() } });
                let known = task_id(answer).is_some() || tool != "TaskCreate";
                let part = Claude.list_written(tool, &input, if known { answer } else { &next });
                part.and_then(|part| self.tasks.change(&part.todos, &input, at).then(|| self.tasks.all()))
            }
        };
        match listed {
            Some(todos) => self.observer.list(out, at, tool, todos),
            None => self.observer.happened(out, at, Happened::Worked, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Observed;

    fn observed<'a>(records: impl Iterator<Item = &'a str>) -> Vec<Observation> {
        let mut session = Session::new(Path::new("projects/-p/c8da144e.jsonl"));
        let mut out = Vec::new();
        for record in records {
            session.record(&serde_json::from_str(record).expect("it is JSON"), None, &mut out);
        }
        out
    }

    /// A run of 2.1.330 without a screen, outside of any repository.
    #[test]
    fn a_recorded_run_is_understood() {
        let recorded = include_str!("../../../sources/tests/recordings/claude/tasks.jsonl");
        let told = observed(recorded.lines());
        let run = &told.last().expect("it is told").run;
        assert_eq!(run.title.as_deref(), Some("Prepare the release."));
        assert_eq!((run.branch.as_deref(), run.version.as_deref()), (None, Some("2.1.330")));
        assert_eq!(run.folder.as_deref(), Some("/home/me/billing"));
        let mut lists = told.iter().filter_map(|one| match &one.observed {
            Observed::List { todos, .. } => Some(todos),
            _ => None,
        });
        let ids = |list: &Value| list.as_array().map(|items| items.iter().map(|item| item["status"].clone()).collect());
        let last: Vec<Value> = lists.next_back().and_then(ids).expect("there are lists");
        assert_eq!(last, ["completed", "completed"]);
    }

    /// A call of ours over HTTP, as 2.1.330 keeps it.
    #[test]
    fn the_secret_beside_a_result_is_for_its_own_run() {
        let call = r#"{"type":"assistant","timestamp":"2026-11-24T16:00:00Z","message":{"content":[{"type":"tool_use","id":"a","name":"mcp__sightline__todo_write","input":{}}]}}"#;
        let answer = r#"{"type":"user","timestamp":"2026-11-24T16:00:01Z","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"{}"}]},"mcpMeta":{"_meta":{"sightline/proof":"s"},"structuredContent":{}}}"#;
        let told = observed([call, answer].into_iter());
        let proof = json!({ "content": "{}", "_meta": { "sightline/proof": "s" } });
        assert_eq!(told.last().map(|one| &one.observed), Some(&Observed::OurResult { result: proof }));
        let of_subagent = [call, answer].map(|line| line.replacen('{', r#"{"isSidechain":true,"agentId":"sub","#, 1));
        let told = observed(of_subagent.iter().map(String::as_str));
        assert_eq!(told.last().map(|one| &one.observed), Some(&Observed::OurResult { result: json!("{}") }));
    }

    #[test]
    fn done_tasks_stay_without_a_screen() {
        let call = |second: u32, id: &str, name: &str, input: Value| {
            let content = json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
            json!({"type": "assistant", "timestamp": format!("2026-11-24T16:00:{second:02}Z"), "message": {"content": content}})
        };
        let answer = |second: u32, id: &str, how: &str, answer: Value| {
            let content = json!([{"type": "tool_result", "tool_use_id": id, "content": "ok"}]);
            let time = format!("2026-11-24T16:00:{second:02}Z");
            json!({"type": "user", "timestamp": time, "entrypoint": how, "message": {"content": content}, "toolUseResult": answer})
        };
        for (how, tasks) in [("cli", 1), ("sdk-cli", 2)] {
            let records = [
                call(0, "a", "TaskCreate", json!({"subject": "One"})),
                answer(1, "a", how, json!({"task": {"id": "1"}})),
                call(2, "b", "TaskUpdate", json!({"taskId": "1", "status": "completed"})),
                answer(3, "b", how, json!({"success": true})),
                call(20, "c", "TaskCreate", json!({"subject": "Two"})),
                answer(21, "c", how, json!({"task": {"id": "2"}})),
            ];
            let records = records.map(|record| record.to_string());
            let told = observed(records.iter().map(String::as_str));
            let Observed::List { todos, .. } = &told.last().expect("it is told").observed else { panic!("{how}") };
            assert_eq!(todos.as_array().map(Vec::len), Some(tasks), "{how}");
        }
    }

    #[test]
    fn the_name_that_the_user_gave_it_is_its_title() {
        let named = r#"{"type":"custom-title","customTitle":"The release","sessionId":"s"}"#;
        let prompt = r#"{"type":"user","timestamp":"2026-11-24T16:00:00Z","message":{"content":"Prepare it."}}"#;
        let told = observed([named, prompt].into_iter());
        assert_eq!(told.last().expect("it is told").run.title.as_deref(), Some("The release"));
    }
}
