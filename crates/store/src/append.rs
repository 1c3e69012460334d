//! One revision more: what changed is written, and nothing else.

use crate::rows::millis;
use crate::{ALIVE, ActorRow, Result, SessionRow, Transaction, item};
use jiff::Timestamp;
use std::collections::HashMap;
use todo::list::flat;
use todo::{Difference, Item};
use uuid::Uuid;

/// What one revision adds to the history.
#[derive(Debug)]
pub struct Append<'a> {
    /// The list before it.
    pub before: &'a [Item],
    /// The list after it.
    pub after: &'a [Item],
    /// What lies between.
    pub difference: &'a Difference,
    /// Its number.
    pub revision: u64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: &'a ActorRow,
    /// The type of the request.
    pub cause: &'a str,
}

impl Transaction<'_> {
    /// Adds a revision: closes the rows of items that changed or went, and opens those of items that changed or came.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn append(&mut self, session: &SessionRow, append: &Append<'_>) -> Result<()> {
        let revision = append.revision.cast_signed();
        self.revision(session, append.revision, append.at, append.actor, append.cause).await?;
        for uid in &append.difference.removed {
            self.close(session, *uid, revision).await?;
        }
        let before: HashMap<Uuid, (&Item, Option<Uuid>)> =
            flat(append.before).map(|(item, parent)| (item.uid, (item, parent))).collect();
        for (item, parent) in flat(append.after) {
            match before.get(&item.uid) {
                // A new rank is a change of the row too.
                Some((was, under)) if *under == parent && was.is_as(item) => continue,
                Some((was, _)) if item::says_the_same(was, item) => {
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

    /// Ends the state that an item is in, and what it says.
    async fn close(&mut self, session: &SessionRow, uid: Uuid, revision: i64) -> Result<()> {
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

    async fn end(&mut self, session: &SessionRow, uid: &[u8], revision: i64) -> Result<()> {
        self.put("UPDATE items SET to_rev = ? WHERE session_pk = ? AND to_rev = ? AND uid = ?")
            .await?
            .bind(revision)
            .bind(session.pk)
            .bind(ALIVE)
            .bind(uid);
        Ok(())
    }

    /// Ends the state that an item is in and begins another that says the same.
    async fn go_on(&mut self, session: &SessionRow, item: &Item, parent: Option<Uuid>, revision: i64) -> Result<()> {
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
        .bind(&item.rank)
        .bind(item.status.name())
        .bind(millis(item.status_at))
        .bind(item::more(item)?)
        .bind(session.pk)
        .bind(revision)
        .bind(uid);
        Ok(())
    }

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
        .bind(&item.id)
        .bind(millis(item.created_at))
        .bind(&item.content)
        .bind(&item.active_form)
        .bind(&item.notes)
        .bind(&item.description);
        Ok(())
    }

    /// Begins a state of an item that says the text of that row, or the one that was put right before.
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
        .bind(&item.rank)
        .bind(item.status.name())
        .bind(millis(item.status_at))
        .bind(item::more(item)?);
        Ok(())
    }

    pub(crate) async fn revision(
        &mut self,
        session: &SessionRow,
        revision: u64,
        at: Timestamp,
        actor: &ActorRow,
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
        .bind(&actor.kind)
        .bind(&actor.name)
        .bind(&actor.transport)
        .bind(cause)
        .bind(session.cursor.cast_signed());
        Ok(())
    }
}
