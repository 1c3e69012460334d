//! A gateway of its own for each measurement.

use crate::pairing::paired;
use anyhow::{Context, Result};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdout, Command};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::Request;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

pub(crate) struct Gateway {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) port: u16,
    pub(crate) token: String,
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Gateway {
    pub(crate) async fn start(program: &Path) -> Result<Self> {
        Self::start_in(program, tempfile::tempdir()?).await
    }

    /// Starts a gateway on a data folder, which may have content.
    pub(crate) async fn start_in(program: &Path, folder: tempfile::TempDir) -> Result<Self> {
        let mut child = Command::new(program)
            .args(["--json", "serve", "--port", "0", "--data-dir"])
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("{} cannot be started", program.display()))?;
        let mut lines = BufReader::new(child.stdout.take().context("it has an output")?).lines();
        let said = lines.next_line().await?.context("the gateway ended before it listened")?;
        let runtime: Value = serde_json::from_slice(&std::fs::read(folder.path().join("runtime.json"))?)?;
        let port =
            runtime["port"].as_u64().and_then(|port| u16::try_from(port).ok()).context("runtime.json has a port")?;
        let said: Value = serde_json::from_str(&said)?;
        let token = paired(said["page"].as_str().context("the page has an address")?).await?;
        Ok(Self { folder, port, token, child, lines })
    }

    pub(crate) async fn socket(&self) -> Result<Socket> {
        let mut request = format!("ws://127.0.0.1:{}/gateway", self.port).into_client_request()?;
        request.headers_mut().insert("authorization", format!("Bearer {}", self.token).parse()?);
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await?;
        stream.set_nodelay(true)?;
        Socket::over(stream, request).await
    }

    /// A connection over the private socket, which needs no key.
    #[cfg(unix)]
    pub(crate) async fn private_socket(&self) -> Result<Socket> {
        let stream = tokio::net::UnixStream::connect(self.folder.path().join("gateway.sock")).await?;
        Socket::over(stream, "ws://localhost/gateway".into_client_request()?).await
    }

    /// Bytes of memory that only this process uses.
    pub(crate) fn memory(&self) -> Result<u64> {
        let pid = self.child.id().context("it runs")?;
        let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).context("it says its memory")?;
        let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
        Ok(kilobytes * 1024)
    }

    /// Heap allocations, statements that were prepared, and bytes of heap in use, of a gateway that counts them.
    pub(crate) async fn counts(&mut self) -> Result<(u64, u64, u64)> {
        self.child.stdin.as_mut().context("it has an input")?.write_all(b"\n").await?;
        let said = self.lines.next_line().await?.context("the gateway ended")?;
        let said: Value = serde_json::from_str(&said)?;
        let count = |name: &str| said[name].as_u64().with_context(|| format!("it counts its {name}"));
        Ok((count("allocations")?, count("prepared")?, count("bytes")?))
    }

    /// Nanoseconds on a processor, and how often the database's threads gave theirs up; zeros where the system tells
    /// neither.
    pub(crate) fn busy(&self) -> Result<(u64, u64)> {
        let tasks = format!("/proc/{}/task", self.child.id().context("it runs")?);
        let (mut busy, mut switches) = (0, 0);
        for task in std::fs::read_dir(tasks).into_iter().flatten() {
            let task = task?.path();
            // A thread may end at any moment.
            let read = |file: &str| std::fs::read_to_string(task.join(file)).unwrap_or_default();
            let number = |text: Option<&str>| text.and_then(|text| text.parse().ok()).unwrap_or(0);
            busy += number(read("schedstat").split_whitespace().next());
            if read("comm").starts_with("sqlx-sqlite") {
                let status = read("status");
                let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
                switches += number(line.map(str::trim));
            }
        }
        Ok((busy, switches))
    }

    pub(crate) async fn stop(mut self) -> Result<()> {
        self.child.kill().await?;
        Ok(())
    }
}

/// A stream of bytes, whatever carries it.
trait ByteStream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> ByteStream for T {}

/// A plain client.
pub(crate) struct Socket {
    socket: WebSocketStream<Box<dyn ByteStream>>,
    sent: u64,
}

impl Socket {
    async fn over(stream: impl ByteStream + 'static, request: Request<()>) -> Result<Self> {
        let stream: Box<dyn ByteStream> = Box::new(stream);
        let (socket, _) =
            tokio_tungstenite::client_async(request, stream).await.context("the gateway takes no WebSocket")?;
        Ok(Self { socket, sent: 0 })
    }

    /// Sends a request and returns its id.
    pub(crate) async fn tell(&mut self, kind: &str, fields: Value) -> Result<String> {
        self.sent += 1;
        let id = self.sent.to_string();
        let mut message = json!({ "type": kind, "id": id });
        if let (Some(message), Some(fields)) = (message.as_object_mut(), fields.as_object()) {
            message.extend(fields.clone());
        }
        self.socket.send(Message::text(message.to_string())).await?;
        Ok(id)
    }

    /// Sends a request and returns its answer; skips events in between.
    pub(crate) async fn ask(&mut self, kind: &str, fields: Value) -> Result<Value> {
        let id = self.tell(kind, fields).await?;
        loop {
            let heard = self.hear().await?;
            // The list of sessions is answered in Tek's form.
            anyhow::ensure!(heard["type"] != "error", "{heard}");
            if heard["id"] == json!(id) || heard["requestId"] == json!(id) {
                return Ok(heard);
            }
        }
    }

    pub(crate) async fn hear(&mut self) -> Result<Value> {
        Ok(serde_json::from_str(&self.hear_text().await?)?)
    }

    pub(crate) async fn hear_text(&mut self) -> Result<Utf8Bytes> {
        loop {
            let message = self.socket.next().await.context("the gateway closed the connection")??;
            if let Message::Text(text) = message {
                return Ok(text);
            }
        }
    }
}

/// The list of an agent in the middle of its work: eight items, one in progress.
pub(crate) fn list(round: usize) -> Value {
    let active = round % 8;
    (0..8)
        .map(|item| {
            let status = match item {
                item if item < active => "completed",
                item if item == active => "in_progress",
                _ => "pending",
            };
            json!({ "id": item.to_string(), "content": format!("Step {item} of the work that is measured here"), "status": status, "activeForm": format!("Doing step {item}") })
        })
        .collect()
}

/// The JSON that a command says of a data folder.
pub(crate) async fn said(program: &Path, folder: &Path, words: &[&str]) -> Result<Value> {
    let output = Command::new(program).arg("--json").args(words).arg("--data-dir").arg(folder).output().await?;
    anyhow::ensure!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}
