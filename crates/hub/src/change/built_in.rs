//! Agents' built-in lists: each in a session of its own, under that of its run.

use crate::error::Result;
use crate::evidence::{OWN, caller_key, check_tool, reporter};
use crate::live::Live;
use crate::needs::{drift_id, has_asked};
use crate::sessions::new_session;
use crate::state;
use crate::turn::{Cause, News, Turn};
use jiff::{SignedDuration, Timestamp};
use protocol::{TodoObserve, TodoObserved, Transport};
use session::DismissedNeed;
use std::collections::HashSet;
use todo::{Applied, Change, Draft, short};

/// The least time between two lists of one run.
const MOMENT: SignedDuration = SignedDuration::from_millis(1);

impl Turn<'_, '_> {
    /// An agent wrote its built-in list. Nothing begins with one that is refused.
    pub(super) async fn observe(&mut self, ask: &TodoObserve) -> Result<TodoObserved> {
        let (_, key) = reporter(self.caller)?;
        check_tool(&ask.tool)?;
        let tool = ask.tool.clone();
        let mut drafts = if ask.merge { Draft::part(&ask.todos)? } else { Draft::list(&ask.todos)? };
        let run = self.sessions().run(&key).await?;
        let known = match &run {
            Some(run) => self.sessions().built_in_list(run).await?,
            None => None,
        };
        let written = self.written_at(ask.at, known.as_ref());
        let at = written.min(self.now());
        if ask.merge {
            retain_known(&mut drafts, known.as_ref());
        }
        if self.is_old(&key, run.as_ref(), known.as_ref(), written, at).await? || (ask.merge && drafts.is_empty()) {
            return Ok(known.map(|list| observed(&list, false)).unwrap_or_default());
        }
        let mut list = known.unwrap_or_else(|| new_session(self.core, self.caller, None, at));
        list.row.list.observed_at = Some(written);
        let caller = caller_key(self.caller);
        let change = match ask.merge {
            true => Change::Merge { caller: caller.clone(), drafts },
            false => Change::Replace { caller: caller.clone(), drafts },
        };
        let mut applied = self.apply(&list, change, at)?;
        applied.list.observed(&caller, at);
        let told = self.staged.events.len();
        let run = match run {
            Some(run) => run,
            None => {
                let run = self.begin_run(&key, at).await?;
                self.tell_created(&run);
                run
            }
        };
        let (run_id, above) = (run.row.session_id.clone(), run.row.who.parent_session_id.clone());
        let is_shown = state::is_shown(&run.row, self.core.moment()) || self.core.board.head(&run_id).is_some();
        if self.caller.transport == Transport::Hook {
            let core = self.core;
            self.hooks().listed(&run_id, at, |told| core.is_long_ago(told));
        }
        let observed = self.keep_observed(run, list, (applied, tool, ask.title.as_deref()), at).await?;
        if self.core.is_long_ago(at) && !is_shown {
            self.staged.events.truncate(told);
            self.staged.quiet.extend(above.into_iter().chain([run_id, observed.session_id.clone()]));
        }
        Ok(observed)
    }

    /// When a list was written, by the clock of who wrote it, which may be ahead of ours. Two hooks within a millisecond
    /// are two lists all the same.
    fn written_at(&self, said: Option<Timestamp>, known: Option<&Live>) -> Timestamp {
        let now = self.now();
        match said {
            Some(said) => Timestamp::from_millisecond(said.as_millisecond()).unwrap_or(said),
            None => known
                .and_then(|list| list.row.list.observed_at)
                .map_or(now, |newest| now.max(newest.saturating_add(MOMENT).unwrap_or(newest))),
        }
    }

    /// True if a list is no news: of a run that was deleted, not newer than what is known, or told by a hook.
    async fn is_old(
        &self,
        key: &str,
        run: Option<&Live>,
        known: Option<&Live>,
        written: Timestamp,
        at: Timestamp,
    ) -> Result<bool> {
        let Some(run) = run else { return Ok(self.core.store.is_forgotten(OWN, key, at).await?) };
        let is_known = known.and_then(|list| list.row.list.observed_at).is_some_and(|newest| written <= newest);
        let by_file = self.caller.transport == Transport::File;
        Ok(is_known || (by_file && self.staged.hooks.is_listed(&run.row.session_id, at)))
    }

    /// Stores what came of a list, and that its run goes on.
    async fn keep_observed(
        &mut self,
        mut run: Live,
        mut list: Live,
        (applied, tool, title): (Applied, String, Option<&str>),
        at: Timestamp,
    ) -> Result<TodoObserved> {
        if run.row.who.title.is_empty() {
            run.row.who.title = title.map(short).unwrap_or_default();
        }
        if run.row.who.parent_session_id.is_none() {
            run.row.who.parent_session_id = self.sessions().parent_of(self.caller).await?;
        }
        list.row.who.title.clone_from(&run.row.who.title);
        list.row.who.own_tool = Some(tool);
        if list.row.pk == 0 {
            // Nobody can be told of changes to it before a hook listens.
            let who = &mut *list.row.who;
            who.parent_session_id = Some(run.row.session_id.clone());
            who.read_only = !self.staged.hooks.listens(&run.row.session_id);
            who.folder.clone_from(&run.row.who.folder);
            who.project.clone_from(&run.row.who.project);
            who.branch.clone_from(&run.row.who.branch);
            (list.row.marks.pinned, list.row.marks.muted) = (run.row.marks.pinned, run.row.marks.muted);
            list.row.marks.dismissed_at = run.row.marks.dismissed_at;
            list.row.marks.tags.clone_from(&run.row.marks.tags);
            self.save(&mut list, News::Told).await?;
            self.bind_built_in(&list, &mut run).await?;
        }
        // The same list over another way in, or once more: no revision.
        let is_news = !applied.is_nothing() || list.row.list.revision == 0;
        if is_news {
            let cause = Cause { kind: "todo.observe", request_id: None, at };
            list = self.revise_by_agent(list, applied, cause).await?;
        }
        if run.row.who.title.is_empty() {
            run.row.who.title.clone_from(&list.row.who.title);
        }
        run.mark_active(at);
        (run.row.life.calls, run.row.life.drift_at) = (0, None);
        self.save(&mut run, News::Updated).await?;
        list.follow(&run.row);
        self.save(&mut list, News::Updated).await?;
        Ok(observed(&list, is_news))
    }

    /// A message to a run settles that its built-in list stands still, until it is taken back.
    pub(super) async fn settle_drift(&mut self, run: &str) -> Result<()> {
        let run = self.find(run).await?;
        let Some(mut list) = self.sessions().built_in_list(&run).await? else { return Ok(()) };
        let Some(since) = list.row.life.drift_at else { return Ok(()) };
        let (id, is_settled) = (drift_id(since), has_asked(&run.list.edits, since));
        let dismissed = &mut list.row.marks.dismissed_needs;
        if dismissed.iter().any(|known| known.id == id) == is_settled {
            return Ok(());
        }
        dismissed.retain(|known| known.id != id);
        dismissed.extend(is_settled.then_some(DismissedNeed { id, until: None }));
        self.save(&mut list, News::Updated).await
    }
}

/// Of what came before it was listened to, a part of a list knows nothing; the agent's files will tell.
fn retain_known(drafts: &mut Vec<Draft>, list: Option<&Live>) {
    let known: HashSet<&str> = list.iter().flat_map(|list| &list.list.items).map(|item| item.id.as_str()).collect();
    let is_known = |draft: &Draft| draft.id.as_deref().is_some_and(|id| known.contains(id));
    drafts.retain(|draft| !draft.content.is_empty() || is_known(draft));
}

fn observed(list: &Live, news: bool) -> TodoObserved {
    TodoObserved { session_id: list.row.session_id.clone(), revision: list.row.list.revision, news }
}
