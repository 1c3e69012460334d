//! The table `revisions`: who changed a session's list, when and by which request.

use super::{items, millis, time};
use crate::{ALIVE, Result, SessionRow, Store, Transaction};
use jiff::Timestamp;
use session::{Actor, ActorKind, Transport, Word};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteExecutor};
use todo::list::{by_uid, flat};
use todo::{Difference, Item};
use uuid::Uuid;

/// A revision as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionRow {
    /// Its number.
    pub revision: u64,
    /// The time at which it was made.
    pub at: Timestamp,
    /// Its author.
    pub actor: Actor,
    /// The type of the request.
    pub cause: String,
}

/// A revision that is to be added to the history.
#[derive(Debug)]
pub struct Append<'a> {
    /// The list before it.
    pub before: &'a [Item],
    /// The list after it.
    pub after: &'a [Item],
    /// The difference between the two.
    pub difference: &'a Difference,
    /// Its number.
    pub revision: u64,
    /// The time at which it was made.
    pub at: Timestamp,
    /// Its author.
    pub actor: &'a Actor,
    /// The type of the request.
    pub cause: &'a str,
}

impl Store {
    /// Returns revisions of a session below `before`, newest first.
    pub async fn revisions(&self, pk: i64, before: u64, limit: u32) -> Result<Vec<RevisionRow>> {
        let rows =
            sqlx::query("SELECT * FROM revisions WHERE session_pk = ? AND revision < ? ORDER BY revision DESC LIMIT ?")
                .bind(pk)
                .bind(before.min(i64::MAX.cast_unsigned()).cast_signed())
                .bind(limit)
                .fetch_all(&self.readers)
                .await?;
        rows.iter().map(revision).collect()
    }

    /// Returns revisions of a session below `before` that touched an item, newest first.
    pub async fn revisions_of(&self, pk: i64, uid: Uuid, before: u64, limit: u32) -> Result<Vec<RevisionRow>> {
        let rows = sqlx::query(
            "SELECT * FROM revisions WHERE session_pk = ?1 AND revision < ?3 AND revision IN
             (SELECT from_rev FROM items WHERE session_pk = ?1 AND uid = ?2
              UNION SELECT to_rev FROM items WHERE session_pk = ?1 AND uid = ?2)
             ORDER BY revision DESC LIMIT ?4",
        )
        .bind(pk)
        .bind(uid.as_bytes().as_slice())
        .bind(before.min(i64::MAX.cast_unsigned()).cast_signed())
        .bind(limit)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(revision).collect()
    }

    /// Returns the revision that removed an item for good; `None` where the item never was, or is there.
    pub async fn removed_at(&self, pk: i64, uid: Uuid) -> Result<Option<RevisionRow>> {
        let row = sqlx::query(
            "SELECT * FROM revisions WHERE session_pk = ?1 AND revision =
             (SELECT max(to_rev) FROM items WHERE session_pk = ?1 AND uid = ?2)",
        )
        .bind(pk)
        .bind(uid.as_bytes().as_slice())
        .fetch_optional(&self.readers)
        .await?;
        row.as_ref().map(revision).transpose()
    }
}

/// Returns all revisions of a session, oldest first.
pub(crate) async fn all_revisions(reader: impl SqliteExecutor<'_>, pk: i64) -> Result<Vec<RevisionRow>> {
    let rows = sqlx::query("SELECT * FROM revisions WHERE session_pk = ? ORDER BY revision")
        .bind(pk)
        .fetch_all(reader)
        .await?;
    rows.iter().map(revision).collect()
}

/// Returns up to `limit` revisions of a session after one and up to another, oldest first.
pub(crate) async fn revisions_between(
    reader: impl SqliteExecutor<'_>,
    pk: i64,
    after: u64,
    last: u64,
    limit: u32,
) -> Result<Vec<RevisionRow>> {
    let rows = sqlx::query(
        "SELECT * FROM revisions WHERE session_pk = ? AND revision > ? AND revision <= ? ORDER BY revision LIMIT ?",
    )
    .bind(pk)
    .bind(after.min(i64::MAX.cast_unsigned()).cast_signed())
    .bind(last.cast_signed())
    .bind(limit)
    .fetch_all(reader)
    .await?;
    rows.iter().map(revision).collect()
}

impl Transaction<'_> {
    /// Adds a revision: ends the rows of items that changed or were removed, and begins those of items that changed or
    /// were added.
    pub async fn append(&mut self, session: &SessionRow, append: &Append<'_>) -> Result<()> {
        let revision = append.revision.cast_signed();
        self.revision(session, append.revision, append.at, append.actor, append.cause).await?;
        for uid in &append.difference.removed {
            self.close(session, *uid, revision).await?;
        }
        let before = by_uid(append.before);
        for (item, parent) in flat(append.after) {
            match before.get(&item.uid) {
                // A new rank is a change of the row too.
                Some((was, under)) if *under == parent && was.is_as(item) => continue,
                Some((was, _)) if items::says_the_same(was, item) => {
                    self.go_on(session, item, parent, revision).await?;
                    continue;
                }
                Some(_) => self.close(session, item.uid, revision).await?,
                None => {}
            }
            self.open_text(session, item, revision).await?;
            self.open(session, item, parent, None, (revision, ALIVE)).await?;
        }
        Ok(())
    }

    pub(crate) async fn revision(
        &mut self,
        session: &SessionRow,
        revision: u64,
        at: Timestamp,
        actor: &Actor,
        cause: &str,
    ) -> Result<()> {
        self.put(
            "INSERT INTO revisions (session_pk, revision, at, actor_kind, actor_name, transport, cause, cursor) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .await?
        .bind(session.pk)
        .bind(revision.cast_signed())
        .bind(millis(at))
        .text(actor.kind.word())
        .text(&actor.name)
        .text(actor.transport.word())
        .text(cause)
        .bind(session.cursor.cast_signed());
        Ok(())
    }
}

fn revision(row: &SqliteRow) -> Result<RevisionRow> {
    Ok(RevisionRow {
        revision: row.try_get::<i64, _>("revision")?.cast_unsigned(),
        at: time(row.try_get("at")?),
        actor: Actor {
            kind: ActorKind::from_word(row.try_get("actor_kind")?),
            name: row.try_get("actor_name")?,
            transport: Transport::from_word(row.try_get("transport")?),
        },
        cause: row.try_get("cause")?,
    })
}
