//! The one connection that writes, and its transactions.

use crate::database_file::DatabaseFile;
use crate::script::Script;
use crate::table::hours::NewestHour;
use crate::{Error, Result};
use sqlx::{Connection, SqliteConnection};
use std::collections::BTreeMap;

/// The connection that writes. Its owner decides what one transaction holds.
#[derive(Debug)]
pub struct Writer {
    pub(crate) connection: SqliteConnection,
    cursor: u64,
    newest_hour: NewestHour,
    file: DatabaseFile,
    /// A transaction ended neither by commit nor by rollback. SQLite may have rolled it back by itself, which the driver
    /// does not notice.
    is_doubtful: bool,
}

/// A transaction. Dropped without [`Transaction::commit`], it changes nothing.
///
/// Statements without a result are gathered and sent several at a time (`script.rs`).
#[derive(Debug)]
pub struct Transaction<'a> {
    connection: &'a mut SqliteConnection,
    script: Script,
    /// `BEGIN` is among the statements.
    has_begun: bool,
    committed: &'a mut u64,
    pub(crate) committed_hour: &'a mut NewestHour,
    is_doubtful: &'a mut bool,
    pub(crate) cursor: u64,
    /// The work of the newest hour, where it was changed.
    pub(crate) newest_hour: Option<NewestHour>,
    touches: u32,
}

impl Writer {
    pub(crate) fn new(
        connection: SqliteConnection,
        (cursor, newest_hour): (u64, NewestHour),
        file: DatabaseFile,
    ) -> Self {
        Self { connection, cursor, newest_hour, file, is_doubtful: false }
    }

    /// Returns the newest committed cursor.
    #[must_use]
    pub fn cursor(&self) -> u64 {
        self.cursor
    }

    /// Returns a transaction, which begins in the database with its first statement. A database file that was deleted
    /// meanwhile is put back first.
    ///
    /// # Errors
    /// Also when another file is in its place, or it cannot be put back.
    pub async fn begin(&mut self) -> Result<Transaction<'_>> {
        self.make_ready().await?;
        let cursor = self.cursor;
        let Self { connection, cursor: committed, newest_hour: committed_hour, is_doubtful, .. } = self;
        let (script, newest_hour) = Default::default();
        Ok(Transaction {
            connection,
            script,
            has_begun: false,
            committed,
            committed_hour,
            is_doubtful,
            cursor,
            newest_hour,
            touches: 0,
        })
    }

    /// Makes sure that the files are in their place and no transaction is open.
    async fn make_ready(&mut self) -> Result<()> {
        if self.is_doubtful {
            // Usually none is open, which is an error.
            let _ = sqlx::query("ROLLBACK").execute(&mut self.connection).await;
            if self.file.is_in_place()? {
                self.file.reopen(&mut self.connection).await?;
            }
        }
        self.file.put_back_if_deleted(&mut self.connection).await?;
        self.is_doubtful = false;
        Ok(())
    }

    /// Opens the connection anew before the next transaction, after a panic in the last one: it is not known how far that
    /// came.
    pub fn doubt(&mut self) {
        self.is_doubtful = true;
    }

    /// Reads the newest committed cursor from the database.
    ///
    /// # Errors
    /// Also when another file is in its place.
    pub async fn read_cursor(&mut self) -> Result<u64> {
        self.make_ready().await?;
        (self.cursor, self.newest_hour) = newest(&mut self.connection).await?;
        Ok(self.cursor)
    }

    /// Moves everything from the write-ahead log into the database file and closes it.
    pub async fn close(mut self) -> Result<()> {
        let ready = self.make_ready().await;
        // If another file is in its place, this writes to the open file, wherever that is now.
        sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut self.connection).await?;
        if matches!(ready, Err(Error::Replaced(_))) {
            self.file.remove_leftovers();
        }
        self.connection.close().await?;
        ready
    }
}

/// Returns the newest cursor, and the work of the newest hour.
pub(crate) async fn newest(connection: &mut SqliteConnection) -> Result<(u64, NewestHour)> {
    let (cursor, hour, work): (i64, i64, String) =
        sqlx::query_as("SELECT cursor, hour, work FROM hub WHERE pk = 1").fetch_one(connection).await?;
    let work = serde_json::from_str(&work).unwrap_or_else(|error| {
        tracing::error!(%error, "the work of the newest hour cannot be read and counts as none");
        BTreeMap::new()
    });
    Ok((cursor.cast_unsigned(), NewestHour { hour, work }))
}

impl Transaction<'_> {
    /// Returns a cursor for the next visible change. It becomes the newest one with the commit.
    pub fn advance(&mut self) -> u64 {
        self.cursor += 1;
        self.touch();
        self.cursor
    }

    /// Returns the cursor that its commit makes the newest.
    #[must_use]
    pub fn cursor(&self) -> u64 {
        self.cursor
    }

    /// Returns the number of writes so far; 0 where there is nothing to commit.
    #[must_use]
    pub fn touches(&self) -> u32 {
        self.touches
    }

    pub(crate) fn touch(&mut self) {
        self.touches = self.touches.saturating_add(1);
    }

    /// Adds a statement whose result is not needed; it is sent with others.
    pub(crate) async fn put(&mut self, statement: &'static str) -> Result<&mut Script> {
        if self.script.is_full() {
            self.flush().await?;
        }
        self.begin();
        Ok(self.script.add(statement))
    }

    /// Returns the connection for a statement whose result is needed, after carrying out all that were put before.
    pub(crate) async fn now(&mut self) -> Result<&mut SqliteConnection> {
        self.begin();
        self.flush().await?;
        Ok(self.connection)
    }

    fn begin(&mut self) {
        if !self.has_begun {
            self.has_begun = true;
            // IMMEDIATE waits for another program's lock here, before any statement is carried out.
            self.script.add("BEGIN IMMEDIATE");
        }
    }

    async fn flush(&mut self) -> Result<()> {
        *self.is_doubtful = true;
        self.script.run(self.connection).await
    }

    /// Rolls it back, without a write to the disk.
    pub async fn abandon(mut self) -> Result<()> {
        if *self.is_doubtful {
            self.script = Script::default();
            self.script.add("ROLLBACK");
            self.script.run(self.connection).await?;
            *self.is_doubtful = false;
        }
        Ok(())
    }

    /// Makes the changes durable and returns the newest cursor. After an error nothing is changed.
    pub async fn commit(mut self) -> Result<u64> {
        let cursor = self.cursor.cast_signed();
        match &self.newest_hour {
            Some(NewestHour { hour, work }) => {
                let (hour, work) = (*hour, serde_json::to_string(work)?);
                let update = "UPDATE hub SET cursor = ?, hour = ?, work = ? WHERE pk = 1";
                self.put(update).await?.bind(cursor).bind(hour).bind(work);
            }
            None => {
                self.put("UPDATE hub SET cursor = ? WHERE pk = 1").await?.bind(cursor);
            }
        }
        self.script.add("COMMIT");
        self.flush().await?;
        *self.committed = self.cursor;
        if let Some(newest) = self.newest_hour.take() {
            *self.committed_hour = newest;
        }
        *self.is_doubtful = false;
        Ok(self.cursor)
    }
}
