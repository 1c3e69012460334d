//! Pages of the archive, by index and position: a page costs the same however deep it is and however many sessions there
//! are.

use crate::table::lists::{self, ListRow};
use crate::table::session_columns::session;
use crate::table::{millis, minute, time};
use crate::{Result, SessionRow, Store};
use jiff::Timestamp;
use session::{ReportedState, Word};
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, Sqlite};
use std::collections::BTreeSet;

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
    /// With this tag.
    pub tag: Option<String>,
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

/// A list of the archive: the present one of a session, or one that has ended.
#[derive(Debug, Clone)]
pub struct Entry {
    pub session: SessionRow,
    /// The list that has ended; `None` for the present one, which the session's row has in numbers.
    pub ended: Option<ListRow>,
}

/// A position in the order of lists by time, newest first: the time of a session's last activity or of a list's end, and
/// the row numbers of the list, 0 for a present one, and of the session.
pub type EntryPosition = (Timestamp, i64, i64);

/// A page of lists.
#[derive(Debug, Clone)]
pub struct Entries {
    /// At most as many as asked for. Fewer, or none, do not mean that it is the last page.
    pub entries: Vec<Entry>,
    /// The position after which the next page begins; `None` at the end.
    pub next: Option<EntryPosition>,
}

/// A page that is being filled from rows in order. It begins with as many as are wanted, and looks at more each time that
/// too few fit.
struct Walk<T, P> {
    limit: usize,
    found: Vec<T>,
    next: Option<P>,
    batch: u32,
    looked_at: u32,
}

impl<T, P> Walk<T, P> {
    fn new(limit: u32, after: Option<P>) -> Self {
        Self { limit: limit as usize, found: Vec::new(), next: after, batch: limit, looked_at: 0 }
    }

    /// Takes those of the next rows that fit; returns whether that was the end of the page. The column `fits` is false
    /// where the last one does not, and `walked` is the number that was looked at.
    fn take(&mut self, rows: &[SqliteRow], read: fn(&SqliteRow) -> Result<(T, P)>) -> Result<bool> {
        self.looked_at += self.batch;
        let walked: u32 = rows.first().map(|row| row.try_get("walked")).transpose()?.unwrap_or(0);
        for row in rows {
            let (found, at) = read(row)?;
            if row.try_get("fits")? {
                self.found.push(found);
            }
            self.next = Some(at);
            if self.found.len() >= self.limit {
                return Ok(true);
            }
        }
        if walked < self.batch {
            self.next = None;
            return Ok(true);
        }
        self.batch = (self.batch * 2).min(LOOKED_AT);
        Ok(self.looked_at >= LOOKED_AT)
    }
}

/// A condition on a session `s`, and the value at its end.
type Condition<'a> = (&'static str, Option<&'a str>);

impl Filter {
    /// Returns the conditions that have an index, the one that usually finds fewest first.
    fn indexed(&self) -> Vec<Condition<'_>> {
        let tagged = self.tag.as_ref().map(|_| ("s.tags <> ''", None));
        tagged.into_iter().chain(self.named()).chain(self.unfinished.then_some(("s.is_unfinished = 1", None))).collect()
    }

    fn named(&self) -> impl Iterator<Item = Condition<'_>> {
        let state = self.state.map(Word::word);
        let named = [
            ("s.project = ", self.project.as_deref()),
            ("s.agent_name = ", self.agent.as_deref()),
            ("s.state = ", state),
        ];
        named.into_iter().filter(|(_, value)| value.is_some())
    }

    /// Writes the conditions, but for the first `walked` indexed ones and those on time.
    pub(crate) fn push_passed(&self, query: &mut QueryBuilder<Sqlite>, walked: usize) {
        query.push(if self.deleted { "s.deleted_at > 0" } else { "s.deleted_at IS NULL" });
        for condition in self.indexed().into_iter().skip(walked) {
            query.push(" AND ");
            push(query, condition);
        }
        self.push_tag(query);
        self.push_except(query);
    }

    /// Writes the conditions on a list `l` that has ended and its session, but for those on time.
    pub(crate) fn push_ended(&self, query: &mut QueryBuilder<Sqlite>) {
        query.push(if self.deleted { "l.deleted_at > 0" } else { "l.deleted_at IS NULL" });
        query.push(" AND s.deleted_at IS NULL");
        for condition in self.named().chain(self.unfinished.then_some(("l.unfinished > 0", None))) {
            query.push(" AND ");
            push(query, condition);
        }
        self.push_tag(query);
        self.push_except(query);
    }

    fn push_tag(&self, query: &mut QueryBuilder<Sqlite>) {
        if let Some(tag) = &self.tag {
            query.push(" AND instr(' ' || s.tags || ' ', ").push_bind(format!(" {tag} ")).push(") > 0");
        }
    }

    fn push_except(&self, query: &mut QueryBuilder<Sqlite>) {
        if !self.except.is_empty() {
            query.push(" AND coalesce(s.project, '') NOT IN (");
            let mut names = query.separated(", ");
            for project in &self.except {
                names.push_bind(project.clone());
            }
            query.push(")");
        }
    }

    /// Writes the condition whose index is walked, after an `AND`.
    fn push_walked(&self, query: &mut QueryBuilder<Sqlite>) {
        if let Some(walked) = self.indexed().into_iter().next() {
            query.push(" AND ");
            push(query, walked);
        } else if self.deleted {
            query.push(" AND s.deleted_at > 0");
        }
    }

    /// Writes the conditions on time, each after an `AND`.
    pub(crate) fn push_time(&self, query: &mut QueryBuilder<Sqlite>) {
        self.push_time_of(query, "s.last_activity_at");
        // Their index has the minutes.
        for (is, time) in [(" <= ", self.until), (" >= ", self.since)] {
            if let Some(time) = time {
                query.push(" AND s.active_minute").push(is).push_bind(minute(millis(time)));
            }
        }
    }

    fn push_time_of(&self, query: &mut QueryBuilder<Sqlite>, column: &'static str) {
        for (is, time) in [(" < ", self.until), (" >= ", self.since)] {
            if let Some(time) = time {
                query.push(" AND ").push(column).push(is).push_bind(millis(time));
            }
        }
    }
}

/// The end of a statement that walks sessions by their index.
const NEWEST_FIRST: &str = " ORDER BY s.active_minute DESC, s.last_activity_at DESC, s.pk DESC LIMIT ";

/// Writes the sessions after a position in that order.
fn push_sessions_before(query: &mut QueryBuilder<Sqlite>, at: i64, pk: i64) {
    query.push(" FROM sessions AS s WHERE (s.active_minute, s.last_activity_at, s.pk) < (");
    query.push_bind(minute(at)).push(", ").push_bind(at).push(", ").push_bind(pk).push(")");
}

/// Writes the conditions for a session's present list to be listed, but for those on time and the first `walked` ones.
fn push_present(query: &mut QueryBuilder<Sqlite>, filter: &Filter, walked: usize) {
    query.push(SHOWN).push(" AND ");
    if !filter.deleted {
        query.push(PRESENT).push(" AND ");
    }
    filter.push_passed(query, walked);
}

fn push(query: &mut QueryBuilder<Sqlite>, (condition, value): Condition<'_>) {
    query.push(condition);
    if let Some(value) = value {
        query.push_bind(value.to_owned());
    }
}

/// The condition for being listed: a run whose only list is its built-in one is not, since that list is a session too. The
/// user's messages alone make revisions, but no list.
pub(crate) const SHOWN: &str = "(s.revision > 0 AND s.list_state IN ('active', 'known-empty') \
     OR NOT EXISTS (SELECT 1 FROM sessions AS own \
     WHERE own.parent_session_id = s.session_id AND own.own_tool IS NOT NULL))";

/// The condition for a session's present list to be listed: an empty one is not beside others of its session.
const PRESENT: &str = "(s.list_state <> 'known-empty' OR NOT EXISTS (SELECT 1 FROM lists AS other \
     WHERE other.session_pk = s.pk AND other.to_rev IS NOT NULL AND other.deleted_at IS NULL))";

impl Store {
    /// Returns a page of sessions, newest activity first, after the position where the last one ended. A run whose only
    /// list is its built-in one is left out, since that list is a session too.
    pub async fn sessions(&self, filter: &Filter, after: Option<PagePosition>, limit: u32) -> Result<Page> {
        let read = |row: &SqliteRow| Ok((session(row)?, (time(row.try_get("last_activity_at")?), row.try_get("pk")?)));
        let mut walk = Walk::new(limit, after);
        while !walk.take(&self.next_sessions(filter, walk.next, walk.batch).await?, read)? {}
        Ok(Page { sessions: walk.found, next: walk.next })
    }

    /// Returns a page of lists, newest first, after the position where the last one ended: present ones by the last
    /// activity of their sessions, the others by their end.
    pub async fn entries(&self, filter: &Filter, after: Option<EntryPosition>, limit: u32) -> Result<Entries> {
        let read = |row: &SqliteRow| {
            let at = (time(row.try_get("at")?), row.try_get("list")?, row.try_get("pk")?);
            Ok((Entry { session: session(row)?, ended: lists::list(row)? }, at))
        };
        let mut walk = Walk::new(limit, after);
        while !walk.take(&self.next_entries(filter, walk.next, walk.batch).await?, read)? {}
        Ok(Entries { entries: walk.found, next: walk.next })
    }

    /// Returns the number of lists, or of those that were deleted and can be brought back.
    pub async fn total_lists(&self, deleted: bool) -> Result<u64> {
        let filter = Filter { deleted, ..Filter::default() };
        let mut query = QueryBuilder::<Sqlite>::new("SELECT (SELECT count(*) FROM sessions AS s WHERE ");
        push_present(&mut query, &filter, 0);
        query.push(") + (SELECT count(*) FROM lists AS l JOIN sessions AS s ON s.pk = l.session_pk WHERE ");
        query.push("l.to_rev IS NOT NULL AND ");
        filter.push_ended(&mut query);
        query.push(")");
        let count: i64 = query.build_query_scalar().fetch_one(&self.readers).await?;
        Ok(count.unsigned_abs())
    }

    /// Looks at the next `batch` lists, as [`Self::next_sessions`] does at sessions.
    async fn next_entries(&self, filter: &Filter, after: Option<EntryPosition>, batch: u32) -> Result<Vec<SqliteRow>> {
        let (at, list, pk) = after.map_or((i64::MAX, i64::MAX, i64::MAX), |(at, list, pk)| (millis(at), list, pk));
        // At one time the lists that have ended come before those that are present.
        let (present, ended) = if list > 0 { (i64::MAX, list) } else { (pk, 0) };
        let mut query = QueryBuilder::new(
            "WITH walk (pk, list, at, fits) AS MATERIALIZED (SELECT * FROM (SELECT s.pk, 0 AS list, s.last_activity_at AS at, ",
        );
        push_present(&mut query, filter, 1);
        push_sessions_before(&mut query, at, present);
        filter.push_time(&mut query);
        filter.push_walked(&mut query);
        query.push(NEWEST_FIRST).push_bind(batch);
        query.push(") UNION ALL SELECT * FROM (SELECT s.pk, l.pk AS list, l.archived_at AS at, ");
        filter.push_ended(&mut query);
        query.push(" FROM lists AS l CROSS JOIN sessions AS s ON s.pk = l.session_pk WHERE l.to_rev IS NOT NULL");
        query.push(" AND (l.archived_at, l.pk) < (").push_bind(at).push(", ").push_bind(ended).push(")");
        filter.push_time_of(&mut query, "l.archived_at");
        query.push(" ORDER BY l.archived_at DESC, l.pk DESC LIMIT ").push_bind(batch);
        query.push(") ORDER BY at DESC, list DESC, pk DESC LIMIT ").push_bind(batch);
        query.push(") SELECT s.*, walk.at, walk.list, walk.fits, (SELECT count(*) FROM walk) AS walked, ");
        query.push(lists::COLUMNS).push(
            " FROM walk JOIN sessions AS s USING (pk) LEFT JOIN lists AS l ON l.pk = walk.list \
             WHERE walk.fits OR (walk.list, walk.pk) = (SELECT list, pk FROM walk ORDER BY at, list, pk LIMIT 1) \
             ORDER BY walk.at DESC, walk.list DESC, s.pk DESC",
        );
        Ok(query.build().fetch_all(&self.readers).await?)
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
        push_sessions_before(&mut query, at, pk);
        filter.push_time(&mut query);
        filter.push_walked(&mut query);
        query.push(NEWEST_FIRST).push_bind(batch);
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

    /// Returns the tags that sessions have, in order, at most 500.
    pub async fn tags(&self) -> Result<Vec<String>> {
        let rows: Vec<String> = sqlx::query_scalar("SELECT DISTINCT tags FROM sessions WHERE tags <> '' LIMIT ?")
            .bind(LOOKED_AT)
            .fetch_all(&self.readers)
            .await?;
        let tags: BTreeSet<&str> = rows.iter().flat_map(|tags| tags.split_whitespace()).collect();
        Ok(tags.into_iter().take(NAMES as usize).map(str::to_owned).collect())
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
