//! Where things are on this machine: programs on the search path, and the agents' files.

use crate::agent::Agent;
use crate::json;
use crate::server::NAME;
use crate::source::Source;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file that Claude Code keeps its servers in, among much else.
pub(crate) const CLAUDE: &str = ".claude.json";

/// The machine as seen from outside: nothing in this crate looks at the process's own environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The user's home folder.
    pub home: PathBuf,
    /// Environment variables by name. Read are `PATH`, `PATHEXT`, `XDG_CONFIG_HOME` and those that move an agent's
    /// folder: `CLAUDE_CONFIG_DIR`, `CODEX_HOME`, `GEMINI_CLI_HOME`, `QWEN_HOME`. (`OPENCODE_CONFIG` and
    /// `OPENCODE_CONFIG_DIR` name files read beside the usual ones, so nothing moves.)
    pub environment: BTreeMap<String, String>,
}

/// Whose configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The user's, for all projects.
    User,
    /// That of the project in this folder. Nothing secret is ever written there.
    Project(PathBuf),
}

/// The files of an agent at a scope. Some agents keep all in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Files {
    pub(crate) server: PathBuf,
    pub(crate) hooks: Option<PathBuf>,
    /// What holds the switch of its own list.
    pub(crate) own_list: Option<PathBuf>,
    /// The folder that is the agent's own, made by whoever comes first. One that a variable names is the user's.
    pub(crate) folder: Option<PathBuf>,
}

impl Machine {
    /// A variable that says something.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// The program of that name on the search path.
    #[must_use]
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let endings: Vec<&str> = match cfg!(windows) {
            true => self.variable("PATHEXT").unwrap_or(".EXE;.CMD;.BAT").split(';').collect(),
            false => vec![""],
        };
        let folders = std::env::split_paths(self.variable("PATH")?).filter(|folder| folder.is_absolute());
        let mut candidates = folders
            .flat_map(|folder| endings.iter().map(move |end| folder.join(format!("{name}{end}"))).collect::<Vec<_>>());
        candidates.find(|path| is_program(path))
    }

    pub(crate) fn files(&self, agent: Agent, scope: &Scope) -> Files {
        let (parent, moved) = match scope {
            Scope::User => {
                let variable = match agent {
                    Agent::Claude => "CLAUDE_CONFIG_DIR",
                    Agent::Codex => "CODEX_HOME",
                    Agent::Qwen => "QWEN_HOME",
                    Agent::Gemini | Agent::Opencode => "",
                };
                (&self.home, self.folder(variable))
            }
            Scope::Project(folder) => (folder, None),
        };
        let folder = moved.clone().unwrap_or_else(|| parent.join(format!(".{}", agent.name())));
        let own = moved.is_none().then(|| folder.clone());
        let (server, hooks, own_list, folder) = match (agent, scope) {
            (Agent::Claude, scope) => {
                let server = match scope {
                    Scope::User => moved.as_ref().unwrap_or(parent).join(CLAUDE),
                    Scope::Project(_) => parent.join(".mcp.json"),
                };
                let settings = folder.join("settings.json");
                (server, Some(settings.clone()), Some(settings), own)
            }
            (Agent::Codex, _) => {
                let config = folder.join("config.toml");
                (config.clone(), Some(folder.join("hooks.json")), Some(config), own)
            }
            (Agent::Gemini, scope) => {
                let folder = match scope {
                    Scope::User => self.gemini(),
                    Scope::Project(_) => folder,
                };
                let path = folder.join("settings.json");
                (path.clone(), Some(path), None, Some(folder))
            }
            (Agent::Qwen, _) => {
                let path = folder.join("settings.json");
                (path.clone(), Some(path.clone()), Some(path), own)
            }
            (Agent::Opencode, scope) => {
                let path = self.opencode(scope);
                let own = path.parent().filter(|folder| *folder != parent).map(Path::to_owned);
                (path, None, None, own)
            }
        };
        Files { server, hooks, own_list, folder }
    }

    fn gemini(&self) -> PathBuf {
        self.folder("GEMINI_CLI_HOME").unwrap_or_else(|| self.home.clone()).join(".gemini")
    }

    /// Where `gemini mcp disable` notes what it turned off, for all projects.
    pub(crate) fn gemini_enablement(&self) -> PathBuf {
        self.gemini().join("mcp-server-enablement.json")
    }

    /// opencode reads several files of a folder and merges them; its own `mcp add` writes into the first there is. The
    /// one that has our name already comes before.
    fn opencode(&self, scope: &Scope) -> PathBuf {
        let (folder, names): (_, &[&str]) = match scope {
            Scope::User => {
                let config = self.folder("XDG_CONFIG_HOME").unwrap_or_else(|| self.home.join(".config"));
                (config.join("opencode"), &["opencode.json", "opencode.jsonc"])
            }
            Scope::Project(folder) => (
                folder.clone(),
                &["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
            ),
        };
        let paths: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
        let there = |path: &&PathBuf| path.symlink_metadata().is_ok();
        let registered = |path: &&PathBuf| {
            let source = Source::read(path).ok();
            let value = source.and_then(|source| json::value(source.body()).ok());
            value.is_some_and(|value| !value["mcp"][NAME].is_null())
        };
        let chosen = paths.iter().find(registered).or_else(|| paths.iter().find(there));
        chosen.cloned().unwrap_or_else(|| folder.join(names[0]))
    }

    /// A folder that a variable names; `~` as the agents take it.
    fn folder(&self, variable: &str) -> Option<PathBuf> {
        let value = self.variable(variable)?;
        let path = match value.strip_prefix('~') {
            Some("") => self.home.clone(),
            Some(rest) if rest.starts_with('/') => self.home.join(&rest[1..]),
            _ => PathBuf::from(value),
        };
        path.is_absolute().then_some(path)
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
