//! The terms in which an agent's transcripts are read: runs, observations of them, and parsers of records.

mod open_calls;
#[cfg(test)]
mod tests;
mod used;

use crate::Database;
use crate::lists::cut;
use jiff::{SignedDuration, Timestamp};
pub(crate) use open_calls::OpenCalls;
use protocol::{Happened, Usage};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
pub(crate) use used::{Tokens, Used, some, tokens};

/// The most characters of a prompt or a reason.
const TEXT_CHARS: usize = 2_000;
/// The most characters of an id, a folder or a name.
const WORD_CHARS: usize = 1_000;

/// A parser for one transcript, by the form of the transcript.
pub enum Transcript {
    /// A file that grows, with one JSON record per line.
    Lines(Box<dyn Records>),
    /// A file with one JSON value that is rewritten at each change; each rewrite is a record.
    File(Box<dyn Records>),
    /// A folder of small JSON files that are one list; at each change their array is a record.
    Folder {
        /// True if a file is part of the list.
        is_part: fn(&Path) -> bool,
        /// The parser of the array.
        records: Box<dyn Records>,
    },
    /// An SQLite database.
    Database(Box<dyn Database>),
}

/// A parser of records, which keeps what it has seen of the run so far.
pub trait Records: Send {
    /// Takes the next record. `written` is the time of the file where the records have no times of their own.
    fn record(&mut self, record: &Value, written: Option<Timestamp>, out: &mut Vec<Observation>);

    /// The reason why the last record told nothing, where it should have.
    fn problem(&self) -> Option<&str> {
        None
    }
}

/// One run of an agent, as far as its transcript has told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Run {
    /// The agent's own id of it.
    pub own_session: String,
    /// The own id of the run that a subagent works for.
    pub parent: Option<String>,
    /// The folder that it was started in.
    pub folder: Option<String>,
    /// The branch that was checked out there.
    pub branch: Option<String>,
    /// The agent's version.
    pub version: Option<String>,
    /// The first prompt, or the title that the agent gave it.
    pub title: Option<String>,
    /// Its model, tokens and cost so far.
    pub usage: Option<Usage>,
}

impl Run {
    /// A run with this id, of which nothing else is known.
    #[must_use]
    pub fn new(own_session: &str) -> Self {
        Self { own_session: own_session.to_owned(), ..Self::default() }
    }

    /// The run that a file is named after: `ID.jsonl`, or `agent-ID.jsonl` below the id of its agent's run.
    #[must_use]
    pub fn of_file(path: &Path) -> Self {
        let name = |path: Option<&Path>| path.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let stem = stem(path);
        let Some(agent) = stem.strip_prefix("agent-") else { return Self::new(&stem) };
        let above = name(path.parent()).filter(|name| name != "subagents");
        let parent = above.or_else(|| name(path.parent().and_then(Path::parent)));
        Self { parent, ..Self::new(agent) }
    }
}

/// One thing that a transcript tells of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The run, as far as it is known by then.
    pub run: Arc<Run>,
    /// The time. Within a run it is later than that of the observation before, if only by a millisecond, and the same
    /// whenever the transcript is read again.
    pub at: Timestamp,
    /// The content.
    pub observed: Observed,
}

/// The content of an observation.
#[derive(Debug, Clone, PartialEq)]
pub enum Observed {
    /// The whole built-in list.
    List {
        /// The tool that wrote it.
        tool: &'static str,
        /// An array of items as `todo.write` takes them.
        todos: Value,
    },
    /// Something that happened to the agent.
    Happened {
        /// The kind of event.
        happened: Happened,
        /// The prompt, or why the agent rests.
        text: Option<String>,
        /// The agent called a tool that is not ours and does not write its list.
        tool: bool,
    },
    /// The result of a call of one of our tools, which may name a session of ours.
    OurResult {
        /// The result as the agent stored it.
        result: Value,
    },
}

/// The observations of one run, put into order.
#[derive(Debug)]
pub struct Observer {
    run: Arc<Run>,
    last: Option<Timestamp>,
}

impl Observer {
    /// An observer of this run.
    #[must_use]
    pub fn new(run: Run) -> Self {
        let own_session = cut(&run.own_session, WORD_CHARS);
        Self { run: Arc::new(Run { own_session, ..run }), last: None }
    }

    /// Updates what is known of the run.
    pub fn note(&mut self, update: impl FnOnce(&mut Run)) {
        let mut run = (*self.run).clone();
        update(&mut run);
        for text in [&mut run.parent, &mut run.folder, &mut run.branch, &mut run.version].into_iter().flatten() {
            *text = cut(text, WORD_CHARS);
        }
        if run != *self.run {
            self.run = Arc::new(run);
        }
    }

    /// The run as it is known so far.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Updates what the run has used; the next observation tells it.
    pub(crate) fn used(&mut self, usage: &Usage) {
        if !usage.is_empty() && self.run.usage.as_ref() != Some(usage) {
            self.note(|run| run.usage = Some(usage.clone()));
        }
    }

    /// Adds an observation. Without a time it is put right after the last one, or left out where there is none.
    pub fn observe(&mut self, out: &mut Vec<Observation>, at: Option<Timestamp>, observed: Observed) {
        let next = self.last.map(|last| last.saturating_add(SignedDuration::from_millis(1)).unwrap_or(last));
        let Some(at) = at.max(next) else { return };
        self.last = Some(at);
        out.push(Observation { run: self.run.clone(), at, observed });
    }

    /// Adds a whole list.
    pub fn list(&mut self, out: &mut Vec<Observation>, at: Option<Timestamp>, tool: &'static str, todos: Value) {
        self.observe(out, at, Observed::List { tool, todos });
    }

    /// Adds something that happened to the agent.
    pub fn happened(
        &mut self,
        out: &mut Vec<Observation>,
        at: Option<Timestamp>,
        happened: Happened,
        text: Option<&str>,
    ) {
        let text = text.map(|text| cut(text, TEXT_CHARS));
        self.observe(out, at, Observed::Happened { happened, text, tool: false });
    }

    /// Adds the end of a call of some other tool.
    pub fn worked(&mut self, out: &mut Vec<Observation>, at: Option<Timestamp>) {
        self.observe(out, at, Observed::Happened { happened: Happened::Worked, text: None, tool: true });
    }

    /// Adds the result of a call of one of our tools.
    pub fn our_result(&mut self, out: &mut Vec<Observation>, at: Option<Timestamp>, result: &Value) {
        self.observe(out, at, Observed::OurResult { result: result.clone() });
    }

    /// Adds a prompt of the user's, or for a subagent of the agent that it works for.
    pub fn prompted(&mut self, out: &mut Vec<Observation>, at: Option<Timestamp>, text: &str) {
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

/// A time as transcripts write it: `2026-11-21T01:04:20.884Z`.
pub(crate) fn time(value: Option<&Value>) -> Option<Timestamp> {
    value?.as_str()?.parse().ok()
}

/// A text that is not blank.
pub(crate) fn text(value: Option<&Value>) -> Option<&str> {
    value?.as_str().filter(|text| !text.trim().is_empty())
}

/// A file's name without its ending.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Returns whether a folder of this name is above the path.
pub(crate) fn is_below(path: &Path, folder: &str) -> bool {
    path.ancestors().skip(1).any(|above| above.file_name().is_some_and(|name| name == folder))
}

/// Returns whether the path is directly in a folder of this name.
pub(crate) fn is_in(path: &Path, folder: &str) -> bool {
    path.parent().and_then(Path::file_name).is_some_and(|name| name == folder)
}

/// Returns whether a path has this ending.
pub(crate) fn ends(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|own| own == extension)
}

/// Returns whether any folder in this one holds such a file: another transcript of the same run.
pub(crate) fn is_in_some_folder(folders: &Path, file: &Path) -> bool {
    let folders = std::fs::read_dir(folders).into_iter().flatten().filter_map(Result::ok);
    folders.into_iter().any(|folder| folder.path().join(file).exists())
}
