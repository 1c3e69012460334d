//! Entries of the log for requests that others answer, and what they need: an answer to an approval names the call only,
//! so the tool of each call that somebody was asked about is kept.

use crate::keys::lock;
use protocol::{AuditDeed, Request};
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
                let later =
                    if ask.approved && ask.session_approve { ", and its later calls in the session" } else { "" };
                let call = match self.tool(&ask.tool_call_id) {
                    Some(tool) => format!("{tool} ({})", ask.tool_call_id),
                    None => format!("call {}", ask.tool_call_id),
                };
                (decided(ask.approved), format!("{call}{later}"))
            }
            Request::ImportStart(ask) if ask.agents.is_empty() => {
                (AuditDeed::Import, "transcripts of all agents".to_owned())
            }
            Request::ImportStart(ask) => (AuditDeed::Import, format!("transcripts of {}", ask.agents.join(", "))),
            Request::PreflightApproval(ask) => (decided(ask.approved), format!("plan of run {}", ask.request_id)),
            Request::AgentsApply(_) => (AuditDeed::Agents, String::new()),
            Request::AgentsStart(ask) => (AuditDeed::Start, format!("{} in {}", ask.agent, ask.folder)),
            Request::SessionContinue(ask) => (AuditDeed::Start, format!("session {}", ask.session_id)),
            Request::VaultKeysSet(ask) => (AuditDeed::ProviderKey, format!("{}: stored", ask.provider)),
            Request::VaultKeysDelete(ask) => (AuditDeed::ProviderKey, format!("{}: deleted", ask.provider)),
            _ => return None,
        })
    }
}
