//! The messages of a session, `sessions/ID/ID.messages.json`, which are written anew with each; beside them is `ID.json`
//! with what is known of the session, its first prompt among it.

use super::Cline;
use crate::Agent;
use crate::transcript::{Observation, Observer, Records, Run, Tokens, Used, text, time, tokens};
use jiff::Timestamp;
use protocol::{Happened, Usage};
use serde_json::Value;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The most bytes of the file beside the messages.
const SESSION_BYTES: u64 = 1024 * 1024;

/// The parser of one session.
pub(super) struct Messages {
    /// The file beside the messages.
    session: PathBuf,
    observer: Observer,
    /// True if the file beside the messages was read.
    is_known: bool,
    /// True if the first prompt was told before its message came.
    is_prompt_told: bool,
    /// The ids of messages that were taken: a summary takes the place of old ones.
    taken: HashSet<String>,
    used: Used,
    /// Dollars so far.
    cost: Option<f64>,
}

impl Messages {
    pub(super) fn new(path: &Path) -> Self {
        let folder = path.parent().unwrap_or(Path::new(""));
        let id = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let session = folder.join(format!("{id}.json"));
        Self {
            session,
            observer: Observer::new(Run::new(&id)),
            is_known: false,
            is_prompt_told: false,
            taken: HashSet::new(),
            used: Used::default(),
            cost: None,
        }
    }

    /// Reads the file beside the messages, which has the first prompt before there are any.
    fn begin(&mut self, out: &mut Vec<Observation>) {
        let session = careful::text(&self.session, SESSION_BYTES).unwrap_or_default();
        let Ok(session) = serde_json::from_str::<Value>(&session) else { return };
        let word = |path: &str| text(session.pointer(path)).map(str::to_owned);
        let Some(prompt) = word("/prompt") else { return };
        self.observer.note(|run| {
            run.folder = word("/cwd");
            run.version = word("/metadata/sessionHistoryOrigin/version");
        });
        self.is_known = true;
        if self.taken.is_empty() {
            self.is_prompt_told = true;
            self.observer.prompted(out, time(session.get("started_at")), typed(&prompt).unwrap_or(&prompt));
        }
    }

    /// Takes the model, the tokens and the cost of a message of the model's.
    fn used(&mut self, message: &Value) {
        let Some(told) = message.get("metrics").filter(|told| told.is_object()) else { return };
        let [input, cached, output] = ["inputTokens", "cacheReadTokens", "outputTokens"].map(|name| tokens(told, name));
        if let Some(cost) = told.get("cost").and_then(Value::as_f64) {
            self.cost = Some(self.cost.unwrap_or_default() + cost);
        }
        self.used.model(text(message.pointer("/modelInfo/id")));
        self.used.call(None, Tokens { input, cached, output });
        let usage = self.used.usage();
        usage.micro_dollars = self.cost.and_then(Usage::micro_dollars);
        self.observer.used(usage);
    }

    fn message(&mut self, message: &Value, out: &mut Vec<Observation>) {
        let at = message.get("ts").and_then(Value::as_i64).and_then(|at| Timestamp::from_millisecond(at).ok());
        let parts = message.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        self.used(message);
        let is = |kind: &'static str| move |part: &&Value| text(part.get("type")) == Some(kind);
        for result in parts.iter().filter(is("tool_result")) {
            match text(result.get("name")) {
                Some(name) if Cline.is_our_tool(name) => {
                    self.observer.our_result(out, at, result.get("content").unwrap_or(&Value::Null));
                }
                _ => self.observer.worked(out, at),
            }
        }
        match text(message.get("role")) {
            Some("user") => {
                // Text that hooks have added is the user's in name only.
                let mut prompts = parts.iter().filter(is("text")).filter_map(|part| typed(text(part.get("text"))?));
                if let Some(prompt) = prompts.next()
                    && !std::mem::take(&mut self.is_prompt_told)
                {
                    self.observer.prompted(out, at, prompt);
                }
            }
            Some("assistant") if !parts.iter().any(|part| is("tool_use")(&part)) => {
                self.observer.happened(out, at, Happened::Rests, None);
            }
            _ => {}
        }
    }
}

impl Records for Messages {
    fn record(&mut self, record: &Value, _written: Option<Timestamp>, out: &mut Vec<Observation>) {
        if !self.is_known {
            self.begin(out);
        }
        let messages = record.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for message in messages {
            let id = text(message.get("id")).unwrap_or_default();
            if self.taken.insert(id.to_owned()) {
                self.message(message, out);
            }
        }
    }
}

/// The words that the user has typed: `<user_input mode="act">WORDS</user_input>`.
fn typed(text: &str) -> Option<&str> {
    let (_, words) = text.trim().strip_prefix("<user_input")?.split_once('>')?;
    Some(words.strip_suffix("</user_input>").unwrap_or(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observed;
    use rstest::rstest;
    use serde_json::json;
    use std::fs;

    /// A session of two prompts; at the first the model wrote our list, ran a command and asked a subagent.
    fn recorded() -> PathBuf {
        let id = "1795541148642_52gdg";
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/tests/recordings/cline/sessions").join(id);
        folder.join(format!("{id}.messages.json"))
    }

    fn described(seen: &[Observation]) -> Vec<String> {
        let describe = |seen: &Observation| match &seen.observed {
            Observed::List { .. } => "list".to_owned(),
            Observed::OurResult { result } => format!("ours {}", result.as_str().is_some_and(|text| text.len() > 10)),
            Observed::Happened { happened, text, tool } => {
                format!("{happened:?}{}{}", if *tool { " tool " } else { " " }, text.as_deref().unwrap_or_default())
            }
        };
        seen.iter().map(describe).collect()
    }

    #[test]
    fn a_recorded_session_is_told_as_it_grew_and_as_a_whole() {
        let path = recorded();
        let whole: Value =
            serde_json::from_str(&fs::read_to_string(&path).expect("the recording")).expect("it is JSON");
        let all = whole["messages"].as_array().expect("messages").clone();
        let mut grown = Vec::new();
        let mut messages = Messages::new(&path);
        for end in 0..=all.len() {
            messages.record(&json!({ "messages": all[..end] }), None, &mut grown);
        }
        let mut at_once = Vec::new();
        Messages::new(&path).record(&whole, None, &mut at_once);
        assert_eq!(grown, at_once);
        assert_eq!(
            described(&grown),
            [
                "Prompted Prepare the release.",
                "ours true",
                "Worked tool ",
                "Worked tool ",
                "Rests ",
                "Prompted Go on.",
                "Rests ",
            ]
        );
        let run = &grown[0].run;
        assert_eq!((run.own_session.as_str(), run.parent.as_deref()), ("1795541148642_52gdg", None));
        assert_eq!((run.folder.as_deref(), run.version.as_deref()), (Some("/home/user/project"), Some("3.0.65")));
        assert_eq!(run.title.as_deref(), Some("Prepare the release."));
    }

    #[test]
    fn without_the_file_beside_it_the_first_message_is_the_prompt() {
        let folder = std::env::temp_dir().join("nothing/here/1_a");
        let mut seen = Vec::new();
        let prompt = json!({ "id": "1", "role": "user", "ts": 1_795_536_547_546_i64,
            "content": [{ "type": "text", "text": "<user_input mode=\"act\">Go on.</user_input>" }] });
        Messages::new(&folder.join("1_a.messages.json")).record(&json!({ "messages": [prompt] }), None, &mut seen);
        assert_eq!(described(&seen), ["Prompted Go on."]);
    }

    #[rstest]
    #[case(json!(null))]
    #[case(json!({ "messages": {} }))]
    #[case(json!({ "messages": [1, { "role": "user", "content": "text" }, { "content": [{ "type": "tool_result" }] }] }))]
    fn what_is_no_session_tells_nothing(#[case] record: Value) {
        let mut seen = Vec::new();
        Messages::new(Path::new("/nothing/1_a/1_a.messages.json")).record(&record, None, &mut seen);
        assert_eq!(described(&seen), [""; 0]);
    }

    #[rstest]
    #[case("<user_input mode=\"act\">Go on.</user_input>", Some("Go on."))]
    #[case("<user_input mode=\"plan\">a > b", Some("a > b"))]
    #[case("<hook_context source=\"RunStart\">\nTold\n</hook_context>", None)]
    fn words_of_the_user_are_told_from_others(#[case] text: &str, #[case] words: Option<&str>) {
        assert_eq!(typed(text), words);
    }
}
