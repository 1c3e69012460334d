//! Pages of the archive, by index and position: a page costs the same however deep it is and however many sessions there
//! are.

use crate::table::session_columns::session;
use crate::table::{millis, time};
use crate::{Result, SessionRow, Store};
use jiff::Timestamp;
use session::{ReportedState, Word};
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, Sqlite};

/// The most sessions that one page looks at where many do not pass the filter.
const LOOKED_AT: u32 = 1_000;

/// The most agents, and the most projects, that are offered as filters.
const NAMES: u32 = 500;

/// A filter of sessions. The default passes all that the user has not deleted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Of this agent.
    pub agent: Option<String>,
    /// In this project.
    pub project: Option<String>,
    /// In none of these projects.
    pub except: Vec<String>,
    /// In this reported state.
    pub state: Option<ReportedState>,
    /// With items that are not terminal.
    pub unfinished: bool,
    /// Active at this time or later.
    pub since: Option<Timestamp>,
    /// Last active before this time.
    pub until: Option<Timestamp>,
    /// Deleted ones that can be brought back, instead of all others.
    pub deleted: bool,
}

/// A position in the order of sessions by last activity, newest first: a session's time and row number.
pub type PagePosition = (Timestamp, i64);

/// A page of sessions.
#[derive(Debug, Clone)]
pub struct Page {
    /// At most as many as asked for. Fewer, or none, do not mean that it is the last page.
    pub sessions: Vec<SessionRow>,
    /// The position after which the next page begins; `None` at the end.
    pub next: Option<PagePosition>,
}

/// A condition on a session `s`, and the value at its end.
type Condition<'a> = (&'static str, Option<&'a str>);

impl Filter {
    /// Returns the conditions that have an index, the one that usually finds fewest first.
    fn indexed(&self) -> Vec<Condition<'_>> {
        let state = self.state.map(Word::word);
        let named = [
            ("s.project = ", self.project.as_deref()),
            ("s.agent_name = ", self.agent.as_deref()),
            ("s.state = ", state),
        ];
        let named = named.into_iter().filter(|(_, value)| value.is_some());
        named.chain(self.unfinished.then_some(("s.unfinished > 0", None))).collect()
    }

    /// Writes the conditions, but for the first `walked` indexed ones and those on time.
    pub(crate) fn push_passed(&self, query: &mut QueryBuilder<Sqlite>, walked: usize) {
        query.push(if self.deleted { "s.deleted_at > 0" } else { "s.deleted_at IS NULL" });
        for condition in self.indexed().into_iter().skip(walked) {
            query.push(" AND ");
            push(query, condition);
        }
        if !self.except.is_empty() {
            query.push(" AND coalesce(s.project, '') NOT IN (");
            let mut names = query.separated(", ");
            for project in &self.except {
                names.push_bind(project.clone());
            }
            query.push(")");
        }
    }

    /// Writes the conditions on time, each after an `AND`.
    pub(crate) fn push_time(&self, query: &mut QueryBuilder<Sqlite>) {
        if let Some(until) = self.until {
            query.push(" AND s.last_activity_at < ").push_bind(millis(until));
        }
        if let Some(since) = self.since {
            query.push(" AND s.last_activity_at >= ").push_bind(millis(since));
        }
    }
}

fn push(query: &mut QueryBuilder<Sqlite>, (condition, value): Condition<'_>) {
    query.push(condition);
    if let Some(value) = value {
        query.push_bind(value.to_owned());
    }
}

/// The condition for being listed: a run whose only list is its built-in one is not, since that list is a session too.
pub(crate) const SHOWN: &str = "(s.revision > 0 OR NOT EXISTS (SELECT 1 FROM sessions AS own \
     WHERE own.parent_session_id = s.session_id AND own.own_tool IS NOT NULL))";

impl Store {
    /// Returns a page of sessions, newest activity first, after the position where the last one ended. A run whose only
    /// list is its built-in one is left out, since that list is a session too.
    pub async fn sessions(&self, filter: &Filter, after: Option<PagePosition>, limit: u32) -> Result<Page> {
        let mut page = Page { sessions: Vec::new(), next: after };
        let mut looked_at = 0;
        // Begins with as many as are wanted, and looks at more each time that too few fit.
        let mut batch = limit;
        loop {
            let rows = self.next_sessions(filter, page.next, batch).await?;
            looked_at += batch;
            let walked: u32 = rows.first().map(|row| row.try_get("walked")).transpose()?.unwrap_or(0);
            for row in &rows {
                if row.try_get("fits")? {
                    page.sessions.push(session(row)?);
                }
                page.next = Some((time(row.try_get("last_activity_at")?), row.try_get("pk")?));
                if page.sessions.len() >= limit as usize {
                    return Ok(page);
                }
            }
            if walked < batch {
                page.next = None;
                return Ok(page);
            }
            if looked_at >= LOOKED_AT {
                return Ok(page);
            }
            batch = (batch * 2).min(LOOKED_AT);
        }
    }

    /// Looks at the next `batch` sessions and returns those that fit and the last one, in order. The column `fits` is
    /// false where the last one does not, and `walked` is the number that was looked at. Whole rows are read only of
    /// sessions that are returned, since most may not fit.
    async fn next_sessions(&self, filter: &Filter, after: Option<PagePosition>, batch: u32) -> Result<Vec<SqliteRow>> {
        let (at, pk) = after.map_or((i64::MAX, i64::MAX), |(at, pk)| (millis(at), pk));
        let mut query =
            QueryBuilder::new("WITH walk (pk, at, fits) AS MATERIALIZED (SELECT s.pk, s.last_activity_at, ");
        query.push(SHOWN).push(" AND ");
        filter.push_passed(&mut query, 1);
        query.push(" FROM sessions AS s WHERE (s.last_activity_at, s.pk) < (");
        query.push_bind(at).push(", ").push_bind(pk).push(")");
        filter.push_time(&mut query);
        if let Some(walked) = filter.indexed().into_iter().next() {
            query.push(" AND ");
            push(&mut query, walked);
        } else if filter.deleted {
            query.push(" AND s.deleted_at > 0");
        }
        query.push(" ORDER BY s.last_activity_at DESC, s.pk DESC LIMIT ").push_bind(batch);
        query.push(
            ") SELECT s.*, walk.fits, (SELECT count(*) FROM walk) AS walked FROM walk JOIN sessions AS s USING (pk) \
             WHERE walk.fits OR walk.pk = (SELECT pk FROM walk ORDER BY at, pk LIMIT 1) ORDER BY at DESC, s.pk DESC",
        );
        Ok(query.build().fetch_all(&self.readers).await?)
    }

    /// Returns the names of the agents and of the projects that have sessions, at most 500 each.
    pub async fn names(&self) -> Result<(Vec<String>, Vec<String>)> {
        Ok((self.distinct("agent_name").await?, self.distinct("project").await?))
    }

    /// Returns the values of a column in order, stepping from one to the next by its index: as many steps as values.
    async fn distinct(&self, column: &'static str) -> Result<Vec<String>> {
        let mut query = QueryBuilder::<Sqlite>::new("WITH RECURSIVE names (name) AS (SELECT min(");
        query.push(column).push(") FROM sessions UNION ALL SELECT (SELECT min(").push(column);
        query.push(") FROM sessions WHERE ").push(column).push(" > name) FROM names WHERE name IS NOT NULL) ");
        query.push("SELECT name FROM names WHERE name IS NOT NULL LIMIT ").push_bind(NAMES);
        Ok(query.build_query_scalar().fetch_all(&self.readers).await?)
    }
}
