//! Reports of agents by their hooks and in their files, and the answers to them.

use crate::error::Result;
use crate::evidence::{
    Evidence, LABEL, OWN, PROCESS, READ, check_label, connection, evidence, process_key, processes, reporter,
};
use crate::hook_memory::Announcement;
use crate::live::Live;
use crate::sessions::NAME_CHARS;
use crate::state;
use crate::turn::{Cause, News, Turn};
use jiff::Timestamp;
use protocol::{
    AgentIdentity, Archiving, DRIFT_CALLS, Happened, OwnReported, SessionReport, SessionReported, Transport,
};
use session::ReportedState;
use todo::{Edit, EditAction, EditState, short};

/// Processes above a hook that may be its agent: a shell may stand in between.
const PROCESSES: usize = 3;

/// The subagents of a run whose hooks do not name them.
const UNNAMED: &str = "subagent";

impl Turn<'_, '_> {
    /// Something happened to an agent; it is told what it has not heard of.
    pub(super) async fn report(&mut self, ask: &SessionReport) -> Result<SessionReported> {
        let (agent, key) = reporter(self.caller)?;
        let at = self.reported_at(ask.at);
        let prompt = ask.text.as_deref().filter(|_| ask.happened == Happened::Prompted);
        let prompt = prompt.map(|prompt| prompt.chars().take(NAME_CHARS).collect::<String>());
        let Some((mut live, is_new)) = self.reported_session(&key, ask, at).await? else {
            if let Some(prompt) = prompt {
                self.hooks().keep_prompt(key, prompt);
            }
            return Ok(SessionReported::default());
        };
        let session_id = live.row.session_id.clone();
        let known = SessionReported { session_id: Some(session_id.clone()), ..SessionReported::default() };
        if let Some(call) = &ask.calls {
            let now = self.core.elapsed();
            let mut call = (**call).clone();
            // While a subagent is at work, its agent waits for it.
            if call.subagent.is_none() && self.staged.hooks.has_subagents(&session_id) {
                call.subagent = Some(UNNAMED.to_owned());
            }
            let announcement = Announcement {
                run: key.clone(),
                own_session: agent.own_session.clone().unwrap_or_default(),
                agent: agent.agent.name.clone(),
                processes: processes(self.caller).to_vec(),
                call,
            };
            self.hooks().announce(announcement, now);
        }
        let is_hook = self.caller.transport == Transport::Hook;
        let is_hooked = self.staged.hooks.is_hooked(&session_id);
        if is_hook && (!is_hooked || (ask.listens && !self.staged.hooks.listens(&session_id))) {
            self.hooks().hooked(&session_id, ask.listens);
        }
        let is_late = !is_new && ask.at.is_some() && at <= live.known_until();
        // A turn that the user has stopped: no hook tells that.
        let is_stopped = ask.happened == Happened::Rests && ask.text.is_some();
        // An agent that was kept from ending its turn may end it without asking once more: only its file tells that.
        let ends = ask.happened == Happened::Rests && (is_stopped || self.staged.hooks.was_put_off(&session_id));
        let is_told = ask.usage.as_deref().is_some_and(|told| live.row.usage.update(told, at));
        if is_late || (!is_hook && is_hooked && !ends) {
            if is_told {
                self.save(&mut live, News::Updated).await?;
            }
            self.title_by_file(live, prompt, at).await?;
            return Ok(known);
        }
        live.runs_in(self.caller);
        live.prompts |= ask.prompts;
        self.bind_processes(agent, &live).await?;
        self.bind_label(&live).await?;
        self.title(&mut live, &key, prompt);
        if live.row.who.parent_session_id.is_none() {
            live.row.who.parent_session_id = self.sessions().parent_of(self.caller).await?;
        }
        let mut built_in = self.sessions().built_in_list(&live).await?;
        self.count_subagents(&session_id, ask);
        if ask.happened == Happened::Rests && ask.listens && self.may_go_on(&session_id) {
            self.hand_over_later(&mut live, &mut built_in, at).await?;
        }
        let (listens, happens) = self.end_of_turn(&live, built_in.as_ref(), ask);
        self.settle_elsewhere(&mut live, ask).await?;
        let changed = match ask.done.as_deref().filter(|done| ask.tool || done.text.is_some()) {
            Some(done) => self.note_call(&mut live, done, at).await?,
            None => None,
        };
        happened(&mut live, happens, ask, at);
        // A subagent's prompt is a part of its agent's task.
        if is_hook && ask.happened == Happened::Prompted && agent.parent.is_none() {
            live = self.archive_finished(live, at).await?;
            built_in = match built_in {
                Some(list) => Some(self.archive_finished(list, at).await?),
                None => None,
            };
        }
        if ask.happened == Happened::Prompted {
            self.hand_over_later(&mut live, &mut built_in, at).await?;
        }
        if ask.tool {
            count_call(&mut live, built_in.as_ref(), at);
        }
        if state::is_silent(&live.row) {
            live.row.list.state = self.core.silent_list(self.caller);
        }
        if is_new {
            self.save(&mut live, News::Created).await?;
        } else {
            self.save_heard(&mut live).await?;
        }
        if let Some(file) = changed {
            self.transaction.change_file(&live.row, &file, at, live.name_of(self.caller).as_deref()).await?;
        }
        let own = match built_in {
            Some(list) => self.report_built_in(list, &live, listens).await?,
            None => None,
        };
        let edits = if listens { self.offer(&live) } else { Vec::new() };
        let given = || live.others(self.caller).visible(&live.list.items);
        let todos = if edits.is_empty() { Vec::new() } else { given() };
        let agent = live.name_of(self.caller).filter(|_| !edits.is_empty());
        Ok(SessionReported { todos, edits, own, agent, ..known })
    }

    /// Keeps count of subagents of an agent whose hooks do not say which events are theirs.
    fn count_subagents(&mut self, session_id: &str, ask: &SessionReport) {
        if let Some(event) = ask.subagent {
            self.hooks().subagent(session_id, event);
        } else if matches!(ask.happened, Happened::Prompted | Happened::Ended)
            && self.staged.hooks.has_subagents(session_id)
        {
            self.hooks().no_subagents(session_id);
        }
    }

    /// True if the agent is told of edits; and what happens. An agent that would rest and is told goes on: it works. That
    /// is so a few times in a row at most.
    fn end_of_turn(&mut self, live: &Live, built_in: Option<&Live>, ask: &SessionReport) -> (bool, Happened) {
        let id = &live.row.session_id;
        if ask.happened == Happened::Rests && self.staged.hooks.has_subagents(id) {
            // It is the subagent's turn that ends.
            return (false, Happened::Worked);
        }
        if ask.happened != Happened::Rests || !ask.listens {
            let is_next = matches!(ask.happened, Happened::Prompted | Happened::Rests | Happened::Ended);
            if (is_next || ask.tool) && self.staged.hooks.was_put_off(id) {
                self.hooks().turn_over(id);
            }
            return (ask.listens, ask.happened);
        }
        let may = self.may_go_on(id);
        let is_told = [Some(live), built_in].into_iter().flatten().any(|list| self.has_news(list));
        if may && is_told {
            self.hooks().put_off(id);
            return (true, Happened::Worked);
        }
        if self.staged.hooks.was_put_off(id) {
            self.hooks().turn_over(id);
        }
        (false, Happened::Rests)
    }

    /// True if the end of a session's turn may be put off for what its agent has not seen.
    fn may_go_on(&self, session_id: &str) -> bool {
        let hooks = &self.staged.hooks;
        self.core.board.settings().deliver_at_turn_end
            && hooks.may_put_off(session_id)
            && !hooks.has_subagents(session_id)
            && !hooks.is_offered(session_id, self.core.elapsed())
    }

    /// A list in which nothing is left makes room for the next prompt's (requirement P1). One with an edit that the agent
    /// has not seen stays: its next list is compared with it. The user may want none archived.
    async fn archive_finished(&mut self, mut live: Live, at: Timestamp) -> Result<Live> {
        let waits = |edit: &Edit| edit.state == EditState::Queued && !matches!(edit.action, EditAction::Note { .. });
        let is_kept = self.core.board.settings().chat_archiving == Archiving::Never;
        if is_kept || !todo::is_finished(&live.list.items) || live.list.edits.iter().any(waits) {
            return Ok(live);
        }
        (live.row.life.calls, live.row.life.drift_at) = (0, None);
        let actor = self.agent(&live);
        // The hook's caller is another one than that of the agent's calls: all of them forget the list.
        self.leave_list(live, &actor, Cause { kind: "todo.archive", request_id: None, at }).await
    }

    /// From now on these processes mean the session that a hook has told of.
    async fn bind_processes(&mut self, agent: &AgentIdentity, live: &Live) -> Result<()> {
        for process in processes(self.caller).iter().take(PROCESSES) {
            let key = process_key(agent, process);
            let known = self.sessions().bound(PROCESS, &key).await?;
            if known.is_none_or(|known| known.row.session_id != live.row.session_id) {
                self.bind(live, PROCESS, &key).await?;
            }
        }
        Ok(())
    }

    /// From now on the label that a run was given means its session, where it means none yet, and the run is connected by
    /// its connection. Who stands between an editor and its agent says both.
    async fn bind_label(&mut self, live: &Live) -> Result<()> {
        if let Some((kind, key)) = self.label()?
            && self.sessions().bound(kind, &key).await?.is_none()
        {
            self.bind(live, kind, &key).await?;
        }
        if let Some(connection) = connection(self.caller) {
            self.staged.used.push((connection, live.row.session_id.clone()));
        }
        Ok(())
    }

    /// The label that a reporter says, as evidence.
    fn label(&self) -> Result<Option<Evidence>> {
        let Some(label) = self.caller.agent.as_ref().and_then(|agent| agent.label.as_deref()) else { return Ok(None) };
        check_label(label)?;
        Ok(evidence(self.caller, Some(label)).into_iter().find(|(kind, _)| *kind == LABEL))
    }

    /// Calls a session by its first prompt: one that was kept when nobody knew the session, or one that comes before
    /// there is a list.
    fn title(&mut self, live: &mut Live, run: &str, prompt: Option<String>) {
        if live.row.who.label.is_some() {
            return;
        }
        let kept = if self.staged.hooks.has_prompt(run) { self.hooks().take_prompt(run) } else { None };
        if let Some(prompt) = kept.or_else(|| prompt.filter(|_| live.row.who.title.is_empty())) {
            live.row.who.title = short(&prompt);
            live.row.who.prompt = Some(prompt);
        }
    }

    /// Calls a session by its first prompt where no hook has told one: that of a file, from before the session was known.
    async fn title_by_file(&mut self, mut live: Live, prompt: Option<String>, at: Timestamp) -> Result<()> {
        let who = &live.row.who;
        let is_first = who.prompt.is_none() && who.label.is_none() && at <= who.created_at;
        let Some(prompt) = prompt.filter(|_| is_first && self.caller.transport == Transport::File) else {
            return Ok(());
        };
        live.row.who.title = short(&prompt);
        live.row.who.prompt = Some(prompt);
        self.save(&mut live, News::Updated).await?;
        if let Some(mut list) = self.sessions().built_in_list(&live).await? {
            list.row.who.title.clone_from(&live.row.who.title);
            self.save(&mut list, News::Updated).await?;
        }
        Ok(())
    }

    /// The built-in list follows its run; gives what a hook's answer tells of it, which can be edited from then on.
    async fn report_built_in(&mut self, mut list: Live, run: &Live, listens: bool) -> Result<Option<OwnReported>> {
        let opens = listens && list.row.who.read_only;
        list.row.who.read_only &= !listens;
        let now = self.core.moment();
        let shown = |list: &Live| (state::drifts(&list.row, now), state::is_dismissed(&list.row));
        let (was_shown, was) = (state::is_shown(&list.row, now), shown(&list));
        let follows = list.follow(&run.row);
        if follows || opens || !was_shown || shown(&list) != was {
            self.save(&mut list, News::Updated).await?;
        } else {
            if !list.row.is_saved_but_for_activity() {
                self.transaction.save_session(&mut list.row).await?;
            }
            self.stage(&list);
        }
        if !listens {
            return Ok(None);
        }
        let edits = self.offer(&list);
        let tool = list.row.who.own_tool.clone().unwrap_or_default();
        Ok((!edits.is_empty()).then(|| {
            let todos = list.list.items.clone();
            OwnReported { session_id: list.row.session_id, tool, edits, todos }
        }))
    }

    /// The session that an agent's own id means, or else the one of the result that it read last; and whether it is new.
    async fn reported_session(
        &mut self,
        key: &str,
        ask: &SessionReport,
        at: Timestamp,
    ) -> Result<Option<(Live, bool)>> {
        // An agent that says the same id to its tool server has said it all; one that only hooks know of may not say it.
        let own = self.sessions().bound(OWN, key).await?;
        if let Some(live) = own.as_ref().filter(|live| live.is_written()) {
            return Ok(Some((live.clone(), false)));
        }
        let known = self.sessions().bound(READ, key).await?.or(own.clone());
        // A call of our tools may have come before the first report.
        if known.is_none()
            && let Some((kind, label)) = self.label()?
            && let Some(live) = self.sessions().bound(kind, &label).await?
        {
            self.bind(&live, OWN, key).await?;
            return Ok(Some((live, false)));
        }
        let read = match &ask.proof {
            Some(secret) => self.proven(secret, key, at).await?,
            None => None,
        };
        if let Some(live) =
            read.filter(|live| known.as_ref().is_none_or(|known| known.row.session_id != live.row.session_id))
        {
            self.bind(&live, READ, key).await?;
            let live = match own {
                Some(reported) => self.join(reported, live, key).await?,
                None => live,
            };
            return Ok(Some((live, false)));
        }
        let is_over = matches!(ask.happened, Happened::Ended) || self.core.is_long_ago(at);
        if known.is_some() || !ask.begins || is_over {
            return Ok(known.map(|live| (live, false)));
        }
        Ok(Some((self.begin_run(key, at).await?, true)))
    }
}

/// The state that a session is in after what happened.
fn happened(live: &mut Live, happens: Happened, ask: &SessionReport, at: Timestamp) {
    let (was, since) = (live.row.life.state, live.row.life.state_at);
    // A hook that its agent does not wait for may tell the end of a turn after that of the run.
    if happens == Happened::Rests && was == ReportedState::Finished {
        return;
    }
    live.mark_active(at);
    let reason = || ask.text.as_deref().map(short);
    match happens {
        Happened::Worked | Happened::Prompted => live.enter(ReportedState::Open, None, at),
        Happened::Waits => live.enter(ReportedState::Waiting, reason(), at),
        Happened::Rests => live.enter(ReportedState::Resting, None, at),
        // Said once more without a reason: the first one counts.
        Happened::Failed if was == ReportedState::Failed && ask.text.is_none() => {}
        Happened::Failed => live.enter(ReportedState::Failed, reason(), at),
        Happened::Ended => live.enter(ReportedState::Finished, reason(), at),
    }
    // Said once more: it has been so all the time.
    if live.row.life.state == was {
        live.row.life.state_at = since;
    }
}

/// Another tool was called while a list of the run is unfinished.
fn count_call(live: &mut Live, built_in: Option<&Live>, at: Timestamp) {
    let is_open = |live: &Live| live.row.list.unfinished > 0;
    if is_open(live) || built_in.is_some_and(is_open) {
        live.row.life.calls = live.row.life.calls.saturating_add(1);
        if live.row.life.calls >= DRIFT_CALLS && live.row.life.drift_at.is_none() {
            live.row.life.drift_at = Some(at);
        }
    }
}
