//! What is found.

use super::connecting::make_program;
use super::{Place, apply, server};
use crate::{Agent, OwnList, Registration, Scope, look, version};
use rstest::rstest;
use std::fs;
use std::time::Duration;

#[test]
fn an_agent_that_is_not_there() {
    let place = Place::new();
    let found = look(&place.machine(), Agent::Codex, &Scope::User, &server()).expect("it can be looked at");
    assert_eq!((found.program, found.server, found.hooks), (None, Registration::Absent, Some(Registration::Absent)));
    assert_eq!((found.own_list, found.hooks_off, found.files.len()), (OwnList::Off, false, 2));
    let found = look(&place.machine(), Agent::Opencode, &Scope::User, &server()).expect("it can be looked at");
    assert_eq!((found.hooks, found.own_list), (None, OwnList::Unknown));
}

#[rstest]
#[case(Agent::Gemini, "{\"hooksConfig\": {\"enabled\": false}}", true)]
#[case(Agent::Gemini, "{\"hooksConfig\": {\"enabled\": true}}", false)]
#[case(Agent::Qwen, "{\"disableAllHooks\": true}", true)]
#[case(Agent::Claude, "{\"disableAllHooks\": true}", true)]
fn hooks_that_are_turned_off(#[case] agent: Agent, #[case] text: &str, #[case] off: bool) {
    let place = Place::new();
    let scope = place.scopes()[1].clone();
    let path = place.path("project").join(format!(".{}", agent.name())).join("settings.json");
    place.write(&path, text);
    apply(place.connect(agent, &scope));
    let found = look(&place.machine(), agent, &scope, &server()).expect("it can be looked at");
    assert_eq!((found.hooks, found.hooks_off), (Some(Registration::Ours), off));
}

#[test]
fn an_event_without_our_hook() {
    let place = Place::new();
    apply(place.connect(Agent::Codex, &Scope::User));
    let path = place.path("home/.codex/hooks.json");
    let text = fs::read_to_string(&path).expect("a file").replace("\"Stop\"", "\"Other\"");
    fs::write(&path, text).expect("it can be written");
    let found = look(&place.machine(), Agent::Codex, &Scope::User, &server()).expect("it can be looked at");
    assert_eq!(found.hooks, Some(Registration::Outdated("no hook at Stop".to_owned())));
}

#[rstest]
#[case("codex-cli 0.169.0", Some("0.169.0"))]
#[case("2.1.329 (Claude Code)", Some("2.1.329"))]
#[case("v1.18.33", Some("1.18.33"))]
#[case("no version", None)]
fn the_version_that_it_says(#[case] says: &str, #[case] expected: Option<&str>) {
    let place = Place::new();
    let program = place.path("bin/agent");
    fs::write(&program, format!("#!/bin/sh\n[ \"$1\" = --version ] && echo '{says}'\n")).expect("a program");
    make_program(&program);
    assert_eq!(place.machine().program("agent"), Some(program.clone()));
    assert_eq!(version(&program, Duration::from_secs(20)).as_deref(), expected);
}

#[test]
fn a_program_that_hangs_is_not_waited_for() {
    let place = Place::new();
    let program = place.path("bin/agent");
    fs::write(&program, "#!/bin/sh\nexec sleep 600\n").expect("a program");
    make_program(&program);
    assert_eq!(version(&program, Duration::from_millis(50)), None);
    fs::write(place.path("bin/text"), "1.2.3").expect("a file");
    assert_eq!(place.machine().program("text"), None, "it is no program");
    assert_eq!(version(&place.path("bin/none"), Duration::from_secs(20)), None);
}
