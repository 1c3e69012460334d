//! Answers of providers, as chunks of ours.

use super::peer::{Act, Peer, events, says};
use super::{answer, asked, hello, models, text};
use crate::model::{Call, Chunk, Cut, Kind, Message, Request, ToolSpec, Usage};
use rstest::rstest;
use serde_json::{Value, json};

fn call(id: &str, tool: &str, args: Value) -> Call {
    Call { id: id.to_owned(), tool: tool.to_owned(), args, signatures: Vec::new() }
}

async fn calls(kind: Kind, body: String) -> Vec<Call> {
    let peer = Peer::new(vec![Act::Reply(200, "", body)]).await;
    let chunks = asked(kind, &peer).await;
    match chunks.last() {
        Some(Ok(Chunk::End { calls, .. })) => calls.clone(),
        other => panic!("the answer should be complete, not {other:?}"),
    }
}

fn pieces(pieces: &[Value]) -> String {
    let frame = |piece: &Value| json!({"choices": [{"delta": {"tool_calls": piece}}]}).to_string();
    let mut frames: Vec<String> = pieces.iter().map(frame).collect();
    frames.push(r#"{"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}"#.to_owned());
    frames.push("[DONE]".to_owned());
    events(&frames.iter().map(String::as_str).collect::<Vec<_>>())
}

#[rstest]
#[case::interleaved(&[
    json!([{"index": 0, "id": "a", "type": "function", "function": {"name": "read", "arguments": ""}}]),
    json!([{"index": 1, "id": "b", "type": "function", "function": {"name": "write", "arguments": "{\"x\""}}]),
    json!([{"index": 0, "function": {"arguments": "{\"path\": "}}, {"index": 1, "function": {"arguments": ": 1}"}}]),
    json!([{"index": 0, "function": {"arguments": "\"ä\"}"}}]),
], &[call("a", "read", json!({"path": "ä"})), call("b", "write", json!({"x": 1}))])]
#[case::out_of_order(&[
    json!([{"index": 1, "id": "b", "function": {"name": "second", "arguments": "{}"}}]),
    json!([{"index": 0, "id": "a", "function": {"name": "first", "arguments": "{}"}}]),
], &[call("a", "first", json!({})), call("b", "second", json!({}))])]
#[case::no_index(&[
    json!([{"id": "a", "function": {"name": "one", "arguments": "{\"a\""}}]),
    json!([{"function": {"arguments": ": 1}"}}]),
    json!([{"id": "b", "function": {"name": "two", "arguments": "{}"}}]),
], &[call("a", "one", json!({"a": 1})), call("b", "two", json!({}))])]
#[case::empty_ids_later(&[
    json!([{"index": 0, "id": "a", "function": {"name": "one", "arguments": "{"}}]),
    json!([{"index": 0, "id": "", "function": {"name": "", "arguments": "}"}}]),
], &[call("a", "one", json!({}))])]
#[case::no_ids_at_all(&[
    json!([{"index": 0, "function": {"name": "one", "arguments": "{}"}}]),
    json!([{"index": 1, "function": {"name": "two", "arguments": "{}"}}]),
], &[call("call", "one", json!({})), call("call-2", "two", json!({}))])]
#[case::far_index(&[
    json!([{"index": 4_294_967_295_u32, "id": "a", "function": {"name": "one", "arguments": "{}"}}]),
], &[call("a", "one", json!({}))])]
#[case::not_json(&[
    json!([{"index": 0, "id": "a", "function": {"name": "one", "arguments": "{\"a\": "}}]),
    json!([{"index": 1, "id": "b", "function": {"name": "two", "arguments": "[1]"}}]),
], &[call("a", "one", json!("{\"a\": ")), call("b", "two", json!("[1]"))])]
#[case::json_within_json(&[
    json!([{"index": 0, "id": "a", "function": {"name": "one", "arguments": "\"{\\\"a\\\": 1}\""}}]),
], &[call("a", "one", json!({"a": 1}))])]
#[case::an_object(&[
    json!([{"index": 0, "id": "a", "function": {"name": "one", "arguments": {"a": 1}}}]),
], &[call("a", "one", json!({"a": 1}))])]
#[case::nothing(&[
    json!([{"index": 0, "id": "a", "function": {"name": "one"}}]),
], &[call("a", "one", json!({}))])]
#[tokio::test]
async fn calls_in_pieces_come_out_whole(#[case] given: &[Value], #[case] expected: &[Call]) {
    assert_eq!(calls(Kind::OpenAi, pieces(given)).await, expected);
}

#[tokio::test]
async fn calls_of_anthropic() {
    let frame = |event: &str, data: Value| format!("event: {event}\ndata: {data}\n\n");
    let block = |index: u32, id: &str, tool: &str, parts: &[&str]| {
        let start = json!({"index": index, "content_block": {"type": "tool_use", "id": id, "name": tool, "input": {}}});
        let mut text = frame("content_block_start", start);
        for part in parts {
            let delta = json!({"index": index, "delta": {"type": "input_json_delta", "partial_json": part}});
            text += &frame("content_block_delta", delta);
        }
        text + &frame("content_block_stop", json!({"index": index}))
    };
    let body = frame("message_start", json!({"message": {"usage": {"input_tokens": 7, "output_tokens": 1}}}))
        + &block(0, "toolu_1", "read", &["{\"pa", "th\": \"a\"}"])
        + &block(1, "toolu_2", "now", &[])
        + &frame("message_delta", json!({"delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}}))
        + &frame("message_stop", json!({}));
    let peer = Peer::new(vec![Act::Reply(200, "", body)]).await;
    let chunks = asked(Kind::Anthropic, &peer).await;
    let calls = vec![call("toolu_1", "read", json!({"path": "a"})), call("toolu_2", "now", json!({}))];
    let usage = Some(Usage { input_tokens: 7, output_tokens: 9, cost: None });
    assert_eq!(chunks, [Ok(Chunk::End { calls, usage, cut: None })]);
}

#[tokio::test]
async fn calls_of_gemini_keep_their_signatures_and_go_back_with_them() {
    let part = |name: &str, signature: Option<&str>| {
        let mut part = json!({"functionCall": {"name": name, "args": {"a": 1}}});
        if let Some(signature) = signature {
            part["thoughtSignature"] = json!(signature);
        }
        part
    };
    let parts = json!([part("read", Some("signed")), part("read", None)]);
    let body = events(&[
        &json!({"candidates": [{"content": {"parts": [{"text": "Hm", "thought": true}]}}]}).to_string(),
        &json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}],
                "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 4}})
        .to_string(),
    ]);
    let peer = Peer::new(vec![Act::Reply(200, "", body.clone()), Act::Reply(200, "", body)]).await;
    let chunks = asked(Kind::Gemini, &peer).await;
    assert_eq!(chunks.first(), Some(&Ok(Chunk::Reasoning("Hm".to_owned()))));
    let Some(Ok(Chunk::End { calls, usage, .. })) = chunks.last() else { panic!("{chunks:?}") };
    assert_eq!(*usage, Some(Usage { input_tokens: 3, output_tokens: 4, cost: None }));
    assert_eq!(calls.len(), 2);
    assert_ne!(calls[0].id, calls[1].id);
    assert_eq!(calls[0].signatures, ["signed"]);

    let result = |call: &Call| Message::ToolResult {
        call_id: call.id.clone(),
        tool: call.tool.clone(),
        text: "done".to_owned(),
        is_error: false,
    };
    let messages = vec![
        Message::User("Read".to_owned()),
        Message::Assistant { text: String::new(), calls: calls.clone() },
        result(&calls[0]),
        result(&calls[1]),
    ];
    let _ = answer(&models(Kind::Gemini, &peer.endpoint()), Request { messages, ..Request::default() }).await;
    let contents = &peer.bodies()[1]["contents"];
    assert_eq!(contents[1]["parts"][0]["thoughtSignature"], "signed", "{contents}");
    assert_eq!(contents[2]["parts"].as_array().map(Vec::len), Some(2), "{contents}");
}

#[tokio::test]
async fn calls_of_ollama() {
    let line = |line: Value| format!("{line}\n");
    let one = |name: &str| json!({"function": {"name": name, "arguments": {"a": 1}}});
    let body = line(json!({"message": {"role": "assistant", "content": "", "thinking": "Hm"}, "done": false}))
        + &line(
            json!({"message": {"role": "assistant", "content": "", "tool_calls": [one("x"), one("y")]}, "done": false}),
        )
        + &line(json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop",
                       "prompt_eval_count": 5, "eval_count": 6}));
    let peer = Peer::new(vec![Act::Reply(200, "", body)]).await;
    let chunks = asked(Kind::Ollama, &peer).await;
    assert_eq!(chunks.first(), Some(&Ok(Chunk::Reasoning("Hm".to_owned()))));
    let Some(Ok(Chunk::End { calls, usage, .. })) = chunks.last() else { panic!("{chunks:?}") };
    assert_eq!(calls.iter().map(|call| call.tool.as_str()).collect::<Vec<_>>(), ["x", "y"]);
    assert_ne!(calls[0].id, calls[1].id);
    assert_eq!(*usage, Some(Usage { input_tokens: 5, output_tokens: 6, cost: None }));
}

#[tokio::test]
async fn text_and_reasoning_are_apart_and_think_blocks_are_text() {
    let delta = |delta: Value| json!({"choices": [{"delta": delta}]}).to_string();
    let body = events(&[
        &delta(json!({"reasoning_content": "First"})),
        &delta(json!({"content": "<think>a</think>"})),
        &delta(json!({"content": "Sö"})),
        r#"{"choices": [{"delta": {}, "finish_reason": "stop"}]}"#,
        r#"{"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 12, "total_tokens": 23, "cost": 0.25}}"#,
        "[DONE]",
    ]);
    let peer = Peer::new(vec![Act::Reply(200, "", body)]).await;
    let usage = Some(Usage { input_tokens: 11, output_tokens: 12, cost: Some(0.25) });
    assert_eq!(
        asked(Kind::OpenAi, &peer).await,
        [
            Ok(Chunk::Reasoning("First".to_owned())),
            Ok(Chunk::Text("<think>a</think>".to_owned())),
            Ok(Chunk::Text("Sö".to_owned())),
            Ok(Chunk::End { calls: Vec::new(), usage, cut: None }),
        ]
    );
}

#[tokio::test]
async fn an_answer_without_the_last_mark_is_complete_when_it_says_why_it_ends() {
    let body = events(&[r#"{"choices": [{"delta": {"content": "yes"}, "finish_reason": "stop"}]}"#]);
    let peer = Peer::new(vec![Act::Reply(200, "", body)]).await;
    let chunks = asked(Kind::OpenAi, &peer).await;
    assert_eq!(text(&chunks), "yes");
    assert_eq!(chunks.last(), Some(&Ok(Chunk::End { calls: Vec::new(), usage: None, cut: None })));
}

#[rstest]
#[case::openai(Kind::OpenAi, events(&[r#"{"choices": [{"delta": {"content": "Half"}, "finish_reason": "length"}]}"#, "[DONE]"]), Cut::Length)]
#[case::openai_without_the_last_mark(Kind::OpenAi, events(&[r#"{"choices": [{"delta": {"content": "Half"}, "finish_reason": "length"}]}"#]), Cut::Length)]
#[case::openai_filter(Kind::OpenAi, events(&[r#"{"choices": [{"delta": {"content": "Half"}, "finish_reason": "content_filter"}]}"#, "[DONE]"]), Cut::Filter)]
#[case::gemini(Kind::Gemini, events(&[r#"{"candidates": [{"content": {"parts": [{"text": "Half"}]}, "finishReason": "MAX_TOKENS"}]}"#]), Cut::Length)]
#[case::ollama(Kind::Ollama, "{\"message\": {\"content\": \"Half\"}}\n{\"message\": {\"content\": \"\"}, \"done\": true, \"done_reason\": \"length\", \"prompt_eval_count\": 1, \"eval_count\": 1}\n".to_owned(), Cut::Length)]
#[tokio::test]
async fn an_answer_that_was_cut_says_so(#[case] kind: Kind, #[case] body: String, #[case] why: Cut) {
    let peer = Peer::new(vec![Act::Reply(200, "", body)]).await;
    let chunks = asked(kind, &peer).await;
    assert_eq!(text(&chunks), "Half");
    assert!(matches!(chunks.last(), Some(Ok(Chunk::End { cut, .. })) if *cut == Some(why)), "{chunks:?}");
}

/// A conversation with everything in it.
fn conversation() -> Request {
    Request {
        system: "Be kind.".to_owned(),
        messages: vec![
            Message::User("Do it".to_owned()),
            Message::Assistant { text: "\n".to_owned(), calls: Vec::new() },
            Message::Assistant {
                text: "On it".to_owned(),
                calls: vec![call("a", "read", json!({"p": 1})), call("b", "read", json!("{oops"))],
            },
            Message::ToolResult { call_id: "a".into(), tool: "read".into(), text: "1".into(), is_error: false },
            Message::ToolResult { call_id: "b".into(), tool: "read".into(), text: "bad".into(), is_error: true },
            Message::System("TODO list updated.".to_owned()),
        ],
        tools: vec![ToolSpec {
            name: "read".to_owned(),
            description: "Reads".to_owned(),
            schema: json!({"type": "object", "properties": {"p": {"type": "number"}}}),
        }],
        json: false,
    }
}

#[rstest]
#[case::openai(Kind::OpenAi, "/messages", json!([
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Do it"},
    {"role": "assistant", "content": "On it", "tool_calls": [
        {"type": "function", "id": "a", "function": {"name": "read", "arguments": "{\"p\":1}"}},
        {"type": "function", "id": "b", "function": {"name": "read", "arguments": "{\"unreadable\":\"{oops\"}"}},
    ]},
    {"role": "tool", "content": "1", "tool_call_id": "a"},
    {"role": "tool", "content": "Error: bad", "tool_call_id": "b"},
    {"role": "system", "content": "TODO list updated."},
]))]
#[case::anthropic(Kind::Anthropic, "/messages", json!([
    {"role": "user", "content": "Do it"},
    {"role": "assistant", "content": [
        {"type": "text", "text": "On it"},
        {"type": "tool_use", "id": "a", "name": "read", "input": {"p": 1}},
        {"type": "tool_use", "id": "b", "name": "read", "input": {"unreadable": "{oops"}},
    ]},
    {"role": "user", "content": [{"type": "tool_result", "content": "1", "tool_use_id": "a"}]},
    {"role": "user", "content": [{"type": "tool_result", "content": "Error: bad", "tool_use_id": "b"}]},
    {"role": "user", "content": "TODO list updated."},
]))]
#[case::ollama(Kind::Ollama, "/messages", json!([
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Do it"},
    {"role": "assistant", "content": "On it", "tool_calls": [
        {"function": {"name": "read", "arguments": {"p": 1}}},
        {"function": {"name": "read", "arguments": {"unreadable": "{oops"}}},
    ]},
    {"role": "tool", "content": "1"},
    {"role": "tool", "content": "Error: bad"},
    {"role": "user", "content": "TODO list updated."},
]))]
#[tokio::test]
async fn a_conversation_as_the_provider_gets_it(#[case] kind: Kind, #[case] place: &str, #[case] expected: Value) {
    let peer = Peer::new(vec![Act::Reply(400, "", "{}".to_owned())]).await;
    let _ = answer(&models(kind, &peer.endpoint()), conversation()).await;
    let body = peer.bodies().remove(0);
    assert_eq!(body.pointer(place), Some(&expected), "{body:#}");
    assert!(body["tools"].to_string().contains("\"read\""), "{body:#}");
}

#[rstest]
#[case::an_effort("qwen3-max")]
#[case::another("my-model-high")]
#[case::with_a_tag("llama3.2:3b")]
#[case::of_somebody("meta/llama-low")]
#[tokio::test]
async fn a_name_is_sent_as_it_is(#[values(Kind::OpenAi, Kind::Ollama)] kind: Kind, #[case] name: &str) {
    let peer = Peer::new(vec![Act::Reply(400, "", "{}".to_owned())]).await;
    let models = models(kind, &peer.endpoint());
    let _ = models.test(&format!("peer:{name}")).await;
    let body = peer.bodies().remove(0);
    assert_eq!(body["model"], name);
    for extra in ["reasoning_effort", "think"] {
        assert!(body.get(extra).is_none(), "{body}");
    }
}

#[tokio::test]
async fn a_test_needs_the_beginning_of_an_answer_only() {
    let peer = Peer::new(vec![says("ok"), Act::Reply(503, "", "{}".to_owned())]).await;
    let models = models(Kind::OpenAi, &peer.endpoint());
    assert_eq!(models.test("peer:m").await, Ok(()));
    assert!(models.test("peer:m").await.is_err(), "nothing is tried again");
    assert_eq!(peer.requests().len(), 2);
    assert_eq!(peer.bodies()[0]["messages"][0]["role"], "user");
    assert_eq!(hello().messages.len(), 1);
}

#[rstest]
#[case::openai(Kind::OpenAi, r#"{"data": [{"id": "b"}, {"id": "a"}]}"#, "GET /v1/models ")]
#[case::anthropic(Kind::Anthropic, r#"{"data": [{"id": "b"}, {"id": "a"}]}"#, "GET /v1/models")]
#[case::gemini(Kind::Gemini, r#"{"models": [{"name": "models/b"}, {"name": "models/a"}]}"#, "GET /v1/models")]
#[case::ollama(Kind::Ollama, r#"{"models": [{"name": "b"}, {"name": "a"}]}"#, "GET /v1/api/tags ")]
#[tokio::test]
async fn the_models_of_a_provider(#[case] kind: Kind, #[case] body: &str, #[case] begin: &str) {
    let peer = Peer::new(vec![Act::Reply(200, "", body.to_owned()), Act::Reply(200, "", "[]".to_owned())]).await;
    let models = models(kind, &peer.endpoint());
    assert_eq!(models.models("peer").await, Ok(vec!["a".to_owned(), "b".to_owned()]));
    assert!(peer.requests()[0].starts_with(begin), "{}", peer.requests()[0]);
    assert!(models.models("peer").await.is_err(), "no list at all");
}
