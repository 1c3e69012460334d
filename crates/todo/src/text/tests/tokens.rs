//! `<todo>` blocks: what one says (requirement K2; docs/formats/agents.md), and writing them.

use super::stream::{A, tokens};
use super::{brief, carried, item, items, with, without_given};
use crate::text::{Token, write_tokens};
use crate::{Draft, Item, Priority, Status, limits};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

/// The list in a text that is one block.
fn block(text: &str) -> Vec<Draft> {
    match tokens(text.as_bytes(), &[]).as_slice() {
        [Token::Block { drafts, at: 0 }] => without_given(drafts.clone()),
        other => panic!("{text:?} is one block, not {other:?}"),
    }
}

fn problem(text: &str) -> String {
    match tokens(text.as_bytes(), &[]).as_slice() {
        [Token::Broken { at: 0, problem }] => problem.clone(),
        other => panic!("{text:?} is one broken block, not {other:?}"),
    }
}

// K2: statuses, contents, and what is lenient.
#[rstest]
#[case::empty("<todo></todo>", &[])]
#[case::closed_at_once("<todo />", &[])]
#[case::spaced("<todo>\n\n</todo>", &[])]
#[case::statuses(
    "<todo><todo_item>a</todo_item><todo_item status=\"in_progress\">b</todo_item><todo_item status='completed'>c</todo_item>\
     <todo_item status=blocked>d</todo_item><todo_item status=\"skipped\">e</todo_item><todo_item status=\"odd one\">f</todo_item></todo>",
    &["pending a", "in_progress b", "completed c", "blocked d", "skipped e", "odd one f"]
)]
#[case::case("<TODO class=\"x>y\"><Todo_Item STATUS=\"Done\">a</TODO_ITEM></Todo >", &["completed a"])]
#[case::comments("<todo><!-- <todo_item>no</todo_item> --><todo_item>a<!-- not </todo> --></todo_item><!----></todo>", &["pending a"])]
#[case::nested("<todo><todo_item status=done>a\n  <todo_item>b</todo_item>\n  <todo_item>c</todo_item>\n</todo_item></todo>", &["completed a", "> pending b", "> pending c"])]
#[case::text_after("<todo><todo_item>a<todo_item>b</todo_item>c</todo_item></todo>", &["pending a\nc", "> pending b"])]
#[case::markup("<todo><todo_item>a & b < c <i>d</i> x<y </x> &lt;e&gt; &amp; &nope; &</todo_item></todo>", &["pending a & b < c <i>d</i> x<y </x> <e> & &nope; &"])]
#[case::mention("<todo><todo_item>parse <todo> and <todo_list></todo_item></todo>", &["pending parse <todo> and <todo_list>"])]
#[case::cdata("<todo><todo_item><![CDATA[a </todo> <b>&amp;]]></todo_item></todo>", &["pending a </todo> <b>&amp;"])]
#[case::lines("<todo><todo_item>\n    a  b\n      c \n\n\td\n  </todo_item></todo>", &["pending a  b\nc \n\nd"])]
#[case::carriage_returns("<todo><todo_item>a\r\n   b\r\n</todo_item></todo>", &["pending a\nb"])]
#[case::not_closed("<todo><todo_item>a</todo_item><todo_item>b</todo>", &["pending a", "pending b"])]
#[case::ends_of_nothing("<todo><todo_item>a</todo_item></todo_item></todo>", &["pending a"])]
#[case::between("<todo><todo_item>a</todo_item> and then <todo_item>b</todo_item></todo>", &["pending a", "pending b"])]
#[case::open_quote("<todo><todo_item status=\"done>a</todo_item><todo_item status=\"done\">b</todo_item></todo>", &["completed a", "completed b"])]
#[case::quoted_end("<todo><todo_item notes=\"a > b\">c</todo_item></todo>", &["pending c"])]
#[case::quoted_tag("<todo><todo_item notes=\"a <b> c\" status=done>d</todo_item></todo>", &["completed d"])]
#[case::less_at_the_end("<todo><todo_item>a <</todo>", &["pending a <"])]
#[case::apostrophe("<todo><todo_item notes=don't risk=\"a > b\" status=done>a</todo_item></todo>", &["completed a"])]
#[case::content_attribute("<todo><todo_item content=\"a\" status=\"done\"/></todo>", &["completed a"])]
#[case::backticks("<todo>\n<todo_item>run `ls` and ```x</todo_item>\n```\n</todo>", &["pending run `ls` and ```x"])]
fn read(#[case] text: &str, #[case] expected: &[&str]) {
    assert_eq!(brief(&block(text)), expected);
}

// K2: attributes, with values outside the usual ones too.
#[test]
fn attributes() {
    let text = "<todo><todo_item id=7 priority=\"High\" depends_on=\"registration , the API,, 2\" estimated_time=\"15min|45min\" \
                category='debugging' activeForm=\"Doing\" owner=me notes=\"a &quot;b&quot; &#10;\" reason=why description=more \
                risk = \"high\" risk=\"later\" done>a</todo_item>\
                <todo_item priority=\"urgent\" subtasks=\"x\" extra=y active_form=\"first\" activeForm=\"second\">b</todo_item></todo>";
    assert_eq!(
        json!(block(text)),
        json!([
            { "id": "7", "content": "a", "status": "pending", "priority": "high", "depends_on": ["registration", "the API", "2"],
              "estimate": "15min|45min", "category": "debugging", "active_form": "Doing", "owner": "me", "notes": "a \"b\" \n",
              "reason": "why", "description": "more", "extra": { "risk": "high", "done": "" } },
            { "content": "b", "status": "pending", "active_form": "first",
              "extra": { "priority": "urgent", "extra": "y" } },
        ])
    );
}

// K1: what cannot be read is reported, with what to do.
#[rstest]
#[case::empty(
    "<todo><todo_item>a</todo_item><todo_item> </todo_item></todo>",
    "item 2.content is empty; it must be text"
)]
#[case::empty_subtask("<todo><todo_item>a<todo_item/></todo_item></todo>", "item 1.1.content is empty")]
#[case::deep(
    "<todo><todo_item>a<todo_item>b<todo_item>c</todo_item></todo_item></todo_item></todo>",
    "in item 1 the elements are nested too deep"
)]
#[case::unclear(
    "<todo><todo_item>a<todo_item>b</todo_item></todo>",
    "item 1 is not closed; each item ends with </todo_item>"
)]
#[case::cut_off("<todo><todo_item>a</todo_item>", "the block is cut off")]
#[case::in_a_tag("<todo><todo_item sta", "the block is cut off")]
#[case::at_once("<todo>", "the block is cut off")]
#[case::before_the_first("<todo>\n<!-- x --> <todo_i", "the block is cut off")]
#[case::in_a_comment("<todo><!-- x", "the block is cut off")]
fn broken(#[case] text: &str, #[case] expected: &str) {
    let problem = problem(text);
    assert!(problem.contains(expected), "{problem}");
}

#[test]
fn limits_hold() {
    let list =
        |count: usize, item: &str| format!("<todo>{}</todo>", format!("<todo_item>{item}</todo_item>").repeat(count));
    assert_eq!(block(&list(limits::ITEMS, "a")).len(), limits::ITEMS);
    assert_eq!(block(&list(1, &"é".repeat(limits::TEXT_CHARS))).len(), 1);
    assert!(problem(&list(limits::ITEMS + 1, "a")).starts_with("257 items were sent"));
    assert!(
        problem(&list(1, &"a".repeat(limits::TEXT_CHARS + 1)))
            .contains("has 2001 characters, it may have 2000; shorten it")
    );
    let subtasks = "<todo_item>b</todo_item>".repeat(limits::ITEMS + 1);
    assert!(problem(&list(1, &format!("a{subtasks}"))).contains("item 1.257 is one too many"));
    let filled =
        |bytes: usize| format!("<todo><todo_item>a</todo_item><!--{}--></todo>", "-".repeat(bytes - A.len() - 7));
    assert_eq!(block(&filled(limits::LIST_BYTES)).len(), 1);
    assert!(problem(&filled(limits::LIST_BYTES + 1)).contains("the block takes more than 262144 bytes"));
    assert!(problem(&list(200, &"a".repeat(1_500))).contains("the block takes more than 262144 bytes"));
}

#[test]
fn written() {
    let mut parent = item("a < b");
    parent.priority = Some(Priority::High);
    parent.depends_on = vec!["a, b".to_owned(), "2".to_owned()];
    let list = [Item { subtasks: vec![with("sub", Status::Completed)], ..parent }, item("two\nlines")];
    let expected = "<todo>\n\
        <todo_item id=\"t1\" status=\"pending\" priority=\"high\" depends_on=\"a&#44; b,2\">a &lt; b\n  \
        <todo_item id=\"t1\" status=\"completed\">sub</todo_item>\n\
        </todo_item>\n\
        <todo_item id=\"t1\" status=\"pending\">two&#10;lines</todo_item>\n\
        </todo>";
    assert_eq!(write_tokens(&list), expected);
    assert_eq!(write_tokens(&[]), "<todo>\n</todo>");
}

proptest! {
    #[test]
    fn agrees(items in items()) {
        let expected = carried(&items, &|item, draft| {
            *draft = Draft { uid: None, subtasks: Vec::new(), ..Draft::of(item) };
            draft.extra.retain(|key, value| {
                value.is_string() && match key.as_str() {
                    "priority" => item.priority.is_none(),
                    "not a name" | "1st" | "Blocked-By" | "" => false,
                    _ => true,
                }
            });
        });
        let written = write_tokens(&items);
        prop_assert!(!written.replace('\n', "").contains(char::is_control));
        let read = block(&written);
        prop_assert_eq!(&read, &expected);
        let sent = read.iter().map(Draft::sent).collect();
        prop_assert_eq!(without_given(Draft::list(&sent).expect("it was read")), expected);
    }
}
