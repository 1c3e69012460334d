//! `/todo show` (requirements P4, P10).

use super::{brief, carried, item, items, text, with, without_given};
use crate::text::{plain, read_show, show};
use crate::{Item, Priority, Status, limits};
use proptest::prelude::*;
use rstest::rstest;

// P4: the form itself, as its example has it.
#[test]
fn shown_and_read() {
    let mut x = with("Implement feature X", Status::InProgress);
    x.priority = Some(Priority::High);
    let mut sub = item("Write tests");
    sub.priority = Some(Priority::Low);
    let list = [Item { subtasks: vec![sub], ..x }, item("Deploy")];
    let rule = "─".repeat(38);
    let text = format!(
        "Current TODO List:\n{rule}\n1. [IN_PROGRESS] (HIGH) Implement feature X\n   1.1 [PENDING] Write tests\n\n\
         2. [PENDING] Deploy\n{rule}"
    );
    assert_eq!(show(&list).english, text);
    let read = read_show(&text).expect("it was shown");
    assert_eq!(brief(&read), ["in_progress Implement feature X", "> pending Write tests", "pending Deploy"]);
    assert_eq!(read[0].priority, Some(Priority::High));
    assert_eq!(read_show(&text.replace('\n', "\r\n")), Ok(read));
}

#[rstest]
#[case::empty("No active TODOs", &[])]
#[case::nothing("", &[])]
#[case::odd_word("1. [ON HOLD (SEE #3)] a", &["ON HOLD (SEE #3) a"])]
#[case::brackets("1. [PENDING] [x] (low) a", &["pending [x] (low) a"])]
#[case::unknown("1. [UNKNOWN] a", &["unknown a"])]
#[case::subtasks_have_no_priority("1. [PENDING] (HIGH) a\n   1.1 [PENDING] (HIGH) b", &["pending a", "> pending (HIGH) b"])]
#[case::numbers_do_not_matter("7. [PENDING] a\n   3.9 [COMPLETED] b", &["pending a", "> completed b"])]
fn read(#[case] text: &str, #[case] expected: &[&str]) {
    assert_eq!(brief(&read_show(text).expect("it is a list")), expected);
}

#[rstest]
#[case::prose("1. [PENDING] a\nand so on", "line 2 is no item")]
#[case::no_status("1. a", "line 1 is no item")]
#[case::no_number("x. [PENDING] a", "line 1 is no item")]
#[case::orphan("   1.1 [PENDING] a", "line 1 is a subtask before any item")]
#[case::empty_content("1. [PENDING]  ", "item 1.content is empty")]
fn refused(#[case] text: &str, #[case] problem: &str) {
    let error = read_show(text).expect_err("it is no list").to_string();
    assert!(error.contains(problem), "{error}");
}

#[test]
fn limits_hold() {
    let error = |text: &str| read_show(text).expect_err("it is too large").to_string();
    assert!(error(&"1. [PENDING] a\n".repeat(limits::ITEMS + 1)).starts_with("257 items were sent"));
    let subtasks = format!("1. [PENDING] a\n{}", "   1.1 [PENDING] b\n".repeat(limits::ITEMS + 1));
    assert!(error(&subtasks).contains("one subtask too many"));
    assert!(error(&format!("1. [PENDING] {}", "a".repeat(limits::TEXT_CHARS + 1))).contains("has 2001 characters"));
}

/// A content that would be read as a priority.
fn begins_as_priority(items: &[Item]) -> bool {
    items.iter().any(|item| {
        let words = ["(HIGH) ", "(MEDIUM) ", "(LOW) "];
        item.priority.is_none() && words.iter().any(|word| plain(&item.content).starts_with(word))
    })
}

proptest! {
    // P10: show and parse agree in the fields that show carries.
    #[test]
    fn agrees(items in items()) {
        prop_assume!(!begins_as_priority(&items));
        let mut expected = carried(&items, &|item, draft| {
            draft.content = plain(&item.content);
            draft.status = item.status;
            let capitals = |raw: &String| plain(&raw.to_uppercase().replace('[', "(").replace(']', ")"));
            draft.status_raw = item.status_raw.as_ref().map(capitals);
            draft.priority = item.priority;
        });
        expected.iter_mut().flat_map(|draft| &mut draft.subtasks).for_each(|sub| sub.priority = None);
        prop_assert_eq!(without_given(read_show(&show(&items).english).expect("it was shown")), expected);
    }

    #[test]
    fn nothing_panics(text in text(), lines in prop::collection::vec(text(), 0..6)) {
        drop(read_show(&text));
        drop(read_show(&format!("1. [{}", lines.join("\n1.1 ["))));
    }
}
