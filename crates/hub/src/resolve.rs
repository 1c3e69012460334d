//! Which session a call belongs to: the best evidence first, and a new session where there is none.

use crate::Hub;
use crate::live::Live;
use crate::storage;
use jiff::Timestamp;
use protocol::{AgentIdentity, Caller, Code, Error, Result};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, MutexGuard, PoisonError};
use store::SessionRow;

/// Sessions changed and evidence bound by the batch that is not committed yet.
#[derive(Default)]
pub(crate) struct Pending {
    pub(crate) lives: HashMap<String, Live>,
    /// Sessions that it deleted.
    pub(crate) deleted: HashSet<String>,
    pub(crate) bindings: HashMap<Evidence, String>,
}

/// A session, and the evidence that is to mean it from now on.
pub(crate) struct Found {
    pub(crate) live: Live,
    pub(crate) new: bool,
    pub(crate) bind: Vec<(String, String)>,
}

/// The kind of evidence that is an agent's own id for its session.
pub(crate) const OWN: &str = "own";

/// The kind of evidence that is the agent's process: a hook says which session it is in. A tool server only asks by it,
/// since one process may have several sessions.
pub(crate) const PROCESS: &str = "process";

/// Pieces of evidence kept in memory.
const BINDINGS: usize = 4096;

/// Characters of a label.
const LABEL_CHARS: usize = 200;

/// One piece of evidence: its kind and its key.
pub(crate) type Evidence = (String, String);

/// The evidence in a call, best first.
fn evidence(agent: Option<&AgentIdentity>, label: Option<&str>) -> Vec<Evidence> {
    let mut found = Vec::new();
    let label = label.or_else(|| agent.and_then(|agent| agent.label.as_deref()));
    if let Some(label) = label {
        found.push(("label".to_owned(), label.to_owned()));
    }
    let Some(agent) = agent else { return found };
    if let Some(own) = &agent.own_session {
        found.push((OWN.to_owned(), format!("{}|{own}", agent.agent.name)));
    }
    if let Some(connection) = &agent.connection {
        found.push(("connection".to_owned(), connection.clone()));
    }
    if let Some(process) = agent.processes.first() {
        found.push((PROCESS.to_owned(), of_process(agent, process)));
    }
    if found.iter().all(|(kind, _)| kind == PROCESS) {
        let folder = agent.folder.as_deref().unwrap_or_default();
        found.push(("client".to_owned(), format!("{}|{folder}", agent.agent.name)));
    }
    found
}

/// An agent's process as evidence: one process may work in several folders, and one agent may run another.
pub(crate) fn of_process(agent: &AgentIdentity, process: &str) -> String {
    format!("{}|{process}|{}", agent.agent.name, agent.folder.as_deref().unwrap_or_default())
}

/// Whose memory of the list a call goes by.
pub(crate) fn caller_key(caller: &Caller) -> String {
    match &caller.agent {
        None => format!("client|{}", crate::view::transport_name(caller.transport)),
        Some(agent) => match (&agent.own_session, &agent.connection) {
            (Some(own), _) => format!("own|{}|{own}", agent.agent.name),
            (None, Some(connection)) => format!("connection|{connection}"),
            (None, None) => format!("agent|{}|{}", agent.agent.name, agent.folder.as_deref().unwrap_or_default()),
        },
    }
}

impl Hub {
    /// The session of an agent's call, made when there is none.
    pub(crate) async fn session_of(
        &self,
        pending: &Pending,
        caller: &Caller,
        session_id: Option<&str>,
        label: Option<&str>,
    ) -> Result<Found> {
        let label = label.or_else(|| caller.agent.as_ref().and_then(|agent| agent.label.as_deref()));
        if let Some(label) = label {
            check_label(label)?;
        }
        if let Some(id) = session_id {
            return Ok(Found { live: self.named(pending, id).await?, new: false, bind: Vec::new() });
        }
        let evidence = evidence(caller.agent.as_ref(), label);
        if evidence.is_empty() {
            return Err(Error::new(
                Code::SessionAmbiguous,
                "say which session: send \"sessionId\", or \"session\" with a label of your choice (a new label makes a new session)",
            ));
        }
        for (at, (kind, key)) in evidence.iter().enumerate() {
            if let Some(live) = self.bound(pending, kind, key).await? {
                // One process may serve several sessions of its agent, each under an id of the agent's own, or through a
                // tool server of its own.
                let connection = caller.agent.as_ref().and_then(|agent| agent.connection.as_deref());
                let in_use = || {
                    let id = &live.row.session_id;
                    connection.is_some_and(|connection| self.inner.board.used_by_another(connection, id))
                };
                let other = (at > 0 && evidence[0].0 == OWN && self.has_own(pending, &live).await?)
                    || (kind == PROCESS && in_use());
                if other {
                    break;
                }
                // Other evidence that means nothing yet shall mean the same session from now on.
                let mut bind = evidence[..at].to_vec();
                for weaker in &evidence[at + 1..] {
                    if weaker.0 != PROCESS && self.bound(pending, &weaker.0, &weaker.1).await?.is_none() {
                        bind.push(weaker.clone());
                    }
                }
                return Ok(Found { live, new: false, bind });
            }
            // A label that nobody used yet is a wish for a new session, whatever else is known; one that only a hook
            // has told of is new enough.
            if kind == "label" {
                if let Some(mut live) = self.only_reported(pending, &evidence).await? {
                    live.row.label = Some(key.clone());
                    live.row.title.clone_from(key);
                    let bind = evidence.into_iter().filter(|(kind, _)| kind != PROCESS).collect();
                    return Ok(Found { live, new: false, bind });
                }
                break;
            }
        }
        // A subagent has its agent's connection.
        let is_sub = caller.agent.as_ref().is_some_and(|agent| agent.parent.is_some());
        let binds = |(kind, _): &Evidence| kind != PROCESS && (!is_sub || kind != "connection");
        let mut bind: Vec<Evidence> = evidence.into_iter().filter(binds).collect();
        if bind.first().is_some_and(|(kind, _)| kind == "label") {
            let mut free = vec![bind.remove(0)];
            for weaker in bind {
                if self.bound(pending, &weaker.0, &weaker.1).await?.is_none() {
                    free.push(weaker);
                }
            }
            bind = free;
        }
        let label = bind.iter().find(|(kind, _)| kind == "label").map(|(_, key)| key.clone());
        Ok(Found { live: self.new_session(caller, label, self.now()), new: true, bind })
    }

    /// A session that nothing is stored of yet, begun at that time.
    pub(crate) fn new_session(&self, caller: &Caller, label: Option<String>, now: Timestamp) -> Live {
        let agent = caller.agent.as_ref();
        let folder = agent.and_then(|agent| agent.folder.clone());
        let last = |folder: &str| folder.rsplit(['/', '\\']).find(|part| !part.is_empty()).map(str::to_owned);
        let project = agent.and_then(|agent| agent.project.clone()).or_else(|| folder.as_deref().and_then(last));
        let info = agent.map(|agent| agent.agent.clone()).unwrap_or_default();
        let row = SessionRow {
            pk: 0,
            session_id: (self.inner.config.uid)().to_string(),
            parent_session_id: None,
            own_tool: None,
            read_only: false,
            observed_at: None,
            calls: 0,
            title: label.clone().unwrap_or_default(),
            label,
            agent_name: if info.name.is_empty() { "agent".to_owned() } else { info.name },
            agent_version: info.version,
            folder,
            project,
            branch: agent.and_then(|agent| agent.branch.clone()),
            state: "open".to_owned(),
            state_reason: None,
            state_at: now,
            list_state: "known-empty".to_owned(),
            list_id: (self.inner.config.uid)().to_string(),
            revision: 0,
            ids_given: 0,
            completed: 0,
            total: 0,
            fraction: 0.0,
            unfinished: 0,
            created_at: now,
            last_activity_at: now,
            drift_at: None,
            pinned: false,
            muted: false,
            dismissed_at: None,
            dismissed_needs: Vec::new(),
            prompt: None,
            first_revision: 1,
            deleted_at: None,
            cursor: 0,
        };
        Live { row, list: Arc::default(), known: std::collections::BTreeMap::new(), written_at: Timestamp::UNIX_EPOCH }
    }

    /// The session that an agent's own id means, as long as nothing is known of it but what a hook reported.
    async fn only_reported(&self, pending: &Pending, evidence: &[Evidence]) -> Result<Option<Live>> {
        let Some((kind, key)) = evidence.iter().find(|(kind, _)| kind == OWN) else { return Ok(None) };
        let live = self.bound(pending, kind, key).await?;
        Ok(live.filter(|live| live.row.revision == 0 && live.row.label.is_none()))
    }

    /// Whether an agent's own id means this session already.
    async fn has_own(&self, pending: &Pending, live: &Live) -> Result<bool> {
        let id = &live.row.session_id;
        if pending.bindings.iter().any(|((kind, _), session)| kind == OWN && session == id) {
            return Ok(true);
        }
        self.inner.store.has_binding(live.row.pk, OWN).await.map_err(storage)
    }

    pub(crate) async fn bound(&self, pending: &Pending, kind: &str, key: &str) -> Result<Option<Live>> {
        let evidence = (kind.to_owned(), key.to_owned());
        if let Some(id) = pending.bindings.get(&evidence)
            && let Some(live) = self.newest(pending, id)
        {
            return Ok(Some(live));
        }
        let known = self.bindings().get(&evidence).cloned();
        if let Some(id) = known
            && let Some(live) = self.newest(pending, &id)
        {
            return Ok(Some(live));
        }
        match self.inner.store.bound(kind, key).await.map_err(storage)? {
            Some(row) if pending.deleted.contains(&row.session_id) => Ok(None),
            Some(row) => {
                self.remember([(evidence, row.session_id.clone())]);
                Ok(Some(self.live(pending, row).await?))
            }
            None => Ok(None),
        }
    }

    /// A session in its newest state: of the batch, of memory, or of the store.
    pub(crate) async fn live(&self, pending: &Pending, row: SessionRow) -> Result<Live> {
        match self.newest(pending, &row.session_id) {
            Some(live) => Ok(live),
            None => Live::load(&self.inner.store, row).await,
        }
    }

    /// A session as the batch or the memory has it.
    pub(crate) fn newest(&self, pending: &Pending, id: &str) -> Option<Live> {
        if pending.deleted.contains(id) {
            return None;
        }
        pending.lives.get(id).cloned().or_else(|| self.inner.board.head(id).map(|live| (*live).clone()))
    }

    /// Keeps in memory what stored evidence means.
    pub(crate) fn remember(&self, found: impl IntoIterator<Item = (Evidence, String)>) {
        let mut bindings = self.bindings();
        if bindings.len() > BINDINGS {
            bindings.clear();
        }
        bindings.extend(found);
    }

    fn bindings(&self) -> MutexGuard<'_, HashMap<Evidence, String>> {
        self.inner.bindings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A session by its id, its label, or the first letters of its id.
    pub(crate) async fn named(&self, pending: &Pending, name: &str) -> Result<Live> {
        if let Some(live) = self.newest(pending, name) {
            return Ok(live);
        }
        let row = self.row_named(name).await?;
        self.live(pending, row).await
    }

    /// The stored row of a session by its id, its label, or the first letters of its id.
    pub(crate) async fn row_named(&self, name: &str) -> Result<SessionRow> {
        let store = &self.inner.store;
        if let Some(row) = store.session(name).await.map_err(storage)? {
            return Ok(row);
        }
        if let Some(row) = store.bound("label", name).await.map_err(storage)? {
            return Ok(row);
        }
        let mut rows =
            if name.is_empty() { Vec::new() } else { store.sessions_beginning(name).await.map_err(storage)? };
        match (rows.pop(), rows.is_empty()) {
            (Some(row), true) => Ok(row),
            (Some(_), false) => Err(Error::new(
                Code::SessionAmbiguous,
                format!("more than one session begins with \"{}\"; write more of its id", shown(name)),
            )),
            (None, _) => Err(Error::new(
                Code::SessionNotFound,
                format!(
                    "there is no session \"{}\"; session.list (or `sightline todo list`) names those there are",
                    shown(name)
                ),
            )),
        }
    }
}

fn check_label(label: &str) -> Result<()> {
    let length = label.chars().count();
    let problem = if label.trim().is_empty() {
        "empty".to_owned()
    } else if length > LABEL_CHARS {
        format!("{length} characters long")
    } else if label.chars().any(char::is_control) {
        "with control characters".to_owned()
    } else {
        return Ok(());
    };
    let message = format!(
        "a session's label is 1 to {LABEL_CHARS} plain characters, this one is {problem}; choose a short name and send this again"
    );
    Err(Error::new(Code::InvalidMessage, message))
}

fn shown(name: &str) -> String {
    todo::text::plain(&todo::short(name))
}
