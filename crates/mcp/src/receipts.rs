//! The edits in an answer, kept until the answer was sent.
//!
//! An edit counts as delivered only after the result that tells it went out; after a crash in between, the agent
//! is told again rather than not at all.

use protocol::{Backend, Caller, TodoDelivered};
use rmcp::RoleServer;
use rmcp::model::{JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// An answer that tells edits.
#[derive(Debug, Clone)]
pub struct Receipt {
    /// The call that it answers.
    pub call: RequestId,
    pub caller: Caller,
    /// The edits that it tells.
    pub delivered: TodoDelivered,
}

/// The answers that were made and not sent yet.
#[derive(Debug, Default)]
pub struct Receipts(Mutex<Vec<Receipt>>);

impl Receipts {
    pub(crate) fn note(&self, receipt: Receipt) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(receipt);
    }

    /// Takes out those of one call, or all.
    fn take(&self, call: Option<&RequestId>) -> Vec<Receipt> {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (taken, kept) =
            std::mem::take(&mut *noted).into_iter().partition(|r| call.is_none_or(|call| r.call == *call));
        *noted = kept;
        taken
    }

    /// Notes that answers were sent, so that their edits are delivered. In the order of the calls; does not wait.
    pub fn sent(&self, backend: &Arc<dyn Backend>, call: Option<&RequestId>) {
        for receipt in self.take(call) {
            let answer = backend.call(receipt.caller, receipt.delivered.into());
            tokio::spawn(async move {
                if let Err(error) = answer.await {
                    tracing::warn!(%error, "a delivery could not be noted; the edits will be told again");
                }
            });
        }
    }
}

/// A transport that notes which answers went out.
pub struct Acknowledging<T> {
    inner: T,
    backend: Arc<dyn Backend>,
    receipts: Arc<Receipts>,
    /// Answers that are being written.
    under_way: watch::Sender<usize>,
    /// A message that was received and is not handed on yet.
    held: Option<RxJsonRpcMessage<RoleServer>>,
}

/// The longest time that a message waits for answers that are being written: a peer may not read them.
const PATIENCE: Duration = Duration::from_secs(1);

/// Counts an answer as under way until it is dropped.
struct UnderWay(watch::Sender<usize>);

impl UnderWay {
    fn begin(count: &watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count.clone())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl<T> Acknowledging<T> {
    /// Wraps a transport of a server with these receipts.
    pub fn new(inner: T, backend: Arc<dyn Backend>, receipts: Arc<Receipts>) -> Self {
        Self { inner, backend, receipts, under_way: watch::Sender::new(0), held: None }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Acknowledging<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &item {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            _ => None,
        };
        let (backend, receipts) = (self.backend.clone(), self.receipts.clone());
        let under_way = UnderWay::begin(&self.under_way);
        let sending = self.inner.send(item);
        async move {
            let _under_way = under_way;
            sending.await?;
            if let Some(call) = answered {
                receipts.sent(&backend, Some(&call));
            }
            Ok(())
        }
    }

    /// Notes the edits of an answer before the call that follows it, so that nothing is told twice.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        // Held meanwhile: this future may be dropped and asked for anew at any await.
        if self.held.is_none() {
            self.held = Some(self.inner.receive().await?);
        }
        let mut under_way = self.under_way.subscribe();
        let noted = under_way.wait_for(|count| *count == 0);
        if tokio::time::timeout(PATIENCE, noted).await.is_err() {
            tracing::debug!("the agent does not read its answers");
        }
        self.held.take()
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}
