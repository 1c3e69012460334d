//! Our server and our hooks as the agents are to run them, and how ours are told from others'.

use crate::agent::{Agent, Form};
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The name under which agents know our server.
pub const NAME: &str = "sightline";

/// What agents are to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The absolute path of the `sightline` program.
    pub command: PathBuf,
    /// The data folder, absolute.
    pub data_dir: PathBuf,
}

/// `Server` with its paths as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ours {
    agent: Agent,
    command: String,
    data_dir: String,
}

impl Server {
    /// Ours for an agent, unless a path is no text: no configuration can hold one.
    pub(crate) fn of(&self, agent: Agent) -> Option<Ours> {
        let text = |path: &Path| path.to_str().filter(|text| !text.contains('\0')).map(str::to_owned);
        Some(Ours { agent, command: text(&self.command)?, data_dir: text(&self.data_dir)? })
    }
}

/// A server's entry in JSON, its members in this order.
#[derive(Serialize)]
pub(crate) struct Entry {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    pub(crate) command: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) args: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    enabled: Option<bool>,
    #[serde(rename = "alwaysLoad", skip_serializing_if = "Option::is_none")]
    always_load: Option<bool>,
}

/// The group of hooks that an event gets.
#[derive(Serialize)]
pub(crate) struct Group {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'static str>,
    hooks: [Hook; 1],
}

#[derive(Serialize)]
struct Hook {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
    #[serde(rename = "type")]
    kind: &'static str,
    command: String,
    timeout: u32,
}

impl Ours {
    pub(crate) fn command(&self) -> &str {
        &self.command
    }

    pub(crate) fn args(&self) -> Vec<String> {
        ["mcp", "--agent", self.agent.name(), "--data-dir", &self.data_dir].map(str::to_owned).to_vec()
    }

    pub(crate) fn entry(&self) -> Entry {
        let form = self.agent.form();
        let (command, args) = match form {
            Form::Opencode => {
                let words = std::iter::once(self.command.clone()).chain(self.args());
                (Value::from_iter(words), None)
            }
            _ => (Value::from(self.command.clone()), Some(self.args())),
        };
        Entry {
            kind: match form {
                Form::Opencode => Some("local"),
                Form::Claude => Some("stdio"),
                _ => None,
            },
            command,
            args,
            enabled: (form == Form::Opencode).then_some(true),
            always_load: (form == Form::Claude).then_some(true),
        }
    }

    /// What an event's hook runs: one line for the shell that the agents hand it to (`bash -c`, `sh -c`,
    /// `$SHELL -lc`). Only our own two paths go into it, quoted for a POSIX shell. On Windows that is right for Git
    /// Bash, which Claude Code uses there; `cmd` and PowerShell quote otherwise and do not understand it.
    pub(crate) fn hook_command(&self) -> String {
        let words = [&self.command, "hook", self.agent.name(), "--data-dir", &self.data_dir];
        // `Server::of` let no NUL in, the one thing that cannot be quoted.
        words.map(|word| shlex::try_quote(word).unwrap_or_default().into_owned()).join(" ")
    }

    pub(crate) fn group(&self, timeout: u32, tool: bool, named: bool) -> Group {
        let hook = Hook { name: named.then_some(NAME), kind: "command", command: self.hook_command(), timeout };
        Group { matcher: tool.then_some("*"), hooks: [hook] }
    }

    /// Whether words run our program with that first argument: by its path, or by its name at another one.
    fn is_ours(&self, words: &[String], first: &[&str]) -> bool {
        let Some((program, rest)) = words.split_first() else { return false };
        let name = Path::new(program).file_stem().and_then(|name| name.to_str());
        (*program == self.command || name == Some(NAME))
            && rest.len() >= first.len()
            && rest.iter().zip(first).all(|(word, wanted)| word == wanted)
    }

    /// Whether a server's words are ours.
    pub(crate) fn serves(&self, words: &[String]) -> bool {
        self.is_ours(words, &["mcp"])
    }

    /// Whether a hook's command is ours.
    pub(crate) fn hears(&self, command: &str) -> bool {
        // Exactly as we write it: what somebody added to the line is theirs, and so is the line then.
        let whole = |words: &[String]| match words.get(3..) {
            Some([]) => true,
            Some([option, folder]) => {
                option == "--data-dir" && !folder.contains([';', '&', '|', '<', '>', '$', '`', '\n'])
            }
            _ => false,
        };
        let ours = |words: &Vec<String>| whole(words) && self.is_ours(words, &["hook", self.agent.name()]);
        command == self.hook_command() || shlex::split(command).is_some_and(|words| ours(&words))
    }
}

/// The program and arguments of a server's entry; none for a server at an address.
pub(crate) fn words(entry: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let list = |value: &Value| value.as_array().into_iter().flatten().filter_map(text).collect::<Vec<_>>();
    let program = entry.get("command").into_iter().flat_map(|it| text(it).map_or_else(|| list(it), |one| vec![one]));
    program.chain(entry.get("args").into_iter().flat_map(list)).collect()
}
