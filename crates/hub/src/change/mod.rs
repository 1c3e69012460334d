//! Requests that change something, each in a turn of the writer's.

mod built_in;
mod calls;
mod chat;
mod edits;
mod ending;
mod imports;
mod join;
pub(crate) mod keys;
pub(crate) mod later;
mod lists;
mod loads;
mod marks;
mod mcp;
mod naming;
pub(crate) mod permissions;
mod proofs;
mod removed;
mod reports;
mod runs;
mod writes;

pub use chat::{Decide, Decided};
pub(crate) use chat::{Decision, SaveChat};
pub use later::{GoingOn, Resumed};
pub(crate) use mcp::KeepMcpSession;

use crate::error::{Failure, Result};
use crate::turn::Turn;
use crate::writer::Work;
use protocol::{AuditDeed, Caller, Code, Done, Reply, Request};

/// A request that changes something, and who asks.
pub(crate) struct Asked {
    pub(crate) caller: Caller,
    pub(crate) request: Request,
}

impl Work for Asked {
    type Answer = Reply;

    fn caller(&self) -> &Caller {
        &self.caller
    }

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<Reply> {
        Ok(match &self.request {
            Request::TodoWrite(ask) => Reply::TodoWrite(turn.write(ask).await?),
            Request::TodoManage(ask) => Reply::TodoManage(turn.manage(ask).await?),
            Request::TodoRead(ask) => Reply::TodoRead(turn.read(ask).await?),
            Request::TodoDelivered(ask) => Reply::TodoDelivered(turn.delivered(ask).await?),
            Request::TodoObserve(ask) => Reply::TodoObserve(turn.observe(ask).await?),
            Request::SessionReport(ask) => Reply::SessionReport(turn.report(ask).await?),
            Request::SessionLeave(_) => Reply::SessionLeave(turn.leave().await?),
            Request::SessionDelete(ask) => {
                let done = turn.delete(ask).await?;
                turn.audit(AuditDeed::Delete, &deleted("session", &ask.session_id, ask.for_good)).await?;
                Reply::SessionDelete(done)
            }
            Request::SessionUndelete(ask) => Reply::SessionUndelete(turn.undelete(ask).await?),
            Request::ListDelete(ask) => {
                let done = turn.delete_list(ask).await?;
                turn.audit(AuditDeed::Delete, &deleted("list", &ask.list_id, ask.for_good)).await?;
                Reply::ListDelete(done)
            }
            Request::ListUndelete(ask) => Reply::ListUndelete(turn.undelete_list(ask).await?),
            Request::SessionImport(ask) => {
                let imported = turn.import(ask).await?;
                if !ask.check && !imported.sessions.is_empty() {
                    turn.audit(AuditDeed::Import, &format!("sessions: {}", imported.sessions.len())).await?;
                }
                Reply::SessionImport(imported)
            }
            Request::AgentsWritten(ask) => {
                turn.audit(AuditDeed::Agents, &ask.written.join(", ")).await?;
                Reply::AgentsWritten(Done {})
            }
            Request::SessionMark(ask) => Reply::SessionMark(turn.mark(ask).await?),
            Request::NeedDismiss(ask) => Reply::NeedDismiss(turn.dismiss(ask).await?),
            Request::SettingsUpdate(ask) => Reply::SettingsUpdate(turn.set(ask).await?),
            Request::PermissionAnswer(ask) => Reply::PermissionAnswer(turn.answer_permission(ask).await?),
            Request::RuleNew(ask) => Reply::RuleNew(turn.rule_new(ask).await?),
            Request::RuleEdit(ask) => Reply::RuleEdit(turn.rule_edit(ask).await?),
            Request::RuleDelete(ask) => Reply::RuleDelete(turn.rule_delete(ask).await?),
            Request::LaterAdd(ask) => Reply::LaterAdd(turn.later_add(ask).await?),
            Request::LaterEdit(ask) => Reply::LaterEdit(turn.later_edit(ask).await?),
            Request::LaterDelete(ask) => Reply::LaterDelete(turn.later_delete(ask).await?),
            Request::KeyNew(ask) => Reply::KeyNew(turn.key_new(ask).await?),
            Request::KeyRevoke(ask) => Reply::KeyRevoke(turn.key_revoke(ask).await?),
            Request::KeyRenew(ask) => Reply::KeyRenew(turn.key_renew(ask).await?),
            Request::KeyConfirm(ask) => Reply::KeyConfirm(turn.key_confirm(ask).await?),
            edit => {
                let edited = turn.edit(edit).await?;
                let problem = || Failure::refused(Code::Internal, format!("{} changes nothing", edit.kind()));
                edit.edited(edited).ok_or_else(problem)?
            }
        })
    }
}

/// A deletion as a line of the log.
fn deleted(what: &str, id: &str, for_good: bool) -> String {
    format!("{what} {id}{}", if for_good { ", for good" } else { "" })
}
