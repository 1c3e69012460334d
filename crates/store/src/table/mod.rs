//! The tables: the type of a row, its reads and its writes together, a file each.

pub(crate) mod audit;
mod bindings;
pub(crate) mod callers;
pub(crate) mod changed_files;
pub(crate) mod chats;
mod deleted_sessions;
pub(crate) mod edits;
pub(crate) mod hosts;
pub(crate) mod hours;
pub(crate) mod items;
pub(crate) mod keys;
pub(crate) mod later;
pub(crate) mod lists;
mod mcp_sessions;
pub(crate) mod permissions;
pub(crate) mod proofs;
pub(crate) mod revisions;
pub(crate) mod rules;
pub(crate) mod session_columns;
pub(crate) mod sessions;
mod settings;
mod value;

use jiff::Timestamp;

/// Returns a time as it is stored: in milliseconds since the Unix epoch.
pub(crate) fn millis(at: Timestamp) -> i64 {
    at.as_millisecond()
}

/// Returns the minute of a stored time, which indexes have in its place. A later time has no earlier minute.
pub(crate) fn minute(millis: i64) -> i64 {
    millis / 60_000
}

/// Returns the upper part of a cursor, which an index has in its place.
pub(crate) fn block(cursor: u64) -> i64 {
    cursor.cast_signed() / 1024
}

/// Reads a stored time. One that is out of range is damaged, and counts as long ago.
pub(crate) fn time(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH)
}
