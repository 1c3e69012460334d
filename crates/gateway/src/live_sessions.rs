//! The MCP sessions in memory, counted by key. Of those that nobody uses, the ones that were used least recently go; a
//! session is restored from the database where its client comes again.

use rmcp::transport::streamable_http_server::session::SessionId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Sessions of one key, and all together, that stay in memory while nobody uses them.
const OF_ONE_KEY: usize = 224;
const ALL: usize = 1_024;

tokio::task_local! {
    /// The key of the request that is served.
    static KEY: Option<String>;
}

/// Serves a request of a key.
pub(crate) async fn of_key<F: Future>(key: Option<String>, served: F) -> F::Output {
    KEY.scope(key, served).await
}

/// The key of the request that is served.
pub(crate) fn key() -> Option<String> {
    KEY.try_with(Clone::clone).ok().flatten()
}

/// The sessions.
#[derive(Clone, Default)]
pub(crate) struct LiveSessions(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    uses: u64,
    sessions: HashMap<SessionId, Live>,
}

struct Live {
    key: Option<String>,
    /// Requests of it that are under way.
    open: usize,
    /// Number of its last use.
    used: u64,
}

/// A request of a session, until it is dropped.
pub(crate) struct Use {
    sessions: LiveSessions,
    id: SessionId,
}

impl LiveSessions {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a session that the request which is served has made.
    pub(crate) fn made(&self, id: SessionId) {
        self.state().live(id, key());
    }

    /// Notes that a request of a session is under way.
    pub(crate) fn begin(&self, id: SessionId, key: Option<String>) -> Use {
        self.state().live(id.clone(), key).open += 1;
        Use { sessions: self.clone(), id }
    }

    /// Takes away the sessions that are more than a key, and all together, may have, and returns them.
    pub(crate) fn surplus(&self, key: Option<&str>) -> Vec<SessionId> {
        let mut state = self.state();
        let mut gone = state.past(OF_ONE_KEY, |live| live.key.as_deref() == key);
        gone.extend(state.past(ALL, |_| true));
        gone
    }

    /// Returns whether a session counts as one in memory.
    pub(crate) fn has(&self, id: &SessionId) -> bool {
        self.state().sessions.contains_key(id)
    }
}

impl State {
    fn live(&mut self, id: SessionId, key: Option<String>) -> &mut Live {
        self.uses += 1;
        let live = self.sessions.entry(id).or_insert(Live { key, open: 0, used: 0 });
        live.used = self.uses;
        live
    }

    fn past(&mut self, most: usize, is_one: impl Fn(&Live) -> bool) -> Vec<SessionId> {
        let idle = self.sessions.iter().filter(|(_, live)| live.open == 0 && is_one(live));
        let mut idle: Vec<_> = idle.map(|(id, live)| (live.used, id.clone())).collect();
        let surplus = idle.len().saturating_sub(most);
        if surplus > 0 {
            idle.sort_unstable_by_key(|(used, _)| *used);
        }
        idle.truncate(surplus);
        idle.into_iter().map(|(_, id)| id).inspect(|id| drop(self.sessions.remove(id))).collect()
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        if let Some(live) = self.sessions.state().sessions.get_mut(&self.id) {
            live.open = live.open.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: impl std::fmt::Display) -> SessionId {
        name.to_string().into()
    }

    fn used(sessions: &LiveSessions, name: impl std::fmt::Display, key: &str) -> Vec<SessionId> {
        drop(sessions.begin(id(name), Some(key.to_owned())));
        sessions.surplus(Some(key))
    }

    #[test]
    fn the_least_recently_used_of_a_key_goes_and_none_that_is_in_use() {
        let sessions = LiveSessions::default();
        used(&sessions, "other", "b");
        let in_use = sessions.begin(id("in use"), Some("a".to_owned()));
        for number in 0..OF_ONE_KEY {
            assert!(used(&sessions, number, "a").is_empty());
        }
        // Used again, so the second is the oldest.
        used(&sessions, 0, "a");
        assert_eq!(used(&sessions, "one more", "a"), [id(1)]);
        // It comes again, and another goes for it.
        assert_eq!(used(&sessions, 1, "a"), [id(2)]);
        assert!(sessions.has(&id("in use")) && sessions.has(&id("other")) && !sessions.has(&id(2)));
        drop(in_use);
        assert_eq!(sessions.surplus(Some("a")), [id("in use")], "the oldest, once nobody uses it");
    }

    #[test]
    fn there_are_only_so_many_whatever_the_number_of_keys() {
        let sessions = LiveSessions::default();
        let gone: usize =
            (0..2 * ALL).map(|number| used(&sessions, number, &format!("key {}", number / 32)).len()).sum();
        assert_eq!((gone, sessions.state().sessions.len()), (ALL, ALL));
    }

    #[tokio::test]
    async fn a_session_counts_for_the_key_of_the_request_that_makes_it() {
        let sessions = LiveSessions::default();
        for number in 0..=OF_ONE_KEY {
            of_key(Some("a".to_owned()), async { sessions.made(id(number)) }).await;
        }
        assert!(sessions.surplus(Some("b")).is_empty());
        assert_eq!(sessions.surplus(Some("a")), [id(0)]);
    }
}
