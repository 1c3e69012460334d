//! An agent that waits for a permission.

use crate::change::permissions::{AskPermission, Expire};
use crate::core::Core;
use crate::writer::Queue;
use protocol::{BoxFuture, Caller, PermissionAsk, Reply};
use std::sync::Arc;
use std::time::Duration;

/// Has an agent wait for a permission. Whoever goes before the answer is known to have gone.
pub(crate) fn permission(
    core: Arc<Core>,
    queue: Queue,
    caller: Caller,
    ask: PermissionAsk,
) -> BoxFuture<protocol::Result<Reply>> {
    Box::pin(async move {
        let patience = Duration::from_secs(ask.wait_seconds.into());
        let mut waiter =
            Waiter { id: core.uid().to_string(), core: core.clone(), queue: queue.clone(), is_settled: false };
        let answer = core.permissions.wait(&waiter.id);
        let asked = AskPermission { caller, id: waiter.id.clone(), ask };
        let decided = match queue.submit(asked).await? {
            // A rule has decided, and nobody was asked.
            Some(decided) => Some(decided),
            None => tokio::time::timeout(patience, answer).await.ok().and_then(Result::ok),
        };
        waiter.is_settled = decided.is_some();
        Ok(Reply::PermissionAsk(decided.unwrap_or_default()))
    })
}

/// Somebody who waits for a permission, until it is dropped.
struct Waiter {
    core: Arc<Core>,
    queue: Queue,
    id: String,
    is_settled: bool,
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.core.permissions.forget(&self.id);
        if !self.is_settled {
            let noted = self.queue.submit(Expire { permission_id: self.id.clone() });
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(noted);
            }
        }
    }
}
