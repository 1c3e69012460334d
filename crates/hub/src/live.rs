//! A session as the hub works with it: its row, its list, and what its callers know, by revisions.

use jiff::Timestamp;
use protocol::Result;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{CallerRow, SessionRow, Store};
use todo::{List, Memory, Said, Status, progress};

use crate::storage;

/// A session in memory. Cloned for a change, swapped in when the change is committed.
#[derive(Debug, Clone)]
pub(crate) struct Live {
    pub(crate) row: SessionRow,
    /// Shared until somebody changes it: a session is cloned for much that leaves its list alone.
    pub(crate) list: Arc<List>,
    pub(crate) known: BTreeMap<String, Known>,
    /// When its newest revision was made: none is made earlier, also where the clock was set back.
    pub(crate) written_at: Timestamp,
}

/// The revisions that a caller's memory is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Known {
    pub(crate) told_rev: Option<u64>,
    pub(crate) said_rev: Option<u64>,
}

impl Live {
    /// Loads a session from the store.
    pub(crate) async fn load(store: &Store, row: SessionRow) -> Result<Self> {
        let items = store.list_at(row.pk, row.revision).await.map_err(storage)?;
        let mut callers = BTreeMap::new();
        let mut known = BTreeMap::new();
        for caller in store.callers(row.pk).await.map_err(storage)? {
            let said_list = match caller.said_rev {
                Some(revision) => store.list_at(row.pk, revision).await.map_err(storage)?,
                None => Vec::new(),
            };
            // Which answer it was told is not stored at once; that to its own last change it very likely was. Edits that
            // were not noted as told are told again all the same.
            // An agent's own list is observed and never answered.
            let answered = caller.said_rev.filter(|_| row.own_tool.is_none());
            let told = match caller.told_rev.max(answered) {
                Some(revision) => Some(store.list_at(row.pk, revision).await.map_err(storage)?),
                None => None,
            };
            let (said, order) = match serde_json::from_str::<Said>(&caller.said) {
                Ok(said) => said.unpack(&said_list),
                Err(error) => {
                    tracing::error!(%error, "what a caller said cannot be read; it counts as if it had said nothing");
                    Default::default()
                }
            };
            callers.insert(caller.caller.clone(), Memory { told, wrote: caller.said_rev.is_some(), said, order });
            known.insert(caller.caller, Known { told_rev: caller.told_rev, said_rev: caller.said_rev });
        }
        let edits = store.edits(row.pk).await.map_err(storage)?;
        let list = List { items, revision: row.revision, ids_given: row.ids_given, edits, callers };
        let newest = store.revisions(row.pk, row.revision.saturating_add(1), 1).await.map_err(storage)?;
        let written_at = newest.first().map_or(Timestamp::UNIX_EPOCH, |revision| revision.at);
        Ok(Self { row, list: Arc::new(list), known, written_at })
    }

    /// Takes over what the row shows of the list.
    pub(crate) fn count(&mut self) {
        let counted = progress(&self.list.items);
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        self.row.revision = self.list.revision;
        self.row.ids_given = self.list.ids_given;
        self.row.completed = number(counted.completed);
        self.row.total = number(counted.total);
        self.row.fraction = counted.fraction;
        self.row.unfinished = number(self.list.items.iter().filter(|item| open(item.status)).count());
        self.row.list_state = if self.list.items.is_empty() { "known-empty" } else { "active" }.to_owned();
    }

    /// The agent was heard of.
    pub(crate) fn heard(&mut self, at: Timestamp) {
        // What a file tells late is no news of what its agent does now.
        if at < self.row.last_activity_at {
            return;
        }
        self.row.last_activity_at = at;
        self.enter("open", None, at);
    }

    /// Its agent is in a state from now on.
    pub(crate) fn enter(&mut self, state: &str, reason: Option<String>, at: Timestamp) {
        if self.row.state != state {
            state.clone_into(&mut self.row.state);
            self.row.state_at = at;
        }
        self.row.state_reason = reason;
    }

    /// An agent has written its list: what there is of it is not the user's alone.
    pub(crate) fn is_written(&self) -> bool {
        self.known.values().any(|known| known.said_rev.is_some())
    }

    /// An agent's own list is in the state of its run; whether anything was otherwise that is told.
    pub(crate) fn follow(&mut self, run: &SessionRow) -> bool {
        let was = (self.row.state.clone(), self.row.state_reason.clone());
        self.row.last_activity_at = self.row.last_activity_at.max(run.last_activity_at);
        (self.row.calls, self.row.drift_at) = (run.calls, run.drift_at);
        (self.row.state, self.row.state_reason) = (run.state.clone(), run.state_reason.clone());
        self.row.state_at = run.state_at;
        was != (run.state.clone(), run.state_reason.clone())
    }

    /// Forgets what callers know but for the `keep` that were told or said something last; whether there were more.
    pub(crate) fn forget_callers(&mut self, keep: usize) -> bool {
        if self.known.len() <= keep {
            return false;
        }
        let mut newest: Vec<(u64, String)> = self
            .known
            .iter()
            .map(|(caller, known)| (known.told_rev.unwrap_or(0).max(known.said_rev.unwrap_or(0)), caller.clone()))
            .collect();
        newest.sort_by(|a, b| b.cmp(a));
        let list = Arc::make_mut(&mut self.list);
        for (_, caller) in newest.drain(keep..) {
            self.known.remove(&caller);
            list.callers.remove(&caller);
        }
        true
    }

    /// The row of what a caller knows, right after a write of its own: what it said is packed beside the list it made.
    pub(crate) fn caller_row(&self, caller: &str) -> CallerRow {
        let known = self.known.get(caller).copied().unwrap_or_default();
        let memory = self.list.callers.get(caller);
        let packed = memory.map(|memory| Said::pack(memory, &self.list.items)).unwrap_or_default();
        CallerRow {
            caller: caller.to_owned(),
            told_rev: known.told_rev,
            said_rev: known.said_rev,
            said: serde_json::to_string(&packed).unwrap_or_default(),
        }
    }
}

fn open(status: Status) -> bool {
    !status.is_terminal()
}
