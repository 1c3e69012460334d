//! What agents report by their hooks, and what they hear then.

use crate::live::Live;
use crate::resolve::{OWN, PROCESS, of_process};
use crate::writer::{Batch, Failure};
use crate::{Hub, view};
use jiff::Timestamp;
use protocol::{Caller, Code, EditView, Error, Event, Happened, SessionEvent, SessionReport, SessionReported};
use std::collections::HashMap;
use std::sync::{MutexGuard, PoisonError};
use store::Transaction;
use todo::{EditState, short};

/// The kind of evidence that ties an agent's own id to a session by a result of ours that the agent read. A resumed
/// run may read that of another session: the newest counts.
const READ: &str = "read";

/// How old the last call of a session may be whose result a hook brings.
const JUST_NOW_SECONDS: i64 = 60;

/// How long an answer to a hook may be on its way; what it should have told is told again after that.
const OFFERED_SECONDS: i64 = 5;

/// Processes above a hook that may be its agent: a shell may stand in between.
const PROCESSES: usize = 3;

/// Prompts of runs kept whose session is not known yet.
const PROMPTS: usize = 256;

/// What a session is called before anybody asked for anything and before it has a list.
const UNTITLED: &str = "";

type Outcome<T> = std::result::Result<T, Failure>;

/// What hooks reported that is not of a session yet, or on its way.
#[derive(Default)]
pub(crate) struct Reports {
    /// Sessions whose edits a hook's answer is about to tell, since when.
    offered: HashMap<String, Timestamp>,
    /// What was asked first in runs whose session is not known yet, by the run's key.
    asked: HashMap<String, String>,
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
        let agent = caller.agent.as_ref();
        let Some((agent, own)) = agent.and_then(|agent| Some((agent, agent.own_session.as_deref()?))) else {
            let problem = "only an agent that says its own session can report";
            return Err(Error::new(Code::InvalidMessage, problem).into());
        };
        let key = format!("{}|{own}", agent.agent.name);
        let asked = ask.text.as_deref().filter(|_| ask.happened == Happened::Prompted).map(short);
        let Some((mut live, new)) = self.reporting(transaction, batch, caller, &key, ask).await? else {
            self.keep_prompt(key, asked);
            return Ok(SessionReported::default());
        };
        for process in agent.processes.iter().take(PROCESSES) {
            let key = of_process(agent, process);
            let known = self.bound(&batch.pending, PROCESS, &key).await?;
            if known.is_none_or(|known| known.row.session_id != live.row.session_id) {
                self.bind(transaction, batch, &live, PROCESS, &key).await?;
            }
        }
        if live.row.label.is_none()
            && let Some(asked) = self.first_prompt(&key, &live, asked)
        {
            live.row.title = asked;
        }
        live.heard(self.now());
        let reason = || ask.text.as_deref().map(short);
        (live.row.state, live.row.state_reason) = match ask.happened {
            Happened::Worked | Happened::Prompted => ("open".to_owned(), None),
            Happened::Waits => ("waiting".to_owned(), reason()),
            Happened::Rests => ("resting".to_owned(), None),
            Happened::Ended => ("finished".to_owned(), reason()),
        };
        live.row.cursor = transaction.advance();
        transaction.session(&mut live.row).await?;
        batch.events.push(match new {
            true => Event::SessionCreated(SessionEvent {
                cursor: self.inner.board.cursor_text(live.row.cursor),
                session: Box::new(view::with_todos(&live, true, self.now())),
            }),
            false => self.updated(&live),
        });
        let edits = if ask.listens { self.offer(&live) } else { Vec::new() };
        let reported = SessionReported {
            session_id: Some(live.row.session_id.clone()),
            todos: if edits.is_empty() { Vec::new() } else { live.list.items.clone() },
            edits,
        };
        batch.pending.lives.insert(live.row.session_id.clone(), live);
        Ok(reported)
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

    fn reports(&self) -> MutexGuard<'_, Reports> {
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
    ) -> Outcome<Option<(Live, bool)>> {
        // An agent that says the same id to its tool server has said it all; one that only hooks know of may not say it.
        let own = self.bound(&batch.pending, OWN, key).await?;
        if let Some(live) = own.as_ref().filter(|live| live.row.revision > 0) {
            return Ok(Some((live.clone(), false)));
        }
        let known = self.bound(&batch.pending, READ, key).await?.or(own);
        let other = ask.session_id.as_deref();
        let other = other.filter(|read| known.as_ref().is_none_or(|live| live.row.session_id != *read));
        if let Some(read) = other {
            match self.named(&batch.pending, read).await {
                // A result was read just now, so its call was just now.
                Ok(live) if self.now().as_second() - live.row.last_activity_at.as_second() <= JUST_NOW_SECONDS => {
                    self.bind(transaction, batch, &live, READ, key).await?;
                    return Ok(Some((live, false)));
                }
                // Or of another gateway, or of a session that was deleted since.
                Ok(_) => {}
                Err(error) if error.code == Code::SessionNotFound => {}
                Err(error) => return Err(error.into()),
            }
        }
        if known.is_some() || !ask.begins || ask.happened == Happened::Ended {
            return Ok(known.map(|live| (live, false)));
        }
        let mut live = self.new_session(caller, None);
        live.row.list_state = "never-called".to_owned();
        live.row.cursor = transaction.advance();
        transaction.session(&mut live.row).await?;
        self.bind(transaction, batch, &live, OWN, key).await?;
        Ok(Some((live, true)))
    }

    async fn bind(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        live: &Live,
        kind: &str,
        key: &str,
    ) -> Outcome<()> {
        transaction.bind(&live.row, kind, key).await?;
        batch.pending.bindings.insert((kind.to_owned(), key.to_owned()), live.row.session_id.clone());
        Ok(())
    }
}
