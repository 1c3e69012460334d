//! The time from a message at the page to its row in the next frame, in a real browser.

use crate::gateway::{Gateway, said};
use crate::report::Row;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/web/bench/row.mjs");

/// The output of the script, with times in milliseconds.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Measured {
    single: Spread,
    burst: Spread,
    burst_messages: u64,
    burst_seconds: f64,
    floor_single: Spread,
    floor: Load,
    session: Load,
    now: Load,
    long: Load,
    long_floor: Load,
    idle_quiet: Idle,
    idle_at_work: Idle,
}

#[derive(Deserialize)]
struct Spread {
    p50: f64,
    p99: f64,
}

/// Figures under many updates per second.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Load {
    messages_per_second: f64,
    frames_per_second: f64,
    messages_per_frame: Spread,
    mutations_per_frame: Spread,
    busy_per_frame: Spread,
    to_painted: Spread,
}

/// Figures while nothing but the clock changes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Idle {
    frames_per_second: f64,
    busy_share: f64,
}

impl Load {
    fn painted(&self, what: &str, floor: &Self) -> Row {
        let note = format!("{:.0} messages a second", self.messages_per_second);
        Row::millis(what, self.to_painted.p50, self.to_painted.p99, floor.to_painted.p50, &note)
    }

    fn busy(&self, what: &str, floor: &Self) -> Row {
        let note = format!(
            "{:.0} messages a second; a frame: {:.0} messages, {:.0} mutations (p99 {:.0}); {:.0} frames a second",
            self.messages_per_second,
            self.messages_per_frame.p50,
            self.mutations_per_frame.p50,
            self.mutations_per_frame.p99,
            self.frames_per_second
        );
        Row::millis(what, self.busy_per_frame.p50, self.busy_per_frame.p99, floor.busy_per_frame.p50, &note)
    }
}

/// Measures the page; `None` where there is no Node to run the browser with.
pub(crate) async fn measure(program: &Path) -> Result<Option<Vec<Row>>> {
    let gateway = Gateway::start(program).await?;
    let page = said(program, gateway.folder.path(), &["open"]).await?;
    let output = Command::new("node")
        .arg(SCRIPT)
        .arg(page["page"].as_str().context("it is an address")?)
        .arg(&gateway.token)
        .stderr(Stdio::inherit())
        .output()
        .await
        .context("node cannot be started")?;
    gateway.stop().await?;
    anyhow::ensure!(output.status.success(), "the browser's part failed: {}", String::from_utf8_lossy(&output.stdout));
    let measured: Measured =
        serde_json::from_slice(&output.stdout).context("the browser's part printed something else")?;
    let rate = measured.burst_messages as f64 / measured.burst_seconds;
    let burst = format!("{rate:.0} messages a second through the gateway");
    let floor = &measured.floor;
    let idle = |what: &str, idle: &Idle| {
        let note = format!("{:.2} % of a core", 100.0 * idle.busy_share);
        Row::count(what, idle.frames_per_second, &note)
    };
    Ok(Some(vec![
        Row::millis(
            "message at the page to its row painted",
            measured.single.p50,
            measured.single.p99,
            measured.floor_single.p50,
            "floor: a page that writes one text",
        ),
        Row::millis(
            "the same under a burst",
            measured.burst.p50,
            measured.burst.p99,
            measured.floor_single.p50,
            &burst,
        ),
        measured.session.painted("the same, from a socket that sends more", floor),
        measured.session.busy("main thread a frame meanwhile, a session", floor),
        measured.now.busy("main thread a frame meanwhile, Now with 30 sessions", floor),
        measured.long.busy("main thread a frame, a session of 256 steps", &measured.long_floor),
        idle("frames a second, 100 quiet sessions", &measured.idle_quiet),
        idle("frames a second, 30 sessions at work", &measured.idle_at_work),
    ]))
}
