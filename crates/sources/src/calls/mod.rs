//! What a call of an agent's own todo tool says of its list.

mod fit;

#[cfg(test)]
mod tests;

use crate::files::Kind;
pub(crate) use fit::{cut, fit};
use serde_json::{Map, Value, json};

/// Our tools, whatever an agent puts before their names.
const OURS: [&str; 3] = ["todo_write", "todo_read", "todo_manager"];

/// What a call made of a list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Listed {
    /// All of it.
    Whole {
        /// The tool.
        tool: &'static str,
        /// An array of items as `todo.write` takes them.
        todos: Value,
    },
    /// Only what has changed: items by `id`; the status `deleted` takes one out.
    Part {
        /// The tool.
        tool: &'static str,
        /// An array of items as `todo.write` takes them.
        todos: Value,
    },
}

/// What a call of this tool of this agent's, with this input and answer, says of its list; nothing where it is another
/// tool or has failed. An answer that is not known is `null`.
pub(crate) fn list_of(kind: Kind, tool: &str, input: &Value, response: &Value) -> Option<Listed> {
    if failed(response) {
        return None;
    }
    let tool = list_tool(kind, tool)?;
    let whole = |items: &Value, content: &str| {
        let items = items.as_array()?.iter().map(|item| renamed(item, content)).collect();
        Some(Listed::Whole { tool, todos: fit(items) })
    };
    match tool {
        "update_plan" => whole(input.get("plan")?, "step"),
        "write_todos" => whole(input.get("todos")?, "description"),
        "TaskCreate" => {
            let id = task_id(response)?;
            Some(Listed::Part { tool, todos: fit(vec![task(&id, input, Some("pending"))]) })
        }
        "TaskUpdate" => {
            let id = word(input.get("taskId")?)?;
            Some(Listed::Part { tool, todos: json!([task(&id, input, None)]) })
        }
        _ => whole(input.get("todos")?, "content"),
    }
}

/// The tool of that name by which an agent writes its own list.
pub(crate) fn list_tool(kind: Kind, tool: &str) -> Option<&'static str> {
    let tools: &[&'static str] = match kind {
        Kind::Claude => &["TodoWrite", "TaskCreate", "TaskUpdate"],
        Kind::Codex => &["update_plan"],
        Kind::Gemini => &["write_todos"],
        Kind::Opencode => &["todowrite"],
        Kind::Qwen | Kind::Llxprt => &["todo_write"],
    };
    tools.iter().copied().find(|known| *known == tool)
}

/// Whether it is a tool of ours; opencode says the server's name only.
pub(crate) fn is_ours(kind: Kind, tool: &str) -> bool {
    let server = OURS.iter().find_map(|ours| tool.strip_suffix(ours));
    server.is_some_and(|server| match kind {
        Kind::Opencode => server.len() > 1 && server.ends_with('_'),
        _ => server.starts_with("mcp") && server.ends_with(['_', '.']),
    })
}

/// The task's id, as the answer to `TaskCreate` has it, for programs or for the model.
pub(crate) fn task_id(response: &Value) -> Option<String> {
    if let Some(id) = response.pointer("/task/id") {
        return word(id);
    }
    let text = match response {
        Value::Array(parts) => parts.iter().find_map(|part| part.get("text"))?,
        other => other,
    };
    let digits = text.as_str()?.strip_prefix("Task #")?.split(|c: char| !c.is_ascii_digit()).next()?;
    Some(digits.to_owned()).filter(|digits| !digits.is_empty())
}

/// Whether an answer says that nothing was done.
pub(crate) fn failed(response: &Value) -> bool {
    match response {
        Value::Object(fields) => {
            let says =
                |name: &str| fields.get(name).is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)));
            let denies = fields.get("success").is_some_and(|value| *value == Value::Bool(false));
            says("error") || says("is_error") || says("isError") || denies
        }
        Value::String(text) => {
            let text = text.trim_start().get(..200).unwrap_or(text.trim_start()).to_ascii_lowercase();
            ["error", "failed", "<tool_use_error>", "script failed"].iter().any(|word| text.starts_with(word))
                || text.contains("not allowed in plan mode")
        }
        _ => false,
    }
}

/// An id, which some models send as a number.
pub(crate) fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// An item with its content under our name for it.
fn renamed(item: &Value, content: &str) -> Value {
    let mut item = item.clone();
    if let Value::Object(fields) = &mut item
        && !fields.contains_key("content")
        && let Some(text) = fields.remove(content)
    {
        fields.insert("content".to_owned(), text);
    }
    item
}

/// A task as an item, with what the input has of it.
fn task(id: &str, input: &Value, status: Option<&str>) -> Value {
    let mut item = Map::new();
    item.insert("id".to_owned(), id.into());
    let status = input.get("status").and_then(Value::as_str).or(status);
    if let Some(status) = status {
        item.insert("status".to_owned(), status.into());
    }
    let fields =
        [("subject", "content"), ("description", "description"), ("activeForm", "activeForm"), ("owner", "owner")];
    for (theirs, ours) in fields {
        if let Some(text) = input.get(theirs).and_then(Value::as_str) {
            item.insert(ours.to_owned(), fit::cut(text, fit::TEXT_CHARS).into());
        }
    }
    Value::Object(item)
}
