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
