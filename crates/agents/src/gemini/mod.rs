//! Gemini CLI, read in the package of 0.61.0.

mod chat;

use crate::asking::{self, AskedCall, AskingHook};
use crate::lists::ListTool;
use crate::transcript::{Transcript, ends, is_below};
use crate::{
    Agent, ConfigurationFiles, Disables, DisablingSwitch, DisablingSwitchKind, Environment, Facts, HookEvent, Hooks,
    HooksForm, Invocation, NameMatch, SERVER, Scope, ServerForm, WindowsShell,
};
use protocol::{AskKind, PermissionDecided, Text, say};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Gemini CLI.
pub struct Gemini;

/// Its folder of a user.
fn folder(environment: &Environment) -> PathBuf {
    environment.folder_or_home(&["GEMINI_CLI_HOME"], "").join(".gemini")
}

const FACTS: Facts = Facts {
    proven: Some("0.61.0"),
    aliases: &["gemini-cli"],
    mcp_clients: &["gemini-cli"],
    resume: Some(&["--resume"]),
    prompt: Some(&["--prompt-interactive"]),
    instructions: "GEMINI.md",
    server_form: Some(ServerForm::MCP_SERVERS),
    hooks: Some(Hooks {
        form: HooksForm::Groups,
        events: &[
            HookEvent::heard("SessionStart"),
            HookEvent::answered("BeforeAgent"),
            HookEvent::answered("AfterTool").of("*"),
            HookEvent::heard("Notification"),
            HookEvent::goes_on("AfterAgent"),
            HookEvent::heard("SessionEnd"),
        ],
        // In milliseconds.
        timeout: 5000,
        named: true,
        windows_shell: WindowsShell::PowerShell,
        // On unless they are turned off, since 0.61 at the latest.
        off: Some((&["hooksConfig", "enabled"], false)),
    }),
    list_tools: &[ListTool { name: "write_todos", items: "todos", content: "description" }],
    ..Facts::new("gemini", "Gemini CLI")
};

impl Agent for Gemini {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn limits(&self) -> &'static [&'static str] {
        &["It does not end when its editor hangs up without ending it"]
    }

    fn hook_goes_on(&self, _event: &str, reason: &str) -> Value {
        json!({ "decision": "deny", "reason": reason })
    }

    /// It comes before the agent's own rules, which go on to decide what is not denied here.
    fn asking(&self) -> Option<AskingHook> {
        let asking = AskingHook::new(HookEvent::heard("BeforeTool").of("*"), AskKind::EveryCall);
        Some(AskingHook { milliseconds_from: 0, ..asking })
    }

    fn hook_decision(&self, _event: &str, _asked: &AskedCall, decided: &PermissionDecided) -> Option<Value> {
        asking::refusal(decided).map(|reason| json!({ "decision": "deny", "reason": reason }))
    }

    fn headless_call(&self, prompt: &str) -> Option<Invocation> {
        let allowed = ["--skip-trust", "--allowed-tools", "mcp_sightline_todo_write"];
        Some(Invocation::new(&[&allowed[..], &["--allowed-mcp-server-names", SERVER, "-p", prompt]].concat()))
    }

    fn files(&self, environment: &Environment, scope: &Scope) -> ConfigurationFiles {
        let folder = match scope {
            Scope::User => folder(environment),
            Scope::Project(project) => project.join(".gemini"),
        };
        let settings = folder.join("settings.json");
        ConfigurationFiles {
            servers: vec![settings.clone()],
            hooks: Some(settings),
            own_folder: Some(folder),
            ..ConfigurationFiles::default()
        }
    }

    /// It leaves out what `mcp.excluded` names, what `mcp.allowed` does not name, and what `gemini mcp disable` put into
    /// a file of its own for all projects; it compares names without case.
    fn disabling_switches(&self, environment: &Environment, scope: &Scope) -> Vec<(PathBuf, DisablingSwitch)> {
        use DisablingSwitchKind::{Allowed, Enabled, Excluded};
        use NameMatch::{AnyCase, Exact};
        let settings = self.files(environment, scope).servers.swap_remove(0);
        let disabled = folder(environment).join("mcp-server-enablement.json");
        let switch = |disables, path, kind| DisablingSwitch { disables, path, kind };
        vec![
            (settings.clone(), switch(Disables::Server, &["mcp", "excluded"], Excluded(AnyCase))),
            (settings.clone(), switch(Disables::Server, &["mcp", "allowed"], Allowed(AnyCase))),
            (settings, switch(Disables::Hooks, &["hooksConfig", "disabled"], Excluded(Exact))),
            (disabled, switch(Disables::Server, &[SERVER, "enabled"], Enabled)),
        ]
    }

    fn notes(&self, _hooks: bool, _scope: &Scope) -> Vec<Text> {
        vec![say::note_starts_trusted(self.facts().title)]
    }

    fn transcript_folders(&self, environment: &Environment) -> Vec<PathBuf> {
        vec![folder(environment).join("tmp")]
    }

    fn transcript_of(&self, path: &Path) -> Option<PathBuf> {
        let is_chat = (ends(path, "jsonl") || ends(path, "json")) && is_below(path, "chats");
        is_chat.then(|| path.to_owned())
    }

    fn open_transcript(&self, path: &Path) -> Option<Transcript> {
        Some(match ends(path, "json") {
            true => Transcript::File(Box::new(chat::WholeChat::new(path))),
            false => Transcript::Lines(Box::new(chat::Chat::new(path))),
        })
    }
}
