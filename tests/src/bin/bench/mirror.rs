//! Mirrored machines: a list there to a row here, ten of them at rest, and catching up with an archive.

use crate::archive;
use crate::gateway::{Gateway, Socket, list};
use crate::report::{Row, Times};
use crate::throughput::{Throughput, rows};
use crate::{floor, latency};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Lists that a latency is measured with.
const SAMPLES: usize = 200;

/// Hosts, and sessions on each.
const HOSTS: usize = 10;
const SESSIONS: usize = 30;

/// Time for which processors are watched while nothing happens.
const QUIET: Duration = Duration::from_secs(20);

/// Size of the archive that is caught up with.
const REVISIONS: u32 = 100_000;
const ARCHIVED: u32 = 2_000;

/// The longest time for anything to arrive.
const PATIENCE: Duration = Duration::from_secs(600);

pub(crate) async fn measure(program: &Path) -> Result<Vec<Row>> {
    let mut rows = vec![list_to_row(program).await?];
    rows.extend(ten(program).await?);
    rows.push(catching_up(program).await?);
    Ok(rows)
}

/// Has a gateway mirror another one.
async fn follow(user: &mut Socket, program: &Path, name: &str, host: &Gateway) -> Result<()> {
    let program = program.to_str().context("a path that is text")?;
    let folder = host.folder.path().to_str().context("a path that is text")?;
    let command = json!([program, "--data-dir", folder, "dial-stdio"]);
    user.ask("hosts.add", json!({ "name": name, "command": command, "days": 0 })).await?;
    Ok(())
}

/// Waits until something is so.
async fn until(what: &str, mut met: impl AsyncFnMut() -> Result<bool>) -> Result<()> {
    let begun = Instant::now();
    while !met().await? {
        anyhow::ensure!(begun.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

async fn list_to_row(program: &Path) -> Result<Row> {
    let (here, host) = (Gateway::start(program).await?, Gateway::start(program).await?);
    follow(&mut here.socket().await?, program, "box", &host).await?;
    let beside = latency::written(&here, &here, SAMPLES).await?;
    let mirrored = latency::written(&host, &here, SAMPLES).await?;
    here.stop().await?;
    host.stop().await?;
    let what = "todo.write on a mirrored machine to todo.update here; beside it the same on this machine";
    Ok(Row::latency(what, &Times::of(mirrored), Times::of(beside).p50))
}

/// The sessions of each host that are here.
async fn sessions(user: &mut Socket) -> Result<Vec<u64>> {
    let hosts = user.ask("hosts.list", json!({})).await?;
    let count = |host: &Value| host["sessions"].as_u64().unwrap_or_default();
    Ok(hosts["hosts"].as_array().context("hosts")?.iter().map(count).collect())
}

async fn ten(program: &Path) -> Result<Vec<Row>> {
    let here = Gateway::start(program).await?;
    let mut user = here.socket().await?;
    let bare = here.memory()?;
    let mut hosts = Vec::new();
    for number in 0..HOSTS {
        let host = Gateway::start(program).await?;
        let mut socket = host.socket().await?;
        for session in 0..SESSIONS {
            let label = format!("run {session}");
            socket.ask("todo.write", json!({ "session": label, "todos": list(session) })).await?;
        }
        follow(&mut user, program, &format!("box-{number}"), &host).await?;
        hosts.push(host);
    }
    until("ten hosts", async || Ok(sessions(&mut user).await? == [SESSIONS as u64; HOSTS])).await?;
    let (before, _) = here.busy()?;
    tokio::time::sleep(QUIET).await;
    let (after, _) = here.busy()?;
    let name = format!("{HOSTS} hosts with {SESSIONS} sessions each");
    let memory = here.memory()? as f64 / 1e6;
    let busy = (after - before) as f64 / 1e6 / QUIET.as_secs_f64();
    here.stop().await?;
    for host in hosts {
        host.stop().await?;
    }
    let beside = format!("{:.1} before there were any", bare as f64 / 1e6);
    Ok(vec![
        Row::count(&format!("megabytes of memory of the gateway with {name}"), memory, &beside),
        Row::count(&format!("milliseconds of a processor a second at rest with {name}"), busy, ""),
    ])
}

async fn catching_up(program: &Path) -> Result<Row> {
    let folder = tempfile::tempdir()?;
    archive::made(&folder.path().join(archive::DATABASE), ARCHIVED, REVISIONS).await?;
    let there = rows(&folder.path().join(archive::DATABASE)).await?;
    let host = Gateway::start_in(program, folder).await?;
    let here = Gateway::start(program).await?;
    let database = here.folder.path().join(archive::DATABASE);
    let begun = Instant::now();
    follow(&mut here.socket().await?, program, "box", &host).await?;
    until("the archive", async || Ok(rows(&database).await? >= there)).await?;
    let elapsed = begun.elapsed();
    // Meanwhile nobody has answered for a socket from before.
    let commits =
        here.socket().await?.ask("gateway.status", json!({})).await?["commits"].as_f64().context("commits")?;
    let bytes = std::fs::metadata(&database)?.len();
    here.stop().await?;
    host.stop().await?;
    let revisions = f64::from(REVISIONS);
    let measured = Throughput {
        per_second: revisions / elapsed.as_secs_f64(),
        batch: (revisions / commits).max(1.0),
        bytes_each: bytes as f64 / revisions,
        rows_each: there / revisions,
    };
    let bare = floor::batches(&measured).await?;
    let note = format!("{REVISIONS} of {ARCHIVED} sessions, {:.0} a commit", measured.batch);
    Ok(Row::rate("revisions a second, catching up with a mirrored machine", measured.per_second, bare, &note))
}
