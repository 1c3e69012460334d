//! Opening a database: new, of this build, of an older one, of a newer one, or damaged.

use crate::database_file::{DatabaseFile, ENDINGS, PutBackAt};
use crate::table::hours::NewestHour;
use crate::writer::newest;
use crate::{Error, Result, Store, Writer, mend};
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, QueryBuilder, Sqlite, SqliteConnection};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The version of incompatible table changes that this build understands. A migration that does more than add writes the
/// next number into the file (`PRAGMA user_version`) and raises this one; builds with a lower one refuse the file.
const UNDERSTOOD: i64 = 5;

/// Connections that read.
const READERS: u32 = 3;

/// Backups that are kept.
const BACKUPS: usize = 2;

/// A database that is open.
#[derive(Debug)]
pub struct Opened {
    /// The connection that writes.
    pub writer: Writer,
    /// The connections that read.
    pub store: Store,
    /// Set if the file was damaged, and what could be read of it was copied into a new one.
    pub mended: Option<Mended>,
}

/// A damaged database that was replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// The present path of the damaged file.
    pub aside: PathBuf,
    /// Sessions that could be read.
    pub sessions: u64,
}

/// Opens a database; creates it if there is none, and migrates it if it is of an older build.
///
/// `new_db_id` is the id of a new one. `synchronous` is FULL: an acknowledged change survives a power cut. Before a
/// migration a backup is written beside the file. A damaged file is moved aside, and what can be read of it is copied.
///
/// # Errors
/// When the file cannot be opened, was written by a newer build with incompatible changes, its folder cannot be written,
/// or there is no room for the backup.
pub async fn open(file: &Path, new_db_id: &str) -> Result<Opened> {
    match attempt(file, new_db_id).await {
        Ok((writer, store)) => Ok(Opened { writer, store, mended: None }),
        Err(error) if error.is_damage() => {
            tracing::error!(%error, "the database is damaged; it is moved aside, and what can be read of it is taken over");
            let aside = move_aside(file).await?;
            let (writer, store) = attempt(file, new_db_id).await?;
            // Another connection fills the new file; readers that are open would see half of it.
            store.close().await;
            writer.close().await?;
            let mut connection = options(file).connect().await?;
            let sessions = mend::copy_readable(&mut connection, &aside).await?;
            connection.close().await?;
            let (writer, store) = attempt(file, new_db_id).await?;
            Ok(Opened { writer, store, mended: Some(Mended { aside, sessions }) })
        }
        Err(error) => Err(error),
    }
}

pub(crate) fn options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(10))
        .disable_statement_logging()
}

/// Makes a file readable by its owner only, and creates it if needed; the files that SQLite puts beside it inherit that.
/// Errors are left to opening the file, which reports them.
pub(crate) fn keep_private(file: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let made = std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(file);
        let mode = made.and_then(|made| made.metadata()).map_or(0, |file| file.permissions().mode());
        if mode & 0o077 != 0 {
            let _ = std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode & 0o700));
        }
    }
    #[cfg(not(unix))]
    let _ = file;
}

async fn attempt(file: &Path, new_db_id: &str) -> Result<(Writer, Store)> {
    keep_private(file);
    let mut connection = options(file).connect().await?;
    let (db_id, newest) = match bring_up_to_date(file, &mut connection, new_db_id).await {
        Ok(found) => found,
        Err(error) => {
            // A dropped connection is closed later, by its own thread, and Windows renames no file that is open.
            let _ = connection.close().await;
            return Err(error);
        }
    };
    let put_back_at = PutBackAt::default();
    let database = DatabaseFile::new(file, put_back_at.clone());
    let readers = SqlitePoolOptions::new()
        .max_connections(READERS)
        .idle_timeout(None)
        .max_lifetime(None)
        .before_acquire(move |_, connection| Box::pin(std::future::ready(Ok(put_back_at.is_current(connection.age)))))
        .connect_with(options(file).read_only(true))
        .await?;
    // All are opened now, since the file may be deleted later.
    let mut all = Vec::new();
    for _ in 0..READERS {
        all.push(readers.acquire().await?);
    }
    drop(all);
    let store = Store { readers, db_id, file: file.to_owned() };
    Ok((Writer::new(connection, newest, database), store))
}

/// Migrates a database, and returns its id, with its newest cursor and hour.
async fn bring_up_to_date(
    file: &Path,
    connection: &mut SqliteConnection,
    new_db_id: &str,
) -> Result<(String, (u64, NewestHour))> {
    let understands: i64 = sqlx::query_scalar("PRAGMA user_version").fetch_one(&mut *connection).await?;
    if understands > UNDERSTOOD {
        return Err(Error::Newer(newest_backup(file)));
    }
    check(file, connection).await?;
    let migrator = sqlx::migrate!("../../migrations");
    back_up(file, connection, &migrator).await?;
    // An older build opens a newer file as long as the newer migrations only added.
    let mut migrator = migrator;
    migrator.set_ignore_missing(true);
    migrator.run_direct(None, &mut *connection, false).await?;
    enable_incremental_vacuum(connection).await?;
    sqlx::query("INSERT INTO hub (pk, db_id, cursor) VALUES (1, ?, 0) ON CONFLICT DO NOTHING")
        .bind(new_db_id)
        .execute(&mut *connection)
        .await?;
    let db_id = sqlx::query_scalar("SELECT db_id FROM hub WHERE pk = 1").fetch_one(&mut *connection).await?;
    Ok((db_id, newest(connection).await?))
}

/// Checks every page if one could not be read earlier. This takes seconds for a large file, so it is not done otherwise.
async fn check(file: &Path, connection: &mut SqliteConnection) -> Result<()> {
    let suspected = suspect_file(file);
    if !suspected.exists() {
        return Ok(());
    }
    let found: String = sqlx::query_scalar("PRAGMA integrity_check(1)").fetch_one(&mut *connection).await?;
    if found == "ok" {
        mend::make_readable(connection).await?;
    }
    std::fs::remove_file(&suspected).map_err(|error| unchanged(&suspected, error))?;
    if found == "ok" { Ok(()) } else { Err(Error::Damaged(found)) }
}

fn unchanged(file: &Path, error: std::io::Error) -> Error {
    Error::File { file: file.display().to_string(), error }
}

/// Returns the file that marks a database as suspect after a page could not be read.
pub(crate) fn suspect_file(file: &Path) -> PathBuf {
    beside(file, "suspect")
}

pub(crate) fn beside(file: &Path, ending: &str) -> PathBuf {
    with(file, &format!(".{ending}"))
}

/// Appends to the name of a file.
pub(crate) fn with(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Writes a backup beside a file that is about to be migrated.
async fn back_up(file: &Path, connection: &mut SqliteConnection, migrator: &Migrator) -> Result<()> {
    let has_tables: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_schema WHERE name IN ('_sqlx_migrations', 'sessions')")
            .fetch_one(&mut *connection)
            .await?;
    if has_tables < 2 {
        return Ok(());
    }
    let is: i64 = sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM _sqlx_migrations")
        .fetch_one(&mut *connection)
        .await?;
    if migrator.iter().all(|migration| migration.version <= is) {
        return Ok(());
    }
    let backup = beside(file, &format!("before-{is}"));
    if backup.is_file() {
        // An earlier attempt wrote it, and its migration did not succeed.
        return Ok(());
    }
    // It has another name until it is complete: a process that is killed meanwhile leaves nothing that counts as a backup.
    let part = beside(file, "backup-part");
    let _ = std::fs::remove_file(&part);
    keep_private(&part);
    let mut query = QueryBuilder::<Sqlite>::new("VACUUM INTO ");
    query.push_bind(part.to_string_lossy().into_owned());
    let written = query.build().execute(connection).await;
    if let Err(error) = written.and_then(|_| Ok(std::fs::rename(&part, &backup)?)) {
        let _ = std::fs::remove_file(&part);
        return Err(Error::Backup { file: backup.display().to_string(), error });
    }
    tracing::info!(backup = %backup.display(), "a backup was written before the database is brought up to date");
    for old in backups(file).into_iter().rev().skip(BACKUPS) {
        let _ = std::fs::remove_file(old);
    }
    Ok(())
}

/// Returns the backups beside a file, the oldest first.
fn backups(file: &Path) -> Vec<PathBuf> {
    let prefix = beside(file, "before-");
    let prefix = prefix.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let entries = file.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    let is_backup = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix));
    let mut backups: Vec<PathBuf> =
        entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).filter(is_backup).collect();
    backups.sort();
    backups
}

fn newest_backup(file: &Path) -> Option<PathBuf> {
    backups(file).pop()
}

/// Renames a damaged file and the files beside it, and returns its new path.
async fn move_aside(file: &Path) -> Result<PathBuf> {
    let free = |number: &u32| !beside(file, &format!("damaged-{number}")).exists();
    let number = (1..).find(free).unwrap_or(u32::MAX);
    let aside = beside(file, &format!("damaged-{number}"));
    for ending in ENDINGS {
        match rename(&with(file, ending), &with(&aside, ending)).await {
            Err(error) if ending.is_empty() || error.kind() != std::io::ErrorKind::NotFound => {
                return Err(unchanged(&with(file, ending), error));
            }
            _ => {}
        }
    }
    Ok(aside)
}

/// Renames a file. Windows renames none that is open, and one whose opening has failed is closed by a thread of its own.
async fn rename(from: &Path, to: &Path) -> std::io::Result<()> {
    const TRIES: u32 = 100;
    const BETWEEN: Duration = Duration::from_millis(20);
    for _ in 0..TRIES {
        match std::fs::rename(from, to) {
            Err(error) if is_in_use(&error) => tokio::time::sleep(BETWEEN).await,
            done => return done,
        }
    }
    std::fs::rename(from, to)
}

/// True if Windows says that another handle keeps the file.
fn is_in_use(error: &std::io::Error) -> bool {
    const SHARING_VIOLATION: i32 = 32;
    cfg!(windows) && error.raw_os_error() == Some(SHARING_VIOLATION)
}

/// Turns on incremental vacuum, which gives unused space back a little at a time. A database without it is rewritten once.
async fn enable_incremental_vacuum(connection: &mut SqliteConnection) -> Result<()> {
    const INCREMENTAL: i64 = 2;
    let is: i64 = sqlx::query_scalar("PRAGMA auto_vacuum").fetch_one(&mut *connection).await?;
    if is != INCREMENTAL {
        sqlx::query("PRAGMA auto_vacuum = INCREMENTAL").execute(&mut *connection).await?;
        sqlx::query("VACUUM").execute(&mut *connection).await?;
    }
    Ok(())
}
