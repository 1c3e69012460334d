//! The groups. Fields are in one group when one kind of change writes them; saving a session writes changed groups only.
//!
//! Their serde form is the one of exported sessions: `skip` marks what is counted again, or starts afresh, where a
//! session is imported.

use crate::word::{tolerant, words};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

words! {
    /// The state that a session's agent last reported of itself, as it is stored.
    ReportedState, unknown words are Open
    /// At work, or nothing else was reported.
    Open = "open"
    /// Waiting for an approval or an answer of the user.
    Waiting = "waiting"
    /// At the end of its turn.
    Resting = "resting"
    /// Gone, in good order.
    Finished = "finished"
    /// Ended by an error.
    Failed = "failed"
    /// Begun by the user; no agent has it yet.
    Unclaimed = "unclaimed"
}

words! {
    /// The state of a session's list, which tells an empty list from one that nothing is known of.
    ListState, unknown words are Unknown
    /// It has items.
    Active = "active"
    /// It was emptied.
    KnownEmpty = "known-empty"
    /// The agent is connected and has not used the tool yet.
    NeverCalled = "never-called"
    /// The agent's own todo tool is switched off.
    ToolOff = "tool-off"
    /// Nothing is known.
    Unknown = "unknown"
}

impl ListState {
    /// True if something was heard of the list: that it has items, or that it has none.
    #[must_use]
    pub const fn is_known(self) -> bool {
        matches!(self, Self::Active | Self::KnownEmpty)
    }
}

/// Progress of a list, counted in top-level items.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// Items that are completed or skipped.
    pub completed: u32,
    /// All items but cancelled ones.
    pub total: u32,
    /// Progress for a bar, from 0 to 1, with parts of items by their subtasks.
    #[serde(default)]
    pub fraction: f64,
}

/// The agent and its task: set when the session begins, and rarely changed later.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Identity {
    /// The session that this one's agent works for as a subagent, or that this built-in list belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<String>,
    /// The agent's own tool that writes the list; none where the list is Sightline's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_tool: Option<String>,
    /// The agent cannot be told of edits.
    #[serde(default)]
    pub read_only: bool,
    /// The name it was opened under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// A short text on what it is about.
    pub title: String,
    /// The user's first request to the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The agent's name.
    #[serde(rename = "agent")]
    pub agent_name: String,
    /// The agent's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    /// The folder that the agent works in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The folder's short name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The git branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The time at which it began.
    pub created_at: Timestamp,
    /// For a mirrored session: the host that it lives on.
    #[serde(skip)]
    pub host: Option<String>,
}

/// The agent's reports and activity: changes with every sign of life, and a built-in list has that of its run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Life {
    /// The state that the agent last reported.
    #[serde(deserialize_with = "tolerant")]
    pub state: ReportedState,
    /// The reason for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<String>,
    /// The time since which it is in that state.
    pub state_at: Timestamp,
    /// The last sign of life of its agent.
    pub last_activity_at: Timestamp,
    /// Calls of other tools since a list of the run changed last.
    #[serde(skip)]
    pub calls: u32,
    /// The time since which its list has not changed although the agent went on for too many calls.
    #[serde(skip)]
    pub drift_at: Option<Timestamp>,
}

impl Life {
    /// Returns the life of a session that begins now.
    #[must_use]
    pub fn beginning(now: Timestamp) -> Self {
        Self {
            state: ReportedState::Open,
            state_reason: None,
            state_at: now,
            last_activity_at: now,
            calls: 0,
            drift_at: None,
        }
    }
}

/// The active list in numbers, so that no view counts items or revisions: changes with the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListSummary {
    /// The active list; an export names it among the session's lists.
    #[serde(skip)]
    pub id: String,
    /// The state of the list, which tells an emptied list from one that nothing is known of.
    #[serde(rename = "listState", deserialize_with = "tolerant")]
    pub state: ListState,
    /// The newest revision; 0 before the first.
    pub revision: u64,
    /// The oldest revision that is kept.
    pub first_revision: u64,
    /// The number of item ids that Sightline has given out.
    pub ids_given: u64,
    /// Its progress.
    #[serde(skip)]
    pub progress: Progress,
    /// Items that are not terminal.
    #[serde(skip)]
    pub unfinished: u32,
    /// The time at which the newest known form of a built-in list was written.
    #[serde(skip)]
    pub observed_at: Option<Timestamp>,
}

impl ListSummary {
    /// Returns the summary of a new list without items.
    #[must_use]
    pub fn empty(id: String) -> Self {
        Self {
            id,
            state: ListState::KnownEmpty,
            revision: 0,
            first_revision: 1,
            ids_given: 0,
            progress: Progress::default(),
            unfinished: 0,
            observed_at: None,
        }
    }
}

/// The user's decisions about a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Marks {
    /// It stays on the board.
    #[serde(default)]
    pub pinned: bool,
    /// Its tags, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// There are no notifications of it.
    #[serde(skip)]
    pub muted: bool,
    /// Agents of every key may open it by its label.
    #[serde(skip)]
    pub shared: bool,
    /// The time at which it was taken off the board.
    #[serde(skip)]
    pub dismissed_at: Option<Timestamp>,
    /// Its needs that were dismissed, oldest first.
    #[serde(skip)]
    pub dismissed_needs: Vec<DismissedNeed>,
    /// The time at which it was deleted; it can be brought back until it is purged.
    #[serde(skip)]
    pub deleted_at: Option<Timestamp>,
}

/// A need that was dismissed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "DismissedForm", into = "DismissedForm")]
pub struct DismissedNeed {
    /// The need's id.
    pub id: String,
    /// The time at which it comes back; never where there is none.
    pub until: Option<Timestamp>,
}

impl DismissedNeed {
    /// True if it is dismissed at that time.
    #[must_use]
    pub fn is_at(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| until > now)
    }
}

/// The stored form: the id alone where it is dismissed for good.
#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum DismissedForm {
    ForGood(String),
    Until { id: String, until: Timestamp },
}

impl From<DismissedForm> for DismissedNeed {
    fn from(form: DismissedForm) -> Self {
        match form {
            DismissedForm::ForGood(id) => Self { id, until: None },
            DismissedForm::Until { id, until } => Self { id, until: Some(until) },
        }
    }
}

impl From<DismissedNeed> for DismissedForm {
    fn from(DismissedNeed { id, until }: DismissedNeed) -> Self {
        match until {
            None => Self::ForGood(id),
            Some(until) => Self::Until { id, until },
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ActorKind, Life, ListState, ReportedState, Transport, Word};
    use rstest::rstest;
    use std::fmt::Debug;

    #[rstest]
    #[case(ReportedState::Open)]
    #[case(ListState::Unknown)]
    #[case(Transport::Websocket)]
    #[case(ActorKind::User)]
    fn a_word_is_read_back_and_one_of_a_later_build_is_tolerated<T: Word + Debug + serde::Serialize>(
        #[case] fallback: T,
    ) {
        for (value, word) in T::WORDS {
            assert_eq!(value.word(), *word);
            assert_eq!(T::from_word(word), *value);
            assert_eq!(serde_json::to_value(value).expect("a text"), *word, "the same word on the wire");
        }
        assert_eq!(T::from_word("of a later build"), fallback);
    }

    #[test]
    fn an_export_of_a_later_build_is_read() {
        let time = "2023-11-14T22:13:20Z";
        let text = format!(r#"{{"state": "napping", "stateAt": "{time}", "lastActivityAt": "{time}"}}"#);
        let life: Life = serde_json::from_str(&text).expect("it is read");
        assert_eq!(life, Life::beginning(time.parse().expect("a time")));
        assert!(serde_json::from_str::<Transport>("\"napping\"").is_err(), "a client is told of its mistake");
    }
}
