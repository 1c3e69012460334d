//! Errors of the database.

/// The reason why something was not saved or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// SQLite's own error: disk full, locked, not a database.
    #[error("the database cannot be used: {0}")]
    Database(#[from] sqlx::Error),
    /// A migration failed.
    #[error("the database cannot be brought up to date: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// A newer build made incompatible changes; with the newest backup from before them.
    #[error(
        "this data was written by a newer Sightline and cannot be read by this one. Start the newer one{}",
        .0.as_ref().map(|backup| format!(", or put {} in its place: it is from before the change", backup.display())).unwrap_or_default()
    )]
    Newer(Option<std::path::PathBuf>),
    /// The backup could not be written, so no migration was begun.
    #[error(
        "the database is not brought up to date, as no backup can be written to {file}: {error}. Make room on the disk"
    )]
    Backup {
        /// The path of the backup.
        file: String,
        /// SQLite's own error.
        error: sqlx::Error,
    },
    /// The database file, or one beside it, could not be changed.
    #[error("{file} cannot be changed: {error}")]
    File {
        /// Its path.
        file: String,
        /// The system's error.
        error: std::io::Error,
    },
    /// Another file was put in the place of the one that is open.
    #[error(
        "another file was put in the place of {} while it was in use. End Sightline, see that the right file is there, and start it again",
        .0.display()
    )]
    Replaced(std::path::PathBuf),
    /// Its pages contradict each other.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// A row has a value that this build does not expect.
    #[error("a row cannot be read: {0}")]
    Row(String),
}

/// The result of using the store.
pub type Result<T> = std::result::Result<T, Error>;

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Row(error.to_string())
    }
}

impl Error {
    /// True if the file is damaged, or no database at all.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        // SQLITE_CORRUPT and SQLITE_NOTADB; and values that SQLite accepts as texts and that are no UTF-8.
        matches!(self, Self::Damaged(_) | Self::Database(sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_)))
            || matches!(self.code(), Some(11 | 26))
    }

    /// True if another program has locked the database.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        // SQLITE_BUSY and SQLITE_LOCKED.
        matches!(self.code(), Some(5 | 6))
    }

    /// Returns advice for the user, as a sentence.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        match self.code() {
            // SQLITE_FULL
            Some(13) => "The disk is full: make room on it, and do it again",
            // SQLITE_BUSY and SQLITE_LOCKED
            Some(5 | 6) => "Another program holds the database: end what it does there, and do it again",
            // SQLITE_IOERR, SQLITE_READONLY and SQLITE_CANTOPEN
            Some(10 | 8 | 14) => "Check that the disk is not full and that the data folder can be written",
            _ => "Do it again, and look into the log if it stays so",
        }
    }

    /// SQLite's primary result code, see <https://www.sqlite.org/rescode.html>.
    fn code(&self) -> Option<u32> {
        let (Self::Database(error) | Self::Migration(sqlx::migrate::MigrateError::Execute(error))) = self else {
            return None;
        };
        Some(error.as_database_error()?.code()?.parse::<u32>().ok()? & 0xff)
    }
}
