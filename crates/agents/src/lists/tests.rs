use super::*;
use crate::Agent;
use rstest::rstest;
use serde_json::json;
use std::fs;
use std::path::Path;

const CLAUDE: &dyn Agent = &crate::claude::Claude;
const CODEX: &dyn Agent = &crate::codex::Codex;
const GEMINI: &dyn Agent = &crate::gemini::Gemini;
const OPENCODE: &dyn Agent = &crate::opencode::OPENCODE;
const QWEN: &dyn Agent = &crate::qwen::Qwen;
const LLXPRT: &dyn Agent = &crate::llxprt::Llxprt;

fn recorded(agent: &str, file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/tests/recordings").join(agent).join(file);
    fs::read_to_string(path).expect("the recording is there")
}

#[rstest]
#[case(CODEX, "update_plan", "plan", "step")]
#[case(GEMINI, "write_todos", "todos", "description")]
#[case(QWEN, "todo_write", "todos", "content")]
fn recorded_hooks_say_the_lists(
    #[case] kind: &'static dyn Agent,
    #[case] tool: &'static str,
    #[case] list: &str,
    #[case] content: &str,
) {
    let calls: Vec<Value> = serde_json::from_str(&recorded(kind.name(), "calls.json")).expect("it is JSON");
    let hooks = recorded(kind.name(), "hooks.jsonl");
    let hooks = hooks.lines().map(|line| serde_json::from_str::<Value>(line).expect("it is JSON")).collect::<Vec<_>>();
    assert_eq!(hooks.len(), 7);
    for (hook, call) in hooks.iter().zip(&calls) {
        let listed =
            kind.list_written(hook["tool_name"].as_str().expect("a tool"), &hook["tool_input"], &hook["tool_response"]);
        if call["tool"] != tool {
            assert_eq!(listed, None, "another tool");
            continue;
        }
        let Some(ListWritten { tool: by, todos, is_part: false }) = listed else { panic!("it says a list: {hook}") };
        assert_eq!(by, tool);
        let said = call["arguments"][list].as_array().expect("a list");
        assert_eq!(todos.as_array().map(Vec::len), Some(said.len()));
        for (item, said) in todos.as_array().into_iter().flatten().zip(said) {
            assert_eq!((&item["content"], &item["status"]), (&said[content], &said["status"]));
            assert_eq!((item.get("id"), item.get("blockedBy")), (said.get("id"), said.get("blockedBy")));
        }
        todo::Draft::list(&todos).expect("it can be taken");
    }
}

#[rstest]
#[case(json!({"subject": "One", "description": "All", "activeForm": "Doing"}), json!({"task": {"id": "7", "subject": "One"}}),
    Some(json!([{"id": "7", "content": "One", "status": "pending", "description": "All", "activeForm": "Doing"}])))]
#[case(json!({"subject": "One"}), json!("Task #12 created successfully: One"), Some(json!([{"id": "12", "content": "One", "status": "pending"}])))]
#[case(json!({"subject": "One"}), json!([{"type": "text", "text": "Task #3 created"}]), Some(json!([{"id": "3", "content": "One", "status": "pending"}])))]
#[case(json!({"subject": "One"}), json!("done"), None)]
#[case(json!({"subject": "One"}), json!({"error": "no"}), None)]
fn a_new_task_is_a_part(#[case] input: Value, #[case] response: Value, #[case] expected: Option<Value>) {
    let expected = expected.map(|todos| ListWritten { tool: "TaskCreate", todos, is_part: true });
    assert_eq!(CLAUDE.list_written("TaskCreate", &input, &response), expected);
}

#[rstest]
#[case(json!({"taskId": "7", "status": "completed"}), json!({"success": true}), Some(json!([{"id": "7", "status": "completed"}])))]
#[case(json!({"taskId": 7, "owner": "me", "addBlocks": ["8"]}), json!(null), Some(json!([{"id": "7", "owner": "me"}])))]
#[case(json!({"taskId": "7", "status": "deleted"}), json!({"success": true}), Some(json!([{"id": "7", "status": "deleted"}])))]
#[case(json!({"taskId": "7", "status": "completed"}), json!({"success": false, "error": "Task not found"}), None)]
#[case(json!({"status": "completed"}), json!({"success": true}), None)]
fn a_changed_task_is_a_part(#[case] input: Value, #[case] response: Value, #[case] expected: Option<Value>) {
    let expected = expected.map(|todos| ListWritten { tool: "TaskUpdate", todos, is_part: true });
    assert_eq!(CLAUDE.list_written("TaskUpdate", &input, &response), expected);
    if let Some(ListWritten { todos, .. }) = expected {
        let drafts = todo::Draft::part(&todos).expect("it can be taken");
        assert_eq!(drafts[0].deleted, input["status"] == "deleted");
    }
}

#[rstest]
#[case(CLAUDE, "TodoWrite", json!({"oldTodos": [], "newTodos": []}), true)]
#[case(CLAUDE, "todo_write", json!(null), false)]
#[case(CLAUDE, "mcp__sightline__todo_write", json!(null), false)]
#[case(QWEN, "mcp__sightline__todo_write", json!(null), false)]
#[case(QWEN, "todo_write", json!({"llmContent": "x", "error": {"message": "no"}}), false)]
#[case(GEMINI, "write_todos", json!({"llmContent": "x", "error": {"message": "no"}}), false)]
#[case(GEMINI, "write_todos", json!({"llmContent": "x", "error": null}), true)]
#[case(OPENCODE, "todowrite", json!("[]"), true)]
#[case(OPENCODE, "todowrite", json!("Error: no"), false)]
#[case(LLXPRT, "todo_write", json!(null), true)]
fn only_the_lists_own_tools_that_did_not_fail(
    #[case] kind: &'static dyn Agent,
    #[case] tool: &str,
    #[case] response: Value,
    #[case] says: bool,
) {
    let listed = kind.list_written(tool, &json!({"todos": [{"content": "One", "description": "Two"}]}), &response);
    assert_eq!(listed.is_some(), says);
}

#[rstest]
#[case(CLAUDE, "mcp__sightline__todo_write", true)]
#[case(GEMINI, "mcp_sightline_todo_read", true)]
#[case(CODEX, "mcp__sightline__todo_manager", true)]
#[case(OPENCODE, "sightline_todo_write", true)]
#[case(OPENCODE, "todowrite", false)]
#[case(OPENCODE, "_todo_write", false)]
#[case(QWEN, "todo_write", false)]
#[case(CLAUDE, "sightline_todo_write", true)]
#[case(CLAUDE, "sightline-todo_write", true)]
#[case(CLAUDE, "sightlinetodo_write", false)]
#[case(CLAUDE, "insightline_todo_write", false)]
#[case(CLAUDE, "mcp__other__todo_write", false)]
#[case(CLAUDE, "mcp__sightline__todo_write_all", false)]
fn tools_of_ours(#[case] kind: &'static dyn Agent, #[case] tool: &str, #[case] ours: bool) {
    assert_eq!(kind.is_our_tool(tool), ours);
}

#[test]
fn a_list_is_made_to_fit() {
    let long = "ä".repeat(3_000);
    let items = vec![
        json!(7),
        json!({"content": " \u{1b} "}),
        json!({"status": "pending"}),
        json!({"id": 3, "content": long, "status": 7, "owner": {}, "activeForm": long, "priority": [], "dependsOn": [1, {}, "x"], "uid": "u"}),
        json!({"content": "Two", "subtasks": [{"content": "Half", "subtasks": []}, 7], "blockedBy": "x", "more": {"a": 1}}),
    ];
    let fitted = fit(items);
    let cut = "ä".repeat(1_999) + "…";
    let expected = json!([
        {"id": "3", "content": cut, "activeForm": cut, "dependsOn": ["1", "x"]},
        {"content": "Two", "subtasks": [{"content": "Half"}], "more": {"a": 1}},
    ]);
    assert_eq!(fitted, expected);
}

#[test]
fn a_list_that_is_too_large_is_shortened() {
    let item = |i: usize| json!({"id": i, "content": "数".repeat(2_000), "description": "x".repeat(2_000), "more": "y".repeat(9_000), "dependsOn": vec![i; 200]});
    let fitted = fit((0..1_000).map(item).collect());
    let drafts = todo::Draft::list(&fitted).expect("it can be taken");
    assert_eq!(drafts.len(), 256);
    assert_eq!(drafts[9].content.chars().count(), 200);
    let huge = json!({"content": "One", "more": "y".repeat(2_000_000)});
    assert_eq!(fit(vec![huge]), json!([{"content": "One"}]));
}
