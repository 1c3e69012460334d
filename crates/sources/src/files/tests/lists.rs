use super::*;
use rstest::rstest;
use serde_json::json;
use std::time::{Duration, UNIX_EPOCH};

/// Replaces a file as an atomic write does: another stands under its name.
fn replace(path: &Path, bytes: &[u8], second: u64) {
    let new = path.with_extension("json.new.tmp");
    write(&new, bytes);
    let file = fs::File::options().write(true).open(&new).expect("it is there");
    file.set_modified(UNIX_EPOCH + Duration::from_secs(second)).expect("it has a time");
    fs::rename(new, path).expect("it is replaced");
}

#[tokio::test]
async fn qwens_list_is_told_at_each_change_where_there_is_no_chat() {
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().join("todos/4b4a46a7-4ef1-46f5-9d24-bcd7ae8dcb8a.json");
    let mut reader = Reader::open(QWEN, &path);
    let mut told = Vec::new();
    for (second, list) in (1_795_000_000..).zip(recording("qwen/todos.jsonl").lines()) {
        replace(&path, list.as_bytes(), second);
        told.extend(rest(&mut reader).await);
    }
    check(&told);
    let (name, place) = lines_of(QWEN);
    let (_folder, chat) = placed(place, recording(name).as_bytes());
    assert_eq!(lists(&told), lists(&read(QWEN, &chat).await), "as the chat has it; call 3 changed nothing");
    assert_eq!(told[2].at.as_second(), 1_795_000_003);
    write(&root.path().join("projects/-p/chats/4b4a46a7-4ef1-46f5-9d24-bcd7ae8dcb8a.jsonl"), b"");
    replace(&path, br#"{"todos":[]}"#, 1_795_000_010);
    assert_eq!(rest(&mut reader).await, [], "the chat tells");
}

#[tokio::test]
async fn what_is_half_written_is_said_and_told_when_it_is_whole() {
    let list = br#"{"todos":[{"id":"1","content":"One","status":"pending"}],"paused":false}"#;
    let (_folder, path) = placed("todos/todo-x.json", &list[..30]);
    let mut reader = Reader::open(LLXPRT, &path);
    assert_eq!(rest(&mut reader).await, []);
    assert!(reader.unreadable().expect("it is said").starts_with("it is not JSON"));
    replace(&path, list, 1_795_000_000);
    assert_eq!(lists(&rest(&mut reader).await), [json!([{"id": "1", "content": "One", "status": "pending"}])]);
    assert_eq!(reader.unreadable(), None);
    replace(&path, b"{\"other\":1}", 1_795_000_001);
    assert_eq!(rest(&mut reader).await, []);
    assert_eq!(reader.unreadable().as_deref(), Some("it has no list \"todos\""));
}

// Made after the documented shape; llxprt was not recorded.
#[rstest]
#[case("todo-5d0c7a3e-1f44-4f0e-9a55-2b7d6f1c0a11.json", "5d0c7a3e-1f44-4f0e-9a55-2b7d6f1c0a11", None)]
#[case(
    "todo-5d0c7a3e-1f44-4f0e-9a55-2b7d6f1c0a11-joiner-2.json",
    "5d0c7a3e-1f44-4f0e-9a55-2b7d6f1c0a11-joiner-2",
    Some("5d0c7a3e-1f44-4f0e-9a55-2b7d6f1c0a11")
)]
#[case("todo-session-one-and-no-more-than-that-at-all.json", "session-one-and-no-more-than-that-at-all", None)]
#[tokio::test]
async fn llxprts_lists_old_and_new(#[case] name: &str, #[case] id: &str, #[case] parent: Option<&str>) {
    let todos = json!([
        {"id": "1", "content": "One", "status": "in_progress", "priority": "high",
         "subtasks": [{"id": "1-1", "content": "Half", "toolCalls": [{"id": "t", "name": "ls", "parameters": {}}]}]},
        {"id": 2, "content": "Two", "status": "pending"},
    ]);
    for text in [todos.to_string(), json!({"todos": todos, "paused": true}).to_string()] {
        let (_folder, path) = placed(&format!("todos/{name}"), b"");
        replace(&path, text.as_bytes(), 1_795_000_000);
        let told = read(LLXPRT, &path).await;
        check(&told);
        let mut expected = todos.clone();
        expected[1]["id"] = json!("2");
        assert_eq!(lists(&told), [expected]);
        assert_eq!((told[0].run.own_session.as_str(), told[0].run.parent.as_deref()), (id, parent));
        assert_eq!(told[0].at.as_second(), 1_795_000_000);
    }
}

#[tokio::test]
async fn an_older_chat_of_geminis_is_one_value() {
    let lines = recording("gemini/chat.jsonl");
    let mut records = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("it is JSON"));
    let mut chat = records.next().expect("a header");
    let mut messages = records.filter(|record| record.get("$set").is_none()).collect::<Vec<_>>();
    let last = messages.split_off(messages.len() - 3);
    chat["messages"] = json!(messages);
    let (_folder, path) = placed(".gemini/tmp/project/chats/session-old.json", chat.to_string().as_bytes());
    let mut reader = Reader::open(GEMINI, &path);
    let mut told = rest(&mut reader).await;
    assert_eq!(lists(&told).len(), 5);
    chat["messages"].as_array_mut().expect("a list").extend(last);
    write(&path, chat.to_string().as_bytes());
    told.extend(rest(&mut reader).await);
    let (_folder, path) = placed(lines_of(GEMINI).1, lines.as_bytes());
    assert_eq!(told, read(GEMINI, &path).await, "what the newer form tells");
}
