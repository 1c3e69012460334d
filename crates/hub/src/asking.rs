//! Entries of the log for requests that others answer, and what they need: an answer to an approval names the call only,
//! so the tool of each call that somebody was asked about is kept.

use crate::keys::lock;
use protocol::{AuditDeed, Request, say};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Calls that are remembered; far more than there are under way.
const CALLS: usize = 256;

#[derive(Clone, Default)]
pub(crate) struct Asking(Arc<Mutex<VecDeque<(String, String)>>>);

impl Asking {
    pub(crate) fn note(&self, call: &str, tool: &str) {
        let mut calls = lock(&self.0);
        calls.retain(|(known, _)| known != call);
        calls.push_front((call.to_owned(), tool.to_owned()));
        calls.truncate(CALLS);
    }

    fn tool(&self, call: &str) -> Option<String> {
        lock(&self.0).iter().find(|(known, _)| known == call).map(|(_, tool)| tool.clone())
    }

    /// The entry of the log for a request about the computer or to the built-in agent; `None` for one without.
    pub(crate) fn logged(&self, request: &Request) -> Option<(AuditDeed, String)> {
        let decided = |is_approved: bool| if is_approved { AuditDeed::Approve } else { AuditDeed::Deny };
        Some(match request {
            Request::ToolApprovalResponse(ask) => {
                let call = match self.tool(&ask.tool_call_id) {
                    Some(tool) => format!("{tool} ({})", ask.tool_call_id),
                    None => say::log_answer_call(&ask.tool_call_id).english,
                };
                let is_for_session = ask.approved && ask.session_approve;
                let subject = if is_for_session { say::log_answer_later(call).english } else { call };
                (decided(ask.approved), subject)
            }
            Request::ImportStart(ask) if ask.agents.is_empty() => (AuditDeed::Import, say::log_import_all().english),
            Request::ImportStart(ask) => (AuditDeed::Import, say::log_import_of(ask.agents.join(", ")).english),
            Request::PreflightApproval(ask) => (decided(ask.approved), say::log_answer_plan(&ask.request_id).english),
            Request::AgentsApply(_) => (AuditDeed::Agents, String::new()),
            Request::AgentsStart(ask) => (AuditDeed::Start, say::log_start_in(&ask.agent, &ask.folder).english),
            Request::SessionContinue(ask) => (AuditDeed::Start, say::log_start_session(&ask.session_id).english),
            Request::VaultKeysSet(ask) => (AuditDeed::ProviderKey, say::log_provider_stored(&ask.provider).english),
            Request::VaultKeysDelete(ask) => (AuditDeed::ProviderKey, say::log_provider_deleted(&ask.provider).english),
            _ => return None,
        })
    }
}
