//! The conversation: what is added to it and kept, what streams, and how a run ends in it.

use super::said::{Entry, Said, surplus};
use super::session::{Run, Seen, Session, Unkept};
use crate::fsm::{Event as MachineEvent, Outcome};
use hub::{ChatEntry, ChatKept};
use protocol::{ChatMessage, ChatOutcome, ChatUpdated, Code, Event, Happened, Result, SessionReport};
use std::sync::{MutexGuard, PoisonError};

impl Session {
    /// Adds to the conversation.
    pub(super) async fn say(&mut self, said: Said) {
        let entry = self.add(said);
        self.keep(vec![entry.stored()]).await;
        let message = entry.view();
        if message.is_some() {
            self.tell_updated(message);
        }
    }

    pub(super) fn add(&mut self, said: Said) -> Entry {
        self.state.seq += 1;
        let entry = Entry { seq: self.state.seq, at: self.host.hub.time(), said };
        self.entries.push(entry.clone());
        self.entries.drain(..surplus(&self.entries, 2 * super::KEPT_ENTRIES));
        entry
    }

    /// Keeps what there is to go on from, and these messages; where that fails, as soon as it can be.
    pub(super) async fn keep(&mut self, messages: Vec<ChatEntry>) {
        if self.is_deleted {
            return;
        }
        let Err(error) = self.try_keep(messages.clone()).await else { return };
        if error.code == Code::SessionNotFound {
            // That it is deleted is on its way, or was lost.
            self.is_deleted = true;
            return self.hear(MachineEvent::Abort);
        }
        tracing::error!(%error, session = self.session_id, "a message of a conversation is not kept");
        let notice = (!self.is_behind()).then(|| {
            let message = format!("What is said here is not kept yet, and it is tried again: {error}");
            self.add(Said::notice(message))
        });
        let mut messages = self.unkept(messages);
        messages.extend(notice.iter().map(Entry::stored));
        self.seen().unkept = Some(Unkept { state: self.state.clone(), messages });
        if let Some(notice) = notice {
            self.tell_updated(notice.view());
        }
    }

    /// The same, for who has to know whether it is.
    pub(super) async fn try_keep(&mut self, messages: Vec<ChatEntry>) -> Result<()> {
        let state = serde_json::to_string(&self.state).unwrap_or_default();
        let kept = ChatKept { state, running: self.run.is_some(), messages: self.unkept(messages) };
        self.host.hub.keep_chat(self.session_id.clone(), kept).await?;
        self.seen().unkept = None;
        Ok(())
    }

    /// What could not be kept before, and these messages, each as it is now.
    fn unkept(&self, messages: Vec<ChatEntry>) -> Vec<ChatEntry> {
        let before = self.seen().unkept.as_ref().map(|unkept| unkept.messages.clone()).unwrap_or_default();
        let is_older = |entry: &ChatEntry| messages.iter().all(|newer| newer.seq != entry.seq);
        let mut all: Vec<_> = before.into_iter().filter(is_older).collect();
        all.extend(messages);
        all
    }

    /// The database is behind what was said.
    pub(super) fn is_behind(&self) -> bool {
        self.seen().unkept.is_some()
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What people have read of an answer stays, though it was not to its end; its model reads that as well, or not.
    pub(super) async fn keep_streamed(&mut self, is_said: bool) {
        let Some((prose, reasoning)) = self.run.as_mut().map(Run::take_streamed) else { return };
        if !prose.is_empty() || !reasoning.is_empty() {
            let text = if is_said { prose.clone() } else { String::new() };
            self.say(Said::Assistant { text, prose, reasoning, calls: Vec::new() }).await;
        }
    }

    /// More of the answer under way, or of what is thought before it; for those as well who look at it only now.
    pub(super) fn stream(&mut self, delta: String, is_thought: bool) {
        let Some(run) = &mut self.run else { return };
        let streamed = &mut run.streamed[usize::from(is_thought)];
        let offset = *streamed;
        *streamed += delta.encode_utf16().count() as u64;
        let mut seen = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        for view in [Some(&mut run.view), seen.run.as_mut()].into_iter().flatten() {
            if is_thought { &mut view.reasoning } else { &mut view.content }.push_str(&delta);
        }
        drop(seen);
        self.tell_delta(delta, offset, if is_thought { Event::ChatStreamReasoning } else { Event::ChatStreamDelta });
    }

    /// The run is over.
    pub(super) async fn ended(&mut self, outcome: &Outcome) {
        let run = self.run.take();
        let fault = run.as_ref().and_then(|run| run.fault);
        let is_seen = *outcome == Outcome::Completed;
        let (outcome, error, message) = said_of(outcome, self.is_interrupted, fault);
        self.performing = None;
        // That it is complete is seen.
        let message = if is_seen { String::new() } else { message };
        let (usage, cost) = run.as_ref().map(Run::took).unwrap_or_default();
        self.say(Said::End { outcome, message: message.clone(), usage, cost }).await;
        let (happened, text) = match outcome {
            ChatOutcome::Completed | ChatOutcome::Aborted => (Happened::Rests, None),
            ChatOutcome::Waiting | ChatOutcome::Interrupted => (Happened::Waits, Some(message.clone())),
            ChatOutcome::Failed => (Happened::Failed, Some(message.clone())),
        };
        // Who hears of the end finds the session as it is then.
        self.report(happened, text).await;
        if let Some(run) = &run {
            self.tell_end(run, outcome, error, &message);
        }
    }

    pub(super) async fn report(&self, happened: Happened, text: Option<String>) {
        if self.is_deleted {
            return;
        }
        let report = SessionReport { happened, text, ..SessionReport::default() };
        if let Err(error) = self.host.call(&self.caller, report).await {
            tracing::warn!(%error, session = self.session_id, "what the built-in agent does is not noted");
        }
    }

    /// Everybody may look at the run as it is now.
    pub(super) fn publish(&self) {
        self.seen().run = self.run.as_ref().map(|run| run.view.clone());
    }

    pub(super) fn tell_updated(&self, message: Option<ChatMessage>) {
        self.publish();
        let run = self.run.as_ref().map(|run| run.view.clone());
        let updated = ChatUpdated { session_id: self.session_id.clone(), message, run, can_resume: self.can_resume() };
        self.host.hub.tell(Event::ChatUpdated(Box::new(updated)));
    }

    /// Says what it does, to people.
    pub(super) fn doing(&mut self, doing: String) {
        if let Some(run) = &mut self.run {
            run.view.doing = doing;
        }
        self.tell_updated(None);
    }
}

/// How people read an outcome, and the code of the error that it is; `fault` is that of a model that failed.
fn said_of(outcome: &Outcome, is_interrupted: bool, fault: Option<Code>) -> (ChatOutcome, Option<Code>, String) {
    let message = outcome.to_string();
    match outcome {
        Outcome::Completed | Outcome::Emptied => (ChatOutcome::Completed, None, message),
        Outcome::Continued | Outcome::Blocked => (ChatOutcome::Waiting, None, message),
        Outcome::Aborted if is_interrupted => {
            (ChatOutcome::Interrupted, Some(Code::Unavailable), "Sightline ended in the middle of it.".to_owned())
        }
        Outcome::Aborted => (ChatOutcome::Aborted, None, message),
        Outcome::Refused => (ChatOutcome::Waiting, Some(Code::PreflightRejected), message),
        Outcome::Unanswered { .. } => (ChatOutcome::Waiting, Some(Code::NoPendingApproval), message),
        Outcome::Failed(_) => (ChatOutcome::Failed, fault.or(Some(Code::AgentError)), message),
        Outcome::Unplanned | Outcome::StepLimit(_) => (ChatOutcome::Failed, Some(Code::AgentError), message),
    }
}
