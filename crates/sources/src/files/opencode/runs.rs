//! What parts and lists tell of runs.

use super::rows::{Part, Session};
use crate::calls::{Listed, is_ours, list_of, list_tool};
use crate::files::Kind;
use crate::files::told::{Run, Teller, Told, text};
use jiff::Timestamp;
use protocol::Happened;
use serde_json::{Value, json};
use std::collections::HashMap;

/// What a session is called until it has a title.
const UNTITLED: [&str; 2] = ["New session - ", "Child session - "];

/// What a part is.
pub(super) enum Step {
    /// The user wrote it.
    Prompt(String),
    /// A call that has ended.
    Call { tool: String, input: Value, answer: Value, ended: Option<i64> },
    /// A call that has not.
    Open { writes_list: bool },
    /// The turn is over.
    Over,
}

impl Step {
    /// What is of no account is none.
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
                let writes_list = list_tool(Kind::Opencode, tool).is_some();
                let state = data.get("state")?;
                let answer = match text(state.get("status"))? {
                    "completed" => state.get("output").cloned().unwrap_or_default(),
                    "error" => json!({ "error": state.get("error").cloned().unwrap_or(Value::Bool(true)) }),
                    _ => return Some(Self::Open { writes_list }),
                };
                let ended = state.pointer("/time/end").and_then(Value::as_i64);
                let input = state.get("input").filter(|_| writes_list).cloned().unwrap_or_default();
                let answer = if writes_list || is_ours(Kind::Opencode, tool) { answer } else { Value::Null };
                Some(Self::Call { tool: tool.to_owned(), input, answer, ended })
            }
            "step-finish" => (text(data.get("reason"))? != "tool-calls").then_some(Self::Over),
            _ => None,
        }
    }

    /// When it happened.
    pub(super) fn at(&self, part: &Part) -> i64 {
        match self {
            Self::Prompt(_) => part.message_created,
            Self::Call { ended, .. } => ended.unwrap_or(part.created),
            Self::Open { .. } | Self::Over => part.created,
        }
    }
}

/// The runs of one database.
#[derive(Default)]
pub(super) struct Runs(HashMap<String, Known>);

struct Known {
    teller: Teller,
    /// The message that was told as a prompt last.
    prompt: String,
    /// What the list said last.
    list: Vec<[String; 3]>,
}

impl Runs {
    /// Notes what is known of a run now.
    pub(super) fn note(&mut self, session: Session) {
        let titled = session.title.filter(|title| !UNTITLED.iter().any(|untitled| title.starts_with(untitled)));
        self.known(&session.id).teller.note(|run| {
            run.parent = session.parent;
            run.folder = session.folder;
            run.version = session.version;
            run.title = titled.or_else(|| run.title.take());
        });
    }

    pub(super) fn tell(&mut self, part: &Part, step: Step, out: &mut Vec<Told>) {
        let at = time(step.at(part));
        let known = self.known(&part.session);
        match step {
            Step::Prompt(words) if known.prompt != part.message => {
                known.prompt.clone_from(&part.message);
                known.teller.prompted(out, at, &words);
            }
            Step::Over => known.teller.happened(out, at, Happened::Rests, None),
            Step::Call { tool, answer, .. } if is_ours(Kind::Opencode, &tool) => known.teller.ours(out, at, &answer),
            Step::Call { tool, input, answer, .. } if tool == "todowrite" => {
                match list_of(Kind::Opencode, &tool, &input, &answer) {
                    Some(Listed::Whole { tool, todos }) => {
                        known.list = said(&todos);
                        known.teller.list(out, at, tool, todos);
                    }
                    _ => known.teller.happened(out, at, Happened::Worked, None),
                }
            }
            Step::Call { .. } => known.teller.worked(out, at),
            Step::Prompt(_) | Step::Open { .. } => {}
        }
    }

    /// The rows of a list, where they say something else than the last call.
    pub(super) fn list(&mut self, session: &str, written: i64, items: &[Value], out: &mut Vec<Told>) {
        let at = time(written);
        let known = self.known(session);
        let Some(Listed::Whole { tool, todos }) =
            list_of(Kind::Opencode, "todowrite", &json!({ "todos": items }), &Value::Null)
        else {
            return;
        };
        let said = said(&todos);
        if said != known.list {
            known.list = said;
            known.teller.list(out, at, tool, todos);
        }
    }

    fn known(&mut self, session: &str) -> &mut Known {
        self.0.entry(session.to_owned()).or_insert_with(|| Known {
            teller: Teller::new(Run { own_session: session.to_owned(), ..Run::default() }),
            prompt: String::new(),
            list: Vec::new(),
        })
    }
}

fn time(milliseconds: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(milliseconds).ok().filter(|time| time.as_millisecond() > 0)
}

/// What counts of a list: the rows have no more.
fn said(todos: &Value) -> Vec<[String; 3]> {
    let word = |item: &Value, name: &str| text(item.get(name)).unwrap_or_default().to_owned();
    let items = todos.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().map(|item| ["content", "status", "priority"].map(|name| word(item, name))).collect()
}
