//! Cline, read in the package of its command line's 3.0.65 and run.
//!
//! It has plugins, too, which hear of more. But a run fails where a plugin takes more than three seconds, while a hook
//! that is slow or fails is only noted in its log.

mod hook;
mod messages;

use crate::asking::{self, AskedCall, AskingHook};
use crate::transcript::Transcript;
use crate::{
    Agent, ConfigurationFiles, EntryForm, Environment, Facts, HookEvent, HookKind, HookPayload, Hooks, HooksForm,
    Invocation, OurCommand, OwnFile, Scope, ServerForm, WindowsShell,
};
use protocol::{AskKind, PermissionDecided};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The variable that moves its folder.
const FOLDER: &str = "CLINE_DIR";

/// The event at which a call can be refused.
const ASKS: &str = "PreToolUse";

pub struct Cline;

const FACTS: Facts = Facts {
    proven: Some("3.0.65"),
    mcp_clients: &["@cline/core"],
    resume: Some(&["--id"]),
    prompt: Some(&[]),
    server_form: Some(ServerForm::Entry(EntryForm { off: Some(("disabled", true)), ..EntryForm::MCP_SERVERS })),
    hooks: Some(Hooks {
        form: HooksForm::Files,
        // Only the hooks of tools are waited for.
        events: &[
            HookEvent::heard("TaskStart"),
            HookEvent::heard(ASKS),
            HookEvent::answered("PostToolUse"),
            HookEvent::heard("TaskComplete"),
            HookEvent::heard("TaskError"),
            HookEvent::heard("SessionShutdown"),
        ],
        // Its own, which no configuration changes: two minutes.
        timeout: 120,
        named: false,
        windows_shell: WindowsShell::PowerShell,
        off: None,
    }),
    ..Facts::new("cline", "Cline")
};

const ABOUT: &str = "Sightline's hook: written by `sightline connect cline`, removed by `sightline disconnect cline`.";

fn hook(ours: &OurCommand<'_>) -> String {
    format!("#!/bin/sh\n# {ABOUT}\nexec {}\n", ours.hook_line)
}

fn asking_hook(ours: &OurCommand<'_>) -> String {
    hook(&OurCommand { hook_line: &ours.asking_line(), ..*ours })
}

fn node_hook(ours: &OurCommand<'_>) -> String {
    in_node(&ours.hook_words().map(str::to_owned))
}

fn asking_node_hook(ours: &OurCommand<'_>) -> String {
    in_node(&ours.asking_words())
}

fn in_node(words: &[String]) -> String {
    format!(
        "// {ABOUT}\n\
         const {{ spawnSync }} = require(\"node:child_process\");\n\
         const options = {{ stdio: \"inherit\", windowsHide: true }};\n\
         process.exitCode = spawnSync({}, {}, options).status ?? 1;\n",
        json!(words[0]),
        json!(words[1..])
    )
}

/// The ending of a hook's file, by which Cline starts it, and the texts of one and of the one that asks. On Windows it
/// has no `sh`, and its PowerShell runs no script that the user has not allowed.
const fn form(is_windows: bool) -> (&'static str, TextOfFile, TextOfFile) {
    if is_windows { ("cjs", node_hook, asking_node_hook) } else { ("sh", hook, asking_hook) }
}

type TextOfFile = fn(&OurCommand<'_>) -> String;

impl Agent for Cline {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    /// In plan mode it may read and call MCP tools. It asks for approvals of all of them or of none.
    fn headless_call(&self, prompt: &str) -> Option<Invocation> {
        Some(Invocation::new(&["--plan", "--json", prompt]))
    }

    /// A project has no servers of its own.
    fn files(&self, environment: &Environment, scope: &Scope) -> ConfigurationFiles {
        let servers = match scope {
            Scope::User => match environment.folder("CLINE_MCP_SETTINGS_PATH") {
                Some(path) => vec![path],
                None => vec![data_folder(environment).join("settings").join("cline_mcp_settings.json")],
            },
            Scope::Project(_) => Vec::new(),
        };
        let own_folder = environment.folder(FOLDER).is_none().then(|| environment.home.join(".cline"));
        ConfigurationFiles { servers, own_folder, ..ConfigurationFiles::default() }
    }

    /// A file is run for the event that it is named after, whatever its ending, so ours is beside one of the user's.
    fn own_files(&self, environment: &Environment, scope: &Scope) -> Vec<OwnFile> {
        if *scope != Scope::User {
            return Vec::new();
        }
        let (ending, hook, asking_hook) = form(cfg!(windows));
        let folder = environment.folder_or_home(&[FOLDER], ".cline").join("hooks");
        let events = FACTS.hooks.map(|hooks| hooks.events).unwrap_or_default();
        let file = |event: &HookEvent| OwnFile {
            path: folder.join(format!("{}.{ending}", event.name)),
            is_program: true,
            text: if event.name == ASKS { asking_hook } else { hook },
        };
        events.iter().map(file).collect()
    }

    fn limits(&self) -> &'static [&'static str] {
        &["Under an editor it takes none of the user's own models: it wants an account with Cline or ChatGPT"]
    }

    fn read_hook(&self, payload: &[u8]) -> protocol::Result<HookPayload> {
        hook::read(payload)
    }

    /// `SessionShutdown` is what it calls a turn that the user has stopped.
    fn hook_kind(&self, event: &str) -> HookKind {
        match event {
            "TaskComplete" | "SessionShutdown" => HookKind::TurnEnd,
            "TaskError" => HookKind::Failure,
            other => HookKind::of(other),
        }
    }

    fn hook_context(&self, _event: &str, text: &str) -> Value {
        json!({ "context": text })
    }

    /// It comes before each call, and cannot allow one.
    fn asking(&self) -> Option<AskingHook> {
        Some(AskingHook::new(HookEvent::heard(ASKS), AskKind::EveryCall))
    }

    fn hook_decision(&self, _event: &str, _asked: &AskedCall, decided: &PermissionDecided) -> Option<Value> {
        asking::refusal(decided).map(|reason| json!({ "cancel": true, "errorMessage": reason }))
    }

    fn transcript_folders(&self, environment: &Environment) -> Vec<PathBuf> {
        let moved = environment.folder("CLINE_SESSION_DATA_DIR");
        vec![moved.unwrap_or_else(|| data_folder(environment).join("sessions"))]
    }

    /// Subagents, which do not get MCP tools, have files of their own in their agent's folder.
    fn transcript_of(&self, path: &Path) -> Option<PathBuf> {
        let session = path.parent()?.file_name()?.to_str()?;
        let file = path.file_name()?.to_str()?.strip_prefix(session)?;
        let messages = path.with_file_name(format!("{session}.messages.json"));
        matches!(file, ".json" | ".messages.json").then_some(messages)
    }

    fn open_transcript(&self, path: &Path) -> Option<Transcript> {
        Some(Transcript::File(Box::new(messages::Messages::new(path))))
    }
}

/// The folder with its settings and sessions.
fn data_folder(environment: &Environment) -> PathBuf {
    let moved = environment.folder("CLINE_DATA_DIR");
    moved.unwrap_or_else(|| environment.folder_or_home(&[FOLDER], ".cline").join("data"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[cfg(not(windows))]
    fn environment(variables: &[(&str, &str)]) -> Environment {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Environment { home: PathBuf::from("/home/u"), variables }
    }

    #[rstest]
    #[case(&[], "/home/u/.cline/data/settings/cline_mcp_settings.json", "/home/u/.cline/hooks/TaskStart.sh")]
    #[case(&[("CLINE_DIR", "/c")], "/c/data/settings/cline_mcp_settings.json", "/c/hooks/TaskStart.sh")]
    #[case(&[("CLINE_DATA_DIR", "/d")], "/d/settings/cline_mcp_settings.json", "/home/u/.cline/hooks/TaskStart.sh")]
    #[case(&[("CLINE_MCP_SETTINGS_PATH", "/m.json")], "/m.json", "/home/u/.cline/hooks/TaskStart.sh")]
    #[cfg(not(windows))]
    fn files_are_where_variables_say(#[case] variables: &[(&str, &str)], #[case] server: &str, #[case] hook: &str) {
        let environment = environment(variables);
        assert_eq!(Cline.files(&environment, &Scope::User).servers, [PathBuf::from(server)]);
        assert_eq!(Cline.own_files(&environment, &Scope::User)[0].path, PathBuf::from(hook));
    }

    #[test]
    #[cfg(not(windows))]
    fn a_hook_is_a_script_for_each_event() {
        let ours = OurCommand {
            agent: "cline",
            program: "/opt/sight line/sightline",
            data_dir: "/d",
            hook_line: "'/opt/sight line/sightline' hook cline --data-dir /d",
            answers: None,
        };
        let files = Cline.own_files(&environment(&[]), &Scope::User);
        let names: Vec<_> = files.iter().filter_map(|file| file.path.file_name()?.to_str()).collect();
        assert_eq!(
            names,
            [
                "TaskStart.sh",
                "PreToolUse.sh",
                "PostToolUse.sh",
                "TaskComplete.sh",
                "TaskError.sh",
                "SessionShutdown.sh"
            ]
        );
        for file in files {
            let text = (file.text)(&ours);
            assert!(text.starts_with("#!/bin/sh\n") && text.contains("connect cline"), "{text}");
            assert!(text.ends_with("\nexec '/opt/sight line/sightline' hook cline --data-dir /d\n"), "{text}");
        }
        assert!(Cline.own_files(&environment(&[]), &Scope::Project(PathBuf::from("/p"))).is_empty());
    }

    #[test]
    fn on_windows_a_hook_is_started_by_node() {
        let ours = OurCommand {
            agent: "cline",
            program: r"C:\Program Files\sightline.exe",
            data_dir: r"D:\my data",
            hook_line: "",
            answers: Some(60),
        };
        let (ending, hook, asking_hook) = form(true);
        assert_eq!(ending, "cjs");
        let words =
            r#"spawnSync("C:\\Program Files\\sightline.exe", ["hook","cline","--data-dir","D:\\my data"], options)"#;
        assert!(hook(&ours).starts_with("// Sightline's hook") && hook(&ours).contains(words), "{}", hook(&ours));
        assert!(asking_hook(&ours).contains(r#""D:\\my data","--answers","60"]"#), "{}", asking_hook(&ours));
    }

    #[rstest]
    #[case("1_a/1_a.json", Some("1_a/1_a.messages.json"))]
    #[case("1_a/1_a.messages.json", Some("1_a/1_a.messages.json"))]
    #[case("1_a/agent_2.messages.json", None)]
    #[case("1_a/1_a.json.lock", None)]
    fn a_session_is_told_from_other_files(#[case] file: &str, #[case] transcript: Option<&str>) {
        let sessions = Path::new("/home/u/.cline/data/sessions");
        assert_eq!(Cline.transcript_of(&sessions.join(file)), transcript.map(|file| sessions.join(file)));
    }
}
