//! The journal of a session, `logs/session/unified/ID/journal/FIRST.jsonl`: its public history as it changes.
//!
//! After each turn the whole history is written as a *generation*, in chunks; a new segment of the journal begins, and
//! segments before the last generation but one are deleted. So a segment begins with the list of its generation.

use super::Vibe;
use crate::Agent;
use crate::lean::{self, Budget};
use crate::transcript::{Observation, Observer, Records, Run, some, stem, text, tokens};
use jiff::Timestamp;
use protocol::{Happened, Usage};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The most bytes of a file of a generation.
const BYTES: u64 = 16 * 1024 * 1024;

/// The most of it that is held.
const WHOLE: Budget = Budget { values: 300_000, bytes: 16 * 1024 * 1024 };

/// The parser of one segment.
pub(super) struct Journal {
    observer: Observer,
    /// The folder of the session.
    session: PathBuf,
    /// The generation that the segment goes on from, until it was read.
    generation: Option<u64>,
    /// The turn that is known to be over.
    over: Option<String>,
}

impl Journal {
    pub(super) fn new(path: &Path) -> Self {
        let session = path.parent().and_then(Path::parent).unwrap_or(path).to_owned();
        let id = session.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let generation = stem(path).parse::<u64>().ok().and_then(|first| first.checked_sub(1));
        Self { observer: Observer::new(Run::new(&id)), session, generation, over: None }
    }

    fn begin(&mut self, out: &mut Vec<Observation>) {
        let Some(generation) = self.generation.take() else { return };
        let manifest = json(&self.session.join(format!("generations/{generation:016}/manifest.json")));
        let chunks = manifest.pointer("/projection_state/chunks").and_then(Value::as_array);
        let names = chunks.into_iter().flatten().rev().filter_map(Value::as_str);
        for name in names.filter(|name| name.bytes().all(|letter| letter.is_ascii_hexdigit())) {
            let entries = json(&self.session.join(format!("chunks/{name}.json")));
            let mut newest_first = entries.as_array().into_iter().flatten().rev();
            if let Some((at, tool, todos)) = newest_first.find_map(list) {
                return self.observer.list(out, at, tool, todos);
            }
        }
    }

    /// Takes what the envelope of the history says of the run. A subagent works where its agent does.
    fn note(&mut self, envelope: &Value) {
        let said = |at: &str| text(envelope.pointer(at)).map(str::to_owned);
        let parent = said("/session/parentSessionId").filter(|id| !id.contains(['/', '\\']));
        let title = said("/session/title").or(said("/session/preview"));
        let folder = self.observer.run().folder.clone().or_else(|| {
            let of = parent.as_ref().map_or_else(|| self.session.clone(), |parent| self.session.with_file_name(parent));
            text(json(&of.join("meta.json")).pointer("/environment/working_directory")).map(str::to_owned)
        });
        self.observer.note(|run| (run.parent, run.title, run.folder) = (parent, title, folder));
        self.used(envelope.get("session").unwrap_or(&Value::Null));
    }

    /// Takes the tokens of the last call and of all so far, and the model that the file beside the journal names.
    fn used(&mut self, told: &Value) {
        let part = |name: &str| told.get(name).unwrap_or(&Value::Null);
        let (context, total) = (part("contextUsage"), part("tokenUsage"));
        if context.is_null() && total.is_null() {
            return;
        }
        let known = self.observer.run().usage.as_ref().and_then(|usage| usage.model.clone());
        let named = || text(json(&self.session.join("meta.json")).pointer("/config/model_name")).map(str::to_owned);
        let is_told = !total.is_null();
        self.observer.used(&Usage {
            model: known.or_else(named),
            context_tokens: some(tokens(context, "inputTokens")),
            input_tokens: is_told.then(|| tokens(total, "inputTokens")),
            cached_tokens: some(tokens(total, "cachedInputTokens")),
            output_tokens: is_told.then(|| tokens(total, "outputTokens")),
            ..Usage::default()
        });
    }

    fn turn(&mut self, turn: &Value, out: &mut Vec<Observation>) {
        let (id, at) = (text(turn.get("id")).unwrap_or_default(), time(turn.get("completedAt")));
        let (happened, why) = match text(turn.get("status")) {
            Some("completed") => (Happened::Rests, None),
            Some("interrupted") => (Happened::Rests, Some(text(turn.get("reason")).unwrap_or("interrupted"))),
            Some("failed") => (Happened::Failed, text(turn.pointer("/error/message"))),
            _ => return,
        };
        if self.over.as_deref() != Some(id) {
            self.over = Some(id.to_owned());
            self.observer.happened(out, at, happened, why);
        }
    }

    fn prompt(&mut self, entry: &Value, out: &mut Vec<Observation>) {
        // Words of a hook or a subagent to the model are in the user's name, too.
        if text(entry.get("type")) == Some("message") && text(entry.get("source")) == Some("turn_start") {
            let words = entry.get("content").and_then(Value::as_array).into_iter().flatten();
            let words: Vec<_> = words.filter_map(|part| text(part.get("text"))).collect();
            self.observer.prompted(out, time(entry.get("createdAt")), &words.join("\n"));
        }
    }

    fn effect(&mut self, entry: &Value, out: &mut Vec<Observation>) {
        let status = text(entry.pointer("/state/status")).unwrap_or_default();
        if text(entry.get("type")) != Some("effect") || !matches!(status, "completed" | "failed") {
            return;
        }
        if let Some((at, tool, todos)) = list(entry) {
            return self.observer.list(out, at, tool, todos);
        }
        let (tool, at) = (text(entry.pointer("/detail/toolName")).unwrap_or_default(), time(entry.get("updatedAt")));
        if Vibe.is_our_tool(tool) {
            self.observer.our_result(out, at, entry.pointer("/state/output").unwrap_or(&Value::Null));
        } else if Vibe.list_tool(tool).is_some() {
            self.observer.happened(out, at, Happened::Worked, None);
        } else {
            self.observer.worked(out, at);
        }
    }
}

impl Records for Journal {
    fn record(&mut self, record: &Value, _written: Option<Timestamp>, out: &mut Vec<Observation>) {
        let payload = record.get("payload").unwrap_or(&Value::Null);
        let deltas = payload.get("delta").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let envelopes = || deltas.iter().filter_map(|delta| delta.get("state"));
        envelopes().for_each(|envelope| self.note(envelope));
        if envelopes().next().is_some() {
            self.begin(out);
        }
        for delta in deltas {
            let entry = delta.get("entry").unwrap_or(&Value::Null);
            match text(delta.get("op")) {
                Some("append_entry") => self.prompt(entry, out),
                Some("replace_entry") => self.effect(entry, out),
                _ => {}
            }
        }
        envelopes().filter_map(|envelope| envelope.get("latestTurn")).for_each(|turn| self.turn(turn, out));
        match text(record.get("type")) {
            Some("callback_registered") => {
                let tool = text(payload.pointer("/routing/detail/effect/toolName")).unwrap_or_default();
                let asked = match text(payload.get("kind")) {
                    Some("approval") => format!("approval: {tool}"),
                    _ => "an answer".to_owned(),
                };
                let at = time(payload.pointer("/routing/createdAt"));
                self.observer.happened(out, at, Happened::Waits, Some(asked.trim_end_matches([':', ' '])));
            }
            Some("callback_resolved") => self.observer.happened(out, None, Happened::Worked, None),
            _ => {}
        }
    }
}

/// The list that an entry of the history tells, and when it was written.
fn list(entry: &Value) -> Option<(Option<Timestamp>, &'static str, Value)> {
    let tool = text(entry.pointer("/detail/toolName"))?;
    let is_done = text(entry.pointer("/state/status")) == Some("completed");
    let list = Vibe.list_written(tool, entry.pointer("/detail/input").filter(|_| is_done)?, &Value::Null)?;
    Some((time(entry.get("updatedAt")), list.tool, list.todos))
}

/// A time in milliseconds since 1970.
fn time(value: Option<&Value>) -> Option<Timestamp> {
    Timestamp::from_millisecond(value?.as_i64()?).ok()
}

/// A file beside the journal; null where it cannot be read.
fn json(path: &Path) -> Value {
    let read = careful::read(path, BYTES).ok();
    read.and_then(|bytes| lean::value(&bytes, WHOLE).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observed;
    use rstest::rstest;
    use serde_json::json;
    use std::fs;

    const ID: &str = "98746a43-e294-6bf7-6894-827a0beac326";
    const PROMPT: &str = "Please prepare the release. Keep a todo list.";

    /// A recorded segment of the journal, as the session's folder has it.
    fn recorded(segment: &str) -> Vec<Observation> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/tests/recordings/vibe/unified").join(ID);
        let path = folder.join("journal").join(segment);
        let text = fs::read_to_string(&path).expect("the recording is there");
        let records: Vec<_> = text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
        read(&path, &records)
    }

    fn read(path: &Path, records: &[Value]) -> Vec<Observation> {
        let mut journal = Journal::new(path);
        let mut out = Vec::new();
        records.iter().for_each(|record| journal.record(record, None, &mut out));
        out
    }

    fn story(told: &[Observation]) -> Vec<String> {
        let word = |told: &Observation| match &told.observed {
            Observed::Happened { tool: true, .. } => "tool".to_owned(),
            Observed::Happened { happened, text: Some(text), .. } => format!("{happened:?}: {text}"),
            Observed::Happened { happened, .. } => format!("{happened:?}"),
            Observed::OurResult { .. } => "ours".to_owned(),
            Observed::List { tool, todos } => format!("{tool} {}", todos.as_array().map_or(0, Vec::len)),
        };
        told.iter().map(word).collect()
    }

    #[test]
    fn a_recorded_session_is_told_as_it_was() {
        let told = recorded("0000000000000001.jsonl");
        let prompted = format!("Prompted: {PROMPT}");
        let expected = [&prompted, "todo 4", "todo 4", "tool", "todo 4", "todo 5", "todo 4", "todo 4", "Rests"];
        assert_eq!(story(&told), expected);
        assert!(told.windows(2).all(|two| two[0].at < two[1].at));
        let run = &told[0].run;
        assert_eq!((run.own_session.as_str(), run.parent.as_deref()), (ID, None));
        assert_eq!((run.folder.as_deref(), run.title.as_deref()), (Some("/home/user/project"), Some(PROMPT)));
    }

    /// The segment before has been deleted by then.
    #[test]
    fn a_later_segment_begins_with_the_list_that_it_goes_on_from() {
        let told = recorded("0000000000000170.jsonl");
        assert_eq!(story(&told), ["todo 4", "Prompted: Is that all?", "Rests"]);
        let before = recorded("0000000000000001.jsonl");
        let newest = before.iter().rfind(|told| matches!(told.observed, Observed::List { .. })).expect("there is one");
        assert_eq!((told[0].at, &told[0].observed), (newest.at, &newest.observed));
        assert_eq!(told[0].run, newest.run, "it has the title that it had");
    }

    #[rstest]
    #[case(json!(null), "Rests: interrupted")]
    #[case(json!("by the user"), "Rests: by the user")]
    fn a_turn_that_the_user_has_stopped_says_so(#[case] reason: Value, #[case] expected: &str) {
        let turn = json!({
            "id": "t", "status": "interrupted", "reason": reason, "completedAt": 1_795_537_090_000_i64,
        });
        let delta = json!([{ "op": "set_envelope", "state": { "latestTurn": turn } }]);
        let path = Path::new("/home/u/.vibe/logs/session/unified/s/journal/0000000000000001.jsonl");
        let told = read(path, &[json!({ "type": "projection_delta", "payload": { "delta": delta } })]);
        assert_eq!(story(&told), [expected]);
    }

    #[test]
    fn waiting_for_the_user_and_failing_are_told() {
        let turn = json!({
            "id": "t", "status": "failed", "completedAt": 1_795_537_090_000_i64, "error": { "message": "No model" },
        });
        let asked = json!({ "kind": "approval", "routing": {
            "createdAt": 1_795_537_083_965_i64, "detail": { "effect": { "toolName": "file_system.bash" } },
        } });
        let envelope = json!({ "latestTurn": turn, "session": { "parentSessionId": "agent" } });
        let told = read(
            Path::new("/home/u/.vibe/logs/session/unified/s/journal/0000000000000001.jsonl"),
            &[
                json!({ "type": "callback_registered", "payload": asked }),
                json!({ "type": "callback_resolved", "payload": { "state": "resolved" } }),
                json!({ "type": "projection_delta", "payload": { "delta": [{ "op": "set_envelope", "state": envelope }] } }),
            ],
        );
        assert_eq!(story(&told), ["Waits: approval: file_system.bash", "Worked", "Failed: No model"]);
        assert_eq!(told[2].run.parent.as_deref(), Some("agent"));
    }
}
