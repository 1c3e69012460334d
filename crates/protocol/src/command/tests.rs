use super::{COMMANDS, Command, SavedChoice, complete, help};
use crate::{Code, Request, TodoAdd, TodoEdit, TodoIndent, TodoMove, TodoSetStatus};
use serde_json::{Value, json};
use todo::{By, Change, Draft, Item, List, Position, Stamp};
use uuid::Uuid;

fn parsed(line: &str) -> Request {
    match Command::parse(line) {
        Ok(Command::Change(request)) => *request,
        other => panic!("{line:?} is {other:?}"),
    }
}

fn refused(line: &str) -> (Code, String) {
    let error = Command::parse(line).expect_err(line);
    (error.code, error.message)
}

fn items(contents: &[(&str, &[&str])]) -> Vec<Item> {
    let sent: Value = contents
        .iter()
        .map(|(content, subtasks)| {
            let subtasks: Vec<Value> = subtasks.iter().map(|text| json!({ "content": text })).collect();
            json!({ "content": content, "subtasks": subtasks })
        })
        .collect();
    let mut stamp = Stamp { now: jiff::Timestamp::UNIX_EPOCH, uid: &mut Uuid::new_v4 };
    let change = Change::Add {
        position: Position::last(),
        drafts: Draft::list(&sent).expect("a list"),
        by: By::Agent { caller: "a".to_owned() },
    };
    todo::apply(&List::default(), change, &mut stamp).expect("it is added").list.items
}

fn labels(line: &str, items: &[Item]) -> Vec<String> {
    complete(line, items, &[], &[]).choices.into_iter().map(|choice| choice.label).collect()
}

// P5
#[test]
fn the_rest_of_the_line_is_the_description() {
    let added = |position: &str, content: &str| {
        Request::from(TodoAdd {
            position: Some(position.to_owned()),
            content: content.to_owned(),
            ..TodoAdd::default()
        })
    };
    assert_eq!(parsed("/todo add 2 Fix the parser"), added("2", "Fix the parser"));
    assert_eq!(parsed("add last \"Fix  it\""), added("last", "Fix  it"));
    assert_eq!(parsed("  todo   add\t1.last  'x' "), added("1.last", "x"));
    assert_eq!(parsed("/todo add 1 Say \"it\" twice"), added("1", "Say \"it\" twice"));
    assert_eq!(parsed("/todo add 1 \"a\" and \"b\""), added("1", "\"a\" and \"b\""), "not around the whole");
    assert_eq!(parsed("/todo add 1 \"it's 'so'\""), added("1", "it's 'so'"));
    assert_eq!(parsed("/todo add 1 'it's'"), added("1", "it's"));
    assert_eq!(parsed("/todo add 1 \"Say \"it\" twice\""), added("1", "Say \"it\" twice"));
    assert_eq!(parsed("/todo add 1 --priority is a word"), added("1", "--priority is a word"));
    assert_eq!(parsed("/todo add 1 \""), added("1", "\""), "one quote is no pair");
    assert_eq!(parsed("/todo add 1 Здравствуй\u{3000}мир"), added("1", "Здравствуй\u{3000}мир"));
}

#[test]
fn each_command_is_one_request() {
    let status = |position: &str, status: &str, reason: Option<&str>| {
        Request::from(TodoSetStatus {
            position: Some(position.to_owned()),
            status: status.to_owned(),
            reason: reason.map(str::to_owned),
            ..TodoSetStatus::default()
        })
    };
    assert_eq!(parsed("/todo set 2"), status("2", "in_progress", None));
    assert_eq!(parsed("/todo set 2-4 done"), status("2-4", "done", None));
    assert_eq!(parsed("/todo set 2 blocked no access yet"), status("2", "blocked", Some("no access yet")));
    assert_eq!(parsed("/todo unset all"), status("all", "pending", None));
    let moved = TodoMove { position: Some("3".to_owned()), to: "1".to_owned(), ..TodoMove::default() };
    assert_eq!(parsed("/todo move 3 1"), moved.into());
    let level = |position: &str, out| TodoIndent { position: Some(position.to_owned()), out, ..TodoIndent::default() };
    assert_eq!(parsed("/todo indent 2-4"), level("2-4", false).into());
    assert_eq!(parsed("/todo outdent 2.1"), level("2.1", true).into());
    let edit = |position: &str, fields: Value| {
        let fields = fields.as_object().cloned().expect("fields");
        Request::from(TodoEdit { position: Some(position.to_owned()), fields, ..TodoEdit::default() })
    };
    assert_eq!(parsed("/todo edit 2 New words"), edit("2", json!({ "content": "New words" })));
    assert_eq!(
        parsed("/todo edit 2 --priority high --notes \"see the page\" --active-form 'Doing it' New"),
        edit("2", json!({ "content": "New", "priority": "high", "notes": "see the page", "activeForm": "Doing it" }))
    );
    assert_eq!(parsed("/todo edit 2 --priority none"), edit("2", json!({ "priority": null })));
    assert_eq!(parsed("/todo edit 2 --notes \"\""), edit("2", json!({ "notes": "" })));
    assert_eq!(parsed("/note use the staging database"), parsed("/todo note \"use the staging database\""));
    assert_eq!(Command::parse("/todo load 2"), Ok(Command::Load(2)));
    assert_eq!(Command::parse("/todo"), Ok(Command::Help));
    assert_eq!(Command::parse(""), Ok(Command::Help));
    assert_eq!(Command::parse("/todo history"), Ok(Command::History(None)));
    assert_eq!(Command::parse("/todo history 2.1"), Ok(Command::History(Some("2.1".to_owned()))));
}

// P5, P6, P9
#[test]
fn what_is_wrong_is_said_in_the_words_asked_for() {
    for (line, message) in [
        ("/todo add", "Usage: /todo add <position> <description>"),
        ("/todo add 2", "Usage: /todo add <position> <description>"),
        ("/todo add 2 \"\"", "Usage: /todo add <position> <description>"),
        ("/todo delete", "Usage: /todo delete <position>"),
        ("/todo set", "Usage: /todo set <position> [status] [reason]"),
        ("/todo edit 2", "Usage: /todo edit <position> <description>"),
        ("/todo edit 2 --colour red", "Usage: /todo edit <position> <description>"),
        ("/todo edit 2 --notes", "Usage: /todo edit <position> <description>"),
        ("/todo move 2", "Usage: /todo move <from> <to>"),
        ("/todo outdent", "Usage: /todo outdent <position>"),
        ("/todo clear 2", "Usage: /todo clear"),
        ("/todo delete 1 2", "Usage: /todo delete <position>"),
        ("/todo move 1 2 3", "Usage: /todo move <from> <to>"),
        ("/todo undo a b", "Usage: /todo undo"),
        ("/todo load", "Usage: /todo load <number>"),
        ("/note", "Usage: /todo note <text>"),
    ] {
        assert_eq!(refused(line), (Code::Usage, message.to_owned()), "{line}");
    }
    let (code, message) = refused("/todo bogus\u{1b}[31m x");
    assert_eq!(code, Code::Usage);
    assert!(message.starts_with("Unknown subcommand: bogus"), "{message}");
    assert!(message.contains(". Use: show, add, delete, ") && !message.contains('\u{1b}'), "{message}");
    let (code, message) = refused("/todo edit 2 --priority urgent");
    assert_eq!((code, message.contains("use high, medium, low or none")), (Code::InvalidTodos, true));
    for number in ["0", "-1", "two", "99999999999999999999999"] {
        assert_eq!(refused(&format!("/todo load {number}")).0, Code::InvalidMessage);
    }
}

// P9
#[test]
fn help_covers_each_command_and_its_examples_work() {
    let text = help().english;
    for usage in COMMANDS {
        assert!(text.contains(&usage.line()) && text.contains(&(usage.does)().english), "{text}");
        assert!(text.lines().any(|line| line == format!("  {}", usage.example)), "{text}");
        let name = usage.example.trim_start_matches("/todo ").trim_start_matches('/').split(' ').next();
        assert_eq!(name, Some(usage.name), "an example is of its own command");
        Command::parse(usage.example).expect(usage.example);
    }
}

#[test]
fn commands_complete() {
    assert_eq!(labels("", &[]).len(), COMMANDS.len());
    for line in ["/", "/t", "/todo", "/todo "] {
        assert_eq!(labels(line, &[]).len(), COMMANDS.len(), "{line:?}");
    }
    assert_eq!(labels("/todo a", &[]), ["add", "assign", "archive"]);
    assert_eq!(labels("/no", &[]), ["note"]);
    assert_eq!(labels("/todo zzz", &[]), [""; 0]);
    let add = &complete("/todo ad", &[], &[], &[]).choices[0];
    assert_eq!((add.line.as_str(), add.detail.as_deref()), ("/todo add ", Some("Add a step")));
}

#[test]
fn positions_complete_by_number_and_by_text() {
    let list = items(&[("Read the format page", &[]), ("Fix the parser", &["Comments", "Cut-off blocks"])]);
    assert_eq!(labels("/todo delete ", &list), ["1", "2", "2.1", "2.2", "all"]);
    assert_eq!(labels("/todo delete 2", &list), ["2", "2.1", "2.2"]);
    let found = complete("/todo delete PARS", &list, &[], &[]);
    assert_eq!(found.usage.as_deref(), Some("/todo delete <position>"));
    assert_eq!((found.choices.len(), found.choices[0].line.as_str()), (1, "/todo delete 2"));
    assert_eq!(found.choices[0].detail.as_deref(), Some("Fix the parser"));
    assert_eq!(labels("/todo add ", &list), ["last", "1", "1.last", "2", "2.last"]);
    assert_eq!(labels("/todo add 1 What", &list), [""; 0], "a description is the user's own");
    let typed = complete("/todo add 1 Say what to add", &list, &[], &[]);
    assert_eq!((typed.usage.as_deref(), typed.choices.len()), (Some("/todo add <position> <description>"), 0));
    assert_eq!(labels("/todo set 2 bl", &list), ["blocked"]);
    assert_eq!(complete("/todo set 2 bl", &list, &[], &[]).choices[0].line, "/todo set 2 blocked");
    assert_eq!(labels("/todo indent ", &list), ["1", "2"]);
    assert_eq!(labels("/todo outdent ", &list), ["2.1", "2.2"]);
    assert_eq!(labels("/todo move 2.1 ", &list), ["2.2"]);
    assert_eq!(labels("/todo move 1 ", &list), ["2"]);
    assert_eq!(
        labels("/todo edit 2 --pri", &list),
        ["--priority high", "--priority medium", "--priority low", "--priority none"]
    );
    assert_eq!(complete("/todo edit 2.2 ", &list, &[], &[]).choices[0].line, "/todo edit 2.2 Cut-off blocks");
    let saved = [SavedChoice { detail: "codex, 1 of 3: Read".into() }, SavedChoice { detail: "qwen".into() }];
    let loads = complete("/todo load q", &list, &saved, &[]).choices;
    assert_eq!((loads.len(), loads[0].line.as_str()), (1, "/todo load 2"));
}

mod laws {
    use super::*;
    use proptest::prelude::*;

    fn lines() -> impl Strategy<Value = String> {
        let words = prop::sample::select(vec![
            "/todo",
            "todo",
            "/note",
            "add",
            "delete",
            "set",
            "edit",
            "move",
            "load",
            "1",
            "2.1",
            "last",
            "2-4",
            "all",
            "--priority",
            "--notes",
            "high",
            "\"",
            "'",
            " ",
            "\t",
            "x",
            "é",
            "\u{3000}",
            "🦊",
        ]);
        prop::collection::vec(prop_oneof![words.prop_map(str::to_owned), ".{0,6}"], 0..8)
            .prop_map(|words| words.join(" "))
    }

    proptest! {
        // P10
        #[test]
        fn no_line_panics_and_each_choice_goes_on_from_it(line in lines()) {
            let list = items(&[("A", &["B"]), ("C", &[])]);
            let _ = Command::parse(&line);
            for choice in complete(&line, &list, &[], &[]).choices {
                let known = COMMANDS.iter().any(|usage| choice.line.contains(usage.name));
                prop_assert!(known, "{:?} offers {:?}", line, choice);
            }
        }

        // P5
        #[test]
        fn any_description_arrives_as_it_was_typed(text in "[^\\s\"'](.{0,40}[^\\s\"'])?") {
            let Request::TodoAdd(add) = parsed(&format!("/todo add 3 {text}")) else { panic!("an add") };
            prop_assert_eq!(add.content, text);
        }
    }
}

// K4
#[test]
fn steps_are_assigned_to_the_agents_that_there_are() {
    let agents = ["codex".to_owned(), "codex 2".to_owned(), "Nobody".to_owned()];
    let request = |line: &str, agents: &[String]| match Command::parse(line).expect(line) {
        Command::Assign(assignment) => assignment.request(agents),
        other => panic!("{line:?} is {other:?}"),
    };
    let owner = |line: &str, agents: &[String]| match request(line, agents).expect(line) {
        Request::TodoEdit(edit) => (edit.position.unwrap_or_default(), edit.fields["owner"].clone()),
        other => panic!("{line:?} is {other:?}"),
    };
    assert_eq!(owner("/todo assign 2 codex", &agents), ("2".to_owned(), json!("codex")));
    assert_eq!(owner("assign 2-4 Codex 2", &agents), ("2-4".to_owned(), json!("codex 2")));
    assert_eq!(owner("assign all \"codex 2\"", &agents), ("all".to_owned(), json!("codex 2")));
    assert_eq!(owner("assign 1 nobody", &agents), ("1".to_owned(), json!("Nobody")), "one may be called so");
    assert_eq!(owner("assign 1 nobody", &agents[..2]), ("1".to_owned(), Value::Null));
    assert_eq!(owner("assign 1 nobody", &[]), ("1".to_owned(), Value::Null));
    let error = request("assign 1 code\u{1b}[31mx", &agents[..2]).expect_err("no agent is called so");
    assert_eq!(error.code, Code::InvalidMessage);
    assert!(error.message.ends_with("use codex, codex 2 or nobody") && !error.message.contains('\u{1b}'), "{error}");
    request("assign 1 codex", &[]).expect_err("it shares its list with nobody");
    for line in ["/todo assign", "/todo assign 2", "/todo assign 2 \"\""] {
        assert_eq!(refused(line), (Code::Usage, "Usage: /todo assign <position> <agent>".to_owned()), "{line}");
    }
    assert!(refused("/todo assign 2.1 codex").1.contains("assign step 2"));

    let list = items(&[("Read", &["Skim"]), ("Fix", &[])]);
    let labels = |line: &str| -> Vec<String> {
        complete(line, &list, &[], &agents[..2]).choices.into_iter().map(|choice| choice.label).collect()
    };
    assert_eq!(labels("/todo assign "), ["1", "2", "all"]);
    assert_eq!(labels("/todo assign 2 "), ["codex", "codex 2", "nobody"]);
    assert_eq!(labels("/todo assign 2 codex 2"), ["codex 2"]);
}

// P7
#[test]
fn pages_have_fifty_lists_and_an_end() {
    use super::Pages;
    assert_eq!((Pages::One(1).range(), Pages::One(3).range(), Pages::All.range()), (0..50, 100..150, 0..usize::MAX));
    for (pages, total) in [(Pages::One(1), 0), (Pages::One(2), 51), (Pages::One(3), 101), (Pages::All, 0)] {
        assert_eq!(pages.check(total), Ok(()), "{pages:?} of {total}");
    }
    for (page, total, last) in [(2, 50, 1), (9, 51, 2), (2, 0, 1)] {
        let error = Pages::One(page).check(total).expect_err("it is after the last");
        assert_eq!(error.message, format!("there is no page {page}; the last one is {last}"));
    }
    assert!(Pages::One(usize::MAX).check(usize::MAX - 1).is_err());
}
