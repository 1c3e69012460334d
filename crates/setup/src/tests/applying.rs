//! All or nothing: what is refused, what is kept, what is put back.

use super::{Place, apply, now, server};
use crate::source::LIMIT_OF_CLAUDE;
use crate::{Agent, Error, LIMIT, Registration, Scope, look};
use rstest::rstest;
use std::fs;

const SETTINGS: &str = "home/.qwen/settings.json";

#[test]
fn the_text_from_before_is_kept_beside_and_never_written_over() {
    let place = Place::new();
    let path = place.path(SETTINGS);
    place.write(&path, "{\"a\": 1}");
    let first = apply(place.connect(Agent::Qwen, &Scope::User));
    assert_eq!(first.backups, [place.path("home/.qwen/settings.json.sightline-backup-20261121T101112Z")]);
    assert_eq!(first.written, [path]);
    apply(place.disconnect(Agent::Qwen, &Scope::User));
    let third = apply(place.connect(Agent::Qwen, &Scope::User));
    assert_eq!(third.backups, [place.path("home/.qwen/settings.json.sightline-backup-20261121T101112Z-3")]);
    assert_eq!(fs::read_to_string(&first.backups[0]).expect("a backup"), "{\"a\": 1}");
}

#[test]
fn a_file_that_changed_since_is_left_alone() {
    let place = Place::new();
    let path = place.path("home/.codex/hooks.json");
    let plan = place.connect(Agent::Codex, &Scope::User).expect("a plan");
    place.write(&path, "{}");
    assert!(matches!(plan.apply(now()), Err(Error::Changed { path: changed }) if changed == path));
    assert_eq!(place.files().len(), 1, "the other was not written either");
}

#[test]
fn when_the_second_file_fails_the_first_is_as_before() {
    let place = Place::new();
    let path = place.path("home/.codex/config.toml");
    place.write(&path, "a = 1\n");
    let mut plan = place.connect(Agent::Codex, &Scope::User).expect("a plan");
    // Its new name is taken by a folder, which is found out when the first has its name already.
    plan.edits[1].real = place.path("home/taken");
    fs::create_dir_all(place.path("home/taken/full")).expect("a folder");
    assert!(matches!(plan.apply(now()), Err(Error::Changed { .. })));
    assert_eq!(place.files(), [(path, "a = 1\n".to_owned())].into());
    let left = fs::read_dir(place.path("home/.codex")).expect("a folder").count();
    assert_eq!(left, 1, "neither a backup nor a temporary file");
}

#[test]
fn when_the_agents_own_command_fails_all_is_as_before() {
    let place = Place::new();
    let program = place.path("bin/claude");
    fs::write(&program, "#!/bin/sh\necho no such scope >&2\nexit 3\n").expect("a program");
    super::connecting::make_program(&program);
    let before = place.files();
    match place.connect(Agent::Claude, &Scope::User).expect("a plan").apply(now()) {
        Err(Error::Command { command, why }) => {
            assert!(command.starts_with("claude mcp add-json"), "{command}");
            assert_eq!(why, "no such scope");
        }
        other => panic!("it failed: {other:?}"),
    }
    assert_eq!(place.files(), before);
    assert!(!place.path("home/.claude").exists(), "the folder that was made is gone");
}

#[rstest]
fn what_cannot_be_edited_is_refused(
    #[values(Agent::Claude, Agent::Codex, Agent::Gemini, Agent::Opencode, Agent::Qwen)] agent: Agent,
) {
    let place = Place::new();
    let machine = place.machine();
    let path = look(&machine, agent, &Scope::User, &server()).expect("it can be looked at").files[0].clone();
    let refused = |what: &str| {
        let found = look(&machine, agent, &Scope::User, &server()).expect("it can be looked at");
        assert!(matches!(found.server, Registration::Unreadable(_)), "{what}");
        let plans = [place.connect(agent, &Scope::User), place.disconnect(agent, &Scope::User)];
        plans.map(|plan| plan.expect_err(what))
    };
    place.write(&path, "\n\n  {\"a\": ?\n");
    for error in refused("a mistake") {
        assert!(matches!(error, Error::Syntax { line: 3.., column: 3.., .. }), "{error}");
    }
    fs::write(&path, b"a\xff").expect("it can be written");
    assert!(refused("no text").iter().all(|error| matches!(error, Error::NoText { at: 1, .. })));
    let limit = if agent == Agent::Claude { LIMIT_OF_CLAUDE } else { LIMIT };
    fs::File::create(&path).and_then(|file| file.set_len(limit + 1)).expect("it can be written");
    assert!(refused("too large").iter().all(|error| matches!(error, Error::TooLarge { .. })));
    fs::remove_file(&path).and_then(|()| fs::create_dir(&path)).expect("a folder");
    assert!(refused("a folder").iter().all(|error| matches!(error, Error::NoFile { .. })));
    {
        fs::remove_dir(&path).and_then(|()| std::os::unix::fs::symlink("nowhere", &path)).expect("a link");
        assert!(refused("a link to nothing").iter().all(|error| matches!(error, Error::NoFile { .. })));
    }
}

#[test]
fn a_read_only_file_is_refused() {
    let place = Place::new();
    let path = place.path(SETTINGS);
    place.write(&path, "{}");
    let mut permissions = path.metadata().expect("a file").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).expect("it can be set");
    assert!(matches!(place.connect(Agent::Qwen, &Scope::User), Err(Error::ReadOnly { .. })));
    assert!(place.disconnect(Agent::Qwen, &Scope::User).expect("nothing to write").is_nothing());
}

#[test]
fn a_link_stays_one_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new();
    let (path, real) = (place.path(SETTINGS), place.path("project/dotfiles.json"));
    let mode = |path: &std::path::Path| path.metadata().expect("a file").permissions().mode() & 0o777;
    place.write(&real, "{\"a\": 1}\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("it can be set");
    fs::create_dir_all(place.path("home/.qwen"))
        .and_then(|()| symlink("../../project/dotfiles.json", &path))
        .expect("a link");
    let applied = apply(place.connect(Agent::Qwen, &Scope::User));
    assert!(path.is_symlink());
    assert!(fs::read_to_string(&real).expect("a file").contains("sightline"));
    assert_eq!((mode(&real), mode(&applied.backups[0])), (0o640, 0o640));
    apply(place.disconnect(Agent::Qwen, &Scope::User));
    assert_eq!(fs::read_to_string(&real).expect("a file"), "{\"a\": 1}\n");
    assert!(path.is_symlink());

    apply(place.connect(Agent::Gemini, &Scope::User));
    assert_eq!(mode(&place.path("home/.gemini/settings.json")), 0o600, "a key may come into it");
    apply(place.connect(Agent::Gemini, &place.scopes()[1]));
    assert_eq!(mode(&place.path("project/.gemini/settings.json")) & 0o600, 0o600);
}

#[test]
fn the_difference_is_shown() {
    let place = Place::new();
    let path = place.path("home/.codex/config.toml");
    place.write(&path, "a = 1\n");
    let plan = place.connect(Agent::Codex, &Scope::User).expect("a plan");
    let path = path.display();
    let expected = format!("--- {path}\n+++ {path}\n@@ -1 +1,5 @@\n a = 1\n+\n+[mcp_servers.sightline]\n");
    assert!(plan.diff().starts_with(&expected), "{}", plan.diff());
    assert!(plan.diff().contains("--- /dev/null\n"), "{}", plan.diff());
}
