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
        let is_damage = |error: &sqlx::Error| {
            let code = error.as_database_error().and_then(|error| error.code()?.parse::<u32>().ok());
            // SQLITE_CORRUPT and SQLITE_NOTADB, without what they say more.
            code.is_some_and(|code| [11, 26].contains(&(code & 0xff)))
        };
        match self {
            Self::Damaged(_) => true,
            Self::Database(error) | Self::Migration(sqlx::migrate::MigrateError::Execute(error)) => is_damage(error),
            _ => false,
        }
    }
}
