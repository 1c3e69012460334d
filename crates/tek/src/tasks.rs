//! The list of a Claude Code that the gateway relays: it comes in calls of Claude's own tools, whose results are not passed
//! on. So the ids of tasks are counted as Claude counts them, in the order of the calls.

use serde_json::{Map, Value, json};

/// The most tasks of a session.
const MOST: usize = 256;

/// The tasks of one session.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    tasks: Vec<Map<String, Value>>,
    created: u64,
}

impl Tasks {
    /// The list after a call of a tool; `None` where the call is about no list.
    pub(crate) fn after(&mut self, tool: &str, args: &Value) -> Option<Vec<Value>> {
        match tool {
            "TodoWrite" => args["todos"].as_array().cloned(),
            "TaskCreate" => {
                self.created += 1;
                let subject = args["subject"].as_str()?;
                if self.tasks.len() >= MOST {
                    return None;
                }
                let mut task = Map::new();
                task.insert("id".to_owned(), self.created.to_string().into());
                task.insert("content".to_owned(), subject.into());
                task.insert("status".to_owned(), "pending".into());
                take(&mut task, args);
                self.tasks.push(task);
                Some(self.list())
            }
            "TaskUpdate" => {
                let id = match &args["taskId"] {
                    Value::Number(id) => id.to_string(),
                    id => id.as_str()?.to_owned(),
                };
                let at = self.tasks.iter().position(|task| task["id"] == *id)?;
                if args["status"] == "deleted" {
                    self.tasks.remove(at);
                    return Some(self.list());
                }
                take(&mut self.tasks[at], args);
                Some(self.list())
            }
            _ => None,
        }
    }

    /// A new chat begins with no tasks.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    fn list(&self) -> Vec<Value> {
        self.tasks.iter().cloned().map(Value::Object).collect()
    }
}

/// Takes over what a call says of a task.
fn take(task: &mut Map<String, Value>, args: &Value) {
    for (name, field) in [("subject", "content"), ("status", "status"), ("activeForm", "activeForm")] {
        if let Some(text) = args[name].as_str() {
            task.insert(field.to_owned(), text.into());
        }
    }
    if let Some(text) = args["description"].as_str() {
        task.insert("description".to_owned(), text.into());
    }
    if let Some(ids) = args["addBlockedBy"].as_array() {
        let mut known = task.get("dependencies").and_then(Value::as_array).cloned().unwrap_or_default();
        for id in ids {
            if !known.contains(id) {
                known.push(id.clone());
            }
        }
        task.insert("dependencies".to_owned(), json!(known));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_counted_in_the_order_of_the_calls() {
        let mut tasks = Tasks::default();
        tasks.after("TaskCreate", &json!({"subject": "Collect", "activeForm": "Collecting"}));
        tasks.after("TaskCreate", &json!({"subject": "Write"}));
        let list = tasks.after("TaskUpdate", &json!({"taskId": "2", "status": "in_progress", "addBlockedBy": ["1"]}));
        assert_eq!(
            list,
            Some(vec![
                json!({"id": "1", "content": "Collect", "status": "pending", "activeForm": "Collecting"}),
                json!({"id": "2", "content": "Write", "status": "in_progress", "dependencies": ["1"]}),
            ])
        );
        let list = tasks.after("TaskUpdate", &json!({"taskId": 1, "status": "deleted"}));
        assert_eq!(list.map(|list| list.len()), Some(1));
        assert_eq!(tasks.after("TaskUpdate", &json!({"taskId": "9", "status": "completed"})), None);
        assert_eq!(tasks.after("TaskCreate", &json!({"subject": 7})), None);
        assert_eq!(tasks.after("Bash", &json!({"todos": []})), None);
        let list = tasks.after("TaskCreate", &json!({"subject": "Third"})).expect("a list");
        assert_eq!(list[1]["id"], "4", "one that could not be read counts");
    }
}
