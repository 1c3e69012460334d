//! A folder with one file a task.

use super::fold::Tasks;
use crate::files::told::{Run, Teller, Told};
use crate::files::whole::written_at;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The largest file of a task that is read, and the most tasks.
const BYTES: u64 = 1024 * 1024;
const TASKS: usize = 2_000;

/// Reads it when anything in it has changed.
pub(crate) struct Folder {
    path: PathBuf,
    teller: Teller,
    seen: BTreeMap<OsString, (u64, SystemTime)>,
    last: Option<Value>,
    is_done: bool,
    unreadable: Option<String>,
}

impl Folder {
    pub(crate) fn open(path: &Path) -> Self {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let teller = Teller::new(Run { own_session: name, ..Run::default() });
        Self { path: path.to_owned(), teller, seen: BTreeMap::new(), last: None, is_done: false, unreadable: None }
    }

    /// Why one of its files could not be read.
    pub(crate) fn unreadable(&self) -> Option<&str> {
        self.unreadable.as_deref()
    }

    /// The tasks, where they are otherwise than they were. An emptied folder tells nothing, nor one that is being
    /// emptied: the tasks are done.
    pub(crate) fn look(&mut self, out: &mut Vec<Told>) -> io::Result<()> {
        let files = self.files()?;
        let is_left = self.is_done && files.iter().all(|(name, state)| self.seen.get(name) == Some(state));
        if files == self.seen || files.is_empty() || is_left || self.has_transcript() {
            return Ok(());
        }
        let mut tasks = Tasks::default();
        for name in files.keys() {
            match fs::read(self.path.join(name)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(error),
                Ok(bytes) => match serde_json::from_slice(&bytes) {
                    Ok(task) => tasks.add(&task),
                    // Half written; it is looked at again when it is whole.
                    Err(error) => {
                        self.unreadable = Some(format!("{} is not JSON: {error}", name.to_string_lossy()));
                        return Ok(());
                    }
                },
            }
        }
        self.unreadable = None;
        let at = files.values().map(|(_, modified)| *modified).max().map(written_at);
        self.seen = files;
        self.is_done = tasks.are_done();
        let todos = tasks.all();
        if self.last.as_ref() != Some(&todos) {
            self.last = Some(todos.clone());
            self.teller.list(out, at, "TaskUpdate", todos);
        }
        Ok(())
    }

    fn files(&self) -> io::Result<BTreeMap<OsString, (u64, SystemTime)>> {
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(BTreeMap::new());
            }
            Err(error) => return Err(error),
        };
        let mut files = BTreeMap::new();
        for entry in entries.filter_map(Result::ok).filter(|entry| is_task(&entry.path())).take(TASKS) {
            if let Ok(metadata) = entry.metadata()
                && metadata.len() <= BYTES
                && let Ok(modified) = metadata.modified()
            {
                files.insert(entry.file_name(), (metadata.len(), modified));
            }
        }
        Ok(files)
    }

    /// Whether the run that it is named after is recorded.
    fn has_transcript(&self) -> bool {
        let Some(root) = self.path.parent().and_then(Path::parent) else { return false };
        let name = format!("{}.jsonl", self.teller.run().own_session);
        let folders = fs::read_dir(root.join("projects")).into_iter().flatten().filter_map(Result::ok);
        folders.into_iter().any(|folder| folder.path().join(&name).exists())
    }
}

/// Whether it is a task's file: a number and `.json`.
pub(crate) fn is_task(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    path.extension().is_some_and(|extension| extension == "json")
        && !stem.is_empty()
        && stem.bytes().all(|byte| byte.is_ascii_digit())
}
