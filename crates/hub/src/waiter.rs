//! An agent that waits for a permission.

use crate::Hub;
use crate::change::permissions::{AskPermission, Expire};
use protocol::{BoxFuture, Caller, Code, Error, Reply, Request};

impl Hub {
    /// Has an agent wait for a permission. Whoever goes before the answer is known to have gone.
    pub(crate) fn permission(&self, caller: Caller, request: Request) -> BoxFuture<protocol::Result<Reply>> {
        let hub = self.clone();
        Box::pin(async move {
            let Request::PermissionAsk(ask) = request else {
                return Err(Error::new(Code::Internal, format!("{} asks for no permission", request.kind())));
            };
            let patience = std::time::Duration::from_secs(ask.wait_seconds.into());
            let waiter = Waiter { id: hub.core.uid().to_string(), hub: hub.clone() };
            let answer = hub.core.permissions.wait(&waiter.id);
            let asked = AskPermission { caller, id: waiter.id.clone(), ask };
            let decided = match hub.queue.submit(asked).await? {
                Some(decided) => {
                    // A rule has decided, and nobody was asked.
                    hub.core.permissions.forget(&waiter.id);
                    decided
                }
                None => tokio::time::timeout(patience, answer)
                    .await
                    .ok()
                    .and_then(std::result::Result::ok)
                    .unwrap_or_default(),
            };
            Ok(Reply::PermissionAsk(decided))
        })
    }
}

/// Somebody who waits for a permission, until it is dropped.
struct Waiter {
    hub: Hub,
    id: String,
}

impl Drop for Waiter {
    fn drop(&mut self) {
        if self.hub.core.permissions.forget(&self.id) {
            let noted = self.hub.queue.submit(Expire { permission_id: self.id.clone() });
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(noted);
            }
        }
    }
}
