//! Codex, read in the package of 0.169.0.

mod rollout;

use crate::asking::AskingHook;
use crate::lists::ListTool;
use crate::transcript::{Transcript, ends, stem};
use crate::{
    Agent, BuiltInSwitch, CallOrigin, ConfigurationFiles, EntryForm, Environment, Facts, HookEvent, Hooks, HooksForm,
    Invocation, Scope, ServerForm, ServerVariables, Syntax, WindowsShell, subagent_session,
};
use protocol::{AskKind, Text, say};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The variable that moves its folder.
const FOLDER: &str = "CODEX_HOME";

pub struct Codex;

const FACTS: Facts = Facts {
    proven: Some("0.169.0"),
    mcp_clients: &["codex"],
    resume: Some(&["resume"]),
    prompt: Some(&[]),
    server_variables: Some(ServerVariables {
        unix: &["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"],
        windows: &[
            "APPDATA",
            "COMSPEC",
            "HOMEDRIVE",
            "HOMEPATH",
            "LOCALAPPDATA",
            "PATH",
            "PATHEXT",
            "PROGRAMDATA",
            "PROGRAMFILES",
            "SHELL",
            "SYSTEMDRIVE",
            "SYSTEMROOT",
            "TEMP",
            "TMP",
            "USERDOMAIN",
            "USERNAME",
            "USERPROFILE",
        ],
    }),
    server_form: Some(ServerForm::Entry(EntryForm {
        syntax: Syntax::Toml,
        servers: "mcp_servers",
        off: Some(("enabled", false)),
        ..EntryForm::MCP_SERVERS
    })),
    hooks: Some(Hooks {
        form: HooksForm::Groups,
        events: &[
            HookEvent::heard("SessionStart"),
            HookEvent::answered("UserPromptSubmit"),
            HookEvent::answered("PostToolUse"),
            HookEvent::goes_on("Stop"),
            HookEvent::heard("SessionEnd"),
        ],
        // `SessionEnd` is cut to 3 seconds, with a message where more is asked for.
        timeout: 3,
        named: false,
        windows_shell: WindowsShell::PowerShell,
        off: None,
    }),
    list_tools: &[ListTool { name: "update_plan", items: "plan", content: "step" }],
    ..Facts::new("codex", "Codex")
};

impl Agent for Codex {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    /// It shows no prompt until the hook has ended.
    fn asking(&self) -> Option<AskingHook> {
        Some(AskingHook::new(HookEvent::heard("PermissionRequest"), AskKind::Before))
    }

    fn headless_call(&self, prompt: &str) -> Option<Invocation> {
        Some(Invocation::new(&["exec", "--skip-git-repo-check", "-s", "read-only", "--ephemeral", prompt]))
    }

    /// Each call names its session, also in a resumed run. A subagent is a thread of it.
    fn call_origin(&self, meta: &Map<String, Value>) -> Option<CallOrigin> {
        let word = |field: &str| meta.get(field).and_then(Value::as_str);
        let session = word("sessionId")?;
        Some(match word("threadId").filter(|thread| *thread != session) {
            Some(thread) => CallOrigin { session: subagent_session(session, thread), parent: Some(session.to_owned()) },
            None => CallOrigin { session: session.to_owned(), parent: None },
        })
    }

    fn files(&self, environment: &Environment, scope: &Scope) -> ConfigurationFiles {
        let (folder, own) = match scope {
            Scope::User => {
                let (moved, usual) = (environment.folder(FOLDER), environment.home.join(".codex"));
                let own = moved.is_none().then(|| usual.clone());
                (moved.unwrap_or(usual), own)
            }
            Scope::Project(project) => (project.join(".codex"), Some(project.join(".codex"))),
        };
        let config = folder.join("config.toml");
        ConfigurationFiles {
            servers: vec![config.clone()],
            hooks: Some(folder.join("hooks.json")),
            built_in_switch: Some(config),
            own_folder: own,
            ..ConfigurationFiles::default()
        }
    }

    /// Since 0.152.
    fn built_in_switch(&self) -> Option<BuiltInSwitch> {
        let path = &["tools", "update_plan", "enabled"];
        Some(BuiltInSwitch { syntax: Syntax::Toml, path, on: json!(true), off_by_default: true })
    }

    fn notes(&self, hooks: bool, scope: &Scope) -> Vec<Text> {
        match (hooks, scope) {
            (true, Scope::Project(_)) => vec![say::note_trust_project(self.facts().title)],
            (true, Scope::User) => vec![say::note_trust_hooks(self.facts().title)],
            (false, Scope::Project(_)) => vec![say::note_trusted_folders(self.facts().title)],
            (false, Scope::User) => Vec::new(),
        }
    }

    fn transcript_folders(&self, environment: &Environment) -> Vec<PathBuf> {
        let root = environment.folder_or_home(&[FOLDER], ".codex");
        ["sessions", "archived_sessions"].map(|name| root.join(name)).to_vec()
    }

    fn transcript_of(&self, path: &Path) -> Option<PathBuf> {
        (ends(path, "jsonl") && stem(path).starts_with("rollout-")).then(|| path.to_owned())
    }

    fn open_transcript(&self, path: &Path) -> Option<Transcript> {
        Some(Transcript::Lines(Box::new(rollout::Rollout::new(path))))
    }
}
