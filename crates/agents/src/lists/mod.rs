//! A built-in list as a call of its tool writes it.

mod fit;

#[cfg(test)]
mod tests;

pub use fit::fit;
pub(crate) use fit::{TEXT_CHARS, cut};
use serde_json::Value;

/// A tool by which an agent writes its built-in list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListTool {
    /// The tool's name.
    pub name: &'static str,
    /// The member of its input that holds the items.
    pub items: &'static str,
    /// The member of an item that holds its content.
    pub content: &'static str,
}

impl ListTool {
    /// A tool with `{todos: [{content}]}`, the most common input.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, items: "todos", content: "content" }
    }
}

/// A list, or a part of one, that a call has written.
#[derive(Debug, Clone, PartialEq)]
pub struct ListWritten {
    pub tool: &'static str,
    /// An array of items as `todo.write` takes them.
    pub todos: Value,
    /// Only changed items, by `id`; the status `deleted` removes one.
    pub is_part: bool,
}

/// The whole list in a tool's input, unless the call failed.
pub(crate) fn whole_list(tool: &ListTool, input: &Value, response: &Value) -> Option<ListWritten> {
    if failed(response) {
        return None;
    }
    let items = input.get(tool.items)?.as_array()?.iter().map(|item| renamed(item, tool.content)).collect();
    Some(ListWritten { tool: tool.name, todos: fit(items), is_part: false })
}

/// The members of a response that tell whether its call was carried out, and how Claude Code's new task is called.
pub(crate) const OUTCOMES: [&str; 5] = ["error", "is_error", "isError", "success", "task"];

/// Returns whether the response to a call says that nothing was done.
#[must_use]
pub fn failed(response: &Value) -> bool {
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

/// The text of an id, which some models send as a number.
pub(crate) fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The item with its content under our name for it.
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
