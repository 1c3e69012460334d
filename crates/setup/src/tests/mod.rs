//! The promises, with each agent's files in temporary folders.

mod answers;
mod applying;
#[cfg(unix)]
mod claude;
mod connecting;
mod disconnecting;
mod editors;
mod forms;
#[cfg(unix)]
mod links;
mod looking;
mod meanwhile;
mod offers;
mod turned_off;

use crate::{Applied, Options, Plan, Result, Server, connect, disconnect};
use agents::{Agent, Environment, Scope};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A path begins with it where it has to be a whole one.
const DRIVE: &str = if cfg!(windows) { "C:" } else { "" };

const CLAUDE: &dyn Agent = &agents::claude::Claude;
const CODEX: &dyn Agent = &agents::codex::Codex;
const GEMINI: &dyn Agent = &agents::gemini::Gemini;
const OPENCODE: &dyn Agent = &agents::opencode::OPENCODE;
const QWEN: &dyn Agent = &agents::qwen::Qwen;

/// A home and a project that go with the test.
struct TestFolders {
    folder: tempfile::TempDir,
}

impl TestFolders {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["home", "project", "bin"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name.replace('/', std::path::MAIN_SEPARATOR_STR))
    }

    fn environment(&self) -> Environment {
        let path = self.path("bin").display().to_string();
        Environment { home: self.path("home"), variables: BTreeMap::from([("PATH".to_owned(), path)]) }
    }

    fn scopes(&self) -> [Scope; 2] {
        [Scope::User, Scope::Project(self.path("project"))]
    }

    fn connect(&self, agent: &'static dyn Agent, scope: &Scope) -> Result<Plan> {
        connect(&self.environment(), agent, scope, &server(), Options::default())
    }

    fn disconnect(&self, agent: &'static dyn Agent, scope: &Scope) -> Result<Plan> {
        disconnect(&self.environment(), agent, scope, &server())
    }

    fn write(&self, path: &Path, text: &str) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }

    /// Every file and its text, but for backups.
    fn files(&self) -> BTreeMap<PathBuf, String> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for file in fs::read_dir(folder).expect("a folder").flatten() {
                let path = file.path();
                if path.is_dir() {
                    folders.push(path);
                } else if !path.display().to_string().contains(".sightline-backup-") {
                    let text = fs::read_to_string(&path).expect("a text");
                    files.insert(path, text);
                }
            }
        }
        files
    }
}

fn server() -> Server {
    server_at("/opt/sight line/sightline")
}

fn server_at(command: &str) -> Server {
    Server { command: format!("{DRIVE}{command}").into(), data_dir: data().into() }
}

/// The path of our program in an entry.
fn program() -> String {
    format!("{DRIVE}/opt/sight line/sightline")
}

/// The folder of the data in an entry.
fn data() -> String {
    format!("{DRIVE}/home/u/it's data")
}

fn now() -> Timestamp {
    "2026-11-21T10:11:12Z".parse().expect("a time")
}

fn apply(plan: Result<Plan>) -> Applied {
    plan.expect("a plan").apply(now()).expect("it can be done")
}
