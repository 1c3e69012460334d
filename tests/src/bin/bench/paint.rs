//! The time from the start of the window's process to its first paint, beside that of an empty window.

use crate::report::Row;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/web/bench/first-paint.mjs");

/// The output of the script, with times in milliseconds.
#[derive(Deserialize)]
struct Measured {
    empty: Spread,
    /// The window's first paint.
    paint: Spread,
    /// The first paint with text.
    page: Spread,
    memory: Memory,
}

/// Median of the megabytes that the process itself uses, without its web view.
#[derive(Deserialize)]
struct Memory {
    empty: f64,
    own: f64,
}

#[derive(Deserialize)]
struct Spread {
    p50: f64,
    p99: f64,
    samples: usize,
}

/// Measures the window; `None` where there is no X server.
pub(crate) async fn measure(program: &Path) -> Result<Option<Vec<Row>>> {
    let Some(Measured { empty, paint, page, .. }) = look(program, None).await? else { return Ok(None) };
    let note = format!("{} starts, warm disk, an empty archive", page.samples);
    let row = |what: &str, found: &Spread, note: &str| Row::millis(what, found.p50, found.p99, empty.p50, note);
    Ok(Some(vec![
        row("start of an empty window to its first paint", &empty, "is one"),
        row("start of the window to its first paint", &paint, &note),
        row("start of the window to its page on the screen", &page, &note),
    ]))
}

/// The same with a data folder, whose content is named.
pub(crate) async fn of_archive(program: &Path, data_dir: &Path, content: &str) -> Result<Vec<Row>> {
    let Some(Measured { empty, paint, page, memory }) = look(program, Some(data_dir)).await? else {
        return Ok(Vec::new());
    };
    let note = format!("{} starts, warm disk", page.samples);
    let named = |what: &str| format!("{what}, {content}");
    let row = |what: &str, found: &Spread| Row::millis(&named(what), found.p50, found.p99, empty.p50, &note);
    Ok(vec![
        row("start of the window to its first paint", &paint),
        row("start of the window to its page on the screen", &page),
        Row::count(
            &named("megabytes of memory of the window's process"),
            memory.own,
            &format!("{:.1} of an empty window's", memory.empty),
        ),
    ])
}

async fn look(program: &Path, data_dir: Option<&Path>) -> Result<Option<Measured>> {
    if std::env::var_os("DISPLAY").is_none() {
        return Ok(None);
    }
    let folder = program.parent().context("the program is in no folder")?;
    let output = Command::new("node")
        .arg(SCRIPT)
        .arg(folder.join("examples/empty-window"))
        .arg(folder.join("sightline-desktop"))
        .args(data_dir)
        .stderr(Stdio::inherit())
        .output()
        .await
        .context("node cannot be started")?;
    anyhow::ensure!(output.status.success(), "the first paint cannot be measured");
    Ok(Some(serde_json::from_slice(&output.stdout).context("the script printed something else")?))
}
