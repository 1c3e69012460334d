//! The meaning of what an editor and its agent say to each other: what an agent's session is doing.
//!
//! It reads lines and gives news, and knows neither a clock nor a backend.

use crate::handshake::Handshake;
use crate::message::{
    Message, Notice, OfSession, Opening, Permission, Prompt, Question, SessionUpdate, ToolCall, TurnEnd,
};
use crate::tool_server::OPENINGS;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

/// Requests, questions and calls under way that are remembered, of each kind. Nobody has so many; who does is forgotten.
const REMEMBERED: usize = 1024;

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
}

/// The facts known of the conversation.
pub(crate) struct Follower {
    handshake: Arc<OnceLock<Handshake>>,
    /// Labels of requests that open a session, by the request's id.
    labels: HashMap<String, String>,
    asked: HashMap<String, Asked>,
    questions: HashMap<String, Open>,
    /// Titles of calls that have not ended, by session and call.
    calls: HashMap<(String, String), String>,
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
            (Side::Agent, Some(method), None) if method == "session/update" => self.update(message.params()?)?,
            (Side::Agent, None, Some(id)) => self.answer(&id, &message)?,
            _ => return None,
        };
        let run = self.run(&session);
        if news == News::Closed {
            self.runs.remove(&session);
        }
        Some((run, news))
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
                let own_session = asked.or(opened.session_id)?;
                let run = Run { own_session: own_session.clone(), label, folder: opening.cwd };
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
        let (session, text) = match method {
            "session/request_permission" => {
                let Permission { session_id, tool_call } = message.params()?;
                let text = self.permission(&session_id, &tool_call);
                (session_id, text)
            }
            "elicitation/create" => {
                let Question { session_id, message } = message.params()?;
                (session_id, message)
            }
            _ => return None,
        };
        let text: String = text.chars().take(TEXT_CHARS).collect();
        insert(&mut self.questions, id, Open { session: session.clone(), text: text.clone() });
        Some((session, News::Waits(text)))
    }

    fn permission(&self, session: &str, call: &ToolCall) -> String {
        let known = || self.calls.get(&(session.to_owned(), call.tool_call_id.clone())).cloned();
        let title = call.title.clone().or_else(known);
        match (title, call.command()) {
            (Some(title), Some(command)) if !title.contains(command) => format!("{title}: {command}"),
            (Some(title), _) => title,
            (None, command) => command.unwrap_or_default().to_owned(),
        }
    }

    /// The editor answers the agent.
    fn reply(&mut self, id: &str) -> Option<(String, News)> {
        let Open { session, .. } = self.questions.remove(id)?;
        let next = self.questions.values().find(|open| open.session == session);
        let news = next.map_or(News::Worked { tool: false }, |open| News::Waits(open.text.clone()));
        Some((session, news))
    }

    /// The agent tells of its session.
    fn update(&mut self, Notice { session_id, update }: Notice) -> Option<(String, News)> {
        if self.replayed.contains(&session_id) {
            return None;
        }
        let news = match update {
            SessionUpdate::Plan { entries } => News::Plan(entries),
            SessionUpdate::PlanUpdate { plan } => News::Plan(plan.entries?),
            SessionUpdate::ToolCall(call) | SessionUpdate::ToolCallUpdate(call) => self.call(&session_id, &call)?,
            SessionUpdate::Other => return None,
        };
        Some((session_id, news))
    }

    fn call(&mut self, session: &str, call: &ToolCall) -> Option<News> {
        let place = (session.to_owned(), call.tool_call_id.clone());
        if !call.has_ended() {
            // Its first title names the tool; later ones say what came of it.
            if !self.calls.contains_key(&place) {
                insert(&mut self.calls, place, call.title.clone().unwrap_or_default());
            }
            return None;
        }
        let title = self.calls.remove(&place).or_else(|| call.title.clone())?;
        Some(News::Worked { tool: !self.handshake.get().is_some_and(|handshake| handshake.is_about_list(&title)) })
    }

    fn run(&mut self, session: &str) -> Arc<Run> {
        if let Some(run) = self.runs.get(session) {
            return run.clone();
        }
        let run = Arc::new(Run { own_session: session.to_owned(), label: None, folder: None });
        insert(&mut self.runs, session.to_owned(), run.clone());
        run
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
