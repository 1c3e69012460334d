//! Measures the built programs, each figure beside its floor of the same run.
//!
//! Prints a table and writes `target/bench.json`. Absolute times depend on the machine; only the ratios can be compared
//! with those of another one.
#![allow(clippy::print_stdout, reason = "its output is its purpose")]

mod abort;
mod agent;
mod archive;
mod counts;
mod floor;
mod gateway;
mod latency;
mod load;
mod log;
mod mirror;
mod paint;
mod pairing;
mod picture;
mod report;
mod start;
mod throughput;
mod window;

use anyhow::{Context, Result};
use clap::Parser;
use report::{Report, Row};
use std::path::{Path, PathBuf};

/// Number of round trips and commits that a floor is measured with.
const FLOOR_SAMPLES: usize = 400;

/// Number of processes that are started one after the other.
const STARTS: usize = 60;

/// Number of writes that a latency is measured with.
const SAMPLES: usize = 400;

/// Measures the built programs, each figure beside its floor of the same run.
#[derive(Parser)]
#[command(name = "cargo xtask bench --")]
struct Options {
    /// Measure only these parts [default: all]
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    only: Vec<Part>,
    /// The data folder of an archive to measure, as `cargo xtask archive` makes it; it is left as it is. May be named
    /// several times [default: one of 1,000 sessions and 50,000 revisions, made for this run]
    #[arg(long, value_name = "DIR")]
    archive: Vec<PathBuf>,
    /// The folder in which pictures of load and of archives are drawn
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    /// The file of another run: each figure is compared with it
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Counts what a call costs in a gateway that is built to count it, and nothing else
    #[arg(long, value_name = "PROGRAM", conflicts_with = "only")]
    counts: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// From a tool call to everybody who watches
    Latency,
    /// From the start of a process to its answer
    Starts,
    /// From a stop to the end of a run of the built-in agent
    Abort,
    /// Revisions a second
    Throughput,
    /// Two hundred agents, and a thousand who watch
    Load,
    /// An archive of years
    Archive,
    /// Mirrored machines
    Mirror,
    /// The page in a browser
    Window,
    /// From the start of the window to its first paint
    Paint,
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<()> {
    let options = Options::parse();
    // The agents' HTTP client uses the TLS provider that is installed for the whole process.
    let _ = rustls::crypto::ring::default_provider().install_default();
    if let Some(program) = options.counts {
        return counts::check(&program).await;
    }
    let program = PathBuf::from(
        std::env::var_os("SIGHTLINE_BIN").context("SIGHTLINE_BIN names no program; run `cargo xtask bench`")?,
    );
    // Read first, since it may be the file that this run overwrites.
    let other = options.compare.as_deref().map(Report::read).transpose()?;
    let mut report = Report::default();
    let wants = |part| options.only.is_empty() || options.only.contains(&part);
    if wants(Part::Latency) {
        latencies(&program, &mut report).await?;
    }
    if wants(Part::Starts) {
        starts(&program, &mut report).await?;
    }
    if wants(Part::Abort) {
        aborts(&program, &mut report).await?;
    }
    if wants(Part::Throughput) {
        let measured = throughput::eight_writers(&program).await?;
        let bare = floor::batches(&measured).await?;
        let note = format!("{:.1} revisions a commit", measured.batch);
        report.push(Row::rate("durable revisions a second, 8 writers", measured.per_second, bare, &note));
    }
    let mut pictures = Vec::new();
    if wants(Part::Load) {
        let floor = floor::loopback(FLOOR_SAMPLES).await?.p50 + floor::commits(FLOOR_SAMPLES).await?.p50;
        let (rows, picture) = load::measure(&program, floor).await?;
        rows.into_iter().for_each(|row| report.push(row));
        pictures.push(picture);
    }
    if wants(Part::Archive) {
        let (rows, picture) = archive::measure(&program, &options.archive).await?;
        rows.into_iter().for_each(|row| report.push(row));
        pictures.push(picture);
    }
    if wants(Part::Mirror) {
        mirror::measure(&program).await?.into_iter().for_each(|row| report.push(row));
    }
    if wants(Part::Window) {
        window::measure(&program).await?.into_iter().flatten().for_each(|row| report.push(row));
    }
    if wants(Part::Paint) {
        paint::measure(&program).await?.into_iter().flatten().for_each(|row| report.push(row));
    }
    println!("{}", report.table());
    let file = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../target/bench.json"));
    std::fs::write(&file, report.json()?).with_context(|| format!("{} cannot be written", file.display()))?;
    println!("written to target/bench.json");
    if let Some(other) = other {
        println!("\n{}", report.beside(&other));
    }
    if let Some(folder) = &options.pictures {
        std::fs::create_dir_all(folder)?;
        for picture in &pictures {
            picture.write(folder)?;
        }
    }
    Ok(())
}

/// From a tool call to everybody who watches.
async fn latencies(program: &Path, report: &mut Report) -> Result<()> {
    let loopback = floor::loopback(FLOOR_SAMPLES).await?;
    let commit = floor::commits(FLOOR_SAMPLES).await?;
    let floor = loopback.p50 + commit.p50;
    report.push(Row::floor("WebSocket round trip on loopback", &loopback));
    report.push(Row::floor("one bare SQLite commit, synchronous = FULL", &commit));
    #[cfg(unix)]
    {
        let unix = floor::unix(FLOOR_SAMPLES).await?;
        report.push(Row::floor("WebSocket round trip over a Unix socket", &unix));
        let [port, private] = latency::of_both_ways(program, SAMPLES).await?;
        report.push(Row::latency("question and answer over the port", &port, loopback.p50));
        report.push(Row::latency("question and answer over the private socket", &private, unix.p50));
        let [port, private] = latency::of_writes_both_ways(program, SAMPLES).await?;
        report.push(Row::latency("todo.write over the port to todo.update", &port, floor));
        report.push(Row::latency("todo.write over the private socket to todo.update", &private, unix.p50 + commit.p50));
    }
    for sessions in [1, 100] {
        let http = latency::over_http(program, sessions, SAMPLES).await?;
        report.push(Row::latency(&format!("todo_write over MCP HTTP to todo.update, {sessions} live"), &http, floor));
    }
    let stdio = latency::over_stdio(program, SAMPLES).await?;
    report.push(Row::latency("todo_write over MCP stdio to todo.update, 1 live", &stdio, floor));
    Ok(())
}

/// The time for which a user waits after stopping the built-in agent, which first writes its list and conversation.
async fn aborts(program: &Path, report: &mut Report) -> Result<()> {
    let Some([in_answer, in_call]) = abort::measure(program).await? else {
        println!("no scripted model is installed: the stop of a run is not measured");
        return Ok(());
    };
    let commit = floor::commits(FLOOR_SAMPLES).await?;
    report.push(Row::floor("one bare SQLite commit, synchronous = FULL", &commit));
    report.push(Row::latency("chat.abort to chat.stream.end, in an answer", &in_answer, commit.p50));
    report.push(Row::latency("chat.abort to chat.stream.end, in a tool call", &in_call, commit.p50));
    Ok(())
}

/// The time for which an agent waits when it starts our program.
async fn starts(program: &Path, report: &mut Report) -> Result<()> {
    let size = std::fs::metadata(program)?.len() as f64 / 1e6;
    report.push(Row::count("megabytes of the command", size, ""));
    let nothing = start::nothing(program, STARTS).await?;
    report.push(Row::floor("start and end of a process that does nothing", &nothing));
    let shim = start::shim(program, STARTS).await?;
    report.push(Row::latency("start of `sightline mcp` to its answer to initialize", &shim, nothing.p50));
    let hook = start::hook(program, STARTS).await?;
    report.push(Row::latency("start of a hook to its end", &hook, nothing.p50));
    Ok(())
}
