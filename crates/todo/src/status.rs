//! The status of an item and the words that agents use for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The state of an item.
///
/// `waiting` is not here: it is derived from unmet dependencies and never stored over a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not begun.
    #[default]
    Pending,
    /// Being worked on.
    InProgress,
    /// Done.
    Completed,
    /// Cannot go on.
    Blocked,
    /// Left out, and counted as done with.
    Skipped,
    /// Given up, and not counted at all.
    Cancelled,
    /// A word of the agent's own; the item's `statusRaw` keeps it. Neither done nor active.
    Unknown,
}

impl Status {
    /// The statuses that a person can set.
    pub const SETTABLE: [Self; 6] =
        [Self::Pending, Self::InProgress, Self::Completed, Self::Blocked, Self::Skipped, Self::Cancelled];

    /// True if nothing more happens to an item in this status.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Skipped | Self::Cancelled)
    }

    /// The name on the wire and in the store.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Blocked => "blocked",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
            Self::Unknown => "unknown",
        }
    }

    /// Reads a word as an agent says it; case, spaces, hyphens and underscores do not matter.
    /// A word that no known agent uses is [`Status::Unknown`].
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        let exact = [Self::Pending, Self::InProgress, Self::Completed, Self::Blocked, Self::Skipped, Self::Cancelled];
        if let Some(status) = exact.into_iter().find(|status| status.name() == word) {
            return status;
        }
        let means_nothing = |c: &char| c.is_whitespace() || c.is_control() || matches!(c, '_' | '-');
        let folded: String = word.chars().filter(|c| !means_nothing(c)).flat_map(char::to_lowercase).collect();
        let folded = folded.strip_prefix("todostatus").unwrap_or(&folded);
        match folded {
            "" | "pending" | "todo" | "notstarted" | "open" => Self::Pending,
            "inprogress" | "doing" | "active" | "started" => Self::InProgress,
            "completed" | "complete" | "done" | "closed" | "finished" => Self::Completed,
            "blocked" => Self::Blocked,
            "skipped" => Self::Skipped,
            "cancelled" | "canceled" => Self::Cancelled,
            _ => Self::Unknown,
        }
    }
}

impl Status {
    /// True if a word deletes the item, as `deleted` of the Task tools does.
    #[must_use]
    pub fn says_deleted(word: &str) -> bool {
        matches!(word.trim().to_ascii_lowercase().as_str(), "deleted" | "removed")
    }

    /// Reads the mark in a checklist's box: `[ ]`, `[x]`, `[-]`, `[~]`. Other dialects mean other things by the last
    /// two; this is the reading of the agents that write them to us.
    #[must_use]
    pub fn from_mark(mark: char) -> Option<Self> {
        match mark {
            ' ' => Some(Self::Pending),
            'x' | 'X' => Some(Self::Completed),
            '-' | '~' => Some(Self::InProgress),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("pending", Status::Pending)]
    #[case("todo", Status::Pending)]
    #[case("not-started", Status::Pending)]
    #[case("open", Status::Pending)]
    #[case("", Status::Pending)]
    #[case("TODO_STATUS_PENDING", Status::Pending)]
    #[case("in_progress", Status::InProgress)]
    #[case("inProgress", Status::InProgress)]
    #[case("In Progress", Status::InProgress)]
    #[case("doing", Status::InProgress)]
    #[case("TODO_STATUS_IN_PROGRESS", Status::InProgress)]
    #[case("done", Status::Completed)]
    #[case("closed", Status::Completed)]
    #[case("Canceled", Status::Cancelled)]
    #[case("skipped", Status::Skipped)]
    #[case("completed", Status::Completed)]
    #[case("TODO_STATUS_COMPLETED", Status::Completed)]
    #[case("cancelled", Status::Cancelled)]
    #[case("blocked", Status::Blocked)]
    #[case(" DONE ", Status::Completed)]
    #[case("in-progress", Status::InProgress)]
    #[case("awaiting review", Status::Unknown)]
    #[case("deleted", Status::Unknown)]
    fn words(#[case] word: &str, #[case] status: Status) {
        assert_eq!(Status::from_word(word), status, "{word:?}");
    }
}
