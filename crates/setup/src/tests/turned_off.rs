//! Registered, but turned off by a switch of the agent's.

use super::{Place, apply, server};
use crate::{Agent, Found, Registration, Scope, look};
use rstest::rstest;
use std::fs;

fn found(place: &Place, agent: Agent, scope: &Scope) -> Found {
    look(&place.machine(), agent, scope, &server()).expect("it can be looked at")
}

/// Connected, and then the user writes this into a file: where there is none yet, as a whole.
fn turned_off(agent: Agent, scope: usize, file: &str, from: &str, to: &str) -> (Place, Scope) {
    let place = Place::new();
    let scope = place.scopes()[scope].clone();
    apply(place.connect(agent, &scope));
    let path = place.path(file);
    let text = fs::read_to_string(&path).unwrap_or_default();
    assert!(text.contains(from), "{text}");
    place.write(&path, &text.replacen(from, to, 1));
    (place, scope)
}

#[rstest]
#[case(Agent::Codex, 0, "home/.codex/config.toml", "args", "enabled = false # now\nargs", "`enabled` is false")]
#[case(
    Agent::Opencode,
    0,
    "home/.config/opencode/opencode.json",
    "\"enabled\": true",
    "\"enabled\": false",
    "`enabled` is false"
)]
#[case(
    Agent::Gemini,
    0,
    "home/.gemini/settings.json",
    "{",
    "{\n  \"mcp\": {\"excluded\": [\"a\", \" Sightline\"]},",
    "`mcp.excluded` has \" Sightline\""
)]
#[case(
    Agent::Gemini,
    1,
    "project/.gemini/settings.json",
    "{",
    "{\n  \"mcp\": {\"allowed\": [\"a\"]},",
    "`mcp.allowed` lacks \"sightline\""
)]
#[case(
    Agent::Gemini,
    1,
    "home/.gemini/mcp-server-enablement.json",
    "",
    "{\n  \"sightline\": {\n    \"enabled\": false\n  }\n}",
    "`sightline.enabled` is false"
)]
#[case(
    Agent::Qwen,
    0,
    "home/.qwen/settings.json",
    "{",
    "{\n  \"mcp\": {\"excluded\": [\"a\", \"sightline\"]},",
    "`mcp.excluded` has \"sightline\""
)]
#[case(
    Agent::Qwen,
    0,
    "home/.qwen/settings.json",
    "{",
    "{\n  \"allowMCPServers\": [\"a\"],",
    "`allowMCPServers` lacks"
)]
#[case(
    Agent::Claude,
    1,
    "project/.claude/settings.local.json",
    "",
    "{\"disabledMcpjsonServers\": [\"a\", \"sightline\"]}",
    "`disabledMcpjsonServers` has"
)]
fn connecting_turns_it_on(
    #[case] agent: Agent,
    #[case] scope: usize,
    #[case] file: &str,
    #[case] from: &str,
    #[case] to: &str,
    #[case] said: &str,
) {
    let (place, scope) = turned_off(agent, scope, file, from, to);
    match found(&place, agent, &scope).server {
        Registration::Disabled(what) => assert!(what.contains(said), "{what}"),
        other => panic!("it is off: {other:?}"),
    }
    let plan = place.connect(agent, &scope).expect("a plan");
    assert!(plan.edits.len() == 1 && plan.edits[0].path == place.path(file), "{plan:?}");
    apply(Ok(plan));
    assert_eq!(found(&place, agent, &scope).server, Registration::Ours);
    assert!(place.connect(agent, &scope).expect("a plan").is_nothing());
    let text = fs::read_to_string(place.path(file)).expect("a file");
    assert!(!to.contains("\"a\"") || text.contains("\"a\""), "others stay: {text}");
    assert!(text.contains("# now") == to.contains("# now"), "{text}");
}

#[test]
fn hooks_that_are_turned_off_by_their_name() {
    let file = "home/.gemini/settings.json";
    let to = "{\n  \"hooksConfig\": {\"disabled\": [\"sightline\", \"a\"]},";
    let (place, scope) = turned_off(Agent::Gemini, 0, file, "{", to);
    let there = found(&place, Agent::Gemini, &scope);
    assert!(matches!(there.hooks, Some(Registration::Disabled(_))) && there.server == Registration::Ours, "{there:?}");
    apply(place.connect(Agent::Gemini, &scope));
    assert_eq!(found(&place, Agent::Gemini, &scope).hooks, Some(Registration::Ours));
}

/// Others may be meant by it, too.
#[test]
fn a_pattern_is_the_users_to_change() {
    let file = "home/.qwen/settings.json";
    let (place, scope) = turned_off(Agent::Qwen, 0, file, "{", "{\n  \"mcp\": {\"excluded\": [\"s?ght*\"]},");
    let plan = place.connect(Agent::Qwen, &scope).expect("a plan");
    assert!(plan.is_nothing() && plan.notes[0].contains("change it by hand"), "{plan:?}");
    let Registration::Disabled(words) = found(&place, Agent::Qwen, &scope).server else { panic!("it is turned off") };
    assert!(words.starts_with("`mcp.excluded` has \"s?ght*\""), "{words}");
}

#[rstest]
#[case(Agent::Qwen, "qwen", "{\"mcp\": {\"excluded\": [\"s\", \"*ligh\", \"si*t?x\", \"SIGHTLINE\"]}}")]
#[case(Agent::Gemini, "gemini", "{\"mcp\": {\"excluded\": [\"*\"], \"allowed\": [\"SIGHTLINE\"]}}")]
fn others_do_not_turn_ours_off(#[case] agent: Agent, #[case] name: &str, #[case] text: &str) {
    let place = Place::new();
    let path = place.path(&format!("home/.{name}/settings.json"));
    place.write(&path, text);
    apply(place.connect(agent, &Scope::User));
    assert_eq!(found(&place, agent, &Scope::User).server, Registration::Ours);
    assert!(fs::read_to_string(&path).expect("a file").starts_with(&text[..text.len() - 1]));
}

/// What is turned off is not connected by it, and a foreign server that is off is still foreign.
#[test]
fn off_is_said_of_ours_only() {
    let place = Place::new();
    place.write(&place.path("home/.qwen/settings.json"), "{\"mcp\": {\"excluded\": [\"sightline\"]}}");
    assert_eq!(found(&place, Agent::Qwen, &Scope::User).server, Registration::Absent);
    place.write(&place.path("home/.codex/config.toml"), "[mcp_servers.sightline]\ncommand = \"x\"\nenabled = false\n");
    assert!(matches!(found(&place, Agent::Codex, &Scope::User).server, Registration::Other(_)));
}

/// An off entry of an older place is brought up to date and turned on, and goes as a whole.
#[test]
fn what_is_off_is_taken_away_as_well() {
    let (place, scope) = turned_off(Agent::Codex, 0, "home/.codex/config.toml", "args", "enabled = false\nargs");
    apply(place.disconnect(Agent::Codex, &scope));
    assert_eq!(found(&place, Agent::Codex, &scope).server, Registration::Absent);
}
