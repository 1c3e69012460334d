//! Agents' own lists: each in a session of its own, under that of its run.

use crate::change::Cause;
use crate::live::Live;
use crate::report::{Outcome, reporter};
use crate::resolve::{OWN, Pending, caller_key};
use crate::writer::Batch;
use crate::{Hub, view};
use jiff::{SignedDuration, Timestamp};
use protocol::{Caller, Code, Error, Result, TodoObserve, TodoObserved, Transport};
use store::Transaction;
use todo::{Change, Draft, short};

/// The kind of evidence that names an agent's own list by the session of its run.
pub(crate) const OWN_LIST: &str = "own-list";

/// Characters of a tool's name.
const TOOL_CHARS: usize = 100;

impl Hub {
    /// The agent's own list of a run.
    pub(crate) async fn own_list(&self, pending: &Pending, session_id: &str) -> Result<Option<Live>> {
        self.bound(pending, OWN_LIST, session_id).await
    }

    /// An agent wrote its own list.
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
        let drafts = drafts.map_err(Error::from)?;
        let at = self.at(ask.at);
        let told = batch.events.len();
        let mut run = match self.run(&batch.pending, &key).await? {
            Some(run) => run,
            None => {
                let run = self.begin(transaction, batch, caller, &key, at).await?;
                batch.events.push(self.created(&run));
                run
            }
        };
        if run.row.title.is_empty()
            && let Some(title) = &ask.title
        {
            run.row.title = short(title);
        }
        let mut own = match self.own_list(&batch.pending, &run.row.session_id).await? {
            Some(own) => own,
            None => self.begin_own(transaction, batch, caller, &run, at).await?,
        };
        // Two hooks within a millisecond are two lists all the same.
        let newest = own.row.observed_at;
        let at = match ask.at {
            Some(_) => at,
            None => newest.map_or(at, |newest| at.max(newest.saturating_add(MOMENT).unwrap_or(newest))),
        };
        let is_known = newest.is_some_and(|newest| at <= newest);
        let caller_key = caller_key(caller);
        if !is_known {
            own.row.observed_at = Some(at);
            own.row.own_tool = Some(tool);
            let change = match ask.merge {
                true => Change::Merge { caller: caller_key, drafts },
                false => Change::Replace { caller: caller_key, drafts },
            };
            let applied = self.apply(&own, change, at)?;
            // The same list over another way in, or once more: no revision.
            let news = !applied.is_nothing() || own.row.revision == 0;
            if news {
                let cause = Cause { kind: "todo.observe", request_id: None, at };
                own = self.store_agents(transaction, batch, caller, own, applied, cause).await?;
                self.worked(transaction, batch, &mut run, &own, at).await?;
            } else {
                own.heard(at);
                own.row.cursor = transaction.advance();
                transaction.session(&mut own.row).await?;
                batch.pending.lives.insert(own.row.session_id.clone(), own.clone());
            }
            if self.is_long_ago(at) && !self.is_shown(&run) {
                batch.events.truncate(told);
                batch.quiet.extend([run.row.session_id.clone(), own.row.session_id.clone()]);
            }
            return Ok(TodoObserved { session_id: own.row.session_id, revision: own.row.revision, news });
        }
        batch.pending.lives.insert(run.row.session_id.clone(), run);
        Ok(TodoObserved { session_id: own.row.session_id, revision: own.row.revision, news: false })
    }

    /// The run's session goes on with its agent's own list.
    async fn worked(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        run: &mut Live,
        own: &Live,
        at: Timestamp,
    ) -> Outcome<()> {
        if run.row.title.is_empty() {
            run.row.title.clone_from(&own.row.title);
        }
        run.heard(at);
        run.row.calls = 0;
        run.row.cursor = transaction.advance();
        transaction.session(&mut run.row).await?;
        batch.events.push(self.updated(run));
        batch.pending.lives.insert(run.row.session_id.clone(), run.clone());
        Ok(())
    }

    async fn begin_own(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        run: &Live,
        at: Timestamp,
    ) -> Outcome<Live> {
        let mut own = self.new_session(caller, None, at);
        own.row.parent_session_id = Some(run.row.session_id.clone());
        own.row.own_tool = Some(String::new());
        own.row.title.clone_from(&run.row.title);
        own.row.folder.clone_from(&run.row.folder);
        own.row.project.clone_from(&run.row.project);
        own.row.branch.clone_from(&run.row.branch);
        own.row.read_only = caller.transport != Transport::Hook && !self.is_hooked(&run.row.session_id);
        own.row.cursor = transaction.advance();
        transaction.session(&mut own.row).await?;
        self.bind(transaction, batch, &own, OWN_LIST, &run.row.session_id).await?;
        batch.pending.lives.insert(own.row.session_id.clone(), own.clone());
        Ok(own)
    }

    /// The session of a run by the agent's own id, or by the result of ours that it read last.
    async fn run(&self, pending: &Pending, key: &str) -> Result<Option<Live>> {
        let own = self.bound(pending, OWN, key).await?;
        if own.as_ref().is_some_and(|live| live.row.revision > 0) {
            return Ok(own);
        }
        Ok(self.bound(pending, crate::report::READ, key).await?.or(own))
    }

    /// Whether somebody may look at a session as one of now.
    fn is_shown(&self, live: &Live) -> bool {
        view::heard_lately(&live.row, self.now()) || self.inner.board.connected(&live.row.session_id)
    }
}

/// The least time between two lists of one run.
const MOMENT: SignedDuration = SignedDuration::from_millis(1);

fn tool(name: &str) -> Result<String> {
    let is_name = !name.is_empty() && name.chars().count() <= TOOL_CHARS && !name.chars().any(char::is_control);
    let problem =
        || format!("\"tool\" is the name of the agent's tool that wrote the list, 1 to {TOOL_CHARS} plain characters");
    is_name.then(|| name.to_owned()).ok_or_else(|| Error::new(Code::InvalidMessage, problem()))
}
