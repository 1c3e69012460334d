//! What is offered besides: the agent's own list, and the lines in a project's instructions.

use super::{Place, apply, server};
use crate::{Agent, Error, OwnList, Scope, instruct, look, turn_own_list_off, turn_own_list_on, uninstruct};
use rstest::rstest;
use std::fs;

#[rstest]
#[case(
    Agent::Claude,
    "home/.claude/settings.json",
    "{\n  \"env\": {\"A\": \"b\"}\n}\n",
    "{\n  \"env\": {\"A\": \"b\", \"CLAUDE_CODE_ENABLE_TODO_TOOLS\": \"1\"}\n}\n"
)]
#[case(Agent::Codex, "home/.codex/config.toml", "a = 1\r\n", "a = 1\r\n\r\n[tools.update_plan]\r\nenabled = true\r\n")]
#[case(
    Agent::Codex,
    "home/.codex/config.toml",
    "[tools.update_plan] # c\nenabled = false\n",
    "[tools.update_plan] # c\nenabled = true\n"
)]
#[case(
    Agent::Codex,
    "home/.codex/config.toml",
    "tools = { web = true }\n",
    "tools = { web = true, update_plan = { enabled = true } }\n"
)]
#[case(
    Agent::Qwen,
    "home/.qwen/settings.json",
    "{\"tools\": {\"todoWrite\": {\"enabled\": false}}}",
    "{\"tools\": {\"todoWrite\": {\"enabled\": true}}}"
)]
fn the_own_list_is_turned_on_and_back(
    #[case] agent: Agent,
    #[case] path: &str,
    #[case] text: &str,
    #[case] expected: &str,
) {
    let place = Place::new();
    let (machine, path) = (place.machine(), place.path(path));
    place.write(&path, text);
    let own_list = || look(&machine, agent, &Scope::User, &server()).expect("it can be looked at").own_list;
    assert_ne!(own_list(), OwnList::On);
    apply(turn_own_list_on(&machine, agent, &Scope::User));
    assert_eq!(fs::read_to_string(&path).expect("a file"), expected);
    assert_eq!(own_list(), OwnList::On);
    assert!(turn_own_list_on(&machine, agent, &Scope::User).expect("a plan").is_nothing());
    // Connecting in between changes nothing in what it was.
    apply(place.connect(agent, &Scope::User));
    apply(place.disconnect(agent, &Scope::User));
    assert_eq!(fs::read_to_string(&path).expect("a file"), expected);
    apply(turn_own_list_off(&machine, agent, &Scope::User));
    assert_eq!(fs::read_to_string(&path).expect("a file"), text);
}

/// As `connect --own-list` and `disconnect --own-list` do it.
#[rstest]
fn with_connecting_there_and_back(
    #[values(Agent::Claude, Agent::Codex, Agent::Qwen)] agent: Agent,
    #[values(None, Some(""), Some("\n"))] text: Option<&str>,
) {
    let place = Place::new();
    let machine = place.machine();
    let files = look(&machine, agent, &Scope::User, &server()).expect("it can be looked at").files;
    for path in files.iter().filter(|_| text.is_some()) {
        place.write(path, text.unwrap_or_default());
    }
    let before = place.files();
    apply(place.connect(agent, &Scope::User));
    apply(turn_own_list_on(&machine, agent, &Scope::User));
    let left = place.disconnect(agent, &Scope::User).expect("a plan");
    assert!(left.notes.iter().any(|note| note.contains("own todo list is turned on")), "{:?}", left.notes);
    apply(turn_own_list_off(&machine, agent, &Scope::User));
    let plan = place.disconnect(agent, &Scope::User).expect("a plan");
    assert_eq!(plan.notes.len(), 0);
    apply(Ok(plan));
    assert_eq!(place.files(), before);
}

/// A user's own way of turning it on is not ours to take.
#[test]
fn another_value_of_the_switch_stays() {
    let place = Place::new();
    let path = place.path("home/.claude/settings.json");
    place.write(&path, "{\"env\": {\"CLAUDE_CODE_ENABLE_TODO_TOOLS\": \"true\"}}");
    assert!(turn_own_list_off(&place.machine(), Agent::Claude, &Scope::User).expect("a plan").is_nothing());
}

#[rstest]
#[case(Agent::Gemini)]
#[case(Agent::Opencode)]
fn where_there_is_no_switch_it_is_said(#[case] agent: Agent) {
    let place = Place::new();
    assert!(matches!(turn_own_list_on(&place.machine(), agent, &Scope::User), Err(Error::NoSwitch { .. })));
}

#[rstest]
fn instructions_come_and_go(
    #[values(Agent::Claude, Agent::Codex, Agent::Gemini, Agent::Opencode, Agent::Qwen)] agent: Agent,
    #[values("", "# Project", "# Project\n", "\u{feff}# Project\r\n\r\nMore\r\n", "a\n\n\n")] text: &str,
) {
    let place = Place::new();
    let (project, path) = (place.path("project"), place.path("project").join(agent.instructions()));
    place.write(&path, text);
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
    let place = Place::new();
    apply(instruct(&place.path("project"), Agent::Codex));
    assert_eq!(place.files().len(), 1);
    apply(uninstruct(&place.path("project"), Agent::Codex));
    assert_eq!(place.files().len(), 0);
}
