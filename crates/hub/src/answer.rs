//! Answers to questions: sessions, lists at any revision, revisions.

use crate::live::Live;
use crate::resolve::Pending;
use crate::view::Moment;
use crate::{Hub, storage, view};
use protocol::{
    Caller, Code, Error, Result, RevisionView, Revisions, SNAPSHOT_SESSIONS, SessionAt, SessionGet, SessionRevisions,
};
use std::collections::HashSet;
use store::RevisionRow;
use todo::Item;
use todo::list::flat;
use uuid::Uuid;

impl Hub {
    /// Loads the sessions that were heard of lately, so that a snapshot after a restart shows them.
    pub(crate) async fn load_current(&self, now: Moment) -> std::result::Result<(), store::Error> {
        let limit = u32::try_from(SNAPSHOT_SESSIONS).unwrap_or(u32::MAX);
        let kept = self.inner.store.kept(now.waiting_since(), limit).await?;
        for row in self.inner.store.heard_last(limit).await?.into_iter().chain(kept) {
            if !view::is_shown(&row, now) || self.inner.board.head(&row.session_id).is_some() {
                continue;
            }
            match Live::load(&self.inner.store, row).await {
                Ok(live) => self.inner.board.load(live, now),
                Err(error) => tracing::error!(%error, "a session could not be loaded"),
            }
        }
        Ok(())
    }

    pub(crate) async fn session_get(&self, caller: &Caller, ask: SessionGet) -> Result<SessionAt> {
        let now = self.moment();
        let live = if ask.session_id.is_empty() {
            let found = self.session_of(&Pending::default(), caller, None, None).await?;
            if found.new {
                return Err(Error::new(
                    Code::SessionNotFound,
                    "this agent has no list yet; its first todo_write makes one",
                ));
            }
            found.live
        } else {
            self.named(&Pending::default(), &ask.session_id).await?
        };
        let revision = ask.revision.unwrap_or(live.row.revision);
        let todos = self.list_of(&live, ask.revision).await?;
        let (change, removed) = match ask.revision {
            Some(revision) => self.change_at(live.row.pk, revision).await?,
            None => (None, Vec::new()),
        };
        let connected = self.inner.board.connected(&live.row.session_id);
        Ok(SessionAt {
            session: view::with_needs(&live, connected, now),
            revision,
            todos,
            change,
            removed,
            edits: view::edits(&live.list.edits),
            own_session_id: self
                .own_list(&Pending::default(), &live.row.session_id)
                .await?
                .map(|own| own.row.session_id),
        })
    }

    /// The list of a session, at a revision or as it is.
    pub(crate) async fn list_of(&self, live: &Live, revision: Option<u64>) -> Result<Vec<Item>> {
        let (oldest, newest) = (live.row.first_revision, live.row.revision);
        match revision {
            None => Ok(live.list.items.clone()),
            Some(revision) if revision == newest => Ok(live.list.items.clone()),
            Some(revision) if revision > newest || revision < oldest => Err(Error::new(
                Code::RevisionNotFound,
                format!("this session has the revisions {oldest} to {newest}, not {revision}"),
            )),
            Some(revision) => self.inner.store.list_at(live.row.pk, revision).await.map_err(storage),
        }
    }

    async fn revision_view(&self, pk: i64, revision: RevisionRow) -> Result<RevisionView> {
        let (opened, closed) = self.inner.store.touched(pk, revision.revision).await.map_err(storage)?;
        let (came, went): (HashSet<Uuid>, HashSet<Uuid>) =
            (opened.iter().copied().collect(), closed.iter().copied().collect());
        let names = |uids: &[Uuid], other: &HashSet<Uuid>, both: bool| -> Vec<String> {
            uids.iter().filter(|uid| other.contains(uid) == both).map(Uuid::to_string).collect()
        };
        Ok(RevisionView {
            revision: revision.revision,
            at: revision.at,
            actor: view::actor(&revision.actor),
            cause: revision.cause,
            added: names(&opened, &went, false),
            changed: names(&opened, &went, true),
            removed: names(&closed, &came, false),
        })
    }

    /// What a revision changed, and the items that it took out.
    async fn change_at(&self, pk: i64, revision: u64) -> Result<(Option<RevisionView>, Vec<Item>)> {
        let store = &self.inner.store;
        let row = store.revisions(pk, revision.saturating_add(1), 1).await.map_err(storage)?.pop();
        let Some(row) = row.filter(|row| row.revision == revision) else { return Ok((None, Vec::new())) };
        let change = self.revision_view(pk, row).await?;
        if change.removed.is_empty() || revision < 2 {
            return Ok((Some(change), Vec::new()));
        }
        let gone: HashSet<&str> = change.removed.iter().map(String::as_str).collect();
        let before = store.list_at(pk, revision - 1).await.map_err(storage)?;
        let gone = flat(&before).filter(|(item, _)| gone.contains(item.uid.to_string().as_str()));
        let removed = gone.map(|(item, _)| Item { subtasks: Vec::new(), ..item.clone() }).collect();
        Ok((Some(change), removed))
    }

    pub(crate) async fn session_revisions(&self, ask: SessionRevisions) -> Result<Revisions> {
        let row = self.row_named(&ask.session_id).await?;
        let limit = ask.limit.unwrap_or(100).clamp(1, 500);
        let before = match ask.cursor.as_deref() {
            None => u64::MAX,
            Some(cursor) => cursor.parse().map_err(|_| bad_cursor())?,
        };
        let unknown = |_| Error::new(Code::ItemNotFound, "\"uid\" is not one of an item of ours");
        let uid = ask.uid.as_deref().map(Uuid::try_parse).transpose().map_err(unknown)?;
        let rows = match uid {
            Some(uid) => self.inner.store.revisions_of(row.pk, uid, before, limit).await,
            None => self.inner.store.revisions(row.pk, before, limit).await,
        }
        .map_err(storage)?;
        let full = rows.len() == limit as usize;
        let next_cursor = rows.last().filter(|last| full && last.revision > 1).map(|last| last.revision.to_string());
        let mut revisions = Vec::with_capacity(rows.len());
        for revision in rows {
            revisions.push(self.revision_view(row.pk, revision).await?);
        }
        Ok(Revisions { revisions, next_cursor })
    }
}

pub(crate) fn bad_cursor() -> Error {
    Error::new(Code::InvalidMessage, "\"cursor\" is not one that this gateway gave; leave it out to begin again")
}
