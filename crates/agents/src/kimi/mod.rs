//! Kimi Code, read in the package of 2.1.0 and run.

mod wire;

use crate::asking::{self, AskedCall, AskingHook};
use crate::lean::{self, Budget};
use crate::lists::{ListTool, cut};
use crate::transcript::{Transcript, is_below, text};
use crate::{
    Agent, ConfigurationFiles, EntryForm, Environment, Facts, HookEvent, HookKind, HookPayload, HookTables, Hooks,
    HooksForm, Invocation, Scope, ServerForm, WindowsShell,
};
use protocol::{AskKind, Happened, PermissionDecided, SubagentEvent};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The variable that moves its folder.
const FOLDER: &str = "KIMI_CODE_HOME";

/// The event at which a call can be refused.
const ASKS: &str = "PreToolUse";

/// The name of a transcript.
const WIRE: &str = "wire.jsonl";

/// The most of a prompt, whose parts may be pictures.
const PROMPT: Budget = Budget { values: 1_024, bytes: 256 * 1024 };
const PROMPT_CHARS: usize = 4_000;

/// The definition of an agent that has our tool and no other.
const LISTER: (&str, &str) = (
    "lister.md",
    "---\nname: lister\ndescription: Sends a list\ntools:\n  - mcp__sightline__todo_write\n---\n\
     You send a list, as you are asked to.\n",
);

/// Kimi Code.
pub struct Kimi;

const FACTS: Facts = Facts {
    proven: Some("2.1.0"),
    aliases: &["kimi-code"],
    mcp_clients: &["kimi-code"],
    resume: Some(&["--session"]),
    server_form: Some(ServerForm::Entry(EntryForm { off: Some(("enabled", false)), ..EntryForm::MCP_SERVERS })),
    hooks: Some(Hooks {
        form: HooksForm::Tables(HookTables { event: "event", matcher: "matcher", named: false }),
        events: &[
            HookEvent::heard("SessionStart"),
            HookEvent::answered("UserPromptSubmit"),
            HookEvent::heard(ASKS).of("^mcp__sightline__"),
            // Not waited for, so that an answer reaches nobody.
            HookEvent::heard("PostToolUse"),
            HookEvent::heard("PostToolUseFailure"),
            HookEvent::heard("PermissionRequest"),
            HookEvent::heard("PermissionResult"),
            HookEvent::heard("SubagentStart"),
            HookEvent::heard("SubagentStop"),
            HookEvent::goes_on("Stop"),
            HookEvent::heard("StopFailure"),
            HookEvent::heard("Interrupt"),
            HookEvent::heard("SessionEnd"),
        ],
        // In seconds.
        timeout: 5,
        named: false,
        windows_shell: WindowsShell::Cmd,
        off: None,
    }),
    list_tools: &[ListTool { name: "TodoList", items: "todos", content: "title" }],
    ..Facts::new("kimi", "Kimi Code")
};

fn folder(environment: &Environment) -> PathBuf {
    environment.folder_or_home(&[FOLDER], ".kimi-code")
}

impl Agent for Kimi {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn limits(&self) -> &'static [&'static str] {
        &[
            "It hears nothing with other tools' calls, whose hooks Kimi Code does not wait for",
            "It goes on once in a turn, since Kimi Code asks no second time",
            "Its version is unknown, since Kimi Code does not tell it",
        ]
    }

    /// A headless run is allowed everything that its agent has.
    fn headless_call(&self, prompt: &str) -> Option<Invocation> {
        let invocation = Invocation::new(&["--agent-file", LISTER.0, "-p", prompt]);
        Some(Invocation { files: vec![LISTER], ..invocation })
    }

    /// Hooks are the user's only. A project's `.mcp.json` is read, too, but is for all agents.
    fn files(&self, environment: &Environment, scope: &Scope) -> ConfigurationFiles {
        let (folder, hooks, own_folder) = match scope {
            Scope::User => {
                let folder = folder(environment);
                let is_own = environment.folder(FOLDER).is_none();
                (folder.clone(), Some(folder.join("config.toml")), is_own.then_some(folder))
            }
            Scope::Project(project) => (project.join(".kimi-code"), None, Some(project.join(".kimi-code"))),
        };
        ConfigurationFiles {
            servers: vec![folder.join("mcp.json")],
            hooks,
            own_folder,
            ..ConfigurationFiles::default()
        }
    }

    fn hook_member(&self, name: &'static str) -> &'static str {
        match name {
            "tool_response" => "tool_output",
            "error_details" => "error_message",
            // Only the requests of permission have it, those of the agent itself, too.
            "agent_id" => "subagent_id",
            "tool_use_id" => "tool_call_id",
            _ => name,
        }
    }

    fn hook_kind(&self, event: &str) -> HookKind {
        match event {
            "Interrupt" => HookKind::TurnEnd,
            _ => HookKind::of(event),
        }
    }

    /// A prompt is a list of parts. What a subagent does comes by the same events as its agent's, and does not say so.
    fn read_hook(&self, payload: &[u8]) -> protocol::Result<HookPayload> {
        let mut read = HookPayload::read(self, payload)?;
        read.subagent_event = match read.event.as_str() {
            "SubagentStart" => Some(SubagentEvent::Began),
            "SubagentStop" => Some(SubagentEvent::Ended),
            _ => None,
        };
        if self.hook_kind(&read.event) == HookKind::Prompt
            && let Ok(Some([Some(parts)])) = lean::members(payload, ["prompt"])
            && let Ok(parts) = lean::value(parts.get().as_bytes(), PROMPT)
            && let Some(prompt) = words(&parts)
        {
            (read.happened, read.text) = (Happened::Prompted, Some(cut(&prompt, PROMPT_CHARS)));
        }
        Ok(read)
    }

    /// It reads a form of its own, and shows others to its model as they are.
    fn hook_context(&self, _event: &str, text: &str) -> Value {
        json!({ "message": text })
    }

    fn hook_goes_on(&self, _event: &str, reason: &str) -> Value {
        json!({ "hookSpecificOutput": { "permissionDecision": "deny", "permissionDecisionReason": reason } })
    }

    /// It comes before each call, and cannot allow one.
    fn asking(&self) -> Option<AskingHook> {
        Some(AskingHook::new(HookEvent::heard(ASKS).of(".*"), AskKind::EveryCall))
    }

    fn hook_decision(&self, event: &str, _asked: &AskedCall, decided: &PermissionDecided) -> Option<Value> {
        asking::refusal(decided).map(|reason| self.hook_goes_on(event, reason))
    }

    fn transcript_folders(&self, environment: &Environment) -> Vec<PathBuf> {
        vec![folder(environment).join("sessions")]
    }

    fn transcript_of(&self, path: &Path) -> Option<PathBuf> {
        let is_wire = path.file_name().is_some_and(|name| name == WIRE) && is_below(path, "agents");
        is_wire.then(|| path.to_owned())
    }

    fn open_transcript(&self, path: &Path) -> Option<Transcript> {
        Some(Transcript::Lines(Box::new(wire::Wire::new(path))))
    }
}

/// The words in the parts of a prompt.
fn words(parts: &Value) -> Option<String> {
    let texts: Vec<&str> = parts.as_array()?.iter().filter_map(|part| text(part.get("text"))).collect();
    Some(texts.join("\n")).filter(|prompt| !prompt.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn read(line: &str) -> HookPayload {
        Kimi.read_hook(line.as_bytes()).expect("it is a payload")
    }

    #[test]
    fn recorded_hooks_tell_the_run() {
        let recorded = include_str!("../../../sources/tests/recordings/kimi/hooks.jsonl");
        let heard: Vec<HookPayload> = recorded.lines().map(read).collect();
        let prompt = "Please prepare the release. Keep a todo list.";
        let told = |happened, text: Option<&str>| (happened, text.map(str::to_owned));
        let happened: Vec<_> = heard.iter().map(|one| (one.happened, one.text.clone())).collect();
        assert_eq!(happened[..2], [told(Happened::Worked, None), told(Happened::Prompted, Some(prompt))]);
        assert_eq!(happened.last(), Some(&told(Happened::Rests, None)));
        assert!(heard.iter().all(|one| one.begins && one.folder.as_deref() == Some("/home/user/project")));
        assert_eq!(heard.iter().filter(|one| one.tool).count(), 1, "the list's tool is none");
        assert_eq!(heard.iter().filter(|one| one.adds_context).count(), 2, "with the prompt, and at the end");
        let lists: Vec<_> = heard.into_iter().filter_map(|one| one.list).collect();
        // The last one was killed with the end of the turn.
        assert_eq!(lists.len(), 5);
        let first = json!([
            {"content": "Read the release notes", "status": "in_progress"},
            {"content": "Bump the version number", "status": "pending"},
            {"content": "Run the test suite", "status": "pending"},
            {"content": "Publish the package", "status": "pending"},
        ]);
        assert_eq!((lists[0].tool.as_str(), &lists[0].todos), ("TodoList", &first));
    }

    #[rstest]
    #[case(
        r#""hook_event_name":"PermissionRequest","agent_id":"main","tool_name":"Bash""#,
        Happened::Waits,
        Some("approval: Bash")
    )]
    #[case(r#""hook_event_name":"PermissionResult","agent_id":"main","decision":"approved""#, Happened::Worked, None)]
    #[case(
        r#""hook_event_name":"StopFailure","error_message":"400 no","error_type":"E""#,
        Happened::Failed,
        Some("400 no")
    )]
    #[case(r#""hook_event_name":"Interrupt","reason":"cancelled""#, Happened::Rests, None)]
    #[case(r#""hook_event_name":"SessionEnd","reason":"exit""#, Happened::Ended, Some("exit"))]
    #[case(
        r#""hook_event_name":"UserPromptSubmit","prompt":[{"type":"image_url","text":null}]"#,
        Happened::Worked,
        None
    )]
    #[case(
        r#""hook_event_name":"UserPromptSubmit","prompt":[{"text":"a"},{"text":"b"}]"#,
        Happened::Prompted,
        Some("a\nb")
    )]
    fn events(#[case] members: &str, #[case] happened: Happened, #[case] said: Option<&str>) {
        let heard = read(&format!(r#"{{"session_id":"session_1","cwd":"/p",{members}}}"#));
        assert_eq!((heard.happened, heard.text.as_deref(), heard.begins), (happened, said, true));
    }
}
