//! Files that somebody else writes at the same time.

use super::{CODEX, GEMINI, QWEN, TestFolders, apply, now};
use crate::apply::Work;
use crate::{Error, Plan};
use agents::Scope;
use std::fs;
use std::path::Path;

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|file| file.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A window shows a plan, and it is applied when the user says so.
#[test]
fn a_plan_can_wait() {
    fn waits<T: Clone + PartialEq + Send + Sync + 'static>(_: &T) {}
    let folders = TestFolders::new();
    let path = folders.path("home/.qwen/settings.json");
    folders.write(&path, "{}");
    let plan = folders.connect(QWEN, &Scope::User).expect("a plan");
    waits(&plan);
    assert_eq!(plan, folders.connect(QWEN, &Scope::User).expect("a plan"), "made again it is the same");
    fs::write(&path, "{ }").expect("it can be written");
    assert_ne!(plan, folders.connect(QWEN, &Scope::User).expect("a plan"));
    let error = plan.apply(now()).expect_err("it was changed");
    assert!(error.to_string().ends_with("was changed meanwhile; nothing was written. Look at the difference again"));
    assert_eq!(read(&path), "{ }");
}

#[test]
fn a_file_that_changes_just_before_its_turn_is_left() {
    let folders = TestFolders::new();
    let path = folders.path("home/.codex/config.toml");
    folders.write(&path, "a = 1\n");
    let plan = folders.connect(CODEX, &Scope::User).expect("a plan");
    let mut work = Work::new(&plan);
    work.stage(now()).expect("all is ready");
    fs::write(&path, "a = 2\n").expect("it can be written");
    let error = work.write().expect_err("it was changed");
    assert!(matches!(work.put_back(error), Error::Changed { path: changed } if changed == path));
    assert_eq!(read(&path), "a = 2\n");
    assert_eq!(names(&folders.path("home/.codex")), ["config.toml"], "nothing is left of ours");
}

#[test]
fn a_file_that_comes_just_before_its_turn_is_left() {
    let folders = TestFolders::new();
    let path = folders.path("home/.codex/hooks.json");
    let plan = folders.connect(CODEX, &Scope::User).expect("a plan");
    let mut work = Work::new(&plan);
    work.stage(now()).expect("all is ready");
    fs::write(&path, "{}").expect("it can be written");
    let error = work.write().expect_err("it is there");
    assert!(matches!(work.put_back(error), Error::Changed { path: changed } if changed == path));
    assert_eq!(read(&path), "{}");
    assert_eq!(names(&folders.path("home/.codex")), ["hooks.json"]);
}

/// Both names lead to one file: what the first edit wrote is a change to the second.
#[cfg(unix)]
#[test]
fn one_file_by_two_names() {
    let folders = TestFolders::new();
    let (config, hooks) = (folders.path("home/.codex/config.toml"), folders.path("home/.codex/hooks.json"));
    folders.write(&config, "");
    std::os::unix::fs::symlink("config.toml", &hooks).expect("a link");
    let plan = folders.connect(CODEX, &Scope::User).expect("a plan");
    assert!(matches!(plan.apply(now()), Err(Error::Changed { path }) if path == hooks));
    assert_eq!(read(&config), "");
    assert_eq!(names(&folders.path("home/.codex")), ["config.toml", "hooks.json"]);
}

/// The second file fails after the first was written and written again by somebody else.
#[test]
fn what_is_newer_than_ours_is_not_put_back() {
    let folders = TestFolders::new();
    let (config, hooks) = (folders.path("home/.codex/config.toml"), folders.path("home/.codex/hooks.json"));
    folders.write(&config, "a = 1\n");
    folders.write(&hooks, "{}");
    let plan = folders.connect(CODEX, &Scope::User).expect("a plan");
    let mut work = Work::new(&plan);
    work.stage(now()).and_then(|()| work.write()).expect("it is written");
    fs::write(&config, "theirs = true\n").expect("it can be written");
    let error = work.put_back(Error::Changed { path: hooks.clone() });
    let Error::Newer { path, backup, cause } = &error else { panic!("{error}") };
    assert_eq!((path, read(Path::new(&backup.english)).as_str()), (&config, "a = 1\n"), "its text from before is kept");
    assert!(matches!(**cause, Error::Changed { .. }) && error.to_string().contains("stays as it is now"), "{error}");
    assert_eq!((read(&config).as_str(), read(&hooks).as_str()), ("theirs = true\n", "{}"));
}

#[test]
fn a_file_that_comes_again_after_ours_went_is_not_put_back() {
    let folders = TestFolders::new();
    apply(folders.connect(GEMINI, &Scope::User));
    let path = folders.path("home/.gemini/settings.json");
    let plan: Plan = folders.disconnect(GEMINI, &Scope::User).expect("a plan");
    let mut work = Work::new(&plan);
    work.stage(now()).and_then(|()| work.write()).expect("it is written");
    assert!(!path.exists());
    fs::write(&path, "{\"theirs\": 1}").expect("it can be written");
    let error = work.put_back(Error::Changed { path: path.clone() });
    assert!(matches!(error, Error::Newer { .. }), "{error}");
    assert_eq!(read(&path), "{\"theirs\": 1}");
}
