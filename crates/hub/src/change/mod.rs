//! Requests that change something, each in a turn of the writer's.

mod built_in;
mod calls;
mod chat;
mod edits;
mod ending;
mod forwarded;
mod hosts;
mod imports;
mod join;
pub(crate) mod keys;
pub(crate) mod later;
mod lists;
mod loads;
mod marks;
mod mcp;
pub(crate) mod mirrored;
mod naming;
mod once;
pub(crate) mod permissions;
mod proofs;
mod removed;
mod reports;
mod runs;
mod writes;

pub use chat::{Decide, Decided};
pub(crate) use chat::{Decision, SaveChat};
pub use forwarded::Forwarded;
pub(crate) use forwarded::Sent;
pub use later::{GoingOn, Resumed};
pub(crate) use mcp::KeepMcpSession;

use crate::error::Result;
use crate::turn::Turn;
use crate::writer::Work;
use protocol::classes::Change;
use protocol::{AuditDeed, Caller, Done, Reply, Request, Sorted, say};

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
        match self.request.sorted() {
            Sorted::Change(change) => turn.carry_out(change).await,
            Sorted::Edit(_) | Sorted::ItemEdit(_) => {
                let edited = turn.edit(&self.request).await?;
                self.request.edited(edited).ok_or_else(|| self.request.misplaced().into())
            }
            _ => Err(self.request.misplaced().into()),
        }
    }
}

impl Turn<'_, '_> {
    async fn carry_out(&mut self, change: Change<'_>) -> Result<Reply> {
        Ok(match change {
            Change::TodoWrite(ask) => Reply::TodoWrite(self.write(ask).await?),
            Change::TodoManage(ask) => Reply::TodoManage(self.manage(ask).await?),
            Change::TodoRead(ask) => Reply::TodoRead(self.read(ask).await?),
            Change::TodoDelivered(ask) => Reply::TodoDelivered(self.delivered(ask).await?),
            Change::TodoObserve(ask) => Reply::TodoObserve(self.observe(ask).await?),
            Change::SessionReport(ask) => Reply::SessionReport(self.report(ask).await?),
            Change::SessionLeave(_) => Reply::SessionLeave(self.leave().await?),
            Change::SessionDelete(ask) => {
                let done = self.delete(ask).await?;
                self.audit(AuditDeed::Delete, &deleted_session(&ask.session_id, ask.for_good)).await?;
                Reply::SessionDelete(done)
            }
            Change::SessionUndelete(ask) => Reply::SessionUndelete(self.undelete(ask).await?),
            Change::ListDelete(ask) => {
                let done = self.delete_list(ask).await?;
                self.audit(AuditDeed::Delete, &deleted_list(&ask.list_id, ask.for_good)).await?;
                Reply::ListDelete(done)
            }
            Change::ListUndelete(ask) => Reply::ListUndelete(self.undelete_list(ask).await?),
            Change::SessionImport(ask) => {
                let imported = self.import(ask).await?;
                if !ask.check && !imported.sessions.is_empty() {
                    self.audit(AuditDeed::Import, &say::log_import_sessions(imported.sessions.len()).english).await?;
                }
                Reply::SessionImport(imported)
            }
            Change::AgentsWritten(ask) => {
                self.audit(AuditDeed::Agents, &ask.written.join(", ")).await?;
                Reply::AgentsWritten(Done {})
            }
            Change::SessionMark(ask) => Reply::SessionMark(self.mark(ask).await?),
            Change::NeedDismiss(ask) => Reply::NeedDismiss(self.dismiss(ask).await?),
            Change::SettingsUpdate(ask) => Reply::SettingsUpdate(self.set(ask).await?),
            Change::PermissionAnswer(ask) => Reply::PermissionAnswer(self.answer_permission(ask).await?),
            Change::RuleNew(ask) => Reply::RuleNew(self.rule_new(ask).await?),
            Change::RuleEdit(ask) => Reply::RuleEdit(self.rule_edit(ask).await?),
            Change::RuleDelete(ask) => Reply::RuleDelete(self.rule_delete(ask).await?),
            Change::LaterAdd(ask) => Reply::LaterAdd(self.later_add(ask).await?),
            Change::LaterEdit(ask) => Reply::LaterEdit(self.later_edit(ask).await?),
            Change::LaterDelete(ask) => Reply::LaterDelete(self.later_delete(ask).await?),
            Change::KeyNew(ask) => Reply::KeyNew(self.key_new(ask).await?),
            Change::KeyRevoke(ask) => Reply::KeyRevoke(self.key_revoke(ask).await?),
            Change::KeyRenew(ask) => Reply::KeyRenew(self.key_renew(ask).await?),
            Change::HostsAdd(ask) => Reply::HostsAdd(self.hosts_add(ask).await?),
            Change::HostsConfirm(ask) => Reply::HostsConfirm(self.hosts_confirm(ask).await?),
            Change::HostsRemove(ask) => Reply::HostsRemove(self.hosts_remove(ask).await?),
            Change::EditOnce(ask) => Reply::EditOnce(Box::pin(self.edit_once(ask)).await?),
            Change::EditDiscard(ask) => Reply::EditDiscard(self.edit_discard(ask).await?),
            Change::KeyConfirm(ask) => Reply::KeyConfirm(self.key_confirm(ask).await?),
        })
    }
}

/// A deletion as a line of the log.
fn deleted_session(id: &str, for_good: bool) -> String {
    if for_good { say::log_delete_session_for_good(id).english } else { say::log_delete_session(id).english }
}

fn deleted_list(id: &str, for_good: bool) -> String {
    if for_good { say::log_delete_list_for_good(id).english } else { say::log_delete_list(id).english }
}
