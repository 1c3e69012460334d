//! A file that is one list, with no times in it: the file's own time is taken. The list is an object's `todos`, or the
//! bare array that an older llxprt wrote.

use crate::Agent;
use crate::transcript::{Observation, Observer, Records, Run};
use jiff::Timestamp;
use serde_json::{Value, json};

/// The parser of a list's file.
pub(crate) struct ListFile {
    agent: &'static dyn Agent,
    tool: &'static str,
    observer: Observer,
    last: Option<Value>,
    /// True if another transcript tells the list of this run.
    is_told_elsewhere: Box<dyn Fn() -> bool + Send>,
    problem: Option<&'static str>,
}

impl ListFile {
    /// The list of a run, written by this tool.
    pub(crate) fn new(
        agent: &'static dyn Agent,
        tool: &'static str,
        run: Run,
        is_told_elsewhere: impl Fn() -> bool + Send + 'static,
    ) -> Self {
        let observer = Observer::new(run);
        Self { agent, tool, observer, last: None, is_told_elsewhere: Box::new(is_told_elsewhere), problem: None }
    }
}

impl Records for ListFile {
    fn record(&mut self, record: &Value, written: Option<Timestamp>, out: &mut Vec<Observation>) {
        if (self.is_told_elsewhere)() {
            return;
        }
        let input = if record.is_array() { json!({ "todos": record }) } else { record.clone() };
        let Some(list) = self.agent.list_written(self.tool, &input, &Value::Null) else {
            self.problem = Some("it has no list \"todos\"");
            return;
        };
        self.problem = None;
        if self.last.as_ref() != Some(&list.todos) {
            self.last = Some(list.todos.clone());
            self.observer.list(out, written, list.tool, list.todos);
        }
    }

    fn problem(&self) -> Option<&str> {
        self.problem
    }
}
