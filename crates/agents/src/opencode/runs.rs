//! The observations that parts and lists give of runs.

use super::OPENCODE;
use super::rows::{Part, Session};
use crate::transcript::{Observation, Observer, Run, some, text, tokens};
use crate::{Agent, subagent_session};
use jiff::Timestamp;
use protocol::{Happened, Usage};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The beginnings of the titles that sessions have at first.
const UNTITLED: [&str; 2] = ["New session - ", "Child session - "];

/// The meaning of a part.
pub(super) enum Step {
    /// A prompt of the user's.
    Prompt(String),
    /// A call that has ended.
    Call { tool: String, input: Value, answer: Value, ended: Option<i64> },
    /// A call that has not ended.
    Open { writes_list: bool },
    /// The end of a call of the model, which may be that of a turn, with the tokens that it read.
    Called { read: u64, is_over: bool },
}

impl Step {
    /// The meaning of a part's data. `None` for parts that do not count.
    pub(super) fn of(data: &Value, is_users: bool) -> Option<Self> {
        match text(data.get("type"))? {
            "text" => {
                let is = |name: &str| data.get(name) == Some(&Value::Bool(true));
                let words = text(data.get("text")).filter(|_| is_users && !is("synthetic") && !is("ignored"))?;
                // `opencode run` puts a prompt of several words in quotes.
                let quoted = words.strip_prefix('"').and_then(|words| words.strip_suffix('"'));
                Some(Self::Prompt(quoted.unwrap_or(words).to_owned()))
            }
            "tool" => {
                let tool = text(data.get("tool"))?;
                let writes_list = OPENCODE.list_tool(tool).is_some();
                let state = data.get("state")?;
                let answer = match text(state.get("status"))? {
                    "completed" => state.get("output").cloned().unwrap_or_default(),
                    "error" => json!({ "error": state.get("error").cloned().unwrap_or(Value::Bool(true)) }),
                    _ => return Some(Self::Open { writes_list }),
                };
                let ended = state.pointer("/time/end").and_then(Value::as_i64);
                let input = state.get("input").filter(|_| writes_list).cloned().unwrap_or_default();
                let answer = if writes_list || OPENCODE.is_our_tool(tool) { answer } else { Value::Null };
                Some(Self::Call { tool: tool.to_owned(), input, answer, ended })
            }
            "step-finish" => {
                let told = data.get("tokens").unwrap_or(&Value::Null);
                let cache = told.get("cache").unwrap_or(&Value::Null);
                let read = [tokens(told, "input"), tokens(cache, "read"), tokens(cache, "write")];
                let read = read.into_iter().fold(0, u64::saturating_add);
                Some(Self::Called { read, is_over: text(data.get("reason"))? != "tool-calls" })
            }
            _ => None,
        }
    }

    /// The time at which it happened, in milliseconds.
    pub(super) fn at(&self, part: &Part) -> i64 {
        match self {
            Self::Prompt(_) => part.message_created,
            Self::Call { ended, .. } => ended.unwrap_or(part.created),
            Self::Open { .. } | Self::Called { .. } => part.created,
        }
    }
}

/// The runs of one database.
#[derive(Default)]
pub(super) struct Runs(HashMap<String, RunState>);

/// One run, and what was observed of it last.
struct RunState {
    observer: Observer,
    /// The message of the last prompt.
    prompt: String,
    /// The last list.
    list: Vec<[String; 3]>,
}

impl Runs {
    /// Updates what is known of a run.
    pub(super) fn note(&mut self, session: Session) {
        let titled = session.title.filter(|title| !UNTITLED.iter().any(|untitled| title.starts_with(untitled)));
        self.state(&session.id).observer.note(|run| {
            if let Some(top) = &session.top {
                run.own_session = subagent_session(top, &session.id);
            }
            run.parent = session.top;
            run.folder = session.folder;
            run.version = session.version;
            run.title = titled.or_else(|| run.title.take());
        });
        let observer = &mut self.state(&session.id).observer;
        let context_tokens = observer.run().usage.as_ref().and_then(|usage| usage.context_tokens);
        observer.used(&Usage { context_tokens, ..session.usage });
    }

    /// Adds a step that has ended.
    pub(super) fn add(&mut self, part: &Part, step: Step, out: &mut Vec<Observation>) {
        let at = time(step.at(part));
        let state = self.state(&part.session);
        match step {
            Step::Prompt(words) if state.prompt != part.message => {
                state.prompt.clone_from(&part.message);
                state.observer.prompted(out, at, &words);
            }
            Step::Called { read, is_over } => {
                let mut usage = state.observer.run().usage.clone().unwrap_or_default();
                usage.context_tokens = some(read).or(usage.context_tokens);
                state.observer.used(&usage);
                if is_over {
                    state.observer.happened(out, at, Happened::Rests, None);
                }
            }
            Step::Call { tool, answer, .. } if OPENCODE.is_our_tool(&tool) => {
                state.observer.our_result(out, at, &answer)
            }
            Step::Call { tool, input, answer, .. } if tool == "todowrite" => {
                match OPENCODE.list_written(&tool, &input, &answer) {
                    Some(list) => {
                        state.list = compared(&list.todos);
                        state.observer.list(out, at, list.tool, list.todos);
                    }
                    None => state.observer.happened(out, at, Happened::Worked, None),
                }
            }
            Step::Call { .. } => state.observer.worked(out, at),
            Step::Prompt(_) | Step::Open { .. } => {}
        }
    }

    /// Adds the rows of a list, where they differ from the last call's list.
    pub(super) fn list(&mut self, session: &str, written: i64, items: &[Value], out: &mut Vec<Observation>) {
        let at = time(written);
        let state = self.state(session);
        let Some(list) = OPENCODE.list_written("todowrite", &json!({ "todos": items }), &Value::Null) else { return };
        let compared = compared(&list.todos);
        if compared != state.list {
            state.list = compared;
            state.observer.list(out, at, list.tool, list.todos);
        }
    }

    fn state(&mut self, session: &str) -> &mut RunState {
        self.0.entry(session.to_owned()).or_insert_with(|| RunState {
            observer: Observer::new(Run::new(session)),
            prompt: String::new(),
            list: Vec::new(),
        })
    }
}

fn time(milliseconds: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(milliseconds).ok().filter(|time| time.as_millisecond() > 0)
}

/// The fields in which lists are compared: the rows have no more.
fn compared(todos: &Value) -> Vec<[String; 3]> {
    let word = |item: &Value, name: &str| text(item.get(name)).unwrap_or_default().to_owned();
    let items = todos.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().map(|item| ["content", "status", "priority"].map(|name| word(item, name))).collect()
}
