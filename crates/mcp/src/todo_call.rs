//! Calls of the todo tools: how their arguments are read, and how their results and refusals are worded. The MCP server
//! and the built-in agent share this.

use crate::tool::{MANAGER, READ, WRITE};
use protocol::{Code, Error, Result, TodoWritten};
use serde_json::{Map, Value, json};
use todo::manager::ACTIONS;
use todo::text::plain;

/// The arguments of an action of `todo_manager`.
const ARGUMENTS: [&str; 4] = ["todos", "ids", "position", "reason"];

/// A call of a todo tool, with its arguments read.
#[derive(Debug, Clone, PartialEq)]
pub enum TodoCall {
    /// `todo_write`.
    Write {
        /// The steps, as the agent sent them: an array, or a text that holds one.
        todos: Value,
        /// They are a part of the list, not the whole of it.
        merge: bool,
    },
    /// `todo_read`.
    Read,
    /// `todo_manager`.
    Manage {
        /// One of [`ACTIONS`], if the agent made no mistake.
        action: String,
        /// The action's arguments, for [`todo::manager::Action::read`].
        fields: Map<String, Value>,
    },
}

impl TodoCall {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// When there is no such tool, or an argument is missing or of the wrong type.
    pub fn read(tool: &str, mut arguments: Map<String, Value>) -> Result<Self> {
        match tool {
            WRITE => {
                let todos = arguments.remove("todos").ok_or_else(|| {
                    invalid(
                        "\"todos\" is missing: send the whole list, [{\"content\": \"…\", \"status\": \"pending\"}, …]",
                    )
                })?;
                let merge = match arguments.remove("merge") {
                    None | Some(Value::Null) => false,
                    Some(Value::Bool(merge)) => merge,
                    Some(_) => return Err(invalid("\"merge\" must be true or false")),
                };
                Ok(Self::Write { todos, merge })
            }
            READ => Ok(Self::Read),
            MANAGER => {
                let Some(Value::String(action)) = arguments.remove("action") else {
                    return Err(invalid(format!("Action required: one of {}", ACTIONS.join(", "))));
                };
                if let Some(todos) = list_in(arguments.remove("todos")) {
                    arguments.insert("todos".to_owned(), todos);
                }
                // Others would stand beside them on the wire, where some have another meaning.
                arguments.retain(|name, _| ARGUMENTS.contains(&name.as_str()));
                Ok(Self::Manage { action, fields: arguments })
            }
            other => {
                Err(invalid(format!("there is no tool \"{other}\"; there are {}", crate::tool::TODO_TOOLS.join(", "))))
            }
        }
    }
}

/// The first line of a result of `todo_write`.
#[must_use]
pub fn write_headline(written: &TodoWritten) -> String {
    headline("Updated todos", written)
}

/// The first line of a result of `todo_read`.
pub(crate) fn read_headline(read: &TodoWritten) -> String {
    headline("Todos", read)
}

fn headline(verb: &str, written: &TodoWritten) -> String {
    format!("{verb}: {}/{} complete", written.progress.completed, written.progress.total)
}

/// A line for each remark on a list that was sent, to go at the end of the result.
#[must_use]
pub fn remark_lines(remarks: &[String]) -> String {
    remarks.iter().map(|remark| format!("\nNote: {}", plain(remark))).collect()
}

/// The result of `todo_manager` (requirement T1).
#[must_use]
pub fn manager_result(output: &Value) -> Value {
    json!({ "ok": true, "output": output })
}

/// The result of a call that was refused: of `todo_manager` as JSON (requirement T1), of the others as a sentence.
#[must_use]
pub fn refusal(tool: &str, error: &Error) -> Value {
    match tool {
        MANAGER => json!({ "ok": false, "error": error.message }),
        _ => Value::String(error.message.clone()),
    }
}

/// A list as it was sent; some models send it as a text that holds JSON.
fn list_in(todos: Option<Value>) -> Option<Value> {
    match todos? {
        Value::String(text) => Some(serde_json::from_str(&text).unwrap_or(Value::String(text))),
        todos => Some(todos),
    }
}

fn invalid(problem: impl Into<protocol::Text>) -> Error {
    Error::new(Code::InvalidMessage, problem)
}
