//! What everybody hears of a run: events with the fields of FORMATS 1.2, and each with its session.

use super::session::{Run, Session};
use super::step::Step;
use crate::fsm::{Answer, Approval, Policy, Preflight, RequestId, Step as PlanStep, ToolCall};
use crate::model::Call;
use jiff::{SignedDuration, Timestamp};
use protocol::{
    ChatOutcome, ChatStreamDelta, ChatStreamEnd, ChatStreamStart, Code, ErrorEvent, Event, Happened,
    PreflightChecklist, PreflightCost, PreflightStep, ToolApprovalRequest, ToolCalled, ToolFailed, ToolResulted,
};
use std::collections::BTreeSet;
use std::time::Duration;

impl Session {
    fn request_id(&self) -> String {
        self.run.as_ref().map(|run| run.view.request_id.clone()).unwrap_or_default()
    }

    fn tell(&self, event: Event) {
        self.host.hub.tell(event);
    }

    pub(super) fn tell_start(&mut self) {
        if self.has_started() {
            return;
        }
        let (request_id, session_id) = (self.request_id(), self.session_id.clone());
        self.tell(Event::ChatStreamStart(ChatStreamStart { request_id, session_id, model: self.state.model.clone() }));
    }

    pub(super) fn tell_delta(&self, delta: String, offset: u64, event: fn(ChatStreamDelta) -> Event) {
        let (request_id, session_id) = (self.request_id(), self.session_id.clone());
        self.tell(event(ChatStreamDelta { request_id, session_id, delta, offset }));
    }

    /// A call is made, rejected, or asked for: once, whatever becomes of it.
    pub(super) fn tell_call(&mut self, call: &Call) {
        if self.run.as_mut().and_then(|run| run.announced.take_if(|announced| *announced == call.id)).is_some() {
            return;
        }
        self.tell(Event::ToolCall(ToolCalled {
            request_id: self.request_id(),
            session_id: self.session_id.clone(),
            tool_call_id: call.id.clone(),
            tool_name: call.tool.clone(),
            args: call.args.clone(),
        }));
    }

    pub(super) fn tell_result(&self, call: &Call, text: &str, is_error: bool) {
        let (request_id, session_id) = (self.request_id(), self.session_id.clone());
        let (tool_call_id, tool_name) = (call.id.clone(), call.tool.clone());
        self.tell(match is_error {
            true => {
                Event::ToolError(ToolFailed { request_id, session_id, tool_call_id, tool_name, error: text.to_owned() })
            }
            false => {
                let result = text.to_owned();
                Event::ToolResult(ToolResulted { request_id, session_id, tool_call_id, tool_name, result })
            }
        });
    }

    /// A stream ends by one message: its end, or an error.
    pub(super) fn tell_end(&self, run: &Run, outcome: ChatOutcome, error: Option<Code>, message: &str) {
        let (request_id, session_id) = (run.view.request_id.clone(), self.session_id.clone());
        let message = message.to_owned();
        self.tell(match error {
            Some(code) => {
                Event::Error(ErrorEvent { request_id: Some(request_id), session_id: Some(session_id), code, message })
            }
            None => {
                let (usage, cost) = run.took();
                let (usage, cost) = (usage.unwrap_or_default(), cost.unwrap_or_default());
                Event::ChatStreamEnd(ChatStreamEnd { request_id, session_id, usage, cost, outcome, message })
            }
        });
    }

    pub(super) async fn wait_for_approval(&mut self, id: RequestId, call: &ToolCall) {
        self.report(Happened::Waits, Some(format!("May {} be called?", todo::short(&call.tool)))).await;
        let (wait, expires_at) = self.expiry();
        let request_id = self.request_id();
        // FORMATS 1.2, as recorded: the call comes before the request for its approval.
        if let Some(made) = self.run.as_ref().and_then(|run| run.calls.get(&call.id).cloned()) {
            self.tell_call(&made);
        }
        let Some(run) = &mut self.run else { return };
        run.announced = Some(call.id.clone());
        let request = ToolApprovalRequest {
            request_id,
            session_id: self.session_id.clone(),
            tool_call_id: call.id.clone(),
            tool_name: call.tool.clone(),
            args: run.args(&call.id),
            expires_at,
        };
        run.view.approval = Some(request.clone());
        self.tell(Event::ToolApprovalRequest(request));
        self.tell_updated(None);
        self.expire(id, wait, Answer::Approved(Approval::Expired));
    }

    pub(super) async fn wait_for_preflight(&mut self, id: RequestId, steps: &[PlanStep]) {
        // Whatever becomes of this process, the plan waits.
        self.keep(Vec::new()).await;
        self.report(Happened::Waits, Some("A plan waits for your approval.".to_owned())).await;
        let (wait, expires_at) = self.expiry();
        let request_id = self.request_id();
        let step = |step: &PlanStep| {
            let needs_approval = step.policy == Policy::Ask;
            PreflightStep {
                description: step.content.clone(),
                tool_name: step.tool.clone(),
                risk: if needs_approval { "high" } else { "low" }.to_owned(),
                needs_approval,
            }
        };
        let steps: Vec<PreflightStep> = steps.iter().map(step).collect();
        let asked = steps.iter().filter(|step| step.needs_approval).filter_map(|step| step.tool_name.clone());
        let required_permissions = asked.collect::<BTreeSet<_>>().into_iter().collect();
        let checklist = PreflightChecklist {
            request_id,
            session_id: self.session_id.clone(),
            steps,
            estimated_cost: PreflightCost::default(),
            required_permissions,
            warnings: Vec::new(),
            expires_at,
        };
        let Some(run) = &mut self.run else { return };
        run.view.preflight = Some(checklist.clone());
        self.tell(Event::PreflightChecklist(checklist));
        self.tell_updated(None);
        self.expire(id, wait, Answer::Checked(Preflight::Expired));
    }

    fn expiry(&self) -> (Duration, Timestamp) {
        let seconds = self.host.hub.settings().chat_approval_seconds;
        let at = self.host.hub.time();
        let expires = at.saturating_add(SignedDuration::from_secs(seconds.into())).unwrap_or(at);
        (Duration::from_secs(seconds.into()), expires)
    }

    fn expire(&mut self, id: RequestId, wait: Duration, answer: Answer) {
        self.spawn(id, |steps| async move {
            tokio::time::sleep(wait).await;
            steps.send(Step::Answer(Box::new((answer, None)))).await;
        });
    }
}
