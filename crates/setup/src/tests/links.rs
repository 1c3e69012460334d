//! Links that users make of their configuration, and folders that are theirs.

use super::{CLAUDE, CODEX, GEMINI, OPENCODE, QWEN, TestFolders, apply, now};
use crate::apply::Work;
use crate::{Error, instruct};

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

/// The project of somebody else, whose links lead out of it.
#[rstest]
#[case::file(CLAUDE, ".mcp.json", "home/.claude.json")]
#[case::hooks(CLAUDE, ".claude/settings.json", "home/.ssh/authorized_keys")]
#[case::folder(GEMINI, ".gemini", "home/.gemini")]
#[case::folder_of_a_new_file(QWEN, ".qwen", "home/new")]
#[case::over_dots(OPENCODE, "opencode.json", "project/../home/.bashrc")]
fn a_link_out_of_a_project_is_refused(#[case] agent: &'static dyn Agent, #[case] link: &str, #[case] target: &str) {
    let folders = TestFolders::new();
    let (link, target) = (folders.path("project").join(link), folders.path(target));
    let is_file = target.extension().is_some() || target.to_string_lossy().contains("authorized");
    match is_file {
        true => folders.write(&target, "{}\n"),
        false => fs::create_dir_all(&target).expect("a folder"),
    }
    fs::create_dir_all(link.parent().expect("a folder")).and_then(|()| symlink(&target, &link)).expect("a link");
    let before = folders.files();
    let scope = Scope::Project(folders.path("project"));
    for planned in [folders.connect(agent, &scope), folders.disconnect(agent, &scope)] {
        let error = planned.expect_err("it is refused");
        let Error::Outside { path, real } = &error else { panic!("{error}") };
        assert!(path.starts_with(folders.path("project")) && real.starts_with(folders.path("home")), "{error}");
        let said = error.to_string();
        assert!(said.contains(&real.display().to_string()) && said.contains("leads out of the project"), "{said}");
    }
    assert_eq!(folders.files(), before);
}

#[test]
fn instructions_that_lead_out_of_a_project_are_refused() {
    let folders = TestFolders::new();
    let keys = folders.path("home/.ssh/authorized_keys");
    folders.write(&keys, "ssh-ed25519 AAAA me\n");
    symlink(&keys, folders.path("project/AGENTS.md")).expect("a link");
    for plan in [instruct(&folders.path("project"), CODEX), crate::uninstruct(&folders.path("project"), CODEX)] {
        assert!(matches!(plan, Err(Error::Outside { .. })));
    }
    assert_eq!(fs::read_to_string(&keys).expect("it stays"), "ssh-ed25519 AAAA me\n");
}

#[test]
fn a_link_within_a_project_is_shown_with_its_end() {
    let folders = TestFolders::new();
    let (link, real) = (folders.path("project/AGENTS.md"), folders.path("project/docs/agents.md"));
    folders.write(&real, "Words.\n");
    symlink("docs/agents.md", &link).expect("a link");
    let plan = instruct(&folders.path("project"), CODEX).expect("a plan");
    assert!(
        plan.diff().starts_with(&format!("{} leads to {}\n---", link.display(), real.display())),
        "{}",
        plan.diff()
    );
    apply(Ok(plan));
    assert!(link.is_symlink() && fs::read_to_string(&real).expect("a file").contains("sightline"));
}

#[test]
fn a_users_own_link_is_shown_with_its_end() {
    let folders = TestFolders::new();
    let real = folders.path("dotfiles/settings.json");
    folders.write(&real, "{}\n");
    fs::create_dir(folders.path("home/.gemini")).expect("a folder");
    symlink(&real, folders.path("home/.gemini/settings.json")).expect("a link");
    let diff = folders.connect(GEMINI, &Scope::User).expect("a plan").diff();
    assert!(diff.contains(&format!("leads to {}\n", real.display())), "{diff}");
    let plain = folders.connect(QWEN, &Scope::User).expect("a plan").diff();
    assert!(!plain.contains("leads to"), "{plain}");
}

#[rstest]
#[case::circle(|path: &std::path::Path| symlink(path, path).expect("a link"))]
#[case::nothing(|path: &std::path::Path| symlink("/nowhere/at/all", path).expect("a link"))]
#[case::device(|path: &std::path::Path| symlink("/dev/zero", path).expect("a link"))]
#[case::pipe(|path: &std::path::Path| assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo").success()))]
fn links_that_lead_to_no_file_are_refused(
    #[case] make: fn(&std::path::Path),
    #[values("project/.gemini", "project/.gemini/settings.json", "home/.gemini/settings.json")] place: &str,
) {
    let folders = TestFolders::new();
    let path = folders.path(place);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    make(&path);
    let scope = if place.starts_with("home") { Scope::User } else { Scope::Project(folders.path("project")) };
    let error = folders.connect(GEMINI, &scope).expect_err("it is refused").to_string();
    assert!(error.contains(".gemini"), "{error}");
}

/// The plan was shown and is about to be made.
#[rstest]
#[case::file_that_is_there("settings.json", true)]
#[case::file_that_is_new("settings.json", false)]
#[case::folder_that_is_there("", true)]
#[case::folder_that_is_new("", false)]
fn a_link_that_comes_after_the_plan_is_not_followed(
    #[case] swapped: &str,
    #[case] is_there: bool,
    #[values(false, true)] is_staged: bool,
) {
    let folders = TestFolders::new();
    let folder = folders.path("project/.gemini");
    let victim = folders.path("home/.gemini/settings.json");
    folders.write(&victim, "{}\n");
    if is_there {
        folders.write(&folder.join("settings.json"), "{}\n");
    }
    let plan = folders.connect(GEMINI, &Scope::Project(folders.path("project"))).expect("a plan");
    let mut work = Work::new(&plan);
    if is_staged {
        work.stage(now()).expect("all is ready");
    }
    if swapped.is_empty() {
        let _ = fs::rename(&folder, folders.path("project/aside"));
        symlink(folders.path("home/.gemini"), &folder).expect("a link");
    } else {
        fs::create_dir_all(&folder).expect("a folder");
        let _ = fs::remove_file(folder.join(swapped));
        symlink(&victim, folder.join(swapped)).expect("a link");
    }
    let done = if is_staged { work.write() } else { work.stage(now()) };
    let error = work.put_back(done.expect_err("it leads elsewhere"));
    assert!(matches!(&error, Error::Changed { .. } | Error::Write { .. }), "{error}");
    assert_eq!(fs::read_to_string(&victim).expect("it stays"), "{}\n");
    assert_eq!(fs::read_dir(folders.path("home/.gemini")).expect("a folder").count(), 1, "nothing of ours is there");
}
