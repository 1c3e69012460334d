//! The tables `items` and `texts`: the states that an item goes through, and its words, stored once for all states that
//! share them. A row is valid from a revision on and before another; rare fields are JSON.

use super::{millis, time};
use crate::{ALIVE, Error, Result, SessionRow, Store, Transaction};
use serde::{Deserialize, Serialize, Serializer};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteExecutor};
use std::borrow::Cow;
use std::collections::HashMap;
use todo::{Fields, Item, Names, Origin, Status, read_with_fields};
use uuid::Uuid;

/// The JSON column of an item: the values that most items lack, beside its fields without a column, all under short
/// names since every revision of an item repeats them.
#[derive(Default, Serialize, Deserialize)]
struct More<'a> {
    #[serde(flatten, serialize_with = "as_row", skip_deserializing)]
    fields: Cow<'a, Fields>,
    #[serde(rename = "du", default, skip_serializing_if = "is_empty")]
    depends_on_uids: Cow<'a, [Option<Uuid>]>,
    /// Present for the user's items.
    #[serde(rename = "u", default, skip_serializing_if = "std::ops::Not::not")]
    user: bool,
    #[serde(rename = "wm", default, skip_serializing_if = "is_zero")]
    worked_ms: u64,
    #[serde(rename = "ro", default, skip_serializing_if = "is_zero")]
    reopened: u64,
}

/// An item without its subtasks, over the revisions in which it was so.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemState {
    pub item: Item,
    /// The item that it is a subtask of.
    pub parent: Option<Uuid>,
    /// The revision that made it so.
    pub from_rev: u64,
    /// The revision that changed or removed it; `None` while it is so.
    pub to_rev: Option<u64>,
}

impl Store {
    /// Returns the list of a session as it was at a revision.
    pub async fn list_at(&self, pk: i64, revision: u64) -> Result<Vec<Item>> {
        // The plus keeps SQLite on the index by end: what ended before that revision is not read, and what began after
        // it only in the index.
        let rows = sqlx::query(
            "SELECT i.*, t.id, t.created_at, t.content, t.active_form, t.notes, t.description \
             FROM items AS i JOIN texts AS t ON t.pk = i.text_pk \
             WHERE i.session_pk = ? AND i.to_rev > ? AND +i.from_rev <= ?",
        )
        .bind(pk)
        .bind(revision.cast_signed())
        .bind(revision.cast_signed())
        .fetch_all(&self.readers)
        .await?;
        Ok(assemble(rows.iter().map(from_row).collect::<Result<_>>()?))
    }

    /// Returns the uids of items that a revision began a state of, and of those that it ended a state of.
    pub async fn touched(&self, pk: i64, at: u64) -> Result<(Vec<Uuid>, Vec<Uuid>)> {
        let uids = |rows: Vec<Vec<u8>>| -> Result<Vec<Uuid>> {
            rows.iter().map(|bytes| Uuid::from_slice(bytes).map_err(|e| Error::Row(e.to_string()))).collect()
        };
        let began = "SELECT uid FROM items WHERE session_pk = ? AND to_rev > ? AND from_rev = ? ORDER BY rank";
        let opened = sqlx::query_scalar(began)
            .bind(pk)
            .bind(at.cast_signed())
            .bind(at.cast_signed())
            .fetch_all(&self.readers)
            .await?;
        let closed = sqlx::query_scalar("SELECT uid FROM items WHERE session_pk = ? AND to_rev = ? ORDER BY rank")
            .bind(pk)
            .bind(at.cast_signed())
            .fetch_all(&self.readers)
            .await?;
        Ok((uids(opened)?, uids(closed)?))
    }
}

/// Returns all states of a session's items, by the revisions that made them.
pub(crate) async fn item_states(reader: impl SqliteExecutor<'_>, pk: i64) -> Result<Vec<ItemState>> {
    let rows = sqlx::query(
        "SELECT i.*, t.id, t.created_at, t.content, t.active_form, t.notes, t.description \
         FROM items AS i JOIN texts AS t ON t.pk = i.text_pk WHERE i.session_pk = ? ORDER BY i.from_rev, i.pk",
    )
    .bind(pk)
    .fetch_all(reader)
    .await?;
    rows.iter().map(state).collect()
}

/// Returns states of a session's items that begin or end after one revision and up to another, by the revisions that made
/// them; one more than `limit` where there are more.
pub(crate) async fn states_between(
    reader: impl SqliteExecutor<'_>,
    pk: i64,
    after: u64,
    last: u64,
    limit: i64,
) -> Result<Vec<ItemState>> {
    let rows = sqlx::query(
        "SELECT i.*, t.id, t.created_at, t.content, t.active_form, t.notes, t.description \
         FROM items AS i JOIN texts AS t ON t.pk = i.text_pk WHERE i.pk IN \
         (SELECT pk FROM items WHERE session_pk = ?1 AND to_rev > ?2 AND +from_rev > ?2 AND +from_rev <= ?3 \
          UNION SELECT pk FROM items WHERE session_pk = ?1 AND to_rev > ?2 AND to_rev <= ?3 AND +from_rev <= ?3) \
         ORDER BY i.from_rev, i.pk LIMIT ?4",
    )
    .bind(pk)
    .bind(after.cast_signed())
    .bind(last.cast_signed())
    .bind(limit.saturating_add(1))
    .fetch_all(reader)
    .await?;
    rows.iter().map(state).collect()
}

fn state(row: &SqliteRow) -> Result<ItemState> {
    let (item, parent) = from_row(row)?;
    let to_rev: i64 = row.try_get("to_rev")?;
    let from_rev = row.try_get::<i64, _>("from_rev")?.cast_unsigned();
    Ok(ItemState { item, parent, from_rev, to_rev: (to_rev != ALIVE).then(|| to_rev.cast_unsigned()) })
}

impl Transaction<'_> {
    /// Ends the state that an item is in, and its text.
    pub(crate) async fn close(&mut self, session: &SessionRow, uid: Uuid, revision: i64) -> Result<()> {
        let uid = uid.as_bytes().as_slice();
        self.put(
            "UPDATE texts SET to_rev = ? WHERE pk = \
             (SELECT text_pk FROM items WHERE session_pk = ? AND to_rev = ? AND uid = ?)",
        )
        .await?
        .bind(revision)
        .bind(session.pk)
        .bind(ALIVE)
        .bind(uid);
        self.end(session, uid, revision).await
    }

    /// Ends the state that an item is in; its text stays valid.
    async fn end(&mut self, session: &SessionRow, uid: &[u8], revision: i64) -> Result<()> {
        self.put("UPDATE items SET to_rev = ? WHERE session_pk = ? AND to_rev = ? AND uid = ?")
            .await?
            .bind(revision)
            .bind(session.pk)
            .bind(ALIVE)
            .bind(uid);
        Ok(())
    }

    /// Ends the state that an item is in and begins another with the same text.
    pub(super) async fn go_on(
        &mut self,
        session: &SessionRow,
        item: &Item,
        parent: Option<Uuid>,
        revision: i64,
    ) -> Result<()> {
        let uid = item.uid.as_bytes().as_slice();
        self.end(session, uid, revision).await?;
        self.put(
            "INSERT INTO items (session_pk, text_pk, uid, parent, from_rev, to_rev, rank, status, status_at, more) \
             SELECT session_pk, text_pk, uid, ?, to_rev, ?, ?, ?, ?, ? FROM items \
             WHERE session_pk = ? AND to_rev = ? AND uid = ?",
        )
        .await?
        .bind(parent.as_ref().map(|uid| uid.as_bytes().as_slice()))
        .bind(ALIVE)
        .text(&item.rank)
        .text(item.status.name())
        .bind(millis(item.status_at))
        .bind(more(item)?)
        .bind(session.pk)
        .bind(revision)
        .bind(uid);
        Ok(())
    }

    /// Begins a text of an item.
    pub(crate) async fn open_text(&mut self, session: &SessionRow, item: &Item, revision: i64) -> Result<()> {
        self.put(
            "INSERT INTO texts (session_pk, uid, from_rev, to_rev, id, created_at, content, active_form, notes, \
             description) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .await?
        .bind(session.pk)
        .bind(item.uid.as_bytes().as_slice())
        .bind(revision)
        .bind(ALIVE)
        .text(&item.id)
        .bind(millis(item.created_at))
        .text(&item.content)
        .bind(&item.active_form)
        .bind(&item.notes)
        .bind(&item.description);
        Ok(())
    }

    /// Begins a state of an item with the text of that row, or with the text that was inserted by the statement before.
    pub(crate) async fn open(
        &mut self,
        session: &SessionRow,
        item: &Item,
        parent: Option<Uuid>,
        text: Option<i64>,
        (from_rev, to_rev): (i64, i64),
    ) -> Result<()> {
        self.put(
            "INSERT INTO items (session_pk, text_pk, uid, parent, from_rev, to_rev, rank, status, status_at, more) \
             VALUES (?, coalesce(?, last_insert_rowid()), ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .await?
        .bind(session.pk)
        .bind(text)
        .bind(item.uid.as_bytes().as_slice())
        .bind(parent.as_ref().map(|uid| uid.as_bytes().as_slice()))
        .bind(from_rev)
        .bind(to_rev)
        .text(&item.rank)
        .text(item.status.name())
        .bind(millis(item.status_at))
        .bind(more(item)?);
        Ok(())
    }
}

/// The JSON column of an item; `None` where nothing is in it.
fn more(item: &Item) -> Result<Option<String>> {
    let json = serde_json::to_string(&More {
        fields: Cow::Borrowed(&*item.fields),
        depends_on_uids: Cow::Borrowed(&item.depends_on_uids),
        user: item.origin == Origin::User,
        worked_ms: item.worked_ms,
        reopened: item.reopened,
    })?;
    Ok(if json == "{}" { None } else { Some(json) })
}

fn read_more(json: &str) -> Result<More<'static>> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let (more, fields) = read_with_fields(Names::Row, &mut deserializer, |rest| More::deserialize(rest))?;
    deserializer.end()?;
    Ok(More { fields: Cow::Owned(fields), ..more })
}

fn as_row<S: Serializer>(fields: &Fields, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    fields.serialize_as(Names::Row, serializer)
}

fn is_empty(uids: &[Option<Uuid>]) -> bool {
    uids.is_empty()
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// True if two states of an item have the same words, and so share a row of `texts`.
pub(crate) fn says_the_same(one: &Item, other: &Item) -> bool {
    let named = one.id == other.id && one.created_at == other.created_at;
    named
        && one.content == other.content
        && one.active_form == other.active_form
        && one.notes == other.notes
        && one.description == other.description
}

/// Reads an item without its subtasks, and the item that it is a subtask of.
fn from_row(row: &SqliteRow) -> Result<(Item, Option<Uuid>)> {
    let uid = |bytes: &[u8]| Uuid::from_slice(bytes).map_err(|e| Error::Row(e.to_string()));
    let more: Option<String> = row.try_get("more")?;
    let more = more.as_deref().map(read_more).transpose()?.unwrap_or_default();
    let parent: Option<Vec<u8>> = row.try_get("parent")?;
    let status: String = row.try_get("status")?;
    let fields = Fields {
        content: row.try_get("content")?,
        active_form: row.try_get("active_form")?,
        status: Status::from_word(&status),
        description: row.try_get("description")?,
        notes: row.try_get("notes")?,
        ..more.fields.into_owned()
    };
    let uid_of_item = uid(&row.try_get::<Vec<u8>, _>("uid")?)?;
    let item = Item {
        depends_on_uids: more.depends_on_uids.into_owned(),
        origin: if more.user { Origin::User } else { Origin::Agent },
        status_at: time(row.try_get("status_at")?),
        worked_ms: more.worked_ms,
        reopened: more.reopened,
        rank: row.try_get::<&str, _>("rank")?.into(),
        ..Item::new(uid_of_item, row.try_get::<&str, _>("id")?, fields, time(row.try_get("created_at")?))
    };
    Ok((item, parent.as_deref().map(uid).transpose()?))
}

/// Makes a list of items: subtasks under their items, both in the order of their ranks.
pub(crate) fn assemble(rows: Vec<(Item, Option<Uuid>)>) -> Vec<Item> {
    let mut subtasks: HashMap<Uuid, Vec<Item>> = HashMap::new();
    let mut items = Vec::new();
    for (item, parent) in rows {
        match parent {
            Some(parent) => subtasks.entry(parent).or_default().push(item),
            None => items.push(item),
        }
    }
    for item in &mut items {
        item.subtasks = subtasks.remove(&item.uid).unwrap_or_default();
        item.subtasks.sort_by(|a, b| a.rank.cmp(&b.rank));
    }
    items.sort_by(|a, b| a.rank.cmp(&b.rank));
    todo::depends::derive(&mut items);
    items
}
