//! Links that users make of their configuration, and folders that are theirs.

use super::{CLAUDE, CODEX, GEMINI, OPENCODE, QWEN, TestFolders, apply};

use agents::{Agent, Scope};
use rstest::rstest;
use std::fs;
use std::os::unix::fs::symlink;

#[rstest]
#[case(GEMINI, ".gemini/settings.json", "{}\n")]
#[case(CODEX, ".codex/config.toml", "")]
#[case(OPENCODE, ".config/opencode/opencode.json", "{}\n")]
fn a_file_that_became_a_link_keeps_what_it_leads_to(
    #[case] agent: &'static dyn Agent,
    #[case] file: &str,
    #[case] empty: &str,
) {
    let folders = TestFolders::new();
    apply(folders.connect(agent, &Scope::User));
    let (path, real) = (folders.path("home").join(file), folders.path("dotfiles/settings"));
    fs::create_dir(folders.path("dotfiles")).and_then(|()| fs::rename(&path, &real)).expect("it can be moved");
    symlink(&real, &path).expect("a link");
    apply(folders.disconnect(agent, &Scope::User));
    assert!(path.is_symlink());
    assert_eq!(fs::read_to_string(&real).expect("its target stays"), empty);
    assert!(folders.disconnect(agent, &Scope::User).expect("a plan").is_nothing());
    apply(folders.connect(agent, &Scope::User));
    apply(folders.disconnect(agent, &Scope::User));
    assert_eq!(fs::read_to_string(&real).expect("its target stays"), empty);
}

#[test]
fn a_folder_that_is_a_link_stays_with_its_target() {
    let folders = TestFolders::new();
    fs::create_dir(folders.path("dotfiles")).expect("a folder");
    symlink(folders.path("dotfiles"), folders.path("home/.gemini")).expect("a link");
    apply(folders.connect(GEMINI, &Scope::User));
    apply(folders.disconnect(GEMINI, &Scope::User));
    assert!(folders.path("home/.gemini").is_symlink() && folders.path("dotfiles").is_dir());
    assert!(!folders.path("dotfiles/settings.json").exists());
}

/// Codex does not start without the folder that `CODEX_HOME` names.
#[rstest]
#[case("CODEX_HOME", CODEX)]
#[case("QWEN_HOME", QWEN)]
#[case("CLAUDE_CONFIG_DIR", CLAUDE)]
fn a_folder_that_a_variable_names_is_the_users(#[case] variable: &str, #[case] agent: &'static dyn Agent) {
    let folders = TestFolders::new();
    let folder = folders.path("mine");
    fs::create_dir(&folder).expect("a folder");
    let mut environment = folders.environment();
    environment.variables.insert(variable.to_owned(), folder.display().to_string());
    let (scope, server) = (Scope::User, super::server());
    apply(crate::connect(&environment, agent, &scope, &server, crate::Options::default()));
    apply(crate::disconnect(&environment, agent, &scope, &server));
    assert_eq!(fs::read_dir(&folder).expect("it stays").count(), 0);
}
