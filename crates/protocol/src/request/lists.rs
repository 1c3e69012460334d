//! The lists of the archive: each is a range of a session's revisions, the present one or one that has ended.

use crate::{Session, SessionFilter};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use session::Progress;
use ts_rs::TS;

/// Asks for a page of lists: present ones of current sessions first, then by time, newest first.
///
/// With any filter all come by time. A present list has the time of its session's last activity, one that has ended that
/// of its end.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArchiveLists {
    /// `nextCursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cursor: Option<String>,
    /// Lists on a page: 1 to 200, 50 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
    /// Conditions on the lists and their sessions.
    #[serde(default, skip_serializing_if = "SessionFilter::is_all")]
    #[ts(as = "Option<SessionFilter>", optional)]
    pub filter: SessionFilter,
}

/// A page of lists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lists {
    /// The lists. A page may hold fewer than asked for, or none, and not be the last.
    pub lists: Vec<ListEntry>,
    /// Cursor of the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub next_cursor: Option<String>,
}

/// A list of the archive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListEntry {
    /// Id of the list.
    pub list_id: String,
    /// Its session as it is now; its title and progress are those of the present list.
    pub session: Session,
    /// The list that has ended; absent for the present one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub ended: Option<EndedList>,
}

/// A list that was cleared, archived or replaced, as it was then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndedList {
    /// Id of the list.
    pub list_id: String,
    /// Text of its first item, shortened.
    pub title: String,
    /// Its progress.
    pub progress: Progress,
    /// The session's revision that began it.
    pub first_revision: u64,
    /// The session's last revision of it: with this it is opened, loaded and exported.
    pub revision: u64,
    /// Time at which it began (RFC 3339, UTC).
    #[ts(type = "string")]
    pub created_at: Timestamp,
    /// Time at which it ended (RFC 3339, UTC).
    #[ts(type = "string")]
    pub ended_at: Timestamp,
    /// Time at which the user deleted it (RFC 3339, UTC); only among deleted lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub deleted_at: Option<Timestamp>,
}

/// Deletes one list. For a day it can be brought back. With its only list a session is deleted as a whole; where a present
/// list is deleted, the session begins another one, and its agent is not told.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListDelete {
    /// Id of the list.
    pub list_id: String,
    /// It cannot be brought back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub for_good: bool,
}

/// Brings a deleted list back, or the session that was deleted with its only list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListUndelete {
    /// Id of the list.
    pub list_id: String,
}
