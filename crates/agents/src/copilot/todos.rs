//! The table `todos` of a session's database, `session-state/ID/session.db`.
//!
//! The model writes it by SQL, so a call does not tell the list; and its times have seconds, of which it keeps only the
//! first. The list is what the table has, and its time is the file's. The run is described in the events beside it.

use super::SQL;
use super::events::Events;
use crate::lists::fit;
use crate::transcript::{Observation, Observer, Records};
use crate::{Cell, Database, Queries, Row};
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The most rows of a table that are read, and the most bytes of a text in one.
const ROWS: i64 = 1_000;
const TEXT_BYTES: i64 = 64 * 1024;
/// The most bytes at the beginning of the events in which the run is described: the first prompt is the last of them.
const HEAD_BYTES: u64 = 256 * 1024;

/// The list of one session.
pub(super) struct Todos {
    path: PathBuf,
    /// The run, once there was a list.
    observer: Option<Observer>,
    last: Vec<Value>,
    passed_over: u64,
}

impl Todos {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), observer: None, last: Vec::new(), passed_over: 0 }
    }

    async fn read_list(&mut self, queries: &mut dyn Queries, out: &mut Vec<Observation>) -> Result<(), String> {
        let items = self.items(queries).await?;
        // A session that uses its database for something else has an empty table.
        if items == self.last {
            return Ok(());
        }
        let path = self.path.clone();
        let place = self.path.parent().unwrap_or(&self.path);
        let is_known = self.observer.as_ref().is_some_and(|observer| observer.run().title.is_some());
        let look = move || (written(&path), if is_known { None } else { Some(described(&path)) });
        let (at, events) = careful::aside(place, careful::PATIENCE, look).await.map_err(|why| why.to_string())?;
        if let Some(events) = events {
            let run = events.run().clone();
            match &mut self.observer {
                Some(observer) => observer.note(|known| *known = run),
                None => self.observer = Some(Observer::new(run)),
            }
        }
        if let Some(observer) = &mut self.observer {
            observer.list(out, at, SQL, fit(items.clone()));
        }
        self.last = items;
        Ok(())
    }

    async fn items(&mut self, queries: &mut dyn Queries) -> Result<Vec<Value>, String> {
        let mut tables = Vec::new();
        let query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('todos', 'todo_deps')";
        queries.each(query, &[], &mut |row| tables.extend(row.text(0))).await?;
        let has = |table: &str| tables.iter().any(|name| name == table);
        if !has("todos") {
            return Ok(Vec::new());
        }
        let mut needed = BTreeMap::<String, Vec<String>>::new();
        if has("todo_deps") {
            let query = "SELECT todo_id, depends_on FROM todo_deps ORDER BY rowid LIMIT ?1";
            let mut take = |row: &dyn Row| {
                needed.entry(row.text(0).unwrap_or_default()).or_default().extend(row.text(1));
            };
            queries.each(query, &[Cell::Integer(ROWS)], &mut take).await?;
        }
        let short = |column: &str| format!("CASE WHEN octet_length({column}) <= ?2 THEN {column} END");
        let columns = ["id", "title", "description", "status"].map(short).join(", ");
        let query = format!("SELECT {columns} FROM todos ORDER BY rowid LIMIT ?1");
        let (mut items, mut odd) = (Vec::new(), 0);
        let mut take = |row: &dyn Row| match (row.text(0), row.text(1)) {
            (Some(id), Some(title)) => {
                let depends_on = needed.remove(&id).unwrap_or_default();
                let mut item = json!({ "id": id, "content": title });
                for (name, column) in [("description", 2), ("status", 3)] {
                    if let Some(text) = row.text(column).filter(|text| !text.is_empty()) {
                        item[name] = text.into();
                    }
                }
                if !depends_on.is_empty() {
                    item["dependsOn"] = depends_on.into();
                }
                items.push(item);
            }
            _ => odd += 1,
        };
        queries.each(&query, &[Cell::Integer(ROWS), Cell::Integer(TEXT_BYTES)], &mut take).await?;
        self.passed_over = odd;
        Ok(items)
    }
}

impl Database for Todos {
    fn read<'a>(
        &'a mut self,
        queries: &'a mut dyn Queries,
        _since: Option<Timestamp>,
        out: &'a mut Vec<Observation>,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(self.read_list(queries, out))
    }

    fn passed_over(&self) -> u64 {
        self.passed_over
    }
}

/// The time at which the database was written.
fn written(path: &Path) -> Option<Timestamp> {
    careful::open(path).ok()?.metadata().ok()?.modified().ok()?.try_into().ok()
}

/// The run as the events up to the first prompt describe it.
fn described(database: &Path) -> Events {
    let path = database.with_file_name("events.jsonl");
    let mut events = Events::new(&path);
    let Ok(file) = careful::open(&path) else { return events };
    for line in BufReader::new(file.take(HEAD_BYTES)).split(b'\n') {
        let Some(record) = line.ok().and_then(|line| serde_json::from_slice(&line).ok()) else { return events };
        events.record(&record, None, &mut Vec::new());
        if events.run().title.is_some() {
            return events;
        }
    }
    events
}
