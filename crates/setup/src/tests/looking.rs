//! The state of an agent as it is found: program, version, server, hooks and built-in list.

#[cfg(unix)]
use super::connecting::make_program;
use super::{CLAUDE, CODEX, GEMINI, OPENCODE, QWEN, TestFolders, apply, server};
use crate::{BuiltInList, Registration, look, version};
use agents::{Agent, Scope};
use rstest::rstest;
use std::fs;
use std::time::Duration;

#[test]
fn an_agent_that_is_not_there() {
    let folders = TestFolders::new();
    let found = look(&folders.environment(), CODEX, &Scope::User, &server()).expect("it can be looked at");
    assert_eq!((found.program, found.server, found.hooks), (None, Registration::Absent, Some(Registration::Absent)));
    assert_eq!((found.built_in_list, found.hooks_off, found.files.len()), (BuiltInList::Off, false, 2));
    let found = look(&folders.environment(), OPENCODE, &Scope::User, &server()).expect("it can be looked at");
    assert_eq!((found.hooks, found.built_in_list), (Some(Registration::Absent), BuiltInList::Unknown));
}

#[rstest]
#[case(GEMINI, "{\"hooksConfig\": {\"enabled\": false}}", true)]
#[case(GEMINI, "{\"hooksConfig\": {\"enabled\": true}}", false)]
#[case(QWEN, "{\"disableAllHooks\": true}", true)]
#[case(CLAUDE, "{\"disableAllHooks\": true}", true)]
fn hooks_that_are_turned_off(#[case] agent: &'static dyn Agent, #[case] text: &str, #[case] off: bool) {
    let folders = TestFolders::new();
    let scope = folders.scopes()[1].clone();
    let path = folders.path("project").join(format!(".{}", agent.name())).join("settings.json");
    folders.write(&path, text);
    apply(folders.connect(agent, &scope));
    let found = look(&folders.environment(), agent, &scope, &server()).expect("it can be looked at");
    assert_eq!((found.hooks, found.hooks_off), (Some(Registration::Ours), off));
}

#[test]
fn an_event_without_our_hook() {
    let folders = TestFolders::new();
    apply(folders.connect(CODEX, &Scope::User));
    let path = folders.path("home/.codex/hooks.json");
    let text = fs::read_to_string(&path).expect("a file").replace("\"Stop\"", "\"Other\"");
    fs::write(&path, text).expect("it can be written");
    let found = look(&folders.environment(), CODEX, &Scope::User, &server()).expect("it can be looked at");
    assert_eq!(found.hooks, Some(Registration::Outdated(texts::all::hook_missing("Stop"))));
}

#[cfg(unix)]
#[rstest]
#[case("codex-cli 0.169.0", Some("0.169.0"))]
#[case("2.1.329 (Claude Code)", Some("2.1.329"))]
#[case("v1.18.33", Some("1.18.33"))]
#[case("no version", None)]
fn the_version_that_it_says(#[case] says: &str, #[case] expected: Option<&str>) {
    let folders = TestFolders::new();
    let program = folders.path("bin/agent");
    fs::write(&program, format!("#!/bin/sh\n[ \"$1\" = --version ] && echo '{says}'\n")).expect("a program");
    make_program(&program);
    assert_eq!(folders.environment().program("agent"), Some(program.clone()));
    assert_eq!(version(CODEX, &program, Duration::from_secs(20)).as_deref(), expected);
}

#[cfg(unix)]
#[test]
fn a_program_that_hangs_is_not_waited_for() {
    let folders = TestFolders::new();
    let program = folders.path("bin/agent");
    fs::write(&program, "#!/bin/sh\nexec sleep 600\n").expect("a program");
    make_program(&program);
    assert_eq!(version(CODEX, &program, Duration::from_millis(50)), None);
    fs::write(folders.path("bin/text"), "1.2.3").expect("a file");
    assert_eq!(folders.environment().program("text"), None, "it is no program");
    assert_eq!(version(CODEX, &folders.path("bin/none"), Duration::from_secs(20)), None);
}
