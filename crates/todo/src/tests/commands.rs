//! Positions, messages and the terminal's forms (requirements P3 to P7).

use super::{World, todos};
use crate::Item;
use crate::text::{SavedList, saved_lists, show};
use rstest::rstest;
use serde_json::json;

// P5
#[rstest]
#[case("1", "Added TODO at position 1: \"x\"", &["x", "A", "B"])]
#[case("2", "Added TODO at position 2: \"x\"", &["A", "x", "B"])]
#[case("3", "Added TODO at position 3: \"x\"", &["A", "B", "x"])]
#[case("last", "Added TODO at position last: \"x\"", &["A", "B", "x"])]
#[case("1.1", "Added TODO at position 1.1: \"x\"", &["A", "x", "B"])]
#[case("2.last", "Added TODO at position 2.last: \"x\"", &["A", "B", "x"])]
#[case(" 02 ", "Added TODO at position 02: \"x\"", &["A", "x", "B"])]
#[case("last.1", "Added TODO at position last.1: \"x\"", &["A", "B", "x"])]
fn adding(#[case] position: &str, #[case] message: &str, #[case] after: &[&str]) {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    assert_eq!(world.add(position, "x").expect("it is accepted").message, message);
    assert_eq!(world.contents(), after);
}

// P5
#[rstest]
#[case("4", "Position 4 out of range (1-3)")]
#[case("3.1", "Parent position 3 does not exist")]
#[case("1.2", "Position 1.2 out of range (1-1)")]
#[case("0", "Position 0 out of range (1-3)")]
#[case("00", "Position 00 out of range (1-3)")]
#[case("1.0", "Position 1.0 out of range (1-1)")]
#[case("0.1", "Parent position 0 does not exist")]
#[case("99999999999999999999.last", "Parent position 99999999999999999999 does not exist")]
#[case("x", "Invalid position format: x. Use 1, 2, last, 1.1, or 1.last")]
#[case("", "Invalid position format: . Use 1, 2, last, 1.1, or 1.last")]
#[case("1.1.1", "Invalid position format: 1.1.1. Use 1, 2, last, 1.1, or 1.last")]
#[case("-1", "Invalid position format: -1. Use 1, 2, last, 1.1, or 1.last")]
#[case("99999999999999999999", "Position 99999999999999999999 out of range (1-3)")]
#[case(&"9".repeat(500), &format!("Position {} out of range (1-3)", "9".repeat(40)))]
fn adding_where_nothing_can_be(#[case] position: &str, #[case] error: &str) {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    assert_eq!(world.add(position, "x").expect_err("it is refused").to_string(), error);
    assert_eq!(world.contents(), ["A", "B"]);
}

// P6
#[rstest]
#[case("2", "Deleted TODO at 2: \"B\"", &["A", "A1", "A2"])]
#[case("last", "Deleted TODO at 2: \"B\"", &["A", "A1", "A2"])]
#[case("1", "Deleted TODO at 1: \"A\" (and 2 subtask(s))", &["B"])]
#[case("1.last", "Deleted subtask at 1.2: \"A2\"", &["A", "A1", "B"])]
fn deleting(#[case] position: &str, #[case] message: &str, #[case] after: &[&str]) {
    let mut world = World::new();
    world.write(
        "agent",
        json!([{"content": "A", "subtasks": [{"content": "A1"}, {"content": "A2"}]}, {"content": "B"}]),
    );
    assert_eq!(world.delete(position).expect("it is there").message, message);
    assert_eq!(world.contents(), after);
}

// P6
#[rstest]
#[case("9", "Position 9 does not exist")]
#[case("0", "Position 0 does not exist")]
#[case("99999999999999999999", "Position 99999999999999999999 does not exist")]
#[case("1.9", "Subtask position 1.9 does not exist")]
#[case("1.0", "Subtask position 1.0 does not exist")]
#[case("3.1", "Parent position 3 does not exist")]
fn deleting_what_is_not_there(#[case] position: &str, #[case] error: &str) {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    assert_eq!(world.delete(position).expect_err("it is refused").to_string(), error);
}

// P3
#[test]
fn clearing_says_the_same_when_there_is_nothing() {
    let mut world = World::new();
    assert_eq!(world.clear().message, "TODO list cleared");
    world.write("agent", todos(&["A"]));
    assert_eq!(world.clear().message, "TODO list cleared");
    assert!(world.list.items.is_empty());
}

// P4
#[test]
fn showing_a_list() {
    let mut world = World::new();
    assert_eq!(show(&world.list.items).english, "No active TODOs");
    let list = json!([
        {"content": "Implement feature X", "status": "in_progress", "priority": "high", "subtasks": [{"content": "Write tests"}]},
        {"content": "Two\nlines \u{1b}[31m", "status": "done"}
    ]);
    world.write("agent", list);
    let rule = "─".repeat(38);
    let expected = format!(
        "Current TODO List:\n{rule}\n1. [IN_PROGRESS] (HIGH) Implement feature X\n   1.1 [PENDING] Write tests\n\n2. [COMPLETED] Two lines  [31m\n{rule}"
    );
    assert_eq!(show(&world.list.items).english, expected);
}

// P7
#[test]
fn showing_saved_lists() {
    assert_eq!(saved_lists(&[]).english, "No saved TODO lists found");
    let mut world = World::new();
    world.write("agent", json!([{"content": "A", "status": "doing"}, {"content": "B"}, {"content": "C"}]));
    let now = world.list.items.clone();
    world.write("agent", json!([{"content": "A", "status": "done"}]));
    let then = world.list.items.clone();
    let list = |number, age, items: &[Item]| SavedList {
        number,
        current: age == 5,
        age,
        whose: if number == 7 { String::new() } else { "codex · api\u{7}".to_owned() },
        items: items.to_vec(),
    };
    let lists = [
        list(3, 5, &now),
        list(4, 59 * 60, &then),
        list(5, 2 * 3600, &then),
        list(6, 25 * 3600, &[]),
        list(7, 72 * 3600, &then),
    ];
    let rule = "─".repeat(52);
    let expected = format!(
        "Saved TODO Lists:\n{rule}\n3. [CURRENT SESSION] 3 items (1 in_progress, 2 pending) │ codex · api \n   → \"A\"\n\n\
         4. Just now │ 1 item (1 completed) │ codex · api \n   → \"A\"\n\n\
         5. 2 hours ago │ 1 item (1 completed) │ codex · api \n   → \"A\"\n\n\
         6. 1 day ago │ 0 items │ codex · api \n   → \"(empty)\"\n\n7. 3 days ago │ 1 item (1 completed)\n   → \"A\"\n{rule}"
    );
    assert_eq!(saved_lists(&lists).english, expected);
}
