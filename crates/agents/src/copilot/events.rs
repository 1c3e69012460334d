//! The events of a session, `session-state/ID/events.jsonl`, to which lines are added.
//!
//! A subagent's events are among them, with its id; they show only that the agent works. The built-in list is in another
//! file. Each request to the model is a turn in Copilot's words; the user's turn is over with an answer that calls nothing.

use super::{Copilot, SQL, hook};
use crate::Agent;
use crate::transcript::{Observation, Observer, OpenCalls, Records, Run, some, text, time, tokens};
use jiff::Timestamp;
use protocol::{Happened, Usage};
use serde_json::Value;
use std::path::Path;

/// The parser of one session's events.
pub(super) struct Events {
    observer: Observer,
    calls: OpenCalls,
    usage: Usage,
    /// True if nothing was done since an error: the end of the process is then not the end of the work.
    has_failed: bool,
}

impl Events {
    pub(super) fn new(path: &Path) -> Self {
        let id = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        Self {
            observer: Observer::new(Run::new(&id)),
            calls: OpenCalls::default(),
            usage: Usage::default(),
            has_failed: false,
        }
    }

    /// The run as far as it is known.
    pub(super) fn run(&self) -> &Run {
        self.observer.run()
    }

    fn begin(&mut self, data: &Value, at: Option<Timestamp>, out: &mut Vec<Observation>) {
        let said = |at: &str| text(data.pointer(at)).map(str::to_owned);
        self.observer.note(|run| {
            run.folder = said("/context/cwd").or_else(|| run.folder.take());
            run.branch = said("/context/branch").or_else(|| run.branch.take());
            run.version = said("/copilotVersion").or_else(|| run.version.take());
        });
        self.observer.happened(out, at, Happened::Worked, None);
    }

    fn message(&mut self, data: &Value, at: Option<Timestamp>, out: &mut Vec<Observation>) {
        // One that is not the user's names its source, or is empty.
        let prompt = text(data.get("content")).filter(|prompt| !hook::is_injected(prompt));
        match prompt.filter(|_| data.get("source").is_none_or(Value::is_null)) {
            Some(prompt) => self.observer.prompted(out, at, prompt),
            None => self.observer.happened(out, at, Happened::Worked, None),
        }
    }

    /// Takes the model, the context that a call was made in, and at the end the tokens of all calls of the model.
    fn used(&mut self, data: &Value) {
        let usage = &mut self.usage;
        let model = ["currentModel", "newModel", "selectedModel", "model"].iter().find_map(|name| text(data.get(name)));
        usage.model = model.map(str::to_owned).or_else(|| usage.model.take());
        // They are written as 128000.0.
        let number = |path: &str| data.pointer(path).and_then(Value::as_f64).filter(|number| *number >= 1.0);
        let window = number("/toolTelemetry/metrics/context_token_limit");
        let context = number("/toolTelemetry/metrics/context_current_tokens").or(number("/currentTokens"));
        usage.context_window = window.and_then(whole).or(usage.context_window);
        usage.context_tokens = context.and_then(whole).or(usage.context_tokens);
        // Those of the subagents are beside it.
        if let Some(models) = data.pointer("/agentMetrics/main/modelMetrics").and_then(Value::as_object) {
            let sum = |name: &str| {
                let told = models.values().map(|model| tokens(model.get("usage").unwrap_or(&Value::Null), name));
                told.fold(0, u64::saturating_add)
            };
            usage.input_tokens = some(sum("inputTokens"));
            usage.cached_tokens = some(sum("cacheReadTokens"));
            usage.output_tokens = some(sum("outputTokens"));
        }
        self.observer.used(usage);
    }

    fn called(&mut self, data: &Value, at: Option<Timestamp>, out: &mut Vec<Observation>) {
        let call = text(data.get("toolCallId")).unwrap_or_default();
        let Some((name, _)) = self.calls.end(call) else { return self.observer.worked(out, at) };
        if Copilot.is_our_tool(&name) {
            self.observer.our_result(out, at, data.get("result").unwrap_or(&Value::Null));
        } else if name == SQL {
            self.observer.happened(out, at, Happened::Worked, None);
        } else {
            self.observer.worked(out, at);
        }
    }
}

impl Records for Events {
    fn record(&mut self, record: &Value, _written: Option<Timestamp>, out: &mut Vec<Observation>) {
        let at = time(record.get("timestamp"));
        let data = record.get("data").unwrap_or(&Value::Null);
        let kind = text(record.get("type")).unwrap_or_default();
        if text(record.get("agentId")).is_some() {
            if kind == "tool.execution_complete" {
                self.observer.happened(out, at, Happened::Worked, None);
            }
            return;
        }
        if matches!(
            kind,
            "session.start"
                | "session.resume"
                | "session.model_change"
                | "tool.execution_complete"
                | "session.shutdown"
        ) {
            self.used(data);
        }
        match kind {
            "session.error" => self.has_failed = true,
            "session.resume" | "user.message" | "assistant.message" => self.has_failed = false,
            _ => {}
        }
        match kind {
            "session.start" | "session.resume" => self.begin(data, at, out),
            "user.message" => self.message(data, at, out),
            "tool.execution_start" => {
                let call = text(data.get("toolCallId")).unwrap_or_default();
                self.calls.begin(call, text(data.get("toolName")).unwrap_or_default(), Value::Null);
            }
            "tool.execution_complete" => self.called(data, at, out),
            "assistant.message" => {
                let calls = data.get("toolRequests").and_then(Value::as_array);
                if calls.is_none_or(Vec::is_empty) {
                    self.observer.happened(out, at, Happened::Rests, None);
                }
            }
            "abort" => self.observer.happened(out, at, Happened::Rests, text(data.get("reason"))),
            "session.error" => {
                let message = text(data.get("message")).and_then(|message| message.lines().next());
                self.observer.happened(out, at, Happened::Failed, message);
            }
            "session.shutdown" if !self.has_failed => {
                self.observer.happened(out, at, Happened::Ended, text(data.get("errorReason")));
            }
            _ => {}
        }
    }
}

/// A number of tokens that is written with a fraction.
fn whole(number: f64) -> Option<u64> {
    format!("{number:.0}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observed;
    use rstest::rstest;
    use serde_json::json;
    use std::fs;

    const PATH: &str = "/home/u/.copilot/session-state/27844ee3-6403-4515-9cbf-7d28eb3d5fe3/events.jsonl";

    fn read(records: &[Value]) -> Vec<Observation> {
        let mut events = Events::new(Path::new(PATH));
        let mut out = Vec::new();
        records.iter().for_each(|record| events.record(record, None, &mut out));
        out
    }

    fn story(told: &[Observation]) -> Vec<String> {
        let word = |told: &Observation| match &told.observed {
            Observed::Happened { tool: true, .. } => "tool".to_owned(),
            Observed::Happened { happened, text: Some(text), .. } => format!("{happened:?}: {text}"),
            Observed::Happened { happened, .. } => format!("{happened:?}"),
            Observed::OurResult { .. } => "ours".to_owned(),
            Observed::List { .. } => "list".to_owned(),
        };
        told.iter().map(word).collect()
    }

    #[test]
    fn a_recorded_session_is_told_as_it_was() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/tests/recordings/copilot/events.jsonl");
        let text = fs::read_to_string(path).expect("the recording is there");
        let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
        let told = read(&records);
        let prompt = "Prepare the release. Keep a list of the steps.";
        let first = format!("Prompted: {prompt}");
        let failed =
            told.iter().find(|told| matches!(&told.observed, Observed::Happened { happened: Happened::Failed, .. }));
        let Some(Observed::Happened { text: Some(reason), .. }) = failed.map(|told| &told.observed) else {
            panic!("one")
        };
        assert!(reason.starts_with("Authentication failed with provider at "), "{reason}");
        let failed = format!("Failed: {reason}");
        assert_eq!(
            story(&told),
            [
                "Worked",
                &first,
                "Worked",
                "Worked",
                "tool",
                "Worked",
                "ours",
                "Worked",
                "tool",
                "ours",
                "Worked",
                "Rests",
                "Worked",
                "Rests",
                "Ended",
                "Worked",
                "Prompted: Go on.",
                &failed,
            ]
        );
        let run = &told.last().expect("something").run;
        assert_eq!(run.own_session, "27844ee3-6403-4515-9cbf-7d28eb3d5fe3");
        let known = [&run.folder, &run.branch, &run.version, &run.title].map(Option::as_deref);
        assert_eq!(known, [Some("/home/u/billing"), Some("main"), Some("1.0.102"), Some(prompt)]);
        assert_eq!(run.parent, None);
    }

    #[rstest]
    #[case(json!({"content": "Go"}), &["Prompted: Go"])]
    #[case(json!({"content": "", "source": "system"}), &["Worked"])]
    #[case(json!({"content": "Look into it", "source": "agent-1"}), &["Worked"])]
    #[case(json!({"content": "<system_notification>\nAgent \"bg\" is idle"}), &["Worked"])]
    #[case(json!({"content": "Sightline has news from the user before your turn ends.\n\nTag it"}), &["Worked"])]
    fn only_the_users_messages_are_prompts(#[case] data: Value, #[case] expected: &[&str]) {
        let record = json!({"type": "user.message", "timestamp": "2026-11-24T16:39:09.652Z", "data": data});
        assert_eq!(story(&read(&[record])), expected);
    }

    #[test]
    fn an_interrupted_turn_rests_and_a_crash_says_why() {
        let event =
            |kind: &str, data: Value| json!({"type": kind, "timestamp": "2026-11-24T16:39:09.652Z", "data": data});
        let told = read(&[
            event("abort", json!({"reason": "user_initiated"})),
            event("session.shutdown", json!({"shutdownType": "error", "errorReason": "out of memory"})),
        ]);
        assert_eq!(story(&told), ["Rests: user_initiated", "Ended: out of memory"]);
    }
}
