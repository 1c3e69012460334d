//! Rows as Rust values.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::Result;

/// A session as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    /// The row's number; 0 before it is stored.
    pub pk: i64,
    /// Ours, a UUID.
    pub session_id: String,
    /// The session whose subagent this is, or whose run's own list.
    pub parent_session_id: Option<String>,
    /// The agent's own tool that writes the list; none where it is ours.
    pub own_tool: Option<String>,
    /// The agent cannot be told of edits.
    pub read_only: bool,
    /// When what is known of an agent's own list was written.
    pub observed_at: Option<Timestamp>,
    /// Calls of other tools since a list of the run changed last.
    pub calls: u32,
    /// The name it was opened under.
    pub label: Option<String>,
    /// What it is about.
    pub title: String,
    /// What the user asked for first.
    pub prompt: Option<String>,
    /// The agent's name.
    pub agent_name: String,
    /// The agent's version.
    pub agent_version: Option<String>,
    /// Where it works.
    pub folder: Option<String>,
    /// The folder's short name.
    pub project: Option<String>,
    /// The git branch.
    pub branch: Option<String>,
    /// What its agent said of itself: `open`, `waiting`, `resting`, `finished` or `failed`.
    pub state: String,
    /// Why.
    pub state_reason: Option<String>,
    /// Since when.
    pub state_at: Timestamp,
    /// Why its list is as it is.
    pub list_state: String,
    /// The active list.
    pub list_id: String,
    /// The newest revision.
    pub revision: u64,
    /// How many ids of ours were given.
    pub ids_given: u64,
    /// Completed or skipped items.
    pub completed: u32,
    /// All but cancelled items.
    pub total: u32,
    /// 0 to 1.
    pub fraction: f64,
    /// Items that are not terminal.
    pub unfinished: u32,
    /// When it began.
    pub created_at: Timestamp,
    /// When its agent was last heard of.
    pub last_activity_at: Timestamp,
    /// Since when its list has stood still for too long.
    pub drift_at: Option<Timestamp>,
    /// The user keeps it on the board.
    pub pinned: bool,
    /// The user does not want to be told of it.
    pub muted: bool,
    /// When the user took it off the board.
    pub dismissed_at: Option<Timestamp>,
    /// The needs of it that the user dismissed, by their ids, oldest first.
    pub dismissed_needs: Vec<String>,
    /// The oldest revision that is kept.
    pub first_revision: u64,
    /// When the user deleted it.
    pub deleted_at: Option<Timestamp>,
    /// The cursor of its newest change.
    pub cursor: u64,
}

/// Who made a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActorRow {
    /// `agent`, `subagent` or `user`.
    pub kind: String,
    /// The agent's name, or the client's.
    pub name: String,
    /// The way in.
    pub transport: String,
}

/// A revision as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionRow {
    /// Its number.
    pub revision: u64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: ActorRow,
    /// The type of the request.
    pub cause: String,
}

/// What a caller was told and said, by revisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallerRow {
    /// Its key.
    pub caller: String,
    /// The revision in the last result that was sent to it.
    pub told_rev: Option<u64>,
    /// The revision that its own last list made.
    pub said_rev: Option<u64>,
    /// What of that list is not in that revision, as JSON.
    pub said: String,
}

pub(crate) fn millis(at: Timestamp) -> i64 {
    at.as_millisecond()
}

/// One that cannot be is a damaged one, and counts as long ago.
pub(crate) fn time(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH)
}

pub(crate) fn session(row: &SqliteRow) -> Result<SessionRow> {
    // A number that cannot be is a damaged one; for that the session is not lost.
    let count = |name: &str| -> Result<u32> { Ok(u32::try_from(row.try_get::<i64, _>(name)?).unwrap_or_default()) };
    let number = |name: &str| -> Result<u64> { Ok(row.try_get::<i64, _>(name)?.cast_unsigned()) };
    let maybe = |name: &str| -> Result<Option<Timestamp>> { Ok(row.try_get::<Option<i64>, _>(name)?.map(time)) };
    let last_activity_at = time(row.try_get("last_activity_at")?);
    Ok(SessionRow {
        pk: row.try_get("pk")?,
        session_id: row.try_get("session_id")?,
        parent_session_id: row.try_get("parent_session_id")?,
        own_tool: row.try_get("own_tool")?,
        read_only: row.try_get("read_only")?,
        observed_at: maybe("observed_at")?,
        calls: count("calls")?,
        label: row.try_get("label")?,
        title: row.try_get("title")?,
        prompt: row.try_get("prompt")?,
        agent_name: row.try_get("agent_name")?,
        agent_version: row.try_get("agent_version")?,
        folder: row.try_get("folder")?,
        project: row.try_get("project")?,
        branch: row.try_get("branch")?,
        state: row.try_get("state")?,
        state_reason: row.try_get("state_reason")?,
        state_at: maybe("state_at")?.unwrap_or(last_activity_at),
        list_state: row.try_get("list_state")?,
        list_id: row.try_get("list_id")?,
        revision: number("revision")?,
        ids_given: number("ids_given")?,
        completed: count("completed")?,
        total: count("total")?,
        fraction: row.try_get("fraction")?,
        unfinished: count("unfinished")?,
        created_at: time(row.try_get("created_at")?),
        last_activity_at,
        drift_at: maybe("drift_at")?,
        pinned: row.try_get("pinned")?,
        muted: row.try_get("muted")?,
        dismissed_at: maybe("dismissed_at")?,
        dismissed_needs: serde_json::from_str(row.try_get("dismissed_needs")?).unwrap_or_default(),
        first_revision: number("first_revision")?,
        deleted_at: maybe("deleted_at")?,
        cursor: number("cursor")?,
    })
}

pub(crate) fn revision(row: &SqliteRow) -> Result<RevisionRow> {
    Ok(RevisionRow {
        revision: row.try_get::<i64, _>("revision")?.cast_unsigned(),
        at: time(row.try_get("at")?),
        actor: ActorRow {
            kind: row.try_get("actor_kind")?,
            name: row.try_get("actor_name")?,
            transport: row.try_get("transport")?,
        },
        cause: row.try_get("cause")?,
    })
}
