//! The task that owns the writer connection: work in the order of its arrival, a batch of it in one transaction.
//!
//! Nobody is answered before the commit. When a batch fails in the database, its work is tried one by one, each in a
//! transaction of its own, so that one bad change takes nobody else down; the memory of what is committed is touched only
//! after a commit, so there is nothing to take back.
//!
//! A panic ends neither the task nor the others' changes: it is answered like a failure, and the connection, and memory
//! where a commit was under way, are made anew from the database.

use crate::core::Core;
use crate::error::{Failure, Result};
use crate::staged::Staged;
use crate::turn::{News, Turn};
use futures_util::FutureExt;
use futures_util::future::OptionFuture;
use protocol::{BoxFuture, Caller, Code, Error, Transport};
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use store::{Transaction, Writer};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Sleep;
use tokio_util::sync::CancellationToken;

/// Changes in one transaction at most.
const BATCH: usize = 128;

/// The time after which it is stored that an agent was heard of. A crash may lose that, and nothing else.
const HEARD: Duration = Duration::from_secs(5);

/// Something to do in a turn of its own.
///
/// A batch is done anew when something in it is refused, so it may be performed more than once; the answer of the last
/// time counts.
pub(crate) trait Work: Send + Sync + 'static {
    type Answer: Send + 'static;

    /// The caller whose turn it is; Sightline itself where nobody asked.
    fn caller(&self) -> &Caller {
        &SIGHTLINE
    }

    fn perform(&self, turn: &mut Turn<'_, '_>) -> impl Future<Output = Result<Self::Answer>> + Send;
}

static SIGHTLINE: Caller =
    Caller { transport: Transport::Builtin, client: String::new(), agent: None, rights: None, key: None };

/// Work whose answer keeps its type until the commit.
trait Queued: Send {
    fn perform<'a>(
        &'a mut self,
        core: &'a Core,
        transaction: &'a mut Transaction<'_>,
        staged: &'a mut Staged,
    ) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;
    fn answer(self: Box<Self>, refusal: Option<Error>);
}

struct Entry<W: Work> {
    work: W,
    answer: Option<W::Answer>,
    reply: oneshot::Sender<protocol::Result<W::Answer>>,
}

impl<W: Work> Queued for Entry<W> {
    fn perform<'a>(
        &'a mut self,
        core: &'a Core,
        transaction: &'a mut Transaction<'_>,
        staged: &'a mut Staged,
    ) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>> {
        Box::pin(async move {
            let mut turn = Turn { core, transaction, staged, caller: self.work.caller() };
            self.answer = Some(self.work.perform(&mut turn).await?);
            Ok(())
        })
    }

    fn answer(self: Box<Self>, refusal: Option<Error>) {
        let answer = match (refusal, self.answer) {
            (None, Some(answer)) => Ok(answer),
            (Some(error), _) => Err(error),
            (None, None) => Err(closing()),
        };
        // The caller may have gone; the change stands all the same.
        let _ = self.reply.send(answer);
    }
}

/// The way to the writer; cheap to clone.
#[derive(Clone)]
pub(crate) struct Queue(mpsc::UnboundedSender<Box<dyn Queued>>);

/// The writer's end of the queue.
pub(crate) struct Waiting(mpsc::UnboundedReceiver<Box<dyn Queued>>);

pub(crate) fn queue() -> (Queue, Waiting) {
    let (queue, waiting) = mpsc::unbounded_channel();
    (Queue(queue), Waiting(waiting))
}

impl Queue {
    /// Puts work in the queue, so that it is done in the order of the calls and not of the first polls; the future gives
    /// its answer. There is no limit: whoever calls waits for the answer, with few calls at a time.
    pub(crate) fn submit<W: Work>(&self, work: W) -> BoxFuture<protocol::Result<W::Answer>> {
        let (reply, answer) = oneshot::channel();
        let queued = self.0.send(Box::new(Entry { work, answer: None, reply }));
        Box::pin(async move {
            queued.map_err(|_| closing())?;
            answer.await.map_err(|_| closing())?
        })
    }
}

/// Stores that agents were heard of.
struct SaveHeard;

impl Work for SaveHeard {
    type Answer = ();

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<()> {
        for id in turn.core.board.heard() {
            // It may be deleted.
            if let Some(mut live) = turn.sessions().newest(&id).filter(|live| !live.row.is_saved()) {
                // Everybody who is here was told.
                turn.save(&mut live, News::Told).await?;
            }
        }
        Ok(())
    }
}

/// No change: its answer says that changes are made.
pub(crate) struct Nothing;

impl Work for Nothing {
    type Answer = ();

    async fn perform(&self, _: &mut Turn<'_, '_>) -> Result<()> {
        Ok(())
    }
}

fn closing() -> Error {
    Error::new(Code::Unavailable, "the gateway is shutting down; send this again when it is back")
}

/// Works until it is told to stop; what was accepted by then is still done.
pub(crate) async fn run(core: Arc<Core>, writer: Writer, Waiting(mut queue): Waiting, stop: CancellationToken) {
    let mut writing = Writing { core, writer, is_in_doubt: false };
    let mut entries = Vec::with_capacity(BATCH);
    let mut heard: Option<Pin<Box<Sleep>>> = None;
    loop {
        if heard.is_none() && writing.core.board.has_heard() {
            heard = Some(Box::pin(tokio::time::sleep(HEARD)));
        }
        tokio::select! {
            biased;
            Some(()) = OptionFuture::from(heard.as_mut()) => {
                heard = None;
                writing.save_heard().await;
            }
            count = queue.recv_many(&mut entries, BATCH) => {
                if count == 0 {
                    break;
                }
                writing.batch(std::mem::take(&mut entries)).await;
            }
            () = stop.cancelled(), if !queue.is_closed() => queue.close(),
        }
    }
    writing.save_heard().await;
    if let Err(error) = writing.writer.close().await {
        tracing::error!(%error, "the database could not be closed in good order");
    }
}

/// The connection that writes, and the memory that follows it.
struct Writing {
    core: Arc<Core>,
    writer: Writer,
    /// A panic has left it unknown whether memory is what is committed.
    is_in_doubt: bool,
}

/// Why a batch came to nothing.
enum Fault {
    Store(store::Error),
    /// Nothing was committed.
    Panic,
    /// It is not known what was committed, or it was and memory did not learn it.
    PanicInCommit,
}

impl Fault {
    /// Returns whether each change by itself would meet it, too: that other program has the database as long as all of
    /// them wait, and what is in doubt is so for all.
    fn is_of_all(&self) -> bool {
        match self {
            Self::Store(error) => error.is_busy(),
            Self::Panic => false,
            Self::PanicInCommit => true,
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::Panic | Self::PanicInCommit => f.write_str("a panic"),
        }
    }
}

/// The extent to which an attempt was carried out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Performs,
    /// From then on the database has this cursor.
    Commits(u64),
}

impl Writing {
    async fn save_heard(&mut self) {
        if self.core.board.has_heard() {
            let (reply, _) = oneshot::channel();
            self.batch(vec![Box::new(Entry { work: SaveHeard, answer: None, reply })]).await;
        }
    }

    async fn batch(&mut self, mut entries: Vec<Box<dyn Queued>>) {
        match self.attempt(&mut entries).await {
            Ok(refusals) => answer(entries, refusals),
            Err(fault) if entries.len() == 1 || fault.is_of_all() => refuse_all(entries, &self.told(fault)),
            Err(fault) => {
                tracing::warn!(%fault, changes = entries.len(), "a batch failed; its changes are tried one by one");
                for entry in entries {
                    let mut single = vec![entry];
                    match self.attempt(&mut single).await {
                        Ok(refusals) => answer(single, refusals),
                        Err(fault) => refuse_all(single, &self.told(fault)),
                    }
                }
            }
        }
    }

    /// The error that the callers get.
    fn told(&self, fault: Fault) -> Error {
        match fault {
            Fault::Store(error) => self.core.answer(Failure::Store(error)),
            Fault::Panic => Error::new(
                Code::Internal,
                "this change met a fault in Sightline, and nothing was changed; the log has more, with which it can be \
                 reported",
            ),
            Fault::PanicInCommit => Error::new(
                Code::Internal,
                "a fault in Sightline left it unknown whether this change was stored; look at the list before sending it \
                 again",
            ),
        }
    }

    /// Performs a batch. After a panic the connection is opened anew, and where something may have been committed memory is
    /// read from the database again.
    async fn attempt(&mut self, entries: &mut [Box<dyn Queued>]) -> std::result::Result<Refusals, Fault> {
        if self.is_in_doubt {
            self.rebuild().await.map_err(Fault::Store)?;
        }
        let mut refusals = Refusals::new();
        let mut stage = Stage::Performs;
        let attempt = attempt(&self.core, &mut self.writer, entries, &mut refusals, &mut stage);
        if let Ok(done) = AssertUnwindSafe(attempt).catch_unwind().await {
            return done.map(|()| refusals).map_err(Fault::Store);
        }
        self.writer.doubt();
        let Stage::Commits(cursor) = stage else { return Err(Fault::Panic) };
        self.is_in_doubt = true;
        tracing::error!("a commit panicked; the memory of all lists is read from the database again");
        match self.rebuild().await {
            Ok(found) if found >= cursor => Ok(refusals),
            // Before the database had it.
            Ok(_) => Err(Fault::Panic),
            Err(error) => {
                tracing::error!(%error, "the database cannot be read again; it is tried with the next change");
                Err(Fault::PanicInCommit)
            }
        }
    }

    /// Makes memory what the database has. Returns the newest cursor.
    async fn rebuild(&mut self) -> std::result::Result<u64, store::Error> {
        let (core, writer) = (&self.core, &mut self.writer);
        let rebuilt = AssertUnwindSafe(async {
            let cursor = writer.read_cursor().await?;
            core.rebuild(cursor).await?;
            Ok(cursor)
        });
        match rebuilt.catch_unwind().await {
            Ok(rebuilt) => {
                self.is_in_doubt = rebuilt.is_err();
                rebuilt
            }
            Err(_) => Err(store::Error::Row("reading it panicked".to_owned())),
        }
    }
}

/// The refused work of a batch, by its place in it.
type Refusals = HashMap<usize, Error>;

fn answer(entries: Vec<Box<dyn Queued>>, mut refusals: Refusals) {
    for (at, entry) in entries.into_iter().enumerate() {
        entry.answer(refusals.remove(&at));
    }
}

fn refuse_all(entries: Vec<Box<dyn Queued>>, error: &Error) {
    for entry in entries {
        entry.answer(Some(error.clone()));
    }
}

/// One transaction with all the work, and what was refused of it.
///
/// Work that is refused after it has written something is taken back with the whole transaction; the rest is done anew
/// without it.
async fn attempt(
    core: &Core,
    writer: &mut Writer,
    entries: &mut [Box<dyn Queued>],
    refusals: &mut Refusals,
    stage: &mut Stage,
) -> std::result::Result<(), store::Error> {
    let committed = writer.cursor();
    let (mut transaction, staged) = loop {
        let mut transaction = writer.begin().await?;
        let mut staged = core.stage();
        if perform(core, &mut transaction, &mut staged, entries, refusals).await? {
            break (transaction, staged);
        }
        transaction.abandon().await?;
    };
    if transaction.touches() > 0 && transaction.cursor() == committed {
        // By its cursor it is seen whether a commit that panicked reached the database.
        transaction.advance();
    }
    *stage = Stage::Commits(transaction.cursor());
    if transaction.touches() > 0 {
        let cursor = transaction.commit().await?;
        core.publish(cursor, true, staged);
    } else {
        // Only what is in memory changed: nothing has to reach the disk.
        transaction.abandon().await?;
        core.publish(writer.cursor(), false, staged);
    }
    Ok(())
}

/// Performs what is not refused yet; `false` where something is refused only now and has written something before it.
async fn perform(
    core: &Core,
    transaction: &mut Transaction<'_>,
    staged: &mut Staged,
    entries: &mut [Box<dyn Queued>],
    refusals: &mut Refusals,
) -> std::result::Result<bool, store::Error> {
    for (at, entry) in entries.iter_mut().enumerate() {
        if refusals.contains_key(&at) {
            continue;
        }
        let (touches, hooks) = (transaction.touches(), staged.hooks.clone());
        match entry.perform(core, transaction, staged).await {
            Ok(()) => {}
            Err(Failure::Store(error)) => return Err(error),
            Err(Failure::Refused(error)) => {
                refusals.insert(at, error);
                if transaction.touches() != touches {
                    return Ok(false);
                }
                staged.hooks = hooks;
            }
        }
    }
    Ok(true)
}
