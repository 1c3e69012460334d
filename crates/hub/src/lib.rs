//! The one place where lists change: apply, persist, publish; and the answer to every request.
//!
//! [`Hub`] is a cheap-clone handle. One task owns the writer connection and takes changes in the order of their
//! arrival; a batch of them is one transaction, and nobody is answered before its commit. What is committed is
//! published in commit order to subscribers, each with a bounded queue of its own, so a slow one slows nobody.
//! This crate knows no socket, no file but the database, and no clock of its own.

mod answer;
mod archive;
mod board;
mod change;
mod chat;
mod command;
mod edits;
mod ending;
mod join;
mod live;
mod mark;
mod needs;
mod observe;
mod removed;
mod report;
mod resolve;
mod retention;
mod subscriber;
mod tally;
mod transfer;
mod view;
mod writer;

#[cfg(test)]
mod tests;

pub use board::Presence;
pub use chat::{ChatEntry, ChatKept, Decide, Decided};

use board::Board;
use jiff::Timestamp;
use protocol::{
    Backend, BoxFuture, Caller, Code, Error, Event, EventStream, GatewayInfo, Reply, Request, Result, Subscription,
};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use store::Store;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// How often the passing of time is looked at.
const TICK: std::time::Duration = std::time::Duration::from_secs(15);

/// Changes that wait for the writer; more callers than that wait in line.
const QUEUE: usize = 1024;

/// What a hub is made from. Time and randomness come in here.
#[derive(Clone)]
pub struct Config {
    /// The database file.
    pub database: PathBuf,
    /// Says what time it is.
    pub now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    /// Makes uids.
    pub uid: Arc<dyn Fn() -> Uuid + Send + Sync>,
    /// This build's version, for `hello` and `gateway.status`.
    pub version: String,
}

/// Where the hub can be reached, for `gateway.status`.
#[derive(Debug, Clone, Default)]
pub struct Served {
    /// The port; 0 where none is served.
    pub port: u16,
    /// The data folder.
    pub data_dir: String,
    /// `http://127.0.0.1:3271`.
    pub address: Option<String>,
    /// See [`GatewayInfo::first_list_command`].
    pub first_list_command: Option<String>,
    /// See [`GatewayInfo::mcp_command`].
    pub mcp_command: Option<String>,
}

/// The hub; cheap to clone.
#[derive(Clone)]
pub struct Hub {
    inner: Arc<Inner>,
}

struct Inner {
    config: Config,
    store: Store,
    board: Board,
    changes: mpsc::Sender<writer::Op>,
    served: OnceLock<Served>,
    started_at: Timestamp,
    commits: AtomicU64,
    /// What evidence means, as far as it was asked for.
    bindings: Mutex<HashMap<resolve::Evidence, String>>,
    /// What hooks reported.
    reports: Mutex<report::Reports>,
    /// Who answers what is about the machine.
    machine: Mutex<Option<Machine>>,
    /// Who answers what is about the built-in agent.
    agent: Mutex<Option<Machine>>,
    /// There is something to sweep.
    dirt: tokio::sync::Notify,
    /// One sweep after the other: what is too large for two of them would go twice.
    sweeping: tokio::sync::Mutex<()>,
    /// The database was damaged.
    mended: Option<store::Mended>,
}

/// Answers requests that the hub leaves to others: about the machine that it runs on, or the built-in agent.
pub type Machine = Arc<dyn Fn(Request) -> BoxFuture<Result<Reply>> + Send + Sync>;

/// A running hub: the handle, and what to wait for at the end.
pub struct Running {
    /// The handle.
    pub hub: Hub,
    writer: tokio::task::JoinHandle<()>,
    ticker: tokio::task::JoinHandle<()>,
    sweeper: tokio::task::JoinHandle<()>,
    stop: CancellationToken,
}

impl Running {
    /// Ends in good order: changes that were accepted are committed and answered, subscribers are told, the
    /// database is checkpointed and closed.
    pub async fn stop(self) {
        self.stop.cancel();
        for task in [self.ticker, self.sweeper, self.writer] {
            if let Err(error) = task.await {
                tracing::error!(%error, "a task of the hub failed");
            }
        }
        // It may hold the hub.
        self.hub.answer_machine(None);
        self.hub.answer_agent(None);
        self.hub.inner.board.close();
        self.hub.inner.store.close().await;
    }
}

/// Starts a hub on a database. The caller holds the data folder's lock.
///
/// # Errors
/// When the database cannot be opened.
pub async fn start(config: Config) -> std::result::Result<Running, store::Error> {
    match begin(config.clone()).await {
        // It was noted, so that it is mended as it is opened again.
        Err(error) if error.is_damage() => begin(config).await,
        begun => begun,
    }
}

async fn begin(config: Config) -> std::result::Result<Running, store::Error> {
    let store::Opened { writer: db_writer, store, mended } =
        store::open(&config.database, &(config.uid)().to_string()).await?;
    let now = (config.now)();
    let (changes, queue) = mpsc::channel(QUEUE);
    let settings = match store.settings().await {
        Ok(settings) => mark::settings(settings),
        Err(error) => return Err(given_up(db_writer, &store, error).await),
    };
    let board = Board::new(store.db_id().to_owned(), db_writer.cursor(), settings);
    let inner = Arc::new(Inner {
        config,
        store,
        board,
        changes,
        served: OnceLock::new(),
        started_at: now,
        commits: AtomicU64::new(0),
        bindings: Mutex::default(),
        reports: Mutex::default(),
        machine: Mutex::default(),
        agent: Mutex::default(),
        dirt: tokio::sync::Notify::new(),
        sweeping: tokio::sync::Mutex::default(),
        mended,
    });
    let hub = Hub { inner };
    if let Err(error) = hub.load_current(hub.moment()).await {
        return Err(given_up(db_writer, &hub.inner.store, error).await);
    }
    let stop = CancellationToken::new();
    let writer = tokio::spawn(writer::run(hub.clone(), db_writer, queue, stop.clone()));
    let ticker = tokio::spawn(tick(hub.clone(), stop.clone()));
    let sweeper = tokio::spawn(retention::keep_sweeping(hub.clone(), stop.clone()));
    Ok(Running { hub, writer, ticker, sweeper, stop })
}

/// Closes a database that cannot be begun with; where it is damaged, that is noted.
async fn given_up(writer: store::Writer, store: &Store, error: store::Error) -> store::Error {
    if error.is_damage() {
        store.suspect();
    }
    store.close().await;
    if let Err(error) = writer.close().await {
        tracing::warn!(%error, "the database could not be closed in good order");
    }
    error
}

/// Tells subscribers when a session becomes stale by the passing of time.
async fn tick(hub: Hub, stop: CancellationToken) {
    let mut interval = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = interval.tick() => hub.inner.board.time_passed(hub.moment()),
        }
    }
}

impl Hub {
    /// Says where the hub can be reached; once, after the gateway has its port.
    pub fn served(&self, served: Served) {
        if self.inner.served.set(served).is_err() {
            tracing::warn!("the hub is served twice; the first address stands");
        }
    }

    /// Who answers what is about the machine, from now on.
    pub fn answer_machine(&self, machine: Option<Machine>) {
        *self.inner.machine.lock().unwrap_or_else(PoisonError::into_inner) = machine;
    }

    /// Who answers for the built-in agent, from now on.
    pub fn answer_agent(&self, agent: Option<Machine>) {
        *self.inner.agent.lock().unwrap_or_else(PoisonError::into_inner) = agent;
    }

    /// Tells every subscriber something that is of no list.
    pub fn tell(&self, event: Event) {
        self.inner.board.tell(event);
    }

    /// Has a request answered by who is there for it.
    fn other(&self, who: &Mutex<Option<Machine>>, request: Request) -> BoxFuture<Result<Reply>> {
        let who = who.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match who {
            Some(answer) => answer(request),
            None => {
                let problem = "nobody answers for this machine here; start the window, or `sightline serve`";
                Box::pin(std::future::ready(Err(Error::new(Code::Unavailable, problem))))
            }
        }
    }

    /// An agent's connection is there until the guard is dropped; its sessions are current meanwhile.
    #[must_use]
    pub fn present(&self, connection: &str) -> Presence {
        Presence::new(self.clone(), connection.to_owned())
    }

    /// Keeps how an MCP session was opened.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn keep_mcp_session(&self, id: String, initialize: String) -> Result<()> {
        self.submit(writer::Task::McpSession { id, initialize }).await.map(|_| ())
    }

    /// How an MCP session was opened, if it is known.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn mcp_session(&self, id: &str) -> Result<Option<String>> {
        let found = self.inner.store.mcp_session(id).await.map_err(storage)?;
        Ok(found.map(|(initialize, _)| initialize))
    }

    pub(crate) fn now(&self) -> Timestamp {
        // The store keeps milliseconds; so does everything that is compared with what was stored.
        let now = (self.inner.config.now)();
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }

    /// What time it is, and what counts as long ago.
    pub(crate) fn moment(&self) -> view::Moment {
        view::Moment { now: self.now(), stale_after: self.inner.board.stale_after() }
    }

    /// Puts a task in the writer's queue, at once where there is room, so that changes are made in the order of the
    /// calls and not of the first polls; the future gives its answer.
    fn submit(&self, task: writer::Task) -> BoxFuture<Result<Reply>> {
        let (reply, answer) = oneshot::channel();
        let queued = self.inner.changes.try_send(writer::Op { task, reply });
        let changes = self.inner.changes.clone();
        Box::pin(async move {
            match queued {
                Ok(()) => {}
                Err(TrySendError::Full(op)) => changes.send(op).await.map_err(|_| closing())?,
                Err(TrySendError::Closed(_)) => return Err(closing()),
            }
            answer.await.map_err(|_| closing())?
        })
    }

    fn status(&self) -> GatewayInfo {
        let served = self.inner.served.get().cloned().unwrap_or_default();
        let now = self.now();
        let seconds = now.as_second() - self.inner.started_at.as_second();
        let (connections, sessions) = self.inner.board.counts(self.moment());
        GatewayInfo {
            uptime: u64::try_from(seconds).unwrap_or_default(),
            port: served.port,
            pid: std::process::id(),
            connections,
            sessions,
            providers: Vec::new(),
            version: self.inner.config.version.clone(),
            commits: self.inner.commits.load(Ordering::Relaxed),
            data_dir: served.data_dir,
            address: served.address,
            first_list_command: served.first_list_command,
            mcp_command: served.mcp_command,
            started_at: self.inner.started_at,
            notice: self.inner.mended.as_ref().map(mended_notice),
        }
    }
}

impl Backend for Hub {
    fn call(&self, caller: Caller, request: Request) -> BoxFuture<Result<Reply>> {
        let (hub, answer) = (self.clone(), self.answer(caller, request));
        Box::pin(async move {
            let answer = answer.await;
            if answer.as_ref().is_err_and(|error| error.message == DAMAGED) {
                hub.inner.store.suspect();
            }
            answer
        })
    }

    fn subscribe(&self, since: Option<String>) -> BoxFuture<Result<Subscription>> {
        let (snapshot, queue) = self.inner.board.subscribe(since.as_deref(), self.moment());
        Box::pin(async move { Ok(Subscription { snapshot, events: Box::pin(queue) as EventStream }) })
    }
}

impl Hub {
    fn answer(&self, caller: Caller, request: Request) -> BoxFuture<Result<Reply>> {
        let hub = self.clone();
        match request {
            Request::Hello(_) => ready(Reply::Hello(protocol::HelloResult {
                protocol: protocol::PROTOCOL,
                version: self.inner.config.version.clone(),
                cursor: self.inner.board.cursor(),
            })),
            Request::EventsSubscribe(ask) => {
                ready(Reply::EventsSubscribe(self.inner.board.subscribe(ask.since.as_deref(), self.moment()).0))
            }
            Request::GatewayStatus(_) => ready(Reply::GatewayStatus(self.status())),
            Request::SessionList(ask) => Box::pin(async move { hub.session_list(ask).await.map(Reply::SessionList) }),
            Request::SessionGet(ask) => {
                Box::pin(async move { hub.session_get(&caller, ask).await.map(Reply::SessionGet) })
            }
            Request::SessionRevisions(ask) => {
                Box::pin(async move { hub.session_revisions(ask).await.map(Reply::SessionRevisions) })
            }
            Request::TodoCommand(ask) => {
                Box::pin(async move { hub.command(&caller, ask).await.map(Reply::TodoCommand) })
            }
            Request::TodoComplete(ask) => {
                Box::pin(async move { hub.complete(&caller, ask).await.map(Reply::TodoComplete) })
            }
            Request::AgentsList(_)
            | Request::AgentsPlan(_)
            | Request::AgentsApply(_)
            | Request::AgentsTest(_)
            | Request::ImportStart(_)
            | Request::ImportCancel(_)
            | Request::SessionOpen(_)
            | Request::SessionResume(_) => self.other(&self.inner.machine, request),
            Request::ChatSend(_)
            | Request::ChatAbort(_)
            | Request::ChatResume(_)
            | Request::ChatGet(_)
            | Request::ToolApprovalResponse(_)
            | Request::PreflightApproval(_)
            | Request::ChatModels(_)
            | Request::ChatTest(_)
            | Request::ChatTools(_)
            | Request::VaultKeysList(_)
            | Request::VaultKeysSet(_)
            | Request::VaultKeysDelete(_) => self.other(&self.inner.agent, request),
            Request::SessionSearch(ask) => {
                Box::pin(async move { hub.session_search(ask).await.map(Reply::SessionSearch) })
            }
            Request::ArchiveStatus(ask) => {
                Box::pin(async move { hub.archive_status(ask).await.map(Reply::ArchiveStatus) })
            }
            Request::ArchiveInsight(ask) => {
                Box::pin(async move { hub.archive_insight(ask).await.map(Reply::ArchiveInsight) })
            }
            Request::SettingsGet(_) => ready(Reply::SettingsGet(self.inner.board.settings())),
            Request::SessionExport(ask) => Box::pin(async move { hub.export(ask).await.map(Reply::SessionExport) }),
            Request::TodoWrite(_)
            | Request::TodoRead(_)
            | Request::TodoDelivered(_)
            | Request::TodoAdd(_)
            | Request::TodoDelete(_)
            | Request::TodoClear(_)
            | Request::TodoSetStatus(_)
            | Request::TodoEdit(_)
            | Request::TodoMove(_)
            | Request::TodoUndo(_)
            | Request::TodoRestore(_)
            | Request::TodoArchive(_)
            | Request::TodoManage(_)
            | Request::SessionLoad(_)
            | Request::NoteSend(_)
            | Request::EditInsist(_)
            | Request::SessionReport(_)
            | Request::TodoObserve(_)
            | Request::SessionDelete(_)
            | Request::SessionUndelete(_)
            | Request::SessionImport(_)
            | Request::SessionMark(_)
            | Request::NeedDismiss(_)
            | Request::SettingsUpdate(_)
            | Request::SessionLeave(_) => self.submit(writer::Task::Change(Box::new((caller, request)))),
        }
    }
}

/// What the user is told about a database that was damaged.
fn mended_notice(mended: &store::Mended) -> String {
    let aside = mended.aside.display();
    match mended.sessions {
        0 => format!(
            "The database was damaged and nothing of it could be read. It is kept as {aside}; a new one was begun"
        ),
        sessions => format!(
            "The database was damaged. {sessions} sessions could be read and are here, perhaps with gaps; the damaged file is kept as {aside}"
        ),
    }
}

/// What is said where a page of the database cannot be read.
const DAMAGED: &str = "a part of the database cannot be read: it is damaged. Start Sightline anew: what can be read is \
    then taken over into a new one";

fn ready(reply: Reply) -> BoxFuture<Result<Reply>> {
    Box::pin(std::future::ready(Ok(reply)))
}

pub(crate) fn closing() -> Error {
    Error::new(Code::Unavailable, "the gateway is shutting down; send this again when it is back")
}

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err hands over")]
pub(crate) fn storage(error: store::Error) -> Error {
    tracing::error!(%error, "the store");
    if error.is_damage() {
        return Error::new(Code::Storage, DAMAGED);
    }
    if matches!(error, store::Error::Replaced(_)) {
        return Error::new(Code::Storage, format!("nothing was changed: {error}"));
    }
    Error::new(Code::Storage, format!("nothing was changed: {error}. {}", error.advice()))
}
