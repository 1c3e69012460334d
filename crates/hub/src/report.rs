//! What agents report by their hooks and in their files, and what they hear then.

use crate::live::Live;
use crate::needs::{drift_id, has_asked};
use crate::resolve::{OWN, PROCESS, Pending, of_process};
use crate::writer::{Batch, Failure};
use crate::{Hub, view};
use jiff::Timestamp;
use protocol::{
    AgentIdentity, Caller, Code, DRIFT_CALLS, EditView, Error, Event, Happened, ListState, OwnReported, Result,
    SessionEvent, SessionReport, SessionReported, SubagentCall, Transport,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::{MutexGuard, PoisonError};
use store::Transaction;
use todo::{EditState, short};

/// The kind of evidence that ties an agent's own id to a session by a result of ours that the agent read. A resumed
/// run may read that of another session: the newest counts.
pub(crate) const READ: &str = "read";

/// How long an answer to a hook may be on its way; what it should have told is told again after that.
const OFFERED_SECONDS: i64 = 5;

/// Processes above a hook that may be its agent: a shell may stand in between.
const PROCESSES: usize = 3;

/// Characters of what the user asked for that are kept.
const PROMPT_CHARS: usize = 4_000;

/// Prompts of runs kept whose session is not known yet.
const PROMPTS: usize = 256;

/// The longest own id of an agent's session, with its subagent's.
const OWN_BYTES: usize = 500;

/// Calls of subagents that are waited for, and how long.
const EXPECTED: usize = 256;
const EXPECTED_SECONDS: i64 = 60;

/// Sessions of whose runs hooks tell that are kept.
const HOOKED: usize = 1024;

/// What a session is called before anybody asked for anything and before it has a list.
const UNTITLED: &str = "";

pub(crate) type Outcome<T> = std::result::Result<T, Failure>;

/// What hooks reported that is not of a session yet, or on its way.
#[derive(Default)]
pub(crate) struct Reports {
    /// Sessions whose edits a hook's answer is about to tell, since when.
    offered: HashMap<String, Timestamp>,
    /// What was asked first in runs whose session is not known yet, by the run's key.
    asked: HashMap<String, String>,
    /// Sessions of whose runs hooks tell: files tell nothing more of them but their lists.
    hooked: HashSet<String>,
    /// Calls that subagents are about to make, by their run's key.
    expected: Vec<(String, SubagentCall, Timestamp)>,
    /// When a hook told of a run's own list last, by its session: a file that has the same a little later says the past.
    pub(crate) listed: HashMap<String, Timestamp>,
    /// What agents' lists mean that were never heard of, by the agents' names.
    silent: HashMap<String, &'static str>,
}

impl Hub {
    /// Something happened to an agent; it is told what it has not heard of.
    pub(crate) async fn report(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        ask: &SessionReport,
    ) -> Outcome<SessionReported> {
        let (agent, key) = reporter(caller)?;
        let at = self.at(ask.at);
        let asked = ask.text.as_deref().filter(|_| ask.happened == Happened::Prompted);
        let asked = asked.map(|asked| asked.chars().take(PROMPT_CHARS).collect::<String>());
        let Some((mut live, new)) = self.reporting(transaction, batch, caller, &key, ask, at).await? else {
            self.keep_prompt(key, asked);
            return Ok(SessionReported::default());
        };
        let session_id = live.row.session_id.clone();
        let known = SessionReported { session_id: Some(session_id.clone()), ..SessionReported::default() };
        if let Some(call) = &ask.calls {
            self.expect(key.clone(), call.clone());
        }
        let by_hook = caller.transport == Transport::Hook;
        if by_hook {
            self.reports().hooked(&session_id);
        }
        let is_late = !new && ask.at.is_some() && at <= live.row.last_activity_at;
        if is_late || (!by_hook && self.is_hooked(&session_id)) {
            return Ok(known);
        }
        for process in agent.processes.iter().take(PROCESSES) {
            let key = of_process(agent, process);
            let known = self.bound(&batch.pending, PROCESS, &key).await?;
            if known.is_none_or(|known| known.row.session_id != session_id) {
                self.bind(transaction, batch, &live, PROCESS, &key).await?;
            }
        }
        if live.row.label.is_none()
            && let Some(asked) = self.first_prompt(&key, &live, asked)
        {
            live.row.title = short(&asked);
            live.row.prompt = Some(asked);
        }
        if live.row.parent_session_id.is_none() {
            live.row.parent_session_id = self.parent_of(&batch.pending, caller).await?;
        }
        let (was, since) = (live.row.state.clone(), live.row.state_at);
        live.heard(at);
        let reason = || ask.text.as_deref().map(short);
        match ask.happened {
            Happened::Worked | Happened::Prompted => live.enter("open", None, at),
            Happened::Waits => live.enter("waiting", reason(), at),
            Happened::Rests => live.enter("resting", None, at),
            Happened::Failed => live.enter("failed", reason(), at),
            Happened::Ended => live.enter("finished", reason(), at),
        }
        // Said once more: it has been so all the time.
        if live.row.state == was {
            live.row.state_at = since;
        }
        let own = self.own_list(&batch.pending, &session_id).await?;
        let is_open = |live: &Live| live.row.unfinished > 0;
        if ask.tool && (is_open(&live) || own.as_ref().is_some_and(is_open)) {
            live.row.calls = live.row.calls.saturating_add(1);
            if live.row.calls >= DRIFT_CALLS && live.row.drift_at.is_none() {
                live.row.drift_at = Some(at);
            }
        }
        if view::is_silent(&live.row) {
            self.silent_word(caller).clone_into(&mut live.row.list_state);
        }
        live.row.cursor = transaction.advance();
        transaction.session(&mut live.row).await?;
        batch.events.push(match new {
            true => self.created(&live),
            false => self.updated(&live),
        });
        let own = match own {
            Some(own) => self.report_own(transaction, batch, own, &live, ask.listens).await?,
            None => None,
        };
        let edits = if ask.listens { self.offer(&live) } else { Vec::new() };
        let reported = SessionReported {
            todos: if edits.is_empty() { Vec::new() } else { live.list.items.clone() },
            edits,
            own,
            ..known
        };
        batch.pending.lives.insert(session_id, live);
        Ok(reported)
    }

    /// The agent's own list follows its run; and what a hook's answer tells of it, which can be edited from then on.
    async fn report_own(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        mut own: Live,
        run: &Live,
        listens: bool,
    ) -> Outcome<Option<OwnReported>> {
        let opens = listens && own.row.read_only;
        own.row.read_only &= !listens;
        let now = self.moment();
        let was_shown = view::is_shown(&own.row, now);
        let told = |own: &Live| (view::drifts(&own.row, now), view::is_dismissed(&own.row));
        let was = told(&own);
        let follows = own.follow(&run.row);
        if follows || opens || !was_shown || told(&own) != was {
            own.row.cursor = transaction.advance();
            batch.events.push(self.updated(&own));
        }
        transaction.session(&mut own.row).await?;
        batch.pending.lives.insert(own.row.session_id.clone(), own.clone());
        if !listens {
            return Ok(None);
        }
        let edits = self.offer(&own);
        let tool = own.row.own_tool.clone().unwrap_or_default();
        Ok((!edits.is_empty()).then(|| {
            let todos = own.list.items.clone();
            OwnReported { session_id: own.row.session_id, tool, edits, todos }
        }))
    }

    fn expect(&self, key: String, call: SubagentCall) {
        let now = self.now();
        let mut reports = self.reports();
        let is_new = |since: Timestamp| now.as_second() - since.as_second() < EXPECTED_SECONDS;
        reports.expected.retain(|(.., since)| is_new(*since));
        if reports.expected.len() < EXPECTED {
            reports.expected.push((key, call, now));
        }
    }

    /// Whose call it is: a subagent's where its hook has announced one with these arguments, else the caller's own.
    pub(crate) fn whose_call(&self, caller: &Caller, is_it: impl Fn(&Value) -> bool) -> Caller {
        let mut whose = caller.clone();
        let Some(agent) = whose.agent.as_mut() else { return whose };
        let Some(own) = agent.own_session.clone() else { return whose };
        let key = format!("{}|{own}", agent.agent.name);
        let mut reports = self.reports();
        let at = reports.expected.iter().position(|(run, call, _)| *run == key && is_it(&call.arguments));
        if let Some(at) = at {
            let (_, call, _) = reports.expected.remove(at);
            agent.own_session = Some(format!("{own}/{}", call.subagent));
            agent.parent = Some(own);
        }
        drop(reports);
        whose
    }

    /// When something happened; never in times to come.
    pub(crate) fn at(&self, said: Option<Timestamp>) -> Timestamp {
        let now = self.now();
        let said = said.and_then(|said| Timestamp::from_millisecond(said.as_millisecond()).ok());
        said.map_or(now, |said| said.min(now))
    }

    pub(crate) fn is_hooked(&self, session_id: &str) -> bool {
        self.reports().hooked.contains(session_id)
    }

    /// What it means that an agent's list was never heard of: is it connected, is its own list switched off.
    pub fn silent_lists(&self, agent: &str, state: ListState) {
        self.reports().silent.insert(agent.to_owned(), view::list_state_name(state));
    }

    pub(crate) fn silent_word(&self, caller: &Caller) -> &'static str {
        let agent = caller.agent.as_ref().map(|agent| agent.agent.name.as_str()).unwrap_or_default();
        let unknown = view::list_state_name(ListState::Unknown);
        let connected = view::list_state_name(ListState::NeverCalled);
        let otherwise = if caller.transport == Transport::File { unknown } else { connected };
        self.reports().silent.get(agent).copied().unwrap_or(otherwise)
    }

    /// The edits that an answer to a hook may tell. Hooks of calls that were made side by side ask at the same time:
    /// while one of them is about to tell, the others leave it to that one.
    fn offer(&self, live: &Live) -> Vec<EditView> {
        let queued = live.list.edits.iter().filter(|edit| edit.state == EditState::Queued);
        let edits: Vec<EditView> = queued.map(view::edit).collect();
        let now = self.now();
        let mut reports = self.reports();
        reports.offered.retain(|_, since| now.as_second() - since.as_second() < OFFERED_SECONDS);
        if edits.is_empty() || reports.offered.contains_key(&live.row.session_id) {
            return Vec::new();
        }
        reports.offered.insert(live.row.session_id.clone(), now);
        edits
    }

    /// What a hook was about to tell is told, as far as it fitted.
    pub(crate) fn was_told(&self, session_id: &str) {
        self.reports().offered.remove(session_id);
    }

    /// What the user says to a run settles that its agent's own list stands still as well, until it is taken back.
    pub(crate) async fn asked(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        session_id: &str,
    ) -> Outcome<()> {
        let run = self.named(&batch.pending, session_id).await?;
        let Some(mut own) = self.own_list(&batch.pending, session_id).await? else { return Ok(()) };
        let Some(since) = own.row.drift_at else { return Ok(()) };
        let (id, is_settled) = (drift_id(since), has_asked(&run.list.edits, since));
        if own.row.dismissed_needs.contains(&id) == is_settled {
            return Ok(());
        }
        own.row.dismissed_needs.retain(|dismissed| *dismissed != id);
        own.row.dismissed_needs.extend(is_settled.then_some(id));
        own.row.cursor = transaction.advance();
        transaction.session(&mut own.row).await?;
        batch.events.push(self.updated(&own));
        batch.pending.lives.insert(own.row.session_id.clone(), own);
        Ok(())
    }

    pub(crate) fn reports(&self) -> MutexGuard<'_, Reports> {
        self.inner.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep_prompt(&self, key: String, asked: Option<String>) {
        let Some(asked) = asked else { return };
        let mut reports = self.reports();
        if reports.asked.len() >= PROMPTS {
            reports.asked.clear();
        }
        reports.asked.entry(key).or_insert(asked);
    }

    /// What a session is about that was not known when it was asked, or is asked before there is a list.
    fn first_prompt(&self, key: &str, live: &Live, asked: Option<String>) -> Option<String> {
        let kept = self.reports().asked.remove(key);
        kept.or_else(|| asked.filter(|_| live.row.title == UNTITLED))
    }

    /// The session that an agent's own id means, or else the one of the result that it read last; and whether it is new.
    async fn reporting(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        key: &str,
        ask: &SessionReport,
        at: Timestamp,
    ) -> Outcome<Option<(Live, bool)>> {
        // An agent that says the same id to its tool server has said it all; one that only hooks know of may not say it.
        let own = self.bound(&batch.pending, OWN, key).await?;
        if let Some(live) = own.as_ref().filter(|live| live.is_written()) {
            return Ok(Some((live.clone(), false)));
        }
        let known = self.bound(&batch.pending, READ, key).await?.or(own.clone());
        let other = ask.session_id.as_deref();
        let other = other.filter(|read| known.as_ref().is_none_or(|live| live.row.session_id != *read));
        if let Some(read) = other {
            match self.named(&batch.pending, read).await {
                // A result was read just now, so its call was just now.
                Ok(live) if self.is_proof(&batch.pending, caller, &live, key, at).await? => {
                    self.bind(transaction, batch, &live, READ, key).await?;
                    let live = match own {
                        Some(reported) => self.join(transaction, batch, reported, live, key).await?,
                        None => live,
                    };
                    return Ok(Some((live, false)));
                }
                // Or of another gateway, or of a session that was deleted since.
                Ok(_) => {}
                Err(error) if error.code == Code::SessionNotFound => {}
                Err(error) => return Err(error.into()),
            }
        }
        let is_over = matches!(ask.happened, Happened::Ended) || self.is_long_ago(at);
        if known.is_some() || !ask.begins || is_over {
            return Ok(known.map(|live| (live, false)));
        }
        Ok(Some((self.begin(transaction, batch, caller, key, at).await?, true)))
    }

    /// A run that only hooks or files have told of; with one of a subagent its agent's begins.
    pub(crate) async fn begin(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        key: &str,
        at: Timestamp,
    ) -> Outcome<Live> {
        let mut parent = self.parent_of(&batch.pending, caller).await?;
        if parent.is_none()
            && let Some((agents, key)) = agents_own(caller)
        {
            let live = self.begin_under(transaction, batch, &agents, &key, at, None).await?;
            batch.events.push(self.created(&live));
            parent = Some(live.row.session_id);
        }
        self.begin_under(transaction, batch, caller, key, at, parent).await
    }

    async fn begin_under(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        key: &str,
        at: Timestamp,
        parent: Option<String>,
    ) -> Outcome<Live> {
        let mut live = self.new_session(caller, None, at);
        self.silent_word(caller).clone_into(&mut live.row.list_state);
        live.row.parent_session_id = parent;
        live.row.cursor = transaction.advance();
        transaction.session(&mut live.row).await?;
        self.bind(transaction, batch, &live, OWN, key).await?;
        batch.pending.lives.insert(live.row.session_id.clone(), live.clone());
        Ok(live)
    }

    /// The session that a subagent works for.
    pub(crate) async fn parent_of(&self, pending: &Pending, caller: &Caller) -> Result<Option<String>> {
        let Some(agent) = &caller.agent else { return Ok(None) };
        let Some(parent) = &agent.parent else { return Ok(None) };
        let key = format!("{}|{parent}", agent.agent.name);
        Ok(self.run(pending, &key).await?.map(|parent| parent.row.session_id))
    }

    pub(crate) fn is_long_ago(&self, at: Timestamp) -> bool {
        self.moment().is_long_ago(at)
    }

    pub(crate) fn created(&self, live: &Live) -> Event {
        Event::SessionCreated(SessionEvent {
            cursor: self.inner.board.cursor_text(live.row.cursor),
            session: Box::new(view::with_todos(live, true, self.moment())),
        })
    }

    pub(crate) async fn bind(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        live: &Live,
        kind: &str,
        key: &str,
    ) -> Outcome<()> {
        transaction.bind(&live.row, kind, key, self.now()).await?;
        batch.pending.bindings.insert((kind.to_owned(), key.to_owned()), live.row.session_id.clone());
        Ok(())
    }
}

impl Reports {
    /// What hooks tell of the one session they tell of the other from now on.
    pub(crate) fn moved(&mut self, from: &str, to: &str) {
        if self.hooked.remove(from) {
            self.hooked(to);
        }
        if let Some(at) = self.listed.remove(from) {
            self.listed.insert(to.to_owned(), at);
        }
    }

    fn hooked(&mut self, session_id: &str) {
        if self.hooked.len() >= HOOKED {
            self.hooked.clear();
        }
        self.hooked.insert(session_id.to_owned());
    }
}

/// The agent of a subagent as a caller, and the key of its run.
fn agents_own(caller: &Caller) -> Option<(Caller, String)> {
    let mut caller = caller.clone();
    let agent = caller.agent.as_mut()?;
    let own = agent.parent.take()?;
    let key = format!("{}|{own}", agent.agent.name);
    agent.own_session = Some(own);
    Some((caller, key))
}

/// The agent that reports, and the key of the run that it reports of.
pub(crate) fn reporter(caller: &Caller) -> Result<(&AgentIdentity, String)> {
    let agent = caller.agent.as_ref().and_then(|agent| Some((agent, agent.own_session.as_deref()?)));
    let is_id = |own: &str| !own.is_empty() && own.len() <= OWN_BYTES && !own.chars().any(char::is_control);
    let known = agent.filter(|(_, own)| is_id(own)).map(|(agent, own)| (agent, format!("{}|{own}", agent.agent.name)));
    known.ok_or_else(|| {
        let problem =
            format!("only an agent that says its own session can report, in 1 to {OWN_BYTES} plain characters");
        Error::new(Code::InvalidMessage, problem)
    })
}
