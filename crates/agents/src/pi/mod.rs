//! pi, read in the package of 0.74.2 and run.
//!
//! It has neither MCP nor hooks, but extensions: one of ours gives it our tools, another one reports its events, in the
//! form that other agents' hooks have.

use crate::{
    Agent, ConfigurationFiles, Environment, Facts, HookEvent, HookKind, HookPayload, Hooks, HooksForm, Invocation,
    OurCommand, OwnFile, Scope, ServerForm, SessionVariable, WindowsShell,
};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The variable that moves its folder.
const FOLDER: &str = "PI_CODING_AGENT_DIR";

pub struct Pi;

const FACTS: Facts = Facts {
    proven: Some("0.74.2"),
    mcp_clients: &["pi"],
    resume: Some(&["--session"]),
    prompt: Some(&[]),
    // Only our extension sets them, for our server alone.
    session_variable: Some(SessionVariable { name: "PI_SESSION_ID", may_be_old: false }),
    version_variable: Some("PI_VERSION"),
    bare_tools: true,
    server_form: Some(ServerForm::File(tools)),
    hooks: Some(Hooks {
        form: HooksForm::Files,
        events: &[
            HookEvent::heard("SessionStart"),
            HookEvent::answered("UserPromptSubmit"),
            HookEvent::answered("PostToolUse"),
            HookEvent::answered("PostToolUseFailure"),
            HookEvent::goes_on("Stop"),
            HookEvent::heard("StopFailure"),
            HookEvent::heard("Interrupt"),
            HookEvent::heard("SessionEnd"),
        ],
        // In the extension, in milliseconds.
        timeout: 5000,
        named: false,
        windows_shell: WindowsShell::PowerShell,
        off: None,
    }),
    ..Facts::new("pi", "pi")
};

/// The extension with our tools.
fn tools(ours: &OurCommand<'_>) -> String {
    let text = include_str!("tools.ts").replace("\"@PROGRAM@\"", &json!(ours.program).to_string());
    text.replace("[\"@ARGUMENTS@\"]", &json!(ours.server_arguments()).to_string())
}

/// The extension that reports events.
fn hooks(ours: &OurCommand<'_>) -> String {
    include_str!("hooks.ts").replace("[\"@WORDS@\"]", &json!(ours.hook_words()).to_string())
}

/// The folder of a scope, and that of extensions in it.
fn folders(environment: &Environment, scope: &Scope) -> (PathBuf, PathBuf) {
    let folder = match scope {
        Scope::User => environment.folder_or_home(&[FOLDER], ".pi/agent"),
        Scope::Project(project) => project.join(".pi"),
    };
    let extensions = folder.join("extensions");
    (folder, extensions)
}

impl Agent for Pi {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn limits(&self) -> &'static [&'static str] {
        &["It has no MCP: extensions of ours stand for it, and for hooks"]
    }

    fn headless_call(&self, prompt: &str) -> Option<Invocation> {
        Some(Invocation::new(&["--tools", "todo_write", "--no-session", "-p", prompt]))
    }

    fn files(&self, environment: &Environment, scope: &Scope) -> ConfigurationFiles {
        let (folder, extensions) = folders(environment, scope);
        let is_moved = *scope == Scope::User && environment.folder(FOLDER).is_some();
        ConfigurationFiles {
            servers: vec![extensions.join("sightline.ts")],
            own_folder: (!is_moved).then_some(folder),
            ..ConfigurationFiles::default()
        }
    }

    fn own_files(&self, environment: &Environment, scope: &Scope) -> Vec<OwnFile> {
        let path = folders(environment, scope).1.join("sightline-hooks.ts");
        vec![OwnFile { path, is_program: false, text: hooks }]
    }

    fn read_hook(&self, payload: &[u8]) -> protocol::Result<HookPayload> {
        HookPayload::read_with_context(self, payload)
    }

    fn hook_kind(&self, event: &str) -> HookKind {
        match event {
            "Interrupt" => HookKind::TurnEnd,
            _ => HookKind::of(event),
        }
    }

    fn hook_context(&self, _event: &str, text: &str) -> Value {
        text.into()
    }

    fn hook_goes_on(&self, _event: &str, reason: &str) -> Value {
        reason.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const OURS: OurCommand<'_> = OurCommand {
        agent: "pi",
        program: "C:\\a \"b\"\\sightline.exe",
        data_dir: "/home/u/it's data",
        hook_line: "sightline hook pi",
        answers: None,
    };

    #[rstest]
    #[case(tools, r#"const PROGRAM = "C:\\a \"b\"\\sightline.exe";"#)]
    #[case(tools, r#"const ARGUMENTS: string[] = ["mcp","--agent","pi","--data-dir","/home/u/it's data"];"#)]
    #[case(hooks, r#"= ["C:\\a \"b\"\\sightline.exe","hook","pi","--data-dir","/home/u/it's data"] as "#)]
    fn extensions_run_our_program(#[case] text: fn(&OurCommand<'_>) -> String, #[case] line: &str) {
        let text = text(&OURS);
        assert!(text.contains(line), "{text}");
        assert!(!text.contains("@\""), "nothing is left to fill in: {text}");
        assert!(text.starts_with("// Sightline's ") && text.contains("connect pi"), "it is known as ours");
    }

    #[test]
    fn an_answer_is_a_plain_text() {
        assert_eq!(Pi.hook_answer("PostToolUse", "told"), json!("told"));
        assert_eq!(Pi.hook_answer("Stop", "told"), json!("told"));
    }
}
