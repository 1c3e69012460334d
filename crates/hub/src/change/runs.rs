//! Runs that only hooks or files have told of, and calls that a hook has announced.

use crate::error::Result;
use crate::evidence::{OWN, key_of, processes, run_key, without_subagent};
use crate::hook_memory::Announcement;
use crate::live::Live;
use crate::sessions::new_session;
use crate::turn::{News, Turn};
use jiff::Timestamp;
use protocol::{Caller, EditView};
use serde_json::Value;
use std::borrow::Cow;

/// True if a hook that has announced a call and the call itself come from one process of one agent. An agent with a key is
/// not where that could be seen.
fn is_seen(caller: &Caller, announced: &Announcement) -> bool {
    let name = caller.agent.as_ref().map(|agent| agent.agent.name.as_str());
    key_of(caller).is_none()
        && name == Some(announced.agent.as_str())
        && processes(caller).iter().any(|process| announced.processes.contains(process))
}

impl<'t> Turn<'t, '_> {
    /// The caller of a call: the run or subagent whose hook has announced this call, else the caller itself.
    pub(super) fn whose_call(&mut self, has_arguments: impl Fn(&Value) -> bool) -> Cow<'t, Caller> {
        let caller = self.caller;
        let Some(agent) = &caller.agent else { return Cow::Borrowed(caller) };
        let run = agent.own_session.as_ref().map(|own| run_key(caller, own));
        let is_meant = |announced: &Announcement| {
            let is_same = agent.call.is_some() && agent.call == announced.call.id;
            let is_alike = match (&agent.call, &announced.call.id) {
                (Some(_), Some(_)) => is_same,
                _ => has_arguments(&announced.call.arguments),
            };
            match &run {
                Some(run) if announced.run == *run => is_alike && announced.call.subagent.is_some(),
                // The id that it says of itself may be an old one; that of the call is not.
                Some(_) => is_same && is_seen(caller, announced),
                None => is_alike && is_seen(caller, announced),
            }
        };
        let announced = self.staged.hooks.announced(self.core.elapsed(), is_meant);
        let Some(at) = announced else { return Cow::Borrowed(caller) };
        let Announcement { own_session, call, .. } = self.hooks().take_announced(at);
        let mut whose = caller.clone();
        if let Some(agent) = whose.agent.as_mut() {
            (agent.own_session, agent.parent) = match call.subagent {
                Some(subagent) => (Some(format!("{own_session}/{subagent}")), Some(own_session)),
                None => (Some(own_session), None),
            };
        }
        Cow::Owned(whose)
    }
}

impl Turn<'_, '_> {
    /// Begins a run; with one of a subagent its agent's begins, too, where nobody knows that yet. The run itself is told
    /// by whoever begins it.
    pub(super) async fn begin_run(&mut self, key: &str, at: Timestamp) -> Result<Live> {
        let caller = self.caller;
        let mut parent = self.sessions().parent_of(caller).await?;
        if parent.is_none()
            && let Some((agent, key)) = without_subagent(caller)
        {
            let live = self.begin_run_under(&agent, &key, at, None).await?;
            self.tell_created(&live);
            parent = Some(live.row.session_id);
        }
        self.begin_run_under(caller, key, at, parent).await
    }

    async fn begin_run_under(
        &mut self,
        caller: &Caller,
        key: &str,
        at: Timestamp,
        parent: Option<String>,
    ) -> Result<Live> {
        let mut live = new_session(self.core, caller, None, at);
        live.row.list.state = self.core.silent_list(caller);
        live.row.who.parent_session_id = parent;
        self.save(&mut live, News::Told).await?;
        self.bind(&live, OWN, key).await?;
        Ok(live)
    }

    /// The edits that the answer to a hook may tell.
    pub(super) fn offer(&mut self, live: &Live) -> Vec<EditView> {
        let edits = self.news(live);
        if !edits.is_empty() {
            let now = self.core.elapsed();
            self.hooks().offer(&live.row.session_id, now);
        }
        edits
    }

    /// True if the answer to a hook has edits of this list to tell.
    pub(super) fn has_news(&self, live: &Live) -> bool {
        !self.news(live).is_empty()
    }

    fn news(&self, live: &Live) -> Vec<EditView> {
        if self.staged.hooks.is_offered(&live.row.session_id, self.core.elapsed()) {
            return Vec::new();
        }
        live.queued_edits(&live.others(self.caller))
    }

    /// The time of something that was reported; never in times to come.
    pub(super) fn reported_at(&self, said: Option<Timestamp>) -> Timestamp {
        let now = self.now();
        let said = said.and_then(|said| Timestamp::from_millisecond(said.as_millisecond()).ok());
        said.map_or(now, |said| said.min(now))
    }
}
