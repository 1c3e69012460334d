//! Registered, but turned off by a switch of the agent's.

use super::{CLAUDE, CODEX, GEMINI, OPENCODE, QWEN, TestFolders, apply, server};
use crate::{Registration, Status, look};
use agents::{Agent, Scope};
use rstest::rstest;
use std::fs;

fn found(folders: &TestFolders, agent: &'static dyn Agent, scope: &Scope) -> Status {
    look(&folders.environment(), agent, scope, &server()).expect("it can be looked at")
}

/// Connected, and then the user writes this into a file: where there is none yet, as a whole.
fn turned_off(agent: &'static dyn Agent, scope: usize, file: &str, from: &str, to: &str) -> (TestFolders, Scope) {
    let folders = TestFolders::new();
    let scope = folders.scopes()[scope].clone();
    apply(folders.connect(agent, &scope));
    let path = folders.path(file);
    let text = fs::read_to_string(&path).unwrap_or_default();
    assert!(text.contains(from), "{text}");
    folders.write(&path, &text.replacen(from, to, 1));
    (folders, scope)
}

#[rstest]
#[case(CODEX, 0, "home/.codex/config.toml", "args", "enabled = false # now\nargs", "`enabled` is false")]
#[case(
    OPENCODE,
    0,
    "home/.config/opencode/opencode.json",
    "\"enabled\": true",
    "\"enabled\": false",
    "`enabled` is false"
)]
#[case(
    GEMINI,
    0,
    "home/.gemini/settings.json",
    "{",
    "{\n  \"mcp\": {\"excluded\": [\"a\", \" Sightline\"]},",
    "`mcp.excluded` has \" Sightline\""
)]
#[case(
    GEMINI,
    1,
    "project/.gemini/settings.json",
    "{",
    "{\n  \"mcp\": {\"allowed\": [\"a\"]},",
    "`mcp.allowed` lacks \"sightline\""
)]
#[case(
    GEMINI,
    1,
    "home/.gemini/mcp-server-enablement.json",
    "",
    "{\n  \"sightline\": {\n    \"enabled\": false\n  }\n}",
    "`sightline.enabled` is false"
)]
#[case(
    QWEN,
    0,
    "home/.qwen/settings.json",
    "{",
    "{\n  \"mcp\": {\"excluded\": [\"a\", \"sightline\"]},",
    "`mcp.excluded` has \"sightline\""
)]
#[case(QWEN, 0, "home/.qwen/settings.json", "{", "{\n  \"allowMCPServers\": [\"a\"],", "`allowMCPServers` lacks")]
#[case(
    CLAUDE,
    1,
    "project/.claude/settings.local.json",
    "",
    "{\"disabledMcpjsonServers\": [\"a\", \"sightline\"]}",
    "`disabledMcpjsonServers` has"
)]
fn connecting_turns_it_on(
    #[case] agent: &'static dyn Agent,
    #[case] scope: usize,
    #[case] file: &str,
    #[case] from: &str,
    #[case] to: &str,
    #[case] said: &str,
) {
    let (folders, scope) = turned_off(agent, scope, file, from, to);
    match found(&folders, agent, &scope).server {
        Registration::Disabled(what) => assert!(what.english.contains(said), "{what}"),
        other => panic!("it is off: {other:?}"),
    }
    let plan = folders.connect(agent, &scope).expect("a plan");
    assert!(plan.edits.len() == 1 && plan.edits[0].path == folders.path(file), "{plan:?}");
    apply(Ok(plan));
    assert_eq!(found(&folders, agent, &scope).server, Registration::Ours);
    assert!(folders.connect(agent, &scope).expect("a plan").is_nothing());
    let text = fs::read_to_string(folders.path(file)).expect("a file");
    assert!(!to.contains("\"a\"") || text.contains("\"a\""), "others stay: {text}");
    assert!(text.contains("# now") == to.contains("# now"), "{text}");
}

#[test]
fn hooks_that_are_turned_off_by_their_name() {
    let file = "home/.gemini/settings.json";
    let to = "{\n  \"hooksConfig\": {\"disabled\": [\"sightline\", \"a\"]},";
    let (folders, scope) = turned_off(GEMINI, 0, file, "{", to);
    let there = found(&folders, GEMINI, &scope);
    assert!(matches!(there.hooks, Some(Registration::Disabled(_))) && there.server == Registration::Ours, "{there:?}");
    apply(folders.connect(GEMINI, &scope));
    assert_eq!(found(&folders, GEMINI, &scope).hooks, Some(Registration::Ours));
}

/// Others may be meant by it, too.
#[test]
fn a_pattern_is_the_users_to_change() {
    let file = "home/.qwen/settings.json";
    let (folders, scope) = turned_off(QWEN, 0, file, "{", "{\n  \"mcp\": {\"excluded\": [\"s?ght*\"]},");
    let plan = folders.connect(QWEN, &scope).expect("a plan");
    assert!(plan.is_nothing() && plan.notes[0].english.contains("change it by hand"), "{plan:?}");
    let Registration::Disabled(words) = found(&folders, QWEN, &scope).server else { panic!("it is turned off") };
    assert!(words.english.starts_with("`mcp.excluded` has \"s?ght*\""), "{words}");
}

#[rstest]
#[case(QWEN, "qwen", "{\"mcp\": {\"excluded\": [\"s\", \"*ligh\", \"si*t?x\", \"SIGHTLINE\"]}}")]
#[case(GEMINI, "gemini", "{\"mcp\": {\"excluded\": [\"*\"], \"allowed\": [\"SIGHTLINE\"]}}")]
fn others_do_not_turn_ours_off(#[case] agent: &'static dyn Agent, #[case] name: &str, #[case] text: &str) {
    let folders = TestFolders::new();
    let path = folders.path(&format!("home/.{name}/settings.json"));
    folders.write(&path, text);
    apply(folders.connect(agent, &Scope::User));
    assert_eq!(found(&folders, agent, &Scope::User).server, Registration::Ours);
    assert!(fs::read_to_string(&path).expect("a file").starts_with(&text[..text.len() - 1]));
}

/// A switch that is off does not count as a connection, and a foreign server that is off is still foreign.
#[test]
fn off_is_said_of_ours_only() {
    let folders = TestFolders::new();
    folders.write(&folders.path("home/.qwen/settings.json"), "{\"mcp\": {\"excluded\": [\"sightline\"]}}");
    assert_eq!(found(&folders, QWEN, &Scope::User).server, Registration::Absent);
    folders
        .write(&folders.path("home/.codex/config.toml"), "[mcp_servers.sightline]\ncommand = \"x\"\nenabled = false\n");
    assert!(matches!(found(&folders, CODEX, &Scope::User).server, Registration::Other(_)));
}

/// An off entry of an older place is brought up to date and turned on, and goes as a whole.
#[test]
fn what_is_off_is_taken_away_as_well() {
    let (folders, scope) = turned_off(CODEX, 0, "home/.codex/config.toml", "args", "enabled = false\nargs");
    apply(folders.disconnect(CODEX, &scope));
    assert_eq!(found(&folders, CODEX, &scope).server, Registration::Absent);
}
