//! A session, `sessions/ID.json`: one JSON value that is rewritten at each change, and headless once at the end. It has no
//! times, so that of the file is taken, and of what it says the newest.

use super::Continue;
use crate::Agent;
use crate::transcript::{Observation, Observer, Records, Run, some, stem, text, tokens};
use jiff::Timestamp;
use protocol::{Happened, Usage};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::Path;

/// The title of a session that nobody has named.
const UNNAMED: &str = "Untitled Session";

/// The parser of one session.
pub(super) struct Session {
    observer: Observer,
    /// The number of prompts so far.
    prompts: usize,
    /// The ids of calls that have ended.
    ended: HashSet<String>,
    list: Option<Value>,
    /// The length of the history whose end was an answer without calls.
    rested: usize,
}

impl Session {
    pub(super) fn new(path: &Path) -> Self {
        let observer = Observer::new(Run::new(&stem(path)));
        Self { observer, prompts: 0, ended: HashSet::new(), list: None, rested: 0 }
    }

    /// Takes the tokens and the cost so far, and the context of the last answer.
    fn used(&mut self, record: &Value, history: &[Value]) {
        let last = history.iter().rev().find_map(|item| item.pointer("/message/usage")).unwrap_or(&Value::Null);
        let total = record.get("usage").unwrap_or(&Value::Null);
        let input = some(tokens(total, "promptTokens"));
        let details = total.get("promptTokensDetails").unwrap_or(&Value::Null);
        let cost = total.get("totalCost").and_then(Value::as_f64).filter(|cost| *cost > 0.0);
        self.observer.used(&Usage {
            model: text(last.get("model")).map(str::to_owned),
            context_tokens: some(tokens(last, "prompt_tokens")),
            input_tokens: input,
            cached_tokens: some(tokens(details, "cachedTokens")),
            output_tokens: input.map(|_| tokens(total, "completionTokens")),
            micro_dollars: cost.and_then(Usage::micro_dollars),
            ..Usage::default()
        });
    }

    /// Takes the calls that have ended since the last time.
    fn calls(&mut self, history: &[Value], written: Option<Timestamp>, out: &mut Vec<Observation>) {
        let states = history.iter().filter_map(|item| item.get("toolCallStates")?.as_array()).flatten();
        let (mut list, mut worked) = (None, false);
        for state in states.filter(|state| matches!(text(state.get("status")), Some("done" | "errored" | "canceled"))) {
            let name = text(state.pointer("/toolCall/function/name")).unwrap_or_default();
            let is_new = text(state.get("toolCallId")).is_some_and(|call| self.ended.insert(call.to_owned()));
            let output = state.pointer("/output/0/content").unwrap_or(&Value::Null);
            if Continue.list_tool(name).is_some() {
                list = list_in(name, state, output).or(list);
            } else if is_new && Continue.is_our_tool(name) {
                self.observer.our_result(out, written, output);
            } else {
                worked |= is_new;
            }
        }
        if worked {
            self.observer.worked(out, written);
        }
        if let Some((tool, todos)) = list
            && self.list.as_ref() != Some(&todos)
        {
            self.list = Some(todos.clone());
            self.observer.list(out, written, tool, todos);
        }
    }
}

impl Records for Session {
    fn record(&mut self, record: &Value, written: Option<Timestamp>, out: &mut Vec<Observation>) {
        let said = |name: &str| text(record.get(name)).map(str::to_owned);
        self.observer.note(|run| {
            run.own_session = said("sessionId").unwrap_or(run.own_session.clone());
            run.folder = said("workspaceDirectory").or_else(|| run.folder.take());
            run.title = said("title").filter(|title| title != UNNAMED).or_else(|| run.title.take());
        });
        let history = record.get("history").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        self.used(record, history);
        let prompts: Vec<&Value> = history.iter().filter(|item| is_of(item, "user")).collect();
        if prompts.len() > self.prompts
            && let Some(prompt) = prompts.last().and_then(|item| words(item))
        {
            self.observer.prompted(out, written, &prompt);
        }
        self.prompts = prompts.len();
        self.calls(history, written, out);
        let rests = history.last().is_some_and(|last| {
            is_of(last, "assistant") && last.pointer("/message/toolCalls").is_none() && words(last).is_some()
        });
        if rests && self.rested != history.len() {
            self.rested = history.len();
            self.observer.happened(out, written, Happened::Rests, None);
        }
    }
}

fn is_of(item: &Value, role: &str) -> bool {
    text(item.pointer("/message/role")) == Some(role)
}

/// The words of a message: a text, or parts with texts.
fn words(item: &Value) -> Option<String> {
    let content = item.pointer("/message/content")?;
    let parts = content.as_array().into_iter().flatten().filter_map(|part| text(part.get("text")));
    let said = content.as_str().map_or_else(|| parts.collect::<Vec<_>>().join("\n"), str::to_owned);
    Some(said).filter(|said| !said.trim().is_empty())
}

/// The list that a call has written. Its arguments are JSON in a text.
fn list_in(name: &str, state: &Value, output: &Value) -> Option<(&'static str, Value)> {
    let arguments = text(state.pointer("/toolCall/function/arguments"))?;
    let input = serde_json::from_str(arguments).ok()?;
    let response = match text(state.get("status")) {
        Some("done") => output.clone(),
        _ => json!({ "isError": true }),
    };
    let list = Continue.list_written(name, &input, &response)?;
    Some((list.tool, list.todos))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Observed;

    const PATH: &str = "/none/sessions/20cf0ffe-8d60-49e7-a4ed-5d1865310754.json";

    /// The observations from each of these forms of a file, a second after the one before.
    fn told<'a>(forms: impl Iterator<Item = &'a str>) -> Vec<Observation> {
        let (mut session, mut out) = (Session::new(Path::new(PATH)), Vec::new());
        for (second, form) in forms.enumerate() {
            let written = Timestamp::from_second(1_795_538_000 + i64::try_from(second).expect("few")).ok();
            session.record(&serde_json::from_str(form).expect("JSON"), written, &mut out);
        }
        out
    }

    fn story(told: &[Observation]) -> Vec<String> {
        let word = |told: &Observation| match &told.observed {
            Observed::List { tool, todos } => format!("{tool} {}", todos.as_array().map_or(0, Vec::len)),
            Observed::Happened { tool: true, .. } => "tool".to_owned(),
            Observed::Happened { happened, text, .. } => {
                format!("{happened:?}{}", text.as_deref().map(|text| format!(": {text}")).unwrap_or_default())
            }
            Observed::OurResult { result } => result.to_string(),
        };
        told.iter().map(word).collect()
    }

    #[test]
    fn a_recording_tells_its_lists_as_they_come() {
        let recorded = include_str!("../../../sources/tests/recordings/continue/session.jsonl");
        let told = told(recorded.lines());
        let list = |length: usize| format!("Checklist {length}");
        let mut expected = vec!["Prompted: Please prepare the release. Keep a todo list.".to_owned()];
        expected.extend([list(4), list(4), "tool".to_owned(), list(4), list(5), list(4), list(4), "Rests".to_owned()]);
        assert_eq!(story(&told), expected);
        let run = &told.last().expect("something is told").run;
        assert_eq!(run.own_session, "20cf0ffe-8d60-49e7-a4ed-5d1865310754");
        assert_eq!((run.folder.as_deref(), run.parent.as_deref()), (Some("/home/user/project"), None));
        assert!(told.windows(2).all(|pair| pair[0].at < pair[1].at));
    }

    #[test]
    fn a_file_that_is_read_at_its_end_tells_the_newest() {
        let recorded = include_str!("../../../sources/tests/recordings/continue/session.jsonl");
        let told = told(recorded.lines().last().into_iter());
        let prompt = "Prompted: Please prepare the release. Keep a todo list.";
        assert_eq!(story(&told), [prompt, "tool", "Checklist 4", "Rests"]);
        assert_eq!(told[0].run.title.as_deref(), Some("A title"));
    }

    #[test]
    fn our_results_are_read_once() {
        let call = json!({
            "toolCallId": "c1", "status": "done", "output": [{ "content": "[{\"type\":\"text\",\"text\":\"Done\"}]" }],
            "toolCall": { "function": { "name": "todo_write", "arguments": "{}" } },
        });
        let history = json!([
            { "message": { "role": "user", "content": [{ "type": "text", "text": "Go" }] } },
            { "message": { "role": "assistant", "content": "", "toolCalls": [] }, "toolCallStates": [call] },
        ]);
        let form = json!({ "title": "Untitled Session", "history": history }).to_string();
        let told = told([form.as_str(), &form].into_iter());
        assert_eq!(story(&told), ["Prompted: Go", "\"[{\\\"type\\\":\\\"text\\\",\\\"text\\\":\\\"Done\\\"}]\""]);
        assert_eq!(told[0].run.title.as_deref(), Some("Go"));
    }
}
