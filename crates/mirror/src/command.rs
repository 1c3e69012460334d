//! The command whose pipes lead to a gateway.
//!
//! It has no terminal to ask at: its standard input is ours, and `ssh` is told to ask nobody, so that it does not offer
//! empty passwords again and again until the host locks us out. What it says on standard
//! error is kept for the text of an error. It and what it has started end with its stream.

use programs::Together;
use std::collections::VecDeque;
use std::pin::Pin;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio::time::timeout;

/// Bytes of standard error that are kept, the last ones.
const WORDS: usize = 2_000;

/// Time for a command that has ended to have its last words read.
const LAST: Duration = Duration::from_secs(1);

/// Variables of ours that are not for a gateway elsewhere, or for one of another folder.
const OURS: [&str; 3] = ["SIGHTLINE_DATA_DIR", "SIGHTLINE_KEY", "SIGHTLINE_GATEWAY"];

/// The lines that a command has written to standard error.
#[derive(Clone)]
pub(crate) struct Words {
    said: Arc<Mutex<VecDeque<u8>>>,
    over: watch::Receiver<bool>,
}

impl Words {
    /// The last of it, once it has ended or a moment has passed: one line.
    pub(crate) async fn last(mut self) -> String {
        let _ = timeout(LAST, self.over.wait_for(|over| *over)).await;
        let bytes: Vec<u8> = self.said.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        todo::text::plain(&lines.join(" · "))
    }
}

/// The pipes of a running command.
pub(crate) struct Pipes {
    stdin: ChildStdin,
    stdout: ChildStdout,
    _child: Together,
}

/// Starts a command, word by word.
///
/// # Errors
/// When there is no such program.
pub(crate) fn start(words: &[String]) -> std::io::Result<(Pipes, Words)> {
    let (program, arguments) = words.split_first().ok_or_else(|| std::io::Error::other("the command has no words"))?;
    let mut command = Command::new(programs::file(program, |name| std::env::var(name).ok()));
    if hub::Ssh::of(words).is_some() {
        command.args(["-o", "BatchMode=yes"]);
    }
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // For an `ssh` that the command starts.
        .env("SSH_ASKPASS_REQUIRE", "force")
        .env("SSH_ASKPASS", "false")
        // `wsl.exe` says its own problems in UTF-16 otherwise.
        .env("WSL_UTF8", "1");
    for name in OURS {
        command.env_remove(name);
    }
    let mut child = programs::together(command)?;
    let pipe = || std::io::Error::other("the command has no pipes");
    let stdin = child.stdin().take().ok_or_else(pipe)?;
    let stdout = child.stdout().take().ok_or_else(pipe)?;
    let stderr = child.stderr().take().ok_or_else(pipe)?;
    Ok((Pipes { stdin, stdout, _child: child }, listen(stderr)))
}

fn listen(mut stderr: ChildStderr) -> Words {
    let said: Arc<Mutex<VecDeque<u8>>> = Arc::default();
    let (done, over) = watch::channel(false);
    let heard = said.clone();
    tokio::spawn(async move {
        let mut part = [0; 512];
        while let Ok(read @ 1..) = stderr.read(&mut part).await {
            let mut said = heard.lock().unwrap_or_else(PoisonError::into_inner);
            said.extend(&part[..read]);
            let surplus = said.len().saturating_sub(WORDS);
            said.drain(..surplus);
        }
        let _ = done.send(true);
    });
    Words { said, over }
}

impl AsyncRead for Pipes {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stdout).poll_read(context, buffer)
    }
}

impl AsyncWrite for Pipes {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stdin).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stdin).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stdin).poll_shutdown(context)
    }
}
