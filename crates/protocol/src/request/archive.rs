//! The archive: which sessions, what is in them, taking them out and in, and what they sum up to.

use crate::{EndedList, Session, SessionState};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use texts::TextRef;
use ts_rs::TS;

/// Conditions on sessions, all of which have to hold; every session passes where there are none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionFilter {
    /// The agent's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<String>,
    /// The project's short name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub project: Option<String>,
    /// A tag of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tag: Option<String>,
    /// The session's state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub state: Option<SessionState>,
    /// Only sessions with open items.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub unfinished: bool,
    /// Last active at this time or later (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub since: Option<Timestamp>,
    /// Last active before this time (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub until: Option<Timestamp>,
    /// Only deleted sessions that can still be brought back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub deleted: bool,
}

impl SessionFilter {
    /// True if every session passes.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }
}

/// Searches what items say, and titles, folders and tags of sessions, as it is typed.
///
/// Several words have to be there all; the last one, and one before a `*`, by its beginning; words between double
/// quotes as a phrase. Accents and case do not matter. `AND`, `OR`, `NOT` and parentheses combine, where they can be
/// read; whatever cannot is searched for as it stands. At most 1,000 characters count.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionSearch {
    /// The words to search for.
    pub query: String,
    /// `nextCursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cursor: Option<String>,
    /// Results on a page: 1 to 200, 50 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
    /// Conditions on the sessions to search.
    #[serde(default, skip_serializing_if = "SessionFilter::is_all")]
    #[ts(as = "Option<SessionFilter>", optional)]
    pub filter: SessionFilter,
}

/// A page of search results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchHits {
    /// One result of each list: first those whose title or folder has the words, then those whose items have them,
    /// both newest first. A page may hold fewer results than asked for, or none, and not be the last.
    pub results: Vec<SearchHit>,
    /// Cursor of the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub next_cursor: Option<String>,
}

/// A search result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// Id of the session.
    pub session_id: String,
    /// The newest revision that has the words.
    pub revision: u64,
    /// The session's title.
    pub title: String,
    /// The words with the text around them.
    pub snippet: String,
    /// The snippet in parts, to highlight the words.
    pub parts: Vec<SnippetPart>,
    /// Uid of the item that has the words; absent where the title or the folder has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// The session as it is now.
    pub session: Session,
    /// The list that has the words, where it has ended; absent for the present one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub ended: Option<EndedList>,
    /// Id of the list that has the words.
    #[serde(default)]
    pub list_id: String,
}

/// A part of a snippet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SnippetPart {
    /// The text.
    pub text: String,
    /// The part was searched for.
    pub hit: bool,
}

/// Asks for the size of the archive, and for the names that a filter can offer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArchiveStatus {
    /// Retention to count `due` with, instead of the one in [`Settings`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub with: Option<Retention>,
}

/// Time and size that the archive keeps for sessions that are neither pinned nor current. 0 means no limit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Retention {
    /// Days since the last activity.
    pub keep_days: u32,
    /// Days for single projects, by their short names; 0 keeps a project for ever.
    pub keep_projects: BTreeMap<String, u32>,
    /// Megabytes of the database; the oldest sessions go first.
    pub keep_megabytes: u32,
    /// Revisions of each session; the oldest go first.
    pub keep_revisions: u32,
}

/// The size of the archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArchiveInfo {
    /// Size of the database file in bytes.
    pub bytes: u64,
    /// Bytes of the file that are unused and go back to the disk soon.
    pub free_bytes: u64,
    /// Sessions, deleted ones not counted.
    pub sessions: u64,
    /// Deleted sessions that can still be brought back.
    pub deleted: u64,
    /// Lists, deleted ones not counted.
    #[serde(default)]
    pub lists: u64,
    /// Deleted lists that can still be brought back.
    #[serde(default)]
    pub deleted_lists: u64,
    /// Sessions that retention removes by their age the next time it runs.
    pub due: u64,
    /// Names of agents with sessions, at most 500.
    pub agents: Vec<String>,
    /// Names of projects with sessions, at most 500.
    pub projects: Vec<String>,
    /// Tags of sessions, at most 500.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// Writes sessions as a text for people or for other programs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionExport {
    /// The session.
    pub session_id: String,
    /// Further sessions, in this order; at most 1,000 in all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub and: Vec<String>,
    /// Revision for Markdown; the newest when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub revision: Option<u64>,
    /// The format.
    #[serde(default)]
    pub format: ExportFormat,
}

/// Formats of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ExportFormat {
    /// A heading and a checklist: `- [x] Read the parser`.
    #[default]
    Markdown,
    /// One JSON object with every revision, which [`SessionImport`] takes.
    Json,
    /// Training examples in JSON Lines, one for each prompt: `{"prompt", "response"}`. The response has the model's prose,
    /// its computations with their results, and the list's `<todo>` blocks, in the order in which they came. A session
    /// without a stored conversation is one example, of its blocks alone. Empty examples are left out.
    // requirement K6.
    Training,
}

/// An export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Exported {
    /// The text.
    pub text: String,
    /// Sentences for people on parts that training examples lack: each begins with the session's id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub left_out: Vec<String>,
    /// The same in the catalogue, for clients that show them to people in their own language; empty where one has no name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<TextRef>>", optional)]
    pub left_out_texts: Vec<TextRef>,
}

/// Imports sessions that were exported as JSON, with all their revisions. Sessions that are there already stay as they
/// are, and one that could not have been written here refuses the whole text and is named. The message may have 8 MiB.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionImport {
    /// The text of the export.
    pub text: String,
    /// Only says what would be imported, or refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub check: bool,
    /// Other sessions of an export that is sent in parts, each with the one that it is under: none may be under itself.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(as = "Option<BTreeMap<String, Option<String>>>", optional)]
    pub parents: BTreeMap<String, Option<String>>,
}

/// The outcome of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsImported {
    /// Ids of the sessions that are new here.
    pub sessions: Vec<String>,
    /// Number of sessions that were there already.
    pub known: u32,
}

/// Asks for the work that was done, by hour and agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArchiveInsight {
    /// Begins with the hour of this time (RFC 3339); with the first one when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub since: Option<Timestamp>,
    /// Ends with the hour before this time (RFC 3339); now when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub until: Option<Timestamp>,
}

/// Work by hour and agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Insight {
    /// Hours in which something was done, oldest first; at most the newest 20,000.
    pub hours: Vec<HourOfWork>,
}

/// Work of one agent in one hour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HourOfWork {
    /// Beginning of the hour (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
    /// The agent's name.
    pub agent: String,
    /// Lists that were begun.
    pub lists: u32,
    /// Items that were completed; one that was taken up and completed again counts twice.
    pub finished: u32,
    /// Items that were skipped or cancelled.
    pub skipped: u32,
    /// Items that were taken up again after they were done.
    pub reopened: u32,
    /// Time that the finished items were in progress, in milliseconds.
    #[ts(type = "number")]
    pub worked_ms: u64,
    /// Finished items that had an estimate.
    pub estimated: u32,
    /// Sum of those estimates, in milliseconds.
    #[ts(type = "number")]
    pub estimated_ms: u64,
    /// Time that those items were in progress, in milliseconds.
    #[ts(type = "number")]
    pub actual_ms: u64,
}
