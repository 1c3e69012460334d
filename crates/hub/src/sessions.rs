//! Finding the session that a call belongs to: by the best evidence first, and a new session where there is none.

use crate::core::{Binding, Core};
use crate::error::{Failure, Result};
use crate::evidence::{CONNECTION, Evidence, LABEL, MEMBER, OWN, PROCESS, READ, SHARED, check_label, connection};
use crate::evidence::{as_said, evidence, member_key, run_key};
use crate::live::Live;
use crate::staged::Staged;
use jiff::Timestamp;
use protocol::{Caller, Code, say};
use session::{Identity, Life, ListSummary};
use std::sync::Arc;
use store::SessionRow;
use todo::{Item, List};

/// Characters of a session's names, and of its first prompt.
pub(crate) const NAME_CHARS: usize = 4_000;

/// The sessions: those of a batch that is not committed yet before those in memory, and these before those in the
/// database.
#[derive(Clone, Copy)]
pub(crate) struct Sessions<'a> {
    core: &'a Core,
    staged: Option<&'a Staged>,
}

/// A session, and the evidence that is to mean it from now on.
pub(crate) struct ResolvedSession {
    pub(crate) live: Live,
    pub(crate) is_new: bool,
    pub(crate) bind: Vec<Evidence>,
}

impl<'a> Sessions<'a> {
    pub(crate) fn committed(core: &'a Core) -> Self {
        Self { core, staged: None }
    }

    pub(crate) fn staged(core: &'a Core, staged: &'a Staged) -> Self {
        Self { core, staged: Some(staged) }
    }

    /// A session by its id, its label, or the first letters of its id.
    pub(crate) async fn named(self, name: &str) -> Result<Live> {
        match self.newest(name) {
            Some(live) => Ok(live),
            None => {
                let row = self.row_named(name).await?;
                if self.is_deleted(&row.session_id) {
                    return Err(unknown_session(name));
                }
                self.live(row).await
            }
        }
    }

    /// The stored row of a session by its id, its label, or the first letters of its id.
    pub(crate) async fn row_named(self, name: &str) -> Result<SessionRow> {
        let store = &self.core.store;
        if let Some(row) = store.session(name).await? {
            return Ok(row);
        }
        if let Some(live) = self.labelled(name).await? {
            return Ok(live.row);
        }
        let mut rows = if name.is_empty() { Vec::new() } else { store.sessions_beginning(name).await? };
        match (rows.pop(), rows.is_empty()) {
            (Some(row), true) => Ok(row),
            (Some(_), false) => Err(Failure::refused(Code::SessionAmbiguous, say::session_ambiguous(shown(name)))),
            (None, _) => Err(unknown_session(name)),
        }
    }

    /// The session of a label as a person says it: that which the user has opened to all, or else one of an agent's.
    pub(crate) async fn labelled(self, label: &str) -> Result<Option<Live>> {
        for kind in [SHARED, LABEL] {
            if let Some(live) = self.bound(kind, label).await? {
                return Ok(Some(live));
            }
        }
        match self.core.store.labelled(label).await? {
            Some(row) if !self.is_deleted(&row.session_id) => self.live(row).await.map(Some),
            _ => Ok(None),
        }
    }

    /// A session of an agent's own run by its id, in full: that of its calls, those under it, and those that it has opened
    /// by a label. Every other id has one answer, whether it is of a stranger's session, of a deleted one or of none.
    pub(crate) async fn own(self, caller: &Caller, session_id: &str) -> Result<Live> {
        let run = self.own_run(caller).await?;
        let is_own = |run: &Live| {
            run.row.session_id == session_id
                || run.built_in_list.as_deref() == Some(session_id)
                || self.core.board.under(&run.row.session_id).iter().any(|live| live.row.session_id == session_id)
        };
        if !run.as_ref().is_some_and(is_own) {
            let opened = self.bound(MEMBER, &member_key(caller, session_id)).await?;
            return opened.ok_or_else(not_own);
        }
        match run.filter(|run| run.row.session_id == session_id) {
            Some(run) => Ok(run),
            None => self.named(session_id).await,
        }
    }

    /// The session of an agent's run, as far as there is one.
    async fn own_run(self, caller: &Caller) -> Result<Option<Live>> {
        if let Some((agent, own)) = caller.agent.as_ref().and_then(|agent| Some((agent, agent.own_session.as_ref()?)))
            && agent.label.is_none()
            && let Some(run) = self.run(&run_key(caller, own)).await?
        {
            return Ok(Some(run));
        }
        let resolved = self.of_call(caller, None, None).await?;
        Ok((!resolved.is_new).then_some(resolved.live))
    }

    /// The list of a session, at a revision or as it is.
    ///
    /// # Errors
    /// `REVISION_NOT_FOUND` for a revision that is not kept.
    pub(crate) async fn list_of(self, live: &Live, revision: Option<u64>) -> Result<Vec<Item>> {
        let (oldest, newest) = (live.row.list.first_revision, live.row.list.revision);
        match revision.filter(|revision| *revision != newest) {
            None => Ok(live.list.items.clone()),
            Some(revision) if revision > newest || revision < oldest => {
                Err(Failure::refused(Code::RevisionNotFound, say::revision_range(oldest, newest, revision)))
            }
            // Its owner had trimmed it before it was fetched.
            Some(revision)
                if live.row.who.host.is_some() && !self.core.store.has_revision(live.row.pk, revision).await? =>
            {
                let host = live.row.who.host.as_deref().unwrap_or_default();
                let problem = format!("{host} had removed revision {revision} before it was fetched");
                Err(Failure::refused(Code::RevisionNotFound, problem))
            }
            Some(revision) if self.core.store.is_deleted_at(live.row.pk, revision).await? => {
                Err(Failure::refused(Code::RevisionNotFound, say::revision_deleted(revision)))
            }
            Some(revision) => Ok(self.core.store.list_at(live.row.pk, revision).await?),
        }
    }

    /// The session that a piece of evidence means.
    pub(crate) async fn bound(self, kind: &'static str, key: &str) -> Result<Option<Live>> {
        let staged = self.staged.and_then(|staged| staged.bindings.get(kind, key));
        if let Some(live) = staged.and_then(|id| self.newest(id)) {
            return Ok(Some(live));
        }
        match self.core.binding(kind, key) {
            Binding::Nothing => return Ok(None),
            Binding::Session(id) => {
                if let Some(live) = self.newest(&id) {
                    return Ok(Some(live));
                }
            }
            Binding::Unknown => {}
        }
        let evidence = || (kind, key.to_owned());
        match self.core.store.bound(kind, key).await? {
            Some(row) if self.is_deleted(&row.session_id) => Ok(None),
            Some(row) => {
                self.core.remember([(evidence(), Some(row.session_id.clone()))]);
                self.live(row).await.map(Some)
            }
            None => {
                // Only in a turn nobody else can have bound it since it was looked for.
                if self.staged.is_some() {
                    self.core.remember([(evidence(), None)]);
                }
                Ok(None)
            }
        }
    }

    /// True if a piece of evidence means a session.
    pub(crate) async fn is_bound(self, kind: &'static str, key: &str) -> Result<bool> {
        let is_in_memory = |id: &str| !self.is_deleted(id) && self.core.board.has(id);
        match self.core.binding(kind, key) {
            Binding::Session(id) if is_in_memory(&id) => Ok(true),
            _ => Ok(self.bound(kind, key).await?.is_some()),
        }
    }

    /// The built-in list of a run.
    pub(crate) async fn built_in_list(self, run: &Live) -> Result<Option<Live>> {
        let Some(id) = &run.built_in_list else { return Ok(None) };
        if let Some(list) = self.newest(id) {
            return Ok(Some(list));
        }
        match self.core.store.session(id).await? {
            Some(row) if !self.is_deleted(id) => self.live(row).await.map(Some),
            // It was deleted.
            _ => Ok(None),
        }
    }

    /// The session of a run by the agent's own id, or by the result of ours that it read last.
    pub(crate) async fn run(self, key: &str) -> Result<Option<Live>> {
        let own = self.bound(OWN, key).await?;
        if own.as_ref().is_some_and(Live::is_written) {
            return Ok(own);
        }
        Ok(self.bound(READ, key).await?.or(own))
    }

    /// The session that a subagent works for.
    pub(crate) async fn parent_of(self, caller: &Caller) -> Result<Option<String>> {
        let Some(agent) = &caller.agent else { return Ok(None) };
        let Some(parent) = &agent.parent else { return Ok(None) };
        Ok(self.run(&run_key(caller, parent)).await?.map(|parent| parent.row.session_id))
    }

    /// The session of an agent's call, made when there is none.
    pub(crate) async fn of_call(
        self,
        caller: &Caller,
        session_id: Option<&str>,
        label: Option<&str>,
    ) -> Result<ResolvedSession> {
        let label = label.or_else(|| caller.agent.as_ref().and_then(|agent| agent.label.as_deref()));
        if let Some(label) = label {
            check_label(label)?;
        }
        if let Some(id) = session_id {
            let live = match caller.agent {
                Some(_) => Box::pin(self.own(caller, id)).await?,
                None => self.named(id).await?,
            };
            return Ok(ResolvedSession { live, is_new: false, bind: Vec::new() });
        }
        // A person means the session of that label, whoever gave it.
        if let Some(label) = label.filter(|_| caller.agent.is_none())
            && let Some(live) = self.labelled(label).await?
        {
            return Ok(ResolvedSession { live, is_new: false, bind: Vec::new() });
        }
        let evidence = evidence(caller, label);
        if evidence.is_empty() {
            return Err(Failure::refused(
                Code::SessionAmbiguous,
                "say which session: send \"sessionId\", or \"session\" with a label of your choice (a new label makes a new session)",
            ));
        }
        match self.known(caller, &evidence).await? {
            Some(known) => Ok(known),
            None => self.unknown(caller, evidence).await,
        }
    }

    /// The session that the evidence of a call means.
    async fn known(self, caller: &Caller, evidence: &[Evidence]) -> Result<Option<ResolvedSession>> {
        for (at, (kind, key)) in evidence.iter().enumerate() {
            let opened = if *kind == LABEL { self.opened_to_all(as_said(key)).await? } else { None };
            let found = match opened {
                Some(live) => Some(live),
                None => self.bound(kind, key).await?,
            };
            if let Some(live) = found {
                let is_anothers = (at > 0 && evidence[0].0 == OWN && self.has_own(&live).await?)
                    || (*kind == PROCESS && self.is_in_use(caller, &live));
                if is_anothers {
                    return Ok(None);
                }
                // Other evidence that means nothing yet shall mean the same session from now on.
                let mut bind = evidence[..at].to_vec();
                bind.extend(self.unbound(&evidence[at + 1..]).await?);
                return Ok(Some(ResolvedSession { live, is_new: false, bind }));
            }
            // A label that nobody used yet is a wish for a new session, whatever else is known; one that only a hook
            // has told of is new enough.
            if *kind == LABEL {
                return self.reported_as(key, evidence).await;
            }
        }
        Ok(None)
    }

    /// The session of a label that the user has opened to agents of every key.
    async fn opened_to_all(self, label: &str) -> Result<Option<Live>> {
        Ok(self.bound(SHARED, label).await?.filter(|live| live.row.marks.shared))
    }

    /// One process may serve several sessions of its agent, each under an id of the agent's own, or through a tool
    /// server of its own.
    fn is_in_use(self, caller: &Caller, live: &Live) -> bool {
        let id = &live.row.session_id;
        connection(caller).is_some_and(|connection| self.core.board.used_by_another(&connection, id))
    }

    /// The session that the agent's own id means, as long as nothing is known of it but what a hook reported; under a new
    /// label.
    async fn reported_as(self, label: &str, evidence: &[Evidence]) -> Result<Option<ResolvedSession>> {
        let Some((kind, key)) = evidence.iter().find(|(kind, _)| *kind == OWN) else { return Ok(None) };
        let reported = self.bound(kind, key).await?;
        let Some(mut live) = reported.filter(|live| live.row.list.revision == 0 && live.row.who.label.is_none()) else {
            return Ok(None);
        };
        let label = as_said(label);
        live.row.who.label = Some(label.to_owned());
        label.clone_into(&mut live.row.who.title);
        let bind = evidence.iter().filter(|(kind, _)| *kind != PROCESS).cloned().collect();
        Ok(Some(ResolvedSession { live, is_new: false, bind }))
    }

    async fn unknown(self, caller: &Caller, evidence: Vec<Evidence>) -> Result<ResolvedSession> {
        // A subagent has its agent's connection.
        let is_sub = caller.agent.as_ref().is_some_and(|agent| agent.parent.is_some());
        let binds = |(kind, _): &Evidence| *kind != PROCESS && (!is_sub || *kind != CONNECTION);
        let mut bind: Vec<Evidence> = evidence.into_iter().filter(binds).collect();
        let mut label = None;
        if bind.first().is_some_and(|(kind, _)| *kind == LABEL) {
            let weaker = bind.split_off(1);
            label = bind.first().map(|(_, label)| as_said(label).to_owned());
            bind.extend(self.unbound(&weaker).await?);
        }
        let mut live = new_session(self.core, caller, label, self.core.now());
        if caller.agent.is_none() {
            // By giving it a label a person says that whoever opens that may have it.
            live.row.marks.shared = true;
            bind.iter_mut().for_each(|(kind, _)| *kind = SHARED);
        }
        Ok(ResolvedSession { live, is_new: true, bind })
    }

    /// The evidence that means nothing yet, but for processes, which only ask.
    async fn unbound(self, evidence: &[Evidence]) -> Result<Vec<Evidence>> {
        let mut free = Vec::new();
        for (kind, key) in evidence {
            if *kind != PROCESS && !self.is_bound(kind, key).await? {
                free.push((*kind, key.clone()));
            }
        }
        Ok(free)
    }

    /// True if an agent's own id means this session already.
    async fn has_own(self, live: &Live) -> Result<bool> {
        let is_own = |(_, session): (&String, &String)| *session == live.row.session_id;
        if self.staged.is_some_and(|staged| staged.bindings.of_kind(OWN).any(is_own)) {
            return Ok(true);
        }
        Ok(self.core.store.has_binding(live.row.pk, OWN).await?)
    }

    /// A session in its newest state: of the batch, of memory, or of the database.
    async fn live(self, row: SessionRow) -> Result<Live> {
        match self.newest(&row.session_id) {
            Some(live) => Ok(live),
            None => {
                let mut live = Live::load(&self.core.store, row).await?;
                if let Some(host) = &live.row.who.host {
                    live.found(self.core.hosts.link_state(host));
                }
                Ok(live)
            }
        }
    }

    /// A session as the batch or the memory has it.
    pub(crate) fn newest(self, id: &str) -> Option<Live> {
        if self.is_deleted(id) {
            return None;
        }
        let staged = self.staged.and_then(|staged| staged.lives.get(id).cloned());
        staged.or_else(|| self.core.board.head(id).map(Arc::unwrap_or_clone))
    }

    /// The sessions in memory that are as wanted, in no order.
    pub(crate) fn select(self, is_wanted: impl Fn(&Live) -> bool) -> Vec<Live> {
        let staged = self.staged.into_iter().flat_map(|staged| staged.lives.values());
        let is_staged = |id: &str| self.staged.is_some_and(|staged| staged.lives.contains_key(id));
        let is_committed = |id: &str| !is_staged(id) && !self.is_deleted(id);
        let committed = self.core.board.select(|live| is_committed(&live.row.session_id) && is_wanted(live));
        staged.filter(|live| is_wanted(live)).cloned().chain(committed.into_iter().map(Arc::unwrap_or_clone)).collect()
    }

    fn is_deleted(self, id: &str) -> bool {
        self.staged.is_some_and(|staged| staged.deleted.contains(id))
    }
}

/// The answer to an agent that asks for anything but its own; it tells nothing of what there is.
fn not_own() -> Failure {
    Failure::refused(Code::SessionNotFound, "this is no list of yours; resources/list names those that are")
}

fn unknown_session(name: &str) -> Failure {
    Failure::refused(Code::SessionNotFound, say::session_unknown(shown(name)))
}

/// A name as it can stand in a message.
fn shown(name: &str) -> String {
    todo::text::plain(&todo::short(name))
}

/// A session that nothing is stored of yet, begun at that time. Names that are too long are cut, since who sends them
/// does not decide them.
pub(crate) fn new_session(core: &Core, caller: &Caller, label: Option<String>, now: Timestamp) -> Live {
    let new_id = || core.uid().to_string();
    let who = identity(caller, label, now);
    let row = SessionRow::new(new_id(), who, Life::beginning(now), ListSummary::empty(new_id()));
    Live::new(row, List::default())
}

/// The agent of a caller and where it works, for a session that began at that time.
pub(crate) fn identity(caller: &Caller, label: Option<String>, created_at: Timestamp) -> Identity {
    let agent = caller.agent.as_ref();
    let cut = |name: String| name.chars().take(NAME_CHARS).collect::<String>();
    let folder = agent.and_then(|agent| agent.folder.clone()).map(cut);
    let last = |folder: &str| folder.rsplit(['/', '\\']).find(|part| !part.is_empty()).map(str::to_owned);
    let project = agent.and_then(|agent| agent.project.clone()).or_else(|| folder.as_deref().and_then(last));
    let info = agent.map(|agent| agent.agent.clone()).unwrap_or_default();
    Identity {
        title: label.clone().unwrap_or_default(),
        label,
        agent_name: if info.name.is_empty() { "agent".to_owned() } else { cut(info.name) },
        agent_version: info.version.map(cut),
        folder,
        project: project.map(cut),
        branch: agent.and_then(|agent| agent.branch.clone()).map(cut),
        created_at,
        ..Identity::default()
    }
}
