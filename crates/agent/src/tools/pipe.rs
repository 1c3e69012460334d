//! Connections to servers that are processes of ours, over their standard input and output.
//!
//! A message that is too long ends the server. The call that it answers is only named in the message itself, so without that
//! every call would wait for its time limit.

use programs::Together;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::process::{ChildStdin, ChildStdout};

/// Bytes of one message.
pub(super) const MESSAGE: usize = 16 * 1024 * 1024;

/// The time that a process has to end after its input is closed, and once more after it is asked to.
const END: Duration = Duration::from_secs(3);

/// The mark of a server that has sent a message longer than [`MESSAGE`]; nothing more is read from it.
#[derive(Debug, Clone, Default)]
pub(super) struct TooLong(Arc<AtomicBool>);

impl TooLong {
    pub(super) fn is_so(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// A process as a transport.
pub(super) struct Pipe {
    child: Together,
    messages: AsyncRwTransport<RoleClient, Bounded<ChildStdout>, ChildStdin>,
    too_long: TooLong,
}

impl Pipe {
    /// Speaks with a child whose input and output are pipes.
    pub(super) fn new(mut child: Together, too_long: TooLong) -> io::Result<Self> {
        let gone = || io::Error::other("its pipes are gone");
        let output = child.stdout().take().ok_or_else(gone)?;
        let input = child.stdin().take().ok_or_else(gone)?;
        let output = Bounded { inner: output, line: 0, too_long: too_long.clone() };
        // Lines are bounded by `Bounded`.
        let messages = AsyncRwTransport::new_client(output, input).with_max_line_length(usize::MAX);
        Ok(Self { child, messages, too_long })
    }

    /// Ends the process as MCP says: the input has been closed, then it is asked to end.
    async fn ends_by_itself(&mut self) -> bool {
        if self.has_ended().await {
            return true;
        }
        #[cfg(unix)]
        if self.child.signal(nix::sys::signal::Signal::SIGTERM as i32).is_ok() {
            return self.has_ended().await;
        }
        false
    }

    async fn has_ended(&mut self) -> bool {
        tokio::time::timeout(END, self.child.wait()).await.is_ok()
    }
}

impl Transport<RoleClient> for Pipe {
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleClient>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.messages.send(message)
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleClient>>> + Send {
        self.messages.receive()
    }

    /// Kills the process if it does not end by itself; at once if it is in the middle of a message that is too long.
    async fn close(&mut self) -> io::Result<()> {
        self.messages.close().await?;
        if !self.too_long.is_so() && self.ends_by_itself().await {
            return Ok(());
        }
        Box::into_pin(self.child.kill()).await
    }
}

/// Output with bounded lines; a line that is too long ends it.
struct Bounded<R> {
    inner: R,
    /// Bytes of the line so far.
    line: usize,
    too_long: TooLong,
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        for part in buf.filled().get(before..).unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
            self.line += part.len();
            if self.line > MESSAGE {
                self.too_long.0.store(true, Ordering::Release);
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, "a message is too long")));
            }
            if part.ends_with(b"\n") {
                self.line = 0;
            }
        }
        Poll::Ready(Ok(()))
    }
}
