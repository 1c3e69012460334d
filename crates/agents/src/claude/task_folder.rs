//! A folder with one file per task: `tasks/ID/N.json`.

use super::tasks::Tasks;
use crate::transcript::{Observation, Observer, Records, Run, ends, is_in_some_folder, stem};
use jiff::Timestamp;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The parser of the files' array.
pub(super) struct TaskFolder {
    path: PathBuf,
    observer: Observer,
    files: Vec<Value>,
    last: Option<Value>,
    are_done: bool,
}

impl TaskFolder {
    pub(super) fn new(path: &Path) -> Self {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let observer = Observer::new(Run::new(&name));
        Self { path: path.to_owned(), observer, files: Vec::new(), last: None, are_done: false }
    }

    /// Returns whether the run that it is named after has a transcript, which then tells the tasks.
    fn has_transcript(&self) -> bool {
        let Some(root) = self.path.parent().and_then(Path::parent) else { return false };
        let name = format!("{}.jsonl", self.observer.run().own_session);
        is_in_some_folder(&root.join("projects"), Path::new(&name))
    }
}

impl Records for TaskFolder {
    /// An emptied folder tells nothing, nor one that is being emptied because its tasks are done.
    fn record(&mut self, record: &Value, written: Option<Timestamp>, out: &mut Vec<Observation>) {
        let files = record.as_array().map(Vec::as_slice).unwrap_or_default();
        let is_being_emptied = self.are_done && files.iter().all(|file| self.files.contains(file));
        if files.is_empty() || is_being_emptied || self.has_transcript() {
            return;
        }
        let mut tasks = Tasks::default();
        for file in files {
            tasks.add(file);
        }
        self.files = files.to_vec();
        self.are_done = tasks.are_done();
        let todos = tasks.all();
        if self.last.as_ref() != Some(&todos) {
            self.last = Some(todos.clone());
            self.observer.list(out, written, "TaskUpdate", todos);
        }
    }
}

/// Returns whether a path is a task's file: a number and `.json`.
pub(super) fn is_task(path: &Path) -> bool {
    let stem = stem(path);
    ends(path, "json") && !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_digit())
}
