//! A demo that is started from a window or a page: a process of its own, in a folder of its own.

use super::open::start as start_program;
use crate::commands;
use crate::demo::is_demo;
use agents::KNOWN;
use protocol::{Code, DemoStarted, Error, Result, say};
use serde::Deserialize;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

/// The longest time until a demo listens.
const PATIENCE: Duration = Duration::from_secs(20);

/// A demo without a window ends when its page has been closed for this time.
const IDLE_SECONDS: &str = "60";

/// The first line of `sightline serve --json`.
#[derive(Deserialize)]
struct Listening {
    page: String,
}

/// Starts a demo: with a window where this is one, else with a page.
pub(super) async fn start(data_dir: &Path) -> Result<DemoStarted> {
    if is_demo(data_dir) {
        return Err(Error::new(Code::Unavailable, say::demo_already()));
    }
    let own = std::env::current_exe().map_err(refused)?;
    let is_window = own.file_stem().is_some_and(|name| name.to_string_lossy().starts_with("sightline-desktop"));
    let folder = std::env::temp_dir();
    if is_window {
        let mut command = Command::new(own);
        command.arg("--demo").env_remove("SIGHTLINE_DATA_DIR");
        start_program(command, &folder).await?;
        return Ok(DemoStarted::default());
    }
    let program = commands::sightline().ok_or_else(|| refused("there is no sightline command beside this program"))?;
    let mut command = Command::new(program);
    command.args(["serve", "--demo", "--json", "--idle-seconds", IDLE_SECONDS]).current_dir(folder);
    command.env_remove("SIGHTLINE_DATA_DIR").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    // It is nobody's session that this is started from, and it goes on when we end.
    for variable in KNOWN.session_variables() {
        command.env_remove(variable);
    }
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn().map_err(refused)?;
    let out = child.stdout.take().ok_or_else(|| refused("it says nothing"))?;
    let mut line = String::new();
    let mut lines = BufReader::new(out);
    let read = tokio::time::timeout(PATIENCE, lines.read_line(&mut line)).await;
    read.map_err(|_| refused("it does not listen"))?.map_err(refused)?;
    let listening: Listening = serde_json::from_str(&line).map_err(refused)?;
    // Somebody has to hear of its end.
    tokio::spawn(async move {
        let _lines = lines;
        child.wait().await
    });
    Ok(DemoStarted { page: Some(listening.page) })
}

fn refused(problem: impl std::fmt::Display) -> Error {
    Error::new(Code::Unavailable, say::demo_not_started(problem))
}
