//! Texts that a model reads: short, whole, and harmless.

use crate::reminder::{hook_report, proof_beside, proof_in, session_line, structured, text, unnamed};
use crate::tool::{INSTRUCTIONS, tools};
use protocol::{EditKind, EditState, EditView, Progress, TodoWritten};
use rstest::rstest;
use todo::{Change, Draft, List, Stamp, apply};
use uuid::Uuid;

/// An answer with a list of these contents and these edits.
fn written(contents: &[&str], edits: Vec<EditView>) -> TodoWritten {
    let todos = contents.iter().map(|content| serde_json::json!({ "content": content })).collect();
    let drafts = Draft::list(&todos).expect("the list is well formed");
    let mut uids = 0;
    let mut uid = || {
        uids += 1;
        Uuid::from_u128(uids)
    };
    let mut stamp = Stamp { now: jiff::Timestamp::UNIX_EPOCH, uid: &mut uid };
    let change = Change::Replace { caller: "agent".to_owned(), drafts };
    let list = apply(&List::default(), change, &mut stamp).expect("a list is always taken").list;
    TodoWritten {
        session_id: "s".to_owned(),
        session: None,
        revision: 1,
        todos: list.items,
        progress: Progress { completed: 0, total: 2, fraction: 0.0 },
        edits,
        remarks: Vec::new(),
        proof: None,
        agent: None,
    }
}

fn edit(kind: EditKind, uid: Option<u128>, text: &str) -> EditView {
    EditView {
        edit_id: "e".to_owned(),
        kind,
        uid: uid.map(|uid| Uuid::from_u128(uid).to_string()),
        text: text.to_owned(),
        detail: None,
        detail_text: None,
        state: EditState::Queued,
        at: jiff::Timestamp::UNIX_EPOCH,
        delivered_at: None,
        tool_call: None,
        insisted: false,
        client: "me".to_owned(),
    }
}

// G1
#[test]
fn a_result_is_the_headline_the_list_and_what_the_user_changed() {
    let edits = vec![
        edit(EditKind::Add, Some(2), "Use the staging database"),
        edit(EditKind::Delete, Some(9), "Deploy"),
        edit(EditKind::Clear, None, "3 items"),
    ];
    let said = text("Updated todos: 0/2 complete", &written(&["Read", "Use the staging database"], edits)).text;
    let expected = "Updated todos: 0/2 complete\n\n\
        1. [pending] Read (id t1)\n\
        2. [pending] Use the staging database (id t2)\n\n\
        The user changed this list. Follow it in your work, and keep it in the lists you send:\n\
        - added \"Use the staging database\" at 2\n\
        - removed \"Deploy\": do not work on it, leave it out\n\
        - cleared the list (3 items): stop that work and leave those items out";
    assert_eq!(said, expected);
}

#[test]
fn nothing_changed_is_not_mentioned() {
    let said = text("Todos: 0/0 complete", &written(&[], Vec::new())).text;
    assert_eq!(said, "Todos: 0/0 complete\n\nThe list is empty.");
}

#[test]
fn many_changes_stay_short_and_are_counted() {
    let edits = (0..60).map(|_| edit(EditKind::Delete, Some(9), &"long ".repeat(100))).collect();
    let said = text("", &written(&["A"], edits)).text;
    let changes = said.split_once("The user changed").expect("the changes are told").1;
    assert!(changes.chars().count() < 1_500, "{}", changes.chars().count());
    let told = changes.matches("- removed").count();
    assert!(changes.contains(&format!("and {} more changes", 60 - told)), "{changes}");
}

#[test]
fn one_item_is_one_line_whatever_is_in_it() {
    let said = text("", &written(&["first\nsecond \u{1b}[31m red \u{0} end"], Vec::new())).text;
    assert!(!said.contains('\u{1b}') && !said.contains('\u{0}'), "{said:?}");
    assert_eq!(said.trim().lines().count(), 1, "{said:?}");
}

#[test]
fn the_structured_part_says_the_same_and_is_as_short() {
    let edits = vec![edit(EditKind::Add, Some(1), "A"), edit(EditKind::Note, None, "Ask first")];
    let mut said = written(&["A", "Read the format page", "Fix the parser"], edits);
    said.remarks = vec!["two steps are in progress".to_owned()];
    let part = structured(&said, true);
    let value = serde_json::Value::Object(part);
    let first = serde_json::json!({ "id": "t1", "content": "A", "status": "pending" });
    assert_eq!((&value["todos"][0], &value["progress"]["total"]), (&first, &serde_json::json!(2)));
    let told = text("Updated todos: 0/2 complete", &said).text;
    let news = value["news"].as_str().expect("it is a text");
    assert!(told.ends_with(news) && news.starts_with("The user tells you: Ask first"), "{news}");
    let letters = |text: &str| text.chars().count();
    let longer = letters(&value.to_string()) as f64 / letters(&told) as f64;
    assert!(longer < 1.7, "{longer} times the text: {value}");
    let without = structured(&said, false);
    assert!(!without.contains_key("todos") && without.contains_key("news"));
}

fn numbered(kind: EditKind, number: usize, text: &str) -> EditView {
    EditView { edit_id: format!("e{number}"), ..edit(kind, Some(9), text) }
}

#[test]
fn twenty_edits_stay_under_1500_characters_and_are_all_delivered() {
    for text_of_one in ["Fix it", &"long words ".repeat(180)] {
        let edits: Vec<_> = (0..20).map(|n| numbered(EditKind::Delete, n, text_of_one)).collect();
        let bare = text("", &written(&["A"], Vec::new())).text;
        let told = text("", &written(&["A"], edits));
        let added = told.text.chars().count() - bare.chars().count();
        assert!(added < 1_500, "{added} characters");
        assert_eq!(told.edits.len(), 20, "the list says what no sentence does");
    }
}

#[test]
fn notes_that_do_not_fit_are_not_lost() {
    let notes: Vec<_> = (0..5).map(|n| numbered(EditKind::Note, n, &format!("{n} {}", "long ".repeat(300)))).collect();
    let told = text("", &written(&["A"], notes.clone()));
    assert_eq!(told.edits, ["e0"], "one is told whole, the others stay queued");
    assert!(told.text.contains(notes[0].text.trim()), "{}", told.text);
    assert!(told.text.contains("4 more notes of the user's follow with your next call"), "{}", told.text);
    let rest = text("", &written(&["A"], notes[1..].to_vec()));
    assert_eq!(rest.edits, ["e1"]);
    let short: Vec<_> = (0..5).map(|n| numbered(EditKind::Note, n, "use the staging database")).collect();
    assert_eq!(text("", &written(&["A"], short)).edits.len(), 5);
}

#[test]
fn notes_and_changes_together_stay_short_and_a_head_stands_over_something() {
    for length in [1, 30, 100, 900, 1_100, 1_150, 1_229] {
        let mut edits: Vec<_> = (0..21).map(|n| numbered(EditKind::Note, n, &"n".repeat(40))).collect();
        edits[0].text = "n".repeat(length);
        edits.extend((21..42).map(|n| numbered(EditKind::Add, n, &"a".repeat(60))));
        let bare = text("", &written(&["A"], Vec::new())).text.chars().count();
        let told = text("", &written(&["A"], edits.clone())).text;
        assert!(told.chars().count() - bare < 1_500, "{told}");
        let told = hook_report(&edits, &[], None).expect("there is something to tell").text;
        assert!(told.chars().count() < 1_500 && !told.ends_with(':'), "{told}");
    }
}

#[test]
fn by_a_hook_only_what_is_said_is_delivered() {
    let todos = written(&["A"], Vec::new()).todos;
    assert_eq!(hook_report(&[], &todos, None), None);
    let mut edits = vec![numbered(EditKind::Note, 0, "use the staging database")];
    edits.extend((1..40).map(|n| numbered(EditKind::Delete, n, &"long ".repeat(30))));
    let told = hook_report(&edits, &todos, None).expect("there is something to tell");
    assert!(told.text.starts_with("The user tells you: use the staging database\nThe user changed the todo list"));
    assert!(told.text.chars().count() < 1_500 && !told.text.contains(['<', '>']), "{}", told.text);
    assert_eq!(told.edits.len(), 1 + told.text.matches("- removed").count());
    assert!(told.edits.len() < 40 && !told.text.contains("the list above"), "{}", told.text);
}

#[test]
fn a_first_result_has_a_secret_for_hooks_to_read() {
    let (id, secret) = ("0199aa11-2b3c-7d4e-8f50-123456789abc", "0123456789abcdef0123456789abcdef");
    let line = session_line(id, secret);
    let texts =
        serde_json::json!({ "content": [{ "type": "text", "text": "Updated" }, { "type": "text", "text": line }] });
    assert_eq!(proof_in(&texts).as_deref(), Some(secret));
    assert_eq!(proof_in(&texts.to_string().into()).as_deref(), Some(secret), "as one text, too");
    let half = &secret[1..];
    for other in
        ["", "This list is session x.", &session_line(id, half), &session_line(id, "x"), &line.replace('.', "")]
    {
        assert_eq!(proof_in(&other.into()), None, "{other:?}");
    }
    let for_programs = serde_json::json!({ "structuredContent": { "todos": [{ "content": line }] } });
    assert_eq!(proof_in(&for_programs), None, "a list may say anything");
    assert_eq!(proof_in(&unnamed(format!("1. [pending] {line}")).into()), None);
    let beside = serde_json::json!({ "content": [], "_meta": proof_beside(secret.to_owned()) });
    assert_eq!(proof_in(&beside).as_deref(), Some(secret));
    for other in [serde_json::json!([beside]), beside.to_string().into(), serde_json::json!({ "content": [beside] })] {
        assert_eq!(proof_in(&other), None, "only the result itself has something beside it: {other}");
    }
}

// G5
#[test]
fn the_instructions_stand_alone_where_they_are_cut() {
    let cut: String = INSTRUCTIONS.chars().take(512).collect();
    for needed in ["todo_write", "three steps or more", "in_progress", "activeForm", "added, removed or cleared"] {
        assert!(cut.contains(needed), "{needed:?} is in the first 512 characters");
    }
}

#[test]
fn a_list_without_contents_is_no_valid_input() {
    let write = &tools()[0];
    let schema = serde_json::Value::Object((*write.input_schema).clone());
    assert_eq!(schema["required"], serde_json::json!(["todos"]));
    let item = &schema["properties"]["todos"]["items"];
    assert_eq!(item["required"], serde_json::json!(["content"]));
    assert!(item["properties"]["subtasks"]["items"]["properties"]["subtasks"].is_null(), "subtasks are one level");
}

#[rstest]
#[case("codex-mcp-client", "codex")]
#[case("opencode", "opencode")]
#[case("gemini-cli-mcp-client", "gemini")]
#[case("qwen-cli-mcp-client-sightline", "qwen")]
#[case("claude-code", "claude")]
#[case("somebody", "somebody")]
fn agents_are_known_by_the_names_they_send(#[case] client: &str, #[case] kind: &str) {
    assert_eq!(agents::KNOWN.of_client(client).map_or(client, |agent| agent.name()), kind);
}

// K4
#[test]
fn an_agent_that_shares_its_list_reads_which_steps_are_its_own() {
    let mut said = written(&["Read", "Fix"], vec![]);
    said.todos[1].owner = Some("codex 2".to_owned());
    let alone = text("Todos: 0/2 complete", &said).text;
    assert!(!alone.contains("yours") && !alone.contains("share"), "{alone}");
    said.agent = Some("codex 2".to_owned());
    let mut given = edit(EditKind::Set, Some(2), "Fix");
    given.detail = Some("owner \"codex 2\"".to_owned());
    said.edits = vec![given.clone()];
    let expected = "Todos: 0/2 complete\n\n1. [pending] Read (id t1)\n2. [pending] Fix (id t2, yours)\n\n\
        Several agents share this list, and you are codex 2: do the steps that are yours or nobody's. Those of the others \
        are not shown; leave them to them.\n\n\
        The user changed this list. Follow it in your work, and keep it in the lists you send:\n\
        - assigned \"Fix\" to you: no other agent does it";
    assert_eq!(text("Todos: 0/2 complete", &said).text, expected);
    let news = structured(&said, true)["news"].as_str().map(str::to_owned).expect("there is something to tell");
    assert!(expected.ends_with(&news), "{news}");
    let told = hook_report(&[given.clone()], &said.todos, Some("codex 2")).expect("there is something to tell").text;
    assert!(told.ends_with("- assigned \"Fix\" to you: no other agent does it"), "{told}");
    let told = hook_report(&[given], &said.todos, Some("codex")).expect("there is something to tell").text;
    assert!(told.ends_with("- set \"Fix\": owner \"codex 2\""), "{told}");
}
