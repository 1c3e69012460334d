//! The task of one link: does what its state machine wants, and tells it what came of it.

use crate::fsm::{Effect, Input, Line, Link, News, Timing};
use crate::message::{KnownSession, Question, Spent, read};
use crate::socket::Socket;
use futures_util::{FutureExt, StreamExt};
use hub::{HostStatus, Hub, Presence};
use jiff::Timestamp;
use protocol::{
    AgentIdentity, AgentInfo, Ask, Backend, Caller, EditKind, EditState, EditView, Error, Event, EventStream, Happened,
    HostState, PermissionAsk, SessionGet, SessionReport, Text, TodoDelivered, TodoObserve, Transport, Usage,
};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// The agent's name, as its sessions have it.
const AGENT: &str = "tek";

/// The tool that writes its lists.
const TOOL: &str = "todo_write";

/// The seconds for which a call waits for the user there; a checklist waits for ever, and is asked about again.
const CALL_SECONDS: u32 = 60;

/// The pause before the hub's events are subscribed to again.
const PAUSE: Duration = Duration::from_secs(2);

/// The parts of a link.
pub struct Config {
    /// The hub that gets the sessions.
    pub hub: Hub,
    /// The host's name.
    pub name: String,
    /// Its address, `tek://127.0.0.1:3271`.
    pub address: String,
    pub timing: Timing,
}

/// Follows a gateway until `stop`.
pub async fn run(config: Config, stop: CancellationToken) {
    Driver::new(config).run(stop).await;
}

struct Driver {
    hub: Hub,
    name: String,
    address: String,
    version: Option<String>,
    link: Link,
    began: Instant,
    socket: Option<Socket>,
    /// The sessions of this connection count as connected while it is there.
    connection: Option<(String, Presence)>,
    /// The gateway's sessions by our ids.
    known: HashMap<String, String>,
    work: JoinSet<Done>,
    /// Questions that the user is asked.
    asking: Vec<(Question, AbortHandle)>,
}

enum Done {
    Opened(Box<Socket>),
    Told(Input),
}

impl Driver {
    fn new(Config { hub, name, address, timing }: Config) -> Self {
        Self {
            hub,
            name,
            address,
            version: None,
            link: Link::new(timing),
            began: Instant::now(),
            socket: None,
            connection: None,
            known: HashMap::new(),
            work: JoinSet::new(),
            asking: Vec::new(),
        }
    }

    async fn run(mut self, stop: CancellationToken) {
        let woken = self.hub.host_woken(&self.name);
        let mut events = self.subscribe().await;
        let mut inputs = VecDeque::from([Input::Tick]);
        loop {
            while let Some(input) = inputs.pop_front() {
                for effect in self.link.step(self.began.elapsed(), input) {
                    inputs.extend(self.perform(effect).await);
                }
            }
            let tick = self.began + self.link.next_tick();
            tokio::select! {
                () = stop.cancelled() => return,
                () = woken.notified() => inputs.push_back(Input::Woken),
                () = sleep_until(tick) => inputs.push_back(Input::Tick),
                Some(done) = self.work.join_next() => match done {
                    Ok(Done::Opened(socket)) => {
                        self.socket = Some(*socket);
                        inputs.push_back(Input::Opened);
                    }
                    Ok(Done::Told(input)) => inputs.push_back(input),
                    Err(error) if error.is_cancelled() => {}
                    Err(error) => tracing::error!(%error, host = self.name, "a part of a link has failed"),
                },
                message = receive(self.socket.as_mut()) => inputs.push_back(match message {
                    Ok(text) => Input::Told(read(&text)),
                    Err(problem) => Input::Lost(problem),
                }),
                event = next(&mut events) => match event {
                    Some(event) => inputs.extend(self.lines_in(event.event())),
                    None => {
                        tokio::time::sleep(PAUSE).await;
                        events = self.subscribe().await;
                    }
                },
            }
        }
    }

    async fn subscribe(&self) -> Option<EventStream> {
        match self.hub.subscribe(None).await {
            Ok(subscription) => Some(subscription.events),
            Err(error) => {
                tracing::warn!(%error, host = self.name, "messages for a gateway are not heard of");
                None
            }
        }
    }

    /// The user's messages that an event tells of.
    fn lines_in(&self, event: &Event) -> Vec<Input> {
        match event {
            Event::TodoUpdate(update) => self.lines(&update.session_id, &update.session.edits),
            Event::SessionUpdated(update) => self.lines(&update.session.session.session_id, &update.session.edits),
            _ => Vec::new(),
        }
    }

    fn lines(&self, ours: &str, edits: &[EditView]) -> Vec<Input> {
        let Some(session) = self.known.get(ours) else { return Vec::new() };
        let is_pending = |edit: &&EditView| edit.kind == EditKind::Note && edit.state == EditState::Queued;
        let line = |edit: &EditView| {
            Input::Line(Line {
                session: session.clone(),
                ours: ours.to_owned(),
                edit: edit.edit_id.clone(),
                text: edit.text.clone(),
            })
        };
        edits.iter().filter(is_pending).map(line).collect()
    }

    /// Does what the machine wants; what takes time goes on beside.
    async fn perform(&mut self, effect: Effect) -> Vec<Input> {
        let done = match effect {
            Effect::Open => {
                let host = self.address.trim_start_matches("tek://").to_owned();
                self.work.spawn(async move {
                    match Socket::open(&host).await {
                        Ok(socket) => Done::Opened(Box::new(socket)),
                        Err(problem) => Done::Told(Input::Lost(problem)),
                    }
                });
                Ok(())
            }
            Effect::Close => {
                (self.socket, self.connection) = (None, None);
                self.work = JoinSet::new();
                Ok(())
            }
            Effect::Send(message) => match &mut self.socket {
                Some(socket) => match socket.send(&message).await {
                    Ok(()) => Ok(()),
                    Err(problem) => return vec![Input::Lost(problem)],
                },
                None => Ok(()),
            },
            Effect::Up => {
                let id = format!("tek {} {}", self.name, uuid::Uuid::new_v4());
                self.connection = Some((id.clone(), self.hub.present(&id)));
                self.found(HostState::Up, None).await;
                Ok(())
            }
            Effect::Version(version) => {
                self.version = version;
                self.found(HostState::Up, None).await;
                Ok(())
            }
            Effect::Down(problem) => {
                tracing::debug!(host = self.name, %problem, "a gateway does not answer");
                self.found(HostState::Down, Some(problem)).await;
                Ok(())
            }
            Effect::Known(session) => match self.known(session).await {
                Ok(lines) => return lines,
                Err(error) => Err(error),
            },
            Effect::Report(session, news) => self.report(&session, news).await,
            Effect::Clear(session) => self.clear(&session).await,
            Effect::List(session, todos) => match agents::fit(todos) {
                Value::Array(todos) if todos.is_empty() => self.clear(&session).await,
                todos => self.list(&session, todos).await,
            },
            Effect::Ask(session, question) => {
                self.ask_user(&session, question);
                Ok(())
            }
            Effect::Withdraw(question) => {
                self.asking.retain(|(asked, task)| {
                    let is_other = *asked != question;
                    if !is_other {
                        task.abort();
                    }
                    is_other
                });
                Ok(())
            }
            Effect::Arrived(line) => self.arrived(line).await,
        };
        if let Err(error) = done {
            tracing::info!(%error, host = self.name, "news of a gateway were not taken");
        }
        Vec::new()
    }

    async fn found(&self, state: HostState, problem: Option<Text>) {
        let status = HostStatus {
            state,
            since: self.hub.time(),
            problem,
            version: self.version.clone(),
            ..HostStatus::default()
        };
        self.hub.host_found(&self.name, status).await;
    }

    /// The gateway as the agent of a session. Only what happens on this connection is connected by it.
    fn caller(&self, session: &str, is_now: bool) -> Caller {
        let connection = self.connection.as_ref().map(|(id, _)| id.clone()).filter(|_| is_now);
        let identity = AgentIdentity {
            agent: AgentInfo { name: AGENT.to_owned(), version: self.version.clone() },
            own_session: Some(format!("{}/{session}", self.name)),
            connection: connection.clone(),
            project: Some(self.name.clone()),
            ..AgentIdentity::default()
        };
        Caller::agent(Transport::Hook, connection.unwrap_or_else(|| self.name.clone()), identity)
    }

    async fn ask<A: Ask>(&self, caller: Caller, ask: A) -> Result<A::Answer, Error> {
        let reply = self.hub.call(caller, ask.into()).await?;
        A::answer(reply).ok_or_else(|| Error::new(protocol::Code::Internal, "the answer to another request"))
    }

    /// A session that the gateway has, from before this connection; gives the messages that wait for it.
    async fn known(&mut self, session: KnownSession) -> Result<Vec<Input>, Error> {
        let at = session.created_at.parse::<Timestamp>().ok();
        let report =
            SessionReport { happened: Happened::Rests, at, begins: true, prompts: true, ..SessionReport::default() };
        let caller = self.caller(&session.id, false);
        let Some(ours) = self.ask(caller.clone(), report).await?.session_id else { return Ok(Vec::new()) };
        self.known.insert(ours.clone(), session.id);
        let known = self.ask(caller, SessionGet { session_id: ours.clone(), revision: None }).await?;
        Ok(self.lines(&ours, &known.edits))
    }

    async fn report(&mut self, session: &str, news: News) -> Result<(), Error> {
        let report = SessionReport { prompts: true, ..SessionReport::default() };
        let usage = |model: Option<String>, spent: Spent, at| Usage {
            model,
            input_tokens: spent.input.filter(|tokens| *tokens > 0),
            output_tokens: spent.output.filter(|tokens| *tokens > 0),
            micro_dollars: spent.dollars.filter(|dollars| *dollars > 0.0).map(micro),
            at,
            ..Usage::default()
        };
        let now = self.hub.time();
        let report = match news {
            // Nothing was done yet.
            News::Created => SessionReport { begins: true, happened: Happened::Rests, ..report },
            News::Started { model, text } => SessionReport {
                begins: true,
                happened: Happened::Prompted,
                text,
                usage: model.map(|model| Box::new(usage(Some(model), Spent::default(), now))),
                ..report
            },
            News::Worked { tool } => {
                SessionReport { happened: Happened::Worked, tool: is_other(tool.as_deref()), ..report }
            }
            News::Rests(spent) => SessionReport {
                happened: Happened::Rests,
                usage: (spent != Spent::default()).then(|| Box::new(usage(None, spent, now))),
                ..report
            },
            News::Failed(text) => SessionReport { happened: Happened::Failed, text: Some(text), ..report },
        };
        let ours = self.ask(self.caller(session, true), report).await?.session_id;
        if let Some(ours) = ours {
            self.known.insert(ours, session.to_owned());
        }
        Ok(())
    }

    /// Puts the list that is there into the history.
    async fn clear(&self, session: &str) -> Result<(), Error> {
        let caller = self.caller(session, true);
        let Some(ours) = self.known.iter().find_map(|(ours, known)| (known == session).then(|| ours.clone())) else {
            return Ok(());
        };
        let run = self.ask(caller.clone(), SessionGet { session_id: ours, revision: None }).await?;
        let Some(list) = run.session.list_session_id else { return Ok(()) };
        if self.ask(caller, SessionGet { session_id: list, revision: None }).await?.todos.is_empty() {
            return Ok(());
        }
        self.list(session, Value::Array(Vec::new())).await
    }

    async fn list(&self, session: &str, todos: Value) -> Result<(), Error> {
        let observed = TodoObserve { tool: TOOL.to_owned(), todos, ..TodoObserve::default() };
        self.ask(self.caller(session, true), observed).await.map(drop)
    }

    /// Asks the user, beside what else happens.
    fn ask_user(&mut self, session: &str, question: Question) {
        let is_call = question.call.is_some();
        let ask = PermissionAsk {
            tool: question.tool.clone(),
            input: question.input.clone(),
            wait_seconds: if is_call { CALL_SECONDS } else { protocol::PERMISSION_SECONDS },
            alone: true,
            ..PermissionAsk::default()
        };
        let (hub, caller, asked) = (self.hub.clone(), self.caller(session, true), question.clone());
        let mut call = hub.call(caller.clone(), ask.clone().into());
        // The hub has it from here on, before whatever else comes of the chat.
        let mut at_once = (&mut call).now_or_never();
        let task = self.work.spawn(async move {
            loop {
                let decided = match at_once.take() {
                    Some(decided) => decided,
                    None => (&mut call).await,
                };
                let allowed = match decided {
                    Ok(reply) => PermissionAsk::answer(reply).and_then(|decided| decided.allowed),
                    Err(error) => {
                        tracing::info!(%error, tool = ask.tool, "a question of a gateway cannot be asked here");
                        return Done::Told(Input::Decided(question, None));
                    }
                };
                if allowed.is_some() || is_call {
                    return Done::Told(Input::Decided(question, allowed));
                }
                call = hub.call(caller.clone(), ask.clone().into());
            }
        });
        self.asking.retain(|(_, task)| !task.is_finished());
        self.asking.push((asked, task));
    }

    /// A message is in its chat.
    async fn arrived(&self, line: Line) -> Result<(), Error> {
        let Line { session, ours, edit, .. } = line;
        let tool_call = Some("chat.send".to_owned());
        let delivered = TodoDelivered { session_id: ours, revision: None, edits: vec![edit], tool_call };
        self.ask(self.caller(&session, true), delivered).await.map(drop)
    }
}

/// A call of a tool that is not about a list.
fn is_other(tool: Option<&str>) -> bool {
    tool.is_some_and(|tool| !matches!(tool, TOOL | "TodoWrite" | "TaskCreate" | "TaskUpdate"))
}

/// Millionths of a dollar.
fn micro(dollars: f64) -> u64 {
    let micro = (dollars * 1e6).round().clamp(0.0, 1e15);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within the range")]
    let whole = micro as u64;
    whole
}

async fn receive(socket: Option<&mut Socket>) -> Result<String, Text> {
    match socket {
        Some(socket) => socket.receive().await,
        None => std::future::pending().await,
    }
}

async fn next(events: &mut Option<EventStream>) -> Option<protocol::SharedEvent> {
    match events {
        Some(events) => events.next().await,
        None => None,
    }
}
