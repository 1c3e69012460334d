//! The number of revisions per second that reach the disk.

use crate::gateway::{Gateway, list};
use anyhow::{Context, Result};
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};

const WRITERS: usize = 8;
const TIME: Duration = Duration::from_secs(6);

/// The figures, and the numbers that a floor with the same work needs.
pub(crate) struct Throughput {
    pub(crate) per_second: f64,
    /// Revisions in one commit, on average.
    pub(crate) batch: f64,
    /// Bytes that one revision adds to the database.
    pub(crate) bytes_each: f64,
    /// Rows that one revision writes: the session's, the revision's, those of its items, the caller's.
    pub(crate) rows_each: f64,
}

/// Measures eight clients, each writing as fast as it is answered.
pub(crate) async fn eight_writers(program: &Path) -> Result<Throughput> {
    let gateway = Gateway::start(program).await?;
    let begun = Instant::now();
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        let mut socket = gateway.socket().await?;
        writers.push(tokio::spawn(async move {
            let mut written = 0_usize;
            while begun.elapsed() < TIME {
                let session = format!("writer {writer}");
                socket.ask("todo.write", json!({ "session": session, "todos": list(written) })).await?;
                written += 1;
            }
            anyhow::Ok(written)
        }));
    }
    let mut revisions = 0;
    for writer in writers {
        revisions += writer.await??;
    }
    let elapsed = begun.elapsed();
    let status = gateway.socket().await?.ask("gateway.status", json!({})).await?;
    let number = |field: &str| status[field].as_f64().with_context(|| format!("gateway.status has {field}"));
    let commits = number("commits")?;
    let database = gateway.folder.path().join("sightline.db");
    let log = gateway.folder.path().join("sightline.db-wal");
    let rows = rows(&database).await?;
    let bytes =
        std::fs::metadata(&database)?.len() + std::fs::metadata(log).map(|log| log.len()).unwrap_or(0).min(4 << 20);
    gateway.stop().await?;
    let revisions = revisions as f64;
    Ok(Throughput {
        per_second: revisions / elapsed.as_secs_f64(),
        // Each write of a plain client is followed by a commit that notes its answer as sent.
        batch: (revisions / commits).max(1.0),
        bytes_each: bytes as f64 / revisions,
        rows_each: rows / revisions + 2.0,
    })
}

/// Number of rows of revisions and items. Those of sessions and callers are overwritten each time.
pub(crate) async fn rows(database: &Path) -> Result<f64> {
    use sqlx::ConnectOptions;
    let mut connection = sqlx::sqlite::SqliteConnectOptions::new().filename(database).read_only(true).connect().await?;
    let (items, revisions): (i64, i64) =
        sqlx::query_as("SELECT (SELECT count(*) FROM items), (SELECT count(*) FROM revisions)")
            .fetch_one(&mut connection)
            .await?;
    Ok((items + revisions) as f64)
}
