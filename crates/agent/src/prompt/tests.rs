//! Rules that each prompt has to contain, for each kind of model.

use super::*;
use rstest::rstest;
use serde_json::json;
use todo::{Change, Draft, List, Stamp, apply};

fn items() -> Vec<Item> {
    let todos = json!([
        { "content": "Read <all>", "status": "completed" },
        { "content": "Fix it", "status": "in_progress", "description": "See the ticket" },
        { "content": "Deploy", "status": "skipped", "reason": "no access" },
    ]);
    let mut uids = 0;
    let mut uid = || {
        uids += 1;
        Uuid::from_u128(uids)
    };
    let change = Change::Replace { caller: "agent".to_owned(), drafts: Draft::list(&todos).expect("it is a list") };
    let mut stamp = Stamp { now: jiff::Timestamp::UNIX_EPOCH, uid: &mut uid };
    apply(&List::default(), change, &mut stamp).expect("it is taken").list.items
}

fn fix() -> Uuid {
    items()[1].uid
}

// T13, G5, K8
#[rstest]
#[case("Complex tasks of three steps or more have a todo list; keep it current")]
#[case("Simple tasks and questions have none")]
#[case("Look at the list as it is before you plan")]
#[case("Work on one item at a time")]
#[case("Complete an item as soon as it is done")]
#[case("Skip it as soon as you know that it cannot be done")]
fn everyone_is_taught(#[case] rule: &str) {
    for voice in [Voice::Tools, Voice::Prose] {
        assert!(system(voice).contains(rule));
    }
}

#[test]
fn each_is_taught_its_own_way() {
    assert!(system(Voice::Tools).contains("todo_manager") && system(Voice::Tools).contains(DONE_TOOL));
    assert!(!system(Voice::Tools).contains("<todo>"));
    let prose = system(Voice::Prose);
    assert!(prose.contains("early in the answer") && !prose.contains("todo_manager"));
    // The example can be read as what it shows.
    let mut tokens = todo::text::Tokens::new();
    let mut found = Vec::new();
    tokens.push(&prose, &mut found);
    tokens.finish(&mut found);
    let drafts = found.iter().find_map(|token| match token {
        todo::text::Token::Block { drafts, .. } => Some(drafts.len()),
        _ => None,
    });
    assert_eq!(drafts, Some(3));
}

// P2
#[test]
fn a_continuation_names_the_task() {
    let text = ask(&Purpose::Continue { item: fix() }, "Build", &items()).expect("it says something");
    assert!(text.starts_with("You have an active task: Fix it\n"), "{text}");
}

// T7
#[test]
fn a_reminder_shows_the_list() {
    let xml = "TODO list updated. Current state:\n<todos>\n<todo id=\"1\" status=\"done\">Read &lt;all&gt;</todo>\n\
               <todo id=\"2\" status=\"doing\">Fix it</todo>\n<todo id=\"3\" status=\"skipped\">Deploy</todo>\n</todos>";
    assert_eq!(reminder(&items()), xml);
}

// T9, T11, T14
#[rstest]
#[case::classify(Purpose::Classify, &["> Build\n> it", "\"complex\""])]
#[case::plan(Purpose::Plan(Grounds::default()), &["> Build", "<todo id=\"1\"", "Item 3 is skipped: no access", "at most 30", "where that is all it takes, there are no steps to add", "\"steps\"", "needsVerification"])]
#[case::plan_again(
    Purpose::Plan(Grounds { reason: Some("untested".to_owned()), suggestions: vec!["Test it".to_owned()], too_long: Some(40) }),
    &["another plan: untested", "- Test it", "40 steps, which is too many"]
)]
#[case::work(Purpose::Work { item: fix() }, &["only on it: Fix it\nSee the ticket", "5 tool calls"])]
#[case::redo(Purpose::Redo { item: fix(), reason: "red".to_owned() }, &["\"Fix it\" is not done yet: red"])]
#[case::verify(Purpose::Verify { item: fix() }, &["Is this item done: Fix it", "\"done\""])]
#[case::validate(Purpose::Validate, &["Is this task complete?", "<todos>", "\"suggestions\""])]
fn each_purpose_says(#[case] purpose: Purpose, #[case] said: &[&str]) {
    let text = ask(&purpose, "Build\nit", &items()).expect("it says something");
    for words in said {
        assert!(text.contains(words), "\"{words}\" in: {text}");
    }
}

#[test]
fn a_prompt_is_passed_on_and_results_stand_alone() {
    assert_eq!(ask(&Purpose::Answer, "What is this?", &[]).as_deref(), Some("What is this?"));
    assert_eq!(ask(&Purpose::GoOn, "What is this?", &items()), None);
}

#[test]
fn an_empty_list_is_said_to_be_so() {
    let text = ask(&Purpose::Plan(Grounds::default()), "Build", &[]).expect("it says something");
    assert!(text.contains("The todo list is empty."));
}

#[test]
fn a_long_item_is_cut_in_a_sentence() {
    let mut items = items();
    items[1].content = "é".repeat(2_000);
    let text = ask(&Purpose::Continue { item: fix() }, "Build", &items).expect("it says something");
    assert!(text.starts_with(&format!("You have an active task: {}…\n", "é".repeat(ITEM_CHARS))));
}
