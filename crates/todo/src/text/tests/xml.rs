//! `<todos>` (requirements T2, T7).

use super::{brief, carried, item, items, own_word, text, with, without_given};
use crate::text::{read_xml, write_xml};
use crate::{Item, Status, limits};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

// T7: the form that agents read.
#[test]
fn written() {
    let waiting = Item { waiting: true, ..item("waits") };
    let own = own_word("odd", "on \"hold\"");
    let parent =
        Item { subtasks: vec![item("sub"), with("done", Status::Completed)], ..with("a & <b>", Status::InProgress) };
    let others = [Status::Skipped, Status::Blocked, Status::Cancelled, Status::Unknown].map(|status| with("x", status));
    let mut list = vec![parent, waiting, own, item("two\nlines \u{1b}")];
    list.extend(others);
    let expected = "<todos>\n\
        <todo id=\"1\" status=\"doing\">a &amp; &lt;b&gt;</todo>\n\
        <todo id=\"1.1\" status=\"todo\">sub</todo>\n\
        <todo id=\"1.2\" status=\"done\">done</todo>\n\
        <todo id=\"2\" status=\"waiting\">waits</todo>\n\
        <todo id=\"3\" status=\"on &quot;hold&quot;\">odd</todo>\n\
        <todo id=\"4\" status=\"todo\">two&#10;lines &#27;</todo>\n\
        <todo id=\"5\" status=\"skipped\">x</todo>\n\
        <todo id=\"6\" status=\"blocked\">x</todo>\n\
        <todo id=\"7\" status=\"cancelled\">x</todo>\n\
        <todo id=\"8\" status=\"unknown\">x</todo>\n\
        </todos>";
    assert_eq!(write_xml(&list), expected);
    assert_eq!(write_xml(&[]), "<todos>\n</todos>");
}

// T2: positions, statuses, and what is lenient.
#[rstest]
#[case::empty("<todos>\n</todos>", &[])]
#[case::closed_at_once("so: <todos/>", &[])]
#[case::around("The list <b>now</b>: <todos><todo id=\"1\" status=\"doing\">a</todo></todos> Go on.", &["in_progress a"])]
#[case::waiting("<todos><todo status='Waiting'>a</todo></todos>", &["pending a"])]
#[case::own_word("<todos><todo status=\"on hold\">a</todo></todos>", &["on hold a"])]
#[case::no_status("<todos><todo>a</todo></todos>", &["pending a"])]
#[case::subtasks("<todos><todo id=1>a</todo><todo id=2>b</todo><todo id=1.1>c</todo></todos>", &["pending a", "> pending c", "pending b"])]
#[case::one_id_twice("<todos><todo id=1>a</todo><todo id=1>b</todo><todo id=1.1>c</todo></todos>", &["pending a", "pending b", "> pending c"])]
#[case::case_and_quotes("<TODOS><Todo ID='1' STATUS=done>a</tOdO></ToDos >", &["completed a"])]
#[case::markup("<todos><todo>a < b && c <i>d</i> &lt;e&gt; &nope;</todo></todos>", &["pending a < b && c <i>d</i> <e> &nope;"])]
#[case::cdata("<todos><todo><![CDATA[ </todo> ]]></todo></todos>", &["pending  </todo> "])]
#[case::comments("<todos><!-- <todo>no</todo> --><todo>a<!-- b --></todo></todos>", &["pending a"])]
#[case::lines("<todos><todo>\n   a\n     b\n\n c  d\n</todo></todos>", &["pending a\nb\n\nc  d"])]
fn read(#[case] text: &str, #[case] expected: &[&str]) {
    assert_eq!(brief(&read_xml(text).expect("it is a list")), expected);
}

#[rstest]
#[case::none("no list here", "there is no <todos> element")]
#[case::cut_off("<todos><todo>a</todo>", "there is no </todos>")]
#[case::in_item("<todos><todo>a</todo><todo>b", "there is no </todos>")]
#[case::not_closed("<todos><todo>a</todo><todo>b<todo>c</todo></todos>", "<todo> number 2 is not closed")]
#[case::last_open("<todos><todo>a</todos>", "<todo> number 1 is not closed")]
#[case::empty_content("<todos><todo id=\"1\"> </todo></todos>", "item 1.content is empty")]
#[case::orphan("<todos><todo id=\"1.1\">a</todo></todos>", "has the id 1.1, but no item 1 stands before it")]
#[case::deep(
    "<todos><todo id=\"1\">a</todo><todo id=\"1.1.1\">b</todo></todos>",
    "has the id 1.1.1, but subtasks have none"
)]
#[case::twice("<todos><todos></todos></todos>", "<todos> within <todos>")]
fn refused(#[case] text: &str, #[case] problem: &str) {
    let error = read_xml(text).expect_err("it is no list").to_string();
    assert!(error.contains(problem), "{error}");
}

#[test]
fn attributes_are_fields_and_unknown_ones_are_kept() {
    let text = "<todos><todo id=\"api\" priority=\"HIGH\" category=code depends_on=\"1, 2\" estimated_time='5min' \
                active_form=\"Doing\" risk=\"&lt;low\" risk=\"later\" content=\"other\">a</todo>\
                <todo id=\"2\" priority=\"urgent\">b</todo></todos>";
    let drafts = without_given(read_xml(text).expect("it is a list"));
    assert_eq!(
        json!(drafts),
        json!([
            { "id": "api", "content": "a", "status": "pending", "priority": "high", "category": "code",
              "depends_on": ["1", "2"], "estimate": "5min", "active_form": "Doing",
              "extra": { "risk": "<low" } },
            { "content": "b", "status": "pending", "extra": { "priority": "urgent" } },
        ])
    );
}

#[test]
fn limits_hold() {
    let list =
        |count: usize, content: &str| format!("<todos>{}</todos>", format!("<todo>{content}</todo>").repeat(count));
    assert_eq!(read_xml(&list(limits::ITEMS, "a")).map(|drafts| drafts.len()), Ok(limits::ITEMS));
    let error = |text: &str| read_xml(text).expect_err("it is too large").to_string();
    assert!(error(&list(limits::ITEMS + 1, "a")).starts_with("257 items were sent"));
    assert!(error(&list(1, &"a".repeat(limits::TEXT_CHARS + 1))).contains("has 2001 characters"));
    assert!(error(&list(150, &"é".repeat(1_000))).contains("bytes, it may take"));
    let subtasks = format!("<todos><todo id=1>a</todo>{}</todos>", "<todo id=1.1>b</todo>".repeat(limits::ITEMS + 1));
    assert!(error(&subtasks).contains("one subtask too many"));
}

// Each of these once made a reader of this kind search to the end of the text for every tag.
#[rstest]
#[case("<todo id=\"<todo id=\"")]
#[case("<todo id=\"")]
#[case("<todo ")]
#[case("<!--")]
#[case("<![CDATA[")]
#[case("<")]
#[case("&")]
#[case("<todo a=1 ")]
fn hostile_texts_end(#[case] part: &str) {
    let text = format!("<todos>{}", part.repeat(400_000 / part.len()));
    assert!(read_xml(&text).is_err());
}

proptest! {
    #[test]
    fn agrees(items in items()) {
        let expected = carried(&items, &|item, draft| {
            draft.content.clone_from(&item.content);
            draft.status = item.status;
            draft.status_raw.clone_from(&item.status_raw);
        });
        let written = write_xml(&items);
        prop_assert!(!written.replace('\n', "").contains(char::is_control));
        prop_assert_eq!(written.lines().count(), 2 + crate::list::flat(&items).count());
        prop_assert_eq!(without_given(read_xml(&format!("So far: {written} Go on.")).expect("it was written")), expected);
    }

    #[test]
    fn nothing_panics(before in text(), within in prop::collection::vec(text(), 0..6)) {
        let list = format!("{before}<todos><todo id=\"1\" {}</todos>", within.concat());
        drop(read_xml(&list));
        drop(read_xml(&before));
    }
}
