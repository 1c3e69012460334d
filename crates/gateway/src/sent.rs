//! Response bodies that notice when they were sent.

use axum::body::Body;
use bytes::Bytes;
use http_body::Frame;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio_util::task::task_tracker::TaskTrackerToken;

/// A response body that calls back when a part of it was sent.
pub(crate) struct Acknowledged {
    body: Body,
    /// An answer, or a stream of notifications, that is under way: the gateway is in use.
    _open: TaskTrackerToken,
    armed: bool,
    sent: Box<dyn FnMut() + Send>,
}

impl Acknowledged {
    /// Calls `sent` after each part that was sent.
    pub(crate) fn new(body: Body, open: TaskTrackerToken, sent: impl FnMut() + Send + 'static) -> Self {
        Self { body, _open: open, armed: false, sent: Box::new(sent) }
    }
}

impl http_body::Body for Acknowledged {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        // The server asks for more when it has sent the part before.
        if std::mem::take(&mut self.armed) {
            (self.sent)();
        }
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(frame, Poll::Ready(Some(Ok(_)))) {
            self.armed = true;
        }
        frame
    }
}
