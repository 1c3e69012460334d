//! From a message at the page to its row in the next frame, in a real browser.

use crate::gateway::Gateway;
use crate::report::Row;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/web/bench/row.mjs");

/// What the script prints, in milliseconds.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Measured {
    frame: f64,
    single: Spread,
    burst: Spread,
    burst_messages: u64,
    burst_frames: u64,
    burst_seconds: f64,
    mutations_per_frame: f64,
}

#[derive(Deserialize)]
struct Spread {
    p50: f64,
    p99: f64,
}

/// `None` where there is no node to run the browser with.
pub(crate) async fn measure(program: &Path) -> Result<Option<Vec<Row>>> {
    let gateway = Gateway::start(program).await?;
    let output = Command::new("node")
        .arg(SCRIPT)
        .arg(format!("http://127.0.0.1:{}/#token={}", gateway.port, gateway.token))
        .stderr(Stdio::inherit())
        .output()
        .await
        .context("node cannot be started")?;
    gateway.stop().await?;
    anyhow::ensure!(output.status.success(), "the browser's part failed: {}", String::from_utf8_lossy(&output.stdout));
    let measured: Measured =
        serde_json::from_slice(&output.stdout).context("the browser's part printed something else")?;
    let rate = measured.burst_messages as f64 / measured.burst_seconds;
    let note = format!(
        "{rate:.0} messages a second, {} frames, {:.1} mutations a frame",
        measured.burst_frames, measured.mutations_per_frame
    );
    Ok(Some(vec![
        Row::millis(
            "message at the page to its row painted",
            measured.single.p50,
            measured.single.p99,
            measured.frame,
            "floor: one frame",
        ),
        Row::millis("the same under a burst", measured.burst.p50, measured.burst.p99, measured.frame, &note),
    ]))
}
