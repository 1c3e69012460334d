use super::*;
use rstest::rstest;
use serde_json::json;

async fn told_of(records: &[Value]) -> Vec<Observation> {
    let lines = records.iter().enumerate().map(|(i, record)| {
        let mut record = record.clone();
        record["timestamp"] = json!(format!("2026-11-21T01:00:{i:02}.000Z"));
        format!("{record}\n")
    });
    let (_folder, path) = placed(
        "rollout-2026-11-21T01-00-00-01a1fba2-0162-7a30-8658-3a5d40048baf.jsonl",
        lines.collect::<String>().as_bytes(),
    );
    let told = read(CODEX, &path).await;
    check(&told);
    told
}

fn item(payload: &Value) -> Value {
    json!({"type": "response_item", "payload": payload})
}

fn script(input: &str, output: &str) -> [Value; 2] {
    [
        item(&json!({"type": "custom_tool_call", "name": "exec", "call_id": "c", "input": input})),
        item(&json!({"type": "custom_tool_call_output", "call_id": "c", "output": output})),
    ]
}

#[rstest]
#[case(r#"await tools.update_plan({"plan":[{"step":"One","status":"pending"}]});"#, "ok", &["update_plan 1"])]
#[case(r#"const p = await tools.update_plan( {"plan":[{"step":"a) b","status":"pending"}]} ); text(p)"#, "ok", &["update_plan 1"])]
#[case(r#"await tools.update_plan({"plan":[]}); await tools.exec_command({"cmd":"ls"})"#, "ok", &["update_plan 0", "tool"])]
#[case(r#"await tools.update_plan({"plan":[{"step":"One"}]}); await tools.update_plan({"plan":[]})"#, "ok", &["update_plan 0"])]
#[case(r#"await tools.update_plan({"plan":[{"step":"One"}]})"#, "Script failed: no", &[])]
#[case("await tools.update_plan({plan:[{step:\"One\"}]})", "ok", &[])]
#[case(r#"await tools.update_plan({"plan":[]} as Plan)"#, "ok", &[])]
#[case("await tools.update_plan(", "ok", &[])]
#[case("text('hello')", "ok", &["tool"])]
#[tokio::test]
async fn a_plan_in_a_script_is_taken_where_it_is_plain(
    #[case] input: &str,
    #[case] output: &str,
    #[case] expected: &[&str],
) {
    assert_eq!(story(&told_of(&script(input, output)).await), expected);
}

#[tokio::test]
async fn results_of_ours_name_the_session_and_no_others_do() {
    let named = format!("Wall time: 0.1\nOutput:\n{LINE}");
    let call = |namespace: &str, name: &str, output: Value| {
        [
            item(
                &json!({"type": "function_call", "namespace": namespace, "name": name, "arguments": "{}", "call_id": name}),
            ),
            item(&json!({"type": "function_call_output", "call_id": name, "output": output})),
        ]
    };
    let records = [
        call("mcp__sightline", "todo_write", json!(named)),
        call("", "mcp__sightline__todo_read", json!([{"type": "input_text", "text": named}])),
        call("", "exec_command", json!(named)),
        call("mcp__other", "read", json!(named)),
        call("", "update_plan", json!("update_plan is a TODO/checklist tool and is not allowed in Plan mode")),
    ];
    let read = format!("read {SECRET}");
    assert_eq!(story(&told_of(&records.concat()).await), [read.as_str(), &read, "tool", "tool", "Worked"]);
}

#[rstest]
#[case(json!({"id": "me", "source": {"subagent": {"thread_spawn": {"parent_thread_id": "them", "depth": 1}}}}), Some("them"))]
#[case(json!({"id": "me", "source": "exec", "thread_source": "subagent", "parent_thread_id": "them"}), Some("them"))]
#[case(json!({"id": "me", "source": {"subagent": "review"}}), None)]
#[case(json!({"id": "me", "source": "cli", "forked_from_id": "them"}), None)]
#[tokio::test]
async fn a_subagent_says_whose_it_is(#[case] meta: Value, #[case] parent: Option<&str>) {
    let told = told_of(&[
        json!({"type": "session_meta", "payload": meta}),
        json!({"type": "session_meta", "payload": {"id": "origin"}}),
    ])
    .await;
    assert_eq!(told.len(), 1, "the second is its origin's");
    assert_eq!((told[0].run.own_session.as_str(), told[0].run.parent.as_deref()), ("me", parent));
}

#[tokio::test]
async fn prompts_are_the_users_words() {
    let message = |text: &str| {
        item(&json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}))
    };
    let mut records = [
        "<environment_context>\n</environment_context>",
        "# AGENTS.md instructions for /home/user/project\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>",
        "# Context from my IDE setup:\n\n## My request for Codex:\nMend it.\n",
        "<b>Bold</b> words",
    ]
    .map(message)
    .to_vec();
    records.push(json!({"type": "event_msg", "payload": {"type": "turn_aborted", "reason": "interrupted"}}));
    let told = told_of(&records).await;
    assert_eq!(story(&told), ["Prompted: Mend it.", "Prompted: <b>Bold</b> words", "Rests: interrupted"]);
    assert_eq!(told[1].run.title.as_deref(), Some("Mend it."));
    assert_eq!(told[1].run.own_session, "01a1fba2-0162-7a30-8658-3a5d40048baf", "as the name says");
}
