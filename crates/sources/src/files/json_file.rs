//! A file that is one JSON value, rewritten at each change.

use agents::Budget;
use jiff::Timestamp;
use serde_json::Value;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The most bytes of a file that is read.
const BYTES: u64 = 64 * 1024 * 1024;

/// The most of it that is held: a whole chat.
const WHOLE: Budget = Budget { values: 300_000, bytes: 64 * 1024 * 1024 };

/// A reader of the file, which reads it when it has changed.
#[derive(Debug)]
pub(super) struct JsonFile {
    path: PathBuf,
    seen: Option<(u64, SystemTime)>,
    unreadable: Option<String>,
}

/// A value, and the time at which it was written.
pub(super) struct Written {
    pub(super) value: Value,
    pub(super) at: Timestamp,
}

impl JsonFile {
    pub(super) fn open(path: &Path) -> Self {
        Self { path: path.to_owned(), seen: None, unreadable: None }
    }

    /// The reason why it could not be read: it may be half written.
    pub(super) fn unreadable(&self) -> Option<&str> {
        self.unreadable.as_deref()
    }

    /// Its value, where that is new.
    pub(super) fn read(&mut self) -> io::Result<Option<Written>> {
        let file = match careful::open(&self.path) {
            Ok(file) => file,
            Err(error) if careful::is_absent(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        let modified = metadata.modified()?;
        if self.seen == Some((metadata.len(), modified)) {
            return Ok(None);
        }
        if metadata.len() > BYTES {
            self.unreadable = Some(format!("it has {} bytes, too many to be a list", metadata.len()));
            return Ok(None);
        }
        let mut bytes = Vec::new();
        // Bytes that are written meanwhile are read with the next change.
        file.take(BYTES).read_to_end(&mut bytes)?;
        match agents::lean_value(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes), WHOLE) {
            Ok(value) => {
                self.seen = Some((metadata.len(), modified));
                self.unreadable = None;
                Ok(Some(Written { value, at: written_at(modified) }))
            }
            // A file that is half written has another size or time once it is whole.
            Err(error) => {
                self.unreadable = Some(format!("it is not JSON: {error}"));
                Ok(None)
            }
        }
    }
}

/// A file's time in whole milliseconds, as all other times are.
pub(super) fn written_at(modified: SystemTime) -> Timestamp {
    let at = Timestamp::try_from(modified).unwrap_or_default();
    Timestamp::from_millisecond(at.as_millisecond()).unwrap_or_default()
}
