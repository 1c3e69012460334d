//! Examples of what was said, and that they are read as the lists that they stand for (requirement K6).

use super::{Examples, TrainingSource, lists_in};
use crate::conversation::{Call, Entry, EntryKind};
use jiff::Timestamp;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};
use todo::text::write_tokens;
use todo::{Change, Draft, Item, List, Stamp, apply};
use uuid::Uuid;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).expect("a small number is a time")
}

fn items(todos: &Value) -> Vec<Item> {
    let mut uids = 0;
    let mut uid = || {
        uids += 1;
        Uuid::from_u128(uids)
    };
    let change = Change::Replace { caller: "agent".to_owned(), drafts: Draft::list(todos).expect("it is a list") };
    apply(&List::default(), change, &mut Stamp { now: at(0), uid: &mut uid }).expect("it is taken").list.items
}

fn one(status: &str) -> Vec<Item> {
    items(&json!([{ "content": "Read `a` & <b>", "status": status, "subtasks": [{ "content": "Begin" }] }]))
}

fn user(content: &str) -> EntryKind {
    EntryKind::User { content: content.to_owned() }
}

fn says(text: &str) -> EntryKind {
    let text = text.to_owned();
    EntryKind::Assistant { text, prose: String::new(), source: None, reasoning: String::new(), calls: Vec::new() }
}

/// Entries at the tens of seconds, and lists at their own.
fn told(kinds: Vec<EntryKind>, lists: Vec<(i64, Vec<Item>)>) -> TrainingSource {
    let entry = |(place, kind): (usize, EntryKind)| {
        let place = i64::try_from(place + 1).expect("it is small");
        Entry { seq: place.unsigned_abs(), at: at(10 * place), kind }
    };
    TrainingSource {
        prompt: Some("The first prompt".to_owned()),
        entries: kinds.into_iter().enumerate().map(entry).collect(),
        lists: lists.into_iter().map(|(second, items)| (at(second), items)).collect(),
        unread: 0,
    }
}

fn pairs(examples: &Examples) -> Vec<(Value, String)> {
    let pair = |line: &str| {
        let example: Value = serde_json::from_str(line).expect("a line is JSON");
        (example["prompt"].clone(), example["response"].as_str().expect("a text").to_owned())
    };
    examples.lines.lines().map(pair).collect()
}

/// A block as a model writes it, of the same items.
fn block(items: &[Item]) -> String {
    write_tokens(items).replace(" id=\"1\"", "")
}

#[test]
fn what_was_said_stands_between_the_lists_as_they_were() {
    let (begun, done) = (one("in_progress"), one("completed"));
    let computed = EntryKind::Assistant {
        text: "It is <computed>3</computed>.".to_owned(),
        prose: String::new(),
        source: Some("It is <wat_model>(module)</wat_model><computed>3</computed>.".to_owned()),
        reasoning: "Hm.".to_owned(),
        calls: Vec::new(),
    };
    let call = EntryKind::Tool {
        tool_call_id: "1".to_owned(),
        tool_name: "files__read".to_owned(),
        args: json!({}),
        result: None,
        is_error: false,
        not_made: false,
    };
    let kinds = vec![
        user("Do it"),
        EntryKind::Ask { content: "Plan it".to_owned() },
        says(&format!("I begin. {} And end. {} Done.", block(&begun), block(&done))),
        call,
        computed,
        user("And now?"),
        says("Nothing."),
        user("Then?"),
    ];
    let lists =
        vec![(5, one("pending")), (22, begun.clone()), (28, done.clone()), (55, one("blocked")), (61, Vec::new())];
    let examples = told(kinds, lists).examples();
    let [pending, begun, done, blocked] =
        [one("pending"), begun, done, one("blocked")].map(|items| write_tokens(&items));
    assert_eq!(
        pairs(&examples),
        [
            (Value::Null, pending),
            (
                json!("Do it"),
                format!(
                    "I begin.\n\n{begun}\n\nAnd end.\n\n{done}\n\nDone.\n\n\
                     It is <wat_model>(module)</wat_model><computed>3</computed>.\n\n{blocked}"
                )
            ),
            (json!("And now?"), "Nothing.\n\n<todo>\n</todo>".to_owned()),
        ]
    );
    assert_eq!(examples.left_out, ["1 prompt without an answer", "1 tool call with its result", "1 text of reasoning"]);
    let names = examples.left_out.iter().filter_map(|text| Some(text.named.as_ref()?.name.as_str()));
    assert_eq!(names.collect::<Vec<_>>(), ["lacks_prompts", "lacks_calls", "lacks_reasoning"]);
}

#[test]
fn without_a_conversation_there_are_the_blocks() {
    let lists = vec![(1, Vec::new()), (2, one("pending")), (3, one("pending")), (4, one("completed"))];
    let examples = told(Vec::new(), lists).examples();
    let response = [one("pending"), one("completed")].map(|items| write_tokens(&items)).join("\n\n");
    assert_eq!(pairs(&examples), [(json!("The first prompt"), response)]);
    assert_eq!(examples.left_out, [""; 0]);
}

#[rstest]
#[case::nothing(vec![], vec![])]
#[case::an_empty_list(vec![], vec![(1, Vec::new())])]
#[case::a_prompt(vec![user("Do it")], vec![])]
#[case::a_blank_answer(vec![user("Do it"), says(" \n")], vec![])]
fn what_is_empty_is_left_out(#[case] kinds: Vec<EntryKind>, #[case] lists: Vec<(i64, Vec<Item>)>) {
    let examples = told(kinds, lists).examples();
    assert_eq!(examples.lines, "");
    assert_eq!(examples.left_out, ["everything, since it has neither a list nor an answer"]);
}

#[test]
fn a_tool_that_keeps_the_list_stands_there_as_the_list() {
    let call = Call { id: "1".to_owned(), tool: "todo_write".to_owned(), ..Call::default() };
    let answer = EntryKind::Assistant {
        text: "I write it.".to_owned(),
        prose: String::new(),
        source: None,
        reasoning: String::new(),
        calls: vec![call],
    };
    let made = EntryKind::Tool {
        tool_call_id: "1".to_owned(),
        tool_name: "todo_write".to_owned(),
        args: json!({}),
        result: Some("Updated todos".to_owned()),
        is_error: false,
        not_made: false,
    };
    let examples = told(vec![user("Do it"), answer, made, says("Written.")], vec![(25, one("pending"))]).examples();
    let response = format!("I write it.\n\n{}\n\nWritten.", write_tokens(&one("pending")));
    assert_eq!(pairs(&examples), [(json!("Do it"), response)]);
    assert_eq!(examples.left_out, [""; 0]);
}

// A text that leaves something open, or that would be a list.
#[rstest]
#[case::fence("```\nlet a = 1;")]
#[case::thought("<think>Let me see")]
#[case::module("<wat_model>(module")]
#[case::result("<computed>5")]
fn a_text_that_would_hide_a_list_is_left_out(#[case] text: &str) {
    let kinds = vec![user("Do it"), says(text), EntryKind::Ask { content: "Go on".to_owned() }, says("Done.")];
    let examples = told(kinds, vec![(25, one("pending")), (45, one("completed"))]).examples();
    let [pending, completed] = [one("pending"), one("completed")].map(|items| write_tokens(&items));
    assert_eq!(pairs(&examples), [(json!("Do it"), format!("{pending}\n\nDone.\n\n{completed}"))]);
    assert_eq!(examples.left_out, ["1 text that would hide a list, or be read as one"]);
}

// Half of a block in one answer, half in another.
#[test]
fn texts_that_would_be_a_list_together_are_left_out() {
    let kinds = vec![user("Do it"), says("Write <todo><todo/>"), says("</todo> after it.")];
    let examples = told(kinds, vec![(35, one("pending"))]).examples();
    assert_eq!(pairs(&examples), [(json!("Do it"), write_tokens(&one("pending")))]);
    assert_eq!(examples.left_out, ["2 texts that would hide a list, or be read as one"]);
}

// At its end, what is open in a text may be read as a list.
#[test]
fn texts_that_would_be_a_list_at_the_end_are_left_out() {
    let kinds = vec![says("<todo><todo>"), says("<todo_item>a</todo_item><todo")];
    let examples = told(kinds, vec![(0, one("pending"))]).examples();
    assert_eq!(pairs(&examples), [(json!("The first prompt"), write_tokens(&one("pending")))]);
    assert_eq!(examples.left_out, ["2 texts that would hide a list, or be read as one"]);
}

#[test]
fn a_block_that_changed_nothing_is_left_out_and_its_neighbours_stay_apart() {
    let text = "Write <to<todo><todo_item>Refused</todo_item></todo>do> <todo><todo_item>cut";
    let examples = told(vec![user("Do it"), says(text)], vec![(25, one("pending"))]).examples();
    let [(_, response)] = pairs(&examples).try_into().expect("one example");
    assert_eq!(response, format!("Write <to\n\ndo>\n\n{}", write_tokens(&one("pending"))));
}

fn part() -> impl Strategy<Value = String> {
    let words = [
        "<todo>",
        "</todo>",
        "<todo/>",
        "<todo_item>a</todo_item>",
        "<todo",
        "<to",
        "do>",
        "```",
        "`",
        "~~~",
        "\n",
        "<think>",
        "</think>",
        "<wat_model>",
        "</wat_model>",
        "<computed>",
        "</computed>",
        "<comp",
        "<",
        "a",
        " ",
        "<!--",
        "\"",
    ];
    prop::sample::select(words.to_vec()).prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_response_is_read_as_the_lists_that_it_stands_for(
        answers in prop::collection::vec(prop::collection::vec(part(), 0..12), 0..6),
        times in prop::collection::vec(0_i64..80, 0..6),
    ) {
        let kinds = answers.iter().map(|parts| says(&parts.concat())).collect();
        let mut times = times;
        times.sort_unstable();
        let list = |(nth, second): (usize, i64)| (second, items(&json!([{ "content": if nth % 2 == 0 { "a" } else { "b ``` <think>" } }])));
        let lists: Vec<_> = times.into_iter().enumerate().map(list).collect();
        let expected: Vec<String> = lists.iter().map(|(_, items)| write_tokens(items)).collect();
        let examples = told(kinds, lists).examples();
        let read: Vec<Vec<Draft>> = pairs(&examples).iter().flat_map(|(_, response)| lists_in(response)).collect();
        let expected: Vec<Vec<Draft>> = expected.iter().flat_map(|block| lists_in(block)).collect();
        prop_assert_eq!(read, expected, "{}", examples.lines);
    }
}
