//! The committed sessions in memory, as readers and subscribers see them.
//!
//! One std mutex over all of it, held for short synchronous sections only: a subscription takes its snapshot and
//! its place among the subscribers under the same lock under which a commit is published, so that there is neither
//! a gap nor a duplicate between the two.

use crate::live::Live;
use crate::needs::timed;
use crate::staged::Staged;
use crate::state::{self, Moment};
use crate::subscriber::{Queue, Receiver};
use crate::view;
use jiff::Timestamp;
use protocol::{Event, EventsSnapshot, SNAPSHOT_SESSIONS, SessionEvent, SessionState, Settings, SharedEvent};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Sessions kept in memory; beyond that those that are not current go, the oldest first.
const KEPT: usize = 512;

/// Sessions beyond that before any goes: looking for the oldest at every change would cost more than keeping them.
const SLACK: usize = 64;

pub(crate) struct Board {
    db_id: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    cursor: u64,
    /// Changes before it may be of sessions that are not in memory.
    complete_since: u64,
    heads: HashMap<String, Arc<Live>>,
    /// The sessions of permissions that somebody waits for, by their ids.
    waiting: HashMap<String, String>,
    subscribers: Vec<Queue>,
    /// Agents' connections, with the sessions that each has used.
    present: HashMap<String, Present>,
    /// The last published facts of each session that time or a lost connection changes.
    published: HashMap<String, Published>,
    /// Sessions that were deleted since memory is complete, with the cursor of that.
    deleted: Vec<(u64, String)>,
    /// The cursor at which the passing of time changed that.
    aged: HashMap<String, u64>,
    /// Sessions whose last activity is not stored yet.
    heard: HashSet<String>,
    settings: Settings,
    closed: bool,
}

/// Facts of a session that change without a change of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Published {
    state: SessionState,
    current: bool,
    connected: bool,
    /// Needs that were put off and come back later, and such that go by themselves.
    timed: (usize, usize),
}

impl Published {
    fn of(live: &Live, connected: bool, now: Moment) -> Self {
        let current = state::is_current(&live.row, connected, now);
        Self { state: state::state(&live.row, now), current, connected, timed: timed(live, now) }
    }
}

/// An agent's connection: how often it is held open, and what it used.
#[derive(Default)]
struct Present {
    guards: usize,
    sessions: HashSet<String>,
}

impl State {
    /// An agent's own list is as connected as its run.
    fn connected(&self, session_id: &str) -> bool {
        let own = self.heads.get(session_id).filter(|live| live.row.who.own_tool.is_some());
        let session_id = own.and_then(|live| live.row.who.parent_session_id.as_deref()).unwrap_or(session_id);
        if self.heads.get(session_id).is_some_and(|live| live.connected_there && live.row.host_answers) {
            return true;
        }
        self.present.values().any(|present| present.sessions.contains(session_id))
    }

    /// Puts a session in memory, in the place of what it was before.
    fn put(&mut self, live: Arc<Live>) {
        let id = live.row.session_id.clone();
        let waiting = live.waiting.iter().map(|it| (it.permission.permission_id.clone(), id.clone()));
        let waiting: Vec<_> = waiting.collect();
        self.take(&id);
        self.waiting.extend(waiting);
        self.heads.insert(id, live);
    }

    /// Takes a session out of memory.
    fn take(&mut self, session_id: &str) {
        for waiting in self.heads.remove(session_id).iter().flat_map(|live| &live.waiting) {
            self.waiting.remove(&waiting.permission.permission_id);
        }
    }

    fn publish(&mut self, events: &[SharedEvent]) {
        self.subscribers.retain(|queue| events.iter().all(|event| queue.push(event)));
    }

    fn forget_surplus(&mut self, now: Moment) {
        if self.heads.len() <= KEPT + SLACK {
            return;
        }
        let mut old: Vec<(Timestamp, u64, String)> = self
            .heads
            .iter()
            .filter(|(id, live)| !self.connected(id) && !self.heard.contains(*id) && !state::is_shown(&live.row, now))
            .map(|(id, live)| (live.row.life.last_activity_at, live.row.cursor, id.clone()))
            .collect();
        old.sort();
        for (_, cursor, id) in old.into_iter().take(self.heads.len() - KEPT) {
            self.take(&id);
            self.published.remove(&id);
            self.aged.remove(&id);
            self.complete_since = self.complete_since.max(cursor);
        }
    }
}

impl Board {
    pub(crate) fn new(db_id: String, cursor: u64, settings: Settings) -> Self {
        let state = State { cursor, complete_since: cursor, settings, ..State::default() };
        Self { db_id, state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn cursor_text(&self, cursor: u64) -> String {
        format!("{}:{cursor}", self.db_id)
    }

    /// A cursor of this database; `None` for any other text.
    pub(crate) fn own_cursor(&self, text: &str) -> Option<u64> {
        text.rsplit_once(':').filter(|(db_id, _)| *db_id == self.db_id)?.1.parse().ok()
    }

    pub(crate) fn cursor(&self) -> String {
        self.cursor_text(self.lock().cursor)
    }

    pub(crate) fn head(&self, session_id: &str) -> Option<Arc<Live>> {
        self.lock().heads.get(session_id).cloned()
    }

    pub(crate) fn has(&self, session_id: &str) -> bool {
        self.lock().heads.contains_key(session_id)
    }

    pub(crate) fn connected(&self, session_id: &str) -> bool {
        self.lock().connected(session_id)
    }

    /// Replaces all that is known of sessions, after a panic has left it in doubt. Subscribers begin anew.
    pub(crate) fn replace(&self, cursor: u64, settings: Settings, lives: Vec<Live>, now: Moment) {
        let mut state = self.lock();
        let (present, subscribers) = (std::mem::take(&mut state.present), std::mem::take(&mut state.subscribers));
        let closed = state.closed;
        *state = State { cursor, complete_since: cursor, settings, present, closed, ..State::default() };
        for live in lives {
            let id = live.row.session_id.clone();
            let published = Published::of(&live, state.connected(&id), now);
            state.published.insert(id, published);
            state.put(Arc::new(live));
        }
        drop(state);
        for queue in subscribers {
            queue.lag();
        }
    }

    /// Puts a session in memory that nobody changed.
    pub(crate) fn load(&self, live: Live, now: Moment) {
        let mut state = self.lock();
        let id = live.row.session_id.clone();
        state.published.insert(id.clone(), Published::of(&live, false, now));
        state.heads.entry(id).or_insert_with(|| Arc::new(live));
    }

    /// The seconds that an agent may be silent before its session is stale, and before it is idle where nothing is left.
    pub(crate) fn patience(&self) -> (i64, i64) {
        let settings = &self.lock().settings;
        (i64::from(settings.stale_minutes) * 60, i64::from(settings.settle_seconds))
    }

    /// The settings of the user.
    pub(crate) fn settings(&self) -> Settings {
        self.lock().settings.clone()
    }

    /// Sessions that a board shows, newest activity first.
    pub(crate) fn current(&self, now: Moment) -> Vec<Arc<Live>> {
        current(&self.lock(), now)
    }

    /// The sessions in memory that are as wanted, in no order.
    pub(crate) fn select(&self, is_wanted: impl Fn(&Live) -> bool) -> Vec<Arc<Live>> {
        self.lock().heads.values().filter(|live| is_wanted(live)).cloned().collect()
    }

    /// The session of a permission that somebody waits for.
    pub(crate) fn asking(&self, permission_id: &str) -> Option<Arc<Live>> {
        let state = self.lock();
        state.waiting.get(permission_id).and_then(|id| state.heads.get(id)).cloned()
    }

    /// The sessions in which somebody waits for a permission.
    pub(crate) fn who_asks(&self) -> Vec<Arc<Live>> {
        let state = self.lock();
        let ids: HashSet<&String> = state.waiting.values().collect();
        let asking = ids.into_iter().filter_map(|id| state.heads.get(id)).cloned().collect();
        drop(state);
        asking
    }

    /// The sessions whose last activity is not stored yet.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.lock().heard.iter().cloned().collect()
    }

    /// True if there are any such.
    pub(crate) fn has_heard(&self) -> bool {
        !self.lock().heard.is_empty()
    }

    /// The number of permissions that are waited for.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    pub(crate) fn counts(&self, now: Moment) -> (u32, u32) {
        let state = self.lock();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let connections = state.subscribers.iter().filter(|queue| !queue.is_own()).count();
        let sessions = current(&state, now).len();
        drop(state);
        (number(connections), number(sessions))
    }

    /// Takes a commit over and tells everybody, in one step.
    pub(crate) fn commit(&self, cursor: u64, staged: Staged, now: Moment) {
        let shared: Vec<SharedEvent> = staged.events.into_iter().map(SharedEvent::from).collect();
        let mut state = self.lock();
        state.cursor = cursor;
        if let Some(settings) = staged.settings {
            state.settings = settings;
        }
        for id in staged.deleted {
            state.take(&id);
            state.published.remove(&id);
            state.aged.remove(&id);
            state.heard.remove(&id);
            for present in state.present.values_mut() {
                present.sessions.remove(&id);
            }
            state.deleted.push((cursor, id));
            if state.deleted.len() > KEPT {
                let (cursor, _) = state.deleted.remove(0);
                state.complete_since = state.complete_since.max(cursor);
            }
        }
        for (id, live) in staged.lives {
            let is_new = !state.heads.contains_key(&id);
            if is_new && staged.quiet.contains(&id) && !state::is_shown(&live.row, now) {
                state.complete_since = state.complete_since.max(cursor);
                continue;
            }
            // It may have been brought back.
            state.deleted.retain(|(_, deleted)| *deleted != id);
            if live.row.is_saved() {
                state.heard.remove(&id);
            } else {
                // Its row has the cursor of before.
                state.aged.insert(id.clone(), cursor);
                state.heard.insert(id.clone());
            }
            let live = Arc::new(live);
            state.put(live.clone());
            let published = Published::of(&live, state.connected(&id), now);
            state.published.insert(id, published);
        }
        state.publish(&shared);
        state.forget_surplus(now);
    }

    /// Tells of sessions whose state changed by nothing but the time.
    pub(crate) fn time_passed(&self, now: Moment) {
        let mut state = self.lock();
        let mut events = Vec::new();
        let ids: Vec<String> = state.heads.keys().cloned().collect();
        for id in ids {
            let Some(live) = state.heads.get(&id).cloned() else { continue };
            let connected = state.connected(&id);
            let published = Published::of(&live, connected, now);
            if state.published.insert(id.clone(), published) != Some(published) {
                let cursor = state.cursor;
                state.aged.insert(id, cursor);
                events.push(self.updated(&live, connected, state.cursor, now));
            }
        }
        state.publish(&events);
    }

    fn updated(&self, live: &Live, connected: bool, cursor: u64, now: Moment) -> SharedEvent {
        Event::SessionUpdated(SessionEvent {
            cursor: self.cursor_text(cursor),
            session: Box::new(view::with_todos(live, connected, now)),
        })
        .into()
    }

    /// A snapshot, and the queue of everything after it.
    pub(crate) fn subscribe(&self, since: Option<&str>, now: Moment) -> (EventsSnapshot, Receiver) {
        let mut state = self.lock();
        let after = since
            .and_then(|since| since.rsplit_once(':'))
            .filter(|(db_id, _)| *db_id == self.db_id)
            .and_then(|(_, cursor)| cursor.parse::<u64>().ok())
            .filter(|cursor| *cursor > state.complete_since && *cursor <= state.cursor);
        let changed = |after: u64| -> Vec<Arc<Live>> {
            let newer = |id: &String, live: &Live| {
                live.row.cursor > after || state.aged.get(id).is_some_and(|aged| *aged >= after)
            };
            state.heads.iter().filter(|(id, live)| newer(id, live)).map(|(_, live)| live.clone()).collect()
        };
        // More than a snapshot holds is not caught up with piece by piece.
        let delta = after.map(changed).filter(|lives| lives.len() <= SNAPSHOT_SESSIONS);
        let whole = delta.is_none();
        let lives = delta.unwrap_or_else(|| current(&state, now));
        let left = u32::try_from(lives.len().saturating_sub(SNAPSHOT_SESSIONS)).unwrap_or(u32::MAX);
        let sessions = lives
            .iter()
            .take(SNAPSHOT_SESSIONS)
            .map(|live| view::with_todos(live, state.connected(&live.row.session_id), now))
            .collect();
        let queue = Queue::default();
        let receiver = queue.receiver();
        if state.closed {
            queue.close();
        } else {
            state.subscribers.push(queue);
        }
        let newer = |(cursor, id): &(u64, String)| after.filter(|after| cursor > after).map(|_| id.clone());
        let deleted = if whole { Vec::new() } else { state.deleted.iter().filter_map(newer).collect() };
        let cursor = self.cursor_text(state.cursor);
        let settings = state.settings.clone();
        drop(state);
        (EventsSnapshot { cursor, sessions, left, whole, deleted, settings }, receiver)
    }

    /// Events from now on, for a part of this process.
    pub(crate) fn follow(&self) -> Receiver {
        let queue = Queue::own();
        let receiver = queue.receiver();
        let mut state = self.lock();
        if state.closed {
            queue.close();
        } else {
            state.subscribers.push(queue);
        }
        receiver
    }

    /// The sessions in memory under one.
    pub(crate) fn under(&self, session_id: &str) -> Vec<Arc<Live>> {
        let is_under = |live: &&Arc<Live>| live.row.who.parent_session_id.as_deref() == Some(session_id);
        self.lock().heads.values().filter(is_under).cloned().collect()
    }

    /// Tells every subscriber something that is of no session.
    pub(crate) fn tell(&self, event: Event) {
        self.lock().publish(&[event.into()]);
    }

    /// Ends every subscription.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        for queue in state.subscribers.drain(..) {
            queue.close();
        }
    }

    /// An agent's connection is there.
    pub(crate) fn enter(&self, connection: &str) {
        self.lock().present.entry(connection.to_owned()).or_default().guards += 1;
    }

    /// An agent's connection is gone. One that was lost may be known as there for a while after its successor came: what
    /// it used stays as long as that one does.
    pub(crate) fn leave(&self, connection: &str) {
        let mut state = self.lock();
        if let Some(present) = state.present.get_mut(connection) {
            present.guards -= 1;
            if present.guards == 0 {
                state.present.remove(connection);
            }
        }
    }

    /// The sessions that a connection has used.
    pub(crate) fn sessions_of(&self, connection: &str) -> Vec<String> {
        self.lock()
            .present
            .get(connection)
            .map(|present| present.sessions.iter().cloned().collect())
            .unwrap_or_default()
    }

    /// True if any other connection that is there has used a session.
    pub(crate) fn used_by_another(&self, connection: &str, session_id: &str) -> bool {
        let others =
            |(other, present): (&String, &Present)| other != connection && present.sessions.contains(session_id);
        self.lock().present.iter().any(others)
    }

    /// True if a connection is there.
    pub(crate) fn is_present(&self, connection: &str) -> bool {
        self.lock().present.contains_key(connection)
    }

    /// True if a connection that is there has used a session.
    pub(crate) fn has_used(&self, connection: &str, session_id: &str) -> bool {
        self.lock().present.get(connection).is_some_and(|present| present.sessions.contains(session_id))
    }

    /// Notes that a connection used a session.
    pub(crate) fn used(&self, connection: &str, session_id: &str) {
        if let Some(present) = self.lock().present.get_mut(connection) {
            present.sessions.insert(session_id.to_owned());
        }
    }
}

fn current(state: &State, now: Moment) -> Vec<Arc<Live>> {
    let mut lives: Vec<Arc<Live>> = state
        .heads
        .iter()
        .filter(|(id, live)| state.connected(id) || state::is_shown(&live.row, now))
        .map(|(_, live)| live.clone())
        .collect();
    lives.sort_by_key(|live| std::cmp::Reverse((live.row.life.last_activity_at, live.row.pk)));
    lives
}
