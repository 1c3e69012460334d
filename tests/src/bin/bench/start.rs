//! The time from the start of a process to the point for which its agent waits: the answer to `initialize`, or a hook's
//! end.

use crate::gateway::Gateway;
use crate::report::Times;
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
const HOOK: &str = r#"{"session_id":"bench","cwd":"/","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":"ok"}"#;

/// The floor: a run of our program that does nothing.
pub(crate) async fn nothing(program: &Path, samples: usize) -> Result<Times> {
    let mut times = Vec::new();
    for _ in 0..samples {
        let begun = Instant::now();
        let status = Command::new(program).arg("--version").stdout(Stdio::null()).status().await?;
        ensure!(status.success(), "{} --version ended with {status}", program.display());
        times.push(begun.elapsed());
    }
    Ok(Times::of(times))
}

/// `sightline mcp`, up to its answer to `initialize`.
pub(crate) async fn shim(program: &Path, samples: usize) -> Result<Times> {
    let gateway = Gateway::start(program).await?;
    let mut times = Vec::new();
    for _ in 0..samples {
        times.push(answered(program, gateway.folder.path()).await?);
    }
    gateway.stop().await?;
    Ok(Times::of(times))
}

async fn answered(program: &Path, folder: &Path) -> Result<Duration> {
    let begun = Instant::now();
    let mut child = spawned(program, &["mcp"], folder)?;
    let mut input = child.stdin.take().context("it has no input")?;
    input.write_all(format!("{INITIALIZE}\n").as_bytes()).await?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().context("it has no output")?).read_line(&mut line).await?;
    let after = begun.elapsed();
    ensure!(line.contains("serverInfo"), "it answered {line}");
    drop(input);
    child.wait().await?;
    Ok(after)
}

/// `sightline hook claude`, up to its end.
pub(crate) async fn hook(program: &Path, samples: usize) -> Result<Times> {
    let gateway = Gateway::start(program).await?;
    let mut times = Vec::new();
    for _ in 0..samples {
        let begun = Instant::now();
        let mut child = spawned(program, &["hook", "claude"], gateway.folder.path())?;
        let mut input = child.stdin.take().context("it has no input")?;
        input.write_all(HOOK.as_bytes()).await?;
        drop(input);
        let mut said = String::new();
        child.stdout.take().context("it has no output")?.read_to_string(&mut said).await?;
        let status = child.wait().await?;
        times.push(begun.elapsed());
        ensure!(status.success() && said.is_empty(), "it ended with {status} and said {said}");
    }
    gateway.stop().await?;
    Ok(Times::of(times))
}

fn spawned(program: &Path, words: &[&str], folder: &Path) -> Result<Child> {
    let mut command = Command::new(program);
    command.args(words).arg("--data-dir").arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    Ok(command.stderr(Stdio::null()).kill_on_drop(true).spawn()?)
}
