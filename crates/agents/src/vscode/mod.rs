//! Visual Studio Code with Copilot, from its documentation of November 2026. The program itself was not tried.

use crate::{Agent, ConfigurationFiles, Entry, EntryForm, Environment, Facts, Scope, ServerForm};
use protocol::{Text, say};
use serde_json::json;

/// Visual Studio Code.
pub struct Vscode;

const FACTS: Facts = Facts {
    aliases: &["code"],
    mcp_clients: &["Visual Studio Code"],
    program: "code",
    server_form: Some(ServerForm::Entry(EntryForm { servers: "servers", entry, ..EntryForm::MCP_SERVERS })),
    ..Facts::new("vscode", "VS Code")
};

fn entry(program: &str, arguments: Vec<String>) -> Entry {
    let Entry(run) = Entry::program(program, arguments);
    Entry([("type", json!("stdio"))].into_iter().chain(run).collect())
}

/// The folder of a user's settings, as each system has it.
fn settings(environment: &Environment) -> std::path::PathBuf {
    let folder = if cfg!(windows) {
        environment.folder_or_home(&["APPDATA"], "AppData/Roaming")
    } else if cfg!(target_os = "macos") {
        environment.home.join("Library/Application Support")
    } else {
        environment.folder_or_home(&["XDG_CONFIG_HOME"], ".config")
    };
    folder.join("Code/User")
}

impl Agent for Vscode {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn files(&self, environment: &Environment, scope: &Scope) -> ConfigurationFiles {
        let folder = match scope {
            Scope::User => settings(environment),
            Scope::Project(project) => project.join(".vscode"),
        };
        ConfigurationFiles {
            servers: vec![folder.join("mcp.json")],
            own_folder: Some(folder),
            ..ConfigurationFiles::default()
        }
    }

    fn notes(&self, _hooks: bool, _scope: &Scope) -> Vec<Text> {
        vec![say::note_trust_server(self.facts().title)]
    }
}
