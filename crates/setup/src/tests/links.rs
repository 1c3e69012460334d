//! Links that users make of their configuration, and folders that are theirs.

use super::{Place, apply};
use crate::{Agent, Scope};
use rstest::rstest;
use std::fs;
use std::os::unix::fs::symlink;

#[rstest]
#[case(Agent::Gemini, ".gemini/settings.json", "{}\n")]
#[case(Agent::Codex, ".codex/config.toml", "")]
#[case(Agent::Opencode, ".config/opencode/opencode.json", "{}\n")]
fn a_file_that_became_a_link_keeps_what_it_leads_to(#[case] agent: Agent, #[case] file: &str, #[case] empty: &str) {
    let place = Place::new();
    apply(place.connect(agent, &Scope::User));
    let (path, real) = (place.path("home").join(file), place.path("dotfiles/settings"));
    fs::create_dir(place.path("dotfiles")).and_then(|()| fs::rename(&path, &real)).expect("it can be moved");
    symlink(&real, &path).expect("a link");
    apply(place.disconnect(agent, &Scope::User));
    assert!(path.is_symlink());
    assert_eq!(fs::read_to_string(&real).expect("its target stays"), empty);
    assert!(place.disconnect(agent, &Scope::User).expect("a plan").is_nothing());
    apply(place.connect(agent, &Scope::User));
    apply(place.disconnect(agent, &Scope::User));
    assert_eq!(fs::read_to_string(&real).expect("its target stays"), empty);
}

#[test]
fn a_folder_that_is_a_link_stays_with_its_target() {
    let place = Place::new();
    fs::create_dir(place.path("dotfiles")).expect("a folder");
    symlink(place.path("dotfiles"), place.path("home/.gemini")).expect("a link");
    apply(place.connect(Agent::Gemini, &Scope::User));
    apply(place.disconnect(Agent::Gemini, &Scope::User));
    assert!(place.path("home/.gemini").is_symlink() && place.path("dotfiles").is_dir());
    assert!(!place.path("dotfiles/settings.json").exists());
}

/// Codex does not start without the folder that `CODEX_HOME` names.
#[rstest]
#[case("CODEX_HOME", Agent::Codex)]
#[case("QWEN_HOME", Agent::Qwen)]
#[case("CLAUDE_CONFIG_DIR", Agent::Claude)]
fn a_folder_that_a_variable_names_is_the_users(#[case] variable: &str, #[case] agent: Agent) {
    let place = Place::new();
    let folder = place.path("mine");
    fs::create_dir(&folder).expect("a folder");
    let mut machine = place.machine();
    machine.environment.insert(variable.to_owned(), folder.display().to_string());
    let (scope, server) = (Scope::User, super::server());
    apply(crate::connect(&machine, agent, &scope, &server, crate::Options::default()));
    apply(crate::disconnect(&machine, agent, &scope, &server));
    assert_eq!(fs::read_dir(&folder).expect("it stays").count(), 0);
}
