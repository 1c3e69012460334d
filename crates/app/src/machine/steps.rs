//! The steps of a connection's test, and the session that a test leaves no trace of.

use futures_util::StreamExt;
use protocol::{
    AgentsTested, Backend, Caller, Code, Event, EventStream, SELF_TEST_LABEL, SessionDelete, TestStep, Text, Transport,
    say,
};
use std::time::Duration;

/// The longest time that one step may take; agents give up after ten seconds and more.
pub(crate) const STEP: Duration = Duration::from_secs(10);

/// A function that is called with each step as it is taken, its number and the number of all.
pub type Tell<'a> = dyn FnMut(&TestStep, u32, u32) + Send + 'a;

/// The steps of a test so far.
pub(crate) struct Steps<'a> {
    taken: Vec<TestStep>,
    /// The number of steps where all succeed.
    of: u32,
    tell: &'a mut Tell<'a>,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(of: u32, tell: &'a mut Tell<'a>) -> Self {
        Self { taken: Vec::new(), of, tell }
    }

    pub(crate) fn done(&mut self, text: Text) {
        self.take(step(true, text));
    }

    fn take(&mut self, step: TestStep) {
        self.taken.push(step);
        let at = u32::try_from(self.taken.len()).unwrap_or(u32::MAX);
        if let Some(step) = self.taken.last() {
            (self.tell)(step, at, self.of.max(at));
        }
    }

    pub(crate) fn end(mut self, agent: &str, outcome: Result<(), Failed>) -> AgentsTested {
        let ok = outcome.is_ok();
        let mend = outcome.err().map(|failed| {
            self.take(step(false, failed.what));
            failed.mend
        });
        let (mend, mend_text) = mend.map_or((None, None), |mend| (Some(mend.english), mend.named));
        AgentsTested { agent: agent.to_owned(), ok, cancelled: false, steps: self.taken, mend, mend_text }
    }
}

fn step(ok: bool, text: Text) -> TestStep {
    TestStep { ok, what: text.english, text: text.named }
}

/// A step that failed, with the remedy.
pub(crate) struct Failed {
    pub(crate) what: Text,
    pub(crate) mend: Text,
}

impl Failed {
    /// The user ended the test, so there is nothing to mend.
    pub(crate) fn cancelled() -> Self {
        Self { what: say::test_cancelled(), mend: Text::default() }
    }
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
