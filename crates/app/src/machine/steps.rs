//! The steps of a connection's test, and the session that a test leaves no trace of.

use futures_util::StreamExt;
use protocol::{
    AgentsTested, Backend, Caller, Code, Event, EventStream, SELF_TEST_LABEL, SessionDelete, TestStep, Transport,
};
use std::time::Duration;

/// The longest time that one step may take; agents give up after ten seconds and more.
pub(crate) const STEP: Duration = Duration::from_secs(10);

/// A function that is called with each step as it is taken.
pub type Tell<'a> = dyn FnMut(&TestStep) + Send + 'a;

/// The steps of a test so far.
pub(crate) struct Steps<'a> {
    taken: Vec<TestStep>,
    tell: &'a mut Tell<'a>,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(tell: &'a mut Tell<'a>) -> Self {
        Self { taken: Vec::new(), tell }
    }

    pub(crate) fn done(&mut self, what: String) {
        self.take(TestStep { ok: true, what });
    }

    fn take(&mut self, step: TestStep) {
        (self.tell)(&step);
        self.taken.push(step);
    }

    pub(crate) fn end(mut self, agent: &str, outcome: Result<(), Failed>) -> AgentsTested {
        let mend = outcome.err().map(|failed| {
            self.take(TestStep { ok: false, what: failed.what });
            failed.mend
        });
        AgentsTested { agent: agent.to_owned(), ok: mend.is_none(), steps: self.taken, mend }
    }
}

/// A step that failed, with the remedy.
pub(crate) struct Failed {
    pub(crate) what: String,
    pub(crate) mend: String,
}

/// A label for the session of one test.
pub(crate) fn label() -> String {
    format!("{SELF_TEST_LABEL} {}", crate::clock::new_uid())
}

/// Waits for a list with this item. `None` where the events end before.
pub(crate) async fn seen(mut events: EventStream, content: &str) -> Option<()> {
    while let Some(event) = events.next().await {
        if let Event::TodoUpdate(update) = event.event()
            && update.todos.iter().any(|item| item.content == content)
        {
            return Some(());
        }
    }
    None
}

/// Deletes the session of a test.
pub(crate) async fn forget(backend: &dyn Backend, label: &str) {
    let caller = Caller::user(Transport::Cli, "sightline self-test");
    let gone = backend.call(caller, SessionDelete { session_id: label.to_owned(), for_good: true }.into());
    match tokio::time::timeout(STEP, gone).await {
        Ok(Err(error)) if error.code != Code::SessionNotFound => tracing::warn!(%error, "the self-test's list is left"),
        Err(_) => tracing::warn!("the self-test's list is left"),
        Ok(_) => {}
    }
}
