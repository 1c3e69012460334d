//! The news of a conversation on their way to a backend, and its lists on their way back.
//!
//! Whatever the backend does, nobody in the conversation waits for it: news that it does not take are left out.

use crate::follow::{News, Run};
use crate::handshake::Handshake;
use crate::plans::{Plans, todos};
use futures_util::StreamExt;
use protocol::{
    AgentIdentity, Ask, Backend, Caller, Code, Error, Event, Happened, Result, SessionGet, SessionReport, TodoObserve,
    Transport,
};
use sources::GitFolder;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

/// The longest time for one request: a gateway that is stopped never answers.
const PATIENCE: Duration = Duration::from_secs(15);

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
    /// Runs whose agent has sent steps.
    pub(crate) listed: HashSet<String>,
}

impl Reporter {
    /// Hands over all that comes, until nobody can send more.
    pub(crate) async fn run(mut self, mut news: mpsc::Receiver<(Arc<Run>, News)>) {
        while let Some((run, news)) = news.recv().await {
            match timeout(PATIENCE, self.take(&run, news)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::info!(%error, run = run.own_session, "news of a session were not taken"),
                Err(_) => tracing::info!(run = run.own_session, "news of a session were not taken in time"),
            }
        }
    }

    async fn take(&mut self, run: &Run, news: News) -> Result<()> {
        if matches!(news, News::Opened | News::Prompted(_)) {
            self.look_at_folder(run).await;
        }
        let caller = self.caller(run);
        let report = |happened, text: Option<String>| SessionReport { happened, text, ..SessionReport::default() };
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
            News::Rests => report(Happened::Rests, None),
            News::Failed(text) => report(Happened::Failed, Some(text)),
            News::Closed => report(Happened::Ended, None),
        };
        let is_over = report.happened == Happened::Ended;
        let reported = self.ask(&caller, report).await?;
        if is_over {
            self.listed.remove(&run.own_session);
            return Ok(());
        }
        let Some(session_id) = reported.session_id else { return Ok(()) };
        if self.plans.known_as(&run.own_session, &session_id) {
            let known = self.ask(&caller, SessionGet { session_id: session_id.clone(), revision: None }).await?;
            self.plans.list(&session_id, known.revision, &known.todos).await;
        }
        Ok(())
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

/// Brings the editor our lists as they change, until it is dropped.
pub(crate) async fn watch(backend: Arc<dyn Backend>, plans: Arc<Plans>) {
    plans.any().await;
    loop {
        match backend.subscribe(None).await {
            Ok(mut subscription) => {
                for known in &subscription.snapshot.sessions {
                    plans.list(&known.session.session_id, known.session.revision, &known.todos).await;
                }
                while let Some(event) = subscription.events.next().await {
                    if let Event::TodoUpdate(update) = event.event() {
                        plans.list(&update.session_id, update.revision, &update.todos).await;
                    }
                }
            }
            Err(error) => tracing::debug!(%error, "no lists for the editor"),
        }
        sleep(PAUSE).await;
    }
}
