//! The tokens in transcripts, in lines as the agents write them (docs/formats/agents.md, "Tokens and models").

use crate::transcript::{Observation, Transcript};
use crate::{Agent, HookPayload};
use protocol::Usage;
use rstest::rstest;
use serde_json::{Value, json};
use std::path::Path;

fn told(agent: &dyn Agent, path: &str, records: &[Value]) -> Vec<Observation> {
    let Some(Transcript::Lines(mut parser) | Transcript::File(mut parser)) = agent.open_transcript(Path::new(path))
    else {
        panic!("{path} is no file with records")
    };
    let mut out = Vec::new();
    let written = "2026-11-24T16:00:00Z".parse().ok();
    records.iter().for_each(|record| parser.record(record, written, &mut out));
    out
}

fn used(agent: &dyn Agent, path: &str, records: &[Value]) -> Usage {
    let told = told(agent, path, records);
    told.last().expect("it is told").run.usage.clone().unwrap_or_default()
}

/// The model, then context, window, input, cached and output; the cost in millionths.
type Numbers = (Option<&'static str>, [Option<u64>; 5], Option<u64>);

fn numbers(usage: &Usage) -> (Option<&str>, [Option<u64>; 5], Option<u64>) {
    let tokens =
        [usage.context_tokens, usage.context_window, usage.input_tokens, usage.cached_tokens, usage.output_tokens];
    (usage.model.as_deref(), tokens, usage.micro_dollars)
}

const AT: &str = "2026-11-24T16:00:00Z";
const CLAUDE: &str = "projects/-p/c8da144e.jsonl";
const CODEX: &str = "sessions/2026/11/21/rollout-2026-11-21T01-04-20-01a1fba2-0162-7a30-8658-3a5d40048baf.jsonl";
const CODEX_ID: &str = "01a1fba2-0162-7a30-8658-3a5d40048baf";

fn claude(id: &str, output: u64, more: &Value) -> Value {
    let usage = json!({"input_tokens": 3, "cache_creation_input_tokens": 1_000, "cache_read_input_tokens": 20_000,
        "output_tokens": output});
    let content = [json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {}})];
    let message = json!({"id": id, "model": "claude-opus-4-5", "content": content, "usage": usage});
    let mut record = json!({"type": "assistant", "timestamp": AT, "sessionId": "c8da144e", "message": message});
    record.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    record
}

fn claude_answered() -> Value {
    let content = json!([{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]);
    json!({"type": "user", "timestamp": AT, "message": {"content": content}})
}

fn codex(more: &[Value]) -> Vec<Value> {
    let record = |kind: &str, payload: Value| json!({"timestamp": AT, "type": kind, "payload": payload});
    let tokens = |input: u64, output: u64| {
        json!({"input_tokens": input, "cached_input_tokens": 4_000, "cache_write_input_tokens": 0,
            "output_tokens": output, "reasoning_output_tokens": 5, "total_tokens": input + output})
    };
    let count = |total: Value| {
        let info = json!({"total_token_usage": total, "last_token_usage": tokens(9_000, 50),
            "last_usage_includes_reasoning": false, "model_context_window": 258_400});
        record("event_msg", json!({"type": "token_count", "info": info, "rate_limits": {}}))
    };
    let mut all = vec![record("session_meta", json!({"id": CODEX_ID, "cwd": "/p"}))];
    all.extend(more.iter().map(|meta| record("session_meta", meta.clone())));
    all.push(record("turn_context", json!({"cwd": "/p", "model": "gpt-5.2-codex"})));
    all.push(record("event_msg", json!({"type": "token_count", "info": null, "rate_limits": {}})));
    all.extend([count(tokens(9_000, 50)), count(tokens(18_000, 100))]);
    all.push(record("event_msg", json!({"type": "task_complete"})));
    all
}

const CLAUDE_ONCE: Numbers =
    (Some("claude-opus-4-5"), [Some(21_003), None, Some(21_003), Some(20_000), Some(80)], None);

#[rstest]
#[case::one_message_on_two_lines(vec![claude("m1", 5, &json!({})), claude("m1", 80, &json!({}))], CLAUDE_ONCE)]
#[case::two_messages(vec![claude("m1", 80, &json!({})), claude("m2", 20, &json!({}))],
    (Some("claude-opus-4-5"), [Some(21_003), None, Some(42_006), Some(40_000), Some(100)], None))]
#[case::a_fork(vec![claude("m0", 9, &json!({"forkedFrom": {"sessionId": "other", "messageUuid": "u"}})),
    claude("m1", 80, &json!({}))], CLAUDE_ONCE)]
#[case::one_that_another_session_asked(vec![claude("m0", 9, &json!({"requestSessionId": "other"})),
    claude("m1", 80, &json!({"requestSessionId": "c8da144e"}))], CLAUDE_ONCE)]
#[case::a_subagent(vec![claude("m1", 80, &json!({})), claude("m2", 9, &json!({"isSidechain": true, "agentId": "a1"}))],
    CLAUDE_ONCE)]
#[case::what_it_says_itself(vec![claude("m1", 80, &json!({})), json!({"type": "assistant", "timestamp": AT,
    "message": {"id": "m2", "model": "<synthetic>", "content": [], "usage": {"input_tokens": 0}}})], CLAUDE_ONCE)]
#[case::nothing(vec![json!({"type": "assistant", "timestamp": AT, "message": {"content": []}})], (None, [None; 5], None))]
fn claude_code(#[case] mut records: Vec<Value>, #[case] expected: Numbers) {
    records.push(claude_answered());
    assert_eq!(numbers(&used(&crate::claude::Claude, CLAUDE, &records)), expected);
}

#[rstest]
#[case::once(&[], [Some(9_050), Some(258_400), Some(18_000), Some(4_000), Some(100)])]
#[case::resumed(&[json!({"id": CODEX_ID})], [Some(9_050), Some(258_400), Some(18_000), Some(4_000), Some(100)])]
#[case::a_fork(&[json!({"id": "another"})], [Some(9_050), Some(258_400), None, None, None])]
fn codex_tells_totals(#[case] more: &[Value], #[case] expected: [Option<u64>; 5]) {
    let usage = used(&crate::codex::Codex, CODEX, &codex(more));
    assert_eq!(numbers(&usage), (Some("gpt-5.2-codex"), expected, None));
}

#[test]
fn a_recorded_rollout_tells_its_model_and_makes_up_no_tokens() {
    let recorded = include_str!("../../../sources/tests/recordings/codex/rollout.jsonl");
    let records: Vec<Value> = recorded.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let usage = used(&crate::codex::Codex, CODEX, &records);
    assert_eq!(usage.input_tokens.or(usage.output_tokens).or(usage.context_tokens), None);
}

#[test]
fn gemini_writes_a_message_twice_and_a_chat_once_more() {
    let tokens = json!({"input": 10_000, "output": 60, "cached": 8_000, "thoughts": 10, "tool": 5, "total": 10_075});
    let message = json!({"id": "m1", "timestamp": AT, "type": "gemini", "model": "gemini-2.5-pro", "tokens": tokens});
    let mut called = message.clone();
    called["toolCalls"] = json!([{"id": "c1", "name": "ls", "status": "success", "timestamp": AT}]);
    let whole = json!({"$set": {"messages": [called]}});
    let header = json!({"sessionId": "s", "startTime": AT});
    let told = told(&crate::gemini::Gemini, "tmp/p/chats/session-1.jsonl", &[header, message, called, whole]);
    let usage = told.last().and_then(|last| last.run.usage.clone()).expect("it is told");
    let tokens = [Some(10_005), None, Some(10_005), Some(8_000), Some(70)];
    assert_eq!(numbers(&usage), (Some("gemini-2.5-pro"), tokens, None));
    assert_eq!(told.len(), 3, "the session, the message and its call");
}

#[test]
fn qwen_code_tells_each_answer() {
    let recorded = include_str!("../../../sources/tests/recordings/qwen/chat.jsonl");
    let records: Vec<Value> = recorded.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let usage = used(&crate::qwen::Qwen, "projects/p/chats/4b4a46a7.jsonl", &records);
    assert_eq!((usage.model.as_deref(), usage.context_window), (Some("kit-model"), None));
    let answers = records.iter().filter(|record| record["type"] == "assistant").map(|record| &record["usageMetadata"]);
    let sum = |name: &str| answers.clone().filter_map(|told| told[name].as_u64()).sum::<u64>();
    assert!(sum("promptTokenCount") > 10_031, "there are several");
    assert_eq!(usage.input_tokens, Some(sum("promptTokenCount")));
    assert_eq!(usage.output_tokens, Some(sum("totalTokenCount") - sum("promptTokenCount")));
}

#[rstest]
#[case(&crate::qwen::Qwen)]
#[case(&crate::pi::Pi)]
fn hooks_may_tell_the_context(#[case] agent: &dyn Agent) {
    let payload = json!({"session_id": "s", "hook_event_name": "Stop", "model": "kit-model", "context_usage": 0.055_315,
        "context_limit": 200_000, "input_tokens": 11_063});
    let heard: HookPayload = agent.read_hook(payload.to_string().as_bytes()).expect("a payload");
    let expected = [Some(11_063), Some(200_000), None, None, None];
    assert_eq!(numbers(&heard.usage.expect("it is told")), (Some("kit-model"), expected, None));
}

#[rstest]
#[case::a_model(json!({"model": "gpt-5.2-codex"}), Some("gpt-5.2-codex"))]
#[case::of_a_subagent(json!({"model": "small", "agent_id": "a1"}), None)]
#[case::no_text(json!({"model": {"id": "x"}}), None)]
#[case::none(json!({}), None)]
fn hooks_tell_the_model(#[case] more: Value, #[case] expected: Option<&str>) {
    let mut payload = json!({"session_id": "s", "hook_event_name": "SessionStart"});
    payload.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    let heard = crate::codex::Codex.read_hook(payload.to_string().as_bytes()).expect("a payload");
    assert_eq!(heard.usage.and_then(|usage| usage.model).as_deref(), expected);
}

#[test]
fn kimi_code_records_each_call() {
    let usage = json!({"inputOther": 100, "output": 13, "inputCacheRead": 2_000, "inputCacheCreation": 6});
    let record = |scope: &str| json!({"type": "usage.record", "agentId": "main", "model": "m", "usage": usage, "usageScope": scope, "time": 2});
    let records = [
        json!({"type": "llm.request", "agentId": "main", "model": "kimi-k2", "modelAlias": "m", "time": 1}),
        record("turn"),
        json!({"type": "token_counting.measured", "agentId": "main", "length": 3, "tokens": 2_119, "time": 3}),
        record("session"),
        json!({"type": "subagent.completed", "usage": {"inputOther": 9_952, "output": 54}, "time": 4}),
        json!({"type": "token_counting.turn_recorded", "agentId": "main", "tokens": 2_152, "time": 5}),
        json!({"type": "turn.ended", "reason": "completed", "time": 6}),
    ];
    let usage = used(&crate::kimi::Kimi, "sessions/w/s1/agents/main/wire.jsonl", &records);
    assert_eq!(numbers(&usage), (Some("kimi-k2"), [Some(2_152), None, Some(4_212), Some(4_000), Some(26)], None));
}

#[test]
fn copilot_tells_its_context_with_calls_and_its_tokens_at_the_end() {
    let event =
        |kind: &str, agent: Value, data: Value| json!({"type": kind, "timestamp": AT, "agentId": agent, "data": data});
    let of = |input: u64| {
        let usage = json!({"inputTokens": input, "outputTokens": 70, "cacheReadTokens": 0, "cacheWriteTokens": 0});
        json!({"modelMetrics": {"gpt-5": {"requests": {"count": 4, "cost": 1.0}, "usage": usage}}})
    };
    let metrics = |tokens: f64| {
        json!({"toolTelemetry": {"metrics": {"context_token_limit": 128_000.0,
        "context_current_tokens": tokens}}, "toolCallId": "c", "model": "gpt-5"})
    };
    let mut records = vec![
        event("session.start", Value::Null, json!({"selectedModel": "gpt-5", "context": {"cwd": "/p"}})),
        event("tool.execution_complete", Value::Null, metrics(10_425.0)),
        event("tool.execution_complete", json!("sub"), metrics(9_000.0)),
    ];
    let read = |records: &[Value]| used(&crate::copilot::Copilot, "session-state/s/events.jsonl", records);
    let so_far = [Some(10_425), Some(128_000), None, None, None];
    assert_eq!(numbers(&read(&records)), (Some("gpt-5"), so_far, None));
    let data =
        json!({"currentModel": "gpt-5", "currentTokens": 10_863, "agentMetrics": {"main": of(21_940), "sub": of(9)}});
    records.push(event("session.shutdown", Value::Null, data));
    let all = [Some(10_863), Some(128_000), Some(21_940), None, Some(70)];
    assert_eq!(numbers(&read(&records)), (Some("gpt-5"), all, None));
}

#[test]
fn cline_tells_each_message_and_may_tell_its_cost() {
    let message = |id: &str, metrics: Value| {
        json!({"id": id, "role": "assistant", "ts": 1_795_543_074_868_u64, "content": [{"type": "text", "text": "y"}],
            "modelInfo": {"id": "m", "provider": "p"}, "metrics": metrics})
    };
    let metrics = |cost: Value| json!({"inputTokens": 1_071, "outputTokens": 12, "cacheReadTokens": 0, "cacheWriteTokens": 0, "cost": cost});
    let one = json!({"messages": [message("a", metrics(Value::Null))]});
    let two = json!({"messages": [message("a", metrics(Value::Null)), message("b", metrics(json!(0.002)))]});
    let path = "sessions/1_a/1_a.messages.json";
    let all = [Some(1_071), None, Some(2_142), None, Some(24)];
    assert_eq!(numbers(&used(&crate::cline::Cline, path, std::slice::from_ref(&one))).2, None);
    assert_eq!(numbers(&used(&crate::cline::Cline, path, &[one, two])), (Some("m"), all, Some(2_000)));
}

#[test]
fn continue_tells_totals_and_their_cost() {
    let usage = json!({"prompt_tokens": 296, "completion_tokens": 3, "total_tokens": 299, "model": "gpt-5"});
    let message = |role: &str| json!({"message": {"role": role, "content": "Words.", "usage": usage}});
    let total = json!({"totalCost": 0.001_212, "promptTokens": 1_122, "completionTokens": 45,
        "promptTokensDetails": {"cachedTokens": 0, "cacheWriteTokens": 0}});
    let form = json!({"sessionId": "s", "history": [message("user"), message("assistant")], "usage": total});
    let usage = used(&crate::continue_cn::Continue, "sessions/s.json", &[form]);
    assert_eq!(numbers(&usage), (Some("gpt-5"), [Some(296), None, Some(1_122), None, Some(45)], Some(1_212)));
}

#[test]
fn vibe_tells_both_in_its_envelope() {
    let usage = |input: u64, output: u64| json!({"cachedInputTokens": 7, "inputTokens": input, "outputTokens": output, "totalTokens": input + output});
    let session = json!({"id": "s", "contextUsage": usage(4_695, 2), "tokenUsage": usage(14_005, 8)});
    let turn = json!({"id": "t", "status": "completed", "completedAt": 1_795_538_653_314_u64});
    let envelope = json!({"op": "set_envelope", "state": {"session": session, "latestTurn": turn}});
    let record = json!({"type": "projection_delta", "payload": {"delta": [envelope]}});
    let path = "logs/session/unified/s/journal/0000000000000001.jsonl";
    let usage = used(&crate::vibe::Vibe, path, &[record]);
    assert_eq!(numbers(&usage), (None, [Some(4_695), None, Some(14_005), Some(7), Some(8)], None));
}
