//! What is accepted from a sender, and what it is told otherwise.

use crate::{Draft, Error, Priority, Status, limits};
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[case(json!({}), "todos must be an array")]
#[case(json!(["x"]), "todos[0] must be an object")]
#[case(json!([{}]), "todos[0].content is missing")]
#[case(json!([{"content": "a"}, {"content": ""}]), "todos[1].content is empty")]
#[case(json!([{"content": " \n"}]), "todos[0].content is empty")]
#[case(json!([{"content": 5}]), "todos[0].content must be text, not a number")]
#[case(json!([{"content": ["a"]}]), "todos[0].content must be text, not an array")]
#[case(json!([{"content": "a", "status": 1.5, "activeForm": {}}]), "todos[0].activeForm must be text, not an object")]
#[case(json!([{"content": "a", "id": true}]), "todos[0].id must be text, not true or false")]
#[case(json!([{"content": "a", "dependsOn": [[]]}]), "todos[0].dependsOn must hold ids")]
#[case(json!([{"content": "a", "subtasks": "b"}]), "todos[0].subtasks must be an array")]
#[case(json!([{"content": "a", "subtasks": [{"content": "b", "subtasks": [{"content": "c"}]}]}]), "todos[0].subtasks[0].subtasks is too deep")]
fn what_is_wrong_is_said_with_its_place(#[case] sent: Value, #[case] begins: &str) {
    let said = Draft::list(&sent).expect_err("it is refused").to_string();
    assert!(said.starts_with(begins), "{said:?} begins with {begins:?}");
}

#[test]
fn limits_are_checked_on_what_was_sent() {
    let items = |count: usize| Value::Array(vec![json!({ "content": "x" }); count]);
    assert!(Draft::list(&items(limits::ITEMS)).is_ok());
    assert_eq!(Draft::list(&items(limits::ITEMS + 1)), Err(Error::TooManyItems { sent: 257 }));
    let text = |chars: usize| json!([{ "content": "ü".repeat(chars) }]);
    assert!(Draft::list(&text(limits::TEXT_CHARS)).is_ok(), "characters count, not bytes");
    assert!(Draft::list(&text(limits::TEXT_CHARS + 1)).is_err());
    let heavy = Value::Array(vec![json!({ "content": "x".repeat(2_000) }); 200]);
    assert!(matches!(Draft::list(&heavy), Err(Error::ListTooLarge { .. })));
}

#[test]
fn everything_that_is_known_is_read_and_the_rest_is_kept() {
    let sent = json!([{
        "id": 7, "content": "Fix", "status": "doing", "active_form": "Fixing", "priority": "HIGH", "depends_on": "3",
        "estimated_time": "30min", "category": "coding", "reason": "", "x-color": {"r": 1}, "uid": "no uid",
        "origin": "user", "createdAt": "never"
    }]);
    let draft = Draft::list(&sent).expect("it is well formed").remove(0);
    assert_eq!(draft.id.as_deref(), Some("7"));
    assert_eq!(draft.status, Status::InProgress);
    assert_eq!(draft.active_form.as_deref(), Some("Fixing"));
    assert_eq!(draft.priority, Some(Priority::High));
    assert_eq!(draft.depends_on, ["3"]);
    assert_eq!(draft.estimate.as_deref(), Some("30min"));
    assert_eq!(draft.reason, None, "nothing is the same as empty");
    assert_eq!(Value::Object(draft.extra), json!({ "x-color": {"r": 1} }), "unknown keys are kept, our own are not");
}

#[test]
fn an_unknown_status_stays_as_it_was_said() {
    let draft = Draft::list(&json!([{ "content": "a", "status": "Awaiting Review" }])).expect("it is taken").remove(0);
    assert_eq!((draft.status, draft.status_raw.as_deref()), (Status::Unknown, Some("Awaiting Review")));
    let odd = Draft::list(&json!([{ "content": "a", "priority": "urgent" }])).expect("it is taken").remove(0);
    assert_eq!(odd.extra["priority"], json!("urgent"), "a word that is no priority of ours is kept");
}
