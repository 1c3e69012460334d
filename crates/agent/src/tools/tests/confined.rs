//! A real server that tries to leave its folder, confined and not.

use super::options;
use crate::tools::{Folder, Options, Server, Tools, Transport};
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tools/tests/confined.py");

/// A home that is not in a temporary folder, where everything would be hidden in any case: our data with a key and a
/// socket, a secret of the user's, a project, and a file beside it.
struct Home {
    home: TempDir,
    _socket: UnixListener,
}

impl Home {
    fn new() -> Self {
        let built = std::env::current_exe().expect("this test").parent().expect("its folder").to_owned();
        let home = tempfile::Builder::new().prefix("h").tempdir_in(built).expect("a folder");
        for folder in ["data", "project", ".ssh", "run"] {
            std::fs::create_dir(home.path().join(folder)).expect("a folder");
        }
        for (file, text) in [
            ("data/keys.json", "sk-1"),
            (".ssh/id", "sk-2"),
            (".netrc", "sk-3"),
            ("notes", "for all"),
            ("project/a", "a"),
        ] {
            std::fs::write(home.path().join(file), text).expect("written");
        }
        // Its path is short enough for a socket wherever the tests are built.
        let _socket = UnixListener::bind(Path::new("/proc/self/cwd").join(relative(home.path()).join("run/s")))
            .expect("a socket");
        Self { home, _socket }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn options(&self) -> Options {
        let (home, run) = (self.path("").display().to_string(), self.path("run").display().to_string());
        let usual = options();
        let environment = move |name: &str| match name {
            "HOME" => Some(home.clone()),
            "XDG_RUNTIME_DIR" => Some(run.clone()),
            name => (usual.environment)(name),
        };
        Options { environment: Arc::new(environment), data_folder: self.path("data"), ..options() }
    }

    async fn tools(&self, confined: bool, folder: &Path) -> Tools {
        let transport = Transport::Process {
            command: "python3".to_owned(),
            args: vec![SCRIPT.to_owned()],
            env: BTreeMap::new(),
            cwd: Some(Folder { path: folder.to_owned(), of_session: true }),
            confined,
        };
        Tools::connect(vec![Server { name: "box".to_owned(), transport }], self.options()).await
    }
}

/// A path from the folder in which the test runs.
fn relative(path: &Path) -> PathBuf {
    let here = std::env::current_dir().expect("a folder");
    let common = here.ancestors().find(|folder| path.starts_with(folder)).expect("a common folder");
    let up = here.strip_prefix(common).expect("below").components().map(|_| "..").collect::<PathBuf>();
    up.join(path.strip_prefix(common).expect("below"))
}

/// This system can confine at all.
fn can_confine() -> bool {
    let tried = std::process::Command::new("bwrap")
        .args(["--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"])
        .output();
    tried.is_ok_and(|tried| tried.status.success())
}

async fn attempt(tools: &Tools, kind: &str, path: &Path, text: &str) -> String {
    let args: Value = json!({ "kind": kind, "path": path, "text": text });
    tools.call("box__try", &args).await.text
}

#[tokio::test]
async fn a_confined_server_stays_in_its_folder() {
    let home = Home::new();
    let tools = home.tools(true, &home.path("project")).await;
    if !can_confine() {
        let why = &tools.failures()[0].why.english;
        assert!(why.contains("confined, which this system cannot do (") && why.contains("not started"), "{why}");
        return;
    }
    assert_eq!(tools.failures(), []);
    let refused = |said: &str| assert!(said.starts_with("refused: "), "{said}");
    let key = home.path("data/keys.json");
    for secret in ["data/keys.json", ".ssh/id", ".netrc"] {
        refused(&attempt(&tools, "read", &home.path(secret), "").await);
    }
    assert_eq!(attempt(&tools, "list", &home.path("data"), "").await, "got ");
    refused(&attempt(&tools, "link", &home.path("project/link"), &key.display().to_string()).await);
    refused(&attempt(&tools, "connect", &home.path("run/s"), "").await);
    refused(&attempt(&tools, "read", &PathBuf::from(format!("/proc/{}/environ", std::process::id())), "").await);
    for outside in ["new", "notes", "data/new", ".ssh/new", ".netrc", "project/../new"] {
        refused(&attempt(&tools, "write", &home.path(outside), "x").await);
    }
    assert!(!home.path("new").exists() && !home.path("data/new").exists());
    assert_eq!(std::fs::read_to_string(home.path("notes")).expect("a file"), "for all");
    // All that it needs is there.
    assert_eq!(attempt(&tools, "read", &home.path("notes"), "").await, "got for all");
    assert_eq!(attempt(&tools, "write", &home.path("project/b"), "b").await, "done");
    assert_eq!(std::fs::read_to_string(home.path("project/b")).expect("a file"), "b");
    let folder = home.path("project").canonicalize().expect("a folder");
    assert_eq!(attempt(&tools, "temporary", &folder, "").await, format!("got /tmp {}", folder.display()));
    let temporary = PathBuf::from(format!("/tmp/sightline-confined-{}", std::process::id()));
    assert_eq!(attempt(&tools, "write", &temporary, "x").await, "done");
    assert!(!temporary.exists(), "its temporary folder is its own");
    tools.close().await;
}

#[tokio::test]
async fn one_that_is_not_confined_can_do_all_that() {
    let home = Home::new();
    let tools = home.tools(false, &home.path("project")).await;
    assert_eq!(attempt(&tools, "read", &home.path("data/keys.json"), "").await, "got sk-1");
    assert_eq!(attempt(&tools, "write", &home.path("new"), "x").await, "done");
    assert_eq!(attempt(&tools, "list", &home.path("data"), "").await, "got keys.json");
    tools.close().await;
}

#[rstest]
#[case::all_there_is("/", "cannot be in the folder /")]
#[case::the_users_home("", "your home folder would be open to it")]
#[case::around_it("..", "your home folder would be open to it")]
#[case::our_data("data", "is hidden, and cannot be in")]
#[case::a_secret(".ssh", "is hidden, and cannot be in")]
#[tokio::test]
async fn a_folder_that_it_cannot_have(#[case] folder: &str, #[case] why: &str) {
    let home = Home::new();
    let tools = home.tools(true, &home.path(folder)).await;
    assert!(tools.failures()[0].why.english.contains(why), "{:?}", tools.failures());
    assert!(tools.specs().is_empty());
}

#[tokio::test]
async fn without_bubblewrap_it_is_not_started() {
    let home = Home::new();
    let nowhere = home.path("project").display().to_string();
    let environment = move |name: &str| (name == "PATH").then(|| nowhere.clone());
    let options = Options { environment: Arc::new(environment), ..home.options() };
    let note = home.path("project/note");
    let args = vec!["-c".to_owned(), format!("echo x > {}", note.display())];
    let transport = Transport::Process {
        command: "/bin/sh".to_owned(),
        args,
        env: BTreeMap::new(),
        cwd: Some(Folder { path: home.path("project"), of_session: true }),
        confined: true,
    };
    let tools = Tools::connect(vec![Server { name: "box".to_owned(), transport }], options).await;
    let why = &tools.failures()[0].why.english;
    assert!(why.contains("(bubblewrap is not installed); it was not started. Install bubblewrap"), "{why}");
    assert!(!note.exists());
}
