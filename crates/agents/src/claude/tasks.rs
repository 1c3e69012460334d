//! The tasks of a run, put together from the calls that changed them.

use crate::lists::{fit, word};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

/// The time after the last task was done at which Claude Code begins a new list, in a terminal.
const NEW_LIST: SignedDuration = SignedDuration::from_secs(5);

/// The tasks of a run, ordered by number.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    tasks: Vec<Task>,
    highest: u64,
    /// True where tasks stay that are done: without a screen.
    pub(super) stay: bool,
    done_at: Option<Timestamp>,
}

/// A task: its item, and the tasks that it waits for.
#[derive(Debug, Default)]
struct Task {
    id: String,
    item: Map<String, Value>,
    waits_for: Vec<String>,
    metadata: Map<String, Value>,
}

impl Tasks {
    /// The number that the next task gets.
    pub(super) fn next(&self) -> String {
        (self.highest + 1).to_string()
    }

    /// The tasks as `todo.write` takes them, without Claude Code's internal ones.
    pub(super) fn all(&self) -> Value {
        fit(self.tasks.iter().filter(|task| !task.metadata.contains_key("_internal")).map(Task::item).collect())
    }

    /// Adds the task in a file; see [`super::task_folder`].
    pub(super) fn add(&mut self, file: &Value) {
        let Some(id) = file.get("id").and_then(word) else { return };
        let mut item = Map::new();
        let names = [
            ("subject", "content"),
            ("description", "description"),
            ("activeForm", "activeForm"),
            ("owner", "owner"),
            ("status", "status"),
        ];
        for (theirs, ours) in names {
            if let Some(value) = file.get(theirs).filter(|value| value.as_str().is_some_and(|text| !text.is_empty())) {
                item.insert(ours.to_owned(), value.clone());
            }
        }
        let task = self.task(&id);
        task.item.append(&mut item);
        task.waits_for = words(file.get("blockedBy"));
        task.metadata = file.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    }

    /// Applies a call that changed tasks. Returns whether the list changed.
    pub(super) fn change(&mut self, part: &Value, input: &Value, at: Option<Timestamp>) -> bool {
        let before = self.all();
        for changed in part.as_array().into_iter().flatten().filter_map(Value::as_object) {
            let Some(id) = changed.get("id").and_then(word) else { continue };
            let is_new = !self.tasks.iter().any(|task| task.id == id);
            // Nothing else is known of a task that was made elsewhere.
            if is_new && !changed.contains_key("content") {
                continue;
            }
            if is_new && !self.stay && self.is_over(at) {
                self.tasks.clear();
            }
            if changed.get("status").and_then(Value::as_str).is_some_and(|status| status == "deleted") {
                self.remove(&id);
                continue;
            }
            self.change_one(&id, changed, input);
        }
        self.done_at = if self.are_done() { self.done_at.or(at) } else { None };
        before != self.all()
    }

    /// Returns whether there are tasks, and none is left to do.
    pub(super) fn are_done(&self) -> bool {
        !self.tasks.is_empty() && self.tasks.iter().all(Task::is_done)
    }

    fn change_one(&mut self, id: &str, changed: &Map<String, Value>, input: &Value) {
        let task = self.task(id);
        for (name, value) in changed.iter().filter(|(name, _)| *name != "id") {
            task.item.insert(name.clone(), value.clone());
        }
        for (name, value) in input.get("metadata").and_then(Value::as_object).into_iter().flatten() {
            match value {
                Value::Null => drop(task.metadata.remove(name)),
                value => drop(task.metadata.insert(name.clone(), value.clone())),
            }
        }
        task.wait_for(&words(input.get("addBlockedBy")));
        let blocked = words(input.get("addBlocks"));
        for other in self.tasks.iter_mut().filter(|other| blocked.contains(&other.id)) {
            other.wait_for(&[id.to_owned()]);
        }
    }

    /// Takes over the answer to `TaskList`. Returns whether the list changed.
    pub(super) fn listed(&mut self, answer: &Value) -> bool {
        let Some(tasks) = answer.get("tasks").and_then(Value::as_array) else { return false };
        let before = self.all();
        let ids = tasks.iter().filter_map(|task| word(task.get("id")?)).collect::<Vec<_>>();
        self.tasks.retain(|task| ids.contains(&task.id) || task.metadata.contains_key("_internal"));
        for task in tasks {
            let Some(id) = task.get("id").and_then(word) else { continue };
            let own = self.task(&id);
            for (theirs, ours) in [("subject", "content"), ("status", "status"), ("owner", "owner")] {
                if let Some(value) = task.get(theirs).filter(|value| value.is_string()) {
                    own.item.insert(ours.to_owned(), value.clone());
                }
            }
        }
        before != self.all()
    }

    /// The task with this id, inserted in its place where it is new.
    fn task(&mut self, id: &str) -> &mut Task {
        let number = |id: &str| id.parse::<u64>().unwrap_or(u64::MAX);
        self.highest = self.highest.max(id.parse().unwrap_or_default());
        let index = self.tasks.iter().position(|task| task.id == id).unwrap_or_else(|| {
            let index = self.tasks.partition_point(|task| number(&task.id) <= number(id));
            self.tasks.insert(index, Task { id: id.to_owned(), ..Task::default() });
            index
        });
        &mut self.tasks[index]
    }

    fn remove(&mut self, id: &str) {
        self.tasks.retain(|task| task.id != id);
        for task in &mut self.tasks {
            task.waits_for.retain(|waits_for| waits_for != id);
        }
    }

    fn is_over(&self, at: Option<Timestamp>) -> bool {
        let (Some(done), Some(at)) = (self.done_at, at) else { return false };
        at.duration_since(done) >= NEW_LIST
    }
}

impl Task {
    fn item(&self) -> Value {
        let mut item = self.item.clone();
        item.insert("id".to_owned(), self.id.clone().into());
        if !self.waits_for.is_empty() {
            item.insert("dependsOn".to_owned(), json!(self.waits_for));
        }
        if !self.metadata.is_empty() {
            item.insert("metadata".to_owned(), Value::Object(self.metadata.clone()));
        }
        Value::Object(item)
    }

    fn is_done(&self) -> bool {
        self.item.get("status").and_then(Value::as_str) == Some("completed")
    }

    fn wait_for(&mut self, ids: &[String]) {
        for id in ids {
            if *id != self.id && !self.waits_for.contains(id) {
                self.waits_for.push(id.clone());
            }
        }
    }
}

fn words(ids: Option<&Value>) -> Vec<String> {
    ids.and_then(Value::as_array).into_iter().flatten().filter_map(word).collect()
}
