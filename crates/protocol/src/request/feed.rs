//! Rows for a gateway that mirrors this one: which sessions changed after a cursor, and each session's history after a
//! revision.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// The word in `hello`'s `features` of a gateway that answers `feed.changes`, `feed.session` and `edit.once`.
pub const FEED: &str = "feed";

/// Asks which sessions changed after a cursor, in the order of their changes. Only the gateway's own sessions are told,
/// and none that it mirrors itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedChanges {
    /// `cursor` of the page before; left out for the first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cursor: Option<String>,
    /// Leaves sessions out whose agents were last heard of before this time (RFC 3339, UTC), but for those that are
    /// pinned, wait for the user or for an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "string")]
    pub since: Option<Timestamp>,
    /// A revision that the client has from here, by which a database that was put back from a backup is noticed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub witness: Option<FeedRevision>,
    /// Sessions on a page: 1 to 500, 200 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// A revision of a session, as the client has it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedRevision {
    /// The session.
    pub session_id: String,
    /// The number of the revision.
    pub revision: u64,
    /// The time of the revision (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
}

/// A page of sessions that changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedPage {
    /// Continues after this page, at once or whenever something has changed.
    pub cursor: String,
    /// Ids of the sessions that changed, each once.
    pub sessions: Vec<String>,
    /// The sessions that were deleted.
    pub deleted: Vec<FeedDeleted>,
    /// More has changed already.
    pub more: bool,
    /// The page begins anew, as without a cursor: the cursor is not of this database, or is ahead of it, or the witness is
    /// otherwise here. The client compares each session that it has with the `at` of `feed.session`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub anew: bool,
}

/// A session that was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedDeleted {
    /// The session.
    pub session_id: String,
    /// The time at which it was deleted (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
}

/// Asks for a session's history after a revision, as rows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedSession {
    /// The session, by its whole id.
    pub session_id: String,
    /// The newest revision that the client has; 0 for none.
    pub revision: u64,
    /// The time of that revision (RFC 3339, UTC), by which another history is noticed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "string")]
    pub at: Option<Timestamp>,
    /// Leaves edits out that have not changed since this cursor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cursor: Option<String>,
    /// Revisions at most: 1 to 1,000, 500 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// A session's history after a revision, all of it as it was at one moment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedRows {
    /// The session in the form of an export as JSON, with the revisions after the one that was asked for, the states of
    /// items that begin or end with them, and the edits that changed. Where `firstRevision` is beyond the revision that
    /// was asked for, those between were trimmed, and all states are told.
    #[ts(type = "unknown")]
    pub session: Value,
    /// The cursor of this moment, for `cursor` of the next request.
    pub cursor: String,
    /// The last revision of this page.
    pub revision: u64,
    /// There are more revisions.
    pub more: bool,
    /// The revision that was asked for is another one here: nothing of the history is told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub differs: bool,
    /// Calls of other tools since its list changed last.
    #[serde(default)]
    pub calls: u32,
    /// The time since which its list may be out of date (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "string")]
    pub drift_at: Option<Timestamp>,
    /// The agent is connected.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub connected: bool,
}

/// Makes an edit that was made elsewhere, once: one with the same key is answered as the first time and makes nothing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditOnce {
    /// Key of the edit, chosen by the client: 1 to 100 characters, never used for another edit. It is remembered for 30
    /// days.
    pub key: String,
    /// The edit: a request such as `todo.add` with its `type`.
    #[ts(type = "unknown")]
    pub edit: Value,
    /// The client that made it there, whose edits `todo.undo` without an id takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub client: Option<String>,
}

/// The answer to an edit that is made once.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditedOnce {
    /// The session.
    pub session_id: String,
    /// The revision that it made.
    pub revision: u64,
    /// Id of the edit, for `todo.undo`; absent where it made none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub edit_id: Option<String>,
    /// The outcome, for people.
    pub message: String,
}
