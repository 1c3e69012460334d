//! Claude Code's own command, which takes an entry out before it puts another one in.

use super::connecting::make_program;
use super::{CLAUDE, TestFolders, now};
use crate::{Error, Options, Plan, connect, disconnect, server::words};
use agents::Scope;
use rstest::rstest;
use serde_json::{Value, json};
use std::fs;

/// Writes into `~/.claude.json` as the real one does, and what the test puts into `~/on-add` besides.
const PROGRAM: &str = "#!/bin/sh
cd \"$HOME\" || exit 9
echo \"$2\" >> calls
case \"$2\" in
remove) printf '{\"mcpServers\":{},\"n\":1}' > .claude.json ;;
add-json)
    [ ! -f on-add ] || . ./on-add
    printf '{\"mcpServers\":{\"sightline\":%s},\"n\":1}' \"$6\" > .claude.json ;;
esac
";

const FAILS_ONCE: &str = ": > on-add; echo no such scope >&2; exit 3";

struct Home {
    folders: TestFolders,
}

impl Home {
    fn new(entry: &Value, on_add: &str) -> Self {
        let folders = TestFolders::new();
        let program = folders.path("bin/claude");
        fs::write(&program, PROGRAM).expect("a program");
        make_program(&program);
        if !on_add.is_empty() {
            folders.write(&folders.path("home/on-add"), on_add);
        }
        if !entry.is_null() {
            let text = json!({ "mcpServers": { "sightline": entry }, "n": 1 }).to_string();
            folders.write(&folders.path("home/.claude.json"), &text);
        }
        Self { folders }
    }

    fn connect(&self, replace: bool) -> Plan {
        let options = Options { replace, ..Options::default() };
        connect(&self.folders.environment(), CLAUDE, &Scope::User, &super::server(), options).expect("a plan")
    }

    fn entry(&self) -> Value {
        let text = fs::read_to_string(self.folders.path("home/.claude.json")).expect("a file");
        crate::json::value(&text).expect("JSON")["mcpServers"]["sightline"].clone()
    }

    fn backups(&self) -> usize {
        let files = fs::read_dir(self.folders.path("home")).expect("a folder").flatten();
        files.filter(|file| file.file_name().to_string_lossy().contains("sightline-backup")).count()
    }

    fn settings(&self) -> Option<String> {
        fs::read_to_string(self.folders.path("home/.claude/settings.json")).ok()
    }
}

fn old() -> Value {
    let args = ["mcp", "--agent", "claude", "--data-dir", "/old"];
    json!({ "type": "stdio", "command": "/old/sightline", "args": args, "env": { "API_KEY": "s3cret" }, "alwaysLoad": false })
}

fn foreign() -> Value {
    json!({ "type": "stdio", "command": "other", "args": [], "env": { "API_KEY": "s3cret" } })
}

#[test]
fn an_entry_of_ours_keeps_what_else_is_in_it() {
    let home = Home::new(&old(), "");
    let plan = home.connect(false);
    let diff = plan.diff();
    for line in ["-  \"command\": \"/old/sightline\"", "+  \"command\": \"/opt/sight line/sightline\"", " \"env\": {"] {
        assert!(diff.contains(line), "{line} in {diff}");
    }
    plan.apply(now()).expect("it can be done");
    let mut expected = old();
    expected["command"] = json!("/opt/sight line/sightline");
    expected["args"][4] = json!("/home/u/it's data");
    assert_eq!(home.entry(), expected);
    assert_eq!(home.backups(), 1);
    assert!(home.connect(false).is_nothing());
}

#[test]
fn a_foreign_entry_is_replaced_as_a_whole_and_shown() {
    let home = Home::new(&foreign(), "");
    let plan = home.connect(true);
    assert!(plan.diff().contains("-    \"API_KEY\": \"s3cret\""), "{}", plan.diff());
    plan.apply(now()).expect("it can be done");
    assert_eq!((&home.entry()["env"], &home.entry()["alwaysLoad"]), (&Value::Null, &json!(true)));
}

#[rstest]
#[case::ours(old())]
#[case::foreign(foreign())]
#[case::none(Value::Null)]
fn what_was_registered_is_registered_again(#[case] entry: Value) {
    let home = Home::new(&entry, FAILS_ONCE);
    let error = home.connect(true).apply(now()).expect_err("it fails");
    assert!(matches!(&error, Error::Command { why, .. } if why.english == "no such scope"), "{error}");
    assert!(!error.to_string().contains("s3cret"), "{error}");
    if entry.is_null() {
        assert!(!home.folders.path("home/.claude.json").exists());
    } else {
        assert_eq!(home.entry(), entry);
    }
    assert_eq!((home.settings(), home.backups()), (None, 0), "no hooks without their server");
}

#[test]
fn where_even_that_fails_the_backup_is_named() {
    let home = Home::new(&old(), "exit 3");
    let error = home.connect(false).apply(now()).expect_err("it fails");
    let Error::Restore { backup, cause, .. } = &error else { panic!("{error}") };
    assert!(matches!(**cause, Error::Command { .. }), "{error}");
    let kept = crate::json::value(&fs::read_to_string(&backup.english).expect("a backup")).expect("JSON");
    assert_eq!(kept["mcpServers"]["sightline"], old());
}

/// Claude Code may change its settings whenever it is started.
#[rstest]
#[case::it_fails("echo '{\"permissions\": {}}' > .claude/settings.json; : > on-add; exit 3")]
#[case::it_ends_well("echo '{\"permissions\": {}}' > .claude/settings.json; : > on-add")]
fn what_the_command_writes_besides_stays(#[case] on_add: &str) {
    let home = Home::new(&old(), on_add);
    home.folders.write(&home.folders.path("home/.claude/settings.json"), "{}");
    home.connect(false).apply(now()).expect_err("it fails, or the file was changed");
    assert_eq!(home.settings().as_deref(), Some("{\"permissions\": {}}\n"));
    assert_eq!(home.entry(), old(), "the server is as before");
    home.connect(false).apply(now()).expect("then it can be done");
    assert!(home.settings().is_some_and(|text| text.contains("permissions") && text.contains("sightline")));
}

#[test]
fn an_entry_that_changed_since_is_left_alone() {
    let home = Home::new(&old(), "");
    let plan = home.connect(false);
    let text = json!({ "mcpServers": { "sightline": foreign() }, "n": 2 }).to_string();
    home.folders.write(&home.folders.path("home/.claude.json"), &text);
    assert!(matches!(plan.apply(now()), Err(Error::Changed { .. })));
    assert_eq!((home.entry(), home.settings()), (foreign(), None));
    assert!(!home.folders.path("home/calls").exists(), "nothing was called");

    // Other parts of the file may change: the agent writes it all the time.
    let home = Home::new(&old(), "");
    let plan = home.connect(false);
    let text = json!({ "mcpServers": { "sightline": old() }, "n": 2 }).to_string();
    home.folders.write(&home.folders.path("home/.claude.json"), &text);
    plan.apply(now()).expect("it can be done");
}

#[test]
fn disconnecting_shows_and_takes_it() {
    let home = Home::new(&Value::Null, "");
    home.connect(false).apply(now()).expect("it can be done");
    assert_eq!(words(&home.entry())[1..3], ["mcp", "--agent"]);
    let plan = disconnect(&home.folders.environment(), CLAUDE, &Scope::User, &super::server()).expect("a plan");
    assert!(plan.diff().contains("-  \"command\""), "{}", plan.diff());
    plan.apply(now()).expect("it can be done");
    assert_eq!((home.entry(), home.settings()), (Value::Null, None));
}
