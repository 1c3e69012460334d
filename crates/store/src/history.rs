//! Histories of whole sessions: out of one database and into another.

use crate::table::edits::all_edits;
use crate::table::items::{self, ItemState};
use crate::table::lists::{ListRow, all_lists};
use crate::table::revisions::{RevisionRow, all_revisions};
use crate::table::sessions::present_session;
use crate::{ALIVE, Result, SessionRow, Store, Transaction};
use std::collections::HashMap;
use todo::{Edit, Item};
use uuid::Uuid;

/// The history of a session's lists.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    /// Oldest first.
    pub revisions: Vec<RevisionRow>,
    /// By the revision that made them so.
    pub states: Vec<ItemState>,
    /// Oldest first; the last is the active one.
    pub lists: Vec<ListRow>,
    /// Oldest first, each with whether it was forgotten.
    pub edits: Vec<(Edit, bool)>,
}

impl History {
    /// Returns the newest list.
    #[must_use]
    pub fn list(&self) -> Vec<Item> {
        self.list_of(|state| state.to_rev.is_none())
    }

    /// Returns the list at a revision.
    #[must_use]
    pub fn list_at(&self, revision: u64) -> Vec<Item> {
        self.list_of(|state| state.from_rev <= revision && state.to_rev.is_none_or(|to| revision < to))
    }

    fn list_of(&self, is_there: impl Fn(&ItemState) -> bool) -> Vec<Item> {
        let there = self.states.iter().filter(|state| is_there(state));
        items::assemble(there.map(|state| (state.item.clone(), state.parent)).collect())
    }

    /// Returns it without the lists that were deleted, their items and their edits.
    #[must_use]
    pub fn without_deleted(mut self) -> Self {
        let (deleted, kept): (Vec<ListRow>, Vec<ListRow>) =
            self.lists.into_iter().partition(|list| list.deleted_at.is_some());
        self.lists = kept;
        for list in &deleted {
            if let Some(end) = &list.end {
                let states = std::mem::take(&mut self.states);
                self.states = states.into_iter().flat_map(|state| outside(state, list.from_rev, end.to_rev)).collect();
            }
        }
        // The edit that ended a list has its items.
        let is_of = |edit: &Edit, list: &ListRow| {
            list.end.as_ref().is_some_and(|end| (list.from_rev..=end.to_rev).contains(&edit.revision))
        };
        self.edits.retain(|(edit, _)| !deleted.iter().any(|list| is_of(edit, list)));
        self
    }
}

/// The parts of an item's state before a revision and from another one on.
fn outside(state: ItemState, before: u64, from: u64) -> impl Iterator<Item = ItemState> {
    let is_over_by = |revision: u64| state.to_rev.is_some_and(|to| to <= revision);
    let to_rev = if is_over_by(before) { state.to_rev } else { Some(before) };
    let early = (state.from_rev < before).then(|| ItemState { to_rev, ..state.clone() });
    let late = (!is_over_by(from)).then(|| ItemState { from_rev: state.from_rev.max(from), ..state });
    early.into_iter().chain(late)
}

impl Store {
    /// Returns a session and its history, both as they are at one moment; `None` where it is gone.
    pub async fn history(&self, pk: i64) -> Result<Option<(SessionRow, History)>> {
        let mut moment = self.readers.begin().await?;
        let Some(row) = present_session(&mut *moment, pk).await? else { return Ok(None) };
        let history = History {
            revisions: all_revisions(&mut *moment, pk).await?,
            states: items::item_states(&mut *moment, pk).await?,
            lists: all_lists(&mut *moment, pk).await?,
            edits: all_edits(&mut *moment, pk).await?,
        };
        Ok(Some((row, history)))
    }
}

impl Transaction<'_> {
    /// Returns what of a history from elsewhere is that of another session here: an edit, or a list.
    pub async fn taken(&mut self, history: &History) -> Result<Option<String>> {
        for (edit, _) in &history.edits {
            if self.has_edit(edit).await? {
                return Ok(Some(format!("the edit {}", edit.id)));
            }
        }
        for list in &history.lists {
            if self.has_list(&list.list_id).await? {
                return Ok(Some(format!("the list {}", list.list_id)));
            }
        }
        Ok(None)
    }

    /// Saves a new session with its history from elsewhere, of which nothing is taken.
    pub async fn import(&mut self, row: &mut SessionRow, history: &History) -> Result<()> {
        self.save_session(row).await?;
        // The first list was made with the row.
        self.put("DELETE FROM lists WHERE session_pk = ?").await?.bind(row.pk);
        for list in &history.lists {
            self.add_list(row.pk, list).await?;
        }
        for RevisionRow { revision, at, actor, cause } in &history.revisions {
            self.revision(row, *revision, *at, actor, cause).await?;
        }
        self.import_states(row, &history.states).await?;
        for (edit, forgotten) in &history.edits {
            self.save_edit(row, edit, row.cursor).await?;
            if *forgotten {
                self.forget_edit(edit.id, row.cursor).await?;
            }
        }
        Ok(())
    }

    async fn import_states(&mut self, row: &SessionRow, states: &[ItemState]) -> Result<()> {
        // The newest text of each item, with its row's number.
        let mut texts: HashMap<Uuid, (&Item, i64)> = HashMap::new();
        for ItemState { item, parent, from_rev, to_rev } in states {
            let known = texts.get(&item.uid).filter(|(was, _)| items::says_the_same(was, item)).map(|(_, text)| *text);
            let text = match known {
                Some(text) => text,
                None => {
                    self.open_text(row, item, from_rev.cast_signed()).await?;
                    sqlx::query_scalar("SELECT last_insert_rowid()").fetch_one(self.now().await?).await?
                }
            };
            texts.insert(item.uid, (item, text));
            let to_rev = to_rev.map_or(ALIVE, u64::cast_signed);
            self.put("UPDATE texts SET to_rev = ? WHERE pk = ?").await?.bind(to_rev).bind(text);
            self.open(row, item, *parent, Some(text), (from_rev.cast_signed(), to_rev)).await?;
        }
        Ok(())
    }
}
