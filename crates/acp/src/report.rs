//! The news of a conversation on their way to a backend, and its lists on their way back.
//!
//! Whatever the backend does, nobody in the conversation waits for it: news that it does not take are left out.

use crate::asking::Asking;
use crate::follow::{News, Run};
use crate::handshake::Handshake;
use crate::plans::{Plans, todos};
use crate::prompts::Prompts;
use crate::watchers::Notes;
use futures_util::StreamExt;
use protocol::{
    AgentIdentity, Ask, Backend, Caller, Code, EditKind, EditState, EditView, Error, Event, Happened, Result,
    SessionGet, SessionReport, SessionReported, SessionTodos, TodoDelivered, TodoObserve, Transport,
};
use sources::GitFolder;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

/// The longest time for one request: a gateway that is stopped never answers.
const PATIENCE: Duration = Duration::from_secs(15);

/// Messages that are remembered.
const MESSAGES: usize = 1024;

/// The pause before lists are subscribed to again.
const PAUSE: Duration = Duration::from_secs(2);

/// Hands news to a backend.
pub(crate) struct Reporter {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) handshake: Arc<OnceLock<Handshake>>,
    /// Id of this process among agents' connections.
    pub(crate) connection: String,
    pub(crate) plans: Arc<Plans>,
    /// Folders as they were when a turn began.
    pub(crate) folders: HashMap<String, GitFolder>,
    pub(crate) prompts: Arc<Prompts>,
    pub(crate) asking: Asking,
    pub(crate) notes: Notes,
    /// Runs whose agent has sent steps.
    pub(crate) listed: HashSet<String>,
    /// Runs that are known, by our ids of their sessions.
    pub(crate) known: HashMap<String, KnownRun>,
}

/// A run whose session is known.
pub(crate) struct KnownRun {
    run: Arc<Run>,
    /// Its turn is over, and it can be given a prompt.
    is_at_rest: bool,
}

impl Reporter {
    /// Hands over all that comes, until nobody can send more; and gives agents at rest what is pending, where their
    /// sessions are `queued`.
    pub(crate) async fn run(mut self, mut news: mpsc::Receiver<(Arc<Run>, News)>, queued: mpsc::Receiver<String>) {
        let mut queued = Queued { from: queued, first: VecDeque::new() };
        loop {
            let (taken, session) = tokio::select! {
                biased;
                next = news.recv() => match next {
                    Some((run, news)) => {
                        let is_stopped = news == News::Stopped;
                        let taken = timeout(PATIENCE, self.take(&run, news)).await;
                        if is_stopped {
                            let own = &run.own_session;
                            queued.drop_all(|id| self.known.get(id).is_some_and(|it| it.run.own_session == *own));
                        }
                        (taken, run.own_session.clone())
                    }
                    None => return,
                },
                Some(session_id) = queued.next() => {
                    (timeout(PATIENCE, self.send_messages(&session_id)).await, session_id)
                }
            };
            match taken {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::info!(%error, session, "news of a session were not taken"),
                Err(_) => tracing::info!(session, "news of a session were not taken in time"),
            }
        }
    }

    /// Gives an agent at rest what is pending for its session.
    async fn send_messages(&mut self, session_id: &str) -> Result<()> {
        let Some(known) = self.known.get(session_id).filter(|known| known.is_at_rest) else { return Ok(()) };
        let run = known.run.clone();
        let caller = self.caller(&run);
        if !self.may_prompt() {
            return Ok(());
        }
        let prompted = SessionReport { happened: Happened::Prompted, listens: true, ..SessionReport::default() };
        let reported = self.ask(&caller, prompted).await?;
        if reported.edits.is_empty() && reported.own.is_none() {
            // Another way was faster.
            return self.rests(&caller).await;
        }
        self.send(&caller, &run, reported, Vec::new()).await
    }

    /// Gives an agent the user's words and edits as a prompt of ours. Where that fails it rests as before, and the edits are
    /// still pending.
    async fn send(
        &mut self,
        caller: &Caller,
        run: &Arc<Run>,
        reported: SessionReported,
        mut words: Vec<String>,
    ) -> Result<()> {
        let Some(session_id) = reported.session_id else { return Ok(()) };
        let mut told = Vec::new();
        let ours = mcp::hook_report(&reported.edits, &reported.todos, reported.agent.as_deref());
        told.extend(ours.map(|ours| (session_id.clone(), ours)));
        if let Some(own) = reported.own {
            let theirs = mcp::built_in_list_report(&own.edits, &own.todos, &own.tool);
            told.extend(theirs.map(|theirs| (own.session_id, theirs)));
        }
        words.extend(told.iter().map(|(_, told)| told.text.clone()));
        if words.is_empty() {
            return Ok(());
        }
        // Where it cannot be given, it is tried again after the next turn.
        self.known.insert(session_id, KnownRun { run: run.clone(), is_at_rest: false });
        if let Err(error) = self.prompts.send(&self.notes, &run.own_session, &words.join("\n\n")).await {
            tracing::info!(%error, "the agent was not given a message");
            return self.rests(caller).await;
        }
        for (session_id, told) in told {
            let tool_call = Some("session/prompt".to_owned());
            self.ask(caller, TodoDelivered { session_id, revision: None, edits: told.edits, tool_call }).await?;
        }
        Ok(())
    }

    /// The agent has nothing to do after all.
    async fn rests(&self, caller: &Caller) -> Result<()> {
        self.ask(caller, SessionReport { happened: Happened::Rests, ..SessionReport::default() }).await.map(drop)
    }

    /// Returns whether the agent speaks a version of the protocol in which it can be given a prompt of ours.
    fn may_prompt(&self) -> bool {
        self.handshake.get().is_some_and(|handshake| handshake.is_understood)
    }

    async fn take(&mut self, run: &Arc<Run>, news: News) -> Result<()> {
        if matches!(news, News::Opened | News::Prompted(_)) {
            self.look_at_folder(run).await;
        }
        let caller = self.caller(run);
        let words = match news {
            News::Rests | News::Stopped => self.asking.turn_over(&run.own_session),
            News::Failed(_) | News::Closed => {
                drop(self.asking.turn_over(&run.own_session));
                Vec::new()
            }
            _ => Vec::new(),
        };
        let prompts = self.may_prompt();
        let report = |happened, text: Option<String>| SessionReport {
            happened,
            text,
            prompts,
            usage: run.usage.clone().map(Box::new),
            ..SessionReport::default()
        };
        let report = match news {
            News::Plan(entries) => return self.observe(&caller, run, todos(&entries)).await,
            // A session that was only opened has done nothing yet.
            News::Opened => report(Happened::Rests, None),
            News::Prompted(text) => {
                let text = Some(text).filter(|text| !text.trim().is_empty());
                SessionReport { begins: true, ..report(Happened::Prompted, text) }
            }
            News::Worked { tool } => SessionReport { tool, ..report(Happened::Worked, None) },
            News::Waits(text) => report(Happened::Waits, Some(text)),
            News::Asks(text, asked) => {
                self.asking.begin(&self.backend, &self.notes, &caller, run, (text, *asked));
                return Ok(());
            }
            News::Answered { id, done, next } => {
                let happened = if next.is_some() { Happened::Waits } else { Happened::Worked };
                let is_elsewhere = done.is_some();
                let answered = SessionReport { done: done.map(Box::new), ..report(happened, next) };
                let told = self.ask(&caller, answered).await;
                if is_elsewhere {
                    self.asking.end(&id);
                }
                return told.map(drop);
            }
            // The agent goes on with what it has not seen.
            News::Rests => SessionReport { listens: self.may_prompt(), ..report(Happened::Rests, None) },
            News::Stopped => report(Happened::Rests, None),
            News::Failed(text) => report(Happened::Failed, Some(text)),
            News::Closed => report(Happened::Ended, None),
        };
        let is_over = report.happened == Happened::Ended;
        let is_at_rest = match report.happened {
            Happened::Prompted => Some(false),
            Happened::Rests | Happened::Failed => Some(true),
            Happened::Worked | Happened::Waits | Happened::Ended => None,
        };
        let reported = self.ask(&caller, report).await?;
        if is_over {
            self.listed.remove(&run.own_session);
            self.known.retain(|_, known| known.run.own_session != run.own_session);
            return Ok(());
        }
        let Some(session_id) = reported.session_id.clone() else { return Ok(()) };
        if let Some(is_at_rest) = is_at_rest {
            self.known.insert(session_id.clone(), KnownRun { run: run.clone(), is_at_rest });
        }
        if self.plans.known_as(&run.own_session, &session_id) {
            let known = self.ask(&caller, SessionGet { session_id: session_id.clone(), revision: None }).await?;
            self.plans.list(&session_id, known.revision, &known.todos).await;
        }
        self.send(&caller, run, reported, words).await
    }

    /// The agent's plan is its built-in list.
    async fn observe(&mut self, caller: &Caller, run: &Run, todos: serde_json::Value) -> Result<()> {
        if todos.as_array().is_none_or(Vec::is_empty) {
            self.plans.emptied(&run.own_session).await;
            if !self.listed.contains(&run.own_session) {
                return Ok(());
            }
        }
        self.listed.insert(run.own_session.clone());
        let tool = self.handshake.get().map_or("plan", Handshake::list_tool).to_owned();
        self.ask(caller, TodoObserve { tool, todos, ..TodoObserve::default() }).await?;
        Ok(())
    }

    async fn look_at_folder(&mut self, run: &Run) {
        if let Some(folder) = &run.folder {
            let git = GitFolder::of(Path::new(folder)).await;
            self.folders.insert(folder.clone(), git);
        }
    }

    /// The agent as it reports by this conversation. Its own id for the session is that of the conversation; the label is
    /// the one that its calls of our tools come with.
    fn caller(&self, run: &Run) -> Caller {
        let git = run.folder.as_ref().and_then(|folder| self.folders.get(folder)).cloned().unwrap_or_default();
        let identity = AgentIdentity {
            agent: self.handshake.get().map(|handshake| handshake.info.clone()).unwrap_or_default(),
            own_session: Some(run.own_session.clone()),
            connection: Some(self.connection.clone()),
            label: run.label.clone(),
            folder: run.folder.clone(),
            project: git.project,
            branch: git.branch,
            ..AgentIdentity::default()
        };
        Caller::agent(Transport::Hook, self.connection.clone(), identity)
    }

    async fn ask<A: Ask>(&self, caller: &Caller, ask: A) -> Result<A::Answer> {
        let reply = self.backend.call(caller.clone(), ask.into()).await?;
        let unexpected = || Error::new(Code::Internal, "the gateway gave the answer to another request");
        A::answer(reply).ok_or_else(unexpected)
    }
}

/// Sessions that get a message of the user's.
struct Queued {
    from: mpsc::Receiver<String>,
    /// Taken out of the others, and still to come.
    first: VecDeque<String>,
}

impl Queued {
    async fn next(&mut self) -> Option<String> {
        match self.first.pop_front() {
            Some(id) => Some(id),
            None => self.from.recv().await,
        }
    }

    /// Drops those that have come by now and are as said: their messages wait for the next turn.
    fn drop_all(&mut self, are: impl Fn(&String) -> bool) {
        while let Ok(id) = self.from.try_recv() {
            self.first.push_back(id);
        }
        self.first.retain(|id| !are(id));
    }
}

/// The way on for sessions that get a message of the user's.
struct Messages {
    queued: mpsc::Sender<String>,
    /// Ids of messages that were told: one that is still pending later waits for the end of a turn.
    told: HashSet<String>,
}

impl Messages {
    fn tell(&mut self, session: &SessionTodos) {
        let is_pending = |edit: &&EditView| edit.kind == EditKind::Note && edit.state == EditState::Queued;
        let pending: Vec<&EditView> = session.edits.iter().filter(is_pending).collect();
        if self.told.len() + pending.len() > MESSAGES {
            self.told.clear();
        }
        let mut is_new = false;
        for edit in pending {
            is_new |= self.told.insert(edit.edit_id.clone());
        }
        if is_new {
            let session = &session.session;
            // A built-in list is a session of its own, under its run.
            let run = session.parent_session_id.as_ref().filter(|_| session.own_tool.is_some());
            // Where there is no room, the end of the next turn tells it.
            let _ = self.queued.try_send(run.unwrap_or(&session.session_id).clone());
        }
    }
}

/// Brings the editor our lists as they change, and says which sessions get a message of the user's, until it is dropped.
pub(crate) async fn watch(backend: Arc<dyn Backend>, plans: Arc<Plans>, queued: mpsc::Sender<String>) {
    plans.any().await;
    let mut messages = Messages { queued, told: HashSet::new() };
    loop {
        match backend.subscribe(None).await {
            Ok(mut subscription) => {
                for known in &subscription.snapshot.sessions {
                    plans.list(&known.session.session_id, known.session.revision, &known.todos).await;
                    messages.tell(known);
                }
                while let Some(event) = subscription.events.next().await {
                    let session = match event.event() {
                        Event::TodoUpdate(update) => {
                            plans.list(&update.session_id, update.revision, &update.todos).await;
                            &update.session
                        }
                        Event::SessionUpdated(update) => &update.session,
                        _ => continue,
                    };
                    messages.tell(session);
                }
            }
            Err(error) => tracing::debug!(%error, "no lists for the editor"),
        }
        sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::Queued;
    use std::collections::VecDeque;
    use tokio::sync::mpsc;

    #[tokio::test]
    async fn what_came_before_a_stop_does_not_go_out_alone() {
        let (sender, from) = mpsc::channel(8);
        let mut queued = Queued { from, first: VecDeque::new() };
        for id in ["stopped", "other", "stopped"] {
            sender.try_send(id.to_owned()).expect("there is room");
        }
        queued.drop_all(|id| id == "stopped");
        sender.try_send("stopped".to_owned()).expect("there is room");
        assert_eq!(queued.next().await.as_deref(), Some("other"));
        assert_eq!(queued.next().await.as_deref(), Some("stopped"), "what comes later goes out");
    }
}
