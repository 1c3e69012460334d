//! Whole sessions, out of one database and into another.

use crate::rows::{millis, revision, time};
use crate::{ALIVE, Error, Result, RevisionRow, SessionRow, Store, Transaction, item};
use jiff::Timestamp;
use sqlx::Row;
use std::collections::HashMap;
use todo::{Edit, Item};
use uuid::Uuid;

/// An item over the revisions in which it was so, without its subtasks.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemState {
    /// How it was.
    pub item: Item,
    /// The item that it is a subtask of.
    pub parent: Option<Uuid>,
    /// The revision that made it so.
    pub from_rev: u64,
    /// The revision that made it otherwise or took it out; `None` while it is so.
    pub to_rev: Option<u64>,
}

/// One of a session's lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRow {
    /// Its id.
    pub list_id: String,
    /// The revision that began it.
    pub from_rev: u64,
    /// When it began.
    pub created_at: Timestamp,
    /// When the next one took its place.
    pub archived_at: Option<Timestamp>,
}

/// All that is kept of a session's lists.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    /// Oldest first.
    pub revisions: Vec<RevisionRow>,
    /// By the revision that made them so.
    pub states: Vec<ItemState>,
    /// Oldest first; the last is the active one.
    pub lists: Vec<ListRow>,
    /// Oldest first, each with whether it counts for nothing any more.
    pub edits: Vec<(Edit, bool)>,
}

impl History {
    /// The list as it is.
    #[must_use]
    pub fn list(&self) -> Vec<Item> {
        let is_there = |state: &&ItemState| state.to_rev.is_none();
        item::assemble(self.states.iter().filter(is_there).map(|state| (state.item.clone(), state.parent)).collect())
    }
}

impl Store {
    /// All that is kept of a session's lists.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn history(&self, pk: i64) -> Result<History> {
        let rows = sqlx::query("SELECT * FROM revisions WHERE session_pk = ? ORDER BY revision")
            .bind(pk)
            .fetch_all(&self.readers)
            .await?;
        let revisions = rows.iter().map(revision).collect::<Result<_>>()?;
        let rows = sqlx::query(
            "SELECT i.*, t.id, t.created_at, t.content, t.active_form, t.notes, t.description \
             FROM items AS i JOIN texts AS t ON t.pk = i.text_pk WHERE i.session_pk = ? ORDER BY i.from_rev, i.pk",
        )
        .bind(pk)
        .fetch_all(&self.readers)
        .await?;
        let states = rows.iter().map(|row| {
            let (item, parent) = item::from_row(row)?;
            let to_rev: i64 = row.try_get("to_rev")?;
            let from_rev = row.try_get::<i64, _>("from_rev")?.cast_unsigned();
            Ok(ItemState { item, parent, from_rev, to_rev: (to_rev != ALIVE).then(|| to_rev.cast_unsigned()) })
        });
        let states = states.collect::<Result<_>>()?;
        let rows = sqlx::query("SELECT * FROM lists WHERE session_pk = ? ORDER BY from_rev, created_at")
            .bind(pk)
            .fetch_all(&self.readers)
            .await?;
        let lists = rows.iter().map(|row| {
            Ok(ListRow {
                list_id: row.try_get("list_id")?,
                from_rev: row.try_get::<i64, _>("from_rev")?.cast_unsigned(),
                created_at: time(row.try_get("created_at")?),
                archived_at: row.try_get::<Option<i64>, _>("archived_at")?.map(time),
            })
        });
        let lists = lists.collect::<Result<_>>()?;
        let rows = sqlx::query("SELECT body, forgotten FROM edits WHERE session_pk = ? ORDER BY revision, edit_id")
            .bind(pk)
            .fetch_all(&self.readers)
            .await?;
        let edits = rows.iter().map(|row| Ok((serde_json::from_str(row.try_get("body")?)?, row.try_get("forgotten")?)));
        Ok(History { revisions, states, lists, edits: edits.collect::<Result<_>>()? })
    }
}

impl Transaction<'_> {
    /// Stores a new session with all of its history, as it was elsewhere.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn take_in(&mut self, row: &mut SessionRow, history: &History) -> Result<()> {
        self.session(row).await?;
        // The first list was made with the row.
        self.put("DELETE FROM lists WHERE session_pk = ?").await?.bind(row.pk);
        for list in &history.lists {
            self.put(
                "INSERT INTO lists (list_id, session_pk, from_rev, created_at, archived_at) VALUES (?, ?, ?, ?, ?)",
            )
            .await?
            .bind(&list.list_id)
            .bind(row.pk)
            .bind(list.from_rev.cast_signed())
            .bind(millis(list.created_at))
            .bind(list.archived_at.map(millis));
        }
        for revision in &history.revisions {
            let RevisionRow { revision, at, actor, cause } = revision;
            self.revision(row, *revision, *at, actor, cause).await?;
        }
        // What an item says last, with its row.
        let mut texts: HashMap<Uuid, (&Item, i64)> = HashMap::new();
        for state in &history.states {
            let ItemState { item, parent, from_rev, to_rev } = state;
            let known = texts.get(&item.uid).filter(|(was, _)| item::says_the_same(was, item)).map(|(_, text)| *text);
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
        for (edit, forgotten) in &history.edits {
            let known: Option<i64> = sqlx::query_scalar("SELECT 1 FROM edits WHERE edit_id = ?")
                .bind(edit.id.to_string())
                .fetch_optional(self.now().await?)
                .await?;
            if known.is_some() {
                return Err(Error::Row(format!("the edit {} is one of another session here", edit.id)));
            }
            self.edit(row, edit, row.cursor).await?;
            if *forgotten {
                self.forget_edit(edit.id).await?;
            }
        }
        Ok(())
    }
}
