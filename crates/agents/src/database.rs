//! The terms in which an agent's SQLite database is read. `sources` opens it and runs the queries.

use crate::transcript::Observation;
use futures_util::future::BoxFuture;
use jiff::Timestamp;

/// A parser of a database, which keeps what it has read so far.
pub trait Database: Send {
    /// Reads what is new, within one read transaction, and leaves out what happened before `since`.
    fn read<'a>(
        &'a mut self,
        queries: &'a mut dyn Queries,
        since: Option<Timestamp>,
        out: &'a mut Vec<Observation>,
    ) -> BoxFuture<'a, Result<(), String>>;

    /// The number of rows that were passed over because they are too long or not JSON.
    fn passed_over(&self) -> u64;
}

/// An open database.
pub trait Queries: Send {
    /// Runs a query and hands over its rows one by one, so that not all of them are held.
    fn each<'a>(
        &'a mut self,
        query: &'a str,
        values: &'a [Cell<'a>],
        take: &'a mut (dyn FnMut(&dyn Row) + Send),
    ) -> BoxFuture<'a, Result<(), String>>;
}

/// A value bound to a query's parameters `?1`, `?2`, ….
#[derive(Debug, Clone, Copy)]
pub enum Cell<'a> {
    Integer(i64),
    Text(&'a str),
}

/// A row of an answer, its columns counted from 0.
pub trait Row {
    /// The integer of a column, as SQLite converts it. `None` for `NULL`.
    fn integer(&self, column: usize) -> Option<i64>;

    /// The bytes of a column. `None` for `NULL`.
    fn bytes(&self, column: usize) -> Option<Vec<u8>>;

    /// The text of a column, with what is not Unicode replaced.
    fn text(&self, column: usize) -> Option<String> {
        self.bytes(column).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}
