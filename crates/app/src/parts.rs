//! The long-running parts of a process, and their end.

use protocol::BoxFuture;

/// The ends of what was started, in the order in which it was added.
#[derive(Default)]
pub(crate) struct Parts(Vec<BoxFuture<()>>);

impl Parts {
    /// Adds a part by the future that ends it, which does nothing before [`Self::stop`].
    pub(crate) fn add(&mut self, end: impl Future<Output = ()> + Send + 'static) {
        self.0.push(Box::pin(end));
    }

    /// Ends the parts one after the other, the last one first.
    pub(crate) async fn stop(self) {
        for end in self.0.into_iter().rev() {
            end.await;
        }
    }
}
