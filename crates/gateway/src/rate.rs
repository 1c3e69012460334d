//! The limit on the requests of one connection, so that no client takes the others' share.

use crate::refusal::refuse;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota};
use protocol::{Code, Error, REQUESTS_A_SECOND, REQUESTS_AT_ONCE};
use std::sync::Arc;
use std::time::Duration;

/// The requests of one connection, counted by the generic cell rate algorithm.
#[derive(Clone)]
pub(crate) struct Rate(Arc<DefaultDirectRateLimiter>);

/// A request over the limit.
pub(crate) struct Exceeded {
    /// Time after which the next request is let through.
    pub(crate) wait: Duration,
    pub(crate) error: Error,
}

impl Rate {
    pub(crate) fn new() -> Self {
        Self(Arc::new(DefaultDirectRateLimiter::direct(
            Quota::per_second(REQUESTS_A_SECOND).allow_burst(REQUESTS_AT_ONCE),
        )))
    }

    /// Counts a request.
    pub(crate) fn check(&self) -> Result<(), Exceeded> {
        self.0.check().map_err(|early| {
            let wait = early.wait_time_from(DefaultClock::default().now());
            let message = format!(
                "one connection may send {REQUESTS_A_SECOND} requests a second, and {REQUESTS_AT_ONCE} at once after a \
                 pause; nothing was done with this one, send it again in {} ms",
                wait.as_millis() + 1
            );
            Exceeded { wait, error: Error::new(Code::RateLimited, message) }
        })
    }
}

/// The answer to a request over the limit, with the time to wait; the connection stays.
pub(crate) fn refusal(exceeded: Exceeded) -> Response {
    let mut response = refuse(StatusCode::TOO_MANY_REQUESTS, exceeded.error.code, exceeded.error.message);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

#[cfg(test)]
mod tests {
    use super::Rate;
    use protocol::{Code, REQUESTS_AT_ONCE as AT_ONCE};
    use std::time::Duration;

    #[test]
    fn many_at_once_are_let_through_and_the_next_hears_when_to_come_again() {
        let rate = Rate::new();
        // Some more may be let through while it counts.
        let refused = (0..AT_ONCE.get() * 2).filter_map(|_| rate.check().err());
        let refused: Vec<_> = refused.collect();
        assert!(!refused.is_empty() && refused.len() <= AT_ONCE.get() as usize, "{}", refused.len());
        for exceeded in refused {
            assert!(exceeded.wait <= Duration::from_millis(2), "{:?}", exceeded.wait);
            assert_eq!(exceeded.error.code, Code::RateLimited);
        }
        let another = Rate::new();
        assert!(another.check().is_ok());
    }
}
