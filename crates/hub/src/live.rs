//! A session as the hub works with it: its row, its list, and what its callers know, by revisions.

use crate::calls::Calls;
use crate::error::Failure;
use crate::evidence::BUILT_IN_LIST;
use crate::hosts::LinkState;
use crate::lists::counted;
use crate::permissions::Waiting;
use crate::state;
use jiff::{SignedDuration, Timestamp};
use protocol::{Code, ListState, OpenWith, SendingEdit, Terminal, say};
use session::{Life, ReportedState};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{CallerRow, Result, SendingRow, SessionRow, Shared, Store};
use todo::{CallerMemory, Item, List, SentDifference};

/// A session in memory. Cloned for a change, swapped in when the change is committed.
#[derive(Debug, Clone)]
pub(crate) struct Live {
    pub(crate) row: SessionRow,
    /// Shared until somebody changes it: a session is cloned for much that leaves its list alone.
    pub(crate) list: Arc<List>,
    pub(crate) caller_revisions: Shared<BTreeMap<String, CallerRevisions>>,
    /// The connections over which its callers called last, since this process began.
    pub(crate) lines: Shared<BTreeMap<String, Line>>,
    /// The session of the run's built-in list.
    pub(crate) built_in_list: Option<String>,
    /// Permissions that its agents wait for, the longest first; in memory only, as are those who wait.
    pub(crate) waiting: Vec<Waiting>,
    /// Its calls of other tools, since this process began.
    pub(crate) calls: Arc<Calls>,
    /// When its newest revision was made: none is made earlier, also where the clock was set back.
    pub(crate) written_at: Timestamp,
    /// The terminal that its agent runs in, as it has said since this process began.
    pub(crate) terminal: Option<Arc<Terminal>>,
    /// For a mirrored session: its agent is connected there.
    pub(crate) connected_there: bool,
    /// For a mirrored session: the clock of its host is ahead of ours by this.
    pub(crate) ahead: SignedDuration,
    /// For a mirrored session: what opens its folder there.
    pub(crate) opens: Vec<OpenWith>,
    /// For a mirrored session: edits that its host has not got.
    pub(crate) sending: Arc<Vec<SendingEdit>>,
    /// Whoever reports of it gives it a message as a prompt, where it has nothing to do; while they are connected.
    pub(crate) prompts: bool,
}

/// The revisions that a caller's memory is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CallerRevisions {
    pub(crate) known_revision: Option<u64>,
    pub(crate) sent_revision: Option<u64>,
}

/// The connection of a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) connection: String,
    /// It is one that is known as there until it ends.
    pub(crate) is_held: bool,
}

impl Live {
    /// A session that no caller knows of yet.
    pub(crate) fn new(row: SessionRow, list: List) -> Self {
        Self {
            row,
            list: Arc::new(list),
            caller_revisions: Shared::default(),
            lines: Shared::default(),
            built_in_list: None,
            waiting: Vec::new(),
            calls: Arc::default(),
            written_at: Timestamp::UNIX_EPOCH,
            terminal: None,
            connected_there: false,
            ahead: SignedDuration::ZERO,
            opens: Vec::new(),
            sending: Arc::default(),
            prompts: false,
        }
    }

    /// Loads a session from the store.
    pub(crate) async fn load(store: &Store, row: SessionRow) -> Result<Self> {
        let items = store.list_at(row.pk, row.list.revision).await?;
        let edits = store.edits(row.pk).await?;
        let rows = store.callers(row.pk).await?;
        let named = rows.iter().filter_map(|caller| Some((caller.caller.clone(), caller.name.clone()?)));
        let mut list =
            List { items, revision: row.list.revision, ids_given: row.list.ids_given, edits, ..List::default() };
        list.agents = named.collect();
        let mut caller_revisions = BTreeMap::new();
        for caller in rows {
            let others = list.others(&caller.caller);
            let sent_list = match caller.sent_revision {
                Some(revision) => store.list_at(row.pk, revision).await?,
                None => Vec::new(),
            };
            // The answer that a caller got is not stored at once; the one to its own last change it very likely got.
            // Edits that were not noted as delivered are told again all the same.
            // A built-in list is observed and never answered.
            let answered = caller.sent_revision.filter(|_| row.who.own_tool.is_none());
            let told = match caller.known_revision.max(answered) {
                Some(revision) => Some(store.list_at(row.pk, revision).await?),
                None => None,
            };
            let (sent, order, parents) = match serde_json::from_str::<SentDifference>(&caller.sent_difference) {
                Ok(difference) => difference.unpack(&sent_list),
                Err(error) => {
                    tracing::error!(%error, "the last list of a caller cannot be read and counts as none");
                    Default::default()
                }
            };
            let mut memory = CallerMemory {
                known_list: told.as_ref().map(|told| others.visible(told).into()),
                has_sent: caller.sent_revision.is_some(),
                last_sent: sent,
                last_sent_order: order,
                last_sent_parents: parents,
                ..CallerMemory::default()
            };
            for given in [Some(&sent_list), told.as_ref()].into_iter().flatten() {
                memory.was_given(given, &others.hidden(given));
            }
            list.callers.insert(caller.caller.clone(), memory);
            caller_revisions.insert(
                caller.caller,
                CallerRevisions { known_revision: caller.known_revision, sent_revision: caller.sent_revision },
            );
        }
        let newest = store.revisions(row.pk, row.list.revision.saturating_add(1), 1).await?;
        let written_at = newest.first().map_or(Timestamp::UNIX_EPOCH, |revision| revision.at);
        // It may be deleted at this moment, and be brought back in the same transaction.
        let built_in_list = store.bound_id(BUILT_IN_LIST, &row.session_id).await?;
        let sending = match row.who.host {
            Some(_) => store.sending_of(&row.session_id).await?.into_iter().map(sending_edit).collect(),
            None => Vec::new(),
        };
        let sending = Arc::new(sending);
        let caller_revisions = caller_revisions.into();
        Ok(Self { caller_revisions, built_in_list, written_at, sending, ..Self::new(row, list) })
    }

    /// Takes over the present state of its host; whether anything was otherwise.
    pub(crate) fn found(&mut self, link: LinkState) -> bool {
        let LinkState { answers, ahead, opens } = link;
        let is_other = (self.row.host_answers, self.ahead, &self.opens) != (answers, ahead, &opens);
        (self.row.host_answers, self.ahead, self.opens) = (answers, ahead, opens);
        is_other
    }

    /// The list with its times by our clock.
    pub(crate) fn todos(&self) -> Vec<Item> {
        let mut items = self.list.items.clone();
        if !self.ahead.is_zero() {
            by_our_clock(&mut items, self.ahead);
        }
        items
    }

    /// Refuses to change what lives on another machine.
    pub(crate) fn refuse_mirrored(&self) -> std::result::Result<(), Failure> {
        match &self.row.who.host {
            None => Ok(()),
            Some(host) => Err(Failure::refused(Code::ReadOnly, say::host_only_edits(host))),
        }
    }

    /// Takes over what the row counts of the list.
    pub(crate) fn count(&mut self) {
        self.row.list.revision = self.list.revision;
        self.row.list.ids_given = self.list.ids_given;
        (self.row.list.progress, self.row.list.unfinished) = counted(&self.list.items);
    }

    /// Something was heard of the list: its items, or that there are none.
    pub(crate) fn know_list(&mut self) {
        self.row.list.state = if self.list.items.is_empty() { ListState::KnownEmpty } else { ListState::Active };
    }

    /// The agent was heard of.
    pub(crate) fn mark_active(&mut self, at: Timestamp) {
        // A late line of a file is no news of the agent's present state.
        if at < self.known_until() {
            return;
        }
        self.row.life.last_activity_at = at;
        self.enter(ReportedState::Open, None, at);
    }

    /// The time of the last that is known of its agent: that it was heard of, or that it left.
    pub(crate) fn known_until(&self) -> Timestamp {
        self.row.life.last_activity_at.max(self.row.life.state_at)
    }

    /// Its agent is in a state from now on.
    pub(crate) fn enter(&mut self, state: ReportedState, reason: Option<String>, at: Timestamp) {
        if self.row.life.state != state {
            self.row.life.state = state;
            self.row.life.state_at = at;
        }
        self.row.life.state_reason = reason;
    }

    /// The session whose list stands for the run, where that is not its own: that of its built-in list, until its own was
    /// written.
    pub(crate) fn standing_list(&self) -> Option<&str> {
        self.built_in_list.as_deref().filter(|_| !state::has_list(&self.row))
    }

    /// An agent has written its list: what there is of it is not the user's alone.
    pub(crate) fn is_written(&self) -> bool {
        self.caller_revisions.values().any(|revisions| revisions.sent_revision.is_some())
    }

    /// An agent's own list is in the state of its run; whether anything was otherwise that is told.
    pub(crate) fn follow(&mut self, run: &SessionRow) -> bool {
        let last_activity_at = self.row.life.last_activity_at.max(run.life.last_activity_at);
        let was = std::mem::replace(&mut self.row.life, Life { last_activity_at, ..(*run.life).clone() }.into());
        was.state != run.life.state || was.state_reason != run.life.state_reason
    }

    /// Notes which revisions a caller knows and has made.
    pub(crate) fn note_revisions(&mut self, caller: &str, note: impl FnOnce(&mut CallerRevisions)) {
        // Most are known, and need no key of their own.
        if let Some(known) = self.caller_revisions.get_mut(caller) {
            return note(known);
        }
        let mut known = CallerRevisions::default();
        note(&mut known);
        self.caller_revisions.insert(caller.to_owned(), known);
    }

    /// Forgets callers but for the `keep` newest, by the last revision that they know or made; whether there were more.
    pub(crate) fn forget_callers(&mut self, keep: usize) -> bool {
        if self.caller_revisions.len() <= keep {
            return false;
        }
        let mut newest: Vec<(u64, String)> = self
            .caller_revisions
            .iter()
            .map(|(caller, revisions)| {
                (revisions.known_revision.unwrap_or(0).max(revisions.sent_revision.unwrap_or(0)), caller.clone())
            })
            .collect();
        newest.sort_by(|a, b| b.cmp(a));
        let list = Arc::make_mut(&mut self.list);
        for (_, caller) in newest.drain(keep..) {
            self.caller_revisions.remove(&caller);
            list.callers.remove(&caller);
            list.agents.remove(&caller);
            self.lines.remove(&caller);
        }
        true
    }

    /// The row of a caller's memory, right after a write of its own: its last list is packed beside the one it made.
    pub(crate) fn caller_row(&self, caller: &str) -> CallerRow {
        let revisions = self.caller_revisions.get(caller).copied().unwrap_or_default();
        let memory = self.list.callers.get(caller);
        let packed = memory.map(|memory| SentDifference::pack(memory, &self.list.items)).unwrap_or_default();
        CallerRow {
            caller: caller.to_owned(),
            known_revision: revisions.known_revision,
            sent_revision: revisions.sent_revision,
            sent_difference: serde_json::to_string(&packed).unwrap_or_default(),
            name: self.list.agents.get(caller).cloned(),
        }
    }
}

/// An edit that a host has not got, as clients see it.
pub(crate) fn sending_edit(row: SendingRow) -> SendingEdit {
    let request: serde_json::Value = serde_json::from_str(&row.request).unwrap_or_default();
    let kind = request["type"].as_str().unwrap_or_default().to_owned();
    let problem_text = row.problem_text.as_deref().and_then(|text| serde_json::from_str(text).ok());
    SendingEdit { key: row.key, kind, text: row.text, at: row.at, problem: row.problem, problem_text }
}

fn by_our_clock(items: &mut [Item], ahead: SignedDuration) {
    for item in items {
        item.status_at = item.status_at.saturating_sub(ahead).unwrap_or(item.status_at);
        by_our_clock(&mut item.subtasks, ahead);
    }
}
