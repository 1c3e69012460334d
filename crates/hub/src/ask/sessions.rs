//! Sessions, lists at any revision, revisions.

use super::question::Question;
use crate::error::{Failure, Result};
use crate::evidence::{OWN, as_said};
use crate::view;
use protocol::{
    ChangedFile, ChangedFiles, Code, RevisionView, Revisions, Session, SessionAt, SessionFiles, SessionGet,
    SessionRevisions,
};
use std::collections::HashSet;
use store::{ChangedFileRow, RevisionRow};
use todo::list::flat;
use todo::{Item, Others};
use uuid::Uuid;

impl Question<'_> {
    pub(crate) async fn session_get(self, ask: &SessionGet) -> Result<SessionAt> {
        let live = if ask.session_id.is_empty() {
            let resolved = self.sessions().of_call(self.caller, None, None).await?;
            if resolved.is_new {
                let problem = "this agent has no list yet; its first todo_write makes one";
                return Err(Failure::refused(Code::SessionNotFound, problem));
            }
            resolved.live
        } else if self.caller.agent.is_some() {
            self.sessions().own(self.caller, &ask.session_id).await?
        } else {
            self.sessions().named(&ask.session_id).await?
        };
        let revision = ask.revision.unwrap_or(live.row.list.revision);
        let others = live.others(self.caller);
        let todos = match ask.revision {
            Some(_) => self.sessions().list_of(&live, ask.revision).await?,
            None => live.todos(),
        };
        let todos = others.visible(&todos);
        let (change, mut removed) = match ask.revision {
            Some(revision) => self.change_at(live.row.pk, revision).await?,
            None => (None, Vec::new()),
        };
        removed.retain(|item| !others.hides(item));
        let hidden = live.list.hidden_by(&others);
        let edits = live.list.edits.iter().filter_map(|edit| Others::part_of(edit, &hidden));
        let connected = self.core.board.connected(&live.row.session_id);
        Ok(SessionAt {
            session: view::with_needs(&live, connected, self.core.moment()),
            revision,
            todos,
            change,
            removed,
            edits: edits.map(|edit| view::edit(&edit)).collect(),
            own_session_id: self.sessions().built_in_list(&live).await?.map(|list| list.row.session_id),
        })
    }

    /// A session, and the ids that its agent has for it.
    pub(crate) async fn session_and_own_ids(self, session_id: &str) -> Result<(Session, Vec<String>)> {
        let live = self.sessions().named(session_id).await?;
        let connected = self.core.board.connected(&live.row.session_id);
        let keys = self.core.store.keys_of(live.row.pk, OWN).await?;
        let own = keys.iter().filter_map(|key| as_said(key).split_once('|')).map(|(_, own)| own.to_owned()).collect();
        Ok((view::with_needs(&live, connected, self.core.moment()), own))
    }

    /// The files that a session has changed.
    pub(crate) async fn session_files(self, ask: &SessionFiles) -> Result<ChangedFiles> {
        let live = self.sessions().named(&ask.session_id).await?;
        let rows = self.core.store.changed_files(live.row.pk).await?.into_iter();
        let file = |ChangedFileRow { path, times, at, agent }| ChangedFile { path, times, at, agent };
        Ok(ChangedFiles { files: rows.map(file).collect() })
    }

    async fn revision_view(self, pk: i64, revision: RevisionRow) -> Result<RevisionView> {
        let (opened, closed) = self.core.store.touched(pk, revision.revision).await?;
        let (came, went): (HashSet<Uuid>, HashSet<Uuid>) =
            (opened.iter().copied().collect(), closed.iter().copied().collect());
        let names = |uids: &[Uuid], other: &HashSet<Uuid>, both: bool| -> Vec<String> {
            uids.iter().filter(|uid| other.contains(uid) == both).map(Uuid::to_string).collect()
        };
        Ok(RevisionView {
            revision: revision.revision,
            at: revision.at,
            actor: revision.actor,
            cause: revision.cause,
            added: names(&opened, &went, false),
            changed: names(&opened, &went, true),
            removed: names(&closed, &came, false),
        })
    }

    /// The change that a revision made, and the items that it took out.
    async fn change_at(self, pk: i64, revision: u64) -> Result<(Option<RevisionView>, Vec<Item>)> {
        let store = &self.core.store;
        let row = store.revisions(pk, revision.saturating_add(1), 1).await?.pop();
        let Some(row) = row.filter(|row| row.revision == revision) else { return Ok((None, Vec::new())) };
        let change = self.revision_view(pk, row).await?;
        if change.removed.is_empty() || revision < 2 {
            return Ok((Some(change), Vec::new()));
        }
        let gone: HashSet<&str> = change.removed.iter().map(String::as_str).collect();
        if store.is_deleted_at(pk, revision - 1).await? {
            return Ok((Some(change), Vec::new()));
        }
        let before = store.list_at(pk, revision - 1).await?;
        let gone = flat(&before).filter(|(item, _)| gone.contains(item.uid.to_string().as_str()));
        let removed = gone.map(|(item, _)| Item { subtasks: Vec::new(), ..item.clone() }).collect();
        Ok((Some(change), removed))
    }

    pub(crate) async fn session_revisions(self, ask: &SessionRevisions) -> Result<Revisions> {
        let row = self.sessions().row_named(&ask.session_id).await?;
        let limit = ask.limit.unwrap_or(100).clamp(1, 500);
        let before = match ask.cursor.as_deref() {
            None => u64::MAX,
            Some(cursor) => cursor.parse().map_err(|_| bad_cursor())?,
        };
        let unknown = |_| Failure::refused(Code::ItemNotFound, "\"uid\" is not one of an item of ours");
        let uid = ask.uid.as_deref().map(Uuid::try_parse).transpose().map_err(unknown)?;
        let rows = match uid {
            Some(uid) => self.core.store.revisions_of(row.pk, uid, before, limit).await,
            None => self.core.store.revisions(row.pk, before, limit).await,
        }?;
        let full = rows.len() == limit as usize;
        let next_cursor = rows.last().filter(|last| full && last.revision > 1).map(|last| last.revision.to_string());
        let mut revisions = Vec::with_capacity(rows.len());
        for revision in rows {
            revisions.push(self.revision_view(row.pk, revision).await?);
        }
        Ok(Revisions { revisions, next_cursor })
    }
}

pub(super) fn bad_cursor() -> Failure {
    Failure::refused(Code::InvalidMessage, "\"cursor\" is not one that this gateway gave; leave it out to begin again")
}
