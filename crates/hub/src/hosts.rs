//! Hosts in memory: other gateways, whether each answers, and what waits for it.

use crate::keys::lock;
use crate::ssh::Ssh;
use jiff::{SignedDuration, Timestamp};
use protocol::{Code, Error, FeedRevision, Host, HostState, OpenWith, Text, say};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::HostRow;
use tokio::sync::{Notify, watch};

/// The most hosts.
pub(crate) const HOSTS: usize = 50;

/// The state of a host, as its link has found it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HostStatus {
    pub state: HostState,
    pub since: Timestamp,
    pub problem: Option<Text>,
    pub version: Option<String>,
    pub delay_ms: Option<u32>,
    /// Its clock is ahead of ours by this.
    pub ahead: SignedDuration,
}

/// The error for a host that is not there.
pub(crate) fn unknown(name: &str) -> Error {
    Error::new(Code::HostNotFound, say::host_unknown(todo::text::plain(&todo::short(name))))
}

/// The present state of a session's host, for views of the session.
#[derive(Debug, Clone, Default)]
pub(crate) struct LinkState {
    pub(crate) answers: bool,
    pub(crate) ahead: SignedDuration,
    pub(crate) opens: Vec<OpenWith>,
}

/// The place up to which a host's changes are here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HostPosition {
    /// The host's cursor; `None` before the first page.
    pub cursor: Option<String>,
    /// A revision that is here, by which another history is noticed.
    pub witness: Option<FeedRevision>,
    /// Not all of its changes were here yet.
    pub is_first: bool,
}

/// A host that may be connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownHost {
    pub name: String,
    /// The words of the command that leads to it; none for one at an address.
    pub command: Vec<String>,
    /// The address of its WebSocket.
    pub address: Option<String>,
    /// Days for which its sessions are fetched at first; 0 for all.
    pub days: u32,
}

/// The hosts, and what is known of each in this process.
pub(crate) struct Hosts {
    rows: Mutex<Arc<Vec<HostRow>>>,
    links: watch::Sender<Arc<Vec<KnownHost>>>,
    statuses: watch::Sender<HashMap<String, (HostStatus, u64)>>,
    nudges: Mutex<HashMap<String, Arc<Notify>>>,
    counts: Mutex<Counts>,
}

/// The sessions of each host that are here, and the edits that wait for it, as they were counted last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counts {
    pub(crate) sessions: HashMap<String, u32>,
    pub(crate) sending: HashMap<String, u32>,
}

impl Hosts {
    pub(crate) fn new(rows: Vec<HostRow>) -> Self {
        let links = watch::Sender::new(Arc::new(known(&rows)));
        Self {
            rows: Mutex::new(Arc::new(rows)),
            links,
            statuses: watch::Sender::default(),
            nudges: Mutex::default(),
            counts: Mutex::default(),
        }
    }

    pub(crate) fn rows(&self) -> Arc<Vec<HostRow>> {
        lock(&self.rows).clone()
    }

    pub(crate) fn replace(&self, rows: Arc<Vec<HostRow>>) {
        let known = Arc::new(known(&rows));
        self.statuses.send_modify(|statuses| {
            statuses.retain(|name, _| known.iter().any(|host| host.name == *name));
        });
        *lock(&self.rows) = rows;
        self.links.send_if_modified(|links| {
            let is_other = *links != known;
            *links = known;
            is_other
        });
    }

    /// The hosts that are to be connected to, to watch.
    pub(crate) fn links(&self) -> watch::Receiver<Arc<Vec<KnownHost>>> {
        self.links.subscribe()
    }

    /// Takes over what a link has found. Returns whether anything but the delay was otherwise, and whether the host began or
    /// ceased to answer.
    pub(crate) fn found(&self, name: &str, status: HostStatus) -> (bool, bool) {
        let mut changes = (false, false);
        self.statuses.send_modify(|statuses| {
            let (was, found) = statuses.remove(name).unwrap_or_default();
            let since = if was.state == status.state && found > 0 { was.since } else { status.since };
            let next = HostStatus { since, ..status };
            let is_as_before = found > 0 && was == HostStatus { delay_ms: was.delay_ms, ..next.clone() };
            changes = (!is_as_before, (was.state == HostState::Up) != (next.state == HostState::Up));
            statuses.insert(name.to_owned(), (next, found + 1));
        });
        changes
    }

    /// Notes how long a host's last answer took.
    pub(crate) fn delayed(&self, name: &str, delay_ms: u32) {
        self.note(name, |status| status.delay_ms = Some(delay_ms));
    }

    /// Notes a problem of a host that answers.
    pub(crate) fn note_problem(&self, name: &str, problem: Text) {
        self.note(name, |status| status.problem = Some(problem));
    }

    /// Changes the status of a host without finding it once more.
    fn note(&self, name: &str, change: impl FnOnce(&mut HostStatus)) {
        self.statuses.send_if_modified(|statuses| {
            if let Some((status, _)) = statuses.get_mut(name) {
                change(status);
            }
            false
        });
    }

    /// The way over ssh to a host.
    pub(crate) fn ssh(&self, name: &str) -> Option<Ssh> {
        self.rows().iter().find(|row| row.name == name && row.confirmed).and_then(|row| Ssh::of(&row.command))
    }

    /// The present state of a host.
    pub(crate) fn link_state(&self, name: &str) -> LinkState {
        let opens = self.ssh(name).map(|ssh| ssh.opens()).unwrap_or_default();
        match self.statuses.borrow().get(name) {
            Some((status, _)) => LinkState { answers: status.state == HostState::Up, ahead: status.ahead, opens },
            None => LinkState { opens, ..LinkState::default() },
        }
    }

    /// Wakes the link of a host: something waits for it, or it is to be tried at once.
    pub(crate) fn nudge(&self, name: &str) {
        self.woken(name).notify_one();
    }

    /// The alarm of a host's link.
    pub(crate) fn woken(&self, name: &str) -> Arc<Notify> {
        lock(&self.nudges).entry(name.to_owned()).or_default().clone()
    }

    /// The status of every host, each with how often it was found, to watch.
    pub(crate) fn statuses(&self) -> watch::Receiver<HashMap<String, (HostStatus, u64)>> {
        self.statuses.subscribe()
    }

    pub(crate) fn count(&self, counts: Counts) {
        *lock(&self.counts) = counts;
    }

    /// The hosts as clients see them, with the counts of the last time.
    pub(crate) fn shown(&self) -> Vec<Host> {
        let Counts { sessions, sending } = lock(&self.counts).clone();
        let statuses = self.statuses.borrow().clone();
        let host = |row: &HostRow| {
            let status = statuses.get(&row.name).map(|(status, _)| status.clone());
            let status = status.unwrap_or(HostStatus { since: row.created_at, ..HostStatus::default() });
            Host {
                name: row.name.clone(),
                command: row.command.clone(),
                address: row.address.clone(),
                days: row.days,
                state: if row.confirmed { status.state } else { HostState::Unconfirmed },
                since: status.since,
                problem: status.problem.as_ref().map(|problem| problem.english.clone()),
                problem_text: status.problem.and_then(|problem| problem.named),
                version: status.version,
                delay_ms: status.delay_ms,
                sessions: sessions.get(&row.name).copied().unwrap_or_default(),
                sending: sending.get(&row.name).copied().unwrap_or_default(),
            }
        };
        self.rows().iter().map(host).collect()
    }
}

fn known(rows: &[HostRow]) -> Vec<KnownHost> {
    let known = |row: &HostRow| {
        let HostRow { name, command, address, days, .. } = row.clone();
        KnownHost { name, command, address, days }
    };
    rows.iter().filter(|row| row.confirmed).map(known).collect()
}
