//! The state machine of a link to a Tek gateway: what it is told makes it want things done, in order. It does nothing
//! itself, and has the time only from what it is told.
//!
//! A list names no session, and its `requestId` may be that of an earlier chat on the same connection. The call that wrote
//! it follows at once with an equal list and the right one, so a list is held until the next message.

mod event;
mod outbox;
#[cfg(test)]
mod tests;

use crate::message::{KnownSession, Question, Spent, Told};
use crate::tasks::Tasks;
pub(crate) use event::{Effect, Input, Line, News};
use outbox::Outbox;
use protocol::{Text, say};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// Times of a link.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// For the gateway to answer.
    pub opening: Duration,
    /// Between two questions whether it is there, where nothing is heard.
    pub probe: Duration,
    /// Without a word of it although something was asked, after which the connection counts as frozen.
    pub frozen: Duration,
    /// Before the first new attempt; each further one waits twice as long.
    pub first_pause: Duration,
    /// Between two attempts at most.
    pub longest_pause: Duration,
}

/// Time for which a list waits for its call, which comes with the next message.
const HELD: Duration = Duration::from_secs(1);

/// Chats of one connection whose requests are remembered, the newest.
const CHATS: usize = 1_000;

/// Sessions that are taken over when a connection begins, the newest.
const SESSIONS: usize = 200;

/// A chat: one request and all that came of it.
#[derive(Debug, Clone)]
struct Chat {
    number: u64,
    session: String,
    is_open: bool,
    has_failed: bool,
}

/// A list that waits for the call that wrote it.
#[derive(Debug)]
struct Held {
    request: String,
    todos: Vec<Value>,
    until: Duration,
}

#[derive(Debug)]
enum Phase {
    /// Not connected until that time.
    Resting { until: Duration },
    /// Connecting until that time.
    Opening { until: Duration },
    /// Connected; the last question whether it is there, and whether it is answered.
    Open { probed: Duration, is_owed: bool },
}

/// A link to a gateway.
#[derive(Debug)]
pub(crate) struct Link {
    timing: Timing,
    phase: Phase,
    failures: u32,
    heard: Duration,
    sent: u64,
    chats: HashMap<String, Chat>,
    begun: u64,
    /// The session that was made last: its chat may need the user's word before it begins.
    created: Option<String>,
    held: Option<Held>,
    tasks: BTreeMap<String, Tasks>,
    questions: Vec<Question>,
    outbox: Outbox,
}

impl Link {
    pub(crate) fn new(timing: Timing) -> Self {
        Self {
            timing,
            phase: Phase::Resting { until: Duration::ZERO },
            failures: 0,
            heard: Duration::ZERO,
            sent: 0,
            chats: HashMap::new(),
            begun: 0,
            created: None,
            held: None,
            tasks: BTreeMap::new(),
            questions: Vec::new(),
            outbox: Outbox::default(),
        }
    }

    /// Takes an input at a time, and returns what is to be done for it.
    pub(crate) fn step(&mut self, now: Duration, input: Input) -> Vec<Effect> {
        let mut effects = Vec::new();
        match input {
            Input::Opened if matches!(self.phase, Phase::Opening { .. }) => self.opened(now, &mut effects),
            Input::Opened => {}
            Input::Lost(problem) => self.lose(now, problem, &mut effects),
            Input::Told(told) if self.is_open() => self.told(now, told, &mut effects),
            Input::Told(_) => {}
            Input::Tick => self.tick(now, &mut effects),
            Input::Woken if matches!(self.phase, Phase::Resting { .. }) => self.open(now, &mut effects),
            Input::Woken => {}
            Input::Line(line) => {
                self.outbox.add(line);
                self.send_next(&mut effects);
            }
            Input::Decided(question, allowed) => self.decided(&question, allowed, &mut effects),
        }
        effects
    }

    /// The time at which it wants to be told that time has passed.
    pub(crate) fn next_tick(&self) -> Duration {
        match &self.phase {
            Phase::Resting { until } | Phase::Opening { until } => *until,
            Phase::Open { probed, is_owed } => {
                let wait = if *is_owed { self.timing.frozen } else { self.timing.probe };
                let next = self.heard.max(*probed) + wait;
                self.held.as_ref().map_or(next, |held| next.min(held.until))
            }
        }
    }

    fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Open { .. })
    }

    fn open(&mut self, now: Duration, effects: &mut Vec<Effect>) {
        self.phase = Phase::Opening { until: now + self.timing.opening };
        effects.push(Effect::Open);
    }

    fn opened(&mut self, now: Duration, effects: &mut Vec<Effect>) {
        self.heard = now;
        self.failures = 0;
        self.phase = Phase::Open { probed: now, is_owed: true };
        effects.push(Effect::Up);
        self.ask("gateway.status", effects);
        self.ask("session.list", effects);
        self.send_next(effects);
    }

    fn id(&mut self) -> String {
        self.sent += 1;
        format!("sightline-{}", self.sent)
    }

    fn ask(&mut self, kind: &str, effects: &mut Vec<Effect>) {
        let id = self.id();
        effects.push(Effect::Send(json!({ "type": kind, "id": id })));
    }

    fn lose(&mut self, now: Duration, problem: Text, effects: &mut Vec<Effect>) {
        if matches!(self.phase, Phase::Resting { .. }) {
            return;
        }
        self.release(effects);
        let pause = self.timing.first_pause.saturating_mul(2_u32.saturating_pow(self.failures.min(16)));
        self.failures += 1;
        self.phase = Phase::Resting { until: now + pause.min(self.timing.longest_pause) };
        let mut open: Vec<Chat> = self.chats.drain().map(|(_, chat)| chat).filter(|chat| chat.is_open).collect();
        open.sort_by_key(|chat| chat.number);
        for Chat { session, .. } in open {
            // It goes on there, or has ended with the gateway: nothing of it comes any more.
            effects.push(Effect::Report(session, News::Failed(say::run_connection_lost(&problem).english)));
        }
        self.withdraw(|_| true, effects);
        self.tasks.clear();
        self.created = None;
        self.outbox.lost();
        effects.push(Effect::Close);
        effects.push(Effect::Down(problem));
    }

    fn tick(&mut self, now: Duration, effects: &mut Vec<Effect>) {
        match &mut self.phase {
            Phase::Resting { until } if *until <= now => self.open(now, effects),
            Phase::Opening { until } if *until <= now => self.lose(now, say::link_tek_late(), effects),
            Phase::Open { probed, is_owed } => {
                let since = self.heard.max(*probed);
                if *is_owed && now >= since + self.timing.frozen {
                    return self.lose(now, say::link_frozen(), effects);
                }
                if !*is_owed && now >= since + self.timing.probe {
                    (*probed, *is_owed) = (now, true);
                    self.ask("gateway.status", effects);
                    // One that was refused because of a chat that has no end.
                    self.send_next(effects);
                }
                if self.held.as_ref().is_some_and(|held| held.until <= now) {
                    self.release(effects);
                }
            }
            _ => {}
        }
    }

    fn told(&mut self, now: Duration, told: Told, effects: &mut Vec<Effect>) {
        self.heard = now;
        if let Phase::Open { is_owed, .. } = &mut self.phase {
            *is_owed = false;
        }
        // The call that wrote the list that is held says whose it is; anything else does not.
        match &told {
            Told::Call { request, args, .. } if self.held.as_ref().is_some_and(|held| is_of(&held.todos, args)) => {
                if let (Some(held), Some(session)) = (self.held.take(), self.session(request)) {
                    self.list(&session, held.todos, effects);
                }
            }
            _ => self.release(effects),
        }
        match told {
            Told::SessionCreated { session } => {
                self.created = Some(session.clone());
                effects.push(Effect::Report(session, News::Created));
            }
            Told::Sessions(sessions) => self.sessions(sessions, effects),
            Told::Started { request, session, model } => self.started(&request, session, model, effects),
            Told::Ended { request, spent } => {
                if let Some(chat) = self.chats.get_mut(&request) {
                    chat.is_open = false;
                    if !chat.has_failed {
                        effects.push(Effect::Report(chat.session.clone(), News::Rests(spent)));
                    }
                }
                self.withdraw(|question| question.request == request, effects);
                // A chat that has ended was there, also where its beginning was not told.
                self.outbox.accepted(&request, effects);
                self.outbox.over(&request);
                self.send_next(effects);
            }
            Told::List { request, todos } => self.held = Some(Held { request, todos, until: now + HELD }),
            Told::Call { request, tool, args } => self.called(&request, &tool, &args, effects),
            Told::CallEnded { request, tool } => {
                if let Some(session) = self.session(&request) {
                    effects.push(Effect::Report(session, News::Worked { tool: Some(tool) }));
                }
            }
            Told::Asks(question) => self.asked(question, effects),
            Told::Failed { request, code, message } => self.failed(request.as_deref(), &code, message, effects),
            Told::Status { version } => effects.push(Effect::Version(version)),
            Told::Other => {}
        }
    }

    fn sessions(&mut self, mut sessions: Vec<KnownSession>, effects: &mut Vec<Effect>) {
        sessions.sort_by(|one, other| other.created_at.cmp(&one.created_at));
        sessions.truncate(SESSIONS);
        effects.extend(sessions.into_iter().map(Effect::Known));
    }

    fn started(&mut self, request: &str, session: String, model: Option<String>, effects: &mut Vec<Effect>) {
        self.begin(request, &session, true);
        // Somebody has approved its checklist.
        self.withdraw(|question| question.request == request && question.call.is_none(), effects);
        self.tasks.entry(session.clone()).or_default().clear();
        let text = self.outbox.accepted(request, effects);
        effects.push(Effect::Report(session.clone(), News::Started { model, text }));
        // As its own clients do.
        effects.push(Effect::Clear(session));
    }

    /// Remembers a chat by its request.
    fn begin(&mut self, request: &str, session: &str, is_open: bool) {
        if self.chats.len() >= CHATS {
            let oldest = self.chats.iter().min_by_key(|(_, chat)| chat.number).map(|(request, _)| request.clone());
            oldest.map(|oldest| self.chats.remove(&oldest));
        }
        self.begun += 1;
        let chat = Chat { number: self.begun, session: session.to_owned(), is_open, has_failed: false };
        self.chats.insert(request.to_owned(), chat);
    }

    fn called(&mut self, request: &str, tool: &str, args: &Value, effects: &mut Vec<Effect>) {
        let Some(session) = self.session(request) else { return };
        if let Some(chat) = self.chats.get_mut(request) {
            chat.has_failed = false;
        }
        if let Some(todos) = self.tasks.entry(session.clone()).or_default().after(tool, args) {
            self.list(&session, todos, effects);
        }
        effects.push(Effect::Report(session, News::Worked { tool: None }));
    }

    fn asked(&mut self, question: Question, effects: &mut Vec<Effect>) {
        let session = self.session(&question.request).or_else(|| self.outbox.session(&question.request));
        let Some(session) = session.or_else(|| self.created.clone()) else { return };
        if question.call.is_none() {
            let text = self.outbox.accepted(&question.request, effects);
            self.begin(&question.request, &session, false);
            effects.push(Effect::Report(session.clone(), News::Started { model: None, text }));
            // Other chats go on meanwhile: the user may decide late, or never.
            self.outbox.over(&question.request);
        }
        self.questions.push(question.clone());
        effects.push(Effect::Ask(session, question));
        self.send_next(effects);
    }

    fn decided(&mut self, question: &Question, allowed: Option<bool>, effects: &mut Vec<Effect>) {
        let Some(at) = self.questions.iter().position(|open| open == question) else { return };
        match (allowed, &question.call) {
            (Some(approved), Some(call)) => {
                let id = self.id();
                effects.push(Effect::Send(json!({
                    "type": "tool.approval.response", "id": id, "toolCallId": call, "approved": approved,
                })));
            }
            (Some(approved), None) => {
                let (id, request) = (self.id(), &question.request);
                effects.push(Effect::Send(json!({
                    "type": "preflight.approval", "id": id, "requestId": request, "approved": approved,
                })));
            }
            // A call is refused there after a minute; a checklist waits for ever.
            (None, _) => {}
        }
        self.questions.remove(at);
    }

    fn failed(&mut self, request: Option<&str>, code: &str, message: String, effects: &mut Vec<Effect>) {
        let Some(request) = request else { return };
        if code == "STREAM_IN_PROGRESS" {
            // Sent too early; the end of the other chat lets it go.
            self.outbox.again(request);
            return;
        }
        let words = if message.is_empty() { code.to_owned() } else { message };
        if let Some(chat) = self.chats.get_mut(request) {
            chat.has_failed = true;
            chat.is_open = false;
            // The user did not want it.
            let is_wanted = code != "PREFLIGHT_REJECTED";
            let news = if is_wanted { News::Failed(words) } else { News::Rests(Spent::default()) };
            effects.push(Effect::Report(chat.session.clone(), news));
        } else if let Some(session) = self.outbox.session(request) {
            // It has arrived, and nothing comes of it.
            self.outbox.accepted(request, effects);
            effects.push(Effect::Report(session, News::Failed(words)));
        }
        self.withdraw(|question| question.request == request, effects);
        self.outbox.over(request);
        self.send_next(effects);
    }

    /// Asks the user no longer.
    fn withdraw(&mut self, is_over: impl Fn(&Question) -> bool, effects: &mut Vec<Effect>) {
        let (over, open): (Vec<_>, Vec<_>) = self.questions.drain(..).partition(is_over);
        self.questions = open;
        effects.extend(over.into_iter().map(Effect::Withdraw));
    }

    /// The session of a chat.
    fn session(&self, request: &str) -> Option<String> {
        self.chats.get(request).map(|chat| chat.session.clone())
    }

    /// Takes a list without a call to go by: it is that of its request where that chat is open, else of the only open one.
    fn release(&mut self, effects: &mut Vec<Effect>) {
        let Some(held) = self.held.take() else { return };
        let mut open = self.chats.values().filter(|chat| chat.is_open);
        let only = open.next().filter(|_| open.next().is_none()).map(|chat| chat.session.clone());
        let own = self.chats.get(&held.request).filter(|chat| chat.is_open).map(|chat| chat.session.clone());
        if let Some(session) = own.or(only).or_else(|| self.session(&held.request)) {
            self.list(&session, held.todos, effects);
        }
    }

    fn list(&mut self, session: &str, todos: Vec<Value>, effects: &mut Vec<Effect>) {
        effects.push(Effect::List(session.to_owned(), todos));
    }

    fn send_next(&mut self, effects: &mut Vec<Effect>) {
        if !self.is_open() {
            return;
        }
        if let Some((session, text)) = self.outbox.next() {
            let id = self.id();
            self.outbox.sent(&id);
            effects.push(Effect::Send(json!({ "type": "chat.send", "id": id, "sessionId": session, "content": text })));
        }
    }
}

/// True if a call's arguments have that list. An empty `activeForm` is left out of the list, and stays in the call.
fn is_of(todos: &[Value], args: &Value) -> bool {
    let plain = |todo: &Value| {
        let mut todo = todo.clone();
        if let Some(fields) = todo.as_object_mut() {
            fields.retain(|name, value| name != "activeForm" || *value != "");
        }
        todo
    };
    args["todos"].as_array().is_some_and(|called| called.iter().map(plain).eq(todos.iter().map(plain)))
}
