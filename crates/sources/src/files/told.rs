//! What is read, in one form for all agents.

use crate::calls::cut;
use jiff::{SignedDuration, Timestamp};
use protocol::Happened;
use serde_json::Value;
use std::sync::Arc;

/// The longest prompt or reason that is kept.
const TEXT_CHARS: usize = 2_000;
/// The longest id, folder or name that is kept.
const WORD_CHARS: usize = 1_000;

/// One run of an agent, as its files tell it so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Run {
    /// The agent's own id of it.
    pub own_session: String,
    /// The own id of the run that it works for, where it is a subagent's.
    pub parent: Option<String>,
    /// The folder that it was started in.
    pub folder: Option<String>,
    /// The branch that was checked out there.
    pub branch: Option<String>,
    /// The agent's version.
    pub version: Option<String>,
    /// What it was asked first, or the title that the agent gave it.
    pub title: Option<String>,
}

/// Something that a file tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// Of which run, as far as it is known by then.
    pub run: Arc<Run>,
    /// When it happened. In each run it is later than what was told before, if only by a millisecond; reading again
    /// gives the same.
    pub at: Timestamp,
    /// What it is.
    pub what: What,
}

/// What a file tells.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// The agent's own list, all of it.
    List {
        /// The tool that wrote it.
        tool: &'static str,
        /// An array of items as `todo.write` takes them.
        todos: Value,
    },
    /// Something happened to the agent.
    Happened {
        /// What.
        happened: Happened,
        /// The prompt, or why it rests.
        text: Option<String>,
        /// It called a tool that is none of ours and does not write its list.
        tool: bool,
    },
    /// It read a result of ours that names a session of ours.
    Read {
        /// Which session.
        session_id: String,
    },
}

/// Tells of one run, in order.
#[derive(Debug)]
pub(super) struct Teller {
    run: Arc<Run>,
    last: Option<Timestamp>,
}

impl Teller {
    pub(super) fn new(run: Run) -> Self {
        let own_session = cut(&run.own_session, WORD_CHARS);
        Self { run: Arc::new(Run { own_session, ..run }), last: None }
    }

    /// Notes what is now known of the run.
    pub(super) fn note(&mut self, known: impl FnOnce(&mut Run)) {
        let mut run = (*self.run).clone();
        known(&mut run);
        for text in [&mut run.parent, &mut run.folder, &mut run.branch, &mut run.version].into_iter().flatten() {
            *text = cut(text, WORD_CHARS);
        }
        if run != *self.run {
            self.run = Arc::new(run);
        }
    }

    pub(super) fn run(&self) -> &Run {
        &self.run
    }

    /// Tells it. What has no time happened with what was told last; where nothing was, it is not told.
    pub(super) fn tell(&mut self, out: &mut Vec<Told>, at: Option<Timestamp>, what: What) {
        let next = self.last.map(|last| last.saturating_add(SignedDuration::from_millis(1)).unwrap_or(last));
        let Some(at) = at.max(next) else { return };
        self.last = Some(at);
        out.push(Told { run: self.run.clone(), at, what });
    }

    pub(super) fn list(&mut self, out: &mut Vec<Told>, at: Option<Timestamp>, tool: &'static str, todos: Value) {
        self.tell(out, at, What::List { tool, todos });
    }

    pub(super) fn happened(
        &mut self,
        out: &mut Vec<Told>,
        at: Option<Timestamp>,
        happened: Happened,
        text: Option<&str>,
    ) {
        let text = text.map(|text| cut(text, TEXT_CHARS));
        self.tell(out, at, What::Happened { happened, text, tool: false });
    }

    /// A call of some tool has ended.
    pub(super) fn worked(&mut self, out: &mut Vec<Told>, at: Option<Timestamp>) {
        self.tell(out, at, What::Happened { happened: Happened::Worked, text: None, tool: true });
    }

    /// A call of a tool of ours has ended with this result.
    pub(super) fn ours(&mut self, out: &mut Vec<Told>, at: Option<Timestamp>, result: &Value) {
        match mcp::session_in(result) {
            Some(session_id) => self.tell(out, at, What::Read { session_id }),
            None => self.happened(out, at, Happened::Worked, None),
        }
    }

    /// The user asked this, or, of a subagent, the agent that it works for.
    pub(super) fn prompted(&mut self, out: &mut Vec<Told>, at: Option<Timestamp>, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if self.run.title.is_none() {
            self.note(|run| run.title = Some(cut(text, TEXT_CHARS)));
        }
        match self.run.parent {
            None => self.happened(out, at, Happened::Prompted, Some(text)),
            Some(_) => self.happened(out, at, Happened::Worked, None),
        }
    }
}

/// A time as files have it: `2026-11-21T01:04:20.884Z`.
pub(super) fn time(value: Option<&Value>) -> Option<Timestamp> {
    value?.as_str()?.parse().ok()
}

/// A text that says something.
pub(super) fn text(value: Option<&Value>) -> Option<&str> {
    value?.as_str().filter(|text| !text.trim().is_empty())
}
