//! Requests that change something, each in a turn of the writer's.

mod built_in;
mod chat;
mod edits;
mod ending;
mod imports;
mod join;
pub(crate) mod keys;
mod lists;
mod loads;
mod marks;
mod mcp;
mod naming;
mod proofs;
mod removed;
mod reports;
mod runs;
mod writes;

pub use chat::{Decide, Decided};
pub(crate) use chat::{Decision, SaveChat};
pub(crate) use mcp::KeepMcpSession;

use crate::error::{Failure, Result};
use crate::turn::Turn;
use crate::writer::Work;
use protocol::{Caller, Code, Reply, Request};

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
            Request::SessionDelete(ask) => Reply::SessionDelete(turn.delete(ask).await?),
            Request::SessionUndelete(ask) => Reply::SessionUndelete(turn.undelete(ask).await?),
            Request::ListDelete(ask) => Reply::ListDelete(turn.delete_list(ask).await?),
            Request::ListUndelete(ask) => Reply::ListUndelete(turn.undelete_list(ask).await?),
            Request::SessionImport(ask) => Reply::SessionImport(turn.import(ask).await?),
            Request::SessionMark(ask) => Reply::SessionMark(turn.mark(ask).await?),
            Request::NeedDismiss(ask) => Reply::NeedDismiss(turn.dismiss(ask).await?),
            Request::SettingsUpdate(ask) => Reply::SettingsUpdate(turn.set(ask).await?),
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
