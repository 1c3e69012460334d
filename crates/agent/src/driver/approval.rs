//! Questions to the user: the approval of a tool call, and of a plan before it is begun.

use super::handle::{no_approval, no_preflight};
use super::session::Session;
use super::update::Update;
use crate::fsm::{Answer, Approval, EditedStep, Event, PlanStep, Policy, Preflight, RequestId, ToolCall};
use jiff::{SignedDuration, Timestamp};
use protocol::{
    Done, Event as HubEvent, Happened, PreflightApproval, PreflightChecklist, PreflightCost, PreflightStep, Result,
    ToolApprovalRequest, ToolApprovalResponse, say,
};
use std::collections::BTreeSet;
use std::time::Duration;

impl Session {
    pub(super) async fn wait_for_approval(&mut self, id: RequestId, call: &ToolCall) {
        self.report(Happened::Waits, Some(say::reason_call(todo::short(&todo::text::exact(&call.tool))).english)).await;
        let (wait, expires_at) = self.expiry();
        let request_id = self.request_id();
        // docs/formats/gateways.md, as recorded: the call comes before the request for its approval.
        if let Some(made) = self.run.as_ref().and_then(|run| run.calls.get(&call.id).cloned()) {
            self.tell_call(&made);
        }
        let settings = self.host.hub.settings();
        let changed = self.toolbox.as_ref().is_some_and(|toolbox| toolbox.is_changed(&settings, &call.tool));
        let Some(run) = &mut self.run else { return };
        run.announced = Some(call.id.clone());
        let args = run.args(&call.id);
        let request = ToolApprovalRequest {
            request_id,
            session_id: self.session_id.clone(),
            tool_call_id: call.id.clone(),
            tool_name: call.tool.clone(),
            args_text: args.to_string(),
            args,
            changed,
            expires_at,
        };
        run.view.approval = Some(request.clone());
        self.tell(HubEvent::ToolApprovalRequest(request));
        self.tell_updated(None);
        self.expire(id, wait, Answer::Approved(Approval::Expired));
    }

    pub(super) async fn wait_for_preflight(&mut self, id: RequestId, steps: &[PlanStep]) {
        // Saved, so that the plan also waits after the end of this process.
        self.save(Vec::new()).await;
        self.report(Happened::Waits, Some(say::reason_plan().english)).await;
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
        self.tell(HubEvent::PreflightChecklist(checklist));
        self.tell_updated(None);
        self.expire(id, wait, Answer::Checked(Preflight::Expired));
    }

    /// The time limit for the user's answer, and when it ends.
    fn expiry(&self) -> (Duration, Timestamp) {
        let seconds = self.host.hub.settings().chat_approval_seconds;
        let at = self.host.hub.time();
        let expires = at.saturating_add(SignedDuration::from_secs(seconds.into())).unwrap_or(at);
        (Duration::from_secs(seconds.into()), expires)
    }

    /// Answers the machine when the user has not done so in time.
    fn expire(&mut self, id: RequestId, wait: Duration, answer: Answer) {
        self.spawn(id, |updates| async move {
            tokio::time::sleep(wait).await;
            updates.send(Update::Answer(Box::new((answer, None)))).await;
        });
    }

    /// Takes the user's answer to a request for approval.
    pub(super) async fn approval(&mut self, answer: &ToolApprovalResponse) -> Result<Done> {
        let waiting = self.run.as_ref().and_then(|run| run.view.approval.as_ref());
        let is_it = waiting.is_some_and(|waiting| waiting.tool_call_id == answer.tool_call_id);
        let Some((id, _)) = self.performing.take_if(|_| is_it) else { return Err(no_approval()) };
        self.waiting_is_over().await;
        let approval = match (answer.approved, answer.session_approve) {
            (true, true) => Approval::Session,
            (true, false) => Approval::Once,
            (false, _) => Approval::Refused,
        };
        self.hear(Event::Answer { id, answer: Answer::Approved(approval) });
        Ok(Done {})
    }

    /// Takes the user's answer to a plan.
    pub(super) async fn checked(&mut self, answer: PreflightApproval) -> Result<Done> {
        let waiting = self.run.as_ref().and_then(|run| run.view.preflight.as_ref());
        let is_it = waiting.is_some_and(|waiting| waiting.request_id == answer.request_id);
        let Some((id, _)) = self.performing.take_if(|_| is_it) else { return Err(no_preflight()) };
        self.waiting_is_over().await;
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

    /// Publishes that the run no longer waits for the user.
    pub(super) async fn waiting_is_over(&mut self) {
        if let Some(run) = &mut self.run {
            (run.view.approval, run.view.preflight) = (None, None);
        }
        self.report(Happened::Worked, None).await;
        self.tell_updated(None);
    }
}
