//! The transcript of a run, `projects/FOLDER/ID.jsonl`, to which records are added. A subagent's is `agent-ID.jsonl`,
//! beside it or in `ID/subagents`.
//!
//! The tasks are also in `tasks/ID/N.json`. The transcript tells them, as it does the lists of `TodoWrite`: it has the
//! history and the times, and Claude Code empties the folder five seconds after the last task was done. The folder of a
//! run with a transcript tells nothing, so that the two never disagree; a folder that several runs share by a name, or
//! of a run without a transcript, tells the list.

use super::tasks::Tasks;
use super::{Claude, task_id};
use crate::Agent;
use crate::lists::failed;
use crate::transcript::{Observation, Observer, OpenCalls, Records, Run, text, time};
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
    rests: bool,
}

impl Part {
    fn new(run: Run) -> Self {
        Self { observer: Observer::new(run), calls: OpenCalls::default(), tasks: Tasks::default(), rests: false }
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
        if !matches!(kind, "user" | "assistant") {
            return;
        }
        let Some(part) = self.part(record) else { return };
        let at = time(record.get("timestamp"));
        let said = |name: &str| text(record.get(name)).map(str::to_owned);
        part.observer.note(|run| {
            run.folder = run.folder.take().or_else(|| said("cwd"));
            run.branch = run.branch.take().or_else(|| said("gitBranch"));
            run.version = said("version").or_else(|| run.version.take());
        });
        let content = record.pointer("/message/content").unwrap_or(&Value::Null);
        let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
        let of = |kind: &'static str| blocks.iter().filter(move |block| text(block.get("type")) == Some(kind));
        if kind == "assistant" {
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
        for result in &results {
            part.answered(result, answer, at, out);
        }
        let is = |name: &str| record.get(name) == Some(&Value::Bool(true));
        if results.is_empty() && !is("isMeta") && !is("isCompactSummary") && !is("isVisibleInTranscriptOnly") {
            let words = of("text").filter_map(|block| text(block.get("text"))).collect::<Vec<_>>().join("\n");
            part.said(text(Some(content)).unwrap_or(&words), at, out);
        }
    }
}

impl Part {
    fn said(&mut self, words: &str, at: Option<Timestamp>, out: &mut Vec<Observation>) {
        let words = words.trim();
        if words.starts_with(INTERRUPTED) {
            self.rests = true;
            self.observer.happened(out, at, Happened::Rests, Some("interrupted"));
        } else if !INJECTED.iter().any(|injected| words.starts_with(injected)) {
            self.rests = false;
            self.observer.prompted(out, at, words);
        }
    }

    fn answered(&mut self, result: &Value, answer: Option<&Value>, at: Option<Timestamp>, out: &mut Vec<Observation>) {
        self.rests = false;
        let id = text(result.get("tool_use_id")).unwrap_or_default();
        let Some((name, input)) = self.calls.end(id) else { return self.observer.worked(out, at) };
        let words = result.get("content").unwrap_or(&Value::Null);
        if Claude.is_our_tool(&name) {
            return self.observer.our_result(out, at, words);
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
