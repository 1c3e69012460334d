//! An agent's SQLite database, opened read-only for each look and closed again, so that nothing of it is held.

use agents::{Cell, Database, Observation, Queries};
use futures_util::TryStreamExt;
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::timeout;

/// The longest wait for a writer; readers of a database with a write-ahead log need not wait for one.
const PATIENCE: Duration = Duration::from_millis(500);

/// The time for one step, such as a row; one that takes longer hangs.
const STEP: Duration = Duration::from_secs(30);

/// The problem of a database that does not answer.
const HANGS: &str = "it does not answer";

/// The endings of the files that SQLite keeps beside a database.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// A database and its parser.
pub(super) struct DatabaseFile {
    path: PathBuf,
    parser: Box<dyn Database>,
    unreadable: Option<String>,
}

impl DatabaseFile {
    pub(super) fn open(path: &Path, parser: Box<dyn Database>) -> Self {
        Self { path: path.to_owned(), parser, unreadable: None }
    }

    pub(super) fn unreadable(&self) -> Option<&str> {
        self.unreadable.as_deref()
    }

    pub(super) fn passed_over(&self) -> u64 {
        self.parser.passed_over()
    }

    /// The observations that are new. A database that cannot be read just now has none.
    pub(super) async fn read(&mut self, since: Option<Timestamp>) -> Vec<Observation> {
        let mut out = Vec::new();
        let path = self.path.clone();
        let found = careful::aside(&self.path, careful::PATIENCE, move || look(&path)).await;
        self.unreadable = match found {
            Ok(DatabaseFiles::Nothing) => return out,
            Ok(DatabaseFiles::Odd(file)) => Some(format!("{} is no ordinary file", file.display())),
            Ok(DatabaseFiles::Database { is_still }) => self.try_read(is_still, since, &mut out).await.err(),
            Err(why) => Some(why.to_string()),
        };
        if let Some(problem) = &self.unreadable {
            tracing::debug!(problem, file = %self.path.display(), "an agent's database is not read");
        }
        out
    }

    async fn try_read(
        &mut self,
        is_still: bool,
        since: Option<Timestamp>,
        out: &mut Vec<Observation>,
    ) -> Result<(), String> {
        let problem = |error: sqlx::Error| error.to_string();
        let connected = timeout(STEP, connect(&self.path, is_still)).await;
        let mut connection = connected.map_err(|_| HANGS)?.map_err(problem)?;
        let read = async {
            // All of it as it is at one time.
            let begun = timeout(STEP, connection.begin()).await;
            let mut transaction = begun.map_err(|_| HANGS)?.map_err(problem)?;
            self.parser.read(&mut OpenTransaction(&mut transaction), since, out).await
        };
        let read = read.await;
        let _ = timeout(STEP, connection.close()).await;
        read
    }
}

/// The files of a database before it is opened: SQLite opens each as it is.
enum DatabaseFiles {
    Nothing,
    Odd(PathBuf),
    /// Without a log nobody writes.
    Database {
        is_still: bool,
    },
}

fn look(path: &Path) -> DatabaseFiles {
    if careful::open(path).is_err() {
        return DatabaseFiles::Nothing;
    }
    let beside = BESIDE.map(|end| {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(end);
        let file = path.with_file_name(name);
        let is_there = file.symlink_metadata().is_ok();
        (file, is_there)
    });
    if let Some((file, _)) = beside.iter().find(|(file, is_there)| *is_there && careful::open(file).is_err()) {
        return DatabaseFiles::Odd(file.clone());
    }
    let [(_, has_log), _, (_, has_journal)] = beside;
    DatabaseFiles::Database { is_still: !has_log && !has_journal }
}

/// Opens a database for reading. Of one that is still not even SQLite's own files are made beside it.
async fn connect(path: &Path, is_still: bool) -> sqlx::Result<SqliteConnection> {
    SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .immutable(is_still)
        .busy_timeout(PATIENCE)
        .disable_statement_logging()
        .connect()
        .await
}

struct OpenTransaction<'a>(&'a mut SqliteConnection);

impl Queries for OpenTransaction<'_> {
    fn each<'a>(
        &'a mut self,
        query: &'a str,
        values: &'a [Cell<'a>],
        take: &'a mut (dyn FnMut(&dyn agents::Row) + Send),
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            // The queries are the parsers' own, and no value is put into them.
            let query = sqlx::query(AssertSqlSafe(query.to_owned()));
            let query = values.iter().fold(query, |query, value| match value {
                Cell::Integer(number) => query.bind(*number),
                Cell::Text(text) => query.bind((*text).to_owned()),
            });
            let mut rows = query.fetch(&mut *self.0);
            while let Some(row) =
                timeout(STEP, rows.try_next()).await.map_err(|_| HANGS)?.map_err(|error| error.to_string())?
            {
                take(&FoundRow(row));
            }
            Ok(())
        })
    }
}

/// A row of an answer, read as SQLite converts it and not as its columns are declared.
struct FoundRow(SqliteRow);

impl agents::Row for FoundRow {
    fn integer(&self, column: usize) -> Option<i64> {
        self.0.try_get_unchecked(column).ok().flatten()
    }

    fn bytes(&self, column: usize) -> Option<Vec<u8>> {
        self.0.try_get_unchecked(column).ok().flatten()
    }
}
