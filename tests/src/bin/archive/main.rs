//! `cargo xtask archive`: makes a realistic archive to try things on and to measure with.
#![expect(clippy::print_stdout, reason = "what it made is what it says")]

use anyhow::{Context, ensure};
use clap::Parser;
use indicatif::ProgressBar;
use scenarios::archive::{Plan, copy, make};
use std::path::PathBuf;

/// Makes an archive: lists of several agents over two years.
#[derive(Parser)]
#[command(name = "cargo xtask archive")]
struct Options {
    /// Number of sessions
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    sessions: u32,
    /// Number of their revisions, all together
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    revisions: u32,
    /// Number of times that each session is there: copies have other ids, and are made faster than they are played
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,
    /// Number of sessions that are played at a time: more is faster
    #[arg(long, default_value_t = 4)]
    at_once: usize,
    /// Another number makes another archive
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The data folder to make it in; `sightline serve --data-dir DIR` then shows it
    #[arg(long, value_name = "DIR", default_value = "target/archive")]
    data_dir: PathBuf,
    /// When the newest session ends [default: now]
    #[arg(long, value_name = "TIME")]
    until: Option<jiff::Timestamp>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let Options { sessions, revisions, times, at_once, seed, data_dir, until } = Options::parse();
    ensure!(revisions >= sessions, "each session has a revision: --revisions must be at least {sessions}");
    #[expect(clippy::disallowed_methods, reason = "a program takes its time here")]
    let until = until.unwrap_or_else(jiff::Timestamp::now);
    let database = data_dir.join("sightline.db");
    ensure!(!database.exists(), "{} is there already; name a folder that has none", database.display());
    std::fs::create_dir_all(&data_dir).with_context(|| format!("{} cannot be made", data_dir.display()))?;
    // In memory, writing to disk at each revision costs no time.
    let memory = tempfile::Builder::new().prefix("archive-").tempdir_in("/dev/shm").ok();
    let made = memory.as_ref().map_or_else(|| database.clone(), |folder| folder.path().join("sightline.db"));
    let bar = ProgressBar::new(revisions.into());
    let plan = Plan { sessions, revisions, at_once: at_once.max(1), seed, until };
    make(plan, &made, |done| bar.set_position(done.into())).await?;
    if times > 1 {
        bar.set_length(times.into());
        copy(&made, times, |done| bar.set_position(done.into())).await?;
    }
    bar.finish_and_clear();
    if made != database {
        std::fs::copy(&made, &database).with_context(|| format!("{} cannot be written", database.display()))?;
    }
    let bytes = std::fs::metadata(&database)?.len();
    let [sessions, revisions] = [sessions, revisions].map(|count| u64::from(count) * u64::from(times));
    println!("{sessions} sessions, {revisions} revisions, {bytes} bytes: {}", database.display());
    Ok(())
}
