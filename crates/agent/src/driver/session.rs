//! One session of the built-in agent's: its machine, its conversation and what is under way, in one task.

use super::act::NOT_AN_OBJECT;
use super::said::{Entry, Said};
use super::step::{Answered, Step, Steps, WAITING};
use super::toolbox::Toolbox;
use super::{Host, settings};
use crate::fsm::{
    Answer, Approval, By, EditedStep, Effect, Event, Kept, Machine, Outcome, Preflight, Purpose, RequestId, Snapshot,
    TODO_TOOLS, ToolCall,
};
use crate::model::Call;
use crate::prompt::Voice;
use hub::{ChatKept, Presence};
use protocol::{
    Caller, ChatOutcome, ChatRun, ChatStarted, ChatUpdated, ChatUsage, Code, Done, Error, Event as Told, Happened,
    PreflightApproval, Result, SessionReport, ToolApprovalResponse,
};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// How long a session without a run keeps its tools.
const IDLE: Duration = Duration::from_secs(600);

/// What somebody wants of a session.
pub(super) enum Input {
    Prompt {
        content: String,
        model: Option<String>,
        request_id: String,
        created: bool,
        reply: Reply<ChatStarted>,
    },
    Resume {
        request_id: String,
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
    /// Its list is otherwise, by somebody else.
    List(Snapshot),
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
}

/// What everybody may look at.
pub(super) type View = Arc<Mutex<Option<ChatRun>>>;

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
    effects: VecDeque<Effect>,
    performing: Option<(RequestId, AbortOnDropHandle<()>)>,
    steps_in: mpsc::Sender<(RequestId, Step)>,
    steps: mpsc::Receiver<(RequestId, Step)>,
    view: View,
    /// The process ends, or has ended: an abort is not the user's.
    is_interrupted: bool,
}

/// A run that goes on.
pub(super) struct Run {
    pub(super) view: ChatRun,
    pub(super) usage: ChatUsage,
    pub(super) asked: Option<Purpose>,
    /// What the model was told of the list with its call that is under way.
    pub(super) told: Option<(u64, Vec<String>)>,
    /// The model's calls that are not answered.
    calls: HashMap<String, Call>,
    has_started: bool,
    _presence: Presence,
}

impl Run {
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
    ) -> Self {
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
            is_interrupted: false,
        }
    }

    pub(super) fn view(&self) -> View {
        self.view.clone()
    }

    /// Works until nobody wants anything for a while, or the process ends.
    pub(super) async fn serve(mut self, mut inputs: mpsc::Receiver<Input>, stop: CancellationToken) {
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => {
                    if self.run.is_some() {
                        self.interrupt().await;
                    }
                    break;
                }
                input = inputs.recv() => match input {
                    Some(input) => self.input(input).await,
                    None => break,
                },
                Some((id, step)) = self.steps.recv() => {
                    // What was cancelled may still have something on its way.
                    if self.performing.as_ref().is_some_and(|(performing, _)| *performing == id) {
                        self.step(id, step).await;
                    }
                }
                () = tokio::time::sleep(IDLE), if self.run.is_none() => {
                    if self.host.let_go(&self.session_id, &mut inputs) {
                        break;
                    }
                }
            }
            self.drain().await;
            self.publish();
        }
        self.publish();
        if let Some(toolbox) = self.toolbox.take() {
            toolbox.close().await;
        }
    }

    /// The process ends in the middle of a run.
    async fn interrupt(&mut self) {
        self.is_interrupted = true;
        self.hear(Event::Abort);
        self.drain().await;
    }

    /// A process before this one has ended in the middle of a run.
    pub(super) async fn recover(&mut self) {
        self.interrupt().await;
        self.ended(&Outcome::Aborted).await;
    }

    async fn input(&mut self, input: Input) {
        self.machine.configure(settings::with(&self.host.hub.settings(), self.toolbox.as_deref()));
        match input {
            Input::Prompt { content, model, request_id, created, reply } => {
                if let Some(error) = self.busy() {
                    let _ = reply.send(Err(error));
                    return;
                }
                if let Some(model) = model.filter(|model| *model != self.state.model) {
                    (self.state.model, self.state.prose) = (model, false);
                }
                self.begin(&request_id);
                let _ = reply.send(Ok(self.started(created)));
                self.say(Said::User { content: content.clone() }).await;
                self.report(Happened::Prompted, Some(content.clone())).await;
                self.hear(Event::Prompt { text: content });
            }
            Input::Resume { request_id, reply } => {
                if let Some(error) = self.busy() {
                    let _ = reply.send(Err(error));
                    return;
                }
                self.begin(&request_id);
                let _ = reply.send(Ok(self.started(false)));
                self.report(Happened::Worked, None).await;
                self.hear(Event::Resume);
            }
            Input::Abort { reply } => {
                self.hear(Event::Abort);
                self.drain().await;
                self.publish();
                let _ = reply.send(Ok(Done {}));
            }
            Input::Approval { answer, reply } => {
                let _ = reply.send(self.approval(&answer));
            }
            Input::Preflight { answer, reply } => {
                let _ = reply.send(self.checked(answer));
            }
            Input::List(list) => self.hear(Event::List { list, by: By::User }),
        }
    }

    fn busy(&self) -> Option<Error> {
        let problem = "the built-in agent is at work in this session; stop it, or wait for its end";
        self.run.is_some().then(|| Error::new(Code::StreamInProgress, problem))
    }

    fn started(&self, created: bool) -> ChatStarted {
        ChatStarted {
            session_id: self.session_id.clone(),
            request_id: self.run.as_ref().map(|run| run.view.request_id.clone()).unwrap_or_default(),
            model: self.state.model.clone(),
            created,
        }
    }

    fn begin(&mut self, request_id: &str) {
        let connection = self.caller.agent.as_ref().and_then(|agent| agent.connection.clone()).unwrap_or_default();
        self.run = Some(Run {
            view: ChatRun { request_id: request_id.to_owned(), ..ChatRun::default() },
            usage: ChatUsage::default(),
            asked: None,
            told: None,
            calls: HashMap::new(),
            has_started: false,
            _presence: self.host.hub.present(&connection),
        });
        self.publish();
    }

    /// The user has answered a request for approval.
    fn approval(&mut self, answer: &ToolApprovalResponse) -> Result<Done> {
        let waiting = self.run.as_ref().and_then(|run| run.view.approval.as_ref());
        let is_it = waiting.is_some_and(|waiting| waiting.tool_call_id == answer.tool_call_id);
        let Some((id, _)) = self.performing.take_if(|_| is_it) else { return Err(no_approval()) };
        self.nothing_waits();
        let approval = match (answer.approved, answer.session_approve) {
            (true, true) => Approval::Session,
            (true, false) => Approval::Once,
            (false, _) => Approval::Refused,
        };
        self.hear(Event::Answer { id, answer: Answer::Approved(approval) });
        Ok(Done {})
    }

    /// The user has answered a plan.
    fn checked(&mut self, answer: PreflightApproval) -> Result<Done> {
        let waiting = self.run.as_ref().and_then(|run| run.view.preflight.as_ref());
        let is_it = waiting.is_some_and(|waiting| waiting.request_id == answer.request_id);
        let Some((id, _)) = self.performing.take_if(|_| is_it) else { return Err(no_preflight()) };
        self.nothing_waits();
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

    fn nothing_waits(&mut self) {
        if let Some(run) = &mut self.run {
            (run.view.approval, run.view.preflight) = (None, None);
        }
        self.tell_updated(None);
    }

    async fn step(&mut self, id: RequestId, step: Step) {
        match step {
            Step::Text(delta) => {
                self.tell_delta(&delta, Told::ChatStreamDelta);
                if let Some(run) = &mut self.run {
                    run.view.content.push_str(&delta);
                }
            }
            Step::Reasoning(delta) => self.tell_delta(&delta, Told::ChatStreamReasoning),
            Step::Notice(message) => self.say(Said::Notice { message }).await,
            Step::Again(message) => {
                if let Some(run) = &mut self.run {
                    run.view.content.clear();
                }
                self.say(Said::Notice { message }).await;
            }
            Step::Block(drafts) => {
                let caller = hub::Hub::caller_key(&self.caller);
                if let Err(error) = self.write(todo::Change::Replace { caller, drafts }).await {
                    let message = format!("A todo block in the answer is left out: {error}");
                    self.say(Said::Notice { message }).await;
                }
            }
            Step::NoTools => {
                self.state.prose = true;
                let message = format!("{} has no tool calls; it keeps its list in its answers.", self.state.model);
                self.say(Said::Notice { message }).await;
                if let Some(purpose) = self.run.as_ref().and_then(|run| run.asked.clone()) {
                    self.ask(id, purpose, false).await;
                }
            }
            Step::Connected(connected) => {
                let (toolbox, purpose, reminder) = *connected;
                self.connected(toolbox).await;
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
                    self.nothing_waits();
                }
                self.hear(Event::Answer { id, answer });
            }
        }
    }

    /// The model's answer is whole.
    async fn answered(&mut self, answered: Answered) {
        let told = self.run.as_mut().and_then(|run| {
            run.usage.input_tokens += answered.usage.input_tokens;
            run.usage.output_tokens += answered.usage.output_tokens;
            run.usage.total_tokens = run.usage.input_tokens + run.usage.output_tokens;
            run.view.content.clear();
            run.calls.extend(answered.calls.iter().map(|call| (call.id.clone(), call.clone())));
            run.told.take()
        });
        if let Some((revision, edits)) = told {
            self.delivered(revision, edits).await;
        }
        let Answered { text, prose, reasoning, calls, .. } = answered;
        if !text.is_empty() || !calls.is_empty() || !reasoning.is_empty() {
            self.say(Said::Assistant { text, prose, reasoning, calls }).await;
        }
    }

    /// The machine hears something; what it wants done is done by [`Session::drain`].
    pub(super) fn hear(&mut self, event: Event) {
        self.effects.extend(self.machine.handle(event));
        self.state.kept = self.machine.kept().clone();
    }

    pub(super) async fn drain(&mut self) {
        while let Some(effect) = self.effects.pop_front() {
            self.perform(effect).await;
        }
    }

    async fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Start => self.tell_start(),
            Effect::Ask { id, purpose, reminder } => self.ask(id, purpose, reminder).await,
            Effect::Call { id, call } => self.call(id, call).await,
            Effect::Reject { call, reason } => self.reject(&call, reason).await,
            Effect::Approve { id, call } => self.wait_for_approval(id, &call),
            Effect::Preflight { id, steps } => self.wait_for_preflight(id, &steps),
            Effect::Change { id, change } => {
                let answer = match self.change(change).await {
                    Ok(list) => Answer::Changed(list),
                    Err(error) => Answer::Failed(format!("The list cannot be changed: {error}")),
                };
                self.hear(Event::Answer { id, answer });
            }
            Effect::Cancel { id } => self.cancel(id).await,
            Effect::Tell(notice) => self.say(Said::Notice { message: notice.to_string() }).await,
            Effect::End(outcome) => self.ended(&outcome).await,
        }
    }

    /// Has something done beside the session; what comes of it are steps.
    pub(super) fn spawn<F>(&mut self, id: RequestId, work: impl FnOnce(Steps) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let work = work(Steps { id, session: self.steps_in.clone() });
        self.performing = Some((id, AbortOnDropHandle::new(tokio::spawn(work))));
    }

    async fn cancel(&mut self, id: RequestId) {
        if self.performing.take_if(|(performing, _)| *performing == id).is_none() {
            return;
        }
        let Some(run) = &mut self.run else { return };
        (run.view.approval, run.view.preflight) = (None, None);
        let text = std::mem::take(&mut run.view.content);
        if !text.is_empty() {
            // What people have read of an answer stays.
            let prose = text.clone();
            self.say(Said::Assistant { text, prose, reasoning: String::new(), calls: Vec::new() }).await;
        }
    }

    async fn call(&mut self, id: RequestId, call: ToolCall) {
        let made = self.run.as_ref().and_then(|run| run.calls.get(&call.id).cloned());
        let Some(made) = made else {
            let answer = Answer::Failed("A tool call is gone that was to be made.".to_owned());
            return self.hear(Event::Answer { id, answer });
        };
        if TODO_TOOLS.contains(&call.tool.as_str()) {
            let result = self.call_todo_tool(&made.tool, &made.args).await;
            self.begin_call(&made).await;
            let (text, is_error) = match result {
                Ok(text) => (text, false),
                Err(error) => (error.message, true),
            };
            return self.called(id, &made.id, text, is_error).await;
        }
        self.begin_call(&made).await;
        if !made.args.is_object() {
            return self.called(id, &made.id, NOT_AN_OBJECT.to_owned(), true).await;
        }
        self.doing(format!("Calling {}", todo::short(&made.tool)));
        let toolbox = self.toolbox.clone();
        self.spawn(id, |steps| async move {
            let (text, is_error) = match toolbox {
                Some(toolbox) => toolbox.call(&made.tool, &made.args).await,
                None => (format!("There is no tool {}.", made.tool), true),
            };
            steps.send(Step::Called(made.id, text, is_error)).await;
        });
    }

    async fn begin_call(&mut self, call: &Call) {
        self.tell_call(call);
        self.say(Said::Tool {
            tool_call_id: call.id.clone(),
            tool_name: call.tool.clone(),
            args: call.args.clone(),
            result: None,
            is_error: false,
        })
        .await;
    }

    /// A call is answered.
    async fn called(&mut self, id: RequestId, call_id: &str, text: String, is_error: bool) {
        self.performing = None;
        let made = self.run.as_mut().and_then(|run| run.calls.remove(call_id));
        if let Some(made) = made {
            self.tell_result(&made, &text, is_error);
            self.result(call_id, text.clone(), is_error).await;
        }
        self.hear(Event::Answer { id, answer: Answer::Called { error: is_error.then_some(text) } });
    }

    async fn reject(&mut self, call: &ToolCall, reason: String) {
        let made = self.run.as_mut().and_then(|run| run.calls.remove(&call.id));
        let Some(made) = made else { return };
        if !self.entries.iter().rev().any(|entry| is_call(entry, &made.id)) {
            self.begin_call(&made).await;
        }
        self.tell_result(&made, &reason, true);
        self.result(&made.id, reason, true).await;
    }

    async fn result(&mut self, call_id: &str, text: String, failed: bool) {
        let Some(entry) = self.entries.iter_mut().rev().find(|entry| is_call(entry, call_id)) else { return };
        if let Said::Tool { result, is_error, .. } = &mut entry.said {
            (*result, *is_error) = (Some(text), failed);
        }
        let entry = entry.clone();
        self.keep(&entry).await;
        self.tell_updated(entry.view());
    }

    /// Adds to the conversation.
    pub(super) async fn say(&mut self, said: Said) {
        self.state.seq += 1;
        let entry = Entry { seq: self.state.seq, at: self.host.hub.time(), said };
        self.entries.push(entry.clone());
        let surplus = self.entries.len().saturating_sub(2 * super::KEPT_ENTRIES);
        self.entries.drain(..surplus);
        self.keep(&entry).await;
        let message = entry.view();
        if message.is_some() {
            self.tell_updated(message);
        }
    }

    async fn keep(&self, entry: &Entry) {
        let state = serde_json::to_string(&self.state).unwrap_or_default();
        let kept = ChatKept { state, running: self.run.is_some(), messages: vec![entry.stored()] };
        if let Err(error) = self.host.hub.keep_chat(self.session_id.clone(), kept).await {
            tracing::error!(%error, session = self.session_id, "a message of a conversation is not kept");
        }
    }

    /// The run is over.
    async fn ended(&mut self, outcome: &Outcome) {
        let (outcome, error, message) = said_of(outcome, self.is_interrupted);
        let run = self.run.take();
        self.performing = None;
        let message = match outcome {
            ChatOutcome::Completed => String::new(),
            _ => message,
        };
        self.say(Said::End { outcome, message: message.clone() }).await;
        self.tell_updated(None);
        if let Some(run) = &run {
            self.tell_end(run, outcome, error, &message);
        }
        let (happened, text) = match outcome {
            ChatOutcome::Completed | ChatOutcome::Aborted => (Happened::Rests, None),
            ChatOutcome::Waiting | ChatOutcome::Interrupted => (Happened::Waits, Some(message)),
            ChatOutcome::Failed => (Happened::Failed, Some(message)),
        };
        self.report(happened, text).await;
    }

    pub(super) async fn report(&self, happened: Happened, text: Option<String>) {
        let report = SessionReport { happened, text, begins: true, ..SessionReport::default() };
        if let Err(error) = self.host.call(&self.caller, report).await {
            tracing::warn!(%error, session = self.session_id, "what the built-in agent does is not noted");
        }
    }

    /// Everybody may look at the run as it is now.
    fn publish(&self) {
        *self.view.lock().unwrap_or_else(PoisonError::into_inner) = self.run.as_ref().map(|run| run.view.clone());
    }

    pub(super) fn tell_updated(&self, message: Option<protocol::ChatMessage>) {
        self.publish();
        let run = self.run.as_ref().map(|run| run.view.clone());
        let updated = ChatUpdated { session_id: self.session_id.clone(), message, run };
        self.host.hub.tell(Told::ChatUpdated(Box::new(updated)));
    }

    /// Says what it does, to people.
    pub(super) fn doing(&mut self, doing: String) {
        if let Some(run) = &mut self.run {
            run.view.doing = doing;
        }
        self.tell_updated(None);
    }

    pub(super) fn voice(&self) -> Voice {
        if self.state.prose { Voice::Prose } else { Voice::Tools }
    }

    pub(super) fn has_started(&mut self) -> bool {
        self.run.as_mut().is_some_and(|run| std::mem::replace(&mut run.has_started, true))
    }
}

fn is_call(entry: &Entry, call_id: &str) -> bool {
    matches!(&entry.said, Said::Tool { tool_call_id, .. } if tool_call_id == call_id)
}

/// How people read an outcome, and the code of the error that it is.
fn said_of(outcome: &Outcome, is_interrupted: bool) -> (ChatOutcome, Option<Code>, String) {
    let message = outcome.to_string();
    match outcome {
        Outcome::Completed | Outcome::Emptied => (ChatOutcome::Completed, None, message),
        Outcome::Continued | Outcome::Blocked => (ChatOutcome::Waiting, None, message),
        Outcome::Aborted if is_interrupted => {
            (ChatOutcome::Interrupted, Some(Code::Unavailable), "Sightline ended in the middle of it.".to_owned())
        }
        Outcome::Aborted => (ChatOutcome::Aborted, None, message),
        Outcome::Refused => (ChatOutcome::Waiting, Some(Code::PreflightRejected), message),
        Outcome::Unanswered => (ChatOutcome::Waiting, Some(Code::NoPendingApproval), message),
        Outcome::Unplanned | Outcome::StepLimit(_) | Outcome::Failed(_) => {
            (ChatOutcome::Failed, Some(Code::AgentError), message)
        }
    }
}

pub(super) fn no_approval() -> Error {
    Error::new(Code::NoPendingApproval, "no tool call waits for this approval (any more)")
}

pub(super) fn no_preflight() -> Error {
    Error::new(Code::NoPendingPreflight, "no plan waits for this approval (any more)")
}
