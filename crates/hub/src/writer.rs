//! The task that owns the writer connection: batches of changes, one transaction each.
//!
//! Nobody is answered before the commit. When a batch fails in the store, its changes are tried one by one, each
//! in a transaction of its own, so that one bad change takes nobody else down; the memory of what is committed is
//! touched only after a commit, so there is nothing to take back.

use crate::resolve::Pending;
use crate::{Hub, storage};
use protocol::{Caller, Done, Event, Reply, Request, Result, Settings};
use std::collections::{HashMap, HashSet};
use store::{ActorRow, Transaction, Writer};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Changes in one transaction at most.
const BATCH: usize = 128;

/// How long an MCP session is kept after it was last opened, in hours.
const MCP_SESSION_HOURS: i64 = 24 * 30;

/// Something for the writer to do.
pub(crate) enum Task {
    /// A request that changes something, and who asks.
    Change(Box<(Caller, Request)>),
    /// An MCP session was opened.
    McpSession {
        /// Its id.
        id: String,
        /// The parameters of its `initialize`, as JSON.
        initialize: String,
    },
    /// The built-in agent decides on a list.
    Decide(Box<crate::chat::Deciding>),
    /// The built-in agent keeps a conversation.
    Chat {
        /// Whose.
        session_id: String,
        /// What.
        kept: crate::chat::ChatKept,
    },
    /// Something goes from the archive.
    Sweep(crate::retention::Sweep),
}

/// A task and who waits for its answer.
pub(crate) struct Op {
    pub(crate) task: Task,
    pub(crate) reply: oneshot::Sender<Result<Reply>>,
}

/// What a batch will have done once it is committed.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) pending: Pending,
    pub(crate) events: Vec<Event>,
    pub(crate) used: Vec<(String, String)>,
    /// Sessions that only the history learnt of: nobody is told, and memory does not keep them.
    pub(crate) quiet: HashSet<String>,
    /// The settings, where it changed them.
    pub(crate) settings: Option<Settings>,
    /// Something is to be swept at once.
    pub(crate) has_dirt: bool,
    /// Items that its changes took out, and who did.
    pub(crate) removed: HashMap<Uuid, ActorRow>,
}

/// Why a task came to nothing: its own fault, or the store's.
pub(crate) enum Failure {
    /// The answer is an error; the batch goes on.
    Refused(protocol::Error),
    /// The transaction is lost.
    Store(store::Error),
}

impl From<protocol::Error> for Failure {
    fn from(error: protocol::Error) -> Self {
        Self::Refused(error)
    }
}

impl From<store::Error> for Failure {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

/// Works until it is told to stop; what was accepted by then is still done.
pub(crate) async fn run(hub: Hub, mut writer: Writer, mut queue: mpsc::Receiver<Op>, stop: CancellationToken) {
    let mut ops = Vec::with_capacity(BATCH);
    loop {
        tokio::select! {
            biased;
            count = queue.recv_many(&mut ops, BATCH) => {
                if count == 0 {
                    break;
                }
                batch(&hub, &mut writer, std::mem::take(&mut ops)).await;
            }
            () = stop.cancelled(), if !queue.is_closed() => queue.close(),
        }
    }
    if let Err(error) = writer.close().await {
        tracing::error!(%error, "the database could not be closed in good order");
    }
}

async fn batch(hub: &Hub, writer: &mut Writer, ops: Vec<Op>) {
    match attempt(hub, writer, &ops).await {
        Ok(answers) => send(ops, answers),
        // Each by itself would wait for that other program as long as all of them did.
        Err(error) if ops.len() == 1 || error.is_busy() => {
            let error = storage(error);
            let answers = ops.iter().map(|_| Err(error.clone())).collect();
            send(ops, answers);
        }
        Err(error) => {
            tracing::warn!(%error, changes = ops.len(), "a batch failed; its changes are tried one by one");
            for op in ops {
                let single = vec![op];
                match attempt(hub, writer, &single).await {
                    Ok(answers) => send(single, answers),
                    Err(error) => send(single, vec![Err(storage(error))]),
                }
            }
        }
    }
}

fn send(ops: Vec<Op>, answers: Vec<Result<Reply>>) {
    for (op, answer) in ops.into_iter().zip(answers) {
        // Who asked may have gone; the change stands all the same.
        let _ = op.reply.send(answer);
    }
}

/// One transaction with all the changes; the answers in their order.
async fn attempt(hub: &Hub, writer: &mut Writer, ops: &[Op]) -> std::result::Result<Vec<Result<Reply>>, store::Error> {
    // What is refused after it has written something is taken back with all that the transaction holds; the others are
    // done anew without it.
    let mut refused = HashMap::new();
    let (transaction, mut batch, answers) = loop {
        let mut transaction = writer.begin().await?;
        let mut batch = Batch::default();
        match perform_all(hub, &mut transaction, &mut batch, ops, &refused).await? {
            Ok(answers) => break (transaction, batch, answers),
            Err((at, error)) => drop(refused.insert(at, error)),
        }
        transaction.abandon().await?;
    };
    let cursor = if transaction.touches() > 0 {
        let cursor = transaction.commit().await?;
        hub.inner.commits.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        cursor
    } else {
        // Only what is in memory changed: nothing has to reach the disk.
        transaction.abandon().await?;
        writer.cursor()
    };
    hub.remember(std::mem::take(&mut batch.pending.bindings));
    for (connection, session_id) in &batch.used {
        hub.inner.board.used(connection, session_id);
    }
    let is_set = batch.settings.is_some();
    let has_dirt = batch.has_dirt || is_set;
    hub.inner.board.commit(cursor, batch, hub.moment());
    if has_dirt {
        // New rules are looked at at once, too.
        hub.sweep_soon();
    }
    if is_set {
        // What counts as long ago may be otherwise now.
        hub.inner.board.time_passed(hub.moment());
    }
    Ok(answers)
}

/// The answers of all changes but those that are refused already; or which of them is refused only now, and has written
/// something before it.
async fn perform_all(
    hub: &Hub,
    transaction: &mut Transaction<'_>,
    batch: &mut Batch,
    ops: &[Op],
    refused: &HashMap<usize, protocol::Error>,
) -> std::result::Result<std::result::Result<Vec<Result<Reply>>, (usize, protocol::Error)>, store::Error> {
    let mut answers = Vec::with_capacity(ops.len());
    for (at, op) in ops.iter().enumerate() {
        if let Some(error) = refused.get(&at) {
            answers.push(Err(error.clone()));
            continue;
        }
        let before = transaction.touches();
        match perform(hub, transaction, batch, &op.task).await {
            Ok(reply) => answers.push(Ok(reply)),
            Err(Failure::Refused(error)) if transaction.touches() == before => answers.push(Err(error)),
            Err(Failure::Refused(error)) => return Ok(Err((at, error))),
            Err(Failure::Store(error)) => return Err(error),
        }
    }
    Ok(Ok(answers))
}

async fn perform(
    hub: &Hub,
    transaction: &mut Transaction<'_>,
    batch: &mut Batch,
    task: &Task,
) -> std::result::Result<Reply, Failure> {
    match task {
        Task::Change(change) => hub.change(transaction, batch, &change.0, &change.1).await,
        Task::Decide(deciding) => hub.perform_decision(transaction, batch, deciding).await,
        Task::Chat { session_id, kept } => hub.perform_chat(transaction, batch, session_id, kept).await,
        Task::Sweep(sweep) => {
            hub.perform_sweep(transaction, batch, sweep).await?;
            Ok(Reply::TodoDelivered(Done {}))
        }
        Task::McpSession { id, initialize } => {
            let now = hub.now();
            let forget = now.saturating_sub(jiff::SignedDuration::from_hours(MCP_SESSION_HOURS)).unwrap_or(now);
            transaction.mcp_session(id, initialize, now, forget).await?;
            Ok(Reply::TodoDelivered(Done {}))
        }
    }
}
