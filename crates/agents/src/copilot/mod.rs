//! GitHub Copilot CLI, seen in 1.0.102.

mod events;
mod hook;
mod todos;

use crate::asking::{self, AskedCall, AskingHook};
use crate::lists::ListTool;
use crate::transcript::{Transcript, ends};
use crate::{
    Agent, ConfigurationFiles, Disables, DisablingSwitch, DisablingSwitchKind, Entry, EntryForm, Environment, Facts,
    HookEvent, HookKind, HookPayload, Hooks, HooksForm, Invocation, ListWritten, NameMatch, Scope, ServerForm,
    SessionVariable, WindowsShell,
};
use protocol::{AskKind, PermissionDecided, Text, say};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The variable that moves its folder.
const FOLDER: &str = "COPILOT_HOME";

/// Calls of our tools, which subagents make over their agent's connection. A regular expression for all of a name.
const OUR_TOOLS: &str = "sightline-.*";

/// The tool whose statements also write the built-in list.
const SQL: &str = "sql";

/// The beginning of the reason for which a turn goes on. Copilot hands the reason on as if it were a prompt of the user's.
const NEWS: &str = "Sightline has news from the user before your turn ends.";

/// The beginnings of prompts that are the user's in name only.
const INJECTED: [&str; 2] = [NEWS, "<system_notification>"];

/// GitHub Copilot CLI.
pub struct Copilot;

const FACTS: Facts = Facts {
    proven: Some("1.0.102"),
    aliases: &["copilot-cli"],
    mcp_clients: &["copilot-cli"],
    resume: Some(&["--resume"]),
    prompt: Some(&["--interactive"]),
    session_variable: Some(SessionVariable { name: "COPILOT_AGENT_SESSION_ID", may_be_old: false }),
    // It speaks MCP 2026-07-28, which has no sessions over HTTP.
    run_process: Some("copilot"),
    // `-C` changes into it before anything else.
    run_process_has_folder: true,
    version_variable: Some("COPILOT_CLI_BINARY_VERSION"),
    server_form: Some(ServerForm::Entry(EntryForm { entry, ..EntryForm::MCP_SERVERS })),
    hooks: Some(Hooks {
        form: HooksForm::Groups,
        // With these names, and not with its own, payloads name their event and have Claude Code's members.
        events: &[
            HookEvent::heard("SessionStart"),
            HookEvent::answered("UserPromptSubmit"),
            HookEvent::heard("PreToolUse").of(OUR_TOOLS),
            HookEvent::answered("PostToolUse").of("*"),
            HookEvent::answered("PostToolUseFailure").of("*"),
            HookEvent::heard("Notification"),
            HookEvent::heard("ErrorOccurred"),
            HookEvent::goes_on("Stop"),
            HookEvent::heard("SessionEnd"),
        ],
        timeout: 5,
        named: false,
        windows_shell: WindowsShell::PowerShell,
        off: Some((&["disableAllHooks"], true)),
    }),
    list_tools: &[ListTool::new(SQL)],
    ..Facts::new("copilot", "Copilot CLI")
};

fn entry(program: &str, arguments: Vec<String>) -> Entry {
    let Entry(program) = Entry::program(program, arguments);
    Entry([vec![("type", json!("local"))], program, vec![("tools", json!(["*"]))]].concat())
}

/// Its folder of a user.
fn folder(environment: &Environment) -> PathBuf {
    environment.folder_or_home(&[FOLDER], ".copilot")
}

impl Agent for Copilot {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    /// It is the end of a sentence: `GitHub Copilot CLI 1.0.102.`
    fn version_in(&self, output: &str) -> Option<String> {
        let version = output.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit()))?;
        Some(version.trim_end_matches('.').to_owned())
    }

    fn headless_call(&self, prompt: &str) -> Option<Invocation> {
        let allowed = ["--available-tools=sightline-todo_write", "--allow-tool=sightline(todo_write)"];
        Some(Invocation::new(&[&allowed[..], &["--no-ask-user", "-p", prompt]].concat()))
    }

    /// A project's `.mcp.json` is Claude Code's, too, and our entry names its agent.
    fn files(&self, environment: &Environment, scope: &Scope) -> ConfigurationFiles {
        let (folder, server, own) = match scope {
            Scope::User => {
                let own = environment.folder(FOLDER).is_none();
                (folder(environment), "mcp-config.json", own)
            }
            Scope::Project(project) => (project.join(".github"), "mcp.json", true),
        };
        ConfigurationFiles {
            servers: vec![folder.join(server)],
            hooks: Some(folder.join("hooks").join("sightline.json")),
            own_folder: own.then_some(folder),
            ..ConfigurationFiles::default()
        }
    }

    /// The user's settings count for what is in projects as well; `copilot mcp disable` writes the list.
    fn disabling_switches(&self, environment: &Environment, _scope: &Scope) -> Vec<(PathBuf, DisablingSwitch)> {
        use DisablingSwitchKind::{Disabled, Excluded};
        let settings = folder(environment).join("settings.json");
        let switch = |disables, path, kind| (settings.clone(), DisablingSwitch { disables, path, kind });
        vec![
            switch(Disables::Server, &["disabledMcpServers"], Excluded(NameMatch::Exact)),
            switch(Disables::Hooks, &["disableAllHooks"], Disabled),
        ]
    }

    fn notes(&self, _hooks: bool, scope: &Scope) -> Vec<Text> {
        match scope {
            Scope::User => vec![say::note_asks_for_list(self.facts().title)],
            Scope::Project(_) => vec![say::note_trusted_folders(self.facts().title)],
        }
    }

    fn limits(&self) -> &'static [&'static str] {
        &["A subagent of a subagent is not told apart from its agent, since it names only the subagent above it"]
    }

    fn read_hook(&self, payload: &[u8]) -> protocol::Result<HookPayload> {
        hook::read(payload)
    }

    /// It comes before its own rules, also where they allow the call.
    fn asking(&self) -> Option<AskingHook> {
        Some(AskingHook::new(HookEvent::heard("PermissionRequest"), AskKind::EveryCall))
    }

    fn hook_decision(&self, _event: &str, _asked: &AskedCall, decided: &PermissionDecided) -> Option<Value> {
        asking::flat(decided)
    }

    fn hook_member(&self, name: &'static str) -> &'static str {
        match name {
            "tool_response" => "tool_result",
            other => other,
        }
    }

    fn hook_kind(&self, event: &str) -> HookKind {
        match event {
            "ErrorOccurred" => HookKind::Failure,
            other => HookKind::of(other),
        }
    }

    fn hook_context(&self, _event: &str, text: &str) -> Value {
        json!({ "additionalContext": text })
    }

    fn hook_goes_on(&self, _event: &str, reason: &str) -> Value {
        json!({ "decision": "block", "reason": format!("{NEWS}\n\n{reason}") })
    }

    /// Its database tells the list. A call has only the statements.
    fn list_written(&self, _tool: &str, _input: &Value, _response: &Value) -> Option<ListWritten> {
        None
    }

    fn transcript_folders(&self, environment: &Environment) -> Vec<PathBuf> {
        vec![folder(environment).join("session-state")]
    }

    /// Each session has a folder of its own with `events.jsonl`, and `session.db` once it has used that.
    fn transcript_of(&self, path: &Path) -> Option<PathBuf> {
        let folder = path.parent()?;
        let name = path.file_name()?.to_str()?;
        let transcript = match name {
            "events.jsonl" => name,
            "session.db" | "session.db-journal" | "session.db-wal" | "session.db-shm" => "session.db",
            _ => return None,
        };
        let is_session = folder.parent()?.file_name()? == "session-state";
        is_session.then(|| folder.join(transcript))
    }

    fn open_transcript(&self, path: &Path) -> Option<Transcript> {
        Some(match ends(path, "db") {
            true => Transcript::Database(Box::new(todos::Todos::new(path))),
            false => Transcript::Lines(Box::new(events::Events::new(path))),
        })
    }
}
