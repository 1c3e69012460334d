//! The parts that all of the hub shares: the database, the memory of what is committed, the clock.

use crate::bindings::ByEvidence;
use crate::board::Board;
use crate::config::{Config, Served};
use crate::error::{Failure, Result, of_database};
use crate::evidence::Evidence;
use crate::hook_memory::HookMemory;
use crate::hosts::Hosts;
use crate::keys::{KeyRing, lock};
use crate::live::Live;
use crate::permissions::{Permissions, Waiting};
use crate::staged::Staged;
use crate::state::{self, Moment};
use crate::stored_settings::stored_settings;
use jiff::Timestamp;
use protocol::{Caller, Error, Event, GatewayInfo, HostsEvent, KeysEvent, ListState, Text, Transport, say};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use store::Store;
use tokio::sync::{Notify, watch};
use uuid::Uuid;

/// Pieces of evidence kept in memory.
const BINDINGS: usize = 4096;

/// The meaning of evidence, as far as memory knows.
pub(crate) enum Binding {
    Unknown,
    Nothing,
    Session(Arc<str>),
}

pub(crate) struct Core {
    config: Config,
    pub(crate) store: Store,
    pub(crate) board: Board,
    pub(crate) keys: KeyRing,
    pub(crate) permissions: Permissions,
    pub(crate) hosts: Hosts,
    /// Present where this process gives way to a window: whether one has asked.
    pub(crate) way: watch::Sender<Option<bool>>,
    started_at: Timestamp,
    served: OnceLock<Served>,
    commits: AtomicU64,
    /// The sessions that stored evidence means, as far as it was asked for; `None` where it means none.
    bindings: Mutex<ByEvidence<Option<Arc<str>>>>,
    hooks: Mutex<Arc<HookMemory>>,
    /// Why an agent's list was never heard of, by the agents' names.
    silent: Mutex<HashMap<String, ListState>>,
    /// There is something to sweep from the archive.
    pub(crate) dirt: Notify,
    /// The database was damaged.
    mended: Option<store::Mended>,
}

impl Core {
    pub(crate) fn new(
        config: Config,
        store: Store,
        board: Board,
        keys: KeyRing,
        permissions: Permissions,
        hosts: Hosts,
        mended: Option<store::Mended>,
    ) -> Self {
        let started_at = (config.now)();
        Self {
            config,
            store,
            board,
            keys,
            permissions,
            hosts,
            way: watch::Sender::new(None),
            started_at,
            served: OnceLock::new(),
            commits: AtomicU64::new(0),
            bindings: Mutex::default(),
            hooks: Mutex::default(),
            silent: Mutex::default(),
            dirt: Notify::new(),
            mended,
        }
    }

    /// The time, in the milliseconds that the database keeps: it is compared with what was stored.
    pub(crate) fn now(&self) -> Timestamp {
        let now = (self.config.now)();
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }

    /// The time, and what counts as long ago.
    pub(crate) fn moment(&self) -> Moment {
        let (stale_after, settle_after) = self.board.patience();
        Moment { now: self.now(), stale_after, settle_after }
    }

    /// The time on a clock that is never set.
    pub(crate) fn elapsed(&self) -> Duration {
        (self.config.elapsed)()
    }

    pub(crate) fn uid(&self) -> Uuid {
        (self.config.uid)()
    }

    pub(crate) fn secret(&self) -> String {
        (self.config.secret)()
    }

    /// Gives way to a window, where this process does that at all.
    pub(crate) fn gives_way(&self) -> bool {
        self.way.send_if_modified(|asked| asked.as_mut().map(|asked| *asked = true).is_some())
    }

    pub(crate) fn version(&self) -> &str {
        &self.config.version
    }

    pub(crate) fn served(&self, served: Served) {
        if self.served.set(served).is_err() {
            tracing::warn!("the hub is served twice; the first address stands");
        }
    }

    /// The error that a client gets; a damaged database is mended with the next start.
    pub(crate) fn answer(&self, failure: Failure) -> Error {
        match failure {
            Failure::Refused(error) => error,
            Failure::Store(error) => {
                tracing::error!(%error, "the store");
                if error.is_damage() {
                    self.store.mark_suspect();
                }
                of_database(&error)
            }
        }
    }

    /// Has a request that only reads answered.
    pub(crate) async fn read<T>(&self, answer: impl Future<Output = Result<T>>) -> protocol::Result<T> {
        answer.await.map_err(|failure| self.answer(failure))
    }

    /// The state that a batch begins with.
    pub(crate) fn stage(&self) -> Staged {
        Staged { hooks: lock(&self.hooks).clone(), ..Staged::default() }
    }

    /// Takes over what is committed, and tells everybody.
    pub(crate) fn publish(&self, cursor: u64, is_new: bool, mut staged: Staged) {
        if is_new {
            self.commits.fetch_add(1, Ordering::Relaxed);
        }
        if staged.undeletes {
            // Evidence of a deleted session meant nothing, and means it again now.
            lock(&self.bindings).retain(Option::is_some);
        }
        self.remember(std::mem::take(&mut staged.bindings).into_all().map(|(of, session)| (of, Some(session))));
        *lock(&self.hooks) = std::mem::take(&mut staged.hooks);
        for (connection, session_id) in &staged.used {
            self.board.used(connection, session_id);
        }
        if let Some(trust) = staged.trust {
            self.keys.use_trust(trust);
        }
        let keys = staged.keys.take();
        if let Some(rules) = staged.rules.take() {
            self.permissions.replace(rules);
        }
        let (hosts, waited_for) = (staged.hosts.take(), std::mem::take(&mut staged.waited_for));
        let settled = std::mem::take(&mut staged.settled);
        let is_set = staged.settings.is_some();
        let has_dirt = staged.has_dirt || is_set;
        self.board.commit(cursor, staged, self.moment());
        settled.into_iter().for_each(|settled| self.permissions.settle(settled));
        if let Some(keys) = keys {
            let waiting = keys.iter().filter(|known| known.key.wanted.is_some()).count();
            self.keys.replace(keys);
            let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
            self.board.tell(Event::KeysUpdated(KeysEvent { waiting }));
        }
        if let Some(hosts) = hosts {
            self.hosts.replace(hosts);
            self.board.tell(Event::HostsUpdated(HostsEvent { hosts: self.hosts.shown() }));
        }
        for host in waited_for {
            self.hosts.nudge(&host);
        }
        if has_dirt {
            // New rules are looked at at once, too.
            self.dirt.notify_one();
        }
        if is_set {
            // A longer or shorter time may count as long ago now.
            self.board.time_passed(self.moment());
        }
    }

    /// The session that evidence means, or that it means none, as far as memory knows.
    pub(crate) fn binding(&self, kind: &str, key: &str) -> Binding {
        match lock(&self.bindings).get(kind, key) {
            None => Binding::Unknown,
            Some(None) => Binding::Nothing,
            Some(Some(session)) => Binding::Session(session.clone()),
        }
    }

    /// Keeps in memory what stored evidence means.
    pub(crate) fn remember(&self, found: impl IntoIterator<Item = (Evidence, Option<String>)>) {
        let mut bindings = lock(&self.bindings);
        if bindings.len() > BINDINGS {
            bindings.clear();
        }
        for (evidence, session) in found {
            bindings.insert(evidence, session.map(Arc::from));
        }
    }

    pub(crate) fn silent_lists(&self, agent: &str, state: ListState) {
        lock(&self.silent).insert(agent.to_owned(), state);
    }

    /// Why nothing was heard of a list of this caller's.
    pub(crate) fn silent_list(&self, caller: &Caller) -> ListState {
        let agent = caller.agent.as_ref().map(|agent| agent.agent.name.as_str()).unwrap_or_default();
        let is_file = caller.transport == Transport::File;
        let otherwise = if is_file { ListState::Unknown } else { ListState::NeverCalled };
        lock(&self.silent).get(agent).copied().unwrap_or(otherwise)
    }

    pub(crate) fn is_long_ago(&self, at: Timestamp) -> bool {
        self.moment().is_long_ago(at)
    }

    pub(crate) fn status(&self) -> GatewayInfo {
        let served = self.served.get().cloned().unwrap_or_default();
        let seconds = self.now().as_second() - self.started_at.as_second();
        let (connections, sessions) = self.board.counts(self.moment());
        let notice = self.mended.as_ref().map(mended_notice);
        GatewayInfo {
            uptime: u64::try_from(seconds).unwrap_or_default(),
            port: served.port,
            pid: std::process::id(),
            connections,
            sessions,
            version: self.config.version.clone(),
            commits: self.commits.load(Ordering::Relaxed),
            data_dir: served.data_dir,
            address: served.address,
            public_hosts: served.public_hosts,
            first_list_command: served.first_list_command,
            mcp_command: served.mcp_command,
            started_at: self.started_at,
            notice: notice.as_ref().map(|notice| notice.english.clone()),
            notice_text: notice.and_then(|notice| notice.named),
        }
    }

    /// Puts the sessions that were heard of lately in memory, so that a snapshot after a restart shows them.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) async fn load_current(&self) -> std::result::Result<(), store::Error> {
        let now = self.moment();
        for live in self.stored_current(now).await? {
            self.board.load(live, now);
        }
        Ok(())
    }

    /// Replaces the memory of what is committed by what the database has, at this cursor. Nobody writes meanwhile.
    ///
    /// # Errors
    /// When the database cannot be read; memory is then as it was.
    pub(crate) async fn rebuild(&self, cursor: u64) -> std::result::Result<(), store::Error> {
        let now = self.moment();
        let (settings, keys) = (self.store.settings().await?, self.store.keys().await?);
        let (rules, open) = (self.store.rules().await?, self.store.open_permissions().await?);
        self.hosts.replace(Arc::new(self.store.hosts().await?));
        let mut lives = self.stored_current(now).await?;
        lock(&self.bindings).clear();
        *lock(&self.hooks) = Arc::default();
        for permission in self.permissions.rebuild(rules, &open) {
            if let Some(live) = lives.iter_mut().find(|live| live.row.session_id == permission.session_id) {
                live.waiting.push(Waiting::new(permission));
            }
        }
        self.keys.rebuild(keys, &settings);
        self.board.replace(cursor, stored_settings(settings), lives, now);
        Ok(())
    }

    /// The stored sessions that were heard of lately.
    async fn stored_current(&self, now: Moment) -> std::result::Result<Vec<Live>, store::Error> {
        let limit = u32::try_from(protocol::SNAPSHOT_SESSIONS).unwrap_or(u32::MAX);
        let kept = self.store.pinned_or_waiting(now.waiting_since(), limit).await?;
        let (mut lives, mut known) = (Vec::new(), HashSet::new());
        for row in self.store.newest_sessions(limit).await?.into_iter().chain(kept) {
            if !state::is_shown(&row, now) || !known.insert(row.session_id.clone()) {
                continue;
            }
            match Live::load(&self.store, row).await {
                Ok(live) => lives.push(live),
                Err(error) => tracing::error!(%error, "a session could not be loaded"),
            }
        }
        Ok(lives)
    }
}

/// The notice to the user about a database that was damaged.
fn mended_notice(mended: &store::Mended) -> Text {
    let aside = mended.aside.display();
    match mended.sessions {
        0 => say::database_lost(aside),
        sessions => say::database_mended(sessions, aside),
    }
}
