//! The one place where lists change: apply, persist, publish; and the answer to every request.
//!
//! [`Hub`] is a cheap-clone handle. One task owns the writer connection and takes changes in the order of their
//! arrival; a batch of them is one transaction, and nobody is answered before its commit. What is committed is
//! published in commit order to subscribers, each with a bounded queue of its own, so a slow one slows nobody.
//! This crate knows no socket, no file but the database, and no clock of its own.
//!
//! A change goes from [`Hub::call`] through `writer` to a `turn` (`change/`), a question to `ask/`; both read sessions
//! by `sessions`, and what is committed is in `board`.

mod ask;
mod asking;
mod bindings;
mod board;
mod calls;
mod carried;
mod change;
mod config;
mod conversation;
mod core;
mod error;
mod evidence;
mod exchange;
mod feed;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod hook_memory;
mod hosts;
mod keys;
mod lists;
mod live;
mod mirroring;
mod needs;
mod paths;
mod permissions;
mod presence;
mod retention;
mod sessions;
mod sharing;
mod ssh;
mod staged;
mod state;
mod stored_settings;
mod subscriber;
mod tags;
mod tally;
mod terminal;
mod training;
mod turn;
mod view;
mod waiter;
mod wording;
mod writer;

#[cfg(test)]
mod tests;

pub use change::{Decide, Decided, Forwarded, GoingOn, Resumed};
pub use config::{Config, Served};
pub use conversation::{AGENT, Call, ChatEntry, Entry, EntryKind, StoredChat};
pub use hosts::{HostPosition, HostStatus, KnownHost};
pub use keys::{Code as PairingSecret, KnownKey};
pub use presence::Presence;
pub use ssh::Ssh;

use crate::core::Core;
use ask::{CommandLine, Question};
use asking::Asking;
use board::Board;
use change::keys::{AdoptKey, EndTrust, Noted, Pair};
use change::later::GoOn;
use change::permissions::ExpireAll;
use change::{Asked, Decision, KeepMcpSession, SaveChat};
use futures_util::FutureExt;
use hosts::Hosts;
use jiff::Timestamp;
use keys::KeyRing;
use permissions::Permissions;
use protocol::proof::Verifier;
use protocol::{
    AuditDeed, Backend, BoxFuture, Caller, Code, Error, Event, EventStream, Key, ListState, PairingCode, Reply,
    Request, Result, Rights, Session, Settings, Sorted, Subscription, TodoWritten, classes, say,
};
use retention::Sweeper;
use session::Word;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use stored_settings::stored_settings;
use tokio_util::sync::CancellationToken;

/// The pause between two looks at the clock.
const TICK: std::time::Duration = std::time::Duration::from_secs(15);

/// The hub; cheap to clone.
#[derive(Clone)]
pub struct Hub {
    core: Arc<Core>,
    queue: writer::Queue,
    sweeper: Arc<Sweeper>,
    /// Answers requests about this computer.
    computer: Delegate,
    /// Answers requests to the built-in agent.
    agent: Delegate,
    asking: Asking,
}

/// Answers requests that the hub leaves to others: about the computer that it runs on, or to the built-in agent.
pub type Answerer = Arc<dyn Fn(Request) -> BoxFuture<Result<Reply>> + Send + Sync>;

type Delegate = Arc<Mutex<Option<Answerer>>>;

/// A running hub: the handle, and its tasks.
pub struct Running {
    /// The handle.
    pub hub: Hub,
    tasks: Vec<tokio::task::JoinHandle<()>>,
    stop: CancellationToken,
}

impl Running {
    /// Ends in good order: changes that were accepted are committed and answered, subscribers are told, the
    /// database is checkpointed and closed.
    pub async fn stop(self) {
        self.stop.cancel();
        for task in self.tasks {
            if let Err(error) = task.await {
                tracing::error!(%error, "a task of the hub failed");
            }
        }
        // They may hold the hub.
        self.hub.answer_computer(None);
        self.hub.answer_agent(None);
        self.hub.core.board.close();
        self.hub.core.store.close().await;
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
    let uid = (config.uid)().to_string();
    let store::Opened { writer, store, mended } = store::open(&config.database, &uid).await?;
    let (stored, keys, rules, open, hosts) = match stored(&store).await {
        Ok(stored) => stored,
        Err(error) => return Err(given_up(writer, &store, error).await),
    };
    let keys = KeyRing::new(keys, &stored);
    let settings = stored_settings(stored);
    let board = Board::new(store.db_id().to_owned(), writer.cursor(), settings);
    let core = Arc::new(Core::new(config, store, board, keys, Permissions::new(rules), Hosts::new(hosts), mended));
    if let Err(error) = core.load_current().await {
        return Err(given_up(writer, &core.store, error).await);
    }
    let stop = CancellationToken::new();
    let (queue, waiting) = writer::queue();
    let sweeper = Arc::new(Sweeper::new(core.clone(), queue.clone()));
    let tasks = vec![
        tokio::spawn(lasting(stop.clone(), {
            let core = core.clone();
            move |stop| tick(core.clone(), stop)
        })),
        tokio::spawn(lasting(stop.clone(), {
            let sweeper = sweeper.clone();
            move |stop| retention::keep_sweeping(sweeper.clone(), stop)
        })),
        tokio::spawn(writer::run(core.clone(), writer, waiting, stop.clone())),
    ];
    let hub = Hub {
        core,
        queue,
        sweeper,
        computer: Delegate::default(),
        agent: Delegate::default(),
        asking: Asking::default(),
    };
    if !open.is_empty() {
        // It is in the queue before anything else.
        drop(hub.queue.submit(ExpireAll(open)));
    }
    Ok(Running { hub, tasks, stop })
}

/// The settings, the keys and the rules; the permissions that somebody waited for when the last process ended; the hosts.
type Stored = (Vec<(String, String)>, Vec<store::KeyRow>, Vec<store::RuleRow>, Vec<String>, Vec<store::HostRow>);

async fn stored(store: &store::Store) -> store::Result<Stored> {
    let open = store.open_permissions().await?;
    Ok((store.settings().await?, store.keys().await?, store.rules().await?, open, store.hosts().await?))
}

/// Closes a database that cannot be begun with; where it is damaged, that is noted.
async fn given_up(writer: store::Writer, store: &store::Store, error: store::Error) -> store::Error {
    if error.is_damage() {
        store.mark_suspect();
    }
    store.close().await;
    if let Err(error) = writer.close().await {
        tracing::warn!(%error, "the database could not be closed in good order");
    }
    error
}

/// Begins a task anew after a panic, a little later.
async fn lasting<F: Future<Output = ()>>(stop: CancellationToken, begin: impl Fn(CancellationToken) -> F) {
    while AssertUnwindSafe(begin(stop.clone())).catch_unwind().await.is_err() {
        tracing::error!("a task of the hub panicked and is begun anew");
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(TICK) => {}
        }
    }
}

/// Tells subscribers when a session becomes stale by the passing of time.
async fn tick(core: Arc<Core>, stop: CancellationToken) {
    let mut interval = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = interval.tick() => core.board.time_passed(core.moment()),
        }
    }
}

impl Backend for Hub {
    fn call(&self, caller: Caller, request: Request) -> BoxFuture<Result<Reply>> {
        if let Err(refusal) = caller.may(&request) {
            self.refused(&caller, caller.transport.word(), &format!("{}: {}", request.kind(), request.least().word()));
            return Box::pin(std::future::ready(Err(refusal)));
        }
        let caller = match evidence::at_the_door(caller) {
            Ok(caller) => caller,
            Err(failure) => return Box::pin(std::future::ready(Err(self.core.answer(failure)))),
        };
        match request.sorted() {
            Sorted::Change(_) | Sorted::Edit(_) | Sorted::ItemEdit(_) => self.queue.submit(Asked { caller, request }),
            Sorted::Permission(classes::Permission::PermissionAsk(ask)) => {
                waiter::permission(self.core.clone(), self.queue.clone(), caller, ask.clone())
            }
            Sorted::Computer(_) => self.delegate(caller, &self.computer, request),
            Sorted::Chat(_) | Sorted::Models(_) => self.delegate(caller, &self.agent, request),
            Sorted::Connection(_) | Sorted::Question(_) | Sorted::Command(_) => {
                let hub = self.clone();
                Box::pin(async move { hub.answer(&caller, request).await })
            }
        }
    }

    fn subscribe(&self, since: Option<String>) -> BoxFuture<Result<Subscription>> {
        let (snapshot, queue) = self.core.board.subscribe(since.as_deref(), self.core.moment());
        Box::pin(async move { Ok(Subscription { snapshot, events: Box::pin(queue) as EventStream }) })
    }
}

/// Has a request answered by whoever is there for it.
fn delegate(answerer: &Delegate, request: Request) -> BoxFuture<Result<Reply>> {
    let answerer = answerer.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match answerer {
        Some(answer) => answer(request),
        None => Box::pin(std::future::ready(Err(Error::new(Code::Unavailable, say::no_computer())))),
    }
}

impl Hub {
    async fn answer(&self, caller: &Caller, request: Request) -> Result<Reply> {
        let question = Question { core: &self.core, caller };
        match request.sorted() {
            Sorted::Connection(ask) => Ok(question.connection(ask)),
            Sorted::Question(ask) => {
                let reply = question.answer(ask).await?;
                if let classes::Question::KeyCode(ask) = ask {
                    let wanted = ask.rights.unwrap_or(Rights::Administer).word();
                    self.note(caller.clone(), AuditDeed::KeyCode, wanted.to_owned());
                }
                Ok(reply)
            }
            Sorted::Command(classes::Command::TodoCommand(ask)) => {
                let done = match self.core.read(question.command(ask)).await? {
                    CommandLine::Answered(answer) => *answer,
                    CommandLine::Change(request) => {
                        self.call(caller.clone(), *request).await.and_then(CommandLine::done)?
                    }
                };
                Ok(Reply::TodoCommand(done))
            }
            _ => Err(request.misplaced()),
        }
    }

    /// Gives way to a window that asks for it: this process was started for an agent, and nobody sees it. The future ends
    /// when a window has asked.
    pub fn give_way(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut asked = self.core.way.subscribe();
        self.core.way.send_replace(Some(false));
        async move {
            // The hub ends after this process's last look at it.
            let _ = asked.wait_for(|asked| *asked == Some(true)).await;
        }
    }

    /// Says where the hub can be reached; once, after the gateway has its port.
    pub fn served(&self, served: Served) {
        self.core.served(served);
    }

    /// Has requests about this computer answered from now on.
    pub fn answer_computer(&self, answerer: Option<Answerer>) {
        *self.computer.lock().unwrap_or_else(PoisonError::into_inner) = answerer;
    }

    /// Has requests to the built-in agent answered from now on.
    pub fn answer_agent(&self, answerer: Option<Answerer>) {
        *self.agent.lock().unwrap_or_else(PoisonError::into_inner) = answerer;
    }

    /// Tells every subscriber something that is of no list.
    pub fn tell(&self, event: Event) {
        if let Event::ToolApprovalRequest(ask) = &event {
            self.asking.note(&ask.tool_call_id, &ask.tool_name);
        }
        if let Event::ToolCall(call) = &event {
            let caller = Caller { rights: None, ..Caller::user(protocol::Transport::Builtin, AGENT) };
            self.note(caller, AuditDeed::ToolCall, format!("{} ({})", call.tool_name, call.tool_call_id));
        }
        self.core.board.tell(event);
    }

    /// Has a request answered by somebody else, with an entry in the log where it is for such and was carried out.
    fn delegate(&self, caller: Caller, answerer: &Delegate, request: Request) -> BoxFuture<Result<Reply>> {
        let logged = self.asking.logged(&request);
        let answer = delegate(answerer, request);
        let Some((deed, subject)) = logged else { return answer };
        let hub = self.clone();
        Box::pin(async move {
            let answer = answer.await?;
            let subject = match &answer {
                Reply::AgentsApply(applied) => applied.written.join(", "),
                _ => subject,
            };
            hub.note(caller, deed, subject);
            Ok(answer)
        })
    }

    /// Hands over what is kept for a run that has nothing to do, so that it goes on.
    ///
    /// # Errors
    /// `UNAVAILABLE` where it is at work; those of a change.
    pub async fn go_on(&self, session_id: &str) -> Result<GoingOn> {
        self.queue.submit(GoOn { session_id: session_id.to_owned() }).await
    }

    /// Adds an entry to the log; nobody waits for it.
    pub fn note(&self, caller: Caller, deed: AuditDeed, subject: String) {
        let noted = self.queue.submit(Noted { caller, deed, subject });
        tokio::spawn(async move {
            if let Err(error) = noted.await {
                tracing::warn!(%error, "an entry of the log could not be written");
            }
        });
    }

    /// Notes that a key is used, at most once a minute.
    pub fn key_used(&self, key: &str, caller: impl FnOnce() -> Caller, subject: &str) {
        if self.core.keys.note_use(key, self.core.now()) {
            self.note(caller(), AuditDeed::Connect, subject.to_owned());
        }
    }

    /// Notes that somebody was refused, at most once a minute for each key, and for each way of those without one: a flood
    /// is one entry, and hides no other's.
    pub fn refused(&self, caller: &Caller, way: &str, subject: &str) {
        let of = caller.key.as_ref().map_or_else(|| format!("way {way}"), |key| format!("key {key}"));
        if self.core.keys.note_refusal(&of, self.core.now()) {
            self.note(caller.clone(), AuditDeed::Refuse, subject.to_owned());
        }
    }

    /// The valid keys, to watch.
    #[must_use]
    pub fn keys(&self) -> tokio::sync::watch::Receiver<Arc<Vec<KnownKey>>> {
        self.core.keys.watch()
    }

    /// A pairing code that is good.
    #[must_use]
    pub fn code(&self, id: &str) -> Option<PairingSecret> {
        self.core.keys.code(id, self.core.elapsed())
    }

    /// Notes that somebody tried a code without its secret: after a few of them it is worth nothing.
    pub fn code_failed(&self, id: &str) {
        self.core.keys.code_failed(id);
    }

    /// Pairs a page by a code, which is good once.
    ///
    /// # Errors
    /// When the code was used meanwhile, the name cannot be, or the database cannot be written.
    pub async fn pair(&self, code: &str, name: String, verifier: Verifier) -> Result<Key> {
        let Some(code) = self.core.keys.take_code(code, self.core.elapsed()) else {
            return Err(Error::new(Code::Unauthorized, say::code_used()));
        };
        let caller = Caller { rights: None, ..Caller::user(protocol::Transport::Page, "") };
        self.queue.submit(Pair { caller, code, name, verifier }).await
    }

    /// The page's address with a code for `sightline serve` to print: the first page that is paired is trusted.
    #[must_use]
    pub fn first_code(&self) -> PairingCode {
        self.core.make_code(Rights::Edit, Rights::Administer, true, None)
    }

    /// A window has this folder: no page is trusted for being the first one any more, and what one was given for that waits
    /// to be confirmed.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn end_trust(&self) -> Result<()> {
        self.queue.submit(EndTrust::default()).await
    }

    /// Takes over an agents' key of an earlier build.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn adopt_key(&self, name: &str, secret: &str) -> Result<()> {
        self.queue.submit(AdoptKey { name: name.to_owned(), secret: secret.to_owned() }).await
    }

    /// Keeps an agent's connection known as there until the guard is dropped; its sessions are current meanwhile.
    #[must_use]
    pub fn present(&self, connection: &str) -> Presence {
        Presence::new(self.core.clone(), connection.to_owned())
    }

    /// Says why nothing was heard of an agent's lists: whether it is connected, whether its built-in list is off.
    pub fn silent_lists(&self, agent: &str, state: ListState) {
        self.core.silent_lists(agent, state);
    }

    /// Waits until a change could be made: `/health` asks, with a limit in time.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn writes(&self) -> Result<()> {
        self.queue.submit(writer::Nothing).await
    }

    /// The settings as the user has left them.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.core.board.settings()
    }

    /// Does what the rules of retention ask for, until there is nothing left to do.
    ///
    /// # Errors
    /// When the database cannot be read or written.
    pub async fn sweep(&self) -> Result<()> {
        self.sweeper.sweep().await
    }

    /// A session, and the ids that its agent has for it.
    ///
    /// # Errors
    /// When there is no such session, or the database cannot be read.
    pub async fn session_of_agent(&self, session_id: &str) -> Result<(Session, Vec<String>)> {
        let question = Question { core: &self.core, caller: &Caller::user(protocol::Transport::Builtin, "") };
        let (session, ids) = self.core.read(question.session_and_own_ids(session_id)).await?;
        match &session.host {
            None => Ok((session, ids)),
            Some(host) => Err(Error::new(Code::Unavailable, say::host_elsewhere(host))),
        }
    }

    /// Keeps the parameters with which an MCP session was opened, as JSON, and the key that opened it.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn keep_mcp_session(&self, id: String, key: Option<String>, initialize: String) -> Result<()> {
        self.queue.submit(KeepMcpSession { id, key, initialize }).await
    }

    /// The parameters with which an MCP session was opened, if it is known.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn mcp_session(&self, id: &str) -> Result<Option<String>> {
        let kept = self.core.read(async { Ok(self.core.store.mcp_session(id).await?) }).await?;
        Ok(kept.map(|(initialize, _)| initialize))
    }
}

/// The built-in agent's own way to the hub.
impl Hub {
    /// The key under which a list remembers what a caller sent and knows.
    #[must_use]
    pub fn caller_key(caller: &Caller) -> String {
        evidence::caller_key(caller)
    }

    /// Makes a decision of the built-in agent's. `request_id` is that of the `todo.update` it causes.
    ///
    /// # Errors
    /// Those of the decision, of a session that is gone, and of the database; nothing is changed then.
    pub async fn decide(
        &self,
        caller: Caller,
        session_id: String,
        request_id: String,
        decide: Decide,
    ) -> Result<TodoWritten> {
        self.queue.submit(Decision { caller, session_id, request_id, decide }).await
    }

    /// Saves a conversation.
    ///
    /// # Errors
    /// Those of a session that is gone and of the database; nothing is saved then.
    pub async fn save_chat(&self, session_id: String, chat: StoredChat) -> Result<()> {
        self.queue.submit(SaveChat { session_id, chat }).await
    }

    /// A conversation with its newest messages before a number, or none where there is none.
    ///
    /// # Errors
    /// Those of a session that is gone and of the database.
    pub async fn chat(&self, session_id: &str, before: u64, limit: u32) -> Result<Option<StoredChat>> {
        self.core.read(ask::chat(&self.core, session_id, before, limit)).await
    }

    /// The sessions whose runs went on when the process before this one ended.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn running_chats(&self) -> Result<Vec<String>> {
        self.core.read(async { Ok(self.core.store.running_chats().await?) }).await
    }

    /// Events from now on; it does not count as a connection.
    #[must_use]
    pub fn follow(&self) -> EventStream {
        Box::pin(self.core.board.follow())
    }

    /// The time, for whoever has no clock.
    #[must_use]
    pub fn time(&self) -> Timestamp {
        self.core.now()
    }

    /// A new id, for whoever has no randomness.
    #[must_use]
    pub fn new_id(&self) -> String {
        self.core.uid().to_string()
    }
}
