//! The queries of the database.

use super::runs::Step;
use crate::{Cell, Queries, Row};
use protocol::Usage;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The most bytes of a row that is read.
const ROW_BYTES: i64 = 8 * 1024 * 1024;

/// The rows of the database, read in one transaction.
pub(super) struct Rows<'a>(pub(super) &'a mut dyn Queries);

/// A part of a message.
pub(super) struct Part {
    pub(super) row: i64,
    pub(super) message: String,
    pub(super) session: String,
    pub(super) created: i64,
    /// The time at which its message was written.
    pub(super) message_created: i64,
    /// Its meaning. `None` where it does not count.
    pub(super) step: Option<Step>,
    /// True if it is too long or no JSON.
    pub(super) is_odd: bool,
}

/// A session as its row has it.
pub(super) struct Session {
    pub(super) id: String,
    /// The session at the top, whose subagent's it is.
    pub(super) top: Option<String>,
    pub(super) folder: Option<String>,
    pub(super) title: Option<String>,
    pub(super) version: Option<String>,
    /// The model, tokens and cost so far.
    pub(super) usage: Usage,
}

impl Rows<'_> {
    /// Runs a query and keeps what `take` makes of its rows.
    async fn all<T: Send>(
        &mut self,
        query: &str,
        values: &[Cell<'_>],
        take: fn(&dyn Row) -> T,
    ) -> Result<Vec<T>, String> {
        let mut all = Vec::new();
        self.0.each(query, values, &mut |row| all.push(take(row))).await?;
        Ok(all)
    }

    /// The integer that a query answers with.
    async fn number(&mut self, query: &str, values: &[Cell<'_>]) -> Result<Option<i64>, String> {
        Ok(self.all(query, values, |row| row.integer(0)).await?.into_iter().next().flatten())
    }

    /// Returns whether it has the tables that are read.
    pub(super) async fn has_lists(&mut self) -> Result<bool, String> {
        let tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('session', 'message', 'part', 'todo')";
        Ok(self.number(tables, &[]).await? == Some(4))
    }

    pub(super) async fn newest_part(&mut self) -> Result<i64, String> {
        Ok(self.number("SELECT max(rowid) FROM part", &[]).await?.unwrap_or_default())
    }

    /// About the last part that was added before that time. The search halves the rows: times have no index, and grow
    /// with the numbers.
    pub(super) async fn last_before(&mut self, time: i64) -> Result<i64, String> {
        let (mut before, mut end) = (0, self.newest_part().await?);
        while before < end {
            let middle = before + (end - before + 1) / 2;
            let query = "SELECT time_created FROM part WHERE rowid <= ?1 ORDER BY rowid DESC LIMIT 1";
            let created = self.number(query, &[Cell::Integer(middle)]).await?;
            if created.is_none_or(|created| created < time) {
                before = middle;
            } else {
                end = middle - 1;
            }
        }
        Ok(before)
    }

    /// The parts added since, and those that were not at an end. Only what counts of each is kept.
    pub(super) async fn parts<T>(
        &mut self,
        since: i64,
        most: i64,
        open: &BTreeMap<i64, T>,
    ) -> Result<Vec<Part>, String> {
        const COLUMNS: &str = "SELECT p.rowid, p.message_id, p.session_id, p.time_created, \
             CASE WHEN octet_length(p.data) <= ?1 THEN p.data END, m.time_created, \
             CASE WHEN json_valid(m.data) THEN json_extract(m.data, '$.role') = 'user' END \
             FROM part p LEFT JOIN message m ON m.id = p.message_id";
        let ids = serde_json::to_string(&open.keys().collect::<Vec<_>>()).unwrap_or_default();
        let again = format!("{COLUMNS} WHERE p.rowid IN (SELECT value FROM json_each(?2)) ORDER BY p.rowid");
        let mut parts = self.all(&again, &[Cell::Integer(ROW_BYTES), Cell::Text(&ids)], part).await?;
        let added = format!("{COLUMNS} WHERE p.rowid > ?2 ORDER BY p.rowid LIMIT ?3");
        let values = [ROW_BYTES, since, most].map(Cell::Integer);
        parts.extend(self.all(&added, &values, part).await?);
        Ok(parts)
    }

    pub(super) async fn session(&mut self, id: &str) -> Result<Session, String> {
        // A subagent may have subagents of its own. `UNION` ends a circle.
        let query = "WITH RECURSIVE above(id, parent_id) AS (SELECT id, parent_id FROM session WHERE id = ?1 \
             UNION SELECT s.id, s.parent_id FROM session s JOIN above ON s.id = above.parent_id) \
             SELECT (SELECT id FROM above WHERE parent_id IS NULL AND id <> ?1), directory, title, version \
             FROM session WHERE id = ?1";
        let texts = |row: &dyn Row| [0, 1, 2, 3].map(|column| row.text(column));
        let rows = self.all(query, &[Cell::Text(id)], texts).await?;
        let [top, folder, title, version] = rows.into_iter().next().unwrap_or_default();
        let usage = self.usage(id).await?;
        Ok(Session { id: id.to_owned(), top, folder, title, version, usage })
    }

    /// The model, tokens and cost of a session. Versions before 1.18 keep none.
    async fn usage(&mut self, id: &str) -> Result<Usage, String> {
        let columns = "SELECT count(*) FROM pragma_table_info('session') WHERE name IN \
             ('cost', 'model', 'tokens_input', 'tokens_output', 'tokens_reasoning', 'tokens_cache_read', 'tokens_cache_write')";
        if self.number(columns, &[]).await? != Some(7) {
            return Ok(Usage::default());
        }
        let query = "SELECT tokens_input + tokens_cache_read + tokens_cache_write, tokens_cache_read, \
             tokens_output + tokens_reasoning, CAST(round(cost * 1000000) AS INTEGER), \
             CASE WHEN json_valid(model) THEN json_extract(model, '$.id') ELSE model END FROM session WHERE id = ?1";
        let read = |row: &dyn Row| {
            let number = |column| row.integer(column).and_then(|number| u64::try_from(number).ok());
            let some = |column| number(column).filter(|number| *number > 0);
            let input = some(0);
            Usage {
                model: row.text(4),
                input_tokens: input,
                cached_tokens: some(1),
                output_tokens: number(2).filter(|_| input.is_some()),
                micro_dollars: some(3),
                ..Usage::default()
            }
        };
        Ok(self.all(query, &[Cell::Text(id)], read).await?.into_iter().next().unwrap_or_default())
    }

    /// The sessions whose lists were written since, with the time.
    pub(super) async fn lists_since(&mut self, since: i64) -> Result<Vec<(String, i64)>, String> {
        let query = "SELECT session_id, max(time_updated) AS at FROM todo WHERE time_updated >= ?1 \
             GROUP BY session_id ORDER BY at, session_id";
        let pair = |row: &dyn Row| (row.text(0).unwrap_or_default(), row.integer(1).unwrap_or_default());
        self.all(query, &[Cell::Integer(since)], pair).await
    }

    /// The items of a session's list.
    pub(super) async fn list(&mut self, session: &str) -> Result<Vec<Value>, String> {
        let query = "SELECT content, status, priority FROM todo WHERE session_id = ?1 ORDER BY position";
        let item = |row: &dyn Row| json!({ "content": row.text(0), "status": row.text(1), "priority": row.text(2) });
        self.all(query, &[Cell::Text(session)], item).await
    }
}

fn part(row: &dyn Row) -> Part {
    let data = row.bytes(4).and_then(|data| serde_json::from_slice::<Value>(&data).ok());
    let created = row.integer(3).unwrap_or_default();
    let is_users = row.integer(6) == Some(1);
    Part {
        row: row.integer(0).unwrap_or_default(),
        message: row.text(1).unwrap_or_default(),
        session: row.text(2).unwrap_or_default(),
        created,
        message_created: row.integer(5).unwrap_or(created),
        step: data.as_ref().and_then(|data| Step::of(data, is_users)),
        is_odd: data.is_none(),
    }
}
