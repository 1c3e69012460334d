//! The archive: which sessions, what is in them, taking them out and in, and what they sum up to.

use crate::{Session, SessionState};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// Which sessions of the archive; every one where nothing is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionFilter {
    /// Of this agent, by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<String>,
    /// In this project, by its short name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub project: Option<String>,
    /// In this state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub state: Option<SessionState>,
    /// `true`: only those with items that are left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub unfinished: bool,
    /// Heard of at this time or later (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub since: Option<Timestamp>,
    /// Heard of before this time (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub until: Option<Timestamp>,
    /// `true`: only those that were deleted and can be brought back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub deleted: bool,
}

impl SessionFilter {
    /// Whether every session passes.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }
}

/// Searches what items say and what sessions are about, as it is typed.
///
/// Several words have to be there all; the last one, and one before a `*`, by its beginning; words between double
/// quotes as a phrase. Accents and case do not matter. `AND`, `OR`, `NOT` and parentheses combine, where they can be
/// read; whatever cannot is searched for as it stands. At most 1,000 characters count.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionSearch {
    /// What was typed.
    pub query: String,
    /// Where the last page ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cursor: Option<String>,
    /// 1 to 200; 50 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
    /// Among which sessions.
    #[serde(default, skip_serializing_if = "SessionFilter::is_all")]
    #[ts(as = "Option<SessionFilter>", optional)]
    pub filter: SessionFilter,
}

/// The answer to [`SessionSearch`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// One of each session of this page: first those whose title or folder has the words, then those whose items have
    /// them, both newest first. Fewer than asked for, or none, do not mean that it is the last page.
    pub results: Vec<FoundIn>,
    /// Ask with it for the next page; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub next_cursor: Option<String>,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FoundIn {
    /// Its session's id.
    pub session_id: String,
    /// The newest revision in which it was there: where to open the session.
    pub revision: u64,
    /// The session's title.
    pub title: String,
    /// The words around what was found.
    pub snippet: String,
    /// The same in parts.
    pub parts: Vec<SnippetPart>,
    /// The item that says it; absent where it is the session's title or folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// The session as it is now.
    pub session: Session,
}

/// A part of a snippet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SnippetPart {
    /// What it says.
    pub text: String,
    /// It is what was searched for.
    pub hit: bool,
}

/// Asks how much there is, and what a filter can offer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ArchiveStatus {
    /// Count what retention would take with these settings instead of those that are set: see [`crate::Settings`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub with: Option<Retention>,
}

/// How long the archive keeps what is neither pinned nor current. 0 is for ever, or without a bound.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct Retention {
    /// Days since a session was heard of last.
    pub keep_days: u32,
    /// The same for single projects, by their short names; 0 keeps a project for ever.
    pub keep_projects: BTreeMap<String, u32>,
    /// Megabytes of the database; the oldest sessions go first.
    pub keep_megabytes: u32,
    /// Revisions of each session; the oldest go first.
    pub keep_revisions: u32,
}

/// The answer to [`ArchiveStatus`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ArchiveInfo {
    /// Bytes of the database's file.
    pub bytes: u64,
    /// Bytes of it that hold nothing and go back to the disk soon.
    pub free_bytes: u64,
    /// Sessions, without those that were deleted.
    pub sessions: u64,
    /// Sessions that were deleted and can be brought back.
    pub deleted: u64,
    /// Sessions that retention takes by their age when it looks next.
    pub due: u64,
    /// The agents that there are sessions of, by name, at most 500.
    pub agents: Vec<String>,
    /// The projects that there are sessions of, by name, at most 500.
    pub projects: Vec<String>,
}

/// Writes sessions for people or for other programs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionExport {
    /// Which session.
    pub session_id: String,
    /// More of them, in this order; at most 1,000 with the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub and: Vec<String>,
    /// As Markdown: at which revision; the newest when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub revision: Option<u64>,
    /// In which form.
    #[serde(default)]
    pub format: ExportFormat,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ExportFormat {
    /// A heading and a checklist: `- [x] Read the parser`.
    #[default]
    Markdown,
    /// One JSON object with every revision: what [`SessionImport`] takes.
    Json,
    /// Training examples in JSON Lines, one of each session: `{"prompt", "response"}`, the response with the list's
    /// `<todo>` blocks as they evolved (requirement K6).
    Training,
}

/// The answer to [`SessionExport`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Exported {
    /// The text.
    pub text: String,
}

/// Takes sessions in that were exported as JSON, with all their revisions. Those that are there already stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionImport {
    /// What the export gave.
    pub text: String,
}

/// The answer to [`SessionImport`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionsImported {
    /// The ids of those that are new here.
    pub sessions: Vec<String>,
    /// How many were there already.
    pub known: u32,
}

/// Asks what was done, by the hour and agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ArchiveInsight {
    /// From the hour of this time on (RFC 3339); from the beginning when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub since: Option<Timestamp>,
    /// To the hour before this time (RFC 3339); to now when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub until: Option<Timestamp>,
}

/// The answer to [`ArchiveInsight`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Insight {
    /// The hours in which something was done, oldest first; at most the newest 20,000.
    pub hours: Vec<HourOfWork>,
}

/// What one agent did in one hour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HourOfWork {
    /// When the hour began (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
    /// The agent's name.
    pub agent: String,
    /// Sessions that wrote their first list.
    pub lists: u32,
    /// Items that were completed; one that was taken up again and completed again counts twice.
    pub finished: u32,
    /// Items that were skipped or cancelled.
    pub skipped: u32,
    /// Items that were taken up again after they were done.
    pub reopened: u32,
    /// How long the finished items were in progress, in milliseconds.
    #[ts(type = "number")]
    pub worked_ms: u64,
    /// Finished items that had an estimate.
    pub estimated: u32,
    /// What their estimates add up to, in milliseconds.
    #[ts(type = "number")]
    pub estimated_ms: u64,
    /// How long these were in progress, in milliseconds.
    #[ts(type = "number")]
    pub actual_ms: u64,
}
