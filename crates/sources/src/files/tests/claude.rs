//! Claude Code was not recorded: these files were made after the documented shapes.

use super::*;
use serde_json::json;
use std::time::{Duration, UNIX_EPOCH};

const SESSION: &str = "5d0c7a3e-1f44-4f0e-9a55-2b7d6f1c0a11";

fn contents(list: &Value) -> Vec<String> {
    let word = |item: &Value, name: &str| item[name].as_str().unwrap_or("?").to_owned();
    let items = list.as_array().expect("a list").iter();
    items.map(|item| format!("{} {} {}", word(item, "id"), word(item, "status"), word(item, "content"))).collect()
}

#[tokio::test]
async fn tasks_are_folded_into_whole_lists() {
    let (name, place) = lines_of(CLAUDE);
    let (_folder, path) = placed(place, recording(name).as_bytes());
    let told = read(CLAUDE, &path).await;
    check(&told);
    let expected = [
        &format!("Prompted: {PROMPT}"),
        "TaskCreate 1",
        "TaskCreate 2",
        "TaskCreate 3",
        "TaskCreate 4",
        "TaskUpdate 4",
        "tool",
        "TaskUpdate 4",
        "TaskUpdate 4",
        "TaskUpdate 4",
        "TaskUpdate 4",
        // There is no such task.
        "Worked",
        "TaskCreate 5",
        "TaskUpdate 5",
        "TaskUpdate 4",
        &format!("read {SECRET}"),
        "tool",
        // The list says what is known.
        "Worked",
        "TaskUpdate 4",
        "TaskUpdate 4",
        "Rests",
        "Prompted: And now the next one.",
        // Long after all was done: a new list.
        "TaskCreate 1",
        "Rests: interrupted",
    ];
    assert_eq!(story(&told), expected);
    let lists = lists(&told);
    let task = |id: &str, content: &str, status: &str| json!({"id": id, "content": content, "status": status, "description": format!("{content}, with care")});
    let mut first = task("1", "Read the release notes", "completed");
    first["activeForm"] = json!("Reading the release notes");
    first["owner"] = json!("me");
    let mut third = task("3", "Run the test suite", "pending");
    third["content"] = json!("Run the unit and integration tests");
    let mut fourth = task("4", "Publish the package", "pending");
    fourth["dependsOn"] = json!(["3", "2"]);
    fourth["metadata"] = json!({"area": "npm"});
    let second = task("2", "Bump the version number", "in_progress");
    assert_eq!(lists[8], json!([first, second, third, fourth]));
    assert_eq!(
        contents(&lists[lists.len() - 2]),
        [
            "1 completed Read the release notes",
            "2 completed Bump the version number",
            "3 completed Run the unit and integration tests",
            "5 completed Write the changelog entry"
        ]
    );
    assert_eq!(contents(&lists[lists.len() - 1]), ["6 pending Plan the next release"]);
    let run = &told.last().expect("it is told").run;
    assert_eq!((run.own_session.as_str(), run.title.as_deref()), (SESSION, Some(PROMPT)));
    assert_eq!((run.branch.as_deref(), run.version.as_deref()), (Some("main"), Some("2.1.329")));
}

#[tokio::test]
async fn a_subagent_is_a_run_of_its_own_wherever_its_records_stand() {
    let text = recording("claude/agent-a1b2c3d.jsonl");
    let beside = format!("projects/-p/{SESSION}/subagents/agent-a1b2c3d.jsonl");
    for place in [&beside, "projects/-p/agent-a1b2c3d.jsonl", &format!("projects/-p/{SESSION}.jsonl")] {
        let (_folder, path) = placed(place, text.as_bytes());
        let told = read(CLAUDE, &path).await;
        check(&told);
        assert_eq!(story(&told), ["Worked", "TodoWrite 2", "Rests"], "{place}");
        for told in told {
            assert_eq!(
                (told.run.own_session.as_str(), told.run.parent.as_deref()),
                ("a1b2c3d", Some(SESSION)),
                "{place}"
            );
            assert_eq!(told.run.title.as_deref(), Some("Look at the tests."));
        }
    }
}

#[tokio::test]
async fn ids_come_from_the_results_or_else_in_the_order_of_the_calls() {
    let call = |id: &str, subject: &str| json!({"type": "tool_use", "id": id, "name": "TaskCreate", "input": {"subject": subject}});
    let result = |id: &str, text: &str| json!({"type": "tool_result", "tool_use_id": id, "content": text});
    let line = |second: u32, kind: &str, content: Value| {
        json!({"type": kind, "timestamp": format!("2026-11-21T01:00:0{second}Z"), "message": {"content": content}})
            .to_string()
            + "\n"
    };
    let text = [
        line(1, "assistant", json!([call("a", "One"), call("b", "Two"), call("c", "Three")])),
        line(2, "user", json!([result("a", "Task #7 created successfully: One"), result("b", "ok")])),
        line(
            3,
            "user",
            json!([{"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "ok"}], "is_error": true}]),
        ),
    ];
    let (_folder, path) = placed("projects/-p/s.jsonl", text.concat().as_bytes());
    let told = read(CLAUDE, &path).await;
    assert_eq!(contents(lists(&told).last().expect("there is one")), ["7 pending One", "8 pending Two"]);
    assert_eq!(story(&told).last().map(String::as_str), Some("Worked"), "what failed made none");
}

fn task(folder: &Path, number: u32, status: &str, second: u64) {
    let task = json!({"id": number.to_string(), "subject": format!("Task {number}"), "description": "", "activeForm": "Doing it",
        "status": status, "blocks": [], "blockedBy": if number == 10 { json!(["2"]) } else { json!([]) }});
    let path = folder.join(format!("{number}.json"));
    write(&path, task.to_string().as_bytes());
    let file = fs::File::options().write(true).open(path).expect("it is there");
    file.set_modified(UNIX_EPOCH + Duration::from_secs(second)).expect("it has a time");
}

#[tokio::test]
async fn a_folder_of_tasks_tells_them_in_order() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("tasks/shared");
    let mut reader = Reader::open(CLAUDE, &folder);
    assert_eq!(rest(&mut reader).await, []);
    task(&folder, 10, "pending", 1_795_000_000);
    task(&folder, 2, "in_progress", 1_795_000_001);
    write(&folder.join(".lock"), b"");
    write(&folder.join(".highwatermark"), b"10");
    let told = rest(&mut reader).await;
    let expected = json!([
        {"id": "2", "content": "Task 2", "activeForm": "Doing it", "status": "in_progress"},
        {"id": "10", "content": "Task 10", "activeForm": "Doing it", "status": "pending", "dependsOn": ["2"]},
    ]);
    assert_eq!(lists(&told), [expected]);
    assert_eq!((told[0].run.own_session.as_str(), told[0].at.as_second()), ("shared", 1_795_000_001));
    write(&folder.join("2.json"), b"{\"id\":\"2\",\"sub");
    assert_eq!(rest(&mut reader).await, [], "it is half written");
    assert!(reader.unreadable().expect("that is said").starts_with("2.json is not JSON"));
    task(&folder, 2, "completed", 1_795_000_002);
    assert_eq!(contents(&lists(&rest(&mut reader).await)[0]), ["2 completed Task 2", "10 pending Task 10"]);
    assert_eq!(reader.unreadable(), None);
    fs::remove_file(folder.join("2.json")).expect("it is removed");
    let told = rest(&mut reader).await;
    assert_eq!(contents(&lists(&told)[0]), ["10 pending Task 10"]);
    fs::remove_file(folder.join("10.json")).expect("it is removed");
    assert_eq!(rest(&mut reader).await, [], "an emptied folder is one that is done with");
    for number in [1, 2, 3] {
        task(&folder, number, "completed", 1_795_000_010);
    }
    assert_eq!(lists(&rest(&mut reader).await)[0].as_array().map(Vec::len), Some(3));
    for number in [3, 1, 2] {
        fs::remove_file(folder.join(format!("{number}.json"))).expect("it is removed");
        assert_eq!(rest(&mut reader).await, [], "one that is looked at while it is emptied is no shorter list");
    }
    task(&folder, 4, "pending", 1_795_000_020);
    assert_eq!(contents(&lists(&rest(&mut reader).await)[0]), ["4 pending Task 4"]);
}

#[tokio::test]
async fn of_a_run_with_a_transcript_its_folder_tells_nothing() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join(format!("tasks/{SESSION}"));
    task(&folder, 1, "pending", 1_795_000_000);
    write(&root.path().join(format!("projects/-p/{SESSION}.jsonl")), b"");
    assert_eq!(read(CLAUDE, &folder).await, []);
    fs::remove_dir_all(root.path().join("projects")).expect("it is removed");
    assert_eq!(lists(&read(CLAUDE, &folder).await).len(), 1);
}
