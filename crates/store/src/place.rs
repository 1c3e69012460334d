//! Whether the files of an open database are where they were, and putting them back.
//!
//! What was deleted while it is open lives on, unseen, until it is closed; then everything that was acknowledged since
//! would be gone.

use crate::open::{beside, keep_private, options, with};
use crate::{Error, Result};
use sqlx::{ConnectOptions, Connection, QueryBuilder, Sqlite, SqliteConnection};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The database and what SQLite puts beside it.
pub(crate) const ENDINGS: [&str; 3] = ["", "-wal", "-shm"];

/// What tells a file from another at the same place.
type Identity = (u64, u64);

/// The files of a database that is open.
#[derive(Debug)]
pub(crate) struct Place {
    file: PathBuf,
    identities: [Option<Identity>; 3],
    moved: Moved,
    /// The file was put back, and the connection is not one to it yet.
    is_behind: bool,
}

/// When the files were put back; connections from before that do not see what is written now.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moved(Arc<Mutex<Option<Instant>>>);

impl Moved {
    /// Whether a connection of this age sees what is written now.
    pub(crate) fn is_since(&self, age: Duration) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_none_or(|at| at.elapsed() >= age)
    }
}

impl Place {
    /// The files as they are now.
    pub(crate) fn new(file: &Path, moved: Moved) -> Self {
        Self { file: file.to_owned(), identities: identities(file), moved, is_behind: false }
    }

    /// Whether all of them are there.
    ///
    /// # Errors
    /// When other files are in their place.
    pub(crate) fn is_whole(&self) -> Result<bool> {
        let now = identities(&self.file);
        // What is beside a new file is made by whoever opens it first.
        let files = if self.is_behind { 1 } else { ENDINGS.len() };
        let both = || self.identities.iter().zip(&now).take(files);
        if both().any(|(was, is)| is.is_some() && was != is) {
            return Err(Error::Replaced(self.file.clone()));
        }
        Ok(both().all(|(was, is)| was == is))
    }

    /// Puts the files back where they were, from what the connection still has open, which becomes one to the new files.
    ///
    /// # Errors
    /// When other files are in their place, or these cannot be written.
    pub(crate) async fn keep(&mut self, connection: &mut SqliteConnection) -> Result<()> {
        if !self.is_whole()? {
            tracing::warn!(file = %self.file.display(), "the database was deleted while it was in use; it is put back");
            self.put_back(connection).await?;
        }
        if self.is_behind {
            // The old one leaves the files alone, as they are not its own any more.
            self.reopen(connection).await?;
            self.identities = identities(&self.file);
            self.is_behind = false;
            *self.moved.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        Ok(())
    }

    pub(crate) async fn put_back(&mut self, connection: &mut SqliteConnection) -> Result<()> {
        let part = beside(&self.file, "put-back");
        let _ = std::fs::remove_file(&part);
        keep_private(&part);
        if let Err(error) = self.write(connection, &part).await {
            let _ = std::fs::remove_file(&part);
            return Err(error);
        }
        self.identities = identities(&self.file);
        self.is_behind = true;
        Ok(())
    }

    /// Opens the file anew, and ends what the connection was.
    ///
    /// # Errors
    /// When it cannot be opened; the connection is then what it was.
    pub(crate) async fn reopen(&self, connection: &mut SqliteConnection) -> Result<()> {
        let mut opened = options(&self.file).connect().await?;
        // Only now does it have its log, which is one of its files.
        sqlx::query("SELECT count(*) FROM hub").execute(&mut opened).await?;
        let old = std::mem::replace(connection, opened);
        if let Err(error) = old.close().await {
            tracing::warn!(%error, "a connection did not end as it should");
        }
        Ok(())
    }

    /// Takes away what is left beside a file that is not this database's.
    pub(crate) fn clear(&self) {
        for (ending, (was, is)) in ENDINGS.iter().zip(self.identities.iter().zip(identities(&self.file))).skip(1) {
            let file = with(&self.file, ending);
            if is.is_some()
                && *was == is
                && let Err(error) = std::fs::remove_file(&file)
            {
                tracing::warn!(%error, file = %file.display(), "a log of another database is left");
            }
        }
    }

    async fn write(&self, connection: &mut SqliteConnection, part: &Path) -> Result<()> {
        let mut query = QueryBuilder::<Sqlite>::new("VACUUM INTO ");
        query.push_bind(part.to_string_lossy().into_owned());
        query.build().execute(connection).await?;
        let unchanged = |error| Error::File { file: self.file.display().to_string(), error };
        File::open(part).and_then(|file| file.sync_all()).map_err(unchanged)?;
        // A log that is not the new file's would be read into it.
        for ending in &ENDINGS[1..] {
            match std::fs::remove_file(with(&self.file, ending)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(unchanged(error)),
                _ => {}
            }
        }
        std::fs::rename(part, &self.file).map_err(unchanged)
    }
}

#[cfg(unix)]
fn identities(file: &Path) -> [Option<Identity>; 3] {
    use std::os::unix::fs::MetadataExt;
    ENDINGS.map(|ending| std::fs::metadata(with(file, ending)).ok().map(|found| (found.dev(), found.ino())))
}

/// Windows lets nobody delete a file that is open.
#[cfg(not(unix))]
fn identities(_: &Path) -> [Option<Identity>; 3] {
    [None; 3]
}
