//! SQLite: sessions, lists, revisions, edits, and search over them. The only crate that names sqlx.
//!
//! Storage is a history of items with validity ranges (see `migrations/`). One connection writes, in transactions
//! that the hub groups; a few others read. This crate knows rows; what they mean is the hub's and the list's.

mod append;
mod archive;
mod error;
mod hours;
mod item;
mod purge;
mod read;
mod rows;
mod search;
mod transfer;
mod write;

pub use append::Append;
pub use archive::{Filter, Page, Place};
pub use error::{Error, Result};
pub use hours::Tally;
pub use purge::Size;
pub use rows::{ActorRow, CallerRow, RevisionRow, SessionRow};
pub use search::{Found, Hit, Hits};
pub use transfer::{History, ItemState, ListRow};
pub use write::{Transaction, Writer};

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, SqliteConnection};
use std::path::Path;
use std::time::Duration;

/// The end of the validity of an item that lives.
const ALIVE: i64 = i64::MAX;

/// Connections that read.
const READERS: u32 = 3;

/// The readers of a database; cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    readers: SqlitePool,
    db_id: String,
}

/// Opens a database, made when it is not there and brought up to date.
///
/// `new_db_id` names it when it is new. Synchronous is FULL: an acknowledged change survives a power cut.
///
/// # Errors
/// When the file cannot be opened, is not a database, or its folder cannot be written.
pub async fn open(file: &Path, new_db_id: &str) -> Result<(Writer, Store)> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(10))
        .disable_statement_logging();
    let mut connection = options.connect().await?;
    // An older build opens a newer file as long as the newer migrations only added.
    let mut migrator = sqlx::migrate!("../../migrations");
    migrator.set_ignore_missing(true);
    migrator.run_direct(None, &mut connection, false).await?;
    give_back_freely(&mut connection).await?;
    sqlx::query("INSERT INTO hub (pk, db_id, cursor) VALUES (1, ?, 0) ON CONFLICT DO NOTHING")
        .bind(new_db_id)
        .execute(&mut connection)
        .await?;
    let (db_id, cursor): (String, i64) =
        sqlx::query_as("SELECT db_id, cursor FROM hub WHERE pk = 1").fetch_one(&mut connection).await?;
    let readers = SqlitePoolOptions::new().max_connections(READERS).connect_with(options.read_only(true)).await?;
    Ok((Writer::new(connection, cursor.cast_unsigned()), Store { readers, db_id }))
}

/// What is deleted can be given back to the disk a little at a time; a database from before that is written anew once.
async fn give_back_freely(connection: &mut SqliteConnection) -> Result<()> {
    const INCREMENTAL: i64 = 2;
    let is: i64 = sqlx::query_scalar("PRAGMA auto_vacuum").fetch_one(&mut *connection).await?;
    if is != INCREMENTAL {
        sqlx::query("PRAGMA auto_vacuum = INCREMENTAL").execute(&mut *connection).await?;
        sqlx::query("VACUUM").execute(&mut *connection).await?;
    }
    Ok(())
}

impl Store {
    /// Names this database in every cursor.
    #[must_use]
    pub fn db_id(&self) -> &str {
        &self.db_id
    }

    /// Ends the readers; the writer is closed by itself.
    pub async fn close(&self) {
        self.readers.close().await;
    }
}
