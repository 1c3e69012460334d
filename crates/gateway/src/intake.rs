//! Turns for what is large: a few are held in memory at once, and one of each key, so that input costs little whatever the
//! number of connections.

use axum::body::{Body, BodyDataStream};
use futures_util::StreamExt;
use protocol::{Code, Error};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// The bytes that are taken without a turn, as nearly all inputs have fewer.
pub(crate) const SMALL: usize = 64 * 1024;

/// The large inputs that are read at once; others wait for their turn, or until their senders go.
const LARGE_AT_ONCE: usize = 4;

/// The time for each of the two parts of a body, which comes from this machine.
const ARRIVES: Duration = Duration::from_secs(10);

/// The turns.
#[derive(Clone)]
pub(crate) struct Intake {
    all: Arc<Semaphore>,
    /// The turn of each key that has or awaits one: whoever sends slowly holds up their own key only.
    keys: Arc<Mutex<HashMap<String, Weak<Semaphore>>>>,
}

impl Default for Intake {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(LARGE_AT_ONCE)), keys: Arc::default() }
    }
}

/// A turn, until it is dropped.
pub(crate) struct Turn {
    _one: OwnedSemaphorePermit,
    _of_key: Option<OwnedSemaphorePermit>,
}

/// A body, and the turn of a large one.
pub(crate) struct Payload {
    pub(crate) bytes: Vec<u8>,
    pub(crate) turn: Option<Turn>,
}

impl Intake {
    /// Waits for a turn. Those of the user's own programs, which come without a key, are limited together only.
    ///
    /// # Errors
    /// None while the gateway runs.
    pub(crate) async fn turn(&self, key: Option<String>) -> Result<Turn, Error> {
        let of_key = match key.map(|key| self.of(key)) {
            Some(turns) => Some(turns.acquire_owned().await.map_err(closed)?),
            None => None,
        };
        let one = self.all.clone().acquire_owned().await.map_err(closed)?;
        Ok(Turn { _one: one, _of_key: of_key })
    }

    fn of(&self, key: String) -> Arc<Semaphore> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.retain(|_, turns| turns.strong_count() > 0);
        let turns = keys.get(&key).and_then(Weak::upgrade).unwrap_or_else(|| Arc::new(Semaphore::new(1)));
        keys.insert(key, Arc::downgrade(&turns));
        turns
    }

    /// Reads a body to its end. `what` it is of is said where it is refused.
    ///
    /// # Errors
    /// [`Code::MessageTooLarge`], and [`Code::Unavailable`] for one that does not come in time.
    pub(crate) async fn take(
        &self,
        key: Option<String>,
        body: Body,
        most: usize,
        what: &str,
    ) -> Result<Payload, Error> {
        let mut arriving = Arriving { chunks: body.into_data_stream(), bytes: Vec::new(), most, what };
        if arriving.until(SMALL).await? {
            return Ok(Payload { bytes: arriving.bytes, turn: None });
        }
        // The time limit of this part ends the turn of a sender that goes silent.
        let turn = self.turn(key).await?;
        arriving.until(most).await?;
        Ok(Payload { bytes: arriving.bytes, turn: Some(turn) })
    }
}

fn closed(error: impl std::fmt::Display) -> Error {
    Error::new(Code::Unavailable, error.to_string())
}

/// A body that is on its way.
struct Arriving<'a> {
    chunks: BodyDataStream,
    bytes: Vec<u8>,
    most: usize,
    what: &'a str,
}

impl Arriving<'_> {
    /// Reads on to the end, or until there are more bytes than `enough`. Returns whether it is the end.
    async fn until(&mut self, enough: usize) -> Result<bool, Error> {
        let what = self.what;
        timeout(ARRIVES, self.read(enough)).await.unwrap_or_else(|_| {
            let problem = format!("{what} has to be here within {} seconds", ARRIVES.as_secs());
            Err(Error::new(Code::Unavailable, problem))
        })
    }

    async fn read(&mut self, enough: usize) -> Result<bool, Error> {
        while self.bytes.len() <= enough {
            let Some(chunk) = self.chunks.next().await else { return Ok(true) };
            let chunk = chunk.map_err(|error| Error::new(Code::InvalidMessage, error.to_string()))?;
            if self.bytes.len() + chunk.len() > self.most {
                self.pass_over().await;
                let problem = format!("{} has at most {} bytes", self.what, self.most);
                return Err(Error::new(Code::MessageTooLarge, problem));
            }
            self.bytes.extend_from_slice(&chunk);
        }
        Ok(false)
    }

    /// Takes the rest of a body that is not wanted, up to a bound: who is cut off while sending does not hear why.
    async fn pass_over(&mut self) {
        self.bytes = Vec::new();
        let mut bound = PASSED_OVER;
        while let Some(Ok(chunk)) = self.chunks.next().await {
            let Some(rest) = bound.checked_sub(chunk.len()) else { return };
            bound = rest;
        }
    }
}

/// The most bytes that are taken and dropped.
const PASSED_OVER: usize = 16 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{FutureExt, stream};

    fn body(parts: Vec<usize>) -> Body {
        Body::from_stream(stream::iter(parts.into_iter().map(|size| Ok::<_, Error>(vec![b' '; size]))))
    }

    /// A body that never ends.
    fn half(size: usize) -> Body {
        let begun = stream::iter([Ok::<_, Error>(vec![b' '; size])]);
        Body::from_stream(begun.chain(stream::pending()))
    }

    fn key(name: &str) -> Option<String> {
        Some(name.to_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn one_key_has_one_turn_and_keeps_none_from_another() {
        let intake = Intake::default();
        let first = intake.turn(key("a")).await.expect("a turn");
        assert!(intake.turn(key("a")).now_or_never().is_none());
        let others: Vec<_> = ["b", "c", "d"].into_iter().map(|name| intake.turn(key(name)).now_or_never()).collect();
        assert!(others.iter().all(|turn| matches!(turn, Some(Ok(_)))));
        assert!(intake.turn(key("e")).now_or_never().is_none(), "a few at once");
        drop(first);
        intake.turn(key("e")).await.expect("a turn");
        drop(others);
        intake.turn(key("a")).await.expect("a turn");
        assert_eq!(intake.keys.lock().expect("it is whole").len(), 1, "keys without a turn are forgotten");
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_comes_whole_and_in_time_or_not_at_all() {
        let intake = Intake::default();
        let taken = |body| intake.take(key("a"), body, 200_000, "a body");
        for (parts, is_large) in [(vec![], false), (vec![10, SMALL - 10], false), (vec![SMALL, 1], true)] {
            let size: usize = parts.iter().sum();
            let payload = taken(body(parts)).await.expect("it is whole");
            let (bytes, has_turn) = (payload.bytes.len(), payload.turn.is_some());
            drop(payload);
            assert_eq!((bytes, has_turn), (size, is_large));
        }
        for (body, code) in [
            (body(vec![200_000, 1]), Code::MessageTooLarge),
            (body(vec![200_001]), Code::MessageTooLarge),
            (half(10), Code::Unavailable),
            (half(SMALL + 1), Code::Unavailable),
        ] {
            let Err(error) = taken(body).await else { panic!("it is refused") };
            assert_eq!(error.code, code, "{error}");
        }
        intake.turn(key("a")).now_or_never().expect("none of them has the turn").expect("a turn");
    }
}
