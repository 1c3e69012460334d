//! One session of the built-in agent's: its machine, its conversation and what is under way, in one task.

use super::calls::NOT_KNOWN;
use super::said::{Entry, Said};
use super::step::{Answered, Step, Steps, WAITING};
use super::toolbox::Toolbox;
use super::{Host, settings};
use crate::fsm::{
    Answer, Approval, By, EditedStep, Effect, Event, Kept, Machine, Outcome, Preflight, Purpose, RequestId, Snapshot,
};
use crate::model::{Call, Usage};
use crate::prompt::Voice;
use futures_util::FutureExt;
use hub::{ChatEntry, ChatKept, Presence};
use protocol::{
    Caller, ChatCost, ChatRun, ChatStarted, ChatUsage, Code, Done, Error, Happened, PreflightApproval, Result,
    ToolApprovalResponse,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// How long a session without a run keeps its tools.
const IDLE: Duration = Duration::from_secs(600);

/// How long it is waited before what could not be kept is tried again, where nothing else is to be kept before.
const KEPT_AGAIN: Duration = Duration::from_secs(5);

/// What somebody wants of a session.
pub(super) enum Input {
    /// A run by a prompt; without its content a resumption.
    Begin {
        content: Option<String>,
        model: String,
        request_id: String,
        created: bool,
        reply: Reply<ChatStarted>,
    },
    Abort {
        reply: Reply<Done>,
    },
    Approval {
        answer: ToolApprovalResponse,
        reply: Reply<Done>,
    },
    Preflight {
        answer: PreflightApproval,
        reply: Reply<Done>,
    },
    /// Its list is otherwise, perhaps by somebody else.
    List(Snapshot),
    /// The session is deleted.
    Deleted,
}

pub(super) type Reply<T> = oneshot::Sender<Result<T>>;

/// What a session goes on from, beside its list and its messages.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct State {
    /// `provider:model`.
    pub(super) model: String,
    /// That model has no tool calls.
    pub(super) prose: bool,
    pub(super) kept: Kept,
    /// The number of the newest message.
    pub(super) seq: u64,
    /// A digest of each tool that is approved, as it was then.
    pub(super) approved: BTreeMap<String, String>,
    /// Its model keeps its list by tool calls: blocks in its prose are quotations.
    pub(super) calls_todo_tools: bool,
}

/// What everybody may look at.
pub(super) type View = Arc<Mutex<Seen>>;

#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    pub(super) run: Option<ChatRun>,
    /// What the database has not taken yet: it is full, or gone.
    pub(super) unkept: Option<Unkept>,
}

/// What goes before what is stored.
#[derive(Debug, Clone, Default)]
pub(super) struct Unkept {
    pub(super) state: State,
    pub(super) messages: Vec<ChatEntry>,
}

pub(super) struct Session {
    pub(super) host: Arc<Host>,
    pub(super) session_id: String,
    pub(super) caller: Caller,
    pub(super) folder: Option<String>,
    pub(super) machine: Machine,
    pub(super) state: State,
    pub(super) entries: Vec<Entry>,
    pub(super) run: Option<Run>,
    pub(super) toolbox: Option<Arc<Toolbox>>,
    pub(super) effects: VecDeque<Effect>,
    pub(super) performing: Option<(RequestId, AbortOnDropHandle<()>)>,
    steps_in: mpsc::Sender<(RequestId, Step)>,
    steps: mpsc::Receiver<(RequestId, Step)>,
    pub(super) view: View,
    inputs: mpsc::Receiver<Input>,
    stop: CancellationToken,
    /// Who waits for a run to be stopped.
    aborting: Vec<Reply<Done>>,
    /// The process ends, or has ended: an abort is not the user's.
    pub(super) is_interrupted: bool,
    /// The session is deleted: nothing of it can be kept.
    pub(super) is_deleted: bool,
}

/// A run that goes on.
pub(super) struct Run {
    pub(super) view: ChatRun,
    usage: Usage,
    /// UTF-16 code units of the answer under way, and of what was thought before it.
    pub(super) streamed: [u64; 2],
    pub(super) asked: Option<Purpose>,
    /// Further calls that the answer to it may take.
    pub(super) more: u32,
    /// What the model was told of the list with its call that is under way.
    pub(super) told: Option<(u64, Vec<String>)>,
    /// The model's calls that are not answered.
    pub(super) calls: HashMap<String, Call>,
    /// The call of which everybody has heard since it was asked for, and which is not made yet.
    pub(super) announced: Option<String>,
    /// What its model failed of.
    pub(super) fault: Option<Code>,
    has_started: bool,
    /// The request before which the tool servers were connected, or asked for their tools, last.
    pub(super) connected: Option<RequestId>,
    _presence: Presence,
}

impl Run {
    /// What it took so far, where that is known.
    pub(super) fn took(&self) -> (Option<ChatUsage>, Option<ChatCost>) {
        let Usage { input_tokens, output_tokens, cost } = self.usage;
        let total_tokens = input_tokens.saturating_add(output_tokens);
        let usage = (total_tokens > 0).then_some(ChatUsage { input_tokens, output_tokens, total_tokens });
        (usage, cost.map(|total_cost| ChatCost { total_cost, ..ChatCost::default() }))
    }

    /// What has come of the answer under way; nothing has, from now on.
    pub(super) fn take_streamed(&mut self) -> (String, String) {
        self.streamed = [0, 0];
        (std::mem::take(&mut self.view.content), std::mem::take(&mut self.view.reasoning))
    }

    /// The arguments of a call that is not answered.
    pub(super) fn args(&self, call_id: &str) -> serde_json::Value {
        self.calls.get(call_id).map(|call| call.args.clone()).unwrap_or_default()
    }
}

impl Session {
    pub(super) fn new(
        host: Arc<Host>,
        session_id: String,
        caller: Caller,
        stored: Option<&ChatKept>,
        list: Snapshot,
        inputs: mpsc::Receiver<Input>,
    ) -> Self {
        let stop = host.stop.clone();
        let state: State = stored.and_then(|stored| serde_json::from_str(&stored.state).ok()).unwrap_or_default();
        let entries = stored.map(|stored| stored.messages.iter().filter_map(Entry::read).collect()).unwrap_or_default();
        let machine = Machine::new(settings::of(&host.hub.settings()), state.kept.clone(), list);
        let (steps_in, steps) = mpsc::channel(WAITING);
        let folder = caller.agent.as_ref().and_then(|agent| agent.folder.clone());
        Self {
            host,
            session_id,
            caller,
            folder,
            machine,
            state,
            entries,
            run: None,
            toolbox: None,
            effects: VecDeque::new(),
            performing: None,
            steps_in,
            steps,
            view: View::default(),
            inputs,
            stop,
            aborting: Vec::new(),
            is_interrupted: false,
            is_deleted: false,
        }
    }

    pub(super) fn view(&self) -> View {
        self.view.clone()
    }

    /// Works until nobody wants anything for a while, the session is deleted, or the process ends.
    pub(super) async fn serve(mut self) {
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
                Some((id, step)) = self.steps.recv() => {
                    // What was cancelled may still have something on its way.
                    if self.performing.as_ref().is_some_and(|(performing, _)| *performing == id) {
                        self.step(id, step).await;
                    }
                }
                () = tokio::time::sleep(KEPT_AGAIN), if self.is_behind() => self.keep(Vec::new()).await,
                () = tokio::time::sleep(IDLE), if self.run.is_none() => {
                    if self.host.let_go(&self.session_id, &mut self.inputs) {
                        break;
                    }
                }
            }
            self.drain().await;
        }
        if self.is_behind() {
            self.keep(Vec::new()).await;
        }
        if let Some(toolbox) = self.toolbox.take() {
            toolbox.close().await;
        }
    }

    /// A process before this one has ended in the middle of a run.
    pub(super) async fn recover(&mut self) {
        self.is_interrupted = true;
        let mut unknown = Vec::new();
        for entry in &mut self.entries {
            if let Said::Tool { result: result @ None, is_error, .. } = &mut entry.said {
                (*result, *is_error) = (Some(format!("Sightline ended in the middle of it. {NOT_KNOWN}")), true);
                unknown.push(entry.stored());
            }
        }
        if !unknown.is_empty() {
            self.keep(unknown).await;
        }
        let last = self.state.seq;
        self.hear(Event::Abort);
        self.drain().await;
        if self.state.seq == last {
            self.ended(&Outcome::Aborted).await;
        }
        self.is_interrupted = false;
    }

    async fn input(&mut self, input: Input) {
        match input {
            Input::Begin { content, model, request_id, created, reply } => {
                if let Err(error) = self.begin(&request_id, model, content.clone()).await {
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
            // What the session has done itself it knows, unless somebody has come between.
            Input::List(list) if list == *self.machine.list() => {}
            Input::List(list) => {
                let (could_resume, kept) = (self.can_resume(), self.state.kept.clone());
                self.hear(Event::List { list, by: By::User });
                if self.run.is_none() && self.state.kept != kept {
                    self.keep(Vec::new()).await;
                }
                if self.can_resume() != could_resume {
                    self.tell_updated(None);
                }
            }
        }
    }

    pub(super) fn can_resume(&self) -> bool {
        self.run.is_none() && self.machine.can_resume()
    }

    fn started(&self, created: bool) -> ChatStarted {
        ChatStarted {
            session_id: self.session_id.clone(),
            request_id: self.run.as_ref().map(|run| run.view.request_id.clone()).unwrap_or_default(),
            model: self.state.model.clone(),
            created,
        }
    }

    /// Begins a run, by a prompt or a resumption, unless one goes on. It is kept then: whatever becomes of this process,
    /// it can be resumed. Where it cannot be kept nothing has begun.
    async fn begin(&mut self, request_id: &str, model: String, content: Option<String>) -> Result<()> {
        if self.run.is_some() {
            let problem = "the built-in agent is at work in this session; stop it, or wait for its end";
            return Err(Error::new(Code::StreamInProgress, problem));
        }
        if self.is_deleted {
            return Err(Error::new(Code::SessionNotFound, "the session has just been deleted"));
        }
        let before = (self.machine.clone(), self.state.clone(), self.effects.len());
        let connection = self.caller.agent.as_ref().and_then(|agent| agent.connection.clone()).unwrap_or_default();
        self.run = Some(Run {
            view: ChatRun { request_id: request_id.to_owned(), ..ChatRun::default() },
            usage: Usage::default(),
            streamed: [0, 0],
            asked: None,
            more: 0,
            told: None,
            calls: HashMap::new(),
            announced: None,
            fault: None,
            has_started: false,
            connected: None,
            _presence: self.host.hub.present(&connection),
        });
        if model != self.state.model {
            (self.state.model, self.state.prose, self.state.calls_todo_tools) = (model, false, false);
        }
        self.hear(match &content {
            Some(text) => Event::Prompt { text: text.clone() },
            None => Event::Resume,
        });
        let said = content.map(|content| self.add(Said::User { content }).stored());
        let is_prompt = said.is_some();
        self.publish();
        let kept = self.try_keep(said.into_iter().collect()).await;
        if kept.is_err() {
            let effects;
            (self.machine, self.state, effects) = before;
            self.effects.truncate(effects);
            self.run = None;
            self.publish();
            if is_prompt {
                self.entries.pop();
            }
        }
        kept
    }

    /// The user has answered a request for approval.
    async fn approval(&mut self, answer: &ToolApprovalResponse) -> Result<Done> {
        let waiting = self.run.as_ref().and_then(|run| run.view.approval.as_ref());
        let is_it = waiting.is_some_and(|waiting| waiting.tool_call_id == answer.tool_call_id);
        let Some((id, _)) = self.performing.take_if(|_| is_it) else { return Err(no_approval()) };
        self.nothing_waits().await;
        let approval = match (answer.approved, answer.session_approve) {
            (true, true) => Approval::Session,
            (true, false) => Approval::Once,
            (false, _) => Approval::Refused,
        };
        self.hear(Event::Answer { id, answer: Answer::Approved(approval) });
        Ok(Done {})
    }

    /// The user has answered a plan.
    async fn checked(&mut self, answer: PreflightApproval) -> Result<Done> {
        let waiting = self.run.as_ref().and_then(|run| run.view.preflight.as_ref());
        let is_it = waiting.is_some_and(|waiting| waiting.request_id == answer.request_id);
        let Some((id, _)) = self.performing.take_if(|_| is_it) else { return Err(no_preflight()) };
        self.nothing_waits().await;
        let answer = match (answer.approved, answer.edited_steps) {
            (false, _) => Preflight::Refused,
            (true, None) => Preflight::Approved,
            (true, Some(steps)) => Preflight::Edited(
                steps
                    .into_iter()
                    .map(|step| EditedStep { content: step.description, tool: step.tool_name, skip: step.skip })
                    .collect(),
            ),
        };
        self.hear(Event::Answer { id, answer: Answer::Checked(answer) });
        Ok(Done {})
    }

    async fn nothing_waits(&mut self) {
        if let Some(run) = &mut self.run {
            (run.view.approval, run.view.preflight) = (None, None);
        }
        self.report(Happened::Worked, None).await;
        self.tell_updated(None);
    }

    async fn step(&mut self, id: RequestId, step: Step) {
        match step {
            Step::Text(delta) => self.stream(delta, false),
            Step::Reasoning(delta) => self.stream(delta, true),
            Step::Notice(message) => self.say(Said::notice(message)).await,
            Step::Retrying { why, message } => self.say(Said::Notice { message, retries: Some(why) }).await,
            Step::Again { why, message } => {
                // People have read what came of it; its model begins anew.
                self.keep_streamed(false).await;
                self.say(Said::Notice { message, retries: Some(why) }).await;
            }
            Step::Block(_) if self.state.calls_todo_tools => {
                let message = "A todo block in the answer is left out: this model changes its list by tool calls.";
                self.say(Said::notice(message)).await;
            }
            Step::Block(drafts) => {
                let caller = hub::Hub::caller_key(&self.caller);
                if let Err(error) = self.write(todo::Change::Replace { caller, drafts }).await {
                    let message = format!("A todo block in the answer is left out: {error}");
                    self.say(Said::notice(message)).await;
                }
            }
            Step::NoTools => {
                (self.state.prose, self.state.calls_todo_tools) = (true, false);
                let message = format!("{} has no tool calls; it keeps its list in its answers.", self.state.model);
                self.say(Said::notice(message)).await;
                if let Some(purpose) = self.run.as_ref().and_then(|run| run.asked.clone()) {
                    self.ask_model(id, purpose).await;
                }
            }
            Step::Connected(connected) => {
                let (toolbox, purpose, reminder) = *connected;
                self.connected(id, toolbox).await;
                self.ask(id, purpose, reminder).await;
            }
            Step::Called(call, text, is_error) => self.called(id, &call, text, is_error).await,
            Step::Answer(answer) => {
                self.performing = None;
                let (answer, answered) = *answer;
                if let Some(answered) = answered {
                    self.answered(answered).await;
                }
                if matches!(answer, Answer::Approved(_) | Answer::Checked(_)) {
                    self.nothing_waits().await;
                }
                self.hear(Event::Answer { id, answer });
            }
            Step::Failed(error) => self.failed(id, &error).await,
        }
    }

    /// What was asked for failed for good.
    pub(super) async fn failed(&mut self, id: RequestId, error: &Error) {
        self.performing = None;
        self.keep_streamed(true).await;
        if let Some(run) = &mut self.run {
            run.fault = Some(error.code);
        }
        self.hear(Event::Answer { id, answer: Answer::Failed(error.message.clone()) });
    }

    /// The model's answer is whole.
    async fn answered(&mut self, answered: Answered) {
        let told = self.run.as_mut().and_then(|run| {
            run.usage += answered.usage;
            run.take_streamed();
            run.calls.extend(answered.calls.iter().map(|call| (call.id.clone(), call.clone())));
            run.told.take()
        });
        if let Some((revision, edits)) = told {
            self.delivered(revision, edits).await;
        }
        let Answered { text, prose, reasoning, calls, notice, .. } = answered;
        if !text.is_empty() || !calls.is_empty() || !reasoning.is_empty() {
            self.say(Said::Assistant { text, prose, reasoning, calls }).await;
        }
        if let Some(message) = notice {
            self.say(Said::notice(message)).await;
        }
    }

    /// The machine hears something; what it wants done is done by [`Session::drain`].
    pub(super) fn hear(&mut self, event: Event) {
        self.machine.configure(settings::with(&self.host.hub.settings(), self.toolbox.as_deref()));
        self.effects.extend(self.machine.handle(event));
        self.note_kept();
    }

    /// Does what the machine wants, one thing after the other; between them it hears what anybody wants of it.
    pub(super) async fn drain(&mut self) {
        loop {
            // Without a run what is left to do belongs to none: no other begins before it is done.
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
        // The machine has thought better of it meanwhile. A change of the list it waits for in any case.
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
                if !self.state.kept.plan.is_empty() {
                    // It may be the plan that is put into the list.
                    self.keep(Vec::new()).await;
                }
                let answer = match self.change(change).await {
                    Ok(list) => Answer::Changed(list),
                    Err(error) => Answer::Failed(format!("The list cannot be changed: {error}")),
                };
                self.hear(Event::Answer { id, answer });
            }
            Effect::Cancel { id } => self.cancel(id).await,
            Effect::Tell(notice) => self.say(Said::notice(notice.to_string())).await,
            Effect::End(outcome) => self.ended(&outcome).await,
        }
    }

    /// Has something done beside the session; what comes of it are steps.
    pub(super) fn spawn<F>(&mut self, id: RequestId, work: impl FnOnce(Steps) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let steps = Steps { id, session: self.steps_in.clone() };
        let work = AssertUnwindSafe(work(steps.clone())).catch_unwind();
        let work = async move {
            if work.await.is_err() {
                // Nobody would ever answer.
                let problem = "Something went wrong inside Sightline; its log says more. Resume to try it again.";
                steps.send(Step::Failed(Error::new(Code::Internal, problem))).await;
            }
        };
        self.performing = Some((id, AbortOnDropHandle::new(tokio::spawn(work))));
    }

    async fn cancel(&mut self, id: RequestId) {
        if self.performing.take_if(|(performing, _)| *performing == id).is_none() {
            return;
        }
        let Some(run) = &mut self.run else { return };
        (run.view.approval, run.view.preflight) = (None, None);
        self.keep_streamed(true).await;
    }

    pub(super) fn voice(&self) -> Voice {
        if self.state.prose { Voice::Prose } else { Voice::Tools }
    }

    pub(super) fn has_started(&mut self) -> bool {
        self.run.as_mut().is_some_and(|run| std::mem::replace(&mut run.has_started, true))
    }
}

pub(super) fn no_approval() -> Error {
    Error::new(Code::NoPendingApproval, "no tool call waits for this approval (any more)")
}

pub(super) fn no_preflight() -> Error {
    Error::new(Code::NoPendingPreflight, "no plan waits for this approval (any more)")
}
