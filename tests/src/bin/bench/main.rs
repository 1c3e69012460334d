//! Measures the built programs, each figure beside its floor of the same run.
//!
//! Prints a table and writes `target/bench.json`. Absolute times are for the reader; only ratios say anything about
//! another machine.
#![allow(clippy::print_stdout, reason = "its output is its purpose")]

mod archive;
mod floor;
mod gateway;
mod latency;
mod paint;
mod report;
mod start;
mod throughput;
mod window;

use anyhow::{Context, Result};
use report::{Report, Row};
use std::path::{Path, PathBuf};

/// Round trips and commits that a floor is taken from.
const FLOOR_SAMPLES: usize = 400;

/// Processes that are started one after the other.
const STARTS: usize = 60;

/// Writes that a latency is taken from.
const SAMPLES: usize = 400;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<()> {
    let program = PathBuf::from(
        std::env::var_os("SIGHTLINE_BIN").context("SIGHTLINE_BIN names no program; run `cargo xtask bench`")?,
    );
    let mut report = Report::default();
    if std::env::args().nth(1).as_deref() == Some("--starts") {
        starts(&program, &mut report).await?;
        println!("{}", report.table());
        return Ok(());
    }
    if std::env::args().nth(1).as_deref() == Some("--paint") {
        let rows = paint::measure(&program).await?.context("this machine has no X server to look at")?;
        rows.into_iter().for_each(|row| report.push(row));
        println!("{}", report.table());
        return Ok(());
    }
    if std::env::args().nth(1).as_deref() == Some("--archive") {
        let number = |at: usize| std::env::args().nth(at).map(|number| number.parse()).transpose();
        let (sessions, revisions) = archive::USUAL;
        let size = (number(2)?.unwrap_or(sessions), number(3)?.unwrap_or(revisions));
        archive::measure(&program, size).await?.into_iter().for_each(|row| report.push(row));
        println!("{}", report.table());
        return Ok(());
    }
    let loopback = floor::loopback(FLOOR_SAMPLES).await?;
    let commit = floor::commits(FLOOR_SAMPLES).await?;
    let floor = loopback.p50 + commit.p50;
    report.push(Row::floor("WebSocket round trip on loopback", &loopback));
    report.push(Row::floor("one bare SQLite commit, synchronous = FULL", &commit));
    for sessions in [1, 100] {
        let http = latency::over_http(&program, sessions, SAMPLES).await?;
        report.push(Row::latency(&format!("todo_write over MCP HTTP to todo.update, {sessions} live"), &http, floor));
    }
    let stdio = latency::over_stdio(&program, SAMPLES).await?;
    report.push(Row::latency("todo_write over MCP stdio to todo.update, 1 live", &stdio, floor));
    starts(&program, &mut report).await?;
    let measured = throughput::eight_writers(&program).await?;
    let bare = floor::batches(&measured).await?;
    report.push(Row::rate(
        "durable revisions a second, 8 writers",
        measured.per_second,
        bare,
        &format!("{:.1} revisions a commit", measured.batch),
    ));
    archive::measure(&program, archive::USUAL).await?.into_iter().for_each(|row| report.push(row));
    if let Some(rows) = window::measure(&program).await? {
        rows.into_iter().for_each(|row| report.push(row));
    }
    if let Some(rows) = paint::measure(&program).await? {
        rows.into_iter().for_each(|row| report.push(row));
    }
    println!("{}", report.table());
    let file = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../target/bench.json"));
    std::fs::write(&file, report.json()?).with_context(|| format!("{} cannot be written", file.display()))?;
    println!("written to target/bench.json");
    Ok(())
}

/// What an agent waits for when it starts a process of ours.
async fn starts(program: &Path, report: &mut Report) -> Result<()> {
    let nothing = start::nothing(program, STARTS).await?;
    report.push(Row::floor("start and end of a process that does nothing", &nothing));
    let shim = start::shim(program, STARTS).await?;
    report.push(Row::latency("start of `sightline mcp` to its answer to initialize", &shim, nothing.p50));
    let hook = start::hook(program, STARTS).await?;
    report.push(Row::latency("start of a hook to its end", &hook, nothing.p50));
    Ok(())
}
