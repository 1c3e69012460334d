//! The task of a session: it takes inputs and updates, tells the machine, and performs what the machine wants.

use super::calls::UNKNOWN_RESULT;
use super::handle::Input;
use super::session::Session;
use super::update::{ModelAnswer, Update};
use crate::fsm::{Answer, ChangedBy, Effect, Event, RequestId, RunEnd};
use crate::prompt;
use hub::EntryKind;
use protocol::{ChatStarted, Done, Happened, Text, say};
use std::time::Duration;
use tokio::sync::mpsc;

/// Time for which a session without a run keeps its tools.
const IDLE: Duration = Duration::from_secs(600);

/// The wait before another try to save, unless there is more to save before.
const SAVE_AGAIN: Duration = Duration::from_secs(5);

impl Session {
    /// Works until nothing has happened for a while, the session is deleted, or the process ends. `may_end` is asked
    /// before an idle session ends.
    pub(super) async fn serve(mut self, may_end: impl Fn(&str, &mut mpsc::Receiver<Input>) -> bool) {
        while !self.is_deleted {
            tokio::select! {
                biased;
                () = self.stop.cancelled() => {
                    self.drain().await;
                    break;
                }
                input = self.inputs.recv() => match input {
                    Some(input) => self.input(input).await,
                    None => break,
                },
                Some((id, update)) = self.updates.recv() => {
                    if matches!(update, Update::Answer(_)) {
                        self.look().await;
                    }
                    // A cancelled request may still have updates on their way.
                    if self.performing.as_ref().is_some_and(|(performing, _)| *performing == id) {
                        self.update(id, update).await;
                    }
                }
                () = tokio::time::sleep(SAVE_AGAIN), if self.has_unsaved() => self.save(Vec::new()).await,
                () = tokio::time::sleep(IDLE), if self.run.is_none() => {
                    if may_end(&self.session_id, &mut self.inputs) {
                        break;
                    }
                }
            }
            self.drain().await;
            while self.begin_later().await {
                self.drain().await;
            }
        }
        if self.has_unsaved() {
            self.save(Vec::new()).await;
        }
        if let Some(toolbox) = self.toolbox.take() {
            toolbox.close().await;
        }
    }

    /// Ends the run that a process before this one left behind.
    pub(super) async fn recover(&mut self) {
        self.is_interrupted = true;
        let mut unknown = Vec::new();
        for entry in &mut self.entries {
            if let EntryKind::Tool { result: result @ None, is_error, .. } = &mut entry.kind {
                (*result, *is_error) = (Some(format!("Sightline ended in the middle of it. {UNKNOWN_RESULT}")), true);
                unknown.push(entry.stored());
            }
        }
        if !unknown.is_empty() {
            self.save(unknown).await;
        }
        let last = self.state.seq;
        self.hear(Event::Abort);
        self.drain().await;
        if self.state.seq == last {
            self.ended(&RunEnd::Aborted).await;
        }
        self.is_interrupted = false;
    }

    /// Takes the list as it is now: the news of an edit that its user knows as made may still be on its way.
    async fn look(&mut self) {
        if let Ok(list) = self.host.list(&self.session_id).await {
            self.input(Input::List(list)).await;
            self.drain().await;
        }
    }

    async fn input(&mut self, input: Input) {
        match input {
            Input::Begin { content, model, request_id, created, allow_imported, reply } => {
                if let Err(error) = self.begin(&request_id, model, content.clone(), allow_imported).await {
                    let _ = reply.send(Err(error));
                    return;
                }
                let _ = reply.send(Ok(self.started(created)));
                self.tell_updated(content.as_ref().and_then(|_| self.entries.last()?.view()));
                let happened = if content.is_some() { Happened::Prompted } else { Happened::Worked };
                self.report(happened, content).await;
            }
            Input::Abort { reply } => {
                self.hear(Event::Abort);
                self.aborting.push(reply);
            }
            Input::Deleted => {
                self.is_deleted = true;
                self.hear(Event::Abort);
            }
            Input::Approval { answer, reply } => {
                let _ = reply.send(self.approval(&answer).await);
            }
            Input::Preflight { answer, reply } => {
                let _ = reply.send(self.checked(answer).await);
            }
            // The session's own change, which it knows already.
            Input::List(list) if list == *self.machine.list() => {}
            Input::List(list) => {
                let (could_resume, checkpoint) = (self.can_resume(), self.state.checkpoint.clone());
                self.hear(Event::List { list, by: ChangedBy::User });
                if self.run.is_none() && self.state.checkpoint != checkpoint {
                    self.save(Vec::new()).await;
                }
                if self.can_resume() != could_resume {
                    self.tell_updated(None);
                }
            }
        }
    }

    fn started(&self, created: bool) -> ChatStarted {
        ChatStarted {
            session_id: self.session_id.clone(),
            request_id: self.request_id(),
            model: self.state.model.clone(),
            created,
        }
    }

    async fn update(&mut self, id: RequestId, update: Update) {
        match update {
            Update::Text(delta) => self.stream(delta, false),
            Update::Reasoning(delta) => self.stream(delta, true),
            Update::Notice(text) => self.record(EntryKind::notice(text)).await,
            Update::Retrying { why, text } => self.record(retried(why, text)).await,
            Update::Restarted { why, text } => {
                // People have read the part that came; the model begins anew.
                self.record_streamed(false).await;
                self.record(retried(why, text)).await;
                if let Some(run) = &mut self.run {
                    run.about_blocks.clear();
                }
            }
            Update::Block(_) if self.state.calls_todo_tools => {
                self.left_out("this model changes its list by tool calls.".to_owned()).await;
            }
            Update::Block(drafts) => match (self.write_list(drafts, false).await, &mut self.run) {
                (Ok(written), Some(run)) => run.about_blocks.extend(written.remarks),
                (Ok(_), None) => {}
                (Err(error), _) => self.left_out(error.to_string()).await,
            },
            Update::Broken(problem) => self.left_out(problem).await,
            Update::NoTools => {
                (self.state.prose, self.state.calls_todo_tools) = (true, false);
                self.record(EntryKind::notice(say::notice_no_tools(&self.state.model))).await;
                if let Some(purpose) = self.run.as_ref().and_then(|run| run.asked.clone()) {
                    self.ask_model(id, purpose).await;
                }
            }
            Update::Connected(connected) => {
                let (toolbox, purpose, reminder) = *connected;
                self.connected(id, toolbox).await;
                self.ask(id, purpose, reminder).await;
            }
            Update::Called(call, text, is_error) => self.called(id, &call, text, is_error).await,
            Update::Answer(answer) => {
                self.performing = None;
                let (answer, of_model) = *answer;
                if let Some(of_model) = of_model {
                    self.answered(of_model).await;
                }
                if matches!(answer, Answer::Approved(_) | Answer::Checked(_)) {
                    self.waiting_is_over().await;
                }
                self.hear(Event::Answer { id, answer });
            }
            Update::Failed(error) => self.failed(id, &error).await,
        }
    }

    /// A todo block in the answer changes nothing: people are told at once, the model after its answer.
    async fn left_out(&mut self, problem: String) {
        self.record(EntryKind::notice(say::notice_left_out(&problem))).await;
        if let Some(run) = &mut self.run {
            run.about_blocks.push(format!("Left out, so that it changed nothing: {problem}"));
        }
    }

    /// The model's answer is complete.
    async fn answered(&mut self, answer: ModelAnswer) {
        let reported = self.run.as_mut().and_then(|run| {
            run.usage += answer.usage;
            run.take_streamed();
            run.calls.extend(answer.calls.iter().map(|call| (call.id.clone(), call.clone())));
            run.reported.take()
        });
        if let Some((revision, edits)) = reported {
            self.delivered(revision, edits).await;
        }
        let ModelAnswer { text, source, prose, reasoning, calls, notice, .. } = answer;
        if !text.is_empty() || !calls.is_empty() || !reasoning.is_empty() {
            self.record(EntryKind::Assistant { text, prose, source, reasoning, calls }).await;
        }
        if let Some(message) = notice {
            self.record(EntryKind::notice(message)).await;
        }
        let sentences = self.run.as_mut().map(|run| std::mem::take(&mut run.about_blocks)).unwrap_or_default();
        if !sentences.is_empty() {
            self.record(EntryKind::Reminder { content: prompt::about_blocks(&sentences) }).await;
        }
    }

    /// Performs the machine's effects, one after the other, and takes inputs between them.
    async fn drain(&mut self) {
        loop {
            // Effects after the end of a run are performed before another run can begin.
            while self.run.is_some() || self.effects.is_empty() {
                let Ok(input) = self.inputs.try_recv() else { break };
                self.input(input).await;
            }
            if self.stop.is_cancelled() && self.run.is_some() && !self.is_interrupted {
                self.is_interrupted = true;
                self.hear(Event::Abort);
            }
            let Some(effect) = self.effects.pop_front() else { break };
            self.perform(effect).await;
        }
        for reply in self.aborting.drain(..) {
            let _ = reply.send(Ok(Done {}));
        }
    }

    async fn perform(&mut self, effect: Effect) {
        // The machine may have cancelled the request meanwhile. It waits for a change of the list in any case.
        let is_change = matches!(effect, Effect::Change { .. });
        if !is_change && effect.request().is_some_and(|id| !self.machine.waits_for(id)) {
            return;
        }
        match effect {
            Effect::Start => self.tell_start(),
            Effect::Ask { id, purpose, reminder, more } => {
                if let Some(run) = &mut self.run {
                    run.more = more;
                }
                self.ask(id, purpose, reminder).await;
            }
            Effect::Call { id, call } => self.call(id, call).await,
            Effect::Reject { call, reason } => self.reject(call, reason).await,
            Effect::Approve { id, call } => self.wait_for_approval(id, &call).await,
            Effect::Preflight { id, steps } => self.wait_for_preflight(id, &steps).await,
            Effect::Change { id, change } => {
                if !self.state.checkpoint.plan.is_empty() {
                    // The change may put the plan into the list.
                    self.save(Vec::new()).await;
                }
                let answer = match self.change_list(change).await {
                    Ok(list) => Answer::Changed(list),
                    Err(error) => Answer::Failed(format!("The list cannot be changed: {error}")),
                };
                self.hear(Event::Answer { id, answer });
            }
            Effect::Cancel { id } => self.cancel(id).await,
            Effect::Tell(notice) => self.record(EntryKind::notice(notice.text())).await,
            Effect::End(end) => self.ended(&end).await,
        }
    }

    async fn cancel(&mut self, id: RequestId) {
        if self.performing.take_if(|(performing, _)| *performing == id).is_none() {
            return;
        }
        let Some(run) = &mut self.run else { return };
        (run.view.approval, run.view.preflight) = (None, None);
        self.record_streamed(true).await;
    }
}

/// The notice that a model is asked once more.
fn retried(why: String, text: Text) -> EntryKind {
    let Text { english: message, named: text } = text;
    EntryKind::Notice { message, text, retries: Some(why) }
}
