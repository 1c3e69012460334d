//! Columns of the table `sessions`, by the groups of [`session`]: written here once, for inserting, updating and reading.

use super::{millis, time};
use crate::script::Script;
use crate::{Result, SessionRow};
use session::{Identity, Life, ListState, ListSummary, Marks, Progress, ReportedState, Usage, Word};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

/// A group of fields of a session and its columns.
pub(super) trait Columns: Sized {
    /// The columns, in the order of `bind`.
    const COLUMNS: &'static [&'static str];

    /// Binds the values of all columns.
    fn bind(&self, script: &mut Script) -> Result<()>;

    /// Reads the group from a whole row.
    fn read(row: &SqliteRow) -> Result<Self>;
}

impl Columns for Identity {
    const COLUMNS: &'static [&'static str] = &[
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
    ];

    fn bind(&self, script: &mut Script) -> Result<()> {
        script
            .bind(&self.parent_session_id)
            .bind(&self.own_tool)
            .bind(self.read_only)
            .bind(&self.label)
            .bind(&self.title)
            .bind(&self.prompt)
            .bind(&self.agent_name)
            .bind(&self.agent_version)
            .bind(&self.folder)
            .bind(&self.project)
            .bind(&self.branch)
            .bind(millis(self.created_at));
        Ok(())
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
        })
    }
}

impl Columns for Life {
    const COLUMNS: &'static [&'static str] =
        &["state", "state_reason", "state_at", "last_activity_at", "calls", "drift_at"];

    fn bind(&self, script: &mut Script) -> Result<()> {
        script
            .bind(self.state.word())
            .bind(&self.state_reason)
            .bind(millis(self.state_at))
            .bind(millis(self.last_activity_at))
            .bind(self.calls)
            .bind(self.drift_at.map(millis));
        Ok(())
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

impl Columns for ListSummary {
    const COLUMNS: &'static [&'static str] = &[
        "list_id",
        "list_state",
        "revision",
        "first_revision",
        "ids_given",
        "completed",
        "total",
        "fraction",
        "unfinished",
        "observed_at",
    ];

    fn bind(&self, script: &mut Script) -> Result<()> {
        script
            .bind(&self.id)
            .bind(self.state.word())
            .bind(self.revision.cast_signed())
            .bind(self.first_revision.cast_signed())
            .bind(self.ids_given.cast_signed())
            .bind(self.progress.completed)
            .bind(self.progress.total)
            .bind(self.progress.fraction)
            .bind(self.unfinished)
            .bind(self.observed_at.map(millis));
        Ok(())
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

impl Columns for Marks {
    const COLUMNS: &'static [&'static str] =
        &["pinned", "muted", "shared", "dismissed_at", "dismissed_needs", "deleted_at", "tags"];

    fn bind(&self, script: &mut Script) -> Result<()> {
        script
            .bind(self.pinned)
            .bind(self.muted)
            .bind(self.shared)
            .bind(self.dismissed_at.map(millis))
            .bind(serde_json::to_string(&self.dismissed_needs)?)
            .bind(self.deleted_at.map(millis))
            .bind(self.tags.join(" "));
        Ok(())
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

impl Columns for Usage {
    const COLUMNS: &'static [&'static str] = &["usage"];

    fn bind(&self, script: &mut Script) -> Result<()> {
        let told = if self.is_empty() { None } else { Some(serde_json::to_string(self)?) };
        script.bind(told);
        Ok(())
    }

    fn read(row: &SqliteRow) -> Result<Self> {
        // One that cannot be read is told again.
        let told = row.try_get::<Option<&str>, _>("usage")?.map(serde_json::from_str);
        Ok(told.and_then(std::result::Result::ok).unwrap_or_default())
    }
}

/// Reads a session from a whole row of its table.
pub(crate) fn session(row: &SqliteRow) -> Result<SessionRow> {
    let groups =
        (Columns::read(row)?, Columns::read(row)?, Columns::read(row)?, Columns::read(row)?, Columns::read(row)?);
    let cursor = row.try_get::<i64, _>("cursor")?.cast_unsigned();
    Ok(SessionRow::stored(row.try_get("pk")?, row.try_get("session_id")?, groups, cursor))
}

/// Reads a small number. One that does not fit is damaged and counts as 0: the session is not lost for it.
fn count(row: &SqliteRow, column: &str) -> Result<u32> {
    Ok(u32::try_from(row.try_get::<i64, _>(column)?).unwrap_or_default())
}

pub(super) fn optional_time(row: &SqliteRow, column: &str) -> Result<Option<jiff::Timestamp>> {
    Ok(row.try_get::<Option<i64>, _>(column)?.map(time))
}
