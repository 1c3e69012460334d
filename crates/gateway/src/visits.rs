//! The open connections, counted: by which way each came in, and how many there may be.
//!
//! A connection of the port is a *stranger* until a key has let one of its requests through. Strangers are few, have
//! little time, and the oldest of them makes room for the next, so that nobody without a key keeps others out.

use protocol::{Code, Error, say};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The way by which a connection came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WayIn {
    /// The port on loopback, which every program and every user of this machine can reach.
    Loopback,
    /// The private socket. The system vouches for the peer's user, who is that of this process.
    #[cfg_attr(not(unix), allow(dead_code, reason = "there is a private socket on Unix only"))]
    Private,
}

/// Limits on the connections of a gateway.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Time for the head of a request, also of one that has not begun.
    pub head: Duration,
    /// Time for a stranger to show a key.
    pub stranger: Duration,
    /// Connections of strangers at once.
    pub strangers: usize,
    /// Time for which a stranger is not sent away to make room for another.
    pub unhurried: Duration,
    /// Connections with a key, together.
    pub with_keys: usize,
    /// Connections with one key.
    pub with_one_key: usize,
    /// Connections with one key of an agent's.
    pub with_one_agent: usize,
    /// Connections of the private socket.
    pub private: usize,
}

/// Files that a gateway needs for other things than connections.
const OTHER_FILES: usize = 256;

impl Limits {
    /// Returns the limits of a process that may have `files` open.
    #[must_use]
    pub fn for_files(files: u64) -> Self {
        let usual = Self::default();
        let all = usual.strangers + usual.with_keys + usual.private;
        let room = usize::try_from(files).unwrap_or(usize::MAX).saturating_sub(OTHER_FILES).clamp(64, all);
        let share = |count: usize| count * room / all;
        Self {
            strangers: share(usual.strangers),
            with_keys: share(usual.with_keys),
            with_one_key: share(usual.with_one_key),
            // They are limited for the memory that they cost.
            with_one_agent: usual.with_one_agent.min(share(usual.with_one_key)),
            private: share(usual.private),
            ..usual
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(30),
            stranger: Duration::from_secs(15),
            strangers: 256,
            unhurried: Duration::from_secs(1),
            with_keys: 2048,
            with_one_key: 1536,
            with_one_agent: 128,
            private: 1024,
        }
    }
}

/// The open connections of one way in.
pub(crate) struct Visits {
    pub(crate) limits: Limits,
    state: Mutex<State>,
    /// A connection has ended, or was let through.
    changed: Notify,
}

#[derive(Default)]
struct State {
    next: u64,
    /// Strangers by number, the oldest first.
    strangers: BTreeMap<u64, Stranger>,
    private: usize,
    /// Connections by key.
    keys: HashMap<String, usize>,
}

struct Stranger {
    since: Instant,
    leave: CancellationToken,
}

/// One connection, as its requests see it. It is counted until the last clone is dropped.
#[derive(Clone)]
pub(crate) struct Visit(Arc<Counted>);

struct Counted {
    way: WayIn,
    number: u64,
    leave: CancellationToken,
    visits: Arc<Visits>,
    key: Mutex<Option<String>>,
}

impl Visits {
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self { limits, state: Mutex::default(), changed: Notify::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room for one more connection. The oldest stranger is sent away for it, but not before it had
    /// time to say something: many clients may come at once.
    pub(crate) async fn room(&self) {
        loop {
            let changed = self.changed.notified();
            let Some(wait) = self.make_room() else { return };
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Makes room; otherwise returns the time after which to try again.
    fn make_room(&self) -> Option<Duration> {
        let mut state = self.state();
        if state.private >= self.limits.private {
            return Some(self.limits.head);
        }
        if state.strangers.len() < self.limits.strangers {
            return None;
        }
        let oldest = state.strangers.first_entry()?;
        let age = oldest.get().since.elapsed();
        if age < self.limits.unhurried {
            return Some(self.limits.unhurried - age);
        }
        let gone = oldest.remove();
        drop(state);
        gone.leave.cancel();
        None
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        let state = self.state();
        state.strangers.is_empty() && state.keys.is_empty() && state.private == 0
    }

    /// Counts a connection.
    pub(crate) fn enter(self: &Arc<Self>, way: WayIn) -> Visit {
        let leave = CancellationToken::new();
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        match way {
            WayIn::Loopback => {
                state.strangers.insert(number, Stranger { since: Instant::now(), leave: leave.clone() });
            }
            WayIn::Private => state.private += 1,
        }
        drop(state);
        Visit(Arc::new(Counted { way, number, leave, visits: self.clone(), key: Mutex::default() }))
    }
}

impl Visit {
    /// Returns the way by which it came in.
    pub(crate) fn way(&self) -> WayIn {
        self.0.way
    }

    /// Notes that a key let a request through: from now on it counts as one of that key's connections.
    ///
    /// # Errors
    /// When the key, or all keys together, have as many as they may have.
    pub(crate) fn admit(&self, key: &str, is_agent: bool) -> Result<(), Error> {
        if self.0.way != WayIn::Loopback {
            return Ok(());
        }
        let mut own = self.0.key.lock().unwrap_or_else(PoisonError::into_inner);
        if own.is_some() {
            return Ok(());
        }
        let Limits { with_keys, with_one_key, with_one_agent, .. } = self.0.visits.limits;
        let with_one_key = if is_agent { with_one_agent } else { with_one_key };
        let mut state = self.0.visits.state();
        if state.keys.get(key).copied().unwrap_or_default() >= with_one_key {
            return Err(Error::new(Code::Unavailable, say::connections_of_key(with_one_key)));
        }
        if state.keys.values().sum::<usize>() >= with_keys {
            return Err(Error::new(Code::Unavailable, say::connections_of_all(with_keys)));
        }
        *state.keys.entry(key.to_owned()).or_default() += 1;
        state.strangers.remove(&self.0.number);
        drop(state);
        *own = Some(key.to_owned());
        drop(own);
        self.0.visits.changed.notify_one();
        Ok(())
    }

    /// True until a key has let a request through.
    pub(crate) fn is_stranger(&self) -> bool {
        self.0.way == WayIn::Loopback && self.0.key.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Waits until it has to make room for another.
    pub(crate) async fn has_to_leave(&self) {
        self.0.leave.cancelled().await;
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut state = self.visits.state();
        match (self.way, self.key.get_mut().unwrap_or_else(PoisonError::into_inner).take()) {
            (WayIn::Private, _) => state.private -= 1,
            (WayIn::Loopback, None) => {
                state.strangers.remove(&self.number);
            }
            (WayIn::Loopback, Some(key)) => {
                if let Some(count) = state.keys.get_mut(&key) {
                    *count -= 1;
                    if *count == 0 {
                        state.keys.remove(&key);
                    }
                }
            }
        }
        drop(state);
        self.visits.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn few() -> Arc<Visits> {
        Visits::new(Limits {
            strangers: 2,
            with_keys: 3,
            with_one_key: 2,
            with_one_agent: 1,
            private: 1,
            ..Limits::default()
        })
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_stranger_makes_room_once_it_had_time() {
        let visits = few();
        let (first, second) = (visits.enter(WayIn::Loopback), visits.enter(WayIn::Loopback));
        assert!(visits.make_room().is_some(), "not at once");
        visits.room().await;
        assert!(first.0.leave.is_cancelled() && !second.0.leave.is_cancelled());
        let third = visits.enter(WayIn::Loopback);
        second.admit("a", false).expect("there is room");
        visits.room().await;
        assert!(!second.0.leave.is_cancelled() && !third.0.leave.is_cancelled(), "a key's connection is no stranger");
    }

    #[test]
    fn no_key_takes_all_and_what_ends_makes_room() {
        let visits = few();
        let enter = || visits.enter(WayIn::Loopback);
        let (one, two, three, four) = (enter(), enter(), enter(), enter());
        one.admit("a", false).expect("the first");
        one.admit("a", false).expect("its next request");
        two.admit("a", false).expect("the second");
        assert!(three.admit("a", false).is_err_and(|error| error.message.contains("2 connections")));
        three.admit("b", false).expect("another key");
        assert!(four.admit("c", false).is_err_and(|error| error.message.contains("3 connections")));
        assert!(four.admit("a", true).is_err(), "an agent's key has fewer");
        drop(one.clone());
        assert!(four.admit("c", false).is_err(), "the connection is still open");
        drop(one);
        four.admit("c", false).expect("one has ended");
    }

    #[test]
    fn the_private_socket_counts_for_itself() {
        let visits = few();
        let private = visits.enter(WayIn::Private);
        assert!(!private.is_stranger() && private.way() == WayIn::Private);
        assert!(visits.make_room().is_some());
        drop(private);
        assert!(visits.make_room().is_none());
    }

    #[test]
    fn fewer_files_mean_fewer_connections() {
        let (few, many) = (Limits::for_files(1024), Limits::for_files(u64::MAX));
        assert!(few.strangers + few.with_keys + few.private <= 1024 - OTHER_FILES);
        assert!(few.with_one_key < few.with_keys && few.strangers > 16 && few.private > 16);
        assert_eq!(many.with_keys, Limits::default().with_keys);
        assert!(Limits::for_files(0).strangers > 0);
    }
}
