//! Agents' own lists: each in a session of its own, under that of its run.

use crate::change::Cause;
use crate::live::Live;
use crate::report::{Outcome, reporter};
use crate::resolve::{OWN, Pending, caller_key};
use crate::writer::Batch;
use crate::{Hub, view};
use jiff::{SignedDuration, Timestamp};
use protocol::{Caller, Code, Error, Result, TodoObserve, TodoObserved, Transport};
use std::collections::HashSet;
use store::Transaction;
use todo::{Applied, Change, Draft, short};

/// The kind of evidence that names an agent's own list by the session of its run.
pub(crate) const OWN_LIST: &str = "own-list";

/// Characters of a tool's name.
const TOOL_CHARS: usize = 100;

impl Hub {
    /// The agent's own list of a run.
    pub(crate) async fn own_list(&self, pending: &Pending, session_id: &str) -> Result<Option<Live>> {
        self.bound(pending, OWN_LIST, session_id).await
    }

    /// An agent wrote its own list. Nothing begins with one that is refused.
    pub(crate) async fn observe(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        ask: &TodoObserve,
    ) -> Outcome<TodoObserved> {
        let (_, key) = reporter(caller)?;
        let tool = tool(&ask.tool)?;
        let drafts = if ask.merge { Draft::part(&ask.todos) } else { Draft::list(&ask.todos) };
        let mut drafts = drafts.map_err(Error::from)?;
        let run = self.run(&batch.pending, &key).await?;
        let own = match &run {
            Some(run) => self.own_list(&batch.pending, &run.row.session_id).await?,
            None => None,
        };
        let newest = own.as_ref().and_then(|own| own.row.observed_at);
        // By the clock of who wrote it, which may be ahead of ours. Two hooks within a millisecond are two lists all the
        // same.
        let now = self.now();
        let written = match ask.at {
            Some(said) => Timestamp::from_millisecond(said.as_millisecond()).unwrap_or(said),
            None => newest.map_or(now, |newest| now.max(newest.saturating_add(MOMENT).unwrap_or(newest))),
        };
        let at = written.min(now);
        if ask.merge {
            // Of what came before it was listened to a part knows nothing; the agent's files will tell.
            let known: HashSet<&str> =
                own.iter().flat_map(|own| &own.list.items).map(|item| item.id.as_str()).collect();
            let is_known = |draft: &Draft| draft.id.as_deref().is_some_and(|id| known.contains(id));
            drafts.retain(|draft| !draft.content.is_empty() || is_known(draft));
        }
        let by_file = caller.transport == Transport::File;
        let is_forgotten = run.is_none() && self.inner.store.is_forgotten(OWN, &key, at).await?;
        let is_old = newest.is_some_and(|newest| written <= newest)
            || run.as_ref().is_some_and(|run| by_file && self.is_told_by_hook(&run.row.session_id, at));
        if is_forgotten || is_old || (ask.merge && drafts.is_empty()) {
            return Ok(own.map(|own| observed(&own, false)).unwrap_or_default());
        }
        let mut own = own.unwrap_or_else(|| self.new_own(caller, at));
        own.row.observed_at = Some(written);
        let change = match ask.merge {
            true => Change::Merge { caller: caller_key(caller), drafts },
            false => Change::Replace { caller: caller_key(caller), drafts },
        };
        let mut applied = self.apply(&own, change, at)?;
        applied.list.observed(&caller_key(caller), at);
        let told = batch.events.len();
        let run = match run {
            Some(run) => run,
            None => {
                let run = self.begin(transaction, batch, caller, &key, at).await?;
                batch.events.push(self.created(&run));
                run
            }
        };
        let above = run.row.parent_session_id.clone();
        let is_shown = view::is_shown(&run.row, self.moment()) || self.inner.board.head(&run.row.session_id).is_some();
        if caller.transport == Transport::Hook {
            let mut reports = self.reports();
            reports.listed.retain(|_, told| !self.is_long_ago(*told));
            reports.listed.insert(run.row.session_id.clone(), at);
        }
        let own = self.keep(transaction, batch, caller, (run, own), (applied, tool, ask.title.as_deref()), at).await?;
        if self.is_long_ago(at) && !is_shown {
            batch.events.truncate(told);
            batch.quiet.extend(above.into_iter().chain(own.1.row.parent_session_id.clone()));
            batch.quiet.insert(own.1.row.session_id.clone());
        }
        Ok(observed(&own.1, own.0))
    }

    /// Whether what a file says of that time was told by a hook: a file's line may be later than its hook.
    fn is_told_by_hook(&self, session_id: &str, at: Timestamp) -> bool {
        let told = self.reports().listed.get(session_id).copied();
        told.is_some_and(|told| at.as_second() - told.as_second() <= BEHIND_SECONDS)
    }

    /// Stores what came of a list, and that its run goes on; whether it was news.
    async fn keep(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        (mut run, mut own): (Live, Live),
        (applied, tool, title): (Applied, String, Option<&str>),
        at: Timestamp,
    ) -> Outcome<(bool, Live)> {
        if run.row.title.is_empty() {
            run.row.title = title.map(short).unwrap_or_default();
        }
        if run.row.parent_session_id.is_none() {
            run.row.parent_session_id = self.parent_of(&batch.pending, caller).await?;
        }
        own.row.title.clone_from(&run.row.title);
        own.row.own_tool = Some(tool);
        if own.row.pk == 0 {
            own.row.parent_session_id = Some(run.row.session_id.clone());
            for (ours, theirs) in [
                (&mut own.row.folder, &run.row.folder),
                (&mut own.row.project, &run.row.project),
                (&mut own.row.branch, &run.row.branch),
            ] {
                ours.clone_from(theirs);
            }
            (own.row.pinned, own.row.muted) = (run.row.pinned, run.row.muted);
            own.row.dismissed_at = run.row.dismissed_at;
            own.row.cursor = transaction.advance();
            transaction.session(&mut own.row).await?;
            self.bind(transaction, batch, &own, OWN_LIST, &run.row.session_id).await?;
        }
        // The same list over another way in, or once more: no revision.
        let news = !applied.is_nothing() || own.row.revision == 0;
        if news {
            let cause = Cause { kind: "todo.observe", request_id: None, at };
            own = self.store_agents(transaction, batch, caller, own, applied, cause).await?;
        }
        if run.row.title.is_empty() {
            run.row.title.clone_from(&own.row.title);
        }
        run.heard(at);
        (run.row.calls, run.row.drift_at) = (0, None);
        run.row.cursor = transaction.advance();
        transaction.session(&mut run.row).await?;
        batch.events.push(self.updated(&run));
        own.follow(&run.row);
        own.row.cursor = transaction.advance();
        transaction.session(&mut own.row).await?;
        batch.events.push(self.updated(&own));
        batch.pending.lives.insert(own.row.session_id.clone(), own.clone());
        batch.pending.lives.insert(run.row.session_id.clone(), run);
        Ok((news, own))
    }

    /// Nobody can be told of it before a hook listens.
    fn new_own(&self, caller: &Caller, at: Timestamp) -> Live {
        let mut own = self.new_session(caller, None, at);
        own.row.read_only = true;
        own
    }

    /// The session of a run by the agent's own id, or by the result of ours that it read last.
    pub(crate) async fn run(&self, pending: &Pending, key: &str) -> Result<Option<Live>> {
        let own = self.bound(pending, OWN, key).await?;
        if own.as_ref().is_some_and(Live::is_written) {
            return Ok(own);
        }
        Ok(self.bound(pending, crate::report::READ, key).await?.or(own))
    }
}

fn observed(own: &Live, news: bool) -> TodoObserved {
    TodoObserved { session_id: own.row.session_id.clone(), revision: own.row.revision, news }
}

/// How far a file's line may be behind the hook of its call.
const BEHIND_SECONDS: i64 = 5;

/// The least time between two lists of one run.
const MOMENT: SignedDuration = SignedDuration::from_millis(1);

fn tool(name: &str) -> Result<String> {
    let is_name = !name.is_empty() && name.chars().count() <= TOOL_CHARS && !name.chars().any(char::is_control);
    let problem =
        || format!("\"tool\" is the name of the agent's tool that wrote the list, 1 to {TOOL_CHARS} plain characters");
    is_name.then(|| name.to_owned()).ok_or_else(|| Error::new(Code::InvalidMessage, problem()))
}
