//! The stream under a WebSocket with a key. A library gathers each message before anybody sees it; here more than a small
//! part of one is read only in a turn, and only for so long.

use crate::intake::{Intake, SMALL, Turn};
use protocol::{BoxFuture, Error as Refusal};
use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// Bytes that are read ahead of a message.
pub(crate) const READ_AHEAD: usize = 16 * 1024;

/// The time for the rest of a large message.
const ARRIVES: Duration = Duration::from_secs(30);

/// The part of a frame that is no payload: at least so many bytes, from a client.
const FRAME: usize = 6;

/// A stream that is read as its pace allows.
pub(crate) struct Paced<S> {
    stream: S,
    pace: Pace,
}

/// The pace of a stream, which is none until it begins.
#[derive(Clone, Default)]
pub(crate) struct Pace(Arc<Mutex<Option<Gathering>>>);

/// A message that is being gathered.
struct Gathering {
    intake: Intake,
    key: String,
    /// Bytes of it that were read.
    bytes: usize,
    waits: Option<BoxFuture<std::result::Result<Turn, Refusal>>>,
    turn: Option<(Turn, Pin<Box<Sleep>>)>,
}

impl Pace {
    fn state(&self) -> MutexGuard<'_, Option<Gathering>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to count, for a key.
    pub(crate) fn begin(&self, intake: Intake, key: String) {
        *self.state() = Some(Gathering { intake, key, bytes: 0, waits: None, turn: None });
    }

    /// Notes a message of a control frame, which may come in the middle of another.
    pub(crate) fn control(&self, bytes: usize) {
        if let Some(gathering) = self.state().as_mut() {
            gathering.bytes = gathering.bytes.saturating_sub(bytes + FRAME);
        }
    }

    /// Notes a message that has come whole. Its turn lasts until it is [`done`](Self::done).
    pub(crate) fn message(&self, bytes: usize) {
        if let Some(gathering) = self.state().as_mut() {
            // In many frames it had more bytes than its text; what is left is of the next.
            gathering.bytes = gathering.bytes.saturating_sub(bytes + FRAME).min(READ_AHEAD);
        }
    }

    /// Ends the turn of a message that is not needed any more.
    pub(crate) fn done(&self) {
        if let Some(gathering) = self.state().as_mut() {
            gathering.turn = None;
        }
    }
}

impl Gathering {
    /// Waits for a turn where one is needed.
    fn poll_turn(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        if self.turn.is_some() || self.bytes <= SMALL + READ_AHEAD {
            return Poll::Ready(Ok(()));
        }
        let waits = self.waits.get_or_insert_with(|| {
            let (intake, key) = (self.intake.clone(), self.key.clone());
            Box::pin(async move { intake.turn(Some(key)).await })
        });
        let turn = ready!(waits.as_mut().poll(context));
        self.waits = None;
        self.turn = Some((turn.map_err(|error| Error::other(error.message))?, Box::pin(sleep(ARRIVES))));
        Poll::Ready(Ok(()))
    }
}

impl<S> Paced<S> {
    pub(crate) fn new(stream: S, pace: Pace) -> Self {
        Self { stream, pace }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let Self { stream, pace } = self.get_mut();
        let mut state = pace.state();
        let Some(gathering) = state.as_mut() else {
            drop(state);
            return Pin::new(stream).poll_read(context, buffer);
        };
        ready!(gathering.poll_turn(context))?;
        let before = buffer.filled().len();
        let read = Pin::new(stream).poll_read(context, buffer);
        gathering.bytes += buffer.filled().len() - before;
        if read.is_pending()
            && let Some((_, time)) = &mut gathering.turn
            && time.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(Err(ErrorKind::TimedOut.into()));
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[std::io::IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    const LARGE: usize = 4 * SMALL;

    fn paced(intake: &Intake, key: &str) -> (DuplexStream, Paced<DuplexStream>, Pace) {
        let ((theirs, ours), pace) = (duplex(2 * LARGE), Pace::default());
        pace.begin(intake.clone(), key.to_owned());
        (theirs, Paced::new(ours, pace.clone()), pace)
    }

    /// Reads so many bytes, as the library does: a part after the other.
    async fn reads(stream: &mut Paced<DuplexStream>, bytes: usize) -> Option<Result<()>> {
        let mut buffer = vec![0; bytes];
        let read = async {
            for part in buffer.chunks_mut(READ_AHEAD) {
                stream.read_exact(part).await?;
            }
            Ok(())
        };
        tokio::time::timeout(Duration::from_secs(1), read).await.ok()
    }

    #[tokio::test(start_paused = true)]
    async fn more_than_a_small_part_of_a_message_needs_a_turn() {
        let intake = Intake::default();
        let (mut one, mut first, pace) = paced(&intake, "a");
        let (mut two, mut second, _pace) = paced(&intake, "a");
        for stream in [&mut one, &mut two] {
            stream.write_all(&vec![0; LARGE]).await.expect("it takes");
        }
        assert!(matches!(reads(&mut first, LARGE).await, Some(Ok(_))));
        assert!(reads(&mut second, LARGE).await.is_none(), "the first is not done");
        pace.message(LARGE - FRAME);
        assert!(reads(&mut second, 1).await.is_none(), "it is here, and held");
        pace.done();
        assert!(matches!(reads(&mut second, 1).await, Some(Ok(_))));
    }

    #[tokio::test(start_paused = true)]
    async fn many_small_messages_and_signs_of_life_need_none() {
        let intake = Intake::default();
        let (mut client, mut stream, pace) = paced(&intake, "a");
        for round in 0..100 {
            client.write_all(&vec![0; SMALL + 12]).await.expect("it takes");
            assert!(matches!(reads(&mut stream, SMALL + 12).await, Some(Ok(_))), "{round}");
            pace.control(0);
            pace.message(SMALL);
        }
        intake.turn(Some("a".to_owned())).now_or_never().expect("it has none").expect("a turn");
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_message_that_does_not_come_ends_its_connection() {
        let intake = Intake::default();
        let (mut client, mut stream, pace) = paced(&intake, "a");
        client.write_all(&vec![0; LARGE]).await.expect("it takes");
        assert!(matches!(reads(&mut stream, LARGE).await, Some(Ok(_))));
        // Signs of life in its middle are no more time.
        tokio::time::advance(ARRIVES).await;
        client.write_all(&[0; FRAME]).await.expect("it takes");
        assert!(matches!(reads(&mut stream, FRAME).await, Some(Ok(_))));
        pace.control(0);
        assert!(reads(&mut stream, 1).await.is_some_and(|read| read.is_err_and(|e| e.kind() == ErrorKind::TimedOut)));
    }
}
