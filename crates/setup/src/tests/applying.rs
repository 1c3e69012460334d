//! All or nothing: what is refused, what is kept, what is put back.

use super::{CLAUDE, CODEX, GEMINI, OPENCODE, QWEN, TestFolders, apply, now, server};
use crate::{Error, LIMIT, Registration, look};
use agents::{Agent, Scope};
use rstest::rstest;
use std::fs;

const SETTINGS: &str = "home/.qwen/settings.json";

#[test]
fn the_text_from_before_is_kept_beside_and_never_written_over() {
    let folders = TestFolders::new();
    let path = folders.path(SETTINGS);
    folders.write(&path, "{\"a\": 1}");
    let first = apply(folders.connect(QWEN, &Scope::User));
    assert_eq!(first.backups, [folders.path("home/.qwen/settings.json.sightline-backup-20261121T101112Z")]);
    assert_eq!(first.written, [path]);
    apply(folders.disconnect(QWEN, &Scope::User));
    let third = apply(folders.connect(QWEN, &Scope::User));
    assert_eq!(third.backups, [folders.path("home/.qwen/settings.json.sightline-backup-20261121T101112Z-3")]);
    assert_eq!(fs::read_to_string(&first.backups[0]).expect("a backup"), "{\"a\": 1}");
}

#[test]
fn a_file_that_changed_since_is_left_alone() {
    let folders = TestFolders::new();
    let path = folders.path("home/.codex/hooks.json");
    let plan = folders.connect(CODEX, &Scope::User).expect("a plan");
    folders.write(&path, "{}");
    assert!(matches!(plan.apply(now()), Err(Error::Changed { path: changed }) if changed == path));
    assert_eq!(folders.files().len(), 1, "the other was not written either");
}

#[test]
fn when_the_second_file_fails_the_first_is_as_before() {
    let folders = TestFolders::new();
    let path = folders.path("home/.codex/config.toml");
    folders.write(&path, "a = 1\n");
    let mut plan = folders.connect(CODEX, &Scope::User).expect("a plan");
    // Its new name is taken by a folder, which is found out when the first has its name already.
    plan.edits[1].real = folders.path("home/taken");
    fs::create_dir_all(folders.path("home/taken/full")).expect("a folder");
    assert!(matches!(plan.apply(now()), Err(Error::Changed { .. })));
    assert_eq!(folders.files(), [(path, "a = 1\n".to_owned())].into());
    let left = fs::read_dir(folders.path("home/.codex")).expect("a folder").count();
    assert_eq!(left, 1, "neither a backup nor a temporary file");
}

#[cfg(unix)]
#[test]
fn when_the_agents_own_command_fails_all_is_as_before() {
    let folders = TestFolders::new();
    let program = folders.path("bin/claude");
    fs::write(&program, "#!/bin/sh\necho no such scope >&2\nexit 3\n").expect("a program");
    super::connecting::make_program(&program);
    let before = folders.files();
    match folders.connect(CLAUDE, &Scope::User).expect("a plan").apply(now()) {
        Err(Error::Command { command, why }) => {
            assert!(command.starts_with("claude mcp add-json"), "{command}");
            assert_eq!(why, "no such scope");
        }
        other => panic!("it failed: {other:?}"),
    }
    assert_eq!(folders.files(), before);
    assert!(!folders.path("home/.claude").exists(), "the folder that was made is gone");
}

#[rstest]
fn what_cannot_be_edited_is_refused(#[values(CLAUDE, CODEX, GEMINI, OPENCODE, QWEN)] agent: &'static dyn Agent) {
    let folders = TestFolders::new();
    let environment = folders.environment();
    let path = look(&environment, agent, &Scope::User, &server()).expect("it can be looked at").files[0].clone();
    let refused = |what: &str| {
        let found = look(&environment, agent, &Scope::User, &server()).expect("it can be looked at");
        assert!(matches!(found.server, Registration::Unreadable(_)), "{what}");
        let plans = [folders.connect(agent, &Scope::User), folders.disconnect(agent, &Scope::User)];
        plans.map(|plan| plan.expect_err(what))
    };
    folders.write(&path, "\n\n  {\"a\": ?\n");
    for error in refused("a mistake") {
        assert!(matches!(error, Error::Syntax { line: 3.., column: 3.., .. }), "{error}");
    }
    fs::write(&path, b"a\xff").expect("it can be written");
    assert!(refused("no text").iter().all(|error| matches!(error, Error::NoText { at: 1, .. })));
    fs::File::create(&path).and_then(|file| file.set_len(LIMIT + 1)).expect("it can be written");
    assert!(refused("too large").iter().all(|error| matches!(error, Error::TooLarge { .. })));
    fs::remove_file(&path).and_then(|()| fs::create_dir(&path)).expect("a folder");
    assert!(refused("a folder").iter().all(|error| matches!(error, Error::NoFile { .. })));
    #[cfg(unix)]
    {
        fs::remove_dir(&path).and_then(|()| std::os::unix::fs::symlink("nowhere", &path)).expect("a link");
        assert!(refused("a link to nothing").iter().all(|error| matches!(error, Error::NoFile { .. })));
    }
}

#[test]
fn a_read_only_file_is_refused() {
    let folders = TestFolders::new();
    let path = folders.path(SETTINGS);
    folders.write(&path, "{}");
    let mut permissions = path.metadata().expect("a file").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).expect("it can be set");
    assert!(matches!(folders.connect(QWEN, &Scope::User), Err(Error::ReadOnly { .. })));
    assert!(folders.disconnect(QWEN, &Scope::User).expect("nothing to write").is_nothing());
}

#[cfg(unix)]
#[test]
fn a_link_stays_one_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folders = TestFolders::new();
    let (path, real) = (folders.path(SETTINGS), folders.path("project/dotfiles.json"));
    let mode = |path: &std::path::Path| path.metadata().expect("a file").permissions().mode() & 0o777;
    folders.write(&real, "{\"a\": 1}\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("it can be set");
    fs::create_dir_all(folders.path("home/.qwen"))
        .and_then(|()| symlink("../../project/dotfiles.json", &path))
        .expect("a link");
    let applied = apply(folders.connect(QWEN, &Scope::User));
    assert!(path.is_symlink());
    assert!(fs::read_to_string(&real).expect("a file").contains("sightline"));
    assert_eq!((mode(&real), mode(&applied.backups[0])), (0o640, 0o640));
    apply(folders.disconnect(QWEN, &Scope::User));
    assert_eq!(fs::read_to_string(&real).expect("a file"), "{\"a\": 1}\n");
    assert!(path.is_symlink());

    apply(folders.connect(GEMINI, &Scope::User));
    assert_eq!(mode(&folders.path("home/.gemini/settings.json")), 0o600, "a key may come into it");
    apply(folders.connect(GEMINI, &folders.scopes()[1]));
    assert_eq!(mode(&folders.path("project/.gemini/settings.json")) & 0o600, 0o600);
}

#[test]
fn the_difference_is_shown() {
    let folders = TestFolders::new();
    let path = folders.path("home/.codex/config.toml");
    folders.write(&path, "a = 1\n");
    let plan = folders.connect(CODEX, &Scope::User).expect("a plan");
    let path = path.display();
    let expected = format!("--- {path}\n+++ {path}\n@@ -1 +1,5 @@\n a = 1\n+\n+[mcp_servers.sightline]\n");
    assert!(plan.diff().starts_with(&expected), "{}", plan.diff());
    assert!(plan.diff().contains("--- /dev/null\n"), "{}", plan.diff());
}
