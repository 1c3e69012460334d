//! The time from the request to stop a run to the end of its stream.

use crate::gateway::{Gateway, Socket};
use crate::report::Times;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};

/// Number of runs that are stopped in each way.
const RUNS: usize = 20;

/// Time that the scripted model may take until it listens.
const START: Duration = Duration::from_secs(20);

/// A tool of MCP's example server that takes as long as its argument says.
const LONG: &str = "all__trigger-long-running-operation";

/// Times of a stop in the middle of an answer and in the middle of a tool call; `None` where the packages of the tests
/// are not installed.
pub(crate) async fn measure(program: &Path) -> Result<Option<[Times; 2]>> {
    let packages = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/models/node_modules"));
    if !packages.is_dir() {
        return Ok(None);
    }
    let simple = json!({ "content": "{\"complex\": false}" });
    let words = json!({ "content": "One word after the other, for as long as anybody listens. ".repeat(50) });
    let arguments = json!({ "duration": 600, "steps": 2 }).to_string();
    let long = json!({ "toolCalls": [{ "name": LONG, "arguments": arguments }] });
    let amid = |answer: &Value| [simple.clone(), answer.clone()];
    let answers: Vec<Value> = (0..RUNS).flat_map(|_| amid(&words)).chain((0..RUNS).flat_map(|_| amid(&long))).collect();
    let (_model, port) = model(&packages, &answers).await?;
    let gateway = Gateway::start(program).await?;
    let mut socket = gateway.socket().await?;
    socket.ask("events.subscribe", json!({})).await?;
    let everything = packages.join("@modelcontextprotocol/server-everything/dist/index.js");
    let settings = json!({
        "chatProviders": [{ "name": "mock", "kind": "openai", "endpoint": format!("http://127.0.0.1:{port}/v1/") }],
        "chatModel": "mock:scripted",
        "chatServers": [{ "name": "all", "command": ["node", everything, "stdio"] }],
        "chatTools": { LONG: "auto" },
    });
    socket.ask("settings.update", settings).await?;
    let in_answer = stops(&mut socket, "chat.stream.delta").await?;
    let in_call = stops(&mut socket, "tool.call").await?;
    gateway.stop().await?;
    Ok(Some([in_answer, in_call]))
}

/// Starts runs one after the other, each in a session of its own, and stops each at its first event of this kind.
async fn stops(socket: &mut Socket, at: &str) -> Result<Times> {
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let started = socket.ask("chat.send", json!({ "content": "Go on until I stop you" })).await?;
        until(socket, at, &started).await?;
        let begun = Instant::now();
        socket.tell("chat.abort", json!({ "sessionId": started["sessionId"] })).await?;
        let end = until(socket, "chat.stream.end", &started).await?;
        times.push(begun.elapsed());
        anyhow::ensure!(end["outcome"] == "aborted", "the run ended otherwise: {end}");
    }
    Ok(Times::of(times))
}

async fn until(socket: &mut Socket, kind: &str, started: &Value) -> Result<Value> {
    loop {
        let event = socket.hear().await?;
        if event["requestId"] == started["requestId"] {
            anyhow::ensure!(event["type"] != "error", "{event}");
            if event["type"] == kind {
                return Ok(event);
            }
        }
    }
}

/// A scripted model that slowly gives these answers in turn, and its port.
async fn model(packages: &Path, answers: &[Value]) -> Result<(Child, u16)> {
    let folder = tempfile::tempdir()?;
    let fixture = |(at, answer): (usize, &Value)| {
        let matches = json!({ "model": "scripted", "sequenceIndex": at });
        json!({ "match": matches, "response": answer, "latency": 20 })
    };
    let fixtures: Vec<Value> = answers.iter().enumerate().map(fixture).collect();
    let script = folder.path().join("script.json");
    std::fs::write(&script, json!({ "fixtures": fixtures }).to_string())?;
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let child = Command::new("node")
        .arg(packages.join("@copilotkit/aimock/dist/cli.js"))
        .args(["--strict", "-p", &port.to_string(), "-f"])
        .arg(&script)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .context("node cannot be started")?;
    let begun = Instant::now();
    while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        anyhow::ensure!(begun.elapsed() < START, "the scripted model does not listen");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok((child, port))
}
