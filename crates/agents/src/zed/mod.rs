//! Zed, an editor that starts agents over ACP, from its documentation of November 2026. The program itself was not tried.

use crate::{Agent, ConfigurationFiles, EditorAgents, Environment, Facts, Scope, ServerForm};
use protocol::{Text, say};

pub struct Zed;

const FACTS: Facts = Facts {
    server_form: Some(ServerForm::Agents(EditorAgents { agents: "agent_servers", kind: Some(("type", "custom")) })),
    ..Facts::new("zed", "Zed")
};

impl Agent for Zed {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn files(&self, environment: &Environment, scope: &Scope) -> ConfigurationFiles {
        let folder = if cfg!(windows) {
            environment.folder_or_home(&["APPDATA"], "AppData/Roaming").join("Zed")
        } else if cfg!(target_os = "macos") {
            environment.home.join(".config/zed")
        } else {
            environment.folder_or_home(&["XDG_CONFIG_HOME"], ".config").join("zed")
        };
        // Agents are in the user's settings only.
        let servers = if *scope == Scope::User { vec![folder.join("settings.json")] } else { Vec::new() };
        ConfigurationFiles { servers, ..ConfigurationFiles::default() }
    }

    fn notes(&self, _hooks: bool, _scope: &Scope) -> Vec<Text> {
        vec![say::note_new_thread(self.facts().title)]
    }

    fn limits(&self) -> &'static [&'static str] {
        &["agents of its registry are started by Zed itself: only those of `\"type\": \"custom\"` are followed"]
    }
}
