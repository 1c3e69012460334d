//! The list in a call of a tool over HTTP goes through the MCP library as one text.
//!
//! The library makes trees of values of each message, and copies them, several times before the tool has it; of a list
//! that is most of what a call allocates. The tools read a list that is sent as a text anyway, since some models send it
//! so.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    arguments: Arguments<'a>,
}

#[derive(Deserialize)]
struct Arguments<'a> {
    #[serde(borrow)]
    todos: &'a RawValue,
}

/// The body with `params.arguments.todos` as a text where it is an array; any other body as it is, and one that would
/// become longer than a message may be.
pub(crate) fn list_as_text(body: Vec<u8>) -> Vec<u8> {
    with_text(&body).filter(|changed| changed.len() <= protocol::MESSAGE_BYTES).unwrap_or(body)
}

fn with_text(body: &[u8]) -> Option<Vec<u8>> {
    let message: Message<'_> = serde_json::from_slice(body).ok()?;
    let todos = message.params.arguments.todos.get();
    if message.method != "tools/call" || !todos.starts_with('[') {
        return None;
    }
    let begin = todos.as_ptr().addr() - body.as_ptr().addr();
    let mut changed = Vec::with_capacity(body.len() + todos.len() / 4);
    changed.extend_from_slice(&body[..begin]);
    serde_json::to_writer(&mut changed, todos).ok()?;
    changed.extend_from_slice(&body[begin + todos.len()..]);
    Some(changed)
}

#[cfg(test)]
mod tests {
    use super::list_as_text;
    use serde_json::{Value, json};

    #[test]
    fn a_list_becomes_a_text_that_holds_it_and_the_rest_stays() {
        let todos = json!([{ "content": "Say \"hi\" in C:\\temp\n", "status": "pending" }, { "content": "Größe 🌲" }]);
        for todos in [todos, json!([])] {
            let arguments = json!({ "merge": true, "todos": todos, "session": "a" });
            let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call",
                "params": { "_meta": { "k": [1] }, "name": "todo_write", "arguments": arguments } });
            let mut changed: Value =
                serde_json::from_slice(&list_as_text(call.to_string().into_bytes())).expect("JSON");
            let text = changed["params"]["arguments"]["todos"].take();
            let list: Value = serde_json::from_str(text.as_str().expect("a text")).expect("JSON");
            changed["params"]["arguments"]["todos"] = list;
            assert_eq!(changed, call);
        }
    }

    #[test]
    fn any_other_body_is_as_it_was() {
        let quotes = r#"\""#.repeat(500_000);
        let would_be_too_long =
            format!(r#"{{"method":"tools/call","params":{{"arguments":{{"todos":["{quotes}"]}}}}}}"#);
        for body in [
            r#"{"method":"tools/call","params":{"arguments":{"todos":"[]"}}}"#,
            r#"{"method":"tools/call","params":{"arguments":{"todos":{"a":[]}}}}"#,
            r#"{"method":"tools/call","params":{"arguments":{"todos":[],"todos":[1]}}}"#,
            r#"{"method":"prompts/get","params":{"arguments":{"todos":[]}}}"#,
            r#"[{"method":"tools/call","params":{"arguments":{"todos":[]}}}]"#,
            r#"{"method":"tools/call","params":{"arguments":{"todos":[}}}"#,
            &would_be_too_long,
            "",
        ] {
            assert_eq!(list_as_text(body.as_bytes().to_vec()), body.as_bytes());
        }
    }
}
