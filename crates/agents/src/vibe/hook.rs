//! A hook's payload. A subagent has a session id of its own, and names its agent's beside it.

use super::Vibe;
use crate::hooks::is_word;
use crate::{HookPayload, lean};
use protocol::Happened;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::mem::replace;

/// The members that other agents do not have.
const MEMBERS: [&str; 3] = ["parent_session_id", "tool_call_id", "tool_status"];

/// The beginning of the id of a call that a program of the model's makes.
const OF_PROGRAM: &str = "typescript:";

/// Reads a payload.
///
/// # Errors
/// Those of [`HookPayload::read`].
pub(super) fn read(payload: &[u8]) -> protocol::Result<HookPayload> {
    let mut heard = HookPayload::read(&Vibe, payload)?;
    let members = lean::members(payload, MEMBERS).ok().flatten().unwrap_or_default();
    let text = |raw: Option<&RawValue>| raw.and_then(lean::text).map(Cow::into_owned);
    let [parent, call, status] = members.map(text);
    let has_failed = status.is_some_and(|status| status != "success");
    if has_failed {
        heard.list = None;
    }
    // A program reads the structured part only, to which nothing is added; an error's place would be taken.
    let is_of_program = call.is_some_and(|call| call.starts_with(OF_PROGRAM));
    heard.adds_context = heard.adds_context && !has_failed && !is_of_program;
    if let Some(parent) = parent.filter(|parent| !parent.is_empty() && is_word(parent)) {
        let subagent = replace(&mut heard.session, parent);
        if let Some(call) = &mut heard.calls {
            call.subagent = Some(subagent.clone());
        }
        (heard.begins, heard.tool, heard.adds_context) = (false, false, false);
        (heard.happened, heard.text, heard.our_result) = (Happened::Worked, None, None);
        heard.subagent = Some(subagent);
    }
    Ok(heard)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Agent;
    use serde_json::{Value, json};
    use std::path::Path;

    fn recorded(file: &str) -> Vec<HookPayload> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/tests/recordings/vibe").join(file);
        let text = std::fs::read_to_string(path).expect("the recording is there");
        text.lines().map(|line| read(line.as_bytes()).expect("it is a payload")).collect()
    }

    #[test]
    fn a_subagents_hooks_are_of_its_agents_session() {
        let told = recorded("subagent-hooks.jsonl");
        let (agent, part) = ("f5866fa0-2c85-7cea-c62f-f2af98202ea7", "child-2e52d40552dc2b9b104a956b");
        assert!(told.iter().all(|told| told.session == agent));
        let (of_part, own): (Vec<_>, Vec<_>) = told.iter().partition(|told| told.subagent.is_some());
        assert!(of_part.iter().all(|told| told.subagent.as_deref() == Some(part) && !told.begins && !told.tool));
        assert!(of_part.iter().all(|told| told.happened == Happened::Worked && told.our_result.is_none()));
        assert!(of_part.iter().all(|told| !told.adds_context));
        let calls: Vec<_> = of_part.iter().filter_map(|told| told.calls.as_ref()).collect();
        assert!(calls.len() == 2 && calls.iter().all(|call| call.subagent.as_deref() == Some(part)));
        assert_eq!(calls[0].arguments["todos"][0]["content"], "Read the release notes");
        // The agent itself starts it and reads a file that is not there; two turns end.
        let words: Vec<_> = own.iter().map(|told| (told.event.as_str(), told.happened, told.adds_context)).collect();
        let (pre, post) = (("pre_tool", Happened::Worked, false), ("post_tool", Happened::Worked, false));
        let over = ("post_agent", Happened::Rests, true);
        assert_eq!(words, [pre, post, pre, post, over, over]);
    }

    #[test]
    fn its_own_calls_tell_lists_and_hear_of_edits() {
        let told = recorded("hooks.jsonl");
        let lists: Vec<_> = told.iter().filter_map(|told| told.list.as_ref()).collect();
        assert!(lists.iter().all(|list| list.tool == "todo" && !list.merge));
        assert_eq!(
            lists.iter().map(|list| list.todos.as_array().map_or(0, Vec::len)).collect::<Vec<_>>(),
            [4, 4, 4, 5, 4, 4]
        );
        assert!(told.iter().all(|told| told.adds_context && told.begins));
        assert_eq!(told.iter().filter(|told| told.tool).count(), 1);
    }

    fn after(tool: &str, more: &Value) -> HookPayload {
        let mut payload = json!({
            "session_id": "s", "hook_event_name": "post_tool", "tool_name": tool, "tool_call_id": "call_1",
            "tool_status": "success", "tool_output_text": "Updated", "parent_session_id": null,
        });
        let members = payload.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        read(payload.to_string().as_bytes()).expect("it is a payload")
    }

    #[test]
    fn nothing_is_told_where_nobody_reads_it() {
        assert!(after("file_system.bash", &json!({})).adds_context);
        assert!(!after("file_system.bash", &json!({ "tool_call_id": "typescript:3:call_1:0:tool:0" })).adds_context);
        assert!(!after("file_system.bash", &json!({ "tool_status": "failure" })).adds_context);
        let written = json!({ "tool_input": { "action": "write", "todos": [{ "id": "1", "content": "A" }] } });
        assert!(after("vibe.todo", &written).list.is_some());
        let mut failed = written;
        failed["tool_status"] = "cancelled".into();
        assert_eq!(after("vibe.todo", &failed).list, None);
        assert_eq!(after("vibe.todo", &json!({ "tool_input": { "action": "read", "todos": null } })).list, None);
        let ours = after("mcp_sightline.todo_write", &json!({}));
        assert_eq!(ours.our_result, Some("Updated".into()));
        assert!(!ours.adds_context && !ours.tool && Vibe.is_our_tool("mcp_sightline.todo_write"));
    }
}
