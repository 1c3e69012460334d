//! The hub's side of links to other gateways: what a link asks, tells and takes.

use crate::Hub;
use crate::ask::Question;
use crate::ask::hosts::shown;
use crate::change::mirrored::{Answers, TakePage, TakeRows};
use crate::change::{Forwarded, Sent};
use crate::hosts::{HostPosition, HostStatus, KnownHost, unknown};
use crate::ssh::Ssh;
use jiff::SignedDuration;
use protocol::{
    BoxFuture, Caller, Code, EditOnce, Error, Event, FeedDeleted, FeedRevision, FeedRows, FeedSession, Host, HostState,
    HostsEvent, Result, Text, Transport, say,
};
use std::sync::Arc;
use std::time::Duration;
use store::HostRow;
use tokio::sync::{Notify, watch};

/// Time for which a test of a host waits for its answer.
const TEST: Duration = Duration::from_secs(40);

impl Hub {
    /// The hosts that are to be connected to, to watch.
    #[must_use]
    pub fn known_hosts(&self) -> watch::Receiver<Arc<Vec<KnownHost>>> {
        self.core.hosts.links()
    }

    /// Wakes the link of a host: an edit waits for it, or it is to be tried at once.
    #[must_use]
    pub fn host_woken(&self, host: &str) -> Arc<Notify> {
        self.core.hosts.woken(host)
    }

    /// The address of a host; `None` for one that is reached by a command.
    ///
    /// # Errors
    /// `HOST_NOT_FOUND`.
    pub fn host_address(&self, name: &str) -> Result<Option<String>> {
        let rows = self.core.hosts.rows();
        let row = rows.iter().find(|row| row.name == name);
        row.map(|row| row.address.clone()).ok_or_else(|| unknown(name))
    }

    /// The names of all hosts, confirmed or not.
    #[must_use]
    pub fn host_names(&self) -> Vec<String> {
        self.core.hosts.rows().iter().map(|row| row.name.clone()).collect()
    }

    /// Takes over whether a host answers.
    pub async fn host_found(&self, host: &str, status: HostStatus) {
        let answers = status.state == HostState::Up;
        let (is_other, is_turned) = self.core.hosts.found(host, status);
        if is_turned {
            self.host_answers(host, answers).await;
        }
        if is_other {
            self.tell_hosts().await;
        }
    }

    /// Notes how long a host's last answer took.
    pub fn host_delay(&self, host: &str, delay_ms: u32) {
        self.core.hosts.delayed(host, delay_ms);
    }

    /// Notes a problem of a host that answers, until it is connected to anew.
    pub async fn host_problem(&self, host: &str, problem: Text) {
        self.core.hosts.note_problem(host, problem);
        self.tell_hosts().await;
    }

    /// A host was removed: nothing is known of its sessions any more.
    pub async fn host_left(&self, host: &str) {
        self.host_answers(host, false).await;
    }

    /// The way over ssh to the host of a session, and the session's folder there; `None` where it does not live on one that
    /// is reached so.
    ///
    /// # Errors
    /// When there is no such session, or its agent has not said where it works.
    pub async fn over_ssh(&self, session_id: &str) -> Result<Option<(Ssh, String)>> {
        let question = Question { core: &self.core, caller: &Caller::user(Transport::Builtin, "") };
        let (session, _) = self.core.read(question.session_and_own_ids(session_id)).await?;
        let Some(ssh) = session.host.and_then(|host| self.core.hosts.ssh(&host)) else { return Ok(None) };
        let folder = session.folder.ok_or_else(|| Error::new(Code::Unavailable, say::folder_not_said()))?;
        Ok(Some((ssh, folder)))
    }

    async fn host_answers(&self, host: &str, answers: bool) {
        let told = self.queue.submit(Answers { host: host.to_owned(), answers }).await;
        if let Err(error) = told {
            tracing::warn!(%error, host, "the sessions of a host are not known as they are");
        }
    }

    /// True for a cursor of this database.
    #[must_use]
    pub fn is_own_cursor(&self, cursor: &str) -> bool {
        self.core.board.own_cursor(cursor).is_some()
    }

    /// This build's version.
    #[must_use]
    pub fn version(&self) -> &str {
        self.core.version()
    }

    /// Tells subscribers of the hosts.
    pub(crate) async fn tell_hosts(&self) {
        match self.core.read(shown(&self.core)).await {
            Ok(hosts) => self.core.board.tell(Event::HostsUpdated(HostsEvent { hosts })),
            Err(error) => tracing::warn!(%error, "the hosts cannot be told"),
        }
    }

    /// The place up to which a host's changes are here.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn host_position(&self, host: &str) -> Result<HostPosition> {
        self.core
            .read(async {
                let rows = self.core.store.hosts().await?;
                let row = rows.iter().find(|row| row.name == host);
                let newest = self.core.store.newest_of_host(host).await?;
                let witness = newest.map(|(session_id, revision, at)| FeedRevision { session_id, revision, at });
                let cursor = row.and_then(|row| row.own_cursor().map(str::to_owned));
                Ok(HostPosition { cursor, witness, is_first: row.is_none_or(HostRow::is_first) })
            })
            .await
    }

    /// The request for what is new of a host's session.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn host_session(&self, host: &str, owner_id: &str) -> Result<FeedSession> {
        self.core
            .read(async {
                let ask = FeedSession { session_id: owner_id.to_owned(), ..FeedSession::default() };
                let store = &self.core.store;
                let Some(entry) = store.mirrored(host, owner_id).await? else { return Ok(ask) };
                let row = match store.session(&entry.session_id).await? {
                    // Its owner may have brought it back.
                    None if entry.gone => store.deleted(&entry.session_id).await?,
                    row => row,
                };
                let Some(row) = row else { return Ok(ask) };
                let revision = row.list.revision;
                let at = store.revision_at(&entry.session_id, revision).await?.and_then(|(_, at)| at);
                Ok(FeedSession { revision, at, cursor: entry.cursor.filter(|cursor| !cursor.is_empty()), ..ask })
            })
            .await
    }

    /// Takes over a part of a session's history that was asked for by [`Self::host_session`].
    ///
    /// # Errors
    /// `INVALID_MESSAGE` where no gateway could have sent it; those of the database.
    pub fn take_rows(
        &self,
        host: &str,
        ask: &FeedSession,
        rows: FeedRows,
        ahead: SignedDuration,
    ) -> BoxFuture<Result<()>> {
        let (host, owner_id) = (host.to_owned(), ask.session_id.clone());
        self.queue.submit(TakeRows { host, owner_id, after: ask.revision, rows, ahead })
    }

    /// Takes over the end of a page of changes, all of whose sessions are here; without a cursor it begins from the first
    /// change again.
    ///
    /// # Errors
    /// Those of the database.
    pub fn take_page(
        &self,
        host: &str,
        cursor: Option<String>,
        deleted: Vec<FeedDeleted>,
        more: bool,
    ) -> BoxFuture<Result<()>> {
        self.queue.submit(TakePage { host: host.to_owned(), cursor, more, deleted })
    }

    /// The next edit that a host has not got and has not refused.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn next_for_host(&self, host: &str) -> Result<Option<Forwarded>> {
        let next = self.core.read(async { Ok(self.core.store.next_sending(host).await?) }).await?;
        Ok(next.map(|row| Forwarded {
            session_id: row.session_id,
            edit: EditOnce {
                key: row.key,
                edit: serde_json::from_str(&row.request).unwrap_or_default(),
                client: Some(row.client),
            },
        }))
    }

    /// A host has an edit, or has refused it.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn forwarded(&self, edit: &Forwarded, problem: Option<Text>) -> Result<()> {
        let (key, session_id) = (edit.edit.key.clone(), edit.session_id.clone());
        self.queue.submit(Sent { key, session_id, problem }).await
    }

    /// Has a host tried at once, and waits until it has answered or failed.
    ///
    /// # Errors
    /// `HOST_NOT_FOUND`; `UNAVAILABLE` where it is not confirmed.
    pub async fn test_host(&self, name: &str) -> Result<Host> {
        let named = |hosts: Vec<Host>| hosts.into_iter().find(|host| host.name == name);
        let host = named(self.core.read(shown(&self.core)).await?).ok_or_else(|| unknown(name))?;
        if host.state == HostState::Unconfirmed {
            return Err(Error::new(Code::Unavailable, say::host_unconfirmed()));
        }
        if host.state == HostState::Up {
            // Every few seconds it is asked whether it is there, and nothing else would tell.
            return Ok(host);
        }
        let mut statuses = self.core.hosts.statuses();
        let before = statuses.borrow().get(name).map_or(0, |(_, found)| *found);
        self.core.hosts.nudge(name);
        let is_found = statuses.wait_for(|statuses| {
            let found = statuses.get(name);
            found.is_some_and(|(status, found)| *found > before && status.state != HostState::Connecting)
        });
        // One that says nothing for so long is as it was.
        let _ = tokio::time::timeout(TEST, is_found).await;
        Ok(named(self.core.read(shown(&self.core)).await?).unwrap_or(host))
    }
}
