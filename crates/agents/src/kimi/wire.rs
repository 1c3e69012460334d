//! The record of one agent of a session, `sessions/FOLDER/SESSION/agents/AGENT/wire.jsonl`: `main` is the agent itself,
//! the others are its subagents. Records are added, each with its time; a call's result comes with its end.

use super::{Kimi, words};
use crate::Agent;
use crate::transcript::{Observation, Observer, OpenCalls, Records, Run, Tokens, Used, some, text, tokens};
use jiff::Timestamp;
use protocol::Happened;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The most bytes of the file that says where a session works.
const STATE_BYTES: u64 = 1024 * 1024;

/// The parser of one record.
pub(super) struct Wire {
    observer: Observer,
    calls: OpenCalls,
    used: Used,
    /// The session's own file, which may be written a little later.
    state: PathBuf,
}

impl Wire {
    pub(super) fn new(path: &Path) -> Self {
        let named = |levels: usize| {
            let name = path.ancestors().nth(levels).and_then(Path::file_name);
            name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let (agent, session) = (named(1), named(3));
        let run = match agent.as_str() {
            "main" => Run::new(&session),
            _ => Run { parent: Some(session), ..Run::new(&agent) },
        };
        let state = path.ancestors().nth(3).map(|session| session.join("state.json")).unwrap_or_default();
        Self { observer: Observer::new(run), calls: OpenCalls::default(), used: Used::default(), state }
    }

    fn event(&mut self, event: &Value, at: Option<Timestamp>, out: &mut Vec<Observation>) {
        let call = text(event.get("toolCallId")).unwrap_or_default();
        match text(event.get("type")) {
            Some("tool.call") => {
                let input = event.get("args").cloned().unwrap_or_default();
                self.calls.begin(call, text(event.get("name")).unwrap_or_default(), input);
            }
            Some("tool.result") => {
                let result = event.get("result").unwrap_or(&Value::Null);
                if let Some((name, input)) = self.calls.end(call) {
                    self.called(&name, &input, result, at, out);
                }
            }
            _ => {}
        }
    }

    fn called(&mut self, name: &str, input: &Value, result: &Value, at: Option<Timestamp>, out: &mut Vec<Observation>) {
        let output = result.get("output").unwrap_or(&Value::Null);
        if Kimi.is_our_tool(name) {
            return self.observer.our_result(out, at, output);
        }
        if Kimi.list_tool(name).is_none() {
            return self.observer.worked(out, at);
        }
        let failed = json!({ "isError": result.get("isError") });
        // Without a list it only reads.
        match Kimi.list_written(name, input, &failed) {
            Some(list) => self.observer.list(out, at, list.tool, list.todos),
            None => self.observer.happened(out, at, Happened::Worked, None),
        }
    }
}

impl Records for Wire {
    fn record(&mut self, record: &Value, _written: Option<Timestamp>, out: &mut Vec<Observation>) {
        if self.observer.run().folder.is_none() {
            let folder = folder(&self.state);
            self.observer.note(|run| run.folder = folder);
        }
        let at = record.get("time").and_then(Value::as_i64).and_then(|ms| Timestamp::from_millisecond(ms).ok());
        match text(record.get("type")) {
            Some("turn.prompt") => {
                let is_asked = text(record.pointer("/origin/kind")) == Some("user")
                    || text(record.pointer("/origin/name")) == Some("subagent");
                if is_asked && let Some(prompt) = record.get("input").and_then(words) {
                    self.observer.prompted(out, at, &prompt);
                }
            }
            Some("llm.request") => self.used.model(text(record.get("model"))),
            Some("usage.record") => {
                let told = record.get("usage").unwrap_or(&Value::Null);
                let [other, cached, kept] =
                    ["inputOther", "inputCacheRead", "inputCacheCreation"].map(|name| tokens(told, name));
                let input = other.saturating_add(cached).saturating_add(kept);
                self.used.call(None, Tokens { input, cached, output: tokens(told, "output") });
                self.observer.used(self.used.usage());
            }
            Some("token_counting.measured" | "token_counting.turn_recorded") => {
                let usage = self.used.usage();
                usage.context_tokens = some(tokens(record, "tokens")).or(usage.context_tokens);
                self.observer.used(usage);
            }
            Some("context.append_loop_event") => self.event(record.get("event").unwrap_or(&Value::Null), at, out),
            Some("turn.ended") => match text(record.get("reason")) {
                Some("failed") => {
                    let error = text(record.pointer("/error/message"));
                    self.observer.happened(out, at, Happened::Failed, error);
                }
                _ => self.observer.happened(out, at, Happened::Rests, None),
            },
            _ => {}
        }
    }
}

/// The folder that a session works in.
fn folder(state: &Path) -> Option<String> {
    let state = careful::text(state, STATE_BYTES).ok()?;
    let state = serde_json::from_str::<Value>(&state).ok()?;
    text(state.get("cwd")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Observed;
    use rstest::rstest;

    const MAIN: &str = "/none/sessions/wd_project_1/session_1/agents/main/wire.jsonl";
    const CHILD: &str = "/none/sessions/wd_project_1/session_1/agents/agent-0/wire.jsonl";

    fn told<'a>(path: &str, lines: impl Iterator<Item = &'a str>) -> Vec<Observation> {
        let (mut wire, mut out) = (Wire::new(Path::new(path)), Vec::new());
        for line in lines {
            wire.record(&serde_json::from_str(line).expect("JSON"), None, &mut out);
        }
        out
    }

    fn word(told: &Observation) -> String {
        match &told.observed {
            Observed::List { tool, todos } => format!("{tool} {}", todos.as_array().map_or(0, Vec::len)),
            Observed::Happened { happened, text, tool } => {
                format!("{happened:?}{}{}", if *tool { " tool" } else { "" }, text.as_deref().unwrap_or_default())
            }
            Observed::OurResult { result } => result.to_string(),
        }
    }

    #[test]
    fn a_recording_tells_its_lists() {
        let recorded = include_str!("../../../sources/tests/recordings/kimi/wire.jsonl");
        let told = told(MAIN, recorded.lines());
        let list = |length: usize| format!("TodoList {length}");
        let mut expected = vec!["PromptedPlease prepare the release. Keep a todo list.".to_owned()];
        expected.extend([list(4), list(4), "Worked tool".to_owned(), list(4), list(5), list(4), list(4)]);
        expected.push("Rests".to_owned());
        assert_eq!(told.iter().map(word).collect::<Vec<_>>(), expected);
        assert!(told.iter().all(|one| one.run.own_session == "session_1" && one.run.parent.is_none()));
        assert!(told.windows(2).all(|pair| pair[0].at < pair[1].at));
    }

    #[rstest]
    #[case(
        r#"{"type":"turn.prompt","input":[{"type":"text","text":"Look"}],"origin":{"kind":"user"},"time":1}"#,
        "PromptedLook"
    )]
    #[case(r#"{"type":"turn.ended","reason":"failed","error":{"message":"400 no"},"time":1}"#, "Failed400 no")]
    #[case(r#"{"type":"turn.ended","reason":"cancelled","time":1}"#, "Rests")]
    fn what_happened(#[case] line: &str, #[case] expected: &str) {
        assert_eq!(told(MAIN, [line].into_iter()).iter().map(word).collect::<Vec<_>>(), [expected]);
    }

    #[rstest]
    #[case("mcp__sightline__todo_write", r#"{"todos":[]}"#, r#"{"output":"Done"}"#, r#""Done""#)]
    #[case("TodoList", r#"{"todos":[{"title":"A","status":"done"}]}"#, r#"{"output":"","isError":true}"#, "Worked")]
    #[case("TodoList", "{}", r#"{"output":"A"}"#, "Worked")]
    #[case("Read", "{}", r#"{"output":"A","isError":true}"#, "Worked tool")]
    fn calls(#[case] tool: &str, #[case] input: &str, #[case] result: &str, #[case] expected: &str) {
        let event = |members: &str| {
            format!(r#"{{"type":"context.append_loop_event","event":{{"toolCallId":"c1",{members}}},"time":1}}"#)
        };
        let call = event(&format!(r#""type":"tool.call","name":"{tool}","args":{input}"#));
        let result = event(&format!(r#""type":"tool.result","result":{result}"#));
        let told = told(MAIN, [call.as_str(), &result, &result].into_iter());
        assert_eq!(told.iter().map(word).collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn a_subagent_is_its_agents() {
        let prompt = r#"{"type":"turn.prompt","input":[{"text":"Look"}],"origin":{"kind":"system_trigger","name":"subagent"},"time":1}"#;
        let told = told(CHILD, [prompt].into_iter());
        let run = &told[0].run;
        assert_eq!((run.own_session.as_str(), run.parent.as_deref()), ("agent-0", Some("session_1")));
        assert_eq!((word(&told[0]).as_str(), run.title.as_deref()), ("Worked", Some("Look")));
    }
}
