//! The state of an agent's configuration, in our terms.

use agents::Agent;
use std::path::PathBuf;
use texts::Text;

/// The state of something of ours in an agent's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registration {
    /// Nothing of ours is there.
    Absent,
    /// As [`crate::connect()`] writes it.
    Ours,
    /// Ours, but not as it would be written today (another path, an event without a hook), with what it is instead.
    Outdated(Text),
    /// Ours, but a switch of the agent's keeps it from running, with the switch.
    Disabled(Text),
    /// Somebody else's under our name, with what it runs.
    Other(Text),
    /// The file cannot be read, with the reason.
    Unreadable(Text),
}

impl Status {
    /// The state of an agent whose files cannot be read.
    #[must_use]
    pub fn unreadable(agent: &dyn Agent, why: &Text) -> Self {
        let unreadable = || Registration::Unreadable(why.clone());
        Self {
            program: None,
            server: unreadable(),
            hooks: agent.facts().hooks.map(|_| unreadable()),
            hooks_off: false,
            answers: None,
            built_in_list: BuiltInList::Unknown,
            files: Vec::new(),
        }
    }
}

impl Registration {
    /// Returns whether something of ours is there, running or not.
    pub(crate) const fn is_ours(&self) -> bool {
        matches!(self, Self::Ours | Self::Outdated(_) | Self::Disabled(_))
    }

    /// The state, unless a switch turns it off.
    pub(crate) fn unless_off(self, off: Option<Text>) -> Self {
        match off.filter(|_| self.is_ours()) {
            Some(off) => Self::Disabled(off),
            None => self,
        }
    }
}

/// The state of an agent's built-in list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltInList {
    /// Turned on.
    On,
    Off,
    /// The agent decides by its version and the model, or the file cannot be read.
    Unknown,
}

/// The state of an agent's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Its program, if it is on the search path.
    pub program: Option<PathBuf>,
    /// Our server.
    pub server: Registration,
    /// Our hooks. `None` for an agent without hooks.
    pub hooks: Option<Registration>,
    /// True if all hooks are turned off by the agent's own setting in the same file.
    pub hooks_off: bool,
    /// The seconds for which it waits for answers to its permission prompts. `None` where it asks by itself.
    pub answers: Option<u32>,
    pub built_in_list: BuiltInList,
    /// The files that were looked at, whether they exist or not.
    pub files: Vec<PathBuf>,
}
