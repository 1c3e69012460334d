//! Mistral Vibe, seen in runs of 3.0.2 and read in its package.
//!
//! Its model writes programs (`run_typescript`) that call our tools, and reads the structured part of a result. An MCP
//! session over HTTP lasts for one call, so the process of its server of sessions stands for a run.

mod hook;
mod journal;

use crate::asking::{self, AskedCall, AskingHook};
use crate::lists::ListTool;
use crate::transcript::{Transcript, ends, is_below, is_in};
use crate::{
    Agent, ConfigurationFiles, Entry, EntryForm, Environment, Facts, HookEvent, HookKind, HookPayload, HookTables,
    Hooks, HooksForm, Invocation, Scope, ServerForm, ServerVariables, Syntax, WindowsShell,
};
use protocol::{AskKind, PermissionDecided, Text, say};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The variable that moves its folder.
const FOLDER: &str = "VIBE_HOME";

/// The event at which a call can be refused.
const ASKS: &str = "pre_tool";

/// Calls of our tools, which subagents make in their agent's name.
const OUR_TOOLS: &str = "mcp_sightline.*";

/// The group of its own tools: hooks and journals say `vibe.todo`, its model says `todo` or `tools.vibe.todo`.
const OWN_TOOLS: &str = "vibe.";

/// Mistral Vibe.
pub struct Vibe;

const FACTS: Facts = Facts {
    aliases: &["mistral-vibe"],
    // Of every request over HTTP; in the handshake is the name of its library.
    mcp_clients: &["MistralAI-VibeCLI"],
    proven: Some("3.0.2"),
    resume: Some(&["--resume"]),
    prompt: Some(&[]),
    // Not its server for editors, `vibe-acp`, which has several sessions in one process.
    run_process: Some("vibe-app-server"),
    // Those of the MCP library for Python.
    server_variables: Some(ServerVariables {
        unix: &["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"],
        windows: &[
            "APPDATA",
            "HOMEDRIVE",
            "HOMEPATH",
            "LOCALAPPDATA",
            "PATH",
            "PATHEXT",
            "PROCESSOR_ARCHITECTURE",
            "SYSTEMDRIVE",
            "SYSTEMROOT",
            "TEMP",
            "USERNAME",
            "USERPROFILE",
        ],
    }),
    server_form: Some(ServerForm::Entry(EntryForm {
        syntax: Syntax::Toml,
        servers: "mcp_servers",
        is_list: true,
        off: Some(("disabled", true)),
        needs_file: false,
        entry: server,
    })),
    hooks: Some(Hooks {
        form: HooksForm::Tables(HookTables { event: "type", matcher: "match", named: true }),
        events: &[
            HookEvent::heard(ASKS).of(OUR_TOOLS),
            HookEvent::answered("post_tool"),
            HookEvent::goes_on("post_agent"),
        ],
        timeout: 5,
        named: false,
        windows_shell: WindowsShell::BashOrPowerShell,
        off: None,
    }),
    list_tools: &[ListTool::new("todo")],
    ..Facts::new("vibe", "Mistral Vibe")
};

fn server(program: &str, arguments: Vec<String>) -> Entry {
    let Entry(members) = Entry::program(program, arguments);
    Entry([vec![("transport", "stdio".into())], members].concat())
}

impl Agent for Vibe {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    /// Its other tools stay there, and are denied since nobody can be asked.
    fn headless_call(&self, prompt: &str) -> Option<Invocation> {
        let allowed = ["--trust", "--agent", "ask", "--enabled-tools", "sightline_todo_write"];
        let call = Invocation::new(&[&allowed[..], &["--max-turns", "6", "-p", prompt]].concat());
        let variables = vec![("VIBE_TOOLS", r#"{"sightline_todo_write":{"permission":"always"}}"#)];
        Some(Invocation { variables, ..call })
    }

    fn files(&self, environment: &Environment, scope: &Scope) -> ConfigurationFiles {
        let (folder, own) = match scope {
            Scope::User => {
                let (moved, usual) = (environment.folder(FOLDER), environment.home.join(".vibe"));
                let own = moved.is_none().then(|| usual.clone());
                (moved.unwrap_or(usual), own)
            }
            Scope::Project(project) => (project.join(".vibe"), Some(project.join(".vibe"))),
        };
        ConfigurationFiles {
            servers: vec![folder.join("config.toml")],
            hooks: Some(folder.join("hooks.toml")),
            own_folder: own,
            ..ConfigurationFiles::default()
        }
    }

    fn notes(&self, _hooks: bool, scope: &Scope) -> Vec<Text> {
        match scope {
            Scope::User => Vec::new(),
            Scope::Project(_) => vec![say::note_trusted_folders(self.facts().title)],
        }
    }

    fn read_hook(&self, payload: &[u8]) -> protocol::Result<HookPayload> {
        hook::read(payload)
    }

    fn hook_member(&self, name: &'static str) -> &'static str {
        match name {
            "tool_response" => "tool_output_text",
            name => name,
        }
    }

    fn hook_kind(&self, event: &str) -> HookKind {
        match event {
            "pre_tool" => HookKind::ToolBegins,
            "post_tool" => HookKind::ToolDone,
            "post_agent" => HookKind::TurnEnd,
            _ => HookKind::Other,
        }
    }

    fn hook_context(&self, _event: &str, text: &str) -> Value {
        json!({ "hook_specific_output": { "additional_context": text } })
    }

    fn hook_goes_on(&self, _event: &str, reason: &str) -> Value {
        json!({ "decision": "deny", "reason": reason })
    }

    /// It comes before each call, and cannot allow one.
    fn asking(&self) -> Option<AskingHook> {
        Some(AskingHook::new(HookEvent::heard(ASKS).of("*"), AskKind::EveryCall))
    }

    fn hook_decision(&self, event: &str, _asked: &AskedCall, decided: &PermissionDecided) -> Option<Value> {
        asking::refusal(decided).map(|reason| self.hook_goes_on(event, reason))
    }

    fn list_tool(&self, name: &str) -> Option<&'static ListTool> {
        let name = name.strip_prefix(OWN_TOOLS).unwrap_or(name);
        FACTS.list_tools.iter().find(|tool| tool.name == name)
    }

    fn transcript_folders(&self, environment: &Environment) -> Vec<PathBuf> {
        vec![environment.folder_or_home(&[FOLDER], ".vibe").join("logs/session/unified")]
    }

    fn transcript_of(&self, path: &Path) -> Option<PathBuf> {
        let is_journal = ends(path, "jsonl") && is_in(path, "journal") && is_below(path, "unified");
        is_journal.then(|| path.to_owned())
    }

    fn open_transcript(&self, path: &Path) -> Option<Transcript> {
        Some(Transcript::Lines(Box::new(journal::Journal::new(path))))
    }
}
