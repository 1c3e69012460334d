//! Qwen Code, read in the package of 0.24.4.

mod chat;

use crate::asking::AskingHook;
use crate::list_file::ListFile;
use crate::lists::ListTool;
use crate::transcript::{Run, Transcript, ends, is_below, is_in, is_in_some_folder, stem};
use crate::{
    Agent, BuiltInSwitch, ConfigurationFiles, Disables, DisablingSwitch, DisablingSwitchKind, Environment, Facts,
    HookEvent, HookPayload, Hooks, HooksForm, Invocation, NameMatch, SERVER, Scope, ServerForm, SessionVariable,
    Syntax, WindowsShell,
};
use protocol::{AskKind, Text, say};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The variable that moves its folder.
const FOLDER: &str = "QWEN_HOME";

/// Calls of our tools, which subagents make in their agent's name. Qwen Code takes a regular expression.
const OUR_TOOLS: &str = "mcp__sightline__.*";

/// Qwen Code.
pub struct Qwen;

const FACTS: Facts = Facts {
    proven: Some("0.24.4"),
    aliases: &["qwen-code"],
    mcp_clients: &["qwen"],
    resume: Some(&["--resume"]),
    prompt: Some(&["--prompt-interactive"]),
    session_variable: Some(SessionVariable { name: "QWEN_CODE_SESSION_ID", may_be_old: false }),
    // Its MCP client gives another version.
    version_variable: Some("QWEN_CODE_STARTUP_VERSION"),
    instructions: "QWEN.md",
    server_form: Some(ServerForm::MCP_SERVERS),
    hooks: Some(Hooks {
        form: HooksForm::Groups,
        events: &[
            HookEvent::heard("SessionStart"),
            HookEvent::answered("UserPromptSubmit"),
            HookEvent::heard("PreToolUse").of(OUR_TOOLS),
            HookEvent::answered("PostToolUse").of("*"),
            HookEvent::answered("PostToolUseFailure").of("*"),
            HookEvent::heard("Notification"),
            HookEvent::goes_on("Stop"),
            HookEvent::heard("SessionEnd"),
        ],
        timeout: 5,
        named: true,
        windows_shell: WindowsShell::Named,
        off: Some((&["disableAllHooks"], true)),
    }),
    list_tools: &[ListTool::new("todo_write")],
    ..Facts::new("qwen", "Qwen Code")
};

impl Agent for Qwen {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    /// It shows no prompt until the hook has ended. A limit of 1,000 and more it reads as milliseconds.
    fn asking(&self) -> Option<AskingHook> {
        let asking = AskingHook::new(HookEvent::heard("PermissionRequest"), AskKind::Before);
        Some(AskingHook { milliseconds_from: 1_000, ..asking })
    }

    /// At the end of a turn it tells its context.
    fn read_hook(&self, payload: &[u8]) -> protocol::Result<HookPayload> {
        HookPayload::read_with_context(self, payload)
    }

    fn headless_call(&self, prompt: &str) -> Option<Invocation> {
        let allowed = ["--allowed-tools", "mcp__sightline__todo_write", "--allowed-mcp-server-names", SERVER];
        let rest = ["--chat-recording=false", "--max-session-turns", "6", "-p", prompt];
        Some(Invocation::new(&[&allowed[..], &rest].concat()))
    }

    fn files(&self, environment: &Environment, scope: &Scope) -> ConfigurationFiles {
        let (folder, own) = match scope {
            Scope::User => {
                let (moved, usual) = (environment.folder(FOLDER), environment.home.join(".qwen"));
                let own = moved.is_none().then(|| usual.clone());
                (moved.unwrap_or(usual), own)
            }
            Scope::Project(project) => (project.join(".qwen"), Some(project.join(".qwen"))),
        };
        let settings = folder.join("settings.json");
        ConfigurationFiles {
            servers: vec![settings.clone()],
            hooks: Some(settings.clone()),
            built_in_switch: Some(settings),
            own_folder: own,
            ..ConfigurationFiles::default()
        }
    }

    /// It leaves out what one list names and what the other does not name, with patterns in both. The lists were once
    /// called otherwise; Qwen Code takes them over when it starts.
    fn disabling_switches(&self, environment: &Environment, scope: &Scope) -> Vec<(PathBuf, DisablingSwitch)> {
        use DisablingSwitchKind::{Allowed, Excluded};
        use NameMatch::Pattern;
        let settings = self.files(environment, scope).servers.swap_remove(0);
        let switches: [(&[&str], _); 4] = [
            (&["mcp", "excluded"], Excluded(Pattern)),
            (&["mcp", "allowed"], Allowed(Pattern)),
            (&["excludeMCPServers"], Excluded(Pattern)),
            (&["allowMCPServers"], Allowed(Pattern)),
        ];
        let switch = |(path, kind)| (settings.clone(), DisablingSwitch { disables: Disables::Server, path, kind });
        switches.map(switch).to_vec()
    }

    /// Since 0.24 at the latest.
    fn built_in_switch(&self) -> Option<BuiltInSwitch> {
        let path = &["tools", "todoWrite", "enabled"];
        Some(BuiltInSwitch { syntax: Syntax::Json, path, on: json!(true), off_by_default: true })
    }

    fn notes(&self, _hooks: bool, scope: &Scope) -> Vec<Text> {
        match scope {
            Scope::User => Vec::new(),
            Scope::Project(_) => vec![say::note_approve_project(self.facts().title)],
        }
    }

    fn transcript_folders(&self, environment: &Environment) -> Vec<PathBuf> {
        let root = environment.folder_or_home(&["QWEN_RUNTIME_DIR", FOLDER], ".qwen");
        ["projects", "todos"].map(|name| root.join(name)).to_vec()
    }

    fn transcript_of(&self, path: &Path) -> Option<PathBuf> {
        let is_list = ends(path, "json") && is_in(path, "todos");
        let is_chat = ends(path, "jsonl") && (is_in(path, "chats") || is_below(path, "subagents"));
        (is_list || is_chat).then(|| path.to_owned())
    }

    fn open_transcript(&self, path: &Path) -> Option<Transcript> {
        if !ends(path, "json") {
            return Some(Transcript::Lines(Box::new(chat::Chat::new(path))));
        }
        let (id, path) = (stem(path), path.to_owned());
        let run = Run::new(&id);
        let chat = PathBuf::from("chats").join(format!("{id}.jsonl"));
        let has_chat = move || {
            let root = path.parent().and_then(Path::parent);
            root.is_some_and(|root| is_in_some_folder(&root.join("projects"), &chat))
        };
        Some(Transcript::File(Box::new(ListFile::new(&Qwen, "todo_write", run, has_chat))))
    }
}
