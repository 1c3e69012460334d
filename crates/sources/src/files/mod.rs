//! What other people's agents write of their own lists and runs into their own files, read as one.
//!
//! [`folders`] and [`files`] say where that is, [`file_of`] which file a change belongs to, and a [`Reader`] reads one of
//! them, live or from the start; what it tells is the same in both. Where an agent has its list in two places one of them
//! carries it, so that the two never disagree; the agent's own module says which and why.
//!
//! Nothing is ever written. What is not understood is passed over: these formats are nobody's promise.

mod claude;
mod codex;
mod gemini;
mod lines;
mod lists;
mod opencode;
mod pending;
mod places;
mod qwen;
mod reader;
mod told;
mod whole;

#[cfg(test)]
mod tests;

pub use places::{file_of, files, files_in, folders, is_deep};
pub use reader::Reader;
#[cfg(feature = "fuzz")]
pub(crate) use reader::told;
pub use told::{Run, Told, What};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Which agent's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Claude Code: transcripts and tasks.
    Claude,
    /// Codex: rollouts.
    Codex,
    /// Gemini CLI: chats.
    Gemini,
    /// opencode 1: its database.
    Opencode,
    /// Qwen Code: chats and lists.
    Qwen,
    /// llxprt: lists.
    Llxprt,
}

impl Kind {
    /// Those there are.
    pub const ALL: [Self; 6] = [Self::Claude, Self::Codex, Self::Gemini, Self::Opencode, Self::Qwen, Self::Llxprt];

    /// Its name, as its sessions have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Qwen => "qwen",
            Self::Llxprt => "llxprt",
        }
    }

    /// The agent of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Where agents keep their files: the home folder, and the variables that say otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Machine {
    /// The user's home folder.
    pub home: PathBuf,
    /// The environment's variables; those that name no folder do not count.
    pub environment: BTreeMap<String, String>,
}

impl Machine {
    /// The folder that a variable names.
    fn named(&self, variable: &str) -> Option<PathBuf> {
        let value = self.environment.get(variable)?.trim();
        let folder = match value.strip_prefix('~') {
            Some(below) => self.home.join(below.trim_start_matches(['/', '\\'])),
            None => PathBuf::from(value),
        };
        folder.is_absolute().then_some(folder)
    }
}

/// The run that a file's name and folder tell of: `ID.jsonl`, or `agent-ID.jsonl` below the id of its agent's.
fn run_of(path: &Path) -> Run {
    let name = |path: Option<&Path>| path.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(agent) = stem.strip_prefix("agent-") else { return Run { own_session: stem, ..Run::default() } };
    let above = name(path.parent()).filter(|name| name != "subagents");
    let parent = above.or_else(|| name(path.parent().and_then(Path::parent)));
    Run { own_session: agent.to_owned(), parent, ..Run::default() }
}
