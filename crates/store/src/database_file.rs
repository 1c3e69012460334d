//! The files of an open database: checks that they are still in their place, and puts them back when they were deleted.
//!
//! A file that is deleted while it is open lives on, unseen, until it is closed; then everything that was acknowledged
//! since would be gone.

use crate::open::{beside, keep_private, options, with};
use crate::{Error, Result};
use sqlx::{ConnectOptions, Connection, QueryBuilder, Sqlite, SqliteConnection};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The endings of the database file and of the files that SQLite puts beside it.
pub(crate) const ENDINGS: [&str; 3] = ["", "-wal", "-shm"];

/// Device and inode, which tell a file from another one of the same name.
type Identity = (u64, u64);

/// The files of a database that is open.
#[derive(Debug)]
pub(crate) struct DatabaseFile {
    path: PathBuf,
    /// The paths of all its files.
    files: [PathBuf; 3],
    identities: [Option<Identity>; 3],
    put_back_at: PutBackAt,
    /// The file was put back, and the connection has not been opened to it yet.
    needs_reopening: bool,
}

/// The time at which the files were last put back, if ever. Connections that are older read the deleted files.
#[derive(Debug, Clone, Default)]
pub(crate) struct PutBackAt(Arc<Mutex<Option<Instant>>>);

impl PutBackAt {
    /// True if a connection of this age reads the present files.
    pub(crate) fn is_current(&self, age: Duration) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_none_or(|at| at.elapsed() >= age)
    }
}

impl DatabaseFile {
    /// Remembers the files as they are now.
    pub(crate) fn new(path: &Path, put_back_at: PutBackAt) -> Self {
        let files = ENDINGS.map(|ending| with(path, ending));
        let identities = identities(&files);
        Self { path: path.to_owned(), files, identities, put_back_at, needs_reopening: false }
    }

    /// True if all files are in their place.
    ///
    /// # Errors
    /// When other files are in their place.
    pub(crate) fn is_in_place(&self) -> Result<bool> {
        let now = identities(&self.files);
        // The files beside one that was just put back are made by whoever opens it first.
        let files = if self.needs_reopening { 1 } else { ENDINGS.len() };
        let both = || self.identities.iter().zip(&now).take(files);
        if both().any(|(was, is)| is.is_some() && was != is) {
            return Err(Error::Replaced(self.path.clone()));
        }
        Ok(both().all(|(was, is)| was == is))
    }

    /// Puts deleted files back from what the connection still has open, and opens the connection to the new files.
    ///
    /// # Errors
    /// When other files are in their place, or these cannot be written.
    pub(crate) async fn put_back_if_deleted(&mut self, connection: &mut SqliteConnection) -> Result<()> {
        if !self.is_in_place()? {
            tracing::warn!(file = %self.path.display(), "the database was deleted while it was in use; it is put back");
            self.put_back(connection).await?;
        }
        if self.needs_reopening {
            // Closing the old connection leaves the new files alone, since they are not its own.
            self.reopen(connection).await?;
            self.identities = identities(&self.files);
            self.needs_reopening = false;
            *self.put_back_at.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        Ok(())
    }

    pub(crate) async fn put_back(&mut self, connection: &mut SqliteConnection) -> Result<()> {
        let part = beside(&self.path, "put-back");
        let _ = std::fs::remove_file(&part);
        keep_private(&part);
        if let Err(error) = self.write(connection, &part).await {
            let _ = std::fs::remove_file(&part);
            return Err(error);
        }
        self.identities = identities(&self.files);
        self.needs_reopening = true;
        Ok(())
    }

    /// Replaces the connection by a new one to the file. If that cannot be opened, the connection stays as it is.
    pub(crate) async fn reopen(&self, connection: &mut SqliteConnection) -> Result<()> {
        let mut opened = options(&self.path).connect().await?;
        // The first read makes the log beside the file.
        sqlx::query("SELECT count(*) FROM hub").execute(&mut opened).await?;
        let old = std::mem::replace(connection, opened);
        if let Err(error) = old.close().await {
            tracing::warn!(%error, "a connection did not end as it should");
        }
        Ok(())
    }

    /// Deletes this database's log and index beside another file that has taken its place.
    pub(crate) fn remove_leftovers(&self) {
        for (file, (was, is)) in self.files.iter().zip(self.identities.iter().zip(identities(&self.files))).skip(1) {
            if is.is_some()
                && *was == is
                && let Err(error) = std::fs::remove_file(file)
            {
                tracing::warn!(%error, file = %file.display(), "a log of another database is left");
            }
        }
    }

    /// Writes the database to `part`, and renames that into place.
    async fn write(&self, connection: &mut SqliteConnection, part: &Path) -> Result<()> {
        let mut query = QueryBuilder::<Sqlite>::new("VACUUM INTO ");
        query.push_bind(part.to_string_lossy().into_owned());
        query.build().execute(connection).await?;
        let unchanged = |error| Error::File { file: self.path.display().to_string(), error };
        File::open(part).and_then(|file| file.sync_all()).map_err(unchanged)?;
        // A log of another file would be read into the new one.
        for file in &self.files[1..] {
            match std::fs::remove_file(file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(unchanged(error)),
                _ => {}
            }
        }
        std::fs::rename(part, &self.path).map_err(unchanged)
    }
}

#[cfg(unix)]
fn identities(files: &[PathBuf; 3]) -> [Option<Identity>; 3] {
    use std::os::unix::fs::MetadataExt;
    files.each_ref().map(|file| std::fs::metadata(file).ok().map(|found| (found.dev(), found.ino())))
}

/// Windows does not let an open file be deleted.
#[cfg(not(unix))]
fn identities(_: &[PathBuf; 3]) -> [Option<Identity>; 3] {
    [None; 3]
}
