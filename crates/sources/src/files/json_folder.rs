//! A folder of small JSON files that are read as one array.

use super::json_file::{Written, written_at};
use agents::Budget;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The most bytes of a file.
const BYTES: u64 = 1024 * 1024;
/// The most of a file that is held.
const TASK: Budget = Budget { values: 1_000, bytes: 64 * 1024 };
/// The most files that are read.
const FILES: usize = 2_000;

/// Size and time of each file.
type Files = BTreeMap<OsString, (u64, SystemTime)>;

/// A reader of the folder, which reads it when any file in it has changed.
#[derive(Debug)]
pub(super) struct JsonFolder {
    path: PathBuf,
    is_part: fn(&Path) -> bool,
    seen: Files,
    unreadable: Option<String>,
}

impl JsonFolder {
    pub(super) fn open(path: &Path, is_part: fn(&Path) -> bool) -> Self {
        Self { path: path.to_owned(), is_part, seen: Files::new(), unreadable: None }
    }

    /// The reason why one of its files could not be read.
    pub(super) fn unreadable(&self) -> Option<&str> {
        self.unreadable.as_deref()
    }

    /// The values of all files and the newest time, where anything is new.
    pub(super) fn read(&mut self) -> io::Result<Option<Written>> {
        let files = self.files()?;
        if files == self.seen {
            return Ok(None);
        }
        let mut values = Vec::new();
        for name in files.keys() {
            match careful::read(&self.path.join(name), BYTES) {
                Err(error) if careful::is_absent(&error) => return Ok(None),
                Err(error) => return Err(error),
                Ok(bytes) => match agents::lean_value(&bytes, TASK) {
                    Ok(value) => values.push(value),
                    // Half written; it is read again when it is whole.
                    Err(error) => {
                        self.unreadable = Some(format!("{} is not JSON: {error}", name.to_string_lossy()));
                        return Ok(None);
                    }
                },
            }
        }
        self.unreadable = None;
        let at = files.values().map(|(_, modified)| *modified).max().map(written_at);
        self.seen = files;
        Ok(at.map(|at| Written { value: Value::Array(values), at }))
    }

    fn files(&self) -> io::Result<Files> {
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(Files::new());
            }
            Err(error) => return Err(error),
        };
        let mut files = Files::new();
        for entry in entries.filter_map(Result::ok).filter(|entry| (self.is_part)(&entry.path())).take(FILES) {
            if let Ok(metadata) = entry.metadata()
                && metadata.is_file()
                && metadata.len() <= BYTES
                && let Ok(modified) = metadata.modified()
            {
                files.insert(entry.file_name(), (metadata.len(), modified));
            }
        }
        Ok(files)
    }
}
