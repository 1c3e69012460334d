//! Pages of the archive: by index and position, so that each costs the same however deep it is and however much there is.

use crate::rows::{millis, session, time};
use crate::{Result, SessionRow, Store};
use jiff::Timestamp;
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, Sqlite};

/// Sessions that one page looks at, where most of them do not pass the filter.
const LOOKED_AT: u32 = 1_000;

/// Names that a filter can offer, of each kind.
const NAMES: u32 = 500;

/// Which sessions of the archive are asked for. The default is all that the user has not deleted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Of this agent.
    pub agent: Option<String>,
    /// In this project.
    pub project: Option<String>,
    /// In none of these projects.
    pub except: Vec<String>,
    /// What its agent said of itself last.
    pub state: Option<String>,
    /// Something of its list is left.
    pub unfinished: bool,
    /// Heard of at this time or later.
    pub since: Option<Timestamp>,
    /// Heard of before this time.
    pub until: Option<Timestamp>,
    /// Those that the user deleted and that can be brought back, instead of all others.
    pub deleted: bool,
}

/// A place in the order of sessions, newest activity first: that of a session.
pub type Place = (Timestamp, i64);

/// Some sessions, and where to go on.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// At most as many as asked for. Fewer, or none, do not mean that it is the last page.
    pub sessions: Vec<SessionRow>,
    /// The place after which the next page begins; `None` at the end.
    pub next: Option<Place>,
}

/// A condition on a session `s`, and the value that it ends with.
type Condition<'a> = (&'static str, Option<&'a str>);

impl Filter {
    /// Those conditions that have an index, which finds fewest first.
    fn indexed(&self) -> Vec<Condition<'_>> {
        let named = [("s.project = ", &self.project), ("s.agent_name = ", &self.agent), ("s.state = ", &self.state)];
        let named = named.into_iter().filter_map(|(name, value)| value.as_deref().map(|value| (name, Some(value))));
        named.chain(self.unfinished.then_some(("s.unfinished > 0", None))).collect()
    }

    /// Writes what a session has to pass, but for the first `walked` conditions and its time.
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

    /// Writes that a session was heard of in the time that is asked for.
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

/// What is listed: not a run that has no list but its agent's own, which is listed itself.
pub(crate) const SHOWN: &str = "(s.revision > 0 OR NOT EXISTS (SELECT 1 FROM sessions AS own \
     WHERE own.parent_session_id = s.session_id AND own.own_tool IS NOT NULL))";

impl Store {
    /// A page of sessions, newest activity first, after the place where the last one ended. A run that has no list but
    /// its agent's own is that list's session.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn sessions(&self, filter: &Filter, after: Option<Place>, limit: u32) -> Result<Page> {
        let mut page = Page { sessions: Vec::new(), next: after };
        let mut looked_at = 0;
        // As many as are wanted, and more where they did not fit.
        let mut some = limit;
        loop {
            let rows = self.some_sessions(filter, page.next, some).await?;
            looked_at += some;
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
            if walked < some {
                page.next = None;
                return Ok(page);
            }
            if looked_at >= LOOKED_AT {
                return Ok(page);
            }
            some = (some * 2).min(LOOKED_AT);
        }
    }

    /// Of the next `some` sessions those that fit, and the last one whether it `fits` or not, in their order; each with
    /// how many were `walked`. Rows are only read whole where they are given: most may be passed by.
    async fn some_sessions(&self, filter: &Filter, after: Option<Place>, some: u32) -> Result<Vec<SqliteRow>> {
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
        query.push(" ORDER BY s.last_activity_at DESC, s.pk DESC LIMIT ").push_bind(some);
        query.push(
            ") SELECT s.*, walk.fits, (SELECT count(*) FROM walk) AS walked FROM walk JOIN sessions AS s USING (pk) \
             WHERE walk.fits OR walk.pk = (SELECT pk FROM walk ORDER BY at, pk LIMIT 1) ORDER BY at DESC, s.pk DESC",
        );
        Ok(query.build().fetch_all(&self.readers).await?)
    }

    /// The agents and the projects that there are sessions of, by name, at most 500 each.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn names(&self) -> Result<(Vec<String>, Vec<String>)> {
        Ok((self.distinct("agent_name").await?, self.distinct("project").await?))
    }

    /// The values of a column, from one to the next by its index: as many steps as there are values.
    async fn distinct(&self, column: &'static str) -> Result<Vec<String>> {
        let mut query = QueryBuilder::<Sqlite>::new("WITH RECURSIVE names (name) AS (SELECT min(");
        query.push(column).push(") FROM sessions UNION ALL SELECT (SELECT min(").push(column);
        query.push(") FROM sessions WHERE ").push(column).push(" > name) FROM names WHERE name IS NOT NULL) ");
        query.push("SELECT name FROM names WHERE name IS NOT NULL LIMIT ").push_bind(NAMES);
        Ok(query.build_query_scalar().fetch_all(&self.readers).await?)
    }
}
