//! Requests as they are asked here, and the answers that their agent gets.

use super::Asked;
use crate::message::{Elicitation, Permission, ToolCall};
use protocol::PermissionDecided;
use rstest::rstest;
use serde_json::{Value, json};

fn permission(call: &Value, options: &[(&str, &str)], before: Option<&Value>) -> Option<Asked> {
    let options: Vec<Value> =
        options.iter().map(|(id, kind)| json!({ "optionId": id, "name": id.to_uppercase(), "kind": kind })).collect();
    let params = json!({ "sessionId": "s", "toolCall": call, "options": options }).to_string();
    let asked: Permission<'_> = serde_json::from_str(&params).expect("a request");
    let call: ToolCall = serde_json::from_str(asked.tool_call.get()).expect("a call");
    let before: Option<ToolCall> = before.map(|it| serde_json::from_value(it.clone()).expect("a call"));
    Asked::permission("7", &asked, &call, before.as_ref())
}

fn decided(allowed: bool, answers: &[&[&str]]) -> PermissionDecided {
    let words = |answers: &&[&str]| answers.iter().map(|&word| word.to_owned()).collect();
    PermissionDecided { allowed: Some(allowed), answers: answers.iter().map(words).collect(), message: None }
}

fn selected(id: &str) -> Option<Value> {
    Some(json!({ "outcome": { "outcome": "selected", "optionId": id } }))
}

const USUAL: [(&str, &str); 4] =
    [("always", "allow_always"), ("once", "allow_once"), ("never", "reject_always"), ("no", "reject_once")];

#[rstest]
#[case::all_four(&USUAL, "once", "no")]
#[case::two(&[("once", "allow_once"), ("no", "reject_once")], "once", "no")]
#[case::refused_for_good(&[("once", "allow_once"), ("never", "reject_always")], "once", "never")]
fn allow_is_once_and_never_more(#[case] options: &[(&str, &str)], #[case] allow: &str, #[case] reject: &str) {
    let asked = permission(&json!({ "toolCallId": "c", "title": "bash" }), options, None).expect("it is asked here");
    assert!(asked.ask.questions.is_empty());
    assert_eq!(asked.result(&decided(true, &[])), selected(allow));
    assert_eq!(asked.result(&decided(false, &[])), selected(reject));
    assert_eq!(asked.result(&PermissionDecided::default()), None);
}

#[rstest]
#[case::nothing(&[])]
#[case::no_way_to_refuse(&[("once", "allow_once")])]
#[case::nothing_but_no(&[("no", "reject_once")])]
fn what_has_no_exact_answer_the_editor_asks_alone(#[case] options: &[(&str, &str)]) {
    assert_eq!(permission(&json!({ "toolCallId": "c", "title": "bash" }), options, None), None);
}

#[rstest]
#[case::only_for_good(&[("always", "allow_always"), ("no", "reject_once")], "ALWAYS", "always")]
#[case::several(&[("a", "allow_once"), ("b", "allow_once"), ("no", "reject_once")], "B", "b")]
#[case::a_kind_of_tomorrow(&[("a", "allow_once"), ("b", "allow_till_noon"), ("no", "reject_once")], "B", "b")]
fn other_options_are_chosen_by_their_words(#[case] options: &[(&str, &str)], #[case] word: &str, #[case] id: &str) {
    let asked = permission(&json!({ "toolCallId": "c", "title": "Ready?" }), options, None).expect("it is asked here");
    assert_eq!((asked.ask.questions[0].text.as_str(), asked.ask.questions.len()), ("Ready?", 1));
    assert_eq!(asked.result(&decided(true, &[&[word]])), selected(id));
    assert_eq!(asked.result(&decided(true, &[&["Something else"]])), None);
    assert_eq!(asked.result(&decided(false, &[])), selected("no"));
}

#[rstest]
#[case::a_name(json!({ "title": "bash", "kind": "execute", "rawInput": { "command": "ls" } }), None, "bash", Some(r#"{"command":"ls"}"#))]
#[case::words(json!({ "title": "Run ls", "kind": "execute", "rawInput": { "command": "ls" } }), None, "execute", Some(r#"{"command":"ls"}"#))]
#[case::no_kind(json!({ "title": "Run\nls", "kind": "other" }), None, "Run ls", None)]
#[case::nothing(json!({}), None, "tool", None)]
#[case::told_before(json!({ "title": "ls" }), Some(json!({ "title": "bash", "rawInput": { "command": "ls" } })), "bash", Some(r#"{"command":"ls"}"#))]
#[case::no_arguments(json!({ "title": "edit", "rawInput": {} }), None, "edit", None)]
fn a_call_is_asked_about_whole(
    #[case] mut call: Value,
    #[case] before: Option<Value>,
    #[case] tool: &str,
    #[case] input: Option<&str>,
) {
    call["toolCallId"] = "c".into();
    let before = before.map(|mut before| {
        before["toolCallId"] = "c".into();
        before
    });
    let asked = permission(&call, &USUAL, before.as_ref()).expect("it is asked here");
    assert_eq!(asked.ask.tool, tool);
    // Without arguments all that is told of the call is shown.
    assert_eq!(asked.ask.input, input.map_or_else(|| call.to_string(), str::to_owned));
}

fn form(properties: &Value, required: &[&str]) -> Option<Asked> {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let params =
        json!({ "sessionId": "s", "mode": "form", "message": "Which one?", "requestedSchema": schema }).to_string();
    let asked: Elicitation<'_> = serde_json::from_str(&params).expect("a request");
    Asked::elicitation("7", &asked)
}

#[rstest]
#[case::one_of(json!({ "type": "string", "oneOf": [{ "const": "a", "title": "First" }, { "const": "b", "title": "Second" }] }), &["Second"], json!("b"))]
#[case::plain(json!({ "type": "string", "enum": ["a", "b"] }), &["b"], json!("b"))]
#[case::yes_or_no(json!({ "type": "boolean" }), &["false"], json!(false))]
#[case::several(json!({ "type": "array", "items": { "type": "string", "enum": ["a", "b"] } }), &["a", "b"], json!(["a", "b"]))]
#[case::titled(json!({ "type": "array", "items": { "anyOf": [{ "const": "a", "title": "First" }] } }), &["First"], json!(["a"]))]
#[case::a_text(json!({ "type": "string", "title": "Name" }), &["Anything"], json!("Anything"))]
fn a_form_is_filled_in(#[case] property: Value, #[case] answers: &[&str], #[case] value: Value) {
    let asked = form(&json!({ "it": property }), &["it"]).expect("it is asked here");
    assert_eq!(asked.ask.questions[0].text, "Which one?");
    let content = json!({ "action": "accept", "content": { "it": value } });
    assert_eq!(asked.result(&decided(true, &[answers])), Some(content));
    assert_eq!(asked.result(&decided(false, &[])), Some(json!({ "action": "decline" })));
    assert_eq!(asked.result(&decided(true, &[])), None);
    let is_free = asked.ask.questions[0].options.is_empty();
    assert_eq!(asked.result(&decided(true, &[&["Something else"]])).is_some(), is_free);
}

#[rstest]
#[case::a_number(json!({ "n": { "type": "number" } }), &["n"])]
#[case::a_form_of_text(json!({ "n": { "type": "string", "format": "email" } }), &["n"])]
#[case::the_same_words_twice(json!({ "n": { "type": "string", "enum": ["a", "a"] } }), &["n"])]
#[case::nothing(json!({}), &[])]
#[case::only_what_may_be_left_out(json!({ "n": { "type": "number" } }), &[])]
fn a_form_that_cannot_be_filled_in_here_the_editor_shows_alone(#[case] properties: Value, #[case] required: &[&str]) {
    assert_eq!(form(&properties, required), None);
}
