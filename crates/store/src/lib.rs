//! SQLite: sessions, lists, revisions, edits, and search over them. The only crate that names sqlx.
//!
//! Storage is a history of items with validity ranges (see `migrations/`). One connection writes, in transactions
//! that the hub groups; a few others read. `table/` has a file for each table, with its row's type, its reads and its
//! writes; `archive`, `search`, `purge` and `history` go over several tables. Reads are by keys and ranges and never scan
//! revisions. This crate decides nothing about sessions and lists: the hub does.
//!
//! Every read and write fails with the errors of the database; a docstring names others only.

mod archive;
mod database_file;
mod error;
mod feed;
mod history;
mod mend;
mod open;
mod purge;
mod script;
mod search;
mod shared;
mod table;
mod writer;

pub use archive::{Entries, Entry, EntryPosition, Filter, Page, PagePosition};
pub use error::{Error, Result};
pub use feed::{Changes, Part};
pub use history::History;
pub use open::{Mended, Opened, open};
pub use purge::Size;
pub use search::{Hit, HitPosition, Hits};
pub use shared::Shared;
pub use table::audit::AuditRow;
pub use table::callers::CallerRow;
pub use table::changed_files::ChangedFileRow;
pub use table::chats::ChatMessageRow;
pub use table::hosts::{HostRow, MirroredRow, SendingRow};
pub use table::hours::Tally;
pub use table::items::ItemState;
pub use table::keys::KeyRow;
pub use table::later::{HandedRow, LaterRow, Queue};
pub use table::lists::{ListEnd, ListRow};
pub use table::permissions::PermissionRow;
pub use table::proofs::ProofRow;
pub use table::revisions::{Append, RevisionRow};
pub use table::rules::RuleRow;
pub use table::sessions::SessionRow;
pub use writer::{Transaction, Writer};

use sqlx::sqlite::SqlitePool;
use std::path::PathBuf;

/// The end of the validity of a row that is still valid.
const ALIVE: i64 = i64::MAX;

/// The readers of a database; cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    readers: SqlitePool,
    db_id: String,
    file: PathBuf,
}

impl Store {
    /// Returns the id of this database, which is part of every cursor.
    #[must_use]
    pub fn db_id(&self) -> &str {
        &self.db_id
    }

    /// Marks the database as suspect after a page could not be read: the next start checks every page.
    pub fn mark_suspect(&self) {
        let file = open::suspect_file(&self.file);
        if let Err(error) = std::fs::write(&file, "") {
            tracing::warn!(%error, file = %file.display(), "it cannot be noted that the database is damaged");
        }
    }

    /// Closes the readers; the writer is closed by itself.
    pub async fn close(&self) {
        self.readers.close().await;
    }
}

#[cfg(test)]
mod tests;
