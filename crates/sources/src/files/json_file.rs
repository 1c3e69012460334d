//! A file that is one JSON value, rewritten at each change.

use jiff::Timestamp;
use serde_json::Value;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The most bytes of a file that is read.
const BYTES: u64 = 64 * 1024 * 1024;

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
        let metadata = match fs::metadata(&self.path) {
            Ok(metadata) if metadata.is_file() => metadata,
            Ok(_) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let modified = metadata.modified()?;
        if self.seen == Some((metadata.len(), modified)) {
            return Ok(None);
        }
        if metadata.len() > BYTES {
            self.unreadable = Some(format!("it has {} bytes, too many to be a list", metadata.len()));
            return Ok(None);
        }
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match serde_json::from_slice(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)) {
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
