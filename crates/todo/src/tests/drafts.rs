//! Items that are accepted from a sender, and the errors for others.

use crate::{Draft, Error, FieldSet, Fields, Priority, Status, limits};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};
use smol_str::SmolStr;

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
    assert_eq!(
        Value::Object(draft.fields.extra.clone()),
        json!({ "x-color": {"r": 1} }),
        "unknown keys are kept, our own are not"
    );
}

#[test]
fn an_unknown_status_stays_as_it_was_said() {
    let draft = Draft::list(&json!([{ "content": "a", "status": "Awaiting Review" }])).expect("it is taken").remove(0);
    assert_eq!((draft.status, draft.status_raw.as_deref()), (Status::Unknown, Some("Awaiting Review")));
    let odd = Draft::list(&json!([{ "content": "a", "priority": "urgent" }])).expect("it is taken").remove(0);
    assert_eq!(odd.extra["priority"], json!("urgent"), "a word that is no priority of ours is kept");
}

/// The keys of other agents.
#[rstest]
#[case(json!({"step": "A", "status": "inProgress"}), "A", Status::InProgress)]
#[case(json!({"text": "A", "completed": true}), "A", Status::Completed)]
#[case(json!({"text": "A", "completed": false}), "A", Status::Pending)]
#[case(json!({"title": "A", "status": "not-started"}), "A", Status::Pending)]
#[case(json!({"subject": "A", "status": "open"}), "A", Status::Pending)]
#[case(json!({"task": "A", "done": true}), "A", Status::Completed)]
#[case(json!({"description": "A", "status": "cancelled"}), "A", Status::Cancelled)]
#[case(json!({"content": "A", "status": null}), "A", Status::Pending)]
#[case(json!({"content": null, "title": "A"}), "A", Status::Pending)]
fn other_names(#[case] item: Value, #[case] content: &str, #[case] status: Status) {
    let drafts = Draft::list(&json!([item])).expect("it is accepted");
    assert_eq!((drafts[0].content.as_str(), drafts[0].status), (content, status));
    assert!(drafts[0].extra.is_empty(), "{:?}", drafts[0].extra);
}

#[test]
fn other_names_beside_the_content_are_other_keys() {
    let drafts =
        Draft::list(&json!([{"content": "A", "title": "T", "description": "D", "completed": "no", "status": "done"}]));
    let draft = &drafts.expect("it is accepted")[0];
    assert_eq!((draft.content.as_str(), draft.description.as_deref()), ("A", Some("D")));
    assert_eq!(Value::Object(draft.extra.clone()), json!({"title": "T", "completed": "no"}));
}

#[test]
fn unknown_keys_and_words_are_kept_verbatim() {
    let item = json!({
        "id": 7, "content": "A", "status": "awaiting review", "priority": "urgent", "toolCalls": [{"id": "x", "name": "y"}],
        "metadata": {"deep": [1, null, {"a": "\u{0}"}]}, "blockedBy": [1, "2"], "estimated_time": "30min", "": "empty key"
    });
    let draft = Draft::list(&json!([item])).expect("it is accepted").remove(0);
    assert_eq!((draft.id.as_deref(), draft.status_raw.as_deref()), (Some("7"), Some("awaiting review")));
    assert_eq!(
        (draft.depends_on.as_slice(), draft.estimate.as_deref()),
        (&["1".to_owned(), "2".to_owned()][..], Some("30min"))
    );
    let extra = json!({
        "priority": "urgent", "toolCalls": [{"id": "x", "name": "y"}], "metadata": {"deep": [1, null, {"a": "\u{0}"}]},
        "": "empty key"
    });
    assert_eq!(Value::Object(draft.fields.extra.clone()), extra);
}

fn text() -> impl Strategy<Value = Option<String>> {
    prop::option::of("[a-z\u{e9}<&\"]{1,6}")
}

prop_compose! {
    fn draft()(
        content in "[a-z<&\n ]{0,8}x", id in text(), active_form in text(), category in text(), estimate in text(),
        description in text(), notes in text(), owner in text(), reason in text(), status in 0_usize..7,
        depends_on in prop::collection::vec("[a-z]{1,4}", 0..3), priority in 0_usize..4, deleted in prop::bool::weighted(0.1)
    ) -> Draft {
        const STATUSES: [Status; 7] = [
            Status::Pending, Status::InProgress, Status::Completed, Status::Blocked, Status::Skipped, Status::Cancelled,
            Status::Unknown,
        ];
        let status = if deleted { Status::Cancelled } else { STATUSES[status] };
        let fields = Fields {
            content, active_form, category, estimate, description, notes, owner, reason, depends_on, status,
            status_raw: (status == Status::Unknown).then(|| "on hold".to_owned()),
            priority: [None, Some(Priority::High), Some(Priority::Medium), Some(Priority::Low)][priority],
            ..Fields::default()
        };
        Draft { id: id.map(SmolStr::from), deleted, fields: fields.into(), ..Draft::default() }
    }
}

proptest! {
    #[test]
    fn what_is_sent_is_read_back(mut items in prop::collection::vec(draft(), 0..4), subtasks in prop::collection::vec(draft(), 0..3)) {
        if let Some(first) = items.first_mut() {
            first.subtasks = subtasks;
        }
        let sent = Value::Array(items.iter().map(Draft::sent).collect());
        let mut read = Draft::list(&sent).expect("it is well formed");
        for draft in &mut read {
            draft.given = FieldSet::default();
            draft.subtasks.iter_mut().for_each(|sub| sub.given = FieldSet::default());
        }
        prop_assert_eq!(read, items);
    }
}

#[test]
fn a_list_may_be_a_text_that_holds_it() {
    let todos = json!([
        { "content": "Größe \"messen\"\n", "status": "done", "id": 7, "extra": { "colour": ["red", { "k": 1 }] }, "more": 1.5 },
        { "content": "Rest", "subtasks": [{ "content": "One" }], "dependsOn": ["7"] },
    ]);
    let drafts = Draft::list(&todos).expect("a list");
    assert_eq!((drafts[0].content.as_str(), drafts[0].id.as_deref()), ("Größe \"messen\"\n", Some("7")));
    assert_eq!(Value::Object(drafts[0].extra.clone()), json!({ "colour": ["red", { "k": 1 }], "more": 1.5 }));
    assert_eq!(Draft::list(&Value::String(todos.to_string())), Ok(drafts.clone()));
    // Spaces are not counted, and of one key given twice the last counts.
    let spaces = " ".repeat(limits::LIST_BYTES);
    let text = todos.to_string().replacen("\"status\":", &format!("{spaces}\"status\":\"blocked\",\"status\":"), 1);
    assert_eq!(Draft::list(&Value::String(text)), Ok(drafts));
    for wrong in ["", "[", "{}", "\"[]\""] {
        let error = Draft::list(&wrong.into()).expect_err("no list");
        assert!(error.to_string().contains("must be an array"), "{wrong}: {error}");
    }
    let long = format!("[{{\"content\":\"A\",\"k\":\"{}\"}}]", "x".repeat(limits::LIST_BYTES));
    assert!(matches!(Draft::list(&long.into()), Err(Error::ListTooLarge { .. })));
}
