//! The meaning of what an editor and its agent say to each other: what an agent's session is doing.
//!
//! It reads lines and gives news, and knows neither a clock nor a backend.

use crate::asks::Asked as AskedHere;
use crate::handshake::Handshake;
use crate::message::{
    Elicitation, Message, Notice, OfSession, Opening, Permission, Prompt, SessionUpdate, ToolCall, TurnEnd,
};
use crate::tool_server::OPENINGS;
use protocol::{DoneCall, Usage};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

/// Requests, questions and calls under way that are remembered, of each kind. Nobody has so many; who does is forgotten.
const REMEMBERED: usize = 1024;

/// Bytes of a call's arguments that are kept until the call has ended.
const INPUT_BYTES: usize = 32 * 1024;

/// Characters of the text that says what an agent waits for.
const TEXT_CHARS: usize = 300;

/// The side that a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Editor,
    Agent,
}

/// A session of the agent's.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The session's id, which is the agent's own.
    pub(crate) own_session: String,
    /// The label under which our tool server was given to it.
    pub(crate) label: Option<String>,
    /// The folder that it works in.
    pub(crate) folder: Option<String>,
    /// Its model, context and cost.
    pub(crate) usage: Option<Usage>,
}

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum News {
    /// It was opened again.
    Opened,
    /// The user gave it a prompt.
    Prompted(String),
    /// A call of a tool has ended, or the user has answered.
    Worked {
        /// A call of a tool that is not about a list.
        tool: bool,
    },
    /// It waits for the user.
    Waits(String),
    /// It waits for the user, who can answer here as well.
    Asks(String, Box<AskedHere>),
    /// Notes that a question of the agent was answered.
    Answered {
        /// The request's id.
        id: String,
        /// The call, where the editor has answered.
        done: Option<DoneCall>,
        /// It waits for something else.
        next: Option<String>,
    },
    /// Its turn is over.
    Rests,
    /// Its turn was stopped, by the user or a limit.
    Stopped,
    /// Its turn ended in an error.
    Failed(String),
    /// The agent sent its plan.
    Plan(Vec<Value>),
    /// It was closed.
    Closed,
}

/// A request of the editor's that is under way.
enum Asked {
    Opens { opening: Opening, is_old: bool, label: Option<String> },
    Prompts(String),
    Closes(String),
}

/// A question of the agent's that the user has not answered.
struct Open {
    session: String,
    text: String,
    /// The call, where it is asked about here as well.
    done: Option<DoneCall>,
}

/// The facts known of the conversation.
pub(crate) struct Follower {
    handshake: Arc<OnceLock<Handshake>>,
    /// Labels of requests that open a session, by the request's id.
    labels: HashMap<String, String>,
    asked: HashMap<String, Asked>,
    questions: HashMap<String, Open>,
    /// Calls that have not ended, as they were told first, by session and call.
    calls: HashMap<(String, String), ToolCall>,
    /// Sessions whose past is being told.
    replayed: HashSet<String>,
    runs: HashMap<String, Arc<Run>>,
}

impl Follower {
    pub(crate) fn new(handshake: Arc<OnceLock<Handshake>>) -> Self {
        Self {
            handshake,
            labels: HashMap::new(),
            asked: HashMap::new(),
            questions: HashMap::new(),
            calls: HashMap::new(),
            replayed: HashSet::new(),
            runs: HashMap::new(),
        }
    }

    /// The request of this id, whose line is to come, has our tool server with this label.
    pub(crate) fn labelled(&mut self, id: String, label: String) {
        insert(&mut self.labels, id, label);
    }

    /// The agent gets a prompt of ours under this id.
    pub(crate) fn prompted(&mut self, id: String, own_session: String) {
        insert(&mut self.asked, id, Asked::Prompts(own_session));
    }

    /// Reads a line.
    pub(crate) fn line(&mut self, from: Side, line: &[u8]) -> Option<(Arc<Run>, News)> {
        let message = Message::read(line)?;
        let (session, news) = match (from, &message.method, message.id()) {
            (Side::Editor, Some(method), Some(id)) => self.request(method, id, &message)?,
            (Side::Editor, None, Some(id)) => self.reply(&id)?,
            (Side::Agent, Some(method), Some(id)) => self.question(method, id, &message)?,
            (Side::Agent, Some(method), None) if method == "session/update" => self.update(&message.params()?)?,
            (Side::Agent, None, Some(id)) => self.answer(&id, &message)?,
            _ => return None,
        };
        let run = self.run(&session);
        if news == News::Closed {
            self.runs.remove(&session);
        }
        Some((run, news))
    }

    /// The agent has got our answer to its request of this id.
    pub(crate) fn answered(&mut self, id: &str) -> Option<(Arc<Run>, News)> {
        let (session, news) = self.settle(id, false)?;
        Some((self.run(&session), news))
    }

    /// The editor asks the agent.
    fn request(&mut self, method: &str, id: String, message: &Message<'_>) -> Option<(String, News)> {
        match method {
            "session/prompt" => {
                let prompt: Prompt = message.params()?;
                let (session, text) = (prompt.session_id.clone(), prompt.text());
                insert(&mut self.asked, id, Asked::Prompts(session.clone()));
                return Some((session, News::Prompted(text)));
            }
            "session/close" => {
                let OfSession { session_id } = message.params()?;
                insert(&mut self.asked, id, Asked::Closes(session_id));
            }
            method if OPENINGS.contains(&method) => {
                let (opening, label): (Opening, _) = (message.params()?, self.labels.remove(&id));
                // A copy of a session is a new one.
                let is_old = matches!(method, "session/load" | "session/resume");
                if let Some(session) =
                    opening.session_id.as_ref().filter(|_| is_old && self.replayed.len() < REMEMBERED)
                {
                    self.replayed.insert(session.clone());
                }
                insert(&mut self.asked, id, Asked::Opens { opening, is_old, label });
            }
            _ => {}
        }
        None
    }

    /// The agent answers the editor.
    fn answer(&mut self, id: &str, message: &Message<'_>) -> Option<(String, News)> {
        match self.asked.remove(id)? {
            Asked::Opens { opening, is_old, label } => {
                let asked = opening.session_id.filter(|_| is_old);
                if let Some(session) = &asked {
                    self.replayed.remove(session);
                }
                let opened: Opening = message.outcome().ok()?.unwrap_or_default();
                let own_session = asked.or_else(|| opened.session_id.clone())?;
                let usage = opened.model().map(|model| Usage { model: Some(model), ..Usage::default() });
                let run = Run { own_session: own_session.clone(), label, folder: opening.cwd, usage };
                insert(&mut self.runs, own_session.clone(), Arc::new(run));
                is_old.then_some((own_session, News::Opened))
            }
            Asked::Prompts(session) => {
                self.questions.retain(|_, open| open.session != session);
                self.calls.retain(|(of, _), _| *of != session);
                let is_same = |asked: &Asked| matches!(asked, Asked::Prompts(other) if *other == session);
                let goes_on = self.asked.values().any(is_same);
                let news = match message.outcome::<TurnEnd>() {
                    Err(message) => News::Failed(message),
                    Ok(Some(end)) if end.is_stopped() => News::Stopped,
                    Ok(_) => News::Rests,
                };
                (!goes_on).then_some((session, news))
            }
            Asked::Closes(session) => {
                message.outcome::<Value>().ok()?;
                Some((session, News::Closed))
            }
        }
    }

    /// The agent asks the editor, and so the user.
    fn question(&mut self, method: &str, id: String, message: &Message<'_>) -> Option<(String, News)> {
        let (session, text, asked) = match method {
            "session/request_permission" => {
                let asked: Permission<'_> = message.params()?;
                let call: ToolCall = serde_json::from_str(asked.tool_call.get()).ok()?;
                let before = self.calls.get(&(asked.session_id.clone(), call.tool_call_id.clone()));
                let here = AskedHere::permission(&id, &asked, &call, before);
                (asked.session_id, permission(&call, before), here)
            }
            "elicitation/create" => {
                let asked: Elicitation<'_> = message.params()?;
                let here = AskedHere::elicitation(&id, &asked);
                (asked.session_id, asked.message, here)
            }
            _ => return None,
        };
        let text: String = text.chars().take(TEXT_CHARS).collect();
        let asked = asked.filter(|_| self.handshake.get().is_some_and(|handshake| handshake.is_understood));
        let done = asked.as_ref().map(AskedHere::done);
        insert(&mut self.questions, id, Open { session: session.clone(), text: text.clone(), done });
        let news = match asked {
            Some(asked) => News::Asks(text, Box::new(asked)),
            None => News::Waits(text),
        };
        Some((session, news))
    }

    /// The editor answers the agent.
    fn reply(&mut self, id: &str) -> Option<(String, News)> {
        self.settle(id, true)
    }

    fn settle(&mut self, id: &str, is_elsewhere: bool) -> Option<(String, News)> {
        let Open { session, done, .. } = self.questions.remove(id)?;
        let next = self.questions.values().find(|open| open.session == session).map(|open| open.text.clone());
        let news = match (done, next) {
            (Some(done), next) => News::Answered { id: id.to_owned(), done: Some(done).filter(|_| is_elsewhere), next },
            (None, Some(next)) => News::Waits(next),
            (None, None) => News::Worked { tool: false },
        };
        Some((session, news))
    }

    /// The agent tells of its session.
    fn update(&mut self, notice: &Notice<'_>) -> Option<(String, News)> {
        if self.replayed.contains(&notice.session_id) {
            return None;
        }
        let session = notice.session_id.clone();
        let news = match notice.update()? {
            SessionUpdate::Plan(entries) => News::Plan(entries),
            SessionUpdate::Call(call) => self.call(&session, call)?,
            SessionUpdate::Used(told) => {
                self.used(&session, &told);
                return None;
            }
        };
        Some((session, news))
    }

    fn call(&mut self, session: &str, mut call: ToolCall) -> Option<News> {
        let place = (session.to_owned(), call.tool_call_id.clone());
        if !call.has_ended() {
            call.raw_input = call.raw_input.filter(|input| input.get().len() <= INPUT_BYTES);
            // Its first title names the tool; later ones say what came of it. The arguments may come later.
            match self.calls.get_mut(&place) {
                Some(known) if call.input().is_some() => known.raw_input = call.raw_input,
                Some(_) => {}
                None => insert(&mut self.calls, place, call),
            }
            return None;
        }
        let title = self.calls.remove(&place).map(|known| known.title.unwrap_or_default()).or(call.title)?;
        Some(News::Worked { tool: !self.handshake.get().is_some_and(|handshake| handshake.is_about_list(&title)) })
    }

    /// The next news tells it.
    fn used(&mut self, session: &str, told: &Usage) {
        let run = self.run(session);
        let known = run.usage.as_ref();
        let usage = Usage {
            model: known.and_then(|known| known.model.clone()),
            micro_dollars: told.micro_dollars.or_else(|| known.and_then(|known| known.micro_dollars)),
            ..told.clone()
        };
        let (label, folder) = (run.label.clone(), run.folder.clone());
        let run = Run { own_session: session.to_owned(), label, folder, usage: Some(usage) };
        insert(&mut self.runs, session.to_owned(), Arc::new(run));
    }

    fn run(&mut self, session: &str) -> Arc<Run> {
        if let Some(run) = self.runs.get(session) {
            return run.clone();
        }
        let run = Arc::new(Run { own_session: session.to_owned(), label: None, folder: None, usage: None });
        insert(&mut self.runs, session.to_owned(), run.clone());
        run
    }
}

/// The subject of a permission, in a line.
fn permission(call: &ToolCall, before: Option<&ToolCall>) -> String {
    let title = call.title.clone().or_else(|| before.and_then(|call| call.title.clone()));
    match (title, call.command()) {
        (Some(title), Some(command)) if !title.contains(&command) => format!("{title}: {command}"),
        (Some(title), _) => title,
        (None, command) => command.unwrap_or_default(),
    }
}

fn insert<K: Eq + std::hash::Hash, V>(map: &mut HashMap<K, V>, key: K, value: V) {
    if map.len() >= REMEMBERED {
        map.clear();
    }
    map.insert(key, value);
}

#[cfg(test)]
mod tests;
