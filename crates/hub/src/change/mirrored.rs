//! Sessions of other gateways, as their owners have them: rows that are taken over, and never made here.

use crate::error::{Failure, Result};
use crate::evidence::BUILT_IN_LIST;
use crate::feed::{FeedBody, FeedRowsHere};
use crate::hosts::LinkState;
use crate::live::Live;
use crate::turn::Turn;
use crate::writer::Work;
use jiff::{SignedDuration, Timestamp};
use protocol::{Code, FeedDeleted, FeedRows, SessionUndelete};
use session::{Identity, Life, ListSummary};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::{History, HostRow, ItemState, MirroredRow, SessionRow};
use todo::list::flat;
use todo::{Edit, Item, List};
use uuid::Uuid;

/// The time that a clock elsewhere may be ahead of ours.
const AHEAD: SignedDuration = SignedDuration::from_hours(24);

/// A part of a session's history that its owner has sent.
pub(crate) struct TakeRows {
    pub(crate) host: String,
    pub(crate) owner_id: String,
    /// The revision that it was asked for after.
    pub(crate) after: u64,
    pub(crate) rows: FeedRows,
    /// The owner's clock is ahead of ours by this.
    pub(crate) ahead: SignedDuration,
}

impl Work for TakeRows {
    type Answer = ();

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<()> {
        turn.take_rows(self).await
    }
}

/// The end of a page of changes: all of its sessions are here.
pub(crate) struct TakePage {
    pub(crate) host: String,
    /// `None` to begin from the first change again.
    pub(crate) cursor: Option<String>,
    /// There are more changes.
    pub(crate) more: bool,
    pub(crate) deleted: Vec<FeedDeleted>,
}

impl Work for TakePage {
    type Answer = ();

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<()> {
        for deleted in &self.deleted {
            turn.take_deletion(&self.host, deleted).await?;
        }
        let rows = turn.transaction.hosts().await?;
        let was_first = rows.iter().find(|row| row.name == self.host).is_none_or(HostRow::is_first);
        Ok(turn.transaction.save_host_cursor(&self.host, self.cursor.as_deref(), was_first && self.more).await?)
    }
}

/// A host answers, or does not any more.
pub(crate) struct Answers {
    pub(crate) host: String,
    pub(crate) answers: bool,
}

impl Work for Answers {
    type Answer = ();

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<()> {
        let is_of_it = |live: &Live| live.row.who.host.as_deref() == Some(&self.host);
        for live in turn.core.board.select(is_of_it) {
            let mut live = turn.find(&live.row.session_id).await?;
            let link = LinkState { answers: self.answers, ..turn.core.hosts.link_state(&self.host) };
            if live.found(link) {
                turn.tell_updated(&live);
                turn.stage(&live);
            }
        }
        Ok(())
    }
}

impl Turn<'_, '_> {
    async fn take_rows(&mut self, told: &TakeRows) -> Result<()> {
        let known = self.transaction.mirrored(&told.host, &told.owner_id).await?;
        if told.rows.differs {
            // The history of before stays as it is, with nobody to go on with it.
            return match known {
                Some(known) => self.begin_anew(known).await,
                None => Ok(()),
            };
        }
        let now = self.now();
        let body: FeedBody = serde_json::from_value(told.rows.session.clone())
            .map_err(|error| refused(told, &format!("is not well formed: {error}")))?;
        let last = told.rows.revision;
        let latest = now.saturating_add(AHEAD).unwrap_or(now);
        body.check((told.after, last), latest).map_err(|problem| refused(told, &problem))?;
        let mut entry = match known {
            Some(known) => known,
            None => self.new_entry(told).await?,
        };
        let salt = entry.salt;
        let FeedRowsHere { mut row, history } = body.rows(salt);
        row.session_id.clone_from(&entry.session_id);
        let mut who = self.identity_here(&told.host, &row.who).await?;
        who.title = entry.title.clone().unwrap_or(who.title);
        row.who = who.into();
        row.life = life_here(&row.life, told).into();
        row.host_answers = true;
        let is_begun = entry.cursor.is_some();
        match self.here(&mut entry).await? {
            Some(live) if live.row.list.revision == told.after => self.go_on_with(live, row, &history, told).await?,
            // It was asked for before another answer was stored.
            Some(_) => return Ok(()),
            // It was deleted here, and is not fetched again.
            None if is_begun => {}
            None if told.after == 0 => self.take_new(row, &history, told).await?,
            None => return Ok(()),
        }
        if !told.rows.more {
            entry.cursor = Some(told.rows.cursor.clone());
        } else if entry.cursor.is_none() {
            entry.cursor = Some(String::new());
        }
        self.transaction.save_mirrored(&entry).await?;
        Ok(())
    }

    /// Another history of a session is fetched from its beginning, beside the one that is here.
    async fn begin_anew(&mut self, known: MirroredRow) -> Result<()> {
        let session_id = self.core.uid().to_string();
        let entry = MirroredRow { session_id, cursor: None, salt: self.core.uid(), gone: false, title: None, ..known };
        Ok(self.transaction.save_mirrored(&entry).await?)
    }

    async fn new_entry(&mut self, told: &TakeRows) -> Result<MirroredRow> {
        let is_id = Uuid::try_parse(&told.owner_id).is_ok_and(|id| id.to_string() == told.owner_id);
        let is_taken = !is_id || self.transaction.has_session(&told.owner_id).await?;
        Ok(MirroredRow {
            host: told.host.clone(),
            owner_id: told.owner_id.clone(),
            session_id: if is_taken { self.core.uid().to_string() } else { told.owner_id.clone() },
            cursor: None,
            salt: self.core.uid(),
            gone: false,
            title: None,
        })
    }

    /// A host's session as it is here; brought back where its owner has brought it back.
    async fn here(&mut self, entry: &mut MirroredRow) -> Result<Option<Live>> {
        if std::mem::take(&mut entry.gone) {
            let undeleted = self.undelete(&SessionUndelete { session_id: entry.session_id.clone() }).await;
            match undeleted {
                Err(failure) if !failure.is_unknown_session() => return Err(failure),
                _ => {}
            }
        }
        match self.find(&entry.session_id).await {
            Ok(live) => Ok(Some(live)),
            Err(failure) if failure.is_unknown_session() => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// The identity of a host's session as it is here: the session that it is under is named by its id here.
    async fn identity_here(&mut self, host: &str, who: &Identity) -> Result<Identity> {
        let parent_session_id = match &who.parent_session_id {
            Some(owner_id) => match self.transaction.mirrored(host, owner_id).await? {
                Some(entry) => Some(entry.session_id),
                None if self.transaction.has_session(owner_id).await? => None,
                None => Some(owner_id.clone()),
            },
            None => None,
        };
        Ok(Identity { parent_session_id, host: Some(host.to_owned()), ..who.clone() })
    }

    async fn take_new(&mut self, mut row: SessionRow, history: &History, told: &TakeRows) -> Result<()> {
        if self.refuse_circle(&row, &HashMap::new()).await.is_err() {
            row.who.parent_session_id = None;
        }
        row.list.revision = told.rows.revision;
        row.cursor = self.transaction.advance();
        let edits = history.edits.iter().filter(|(_, forgotten)| !forgotten).map(|(edit, _)| edit.clone()).collect();
        let mut live = self.counted(Live::new(row, List::default()), history.list(), edits, told)?;
        live.written_at = history.revisions.last().map_or(Timestamp::UNIX_EPOCH, |revision| revision.at);
        self.transaction.import(&mut live.row, history).await?;
        self.staged.quiet.insert(live.row.session_id.clone());
        self.bind_to_run(&mut live).await?;
        self.tell_created(&live);
        self.stage(&live);
        Ok(())
    }

    /// A known session goes on: with more of its history, and with what is new of its agent.
    async fn go_on_with(&mut self, mut live: Live, row: SessionRow, history: &History, told: &TakeRows) -> Result<()> {
        let before = live.list.items.clone();
        let is_hole = told.after > 0 && row.list.first_revision > told.after + 1;
        let items = list_after(if is_hole { &[] } else { &before }, &history.states);
        let edits = merged(&live.list.edits, &history.edits);
        let known_since = live.row.list.first_revision;
        let first_revision = if told.after == 0 { row.list.first_revision } else { known_since };
        live.row.who = row.who;
        live.row.life = row.life;
        live.row.usage = row.usage;
        live.row.list = ListSummary { first_revision, ..(*row.list).clone() }.into();
        live.row.host_answers = true;
        live = self.counted(live, items, edits, told)?;
        if let Some(last) = history.revisions.last() {
            live.written_at = last.at;
        }
        live.row.cursor = self.transaction.advance();
        self.transaction.extend(&live.row, &before, told.after, history).await?;
        self.transaction.replace_lists(live.row.pk, &history.lists).await?;
        for (edit, forgotten) in &history.edits {
            self.transaction.save_edit(&live.row, edit, live.row.cursor).await?;
            if *forgotten {
                self.transaction.forget_edit(edit.id, live.row.cursor).await?;
            }
        }
        self.bind_to_run(&mut live).await?;
        match history.revisions.last() {
            Some(last) => self.tell_revision(&live, &last.actor, None),
            None => self.tell_updated(&live),
        }
        self.transaction.save_session(&mut live.row).await?;
        self.stage(&live);
        Ok(())
    }

    /// A session with this list, counted.
    fn counted(&self, live: Live, items: Vec<Item>, edits: Vec<Edit>, told: &TakeRows) -> Result<Live> {
        todo::check::list(&items).map_err(|problem| refused(told, &problem))?;
        let list =
            List { items, edits, revision: told.rows.revision, ids_given: live.row.list.ids_given, ..List::default() };
        let mut live = Live { list: Arc::new(list), connected_there: told.rows.connected, ..live };
        live.found(LinkState { answers: true, ahead: told.ahead, ..self.core.hosts.link_state(&told.host) });
        live.count();
        Ok(live)
    }

    /// The built-in list of a run stands for it here, too.
    async fn bind_to_run(&mut self, live: &mut Live) -> Result<()> {
        if let (Some(_), Some(run)) = (&live.row.who.own_tool, live.row.who.parent_session_id.clone())
            && live.row.pk > 0
        {
            match self.find(&run).await {
                Ok(mut run) if run.row.who.host == live.row.who.host => {
                    if run.built_in_list.as_deref() != Some(&live.row.session_id) {
                        self.bind_built_in(live, &mut run).await?;
                        self.tell_updated(&run);
                        self.stage(&run);
                    }
                }
                Ok(_) => {}
                Err(failure) if failure.is_unknown_session() => {
                    self.bind(live, BUILT_IN_LIST, &run).await?;
                }
                Err(failure) => return Err(failure),
            }
        } else if live.built_in_list.is_none() {
            let staged = self.staged.bindings.get(BUILT_IN_LIST, &live.row.session_id).cloned();
            live.built_in_list = match staged {
                Some(list) => Some(list),
                None => self.core.store.bound_id(BUILT_IN_LIST, &live.row.session_id).await?,
            };
        }
        Ok(())
    }

    /// A session that its owner has deleted is deleted here, with the same time to bring it back.
    async fn take_deletion(&mut self, host: &str, deleted: &FeedDeleted) -> Result<()> {
        let Some(mut entry) = self.transaction.mirrored(host, &deleted.session_id).await? else { return Ok(()) };
        if entry.gone {
            return Ok(());
        }
        match self.find(&entry.session_id).await {
            Ok(live) => {
                self.retire(live, deleted.at).await?;
                entry.gone = true;
                self.transaction.save_mirrored(&entry).await?;
                Ok(())
            }
            // The user has deleted it here.
            Err(failure) if failure.is_unknown_session() => Ok(()),
            Err(failure) => Err(failure),
        }
    }
}

fn refused(told: &TakeRows, problem: &str) -> Failure {
    let (host, id) = (&told.host, todo::text::plain(&todo::short(&told.owner_id)));
    Failure::refused(Code::InvalidMessage, format!("{host} has sent a session {id} that {problem}"))
}

/// The life of a host's session by our clock.
fn life_here(life: &Life, told: &TakeRows) -> Life {
    let here = |at: Timestamp| at.saturating_sub(told.ahead).unwrap_or(at);
    let milli = |at: Timestamp| Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at);
    Life {
        state_at: milli(here(life.state_at)),
        last_activity_at: milli(here(life.last_activity_at)),
        calls: told.rows.calls,
        drift_at: told.rows.drift_at.map(|at| milli(here(at))),
        ..life.clone()
    }
}

/// The list after states of items have begun and ended.
fn list_after(before: &[Item], states: &[ItemState]) -> Vec<Item> {
    let ended: HashSet<Uuid> = states.iter().map(|state| state.item.uid).collect();
    let stays = flat(before).filter(|(item, _)| !ended.contains(&item.uid)).map(|(item, parent)| ItemState {
        item: Item { subtasks: Vec::new(), ..item.clone() },
        parent,
        from_rev: 0,
        to_rev: None,
    });
    let states = stays.chain(states.iter().cloned()).collect();
    History { states, ..History::default() }.list()
}

/// Edits after some have come or changed, oldest first; the forgotten ones are left out.
fn merged(before: &[Edit], told: &[(Edit, bool)]) -> Vec<Edit> {
    let changed: HashSet<Uuid> = told.iter().map(|(edit, _)| edit.id).collect();
    let stays = before.iter().filter(|edit| !changed.contains(&edit.id)).cloned();
    let come = told.iter().filter(|(_, forgotten)| !forgotten).map(|(edit, _)| edit.clone());
    let mut edits: Vec<Edit> = stays.chain(come).collect();
    edits.sort_by_key(|edit| (edit.revision, edit.id));
    edits
}
