//! The todo tools as agents see them: names, descriptions, schemas, and the instructions that teach a model to use them.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use todo::manager::ACTIONS;

/// The server's instructions for agents. The first 512 characters stand alone, since some agents cut them there.
pub const INSTRUCTIONS: &str = "Sightline shows the user your todo list live and lets the user change it. \
For any task of three steps or more: call todo_write with the whole list before you begin, and again each time a \
step starts or ends, with exactly one step in_progress and an activeForm for it (\"Fixing the parser\"). \
Each result holds the merged list: when the user added, removed or cleared steps, it says so. Follow that at once, \
and keep it in your next list. Simple tasks need no list.\n\n\
todo_read gives the list as it is now; call it after a long silence or when you continue earlier work. Send the \
whole list each time, completed steps included, with the ids you were told.";

pub(crate) const WRITE: &str = "todo_write";
pub(crate) const READ: &str = "todo_read";
pub(crate) const MANAGER: &str = "todo_manager";

/// The names of the todo tools. No tool of another server may have one of them beside these.
pub const TODO_TOOLS: [&str; 3] = [WRITE, READ, MANAGER];

/// The tools, made once: the library asks for one with every call over HTTP. A clone shares the schema.
static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(make);

pub(crate) fn tools() -> &'static [Tool] {
    &TOOLS
}

fn make() -> Vec<Tool> {
    vec![
        Tool::new_with_raw(
            WRITE,
            Some(
                "Write your whole todo list; it replaces the one before. Use it for tasks of three steps or more: when you \
                 plan, and whenever a step starts or ends. Exactly one step is in_progress, with an activeForm. The result \
                 holds the merged list and what the user changed; follow it."
                    .into(),
            ),
            object(&write_schema()),
        )
        .with_title("Write the todo list")
        .with_annotations(ToolAnnotations::new().read_only(false).destructive(false).idempotent(true).open_world(false)),
        Tool::new_with_raw(
            READ,
            Some("Read your todo list as it is now, with what the user changed since you last wrote it.".into()),
            object(&json!({ "type": "object", "properties": { "session": session_schema() } })),
        )
        .with_title("Read the todo list")
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false)),
        Tool::new_with_raw(
            MANAGER,
            Some(
                "Work on the same todo list step by step, instead of writing it whole; at most 30 items, one of them doing. \
                 list: the list as XML. next: the item that is doing, else the first that can start, which is then doing. \
                 add_multiple: todos at the end. add_after_position: todos after the item of that number (0: at the \
                 beginning). complete_multiple: the items of these ids are done. skip: the one item of this id is left \
                 out, with a reason; it stays in the list. replace_all: these todos instead of all (none: empty). \
                 Ids are the numbers in the list, 1, 2, 3, … , anew after each change."
                    .into(),
            ),
            object(&manager_schema()),
        )
        .with_title("Manage the todo list")
        .with_annotations(ToolAnnotations::new().read_only(false).destructive(false).idempotent(false).open_world(false)),
    ]
}

/// The todo tools for an agent that has one list: name, description and JSON Schema of each. They take no `session`.
#[must_use]
pub fn tools_for_one_list() -> Vec<(String, String, Value)> {
    let parts = |tool: &Tool| {
        let mut schema = Value::Object((*tool.input_schema).clone());
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            properties.remove("session");
        }
        (tool.name.to_string(), tool.description.as_deref().unwrap_or_default().to_owned(), schema)
    };
    tools().iter().map(parts).collect()
}

fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

fn session_schema() -> Value {
    json!({
        "type": "string",
        "description": "A label for the list, only when you keep several; leave it out otherwise."
    })
}

fn manager_schema() -> Value {
    let todo = json!({
        "type": "object",
        "properties": { "content": { "type": "string", "description": "What to do, 1 to 2000 characters." } },
        "required": ["content"]
    });
    json!({
        "type": "object",
        "properties": {
            "action": { "type": "string", "enum": ACTIONS },
            "todos": { "type": "array", "items": todo, "description": "For add_multiple, add_after_position, replace_all." },
            "ids": { "type": "array", "items": { "type": "integer" }, "description": "For complete_multiple; exactly one for skip." },
            "position": { "type": "integer", "description": "For add_after_position." },
            "reason": { "type": "string", "description": "For skip: why." },
            "session": session_schema(),
        },
        "required": ["action"]
    })
}

fn write_schema() -> Value {
    let statuses = ["pending", "in_progress", "completed", "blocked", "skipped", "cancelled"];
    let text = |description: &str| json!({ "type": "string", "description": description });
    let fields = json!({
        "id": text("Your name for the step; the same step keeps its id."),
        "content": text("What to do, 1 to 2000 characters: \"Fix the parser\"."),
        "status": { "type": "string", "enum": statuses, "description": "pending when left out." },
        "activeForm": text("What to show while it is in progress: \"Fixing the parser\"."),
        "priority": { "type": "string", "enum": ["high", "medium", "low"] },
        "dependsOn": { "type": "array", "items": { "type": "string" }, "description": "Ids of steps that come first." },
        "reason": text("Why it is blocked or skipped."),
        "notes": text("Remarks on the way."),
    });
    let mut step = json!({ "type": "object", "properties": fields, "required": ["content"] });
    let subtask = step.clone();
    step["properties"]["subtasks"] =
        json!({ "type": "array", "items": subtask, "description": "One level of smaller steps." });
    json!({
        "type": "object",
        "properties": {
            "todos": { "type": "array", "items": step, "description": "The whole list, at most 256 steps." },
            "merge": {
                "type": "boolean",
                "description": "true: todos holds only steps that changed (by id) or are new; all others stay. Default false."
            },
            "session": session_schema(),
        },
        "required": ["todos"]
    })
}
