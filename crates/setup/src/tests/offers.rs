//! Further offers: the agent's built-in list, and the lines in a project's instructions.

use super::{CLAUDE, CODEX, GEMINI, OPENCODE, QWEN, TestFolders, apply, server};
use crate::{BuiltInList, Error, instruct, look, turn_built_in_list_off, turn_built_in_list_on, uninstruct};
use agents::{Agent, Scope};
use rstest::rstest;
use std::fs;

#[rstest]
#[case(
    CLAUDE,
    "home/.claude/settings.json",
    "{\n  \"env\": {\"A\": \"b\"}\n}\n",
    "{\n  \"env\": {\"A\": \"b\", \"CLAUDE_CODE_ENABLE_TODO_TOOLS\": \"1\"}\n}\n"
)]
#[case(CODEX, "home/.codex/config.toml", "a = 1\r\n", "a = 1\r\n\r\n[tools.update_plan]\r\nenabled = true\r\n")]
#[case(
    CODEX,
    "home/.codex/config.toml",
    "[tools.update_plan] # c\nenabled = false\n",
    "[tools.update_plan] # c\nenabled = true\n"
)]
#[case(
    CODEX,
    "home/.codex/config.toml",
    "tools = { web = true }\n",
    "tools = { web = true, update_plan = { enabled = true } }\n"
)]
#[case(
    QWEN,
    "home/.qwen/settings.json",
    "{\"tools\": {\"todoWrite\": {\"enabled\": false}}}",
    "{\"tools\": {\"todoWrite\": {\"enabled\": true}}}"
)]
fn the_own_list_is_turned_on_and_back(
    #[case] agent: &'static dyn Agent,
    #[case] path: &str,
    #[case] text: &str,
    #[case] expected: &str,
) {
    let folders = TestFolders::new();
    let (environment, path) = (folders.environment(), folders.path(path));
    folders.write(&path, text);
    let own_list = || look(&environment, agent, &Scope::User, &server()).expect("it can be looked at").built_in_list;
    assert_ne!(own_list(), BuiltInList::On);
    apply(turn_built_in_list_on(&environment, agent, &Scope::User));
    assert_eq!(fs::read_to_string(&path).expect("a file"), expected);
    assert_eq!(own_list(), BuiltInList::On);
    assert!(turn_built_in_list_on(&environment, agent, &Scope::User).expect("a plan").is_nothing());
    // Connecting in between changes nothing in what it was.
    apply(folders.connect(agent, &Scope::User));
    apply(folders.disconnect(agent, &Scope::User));
    assert_eq!(fs::read_to_string(&path).expect("a file"), expected);
    apply(turn_built_in_list_off(&environment, agent, &Scope::User));
    assert_eq!(fs::read_to_string(&path).expect("a file"), text);
}

/// As `connect --own-list` and `disconnect --own-list` do it.
#[rstest]
fn with_connecting_there_and_back(
    #[values(CLAUDE, CODEX, QWEN)] agent: &'static dyn Agent,
    #[values(None, Some(""), Some("\n"))] text: Option<&str>,
) {
    let folders = TestFolders::new();
    let environment = folders.environment();
    let files = look(&environment, agent, &Scope::User, &server()).expect("it can be looked at").files;
    for path in files.iter().filter(|_| text.is_some()) {
        folders.write(path, text.unwrap_or_default());
    }
    let before = folders.files();
    apply(folders.connect(agent, &Scope::User));
    apply(turn_built_in_list_on(&environment, agent, &Scope::User));
    let left = folders.disconnect(agent, &Scope::User).expect("a plan");
    assert!(left.notes.iter().any(|note| note.english.contains("built-in list is turned on")), "{:?}", left.notes);
    apply(turn_built_in_list_off(&environment, agent, &Scope::User));
    let plan = folders.disconnect(agent, &Scope::User).expect("a plan");
    assert_eq!(plan.notes.len(), 0);
    apply(Ok(plan));
    assert_eq!(folders.files(), before);
}

/// A user's own way of turning it on is not ours to take.
#[test]
fn another_value_of_the_switch_stays() {
    let folders = TestFolders::new();
    let path = folders.path("home/.claude/settings.json");
    folders.write(&path, "{\"env\": {\"CLAUDE_CODE_ENABLE_TODO_TOOLS\": \"true\"}}");
    assert!(turn_built_in_list_off(&folders.environment(), CLAUDE, &Scope::User).expect("a plan").is_nothing());
}

#[rstest]
#[case(GEMINI)]
#[case(OPENCODE)]
fn where_there_is_no_switch_it_is_said(#[case] agent: &'static dyn Agent) {
    let folders = TestFolders::new();
    assert!(matches!(turn_built_in_list_on(&folders.environment(), agent, &Scope::User), Err(Error::NoSwitch { .. })));
}

#[rstest]
fn instructions_come_and_go(
    #[values(CLAUDE, CODEX, GEMINI, OPENCODE, QWEN)] agent: &'static dyn Agent,
    #[values("", "# Project", "# Project\n", "\u{feff}# Project\r\n\r\nMore\r\n", "a\n\n\n")] text: &str,
) {
    let folders = TestFolders::new();
    let (project, path) = (folders.path("project"), folders.path("project").join(agent.facts().instructions));
    folders.write(&path, text);
    apply(instruct(&project, agent));
    let with = fs::read_to_string(&path).expect("a file");
    assert!(with.starts_with(text) && with.contains("`todo_write`"), "{with}");
    assert!(instruct(&project, agent).expect("a plan").is_nothing());
    fs::write(&path, format!("{with}\nMore\n")).expect("it can be written");
    apply(uninstruct(&project, agent));
    let left = fs::read_to_string(&path).expect("a file");
    assert!(left.ends_with("\nMore\n") && !left.contains("sightline"), "{left}");
    fs::write(&path, with).expect("it can be written");
    apply(uninstruct(&project, agent));
    assert_eq!(fs::read_to_string(&path).expect("a file"), text);
}

#[test]
fn instructions_of_their_own_go_with_their_file() {
    let folders = TestFolders::new();
    apply(instruct(&folders.path("project"), CODEX));
    assert_eq!(folders.files().len(), 1);
    apply(uninstruct(&folders.path("project"), CODEX));
    assert_eq!(folders.files().len(), 0);
}
