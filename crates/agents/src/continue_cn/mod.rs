//! Continue's command line `cn`, read in the package of 1.5.47 and run.
//!
//! It has the code of hooks and never runs one. Its only configuration is `config.yaml`; where there is none it takes one
//! from its makers' servers, so that a file with our server alone would break it.

mod session;

use crate::lists::{ListTool, ListWritten, failed, fit};
use crate::transcript::{Transcript, ends, is_in, stem};
use crate::{Agent, ConfigurationFiles, EntryForm, Environment, Facts, Invocation, Scope, ServerForm, Syntax};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The variable that moves its folder.
const FOLDER: &str = "CONTINUE_GLOBAL_DIR";

/// The tool that writes its built-in list.
const CHECKLIST: &str = "Checklist";

pub struct Continue;

const FACTS: Facts = Facts {
    proven: Some("1.5.47"),
    aliases: &["cn"],
    mcp_clients: &["continue-cli-client"],
    program: "cn",
    bare_tools: true,
    server_form: Some(ServerForm::Entry(EntryForm {
        syntax: Syntax::Yaml,
        is_list: true,
        needs_file: true,
        ..EntryForm::MCP_SERVERS
    })),
    list_tools: &[ListTool { name: CHECKLIST, items: "checklist", content: "content" }],
    nested_transcripts: false,
    ..Facts::new("continue", "Continue")
};

fn folder(environment: &Environment) -> PathBuf {
    environment.folder_or_home(&[FOLDER], ".continue")
}

impl Agent for Continue {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn limits(&self) -> &'static [&'static str] {
        &[
            "It hears with our tools only, since cn runs no hooks",
            "Without a screen its built-in list comes at the end, when cn writes its session",
            "A session is not resumed by its id, which cn does not take",
            "Its version is unknown, since cn does not tell it",
        ]
    }

    /// Headless it asks nobody; what could change something is left out.
    fn headless_call(&self, prompt: &str) -> Option<Invocation> {
        let tools = ["Bash", "Edit", "MultiEdit", "Write", "Fetch"];
        let left_out = tools.iter().flat_map(|&tool| ["--exclude", tool]);
        Some(Invocation::new(&left_out.chain(["-p", prompt]).collect::<Vec<_>>()))
    }

    /// A project has none.
    fn files(&self, environment: &Environment, scope: &Scope) -> ConfigurationFiles {
        match scope {
            Scope::User => ConfigurationFiles {
                servers: vec![folder(environment).join("config.yaml")],
                ..ConfigurationFiles::default()
            },
            Scope::Project(_) => ConfigurationFiles::default(),
        }
    }

    /// Its list is one text.
    fn list_written(&self, tool: &str, input: &Value, response: &Value) -> Option<ListWritten> {
        let tool = self.list_tool(tool).filter(|_| !failed(response))?;
        let items = input.get(tool.items)?.as_str()?.lines().filter_map(item).collect();
        Some(ListWritten { tool: tool.name, todos: fit(items), is_part: false })
    }

    fn transcript_folders(&self, environment: &Environment) -> Vec<PathBuf> {
        vec![folder(environment).join("sessions")]
    }

    fn transcript_of(&self, path: &Path) -> Option<PathBuf> {
        let is_session = ends(path, "json") && is_in(path, "sessions") && stem(path) != "sessions";
        is_session.then(|| path.to_owned())
    }

    fn open_transcript(&self, path: &Path) -> Option<Transcript> {
        Some(Transcript::File(Box::new(session::Session::new(path))))
    }
}

/// The item in a line of a checklist, `- [x] Text`.
fn item(line: &str) -> Option<Value> {
    let line = line.trim_start().trim_start_matches(['-', '*', '+']).trim_start();
    let (mark, content) = line.strip_prefix('[')?.split_once(']')?;
    let status = match mark.trim() {
        "" => "pending",
        "x" | "X" => "completed",
        "-" | "~" => "in_progress",
        _ => return None,
    };
    Some(json!({ "content": content.trim(), "status": status }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("- [ ] A\n- [x] B", json!([["A", "pending"], ["B", "completed"]]))]
    #[case("## Part\n  * [X]  A [1]\n+ [-] B\nwords", json!([["A [1]", "completed"], ["B", "in_progress"]]))]
    #[case("- [link](x) A\n- [ ]", json!([]))]
    fn checklists(#[case] checklist: &str, #[case] expected: Value) {
        let written = Continue.list_written(CHECKLIST, &json!({ "checklist": checklist }), &Value::Null);
        let todos = written.expect("it is a list").todos;
        let said = todos.as_array().expect("an array").iter().map(|item| json!([item["content"], item["status"]]));
        assert_eq!(said.collect::<Value>(), expected);
    }

    #[rstest]
    #[case("sessions/20cf0ffe-8d60-49e7-a4ed-5d1865310754.json", true)]
    #[case("sessions/sessions.json", false)]
    #[case("sessions/x/1.json", false)]
    #[case("config.json", false)]
    fn sessions_are_found(#[case] path: &str, #[case] is_one: bool) {
        let path = Path::new("/home/u/.continue").join(path);
        assert_eq!(Continue.transcript_of(&path).is_some(), is_one);
    }
}
