//! SQLite: sessions, lists, revisions, edits, and search over them. The only crate that names sqlx.
//!
//! Storage is a history of items with validity ranges (see `migrations/`). One connection writes, in transactions
//! that the hub groups; a few others read. This crate knows rows; what they mean is the hub's and the list's.

mod append;
mod archive;
mod chat;
mod error;
mod hours;
mod item;
mod mend;
mod open;
mod place;
mod purge;
mod read;
mod rows;
mod script;
mod search;
mod transfer;
mod write;

pub use append::Append;
pub use archive::{Filter, Page, Place};
pub use chat::ChatMessageRow;
pub use error::{Error, Result};
pub use hours::Tally;
pub use open::{Mended, Opened, open};
pub use purge::Size;
pub use rows::{ActorRow, CallerRow, RevisionRow, SessionRow};
pub use search::{Found, Hit, Hits};
pub use transfer::{History, ItemState, ListRow};
pub use write::{Transaction, Writer};

use sqlx::sqlite::SqlitePool;
use std::path::PathBuf;

/// The end of the validity of an item that lives.
const ALIVE: i64 = i64::MAX;

/// The readers of a database; cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    readers: SqlitePool,
    db_id: String,
    file: PathBuf,
}

impl Store {
    /// Names this database in every cursor.
    #[must_use]
    pub fn db_id(&self) -> &str {
        &self.db_id
    }

    /// A page could not be read: with the next start every page is looked at.
    pub fn suspect(&self) {
        let file = open::suspicion(&self.file);
        if let Err(error) = std::fs::write(&file, "") {
            tracing::warn!(%error, file = %file.display(), "it cannot be noted that the database is damaged");
        }
    }

    /// Ends the readers; the writer is closed by itself.
    pub async fn close(&self) {
        self.readers.close().await;
    }
}

#[cfg(test)]
mod tests;
