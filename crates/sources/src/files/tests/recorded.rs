use super::*;
use rstest::rstest;
use serde_json::json;

/// The lists that the scripted model wrote, in our words.
fn written(agent: &str, tool: &str) -> Vec<Value> {
    let calls: Vec<Value> = serde_json::from_str(&recording(&format!("{agent}/calls.json"))).expect("it is JSON");
    let calls = calls.iter().filter(|call| call["tool"] == tool);
    let list = |call: &Value| {
        let items = call["arguments"].get("todos").or(call["arguments"].get("plan")).cloned().unwrap_or_default();
        let items = items.as_array().expect("a list").iter().map(|item| {
            let content = ["content", "step", "description"]
                .into_iter()
                .find_map(|name| item.get(name))
                .expect("it says something");
            let mut said = json!({ "content": content, "status": item["status"] });
            for name in ["id", "priority", "blockedBy"] {
                if let Some(value) = item.get(name) {
                    said[name] = value.clone();
                }
            }
            said
        });
        items.collect::<Value>()
    };
    calls.map(list).collect()
}

#[rstest]
#[case(CODEX, "update_plan", "01a1fba2-0162-7a30-8658-3a5d40048baf", Some("main"), Some("0.169.0"))]
#[case(GEMINI, "write_todos", "034861f8-c0f2-4f1d-a824-c9ac885bbc14", None, None)]
#[case(QWEN, "todo_write", "4b4a46a7-4ef1-46f5-9d24-bcd7ae8dcb8a", Some("main"), Some("0.24.4"))]
#[tokio::test]
async fn a_recording_tells_its_lists(
    #[case] kind: &'static dyn Agent,
    #[case] tool: &str,
    #[case] id: &str,
    #[case] branch: Option<&str>,
    #[case] version: Option<&str>,
) {
    let (name, place) = lines_of(kind);
    let (folder, path) = placed(place, recording(name).as_bytes());
    write(&folder.path().join(".gemini/tmp/project/.project_root"), b"/home/user/project");
    let told = read(kind, &path).await;
    check(&told);
    let expected = written(kind.name(), tool);
    assert_eq!(expected.len(), 6);
    assert_eq!(lists(&told), expected);
    for told in &told {
        assert_eq!(told.run.own_session, id);
        assert_eq!(told.run.parent, None);
        assert_eq!(told.run.folder.as_deref(), Some("/home/user/project"));
        assert_eq!(told.run.branch.as_deref(), branch);
        assert_eq!(told.run.version.as_deref(), version);
    }
    let last = told.last().expect("something is told");
    assert_eq!(last.run.title.as_deref(), Some(PROMPT));
    let mut expected = vec![format!("Prompted: {PROMPT}")];
    let list = |length: usize| format!("{tool} {length}");
    expected.extend([list(4), list(4), "tool".to_owned(), list(4), list(5), list(4), list(4)]);
    if kind == GEMINI {
        // Each message of the model's is written first without its calls, and its tokens are told then.
        let calls = expected.split_off(1);
        expected.extend(calls.into_iter().flat_map(|call| ["Worked".to_owned(), call]));
        expected.push("Worked".to_owned());
    } else {
        expected.push("Rests".to_owned());
    }
    if kind != QWEN {
        expected.insert(0, "Worked".to_owned());
    }
    assert_eq!(story(&told), expected);
}

#[tokio::test]
async fn opencode_tells_the_same() {
    let (_folder, path) = super::opencode::recorded().await;
    let told = read(OPENCODE, &path).await;
    check(&told);
    assert_eq!(lists(&told), written("opencode", "todowrite"));
    let list = |length: usize| format!("todowrite {length}");
    let prompted = format!("Prompted: {PROMPT}");
    let expected =
        [prompted, list(4), list(4), "tool".to_owned(), list(4), list(5), list(4), list(4), "Rests".to_owned()];
    assert_eq!(story(&told), expected);
    let run = &told[0].run;
    assert_eq!(run.own_session, "ses_e045d84c5ffefL0H0bVPlo51s6");
    assert_eq!(run.title.as_deref(), Some("Release checklist"));
    assert_eq!((run.folder.as_deref(), run.version.as_deref()), (Some("/home/user/project"), Some("1.18.33")));
}

#[tokio::test]
async fn times_are_those_of_the_records() {
    let (name, place) = lines_of(CODEX);
    let (_folder, path) = placed(place, recording(name).as_bytes());
    let told = read(CODEX, &path).await;
    let first = told.iter().find(|told| matches!(told.observed, Observed::List { .. })).expect("there are lists");
    assert_eq!(first.at.to_string(), "2026-11-21T01:04:21.025Z", "when the call was answered");
}

#[tokio::test]
async fn what_was_before_a_time_is_left_out() {
    for kind in [CLAUDE, CODEX, GEMINI, QWEN] {
        let (name, place) = lines_of(kind);
        let (_folder, path) = placed(place, recording(name).as_bytes());
        let all = read(kind, &path).await;
        let mut reader = Reader::open(kind, &path).since(all[5].at);
        assert_eq!(rest(&mut reader).await, all[5..]);
    }
}
