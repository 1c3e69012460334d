//! A demo that is started from a window or a page: a process of its own, in a folder of its own.

use super::open::start_with as start_program;
use crate::commands;
use crate::demo::is_demo;
use agents::KNOWN;
use protocol::{Code, DemoStarted, Error, Result, Text, say};
use serde::Deserialize;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The longest time until a demo listens.
const PATIENCE: Duration = Duration::from_secs(20);

/// A demo without a window ends when its page has been closed for this time.
const IDLE_SECONDS: &str = "60";

/// The first line of `sightline serve --json`.
#[derive(Deserialize)]
struct Listening {
    page: String,
}

/// The demo that is running: one at a time, so that a page that asks without end does not fill the machine.
pub(super) struct Demos(Arc<Semaphore>);

impl Default for Demos {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

impl Demos {
    /// Starts a demo: with a window where this is one, else with a page.
    pub(super) async fn start(&self, data_dir: &Path) -> Result<DemoStarted> {
        if is_demo(data_dir) {
            return Err(Error::new(Code::Unavailable, say::demo_already()));
        }
        let running = self.0.clone().try_acquire_owned();
        start(running.map_err(|_| Error::new(Code::Unavailable, say::demo_running()))?).await
    }
}

/// Starts a demo that is running until its process ends.
async fn start(running: OwnedSemaphorePermit) -> Result<DemoStarted> {
    let own = std::env::current_exe().map_err(refused)?;
    let is_window = own.file_stem().is_some_and(|name| name.to_string_lossy().starts_with("sightline-desktop"));
    let folder = std::env::temp_dir();
    if is_window {
        let mut command = Command::new(own);
        command.arg("--demo").env_remove("SIGHTLINE_DATA_DIR");
        start_program(command, &folder, running).await?;
        return Ok(DemoStarted::default());
    }
    let program = commands::sightline().ok_or_else(|| refused_by(&say::no_command()))?;
    let mut command = Command::new(program);
    command.args(["serve", "--demo", "--json", "--idle-seconds", IDLE_SECONDS]).current_dir(folder);
    command.env_remove("SIGHTLINE_DATA_DIR").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    // It is nobody's session that this is started from, and it goes on when we end.
    for variable in KNOWN.session_variables() {
        command.env_remove(variable);
    }
    #[cfg(unix)]
    command.process_group(0);
    programs::without_window(command.as_std_mut());
    let mut child = command.spawn().map_err(refused)?;
    let out = child.stdout.take().ok_or_else(|| refused_by(&say::demo_says_nothing()))?;
    let mut line = String::new();
    let mut lines = BufReader::new(out);
    let read = tokio::time::timeout(PATIENCE, lines.read_line(&mut line)).await;
    read.map_err(|_| refused_by(&say::demo_not_listening()))?.map_err(refused)?;
    let listening: Listening = serde_json::from_str(&line).map_err(refused)?;
    // Somebody has to hear of its end.
    tokio::spawn(async move {
        let (_lines, _running) = (lines, running);
        child.wait().await
    });
    Ok(DemoStarted { page: Some(listening.page) })
}

fn refused_by(problem: &Text) -> Error {
    Error::new(Code::Unavailable, say::demo_not_started(problem).with("problem", problem))
}

fn refused(problem: impl std::fmt::Display) -> Error {
    Error::new(Code::Unavailable, say::demo_not_started(problem))
}
