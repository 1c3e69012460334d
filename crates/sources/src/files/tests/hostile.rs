//! Whatever stands in a file, nothing breaks and what follows is told.

use super::*;
use agents::{Facts, Transcript};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;
use std::io;

/// Lines that no agent writes.
fn hostile() -> Vec<Vec<u8>> {
    let long = "x".repeat(2_000_000);
    let mut lines = vec![
        b"not JSON".to_vec(),
        b"{\"type\":".to_vec(),
        b"\0\0\0\0".to_vec(),
        b"\xff\xfe{\"type\":\"user\"}".to_vec(),
        b"[1,2,3]".to_vec(),
        b"null".to_vec(),
        "[".repeat(100_000).into_bytes(),
        format!("{{\"a\":{}", "{\"a\":".repeat(5_000)).into_bytes(),
    ];
    let odd = [
        json!(null),
        json!(7),
        json!(-1.5e300),
        json!("\u{0}\u{1b}[31m\u{202e}"),
        json!([[[]]]),
        json!({"a": {}}),
        json!(long),
    ];
    for odd in &odd {
        let records = [
            json!({"type": odd, "timestamp": odd, "payload": odd, "message": odd, "sessionId": odd, "toolCalls": odd}),
            json!({"type": "session_meta", "timestamp": odd, "payload": {"id": odd, "cwd": odd, "git": odd, "source": {"subagent": odd}}}),
            json!({"type": "response_item", "timestamp": odd, "payload": {"type": "function_call", "name": "update_plan", "call_id": "h", "arguments": odd}}),
            json!({"type": "response_item", "timestamp": odd, "payload": {"type": "function_call_output", "call_id": "h", "output": odd}}),
            json!({"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"text": odd}, odd]}}),
            json!({"type": "assistant", "timestamp": odd, "message": {"content": [{"type": "tool_use", "id": "h", "name": "TodoWrite", "input": {"todos": odd}}, odd], "stop_reason": odd,
                "parts": [{"functionCall": {"id": "h", "name": "todo_write", "args": {"todos": [odd]}}}, odd]}}),
            json!({"type": "user", "timestamp": odd, "cwd": odd, "isSidechain": odd, "agentId": odd, "toolUseResult": odd,
                "message": {"content": [{"type": "tool_result", "tool_use_id": "h", "content": odd}, odd], "parts": [{"text": odd}, odd]}}),
            json!({"type": "tool_result", "timestamp": odd, "toolCallResult": odd, "message": {"parts": [{"functionResponse": {"id": "h", "name": odd, "response": odd}}]}}),
            json!({"type": "gemini", "id": odd, "timestamp": odd, "toolCalls": [{"id": odd, "name": "write_todos", "status": "success", "args": {"todos": [odd, {"description": odd, "status": odd}]}}, odd]}),
            json!({"$set": {"messages": [odd, {"type": "user", "content": odd}]}}),
        ];
        lines.extend(records.iter().map(|record| record.to_string().into_bytes()));
    }
    lines
}

#[rstest]
#[tokio::test]
async fn lines_that_no_agent_writes_lose_nothing_else(#[values(CLAUDE, CODEX, GEMINI, QWEN)] kind: &'static dyn Agent) {
    let text = recording(lines_of(kind).0);
    let good = text.lines().map(|line| line.as_bytes().to_vec()).collect::<Vec<_>>();
    // The first says whose it is; between the others stands what is odd.
    let mut odd = hostile().into_iter();
    let mut lines = Vec::new();
    for line in good {
        lines.push(line);
        lines.extend(odd.by_ref().take(5));
    }
    assert_eq!(odd.len(), 0);
    let (_folder, path) = placed(lines_of(kind).1, &[lines.join(&b'\n'), b"\n".to_vec()].concat());
    let mut reader = Reader::open(kind, &path);
    let told = rest(&mut reader).await;
    check(&told);
    let (_folder, path) = placed(lines_of(kind).1, text.as_bytes());
    let expected = lists(&read(kind, &path).await);
    let mut told = lists(&told).into_iter();
    for list in expected {
        assert!(told.any(|told| told == list), "{list} is told, and in its order");
    }
    assert!(reader.passed_over() >= 8);
    assert_eq!(reader.unreadable(), None);
}

#[tokio::test]
async fn a_line_that_is_too_long_is_passed_over() {
    let (name, place) = lines_of(CODEX);
    let text = recording(name);
    let (first, others) = text.split_once('\n').expect("there are lines");
    let long = format!("{{\"type\":\"{}\"}}", "x".repeat(17 * 1024 * 1024));
    let (_folder, path) = placed(place, format!("{first}\n{long}\n{others}").as_bytes());
    let mut reader = Reader::open(CODEX, &path);
    assert_eq!(lists(&rest(&mut reader).await).len(), 6);
    assert_eq!(reader.passed_over(), 1);
}

#[tokio::test]
async fn a_file_of_nothing_that_is_a_record_is_unreadable() {
    let (_folder, path) = placed(lines_of(CODEX).1, b"one\ntwo\n");
    let mut reader = Reader::open(CODEX, &path);
    assert_eq!(rest(&mut reader).await, []);
    assert_eq!(reader.unreadable().as_deref(), Some("none of its lines is a JSON object"));
}

#[tokio::test]
async fn times_only_go_on() {
    let call = |time: &str, i: usize| {
        json!({"type": "gemini", "timestamp": time, "toolCalls": [{"id": i.to_string(), "name": "ls", "status": "success"}]}).to_string()
    };
    let times =
        ["", "2026-11-21T01:00:01Z", "2026-11-21T01:00:01Z", "2026-11-21T00:00:00Z", "never", "2026-11-21T01:00:05Z"];
    let lines = times.iter().enumerate().map(|(i, time)| call(time, i) + "\n").collect::<String>();
    let (_folder, path) = placed(lines_of(GEMINI).1, lines.as_bytes());
    let told = read(GEMINI, &path).await;
    let at = told.iter().map(|told| told.at.as_millisecond() - 1_795_222_801_000).collect::<Vec<_>>();
    assert_eq!(at, [0, 1, 2, 3, 4000], "what came before the first time has none");
    assert_eq!(read(GEMINI, &path).await, told);
}

#[tokio::test]
async fn a_long_file_is_told_piece_by_piece() {
    let line = |i: usize| json!({"type": "gemini", "timestamp": "2026-11-21T01:00:01Z", "toolCalls": [{"id": i, "name": "ls", "status": "success"}]});
    let text = (0..2_000).map(|i| format!("{}\n", line(i))).collect::<String>();
    let (_folder, path) = placed(lines_of(GEMINI).1, text.as_bytes());
    let mut reader = Reader::open(GEMINI, &path);
    let first = reader.look().await.expect("it can be read");
    assert_eq!(first.len(), 500);
    assert_eq!(rest(&mut reader).await.len(), 1_500);
}

/// An agent whose transcripts hang as soon as they are looked at.
#[derive(Debug)]
struct Hanging;

impl Agent for Hanging {
    fn facts(&self) -> &'static Facts {
        const FACTS: Facts = Facts::new("hanging", "Hanging");
        &FACTS
    }

    fn open_transcript(&self, _: &Path) -> Option<Transcript> {
        loop {
            std::thread::park();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_transcript_that_does_not_answer_holds_up_nothing_else() {
    let (_folder, path) = placed("hangs/x.jsonl", b"");
    let mut reader = Reader::open(&Hanging, &path);
    let error = reader.look().await.expect_err("it hangs");
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    // The runtime ends, too, with this test.
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(kind in prop::sample::select(KNOWN.iter().collect::<Vec<_>>()), bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        for name in ["projects/p/x.jsonl", "todos/x.json", "chats/x.json", "opencode.db", "tasks/x/1.json"] {
            let (_folder, path) = placed(name, &bytes);
            let told = runtime.block_on(async { Reader::open(kind, &path).look().await });
            check(&told.expect("it is there"));
        }
    }
}
