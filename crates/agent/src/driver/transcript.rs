//! A session's conversation as it grows: its entries are saved and published, text streams, and the end of a run is
//! recorded.

use super::conversation::surplus;
use super::run::Run;
use super::session::Session;
use super::state::{ENTRIES, Published, Unsaved};
use crate::fsm::{Answer, Event as MachineEvent, RequestId, RunEnd};
use hub::{ChatEntry, Entry, EntryKind, StoredChat};
use protocol::{ChatMessage, ChatOutcome, ChatUpdated, Code, Error, Event, Happened, Result, SessionReport, Text, say};
use std::sync::{MutexGuard, PoisonError};

impl Session {
    /// Adds an entry to the conversation, saves it and publishes it.
    pub(super) async fn record(&mut self, kind: EntryKind) {
        let entry = self.add(kind);
        self.save(vec![entry.stored()]).await;
        let message = entry.view();
        if message.is_some() {
            self.tell_updated(message);
        }
    }

    /// Adds an entry in memory only.
    pub(super) fn add(&mut self, kind: EntryKind) -> Entry {
        self.state.seq += 1;
        let entry = Entry { seq: self.state.seq, at: self.host.hub.time(), kind };
        self.entries.push(entry.clone());
        self.entries.drain(..surplus(&self.entries, 2 * ENTRIES));
        entry
    }

    /// Saves the state and these messages. What cannot be saved is shown from memory, and saved as soon as it can be.
    pub(super) async fn save(&mut self, messages: Vec<ChatEntry>) {
        if self.is_deleted {
            return;
        }
        let Err(error) = self.try_save(messages.clone()).await else { return };
        if error.code == Code::SessionNotFound {
            // Its deletion is on its way to this session, or was lost.
            self.is_deleted = true;
            return self.hear(MachineEvent::Abort);
        }
        tracing::error!(%error, session = self.session_id, "a message of a conversation is not kept");
        let notice = (!self.has_unsaved()).then(|| self.add(EntryKind::notice(say::notice_not_kept(&error))));
        let mut messages = self.with_unsaved(messages);
        messages.extend(notice.iter().map(Entry::stored));
        self.published().unsaved = Some(Unsaved { state: self.state.clone(), messages });
        if let Some(notice) = notice {
            self.tell_updated(notice.view());
        }
    }

    /// Saves the state and these messages.
    ///
    /// # Errors
    /// Those of [`hub::Hub::save_chat`]; nothing is saved then.
    pub(super) async fn try_save(&mut self, messages: Vec<ChatEntry>) -> Result<()> {
        let state = serde_json::to_string(&self.state).unwrap_or_default();
        let kept = StoredChat { state, running: self.run.is_some(), messages: self.with_unsaved(messages) };
        self.host.hub.save_chat(self.session_id.clone(), kept).await?;
        self.published().unsaved = None;
        Ok(())
    }

    /// The messages that could not be saved before, and these, each in its newest form.
    fn with_unsaved(&self, messages: Vec<ChatEntry>) -> Vec<ChatEntry> {
        let before = self.published().unsaved.as_ref().map(|unsaved| unsaved.messages.clone()).unwrap_or_default();
        let is_older = |entry: &ChatEntry| messages.iter().all(|newer| newer.seq != entry.seq);
        let mut all: Vec<_> = before.into_iter().filter(is_older).collect();
        all.extend(messages);
        all
    }

    pub(super) fn has_unsaved(&self) -> bool {
        self.published().unsaved.is_some()
    }

    fn published(&self) -> MutexGuard<'_, Published> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the part of an answer that people have read before it broke off; `for_model` if the model is to read it as
    /// well.
    pub(super) async fn record_streamed(&mut self, for_model: bool) {
        let Some((prose, reasoning)) = self.run.as_mut().map(Run::take_streamed) else { return };
        if !prose.is_empty() || !reasoning.is_empty() {
            let text = if for_model { prose.clone() } else { String::new() };
            self.record(EntryKind::Assistant { text, prose, source: None, reasoning, calls: Vec::new() }).await;
        }
    }

    /// Publishes more text or reasoning of the answer under way: as an event, and in the view for later readers.
    pub(super) fn stream(&mut self, delta: String, is_reasoning: bool) {
        let Some(run) = &mut self.run else { return };
        let streamed = &mut run.streamed[usize::from(is_reasoning)];
        let offset = *streamed;
        *streamed += delta.encode_utf16().count() as u64;
        let mut published = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        for view in [Some(&mut run.view), published.run.as_mut()].into_iter().flatten() {
            if is_reasoning { &mut view.reasoning } else { &mut view.content }.push_str(&delta);
        }
        drop(published);
        self.tell_delta(delta, offset, if is_reasoning { Event::ChatStreamReasoning } else { Event::ChatStreamDelta });
    }

    /// Takes the failure of a request for good, and tells the machine.
    pub(super) async fn failed(&mut self, id: RequestId, error: &Error) {
        self.performing = None;
        self.record_streamed(true).await;
        if let Some(run) = &mut self.run {
            run.fault = Some(error.clone());
        }
        self.hear(MachineEvent::Answer { id, answer: Answer::Failed(error.message.clone()) });
    }

    /// Ends the run, records that, and publishes it.
    pub(super) async fn ended(&mut self, end: &RunEnd) {
        let run = self.run.take();
        let fault = run.as_ref().and_then(|run| run.fault.clone());
        let (outcome, error, words) = outcome_of(end, self.is_interrupted, fault);
        self.performing = None;
        self.has_completed = *end == RunEnd::Completed;
        // The page shows by itself that a task is complete.
        let words = if *end == RunEnd::Completed { Text::default() } else { words };
        let Text { english: message, named } = words.clone();
        let (usage, cost) = run.as_ref().map(Run::totals).unwrap_or_default();
        self.record(EntryKind::End { outcome, message: message.clone(), text: named, usage, cost }).await;
        let (happened, text) = match outcome {
            ChatOutcome::Completed | ChatOutcome::Aborted => (Happened::Rests, None),
            ChatOutcome::Waiting | ChatOutcome::Interrupted => (Happened::Waits, Some(message.clone())),
            ChatOutcome::Failed => (Happened::Failed, Some(message.clone())),
        };
        // Before the event, so that its readers find the session in its new state.
        self.report(happened, text).await;
        if let Some(run) = &run {
            self.tell_end(run, outcome, error, words);
        }
    }

    /// Reports the session's state to the hub, as every agent does.
    pub(super) async fn report(&self, happened: Happened, text: Option<String>) {
        if self.is_deleted {
            return;
        }
        let report = SessionReport { happened, text, ..SessionReport::default() };
        if let Err(error) = self.host.call(&self.caller, report).await {
            tracing::warn!(%error, session = self.session_id, "what the built-in agent does is not noted");
        }
    }

    /// Puts the run into the view.
    pub(super) fn publish(&self) {
        self.published().run = self.run.as_ref().map(|run| run.view.clone());
    }

    /// Publishes the run and a new or changed message.
    pub(super) fn tell_updated(&self, message: Option<ChatMessage>) {
        self.publish();
        let run = self.run.as_ref().map(|run| run.view.clone());
        let updated = ChatUpdated { session_id: self.session_id.clone(), message, run, can_resume: self.can_resume() };
        self.tell(Event::ChatUpdated(Box::new(updated)));
    }

    /// Shows people what the run does.
    pub(super) fn doing(&mut self, doing: Text) {
        if let Some(run) = &mut self.run {
            (run.view.doing, run.view.doing_text) = (doing.english, doing.named);
        }
        self.tell_updated(None);
    }
}

/// The outcome of a run on the wire, its error code if it is an error, and its words for people. `fault` is the failure of
/// the model.
fn outcome_of(end: &RunEnd, is_interrupted: bool, fault: Option<Error>) -> (ChatOutcome, Option<Code>, Text) {
    let text = words(end);
    match end {
        RunEnd::Completed | RunEnd::Emptied => (ChatOutcome::Completed, None, text),
        RunEnd::Continued | RunEnd::Blocked => (ChatOutcome::Waiting, None, text),
        RunEnd::Aborted if is_interrupted => {
            (ChatOutcome::Interrupted, Some(Code::Unavailable), say::run_interrupted())
        }
        RunEnd::Aborted => (ChatOutcome::Aborted, None, text),
        RunEnd::Refused => (ChatOutcome::Waiting, Some(Code::PreflightRejected), text),
        RunEnd::Unanswered { .. } => (ChatOutcome::Waiting, Some(Code::NoPendingApproval), text),
        RunEnd::Failed(why) => {
            let (code, named) = fault.map_or((Code::AgentError, None), |error| (error.code, error.text));
            (ChatOutcome::Failed, Some(code), Text { english: why.clone(), named })
        }
        RunEnd::Unplanned | RunEnd::StepLimit(_) => (ChatOutcome::Failed, Some(Code::AgentError), text),
    }
}

/// The words for people of an end.
fn words(end: &RunEnd) -> Text {
    let text = match end {
        RunEnd::Completed | RunEnd::Failed(_) => Text::default(),
        RunEnd::Continued => say::run_continued(),
        RunEnd::Blocked => say::run_blocked(),
        RunEnd::Emptied => say::run_emptied(),
        RunEnd::Aborted => say::run_aborted(),
        RunEnd::Refused => say::run_refused(),
        RunEnd::Unanswered { can_resume: true } => say::run_unanswered_resume(),
        RunEnd::Unanswered { can_resume: false } => say::run_unanswered(),
        RunEnd::Unplanned => say::run_unplanned(),
        RunEnd::StepLimit(steps) => say::run_step_limit(steps),
    };
    text.in_english(end.to_string())
}
