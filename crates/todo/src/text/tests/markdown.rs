//! Markdown checklists.

use super::{brief, carried, item, items, own_word, text, with, without_given};
use crate::text::{plain, read_markdown, read_steps, write_markdown};
use crate::{Item, Status, limits};
use proptest::prelude::*;
use rstest::rstest;

#[test]
fn written() {
    let own = own_word("g", "on hold");
    let list = [
        Item { subtasks: vec![item("two\nlines"), with("c", Status::Skipped)], ..with("a", Status::InProgress) },
        with("d", Status::Completed),
        with("e", Status::Blocked),
        with("f", Status::Cancelled),
        own,
        with("h", Status::Unknown),
        item("i (blocked)"),
    ];
    let expected = "- [-] a\n  - [ ] two lines\n  - [x] c (skipped)\n- [x] d\n- [ ] e (blocked)\n- [x] f (cancelled)\n\
                    - [ ] g (status: on hold)\n- [ ] h (unknown)\n- [ ] i (blocked) (pending)\n";
    assert_eq!(write_markdown(&list), expected);
    assert_eq!(write_markdown(&[]), "");
}

#[rstest]
#[case::nothing("", &[])]
#[case::marks("- [ ] a\n- [x] b\n- [X] c\n- [-] d\n- [~] e\n", &["pending a", "completed b", "completed c", "in_progress d", "in_progress e"])]
#[case::bullets("* [ ] a\n+ [ ] b\n1. [x] c\n23) [ ] d\n[ ] e\n-[ ] f", &["pending a", "pending b", "completed c", "pending d", "pending e", "pending f"])]
#[case::wide_box("- [  x ] a\n- [  ] b", &["completed a", "pending b"])]
#[case::nested("- [ ] a\n  - [x] b\n    - [ ] c\n\t- [-] d\n- [ ] e", &["pending a", "> completed b", "> pending c", "> in_progress d", "pending e"])]
#[case::by_tabs("1. [ ] a\r\n\t1. [x] b\r\n2. [ ] c\r\n", &["pending a", "> completed b", "pending c"])]
#[case::all_indented("   - [ ] a\n   - [ ] b\n- [ ] c", &["pending a", "pending b", "pending c"])]
#[case::ragged("- [ ] a\n - [ ] b", &["pending a", "pending b"])]
#[case::prose("# Plan\n- [ ] a\n  more of it\n\n- no box\n- [link](x)\n- [ ]\n- []\n- [1] b\n[?] b\n- [ ]c", &["pending a"])]
#[case::fences("```\n- [ ] a\n```\n- [ ] b\n~~~md\n- [ ] c\n```\n~~~\n- [ ] d\n  ````\n- [ ] e", &["pending b", "pending d"])]
#[case::no_fence("``` a ```\n- [ ] b\n    ```\n- [ ] c", &["pending b", "pending c"])]
#[case::status_words("- [x] a (skipped)\n- [ ] b (blocked)\n- [x] c (cancelled)\n- [ ] d (see docs)\n- [ ] (skipped)", &["skipped a", "blocked b", "cancelled c", "pending d (see docs)", "pending (skipped)"])]
#[case::own_mark("- [>] a\n1. [!] b (skipped)", &["> a", "skipped b"])]
#[case::own_word("- [ ] a (status: in review)", &["in review a"])]
fn read(#[case] text: &str, #[case] expected: &[&str]) {
    assert_eq!(brief(&read_markdown(text).expect("it is a list")), expected);
}

#[rstest]
#[case::prose("Fix the parser\nand the tests", &[])]
#[case::boxes("- [x] a\n  - [ ] b\n[ ] c", &["completed a", "> pending b", "pending c"])]
#[case::bullets("Plan:\n- a\n  * b\n• c\n---\n- [link](x)", &["pending a", "> pending b", "pending c", "pending [link](x)"])]
#[case::numbers("1. a\n   1) b\n2. c\n2.5 is no number of a step", &["pending a", "> pending b", "pending c"])]
#[case::mixed("1. [-] a\n2. b (skipped)\n```\n- c\n```", &["in_progress a", "skipped b"])]
fn steps(#[case] text: &str, #[case] expected: &[&str]) {
    assert_eq!(brief(&read_steps(text).expect("it is a list")), expected);
}

#[test]
fn limits_hold() {
    let error = |text: &str| read_markdown(text).expect_err("it is too large").to_string();
    assert_eq!(read_markdown(&"- [ ] a\n".repeat(limits::ITEMS)).map(|drafts| drafts.len()), Ok(limits::ITEMS));
    assert!(error(&"- [ ] a\n".repeat(limits::ITEMS + 1)).starts_with("257 items were sent"));
    assert!(
        error(&format!("- [ ] a\n{}", "  - [ ] b\n".repeat(limits::ITEMS + 1))).contains("item 1.257 is one too many")
    );
    assert!(
        error(&format!("- [ ] {}", "a".repeat(limits::TEXT_CHARS + 1))).contains("item 1.content has 2001 characters")
    );
    assert!(error(&format!("- [ ] {}\n", "é".repeat(1_500)).repeat(100)).contains("bytes, it may take"));
}

proptest! {
    #[test]
    fn agrees(items in items()) {
        let expected = carried(&items, &|item, draft| {
            draft.content = plain(&item.content).trim().to_owned();
            draft.status = item.status;
            draft.status_raw =
                item.status_raw.as_ref().map(|raw| plain(raw).replace('(', "[").replace(')', "]"));
        });
        let written = write_markdown(&items);
        prop_assert_eq!(written.lines().count(), crate::list::flat(&items).count());
        prop_assert_eq!(without_given(read_markdown(&written).expect("it was written")), expected);
    }

    #[test]
    fn nothing_panics(lines in prop::collection::vec(text(), 0..8)) {
        drop(read_markdown(&lines.join("\n- [ ] ")));
    }
}
