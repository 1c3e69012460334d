//! Floors: the cost of the parts below, without anything built on them.

use crate::report::Times;
use crate::throughput::Throughput;
use anyhow::{Context, Result};
use futures_util::{SinkExt, StreamExt};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use std::path::Path;
use std::time::Instant;
use tokio::io::{AsyncRead, AsyncWrite};
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;

/// Bytes of a message: those of a list of eight items with their session.
const MESSAGE: usize = 2_500;

/// Bytes of one commit: those of a revision that changes two items.
const ROW: usize = 600;

/// A round trip of a message over a WebSocket on loopback.
pub(crate) async fn loopback(samples: usize) -> Result<Times> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let (near, far) = tokio::join!(TcpStream::connect(listener.local_addr()?), listener.accept());
    let (near, (far, _)) = (near?, far?);
    near.set_nodelay(true)?;
    far.set_nodelay(true)?;
    round_trips(near, far, samples).await
}

/// The same over a pair of Unix sockets.
#[cfg(unix)]
pub(crate) async fn unix(samples: usize) -> Result<Times> {
    let (near, far) = UnixStream::pair()?;
    round_trips(near, far, samples).await
}

async fn round_trips<S>(near: S, far: S, samples: usize) -> Result<Times>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let server = tokio::spawn(async move {
        let mut socket = tokio_tungstenite::accept_async(far).await?;
        while let Some(Ok(message)) = socket.next().await {
            if message.is_text() {
                socket.send(message).await?;
            }
        }
        anyhow::Ok(())
    });
    let (mut socket, _) = tokio_tungstenite::client_async("ws://localhost/", near).await?;
    let text = "x".repeat(MESSAGE);
    let mut times = Vec::with_capacity(samples);
    for _ in 0..samples {
        let begun = Instant::now();
        socket.send(Message::text(text.clone())).await?;
        socket.next().await.context("the echo ended")??;
        times.push(begun.elapsed());
    }
    drop(socket);
    server.await??;
    Ok(Times::of(times))
}

async fn open(folder: &Path) -> Result<SqliteConnection> {
    let mut connection = SqliteConnectOptions::new()
        .filename(folder.join("floor.db"))
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .disable_statement_logging()
        .connect()
        .await?;
    sqlx::query("CREATE TABLE floor (pk INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT")
        .execute(&mut connection)
        .await?;
    Ok(connection)
}

/// One row in one transaction.
pub(crate) async fn commits(samples: usize) -> Result<Times> {
    let folder = tempfile::tempdir()?;
    let mut connection = open(folder.path()).await?;
    let body = "x".repeat(ROW);
    let mut times = Vec::with_capacity(samples);
    for _ in 0..samples {
        let begun = Instant::now();
        sqlx::query("INSERT INTO floor (body) VALUES (?)").bind(&body).execute(&mut connection).await?;
        times.push(begun.elapsed());
    }
    Ok(Times::of(times))
}

/// Revisions per second of bare SQLite: the same bytes and rows for each, in batches of the same size.
pub(crate) async fn batches(measured: &Throughput) -> Result<f64> {
    const COMMITS: usize = 200;
    let folder = tempfile::tempdir()?;
    let mut connection = open(folder.path()).await?;
    let rows = measured.rows_each.max(1.0).round() as usize;
    let body = "x".repeat((measured.bytes_each / rows as f64).max(1.0) as usize);
    let batch = measured.batch.round().max(1.0) as usize;
    let begun = Instant::now();
    for _ in 0..COMMITS {
        let mut transaction = connection.begin().await?;
        for _ in 0..batch * rows {
            sqlx::query("INSERT INTO floor (body) VALUES (?)").bind(&body).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
    }
    Ok((COMMITS * batch) as f64 / begun.elapsed().as_secs_f64())
}
