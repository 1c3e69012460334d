//! Columns of the table `sessions`, by the groups of [`session`]: written here once, for inserting, updating and reading.

use super::sessions::Groups;
use super::value::Value;
use super::{millis, minute, time};
use crate::{Result, SessionRow};
use session::{Identity, Life, ListState, ListSummary, Marks, Progress, ReportedState, Usage, Word};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

/// A group of fields of a session and its columns.
pub(super) trait Columns<const N: usize>: Sized {
    const COLUMNS: [&'static str; N];

    /// Returns the values of all columns, in their order.
    fn values(&self) -> Result<[Value<'_>; N]>;

    /// Reads the group from a whole row.
    fn read(row: &SqliteRow) -> Result<Self>;
}

impl Columns<13> for Identity {
    const COLUMNS: [&'static str; 13] = [
        "parent_session_id",
        "own_tool",
        "read_only",
        "label",
        "title",
        "prompt",
        "agent_name",
        "agent_version",
        "folder",
        "project",
        "branch",
        "created_at",
        "host",
    ];

    fn values(&self) -> Result<[Value<'_>; 13]> {
        Ok([
            self.parent_session_id.as_deref().into(),
            self.own_tool.as_deref().into(),
            self.read_only.into(),
            self.label.as_deref().into(),
            (&self.title).into(),
            self.prompt.as_deref().into(),
            (&self.agent_name).into(),
            self.agent_version.as_deref().into(),
            self.folder.as_deref().into(),
            self.project.as_deref().into(),
            self.branch.as_deref().into(),
            millis(self.created_at).into(),
            self.host.as_deref().into(),
        ])
    }

    fn read(row: &SqliteRow) -> Result<Self> {
        Ok(Self {
            parent_session_id: row.try_get("parent_session_id")?,
            own_tool: row.try_get("own_tool")?,
            read_only: row.try_get("read_only")?,
            label: row.try_get("label")?,
            title: row.try_get("title")?,
            prompt: row.try_get("prompt")?,
            agent_name: row.try_get("agent_name")?,
            agent_version: row.try_get("agent_version")?,
            folder: row.try_get("folder")?,
            project: row.try_get("project")?,
            branch: row.try_get("branch")?,
            created_at: time(row.try_get("created_at")?),
            host: row.try_get("host")?,
        })
    }
}

impl Columns<7> for Life {
    // The minute is what indexes have of the last activity: they are written when it changes, not with every call.
    const COLUMNS: [&'static str; 7] =
        ["state", "state_reason", "state_at", "last_activity_at", "active_minute", "calls", "drift_at"];

    fn values(&self) -> Result<[Value<'_>; 7]> {
        Ok([
            self.state.word().into(),
            self.state_reason.as_deref().into(),
            millis(self.state_at).into(),
            millis(self.last_activity_at).into(),
            minute(millis(self.last_activity_at)).into(),
            self.calls.into(),
            self.drift_at.map(millis).into(),
        ])
    }

    fn read(row: &SqliteRow) -> Result<Self> {
        let last_activity_at = time(row.try_get("last_activity_at")?);
        Ok(Self {
            state: ReportedState::from_word(row.try_get("state")?),
            state_reason: row.try_get("state_reason")?,
            // Rows from before that column have none.
            state_at: optional_time(row, "state_at")?.unwrap_or(last_activity_at),
            last_activity_at,
            calls: count(row, "calls")?,
            drift_at: optional_time(row, "drift_at")?,
        })
    }
}

impl Columns<11> for ListSummary {
    const COLUMNS: [&'static str; 11] = [
        "list_id",
        "list_state",
        "revision",
        "first_revision",
        "ids_given",
        "completed",
        "total",
        "fraction",
        "unfinished",
        "is_unfinished",
        "observed_at",
    ];

    fn values(&self) -> Result<[Value<'_>; 11]> {
        Ok([
            (&self.id).into(),
            self.state.word().into(),
            self.revision.into(),
            self.first_revision.into(),
            self.ids_given.into(),
            self.progress.completed.into(),
            self.progress.total.into(),
            self.progress.fraction.into(),
            self.unfinished.into(),
            (self.unfinished > 0).into(),
            self.observed_at.map(millis).into(),
        ])
    }

    fn read(row: &SqliteRow) -> Result<Self> {
        let number = |name: &str| -> Result<u64> { Ok(row.try_get::<i64, _>(name)?.cast_unsigned()) };
        Ok(Self {
            id: row.try_get("list_id")?,
            state: ListState::from_word(row.try_get("list_state")?),
            revision: number("revision")?,
            first_revision: number("first_revision")?,
            ids_given: number("ids_given")?,
            progress: Progress {
                completed: count(row, "completed")?,
                total: count(row, "total")?,
                fraction: row.try_get("fraction")?,
            },
            unfinished: count(row, "unfinished")?,
            observed_at: optional_time(row, "observed_at")?,
        })
    }
}

impl Columns<7> for Marks {
    const COLUMNS: [&'static str; 7] =
        ["pinned", "muted", "shared", "dismissed_at", "dismissed_needs", "deleted_at", "tags"];

    fn values(&self) -> Result<[Value<'_>; 7]> {
        Ok([
            self.pinned.into(),
            self.muted.into(),
            self.shared.into(),
            self.dismissed_at.map(millis).into(),
            serde_json::to_string(&self.dismissed_needs)?.into(),
            self.deleted_at.map(millis).into(),
            self.tags.join(" ").into(),
        ])
    }

    fn read(row: &SqliteRow) -> Result<Self> {
        Ok(Self {
            pinned: row.try_get("pinned")?,
            muted: row.try_get("muted")?,
            shared: row.try_get("shared")?,
            dismissed_at: optional_time(row, "dismissed_at")?,
            dismissed_needs: serde_json::from_str(row.try_get("dismissed_needs")?).unwrap_or_default(),
            deleted_at: optional_time(row, "deleted_at")?,
            tags: row.try_get::<&str, _>("tags")?.split_whitespace().map(str::to_owned).collect(),
        })
    }
}

impl Columns<1> for Usage {
    const COLUMNS: [&'static str; 1] = ["usage"];

    fn values(&self) -> Result<[Value<'_>; 1]> {
        let told = if self.is_empty() { None } else { Some(serde_json::to_string(self)?) };
        Ok([told.into()])
    }

    fn read(row: &SqliteRow) -> Result<Self> {
        // One that cannot be read is told again.
        let told = row.try_get::<Option<&str>, _>("usage")?.map(serde_json::from_str);
        Ok(told.and_then(std::result::Result::ok).unwrap_or_default())
    }
}

/// Reads a session from a whole row of its table.
pub(crate) fn session(row: &SqliteRow) -> Result<SessionRow> {
    let groups = Groups {
        who: Identity::read(row)?.into(),
        life: Life::read(row)?.into(),
        list: ListSummary::read(row)?.into(),
        marks: Marks::read(row)?.into(),
        usage: Usage::read(row)?.into(),
        cursor: row.try_get::<i64, _>("cursor")?.cast_unsigned(),
    };
    Ok(SessionRow::stored(row.try_get("pk")?, row.try_get("session_id")?, groups))
}

/// Reads a small number. One that does not fit is damaged and counts as 0: the session is not lost for it.
fn count(row: &SqliteRow, column: &str) -> Result<u32> {
    Ok(u32::try_from(row.try_get::<i64, _>(column)?).unwrap_or_default())
}

pub(super) fn optional_time(row: &SqliteRow, column: &str) -> Result<Option<jiff::Timestamp>> {
    Ok(row.try_get::<Option<i64>, _>(column)?.map(time))
}
