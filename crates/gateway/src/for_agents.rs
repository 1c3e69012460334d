//! The hub as agents reach it, over `/mcp` and `/hooks`: without a person's rights.

use protocol::{Backend, BoxFuture, Caller, Code, Error, Reply, Request, Result, Subscription};
use tokio_util::sync::CancellationToken;

/// A backend whose callers have no person's rights, so that no agent edits as the user. When the gateway ends, whoever
/// still waits is told so.
#[derive(Clone)]
pub(crate) struct ForAgents<B> {
    pub(crate) backend: B,
    /// The key that the callers came with, where it is the same for all of them.
    pub(crate) key: Option<String>,
    /// Ends what is not answered by then.
    pub(crate) overdue: CancellationToken,
}

impl<B: Backend> Backend for ForAgents<B> {
    fn call(&self, caller: Caller, request: Request) -> BoxFuture<Result<Reply>> {
        let key = self.key.clone().or(caller.key);
        let caller = Caller { rights: None, key, ..caller };
        let (answer, overdue) = (self.backend.call(caller, request), self.overdue.clone());
        Box::pin(async move {
            tokio::select! {
                biased;
                answer = answer => answer,
                () = overdue.cancelled() => Err(Error::new(Code::Unavailable, ENDS)),
            }
        })
    }

    fn subscribe(&self, since: Option<String>) -> BoxFuture<Result<Subscription>> {
        self.backend.subscribe(since)
    }
}

/// Said to a caller whose request is still under way. An accepted request is finished, so it may be done after this.
const ENDS: &str = "the gateway ends, and this was not done in time. It may still be done: when the gateway is back, \
     read the list before you send it again";

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{GatewayStatus, SessionGet, TodoAdd, TodoRead, Transport};

    /// A backend that does nothing but look at its callers' rights.
    struct Nobody;

    impl Backend for Nobody {
        fn call(&self, caller: Caller, request: Request) -> BoxFuture<Result<Reply>> {
            let may = caller.may(&request);
            Box::pin(async move { may.and(Err(Error::new(Code::Unavailable, "nobody"))) })
        }

        fn subscribe(&self, _: Option<String>) -> BoxFuture<Result<Subscription>> {
            Box::pin(async { Err(Error::new(Code::Unavailable, "nobody")) })
        }
    }

    #[tokio::test]
    async fn only_what_agents_may_ask_is_passed_on() {
        let gate = ForAgents { backend: Nobody, key: None, overdue: CancellationToken::new() };
        for (request, code) in [
            (Request::from(TodoRead::default()), Code::Unavailable),
            (SessionGet::default().into(), Code::Unavailable),
            (TodoAdd::default().into(), Code::Unauthorized),
            (GatewayStatus {}.into(), Code::Unauthorized),
        ] {
            let kind = request.kind();
            let answer = gate.call(Caller::user(Transport::Mcp, "client"), request).await;
            assert_eq!(answer.map_err(|error| error.code), Err(code), "{kind}");
        }
    }
}
