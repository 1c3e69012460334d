//! What can go wrong with a database.

/// Why something was not stored or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// SQLite's own word: disk full, locked, not a database.
    #[error("the database cannot be used: {0}")]
    Database(#[from] sqlx::Error),
    /// A migration did not go through.
    #[error("the database cannot be brought up to date: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// A newer build changed more than it added.
    #[error(
        "this data was written by a newer Sightline and cannot be read by this one. Start the newer one{}",
        .0.as_ref().map(|backup| format!(", or put {} in its place: it is from before the change", backup.display())).unwrap_or_default()
    )]
    Newer(Option<std::path::PathBuf>),
    /// There is no backup, so nothing was changed.
    #[error(
        "the database is not brought up to date, as no backup can be written to {file}: {error}. Make room on the disk"
    )]
    Backup {
        /// Where it was to be.
        file: String,
        /// SQLite's own word.
        error: sqlx::Error,
    },
    /// A file beside the database.
    #[error("{file} cannot be changed: {error}")]
    File {
        /// Which.
        file: String,
        /// Why.
        error: std::io::Error,
    },
    /// Somebody put another file in the place of the one that is open.
    #[error(
        "another file was put in the place of {} while it was in use. End Sightline, see that the right file is there, and start it again",
        .0.display()
    )]
    Replaced(std::path::PathBuf),
    /// Pages of it do not fit together.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// A row does not say what this build expects.
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
    /// The file is damaged, or no database at all.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        // SQLITE_CORRUPT and SQLITE_NOTADB; and what SQLite takes for a text and is none.
        matches!(self, Self::Damaged(_) | Self::Database(sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_)))
            || matches!(self.code(), Some(11 | 26))
    }

    /// Another program holds the database.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        // SQLITE_BUSY and SQLITE_LOCKED.
        matches!(self.code(), Some(5 | 6))
    }

    /// What the user can do about it, as a sentence.
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
