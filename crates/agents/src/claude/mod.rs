//! Claude Code, as it was seen running as 2.1.330 (`docs/formats/agents.md`).

mod hook;
mod task_folder;
mod tasks;
mod transcript;

use crate::asking::{AskedCall, AskingHook};
use crate::lists::{ListTool, ListWritten, TEXT_CHARS, cut, failed, fit, whole_list, word};
use crate::transcript::{Records, Transcript, ends, is_below, is_in, stem};
use crate::{
    Agent, BuiltInSwitch, ConfigurationFiles, Disables, DisablingSwitch, DisablingSwitchKind, Entry, EntryForm,
    Environment, Facts, HookEvent, HookPayload, Hooks, HooksForm, Invocation, ManagementCommand, NameMatch, Scope,
    ServerForm, SessionVariable, Syntax, WindowsShell,
};
use protocol::{AskKind, PermissionDecided, Question, Text, say};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use task_folder::{TaskFolder, is_task};

/// The variable that moves its configuration and its transcripts.
const FOLDER: &str = "CLAUDE_CONFIG_DIR";

/// Calls of our tools, which subagents make in their agent's name. Claude Code takes a regular expression.
const OUR_TOOLS: &str = "mcp__sightline__.*";

/// Claude Code.
pub struct Claude;

const FACTS: Facts = Facts {
    proven: Some("2.1.330"),
    aliases: &["claude-code"],
    mcp_clients: &["claude"],
    resume: Some(&["--resume"]),
    prompt: Some(&[]),
    // After `/clear` it is an old one, and with `--continue` that of no session.
    run_process: Some("claude"),
    session_variable: Some(SessionVariable { name: "CLAUDE_CODE_SESSION_ID", may_be_old: true }),
    instructions: "CLAUDE.md",
    server_form: Some(ServerForm::Entry(EntryForm { entry, ..EntryForm::MCP_SERVERS })),
    hooks: Some(Hooks {
        form: HooksForm::Groups,
        events: &[
            HookEvent::heard("SessionStart"),
            HookEvent::answered("UserPromptSubmit"),
            HookEvent::heard("PreToolUse").of(OUR_TOOLS),
            HookEvent::answered("PostToolUse").of("*"),
            HookEvent::answered("PostToolUseFailure").of("*"),
            HookEvent::heard("PermissionRequest"),
            // Six seconds after a request for approval it notifies of that as well, and does not say of what.
            HookEvent::heard("Notification").of("idle_prompt|elicitation_dialog"),
            HookEvent::heard("SubagentStart"),
            HookEvent::heard("SubagentStop"),
            HookEvent::goes_on("Stop"),
            HookEvent::heard("StopFailure"),
            HookEvent::heard("SessionEnd"),
        ],
        timeout: 5,
        named: false,
        windows_shell: WindowsShell::Named,
        off: Some((&["disableAllHooks"], true)),
    }),
    list_tools: &[ListTool::new("TodoWrite"), ListTool::new("TaskCreate"), ListTool::new("TaskUpdate")],
    ..Facts::new("claude", "Claude Code")
};

/// The entry of our server. Without `alwaysLoad` its tools may be hidden behind a search.
fn entry(program: &str, arguments: Vec<String>) -> Entry {
    let Entry(run) = Entry::program(program, arguments);
    let (kind, load) = (("type", json!("stdio")), ("alwaysLoad", json!(true)));
    Entry([kind].into_iter().chain(run).chain([load]).collect())
}

impl Agent for Claude {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn headless_call(&self, prompt: &str) -> Option<Invocation> {
        let allowed = ["-p", prompt, "--allowedTools", "mcp__sightline__todo_write"];
        Some(Invocation::new(&[&allowed[..], &["--permission-mode", "dontAsk", "--max-turns", "4"]].concat()))
    }

    fn call_id(&self, meta: &Map<String, Value>) -> Option<String> {
        word(meta.get("claudecode/toolUseId")?)
    }

    fn files(&self, environment: &Environment, scope: &Scope) -> ConfigurationFiles {
        let (server, folder, own, command) = match scope {
            Scope::User => {
                let moved = environment.folder(FOLDER);
                let usual = environment.home.join(".claude");
                let server = moved.as_ref().unwrap_or(&environment.home).join(".claude.json");
                let own = moved.is_none().then(|| usual.clone());
                (server, moved.unwrap_or(usual), own, Some(COMMAND))
            }
            Scope::Project(project) => {
                let folder = project.join(".claude");
                (project.join(".mcp.json"), folder.clone(), Some(folder), None)
            }
        };
        let settings = folder.join("settings.json");
        ConfigurationFiles {
            servers: vec![server],
            hooks: Some(settings.clone()),
            built_in_switch: Some(settings),
            own_folder: own,
            command,
        }
    }

    fn read_hook(&self, payload: &[u8]) -> protocol::Result<HookPayload> {
        hook::read(payload)
    }

    /// Its own prompt is there meanwhile; what is answered there first counts.
    fn asking(&self) -> Option<AskingHook> {
        Some(AskingHook::new(HookEvent::heard("PermissionRequest"), AskKind::Beside))
    }

    fn questions(&self, tool: &str, input: &str) -> Option<Vec<Question>> {
        hook::questions(tool, input)
    }

    fn hook_decision(&self, event: &str, asked: &AskedCall, decided: &PermissionDecided) -> Option<Value> {
        hook::decision(event, asked, decided)
    }

    /// Added context makes it go on, too. A reason it hands on twice, as an error of our command.
    fn hook_goes_on(&self, event: &str, reason: &str) -> Value {
        self.hook_context(event, reason)
    }

    /// It leaves out servers of a project's `.mcp.json` by name.
    fn disabling_switches(&self, _environment: &Environment, scope: &Scope) -> Vec<(PathBuf, DisablingSwitch)> {
        let Scope::Project(project) = scope else { return Vec::new() };
        let switch = DisablingSwitch {
            disables: Disables::Server,
            path: &["disabledMcpjsonServers"],
            kind: DisablingSwitchKind::Excluded(NameMatch::Exact),
        };
        let files = ["settings.json", "settings.local.json"];
        files.map(|name| (project.join(".claude").join(name), switch)).to_vec()
    }

    /// Since 2.1.233. Without it the model decides.
    fn built_in_switch(&self) -> Option<BuiltInSwitch> {
        let path = &["env", "CLAUDE_CODE_ENABLE_TODO_TOOLS"];
        Some(BuiltInSwitch { syntax: Syntax::Json, path, on: json!("1"), off_by_default: false })
    }

    fn notes(&self, _hooks: bool, scope: &Scope) -> Vec<Text> {
        let asks = say::note_asks_each_tool(self.facts().title);
        match scope {
            Scope::User => vec![asks],
            Scope::Project(_) => vec![say::note_approve_project(self.facts().title), asks],
        }
    }

    fn list_written(&self, tool: &str, input: &Value, response: &Value) -> Option<ListWritten> {
        let tool = self.list_tool(tool)?;
        let todos = match tool.name {
            "TodoWrite" => return whole_list(tool, input, response),
            _ if failed(response) => return None,
            "TaskCreate" => fit(vec![task(&task_id(response)?, input, Some("pending"))]),
            _ => json!([task(&word(input.get("taskId")?)?, input, None)]),
        };
        Some(ListWritten { tool: tool.name, todos, is_part: true })
    }

    fn transcript_folders(&self, environment: &Environment) -> Vec<PathBuf> {
        let root = environment.folder_or_home(&[FOLDER], ".claude");
        ["projects", "tasks"].map(|name| root.join(name)).to_vec()
    }

    fn transcript_of(&self, path: &Path) -> Option<PathBuf> {
        if is_task(path) {
            let folder = path.parent()?;
            return is_in(folder, "tasks").then(|| folder.to_owned());
        }
        let is_run = path.parent().is_some_and(|folder| is_in(folder, "projects"));
        let is_subagents = stem(path).starts_with("agent-") && is_below(path, "projects");
        (ends(path, "jsonl") && (is_run || is_subagents)).then(|| path.to_owned())
    }

    fn open_transcript(&self, path: &Path) -> Option<Transcript> {
        if ends(path, "jsonl") {
            return Some(Transcript::Lines(Box::new(transcript::Session::new(path))));
        }
        let records: Box<dyn Records> = Box::new(TaskFolder::new(path));
        Some(Transcript::Folder { is_part: is_task, records })
    }
}

const COMMAND: ManagementCommand = ManagementCommand {
    add: &["mcp", "add-json", "--scope", "user"],
    remove: &["mcp", "remove", "--scope", "user"],
    folder_variable: FOLDER,
};

/// The id of a new task in the answer to `TaskCreate`, which is for programs or for the model.
fn task_id(response: &Value) -> Option<String> {
    if let Some(id) = response.pointer("/task/id") {
        return word(id);
    }
    let text = match response {
        Value::Array(parts) => parts.iter().find_map(|part| part.get("text"))?,
        other => other,
    };
    let digits = text.as_str()?.strip_prefix("Task #")?.split(|c: char| !c.is_ascii_digit()).next()?;
    Some(digits.to_owned()).filter(|digits| !digits.is_empty())
}

/// A task as an item, with the fields that the input has.
fn task(id: &str, input: &Value, status: Option<&str>) -> Value {
    let mut item = Map::new();
    item.insert("id".to_owned(), id.into());
    let status = input.get("status").and_then(Value::as_str).or(status);
    if let Some(status) = status {
        item.insert("status".to_owned(), status.into());
    }
    let fields =
        [("subject", "content"), ("description", "description"), ("activeForm", "activeForm"), ("owner", "owner")];
    for (theirs, ours) in fields {
        if let Some(text) = input.get(theirs).and_then(Value::as_str) {
            item.insert(ours.to_owned(), cut(text, TEXT_CHARS).into());
        }
    }
    Value::Object(item)
}
